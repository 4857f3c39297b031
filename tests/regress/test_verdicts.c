// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Verdicts that were not true. Runs with absurd steps, with jumps that no joint can follow and with callbacks that
// return NaN used to be certified, and solvers that had solved their own problem counted as failed. What is right
// is known without the engine: energy and lengths are conserved, NaN is no answer, and a residual is at most its
// tolerance or it is not.
#include "pawl/verdict.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>
#include <string.h>

static pawl_verdict_list verdicts_judge(const mechanism *m)
{
    pawl_verdict_names names = pawl_model_names(m->model);
    return pawl_verdict_judge(&m->verdict, pawl_sim_settings(m->sim), &names);
}

static pawl_judgement verdicts_of(const pawl_verdict_list *list, pawl_criterion_kind kind)
{
    return list->criteria[kind].judgement;
}

// A chain of links of random lengths and masses that swings from the horizontal, x right, z up.
static void verdicts_chain(mechanism *m, int links, uint64_t *seed)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    pawl_body_id last = PAWL_WORLD;
    double x = 0.0;
    for (int i = 0; i < links; ++i) {
        double length = random_in(seed, 0.1, 0.3), mass = random_in(seed, 0.2, 2.0);
        double inertia = mass * length * length / 12.0;
        pawl_body_id link =
            mechanism_solid(m, mass, v3(x + 0.5 * length, 0, 0), v3(inertia, inertia, inertia));
        pawl_joint_def joint =
            mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, last, link, v3(x, 0, 0), v3(0, 1, 0));
        mechanism_joint(m, &joint);
        last = link;
        x += length;
    }
}

// Steps of a tenth of a second and more are longer than the links' own periods. Steps of a millisecond are not.
TEST(chains_with_absurd_steps_fail_and_with_fine_ones_pass)
{
    uint64_t seed = 11;
    const int links[] = {1, 3, 12, 40};
    for (size_t n = 0; n < sizeof links / sizeof *links; ++n) {
        mechanism m;
        verdicts_chain(&m, links[n], &seed);
        for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
            for (int absurd = 0; absurd < 2; ++absurd) {
                pawl_settings settings =
                    mechanism_settings(absurd ? 0.25 : 5e-4, (pawl_stepper_kind)stepper);
                if (m.sim == NULL) {
                    mechanism_start(&m, &settings);
                } else {
                    mechanism_restart(&m, &settings);
                }
                scene_run(&m, absurd ? 10.0 : 0.4);
                pawl_verdict_list list = verdicts_judge(&m);
                char text[PAWL_SENTENCE_SIZE];
                pawl_verdict_sentence(&list, text, sizeof text);
                print_message("%d links, %s, dt %g: %s\n", links[n], pawl_stepper_name(stepper),
                              settings.dt, text);
                CHECK_INT(list.judgement, absurd ? PAWL_FAILED : PAWL_PASSED);
                CHECK(strncmp(text, absurd ? "NOT MET: " : "PASSED", absurd ? 9 : 6) == 0);
                bool named = verdicts_of(&list, PAWL_CRITERION_ENERGY) == PAWL_FAILED ||
                             verdicts_of(&list, PAWL_CRITERION_CLOSURE) == PAWL_FAILED;
                CHECK(named == (absurd != 0));
            }
        }
        mechanism_end(&m);
    }
}

// Where a position update leaves joints open, it is counted, under every stepper: a long chain whose links turn by
// many turns a step cannot be closed.
TEST(position_updates_that_fail_are_counted_by_every_stepper)
{
    for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
        pawl_settings settings = mechanism_settings(0.2, (pawl_stepper_kind)stepper);
        mechanism m;
        scene_load(&m, CLASSIC("chain-100"), &settings);
        scene_run(&m, 6.0);
        pawl_verdict_list list = verdicts_judge(&m);
        print_message(
            "%s: %d position updates failed, first in step %d; joints open by %g lengths\n",
            pawl_stepper_name(stepper), (int)m.verdict.position_failures,
            (int)m.verdict.position_step, m.verdict.closure.ratio);
        // Whoever leaves the joints open says so; whoever closes them has nothing to count.
        bool open = m.verdict.closure.position > 1e-6;
        CHECK(open == (m.verdict.position_failures > 0));
        CHECK(open == (verdicts_of(&list, PAWL_CRITERION_POSITIONS) == PAWL_FAILED));
        CHECK_INT(list.judgement, PAWL_FAILED);
        mechanism_end(&m);
    }
}

