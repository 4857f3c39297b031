// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// K, the energy that contact forces minimize. The total kinetic energy is not suitable together with implicit
// controllers: contacts would brake the robot instead of stopping its feet. Therefore K is that of unit masses that
// move like the contact points on the ground,
//   K = 1/(2 h^2) sum ( rise^2 + |slip|^2 ),
//   rise = gap - gap^ - push,   slip = P (c - c^ + turn x lever),   P = 1 - n nT,
// c the origin of a point, its lever from there to the point at which the force acts (-r n of a ball), n the ground's
// normal, turn the rotation vector of the link over the stage; summed over all points, or (penetrating) over those of
// the links that would be in the ground without contact forces, constant for the stage. A measure that follows the
// material point that touched first would be wrong: on a rolling ball this point rises by r (1 - cos(turn)), and the
// ball would sink by the same amount. docs/wrench-contact.md derives it. Gauss-Newton's second derivative, exact
// first ones. `total`: 1/2 int rho |X - X^|^2/h^2 (NMDP eq. 12).
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "step/nmdp/nmdp.h"
#include "tree/articulated.h"
#include <string.h>

static const double energy_least_arm = 0.02; // of moments at points without a radius [m]

// How far the ground may push a point out during the stage. Contacts cannot pull, so only gravity stops a body that
// they have set in motion: with v^2 <= 2 g d it comes to rest no higher than the surface. Half of that is used for
// links that are lighter than their load. A point whose forces are at their bound has the depth that its load
// requires: for a larger correction friction would have to lift what the normal force cannot.
static double energy_push_out(const nmdp *s, const nmdp_point *p, double gap, pawl_vec3 normal)
{
    double depth = isfinite(gap) && gap < 0.0 ? -gap : 0.0;
    double weight = -s->model->bodies[p->body].gravity_scale * v3_dot(s->model->gravity, normal);
    double fastest = s->stage.h * sqrt(fmax(weight, 0.0) * depth);
    // push_out is a rate [1/s]; rate h/(1 + rate h) of the depth is what an implicit decay removes in h.
    double spare = fmax(1.0 - p->spent, 0.0), rate = s->settings->nmdp.push_out * s->stage.h;
    return spare * fmin(rate / (1.0 + rate) * depth, fastest);
}

// The start of the motion of a point, relative to the body that it touches.
static void energy_aim_point(nmdp *s, int i, const nmdp_view *view)
{
    const nmdp_point *p = &s->point[i];
    nmdp_witness *w = &s->witness[i];
    w->from = view->frame.position;
    w->normal = w->lever = v3(0.0, 0.0, 0.0);
    w->bounded = false; // there may be no ground anywhere
    w->turns = p->rolls || p->turns;
    w->axes = view->rotation;
    pawl_wrench_touch touch = pawl_wrench_set_touch(s->set, i, &view->frame);
    if (isfinite(touch.gap)) {
        w->bounded = true;
        w->normal = touch.normal;
        w->lever = touch.lever;
        w->gap = touch.gap + energy_push_out(s, p, touch.gap, m3_mul(&view->axes, touch.normal));
    }
}

// On the way means half way between X^ and where the stage would end with its first rate, where the points are placed:
// normal and lever are their means, exact to second order where ground or body is curved.
static void energy_aim_half_way(nmdp *s)
{
    for (int i = 0; i < s->points; ++i) {
        nmdp_witness *w = &s->witness[i];
        if (!s->point[i].touching || !w->bounded) {
            continue;
        }
        nmdp_view view = pawl_nmdp_view_now(s, i);
        pawl_wrench_touch end = pawl_wrench_set_touch(s->set, i, &view.frame);
        pawl_vec3 sum = v3_add(w->normal, end.normal);
        double length = v3_norm(sum);
        if (length > 1.0) { // less: the ground's piece has changed, or the path is no path any more
            w->normal = v3_scale(1.0 / length, sum);
            w->lever = v3_scale(0.5, v3_add(w->lever, end.lever));
        }
    }
}

