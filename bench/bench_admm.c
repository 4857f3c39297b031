// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The cost of the Delassus operators in ADMM iterations, and their agreement.
//
// A pendulum chain whose joints stay in the iteration (solver.exact_joints=off), every tenth with dry
// friction to iterate on, released from a horizontal position. A step with a tolerance of zero takes exactly
// solver.max_iterations; the difference of two such steps is the cost of iterations alone, without assembly,
// factorization and judge. Over a tree it should grow with the links and no faster. The second table compares states
// after a few such steps: the operators differ only by rounding.
#include "runner.h"

#include "pawl/pawl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ADMM_SHORT = 20, ADMM_LONG = 120, ADMM_REPEATS = 9, ADMM_AGREE_STEPS = 5 };
static const double admm_allowed_growth = 1.5; // of the time per iteration and link
static const double admm_allowed_difference = 1e-10;

typedef struct admm_run {
    pawl_model *model;
    pawl_sim *sim;
} admm_run;

static void admm_refuse(const char *what, pawl_status status)
{
    fprintf(stderr, "bench_admm: %s: %s\n", what, pawl_status_name(status));
    exit(2);
}

// Links of 0.1 m and 0.1 kg along x, hinged about y.
static pawl_model *admm_chain(const pawl_env *env, int links)
{
    pawl_builder *builder = NULL;
    pawl_model *model = NULL;
    pawl_status status = pawl_builder_create(env, "chain", &builder);
    for (int i = 0; i < links && status == PAWL_OK; ++i) {
        pawl_body_def body = pawl_body_def_default();
        body.mass = 0.1;
        body.pose.position.x = 0.1 * i + 0.05;
        body.inertia[0] = 1e-5;
        body.inertia[1] = body.inertia[2] = 0.1 * 0.1 * 0.1 / 12.0;
        status = pawl_builder_add_body(builder, &body, NULL);
        pawl_joint_def joint = pawl_joint_def_default();
        joint.kind = PAWL_JOINT_REVOLUTE;
        joint.base = i == 0 ? PAWL_WORLD : pawl_builder_body_at(builder, i - 1);
        joint.follower = pawl_builder_body_at(builder, i);
        joint.base_frame.position.x = i > 0 ? 0.05 : 0.0;
        joint.follower_frame.position.x = -0.05;
        const pawl_quat x_to_y = {sqrt(0.5), 0.0, 0.0, sqrt(0.5)};
        joint.base_frame.orientation = joint.follower_frame.orientation = x_to_y;
        joint.coordinate[0].friction = i % 10 == 0 ? 1e-3 : 0.0;
        status = status == PAWL_OK ? pawl_builder_add_joint(builder, &joint, NULL) : status;
    }
    status = status == PAWL_OK ? pawl_builder_compile(builder, &model) : status;
    pawl_builder_destroy(builder);
    if (status != PAWL_OK) {
        admm_refuse("the chain", status);
    }
    return model;
}

static pawl_sim *admm_start(const pawl_env *env, const pawl_model *model, pawl_delassus_kind kind,
                            int iterations)
{
    pawl_settings settings = pawl_settings_default();
    settings.solver.kind = PAWL_SOLVER_ADMM_NCP_FP;
    settings.delassus = kind;
    settings.admm.accelerate = false; // Alg. 6 as it is printed
    settings.solver.exact_joints = false;
    settings.project = false;
    settings.solver.tolerance = 0.0;
    settings.solver.max_iterations = iterations;
    pawl_sim *sim = NULL;
    pawl_status status = pawl_sim_create(env, model, &settings, &sim);
    if (status != PAWL_OK) {
        admm_refuse("the simulation", status);
    }
    return sim;
}

static void admm_step(pawl_sim *sim, int iterations)
{
    pawl_step_report report;
    pawl_status status = pawl_sim_step(sim, &report);
    if (status != PAWL_OK || report.iterations != iterations) {
        admm_refuse("a step", status);
    }
}

// Least CPU time of a step of so many iterations, the first one left out [s].
static double admm_step_time(const pawl_env *env, const pawl_model *model, pawl_delassus_kind kind,
                             int iterations, int steps)
{
    pawl_sim *sim = admm_start(env, model, kind, iterations);
    double best = INFINITY;
    admm_step(sim, iterations);
    for (int r = 0; r < ADMM_REPEATS; ++r) {
        double begin = bench_cpu_time();
        for (int i = 0; i < steps; ++i) {
            admm_step(sim, iterations);
        }
        best = fmin(best, (bench_cpu_time() - begin) / steps);
    }
    pawl_sim_destroy(sim);
    return best;
}

static double admm_iteration_time(const pawl_env *env, int links, pawl_delassus_kind kind)
{
    pawl_model *model = admm_chain(env, links);
    int steps = links < 1000 ? 20000 / (links * 20) + 1 : 1;
    double few = admm_step_time(env, model, kind, ADMM_SHORT, steps);
    double many = admm_step_time(env, model, kind, ADMM_LONG, steps);
    pawl_model_destroy(model);
    return (many - few) / (ADMM_LONG - ADMM_SHORT);
}

