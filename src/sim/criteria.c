// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The only judge of runs: it computes a list of criteria from the figures of a run (verdict.c) and the settings. Each
// criterion is a row of criteria_table with a function that determines value, limit and place; a new one needs one
// more row here and in pawl_criterion_kind. Everything that shows a verdict shows this list.
#include "pawl/verdict.h"
#include "step/stepper_ops.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The figures that a row of the table judges. Names of joints and shapes come through functions of the caller, so
// that no model is needed here.
typedef struct criteria_input {
    const pawl_verdict *v;
    const pawl_settings *settings;
    const pawl_verdict_names *names;
} criteria_input;

typedef struct criteria_row {
    const char *name, *title, *unit, *advice;
    unsigned measured; // bits without which there is nothing to judge
    // Sets value, limit and where. False: not judged, and `advice` says why.
    bool (*find)(const criteria_input *in, pawl_criterion *out);
} criteria_row;

// Text of the place; cut off where it is too long, which is no error.
static void criteria_where(pawl_criterion *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void criteria_where(pawl_criterion *out, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)vsnprintf(out->where, sizeof out->where, format, list);
    va_end(list);
}

static void criteria_at_joint(const criteria_input *in, pawl_joint_id joint, pawl_criterion *out)
{
    char name[160] = "";
    if (!pawl_joint_is_none(joint)) {
        in->names->joint(in->names->user, joint, name, sizeof name);
        criteria_where(out, "joint '%s'", name);
    }
}

static void criteria_at_shapes(const criteria_input *in, pawl_shape_id a, pawl_shape_id b,
                               pawl_criterion *out)
{
    char one[160] = "", other[160] = "";
    if (!pawl_shape_is_none(a) && !pawl_shape_is_none(b)) {
        in->names->shape(in->names->user, a, one, sizeof one);
        in->names->shape(in->names->user, b, other, sizeof other);
        criteria_where(out, "%s and %s", one, other);
    }
}

// ---- the criteria ------------------------------------------------------------------------------

// Value [s]: time that is missing. A run without a requested time is not judged.
static bool criteria_completed(const criteria_input *in, pawl_criterion *out)
{
    static const char *const reasons[PAWL_RUN_END_COUNT] = {
        [PAWL_RUN_UNDERWAY] = "not finished, or killed",
        [PAWL_RUN_INTERRUPTED] = "stopped by a signal",
        [PAWL_RUN_STEP_FAILED] = "the next step has no solution",
        [PAWL_RUN_NOT_WRITTEN] = "an output file could not be written",
    };
    const pawl_verdict *v = in->v;
    if (v->end == PAWL_RUN_UNKNOWN) {
        out->advice = "the time to simulate is not known";
        return false;
    }
    out->value = v->end == PAWL_RUN_DONE ? 0.0 : fmax(v->requested_time - v->time, 0.0);
    out->limit = 0.0;
    if (v->end != PAWL_RUN_DONE) {
        // what ended for a reason is not complete, even within the last step
        out->value = fmax(out->value, 1e-9 * in->settings->dt);
        criteria_where(out, "stopped at t = %.9g s of %.9g s: %s", v->time, v->requested_time,
                       reasons[v->end]);
    }
    return true;
}

static bool criteria_finite(const criteria_input *in, pawl_criterion *out)
{
    out->value = (double)in->v->not_finite;
    out->limit = 0.0;
    return true;
}

// Value: the largest residual of the problem that the solver was to solve [m/s]. Steppers with a problem of their
// own (mdp, nmdp) state another limit and unit.
static bool criteria_residual(const criteria_input *in, pawl_criterion *out)
{
    const pawl_verdict *v = in->v;
    const stepper_residual *own = pawl_stepper_find((int)in->settings->stepper)->residual;
    out->value = v->own_residual;
    out->limit = own != NULL ? own->limit(in->settings) : in->settings->solver.tolerance;
    out->unit = own != NULL ? own->unit : "m/s";
    if (own != NULL) {
        out->advice = own->advice;
    }
    if (v->not_converged > 0) {
        criteria_where(out, "%lld of %lld steps", (long long)v->not_converged, (long long)v->steps);
    }
    return true;
}