// The largest component is found first, so that no angle loses digits (Shepperd 1978).
static pawl_quat energy_quaternion(const pawl_mat3 *M)
{
    const double(*m)[3] = M->m;
    double q[4] = {1.0 + m[0][0] + m[1][1] + m[2][2], 1.0 + m[0][0] - m[1][1] - m[2][2],
                   1.0 - m[0][0] + m[1][1] - m[2][2], 1.0 - m[0][0] - m[1][1] + m[2][2]};
    int best = 0;
    for (int k = 1; k < 4; ++k) {
        best = q[k] > q[best] ? k : best;
    }
    const double product[4][4] = {{q[0], m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]},
                                  {m[2][1] - m[1][2], q[1], m[0][1] + m[1][0], m[0][2] + m[2][0]},
                                  {m[0][2] - m[2][0], m[0][1] + m[1][0], q[2], m[1][2] + m[2][1]},
                                  {m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1], q[3]}};
    const double *row = product[best];
    double scale = 0.5 / sqrt(q[best]);
    return (pawl_quat){scale * row[0], scale * row[1], scale * row[2], scale * row[3]};
}

// The rotation vector of a link over the stage. Its angle is known but for whole turns, which are those of the
// coordinates that turn the link.
static pawl_vec3 energy_turn(const nmdp *s, const nmdp_point *p, const nmdp_view *view,
                             const pawl_mat3 *from)
{
    pawl_mat3 M = m3_product_transposed(&view->rotation, from);
    pawl_vec3 turn = quat_log(energy_quaternion(&M));
    double angle = v3_norm(turn);
    if (angle < 1.0) {
        return turn;
    }
    pawl_vec3 path = v3(0.0, 0.0, 0.0), axis = v3_scale(1.0 / angle, turn);
    for (int side = 0; side < (p->pair ? 2 : 1); ++side) {
        int link = side == 0 ? p->link : p->other_link;
        for (int k = s->tree->links[link].last_column; k >= 0; k = s->tree->columns[k].parent) {
            double change = s->config.theta[k] - s->stage.place.theta[k];
            path = v3_axpy(path, side == 0 ? change : -change, s->motion->S[k].w);
        }
    }
    path = m3_tmul(&view->axes, path);
    const double whole = 6.283185307179586;
    return v3_axpy(turn, whole * round((v3_dot(path, axis) - angle) / whole), axis);
}

// What K counts of a point: rows of a motion y of six (of its frame's centre, and of its link's turn) at most,
// with their derivatives by the six coordinates of the frame.
typedef struct energy_rows {
    int count;
    double y[7], dy[7][6];
} energy_rows;

// Adds one row y [m] with its derivative by the frame's motion (linear, angular).
static void energy_add_row(energy_rows *rows, double y, pawl_vec3 linear, pawl_vec3 angular)
{
    const double d[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    rows->y[rows->count] = y;
    memcpy(rows->dy[rows->count++], d, sizeof d);
}

// The rows that turning has: dturn = A dxi with A the inverse left Jacobian of rotations.
static void energy_add_turn(energy_rows *rows, const nmdp_point *p, const nmdp_witness *w,
                            pawl_vec3 turn, const pawl_mat3 *A)
{
    // Three points around at the distance of the arm move by 2 arm^2 turn^2 beside four times the way of the centre.
    double arm = sqrt(0.5) * (p->radius > 0.0 ? p->radius : energy_least_arm);
    pawl_vec3 none = v3(0.0, 0.0, 0.0);
    if (p->spins) { // moments about the normal alone
        energy_add_row(rows, arm * v3_dot(w->normal, turn), none,
                       v3_scale(arm, m3_tmul(A, w->normal)));
        return;
    }
    const double t[3] = {turn.x, turn.y, turn.z};
    for (int k = 0; k < 3; ++k) {
        energy_add_row(rows, arm * t[k], none,
                       v3(arm * A->m[k][0], arm * A->m[k][1], arm * A->m[k][2]));
    }
}

// Rows of one point: rise (where there is ground), three of slip, and the turn of points with moments. K is half
// the sum of their squares over h^2.
static void energy_point_rows(const nmdp *s, int i, const nmdp_view *view, energy_rows *rows)
{
    const nmdp_point *p = &s->point[i];
    const nmdp_witness *w = &s->witness[i];
    pawl_vec3 none = v3(0.0, 0.0, 0.0), turn = none, n = w->normal;
    pawl_vec3 off = v3_sub(view->frame.position, w->from);
    pawl_mat3 A = {{{0.0}}};
    rows->count = 0;
    if (w->bounded) { // where it touches moves with the link, and the rest of the gap's change is of second order
        pawl_wrench_touch touch = pawl_wrench_set_touch(s->set, i, &view->frame);
        pawl_vec3 lift = p->rolls ? v3_cross(touch.lever, touch.normal) : none;
        energy_add_row(rows, touch.gap - w->gap, touch.normal, lift);
    }
    if (w->turns) {
        turn = energy_turn(s, p, view, &w->axes);
        A = rotation_vector_rate(turn);
    }
    off = v3_add(off, v3_cross(turn, w->lever));
    pawl_vec3 slip = v3_axpy(off, -v3_dot(n, off), n);
    const double y[3] = {slip.x, slip.y, slip.z};
    const pawl_vec3 unit[3] = {v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)};
    const double nv[3] = {n.x, n.y, n.z};
    for (int k = 0; k < 3; ++k) { // P e.(turn x lever) = turn.(lever x P e)
        pawl_vec3 across = v3_axpy(unit[k], -nv[k], n);
        energy_add_row(rows, y[k], across, m3_tmul(&A, v3_cross(w->lever, across)));
    }
    if (p->turns) {
        energy_add_turn(rows, p, w, turn, &A);
    }
}