static double admm_difference(const pawl_env *env, int links, pawl_delassus_kind a,
                              pawl_delassus_kind b)
{
    pawl_model *model = admm_chain(env, links);
    pawl_sim *sims[2] = {admm_start(env, model, a, ADMM_SHORT),
                         admm_start(env, model, b, ADMM_SHORT)};
    double worst = 0.0;
    for (int i = 0; i < ADMM_AGREE_STEPS; ++i) {
        admm_step(sims[0], ADMM_SHORT);
        admm_step(sims[1], ADMM_SHORT);
    }
    for (int i = 0; i < links; ++i) {
        pawl_twist x = pawl_state_twist(pawl_sim_state(sims[0]),
                                        pawl_model_body_at(pawl_sim_model(sims[0]), i));
        pawl_twist y = pawl_state_twist(pawl_sim_state(sims[1]),
                                        pawl_model_body_at(pawl_sim_model(sims[1]), i));
        worst = fmax(worst, fabs(x.linear.x - y.linear.x));
        worst = fmax(worst, fabs(x.linear.z - y.linear.z));
        worst = fmax(worst, fabs(x.angular.y - y.angular.y));
    }
    pawl_sim_destroy(sims[0]);
    pawl_sim_destroy(sims[1]);
    pawl_model_destroy(model);
    return worst;
}

static bool admm_print_times(const pawl_env *env, bool quick)
{
    static const pawl_delassus_kind kinds[] = {PAWL_DELASSUS_SPARSE, PAWL_DELASSUS_MATRIX_FREE,
                                               PAWL_DELASSUS_DENSE};
    static const int most[] = {10000, 100, 100}; // links that a kind is given
    double least = INFINITY, largest = 0.0;
    printf("\nADMM iterations on a chain, joints not eliminated: ns an iteration and link\n"
           "  links     sparse  matrix-free      dense\n");
    for (int links = 10; links <= (quick ? 100 : 10000); links *= 10) {
        printf("%7d", links);
        for (int k = 0; k < 3; ++k) {
            if (links > most[k]) {
                printf("%12s", "-");
                continue;
            }
            double time = admm_iteration_time(env, links, kinds[k]) / links;
            printf("%12.1f", 1e9 * time);
            fflush(stdout);
            if (k == 0) {
                least = fmin(least, time);
                largest = fmax(largest, time);
            }
        }
        printf("\n");
    }
    printf("sparse: longest over shortest %.2f, %.2f allowed\n", largest / least,
           admm_allowed_growth);
    return quick || largest <= admm_allowed_growth * least; // --quick shows that it runs
}

// Where the triangle of D beats the way by the bodies: what delassus=auto goes by.
static void admm_print_small(const pawl_env *env)
{
    printf("\nwhole steps of %d iterations on short chains: us\n  links     sparse      dense\n",
           ADMM_SHORT);
    for (int links = 1; links <= 16; links += links < 6 ? 1 : 5) {
        pawl_model *model = admm_chain(env, links);
        double sparse = admm_step_time(env, model, PAWL_DELASSUS_SPARSE, ADMM_SHORT, 200);
        double dense = admm_step_time(env, model, PAWL_DELASSUS_DENSE, ADMM_SHORT, 200);
        printf("%7d%11.1f%11.1f\n", links, 1e6 * sparse, 1e6 * dense);
        pawl_model_destroy(model);
    }
}

static bool admm_print_differences(const pawl_env *env, bool quick)
{
    bool agree = true;
    printf("\nlargest difference of a velocity after %d steps of %d iterations, to sparse "
           "[m/s, rad/s]\n  links  matrix-free      dense\n",
           ADMM_AGREE_STEPS, ADMM_SHORT);
    for (int links = 10; links <= (quick ? 40 : 160); links *= 4) {
        double by_products =
            admm_difference(env, links, PAWL_DELASSUS_SPARSE, PAWL_DELASSUS_MATRIX_FREE);
        double dense = admm_difference(env, links, PAWL_DELASSUS_SPARSE, PAWL_DELASSUS_DENSE);
        printf("%7d%13.1e%11.1e\n", links, by_products, dense);
        agree = agree && fmax(by_products, dense) <= admm_allowed_difference;
    }
    return agree;
}

int main(int argument_count, char **arguments)
{
    bool quick = argument_count == 2 && strcmp(arguments[1], "--quick") == 0;
    if (argument_count > 1 && !quick) {
        fprintf(stderr, "usage: bench_admm [--quick]\n");
        return 2;
    }
    pawl_env env = pawl_env_default();
    admm_print_small(&env);
    bool fast = admm_print_times(&env, quick), agree = admm_print_differences(&env, quick);
    if (!fast || !agree) {
        printf("%s%s\n", fast ? "" : "sparse iterations grow too fast. ",
               agree ? "" : "operators disagree.");
    }
    return fast && agree ? 0 : 1;
}
