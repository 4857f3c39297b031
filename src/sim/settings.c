// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Settings by name: one table that the command line, the recordings and the docs all read.
#include "base/env.h"
#include "base/guard.h"
#include "pawl/sim.h"
#include "step/stepper_ops.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum setting_type {
    SETTING_REAL,
    SETTING_COUNT,
    SETTING_EVEN, // a count
    SETTING_SWITCH,
    SETTING_NAME
} setting_type;

typedef struct setting_row {
    pawl_setting_info info;
    setting_type type;
    size_t offset;
    double lowest, highest;           // of numbers
    const char *(*name_of)(int kind); // of names
} setting_row;

static const char *settings_delassus_name(int kind)
{
    static const char *const names[] = {"auto", "dense", "sparse", "matrix-free"};
    return kind >= 0 && kind < PAWL_DELASSUS_COUNT ? names[kind] : NULL;
}

static const char *settings_reduce_name(int kind)
{
    static const char *const names[] = {"off", "hull"};
    return kind >= 0 && kind < PAWL_REDUCE_COUNT ? names[kind] : NULL;
}

static const char *settings_warm_start_name(int kind)
{
    static const char *const names[] = {"off", "matched", "guess"};
    return kind >= 0 && kind < PAWL_WARM_COUNT ? names[kind] : NULL;
}

static const char *settings_lit_variant_name(int kind)
{
    static const char *const names[] = {"midpoint", "paper", "sdirk2"};
    return kind >= 0 && kind < PAWL_LIT_VARIANT_COUNT ? names[kind] : NULL;
}

static const char *settings_lit_events_name(int kind)
{
    static const char *const names[] = {"all", "collisions", "none"};
    return kind >= 0 && kind < PAWL_LIT_EVENTS_COUNT ? names[kind] : NULL;
}

static const char *settings_impact_name(int kind)
{
    static const char *const names[] = {"poisson", "newton", "energetic", "routh"};
    return kind >= 0 && kind < PAWL_IMPACT_LAW_COUNT ? names[kind] : NULL;
}

static const char *const settings_formulations[PAWL_FORMULATION_COUNT][2] = {
    [PAWL_FORMULATION_MAXIMAL] =
        {"maximal", "six coordinates per body, joints as constraints: any graph, any loops"},
    [PAWL_FORMULATION_REDUCED] =
        {"reduced",
         "joint coordinates on a spanning tree, loops as constraints: steppers euler, moreau, lit"},
};

const char *pawl_formulation_name(int kind)
{
    return kind >= 0 && kind < PAWL_FORMULATION_COUNT ? settings_formulations[kind][0] : NULL;
}

const char *pawl_formulation_summary(int kind)
{
    return kind >= 0 && kind < PAWL_FORMULATION_COUNT ? settings_formulations[kind][1] : NULL;
}

static const char *settings_reduced_base_name(int kind)
{
    static const char *const names[] = {"quaternion", "euler"};
    return kind >= 0 && kind < PAWL_REDUCED_BASE_COUNT ? names[kind] : NULL;
}

static const char *settings_rule_name(int kind)
{
    static const char *const names[] = {"geometric", "min", "max", "mean", "product"};
    return kind >= 0 && kind < PAWL_PAIR_RULE_COUNT ? names[kind] : NULL;
}

static const char *settings_dynamics_name(int kind)
{
    static const char *const names[] = {"ne", "pbd"};
    return kind >= 0 && kind < PAWL_NMDP_DYNAMICS_COUNT ? names[kind] : NULL;
}

static const char *settings_gradient_name(int kind)
{
    static const char *const names[] = {"first", "zeroth"};
    return kind >= 0 && kind < PAWL_NMDP_GRADIENT_COUNT ? names[kind] : NULL;
}

static const char *settings_energy_name(int kind)
{
    static const char *const names[] = {"contact", "penetrating", "total"};
    return kind >= 0 && kind < PAWL_NMDP_ENERGY_COUNT ? names[kind] : NULL;
}

static const char *settings_pd_name(int kind)
{
    static const char *const names[] = {"explicit", "stable"};
    return kind >= 0 && kind < PAWL_MDP_PD_COUNT ? names[kind] : NULL;
}