// Rows of a point that touches another body, by the coordinates: dy J in that body's axes.
// A load on one link cannot hold rows that depend on two: J (6 x nv) of the relative motion is formed instead.
static double energy_add_pair(nmdp *s, const nmdp_point *p, const nmdp_view *view, pawl_vec3 c,
                              const energy_rows *rows, double *tau, double *matrix)
{
    int n = s->n;
    double scale = 1.0 / (s->stage.h * s->stage.h), energy = 0.0, *row = s->change;
    pawl_nmdp_relative_jacobian(s, p->link, p->other_link, c, s->J, s->Jb);
    for (int k = 0; k < rows->count; ++k) {
        const double *d = rows->dy[k];
        pawl_vec3 linear = m3_mul(&view->axes, v3(d[0], d[1], d[2]));
        pawl_vec3 angular = m3_mul(&view->axes, v3(d[3], d[4], d[5]));
        energy += 0.5 * scale * rows->y[k] * rows->y[k];
        for (int i = 0; i < n; ++i) {
            row[i] = linear.x * s->J[i] + linear.y * s->J[n + i] + linear.z * s->J[2 * n + i] +
                     angular.x * s->J[3 * n + i] + angular.y * s->J[4 * n + i] +
                     angular.z * s->J[5 * n + i];
        }
        for (int i = 0; i < n; ++i) {
            if (tau != NULL) {
                tau[i] += scale * row[i] * rows->y[k];
            }
            for (int j = 0; j < n && matrix != NULL && row[i] != 0.0; ++j) {
                matrix[i * n + j] += scale * row[i] * row[j];
            }
        }
    }
    return energy;
}

// dyT y as force and moment, or dyT dy as a slope.
static double energy_load(nmdp *s, const nmdp_point *p, pawl_vec3 c, const energy_rows *rows,
                          bool curvature)
{
    double scale = 1.0 / (s->stage.h * s->stage.h), energy = 0.0;
    double f[6] = {0.0}, slope[6][6] = {{0.0}};
    for (int k = 0; k < rows->count; ++k) {
        energy += 0.5 * scale * rows->y[k] * rows->y[k];
        for (int a = 0; a < 6; ++a) {
            double d = scale * rows->dy[k][a];
            f[a] += d * rows->y[k];
            for (int b = 0; b < 6 && curvature; ++b) {
                slope[a][b] += d * rows->dy[k][b];
            }
        }
    }
    pawl_vec3 none = v3(0.0, 0.0, 0.0);
    pawl_tree_load_add(&s->load, p->link, c, curvature ? none : v3(f[0], f[1], f[2]),
                       curvature ? none : v3(f[3], f[4], f[5]), curvature ? slope : NULL);
    return energy;
}

// One pass over the counted points: tau (nv) += dyT y, or where that is NULL matrix += dyT dy; each may be NULL.
static double energy_of_points(nmdp *s, double *tau, double *matrix)
{
    double energy = 0.0;
    pawl_tree_load_clear(&s->load);
    for (int i = 0; i < s->points; ++i) {
        const nmdp_point *p = &s->point[i];
        if (!p->counted) {
            continue;
        }
        energy_rows rows;
        nmdp_view view = pawl_nmdp_view_now(s, i);
        energy_point_rows(s, i, &view, &rows);
        // Rows are in the axes of the touched body, which the load of a link cannot turn.
        bool turned = p->pair || s->ground_moved;
        energy += turned ? energy_add_pair(s, p, &view, s->frame[i].position, &rows, tau, matrix)
                         : energy_load(s, p, s->frame[i].position, &rows, matrix != NULL);
    }
    if (tau != NULL) {
        pawl_tree_load_gather(&s->load, tau, NULL);
    } else if (matrix != NULL) {
        pawl_tree_load_gather(&s->load, s->step, matrix); // the loads themselves are zero
    }
    return energy;
}

