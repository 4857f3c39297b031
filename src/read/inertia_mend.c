// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Inertia tensors that no rigid body has. Principal moments of 0 (rods, points) are increased so that they can be
// inverted. Others are refused with the nearest valid tensor, or replaced by it if `repair` is set.
//
// A tensor is valid if its principal second moments s_k = (I_i + I_j - I_k)/2 are not negative. The nearest valid one has
// the same axes (the Frobenius norm does not change with them) and the moments I = A s, A = 1 1^T - 1, that are nearest to
// the given ones under s >= 0: a least-squares problem of three numbers, solved by trying all active sets.
#include "read/inertia_mend.h"
#include "math/principal.h"
#include <math.h>
#include <string.h>

static const double mend_least = 1e-6, mend_nothing = 1e-12; // of the largest moment

static void mend_compose(const principal_axes *p, double inertia[6])
{
    pawl_mat3 own = {{{p->moment[0], 0, 0}, {0, p->moment[1], 0}, {0, 0, p->moment[2]}}};
    pawl_mat3 tensor = m3_congruence(&p->axes, &own);
    const double six[6] = {tensor.m[0][0], tensor.m[1][1], tensor.m[2][2],
                           tensor.m[0][1], tensor.m[0][2], tensor.m[1][2]};
    memcpy(inertia, six, sizeof six);
}

// With the s of `bound` at `low`, the least-squares values of the others: A restricted to k columns has the normal matrix
// A^T A = 1 + 1 1^T of 3 x 3, whose inverse on any subset is 1 - 1 1^T/(k + 1).
static void mend_solve(const double moment[3], unsigned bound, double low, double s[3])
{
    double right[3], sum = 0.0;
    int count = 0;
    for (int k = 0; k < 3; ++k) { // A^T (moment - A_bound low)
        right[k] = 0.0;
        for (int i = 0; i < 3; ++i) {
            double rest = moment[i];
            for (int b = 0; b < 3; ++b) {
                rest -= (bound >> b & 1u) != 0 && b != i ? low : 0.0;
            }
            right[k] += i != k ? rest : 0.0;
        }
        if ((bound >> k & 1u) == 0) {
            sum += right[k];
            ++count;
        }
    }
    for (int k = 0; k < 3; ++k) {
        s[k] = (bound >> k & 1u) != 0 ? low : right[k] - sum / (count + 1);
    }
}

// The nearest moments whose s are all at least `low`.
static void mend_nearest(double moment[3], double low)
{
    double best[3] = {0.0, 0.0, 0.0}, least = INFINITY;
    for (unsigned bound = 0; bound < 8; ++bound) {
        double s[3], distance = 0.0;
        mend_solve(moment, bound, low, s);
        if (s[0] < low * (1.0 - 1e-9) || s[1] < low * (1.0 - 1e-9) || s[2] < low * (1.0 - 1e-9)) {
            continue;
        }
        double sum = s[0] + s[1] + s[2];
        for (int i = 0; i < 3; ++i) {
            double off = sum - s[i] - moment[i];
            distance += off * off;
        }
        if (distance < least) {
            least = distance;
            for (int i = 0; i < 3; ++i) {
                best[i] = sum - s[i];
            }
        }
    }
    memcpy(moment, best, sizeof best);
}

static pawl_status mend_invalid(xml_reader *reader, const xmlNode *node, const char *name,
                                principal_axes *p, double inertia[6])
{
    const double *m = p->moment;
    double largest = fmax(fabs(m[0]), fmax(fabs(m[1]), fabs(m[2])));
    double before[3] = {m[0], m[1], m[2]}, near[6];
    mend_nearest(p->moment, mend_least * largest);
    mend_compose(p, near);
    if (!reader->repair_inertia) {
        return xml_error(reader, node,
                         "'%s': principal moments of inertia %.4g, %.4g, %.4g kg m^2; a rigid body "
                         "has none below 0; --repair inertia takes the nearest valid tensor, xx yy "
                         "zz %.4g %.4g %.4g xy xz yz %.4g %.4g %.4g",
                         name, before[0], before[1], before[2], near[0], near[1], near[2], near[3],
                         near[4], near[5]);
    }
    memcpy(inertia, near, sizeof near);
    xml_log(reader, PAWL_LOG_WARNING, node,
            "'%s': inertia repaired: principal moments %.4g, %.4g, %.4g become %.4g, %.4g, %.4g "
            "kg m^2",
            name, before[0], before[1], before[2], p->moment[0], p->moment[1], p->moment[2]);
    return PAWL_OK;
}

pawl_status inertia_mend(xml_reader *reader, const xmlNode *node, const char *name,
                         double inertia[6])
{
    pawl_mat3 tensor = m3_from_six(inertia);
    principal_axes p = pawl_principal_axes(&tensor);
    const double *m = p.moment;
    double largest = fmax(m[0], fmax(m[1], m[2])), smallest = fmin(m[0], fmin(m[1], m[2]));
    if (largest == 0.0 && smallest == 0.0) {
        return PAWL_OK;
    }
    // Thinner than any shape: the two smaller moments do not reach the largest.
    bool thin = m[0] + m[1] + m[2] < 2.0 * largest * (1.0 - 1e-6);
    if (smallest < -mend_nothing * largest || !(largest > 0.0) ||
        (reader->repair_inertia && thin)) {
        return mend_invalid(reader, node, name, &p, inertia);
    }
    bool lifted = false;
    for (int i = 0; i < 3; ++i) {
        if (p.moment[i] <= mend_nothing * largest) {
            p.moment[i] = mend_least * largest;
            lifted = true;
        }
    }
    if (!lifted) {
        return PAWL_OK;
    }
    mend_compose(&p, inertia);
    return xml_tally(reader, PAWL_LOG_WARNING, node,
                     "a principal moment of inertia of 0 is read as a millionth of the largest",
                     name);
}