// Value [m/s]: residual of Coulomb's law. The limit is verdict.coulomb, infinite by default, only where the solver
// follows another law and its answer differs.
static bool criteria_coulomb(const criteria_input *in, pawl_criterion *out)
{
    const char *law = pawl_solver_other_law((int)in->settings->solver.kind);
    out->value = in->v->residual.natural_scaled;
    if (law == NULL ||
        out->value <= in->settings->solver.tolerance) { // another law, the same answer
        out->limit = in->settings->solver.tolerance;
        return true;
    }
    out->limit = in->settings->verdict.coulomb;
    criteria_where(out, "solver %s follows %s", pawl_solver_name((int)in->settings->solver.kind),
                   law);
    return true;
}

// Value: position updates that failed; the place has the first step.
static bool criteria_positions(const criteria_input *in, pawl_criterion *out)
{
    out->value = (double)in->v->position_failures;
    out->limit = 0.0;
    if (in->v->position_failures > 0) {
        criteria_where(out, "first in step %lld", (long long)in->v->position_step);
    }
    return true;
}

// A joint of the model, or the settings for all joints, may be soft: its error is then an elastic deformation,
// shown and not judged.
static bool criteria_has_soft_joints(const criteria_input *in, pawl_criterion *out)
{
    bool soft = in->v->soft_joints || in->settings->soft.joint > 0.0;
    if (soft) {
        out->advice = "soft joints are compliant by design";
    }
    return soft;
}

// Loops whose numbers contradict each other stay open by that. In maximal coordinates all joints of a loop share it, in
// reduced ones the joint that closes the loop has all of it, twice as much in a loop of two joints: the verdict is to be the same.
static double criteria_loop_share(const criteria_input *in)
{
    return (in->v->measured & PAWL_MEASURED_MISFIT) != 0 ? 2.0 : 1.0;
}

// Value: translational error of a joint over the size of the smaller of its bodies. The place states the largest
// error itself in metres, which may be of another joint.
static bool criteria_closure(const criteria_input *in, pawl_criterion *out)
{
    out->value = in->v->closure.ratio;
    out->limit = criteria_loop_share(in) * in->settings->verdict.closure;
    if (!pawl_joint_is_none(in->v->closure.ratio_joint)) {
        char name[160] = "";
        in->names->joint(in->names->user, in->v->closure.ratio_joint, name, sizeof name);
        criteria_where(out, "joint '%s'; largest error %.2e m", name, in->v->closure.position);
    }
    return !criteria_has_soft_joints(in, out);
}

// Value [rad]. Only one joint is remembered as the worst, by the larger of its two errors: it is named here if
// that was a rotation.
static bool criteria_rotation(const criteria_input *in, pawl_criterion *out)
{
    const pawl_closure *c = &in->v->closure;
    out->value = c->rotation;
    out->limit = criteria_loop_share(in) * in->settings->verdict.closure_rotation;
    criteria_at_joint(in, c->rotation >= c->position ? c->worst_joint : (pawl_joint_id){0}, out);
    return !criteria_has_soft_joints(in, out);
}

// A property of the file, shown separately, so that it is not taken for an error of the method; closure judges what
// of it is too much for a joint. A misfit far above the value expected from the start is an error: a loop has passed
// a singular position without a valid path, or has followed the wrong one.
static const double criteria_misfit_factor = 100.0; // of what is expected
static const double criteria_misfit_least = 1e-8;   // [m or rad]
static bool criteria_misfit(const criteria_input *in, pawl_criterion *out)
{
    const pawl_closure *c = &in->v->misfit;
    char name[160] = "";
    if (!pawl_joint_is_none(c->worst_joint)) {
        in->names->joint(in->names->user, c->worst_joint, name, sizeof name);
    }
    out->value = worst_of(c->position, c->rotation);
    out->limit = fmax(criteria_misfit_least, criteria_misfit_factor * in->v->misfit_expected);
    criteria_where(out, "joints of loops close to %.2g m, %.2g rad; joint '%s'", c->position,
                   c->rotation, name);
    return true;
}

