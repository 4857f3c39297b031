// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// States: copies, hashes, bytes, and runs that go on from them with the same bits.
#include "math/rotation.h"
#include "model/state.h"
#include "support/everything.h"
#include "support/mechanism.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

typedef struct state_run {
    test_env t;
    pawl_model *model;
    pawl_sim *sim;
} state_run;

static void state_run_begin(state_run *r, const pawl_settings *settings)
{
    *r = (state_run){.model = NULL};
    test_env_init(&r->t);
    CHECK_OK(everything_build(&r->t.env, &r->model));
    CHECK_OK(pawl_sim_create(&r->t.env, r->model, settings, &r->sim));
}

static void state_run_steps(state_run *r, int steps)
{
    for (int i = 0; i < steps; ++i) {
        CHECK_OK(pawl_sim_step(r->sim, NULL));
    }
}

static void state_run_end(state_run *r)
{
    pawl_sim_destroy(r->sim);
    pawl_model_destroy(r->model);
    CHECK_NO_LEAK(&r->t);
}

static unsigned char *state_save(const pawl_state *s, size_t *size)
{
    *size = pawl_state_size(s);
    unsigned char *bytes = malloc(*size);
    CHECK(bytes != NULL);
    pawl_state_save(s, bytes);
    return bytes;
}

TEST(a_copy_and_a_saved_state_have_the_hash_of_the_original)
{
    state_run r;
    pawl_settings settings = mechanism_settings(5e-3, PAWL_STEPPER_EULER);
    state_run_begin(&r, &settings);
    state_run_steps(&r, 50);
    const pawl_state *s = pawl_sim_state(r.sim);
    pawl_state *copy;
    CHECK_OK(pawl_state_create(&r.t.env, r.model, &copy));
    CHECK(pawl_state_hash(copy) != pawl_state_hash(s));
    pawl_state_copy(copy, s);
    CHECK(pawl_state_hash(copy) == pawl_state_hash(s));
    CHECK_INT(pawl_state_step(copy), 50);
    CHECK_NEAR(pawl_state_time(copy), 0.25, 1e-15);
    size_t size;
    unsigned char *bytes = state_save(s, &size);
    pawl_state *loaded;
    CHECK_OK(pawl_state_create(&r.t.env, r.model, &loaded));
    CHECK_OK(pawl_state_load(&r.t.env, loaded, bytes, size));
    CHECK(pawl_state_hash(loaded) == pawl_state_hash(s));
    CHECK_INT(pawl_state_step(loaded), 50);
    free(bytes);
    pawl_state_destroy(copy);
    pawl_state_destroy(loaded);
    state_run_end(&r);
}

// By definition, for every stepper, solver and projection: n steps, save, load elsewhere, n more
// are 2 n steps. Limits, friction, warm starts, turns and loops all take part.
TEST(a_resumed_run_has_the_bits_of_an_uninterrupted_one)
{
    for (int variant = 0; variant < 8; ++variant) {
        pawl_settings settings = mechanism_settings(5e-3, (pawl_stepper_kind)(variant % 2));
        settings.solver.kind = variant / 2 % 2 == 0 ? PAWL_SOLVER_DIRECT : PAWL_SOLVER_PGS_NCP;
        settings.project = variant < 4;
        state_run whole, first, second;
        state_run_begin(&whole, &settings);
        state_run_steps(&whole, 120);
        state_run_begin(&first, &settings);
        state_run_steps(&first, 60);
        size_t size;
        unsigned char *bytes = state_save(pawl_sim_state(first.sim), &size);
        state_run_begin(&second, &settings);
        pawl_state *loaded;
        CHECK_OK(pawl_state_create(&second.t.env, second.model, &loaded));
        CHECK_OK(pawl_state_load(&second.t.env, loaded, bytes, size));
        CHECK_OK(pawl_sim_set_state(second.sim, loaded));
        state_run_steps(&second, 60);
        state_run_steps(&first, 60); // saving disturbed nothing
        uint64_t hash = pawl_state_hash(pawl_sim_state(whole.sim));
        CHECK(pawl_state_hash(pawl_sim_state(first.sim)) == hash);
        CHECK(pawl_state_hash(pawl_sim_state(second.sim)) == hash);
        pawl_state_destroy(loaded);
        free(bytes);
        state_run_end(&whole);
        state_run_end(&first);
        state_run_end(&second);
    }
}