static double verdicts_nan(void *user, double t)
{
    return t > *(const double *)user ? NAN : 0.0;
}

// Every place where a callback enters, with every stepper and at every phase of a step.
TEST(callbacks_that_return_nan_stop_the_run_and_are_named)
{
    enum { MOTION, POSITION, VELOCITY, EFFORT, FORCE, KINEMATIC, PLACES };
    static const char *const named[PLACES] = {
        "prescribed motion of joint", "actuator of joint", "actuator of joint",
        "actuator of joint",          "force on body",     "motion of body"};
    uint64_t seed = 4;
    for (int place = 0; place < PLACES; ++place) {
        for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
            double from = random_in(&seed, 0.004, 0.006);
            pawl_signal signal = {
                .kind = PAWL_SIGNAL_CALLBACK, .callback = verdicts_nan, .user = &from};
            mechanism m;
            mechanism_begin(&m);
            pawl_body_id body = mechanism_solid(&m, 1.0, v3(0.5, 0, 0), v3(0.1, 0.1, 0.1));
            pawl_joint_id joint =
                mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, body, v3(0, 0, 0), v3(0, 1, 0));
            pawl_motion_def motion = pawl_motion_def_default();
            pawl_actuator_def actuator = pawl_actuator_def_default();
            pawl_force_def force = pawl_force_def_default();
            pawl_body_def driven = pawl_body_def_default();
            switch (place) {
            case MOTION:
                motion.joint = joint, motion.target = signal;
                mechanism_motion(&m, &motion);
                break;
            case FORCE:
                force.body = body, force.torque[1] = signal;
                mechanism_force(&m, &force);
                break;
            case KINEMATIC:
                driven.kind = PAWL_BODY_KINEMATIC, driven.motion[2] = signal;
                mechanism_body(&m, &driven);
                break;
            default:
                actuator.joint = joint, actuator.target = signal, actuator.effort = 10.0;
                actuator.kind = place == POSITION   ? PAWL_ACTUATOR_POSITION
                                : place == VELOCITY ? PAWL_ACTUATOR_VELOCITY
                                                    : PAWL_ACTUATOR_FORCE;
                actuator.stiffness = place == POSITION ? 100.0 : 0.0;
                actuator.damping = place == EFFORT ? 0.0 : 1.0;
                mechanism_actuator(&m, &actuator);
            }
            pawl_settings settings = mechanism_settings(1e-3, (pawl_stepper_kind)stepper);
            mechanism_start(&m, &settings);
            pawl_status status = PAWL_OK;
            int steps = 0;
            for (; status == PAWL_OK && steps < 20; ++steps) {
                status = pawl_sim_step(m.sim, NULL);
            }
            CHECK_STATUS(status, PAWL_NOT_FINITE);
            CHECK_MESSAGE(&m.t, named[place]);
            CHECK(steps >= 4 && steps <= 7);
            CHECK(mechanism_time(&m) < from + 1e-12);
            mechanism_end(&m);
        }
    }
}

