// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A study for people at a terminal and for programs.
#pragma once
#include <jansson.h>
#include <stdio.h>

#include "pawl/study.h"

/// Claims, paragraphs and tables with aligned columns; plots are named alone.
void study_print(const pawl_study *study, FILE *to);
/// {name, title, source, met, claims, text, tables, plots}; see docs/reproduce.md. NULL: no memory.
json_t *study_json(const pawl_study *study);