// The same model, built twice, in different memory.
TEST(the_same_model_gives_the_same_bits_twice)
{
    for (int s = 0; s < MECHANISM_STEPPERS; ++s) {
        pawl_settings settings = mechanism_settings(5e-3, (pawl_stepper_kind)s);
        state_run a, b;
        state_run_begin(&a, &settings);
        state_run_begin(&b, &settings);
        CHECK(pawl_model_hash(a.model) == pawl_model_hash(b.model));
        CHECK(pawl_state_hash(pawl_sim_state(a.sim)) == pawl_state_hash(pawl_sim_state(b.sim)));
        state_run_steps(&a, 100);
        state_run_steps(&b, 100);
        CHECK(pawl_state_hash(pawl_sim_state(a.sim)) == pawl_state_hash(pawl_sim_state(b.sim)));
        // a state of a twin model is as good as its own: it is known by its hash
        CHECK_OK(pawl_sim_set_state(a.sim, pawl_sim_state(b.sim)));
        state_run_end(&a);
        state_run_end(&b);
    }
}

// Every single byte is turned over: nothing that load() takes may differ from what was saved.
TEST(corrupted_bytes_are_refused)
{
    state_run r;
    pawl_settings settings = mechanism_settings(5e-3, PAWL_STEPPER_EULER);
    state_run_begin(&r, &settings);
    state_run_steps(&r, 20);
    size_t size;
    unsigned char *bytes = state_save(pawl_sim_state(r.sim), &size);
    pawl_state *s;
    CHECK_OK(pawl_state_create(&r.t.env, r.model, &s));
    uint64_t fresh = pawl_state_hash(s);
    for (size_t i = 0; i < size; ++i) {
        bytes[i] ^= 0x10;
        pawl_status status = pawl_state_load(&r.t.env, s, bytes, size);
        if (status == PAWL_OK) {
            fail_msg("byte %zu of %zu changed, and the state was taken", i, size);
        }
        CHECK_STATUS(status, PAWL_BAD_ARGUMENT);
        CHECK(pawl_state_hash(s) == fresh); // untouched
        bytes[i] ^= 0x10;
    }
    CHECK_OK(pawl_state_load(&r.t.env, s, bytes, size));
    free(bytes);
    pawl_state_destroy(s);
    state_run_end(&r);
}

TEST(truncated_bytes_and_those_of_another_model_are_refused)
{
    state_run r;
    pawl_settings settings = mechanism_settings(5e-3, PAWL_STEPPER_EULER);
    state_run_begin(&r, &settings);
    size_t size;
    unsigned char *bytes = state_save(pawl_sim_state(r.sim), &size);
    pawl_state *s;
    CHECK_OK(pawl_state_create(&r.t.env, r.model, &s));
    for (size_t n = 0; n < size; n += n < 64 ? 1 : 997) {
        CHECK_STATUS(pawl_state_load(&r.t.env, s, bytes, n), PAWL_BAD_ARGUMENT);
    }
    mechanism other; // of the same size, which a change of gravity does not alter
    mechanism_begin(&other);
    mechanism_solid(&other, 1.0, v3(0, 0, 0), v3(0.1, 0.1, 0.1));
    pawl_model *moon;
    CHECK_OK(pawl_builder_compile(other.builder, &moon));
    pawl_builder_set_gravity(other.builder, v3(0, 0, -1.6));
    mechanism_start(&other, &settings);
    size_t small;
    unsigned char *wrong = state_save(mechanism_state(&other), &small);
    pawl_state *far;
    CHECK_OK(pawl_state_create(&other.t.env, moon, &far));
    CHECK_INT(pawl_state_size(far), small);
    CHECK_STATUS(pawl_state_load(&other.t.env, far, wrong, small), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&other.t, "another model");
    CHECK_STATUS(pawl_sim_set_state(other.sim, far), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&other.t, "belongs to");
    pawl_state_destroy(far);
    pawl_model_destroy(moon);
    mechanism_end(&other);
    free(wrong);
    free(bytes);
    pawl_state_destroy(s);
    state_run_end(&r);
}

