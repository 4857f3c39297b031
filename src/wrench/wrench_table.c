// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A wrench space given at centres. With x = (d/depth_scale, m/normal_scale), d the depth and m = RT n
// the ground's normal in the foot's axes, each number of each vertex, in the foot's axes, is
//   W(d, m) = s d^p (mean + sum_j c_j phi(|x - x_j|)),   phi(r) = 1/sqrt(1 + r^2),
// with c such that W is exact at all centres. Turning foot and ground about the normal changes neither d nor m, so
// the wrench turns with them: granular matter has no other preferred direction. The inverse multiquadric is smooth,
// positive definite (so c exists) and needs only a square root, which has the same bits everywhere.
// docs/wrench-contact.md section 6.
#include "wrench/wrench_table.h"
#include "linalg/dense.h"
#include "wrench/friction_polytope.h"
#include "wrench/ground.h"
#include <string.h>

static double table_power(const pawl_wrench_model_def *def, double d)
{
    double slope;
    return pawl_depth_power(d, def->power, &slope);
}

void pawl_wrench_interpolant_layout(const pawl_wrench_model_def *def, pawl_carver *mem,
                                    wrench_interpolant *out)
{
    size_t numbers = (size_t)def->table.vertex_count * 6;
    double *mean = PAWL_CARVE(mem, double, numbers);
    double *weights = PAWL_CARVE(mem, double, numbers *(size_t)def->table.centre_count);
    if (out != NULL) {
        *out = (wrench_interpolant){def, mean, weights};
    }
}

// x - x_j and phi.
static double table_basis(const pawl_wrench_table *t, const double at[4], int j, double apart[4])
{
    const double *centre = t->centres + 4 * j;
    double r2 = 0.0;
    for (int k = 0; k < 4; ++k) {
        apart[k] = (at[k] - centre[k]) / (k == 0 ? t->depth_scale : t->normal_scale);
        r2 += apart[k] * apart[k];
    }
    return 1.0 / sqrt(1.0 + r2);
}

// Wrenches are divided by d^p at their centres before they are fitted, so that the fitted numbers are of one size
// and the force vanishes at depth 0. The mean is taken out, because the basis decays: far from all centres the
// ratio tends to the mean. The matrix (n x n) is positive definite; centres that nearly coincide make a pivot
// vanish, and are refused.
pawl_status pawl_wrench_interpolant_fit(const pawl_env *env, wrench_interpolant *table)
{
    const pawl_wrench_table *t = &table->def->table;
    int n = t->centre_count, numbers = 6 * t->vertex_count;
    size_t size = (size_t)n * (size_t)(n + 1) * sizeof(double);
    double *a = pawl_alloc(env, size);
    if (a == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY,
                         "wrench model '%s' needs %zu bytes of temporary memory", table->def->name,
                         size);
    }
    double *pivots = a + (size_t)n * (size_t)n;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double apart[4];
            a[i * n + j] = table_basis(t, t->centres + 4 * i, j, apart);
        }
    }
    if (pawl_ldl_factor(a, n, n, 1e-13, NULL, pivots) > 0) {
        pawl_free(env, a, size);
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "wrench model '%s': some of its %d centres are too close to each other "
                         "for the scales %g m and %g; expected centres about a scale apart",
                         table->def->name, n, t->depth_scale, t->normal_scale);
    }
    for (int k = 0; k < numbers; ++k) {
        double *c = table->weights + (size_t)k * (size_t)n, mean = 0.0;
        for (int j = 0; j < n; ++j) {
            // Centres have a depth above 0, which the model's check sees to.
            c[j] = t->wrenches[(size_t)j * (size_t)numbers + (size_t)k] /
                   table_power(table->def, t->centres[4 * j]);
            mean += c[j] / (double)n;
        }
        for (int j = 0; j < n; ++j) {
            c[j] -= mean;
        }
        table->mean[k] = mean;
        pawl_ldl_solve(a, n, n, pivots, c);
    }
    pawl_free(env, a, size);
    return PAWL_OK;
}

// phi of all centres, and its derivatives by depth and by the normal.
typedef struct table_site {
    double phi[PAWL_WRENCH_MAX_CENTRES], slope[4][PAWL_WRENCH_MAX_CENTRES];
} table_site;

static void table_site_at(const pawl_wrench_table *t, const double at[4], bool slopes,
                          table_site *out)
{
    for (int j = 0; j < t->centre_count; ++j) {
        double apart[4], phi = table_basis(t, at, j, apart);
        out->phi[j] = phi;
        for (int k = 0; k < 4 && slopes; ++k) { // dphi/dx = -phi^3 x
            double scale = k == 0 ? t->depth_scale : t->normal_scale;
            out->slope[k][j] = -phi * phi * phi * apart[k] / scale;
        }
    }
}

