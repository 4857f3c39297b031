// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Lines and words of pawl's own text files (motions, wrench tables, heightfields), and their messages. Every limit on
// size is checked before memory is allocated.
#include "read/text_lines.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

pawl_status text_lines_error(const text_lines *t, const char *format, ...)
{
    char message[512];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    if (t->line > 0) {
        return PAWL_FAIL(t->env, PAWL_BAD_FILE, "%s:%d: %s", t->name, t->line, message);
    }
    return PAWL_FAIL(t->env, PAWL_BAD_FILE, "%s: %s", t->name, message);
}

pawl_status text_lines_begin(text_lines *t, const pawl_env *env, const char *name, const char *text,
                             size_t size)
{
    *t = (text_lines){.env = env, .name = name, .next = text, .end = text + size};
    if (size > TEXT_LINES_MAX_BYTES) {
        return text_lines_error(t, "got %zu bytes, expected at most %d", size,
                                (int)TEXT_LINES_MAX_BYTES);
    }
    return PAWL_OK;
}

// All of a stream that is said to have `size` bytes.
static pawl_status text_lines_read(text_lines *t, FILE *stream, size_t size)
{
    char *bytes = pawl_alloc(t->env, size + 1);
    if (bytes == NULL) {
        return PAWL_FAIL(t->env, PAWL_NO_MEMORY, "%s: no memory for a text file", t->name);
    }
    t->owned = bytes;
    t->owned_size = size + 1;
    size_t got = fread(bytes, 1, size + 1, stream);
    if (ferror(stream)) {
        return PAWL_FAIL(t->env, PAWL_IO_ERROR, "%s: reading failed", t->name);
    }
    t->next = bytes;
    t->end = bytes + got;
    return got <= size ? PAWL_OK : text_lines_error(t, "the file grew while it was read");
}

pawl_status text_lines_open(text_lines *t, const pawl_env *env, const char *path)
{
    *t = (text_lines){.env = env, .name = path};
    struct stat info;
    if (stat(path, &info) != 0) {
        return text_lines_error(t, "%s", strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return text_lines_error(t, "expected a file");
    }
    if (info.st_size > TEXT_LINES_MAX_BYTES) {
        return text_lines_error(t, "got %lld bytes, expected at most %d", (long long)info.st_size,
                                (int)TEXT_LINES_MAX_BYTES);
    }
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return text_lines_error(t, "%s", strerror(errno));
    }
    pawl_status status = text_lines_read(t, stream, (size_t)info.st_size);
    fclose(stream);
    return status;
}

void text_lines_end(text_lines *t)
{
    if (t->owned != NULL) {
        pawl_free(t->env, t->owned, t->owned_size);
        t->owned = NULL;
    }
}

static pawl_status text_lines_split(text_lines *t)
{
    t->word_count = 0;
    for (char *c = t->buffer; *c != '\0' && *c != '#';) {
        if (*c == ' ' || *c == '\t') {
            *c++ = '\0';
            continue;
        }
        if (t->word_count == TEXT_LINES_MAX_WORDS) {
            return text_lines_error(t, "got more than %d words", (int)TEXT_LINES_MAX_WORDS);
        }
        t->words[t->word_count++] = c;
        while (*c != '\0' && *c != ' ' && *c != '\t' && *c != '#') {
            ++c;
        }
        if (*c == '#') {
            *c = '\0'; // ends the last word and the line
        }
    }
    return PAWL_OK;
}

pawl_status text_lines_next(text_lines *t, bool *more)
{
    t->word_count = 0;
    *more = false;
    while (t->word_count == 0 && t->next < t->end) {
        ++t->line;
        const char *stop = memchr(t->next, '\n', (size_t)(t->end - t->next));
        stop = stop != NULL ? stop : t->end;
        size_t length = (size_t)(stop - t->next);
        if (length > 0 && t->next[length - 1] == '\r') {
            --length;
        }
        if (length > TEXT_LINES_MAX_LENGTH) {
            return text_lines_error(t, "got a line of %zu characters, expected at most %d", length,
                                    (int)TEXT_LINES_MAX_LENGTH);
        }
        for (size_t i = 0; i < length; ++i) {
            unsigned char c = (unsigned char)t->next[i];
            if ((c < 0x20 && c != '\t') || c == 0x7f) {
                return text_lines_error(t, "got a control character (0x%02x), expected text", c);
            }
        }
        memcpy(t->buffer, t->next, length);
        t->buffer[length] = '\0';
        t->next = stop < t->end ? stop + 1 : stop;
        PAWL_TRY(text_lines_split(t));
    }
    *more = t->word_count > 0;
    return PAWL_OK;
}

pawl_status text_lines_number(const text_lines *t, int index, const char *what, double *out)
{
    if (index >= t->word_count) {
        return text_lines_error(t, "%s is missing, expected a number", what);
    }
    const char *word = t->words[index];
    // strtod also takes hexadecimal, inf and nan, which no file of ours has.
    bool plain = strspn(word, "0123456789+-.eE") == strlen(word);
    char *stop;
    double value = plain ? strtod(word, &stop) : NAN;
    if (!plain || *stop != '\0' || stop == word || !isfinite(value)) {
        return text_lines_error(t, "got %s '%.40s', expected a finite number", what, word);
    }
    *out = value;
    return PAWL_OK;
}
