// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Ids of another model, of a model that was described anew, and of zeros: every function that takes an id refuses
// them, and takes those of its own. A plain index cannot tell; the models here have the same counts.
#include "pawl/limb.h"
#include "pawl/pawl.h"
#include "pawl/query.h"
#include "support/mechanism.h"
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK_BAD(call) CHECK_STATUS((call), PAWL_BAD_ARGUMENT)

typedef struct id_set {
    pawl_body_id body;
    pawl_joint_id joint;
    pawl_shape_id shape;
    pawl_actuator_id actuator;
    pawl_spring_id spring;
} id_set;

// Two bodies, one on a hinge with a motor, a spring and a shape. Models of different masses are different ones.
static id_set ids_build(mechanism *m, double mass)
{
    id_set ids;
    mechanism_begin(m);
    mechanism_solid(m, mass, (pawl_vec3){0, 0, 3}, (pawl_vec3){1, 1, 1});
    ids.body = mechanism_solid(m, mass, (pawl_vec3){0, 0, 0}, (pawl_vec3){1, 1, 1});
    ids.joint = mechanism_world_joint(m, PAWL_JOINT_REVOLUTE, ids.body, (pawl_vec3){0, 0, 1},
                                      (pawl_vec3){0, 1, 0});
    pawl_shape_def ball = pawl_shape_def_default();
    ball.name = "ball";
    CHECK_OK(pawl_builder_add_shape(m->builder, ids.body, &ball, &ids.shape));
    CHECK_OK(pawl_builder_add_motor(m->builder, ids.joint, 5.0, &ids.actuator));
    pawl_spring_def spring = pawl_spring_def_default();
    spring.body_b = ids.body;
    spring.stiffness = 1.0;
    ids.spring = mechanism_spring(m, &spring);
    pawl_settings settings = pawl_settings_default();
    mechanism_start(m, &settings);
    return ids;
}

// Whether the builder takes these ids: all of them, or none.
static void ids_in_builder(pawl_builder *b, id_set ids, pawl_status expected)
{
    double q = 0.1;
    pawl_shape_def shape = pawl_shape_def_default();
    CHECK_STATUS(pawl_builder_add_shape(b, ids.body, &shape, NULL), expected);
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = PAWL_JOINT_SPHERICAL;
    joint.follower = ids.body;
    CHECK_STATUS(pawl_builder_add_joint(b, &joint, NULL), expected);
    CHECK_STATUS(pawl_builder_place_joint(b, &joint, (pawl_vec3){0, 0, 0}, (pawl_vec3){1, 0, 0},
                                          (pawl_vec3){0, 0, 0}),
                 expected);
    CHECK_STATUS(pawl_builder_connect(b, NULL, PAWL_JOINT_SPHERICAL, PAWL_WORLD, ids.body,
                                      (pawl_vec3){0, 0, 0}, (pawl_vec3){1, 0, 0}, NULL),
                 expected);
    pawl_joint_id other = pawl_builder_joint_at(b, 1);
    pawl_gear_def gear = pawl_gear_def_default();
    gear.joint = ids.joint;
    gear.source_joint = expected == PAWL_OK ? other : pawl_builder_joint_at(b, 0);
    CHECK_STATUS(pawl_builder_add_gear(b, &gear, NULL), expected);
    pawl_actuator_def actuator = pawl_actuator_def_default();
    actuator.joint = ids.joint;
    CHECK_STATUS(pawl_builder_add_actuator(b, &actuator, NULL), expected);
    CHECK_STATUS(pawl_builder_add_motor(b, ids.joint, 1.0, NULL), expected);
    CHECK_STATUS(pawl_builder_set_target(b, ids.actuator, &(pawl_signal){0}), expected);
    pawl_motion_def motion = pawl_motion_def_default();
    motion.joint = ids.joint;
    CHECK_STATUS(pawl_builder_add_motion(b, &motion, NULL), expected);
    pawl_force_def force = pawl_force_def_default();
    force.body = ids.body;
    CHECK_STATUS(pawl_builder_add_force(b, &force, NULL), expected);
    pawl_spring_def spring = pawl_spring_def_default();
    spring.body_a = ids.body;
    CHECK_STATUS(pawl_builder_add_spring(b, &spring, NULL), expected);
    CHECK_STATUS(pawl_builder_exclude(b, ids.body, PAWL_WORLD), expected);
    CHECK_STATUS(pawl_builder_set_start(b, ids.joint, &q), expected);
    CHECK_INT(pawl_builder_joint_coordinates(b, ids.joint), expected == PAWL_OK ? 1 : 0);
    pawl_wrench_model_def wrench = pawl_wrench_model_def_default(PAWL_WRENCH_COULOMB);
    int model;
    CHECK_OK(pawl_builder_add_wrench_model(b, &wrench, &model));
    pawl_contact_point_def foot = pawl_contact_point_def_default();
    foot.body = ids.body;
    foot.wrench_model = model;
    CHECK_STATUS(pawl_builder_add_contact_point(b, &foot, NULL), expected);
    CHECK_STATUS(pawl_builder_add_contact_points_of(b, ids.body, model), expected);
}

