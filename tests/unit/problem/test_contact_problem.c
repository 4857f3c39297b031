// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Contact problems assembled as matrices: the explicit operator against dense products and elimination,
// the reduction against dense algebra, the errors against their definition written out once more, and
// answers against closed forms.
#include "problem/contact_problem.h"
#include "solve/solver_ops.h"
#include "support/dense_reference.h"
#include "support/random_contacts.h"
#include "support/test.h"

#include <string.h>

static pawl_status contacts_create(const pawl_env *env, const random_contacts *c,
                                   pawl_contact_problem **out)
{
    static random_entries e;
    pawl_contact_problem_def def = {c->contacts, random_entries_of(&e, c->W, c->rows, c->rows),
                                    c->q, c->friction};
    return pawl_contact_problem_create(env, &def, out);
}

// ---- The operator --------------------------------------------------------------------------------

// D = s (W + WT)/2 s from the dense W.
static void contacts_dense(const random_contacts *c, double *D)
{
    int m = c->rows;
    double s[RANDOM_ROWS];
    for (int i = 0; i < m; ++i) {
        int k = i / 3 * 3;
        s[i] = sqrt(3.0 / (c->W[k * (m + 1)] + c->W[(k + 1) * (m + 1)] + c->W[(k + 2) * (m + 1)]));
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) {
            D[i * m + j] = s[i] * s[j] * (c->W[i * m + j] + c->W[j * m + i]) / 2.0;
        }
    }
}

static void check_products(pawl_delassus *d, const double *D, int m, uint64_t *seed)
{
    double x[RANDOM_ROWS], y[RANDOM_ROWS], expected[RANDOM_ROWS], diagonal[RANDOM_ROWS], block[9];
    for (int i = 0; i < m; ++i) {
        x[i] = random_in(seed, -1.0, 1.0);
    }
    d->ops->apply(d, x, y);
    d->ops->diagonal(d, 0, diagonal);
    dense_product(D, x, m, m, 1, expected);
    for (int i = 0; i < m; ++i) {
        CHECK_NEAR(y[i], expected[i], 1e-12);
        CHECK_NEAR(diagonal[i], D[i * (m + 1)], 1e-14);
    }
    d->ops->sweep_begin(d, x);
    for (int k = 0; k < m / 3; ++k) { // as a sweep does: look, then change
        double v[3], dx[3];
        d->ops->sweep_velocity(d, k, v);
        d->ops->block(d, k, block);
        dense_product(D, x, m, m, 1, expected);
        for (int r = 0; r < 3; ++r) {
            CHECK_NEAR(v[r], expected[3 * k + r], 1e-12);
            for (int s = 0; s < 3; ++s) {
                CHECK_NEAR(block[3 * r + s], D[(3 * k + r) * m + 3 * k + s], 1e-14);
            }
            dx[r] = random_in(seed, -1.0, 1.0);
            x[3 * k + r] += dx[r];
        }
        d->ops->sweep_add(d, k, dx);
    }
}

static void check_factor(pawl_delassus *d, const double *D, int m, uint64_t *seed)
{
    double A[RANDOM_ROWS * RANDOM_ROWS], b[RANDOM_ROWS], x[RANDOM_ROWS], expected[RANDOM_ROWS];
    double sigma[RANDOM_ROWS], contacts[3 * RANDOM_ROWS];
    for (int with_blocks = 0; with_blocks < 2; ++with_blocks) {
        memcpy(A, D, (size_t)(m * m) * sizeof *A);
        for (int i = 0; i < m; ++i) {
            x[i] = b[i] = random_in(seed, -1.0, 1.0);
            sigma[i] = random_in(seed, 0.01, 1.0);
            A[i * (m + 1)] += with_blocks != 0 ? 0.0 : sigma[i];
        }
        for (int k = 0; k < m / 3; ++k) {
            double *B = contacts + 9 * k, h[3] = {0.3, -0.2, 0.5};
            for (int r = 0; r < 9; ++r) {
                B[r] = h[r / 3] * h[r % 3] + (r % 4 == 0 ? random_in(seed, 0.05, 1.0) : 0.0);
                A[(3 * k + r / 3) * m + 3 * k + r % 3] += with_blocks != 0 ? B[r] : 0.0;
            }
        }
        CHECK(d->ops->factor_shifted(d, sigma, with_blocks != 0 ? contacts : NULL));
        d->ops->solve_shifted(d, x);
        CHECK(dense_solve(A, m, b, expected) > 0.0);
        for (int i = 0; i < m; ++i) {
            CHECK_NEAR(x[i], expected[i], 1e-9);
        }
    }
}