#define FIELD(name) offsetof(pawl_settings, name)
static const setting_row settings_table[] = {
    {{"dt", "s", "1e-9 .. 1", "time step"}, SETTING_REAL, FIELD(dt), 1e-9, 1.0, NULL},
    {{"stepper", "-", "see pawl list steppers", "how time advances"},
     SETTING_NAME,
     FIELD(stepper),
     0,
     0,
     pawl_stepper_name},
    {{"solver", "-", "see pawl list solvers", "which algorithm solves the constraint problem"},
     SETTING_NAME,
     FIELD(solver),
     0,
     0,
     pawl_solver_name},
    {{"formulation", "-", "maximal reduced", "coordinates of the equations of motion"},
     SETTING_NAME,
     FIELD(formulation),
     0,
     0,
     pawl_formulation_name},
    {{"reduced.base", "-", "quaternion euler",
      "rotation coordinates of a floating base in reduced coordinates"},
     SETTING_NAME,
     FIELD(reduced_base),
     0,
     0,
     settings_reduced_base_name},
    {{"delassus", "-", "auto dense sparse matrix-free", "how systems with D are solved"},
     SETTING_NAME,
     FIELD(delassus),
     0,
     0,
     settings_delassus_name},
    {{"project", "-", "on off",
      "position update on the constraints: joints close to 1e-12, energy is conserved"},
     SETTING_SWITCH,
     FIELD(project),
     0,
     0,
     NULL},
    {{"erp.joint", "-", "0 .. 1", "fraction of the joint error removed per step with project=off"},
     SETTING_REAL,
     FIELD(erp_joint),
     0.0,
     1.0,
     NULL},
    {{"erp.limit", "-", "0 .. 1", "fraction of a limit violation removed per step"},
     SETTING_REAL,
     FIELD(erp_limit),
     0.0,
     1.0,
     NULL},
    {{"erp.contact", "-", "0 .. 1", "fraction of a penetration removed per step"},
     SETTING_REAL,
     FIELD(erp_contact),
     0.0,
     1.0,
     NULL},
    {{"contact.margin", "m", "0 .. 1", "distance within which contacts get rows"},
     SETTING_REAL,
     FIELD(contact_margin),
     0.0,
     1.0,
     NULL},
    {{"contact.max_push", "m/s", "0 .. 1e6", "largest speed at which a penetration is removed"},
     SETTING_REAL,
     FIELD(max_push),
     0.0,
     1e6,
     NULL},
    {{"limit.max_push", "m/s, rad/s", "0 .. 1e6",
      "largest rate at which a limit violation is removed"},
     SETTING_REAL,
     FIELD(limit_push),
     0.0,
     1e6,
     NULL},
    {{"contact.restitution_threshold", "m/s", "0 .. 1e6", "slower impacts do not bounce"},
     SETTING_REAL,
     FIELD(restitution_threshold),
     0.0,
     1e6,
     NULL},
    {{"contact.impact", "-", "poisson newton energetic routh",
      "impact law, for every stepper that collides shapes"},
     SETTING_NAME,
     FIELD(impact_law),
     0,
     0,
     settings_impact_name},
    {{"contact.impact_friction", "-", "0 .. 1e6",
      "impact friction of shapes that define none, as a factor on their friction"},
     SETTING_REAL,
     FIELD(impact_friction),
     0.0,
     1e6,
     NULL},
    {{"contact.friction_rule", "-", "geometric min max mean product",
      "how the friction of two shapes is combined; torsional and rolling take the larger"},
     SETTING_NAME,
     FIELD(friction_rule),
     0,
     0,
     settings_rule_name},
    {{"contact.restitution_rule", "-", "geometric min max mean product",
      "how the restitution of two shapes is combined"},
     SETTING_NAME,
     FIELD(restitution_rule),
     0,
     0,
     settings_rule_name},
    {{"contact.reduce", "-", "off hull",
      "hull: drop contacts inside the convex hull of a planar patch"},
     SETTING_NAME,
     FIELD(reduce),
     0,
     0,
     settings_reduce_name},
    {{"contact.reduce_max", "-", "0 .. 1000",
      "largest number of corners kept of such a patch; 0: all, otherwise an approximation"},
     SETTING_COUNT,
     FIELD(reduce_max),
     0.0,
     1000.0,
     NULL},
    {{"solver.tolerance", "m/s", "0 .. 1", "limit of the scaled natural-map residual"},
     SETTING_REAL,
     FIELD(tolerance),
     0.0,
     1.0,
     NULL},
    {{"solver.max_iterations", "-", "1 .. 1000000", "sweeps of an iterative solver"},
     SETTING_COUNT,
     FIELD(max_iterations),
     1.0,
     1e6,
     NULL},
    {{"solver.exact_joints", "-", "on off",
      "condense joints exactly: sweeps see only contacts, limits and other bounded rows"},
     SETTING_SWITCH,
     FIELD(exact_joints),
     0,
     0,
     NULL},
    {{"solver.warm_start", "-", "off matched guess",
      "start from the last step's impulses; guess: new contacts from lost ones of their pair"},
     SETTING_NAME,
     FIELD(warm_start),
     0,
     0,
     settings_warm_start_name},
    {{"solver.warm_start_scale", "-", "0 .. 1",
      "factor on the previous impulses of the warm start"},
     SETTING_REAL,
     FIELD(warm_start_scale),
     0.0,
     1.0,
     NULL},
    {{"solver.islands", "-", "on off", "solve groups of bodies that no row connects separately"},
     SETTING_SWITCH,
     FIELD(islands),
     0,
     0,
     NULL},
    {{"threads", "-", "1 .. 64", "threads that solve islands; same bits for any number"},
     SETTING_COUNT,
     FIELD(threads),
     1.0,
     64.0,
     NULL},
    {{"loop.tolerance", "-", "0 .. 0.1",
      "misalignment, in rad or lengths of the mechanism, up to which rows of a loop count as "
      "redundant and are closed in the least-squares sense; 0: every row counts as given"},
     SETTING_REAL,
     FIELD(loop_tolerance),
     0.0,
     0.1,
     NULL},
    {{"solver.regularization", "-", "1e-14 .. 1e-2",
      "relative shift of the factorization where rows may be redundant; removed by refinement"},
     SETTING_REAL,
     FIELD(regularization),
     1e-14,
     1e-2,
     NULL},
    {{"solver.precondition", "-", "on off",
      "scale rows by the diagonal of D, equally within a contact (admm family)"},
     SETTING_SWITCH,
     FIELD(precondition),
     0,
     0,
     NULL},
    {{"admm.rho", "-", "1e-9 .. 1e9",
      "penalty; relative to the diagonal of D with solver.precondition"},
     SETTING_REAL,
     FIELD(admm_rho),
     1e-9,
     1e9,
     NULL},
    {{"admm.eta", "-", "0 .. 1", "proximal weight, in units of admm.rho"},
     SETTING_REAL,
     FIELD(admm_eta),
     0.0,
     1.0,
     NULL},
    {{"admm.relaxation", "-", "1 .. 1.8", "over-relaxation of ADMM; 1 for none"},
     SETTING_REAL,
     FIELD(admm_relaxation),
     1.0,
     1.8,
     NULL},
    {{"admm.accelerate", "-", "on off", "Nesterov's momentum, with restarts"},
     SETTING_SWITCH,
     FIELD(admm_accelerate),
     0,
     0,
     NULL},
    {{"solver.relaxation", "-", "1e-3 .. 1.999", "relaxation factor of the first sweep"},
     SETTING_REAL,
     FIELD(relaxation),
     1e-3,
     1.999,
     NULL},
    {{"solver.relaxation_min", "-", "1e-3 .. 1.999", "lower bound of the relaxation factor"},
     SETTING_REAL,
     FIELD(relaxation_min),
     1e-3,
     1.999,
     NULL},
    {{"solver.relaxation_decay", "-", "0.1 .. 1",
      "factor on the relaxation factor after each sweep"},
     SETTING_REAL,
     FIELD(relaxation_decay),
     0.1,
     1.0,
     NULL},
    {{"soft.joint", "s", "0 .. 1e6", "time constant of joints that define none; 0: hard"},
     SETTING_REAL,
     FIELD(soft_joint),
     0.0,
     1e6,
     NULL},
    {{"soft.limit", "s", "0 .. 1e6", "time constant of limits that define none; 0: hard"},
     SETTING_REAL,
     FIELD(soft_limit),
     0.0,
     1e6,
     NULL},
    {{"soft.contact", "s", "0 .. 1e6",
      "time constant of contacts of shapes that define none; 0: hard"},
     SETTING_REAL,
     FIELD(soft_contact),
     0.0,
     1e6,
     NULL},
    {{"soft.damping_ratio", "-", "1e-6 .. 1e6",
      "damping ratio of rows made soft by soft.joint, .limit and .contact"},
     SETTING_REAL,
     FIELD(soft.damping_ratio),
     1e-6,
     1e6,
     NULL},
    {{"soft.d0", "-", "1e-4 .. 0.9999", "impedance without violation; 1 would be hard"},
     SETTING_REAL,
     FIELD(soft.d0),
     1e-4,
     0.9999,
     NULL},
    {{"soft.dw", "-", "1e-4 .. 0.9999", "impedance at a violation of soft.width and beyond"},
     SETTING_REAL,
     FIELD(soft.dw),
     1e-4,
     0.9999,
     NULL},
    {{"soft.width", "m or rad", "0 .. 1e3", "violation over which the impedance changes"},
     SETTING_REAL,
     FIELD(soft.width),
     0.0,
     1e3,
     NULL},
    {{"soft.midpoint", "-", "1e-4 .. 0.9999",
      "fraction of the width at which the change is steepest"},
     SETTING_REAL,
     FIELD(soft.midpoint),
     1e-4,
     0.9999,
     NULL},
    {{"soft.power", "-", "1 .. 100", "how steep; 1 is a straight line"},
     SETTING_REAL,
     FIELD(soft.power),
     1.0,
     100.0,
     NULL},
    {{"soft.friction", "-", "on off",
      "friction of soft contacts is compliant, too: they creep under load"},
     SETTING_SWITCH,
     FIELD(soft_friction),
     0,
     0,
     NULL},
    {{"lemke.sides", "-", "4 .. 64, even",
      "sides of the polygon that approximates the friction disk in lemke"},
     SETTING_EVEN,
     FIELD(lemke_sides),
     4.0,
     64.0,
     NULL},
    {{"lemke.rounds", "-", "1 .. 100",
      "problems lemke solves per step, each polygon aligned with the previous slip; 1: no "
      "alignment"},
     SETTING_COUNT,
     FIELD(lemke_rounds),
     1.0,
     100.0,
     NULL},
    {{"lit.variant", "-", "midpoint paper sdirk2",
      "linearization: at the middle of the step, as published, or two damped stages"},
     SETTING_NAME,
     FIELD(lit_variant),
     0,
     0,
     settings_lit_variant_name},
    {{"lit.scheme", "-", "1 or 2",
      "constraints hold at the end of the step (1) or on the mean of its ends (2)"},
     SETTING_COUNT,
     FIELD(lit_scheme),
     1.0,
     2.0,
     NULL},
    {{"lit.eps_a", "m", "0 .. 1", "contacts and limits nearer than this count as closed"},
     SETTING_REAL,
     FIELD(lit_eps_a),
     0.0,
     1.0,
     NULL},
    {{"lit.eps_b", "m/s^3", "0 .. 1e6", "or nearer than this times the step cubed"},
     SETTING_REAL,
     FIELD(lit_eps_b),
     0.0,
     1e6,
     NULL},
    {{"lit.linearized_constraints", "-", "on off",
      "rows remove the configuration error of the start, to first order"},
     SETTING_SWITCH,
     FIELD(lit_linearized),
     0,
     0,
     NULL},
    {{"rattle.order", "-", "2 or 4", "order of the stepper rattle; 4 takes five steps in one"},
     SETTING_EVEN,
     FIELD(rattle_order),
     2.0,
     4.0,
     NULL},
    {{"lit.events", "-", "all collisions none",
      "events located within steps: collisions, and changes between sticking, sliding and open"},
     SETTING_NAME,
     FIELD(lit_events),
     0,
     0,
     settings_lit_events_name},
    {{"nmdp.dynamics", "-", "ne pbd", "Newton-Euler in coordinates, or position-based in space"},
     SETTING_NAME,
     FIELD(nmdp_dynamics),
     0,
     0,
     settings_dynamics_name},
    {{"nmdp.gradient", "-", "first zeroth",
      "use derivatives of contact models (first), or not (zeroth)"},
     SETTING_NAME,
     FIELD(nmdp_gradient),
     0,
     0,
     settings_gradient_name},
    {{"nmdp.energy", "-", "contact penetrating total",
      "energy that contact forces minimize (also mdp): of unit masses at contact points, or total"},
     SETTING_NAME,
     FIELD(nmdp_energy),
     0,
     0,
     settings_energy_name},
    {{"nmdp.order", "-", "1 .. 2", "implicit Euler, or two implicit stages of second order"},
     SETTING_COUNT,
     FIELD(nmdp_order),
     1.0,
     2.0,
     NULL},
    {{"nmdp.tolerance", "m or rad", "1e-14 .. 1e-2", "change of coordinates that ends the descent"},
     SETTING_REAL,
     FIELD(nmdp_tolerance),
     1e-14,
     1e-2,
     NULL},
    {{"nmdp.max_iterations", "-", "1 .. 1000000", "projected gradient iterations per stage"},
     SETTING_COUNT,
     FIELD(nmdp_max_iterations),
     1.0,
     1e6,
     NULL},
    {{"nmdp.halvings", "-", "0 .. 30", "how often a step that does not converge may be halved"},
     SETTING_COUNT,
     FIELD(nmdp_halvings),
     0.0,
     30.0,
     NULL},
    {{"nmdp.beta_min", "m^2/s^2", "1e-12 .. 1e6", "smallest proximal weight"},
     SETTING_REAL,
     FIELD(nmdp_beta_min),
     1e-12,
     1e6,
     NULL},
    {{"nmdp.push_out", "-", "0 .. 1", "fraction of a contact point's depth removed per step"},
     SETTING_REAL,
     FIELD(nmdp_push_out),
     0.0,
     1.0,
     NULL},
    {{"nmdp.stiffness", "N/m^3", "1e-3 .. 1e15",
      "stiffness of contact points of shapes in models that declare none"},
     SETTING_REAL,
     FIELD(nmdp_stiffness),
     1e-3,
     1e15,
     NULL},
    {{"mdp.pd", "-", "explicit stable",
      "mdp: springs and controllers evaluated at the beginning or the end of the step"},
     SETTING_NAME,
     FIELD(mdp_pd),
     0,
     0,
     settings_pd_name},
    {{"nmdp.limit_stiffness", "N/m^2 or N m/rad^2", "0 .. 1e15",
      "joint limits of mdp and nmdp: effort is this times the squared violation"},
     SETTING_REAL,
     FIELD(nmdp_limit_stiffness),
     0.0,
     1e15,
     NULL},
    {{"verdict.closure", "-", "0 .. inf",
      "largest joint error that passes, relative to the joint's smaller body; inf: not judged"},
     SETTING_REAL,
     FIELD(verdict.closure),
     0.0,
     INFINITY,
     NULL},
    {{"verdict.closure_rotation", "rad", "0 .. inf",
      "largest rotational joint error that passes; inf: not judged"},
     SETTING_REAL,
     FIELD(verdict.closure_rotation),
     0.0,
     INFINITY,
     NULL},
    {{"verdict.passage", "-", "0 .. inf",
      "ways through singular positions that are known up to this share of the largest body's size "
      "pass, where the numbers of the file blur them; inf: not judged"},
     SETTING_REAL,
     FIELD(verdict.passage),
     0.0,
     INFINITY,
     NULL},
    {{"verdict.limit", "m or rad", "0 .. inf",
      "largest limit violation that passes; inf: not judged"},
     SETTING_REAL,
     FIELD(verdict.limit),
     0.0,
     INFINITY,
     NULL},
    {{"verdict.penetration", "-", "0 .. inf",
      "largest penetration that passes, relative to half the thickness of the thinner shape; inf: "
      "not judged"},
     SETTING_REAL,
     FIELD(verdict.penetration),
     0.0,
     INFINITY,
     NULL},
    {{"verdict.energy", "-", "0 .. inf",
      "largest unexplained energy that passes, relative to the energy turned over; inf: not "
      "judged"},
     SETTING_REAL,
     FIELD(verdict.energy),
     0.0,
     INFINITY,
     NULL},
    {{"verdict.work", "-", "0 .. inf",
      "largest work of the wrong sign that passes, relative to the energy turned over; inf: not "
      "judged"},
     SETTING_REAL,
     FIELD(verdict.work),
     0.0,
     INFINITY,
     NULL},
    {{"verdict.coulomb", "m/s", "0 .. inf",
      "largest residual of Coulomb's law that passes, for solvers of another law; inf: not judged"},
     SETTING_REAL,
     FIELD(verdict.coulomb),
     0.0,
     INFINITY,
     NULL},
};
enum { SETTING_ROWS = sizeof settings_table / sizeof settings_table[0] };