// Where a loop passes a singular position with numbers that blur it, its bodies move freely for a few steps, and are
// moved back where they count again. This displacement is the uncertainty of the path after the position. Close to
// one that it does not pass its way is known to an angle. docs/derivations/weak-space.md, section 5.
static bool criteria_passage(const criteria_input *in, pawl_criterion *out)
{
    const pawl_verdict *v = in->v;
    double moved = v->passage_steps > 0 ? v->settled / v->size : 0.0;
    bool nearby = v->blur > moved;
    pawl_joint_id joint = nearby ? v->blur_joint : v->passage_joint;
    char name[160] = "";
    if (!pawl_joint_is_none(joint)) {
        in->names->joint(in->names->user, joint, name, sizeof name);
    }
    out->value = worst_of(moved, v->blur);
    out->limit = in->settings->verdict.passage;
    if (nearby) {
        criteria_where(out, "close to a singular position in step %lld, joint '%s'",
                       (long long)v->blur_step, name);
        return true;
    }
    criteria_where(out, "singular position in step %lld, joint '%s'; %lld steps, %.2g m",
                   (long long)v->passage_step, name, (long long)v->passage_steps, v->settled);
    return true;
}

// Value [m or rad]: the largest violation of a limit, minus that at the start of the file.
static bool criteria_limits(const criteria_input *in, pawl_criterion *out)
{
    const pawl_verdict *v = in->v;
    // A start beyond a limit is the file's: the run must not make it worse.
    out->value = fmax(v->closure.limit - v->start_limit, 0.0);
    out->value = isnan(v->closure.limit) ? NAN : out->value;
    out->limit = in->settings->verdict.limit;
    if (out->value > 0.0) {
        criteria_at_joint(in, v->closure.worst_limit, out);
    }
    if (v->soft_limits || in->settings->soft.limit > 0.0) {
        out->advice = "soft limits are compliant by design";
        return false;
    }
    return true;
}

// The overlaps of the start, which are not judged.
static void criteria_add_start(const pawl_verdict *v, pawl_criterion *out)
{
    if (v->start_depth > 0.0) {
        size_t used = strlen(out->where);
        (void)snprintf(out->where + used, sizeof out->where - used,
                       "%sbeyond overlaps of the start, up to %.3g", used > 0 ? "; " : "",
                       v->start_depth);
    }
}

// Value: depth over half the thickness of the thinner shape, beyond what the pair began with. That is the file's: the run must
// not make it worse.
static bool criteria_penetration(const criteria_input *in, pawl_criterion *out)
{
    const pawl_verdict *v = in->v;
    out->value = v->depth_ratio;
    out->limit = in->settings->verdict.penetration;
    criteria_at_shapes(in, v->ratio_shape_a, v->ratio_shape_b, out);
    criteria_add_start(v, out);
    if (v->soft_contacts || in->settings->soft.contact > 0.0) {
        out->advice = "soft contacts are compliant by design";
        return false;
    }
    return true;
}

// Value: pairs of shapes that passed through each other. None may.
static bool criteria_crossings(const criteria_input *in, pawl_criterion *out)
{
    const pawl_verdict *v = in->v;
    out->value = (double)v->tunnelled;
    out->limit = 0.0;
    criteria_at_shapes(in, v->tunnel_shape_a, v->tunnel_shape_b, out);
    if (v->tunnelled > 0) {
        size_t used = strlen(out->where);
        (void)snprintf(out->where + used, sizeof out->where - used, ", first in step %lld",
                       (long long)v->tunnel_step);
    }
    return true;
}

// Value: energy that no work explains over the energy turned over; docs/verdict.md says why not over the energy
// itself.
static bool criteria_energy(const criteria_input *in, pawl_criterion *out)
{
    out->value = pawl_verdict_energy_error(in->v);
    out->limit = in->settings->verdict.energy;
    criteria_where(out, "%.3g J of %.3g J turned over", in->v->balance_max,
                   pawl_verdict_turnover(in->v));
    return true;
}

