// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What every row of the solver table that knows contacts promises: boxes on planes and on each other,
// whose motion is known by hand; the laws of Signorini and Coulomb one by one; and, of those that
// solve the convex relaxation, its laws and the lift-off that comes with it. Solvers are found in the
// table. Where one is known to fail, tests/support/contract_case.c says so with the reason.
#include "support/contract_case.h"
#include "support/dense_reference.h"
#include "support/random.h"
#include "support/test.h"

#include <float.h>
#include <string.h>

// Boxes with half sides (a, a, c), six speeds each, on a plane and on each other; u_free is what a
// step of 10 ms of gravity adds. Rows are added joints first, contacts last.
static const double scene_a = 0.1, scene_c = 0.06, scene_h = 0.01, scene_g = 9.81;

static void scene_begin(contract_case *c, const char *scene, int boxes, const double *mass)
{
    memset(c, 0, sizeof *c);
    c->scene = scene;
    c->speeds = 6 * boxes;
    for (int b = 0; b < boxes; ++b) {
        double tilt = mass[b] * (scene_a * scene_a + scene_c * scene_c) / 3.0;
        double spin = mass[b] * 2.0 * scene_a * scene_a / 3.0;
        const double weight[6] = {1.0 / mass[b], 1.0 / mass[b], 1.0 / mass[b],
                                  1.0 / tilt,    1.0 / tilt,    1.0 / spin};
        memcpy(c->W + 6 * b, weight, sizeof weight);
        c->u_free[6 * b + 2] = -scene_g * scene_h;
    }
}

// One row along `e` at a lever from the centre of body b (sign 1) or a (sign -1).
static void scene_side(contract_case *c, int row, int body, double sign, pawl_vec3 lever,
                       pawl_vec3 e)
{
    if (body < 0) {
        return;
    }
    pawl_vec3 t = v3_cross(lever, e);
    const double values[6] = {e.x, e.y, e.z, t.x, t.y, t.z};
    for (int k = 0; k < 6; ++k) {
        c->J[row * c->speeds + 6 * body + k] += sign * values[k];
    }
}

static const pawl_vec3 scene_axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// Locks body b to a (its centre at `offset` from a's): three rows of translation, three of rotation.
static void scene_weld(contract_case *c, int a, int b, pawl_vec3 offset)
{
    pawl_problem *p = &c->problem;
    c->blocks[p->block_count++] = (problem_block){c->rows, 6};
    for (int r = 0; r < 3; ++r, ++c->rows) {
        scene_side(c, c->rows, b, 1.0, v3(0, 0, 0), scene_axes[r]);
        scene_side(c, c->rows, a, -1.0, offset, scene_axes[r]);
    }
    for (int r = 0; r < 3; ++r, ++c->rows) {
        c->J[c->rows * c->speeds + 6 * b + 3 + r] = 1.0;
        c->J[c->rows * c->speeds + 6 * a + 3 + r] = -1.0;
    }
    c->free_rows = p->free_row_count = c->rows;
    p->free_block_count = p->block_count;
}

// A limit: body b moves no further against e.
static void scene_stop(contract_case *c, int b, pawl_vec3 e)
{
    c->blocks[c->problem.block_count++] = (problem_block){c->rows, 1};
    scene_side(c, c->rows++, b, 1.0, v3(0, 0, 0), e);
}

// A contact under body b, on body a or the world: the point from either centre, z up.
static void scene_contact(contract_case *c, int a, pawl_vec3 from_a, int b, pawl_vec3 from_b,
                          double mu)
{
    pawl_problem *p = &c->problem;
    c->blocks[p->block_count++] = (problem_block){c->rows, 3};
    c->friction[p->contact_count++] = mu;
    for (int r = 0; r < 3; ++r, ++c->rows) {
        scene_side(c, c->rows, b, 1.0, from_b, scene_axes[r]);
        scene_side(c, c->rows, a, -1.0, from_a, scene_axes[r]);
    }
}

