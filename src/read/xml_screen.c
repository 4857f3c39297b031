// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Screening of model files: before libxml2 sees a byte, one linear pass follows the markup and refuses what could
// make the parser slow or large: a DOCTYPE (entities), deep nesting, floods of elements or
// attributes (libxml2 compares the attributes of an element pairwise). The pass also refuses
// markup it cannot follow, so that it and libxml2 cannot disagree about what is a tag.
#include "read/xml_screen.h"
#include "read/xml_reader.h"
#include <string.h>

static bool xml_screen_at(const xml_screen *s, const char *mark)
{
    size_t length = strlen(mark);
    return (size_t)(s->end - s->at) >= length && memcmp(s->at, mark, length) == 0;
}

// Goes past the next `mark`, or to the end when there is none (libxml2 then says what is missing).
static void xml_screen_past(xml_screen *s, const char *mark)
{
    while (s->at < s->end && !xml_screen_at(s, mark)) {
        s->line += *s->at == '\n';
        ++s->at;
    }
    s->at = s->at < s->end ? s->at + strlen(mark) : s->end;
}

// A tag, from after its '<' to after its '>'.
static void xml_screen_tag(xml_screen *s)
{
    bool closing = s->at < s->end && *s->at == '/';
    s->at += closing;
    unsigned char first = s->at < s->end ? (unsigned char)*s->at : ' ';
    if (!(first >= 0x80 || first == '_' || first == ':' || (first >= 'a' && first <= 'z') ||
          (first >= 'A' && first <= 'Z'))) {
        s->complaint = "'<' is not followed by the name of an element";
        return;
    }
    int attributes = 0;
    char quote = '\0', previous = ' ';
    for (; s->at < s->end; ++s->at) {
        char c = *s->at;
        s->line += c == '\n';
        if (c == '<') {
            s->complaint = "a tag is not closed: got '<' inside it, expected '>'";
            return;
        }
        if (quote != '\0') {
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '=' && ++attributes > XML_MAX_ATTRIBUTES) {
            s->complaint = "an element has more than 64 attributes";
            return;
        } else if (c == '>') {
            break;
        }
        previous = c;
    }
    if (s->at == s->end) {
        return;
    }
    ++s->at;
    if (closing) {
        s->depth -= 1;
    } else {
        s->elements += 1;
        s->depth += previous != '/';
    }
    if (s->depth > XML_MAX_DEPTH) {
        s->complaint = "elements are nested more than 1000 deep";
    }
}

void xml_screen_run(xml_screen *s, int max_elements)
{
    while (s->at < s->end && s->complaint == NULL) {
        if (*s->at != '<') {
            s->line += *s->at == '\n';
            ++s->at;
        } else if (xml_screen_at(s, "<!--")) {
            s->at += 4;
            xml_screen_past(s, "-->");
        } else if (xml_screen_at(s, "<![CDATA[")) {
            s->at += 9;
            xml_screen_past(s, "]]>");
        } else if (xml_screen_at(s, "<?")) {
            xml_screen_past(s, "?>");
        } else if (xml_screen_at(s, "<!")) {
            s->complaint = "got a DOCTYPE: model files have none, and entities are not expanded";
        } else {
            ++s->at;
            xml_screen_tag(s);
            if (s->elements > max_elements) {
                s->complaint = "the model has more than a million elements";
            }
        }
    }
}