// By hand: the worst of NaN and a number is NaN, whichever comes first, in every figure that is a maximum.
TEST(nan_is_worse_than_every_number)
{
    mechanism m;
    mechanism_throw(&m);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    mechanism_step(&m);
    const pawl_step_report good = m.report;
    for (int figure = 0; figure < 7; ++figure) {
        for (int order = 0; order < 2; ++order) {
            pawl_step_report bad = good;
            bad.measured = ~0u;
            double *const at[] = {&bad.residual.natural_scaled, &bad.own_residual,
                                  &bad.closure.ratio,           &bad.closure.rotation,
                                  &bad.closure.limit,           &bad.depth_ratio,
                                  &bad.energy.balance};
            *at[figure] = NAN;
            pawl_verdict v = pawl_verdict_begin(mechanism_state(&m));
            pawl_verdict_add(&v, order ? &bad : &good);
            pawl_verdict_add(&v, order ? &good : &bad);
            pawl_verdict_names names = pawl_model_names(m.model);
            pawl_verdict_list list = pawl_verdict_judge(&v, &settings, &names);
            CHECK_INT(list.judgement, PAWL_FAILED);
            CHECK(list.failed >= 1);
            const pawl_criterion_kind kind[] = {PAWL_CRITERION_COULOMB, PAWL_CRITERION_RESIDUAL,
                                                PAWL_CRITERION_CLOSURE, PAWL_CRITERION_ROTATION,
                                                PAWL_CRITERION_LIMITS,  PAWL_CRITERION_PENETRATION,
                                                PAWL_CRITERION_ENERGY};
            CHECK(isnan(list.criteria[kind[figure]].value));
            CHECK_INT(verdicts_of(&list, kind[figure]), PAWL_FAILED);
        }
    }
    mechanism_end(&m);
}

// The outcome of a step is its residual against its tolerance, and nothing that a solver says: with every solver and
// at tolerances that some reach and some do not.
TEST(a_step_has_converged_exactly_if_its_residual_is_within_the_tolerance)
{
    const double tolerances[] = {1e-4, 1e-6, 1e-9, 1e-13};
    for (int solver = 0; solver < PAWL_SOLVER_COUNT; ++solver) {
        if (solver == PAWL_SOLVER_DIRECT) {
            continue; // it does not know contacts
        }
        for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; ++k) {
            pawl_settings settings = mechanism_settings(4e-3, PAWL_STEPPER_EULER);
            settings.solver.kind = (pawl_solver_kind)solver;
            settings.solver.tolerance = tolerances[k];
            settings.solver.max_iterations = 60;
            mechanism m;
            scene_load(&m, PRIMITIVE("nunchuk"), &settings);
            int64_t missed = 0;
            for (int i = 0; i < 150; ++i) {
                scene_step(&m);
                bool within = m.report.own_residual <= settings.solver.tolerance;
                CHECK_INT(m.report.outcome == PAWL_CONVERGED, within);
                missed += within ? 0 : 1;
            }
            CHECK_INT(m.verdict.not_converged, missed);
            pawl_verdict_list list = verdicts_judge(&m);
            CHECK_INT(verdicts_of(&list, PAWL_CRITERION_RESIDUAL),
                      missed == 0 ? PAWL_PASSED : PAWL_FAILED);
            mechanism_end(&m);
        }
    }
}

