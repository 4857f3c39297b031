// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// JSON as the commands give it out: 17 significant digits, null for what is not a number, and
// files that are either complete or not there.
#pragma once
#include <jansson.h>

#include "console.h"
#include "pawl/check.h"

json_t *json_out_number(double value);   ///< null when not finite
json_t *json_out_text(const char *text); ///< null for NULL; bytes outside UTF-8 become '?'
json_t *json_out_vec3(pawl_vec3 v);      ///< [x, y, z]
json_t *json_out_joint_name(const pawl_model *model, pawl_joint_id joint); ///< null for none
/// {name, bodies, joints, dofs, rows, rank}, the same in `run` and `check`. `check` may be NULL
/// when the model could not be analysed.
json_t *json_out_model(const pawl_model *model, const pawl_check *check);
/// Writes and releases `root`; "-" is the standard output. A NULL root is a lack of memory. On
/// failure the message has been printed and a file of that name is as it was.
bool json_out_write(console *con, const char *path, json_t *root);
