// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Creation: the tree, the contact points, all memory that steps use, and what cannot be stepped.
#include "step/nmdp/nmdp.h"

static nmdp_moment nmdp_moment_carve(const nmdp *s, pawl_carver *mem)
{
    nmdp_moment m;
    m.theta = PAWL_CARVE(mem, double, s->numbers);
    m.bodies = m.theta == NULL ? NULL : (nmdp_body *)(void *)(m.theta + s->n);
    return m;
}

static void nmdp_layout(nmdp *s, pawl_carver *mem)
{
    size_t n = (size_t)s->n, weights = (size_t)s->weights, points = (size_t)s->points;
    int vertex_numbers = 0;
    for (int i = 0; i < s->points; ++i) {
        pawl_wrench_point p = pawl_wrench_set_point(s->set, i);
        vertex_numbers += p.vertex_count * p.component_count;
    }
    s->load = pawl_tree_load_layout(s->motion, s->tree, mem);
    s->config = pawl_reduced_config_carve(s->tree, mem);
    s->point = PAWL_CARVE(mem, nmdp_point, points);
    s->witness = PAWL_CARVE(mem, nmdp_witness, points);
    s->frame = PAWL_CARVE(mem, pawl_contact_frame, points);
    s->info = PAWL_CARVE(mem, pawl_contact_info, points);
    s->v = PAWL_CARVE(mem, double, vertex_numbers);
    s->dv = PAWL_CARVE(mem, double, 6 * vertex_numbers);
    s->actuator_column = PAWL_CARVE(mem, int, s->model->actuator_count);
    s->effort = PAWL_CARVE(mem, double, s->model->actuator_count);
    s->second = PAWL_CARVE(mem, pawl_mat3, s->links);
    nmdp_moment *moments[] = {&s->stage.place, &s->stage.rate, &s->begin, &s->begin_rate,
                              &s->now,         &s->now_rate,   &s->first, &s->first_rate};
    for (size_t i = 0; i < sizeof moments / sizeof *moments; ++i) {
        *moments[i] = nmdp_moment_carve(s, mem);
    }
    double **vectors[] = {&s->theta,        &s->trial, &s->start, &s->G,
                          &s->direction,    &s->step,  &s->rate,  &s->gradient,
                          &s->acceleration, &s->shift};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) {
        *vectors[i] = PAWL_CARVE(mem, double, n);
    }
    double **squares[] = {&s->matrix, &s->factor, &s->inertia, &s->hessian, &s->metric};
    for (size_t i = 0; i < sizeof squares / sizeof *squares; ++i) {
        *squares[i] = PAWL_CARVE(mem, double, n *n);
    }
    s->pivot = PAWL_CARVE(mem, int, n);
    double **by_weight[] = {&s->w, &s->trial_w, &s->kept_w, &s->g, &s->c, &s->x};
    for (size_t i = 0; i < sizeof by_weight / sizeof *by_weight; ++i) {
        *by_weight[i] = PAWL_CARVE(mem, double, weights);
    }
    s->B = PAWL_CARVE(mem, double, n *weights);
    s->slope = PAWL_CARVE(mem, double, n *weights);
    s->curve = PAWL_CARVE(mem, double, n *(weights > 3 ? weights : 3));
    s->Q = PAWL_CARVE(mem, double, weights *weights);
    s->used = PAWL_CARVE(mem, int, weights);
    s->group_begin = PAWL_CARVE(mem, int, points + 1);
    s->qp = pawl_simplex_qp_layout(s->weights, s->points, mem);
}

// ---- what is refused ---------------------------------------------------------------------------

// A free joint without limits, springs or rotors holds nothing: the bodies float beside each other as they do
// without it (the floating base of a URDF file).
static bool nmdp_holds_nothing(const model_joint *j)
{
    for (int c = 0; c < j->coordinate_count; ++c) {
        const pawl_coordinate_def *d = &j->coordinate[c];
        if (d->stiffness != 0.0 || d->damping != 0.0 || d->armature != 0.0 || d->friction != 0.0 ||
            d->lower > -INFINITY || d->upper < INFINITY) {
            return false;
        }
    }
    return j->kind == PAWL_JOINT_FREE;
}

