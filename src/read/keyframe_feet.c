// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Feet of a motion: inverse kinematics of all limbs, feet with common joints together.
#include "read/keyframe_feet.h"
#include "base/guard.h"
#include "math/rotation.h"
#include <string.h>

static const double FEET_REACHED = 1e-9; // a foot that is nearer than that is there [m, rad]

int keyframe_actuator(const keyframe_feet *f, pawl_joint_id joint, int coordinate)
{
    for (int a = 0; a < f->actuator_count; ++a) {
        pawl_actuator_def def = pawl_model_actuator(f->model, pawl_model_actuator_at(f->model, a));
        if (def.kind == PAWL_ACTUATOR_POSITION && pawl_joint_same(def.joint, joint) &&
            def.coordinate == coordinate) {
            return a;
        }
    }
    return -1;
}

double keyframe_start_coordinate(const keyframe_feet *f, pawl_joint_id joint, int coordinate)
{
    double q[6];
    pawl_state_joint(f->start, joint, q, NULL);
    return q[coordinate];
}

int keyframe_feet_find(const keyframe_feet *f, const char *name, size_t length)
{
    for (int i = 0; i < f->count; ++i) {
        if (strlen(f->feet[i].name) == length && memcmp(f->feet[i].name, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

pawl_status keyframe_feet_add(keyframe_feet *f, const char *name, pawl_body_id body,
                              pawl_vec3 point, bool level)
{
    keyframe_foot *foot = &f->feet[f->count];
    *foot = (keyframe_foot){.line = f->text->line, .start.turned = level, .set = -1};
    strcpy(foot->name, name);
    pawl_status status = pawl_limb_create(f->env, f->model, f->base, body, point, &foot->limb);
    if (status != PAWL_OK) {
        return status == PAWL_NO_MEMORY
                   ? status
                   : text_lines_error(f->text, "foot '%s' cannot be moved from body '%s'", name,
                                      pawl_model_body(f->model, f->base).name);
    }
    ++f->count; // its memory is given back with all others from here on
    for (int i = 0; i < pawl_limb_coordinate_count(foot->limb); ++i) {
        pawl_limb_coordinate of = pawl_limb_coordinate_at(foot->limb, i);
        int a = keyframe_actuator(f, of.joint, of.coordinate);
        if (a < 0) {
            const char *joint = pawl_model_joint(f->model, of.joint).name;
            return text_lines_error(f->text,
                                    "foot '%s' hangs on coordinate %d of joint '%s', which has no "
                                    "position actuator; a line 'servo %s STIFFNESS DAMPING' at the "
                                    "head of the file gives it one",
                                    name, of.coordinate, joint, joint);
        }
        f->moved[a] = true;
        f->value[a] = keyframe_start_coordinate(f, of.joint, of.coordinate);
    }
    return PAWL_OK;
}

// --- sets ------------------------------------------------------------------------------------------

static bool feet_share(const pawl_limb *a, const pawl_limb *b)
{
    for (int i = 0; i < pawl_limb_coordinate_count(a); ++i) {
        for (int k = 0; k < pawl_limb_coordinate_count(b); ++k) {
            if (pawl_joint_same(pawl_limb_coordinate_at(a, i).joint,
                                pawl_limb_coordinate_at(b, k).joint)) {
                return true;
            }
        }
    }
    return false;
}

// Gives every foot the lowest number among those it is connected with, by however many others.
static void feet_connect(const keyframe_feet *f, int *label)
{
    for (int i = 0; i < f->count; ++i) {
        label[i] = i;
        for (int k = 0; k < i; ++k) {
            if (label[k] == label[i] || !feet_share(f->feet[i].limb, f->feet[k].limb)) {
                continue;
            }
            int from = label[k] > label[i] ? label[k] : label[i];
            int to = label[k] > label[i] ? label[i] : label[k];
            for (int n = 0; n <= i; ++n) {
                label[n] = label[n] == from ? to : label[n];
            }
        }
    }
}

static pawl_status feet_create_set(keyframe_feet *f, keyframe_set *set)
{
    pawl_limb *limbs[KEYFRAME_MAX_FEET];
    for (int i = 0; i < set->foot_count; ++i) {
        limbs[i] = f->feet[set->feet[i]].limb;
    }
    PAWL_TRY(pawl_posture_create(f->env, limbs, set->foot_count, &set->posture));
    set->coordinates = pawl_posture_coordinate_count(set->posture);
    size_t n = (size_t)set->coordinates;
    set->block_size = n * (2 * sizeof(double) + sizeof(int)) + 1;
    set->block = pawl_alloc(f->env, set->block_size);
    if (set->block == NULL) {
        return PAWL_FAIL(f->env, PAWL_NO_MEMORY, "no memory for the feet of a motion");
    }
    set->rest = set->block;
    set->q = set->rest + n;
    set->actuator = (int *)(set->q + n);
    for (int i = 0; i < set->coordinates; ++i) {
        pawl_limb_coordinate of = pawl_posture_coordinate_at(set->posture, i);
        set->actuator[i] = keyframe_actuator(f, of.joint, of.coordinate);
        set->rest[i] = set->q[i] = keyframe_start_coordinate(f, of.joint, of.coordinate);
    }
    return PAWL_OK;
}

// The feet of a set are where q has them.
static void feet_take_pose(keyframe_feet *f, const keyframe_set *set, const double *q)
{
    for (int i = 0; i < set->foot_count; ++i) {
        keyframe_foot *foot = &f->feet[set->feet[i]];
        pawl_pose at = pawl_posture_pose(set->posture, i, q);
        foot->start.position = pawl_quat_rotate(f->axes, at.position);
        foot->start.orientation = quat_mul(f->axes, at.orientation);
        foot->last = foot->target = foot->start;
    }
}

pawl_status keyframe_feet_gather(keyframe_feet *f)
{
    int label[KEYFRAME_MAX_FEET];
    feet_connect(f, label);
    for (int first = 0; first < f->count; ++first) {
        if (label[first] != first) {
            continue;
        }
        keyframe_set *set = &f->sets[f->set_count++];
        for (int i = first; i < f->count; ++i) {
            if (label[i] == first) {
                f->feet[i].set = f->set_count - 1;
                set->feet[set->foot_count++] = i;
            }
        }
        PAWL_TRY(feet_create_set(f, set));
        if (set->coordinates > 0) {
            feet_take_pose(f, set, set->rest);
        }
    }
    return PAWL_OK;
}

int keyframe_feet_of(const keyframe_feet *f, int actuator)
{
    for (int s = 0; s < f->set_count; ++s) {
        for (int i = 0; i < f->sets[s].coordinates; ++i) {
            if (f->sets[s].actuator[i] == actuator) {
                return f->sets[s].feet[0];
            }
        }
    }
    return -1;
}

void keyframe_feet_bend(keyframe_feet *f, int actuator, double value)
{
    for (int s = 0; s < f->set_count; ++s) {
        keyframe_set *set = &f->sets[s];
        for (int i = 0; i < set->coordinates; ++i) {
            if (set->actuator[i] == actuator) {
                set->rest[i] = set->q[i] = f->value[actuator] = value;
                feet_take_pose(f, set, set->rest);
            }
        }
    }
}

void keyframe_feet_begin_here(keyframe_feet *f)
{
    for (int s = 0; s < f->set_count; ++s) {
        keyframe_set *set = &f->sets[s];
        if (set->coordinates > 0) {
            memcpy(set->rest, set->q, (size_t)set->coordinates * sizeof *set->rest);
        }
    }
    for (int i = 0; i < f->count; ++i) {
        f->feet[i].start = f->feet[i].target;
    }
    keyframe_feet_next(f);
}

void keyframe_feet_next(keyframe_feet *f)
{
    for (int i = 0; i < f->count; ++i) {
        f->feet[i].last = f->feet[i].target;
        f->feet[i].lift = 0.0;
        f->feet[i].moved = false;
    }
}

void keyframe_feet_release(keyframe_feet *f)
{
    for (int s = 0; s < f->set_count; ++s) {
        pawl_posture_destroy(f->sets[s].posture);
        if (f->sets[s].block != NULL) {
            pawl_free(f->env, f->sets[s].block, f->sets[s].block_size);
        }
    }
    for (int i = 0; i < f->count; ++i) {
        pawl_limb_destroy(f->feet[i].limb);
    }
    keyframe_balance_release(f);
}

// --- where feet are --------------------------------------------------------------------------------

static bool feet_same(const pawl_limb_target *a, const pawl_limb_target *b)
{
    return memcmp(&a->position, &b->position, sizeof a->position) == 0 &&
           (!a->turned || memcmp(&a->orientation, &b->orientation, sizeof a->orientation) == 0);
}

static double feet_smooth(double x)
{
    return (3.0 - 2.0 * x) * x * x;
}

// On the straight line from the last key, at a fraction of the time between the two. A lifted foot leaves and meets the
// ground at rest, and moves along it mostly in the air: legs give way, and a foot that is low drags.
static pawl_limb_target feet_between(const keyframe_foot *foot, double time, bool smooth)
{
    if (time == 1.0) {
        return foot->target;
    }
    bool lifted = foot->lift != 0.0;
    double eased = feet_smooth(time);
    double along = lifted ? feet_smooth(eased) : smooth ? eased : time;
    pawl_limb_target at = foot->target;
    pawl_vec3 path = v3_sub(foot->target.position, foot->last.position);
    at.position = v3_axpy(foot->last.position, along, path);
    at.position.z += foot->lift * 4.0 * eased * (1.0 - eased);
    if (at.turned) {
        pawl_quat back = quat_conj(foot->last.orientation);
        pawl_vec3 turn = quat_log(quat_mul(foot->target.orientation, back));
        at.orientation = quat_mul(quat_exp(v3_scale(along, turn)), foot->last.orientation);
    }
    return at;
}

static pawl_status feet_refuse(keyframe_feet *f, const keyframe_set *set,
                               const pawl_limb_target *targets)
{
    int worst = 0;
    double most = -1.0, turned = 0.0;
    for (int i = 0; i < set->foot_count; ++i) {
        pawl_pose at = pawl_posture_pose(set->posture, i, set->q);
        double off = v3_norm(v3_sub(targets[i].position, at.position));
        double turn =
            targets[i].turned
                ? v3_norm(quat_log(quat_mul(targets[i].orientation, quat_conj(at.orientation))))
                : 0.0;
        if (off + turn > most) {
            worst = i, most = off + turn, turned = turn;
        }
    }
    const keyframe_foot *foot = &f->feet[set->feet[worst]];
    const char *base = pawl_model_body(f->model, f->base).name;
    pawl_vec3 to = pawl_quat_rotate(f->axes, targets[worst].position);
    f->text->line = foot->line;
    if (turned > 0.0) {
        return text_lines_error(f->text,
                                "foot '%s' cannot reach (%g, %g, %g) m with its orientation, "
                                "relative to body '%s': the nearest pose is %.3g m and %.3g rad "
                                "away",
                                foot->name, to.x, to.y, to.z, base, most - turned, turned);
    }
    return text_lines_error(f->text,
                            "foot '%s' cannot reach (%g, %g, %g) m, relative to body '%s': the "
                            "nearest point is %.3g m away",
                            foot->name, to.x, to.y, to.z, base, most);
}

static pawl_status feet_solve_set(keyframe_feet *f, keyframe_set *set, double time)
{
    pawl_limb_target targets[KEYFRAME_MAX_FEET];
    bool home = true;
    for (int i = 0; i < set->foot_count; ++i) {
        const keyframe_foot *foot = &f->feet[set->feet[i]];
        targets[i] = feet_between(foot, time, f->smooth);
        home = home && feet_same(&targets[i], &foot->start);
    }
    if (home) { // exactly, so that rest is rest
        memcpy(set->q, set->rest, (size_t)set->coordinates * sizeof *set->q);
    } else {
        pawl_quat back = quat_conj(f->axes); // limbs are seen from the link frame
        for (int i = 0; i < set->foot_count; ++i) {
            targets[i].position = pawl_quat_rotate(back, targets[i].position);
            targets[i].orientation = quat_mul(back, targets[i].orientation);
        }
        double left = pawl_posture_reach(set->posture, targets, set->rest, set->q);
        if (!(left <= FEET_REACHED)) {
            return feet_refuse(f, set, targets);
        }
    }
    for (int i = 0; i < set->coordinates; ++i) {
        f->value[set->actuator[i]] = set->q[i];
    }
    return PAWL_OK;
}

pawl_status keyframe_feet_solve(keyframe_feet *f, double time)
{
    for (int s = 0; s < f->set_count; ++s) {
        bool moved = false;
        for (int i = 0; i < f->sets[s].foot_count; ++i) {
            moved = moved || f->feet[f->sets[s].feet[i]].moved;
        }
        if (moved) {
            PAWL_TRY(feet_solve_set(f, &f->sets[s], time));
        }
    }
    return PAWL_OK;
}
