// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The mass matrix of an MJCF tree in the configuration of the file, for attributes that are stated relative to it: the
// `dampratio` of actuators and the `springdamper` of joints need inertias 1/(J M^-1 J^T), as MuJoCo's compiler computes
// them. Composite rigid body algorithm (Featherstone 2008, section 6.2) with spatial vectors (angular,
// then linear velocity of the point at the world's origin) and a dense Cholesky factor.
#include "math/rotation.h"
#include "read/mjcf_parts.h"
#include <math.h>
#include <string.h>

enum { DOFS_MOST = 2000 };

typedef struct mjcf_dof {
    int joint, body, parent; // parent: the dof before it in the tree; -1 for none
    double motion[6];        // of the body per unit rate
} mjcf_dof;

typedef struct dofs_inertia { // about the world's origin, in world axes
    double mass;
    pawl_vec3 moment; // mass times centre
    pawl_mat3 tensor;
} dofs_inertia;

typedef struct mjcf_dofs {
    mjcf_dof *dofs;
    int count;
    dofs_inertia
        *composite;  // (bodies) of each with all that hangs on it, before welded bodies are lumped
    double *factor;  // (count x count) L of M = L L^T; NULL until it is needed
    double *scratch; // (count)
} mjcf_dofs;

static dofs_inertia dofs_of_body(const mjcf_body *b)
{
    mjcf_mass m = lumped_mass_moved(b->mass, b->world);
    dofs_inertia out = {.mass = m.mass, .moment = v3_scale(m.mass, m.com)};
    out.tensor = m3_from_six(m.inertia);
    const double c[3] = {m.com.x, m.com.y, m.com.z};
    double square = v3_dot(m.com, m.com);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            out.tensor.m[i][k] += m.mass * ((i == k ? square : 0.0) - c[i] * c[k]);
        }
    }
    return out;
}

// The momentum that a motion has.
static void dofs_momentum(const dofs_inertia *a, const double motion[6], double out[6])
{
    pawl_vec3 w = v3(motion[0], motion[1], motion[2]), v = v3(motion[3], motion[4], motion[5]);
    pawl_vec3 turn = v3_add(m3_mul(&a->tensor, w), v3_cross(a->moment, v));
    pawl_vec3 push = v3_add(v3_scale(a->mass, v), v3_cross(w, a->moment));
    const double six[6] = {turn.x, turn.y, turn.z, push.x, push.y, push.z};
    memcpy(out, six, sizeof six);
}