// Soft limits, contacts and joints store energy and give it back, and so do the contact models and the
// limits of mdp and nmdp: of their work only the part beyond the energy that they absorbed has the wrong sign.
static bool criteria_stores(const criteria_input *in, int which)
{
    const pawl_settings *s = in->settings;
    bool soft = (pawl_stepper_find((int)s->stepper)->traits & STEPPER_SOFT_LIMITS) != 0;
    bool joints = in->v->soft_joints || s->soft.joint > 0.0;
    bool limits = in->v->soft_limits || s->soft.limit > 0.0 || soft;
    bool contacts = in->v->soft_contacts || s->soft.contact > 0.0 || soft;
    return (which == PAWL_DISSIPATOR_DAMPERS && joints) ||
           (which == PAWL_DISSIPATOR_LIMITS && limits) ||
           (which == PAWL_DISSIPATOR_CONTACTS && contacts);
}

// Value: the largest energy [J] that an element which can only dissipate has given, over the energy turned over.
// !(own <= rise) lets NaN win.
static bool criteria_work(const criteria_input *in, pawl_criterion *out)
{
    int worst = 0;
    double rise = -1.0;
    for (int k = 0; k < PAWL_DISSIPATOR_COUNT; ++k) {
        // work_gain: largest work ever given in sum. work_rise: largest rise above an earlier minimum, which is stricter.
        double own = criteria_stores(in, k) ? in->v->work_gain[k] : in->v->work_rise[k];
        if (!(own <= rise)) {
            worst = k;
            rise = own;
        }
    }
    out->value = rise == 0.0 ? 0.0 : rise / pawl_verdict_turnover(in->v);
    out->limit = in->settings->verdict.work;
    if (rise != 0.0) {
        criteria_where(out, "%s, +%.3g J", pawl_dissipator_name((pawl_dissipator)worst), rise);
    }
    return true;
}

// Value: impacts that their law did not solve, where another answer stood in.
static bool criteria_impacts(const criteria_input *in, pawl_criterion *out)
{
    out->value = (double)in->v->events[PAWL_EVENT_IMPACT_FALLBACK];
    out->limit = 0.0;
    return true;
}

// The problem of mdp and nmdp: G = 0, with the least K among the forces that contacts allow.
static bool criteria_imbalance(const criteria_input *in, pawl_criterion *out)
{
    out->value = in->v->imbalance;
    out->limit = in->settings->verdict.imbalance;
    return true;
}

static bool criteria_dissipation(const criteria_input *in, pawl_criterion *out)
{
    out->value = in->v->dissipation_gap;
    out->limit = in->settings->verdict.dissipation;
    return true;
}

// Steps of nmdp that were taken in parts. By default the limit is infinite: it is a figure, not a fault.
static bool criteria_divided(const criteria_input *in, pawl_criterion *out)
{
    out->value = (double)in->v->divided;
    out->limit = in->settings->verdict.divided;
    if (in->v->divided > 0) {
        criteria_where(out, "%lld of %lld steps", (long long)in->v->divided,
                       (long long)in->v->steps);
    }
    return true;
}