// Dense products and Gaussian elimination.
TEST(the_explicit_operator_agrees_with_dense_algebra)
{
    uint64_t seed = 21;
    static random_contacts c;
    double D[RANDOM_ROWS * RANDOM_ROWS];
    for (int round = 0; round < 60; ++round) {
        test_env t;
        test_env_init(&t);
        random_contacts_make(&c, &seed, round % 3 == 0 ? 0.01 : 0.0, -1);
        pawl_contact_problem *problem;
        CHECK_OK(contacts_create(&t.env, &c, &problem));
        contacts_dense(&c, D);
        check_products(problem->problem.delassus, D, c.rows, &seed);
        check_factor(problem->problem.delassus, D, c.rows, &seed);
        pawl_contact_problem_destroy(problem);
        CHECK_NO_LEAK(&t);
    }
}

TEST(entries_named_twice_add_up_and_order_does_not_matter)
{
    test_env t;
    test_env_init(&t);
    // Two contacts of one body each, coupled by one entry and its mirror image, which comes in halves.
    int row[] = {5, 0, 1, 2, 3, 4, 0, 3, 3}, column[] = {5, 0, 1, 2, 3, 4, 3, 0, 0};
    double value[] = {2, 1, 1, 1, 2, 2, 0.5, 0.25, 0.25}, q[6] = {0, 0, -1, 0, 0, -1};
    double friction[2] = {0.5, 0.5};
    pawl_contact_problem_def def = {2, {6, 6, 9, row, column, value}, q, friction};
    pawl_contact_problem *problem;
    CHECK_OK(pawl_contact_problem_create(&t.env, &def, &problem));
    CHECK_NEAR(pawl_contact_problem_asymmetry(problem), 0.0, 0.0);
    CHECK_INT(pawl_contact_problem_entry_count(problem), 36);
    int rows[36], columns[36];
    double values[36];
    pawl_contact_problem_entries(problem, rows, columns, values);
    for (int e = 0; e < 36; ++e) {
        int i = rows[e], j = columns[e];
        double expected = i == j ? (i < 3 ? 1.0 : 2.0) : i + j == 3 && i * j == 0 ? 0.5 : 0.0;
        CHECK_NEAR(values[e], expected, 0.0);
        CHECK_INT(6 * i + j, e); // by rows
    }
    pawl_contact_problem_destroy(problem);
    CHECK_NO_LEAK(&t);
}

// ---- The errors ----------------------------------------------------------------------------------

// The nearest point of the cone by search over its two faces' parameters: along the axis and along
// the generator in the point's own tangent direction, since the nearest point lies in that plane.
static void cone_by_plane(const double x[3], double mu, double out[3])
{
    double t = hypot(x[0], x[1]), best = INFINITY;
    double candidates[3][2] = {{t, x[2]}, {0.0, 0.0}, {0.0, 0.0}};
    double along = (mu * t + x[2]) / (mu * mu + 1.0); // foot on the generator (mu, 1)
    candidates[1][0] = mu * along;
    candidates[1][1] = along;
    out[0] = out[1] = out[2] = 0.0;
    for (int k = 0; k < 3; ++k) {
        double a = candidates[k][0], n = candidates[k][1];
        double distance = hypot(a - t, n - x[2]);
        bool inside = n >= 0.0 && a <= mu * n * (1.0 + 1e-15) && a >= 0.0;
        if (inside && distance < best) {
            best = distance;
            out[0] = t > 0.0 ? x[0] / t * a : 0.0;
            out[1] = t > 0.0 ? x[1] / t * a : 0.0;
            out[2] = n;
        }
    }
}

typedef struct three_errors {
    double A, B, S;
} three_errors;