// A box that slides on the floor at an angle to all axes and polygons: solvers of another law solve their own
// problem, which is no failure, and say how far they are from Coulomb's law; by hand the relaxation lifts it by mu v.
TEST(solvers_of_another_law_report_two_residuals)
{
    uint64_t seed = 7;
    for (int solver = 0; solver < PAWL_SOLVER_COUNT; ++solver) {
        if (solver == PAWL_SOLVER_DIRECT) {
            continue;
        }
        const char *law = pawl_solver_other_law(solver);
        for (int variation = 0; variation < 3; ++variation) {
            double speed = random_in(&seed, 0.5, 2.0), angle = random_in(&seed, 0.15, 0.6);
            mechanism m;
            scene_floor(&m, 0.5, 0.0, 0.0);
            pawl_body_def def = pawl_body_def_default();
            def.mass = random_in(&seed, 0.5, 5.0);
            def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.02 * def.mass;
            def.pose.position = v3(0, 0, 0.1);
            def.twist.linear = v3(speed * cos(angle), speed * sin(angle), 0.0);
            pawl_body_id box = mechanism_body(&m, &def);
            scene_shape(&m, box, PAWL_SHAPE_BOX, v3(0.2, 0.15, 0.1), v3(0, 0, 0), 0.5, 0.0);
            pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
            settings.solver.kind = (pawl_solver_kind)solver;
            settings.solver.tolerance = 1e-7;
            settings.solver.max_iterations = 20000;
            mechanism_start(&m, &settings);
            for (int i = 0; i < 20; ++i) {
                scene_step(&m);
            }
            const pawl_verdict *v = &m.verdict;
            pawl_verdict_list list = verdicts_judge(&m);
            print_message("%-12s own %.1e, Coulomb %.1e m/s, missed %d\n", pawl_solver_name(solver),
                          v->own_residual, v->residual.natural_scaled, (int)v->not_converged);
            if (solver == PAWL_SOLVER_RAISIM_DS_ES) {
                // it stops by its energy, and not before its residual: whether that is within is open
                CHECK(v->not_converged > 0 || v->own_residual <= settings.solver.tolerance);
                mechanism_end(&m);
                continue;
            }
            CHECK_INT(verdicts_of(&list, PAWL_CRITERION_RESIDUAL), PAWL_PASSED);
            const pawl_criterion *coulomb = &list.criteria[PAWL_CRITERION_COULOMB];
            if (law == NULL) {
                CHECK_INT(coulomb->judgement, PAWL_PASSED);
                CHECK_NEAR(v->own_residual, v->residual.natural_scaled, 0.0);
            } else {
                CHECK_INT(coulomb->judgement, PAWL_NOT_JUDGED);
                CHECK(strstr(coulomb->where, law) != NULL);
            }
            if (solver == PAWL_SOLVER_PGS_CCP || solver == PAWL_SOLVER_ADMM_CCP) {
                CHECK(v->residual.natural_scaled > 0.01); // mu v of what slides
                char text[PAWL_SENTENCE_SIZE];
                pawl_verdict_sentence(&list, text, sizeof text);
                CHECK(list.failed > 0 || strstr(text, "not Coulomb's law") != NULL);
            }
            mechanism_end(&m);
        }
    }
}

// mdp and nmdp have a residual of their own, held against their own tolerance and not against the solver's.
TEST(maximal_dissipation_reports_its_own_residual)
{
    const pawl_stepper_kind steppers[] = {PAWL_STEPPER_MDP, PAWL_STEPPER_NMDP};
    for (int s = 0; s < 2; ++s) {
        for (int strict = 0; strict < 2; ++strict) {
            pawl_settings settings = mechanism_settings(0.01, steppers[s]);
            settings.solver.tolerance = 1e-30; // of another problem
            settings.nmdp.tolerance = strict ? 1e-14 : 1e-6;
            settings.nmdp.max_iterations = strict ? 1 : 300;
            settings.nmdp.halvings = 0;
            mechanism m;
            scene_load(&m, "models/nmdp/spider-planar.sdf", &settings);
            int steps = 0;
            while (steps < 40 && pawl_sim_step(m.sim, &m.report) == PAWL_OK) {
                pawl_verdict_add(&m.verdict, &m.report);
                ++steps;
            }
            pawl_verdict_list list = verdicts_judge(&m);
            const pawl_criterion *residual = &list.criteria[PAWL_CRITERION_RESIDUAL];
            print_message("%s, nmdp.tolerance %.0e: residual %.1e %s, %d of %d steps missed\n",
                          pawl_stepper_name((int)steppers[s]), settings.nmdp.tolerance,
                          residual->value, residual->unit, (int)m.verdict.not_converged, steps);
            CHECK(steps > 0);
            CHECK_NEAR(residual->limit, settings.nmdp.tolerance, 0.0);
            CHECK(residual->value > 0.0);
            CHECK_INT(residual->judgement,
                      residual->value <= settings.nmdp.tolerance ? PAWL_PASSED : PAWL_FAILED);
            CHECK(!strict || residual->judgement == PAWL_FAILED);
            CHECK(strict || residual->judgement == PAWL_PASSED);
            CHECK(m.verdict.penetration > 0.0); // it stands in soft ground
            CHECK(m.verdict.energy.work_contacts != 0.0);
            mechanism_end(&m);
        }
    }
}