TEST(numbers_that_are_not_finite_are_refused)
{
    mechanism m;
    mechanism_begin(&m);
    mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(0.1, 0.1, 0.1));
    mechanism_compile(&m);
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    pawl_state *s, *target;
    CHECK_OK(pawl_state_create(&m.t.env, m.model, &s));
    CHECK_OK(pawl_state_create(&m.t.env, m.model, &target));
    for (int i = 0; i < 3; ++i) {
        pawl_twist twist = {.linear = {bad[i], 0, 0}};
        CHECK_STATUS(pawl_state_set_twist(s, pawl_model_body_at(pawl_state_model(s), 0), twist),
                     PAWL_BAD_ARGUMENT);
        s->bodies[0].v = twist.linear; // which nothing but a fault could do
        size_t size;
        unsigned char *bytes = state_save(s, &size); // with a hash that fits
        CHECK_STATUS(pawl_state_load(&m.t.env, target, bytes, size), PAWL_BAD_ARGUMENT);
        free(bytes);
    }
    pawl_state_destroy(s);
    pawl_state_destroy(target);
    mechanism_end(&m);
}

// Closed form: pose and twist of the link frame, given and read, about a centre of mass elsewhere.
TEST(poses_and_twists_are_those_of_the_link_frame)
{
    uint64_t seed = 1;
    mechanism m;
    mechanism_begin(&m);
    pawl_body_def def = pawl_body_def_default();
    def.mass = 1.0;
    def.com = v3(0.3, -0.2, 0.5);
    def.pose = random_pose(&seed, 2.0);
    def.twist = (pawl_twist){random_vec(&seed, 1.0), random_vec(&seed, 1.0)};
    random_inertia(&seed, 1.0, 0.5, def.inertia);
    mechanism_body(&m, &def);
    mechanism_compile(&m);
    pawl_state *s;
    CHECK_OK(pawl_state_create(&m.t.env, m.model, &s));
    CHECK_NEAR3(pawl_state_pose(s, pawl_model_body_at(pawl_state_model(s), 0)).position,
                def.pose.position, 1e-15);
    CHECK_NEAR3(pawl_state_twist(s, pawl_model_body_at(pawl_state_model(s), 0)).linear,
                def.twist.linear, 1e-15);
    CHECK_NEAR3(pawl_state_twist(s, pawl_model_body_at(pawl_state_model(s), 0)).angular,
                def.twist.angular, 0.0);
    pawl_pose pose = random_pose(&seed, 2.0);
    pawl_twist twist = {random_vec(&seed, 1.0), random_vec(&seed, 1.0)};
    pawl_state_set_pose(s, pawl_model_body_at(pawl_state_model(s), 0), pose);
    pawl_state_set_twist(s, pawl_model_body_at(pawl_state_model(s), 0), twist);
    CHECK_NEAR3(pawl_state_pose(s, pawl_model_body_at(pawl_state_model(s), 0)).position,
                pose.position, 1e-15);
    CHECK_NEAR(pawl_state_pose(s, pawl_model_body_at(pawl_state_model(s), 0)).orientation.w,
               pose.orientation.w, 1e-15);
    CHECK_NEAR3(pawl_state_twist(s, pawl_model_body_at(pawl_state_model(s), 0)).linear,
                twist.linear, 1e-15);
    CHECK_NEAR3(pawl_state_twist(s, pawl_model_body_at(pawl_state_model(s), 0)).angular,
                twist.angular, 0.0);
    // kinetic energy of the centre of mass, not of the link's origin
    pawl_vec3 arm = pawl_quat_rotate(pose.orientation, def.com);
    pawl_vec3 v = v3_add(twist.linear, v3_cross(twist.angular, arm));
    pawl_mat3 inertia = m3_from_six(def.inertia);
    pawl_vec3 w = pawl_quat_rotate(quat_conj(pose.orientation), twist.angular);
    double expected = 0.5 * v3_dot(v, v) + 0.5 * v3_dot(w, m3_mul(&inertia, w));
    CHECK_NEAR(pawl_state_energy(s).kinetic, expected, 1e-14);
    pawl_state_destroy(s);
    mechanism_end(&m);
}