// As docs/contact-problems.md defines them; W by dense product, scaled problem formed in full.
static three_errors errors_by_definition(const random_contacts *c, const double *r)
{
    int m = c->rows;
    double size[2][3] = {{0}}, natural[2] = {0};
    for (int scaled = 0; scaled < 2; ++scaled) {
        double u[RANDOM_ROWS];
        dense_product(c->W, r, m, m, 1, u);
        for (int k = 0; k < c->contacts; ++k) {
            int i = 3 * k;
            double trace = c->W[i * (m + 1)] + c->W[(i + 1) * (m + 1)] + c->W[(i + 2) * (m + 1)];
            double s = scaled != 0 ? sqrt(3.0 / trace) : 1.0, x[3], y[3], z[3], v[3];
            for (int a = 0; a < 3; ++a) {
                x[a] = r[i + a] / s;
                v[a] = s * (u[i + a] + c->q[i + a]);
                size[scaled][0] += pow(s * c->q[i + a], 2);
                size[scaled][1] += x[a] * x[a];
                size[scaled][2] += v[a] * v[a];
            }
            for (int a = 0; a < 3; ++a) {
                y[a] = x[a] - v[a] - (a == 2 ? c->friction[k] * hypot(v[0], v[1]) : 0.0);
            }
            cone_by_plane(y, c->friction[k], z);
            for (int a = 0; a < 3; ++a) {
                natural[scaled] += pow(x[a] - z[a], 2);
            }
        }
    }
    double plain = fmax(size[0][0], fmax(size[0][1], size[0][2]));
    double scaled = fmax(size[1][0], fmax(size[1][1], size[1][2]));
    return (three_errors){sqrt(natural[0] / plain), sqrt(natural[0]) / fmax(1.0, sqrt(size[0][0])),
                          sqrt(natural[1] / scaled)};
}

TEST(errors_are_what_their_definition_says)
{
    uint64_t seed = 33;
    static random_contacts c;
    for (int round = 0; round < 200; ++round) {
        test_env t;
        test_env_init(&t);
        random_contacts_make(&c, &seed, 0.05, -1);
        pawl_contact_problem *problem;
        CHECK_OK(contacts_create(&t.env, &c, &problem));
        double r[RANDOM_ROWS];
        for (int i = 0; i < c.rows; ++i) {
            r[i] = round % 5 == 0 ? 0.0 : random_in(&seed, -1.0, 2.0);
        }
        three_errors expected = errors_by_definition(&c, r);
        pawl_contact_errors errors = pawl_contact_problem_errors(problem, r);
        CHECK_NEAR(errors.relative, expected.A, 1e-12);
        CHECK_NEAR(errors.absolute, expected.B, 1e-12);
        CHECK_NEAR(errors.scaled, expected.S, 1e-12);
        CHECK_NEAR(pawl_contact_errors_worst(&errors),
                   fmax(expected.A, fmax(expected.B, expected.S)), 1e-12);
        pawl_contact_problem_destroy(problem);
    }
}

// With masses in grams, impulses are a thousand times larger and W a thousand times smaller.
TEST(the_scaled_error_does_not_depend_on_units)
{
    uint64_t seed = 34;
    static random_contacts c;
    test_env t;
    test_env_init(&t);
    random_contacts_make(&c, &seed, 0.0, -1);
    double r[RANDOM_ROWS], got[2];
    for (int i = 0; i < c.rows; ++i) {
        r[i] = random_in(&seed, -1.0, 2.0);
    }
    for (int grams = 0; grams < 2; ++grams) {
        pawl_contact_problem *problem;
        CHECK_OK(contacts_create(&t.env, &c, &problem));
        got[grams] = pawl_contact_problem_errors(problem, r).scaled;
        pawl_contact_problem_destroy(problem);
        for (int i = 0; i < c.rows * c.rows; ++i) {
            c.W[i] /= 1000.0;
        }
        for (int i = 0; i < c.rows; ++i) {
            r[i] *= 1000.0;
        }
    }
    CHECK(got[0] > 0.01);
    CHECK_NEAR(got[1], got[0], 1e-13 * got[0]);
}

// ---- The reduction -------------------------------------------------------------------------------

static pawl_status contacts_reduce(const pawl_env *env, const random_contacts *c,
                                   pawl_contact_problem **out)
{
    static random_entries M, H, G;
    int n = c->velocities, p = c->equalities;
    pawl_contact_system_def def = {.velocity_count = n,
                                   .equality_count = p,
                                   .contact_count = c->contacts,
                                   .M = random_entries_of(&M, c->M, n, n),
                                   .H = random_entries_of(&H, c->H, n, c->rows),
                                   .G = random_entries_of(&G, c->G, n, p),
                                   .f = c->f,
                                   .w = c->w,
                                   .b = p > 0 ? c->b : NULL,
                                   .friction = c->friction};
    return pawl_contact_problem_reduce(env, &def, out);
}

