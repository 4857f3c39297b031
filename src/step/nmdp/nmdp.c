// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Creation: the tree, the contact points, all memory of steps, and the rejection of unsupported models. Sizes: nv
// coordinates of the tree, `points` contact points of the wrench set, each with a few vertices. A weight belongs to a
// vertex, or to one of the two directions of a coordinate with dry friction. nmdp.h has the principle (Pan and Hauser
// 2020).
#include "step/nmdp/nmdp.h"

// Coordinates and the 12 numbers of each link (centre, then axes) lie in one array of s->numbers, so that sums of
// moments are one loop.
static nmdp_moment nmdp_moment_carve(const nmdp *s, pawl_carver *mem)
{
    nmdp_moment m;
    m.theta = PAWL_CARVE(mem, double, s->numbers);
    m.bodies = m.theta == NULL ? NULL : (nmdp_body *)(void *)(m.theta + s->n);
    return m;
}

// Rows of loops, and what is as large as all unknowns, (theta, lambda).
static void nmdp_loop_layout(nmdp *s, pawl_carver *mem)
{
    size_t n = (size_t)s->n, rows = (size_t)s->loop_rows, all = n + rows;
    double **by_row[] = {&s->phi, &s->loop_scale, &s->lambda, &s->start_lambda, &s->kept_lambda};
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; ++i) {
        *by_row[i] = PAWL_CARVE(mem, double, rows);
    }
    s->loop = PAWL_CARVE(mem, nmdp_loop, s->loop_count);
    s->loop_coordinate = PAWL_CARVE(mem, nmdp_loop_coordinate, s->loop_coordinates);
    s->loop_gradient = PAWL_CARVE(mem, double, (size_t)s->loop_coordinates *n);
    s->chosen = PAWL_CARVE(mem, int, rows);
    s->Phi = PAWL_CARVE(mem, double, rows *n);
    int bodies = s->loop_count > 0 ? s->model->body_count : 0;
    s->loop_bodies = PAWL_CARVE(mem, body_state, bodies);
    s->loop_rotation = PAWL_CARVE(mem, pawl_mat3, bodies);
    s->direction = PAWL_CARVE(mem, double, all);
    s->factor = PAWL_CARVE(mem, double, all *all);
    s->pivot = PAWL_CARVE(mem, int, all);
}

// All memory whose size depends on the model alone. It is called twice: without memory to count, then to carve.
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
    s->J = PAWL_CARVE(mem, double, 6 * n);
    s->Jb = PAWL_CARVE(mem, double, 3 * n);
    s->change = PAWL_CARVE(mem, double, 6 * n);
    s->v = PAWL_CARVE(mem, double, vertex_numbers);
    s->dv = PAWL_CARVE(mem, double, 6 * vertex_numbers);
    s->actuator_column = PAWL_CARVE(mem, int, s->model->actuator_count);
    s->effort = PAWL_CARVE(mem, double, s->model->actuator_count);
    s->target = PAWL_CARVE(mem, double, s->model->actuator_count);
    s->saturated = PAWL_CARVE(mem, signed char, s->model->actuator_count);
    s->kept_saturated = PAWL_CARVE(mem, signed char, s->model->actuator_count);
    s->friction_column = PAWL_CARVE(mem, int, s->friction_count);
    s->motion_of = PAWL_CARVE(mem, int, n);
    s->motion_effort = PAWL_CARVE(mem, double, n);
    s->motion_scale = PAWL_CARVE(mem, double, n);
    s->second = PAWL_CARVE(mem, pawl_mat3, s->links);
    nmdp_moment *moments[] = {&s->stage.place, &s->stage.rate, &s->begin, &s->begin_rate,
                              &s->now,         &s->now_rate,   &s->first, &s->first_rate};
    for (size_t i = 0; i < sizeof moments / sizeof *moments; ++i) {
        *moments[i] = nmdp_moment_carve(s, mem);
    }
    double **vectors[] = {&s->theta, &s->trial,    &s->start,        &s->G,     &s->step,
                          &s->rate,  &s->gradient, &s->acceleration, &s->shift, &s->free_G};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) {
        *vectors[i] = PAWL_CARVE(mem, double, n);
    }
    double **squares[] = {&s->matrix, &s->inertia, &s->hessian, &s->metric};
    for (size_t i = 0; i < sizeof squares / sizeof *squares; ++i) {
        *squares[i] = PAWL_CARVE(mem, double, n *n);
    }
    nmdp_loop_layout(s, mem);
    double **by_weight[] = {&s->w, &s->trial_w, &s->kept_w};
    for (size_t i = 0; i < sizeof by_weight / sizeof *by_weight; ++i) {
        *by_weight[i] = PAWL_CARVE(mem, double, weights);
    }
}