// ---- effective masses --------------------------------------------------------------------------

double pawl_nmdp_mass(const nmdp *s)
{
    double mass = 0.0;
    for (int i = 0; i < s->links; ++i) {
        mass += s->tree->links[i].driven ? 0.0 : s->model->bodies[s->tree->links[i].body].mass;
    }
    return mass > 0.0 ? mass : 1.0;
}

// Cholesky's factor goes over A.
// Row by row, in place. A pivot below 1e-12 of its diagonal counts as not positive: the metric must also be
// invertible.
bool pawl_nmdp_is_definite(double *A, int n)
{
    for (int j = 0; j < n; ++j) {
        double *row = A + (size_t)j * (size_t)n;
        for (int k = 0; k < j; ++k) {
            const double *above = A + (size_t)k * (size_t)n;
            row[k] = (row[k] - pawl_dot(row, above, k)) / above[k];
        }
        double pivot = row[j] - pawl_dot(row, row, j);
        if (!(pivot > 1e-12 * row[j])) {
            return false;
        }
        row[j] = sqrt(pivot);
    }
    return true;
}

// The symmetric part of `matrix` over the mass; false where it is not positive definite.
// Over the mass of all bodies, so that K is a squared velocity and its tolerance does not depend on the model's
// weight.
static bool energy_take_metric(nmdp *s)
{
    size_t n = (size_t)s->n;
    double scale = 0.5 / pawl_nmdp_mass(s);
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
            s->metric[i * n + j] = scale * (s->matrix[i * n + j] + s->matrix[j * n + i]);
        }
    }
    for (size_t k = 0; k < n;
         ++k) { // a prescribed coordinate moves as it must, whatever the others do
        for (size_t j = 0; j < n && s->motion_of[k] >= 0; ++j) {
            s->metric[k * n + j] = s->metric[j * n + k] = j == k ? s->metric[k * n + k] : 0.0;
        }
    }
    memcpy(s->factor, s->metric, n * n * sizeof *s->factor);
    return pawl_nmdp_is_definite(s->factor, s->n);
}

// A = dG/dtheta without contacts where the stage would end with its first rate: what contact forces there meet. Fast
// turns and long steps can make it indefinite; inertia and the stiffness of joints alone are not.
static void energy_set_metric(nmdp *s)
{
    size_t n = (size_t)s->n;
    if (s->keep_metric) {
        pawl_nmdp_place(s, s->trial, false);
        return;
    }
    memset(s->trial_w, 0, (size_t)s->weights * sizeof *s->trial_w);
    double size = pawl_nmdp_balance(s, s->trial, s->trial_w, s->G, s->matrix);
    if (isfinite(size) && energy_take_metric(s)) {
        memcpy(s->free_G, s->G, n * sizeof *s->G);
        s->free_known = s->model->motion_count == 0; // those have changed their rows
        return;
    }
    double h2 = s->stage.h * s->stage.h;
    pawl_reduced_inertia_dense(s->motion, s->matrix);
    for (size_t i = 0; i < n * n; ++i) {
        s->matrix[i] /= h2;
    }
    pawl_nmdp_add_armature(s, NULL, NULL, s->matrix);
    energy_take_metric(s);
}

// Prescribed coordinates count nothing: rho has all their motion.
static void energy_shift_prescribed(nmdp *s)
{
    for (int k = 0; k < s->n; ++k) {
        if (s->motion_of[k] >= 0) {
            s->shift[k] = pawl_nmdp_prescribed(s, k) - s->stage.place.theta[k];
        }
    }
}