// Dense elimination with pivoting, and the pseudo-inverse for redundant constraints.
TEST(bodies_reduce_to_contacts_as_dense_algebra_does)
{
    uint64_t seed = 55;
    static random_contacts c;
    for (int round = 0; round < 80; ++round) {
        test_env t;
        test_env_init(&t);
        int redundant = round % 4 - 1;
        random_contacts_make(&c, &seed, redundant < 1 && round % 2 == 0 ? 0.02 : 0.0, redundant);
        pawl_contact_problem *problem;
        CHECK_OK(contacts_reduce(&t.env, &c, &problem));
        double scale = 0.0, x[RANDOM_ROWS], u[RANDOM_ROWS];
        for (int i = 0; i < c.rows * c.rows; ++i) {
            scale = fmax(scale, fabs(c.W[i]));
        }
        for (int j = -1; j < c.rows; ++j) { // -1: q alone
            for (int i = 0; i < c.rows; ++i) {
                x[i] = i == j ? 1.0 : 0.0;
            }
            pawl_contact_problem_velocity(problem, x, u);
            for (int i = 0; i < c.rows; ++i) {
                CHECK_NEAR(u[i], c.q[i] + (j >= 0 ? c.W[i * c.rows + j] : 0.0),
                           1e-9 * (1.0 + scale));
            }
        }
        pawl_contact_problem_destroy(problem);
        CHECK_NO_LEAK(&t);
    }
}

TEST(constraints_that_contradict_each_other_are_refused)
{
    test_env t;
    test_env_init(&t);
    int i[] = {0, 1, 2}, g_row[] = {0, 0}, g_column[] = {0, 1};
    double one[] = {1, 1, 1}, f[3] = {0}, w[3] = {0, 0, -1}, b[2] = {0.0, 1.0}, friction = 0.5;
    pawl_triplets unit = {3, 3, 3, i, i, one};
    pawl_contact_system_def def = {.velocity_count = 3,
                                   .equality_count = 2, // v_x = 0 and v_x = -1
                                   .contact_count = 1,
                                   .M = unit,
                                   .H = unit,
                                   .G = {3, 2, 2, g_row, g_column, one},
                                   .f = f,
                                   .w = w,
                                   .b = b,
                                   .friction = &friction};
    pawl_contact_problem *problem;
    CHECK_STATUS(pawl_contact_problem_reduce(&t.env, &def, &problem), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&t, "contradict");
    CHECK(problem == NULL);
    CHECK_NO_LEAK(&t);
}

// ---- Answers -------------------------------------------------------------------------------------

// Closed form: a point mass of 2 kg that gravity would drive into a slope within a step of 0.01 s, by
// 9.81 dt along -n and a push along the slope. Sticks if the push is within the cone, else slides.
TEST(every_solver_gives_the_closed_form_of_a_point_on_a_slope)
{
    const double mass = 2.0, down = -0.0981, mu = 0.5;
    for (int kind = 0; pawl_solver_name(kind) != NULL; ++kind) {
        if (!pawl_solver_takes_contacts(kind)) {
            continue;
        }
        for (int slides = 0; slides < 2; ++slides) {
            test_env t;
            test_env_init(&t);
            double push = slides != 0 ? 0.09 : 0.04, inverse[3] = {1 / mass, 1 / mass, 1 / mass};
            double q[3] = {0.6 * push, 0.8 * push, down}, r[3] = {0};
            int i[3] = {0, 1, 2};
            pawl_contact_problem_def def = {1, {3, 3, 3, i, i, inverse}, q, &mu};
            pawl_contact_problem *problem;
            CHECK_OK(pawl_contact_problem_create(&t.env, &def, &problem));
            pawl_settings settings = pawl_settings_default();
            settings.solver.kind = (pawl_solver_kind)kind;
            settings.solver.tolerance = 1e-9;
            settings.solver.max_iterations = 10000;
            pawl_contact_result result;
            CHECK_OK(pawl_contact_problem_solve(problem, &settings, r, &result));
            double normal = -mass * down, most = mu * normal, wanted = mass * push;
            double tangent = wanted < most ? wanted : most;
            // Solvers of the convex relaxation lift off where it slides, those that take a polygon for the
            // cone push aside, and say so.
            const pawl_solver_ops *ops = pawl_solver_find(kind);
            bool other_law = ops->relaxed || ops->own_law != NULL;
            bool exact = result.outcome == PAWL_CONVERGED;
            CHECK(exact || (slides != 0 && other_law));
            if (exact) {
                CHECK_NEAR(r[2], normal, 1e-8);
                CHECK_NEAR(r[0], -0.6 * tangent, 1e-8);
                CHECK_NEAR(r[1], -0.8 * tangent, 1e-8);
            }
            pawl_contact_problem_destroy(problem);
            CHECK_NO_LEAK(&t);
        }
    }
}