// The program has the weights of what touches, which are few of all that could.
// B, slope and curve are (nv x weights), Q is (weights x weights).
static void nmdp_program_layout(nmdp *s, int weights, int groups, pawl_carver *mem)
{
    size_t n = (size_t)s->n, m = (size_t)weights;
    double **vectors[] = {&s->g, &s->c, &s->x};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) {
        *vectors[i] = PAWL_CARVE(mem, double, m);
    }
    s->B = PAWL_CARVE(mem, double, n *m);
    s->slope = PAWL_CARVE(mem, double, (n + (size_t)s->loop_rows) * m);
    s->curve = PAWL_CARVE(mem, double, n *m);
    s->Q = PAWL_CARVE(mem, double, m *m);
    s->used = PAWL_CARVE(mem, int, m);
    s->group_begin = PAWL_CARVE(mem, int, (size_t)groups + 1);
    s->qp = pawl_simplex_qp_layout(weights, groups, mem);
}

// Grows by doubling, and never beyond what the model can use. Matrices of the program are quadratic in the
// weights: memory for all of them at once would be too much in models with many contact points. The contents are
// lost, which is why it is called before the program is built.
bool pawl_nmdp_reserve(nmdp *s, int weights, int groups)
{
    if (s->program != NULL && weights <= s->max_used && groups <= s->max_groups) {
        return true;
    }
    int used = weights > 2 * s->max_used ? weights : 2 * s->max_used;
    int sets = groups > 2 * s->max_groups ? groups : 2 * s->max_groups;
    used = used > s->weights ? s->weights : used;
    sets = sets > s->points + s->friction_count ? s->points + s->friction_count : sets;
    pawl_free(&s->env, s->program, s->program_bytes);
    pawl_carver need = {0};
    nmdp_program_layout(s, used, sets, &need);
    s->max_used = s->max_groups = 0;
    s->program_bytes = need.used;
    s->program = pawl_alloc(&s->env, need.used);
    if (s->program == NULL) {
        return false;
    }
    pawl_carver mem = {.base = s->program, .capacity = need.used};
    nmdp_program_layout(s, used, sets, &mem);
    s->max_used = used;
    s->max_groups = sets;
    return true;
}

// ---- what is refused ---------------------------------------------------------------------------

// Springs of ball joints and others have no coordinate of their own here. Each refusal names the joint and what to do
// instead.
static pawl_status nmdp_refuse_joints(nmdp *s)
{
    const pawl_model *m = s->model;
    const char *stepper = pawl_stepper_name((int)s->settings->stepper);
    PAWL_TRY(pawl_nmdp_count_loops(s));
    if (m->medium.density > 0.0) {
        return PAWL_FAIL(&s->env, PAWL_UNSUPPORTED,
                         "stepper %s has no drag of a medium; choose euler, moreau or lit",
                         stepper);
    }
    for (int i = 0; i < m->actuator_count; ++i) {
        bool sticks = m->actuators[i].kind == PAWL_ACTUATOR_ADHESION;
        if (sticks || m->actuators[i].muscle.peak > 0.0) {
            return PAWL_FAIL(&s->env, PAWL_UNSUPPORTED,
                             "stepper %s has no %s ('%s'); choose euler, moreau or lit", stepper,
                             sticks ? "adhesion" : "muscles", m->actuators[i].name);
        }
    }
    if (s->settings->nmdp.order == 2 && nmdp_in_space(s)) {
        return PAWL_FAIL(&s->env, PAWL_UNSUPPORTED,
                         "nmdp.order=2 needs nmdp.dynamics=ne: stages in space are of first order");
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        for (int c = 0; c < j->coordinate_count; ++c) {
            const pawl_coordinate_def *d = &j->coordinate[c];
            // A ball has three columns that are no coordinates of the joint: there is nothing for friction or a
            // rotor to act along.
            bool ball = j->kind == PAWL_JOINT_SPHERICAL || (j->kind == PAWL_JOINT_FREE && c >= 3);
            bool linear = s->settings->stepper != PAWL_STEPPER_NMDP;
            if (d->slack != 0.0) {
                return PAWL_FAIL(&s->env, PAWL_UNSUPPORTED,
                                 "stepper %s has no springs with slack, but joint '%s' has one; "
                                 "choose euler, moreau or lit",
                                 stepper, j->name);
            }
            if (ball && (d->armature != 0.0 || d->friction != 0.0 ||
                         (linear && (d->stiffness != 0.0 || d->damping != 0.0)))) {
                return PAWL_FAIL(&s->env, PAWL_UNSUPPORTED,
                                 "stepper %s does not support %sdry friction or armatures of ball "
                                 "joints, but joint '%s' of '%s' has one; use a gimbal joint",
                                 stepper, linear ? "springs, dampers, " : "", j->name, m->name);
            }
            bool counted = s->settings->nmdp.energy == PAWL_NMDP_ENERGY_EFFECTIVE ||
                           s->settings->nmdp.energy == PAWL_NMDP_ENERGY_TOTAL;
            if (d->friction != 0.0 && !counted) {
                return PAWL_FAIL(&s->env, PAWL_UNSUPPORTED,
                                 "dry friction in joints (joint '%s' of '%s') needs "
                                 "nmdp.energy=effective or total: unit masses at contact points do "
                                 "not see it",
                                 j->name, m->name);
            }
        }
    }
    return PAWL_OK;
}

