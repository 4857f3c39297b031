// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The words by which a file format names kinds of joints.
#pragma once
#include "pawl/model.h"
#include "read/xml_reader.h"

typedef struct joint_word {
    const char *word;
    pawl_joint_kind kind;
} joint_word;

// The kind named by `type`. False: none; all words were then offered to `nearest`.
bool joint_word_find(const joint_word *words, size_t count, const char *type, xml_nearest *nearest,
                     pawl_joint_kind *kind);
