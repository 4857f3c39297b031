// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Residuals, coordinates and exact gradients of every joint kind at one configuration, from tables:
// which rows a kind has and what its coordinates are. docs/math.md, section 1 has the formulas;
// joint_kinematics.h the letters.
// Signs: all is follower less base. Residuals are in m for translations and in rad, to first order, for rotations.
// A gradient is 6 numbers for each body, linear then angular, in world axes at the centre of mass, so that the
// rate of a residual is gradient . twist summed over both bodies.
#include "rows/joint_kinematics.h"
#include "base/env.h"
#include "base/kernel.h"
#include "model/cord_path.h"

// Which rows a kind has, in order: t along an axis, the follower's x axis along the base's y or z
// (alignment), all of the relative rotation (lock), or a row of the kind's own.
enum {
    ROW_TX,
    ROW_TY,
    ROW_TZ,
    ROW_ALIGN_Y,
    ROW_ALIGN_Z,
    ROW_LOCK_X,
    ROW_LOCK_Y,
    ROW_LOCK_Z,
    ROW_CROSS,
    ROW_SCREW,
    ROW_LENGTH,
    ROW_GEAR
};

// Rows of each kind in the order of their reactions; docs/math.md section 1 has the same table in words.
static const unsigned char joint_row_table[PAWL_JOINT_KIND_COUNT][6] = {
    [PAWL_JOINT_FIXED] = {ROW_TX, ROW_TY, ROW_TZ, ROW_LOCK_X, ROW_LOCK_Y, ROW_LOCK_Z},
    [PAWL_JOINT_REVOLUTE] = {ROW_TX, ROW_TY, ROW_TZ, ROW_ALIGN_Y, ROW_ALIGN_Z},
    [PAWL_JOINT_PRISMATIC] = {ROW_TY, ROW_TZ, ROW_LOCK_X, ROW_LOCK_Y, ROW_LOCK_Z},
    [PAWL_JOINT_CYLINDRICAL] = {ROW_TY, ROW_TZ, ROW_ALIGN_Y, ROW_ALIGN_Z},
    [PAWL_JOINT_UNIVERSAL] = {ROW_TX, ROW_TY, ROW_TZ, ROW_CROSS},
    [PAWL_JOINT_SPHERICAL] = {ROW_TX, ROW_TY, ROW_TZ},
    [PAWL_JOINT_PLANAR] = {ROW_TX, ROW_ALIGN_Y, ROW_ALIGN_Z},
    [PAWL_JOINT_CARTESIAN] = {ROW_LOCK_X, ROW_LOCK_Y, ROW_LOCK_Z},
    [PAWL_JOINT_GIMBAL] = {ROW_TX, ROW_TY, ROW_TZ},
    [PAWL_JOINT_SCREW] = {ROW_TY, ROW_TZ, ROW_ALIGN_Y, ROW_ALIGN_Z, ROW_SCREW},
    [PAWL_JOINT_DISTANCE] = {ROW_LENGTH},
    [PAWL_JOINT_POINT_ON_LINE] = {ROW_TY, ROW_TZ},
    [PAWL_JOINT_POINT_ON_PLANE] = {ROW_TX},
    [PAWL_JOINT_GEAR] = {ROW_GEAR},
};

// What each coordinate of a kind is.
enum {
    COORD_TX,
    COORD_TY,
    COORD_TZ,
    COORD_ANGLE,
    COORD_FIRST,
    COORD_SECOND,
    COORD_EULER_X,
    COORD_EULER_Y,
    COORD_EULER_Z,
    COORD_RHO_X,
    COORD_RHO_Y,
    COORD_RHO_Z,
    COORD_SPAN
};

