// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The settings: one list defines defaults, keys and ranges, and is the source of JSON, recordings and
// docs/settings.md.
#include "pawl/settings.h"
#include "base/env.h"
#include "base/guard.h"
#include "base/hash.h"
#include "sim/sim.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum setting_type {
    SETTING_REAL,
    SETTING_COUNT,
    SETTING_EVEN,   // a count
    SETTING_EITHER, // the lowest or the highest count
    SETTING_SWITCH,
    SETTING_NAME
} setting_type;

typedef struct setting_row {
    pawl_setting_info info;
    size_t offset;
    setting_type type;
    double preset;                    // of numbers; of names and switches as an integer
    double lowest, highest;           // likewise
    const char *(*name_of)(int kind); // of names; NULL: the words of the range
} setting_row;

static const char *const settings_formulations[PAWL_FORMULATION_COUNT][2] = {
    [PAWL_FORMULATION_MAXIMAL] =
        {"maximal", "six coordinates per body, joints as constraints: any graph, any loops"},
    [PAWL_FORMULATION_REDUCED] =
        {"reduced",
         "joint coordinates on a spanning tree, loops as constraints: steppers euler, moreau, lit"},
    [PAWL_FORMULATION_AUTO] =
        {"auto", "the one of these that is expected to cost less; the run says which and why"},
};

const char *pawl_formulation_name(int kind)
{
    return kind >= 0 && kind < PAWL_FORMULATION_COUNT ? settings_formulations[kind][0] : NULL;
}

const char *pawl_formulation_summary(int kind)
{
    return kind >= 0 && kind < PAWL_FORMULATION_COUNT ? settings_formulations[kind][1] : NULL;
}