// The four corners under box b, on the plane or on top of box a.
static void scene_corners(contract_case *c, int a, int b, double mu)
{
    for (int k = 0; k < 4; ++k) {
        double x = k % 2 == 0 ? scene_a : -scene_a, y = k / 2 == 0 ? scene_a : -scene_a;
        scene_contact(c, a, v3(x, y, scene_c), b, v3(x, y, -scene_c), mu);
    }
}

static void scene_velocity(contract_case *c)
{
    dense_product(c->J, c->u_free, c->rows, c->speeds, 1, c->v_f);
    for (int r = 0; r < c->rows; ++r) {
        c->v_f[r] += c->bias[r];
    }
}

static void scene_end(contract_case *c, bool redundant_joints)
{
    int first = c->rows - 3 * c->problem.contact_count;
    for (int r = 0; r < c->rows; ++r) {
        bool bounded = r >= c->free_rows && r < first;
        c->lower[r] = bounded ? 0.0 : -INFINITY;
        c->upper[r] = INFINITY;
    }
    scene_velocity(c);
    contract_pose(c, redundant_joints);
}

// Signorini and Coulomb, one by one, as a textbook has them; the judge has them in one formula.
static void scene_check_coulomb(const contract_case *c, const double *lambda, const double *v,
                                double slack)
{
    for (int k = 0; k < c->problem.contact_count; ++k) {
        int i = pawl_problem_contact_row(&c->problem, k);
        double mu = c->friction[k], t = hypot(lambda[i], lambda[i + 1]), n = lambda[i + 2];
        double speed = hypot(v[i], v[i + 1]);
        double size = 1.0 + fabs(n);
        CHECK(n >= 0.0 && t <= mu * n + 1e-12 * size * (1.0 + mu));
        CHECK(v[i + 2] >= -slack);
        CHECK_NEAR(n * v[i + 2], 0.0, slack * size);
        if (speed > 1e-6) { // slips: on the cone, against the motion
            CHECK_NEAR(lambda[i] * speed + mu * n * v[i], 0.0, slack * size * (1.0 + mu));
            CHECK_NEAR(lambda[i + 1] * speed + mu * n * v[i + 1], 0.0, slack * size * (1.0 + mu));
        }
    }
}

// The convex relaxation: v in the dual cone, lambda in the cone, orthogonal. So what slips lifts off
// with mu times its speed.
static void scene_check_relaxation(const contract_case *c, const double *lambda, const double *v,
                                   double slack)
{
    for (int k = 0; k < c->problem.contact_count; ++k) {
        int i = pawl_problem_contact_row(&c->problem, k);
        double mu = c->friction[k], n = lambda[i + 2], speed = hypot(v[i], v[i + 1]);
        double size = (1.0 + fabs(n)) * (1.0 + mu);
        CHECK(n >= 0.0 && hypot(lambda[i], lambda[i + 1]) <= mu * n + 1e-12 * size);
        CHECK(v[i + 2] >= mu * speed - slack * size);
        CHECK_NEAR(lambda[i] * v[i] + lambda[i + 1] * v[i + 1] + n * v[i + 2], 0.0,
                   slack * size + 1e-14);
        if (speed > 1e-6 && n > 1e-6) {
            CHECK_NEAR(v[i + 2], mu * speed, slack * size / n);
        }
    }
}

static void scene_check_laws(const contract_case *c, contract_variant variant, const double *lambda,
                             const double *v, double slack)
{
    if (variant.ops->relaxed) {
        scene_check_relaxation(c, lambda, v, slack);
    } else {
        scene_check_coulomb(c, lambda, v, slack);
    }
}

// What the boxes do under the impulses.
static void scene_motion(const contract_case *c, const double *lambda, double *u)
{
    memcpy(u, c->u_free, sizeof c->u_free);
    for (int r = 0; r < c->rows; ++r) {
        for (int i = 0; i < c->speeds; ++i) {
            u[i] += c->W[i] * c->J[r * c->speeds + i] * lambda[r];
        }
    }
}