// The definition of the errors, by dense algebra, is the judge; W is not symmetric in half of them.
TEST(answers_solve_the_problem_as_it_was_given)
{
    uint64_t seed = 77;
    static random_contacts c;
    for (int round = 0; round < 40; ++round) {
        test_env t;
        test_env_init(&t);
        random_contacts_make(&c, &seed, round % 2 == 0 ? 0.02 : 0.0, -1);
        pawl_contact_problem *problem;
        CHECK_OK(contacts_create(&t.env, &c, &problem));
        pawl_settings settings = pawl_settings_default();
        settings.solver.tolerance = 1e-8;
        settings.solver.max_iterations = 100000;
        double r[RANDOM_ROWS] = {0};
        pawl_contact_result result;
        CHECK_OK(pawl_contact_problem_solve(problem, &settings, r, &result));
        three_errors got = errors_by_definition(&c, r);
        double worst = fmax(got.A, fmax(got.B, got.S));
        CHECK_NEAR(pawl_contact_errors_worst(&result.errors), worst, 1e-12);
        CHECK((result.outcome == PAWL_CONVERGED) == (worst <= 1e-8 * (1.0 + 1e-6)));
        CHECK(result.outcome == PAWL_CONVERGED);
        pawl_contact_problem_destroy(problem);
        CHECK_NO_LEAK(&t);
    }
}

// ---- Bad input -----------------------------------------------------------------------------------

TEST(what_is_no_problem_is_refused_with_the_reason)
{
    test_env t;
    test_env_init(&t);
    int i[3] = {0, 1, 2}, far[3] = {0, 1, 3};
    double x[3] = {1, 1, 1}, nan[3] = {1, NAN, 1}, zero[3] = {0, 0, 0}, q[3] = {0}, mu = 0.5;
    double negative = -0.1, down[3] = {1, 1, -1};
    const struct {
        pawl_contact_problem_def def;
        const char *message;
    } cases[] = {
        {{0, {0, 0, 0, i, i, x}, q, &mu}, "0 contacts"},
        {{1, {3, 4, 3, i, i, x}, q, &mu}, "3 x 4, expected 3 x 3"},
        {{1, {3, 3, 3, i, far, x}, q, &mu}, "row 2, column 3"},
        {{1, {3, 3, 3, i, i, nan}, q, &mu}, "row 1, column 1"},
        {{1, {3, 3, 3, i, i, down}, q, &mu}, "diagonal of W at row 2 is -1"},
        {{1, {3, 3, 3, i, i, zero}, q, &mu}, "contact 0 cannot move"},
        {{1, {3, 3, 3, i, i, x}, nan, &mu}, "q at row 1"},
        {{1, {3, 3, 3, i, i, x}, q, &negative}, "friction of contact 0 is -0.1"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        pawl_contact_problem *problem;
        CHECK_STATUS(pawl_contact_problem_create(&t.env, &cases[k].def, &problem),
                     PAWL_BAD_ARGUMENT);
        CHECK(problem == NULL);
        CHECK_MESSAGE(&t, cases[k].message);
        CHECK_NO_LEAK(&t);
    }
}

static pawl_status contacts_make_and_solve(const pawl_env *env, void *argument)
{
    const random_contacts *c = argument;
    pawl_contact_problem *problem;
    pawl_status status = contacts_reduce(env, c, &problem);
    double r[RANDOM_ROWS] = {0};
    pawl_settings settings = pawl_settings_default();
    settings.solver.kind = PAWL_SOLVER_PGS_NCP; // nothing but creation asks for memory
    pawl_contact_result result;
    if (status == PAWL_OK) {
        status = pawl_contact_problem_solve(problem, &settings, r, &result);
    }
    pawl_contact_problem_destroy(problem);
    return status;
}

TEST(a_lack_of_memory_is_reported)
{
    uint64_t seed = 91;
    static random_contacts c;
    random_contacts_make(&c, &seed, 0.0, 1);
    CHECK(CHECK_SURVIVES_NO_MEMORY(contacts_make_and_solve, &c) > 10);
}