// The column of the tree that is the model's coordinate `flat`; -1 where the tree has none, as for balls.
int pawl_nmdp_column_of(const nmdp *s, int flat)
{
    for (int k = 0; k < s->n; ++k) {
        if (s->tree->columns[k].coordinate == flat) {
            return k;
        }
    }
    return -1;
}

// An infinite gain would be a constraint, and the balance G has none but prescribed motions.
static pawl_status nmdp_find_actuators(nmdp *s)
{
    const pawl_model *m = s->model;
    for (int i = 0; i < m->actuator_count; ++i) {
        const pawl_actuator_def *d = &m->actuators[i];
        const model_joint *j = &m->joints[pawl_joint_index(d->joint)];
        s->actuator_column[i] = pawl_nmdp_column_of(s, j->first_coordinate + d->coordinate);
        if (s->actuator_column[i] < 0 || !isfinite(d->damping)) {
            return PAWL_FAIL(
                &s->env, PAWL_UNSUPPORTED,
                "stepper %s needs actuators of single coordinates with finite gains, "
                "and in each loop a joint without; actuator %d of '%s' (joint '%s') is "
                "not possible",
                pawl_stepper_name((int)s->settings->stepper), i, m->name, j->name);
        }
    }
    return PAWL_OK;
}

// A prescribed coordinate keeps its column; its equation is replaced (nmdp_joints.c).
static pawl_status nmdp_find_motions(nmdp *s)
{
    const pawl_model *m = s->model;
    for (int k = 0; k < s->n; ++k) {
        s->motion_of[k] = -1;
        s->motion_effort[k] = 0.0;
    }
    for (int i = 0; i < m->motion_count; ++i) {
        const model_joint *j = &m->joints[pawl_joint_index(m->motions[i].joint)];
        int k = pawl_nmdp_column_of(s, j->first_coordinate + m->motions[i].coordinate);
        if (k < 0) {
            return PAWL_FAIL(
                &s->env, PAWL_UNSUPPORTED,
                "stepper %s prescribes single coordinates of joints, but motion '%s' of "
                "'%s' is that of joint '%s' (%s)",
                pawl_stepper_name((int)s->settings->stepper), m->motions[i].name, m->name, j->name,
                pawl_joint_kind_name(j->kind));
        }
        s->motion_of[k] = i;
    }
    return PAWL_OK;
}

// Columns of floating bases and balls have no coordinate, and so no dry friction.
static bool nmdp_has_friction(const nmdp *s, int column)
{
    const pawl_coordinate_def *d = pawl_nmdp_coordinate(s, column);
    return d != NULL && d->friction > 0.0;
}

// ---- creation ----------------------------------------------------------------------------------