static pawl_status nmdp_refuse_joints(const nmdp *s)
{
    const pawl_model *m = s->model;
    const char *stepper = pawl_stepper_name((int)s->settings->stepper);
    for (int i = 0; i < s->tree->loop_joint_count; ++i) {
        const model_joint *j = &m->joints[s->tree->loop_joints[i]];
        if (nmdp_holds_nothing(j)) {
            continue;
        }
        return PAWL_FAIL(&s->env, PAWL_UNSUPPORTED,
                         "stepper %s needs a tree, but joint '%s' (%s) of '%s' closes a loop or "
                         "cannot be a coordinate; choose euler, moreau or lit",
                         stepper, j->name, pawl_joint_kind_name(j->kind), m->name);
    }
    if (s->settings->nmdp.order == 2 && s->settings->nmdp.dynamics == PAWL_NMDP_PBD) {
        return PAWL_FAIL(&s->env, PAWL_UNSUPPORTED,
                         "nmdp.order=2 needs nmdp.dynamics=ne: stages in space are of first order");
    }
    if (m->motion_count > 0) {
        return PAWL_FAIL(&s->env, PAWL_UNSUPPORTED,
                         "stepper %s does not support prescribed motions of joints, but '%s' has "
                         "%d; use position actuators",
                         stepper, m->name, m->motion_count);
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        for (int c = 0; c < j->coordinate_count; ++c) {
            const pawl_coordinate_def *d = &j->coordinate[c];
            bool ball = j->kind == PAWL_JOINT_SPHERICAL || (j->kind == PAWL_JOINT_FREE && c >= 3);
            if (ball && (d->stiffness != 0.0 || d->damping != 0.0 || d->armature != 0.0)) {
                return PAWL_FAIL(&s->env, PAWL_UNSUPPORTED,
                                 "stepper %s does not support springs, dampers or armatures of "
                                 "ball joints, but joint '%s' of '%s' has one",
                                 stepper, j->name, m->name);
            }
            if (d->friction != 0.0) {
                return PAWL_FAIL(
                    &s->env, PAWL_UNSUPPORTED,
                    "stepper %s does not support dry friction in joints, but joint '%s' of "
                    "'%s' has %g",
                    stepper, j->name, m->name, d->friction);
            }
        }
    }
    return PAWL_OK;
}

static int nmdp_column_of(const nmdp *s, int flat)
{
    for (int k = 0; k < s->n; ++k) {
        if (s->tree->columns[k].coordinate == flat) {
            return k;
        }
    }
    return -1;
}

static pawl_status nmdp_find_actuators(nmdp *s)
{
    const pawl_model *m = s->model;
    for (int i = 0; i < m->actuator_count; ++i) {
        const pawl_actuator_def *d = &m->actuators[i];
        const model_joint *j = &m->joints[pawl_joint_index(d->joint)];
        s->actuator_column[i] = nmdp_column_of(s, j->first_coordinate + d->coordinate);
        if (s->actuator_column[i] < 0 || !isfinite(d->damping)) {
            return PAWL_FAIL(&s->env, PAWL_UNSUPPORTED,
                             "stepper %s needs actuators of single coordinates with finite gains, "
                             "but actuator %d of '%s' (joint '%s') is not one",
                             pawl_stepper_name((int)s->settings->stepper), i, m->name, j->name);
        }
    }
    return PAWL_OK;
}

// ---- creation ----------------------------------------------------------------------------------