// The same of the model, of states and simulations of it, and of queries.
static void ids_in_model(mechanism *m, id_set ids, pawl_status expected)
{
    bool good = expected == PAWL_OK;
    CHECK(isnan(pawl_model_body(m->model, ids.body).mass) == !good);
    CHECK_INT(pawl_model_joint(m->model, ids.joint).row_count, good ? 5 : 0);
    CHECK_TEXT(pawl_model_shape(m->model, ids.shape).def.name, good ? "ball" : "");
    CHECK((pawl_model_shape(m->model, ids.shape).body.index1 == 0) == !good);
    CHECK_TEXT(pawl_model_actuator(m->model, ids.actuator).name, good ? "actuator0" : "");
    CHECK_TEXT(pawl_model_spring(m->model, ids.spring).name, good ? "spring0" : "");
    pawl_state *s = pawl_sim_edit_state(m->sim);
    double q = 0.0, rate, J[36];
    pawl_pose pose = pawl_state_pose(s, ids.body);
    pawl_vec3 zero = {0, 0, 0}, force, torque;
    CHECK(isnan(pose.position.x) == !good);
    CHECK(isnan(pawl_state_twist(s, ids.body).linear.x) == !good);
    CHECK_STATUS(pawl_state_set_pose(s, ids.body, good ? pose : pawl_pose_identity()), expected);
    CHECK_STATUS(pawl_state_set_twist(s, ids.body, (pawl_twist){zero, zero}), expected);
    CHECK_STATUS(pawl_state_joint(s, ids.joint, &q, &rate), expected);
    CHECK_STATUS(pawl_state_set_joint(s, ids.joint, &q, NULL), expected);
    CHECK_STATUS(pawl_state_set_target(s, ids.actuator, 1.0), expected);
    CHECK(isnan(pawl_state_target(s, ids.actuator)) == !good);
    CHECK_STATUS(pawl_state_set_gains(s, ids.actuator, &(pawl_gains){0, 0, 4.0}), expected);
    CHECK(isnan(pawl_state_gains(s, ids.actuator).effort) == !good);
    CHECK_STATUS(pawl_state_clear_target(s, ids.actuator), expected);
    CHECK_STATUS(pawl_state_clear_gains(s, ids.actuator), expected);
    CHECK_STATUS(pawl_state_set_wrench(s, ids.body, zero, zero), expected);
    CHECK_STATUS(pawl_state_add_force(s, ids.body, zero, zero), expected);
    CHECK_STATUS(pawl_state_wrench(s, ids.body, &force, &torque), expected);
    CHECK_STATUS(pawl_state_set_shape_friction_scale(s, ids.shape, 1.0), expected);
    CHECK(isnan(pawl_state_shape_friction_scale(s, ids.shape)) == !good);
    CHECK_STATUS(pawl_state_point_jacobian(s, ids.body, zero, J), expected);
    CHECK_STATUS(pawl_sim_set_joints(m->sim, &(pawl_joint_start){ids.joint, {0}}, 1), expected);
    CHECK_STATUS(pawl_sim_joint_reaction(m->sim, ids.joint, &force, &torque), expected);
    CHECK(isnan(pawl_sim_actuator_effort(m->sim, ids.actuator)) == !good);
    CHECK(isnan(pawl_sim_body_contacts(m->sim, ids.body).force.x) == !good);
    CHECK(isnan(pawl_sim_pair_contacts(m->sim, PAWL_WORLD, ids.body).force.x) == !good);
    pawl_query *query;
    CHECK_OK(pawl_query_create(&m->t.env, m->model, &query));
    CHECK_OK(pawl_query_place(query, pawl_sim_state(m->sim)));
    double jacobian[6 * 12];
    CHECK((pawl_query_find(query, ids.joint, 0) >= 0) == good);
    CHECK_STATUS(pawl_query_jacobian(query, ids.body, zero, jacobian), expected);
    CHECK_STATUS(pawl_query_frame_jacobian(query, ids.body, pawl_pose_identity(), jacobian),
                 expected);
    pawl_query_destroy(query);
    pawl_limb *limb;
    CHECK_STATUS(pawl_limb_create(&m->t.env, m->model, PAWL_WORLD, ids.body, zero, &limb),
                 expected);
    pawl_limb_destroy(limb);
}