// How depth and normal seen from the foot change with the six coordinates.
// change (6 x 4): rows are three translations of the foot [m] and three rotations [rad] about world axes; columns
// are the depth and the normal in the foot's axes. A translation along the normal reduces the depth. A rotation of
// the foot turns the normal the other way as seen from it.
static void table_motion(const pawl_mat3 *R, const pawl_distance *distance, double change[6][4])
{
    pawl_vec3 n = distance->normal;
    const double down[3] = {n.x, n.y, n.z};
    for (int j = 0; j < 6; ++j) {
        pawl_vec3 e = v3(j % 3 == 0 ? 1.0 : 0.0, j % 3 == 1 ? 1.0 : 0.0, j % 3 == 2 ? 1.0 : 0.0);
        pawl_vec3 turn =
            j < 3 ? v3(distance->hessian[0][j], distance->hessian[1][j], distance->hessian[2][j])
                  : v3_cross(n, e);
        pawl_vec3 m = m3_tmul(R, turn);
        change[j][0] = j < 3 ? -down[j] : 0.0;
        change[j][1] = m.x;
        change[j][2] = m.y;
        change[j][3] = m.z;
    }
}

// Three numbers of a vertex (force or moment), turned to the world, with their derivatives.
typedef struct table_third {
    pawl_vec3 value, slope[4]; // foot's axes; by depth and normal
} table_third;

static table_third table_third_at(const wrench_interpolant *table, const table_site *site,
                                  int first, double power, double power_slope, bool slopes)
{
    int n = table->def->table.centre_count;
    double s = table->def->stiffness, value[3], slope[4][3] = {{0.0}};
    for (int c = 0; c < 3; ++c) {
        const double *w = table->weights + (size_t)(first + c) * (size_t)n;
        double ratio = table->mean[first + c] + pawl_dot(w, site->phi, n);
        value[c] = s * power * ratio;
        for (int k = 0; k < 4 && slopes; ++k) {
            slope[k][c] = s * power * pawl_dot(w, site->slope[k], n) +
                          (k == 0 ? s * power_slope * ratio : 0.0);
        }
    }
    table_third out = {.value = v3(value[0], value[1], value[2])};
    for (int k = 0; k < 4; ++k) {
        out.slope[k] = v3(slope[k][0], slope[k][1], slope[k][2]);
    }
    return out;
}

// A rotation also turns the foot's axes in which the wrench is fixed: that is the last term, e x wrench.
static void table_put(const pawl_mat3 *R, const table_third *third, double change[6][4], double *v,
                      double *dv)
{
    pawl_vec3 world = m3_mul(R, third->value);
    v[0] = world.x;
    v[1] = world.y;
    v[2] = world.z;
    for (int j = 0; j < 6 && dv != NULL; ++j) {
        pawl_vec3 d = v3(0.0, 0.0, 0.0);
        for (int k = 0; k < 4; ++k) {
            d = v3_axpy(d, change[j][k], third->slope[k]);
        }
        d = m3_mul(R, d);
        if (j >= 3) {
            pawl_vec3 e = v3(j == 3 ? 1.0 : 0.0, j == 4 ? 1.0 : 0.0, j == 5 ? 1.0 : 0.0);
            d = v3_add(d, v3_cross(e, world));
        }
        dv[j] = d.x;
        dv[6 + j] = d.y;
        dv[12 + j] = d.z;
    }
}

// v (vertex_count x 6) and dv (vertex_count x 6 x 6) as in pawl_wrench_set_vertices. Zero above the ground.
void pawl_wrench_interpolant_evaluate(const wrench_interpolant *table,
                                      const pawl_wrench_query *query, double *v, double *dv)
{
    const pawl_wrench_table *t = &table->def->table;
    size_t numbers = (size_t)t->vertex_count * 6;
    pawl_distance distance;
    pawl_ground_distance(query->ground, query->frame.position, &distance);
    double depth = query->radius - distance.value, power_slope;
    double power = pawl_depth_power(depth, table->def->power, &power_slope);
    if (!(depth > 0.0)) {
        memset(v, 0, numbers * sizeof *v);
        if (dv != NULL) {
            memset(dv, 0, numbers * 6 * sizeof *dv);
        }
        return;
    }
    pawl_mat3 R;
    memcpy(R.m, query->frame.rotation, sizeof R.m);
    pawl_vec3 m = m3_tmul(&R, distance.normal);
    const double at[4] = {depth, m.x, m.y, m.z};
    table_site site;
    table_site_at(t, at, dv != NULL, &site);
    double change[6][4];
    table_motion(&R, &distance, change);
    for (int first = 0; first < 6 * t->vertex_count; first += 3) {
        table_third third = table_third_at(table, &site, first, power, power_slope, dv != NULL);
        table_put(&R, &third, change, v + first, dv != NULL ? dv + 6 * first : NULL);
    }
}
