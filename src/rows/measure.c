// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Figures of a state, without a step: closure of joints, values and rates of coordinates with full turns, limit
// violations, and the energies of gravity, springs and motion.
#include "rows/measure.h"
#include "base/guard.h"
#include "base/kernel.h"
#include "problem/weak_space.h"
#include "rows/body_lanes.h"
#include <string.h>

// One joint alone: rotation matrices of its two bodies, not of the model. The copy of the joint names them 0 and 1.
void pawl_state_joint_frames(const pawl_state *s, const model_joint *j, joint_frames *out)
{
    pawl_mat3 pair[2];
    body_state bodies[2];
    model_joint local = *j;
    if (j->base >= 0) {
        bodies[0] = s->bodies[j->base];
        pair[0] = quat_matrix(bodies[0].q);
        local.base = 0;
    }
    bodies[1] = s->bodies[j->follower];
    pair[1] = quat_matrix(bodies[1].q);
    local.follower = 1;
    pawl_joint_frames(&local, bodies, pair, out);
}

// An angle from two orientations is known up to full turns. The state remembers the angle of the last step, and the
// turn nearest to that is taken: right as long as a joint turns by less than half a turn a step.
static double measure_coordinate(const pawl_state *s, const model_joint *j, const joint_frames *f,
                                 int c)
{
    double value = pawl_joint_coordinate(j, f, c, NULL, NULL);
    if (j->keeps_turns && pawl_joint_kind_is_angle(j->kind, c)) {
        value = pawl_unwrap(value, s->coordinates[j->first_coordinate + c]);
    }
    return value;
}

// Coordinates and, unless `rate` is NULL, rates of one joint, [m or rad] and [m/s or rad/s]. A gear has no
// coordinates of its own. The rate is the gradient times the twists of both bodies; the world has no twist.
pawl_status pawl_state_joint(const pawl_state *s, pawl_joint_id id, double *position, double *rate)
{
    PAWL_NEED(NULL, s);
    PAWL_NEED(&s->env, position);
    int joint = PAWL_INDEX(&s->env, &s->model->ids[ID_JOINT], id);
    if (joint < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    const model_joint *j = &s->model->joints[joint];
    if (j->kind == PAWL_JOINT_GEAR) {
        return PAWL_OK;
    }
    joint_frames f;
    pawl_state_joint_frames(s, j, &f);
    for (int c = 0; c < j->coordinate_count; ++c) {
        position[c] = measure_coordinate(s, j, &f, c);
        if (rate == NULL) {
            continue;
        }
        double base[6], follower[6];
        pawl_joint_coordinate(j, &f, c, base, follower);
        rate[c] = 0.0;
        const int body[2] = {j->base, j->follower};
        const double *gradient[2] = {base, follower};
        for (int side = 0; side < 2; ++side) {
            if (body[side] >= 0) {
                const body_state *b = &s->bodies[body[side]];
                const double *g = gradient[side];
                rate[c] += g[0] * b->v.x + g[1] * b->v.y + g[2] * b->v.z + g[3] * b->w.x +
                           g[4] * b->w.y + g[5] * b->w.z;
            }
        }
    }
    return PAWL_OK;
}

// Angles are unwrapped against the values of the state itself. So this must be called at least once each half
// turn.
void pawl_state_count_turns(pawl_state *s)
{
    const pawl_model *m = s->model;
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        if (!j->keeps_turns) {
            continue;
        }
        joint_frames f;
        pawl_state_joint_frames(s, j, &f);
        for (int c = 0; c < j->coordinate_count; ++c) {
            if (pawl_joint_kind_is_angle(j->kind, c)) {
                s->coordinates[j->first_coordinate + c] = measure_coordinate(s, j, &f, c);
            }
        }
    }
}