// JT J (in `hessian`) and JT y (in `G`) of the contacts that touch where the links are placed, over h^2, with the
// coordinates that have dry friction; `factor` is that of JT J + a little A, so that equations J x = z have the solution
// with least xT A x in the sense of least squares. False: nothing touches, or it is singular.
static bool energy_factor_rows(nmdp *s, const double *theta)
{
    int n = s->n, counted = 0;
    const double fraction = 1e-8; // of the masses beside the rows
    for (int i = 0; i < s->points; ++i) {
        s->point[i].counted = s->point[i].touching;
        counted += s->point[i].touching ? 1 : 0;
    }
    if (counted == 0) {
        return false;
    }
    memset(s->hessian, 0, (size_t)n * (size_t)n * sizeof *s->hessian);
    memset(s->G, 0, (size_t)n * sizeof *s->G);
    energy_of_points(s, NULL, s->hessian);
    energy_of_points(s, s->G, NULL);
    for (int i = 0; i < s->friction_count; ++i) { // y = theta - theta^: nothing more
        int k = s->friction_column[i];
        double row = 1.0 / (s->stage.h * s->stage.h);
        s->hessian[k * n + k] += row;
        s->G[k] += row * (theta[k] - s->stage.place.theta[k]);
    }
    pawl_nmdp_add_loop_rows(s, s->hessian); // theirs is 0 at the end of the stage
    double rows = 0.0, masses = 0.0;
    for (int k = 0; k < n; ++k) {
        rows = fmax(rows, s->hessian[k * n + k]);
        masses = fmax(masses, s->metric[k * n + k]);
    }
    for (int k = 0; k < n * n; ++k) {
        s->factor[k] = s->hessian[k] + fraction * rows / masses * s->metric[k];
    }
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n && s->motion_of[k] >= 0; ++j) {
            s->factor[k * n + j] = s->factor[j * n + k] = j == k ? 1.0 : 0.0;
        }
    }
    return pawl_lu_factor(s->factor, n, s->pivot);
}

// rho, the part of the motion of the contacts over the stage beyond the linear one, J (theta - theta^), and the
// correction of the depth: J rho = J d - y where the stage would end with its first rate, in the least-squares sense
// and with least norm in directions without contacts.
static void energy_set_shift(nmdp *s)
{
    int n = s->n;
    memset(s->shift, 0, (size_t)n * sizeof *s->shift);
    if (energy_factor_rows(s, s->trial)) {
        for (int k = 0; k < n; ++k) {
            bool prescribed = s->motion_of[k] >= 0;
            s->step[k] = prescribed ? 0.0 : s->trial[k] - s->stage.place.theta[k];
        }
        for (int k = 0; k < n; ++k) {
            s->shift[k] = pawl_dot(s->hessian + (size_t)k * (size_t)n, s->step, n) - s->G[k];
        }
        pawl_lu_solve(s->factor, n, s->pivot, s->shift);
    }
    energy_shift_prescribed(s);
}

// The principle asks that the power of a vertex, v.y, decides; K has v.J (dG/dtheta)^-T A (d - rho) in its place, which
// is the same as long as A is dG/dtheta but for contact stiffness, and y is linear in d. In long steps with fast turns
// it is not: contact forces turn the levers that they act on, and edges on which boxes topple would creep. K is then
// aimed again from where the stage has arrived: A (d - rho) = (dG/dtheta)T r with J r = y there has the right slope by
// every weight.
bool pawl_nmdp_aim_again(nmdp *s)
{
    int n = s->n;
    bool late = !s->stage.extrapolated;
    s->factored = false; // its memory is used here
    pawl_nmdp_place(s, s->theta, false);
    for (int i = 0; i < s->points && late; ++i) {
        if (s->point[i].touching && !s->point[i].counted) {
            nmdp_view view = pawl_nmdp_view_in(s, i, s->stage.place.bodies);
            energy_aim_point(s, i, &view);
        }
    }
    if (!energy_factor_rows(s, s->theta)) {
        return false;
    }
    double *r = s->direction, *slope = s->gradient;
    memcpy(r, s->G, (size_t)n * sizeof *r);
    pawl_lu_solve(s->factor, n, s->pivot, r);
    s->rigid = true;
    pawl_nmdp_balance(s, s->theta, s->w, s->G, s->matrix);
    s->rigid = false;
    double scale = 1.0 / pawl_nmdp_mass(s);
    memset(slope, 0, (size_t)n * sizeof *slope);
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n && s->motion_of[k] < 0; ++j) {
            slope[j] += scale * s->matrix[k * n + j] * r[k];
        }
    }
    memcpy(s->factor, s->metric, (size_t)n * (size_t)n * sizeof *s->factor);
    if (!pawl_lu_factor(s->factor, n, s->pivot)) {
        return false;
    }
    pawl_lu_solve(s->factor, n, s->pivot, slope);
    for (int k = 0; k < n; ++k) {
        s->shift[k] = s->theta[k] - s->stage.place.theta[k] - slope[k];
    }
    energy_shift_prescribed(s);
    return true;
}

