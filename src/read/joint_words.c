// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Looks up words for joints. If a word is unknown, the nearest one is kept for the message.
#include "read/joint_words.h"
#include <string.h>

bool joint_word_find(const joint_word *words, size_t count, const char *type, xml_nearest *nearest,
                     pawl_joint_kind *kind)
{
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(type, words[i].word) == 0) {
            *kind = words[i].kind;
            return true;
        }
        xml_nearest_offer(nearest, words[i].word);
    }
    return false;
}