// All solvers, from zero and from nonsense, must move the boxes to `expected`, those of the convex
// relaxation to `lifted`; NULL: anywhere within the laws.
static void scene_check(contract_case *c, const double *expected, const double *lifted,
                        double slack)
{
    contract_variant variants[CONTRACT_MAX_VARIANTS];
    int count = contract_variants(true, variants), iterations;
    for (int k = 0; k < count; ++k) {
        uint64_t seed = 77; // the same nonsense for all
        const double *answer = variants[k].ops->relaxed ? lifted : expected;
        for (int warm = 0; warm < 2; ++warm) {
            double lambda[CASE_ROWS], v[CASE_ROWS], u[CASE_SPEEDS];
            for (int r = 0; r < c->rows; ++r) {
                lambda[r] = warm == 0 ? 0.0 : random_in(&seed, -0.1, 0.1);
            }
            if (!contract_run(c, variants[k], lambda, v, &iterations)) {
                continue;
            }
            scene_check_laws(c, variants[k], lambda, v, slack);
            scene_motion(c, lambda, u);
            for (int i = 0; answer != NULL && i < c->speeds; ++i) {
                CHECK_NEAR(u[i], answer[i], slack);
            }
        }
    }
}

static void scene_one_box(contract_case *c, const char *scene, double mu, double vx, double vy,
                          double vz)
{
    scene_begin(c, scene, 1, (const double[]){2.0});
    c->u_free[0] = vx;
    c->u_free[1] = vy;
    c->u_free[2] += vz;
    scene_corners(c, -1, 0, mu);
    scene_end(c, false);
}

// A contact at the centre of a body: nothing turns, and tangent and normal do not meet in D.
static void scene_point(contract_case *c, const char *scene, double mu, double vx, double vy)
{
    scene_begin(c, scene, 1, (const double[]){2.0});
    c->u_free[0] = vx;
    c->u_free[1] = vy;
    scene_contact(c, -1, v3(0, 0, 0), 0, v3(0, 0, 0), mu);
    scene_end(c, false);
}

// By hand: friction can take mu g h = 49 mm/s of the speed in a step. Twelve rows on six speeds:
// how the corners share the load is open, what the box does is not.
TEST(contacts_stick_when_friction_can_hold_the_box)
{
    static contract_case c;
    const double rest[6] = {0};
    scene_one_box(&c, "stick", 0.5, 0.03, 0.02, 0.0);
    scene_check(&c, rest, rest, 1e-8);
    scene_one_box(&c, "rest", 0.5, 0.0, 0.0, 0.0);
    scene_check(&c, rest, rest, 1e-8);
}

// By hand: mu g h is taken from the speed, along it, in any direction. The height stays.
TEST(contacts_slide_with_all_the_friction_there_is_and_do_not_lift_off)
{
    static contract_case c;
    for (int k = 0; k < 5; ++k) {
        double a = 0.4 * k, speed = 0.8, left = speed - 0.3 * scene_g * scene_h;
        scene_one_box(&c, "slide", 0.3, speed * cos(a), speed * sin(a), 0.0);
        scene_check(&c, (const double[6]){left * cos(a), left * sin(a)}, NULL, 1e-8);
    }
}

// By hand, for D a multiple of 1: friction takes mu g h. The convex relaxation instead finds the
// nearest velocity that leaves the plane at least as fast as mu times it slides: both (s, mu s) and
// the lift-off mu s are the known artifact.
TEST(the_convex_relaxation_lifts_off_what_slides_and_coulomb_does_not)
{
    static contract_case c;
    const double mus[] = {0.1, 0.5, 1.0};
    for (int k = 0; k < 3; ++k) {
        double mu = mus[k], fall = scene_g * scene_h, speed = 0.8, a = 0.3 + k;
        double left = speed - mu * fall, s = (speed - mu * fall) / (1.0 + mu * mu);
        scene_point(&c, "slide on a point", mu, speed * cos(a), speed * sin(a));
        scene_check(&c, (const double[6]){left * cos(a), left * sin(a), 0.0},
                    (const double[6]){s * cos(a), s * sin(a), mu * s}, 1e-9);
    }
}

TEST(contacts_that_separate_have_no_impulse)
{
    static contract_case c;
    scene_one_box(&c, "separate", 0.5, 0.3, 0.0, 0.5);
    scene_check(&c, c.u_free, c.u_free, 1e-12);
}