static const criteria_row criteria_table[] = {
    [PAWL_CRITERION_COMPLETED] = {"completed", "time not reached", "s",
                                  "see the messages; pawl run --resume continues a recording", 0,
                                  criteria_completed},
    [PAWL_CRITERION_FINITE] = {"finite", "steps with non-finite figures", "",
                               "take smaller steps; look for callbacks that return NaN", 0,
                               criteria_finite},
    [PAWL_CRITERION_RESIDUAL] = {"residual", "solver residual", "m/s",
                                 "take smaller steps, or raise solver.max_iterations or "
                                 "solver.tolerance; solver auto misses the fewest steps",
                                 PAWL_MEASURED_RESIDUAL, criteria_residual},
    [PAWL_CRITERION_COULOMB] = {"coulomb", "residual of Coulomb's law", "m/s",
                                "it needs a solver of Coulomb's law, such as auto, that converges",
                                PAWL_MEASURED_COULOMB, criteria_coulomb},
    [PAWL_CRITERION_POSITIONS] = {"position_updates", "position updates that failed", "",
                                  "take smaller steps", PAWL_MEASURED_POSITIONS,
                                  criteria_positions},
    [PAWL_CRITERION_CLOSURE] = {"closure", "joint closure, relative", "",
                                "take smaller steps, or set project=on", PAWL_MEASURED_CLOSURE,
                                criteria_closure},
    [PAWL_CRITERION_ROTATION] = {"closure_rotation", "joint closure, rotation", "rad",
                                 "take smaller steps, or set project=on", PAWL_MEASURED_CLOSURE,
                                 criteria_rotation},
    [PAWL_CRITERION_MISFIT] =
        {"misfit", "misfit of the file's loops", "m or rad",
         "write the file with more digits: loops pass a singular position that these "
         "numbers do not have",
         PAWL_MEASURED_MISFIT, criteria_misfit},
    [PAWL_CRITERION_PASSAGE] =
        {"passage", "passage of singular positions", "",
         "write the file with more digits: these do not determine the motion beyond a "
         "singular position",
         PAWL_MEASURED_PASSAGE | PAWL_MEASURED_BLUR, criteria_passage},
    [PAWL_CRITERION_LIMITS] = {"limits", "beyond joint limits", "m or rad",
                               "take smaller steps; look for inputs that contradict the limit",
                               PAWL_MEASURED_LIMITS, criteria_limits},
    [PAWL_CRITERION_PENETRATION] = {"penetration", "penetration, relative", "",
                                    "take smaller steps; pawl check reports overlaps at the start",
                                    PAWL_MEASURED_DEPTH, criteria_penetration},
    [PAWL_CRITERION_CROSSINGS] = {"passed_through", "shapes that passed through", "",
                                  "take smaller steps", PAWL_MEASURED_CROSSINGS,
                                  criteria_crossings},
    [PAWL_CRITERION_ENERGY] = {"energy", "unexplained energy, relative", "",
                               "take smaller steps, or use a second-order stepper",
                               PAWL_MEASURED_BALANCE, criteria_energy},
    [PAWL_CRITERION_WORK] = {"work", "work of the wrong sign, relative", "", "take smaller steps",
                             PAWL_MEASURED_WORK, criteria_work},
    [PAWL_CRITERION_IMPACTS] = {"impacts", "impacts not solved by their law", "",
                                "choose another law with contact.impact", PAWL_MEASURED_IMPACTS,
                                criteria_impacts},
    [PAWL_CRITERION_IMBALANCE] = {"imbalance", "forces out of balance, relative", "",
                                  "take smaller steps", PAWL_MEASURED_DISSIPATION,
                                  criteria_imbalance},
    [PAWL_CRITERION_DISSIPATION] = {"dissipation", "short of maximal dissipation", "m/s",
                                    "take smaller steps, or raise nmdp.max_iterations",
                                    PAWL_MEASURED_DISSIPATION, criteria_dissipation},
    [PAWL_CRITERION_DIVIDED] = {"divided", "steps that were divided", "",
                                "take smaller steps: they cost less than divided ones",
                                PAWL_MEASURED_DISSIPATION, criteria_divided},
};
_Static_assert((int)PAWL_CRITERION_COUNT <= (int)PAWL_MAX_CRITERIA, "no room in lists");
_Static_assert(sizeof criteria_table / sizeof *criteria_table == PAWL_CRITERION_COUNT,
               "missing row");

// ---- the list ----------------------------------------------------------------------------------

static pawl_judgement criteria_compare(const pawl_criterion *c)
{
    if (c->limit == INFINITY && !isnan(c->value)) {
        return PAWL_NOT_JUDGED;
    }
    return c->value <= c->limit ? PAWL_PASSED : PAWL_FAILED; // NaN fails
}