// FIRST and SECOND are the angles of a universal joint about the base's x and the follower's y axis; EULER those
// of a gimbal about x, y, z in turn; RHO components of the rotation vector.
static const unsigned char joint_coordinate_table[PAWL_JOINT_KIND_COUNT][6] = {
    [PAWL_JOINT_REVOLUTE] = {COORD_ANGLE},
    [PAWL_JOINT_PRISMATIC] = {COORD_TX},
    [PAWL_JOINT_CYLINDRICAL] = {COORD_TX, COORD_ANGLE},
    [PAWL_JOINT_UNIVERSAL] = {COORD_FIRST, COORD_SECOND},
    [PAWL_JOINT_SPHERICAL] = {COORD_RHO_X, COORD_RHO_Y, COORD_RHO_Z},
    [PAWL_JOINT_PLANAR] = {COORD_TY, COORD_TZ, COORD_ANGLE},
    [PAWL_JOINT_CARTESIAN] = {COORD_TX, COORD_TY, COORD_TZ},
    [PAWL_JOINT_GIMBAL] = {COORD_EULER_X, COORD_EULER_Y, COORD_EULER_Z},
    [PAWL_JOINT_FREE] = {COORD_TX, COORD_TY, COORD_TZ, COORD_RHO_X, COORD_RHO_Y, COORD_RHO_Z},
    [PAWL_JOINT_SCREW] = {COORD_ANGLE},
    [PAWL_JOINT_POINT_ON_LINE] = {COORD_TX},
    [PAWL_JOINT_POINT_ON_PLANE] = {COORD_TY, COORD_TZ},
    [PAWL_JOINT_SPAN] = {COORD_SPAN},
};

// Alignments, locks and the cross row are neighbours in the enum. A screw's residual is a length.
bool pawl_joint_row_is_rotation(pawl_joint_kind kind, int row)
{
    int what = joint_row_table[kind][row];
    return what >= ROW_ALIGN_Y && what <= ROW_CROSS;
}

// In the order of ROW_TX .. ROW_GEAR: what the reaction of the row is, for reports.
const char *pawl_joint_row_name(pawl_joint_kind kind, int row)
{
    // A follower's x axis leaning to the base's y is a rotation about z, and the other way round.
    static const char *const names[] = {"force x",  "force y",      "force z",     "moment z",
                                        "moment y", "moment x",     "moment y",    "moment z",
                                        "moment z", "screw thread", "rod tension", "gear mesh"};
    return names[joint_row_table[kind][row]];
}

// Both levers go from a centre of mass to pF, also that of the base: see joint_linear_row(). The relative
// quaternion costs two products and only some kinds need it (needs_turn).
PAWL_KERNEL static void kinematics_run_frames(const model_joint *j, const body_state *bodies,
                                              const pawl_mat3 *rotation, joint_frames *out)
{
    const body_state *f = &bodies[j->follower];
    const pawl_mat3 *rf = &rotation[j->follower];
    out->follower_lever = m3_mul(rf, j->follower_anchor);
    out->follower_axes = m3_product(rf, &j->follower_axes);
    pawl_vec3 point = v3_add(f->r, out->follower_lever);
    pawl_quat base_turn = j->base_turn;
    if (j->base < 0) {
        out->t = v3_sub(point, j->base_anchor);
        out->base_lever = point; // unused
        out->base_axes = j->base_axes;
    } else {
        const body_state *b = &bodies[j->base];
        const pawl_mat3 *rb = &rotation[j->base];
        out->base_lever = v3_sub(point, b->r);
        out->t = v3_sub(out->base_lever, m3_mul(rb, j->base_anchor));
        out->base_axes = m3_product(rb, &j->base_axes);
        if (j->needs_turn) {
            base_turn = quat_mul(b->q, j->base_turn);
        }
    }
    if (j->needs_turn) {
        out->turn = quat_mul(quat_conj(base_turn), quat_mul(f->q, j->follower_turn));
    }
}

void pawl_joint_frames(const model_joint *j, const body_state *bodies, const pawl_mat3 *rotation,
                       joint_frames *out)
{
    kinematics_run_frames(j, bodies, rotation, out);
}

// Gradient of a relative displacement along e at pF: the base's lever goes to pF, too, so that
// e may be fixed in the base and equal and opposite forces leave no moment behind.
static inline void joint_linear_row(const joint_frames *f, pawl_vec3 e, double base[6],
                                    double follower[6])
{
    pawl_vec3 mf = v3_cross(f->follower_lever, e);
    pawl_vec3 mb = v3_cross(f->base_lever, e);
    follower[0] = e.x, follower[1] = e.y, follower[2] = e.z;
    follower[3] = mf.x, follower[4] = mf.y, follower[5] = mf.z;
    base[0] = -e.x, base[1] = -e.y, base[2] = -e.z;
    base[3] = -mb.x, base[4] = -mb.y, base[5] = -mb.z;
}