// A workshop calls 1 mm in 1 m aligned; files of 4 digits are off by 4e-5, and what is meant to hold is far
// above it (docs/derivations/weak-space.md).
static const double settings_loop_tolerance = 1e-3;

pawl_settings pawl_settings_default(void)
{
    return (pawl_settings){.stamp = PAWL_STAMP_SETTINGS,
                           .dt = 1e-3,
                           .stepper = PAWL_STEPPER_MOREAU, // measured best: bench_default
                           .solver = PAWL_SOLVER_AUTO,
                           .delassus = PAWL_DELASSUS_AUTO,
                           .tolerance = 1e-8,
                           .max_iterations = 2000,
                           .exact_joints = true,
                           .islands = true,
                           .threads = 1,
                           .precondition = true,
                           .admm_rho = 1.0,
                           .admm_eta = 1e-5,
                           .admm_relaxation = 1.6,
                           .admm_accelerate = true,
                           .warm_start = PAWL_WARM_MATCHED,
                           .warm_start_scale = 1.0,
                           .project = true,
                           .erp_joint = 0.1,
                           .erp_limit = 0.2,
                           .erp_contact = 0.2,
                           .contact_margin = 1e-3,
                           .max_push = 1.0,
                           .limit_push = 1.0,
                           .restitution_threshold = 1e-2,
                           .impact_law = PAWL_IMPACT_POISSON,
                           .impact_friction = 1.0,
                           .friction_rule = PAWL_PAIR_GEOMETRIC,
                           .restitution_rule = PAWL_PAIR_MAX,
                           .loop_tolerance = settings_loop_tolerance,
                           .regularization = 1e-8,
                           .relaxation = 1.0,
                           .relaxation_min = 0.9,
                           .relaxation_decay = 0.999,
                           .soft = pawl_softness_default(),
                           .lemke_sides = 8,
                           .lemke_rounds = 1,
                           .lit_scheme = 2,
                           .lit_eps_a = 1e-6,
                           .lit_eps_b = 1.0,
                           .rattle_order = 2,
                           .nmdp_energy = PAWL_NMDP_ENERGY_PENETRATING,
                           .nmdp_order = 1,
                           .nmdp_tolerance = 1e-6,
                           .nmdp_max_iterations = 300,
                           .nmdp_halvings = 12,
                           .nmdp_beta_min = 1e-4,
                           .nmdp_stiffness = 1e8,
                           .nmdp_limit_stiffness = 1e6,
                           .verdict = {.closure = 1e-3,
                                       .closure_rotation = 1e-3,
                                       .passage = 0.01,
                                       .limit = 5e-3,
                                       .penetration = 0.1,
                                       .energy = 0.03,
                                       .work = 0.01,
                                       .coulomb = INFINITY}};
}

