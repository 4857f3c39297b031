// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Rows of a problem and their bodies: all of an assembly, or those of one island (islands.h). Functions of row sets
// apply to both.
#pragma once
#include "rows/assembly.h"

typedef struct row_set {
    const pawl_assembly *a; // whose Jacobians and inertias the rows have
    const pawl_problem *problem;
    const row_block *blocks; // of the problem; their bodies are counted as here
    int body_count;
    const int *bodies; // (body_count) as the model counts them; NULL where that is the same
} row_set;

// All rows of a, as it is assembled whenever the set is used.
row_set pawl_row_set_all(const pawl_assembly *a);

static inline int pawl_row_set_body(const row_set *s, int body)
{
    return s->bodies == NULL ? body : s->bodies[body];
}

static inline const model_body *pawl_row_set_model(const row_set *s, int body)
{
    return &s->a->model->bodies[pawl_row_set_body(s, body)];
}

// u += M^-1 JT lambda and v = J u; u is (6 x bodies of the set).
void pawl_row_set_add_impulses(const row_set *s, const double *lambda, double *u);
void pawl_row_set_velocity(const row_set *s, const double *u, double *v);
// force += JT lambda and v = J u over the loose blocks of an assembly; force and u are (6 x bodies).
void pawl_row_set_add_loose_forces(const pawl_assembly *a, const double *lambda, double *force);
void pawl_row_set_loose_velocity(const pawl_assembly *a, const double *u, double *v);