#ifdef PAWL_ASSERT_IDS
// In such a build an id of another model ends the program: looked at in a child.
static void ids_stop(mechanism *m, id_set ids)
{
    pid_t child = fork();
    if (child == 0) {
        (void)freopen("/dev/null", "w", stderr);
        (void)signal(SIGABRT, SIG_DFL);
        (void)pawl_model_body(m->model, ids.body);
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
#endif

TEST(every_function_takes_ids_of_its_own_model_alone)
{
    mechanism m, other;
    id_set own = ids_build(&m, 1.0), foreign = ids_build(&other, 2.0), none;
    memset(&none, 0, sizeof none);
    id_set bare = own; // indices of a recording: no model takes them
    bare.body.tag = bare.joint.tag = bare.shape.tag = bare.actuator.tag = bare.spring.tag = 0;
    ids_in_model(&m, none, PAWL_BAD_ARGUMENT);
    ids_in_builder(m.builder, none, PAWL_BAD_ARGUMENT);
#ifdef PAWL_ASSERT_IDS
    ids_stop(&m, foreign);
    ids_stop(&m, bare);
#else
    ids_in_model(&m, foreign, PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&m.t, "not of this model");
    ids_in_model(&m, bare, PAWL_BAD_ARGUMENT);
    ids_in_builder(m.builder, foreign, PAWL_BAD_ARGUMENT);
    ids_in_builder(m.builder, bare, PAWL_BAD_ARGUMENT);
#endif
    ids_in_model(&m, own, PAWL_OK);
    ids_in_builder(m.builder, own, PAWL_OK);
    ids_in_model(&m, own, PAWL_OK); // what was added to the builder since is nothing to the model
    mechanism_end(&m);
    mechanism_end(&other);
}

TEST(the_same_description_gives_the_same_ids)
{
    mechanism m, again;
    id_set first = ids_build(&m, 1.0), second = ids_build(&again, 1.0);
    CHECK(memcmp(&first, &second, sizeof first) == 0);
    ids_in_model(&m, second, PAWL_OK);
    mechanism_end(&m);
    mechanism_end(&again);
}

// What a def can say, one number at a time: the thing of another number is another thing.
typedef struct id_number {
    const char *what; // def
    size_t offset;
    double value; // another one than the default
} id_number;
#define IN_BODY(field, value)                                                                      \
    {                                                                                              \
        "body", offsetof(pawl_body_def, field), value                                              \
    }
#define IN_SHAPE(field, value)                                                                     \
    {                                                                                              \
        "shape", offsetof(pawl_shape_def, field), value                                            \
    }
#define IN_JOINT(field, value)                                                                     \
    {                                                                                              \
        "joint", offsetof(pawl_joint_def, field), value                                            \
    }
#define IN_ACTUATOR(field, value)                                                                  \
    {                                                                                              \
        "actuator", offsetof(pawl_actuator_def, field), value                                      \
    }
#define IN_SPRING(field, value)                                                                    \
    {                                                                                              \
        "spring", offsetof(pawl_spring_def, field), value                                          \
    }
static const id_number id_numbers[] = {
    IN_BODY(mass, 2.5),
    IN_BODY(com.z, 0.25),
    IN_BODY(inertia[1], 1.25),
    IN_BODY(gravity_scale, 0.5),
    IN_BODY(linear_damping, 0.5),
    IN_BODY(angular_damping, 0.5),
    IN_BODY(twist.linear.y, 0.5),
    IN_BODY(twist.angular.z, 0.5),
    IN_BODY(pose.position.x, 0.5),
    IN_SHAPE(frame.position.z, 0.5),
    IN_SHAPE(size.x, 0.5),
    IN_SHAPE(friction, 0.25),
    IN_SHAPE(restitution, 0.25),
    IN_SHAPE(impact_friction, 0.25),
    IN_SHAPE(torsional_friction, 0.25),
    IN_SHAPE(rolling_friction, 0.25),
    IN_SHAPE(erp, 0.25),
    IN_SHAPE(soft.time_constant, 0.25),
    IN_JOINT(base_frame.position.y, 0.5),
    IN_JOINT(follower_frame.position.y, 0.5),
    IN_JOINT(erp, 0.25),
    IN_JOINT(soft.time_constant, 0.25),
    IN_JOINT(coordinate[0].lower, -0.5),
    IN_JOINT(coordinate[0].upper, 0.5),
    IN_JOINT(coordinate[0].stiffness, 0.5),
    IN_JOINT(coordinate[0].rest, 0.5),
    IN_JOINT(coordinate[0].damping, 0.5),
    IN_JOINT(coordinate[0].armature, 0.5),
    IN_JOINT(coordinate[0].slack, 0.5),
    IN_JOINT(coordinate[0].friction, 0.5),
    IN_JOINT(coordinate[0].limit_erp, 0.5),
    IN_JOINT(coordinate[0].limit_soft.time_constant, 0.5),
    IN_ACTUATOR(target.value, 0.5),
    IN_ACTUATOR(target.amplitude, 0.5),
    IN_ACTUATOR(stiffness, 0.5),
    IN_ACTUATOR(damping, 0.5),
    IN_ACTUATOR(effort, 0.5),
    IN_SPRING(point_a.x, 0.5),
    IN_SPRING(point_b.z, 0.5),
    IN_SPRING(stiffness, 0.5),
    IN_SPRING(rest_length, 0.5),
    IN_SPRING(damping, 0.5),
};

static void *id_change(void *def, const char *what, const id_number *n)
{
    if (n != NULL && strcmp(n->what, what) == 0) {
        memcpy((char *)def + n->offset, &n->value, sizeof n->value);
    }
    return def;
}

// One thing of each kind; the id of the last one, a spring, follows all of them.
static pawl_spring_id id_build_changed(test_env *t, const id_number *n, pawl_vec3 gravity)
{
    pawl_builder *b;
    CHECK_OK(pawl_builder_create(&t->env, "numbers", &b));
    pawl_builder_set_gravity(b, gravity);
    pawl_body_def body = pawl_body_def_default();
    body.mass = body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
    pawl_shape_def shape = pawl_shape_def_default();
    pawl_joint_def joint = pawl_joint_def_default();
    joint.kind = PAWL_JOINT_REVOLUTE;
    pawl_actuator_def actuator = pawl_actuator_def_default();
    pawl_spring_def spring = pawl_spring_def_default();
    CHECK_OK(pawl_builder_add_body(b, id_change(&body, "body", n), &joint.follower));
    CHECK_OK(pawl_builder_add_shape(b, joint.follower, id_change(&shape, "shape", n), NULL));
    CHECK_OK(pawl_builder_add_joint(b, id_change(&joint, "joint", n), &actuator.joint));
    CHECK_OK(pawl_builder_add_actuator(b, id_change(&actuator, "actuator", n), NULL));
    spring.body_b = joint.follower;
    pawl_spring_id id;
    CHECK_OK(pawl_builder_add_spring(b, id_change(&spring, "spring", n), &id));
    pawl_builder_destroy(b);
    return id;
}

TEST(every_number_of_a_def_makes_another_id)
{
    test_env t;
    test_env_init(&t);
    pawl_vec3 down = {0, 0, -9.81};
    pawl_spring_id plain = id_build_changed(&t, NULL, down);
    for (size_t i = 0; i < sizeof id_numbers / sizeof *id_numbers; ++i) {
        const id_number *n = &id_numbers[i];
        if (pawl_spring_same(id_build_changed(&t, n, down), plain)) {
            fail_msg("%s def: the number at byte %zu is not part of the id", n->what, n->offset);
        }
    }
    CHECK(!pawl_spring_same(id_build_changed(&t, NULL, (pawl_vec3){0, 0, -1.62}), plain));
    CHECK(pawl_spring_same(id_build_changed(&t, NULL, down), plain));
    CHECK_NO_LEAK(&t);
}

// A model has its shapes in the order of their bodies: ids of the builder still mean the shapes that it added.
TEST(shapes_keep_their_ids_when_the_model_sorts_them)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id bodies[2];
    pawl_shape_id shapes[3];
    for (int i = 0; i < 2; ++i) {
        bodies[i] = mechanism_solid(&m, 1.0, (pawl_vec3){i, 0, 0}, (pawl_vec3){1, 1, 1});
    }
    static const char *const names[3] = {"c", "b", "a"};
    const pawl_body_id order[3] = {bodies[1], bodies[0], PAWL_WORLD};
    for (int k = 0; k < 3; ++k) {
        pawl_shape_def ball = pawl_shape_def_default();
        ball.name = names[k];
        CHECK_OK(pawl_builder_add_shape(m.builder, order[k], &ball, &shapes[k]));
    }
    mechanism_compile(&m);
    for (int k = 0; k < 3; ++k) {
        CHECK_TEXT(pawl_model_shape(m.model, shapes[k]).def.name, names[k]);
        CHECK_TEXT(pawl_model_shape(m.model, pawl_model_shape_at(m.model, k)).def.name,
                   names[2 - k]);
    }
    mechanism_end(&m);
}

TEST(ids_by_place_and_by_name)
{
    mechanism m;
    id_set ids = ids_build(&m, 1.0);
    CHECK(pawl_body_same(pawl_model_body_at(m.model, 1), ids.body));
    CHECK(pawl_joint_same(pawl_model_joint_at(m.model, 0), ids.joint));
    CHECK(pawl_shape_same(pawl_model_shape_at(m.model, 0), ids.shape));
    CHECK(pawl_actuator_same(pawl_model_actuator_at(m.model, 0), ids.actuator));
    CHECK(pawl_spring_same(pawl_model_spring_at(m.model, 0), ids.spring));
    CHECK(pawl_actuator_same(pawl_model_find_actuator(m.model, "actuator0"), ids.actuator));
    CHECK(pawl_body_same(pawl_builder_body_at(m.builder, 1), ids.body));
    CHECK(pawl_joint_same(pawl_builder_joint_at(m.builder, 0), ids.joint));
    CHECK(pawl_actuator_same(pawl_builder_actuator_at(m.builder, 0), ids.actuator));
    CHECK(pawl_sim_model(m.sim) == m.model);
    CHECK(pawl_state_model(NULL) == NULL);
    for (int k = 0; k < 2; ++k) {
        const pawl_model *model = k == 0 ? m.model : NULL;
        const pawl_builder *builder = k == 0 ? m.builder : NULL;
        static const int beyond[] = {-1, -2, INT_MIN, 2, INT_MAX};
        for (int i = 0; i < 5; ++i) {
            CHECK(pawl_model_body_at(model, beyond[i]).index1 == 0);
            CHECK(pawl_model_joint_at(model, beyond[i]).index1 == 0);
            CHECK(pawl_model_shape_at(model, beyond[i]).index1 == 0);
            CHECK(pawl_model_actuator_at(model, beyond[i]).index1 == 0);
            CHECK(pawl_model_spring_at(model, beyond[i]).index1 == 0);
            CHECK(pawl_builder_body_at(builder, beyond[i]).index1 == 0);
            CHECK(pawl_builder_joint_at(builder, beyond[i]).index1 == 0);
            CHECK(pawl_builder_actuator_at(builder, beyond[i]).index1 == 0);
        }
        CHECK(pawl_model_find_actuator(model, NULL).index1 == 0);
        CHECK(pawl_model_find_actuator(model, "misspelt").index1 == 0);
    }
    CHECK_INT(pawl_body_index(PAWL_WORLD), PAWL_WORLD_INDEX);
    CHECK_INT(pawl_body_index((pawl_body_id){0, 0}), PAWL_NO_BODY_INDEX);
    CHECK_INT(pawl_joint_index((pawl_joint_id){0, 0}), -1);
    mechanism_end(&m);
}
