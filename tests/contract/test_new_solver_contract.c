// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A solver is a file and a line in the table: Jacobi's method with projection, written here in about forty lines, is
// run by the simulator, judged by its judge and found by its name. This program is linked with a table of its own.
#include "math/vec.h"
#include "problem/natural.h"
#include "solve/solver_ops.h"
#include "support/mechanism.h"

// ---- the solver: lambda_i <- P(lambda_i - w v_i / D_ii), all rows at once --------------------------------

typedef struct jacobi {
    pawl_solver base; // first
    double *v, *weight;
} jacobi;

static pawl_solver *jacobi_layout(const solver_def *def, pawl_carver *mem)
{
    jacobi *s = PAWL_CARVE(mem, jacobi, 1);
    double *v = PAWL_CARVE(mem, double, def->max_rows),
           *weight = PAWL_CARVE(mem, double, def->max_rows);
    if (s == NULL) {
        return NULL;
    }
    s->v = v;
    s->weight = weight;
    return &s->base;
}

static void jacobi_solve(pawl_solver *base, const pawl_problem *p, solver_goal goal, double *lambda,
                         solver_report *report)
{
    const double damping = 0.5;
    jacobi *s = (jacobi *)base;
    *report = (solver_report){.outcome = PAWL_ITERATION_LIMIT, .method = PAWL_METHOD_SWEEPS};
    pawl_problem_weights(p, s->weight); // diag(D + R)
    while (report->iterations++ < goal.iterations) {
        pawl_problem_velocity(p, lambda, s->v);
        if (pawl_problem_natural(p, lambda, s->v, s->weight) <= goal.tolerance) {
            report->outcome = PAWL_CONVERGED;
            return;
        }
        for (int i = 0; i < p->row_count; ++i) {
            double x = lambda[i] - damping * s->v[i] / s->weight[i];
            lambda[i] = clamp_to(x, p->lower[i], p->upper[i]);
        }
    }
}

static const pawl_solver_ops jacobi_ops = {
    .name = "jacobi",
    .summary = "projected Jacobi, no contacts",
    .layout = jacobi_layout,
    .solve = jacobi_solve,
};

// ---- the table that this program is linked with ---------------------------------------------------------

const pawl_solver_ops *const pawl_solvers[] = {
    [PAWL_SOLVER_DIRECT] = &pawl_direct_ops,
    [PAWL_SOLVER_PGS_NCP] = &pawl_pgs_ncp_ops,
    [PAWL_SOLVER_ADMM_NCP] = &pawl_admm_ncp_ops,
    [PAWL_SOLVER_NSGS] = &pawl_nsgs_ops,
    [PAWL_SOLVER_NEWTON] = &pawl_newton_ops,
    [PAWL_SOLVER_ADMM_CCP] = &pawl_admm_ccp_ops,
    [PAWL_SOLVER_ADMM_NCP_FP] = &pawl_admm_ncp_fp_ops,
    [PAWL_SOLVER_ADMM_NCP_LA] = &pawl_admm_ncp_la_ops,
    [PAWL_SOLVER_ADMM_NCP_SA] = &pawl_admm_ncp_sa_ops,
    [PAWL_SOLVER_PGS_CCP] = &pawl_pgs_ccp_ops,
    [PAWL_SOLVER_NBGS] = &pawl_nbgs_ops,
    [PAWL_SOLVER_RAISIM] = &pawl_raisim_ops,
    [PAWL_SOLVER_RAISIM_DS] = &pawl_raisim_ds_ops,
    [PAWL_SOLVER_RAISIM_DS_ES] = &pawl_raisim_ds_es_ops,
    [PAWL_SOLVER_PROX] = &pawl_prox_ops,
    [PAWL_SOLVER_AUTO] = &pawl_auto_ops,
    [PAWL_SOLVER_LEMKE] = &pawl_lemke_ops,
    [PAWL_SOLVER_COUNT] = &jacobi_ops,
};
const int pawl_solver_count = (int)(sizeof pawl_solvers / sizeof pawl_solvers[0]);

// Closed form: a slider between two stops 1 m apart that a force of 3 N pushes against one of them stays there, and
// the stop bears 3 N. By brute force of the direct method: the same motion to the tolerance.
TEST(a_solver_of_one_file_and_one_line_runs)
{
    double position[2];
    for (int k = 0; k < 2; ++k) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id body = mechanism_solid(&m, 2.0, v3(0, 0, 0), v3(0.1, 0.1, 0.1));
        pawl_joint_def slider = mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, PAWL_WORLD, body,
                                                    v3(0, 0, 0), v3(1, 0, 0));
        slider.coordinate[0].lower = -0.5;
        slider.coordinate[0].upper = 0.5;
        pawl_joint_id joint = mechanism_joint(&m, &slider);
        pawl_force_def push = pawl_force_def_default();
        push.body = body;
        push.force[0] = pawl_signal_constant(3.0);
        mechanism_force(&m, &push);
        pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_EULER);
        CHECK_OK(pawl_settings_set(&m.t.env, &settings, "solver", k == 0 ? "jacobi" : "direct"));
        mechanism_start(&m, &settings);
        mechanism_run(&m, 200); // all steps converge, by the judge
        position[k] = mechanism_position(&m, joint, 0);
        CHECK_NEAR(position[k], 0.5, 1e-9);
        mechanism_end(&m);
    }
    CHECK_NEAR(position[0], position[1], 1e-9);
}
