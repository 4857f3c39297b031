// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Replaces by blanks what libxml2 refuses although its meaning is unambiguous. Comments end at the first "-->", as in
// xml_screen.c.
#include "read/xml_mend.h"
#include <string.h>

static bool mend_at(const char *at, const char *end, const char *mark)
{
    size_t length = strlen(mark);
    return (size_t)(end - at) >= length && memcmp(at, mark, length) == 0;
}

static const char *mend_find(const char *at, const char *end, const char *mark)
{
    while (at < end && !mend_at(at, end, mark)) {
        ++at;
    }
    return at;
}

// Replaces all characters between two places except line feeds by blanks.
static void mend_blank(const char *read, char *text, const char *from, const char *to)
{
    for (const char *c = from; text != NULL && c < to; ++c) {
        if (*c != '\n') {
            text[c - read] = ' ';
        }
    }
}

// version="1.0" or "1.1"; some exporters write "0.0", which libxml2 refuses.
static bool mend_is_version_one(const char *at, const char *stop)
{
    at = mend_find(at, stop, "version");
    while (at < stop && *at != '"' && *at != '\'') {
        ++at;
    }
    return stop - at > 2 && at[1] == '1' && at[2] == '.';
}

bool xml_mend(const char *read, size_t size, char *text)
{
    const char *end = read + size;
    bool found = false;
    size_t mark = mend_at(read, end, "\xef\xbb\xbf") ? 3 : 0; // of UTF-8
    for (const char *at = mend_find(read, end, "<"); at < end; at = mend_find(at, end, "<")) {
        if (mend_at(at, end, "<!--")) {
            const char *stop = mend_find(at + 4, end, "-->");
            for (const char *c = at + 4; c + 1 < stop + 1 && c < stop; ++c) {
                if (c[0] == '-' && (c + 1 == stop || c[1] == '-')) {
                    found = true;
                    mend_blank(read, text, c, c + 1);
                }
            }
            at = stop;
        } else if (mend_at(at, end, "<?xml ") &&
                   (at > read + mark || !mend_is_version_one(at, mend_find(at, end, "?>")))) {
            const char *stop = mend_find(at, end, "?>");
            found = true;
            stop = stop < end ? stop + 2 : end;
            mend_blank(read, text, at, stop);
            at = stop;
        } else {
            ++at;
        }
    }
    return found;
}
