// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Spanning trees of joint graphs that were thought through by hand.
#include "support/mechanism.h"
#include "support/random.h"
#include "support/scene.h"
#include "tree/tree.h"

static pawl_body_id tree_solid(mechanism *m, double x)
{
    return mechanism_solid(m, 1.0, v3(x, 0, 0), v3(0.1, 0.2, 0.3));
}

static pawl_joint_id tree_join(mechanism *m, pawl_joint_kind kind, pawl_body_id base,
                               pawl_body_id follower)
{
    pawl_joint_def def = mechanism_joint_def(m, kind, base, follower, v3(0, 0, 0), v3(1, 0, 0));
    return mechanism_joint(m, &def);
}

// A ring of one body on the ground, two more and a distance: the ball closes the loop, having fewest rows.
TEST(joints_with_most_rows_are_in_the_tree_and_the_rest_are_loops)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id a = tree_solid(&m, 1.0);
    pawl_body_id b = tree_solid(&m, 2.0);
    pawl_joint_id ball = tree_join(&m, PAWL_JOINT_SPHERICAL, PAWL_WORLD, b);
    pawl_joint_id hinge = tree_join(&m, PAWL_JOINT_REVOLUTE, PAWL_WORLD, a);
    pawl_joint_id slide = tree_join(&m, PAWL_JOINT_PRISMATIC, b, a); // to be passed backwards
    mechanism_compile(&m);
    reduced_tree *t;
    CHECK_OK(pawl_reduced_tree_create(&m.t.env, m.model, REDUCED_BASE_QUATERNION, &t));
    CHECK_INT(t->column_count, 2);
    CHECK_INT(t->ball_count, 0);
    CHECK_INT(t->loop_joint_count, 1);
    CHECK_INT(t->loop_joints[0], pawl_joint_index(ball));
    CHECK(pawl_reduced_tree_has_joint(t, pawl_joint_index(hinge)) &&
          pawl_reduced_tree_has_joint(t, pawl_joint_index(slide)));
    const reduced_link *l = &t->links[t->link_of_body[pawl_body_index(b)]];
    CHECK_INT(l->parent, t->link_of_body[pawl_body_index(a)]);
    CHECK(l->reversed);
    CHECK(t->columns[l->first_column].slide < 0.0);
    CHECK_INT(t->columns[l->first_column].parent,
              t->links[t->link_of_body[pawl_body_index(a)]].first_column);
    pawl_reduced_tree_destroy(t);
    mechanism_end(&m);
}

// Two bodies with a hinge between them float on the first; a rod and a point mass hold nothing.
TEST(what_nothing_ties_down_floats_on_its_first_body)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id a = tree_solid(&m, 1.0);
    pawl_body_id b = tree_solid(&m, 2.0);
    pawl_body_def point = pawl_body_def_default();
    point.kind = PAWL_BODY_POINT;
    point.mass = 1.0;
    point.pose.position = v3(0, 3, 0);
    pawl_body_id p = mechanism_body(&m, &point);
    tree_join(&m, PAWL_JOINT_REVOLUTE, a, b);
    pawl_joint_def rod = pawl_joint_def_default();
    rod.kind = PAWL_JOINT_DISTANCE;
    rod.base = a;
    rod.follower = p;
    rod.length = -1.0;
    mechanism_joint(&m, &rod);
    mechanism_compile(&m);
    for (int base = 0; base < 2; ++base) {
        reduced_tree *t;
        CHECK_OK(pawl_reduced_tree_create(&m.t.env, m.model, (reduced_base)base, &t));
        CHECK_INT(t->column_count, 6 + 1 + 3);
        CHECK_INT(t->ball_count, base == 0 ? 1 : 0);
        CHECK_INT(t->loop_joint_count, 1);
        CHECK_INT(t->links[t->link_of_body[pawl_body_index(a)]].joint, -1);
        CHECK_INT(t->links[t->link_of_body[pawl_body_index(b)]].parent,
                  t->link_of_body[pawl_body_index(a)]);
        CHECK_INT(t->links[t->link_of_body[pawl_body_index(p)]].column_count, 3);
        pawl_reduced_tree_destroy(t);
    }
    mechanism_end(&m);
}

// Links come after their parents, columns after those before them, and rows of the factor one after the
// other, in every model that comes along.
TEST(parents_come_before_children)
{
    const char *paths[] = {CLASSIC("A02-N10"), CLASSIC("A04-bricard"), PRIMITIVE("fourbar-dropped"),
                           "models/nmdp/robosimian-full.sdf", "models/quickstart.sdf"};
    for (size_t k = 0; k < sizeof paths / sizeof paths[0]; ++k) {
        mechanism m;
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
        scene_load(&m, paths[k], &settings);
        reduced_tree *t;
        CHECK_OK(pawl_reduced_tree_create(&m.t.env, m.model, REDUCED_BASE_QUATERNION, &t));
        CHECK_INT(t->link_count, pawl_model_body_count(m.model));
        int numbers = 0;
        for (int i = 0; i < t->link_count; ++i) {
            CHECK(t->links[i].parent < i);
            CHECK_INT(t->link_of_body[t->links[i].body], i);
        }
        for (int c = 0; c < t->column_count; ++c) {
            int parent = t->columns[c].parent;
            CHECK(parent < c);
            CHECK_INT(t->columns[c].depth, parent < 0 ? 0 : t->columns[parent].depth + 1);
            CHECK_INT(t->factor_row[c], numbers);
            numbers += t->columns[c].depth + 1;
        }
        CHECK_INT(t->factor_size, numbers);
        pawl_reduced_tree_destroy(t);
        mechanism_end(&m);
    }
}

TEST(a_model_in_which_nothing_moves_has_no_tree)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_def def = pawl_body_def_default();
    def.kind = PAWL_BODY_KINEMATIC;
    mechanism_body(&m, &def);
    mechanism_compile(&m);
    reduced_tree *t;
    CHECK_STATUS(pawl_reduced_tree_create(&m.t.env, m.model, REDUCED_BASE_QUATERNION, &t),
                 PAWL_UNSUPPORTED);
    CHECK_MESSAGE(&m.t, "no body can move");
    mechanism_end(&m);
}