int pawl_setting_count(void)
{
    return SETTING_ROWS;
}

pawl_setting_info pawl_setting(int index)
{
    return index >= 0 && index < SETTING_ROWS ? settings_table[index].info : (pawl_setting_info){0};
}

// Names are enumerations, which C may store in any integer type: here they are as wide as an int, and
// all of their values are small, so that either sign reads the same.
_Static_assert(
    sizeof(pawl_stepper_kind) == sizeof(int) && sizeof(pawl_solver_kind) == sizeof(int) &&
        sizeof(pawl_delassus_kind) == sizeof(int) && sizeof(pawl_pair_rule) == sizeof(int) &&
        sizeof(pawl_warm_start_kind) == sizeof(int) && sizeof(pawl_lit_variant) == sizeof(int) &&
        sizeof(pawl_lit_events) == sizeof(int) && sizeof(pawl_impact_law) == sizeof(int) &&
        sizeof(pawl_formulation) == sizeof(int) && sizeof(pawl_reduced_base) == sizeof(int) &&
        sizeof(pawl_reduce_kind) == sizeof(int),
    "settings are copied as int");
_Static_assert(sizeof(pawl_nmdp_dynamics) == sizeof(int) &&
                   sizeof(pawl_nmdp_gradient) == sizeof(int) &&
                   sizeof(pawl_nmdp_energy_kind) == sizeof(int) &&
                   sizeof(pawl_mdp_pd) == sizeof(int),
               "settings are copied as int");