// Positions and rotations have different units; the joint that is reported as the worst is that with the larger
// number. The ratio to the joint's size is what the verdict judges: 1 mm is much for a watch and nothing for a crane.
// NaN counts as larger than everything (`!(x <= y)`).
// `error` is an absolute value [m or rad].
static void closure_add(pawl_closure *out, const pawl_model *m, int joint, double error,
                        bool rotation)
{
    double worst = worst_of(out->position, out->rotation);
    if (!(error <= worst)) {
        out->worst_joint = model_joint_id(m, joint);
    }
    double *slot = rotation ? &out->rotation : &out->position;
    *slot = worst_of(*slot, error);
    double fraction = rotation ? 0.0 : error / m->joints[joint].size;
    if (!(fraction <= out->ratio)) {
        out->ratio = worst_of(out->ratio, fraction);
        out->ratio_joint = model_joint_id(m, joint);
    }
}

// Beyond a limit by how much; a coordinate between its limits adds nothing.
static void closure_add_limit(pawl_closure *out, const pawl_model *m, int joint,
                              const pawl_coordinate_def *d, double q)
{
    double over = worst_of(d->lower - q, q - d->upper);
    if (!(over <= out->limit)) {
        out->limit = worst_of(out->limit, over);
        out->worst_limit = model_joint_id(m, joint);
    }
}

// Largest errors of rows.
typedef struct closure_most {
    double position, rotation, ratio;
} closure_most;

// Running maxima, and a sum that is 0 of finite numbers.
PAWL_KERNEL_PART void closure_see(double f, double moves, double turns, double size,
                                  double *position, double *rotation, double *ratio, double *none)
{
    double error = fabs(f), move = error * moves, turn = error * turns, share = move / size;
    *position = move > *position ? move : *position;
    *rotation = turn > *rotation ? turn : *rotation;
    *ratio = share > *ratio ? share : *ratio;
    *none += 0.0 * error;
}

// False if some error is infinite or none. Written as numbers_largest() is (math/numbers.c).
PAWL_KERNEL static bool closure_run_most(const double *restrict f, const double *restrict moves,
                                         const double *restrict turns, const double *restrict size,
                                         int count, closure_most *out)
{
    double position[4] = {0}, rotation[4] = {0}, ratio[4] = {0}, none[4] = {0};
    int r = 0;
    for (; r + 4 <= count; r += 4) {
        for (int k = 0; k < 4; ++k) {
            closure_see(f[r + k], moves[r + k], turns[r + k], size[r + k], &position[k],
                        &rotation[k], &ratio[k], &none[k]);
        }
    }
    for (; r < count; ++r) {
        closure_see(f[r], moves[r], turns[r], size[r], &position[0], &rotation[0], &ratio[0],
                    &none[0]);
    }
    for (int k = 1; k < 4; ++k) {
        position[0] = max_of(position[0], position[k]);
        rotation[0] = max_of(rotation[0], rotation[k]);
        ratio[0] = max_of(ratio[0], ratio[k]);
    }
    *out = (closure_most){position[0], rotation[0], ratio[0]};
    return (none[0] + none[1]) + (none[2] + none[3]) == 0.0;
}

// The first of some rows whose error, in parts of `size` unless that is NULL, is `error`.
static int closure_row(const pawl_assembly *a, const double *f, int first, double error,
                       const double *size)
{
    int r = first;
    while (a->closes[r] < 0 || fabs(f[r]) / (size != NULL ? size[r] : 1.0) != error) {
        ++r;
    }
    return r;
}

// By how much f (free rows) is off, of joints and prescribed motions.
// Soft joints count as well: how far they give way is of interest, too.
static pawl_closure closure_of_rows(const pawl_assembly *a, const double *f)
{
    enum { AT_ONCE = 64 };
    const pawl_model *m = a->model;
    pawl_closure out = {.worst_joint = model_joint_id(m, m->joint_count > 0 ? 0 : -1)};
    for (int first = 0; first < a->free_rows; first += AT_ONCE) {
        int count = a->free_rows - first < AT_ONCE ? a->free_rows - first : AT_ONCE;
        closure_most most;
        bool finite = closure_run_most(f + first, a->closing_move + first, a->closing_turn + first,
                                       a->closing_size + first, count, &most);
        for (int r = first; r < first + count && !finite; ++r) {
            if (a->closes[r] >= 0) {
                closure_add(&out, m, a->closes[r], fabs(f[r]), a->closes_turn[r]);
            }
        }
        if (!finite) {
            continue;
        }
        double worst = max_of(most.position, most.rotation);
        if (worst > worst_of(out.position, out.rotation)) {
            int r = closure_row(a, f, first, worst, NULL);
            out.worst_joint = model_joint_id(m, a->closes[r]);
        }
        if (most.ratio > out.ratio) {
            int r = closure_row(a, f, first, most.ratio, a->closing_size);
            out.ratio_joint = model_joint_id(m, a->closes[r]);
        }
        out.position = worst_of(out.position, most.position);
        out.rotation = worst_of(out.rotation, most.rotation);
        out.ratio = worst_of(out.ratio, most.ratio);
    }
    return out;
}