// By hand: Newton's law with e = 0.5 leaves half of the approach, upwards. An impact that sticks
// takes the speed along the plane with it: less than mu times the impulse of the normal.
TEST(contacts_bounce_by_their_bias)
{
    static contract_case c;
    for (int rough = 0; rough < 2; ++rough) {
        scene_one_box(&c, "impact", rough ? 0.5 : 0.0, rough ? 0.2 : 0.0, 0.0, -1.0);
        for (int k = 0; k < 4; ++k) {
            c.bias[3 * k + 2] = -0.5 * 1.0;
        }
        scene_velocity(&c);
        const double up[6] = {[2] = 0.5};
        scene_check(&c, up, up, 1e-8);
    }
}

// By hand: without friction nothing changes the speed along the plane; with very much of it the box
// stops (0.3 of what would tip it), however fast the step would have to slide it.
TEST(contacts_without_friction_and_with_very_much_of_it)
{
    static contract_case c;
    const double slides[6] = {0.7, -0.2}, stops[6] = {0};
    scene_one_box(&c, "no friction", 0.0, 0.7, -0.2, 0.0);
    scene_check(&c, slides, slides, 1e-8);
    double tips = scene_g * scene_h * scene_a / scene_c;
    const double mus[] = {10.0, 1e3};
    for (int k = 0; k < 2; ++k) {
        scene_one_box(&c, "much friction", mus[k], 0.3 * tips, 0.0, 0.0);
        scene_check(&c, stops, stops, 1e-8);
    }
}

// By hand: a box that slides into a stop at the height of its centre comes to rest there.
TEST(contacts_and_limits_are_solved_together)
{
    static contract_case c;
    scene_begin(&c, "stop", 1, (const double[]){2.0});
    c.u_free[0] = -0.5;
    scene_stop(&c, 0, v3(1, 0, 0));
    scene_corners(&c, -1, 0, 0.3);
    scene_end(&c, false);
    const double rest[6] = {0};
    scene_check(&c, rest, NULL, 1e-8);
}

// Statics: everything stays where it is, light on heavy and heavy on light. Sweeps carry a weight
// through the light box a thousandth a sweep, which is what ADMM is for: they may run out, and must
// say so.
TEST(contacts_carry_a_stack_with_a_mass_ratio_of_1000)
{
    static contract_case c;
    static const char *const scenes[] = {"stack", "stack, light on top", "stack, heavy on top"};
    const double masses[][2] = {{1.0, 1.0}, {1000.0, 1.0}, {1.0, 1000.0}}, rest[12] = {0};
    for (int k = 0; k < 3; ++k) {
        scene_begin(&c, scenes[k], 2, masses[k]);
        scene_corners(&c, -1, 0, 0.5);
        scene_corners(&c, 0, 1, 0.5);
        scene_end(&c, false);
        c.max_iterations = 10000;
        scene_check(&c, rest, rest, 1e-6);
    }
}

// By hand, as one rigid body: two boxes side by side, welded, slide together, and rest together.
// With the weld given twice the joint's rows are redundant as well.
TEST(contacts_and_joints_are_solved_together)
{
    static contract_case c;
    for (int twice = 0; twice < 2; ++twice) {
        for (int slides = 0; slides < 2; ++slides) {
            double speed = slides ? 0.8 : 0.02, left = slides ? 0.8 - 0.3 * scene_g * scene_h : 0.0;
            scene_begin(&c, slides ? "welded, sliding" : "welded", 2, (const double[]){1.0, 3.0});
            c.u_free[0] = c.u_free[6] = speed;
            for (int k = 0; k <= twice; ++k) {
                scene_weld(&c, 0, 1, v3(0.25, 0.0, 0.0));
            }
            scene_corners(&c, -1, 0, 0.3);
            scene_corners(&c, -1, 1, 0.3);
            scene_end(&c, twice == 1);
            double expected[12] = {0};
            expected[0] = expected[6] = left;
            scene_check(&c, expected, slides ? NULL : expected, 1e-7);
        }
    }
}