// Gradient of a quantity whose rate is c . (wF - wB).
static inline void joint_angular_row(pawl_vec3 c, double base[6], double follower[6])
{
    follower[0] = follower[1] = follower[2] = 0.0;
    follower[3] = c.x, follower[4] = c.y, follower[5] = c.z;
    base[0] = base[1] = base[2] = 0.0;
    base[3] = -c.x, base[4] = -c.y, base[5] = -c.z;
}

// Residual 2 vec(q) of a locked rotation, q the relative turn with positive scalar. In the base's
// joint axes q' = (0, w) q / 2, so that (2 vec)' = s w - v x w: its gradient is row k of s 1 - [v]x.
static double joint_lock_row(const joint_frames *f, int k, pawl_vec3 *gradient)
{
    double sign = f->turn.w < 0.0 ? -1.0 : 1.0;
    double v[3] = {sign * f->turn.x, sign * f->turn.y, sign * f->turn.z}, a[3];
    a[k] = sign * f->turn.w;
    a[(k + 1) % 3] = v[(k + 2) % 3];
    a[(k + 2) % 3] = -v[(k + 1) % 3];
    *gradient = m3_mul(&f->base_axes, v3(a[0], a[1], a[2]));
    return 2.0 * v[k];
}

// One row: its residual, and the axis of its gradient. Linear rows push along the axis at pF,
// angular ones turn about it.
// `what` is a ROW_* of the table. `angle` (turns counted) is for screws alone.
static double joint_row(const model_joint *j, const joint_frames *f, int what, double angle,
                        pawl_vec3 *axis, bool *angular)
{
    *angular = false;
    switch (what) {
    case ROW_TX:
    case ROW_TY:
    case ROW_TZ:
        *axis = m3_column(&f->base_axes, what - ROW_TX);
        return v3_dot(*axis, f->t);
    case ROW_ALIGN_Y:
    case ROW_ALIGN_Z: {
        // (e . xF)' = (wF - wB) . (xF x e)
        pawl_vec3 e = m3_column(&f->base_axes, what - ROW_ALIGN_Y + 1);
        pawl_vec3 x = m3_column(&f->follower_axes, 0);
        *axis = v3_cross(x, e);
        *angular = true;
        return v3_dot(e, x);
    }
    case ROW_CROSS: {
        pawl_vec3 e = m3_column(&f->base_axes, 0);
        pawl_vec3 y = m3_column(&f->follower_axes, 1);
        *axis = v3_cross(y, e);
        *angular = true;
        return v3_dot(e, y);
    }
    case ROW_LOCK_X:
    case ROW_LOCK_Y:
    case ROW_LOCK_Z:
        *angular = true;
        return joint_lock_row(f, what - ROW_LOCK_X, axis);
    case ROW_SCREW:
        *axis = m3_column(&f->base_axes, 0);
        return v3_dot(*axis, f->t) - j->pitch * angle;
    case ROW_LENGTH: {
        double length = v3_norm(f->t);
        *axis =
            length > 1e-12 * j->length ? v3_scale(1.0 / length, f->t) : m3_column(&f->base_axes, 0);
        return length - j->length;
    }
    default:
        PAWL_ASSERT(false); // gears have no frames
        return 0.0;
    }
}

// The rows of a hinge, most joints of most models, without a look at the table; the same bits.
PAWL_KERNEL_PART void kinematics_hinge_rows(const joint_frames *f, double *residual,
                                            double base[][6], double follower[][6])
{
    pawl_vec3 x = m3_column(&f->follower_axes, 0);
    for (int k = 0; k < 3; ++k) {
        pawl_vec3 e = m3_column(&f->base_axes, k);
        residual[k] = v3_dot(e, f->t);
        joint_linear_row(f, e, base[k], follower[k]);
        if (k > 0) {
            residual[2 + k] = v3_dot(e, x);
            joint_angular_row(v3_cross(x, e), base[2 + k], follower[2 + k]);
        }
    }
}