// K = (d - rho)T A (d - rho)/2 with d = theta - theta^: a quadratic, because A and rho are frozen for the stage.
static double energy_effective(nmdp *s, const double *theta, double *gradient, double *hessian)
{
    int n = s->n;
    double energy = 0.0;
    for (int k = 0; k < n; ++k) {
        s->step[k] = theta[k] - s->stage.place.theta[k] - s->shift[k];
    }
    for (int k = 0; k < n; ++k) {
        double along = pawl_dot(s->metric + (size_t)k * (size_t)n, s->step, n);
        energy += 0.5 * s->step[k] * along;
        if (gradient != NULL) {
            gradient[k] = along;
        }
    }
    if (hessian != NULL) {
        memcpy(hessian, s->metric, (size_t)n * (size_t)n * sizeof *hessian);
    }
    return energy;
}

// Freezes for the stage what K measures motion from. It must be called before the first K of a stage, and leaves
// the place of the links undefined.
void pawl_nmdp_aim(nmdp *s)
{
    if (s->stage.extrapolated) {
        memcpy(s->config.theta, s->stage.place.theta, (size_t)s->n * sizeof(double));
        pawl_reduced_place(s->motion, &s->config, s->stage.end);
    }
    // Of effective masses only points count that touch where the first rate leads: others need no distance.
    bool late = s->settings->nmdp.energy == PAWL_NMDP_ENERGY_EFFECTIVE && !s->stage.extrapolated;
    for (int i = 0; i < s->points && !late; ++i) {
        nmdp_view view = s->stage.extrapolated ? pawl_nmdp_view_now(s, i)
                                               : pawl_nmdp_view_in(s, i, s->stage.place.bodies);
        energy_aim_point(s, i, &view);
    }
    for (int k = 0; k < s->n; ++k) {
        s->trial[k] = s->motion_of[k] >= 0
                          ? pawl_nmdp_prescribed(s, k)
                          : s->stage.place.theta[k] + s->stage.h * s->stage.rate.theta[k];
    }
    pawl_nmdp_guess_saturation(s, s->trial);
    for (int k = 0; k < s->n; ++k) { // nothing of the last stage may show in this one
        s->motion_scale[k] = 1.0;
    }
    pawl_nmdp_choose_rows(s);
    if (s->settings->nmdp.energy == PAWL_NMDP_ENERGY_EFFECTIVE) {
        energy_set_metric(s);
        for (int i = 0; i < s->points && late; ++i) {
            if (s->point[i].touching) {
                nmdp_view view = pawl_nmdp_view_in(s, i, s->stage.place.bodies);
                energy_aim_point(s, i, &view);
            }
        }
        energy_aim_half_way(s);
        energy_set_shift(s);
    } else if (s->settings->nmdp.energy != PAWL_NMDP_ENERGY_TOTAL) {
        pawl_nmdp_place(s, s->trial, false);
        energy_aim_half_way(s);
    }
}

// NMDP eq. 12, for nmdp.energy=total.
static double energy_in_space(nmdp *s, double *gradient, double *hessian)
{
    pawl_tree_load_clear(&s->load);
    double energy = pawl_nmdp_add_body_energy(s, hessian != NULL);
    if (gradient != NULL) {
        pawl_tree_load_gather(&s->load, gradient, NULL);
    } else if (hessian != NULL) {
        pawl_tree_load_gather(&s->load, s->step, hessian); // the loads themselves are zero
    }
    return energy;
}

// K where the links are placed. Gradient and second derivative take a pass each, because a load is either a force
// or a slope.
double pawl_nmdp_energy(nmdp *s, const double *theta, double *gradient, double *hessian)
{
    if (s->settings->nmdp.energy == PAWL_NMDP_ENERGY_EFFECTIVE) {
        return energy_effective(s, theta, gradient, hessian);
    }
    double (*pass)(nmdp *, double *, double *) =
        s->settings->nmdp.energy == PAWL_NMDP_ENERGY_TOTAL ? energy_in_space : energy_of_points;
    if (hessian != NULL) {
        memset(hessian, 0, (size_t)s->n * (size_t)s->n * sizeof *hessian);
        pass(s, NULL, hessian);
    }
    if (gradient != NULL) {
        memset(gradient, 0, (size_t)s->n * sizeof *gradient);
    }
    return pass(s, gradient, NULL);
}