// Relaxation changes the way of the solvers that have it, never the answer; impulses stay in their
// cones (contract_run sees to that).
TEST(relaxation_changes_the_path_and_not_the_answer)
{
    static contract_case c;
    static const double omegas[] = {0.6, 1.0, 1.3};
    const double rest[6] = {0};
    int iterations[3];
    for (int k = 0; k < 3; ++k) {
        scene_one_box(&c, "relaxed", 0.5, 0.03, 0.02, 0.0);
        c.relaxation = omegas[k];
        scene_check(&c, rest, rest, 1e-8);
        double lambda[CASE_ROWS] = {0}, v[CASE_ROWS];
        contract_variant variant = {PAWL_SOLVER_PGS_NCP, pawl_solver_find(PAWL_SOLVER_PGS_NCP),
                                    true};
        CHECK(contract_run(&c, variant, lambda, v, &iterations[k]));
    }
    CHECK(iterations[0] > iterations[1] && iterations[1] != iterations[2]);
}

// A box that turns and slides, thrown against the plane on three of its corners: no answer by hand,
// but the laws must hold and, friction being small, all solvers of one law must agree. (On four corners
// the normal impulses could be split in more ways than one, and friction would turn the box differently.)
TEST(contacts_of_thrown_boxes_obey_the_laws_and_solvers_agree)
{
    static contract_case c;
    contract_variant variants[CONTRACT_MAX_VARIANTS];
    int count = contract_variants(true, variants), iterations;
    uint64_t seed = 20;
    for (int trial = 0; trial < 20; ++trial) {
        scene_begin(&c, "thrown", 1, (const double[]){2.0});
        for (int i = 0; i < 6; ++i) {
            c.u_free[i] += random_in(&seed, -1.0, 1.0);
        }
        for (int k = 0; k < 3; ++k) {
            double x = k % 2 == 0 ? scene_a : -scene_a, y = k / 2 == 0 ? scene_a : -scene_a;
            scene_contact(&c, -1, v3(0, 0, 0), 0, v3(x, y, -scene_c), 0.2);
        }
        scene_end(&c, false);
        double first[2][CASE_ROWS], lambda[CASE_ROWS], v[CASE_ROWS];
        bool have[2] = {false, false};
        for (int k = 0; k < count; ++k) {
            int law = variants[k].ops->relaxed;
            memset(lambda, 0, sizeof lambda);
            if (!contract_run(&c, variants[k], lambda, v, &iterations)) {
                continue;
            }
            scene_check_laws(&c, variants[k], lambda, v, 1e-8);
            for (int r = 0; r < c.rows && have[law]; ++r) {
                CHECK_NEAR(v[r], first[law][r], 1e-6);
            }
            memcpy(first[law], v, sizeof v);
            have[law] = true;
        }
    }
}

// What the judge says of a case that a solver leaves after so many iterations, of which none is enough.
static double scene_left(contract_case *c, pawl_solver_kind kind, int iterations)
{
    test_env t;
    test_env_init(&t);
    pawl_settings settings = pawl_settings_default();
    settings.solver.kind = kind;
    settings.solver.tolerance = 1e-30;
    settings.solver.max_iterations = iterations;
    solver_def def = pawl_solver_def_of(&settings);
    def.max_rows = c->rows;
    def.max_contacts = c->problem.contact_count;
    def.max_block_dim = 6;
    def.max_blocks = c->problem.block_count;
    double lambda[CASE_ROWS] = {0}, v[CASE_ROWS], scratch[CASE_ROWS];
    pawl_solver *solver;
    solver_report report;
    CHECK_OK(pawl_solver_create(&t.env, &def, &solver));
    pawl_solver_solve(solver, &c->problem, pawl_solver_goal(solver), lambda, &report);
    pawl_solver_destroy(solver);
    CHECK_NO_LEAK(&t);
    contract_velocity(c, lambda, v);
    return pawl_problem_judge(&c->problem, lambda, v, scratch).natural_scaled;
}