// pawl_weak_velocities() leaves Q f, the part that can be corrected. The rest, (1 - Q) f, is what redundant rows
// of a file contradict each other by (docs/math.md section 4).
pawl_closure pawl_assembly_misfit(const pawl_assembly *a)
{
    if (!pawl_is_weak(&a->problem)) {
        return (pawl_closure){0};
    }
    double *apart = a->problem.delassus->weak.scratch;
    memcpy(apart, a->residual, (size_t)a->free_rows * sizeof *apart);
    pawl_weak_velocities(&a->problem, apart);
    for (int r = 0; r < a->free_rows; ++r) {
        apart[r] = a->residual[r] - apart[r];
    }
    return closure_of_rows(a, apart);
}

pawl_closure pawl_assembly_closure(const pawl_assembly *a)
{
    const pawl_model *m = a->model;
    pawl_closure out = closure_of_rows(a, a->residual);
    for (int k = 0; k < a->candidate_count; ++k) {
        const row_info *info = &a->candidates[k];
        if (pawl_assembly_is_limit(a, k)) {
            const pawl_coordinate_def *d = &m->joints[info->owner].coordinate[info->part];
            closure_add_limit(&out, m, info->owner, d, a->coordinates[info->coordinate].value);
        }
    }
    return out;
}

// The assembly has unwrapped the angles already; they are only copied.
void pawl_assembly_count_turns(const pawl_assembly *a, pawl_state *s)
{
    const pawl_model *m = a->model;
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        for (int c = 0; j->keeps_turns && c < j->coordinate_count; ++c) {
            if (pawl_joint_kind_is_angle(j->kind, c)) {
                int flat = j->first_coordinate + c;
                s->coordinates[flat] = a->coordinates[flat].value;
            }
        }
    }
}

// The same figures as pawl_assembly_closure(), without an assembly: for states from other sources. Soft joints count
// as well. All errors are absolute values [m or rad].
pawl_closure pawl_state_closure(const pawl_state *s)
{
    if (s == NULL) {
        return (pawl_closure){.position = NAN, .rotation = NAN, .ratio = NAN, .limit = NAN};
    }
    const pawl_model *m = s->model;
    pawl_closure out = {.worst_joint = model_joint_id(m, m->joint_count > 0 ? 0 : -1)};
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        if (j->kind == PAWL_JOINT_GEAR) {
            double q[6], p[6];
            pawl_state_joint(s, j->gear.joint, q, NULL);
            pawl_state_joint(s, j->gear.source_joint, p, NULL);
            double error =
                q[j->gear.coordinate] - gear_value(&j->gear, p[j->gear.source_coordinate]);
            closure_add(&out, m, i, fabs(error),
                        pawl_joint_kind_is_angle(m->joints[pawl_joint_index(j->gear.joint)].kind,
                                                 j->gear.coordinate));
            continue;
        }
        joint_frames f;
        double residual[6];
        pawl_state_joint_frames(s, j, &f);
        // A screw's residual needs its angle over all turns.
        double angle = j->kind == PAWL_JOINT_SCREW ? measure_coordinate(s, j, &f, 0) : 0.0;
        pawl_joint_rows(j, &f, angle, residual, NULL, NULL);
        for (int r = 0; r < j->row_count; ++r) {
            closure_add(&out, m, i, fabs(residual[r]), pawl_joint_row_is_rotation(j->kind, r));
        }
        for (int c = 0; c < j->coordinate_count; ++c) {
            if (isfinite(j->coordinate[c].lower) || isfinite(j->coordinate[c].upper)) {
                closure_add_limit(&out, m, i, &j->coordinate[c], measure_coordinate(s, j, &f, c));
            }
        }
    }
    for (int k = 0; k < m->motion_count; ++k) {
        const pawl_motion_def *d = &m->motions[k];
        double q[6];
        pawl_state_joint(s, d->joint, q, NULL);
        double error = q[d->coordinate] - pawl_signal_value(&d->target, s->time);
        closure_add(
            &out, m, pawl_joint_index(d->joint), fabs(error),
            pawl_joint_kind_is_angle(m->joints[pawl_joint_index(d->joint)].kind, d->coordinate));
    }
    return out;
}