// What is not there is not judged, and never 0.
TEST(what_was_not_measured_is_not_judged)
{
    mechanism m;
    mechanism_throw(&m);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 100);
    pawl_verdict_list list = verdicts_judge(&m);
    const pawl_criterion_kind absent[] = {PAWL_CRITERION_COMPLETED,   PAWL_CRITERION_COULOMB,
                                          PAWL_CRITERION_POSITIONS,   PAWL_CRITERION_CLOSURE,
                                          PAWL_CRITERION_ROTATION,    PAWL_CRITERION_LIMITS,
                                          PAWL_CRITERION_PENETRATION, PAWL_CRITERION_CROSSINGS};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; ++i) {
        CHECK_INT(verdicts_of(&list, absent[i]), PAWL_NOT_JUDGED);
        CHECK(isnan(list.criteria[absent[i]].value));
    }
    CHECK_INT(list.judgement, PAWL_PASSED);
    mechanism_end(&m);
}

// By hand: 2 J turned over, of which dampers gave 0.3 J back after they had taken 1 J.
TEST(work_of_the_wrong_sign_is_found_behind_work_of_the_right_one)
{
    mechanism m;
    mechanism_begin(&m);
    mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(0.1, 0.1, 0.1));
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    for (int which = 0; which < PAWL_DISSIPATOR_COUNT; ++which) {
        pawl_verdict v = pawl_verdict_begin(mechanism_state(&m));
        const double work[] = {-1.0, -0.7};
        for (int k = 0; k < 2; ++k) {
            pawl_step_report r = {.measured = PAWL_MEASURED_WORK, .energy.kinetic = 2.0};
            double *const at[] = {&r.energy.work_dampers, &r.energy.work_friction,
                                  &r.energy.work_limits, &r.energy.work_contacts};
            *at[which] = work[k];
            pawl_verdict_add(&v, &r);
        }
        pawl_verdict_names names = pawl_model_names(m.model);
        pawl_verdict_list list = pawl_verdict_judge(&v, &settings, &names);
        const pawl_criterion *c = &list.criteria[PAWL_CRITERION_WORK];
        CHECK_NEAR(c->value, 0.15, 1e-15);
        CHECK_INT(c->judgement, PAWL_FAILED);
        CHECK(strstr(c->where, pawl_dissipator_name((pawl_dissipator)which)) == c->where);
        settings.verdict.work = 0.2;
        list = pawl_verdict_judge(&v, &settings, &names);
        CHECK_INT(verdicts_of(&list, PAWL_CRITERION_WORK), PAWL_PASSED);
        settings.verdict.work = 0.01;
    }
    mechanism_end(&m);
}

// Without weight nothing says how much energy is much: a machine at rest has that of rounding alone, which no work
// explains. By hand: 1 kg that begins to move by itself.
TEST(a_machine_without_weight_at_rest_is_not_judged_by_rounding)
{
    mechanism m;
    mechanism_begin(&m);
    mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(0.1, 0.1, 0.1));
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    const double kinetic[] = {3e-29, 1e-19, 1e-12, 1e-6};
    const pawl_judgement expected[] = {PAWL_PASSED, PAWL_PASSED, PAWL_FAILED, PAWL_FAILED};
    for (int k = 0; k < 4; ++k) {
        pawl_verdict v = pawl_verdict_begin(mechanism_state(&m));
        pawl_step_report r = {.measured = PAWL_MEASURED_BALANCE,
                              .energy = {.kinetic = kinetic[k], .balance = kinetic[k]}};
        pawl_verdict_add(&v, &r);
        pawl_verdict_names names = pawl_model_names(m.model);
        pawl_verdict_list list = pawl_verdict_judge(&v, &settings, &names);
        CHECK_INT(verdicts_of(&list, PAWL_CRITERION_ENERGY), expected[k]);
    }
    mechanism_end(&m);
}