static void nmdp_set_points(nmdp *s)
{
    int numbers = 0;
    for (int i = 0; i < s->points; ++i) {
        pawl_wrench_point p = pawl_wrench_set_point(s->set, i);
        bool wrenches = p.component_count == 6 && p.kind != PAWL_WRENCH_COULOMB &&
                        p.kind != PAWL_WRENCH_ANISOTROPIC;
        s->point[i] = (nmdp_point){
            .link = s->tree->link_of_body[pawl_body_index(p.body)],
            .body = pawl_body_index(p.body),
            .anchor = v3_sub(p.frame.position, s->model->bodies[pawl_body_index(p.body)].com),
            .axes = quat_matrix(p.frame.orientation),
            .radius = p.radius,
            .first_weight = p.first_weight,
            .vertex_count = p.vertex_count,
            .component_count = p.component_count,
            .first_number = numbers,
            .first_order = p.has_derivatives && s->settings->nmdp.gradient == PAWL_NMDP_FIRST,
            .rolls = p.radius > 0.0 || v3_norm(p.core) > 0.0,
            .turns = wrenches,
            .spins = p.kind == PAWL_WRENCH_PATCH};
        numbers += p.vertex_count * p.component_count;
    }
}

// Second moments from the inertia: I = tr(S) 1 - S.
static void nmdp_set_second_moments(nmdp *s)
{
    for (int i = 0; i < s->links; ++i) {
        const pawl_mat3 *inertia = &s->model->bodies[s->tree->links[i].body].inertia;
        double half = 0.5 * (inertia->m[0][0] + inertia->m[1][1] + inertia->m[2][2]);
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                s->second[i].m[r][c] = (r == c ? half : 0.0) - inertia->m[r][c];
            }
        }
    }
}

static pawl_status nmdp_create_parts(nmdp *s)
{
    pawl_wrench_set_def def = pawl_wrench_set_def_default();
    def.derived.stiffness = s->settings->nmdp.stiffness;
    PAWL_TRY(pawl_reduced_tree_create(&s->env, s->model, REDUCED_BASE_QUATERNION, &s->tree));
    PAWL_TRY(pawl_reduced_motion_create(&s->env, s->tree, &s->motion));
    PAWL_TRY(nmdp_refuse_joints(s));
    PAWL_TRY(pawl_wrench_set_create(&s->env, s->model, &def, &s->set));
    s->n = s->tree->column_count;
    s->links = s->tree->link_count;
    s->points = pawl_wrench_set_point_count(s->set);
    s->weights = pawl_wrench_set_weight_count(s->set);
    s->numbers = s->n + 12 * s->links;
    pawl_carver need = {0};
    nmdp_layout(s, &need);
    s->block_bytes = need.used;
    s->block = pawl_alloc(&s->env, need.used);
    if (s->block == NULL) {
        return PAWL_FAIL(&s->env, PAWL_NO_MEMORY, "stepping '%s' needs %zu bytes", s->model->name,
                         need.used);
    }
    pawl_carver mem = {.base = s->block, .capacity = need.used};
    nmdp_layout(s, &mem);
    nmdp_set_points(s);
    nmdp_set_second_moments(s);
    return nmdp_find_actuators(s);
}

pawl_status pawl_nmdp_create(const pawl_env *env, const pawl_model *model,
                             const pawl_settings *settings, nmdp **out)
{
    *out = NULL;
    nmdp *s = pawl_alloc(env, sizeof *s);
    if (s == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for stepping '%s'", model->name);
    }
    s->env = *env;
    s->model = model;
    s->settings = settings;
    pawl_status status = nmdp_create_parts(s);
    if (status != PAWL_OK) {
        pawl_nmdp_destroy(s);
        return status;
    }
    *out = s;
    return PAWL_OK;
}

void pawl_nmdp_destroy(nmdp *s)
{
    if (s == NULL) {
        return;
    }
    pawl_env env = s->env;
    pawl_free(&env, s->block, s->block_bytes);
    pawl_wrench_set_destroy(s->set);
    pawl_reduced_motion_destroy(s->motion);
    pawl_reduced_tree_destroy(s->tree);
    pawl_free(&env, s, sizeof *s);
}
