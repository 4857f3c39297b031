// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Common mistakes in the markup that other readers ignore.
#pragma once
#include <stdbool.h>
#include <stddef.h>

// An XML declaration behind the beginning of the file, and "--" inside a comment: blanked out, lines staying where they
// are. False where there is nothing to mend; with `text` NULL it only tells.
bool xml_mend(const char *read, size_t size, char *text);