// All rows of a joint. A screw is a translation row less pitch times the relative spin about the axis, which the
// angular part gets at the end.
PAWL_KERNEL static void kinematics_run_rows(const model_joint *j, const joint_frames *f,
                                            double angle, double *residual, double base[][6],
                                            double follower[][6])
{
    const unsigned char *what = joint_row_table[j->kind];
    if (j->kind == PAWL_JOINT_REVOLUTE && base != NULL) {
        kinematics_hinge_rows(f, residual, base, follower);
        return;
    }
    for (int r = 0; r < j->row_count; ++r) {
        pawl_vec3 axis;
        bool angular;
        residual[r] = joint_row(j, f, what[r], angle, &axis, &angular);
        if (base == NULL) {
            continue;
        }
        if (angular) {
            joint_angular_row(axis, base[r], follower[r]);
            continue;
        }
        joint_linear_row(f, axis, base[r], follower[r]);
        if (what[r] == ROW_SCREW) {
            double turn[3] = {j->pitch * axis.x, j->pitch * axis.y, j->pitch * axis.z};
            for (int k = 0; k < 3; ++k) {
                follower[r][3 + k] -= turn[k];
                base[r][3 + k] += turn[k];
            }
        }
    }
}

void pawl_joint_rows(const model_joint *j, const joint_frames *f, double angle, double *residual,
                     double base[][6], double follower[][6])
{
    kinematics_run_rows(j, f, angle, residual, base, follower);
}

// What residuals are made of, in the base's own axes: t, and the follower's joint axis x.
typedef struct joint_offset {
    pawl_vec3 t, x;
} joint_offset;

// Vectors are turned into the base's axes at once, so that the axes of the joint need not be turned into the
// world.
static inline joint_offset joint_offset_of(const model_joint *j, const body_state *bodies,
                                           const pawl_mat3 *rotation)
{
    const body_state *f = &bodies[j->follower];
    const pawl_mat3 *rf = &rotation[j->follower];
    pawl_vec3 point = v3_add(f->r, m3_mul(rf, j->follower_anchor));
    pawl_vec3 x = m3_mul(rf, m3_column(&j->follower_axes, 0));
    if (j->base >= 0) {
        const pawl_mat3 *rb = &rotation[j->base];
        point = m3_tmul(rb, v3_sub(point, bodies[j->base].r));
        x = m3_tmul(rb, x);
    }
    return (joint_offset){v3_sub(point, j->base_anchor), x};
}

// Revolute, cylindrical and ball joints are most of the joints of most models and have a short path here. It must
// give the same residuals as kinematics_run_rows() up to rounding.
PAWL_KERNEL static void kinematics_run_residuals(const model_joint *j, const body_state *bodies,
                                                 const pawl_mat3 *rotation, double *residual)
{
    const pawl_mat3 *e = &j->base_axes;
    switch (j->kind) {
    case PAWL_JOINT_REVOLUTE:
    case PAWL_JOINT_CYLINDRICAL: {
        joint_offset o = joint_offset_of(j, bodies, rotation);
        pawl_vec3 t = m3_tmul(e, o.t), x = m3_tmul(e, o.x);
        if (j->kind == PAWL_JOINT_REVOLUTE) {
            *residual++ = t.x;
        }
        residual[0] = t.y, residual[1] = t.z;
        residual[2] = x.y, residual[3] = x.z;
        return;
    }
    case PAWL_JOINT_SPHERICAL:
    case PAWL_JOINT_GIMBAL: {
        pawl_vec3 t = m3_tmul(e, joint_offset_of(j, bodies, rotation).t);
        residual[0] = t.x, residual[1] = t.y, residual[2] = t.z;
        return;
    }
    default: {
        joint_frames frames;
        pawl_joint_frames(j, bodies, rotation, &frames);
        pawl_joint_rows(j, &frames, 0.0, residual, NULL, NULL);
    }
    }
}

void pawl_joint_residuals(const model_joint *j, const body_state *bodies, const pawl_mat3 *rotation,
                          double *residual)
{
    kinematics_run_residuals(j, bodies, rotation, residual);
}