static int settings_get_name(const char *field)
{
    int kind;
    memcpy(&kind, field, sizeof kind);
    return kind;
}

// %.17g says every double exactly; the shortest of fewer digits that reads back the same is nicer.
static void settings_print(double value, char *text, size_t size)
{
    for (int digits = 1; digits <= 17; ++digits) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            return;
        }
    }
}

pawl_status pawl_settings_get(const pawl_settings *s, int index, char *text, size_t size)
{
    if (text == NULL || size == 0) {
        return PAWL_BAD_ARGUMENT;
    }
    text[0] = '\0';
    if (s == NULL || index < 0 || index >= SETTING_ROWS) {
        return PAWL_BAD_ARGUMENT;
    }
    const setting_row *row = &settings_table[index];
    const char *field = (const char *)s + row->offset;
    switch (row->type) {
    case SETTING_REAL:
        settings_print(*(const double *)(const void *)field, text, size);
        break;
    case SETTING_COUNT:
    case SETTING_EVEN:
        snprintf(text, size, "%d", *(const int *)(const void *)field);
        break;
    case SETTING_SWITCH:
        snprintf(text, size, "%s", *(const bool *)field ? "on" : "off");
        break;
    case SETTING_NAME: {
        const char *name = row->name_of(settings_get_name(field));
        snprintf(text, size, "%s", name != NULL ? name : "?");
        break;
    }
    }
    return PAWL_OK;
}

