// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Inverse kinematics of several limbs at once. Limbs may share joints, so their coordinates are collected in one
// vector; the errors of all tips, three for a position and three for an orientation, form one problem for reach.c.
// The error of an orientation is the remaining rotation vector, log(R_target RT), whose derivative is minus the
// angular velocity where it vanishes.
#include "base/env.h"
#include "base/guard.h"
#include "math/rotation.h"
#include "model/reach.h"
#include "pawl/limb.h"
#include <string.h>

enum { POSTURE_MAX_LIMBS = 64 };

typedef struct posture_limb {
    pawl_limb *limb;
    int count;
    int *column; // (count) of the posture's coordinates
} posture_limb;

struct pawl_posture {
    pawl_env env;
    size_t bytes;
    int limb_count, count;
    posture_limb *limbs;          // (limb_count)
    pawl_limb_coordinate *of;     // (count)
    double *lower, *upper;        // (count)
    double *own, *own_jacobian;   // (longest limb), (6 x longest limb)
    reach_space reach;            // of up to six errors a limb
    const pawl_limb_target *goal; // of the search under way
};

// A coordinate that two limbs share has one column.
static int posture_find(const pawl_limb_coordinate *of, int count, pawl_limb_coordinate wanted)
{
    for (int i = 0; i < count; ++i) {
        if (pawl_joint_same(of[i].joint, wanted.joint) && of[i].coordinate == wanted.coordinate) {
            return i;
        }
    }
    return -1;
}

// Targets may or may not ask for an orientation, so the number of errors changes with each call.
static int posture_rows(const pawl_posture *p)
{
    int rows = 0;
    for (int l = 0; l < p->limb_count; ++l) {
        rows += p->goal[l].turned ? 6 : 3;
    }
    return rows;
}

// q of all coordinates to those of limb l, in `own`.
static void posture_gather(const pawl_posture *p, int l, const double *q)
{
    for (int i = 0; i < p->limbs[l].count; ++i) {
        p->own[i] = q[p->limbs[l].column[i]];
    }
}

// The errors of one limb.
static void posture_limb_errors(const pawl_limb_target *goal, pawl_pose tip, double *e)
{
    pawl_vec3 missing = v3_sub(goal->position, tip.position);
    memcpy(e, &missing, sizeof missing);
    if (goal->turned) {
        missing = quat_log(quat_mul(goal->orientation, quat_conj(tip.orientation)));
        memcpy(e + 3, &missing, sizeof missing);
    }
}

// J (rows x count) column by column; limbs that do not use a coordinate leave zeros in its column.
static void posture_errors(void *user, const double *q, double *e, double *J)
{
    const pawl_posture *p = user;
    int rows = p->reach.rows, row = 0;
    if (J != NULL) {
        memset(J, 0, (size_t)rows * (size_t)p->count * sizeof *J);
    }
    for (int l = 0; l < p->limb_count; ++l) {
        const posture_limb *limb = &p->limbs[l];
        int own_rows = p->goal[l].turned ? 6 : 3;
        posture_gather(p, l, q);
        pawl_pose tip = pawl_limb_pose(limb->limb, p->own, J != NULL ? p->own_jacobian : NULL);
        posture_limb_errors(&p->goal[l], tip, &e[row]);
        for (int i = 0; i < limb->count && J != NULL; ++i) {
            memcpy(&J[limb->column[i] * rows + row], &p->own_jacobian[6 * i],
                   (size_t)own_rows * sizeof *J);
        }
        row += own_rows;
    }
}

// `count` coordinates in all, `longest` of one limb, `total` of all limbs counted one by one.
static pawl_posture *posture_layout(pawl_carver *mem, int limb_count, int count, int longest,
                                    int total)
{
    reach_space reach = {0};
    pawl_posture *p = PAWL_CARVE(mem, pawl_posture, 1);
    posture_limb *limbs = PAWL_CARVE(mem, posture_limb, limb_count);
    int *columns = PAWL_CARVE(mem, int, total);
    pawl_limb_coordinate *of = PAWL_CARVE(mem, pawl_limb_coordinate, count);
    double *numbers = PAWL_CARVE(mem, double, 2 * count + 7 * longest);
    const double *upper = numbers != NULL ? numbers + count : NULL;
    pawl_reach_layout(&reach, mem, count, 6 * limb_count, numbers, upper);
    if (p != NULL) {
        *p = (pawl_posture){.limb_count = limb_count,
                            .count = count,
                            .limbs = limbs,
                            .of = of,
                            .lower = numbers,
                            .upper = numbers + count,
                            .own = numbers + 2 * count,
                            .own_jacobian = numbers + 2 * count + longest,
                            .reach = reach};
        p->limbs[0].column = columns;
    }
    return p;
}