// Energy of springs of coordinates [J]. Armatures add their kinetic energy to *kinetic, because a rotor's inertia
// is in no body.
static double measure_joint_energy(const pawl_state *s, double *kinetic)
{
    const pawl_model *m = s->model;
    double springs = 0.0;
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        bool stores = false;
        for (int c = 0; c < j->coordinate_count; ++c) {
            stores = stores || j->coordinate[c].stiffness > 0.0 || j->coordinate[c].armature > 0.0;
        }
        if (!stores) {
            continue;
        }
        double q[6], rate[6];
        pawl_state_joint(s, model_joint_id(s->model, i), q, rate);
        for (int c = 0; c < j->coordinate_count; ++c) {
            const pawl_coordinate_def *d = &j->coordinate[c];
            double stretch = pawl_spring_stretch(q[c] - d->rest, d->slack);
            springs += 0.5 * d->stiffness * stretch * stretch;
            bool spins = j->isotropic_from >= 0 && c >= j->isotropic_from;
            *kinetic += spins ? 0.0 : 0.5 * d->armature * rate[c] * rate[c];
        }
        if (j->isotropic_from >= 0) { // armatures turn with the relative spin
            pawl_vec3 w = s->bodies[j->follower].w;
            w = j->base >= 0 ? v3_sub(w, s->bodies[j->base].w) : w;
            *kinetic += 0.5 * j->coordinate[j->isotropic_from].armature * v3_dot(w, w);
        }
    }
    return springs;
}

// A point of a body (in the body's frame) in world axes; points of the world are given there already.
static pawl_vec3 measure_point(const pawl_state *s, int body, pawl_vec3 point)
{
    return body < 0 ? point
                    : pawl_pose_apply(pawl_state_pose(s, model_body_id(s->model, body)), point);
}

double pawl_energy_stored(const pawl_energy *e)
{
    return e->kinetic + e->gravity + e->springs;
}

// Kinematic bodies move as prescribed, so their energy is not part of the balance; what they do to others is work.
// The balance is what the method added: 0 for an exact solution (docs/math.md section 6).
pawl_energy pawl_state_energy(const pawl_state *s)
{
    if (s == NULL) {
        return (pawl_energy){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    }
    const pawl_model *m = s->model;
    pawl_energy e = {.work_actuators = s->work[WORK_ACTUATORS],
                     .work_dampers = s->work[WORK_DAMPERS],
                     .work_friction = s->work[WORK_FRICTION],
                     .work_motion = s->work[WORK_MOTION],
                     .work_forces = s->work[WORK_FORCES],
                     .work_limits = s->work[WORK_LIMITS],
                     .work_contacts = s->work[WORK_CONTACTS]};
    pawl_vec3 gravity = pawl_state_gravity(s);
    pawl_bodies_energies(m, s->bodies, s->masses + 1, gravity, &e.kinetic, &e.gravity);
    e.springs = measure_joint_energy(s, &e.kinetic);
    for (int i = 0; i < m->spring_count; ++i) {
        const pawl_spring_def *d = &m->springs[i];
        pawl_vec3 t = v3_sub(measure_point(s, pawl_body_index(d->body_b), d->point_b),
                             measure_point(s, pawl_body_index(d->body_a), d->point_a));
        double stretch = v3_norm(t) - d->rest_length;
        e.springs += 0.5 * d->stiffness * stretch * stretch;
    }
    double work = 0.0;
    for (int i = 0; i < WORK_COUNT; ++i) {
        work += s->work[i];
    }
    e.balance = pawl_energy_stored(&e) - s->energy_start - work;
    return e;
}