static const setting_row *settings_find(const char *key)
{
    // Keys of earlier releases, which files and scripts still have.
    if (strcmp(key, "lit.impact") == 0) {
        key = "contact.impact";
    }
    for (int i = 0; i < SETTING_ROWS; ++i) {
        if (strcmp(settings_table[i].info.key, key) == 0) {
            return &settings_table[i];
        }
    }
    return NULL;
}

static pawl_status settings_refuse(const pawl_env *env, const setting_row *row, const char *value)
{
    return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "%s=%s: expected %s", row->info.key, value,
                     row->info.range);
}

pawl_status pawl_settings_set(const pawl_env *env, pawl_settings *s, const char *key,
                              const char *value)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, s);
    PAWL_NEED(env, key);
    PAWL_NEED(env, value);
    const setting_row *row = settings_find(key);
    if (row == NULL) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "there is no setting '%s'", key);
    }
    char *field = (char *)s + row->offset;
    switch (row->type) {
    case SETTING_REAL:
    case SETTING_COUNT:
    case SETTING_EVEN: {
        char *end;
        double number = strtod(value, &end);
        double unit = row->type == SETTING_EVEN ? 2.0 : 1.0;
        bool whole = row->type == SETTING_REAL || number / unit == floor(number / unit);
        if (end == value || *end != '\0' || !(number >= row->lowest && number <= row->highest) ||
            !whole) {
            return settings_refuse(env, row, value);
        }
        if (row->type == SETTING_REAL) {
            *(double *)(void *)field = number;
        } else {
            *(int *)(void *)field = (int)number;
        }
        return PAWL_OK;
    }
    case SETTING_SWITCH: {
        bool on = strcmp(value, "on") == 0 || strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
        bool off =
            strcmp(value, "off") == 0 || strcmp(value, "false") == 0 || strcmp(value, "0") == 0;
        if (!on && !off) {
            return settings_refuse(env, row, value);
        }
        *(bool *)field = on;
        return PAWL_OK;
    }
    case SETTING_NAME:
        for (int kind = 0; row->name_of(kind) != NULL; ++kind) {
            if (strcmp(row->name_of(kind), value) == 0) {
                memcpy(field, &kind, sizeof kind);
                return PAWL_OK;
            }
        }
        return settings_refuse(env, row, value);
    }
    return settings_refuse(env, row, value);
}

pawl_status pawl_settings_check(const pawl_env *env, const pawl_settings *s)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, s);
    PAWL_NEED_STAMP(env, s, PAWL_STAMP_SETTINGS, "pawl_settings_default");
    const pawl_stepper_ops *stepper = pawl_stepper_find((int)s->stepper);
    if (stepper != NULL && stepper->check != NULL) {
        PAWL_TRY(stepper->check(env, NULL, s));
    }
    for (int i = 0; i < SETTING_ROWS; ++i) {
        char text[64];
        pawl_settings copy = *s;
        pawl_settings_get(s, i, text, sizeof text);
        PAWL_TRY(pawl_settings_set(env, &copy, settings_table[i].info.key, text));
    }
    return PAWL_OK;
}
