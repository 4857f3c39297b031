// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What a check found, for people at a terminal and for programs.
#pragma once
#include <stdio.h>

#include "json_out.h"
#include "pawl/check.h"
#include "pawl/wrench.h"

/// "rigid"; and a body's name, "world" for the world.
const char *check_body_kind(pawl_body_kind kind);
const char *check_body_name(const pawl_model *model, pawl_body_id body);

/// All as in docs/cli.md. `assembled` is false when the joints cannot be brought together: what follows
/// from a configuration in which they meet is then null, or left out of the text.
json_t *check_json(const console *con, const pawl_model *model, const pawl_check *check,
                   bool assembled);
void check_text(const console *con, const char *path, const pawl_model *model,
                const pawl_check *check, bool assembled, FILE *to);
