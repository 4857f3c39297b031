// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Where a solver starts: what the state remembers of contacts, found again by id, scaled, and shared
// out by hand where features have changed; and what it is worth on a stack.
#include "collide/contact.h"
#include "step/common/warm_start.h"
#include "support/mechanism.h"

#include <string.h>

// Ids of a pair lie in one run of 2^12.
static double warm_id(int pair, int feature)
{
    double id = 4096.0 * pair + feature;
    CHECK_NEAR(pawl_contact_pair(id), pair, 0.0);
    return id;
}

typedef struct warm_case {
    mechanism m;
    pawl_assembly *assembly;
    pawl_state *state;
    pawl_contact contacts[6];
    double lambda[18];
    pawl_settings settings;
    step_context context;
} warm_case;

// The contacts of this step; `known` (id and three impulses each) those of the last.
static void warm_begin(warm_case *w, const double *ids, int count, const double (*known)[4],
                       int known_count)
{
    memset(w, 0, sizeof *w);
    mechanism_begin(&w->m);
    pawl_body_id body = mechanism_solid(&w->m, 1.0, v3(0, 0, 1), v3(1, 1, 1));
    pawl_shape_def shape = pawl_shape_def_default();
    CHECK_OK(pawl_builder_add_shape(w->m.builder, body, &shape, NULL));
    CHECK_OK(pawl_builder_add_shape(w->m.builder, PAWL_WORLD, &shape, NULL));
    mechanism_compile(&w->m);
    CHECK_OK(pawl_assembly_create(&w->m.t.env, w->m.model, 6, &w->assembly));
    CHECK_OK(pawl_state_create(&w->m.t.env, w->m.model, &w->state));
    CHECK(pawl_contact_memory(w->m.model) >= known_count);
    CHECK_INT(pawl_contact_width(w->m.model), 4);
    w->state->contacts[0] = (double)known_count;
    if (known_count > 0) {
        memcpy(w->state->contacts + 1, known, (size_t)known_count * sizeof *known);
    }
    for (int k = 0; k < count; ++k) {
        w->contacts[k].id = ids[k];
    }
    for (int i = 0; i < 18; ++i) {
        w->lambda[i] = 99.0; // must be overwritten
    }
    pawl_assembly_set_contacts(w->assembly, w->contacts, count);
    w->assembly->problem.row_count = 3 * count;
    w->assembly->problem.contact_count = count;
    w->settings = pawl_settings_default();
    w->context = (step_context){.model = w->m.model,
                                .settings = &w->settings,
                                .assembly = w->assembly,
                                .u = {.lambda = w->lambda, .fraction = 1.0}};
}

static void warm_end(warm_case *w)
{
    pawl_state_destroy(w->state);
    pawl_assembly_destroy(w->assembly);
    mechanism_end(&w->m);
}

static void warm_check(const warm_case *w, int contact, double t, double o, double n)
{
    CHECK_NEAR3(v3(w->lambda[3 * contact], w->lambda[3 * contact + 1], w->lambda[3 * contact + 2]),
                v3(t, o, n), 1e-15);
}

// By hand. Pair 1 keeps feature 5, loses 2 and 9, gains 3 and 7; pair 2 is new; pair 4 is gone, and
// what it bore with it; pair 6 gains a contact and loses none.
TEST(contacts_start_from_what_they_bore_and_new_ones_from_what_is_lost)
{
    const double ids[] = {warm_id(1, 3), warm_id(1, 5), warm_id(1, 7),
                          warm_id(2, 1), warm_id(6, 1), warm_id(6, 2)};
    const double known[][4] = {{warm_id(1, 2), 0.5, 0.0, 4.0},
                               {warm_id(1, 5), -1.0, 2.0, 3.0},
                               {warm_id(1, 9), 0.5, -1.0, 2.0},
                               {warm_id(4, 1), 1.0, 1.0, 8.0},
                               {warm_id(6, 2), 0.0, 0.25, 1.0}};
    for (int kind = 0; kind < PAWL_WARM_COUNT; ++kind) {
        static warm_case w;
        warm_begin(&w, ids, 6, known, 5);
        w.settings.solver.warm_start = (pawl_warm_start_kind)kind;
        w.settings.solver.warm_start_scale = kind == PAWL_WARM_OFF ? 1.0 : 0.5;
        pawl_warm_start(&w.context, w.state);
        double s = kind == PAWL_WARM_OFF ? 0.0 : 0.5, g = kind == PAWL_WARM_GUESS ? 0.5 : 0.0;
        warm_check(&w, 0, g * 0.5, g * -0.5, g * 3.0); // half of (1, -1, 6)
        warm_check(&w, 1, s * -1.0, s * 2.0, s * 3.0);
        warm_check(&w, 2, g * 0.5, g * -0.5, g * 3.0);
        warm_check(&w, 3, 0.0, 0.0, 0.0);
        warm_check(&w, 4, 0.0, 0.0, 0.0);
        warm_check(&w, 5, 0.0, s * 0.25, s * 1.0);
        warm_end(&w);
    }
}

// What was remembered is what is found again, bit by bit.
TEST(contacts_are_remembered_as_they_were)
{
    static warm_case w;
    const double ids[] = {warm_id(1, 3), warm_id(1, 5), warm_id(2, 1)};
    warm_begin(&w, ids, 3, NULL, 0);
    for (int i = 0; i < 9; ++i) {
        w.lambda[i] = 0.1 * i;
    }
    pawl_remember_contacts(&w.context, w.state);
    memset(w.lambda, 0, sizeof w.lambda);
    pawl_warm_start(&w.context, w.state);
    for (int i = 0; i < 9; ++i) {
        CHECK_NEAR(w.lambda[i], 0.1 * i, 0.0);
    }
    warm_end(&w);
}

// A stack of three at rest: with the right start there is nothing left to do, and less than the whole of
// it is no right start.
TEST(a_stack_at_rest_needs_fewer_iterations_from_a_warm_start)
{
    int64_t iterations[3];
    for (int variant = 0; variant < 3; ++variant) {
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
        pawl_shape_def shape = pawl_shape_def_default();
        shape.kind = PAWL_SHAPE_PLANE;
        CHECK_OK(pawl_builder_add_shape(m.builder, PAWL_WORLD, &shape, NULL));
        shape.kind = PAWL_SHAPE_BOX;
        for (int k = 0; k < 3; ++k) {
            pawl_body_def body = pawl_body_def_default();
            body.density = 1000.0;
            body.pose.position = v3(0, 0, 0.1 + 0.2 * k);
            CHECK_OK(pawl_builder_add_shape(m.builder, mechanism_body(&m, &body), &shape, NULL));
        }
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
        settings.solver.warm_start = variant == 0 ? PAWL_WARM_OFF : PAWL_WARM_MATCHED;
        settings.solver.warm_start_scale = variant == 2 ? 0.9 : 1.0;
        mechanism_start(&m, &settings);
        mechanism_run(&m, 50);
        iterations[variant] = m.verdict.iterations_sum;
        mechanism_end(&m);
    }
    CHECK(iterations[1] < iterations[2] && iterations[2] <= iterations[0]);
}