// Numbers the coordinates of all limbs; returns how many there are.
// Columns are numbered in the order in which the limbs name them first.
static int posture_number(pawl_limb *const *limbs, int limb_count, pawl_limb_coordinate *of,
                          posture_limb *out)
{
    int count = 0;
    int *column = out[0].column;
    for (int l = 0; l < limb_count; ++l) {
        int own = pawl_limb_coordinate_count(limbs[l]);
        out[l] = (posture_limb){limbs[l], own, column};
        for (int i = 0; i < own; ++i) {
            pawl_limb_coordinate c = pawl_limb_coordinate_at(limbs[l], i);
            int at = posture_find(of, count, c);
            if (at < 0) {
                at = count++;
                of[at] = c;
            }
            *column++ = at;
        }
    }
    return count;
}

pawl_status pawl_posture_create(const pawl_env *env, pawl_limb *const *limbs, int count,
                                pawl_posture **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, limbs);
    PAWL_NEED(env, out);
    *out = NULL;
    if (count < 1 || count > POSTURE_MAX_LIMBS) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "a posture of %d limbs, expected 1 to %d", count,
                         (int)POSTURE_MAX_LIMBS);
    }
    int longest = 0, total = 0;
    for (int l = 0; l < count; ++l) {
        PAWL_NEED(env, limbs[l]);
        int own = pawl_limb_coordinate_count(limbs[l]);
        longest = own > longest ? own : longest;
        total += own;
    }
    // Room for all coordinates as if none were shared: a few bytes too many at most.
    pawl_carver need = {0};
    posture_layout(&need, count, total, longest, total);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "a posture needs %zu bytes", need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    pawl_posture *p = posture_layout(&mem, count, total, longest, total);
    p->env = *env;
    p->bytes = need.used;
    p->count = p->reach.count = posture_number(limbs, count, p->of, p->limbs);
    p->reach.errors = posture_errors;
    p->reach.user = p;
    for (int i = 0; i < p->count; ++i) {
        p->lower[i] = p->of[i].lower;
        p->upper[i] = p->of[i].upper;
    }
    *out = p;
    return PAWL_OK;
}

void pawl_posture_destroy(pawl_posture *p)
{
    if (p != NULL) {
        pawl_env env = p->env;
        pawl_free(&env, p, p->bytes);
    }
}

int pawl_posture_coordinate_count(const pawl_posture *p)
{
    return p != NULL ? p->count : 0;
}

pawl_limb_coordinate pawl_posture_coordinate_at(const pawl_posture *p, int index)
{
    if (p == NULL || !PAWL_HAS(&p->env, "coordinate", index, p->count)) {
        return (pawl_limb_coordinate){{0, 0}, -1, NAN, NAN};
    }
    return p->of[index];
}

pawl_pose pawl_posture_pose(const pawl_posture *p, int limb, const double *q)
{
    if (p == NULL || q == NULL || !PAWL_HAS(&p->env, "limb", limb, p->limb_count)) {
        return (pawl_pose){{NAN, NAN, NAN}, {NAN, NAN, NAN, NAN}};
    }
    posture_gather(p, limb, q);
    return pawl_limb_pose(p->limbs[limb].limb, p->own, NULL);
}

static bool posture_finite(const pawl_posture *p, const double *rest, const double *q)
{
    bool finite = true;
    for (int i = 0; i < p->count; ++i) {
        finite = finite && isfinite(q[i]) && isfinite(rest[i]);
    }
    for (int l = 0; l < p->limb_count; ++l) {
        finite = finite && v3_finite(p->goal[l].position) &&
                 (!p->goal[l].turned || quat_finite(p->goal[l].orientation));
    }
    return finite;
}

// Positions [m] and orientations [rad] have equal weights. Returns the largest error of a single
// limb, not the norm over all that the search minimizes.
double pawl_posture_reach(pawl_posture *p, const pawl_limb_target *targets, const double *rest,
                          double *q)
{
    static const double none = 1e-13; // an error that counts as none, of 1 m or the farthest target
    if (p == NULL || targets == NULL || (p->count > 0 && (q == NULL || rest == NULL))) {
        return NAN;
    }
    p->goal = targets;
    if (!posture_finite(p, rest, q)) {
        return NAN;
    }
    double far = 1.0, worst = 0.0;
    for (int l = 0; l < p->limb_count; ++l) {
        far = max_of(far, v3_norm(targets[l].position));
    }
    p->reach.rows = posture_rows(p);
    (void)pawl_reach(&p->reach, none * far * sqrt((double)p->limb_count), rest, q);
    for (int l = 0; l < p->limb_count; ++l) {
        double e[6] = {0.0};
        posture_limb_errors(&targets[l], pawl_posture_pose(p, l, q), e);
        worst = max_of(worst, max_of(v3_norm(v3(e[0], e[1], e[2])), v3_norm(v3(e[3], e[4], e[5]))));
    }
    return worst;
}