// Angles of Rx(a) Ry(b) Rz(c) for the relative rotation q, and the three axes they turn about, in
// the base's joint axes.
static double joint_euler(pawl_quat q, int which, pawl_vec3 axes[3])
{
    pawl_mat3 r = quat_matrix(q);
    double a = pawl_atan2(-r.m[1][2], r.m[2][2]);
    axes[0] = v3(1.0, 0.0, 0.0);
    // The second axis is y turned about x by the first angle: (0, cos a, sin a).
    pawl_sincos(a, &axes[1].z, &axes[1].y);
    axes[1].x = 0.0;
    axes[2] = m3_column(&r, 2);
    switch (which) {
    case 0:
        return a;
    case 1:
        return pawl_atan2(r.m[0][2], sqrt(r.m[0][0] * r.m[0][0] + r.m[0][1] * r.m[0][1]));
    default:
        return pawl_atan2(-r.m[0][1], r.m[0][0]);
    }
}

// The dual vector of axis k: its product with the relative angular velocity is the angle's rate.
static pawl_vec3 joint_dual_axis(const pawl_vec3 axes[3], int k)
{
    pawl_vec3 n = v3_cross(axes[(k + 1) % 3], axes[(k + 2) % 3]);
    double det = v3_dot(axes[k], n);
    // In gimbal lock the angles have no rates; a bounded stand-in keeps the step finite.
    double safe = fabs(det) > 1e-6 ? det : (det < 0.0 ? -1e-6 : 1e-6);
    return v3_scale(1.0 / safe, n);
}

void pawl_joint_spin(const joint_frames *f, int k, double base[6], double follower[6])
{
    joint_angular_row(m3_column(&f->base_axes, k), base, follower);
}

// Angles of hinges come from atan2 of axes and not from arc cosines, which lose half of the digits near 0 and pi.
double pawl_joint_coordinate(const model_joint *j, const joint_frames *f, int c, double base[6],
                             double follower[6])
{
    int what = joint_coordinate_table[j->kind][c];
    double value = 0.0;
    pawl_vec3 rate = {0}; // of an angle: value' = rate . (wF - wB)
    switch (what) {
    case COORD_TX:
    case COORD_TY:
    case COORD_TZ: {
        pawl_vec3 e = m3_column(&f->base_axes, what - COORD_TX);
        if (base != NULL) {
            joint_linear_row(f, e, base, follower);
        }
        return v3_dot(e, f->t);
    }
    case COORD_SPAN: {
        pawl_vec3 e;
        double length = pawl_cord_length(&j->wrap, m3_tmul(&f->base_axes, f->t), &e);
        if (base != NULL) {
            joint_linear_row(f, m3_mul(&f->base_axes, e), base, follower);
        }
        return length;
    }
    case COORD_ANGLE:
    case COORD_FIRST: {
        pawl_vec3 y = m3_column(&f->follower_axes, 1);
        value = pawl_atan2(v3_dot(m3_column(&f->base_axes, 2), y),
                           v3_dot(m3_column(&f->base_axes, 1), y));
        rate = m3_column(&f->base_axes, 0);
        break;
    }
    case COORD_SECOND: {
        pawl_vec3 x = m3_column(&f->base_axes, 0);
        value = pawl_atan2(v3_dot(x, m3_column(&f->follower_axes, 2)),
                           v3_dot(x, m3_column(&f->follower_axes, 0)));
        rate = m3_column(&f->follower_axes, 1);
        break;
    }
    case COORD_EULER_X:
    case COORD_EULER_Y:
    case COORD_EULER_Z: {
        pawl_vec3 axes[3];
        value = joint_euler(f->turn, what - COORD_EULER_X, axes);
        rate = m3_mul(&f->base_axes, joint_dual_axis(axes, what - COORD_EULER_X));
        break;
    }
    default: {
        pawl_vec3 rho = quat_log(f->turn);
        pawl_mat3 a = rotation_vector_rate(rho);
        int k = what - COORD_RHO_X;
        value = k == 0 ? rho.x : k == 1 ? rho.y : rho.z;
        rate = m3_mul(&f->base_axes, v3(a.m[k][0], a.m[k][1], a.m[k][2]));
        break;
    }
    }
    if (base != NULL) {
        joint_angular_row(rate, base, follower);
    }
    return value;
}
