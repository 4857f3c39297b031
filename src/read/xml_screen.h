// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A first pass over the text of a model file.
#pragma once

typedef struct xml_screen {
    const char *at, *end;
    long line;
    int depth, elements;
    const char *complaint; // NULL while all is well
} xml_screen;

// Follows the markup from `at` to `end`, unless there is a complaint already. What it cannot follow, or
// what has more than `max_elements`, is a complaint, with its line.
void xml_screen_run(xml_screen *screen, int max_elements);