pawl_verdict_list pawl_verdict_judge(const pawl_verdict *v, const pawl_settings *settings,
                                     const pawl_verdict_names *names)
{
    const criteria_input in = {v, settings, names};
    pawl_verdict_list list = {.judgement = PAWL_PASSED, .count = PAWL_CRITERION_COUNT};
    bool nothing = v == NULL || settings == NULL || names == NULL || names->joint == NULL ||
                   names->shape == NULL;
    for (int k = 0; k < PAWL_CRITERION_COUNT; ++k) {
        const criteria_row *row = &criteria_table[k];
        pawl_criterion *c = &list.criteria[k];
        *c = (pawl_criterion){.name = row->name,
                              .title = row->title,
                              .unit = row->unit,
                              .value = NAN,
                              .limit = NAN,
                              .advice = row->advice};
        if (nothing) {
            continue;
        }
        if (row->measured != 0 && (v->measured & row->measured) == 0) {
            c->advice = "nothing to measure in this run";
            continue;
        }
        if (row->find(&in, c)) {
            c->judgement = criteria_compare(c);
        }
        list.passed += c->judgement == PAWL_PASSED ? 1 : 0;
        list.failed += c->judgement == PAWL_FAILED ? 1 : 0;
    }
    list.judgement = nothing ? PAWL_NOT_JUDGED : list.failed > 0 ? PAWL_FAILED : PAWL_PASSED;
    return list;
}

static void criteria_add(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void criteria_add(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

// One line for the end of a run: what failed with value, limit, place and advice, or that all passed.
void pawl_verdict_sentence(const pawl_verdict_list *list, char *text, size_t size)
{
    if (text == NULL || size == 0) {
        return;
    }
    if (list == NULL) {
        text[0] = '\0';
        return;
    }
    text[0] = '\0';
    const pawl_criterion *coulomb = &list->criteria[PAWL_CRITERION_COULOMB];
    if (list->failed == 0) {
        criteria_add(text, size, "PASSED, all %d criteria judged", list->passed);
        if (coulomb->judgement == PAWL_NOT_JUDGED && coulomb->value > 0.0) {
            criteria_add(text, size, "; not Coulomb's law, which is off by %.2e %s: %s",
                         coulomb->value, coulomb->unit, coulomb->where);
        }
        return;
    }
    criteria_add(text, size, "NOT MET: ");
    for (int k = 0, listed = 0; k < list->count; ++k) {
        const pawl_criterion *c = &list->criteria[k];
        if (c->judgement != PAWL_FAILED) {
            continue;
        }
        const char *space = c->unit[0] == '\0' ? "" : " ";
        criteria_add(text, size, "%s%s %.3g%s%s", listed > 0 ? "; " : "", c->title, c->value, space,
                     c->unit);
        criteria_add(text, size, " (limit %.3g%s%s%s%s): %s", c->limit, space, c->unit,
                     c->where[0] == '\0' ? "" : "; ", c->where, c->advice);
        ++listed;
    }
}

const char *pawl_judgement_name(pawl_judgement judgement)
{
    static const char *const names[] = {"not judged", "passed", "FAILED"};
    return (int)judgement >= 0 && judgement <= PAWL_FAILED ? names[judgement] : NULL;
}

// ---- names -------------------------------------------------------------------------------------

void pawl_shape_text(const pawl_shape_info *shape, const char *body, char *text, size_t size)
{
    if (shape == NULL || text == NULL || size == 0) {
        return;
    }
    body = body != NULL ? body : "";
    bool named = shape->def.name != NULL && shape->def.name[0] != '\0';
    (void)snprintf(text, size, named ? "%.60s %s '%.60s'" : "%.60s %s", body,
                   pawl_shape_kind_name(shape->def.kind), named ? shape->def.name : "");
}

static void criteria_model_joint(const void *user, pawl_joint_id joint, char *text, size_t size)
{
    (void)snprintf(text, size, "%s", pawl_model_joint(user, joint).name);
}

static void criteria_model_shape(const void *user, pawl_shape_id shape, char *text, size_t size)
{
    pawl_shape_info info = pawl_model_shape(user, shape);
    pawl_shape_text(
        &info, pawl_body_index(info.body) >= 0 ? pawl_model_body(user, info.body).name : "world",
        text, size);
}

pawl_verdict_names pawl_model_names(const pawl_model *model)
{
    return (pawl_verdict_names){model, criteria_model_joint, criteria_model_shape};
}