static void dofs_set(mjcf_dof *d, pawl_vec3 axis, pawl_vec3 point, bool slides)
{
    pawl_vec3 w = slides ? v3(0.0, 0.0, 0.0) : axis;
    pawl_vec3 v = slides ? axis : v3_cross(point, axis);
    const double six[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
    memcpy(d->motion, six, sizeof six);
}

// All dofs in the order of MuJoCo; *last of each body is its last dof, or that of the body it hangs on.
static int dofs_list(const mjcf_reader *r, mjcf_dof *dofs, int *last)
{
    static const int sizes[] = {6, 3, 1, 1};
    int count = 0;
    last[MJCF_WORLD] = -1;
    for (int i = 1; i < r->bodies.count; ++i) {
        const mjcf_body *b = MJCF_BODY_AT(r, i);
        last[i] = last[b->parent];
        for (int k = 0; k < b->joint_count; ++k) {
            const mjcf_joint *j = MJCF_JOINT_AT(r, b->first_joint + k);
            pawl_vec3 at = pawl_pose_apply(b->world, j->pos);
            for (int c = 0; c < sizes[j->type]; ++c) {
                mjcf_dof *d = &dofs[count];
                *d = (mjcf_dof){.joint = b->first_joint + k, .body = i, .parent = last[i]};
                pawl_vec3 axis = v3(c % 3 == 0, c % 3 == 1, c % 3 == 2);
                bool slides = j->type == MJCF_SLIDE || (j->type == MJCF_FREE && c < 3);
                if (j->type >= MJCF_SLIDE) {
                    axis = j->axis;
                }
                if (!(j->type == MJCF_FREE && c < 3)) {
                    axis = pawl_quat_rotate(b->world.orientation, axis);
                }
                dofs_set(d, axis, j->type == MJCF_FREE ? b->world.position : at, slides);
                last[i] = count++;
            }
        }
    }
    return count;
}

// The lower triangle of M (n x n), by columns of the dofs' subtrees.
static void dofs_fill(const mjcf_reader *r, const mjcf_dof *dofs, int n,
                      const dofs_inertia *composite, double *M)
{
    for (int i = 0; i < n; ++i) {
        double momentum[6];
        dofs_momentum(&composite[dofs[i].body], dofs[i].motion, momentum);
        for (int k = i; k >= 0; k = dofs[k].parent) {
            double sum = 0.0;
            for (int c = 0; c < 6; ++c) {
                sum += dofs[k].motion[c] * momentum[c];
            }
            M[(size_t)i * (size_t)n + (size_t)k] = sum;
        }
        M[(size_t)i * (size_t)n + (size_t)i] +=
            MJCF_JOINT_AT(r, dofs[i].joint)->coordinate.armature;
    }
}

// In place: M = L L^T. False where M is not positive definite.
static bool dofs_factor(double *M, int n)
{
    for (int i = 0; i < n; ++i) {
        double *row = M + (size_t)i * (size_t)n;
        for (int k = 0; k <= i; ++k) {
            const double *other = M + (size_t)k * (size_t)n;
            double sum = row[k];
            for (int c = 0; c < k; ++c) {
                sum -= row[c] * other[c];
            }
            if (k < i) {
                row[k] = sum / other[k];
            } else if (sum > 0.0) {
                row[i] = sqrt(sum);
            } else {
                return false;
            }
        }
    }
    return true;
}

// Entry (i, i) of M^-1 = |L^-1 e_i|^2.
static double dofs_inverse_entry(const double *L, int n, int i, double *x)
{
    double sum = 0.0;
    for (int k = i; k < n; ++k) {
        double rest = k == i ? 1.0 : 0.0;
        for (int c = i; c < k; ++c) {
            rest -= L[(size_t)k * (size_t)n + (size_t)c] * x[c];
        }
        x[k] = rest / L[(size_t)k * (size_t)n + (size_t)k];
        sum += x[k] * x[k];
    }
    return sum;
}

// springdamper = time constant, damping ratio of an oscillator with the joint's mean inertia 1/mean(M^-1_ii).
static void dofs_springs(mjcf_reader *r, const mjcf_dof *dofs, int n, const double *L, double *x)
{
    for (int i = 0; i < n;) {
        mjcf_joint *j = MJCF_JOINT_AT(r, dofs[i].joint);
        int first = i;
        double sum = 0.0;
        for (; i < n && dofs[i].joint == dofs[first].joint; ++i) {
            sum += j->spring_damper[0] > 0.0 ? dofs_inverse_entry(L, n, i, x) : 0.0;
        }
        if (j->spring_damper[0] > 0.0 && j->spring_damper[1] > 0.0) {
            double inertia = (i - first) / max_of(1e-15, sum);
            double time = j->spring_damper[0], ratio = j->spring_damper[1];
            j->coordinate.stiffness = inertia / max_of(1e-15, time * time * ratio * ratio);
            j->coordinate.damping = 2.0 * inertia / max_of(1e-15, time);
        }
    }
}

// The factor of M, once it is asked for.
static pawl_status dofs_factorize(mjcf_reader *r)
{
    mjcf_dofs *all = r->dofs;
    int n = all->count;
    if (all->factor != NULL) {
        return PAWL_OK;
    }
    if (n > DOFS_MOST) {
        return xml_unsupported(
            r->xml, r->specs->root,
            "springdamper or dampratio in a model of %d degrees of freedom, more "
            "than %d",
            n, (int)DOFS_MOST);
    }
    double *M = xml_alloc(r->xml, ((size_t)n * (size_t)n + 1) * sizeof *M);
    all->scratch = xml_alloc(r->xml, ((size_t)n + 1) * sizeof *all->scratch);
    if (M == NULL || all->scratch == NULL) {
        return PAWL_NO_MEMORY;
    }
    memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
    dofs_fill(r, all->dofs, n, all->composite, M);
    if (!dofs_factor(M, n)) {
        return xml_error(r->xml, r->specs->root,
                         "springdamper or dampratio: the mass matrix is not positive definite");
    }
    all->factor = M;
    return PAWL_OK;
}

// Whether a dof moves a body: it belongs to the body or to one that it hangs on. Parents come before their children.
static bool dofs_moves(const mjcf_reader *r, const mjcf_dof *d, int body)
{
    while (body > d->body) {
        body = MJCF_BODY_AT(r, body)->parent;
    }
    return body == d->body;
}

// How fast a term grows per unit rate of a dof.
static double dofs_slope(const mjcf_reader *r, const mjcf_dof *d, const mjcf_term *term)
{
    if (term->span == NULL) {
        return d->joint == term->joint ? term->coef : 0.0;
    }
    int side =
        (dofs_moves(r, d, term->carrier[1]) ? 1 : 0) - (dofs_moves(r, d, term->carrier[0]) ? 1 : 0);
    if (side == 0) {
        return 0.0;
    }
    pawl_vec3 point, direction;
    mjcf_path_pull(r, term, &point, &direction);
    pawl_vec3 w = v3(d->motion[0], d->motion[1], d->motion[2]);
    pawl_vec3 v = v3_add(v3(d->motion[3], d->motion[4], d->motion[5]), v3_cross(w, point));
    return side * term->coef * v3_dot(direction, v);
}

pawl_status mjcf_dofs_reflected(mjcf_reader *r, const mjcf_term *terms, int count, double gear,
                                double *out)
{
    *out = 0.0;
    PAWL_TRY(dofs_factorize(r));
    const mjcf_dofs *all = r->dofs;
    if (all->factor == NULL) {
        return PAWL_OK; // lenient, and warned of
    }
    double sum = 0.0, *x = all->scratch;
    for (int k = 0; k < all->count; ++k) { // L x = J
        double rest = 0.0;
        for (int i = 0; i < count; ++i) {
            rest += gear * dofs_slope(r, &all->dofs[k], &terms[i]);
        }
        const double *row = all->factor + (size_t)k * (size_t)all->count;
        for (int c = 0; c < k; ++c) {
            rest -= row[c] * x[c];
        }
        x[k] = rest / row[k];
        sum += x[k] * x[k];
    }
    *out = sum > 0.0 ? 1.0 / sum : 0.0;
    return PAWL_OK;
}

pawl_status mjcf_dofs_acceleration(mjcf_reader *r, const double *slope, double *out)
{
    *out = 0.0;
    PAWL_TRY(dofs_factorize(r));
    const mjcf_dofs *all = r->dofs;
    if (all->factor == NULL) {
        return PAWL_OK;
    }
    double *x = all->scratch, sum = 0.0;
    int n = all->count;
    for (int k = 0; k < n; ++k) { // L x = J
        int joint = all->dofs[k].joint;
        double rest = MJCF_JOINT_AT(r, joint)->type >= MJCF_SLIDE ? slope[joint] : 0.0;
        for (int c = 0; c < k; ++c) {
            rest -= all->factor[(size_t)k * (size_t)n + (size_t)c] * x[c];
        }
        x[k] = rest / all->factor[(size_t)k * (size_t)n + (size_t)k];
    }
    for (int k = n - 1; k >= 0; --k) { // LT a = x
        for (int c = k + 1; c < n; ++c) {
            x[k] -= all->factor[(size_t)c * (size_t)n + (size_t)k] * x[c];
        }
        x[k] /= all->factor[(size_t)k * (size_t)n + (size_t)k];
        sum += x[k] * x[k];
    }
    *out = sqrt(sum);
    return PAWL_OK;
}

pawl_status mjcf_dofs_measure(mjcf_reader *r)
{
    int most = 0;
    bool springs = false;
    for (int i = 0; i < r->joints.count; ++i) {
        const mjcf_joint *j = MJCF_JOINT_AT(r, i);
        most += j->type == MJCF_FREE ? 6 : j->type == MJCF_BALL ? 3 : 1;
        springs = springs || (j->spring_damper[0] > 0.0 && j->spring_damper[1] > 0.0);
    }
    mjcf_dofs *all = xml_alloc(r->xml, sizeof *all);
    int *last = xml_alloc(r->xml, (size_t)r->bodies.count * sizeof *last);
    if (all == NULL || last == NULL) {
        return PAWL_NO_MEMORY;
    }
    *all = (mjcf_dofs){.dofs = xml_alloc(r->xml, ((size_t)most + 1) * sizeof *all->dofs)};
    all->composite = xml_alloc(r->xml, (size_t)r->bodies.count * sizeof *all->composite);
    if (all->dofs == NULL || all->composite == NULL) {
        return PAWL_NO_MEMORY;
    }
    all->count = dofs_list(r, all->dofs, last);
    for (int i = 0; i < r->bodies.count; ++i) {
        all->composite[i] = dofs_of_body(MJCF_BODY_AT(r, i));
    }
    for (int i = r->bodies.count - 1; i > 0; --i) { // parents come before their children
        dofs_inertia *above = &all->composite[MJCF_BODY_AT(r, i)->parent];
        above->mass += all->composite[i].mass;
        above->moment = v3_add(above->moment, all->composite[i].moment);
        for (int k = 0; k < 9; ++k) {
            above->tensor.m[k / 3][k % 3] += all->composite[i].tensor.m[k / 3][k % 3];
        }
    }
    r->dofs = all;
    if (springs) {
        PAWL_TRY(dofs_factorize(r));
        if (all->factor != NULL) {
            dofs_springs(r, all->dofs, all->count, all->factor, all->scratch);
        }
    }
    return PAWL_OK;
}