// The one list of settings: key, default, range, unit and help of each. Defaults, the command line, JSON, recordings and
// docs/settings.md are made from it. A key is the path of its field, letter for letter (#path); only the kind of the
// solver has a shorter one. Ranges are printed from the numbers that are checked. _Generic refuses to compile a row whose
// kind does not fit the type of its field; enumerations are as wide as an int, and their values small, so that either sign
// reads the same.
#define FIELD(path) (((const pawl_settings *)0)->path)
#define IF_REAL(path, type) _Generic(FIELD(path), double : type)
#define IF_INT(path, type) _Generic(FIELD(path), int : type)
#define IF_BOOL(path, type) _Generic(FIELD(path), bool : type)
#define IF_ENUM(path, type) _Generic(FIELD(path), int : type, unsigned : type)
// clang-format off
#define ROW(key, path, unit, range, help) {key, unit, range, help}, offsetof(pawl_settings, path)
#define REAL(path, preset, low, high, unit, help) \
    {ROW(#path, path, unit, #low " .. " #high, help), IF_REAL(path, SETTING_REAL), preset, low, high, NULL}
#define LIMIT(path, preset, unit, help) \
    {ROW(#path, path, unit, "0 .. inf", help), IF_REAL(path, SETTING_REAL), preset, 0.0, INFINITY, NULL}
#define COUNT(path, preset, low, high, help) \
    {ROW(#path, path, "-", #low " .. " #high, help), IF_INT(path, SETTING_COUNT), preset, low, high, NULL}
#define EVEN(path, preset, low, high, help) \
    {ROW(#path, path, "-", #low " .. " #high ", even", help), IF_INT(path, SETTING_EVEN), preset, low, high, NULL}
#define EITHER(path, preset, one, other, help) \
    {ROW(#path, path, "-", #one " or " #other, help), IF_INT(path, SETTING_EITHER), preset, one, other, NULL}
#define SWITCH(path, preset, help) \
    {ROW(#path, path, "-", "on off", help), IF_BOOL(path, SETTING_SWITCH), preset, 0, 1, NULL}
// The words are the names of the enumeration's values, in their order.
#define CHOICE(path, preset, count, words, help) \
    {ROW(#path, path, "-", words, help), IF_ENUM(path, SETTING_NAME), preset, 0, (count) - 1, NULL}
// Names that a table elsewhere has.
#define TABLE(key, path, preset, name_of, range, help) \
    {ROW(key, path, "-", range, help), IF_ENUM(path, SETTING_NAME), preset, 0, INT_MAX, name_of}
// clang-format on
static const setting_row settings_table[] = {
    REAL(dt, 1e-3, 1e-9, 1, "s", "time step"),
    TABLE("stepper", stepper, PAWL_STEPPER_MOREAU, pawl_stepper_name, "see pawl list steppers",
          "how time advances"), // measured best: bench_default
    TABLE("solver", solver.kind, PAWL_SOLVER_AUTO, pawl_solver_name, "see pawl list solvers",
          "which algorithm solves the constraint problem"),
    TABLE(
        "formulation", formulation, PAWL_FORMULATION_MAXIMAL, pawl_formulation_name,
        "maximal reduced auto",
        "coordinates of the motion: six for each body, those of the joints of a spanning tree, or "
        "whichever costs less"),
    CHOICE(reduced.base, PAWL_REDUCED_BASE_QUATERNION, PAWL_REDUCED_BASE_COUNT, "quaternion euler",
           "rotation coordinates of a floating base in reduced coordinates"),
    CHOICE(delassus, PAWL_DELASSUS_AUTO, PAWL_DELASSUS_COUNT, "auto dense sparse matrix-free",
           "how linear systems with D are solved"),
    SWITCH(project, true,
           "position update on the constraints: joints close to 1e-12, energy is conserved"),
    REAL(erp.joint, 0.1, 0, 1, "-",
         "fraction of the joint error removed per step with project=off"),
    REAL(erp.limit, 0.2, 0, 1, "-", "fraction of a limit violation removed per step"),
    REAL(erp.contact, 0.2, 0, 1, "-", "fraction of a penetration removed per step"),
    REAL(contact.margin, 1e-3, 0, 1, "m", "distance within which contacts get rows"),
    REAL(contact.allowed_depth, 0.0, -1, 1, "m",
         "depth of contacts that is not corrected (the margin of eq. 91a of the loops paper); "
         "negative: distance kept between bodies, at most contact.margin"),
    REAL(contact.max_push, 1.0, 0, 1e6, "m/s", "largest speed at which a penetration is removed"),
    REAL(limit.max_push, 1.0, 0, 1e6, "m/s, rad/s",
         "largest rate at which a limit violation is removed"),
    REAL(contact.restitution_threshold, 1e-2, 0, 1e6, "m/s", "slower impacts do not bounce"),
    CHOICE(contact.impact, PAWL_IMPACT_POISSON, PAWL_IMPACT_LAW_COUNT,
           "poisson newton energetic routh", "impact law, for every stepper that collides shapes"),
    REAL(contact.impact_friction, 1.0, 0, 1e6, "-",
         "impact friction of shapes that define none, as a factor on their friction"),
    CHOICE(contact.friction_rule, PAWL_PAIR_GEOMETRIC, PAWL_PAIR_RULE_COUNT,
           "geometric min max mean product",
           "how the friction of two shapes is combined; torsional and rolling take the larger"),
    CHOICE(contact.restitution_rule, PAWL_PAIR_MAX, PAWL_PAIR_RULE_COUNT,
           "geometric min max mean product", "how the restitution of two shapes is combined"),
    CHOICE(contact.reduce, PAWL_REDUCE_OFF, PAWL_REDUCE_COUNT, "off hull",
           "hull: drop contacts inside the convex hull of a planar patch"),
    COUNT(contact.reduce_max, 0, 0, 1000,
          "largest number of corners kept of such a patch; 0: all, otherwise an approximation"),
    CHOICE(solver.variant, PAWL_VARIANT_OWN, PAWL_VARIANT_COUNT, "own paper",
           "paper: the solvers of the loops paper's Table I as published, with joints inside the "
           "iteration, its steps, parameters and three tolerances, and limits and contacts "
           "stabilized by eqs. 90 and 91 as printed"),
    REAL(solver.tolerance, 1e-8, 0, 1, "m/s", "limit of the scaled natural-map residual"),
    COUNT(solver.max_iterations, 2000, 1, 1000000, "sweeps of an iterative solver"),
    COUNT(solver.budget, 0, 0, 1000000,
          "number of sweeps of auto in place of solving to the tolerance, which bounds the cost of "
          "a step; 0: no bound"),
    COUNT(solver.budget_newton, 0, 0, 1000,
          "largest number of Newton steps of auto after the sweeps of solver.budget; each costs "
          "one factorization"),
    SWITCH(solver.exact_joints, true,
           "condense joints exactly: sweeps see only contacts, limits and other bounded rows"),
    CHOICE(solver.warm_start, PAWL_WARM_MATCHED, PAWL_WARM_COUNT, "off matched guess",
           "start from the last step's impulses; guess: new contacts from lost ones of their pair"),
    REAL(solver.warm_start_scale, 1.0, 0, 1, "-",
         "factor on the previous impulses of the warm start"),
    SWITCH(solver.islands, true, "solve groups of bodies that no row connects separately"),
    COUNT(threads, 1, 1, 64,
          "number of threads for collision and solver; the bits do not depend on it"),
    // Off: a body that creeps more slowly than sleep.speed would be stopped, and by default nothing is.
    REAL(sleep.time, 0.0, 0, 1e6, "s",
         "time at rest after which bodies sleep until an event wakes them; 0: never (steppers "
         "euler, moreau)"),
    REAL(sleep.speed, 1e-6, 0, 1, "m/s", "largest speed of a body at rest, for sleep.time"),
    // A workshop calls 1 mm in 1 m aligned; files of 4 digits are off by 4e-5, and intended constraints are far above
    // it (docs/derivations/weak-space.md).
    REAL(loop.tolerance, 1e-3, 0, 0.1, "-",
         "misalignment, in rad or lengths of the mechanism, up to which rows of a loop count as "
         "redundant and are closed in the least-squares sense; 0: every row counts as given"),
    REAL(solver.regularization, 1e-8, 1e-14, 1e-2, "-",
         "relative shift of the factorization where rows may be redundant; removed by refinement"),
    SWITCH(solver.precondition, true,
           "scale rows by the diagonal of D, equally within a contact (admm family)"),
    REAL(admm.rho, 1.0, 1e-9, 1e9, "-",
         "penalty; relative to the diagonal of D with solver.precondition"),
    REAL(admm.eta, 1e-5, 0, 1, "-", "proximal weight, in units of admm.rho"),
    REAL(admm.relaxation, 1.6, 1, 1.8, "-", "over-relaxation of ADMM; 1 for none"),
    SWITCH(admm.accelerate, true, "Nesterov's momentum, with restarts"),
    REAL(solver.relaxation, 1.0, 1e-3, 1.999, "-", "relaxation factor of the first sweep"),
    REAL(solver.relaxation_min, 0.9, 1e-3, 1.999, "-", "lower bound of the relaxation factor"),
    REAL(solver.relaxation_decay, 0.999, 0.1, 1, "-",
         "factor on the relaxation factor after each sweep"),
    REAL(soft.joint, 0.0, 0, 1e6, "s", "time constant of joints that define none; 0: hard"),
    REAL(soft.limit, 0.0, 0, 1e6, "s", "time constant of limits that define none; 0: hard"),
    REAL(soft.contact, 0.0, 0, 1e6, "s",
         "time constant of contacts of shapes that define none; 0: hard"),
    REAL(soft.damping_ratio, 1.0, 1e-6, 1e6, "-",
         "damping ratio of rows made soft by soft.joint, .limit and .contact"),
    REAL(soft.d0, 0.9, 1e-4, 0.9999, "-", "impedance without violation; 1 would be hard"),
    REAL(soft.dw, 0.95, 1e-4, 0.9999, "-", "impedance at a violation of soft.width and beyond"),
    REAL(soft.width, 1e-3, 0, 1e3, "m or rad", "violation over which the impedance changes"),
    REAL(soft.midpoint, 0.5, 1e-4, 0.9999, "-",
         "fraction of the width at which the change is steepest"),
    REAL(soft.power, 2.0, 1, 100, "-", "how steep; 1 is a straight line"),
    SWITCH(soft.friction, false,
           "friction of soft contacts is compliant, too: they creep under load"),
    SWITCH(mjcf.soft, false,
           "contacts, limits and equalities of MJCF files are soft as solref and solimp say; read "
           "when the model is loaded"),
    EVEN(lemke.sides, 8, 4, 64,
         "sides of the polygon that approximates the friction disk in lemke"),
    COUNT(lemke.rounds, 1, 1, 100,
          "problems lemke solves per step, each polygon aligned with the previous slip; 1: no "
          "alignment"),
    CHOICE(lit.variant, PAWL_LIT_MIDPOINT, PAWL_LIT_VARIANT_COUNT, "midpoint paper sdirk2",
           "linearization: at the middle of the step, as published, or two damped stages"),
    EITHER(lit.scheme, 2, 1, 2,
           "constraints hold at the end of the step (1) or on the mean of its ends (2)"),
    REAL(lit.eps_a, 1e-6, 0, 1, "m", "contacts and limits nearer than this count as closed"),
    REAL(lit.eps_b, 1.0, 0, 1e6, "m/s^3",
         "contacts and limits nearer than this times the step cubed count as closed, too"),
    SWITCH(lit.linearized_constraints, false,
           "rows remove the configuration error of the start, to first order"),
    EITHER(rattle.order, 2, 2, 4, "order of the stepper rattle; 4 takes five steps in one"),
    CHOICE(
        lit.events, PAWL_LIT_EVENTS_ALL, PAWL_LIT_EVENTS_COUNT, "all collisions none",
        "events located within steps: collisions, and changes between sticking, sliding and open"),
    CHOICE(nmdp.dynamics, PAWL_NMDP_NE, PAWL_NMDP_DYNAMICS_COUNT, "ne pbd pbd-rigid",
           "Newton-Euler in coordinates, or position-based in space: as published, or without "
           "numerical damping of rotations"),
    CHOICE(nmdp.gradient, PAWL_NMDP_FIRST, PAWL_NMDP_GRADIENT_COUNT, "first zeroth",
           "use derivatives of contact models (first), or not (zeroth)"),
    CHOICE(
        nmdp.energy, PAWL_NMDP_ENERGY_EFFECTIVE, PAWL_NMDP_ENERGY_COUNT,
        "contact penetrating total effective",
        "energy that contact forces minimize (also mdp): of unit masses at contact points, total, "
        "or total with the effective masses"),
    COUNT(nmdp.order, 1, 1, 2, "implicit Euler, or two implicit stages of second order"),
    REAL(nmdp.tolerance, 1e-6, 1e-14, 1e-2, "m or rad",
         "change of coordinates that ends the descent"),
    COUNT(nmdp.max_iterations, 300, 1, 1000000, "projected gradient iterations per stage"),
    COUNT(nmdp.halvings, 12, 0, 30, "how often a step that does not converge may be halved"),
    REAL(nmdp.beta_min, 1e-4, 1e-12, 1e6, "m^2/s^2", "smallest proximal weight"),
    REAL(nmdp.push_out, 1.0, 0, 1e3, "1/s",
         "rate at which depth beyond that needed by a contact force is removed"),
    LIMIT(nmdp.part_energy, 0.003, "-",
          "energy that no work explains, over the energy turned over, above which a part of a step "
          "is divided; inf: never for this"),
    REAL(nmdp.stiffness, 1e8, 1e-3, 1e15, "N/m^3",
         "stiffness of contact points of shapes in models that declare none"),
    CHOICE(mdp.pd, PAWL_MDP_STABLE, PAWL_MDP_PD_COUNT, "explicit stable",
           "mdp: springs and controllers evaluated at the beginning or the end of the step"),
    SWITCH(nmdp.bodies, true,
           "mdp, nmdp: bodies touch each other, not only the ground, where the model lets them"),
    REAL(nmdp.limit_stiffness, 1e8, 0, 1e15, "N/m^2 or N m/rad^2",
         "joint limits of mdp and nmdp: effort at rest is this times the squared violation"),
    LIMIT(verdict.closure, 1e-3, "-",
          "largest joint error that passes, relative to the joint's smaller body; inf: not judged"),
    LIMIT(verdict.closure_rotation, 1e-3, "rad",
          "largest rotational joint error that passes; inf: not judged"),
    LIMIT(verdict.passage, 0.01, "-",
          "largest uncertainty of the path at a singular position that passes, given the digits of "
          "the file: distance relative to the largest body, or angle next to the position; inf: "
          "not judged"),
    LIMIT(
        verdict.imbalance, 1e-6, "-",
        "mdp, nmdp: largest force out of balance, over the weight of all bodies; inf: not judged"),
    LIMIT(
        verdict.dissipation, 0.01, "m/s",
        "mdp, nmdp: largest distance of contact forces from maximal dissipation; inf: not judged"),
    LIMIT(verdict.divided, INFINITY, "-",
          "mdp, nmdp: largest number of divided steps that passes; inf: not judged"),
    LIMIT(verdict.limit, 5e-3, "m or rad", "largest limit violation that passes; inf: not judged"),
    LIMIT(verdict.penetration, 0.1, "-",
          "largest penetration that passes, relative to half the thickness of the thinner shape; "
          "inf: not judged"),
    LIMIT(verdict.energy, 0.03, "-",
          "largest unexplained energy that passes, relative to the energy turned over; inf: not "
          "judged"),
    LIMIT(verdict.work, 0.01, "-",
          "largest work of the wrong sign that passes, relative to the energy turned over; inf: "
          "not judged"),
    LIMIT(verdict.coulomb, INFINITY, "m/s",
          "largest residual of Coulomb's law that passes, for solvers of another law; inf: not "
          "judged"),
};
enum { SETTING_ROWS = sizeof settings_table / sizeof settings_table[0] };

// Writes a number into the field of a row. Enumerations are copied as an int, because their own type is the
// compiler's choice.
static void settings_put(pawl_settings *s, const setting_row *row, double value)
{
    char *field = (char *)s + row->offset;
    switch (row->type) {
    case SETTING_REAL:
        *(double *)(void *)field = value;
        break;
    case SETTING_COUNT:
    case SETTING_EVEN:
    case SETTING_EITHER:
        *(int *)(void *)field = (int)value;
        break;
    case SETTING_SWITCH:
        *(bool *)field = value != 0.0;
        break;
    case SETTING_NAME: {
        int kind = (int)value;
        memcpy(field, &kind, sizeof kind);
        break;
    }
    }
}

// Every field is set from the table, and the stamp shows that this function was called.
pawl_settings pawl_settings_default(void)
{
    pawl_settings settings = {.stamp = PAWL_STAMP_SETTINGS};
    for (int i = 0; i < SETTING_ROWS; ++i) {
        settings_put(&settings, &settings_table[i], settings_table[i].preset);
    }
    return settings;
}

int pawl_setting_count(void)
{
    return SETTING_ROWS;
}

pawl_setting_info pawl_setting(int index)
{
    return index >= 0 && index < SETTING_ROWS ? settings_table[index].info : (pawl_setting_info){0};
}

static int settings_get_name(const char *field)
{
    int kind;
    memcpy(&kind, field, sizeof kind);
    return kind;
}

// The name of a value of an enumeration; false where there is none.
static bool settings_name(const setting_row *row, int kind, char *text, size_t size)
{
    if (kind < 0 || kind > row->highest) {
        return false;
    }
    if (row->name_of != NULL) {
        const char *name = row->name_of(kind);
        snprintf(text, size, "%s", name != NULL ? name : "");
        return name != NULL;
    }
    const char *word = row->info.range;
    for (int k = 0; k < kind; ++k) {
        word += strcspn(word, " ");
        word += *word == ' ';
    }
    snprintf(text, size, "%.*s", (int)strcspn(word, " "), word);
    return *word != '\0';
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
    case SETTING_EITHER:
        snprintf(text, size, "%d", *(const int *)(const void *)field);
        break;
    case SETTING_SWITCH:
        snprintf(text, size, "%s", *(const bool *)field ? "on" : "off");
        break;
    case SETTING_NAME:
        if (!settings_name(row, settings_get_name(field), text, size)) {
            snprintf(text, size, "?");
        }
        break;
    }
    return PAWL_OK;
}

// A hash of the settings that affect the motion, as a number above 0 that a double represents: without the number of
// threads and the limits of the verdict.
double pawl_settings_key(const pawl_settings *s)
{
    uint64_t hash = PAWL_HASH_SEED;
    for (int i = 0; i < SETTING_ROWS; ++i) {
        const char *key = settings_table[i].info.key;
        if (strcmp(key, "threads") != 0 && strncmp(key, "verdict.", 8) != 0) {
            char text[64];
            pawl_settings_get(s, i, text, sizeof text);
            hash = pawl_hash_bytes(hash, text, strlen(text) + 1);
        }
    }
    return 1.0 + (double)(hash % (UINT64_C(1) << 52));
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

// The names of a setting, separated by commas; cut off if they do not fit.
static void settings_names(const setting_row *row, char *text, size_t size)
{
    char name[64];
    size_t used = 0;
    text[0] = '\0';
    for (int kind = 0; settings_name(row, kind, name, sizeof name) && used < size; ++kind) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", kind > 0 ? ", " : "", name);
    }
}

static pawl_status settings_refuse(const pawl_env *env, const setting_row *row, const char *value)
{
    char names[256];
    if (row->type == SETTING_NAME) {
        settings_names(row, names, sizeof names);
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "%s=%s: expected %s", row->info.key, value, names);
    }
    return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "%s=%s: expected %s%s", row->info.key, value,
                     row->type == SETTING_COUNT ? "a whole number " : "", row->info.range);
}

// Sets one field from text, as the command line, files and bindings do. Ranges are checked here; on failure the
// settings are unchanged.
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
    switch (row->type) {
    case SETTING_REAL:
    case SETTING_COUNT:
    case SETTING_EVEN:
    case SETTING_EITHER: {
        char *end;
        double number = strtod(value, &end);
        double unit = row->type == SETTING_EVEN ? 2.0 : 1.0;
        bool whole = row->type == SETTING_REAL || number / unit == floor(number / unit);
        if (end == value || *end != '\0' || !(number >= row->lowest && number <= row->highest) ||
            !whole ||
            (row->type == SETTING_EITHER && number != row->lowest && number != row->highest)) {
            return settings_refuse(env, row, value);
        }
        settings_put(s, row, number);
        return PAWL_OK;
    }
    case SETTING_SWITCH: {
        bool on = strcmp(value, "on") == 0 || strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
        bool off =
            strcmp(value, "off") == 0 || strcmp(value, "false") == 0 || strcmp(value, "0") == 0;
        if (!on && !off) {
            return settings_refuse(env, row, value);
        }
        settings_put(s, row, on ? 1.0 : 0.0);
        return PAWL_OK;
    }
    case SETTING_NAME: {
        char name[64];
        for (int kind = 0; settings_name(row, kind, name, sizeof name); ++kind) {
            if (strcmp(name, value) == 0) {
                settings_put(s, row, kind);
                return PAWL_OK;
            }
        }
        return settings_refuse(env, row, value);
    }
    }
    return settings_refuse(env, row, value);
}

// Settings that were changed field by field are checked by writing every one as text and reading it back: one set
// of rules for both ways.
pawl_status pawl_settings_check(const pawl_env *env, const pawl_settings *s)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, s);
    PAWL_NEED_STAMP(env, s, PAWL_STAMP_SETTINGS, "pawl_settings_default");
    const pawl_stepper_ops *stepper = pawl_stepper_find((int)s->stepper);
    if (stepper != NULL && stepper->check != NULL) {
        PAWL_TRY(stepper->check(env, NULL, s));
    }
    if (stepper != NULL && s->sleep.time > 0.0 && (stepper->traits & STEPPER_SLEEPS) == 0) {
        return PAWL_FAIL(env, PAWL_UNSUPPORTED,
                         "sleep.time=%g, but no body sleeps in steps of %s; expected 0, or stepper "
                         "euler or moreau",
                         s->sleep.time, stepper->name);
    }
    if (s->contact.allowed_depth < -s->contact.margin) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "contact.allowed_depth=%g asks for a distance of %g m, but contacts are "
                         "known within contact.margin=%g m; expected a larger contact.margin",
                         s->contact.allowed_depth, -s->contact.allowed_depth, s->contact.margin);
    }
    for (int i = 0; i < SETTING_ROWS; ++i) {
        char text[64];
        pawl_settings copy = *s;
        pawl_settings_get(s, i, text, sizeof text);
        PAWL_TRY(pawl_settings_set(env, &copy, settings_table[i].info.key, text));
    }
    return PAWL_OK;
}