// Stages of auto may end worse than those before them; auto does not: more iterations never leave more.
TEST(auto_that_runs_out_of_iterations_leaves_the_best_that_it_had)
{
    static contract_case c;
    uint64_t seed = 30;
    for (int trial = 0; trial < 20; ++trial) {
        scene_begin(&c, "out of iterations", 2, (const double[]){1.0, 1000.0});
        for (int i = 0; i < 12; ++i) {
            c.u_free[i] += random_in(&seed, -1.0, 1.0);
        }
        scene_corners(&c, -1, 0, 0.9);
        scene_corners(&c, 0, 1, 0.9);
        scene_end(&c, false);
        double least = INFINITY;
        for (int k = 1; k < 400; k += k < 20 ? 1 : 17) {
            double left = scene_left(&c, PAWL_SOLVER_AUTO, k);
            CHECK(left <= fmax(least, contract_tolerance));
            least = fmin(least, left);
        }
    }
}

// What a step finds when the last one was nearly the same.
TEST(contacts_need_fewer_iterations_from_a_warm_start)
{
    static contract_case c;
    contract_variant variants[CONTRACT_MAX_VARIANTS];
    int count = contract_variants(true, variants);
    for (int k = 0; k < count; ++k) {
        scene_begin(&c, "warm start", 2, (const double[]){1.0, 20.0});
        c.u_free[0] = 0.02;
        scene_corners(&c, -1, 0, 0.5);
        scene_corners(&c, 0, 1, 0.5);
        scene_end(&c, false);
        double lambda[CASE_ROWS] = {0}, v[CASE_ROWS];
        int cold, warm;
        bool kept = contract_run(&c, variants[k], lambda, v, &cold);
        c.u_free[0] += 1e-7;
        scene_velocity(&c);
        kept = contract_run(&c, variants[k], lambda, v, &warm) && kept;
        bool pivots = variants[k].ops->condenses; // from the same place, wherever it starts
        CHECK(!kept || (cold > 1 && (pivots ? warm == cold : warm < cold)));
    }
}

// By hand: D = 2 on all three rows, mu = 0.5.
TEST(the_judge_measures_contacts_as_problem_h_says)
{
    static contract_case c;
    scene_begin(&c, "judge", 1, (const double[]){0.5});
    c.u_free[2] = 0.0;
    scene_contact(&c, -1, v3(0, 0, 0), 0, v3(0, 0, 0), 0.5);
    scene_end(&c, false);
    double scratch[3];
    // slips along x as it should: u = (1, 0, 0.5) is in the dual cone and orthogonal to lambda
    const double good[3] = {-0.5, 0.0, 1.0}, slip[3] = {1.0, 0.0, 0.0};
    pawl_residual r = pawl_problem_judge(&c.problem, good, slip, scratch);
    CHECK_NEAR(r.primal, 0.0, 1e-16);
    CHECK_NEAR(r.dual, 0.0, 1e-16);
    CHECK_NEAR(r.complementarity, 0.0, 1e-16);
    CHECK_NEAR(r.natural, 0.0, 1e-15);
    CHECK_NEAR(r.natural_scaled, 0.0, 1e-15);
    // the convex relaxation's answer, which lifts off by mu times the speed, is none: 0.5 J
    const double lifts[3] = {1.0, 0.0, 0.5};
    r = pawl_problem_judge(&c.problem, good, lifts, scratch);
    CHECK_NEAR(r.complementarity, 0.5, 1e-15);
    CHECK(r.natural_scaled > 0.1);
    // a pull: the nearest point of the cone is its tip
    const double pull[3] = {0.0, 0.0, -1.0}, still[3] = {0.0, 0.0, 0.0};
    r = pawl_problem_judge(&c.problem, pull, still, scratch);
    CHECK_NEAR(r.primal, 1.0, 1e-15);
    CHECK_NEAR(r.natural_scaled, 2.0, 1e-15);
    // an approach that nothing stops: the distance of (0, 0, -1) to the dual cone is 1
    const double none[3] = {0.0, 0.0, 0.0}, approach[3] = {0.0, 0.0, -1.0};
    r = pawl_problem_judge(&c.problem, none, approach, scratch);
    CHECK_NEAR(r.dual, 1.0, 1e-15);
    CHECK_NEAR(r.natural_scaled, 1.0, 1e-15);
}

TEST(no_exception_is_listed_that_is_not_needed)
{
    contract_check_exceptions();
}
