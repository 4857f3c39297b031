// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Text files for contact points: tables of wrenches and heightfields. The formats are in docs/wrench-contact.md.
#pragma once
#include "base/array.h"
#include "pawl/wrench.h"

typedef struct wrench_file {
    pawl_array centres;  // double, 4 a centre
    pawl_array wrenches; // double, 6 a vertex
    double power;
    pawl_wrench_table table; // points into the arrays
} wrench_file;
// What was read must be freed, also after a failure. The locale must have a decimal point.
pawl_status wrench_file_read(const pawl_env *env, const char *path, wrench_file *out);
void wrench_file_free(const pawl_env *env, wrench_file *file);

typedef struct height_file {
    pawl_array heights; // double
    int x_count, y_count;
    double dx, dy;
} height_file;
pawl_status height_file_read(const pawl_env *env, const char *path, height_file *out);
void height_file_free(const pawl_env *env, height_file *file);