// Points of the wrench set in the terms of the tree: link, anchor from the centre of mass, first weight and first
// number of its vertices. A point touches the ground, or one other body (`pair`).
static void nmdp_set_points(nmdp *s)
{
    int numbers = 0;
    for (int i = 0; i < s->points; ++i) {
        pawl_wrench_point p = pawl_wrench_set_point(s->set, i);
        // Models with moments of their own. Coulomb's and the anisotropic one have six components where their
        // force acts away from the frame's origin, and no moment about the contact.
        bool wrenches = p.component_count == 6 && p.kind != PAWL_WRENCH_COULOMB &&
                        p.kind != PAWL_WRENCH_ANISOTROPIC;
        s->point[i] = (nmdp_point){
            .link = s->tree->link_of_body[pawl_body_index(p.body)],
            .body = pawl_body_index(p.body),
            .other_link = -1,
            .other_body = pawl_body_index(p.other),
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
        nmdp_point *own = &s->point[i];
        own->pair = own->other_body >= 0;
        if (own->pair) {
            own->other_link = s->tree->link_of_body[own->other_body];
            own->other_com = s->model->bodies[own->other_body].com;
        }
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

// Joints along which forces act are in the tree: others close the loops.
static pawl_status nmdp_create_tree(nmdp *s)
{
    size_t bytes = (size_t)s->model->joint_count * sizeof(bool) + 1;
    bool *wanted = pawl_alloc(&s->env, bytes);
    if (wanted == NULL) {
        return PAWL_FAIL(&s->env, PAWL_NO_MEMORY, "the joints of '%s' need %zu bytes",
                         s->model->name, bytes);
    }
    pawl_nmdp_wanted_joints(s->model, wanted);
    pawl_status status =
        pawl_reduced_tree_create_with(&s->env, s->model, REDUCED_BASE_QUATERNION, wanted, &s->tree);
    pawl_free(&s->env, wanted, bytes);
    return status;
}

// Order matters: the tree decides what is refused before contact points are made, and sizes are known before
// memory.
static pawl_status nmdp_create_parts(nmdp *s)
{
    pawl_wrench_set_def def = pawl_wrench_set_def_default();
    def.derived.stiffness = s->settings->nmdp.stiffness;
    def.bodies = s->settings->nmdp.bodies;
    def.friction_rule = s->settings->contact.friction_rule;
    PAWL_TRY(nmdp_create_tree(s));
    PAWL_TRY(pawl_reduced_motion_create(&s->env, s->tree, &s->motion));
    PAWL_TRY(nmdp_refuse_joints(s));
    PAWL_TRY(pawl_wrench_set_create(&s->env, s->model, &def, &s->set));
    s->n = s->tree->column_count;
    s->links = s->tree->link_count;
    s->points = pawl_wrench_set_point_count(s->set);
    s->first_friction = pawl_wrench_set_weight_count(s->set);
    for (int k = 0; k < s->n; ++k) {
        s->friction_count += nmdp_has_friction(s, k) ? 1 : 0;
    }
    s->weights = s->first_friction + 2 * s->friction_count;
    s->numbers = s->n + 12 * s->links;
    enum { MAX_WEIGHTS = 1000000 };
    if (s->weights > MAX_WEIGHTS) {
        return PAWL_FAIL(
            &s->env, PAWL_UNSUPPORTED,
            "the shapes of '%s' have %d contact points with each other and the ground, "
            "more than stepper %s can try in a step; set nmdp.bodies=off, or choose "
            "euler or moreau",
            s->model->name, s->points, pawl_stepper_name((int)s->settings->stepper));
    }
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
    PAWL_TRY(pawl_nmdp_set_loops(s));
    for (int k = 0, i = 0; k < s->n; ++k) {
        if (nmdp_has_friction(s, k)) {
            s->friction_column[i++] = k;
        }
    }
    enum { FIRST_WEIGHTS = 256, FIRST_GROUPS = 64 };
    int sets = s->points + s->friction_count;
    if (!pawl_nmdp_reserve(s, s->weights < FIRST_WEIGHTS ? s->weights : FIRST_WEIGHTS,
                           sets < FIRST_GROUPS ? sets : FIRST_GROUPS)) {
        return PAWL_FAIL(&s->env, PAWL_NO_MEMORY, "stepping '%s' needs %zu bytes more",
                         s->model->name, s->program_bytes);
    }
    PAWL_TRY(nmdp_find_motions(s));
    return nmdp_find_actuators(s);
}

// On failure everything that was made so far is destroyed, and *out is NULL.
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
    pawl_free(&env, s->program, s->program_bytes);
    pawl_free(&env, s->block, s->block_bytes);
    pawl_wrench_set_destroy(s->set);
    pawl_reduced_motion_destroy(s->motion);
    pawl_reduced_tree_destroy(s->tree);
    pawl_free(&env, s, sizeof *s);
}
