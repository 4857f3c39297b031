// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The nonconvex maximal dissipation principle (Pan and Hauser 2020, "NMDP"): of all contact forces that
// the contact models allow at the end of a step, those that leave the least kinetic energy K, with the
// dynamics implicit and nonlinear:
//   minimize K(theta)   subject to   G(theta, w) = 0,  w >= 0,  sum of w over each contact point <= 1.
//
// A step is made of one or more *stages*. Each is an implicit Euler step from some place X^ with some
// rate V^ over some time h: X' = (X - X^)/h, X'' = (X' - V^)/h. Implicit Euler is the stage with X^, V^
// of the step's beginning; the second-order method has two stages (nmdp_advance.c).
#pragma once
#include "linalg/simplex_qp.h"
#include "pawl/contact.h"
#include "pawl/report.h"
#include "pawl/settings.h"
#include "pawl/wrench.h"
#include "step/nmdp/tree_load.h"

// A link's centre of mass and axes; or their rates, or sums of such.
typedef struct nmdp_body {
    pawl_vec3 r;
    pawl_mat3 R;
} nmdp_body;

// Where all is, in generalized coordinates and in space; or how fast. Numbers lie behind one another, so
// that combinations run over all of them.
typedef struct nmdp_moment {
    double *theta;     // (nv)
    nmdp_body *bodies; // (links)
} nmdp_moment;

typedef struct nmdp_stage {
    double h;           // [s]
    double end;         // time at its end; kinematic bodies are there
    double target_time; // when targets of actuators and applied forces are read
    bool extrapolated;  // X^ is no place that the links can be in: only its coordinates are
    nmdp_moment place;  // X^
    nmdp_moment rate;   // V^
} nmdp_stage;

// A contact point of the wrench set.
typedef struct nmdp_point {
    int link, body;
    bool pair;           // it touches another body
    int other_link;      // of that; -1: the ground
    int other_body;      // PAWL_WORLD_INDEX: the ground
    pawl_vec3 other_com; // of that body, in its link frame
    pawl_vec3 anchor;    // from the centre of mass, body axes
    pawl_mat3 axes;      // in body axes
    double radius;
    int first_weight, vertex_count, component_count;
    int first_number; // of its vertices in v
    bool first_order; // its model has derivatives, and they are wanted
    bool rolls;       // its force acts away from c, so that turning moves what touches
    bool turns;       // wrenches: K counts how it turns, too
    double spent;     // sum of its weights when the part began: 1 where it cannot carry more
    bool spins;       // of those, only about the normal
    bool counted;     // in K, during this stage
    bool touching;    // some vertex is not zero, where it is placed
} nmdp_point;

// Where the motion of a point begins that K counts (nmdp_energy.c).
typedef struct nmdp_witness {
    pawl_vec3 from;   // c^, of the centre of its ball [m]
    pawl_mat3 axes;   // of the link, where `turns`
    pawl_vec3 normal; // of the ground, on the way; 0 where there is none
    pawl_vec3 lever;  // from c to where the force acts, on the way [m]
    double gap;       // where c should be at the end: that of c^ and what is to be pushed out [m]
    bool bounded;     // there is ground
    bool turns;       // how the link turns matters
} nmdp_witness;

// A contact point as what it touches sees it: in the link frame of another body, or in the world.
typedef struct nmdp_view {
    pawl_contact_frame frame;
    pawl_mat3 rotation; // of the point's link
    pawl_mat3 axes;     // of the other body in the world
} nmdp_view;

// A joint that closes a loop, or a gear (nmdp_loops.c).
typedef struct nmdp_loop {
    int joint;
    int first_row, row_count;
    int base, follower; // links; -1: the world
    bool gear;
    int column[2];                          // of a gear: driven, source
    int first_coordinate, coordinate_count; // those with forces along them
} nmdp_loop;

// A coordinate of such a joint, where the links are placed.
typedef struct nmdp_loop_coordinate {
    const pawl_coordinate_def *def;
    double value, path; // [m or rad], and its change over the stage
    double limit;       // force of its limits
} nmdp_loop_coordinate;

typedef enum nmdp_outcome {
    NMDP_CONVERGED,
    NMDP_LIMIT, // of iterations: balanced forces, but K could still be less
    NMDP_FAILED // shorter steps may help
} nmdp_outcome;

typedef struct nmdp_counts {
    int outer;  // projected gradient iterations, rejected ones included
    int newton; // projections onto G = 0
    int qp;     // constraints that entered
    int rejected;
    int parts;               // of Algorithm 2 that were taken: 1 unless the step was cut
    int limited;             // stages that ran out of iterations
    int cuts;                // parts that failed and were cut in halves
    double energy_rise;      // largest rise of K within a stage: 0 unless something is wrong
    double residual;         // largest |G| that was left, over its tolerance
    double limit_correction; // work of limits that brought joints back [J]
    double imbalance;        // largest |G| that was left [N or N m]
    double gap; // largest K less the least of its program, where a stage ended [m^2/s^2]
    double
        left; // largest change of a coordinate that a stage still asked for when it ended: by the
              // program that makes K less, and by Newton's method for G = 0 [m or rad]
} nmdp_counts;

typedef struct nmdp {
    pawl_env env;
    const pawl_model *model;
    const pawl_settings *settings;
    reduced_tree *tree;
    reduced_motion *motion;
    pawl_wrench_set *set;
    char *block;
    size_t block_bytes;
    int n;       // nv
    int links;   // of the tree
    int points;  // of the set
    int weights; // of all points
    int numbers; // of a moment
    tree_load load;
    reduced_config config;     // the chart of the step; theta is where things are placed
    nmdp_point *point;         // (points)
    nmdp_witness *witness;     // (points)
    pawl_contact_frame *frame; // (points) where they are placed
    double *J, *Jb, *change;   // (6 x nv), (3 x nv), (6 x nv) of two links (nmdp_relative.c)
    double *v, *dv;            // vertices of all points, and derivatives by their poses
    int *actuator_column;      // (actuators)
    double *target;            // (actuators) of the stage
    int friction_count,
        first_friction;    // coordinates with dry friction, and the first of their weights
    int *friction_column;  // (friction_count)
    int *motion_of;        // (nv) prescribed motion of a coordinate; -1: none
    double *motion_effort; // (nv) that prescribed motions need
    double *motion_scale;  // (nv) of their equations [N/m or N m/rad]
    nmdp_loop *loop;       // (loop_count)
    int loop_count, loop_rows, loop_coordinates;
    nmdp_loop_coordinate *loop_coordinate;       // (loop_coordinates)
    double *loop_gradient;                       // (loop_coordinates x nv)
    double *phi, *Phi;                           // (loop_rows), (loop_rows x nv) where it is placed
    double *loop_scale;                          // (loop_rows) of the equations [N/m or N m/rad]
    double *lambda, *start_lambda, *kept_lambda; // (loop_rows) multipliers of the scaled rows
    int *chosen;                                 // (row_count of loop_rows) independent rows
    int row_count;                               // in this stage
    body_state *loop_bodies;                     // (bodies) poses of the bodies of loops
    pawl_mat3 *loop_rotation;                    // (bodies)
    pawl_mat3 *second; // (links) second moments of mass about the centre, body axes
    nmdp_stage stage;
    nmdp_moment begin, begin_rate; // of a step
    nmdp_moment now, now_rate;     // where a stage ended
    nmdp_moment first, first_rate; // where the first of two stages ended
    double *theta, *trial, *start; // (nv) iterates; unknowns are (theta, lambda)
    double *w, *trial_w;           // (weights)
    double *G, *step, *gradient, *rate, *acceleration; // (nv)
    double *direction;                                 // (nv + loop_rows)
    double *effort;                                    // (actuators)
    signed char *saturated,
        *kept_saturated; // (actuators) at its upper (1) or lower limit (-1); 0: within
    double *matrix, *inertia, *hessian; // (nv x nv)
    double *factor;                     // of the bordered matrix, (nv + row_count) squared
    double *metric;   // (nv x nv) A of K, over the mass of all bodies [1/s^2 and lengths]
    double *shift;    // (nv) rho of K
    double *free_G;   // (nv) G without contacts where the first rate leads
    bool free_known;  // the links are placed there, and `matrix` is its derivative
    int *pivot;       // (nv + loop_rows)
    double loose;     // projections may end with a step of this length [m or rad]; 0: not
    double loose_end; // the same for the last ones of a stage
    double first_correction, last_move,
        bend;              // by a projection, of what was tried, their ratio [m or rad]
    bool unplaced;         // they may end without placing the links
    bool tight;            // but not in the rest of this descent
    bool divisible;        // this part may still be divided where the descent is slow
    double factor_size;    // largest entry of the matrix that was factored
    bool factored;         // `factor` is that of dG/dtheta at an iterate of this stage
    double *B, *slope;     // (nv x max_used) dG/dw, (nv + loop_rows x max_used) d(theta, lambda)/dw
    double *curve;         // (nv x max_used)
    double *Q, *g, *c, *x; // of the quadratic program; g is dK/dw
    int *used;             // (max_used) which weights are in use
    int *group_begin;      // (max_groups + 1)
    int used_count, group_count;
    simplex_qp qp;
    char *program; // memory of the program: from B to qp, for weights in use alone
    size_t program_bytes;
    int max_used, max_groups;
    double beta;    // proximal weight, kept from step to step
    double *kept_w; // (weights) of the last step
    nmdp_counts counts;
    double work[WORK_COUNT]; // of the part under way
    double kinetic;          // energy where it begins [J]
    pawl_contact_info *info; // (points) of the last step
    int info_count;
    nmdp_body ground;  // where the ground is displaced to (sensitivity.c), origin and axes
    bool ground_moved; // it is
    bool keep_metric;  // K has the masses of the last stage
    bool rigid;        // dG/dtheta without the stiffness of contacts
    bool aim_once;     // K is that of the first aim (sensitivity.c)
    bool early_joints; // mdp as published: joints push as they did at the beginning of the step
} nmdp;

// Whether inertia is that of points in space.
static inline bool nmdp_in_space(const nmdp *s)
{
    return s->settings->nmdp.dynamics != PAWL_NMDP_NE;
}

// nmdp.c
pawl_status pawl_nmdp_create(const pawl_env *env, const pawl_model *model,
                             const pawl_settings *settings, nmdp **out);
void pawl_nmdp_destroy(nmdp *s);                  // NULL is fine
int pawl_nmdp_column_of(const nmdp *s, int flat); // of the model's coordinate `flat`; -1: none
// Room in the program for so many weights in groups: what no step has needed yet is allocated. False: no memory.
bool pawl_nmdp_reserve(nmdp *s, int weights, int groups);

// nmdp_points.c: contact points where the links are placed.
void pawl_nmdp_place(nmdp *s, const double *theta, bool derivatives);
// load -= JT v w and, with `derivatives`, its slope; that of points that touch other bodies goes to the matrix (or
// NULL).
void pawl_nmdp_add_contacts(nmdp *s, const double *w, bool derivatives, double *matrix);
// Lists the weights of points that touch, and their columns B = -JT v. False: no memory.
bool pawl_nmdp_columns(nmdp *s);
// A point as it is seen with the links in these places, or where they are placed.
nmdp_view pawl_nmdp_view_in(const nmdp *s, int point, const nmdp_body *bodies);
nmdp_view pawl_nmdp_view_now(const nmdp *s, int point);
// The contacts of a step for those who ask: points that touch where they are placed.
void pawl_nmdp_keep_contacts(nmdp *s);
// Force and moment about the frame's origin.
void pawl_nmdp_point_wrench(const nmdp *s, int point, const double *w, double f[6]);

// nmdp_relative.c: a wrench F at a point p of link a, and -F on link b, as a load; D is its derivative by the motion
// of p and a relative to b (world axes; NULL: none), for the matrix (or NULL). Links may be -1: the world.
void pawl_nmdp_add_relative(nmdp *s, int a, int b, pawl_vec3 p, const double F[6], double D[6][6],
                            double *matrix);
// The motion of p on a relative to b: J (6 x nv), and Jb (3 x nv), how b turns.
void pawl_nmdp_relative_jacobian(nmdp *s, int a, int b, pawl_vec3 p, double *J, double *Jb);

// nmdp_joints.c: dry friction as two weights a coordinate, and prescribed coordinates.
void pawl_nmdp_add_friction(const nmdp *s, const double *w, double *G);
void pawl_nmdp_friction_columns(nmdp *s, int first); // into B, from this column on
double pawl_nmdp_friction_work(const nmdp *s);
double pawl_nmdp_prescribed(const nmdp *s,
                            int column); // where it has to be at the end of the stage
void pawl_nmdp_prescribe(nmdp *s, const double *theta, double *G, double *matrix);
double pawl_nmdp_motion_work(const nmdp *s);

// nmdp_loops.c: rows of loops. Which joints must be in the tree because forces act along their coordinates:
void pawl_nmdp_wanted_joints(const pawl_model *model, bool *wanted);
pawl_status pawl_nmdp_count_loops(nmdp *s); // refuses what it cannot close
pawl_status pawl_nmdp_set_loops(nmdp *s);
// phi, Phi and minus the forces of the multipliers, where the links are placed.
void pawl_nmdp_add_loops(nmdp *s, const double *theta, double *G, double *matrix);
// The rows of this stage, from those at s->trial; multipliers become 0.
void pawl_nmdp_choose_rows(nmdp *s);
double pawl_nmdp_loop_error(const nmdp *s); // largest scaled phi of the chosen rows
void pawl_nmdp_border(nmdp *s);             // s->factor from s->matrix and Phi
void pawl_nmdp_loop_right(const nmdp *s, double *right);
void pawl_nmdp_add_loop_rows(const nmdp *s, double *H);
bool pawl_nmdp_loops_meet_limit(const nmdp *s);
void pawl_nmdp_loop_work(const nmdp *s, double fraction, double *work);
double pawl_nmdp_loop_loss(const nmdp *s);
double pawl_nmdp_loop_rise(const nmdp *s); // of the energy of their springs over the stage

// nmdp_forces.c: minus all forces but those of contacts and inertia, into G and matrix (or NULL); those
// on links go into the load.
void pawl_nmdp_add_forces(nmdp *s, const double *theta, double *G, double *matrix);
// Which actuators are at their limits of effort. A force that is cut off at its limit has a kink, at which Newton's
// method with a search on |G| creeps; so actuators keep their mode while G = 0 is solved, and the modes are corrected
// from outside (nmdp_project.c). The first guess, from the forces that actuators ask for at theta:
void pawl_nmdp_guess_saturation(nmdp *s, const double *theta);
// Corrects modes that theta contradicts, all of them or the worst one; returns how many there were.
int pawl_nmdp_update_saturation(nmdp *s, const double *theta, bool one);
// An applied force and torque in world axes, on a body with these axes.
void pawl_nmdp_applied(const nmdp *s, const pawl_force_def *d, const pawl_mat3 *R, pawl_vec3 *force,
                       pawl_vec3 *torque);
double
pawl_nmdp_spring_rise(const nmdp *s); // of the energy of springs between points over the stage
// What the model says about a coordinate; NULL for floating bases and balls.
const pawl_coordinate_def *pawl_nmdp_coordinate(const nmdp *s, int column);
// Targets of actuators at the stage's target_time, which must be set before.
void pawl_nmdp_read_targets(nmdp *s);
// The force of a coordinate's limits where a stage takes it from `from` to theta, and its derivative by theta.
double pawl_nmdp_limit_force(const nmdp *s, const pawl_coordinate_def *d, double from, double theta,
                             double *slope);

// nmdp_inertia.c: the inertial part of G, gravity included.
void pawl_nmdp_add_inertia(nmdp *s, const double *theta, double *G, double *matrix);
// pbd: whether no link is turned over against where it would be without forces.
bool pawl_nmdp_links_hold(const nmdp *s);
// The part of rotors that turn with coordinates; G may be NULL.
void pawl_nmdp_add_armature(nmdp *s, const double *theta, double *G, double *matrix);
// The angular velocity that a link's rate of axes stands for, where its axes are R: the difference of two rotations
// over the time between them. False where it does not turn.
bool pawl_nmdp_spin(const pawl_mat3 *rate, const pawl_mat3 *R, pawl_vec3 *spin);
// Adds 1/2 int rho |X - X^|^2/h^2 as a load; returns it.
double pawl_nmdp_add_body_energy(nmdp *s, bool curvature);

// nmdp_work.c: adds to the energy balance of a state what the stage did; `fraction`: over how much of its path.
void pawl_nmdp_count_work(const nmdp *s, double fraction, double *work);
// The numerical dissipation of implicit Euler over a part from begin to now.
void pawl_nmdp_count_loss(const nmdp *s, double *work);
// Work of limits that brought joints back from beyond them [J].
double pawl_nmdp_limit_correction(const nmdp *s);

// nmdp_unexplained.c: kinetic energy where the links are placed and moved, and whether the work of the part under way
// explains what became of it from `before` on, as far as the verdict asks.
double pawl_nmdp_kinetic(const nmdp *s, const double *rate);
bool pawl_nmdp_explains(const nmdp *s, double before);

// nmdp_energy.c: K at theta, where the links are placed unless K is that of effective masses; gradient and hessian
// (Gauss-Newton) may be NULL.
void pawl_nmdp_aim(nmdp *s);
bool pawl_nmdp_aim_again(nmdp *s); // from theta and w, with effective masses; false: not possible
bool pawl_nmdp_is_definite(double *A, int n); // symmetric A, lower triangle, which is overwritten
double pawl_nmdp_mass(const nmdp *s);         // of all bodies that can move; 1 where they have none
double pawl_nmdp_energy(nmdp *s, const double *theta, double *gradient, double *hessian);

// nmdp_project.c: G, its derivative, and Newton's method for G(theta, w) = 0.
double pawl_nmdp_balance(nmdp *s, const double *theta, const double *w, double *G, double *matrix);
bool pawl_nmdp_project(nmdp *s, const double *w, double *theta);
void pawl_nmdp_newton_step(nmdp *s,
                           double *theta); // by the direction, with the multipliers of loops
bool pawl_nmdp_factor(nmdp *s);            // s->matrix, with the rows of loops; false: singular
void pawl_nmdp_newton_direction(nmdp *s);  // in s->direction
double pawl_nmdp_tolerance(const nmdp *s, const double *matrix, const double *theta);

// nmdp_descend.c: Algorithm 1 from s->theta and s->w, which get the answer; the links are left placed there.
nmdp_outcome pawl_nmdp_descend(nmdp *s);
void pawl_nmdp_pose_program(nmdp *s);

// nmdp_advance.c: one step of the model. False: it failed, however short its parts; the state is then
// half way and must be thrown away.
bool pawl_nmdp_advance(nmdp *s, pawl_state *state, double end);
// Implicit Euler from begin, begin_rate and w; false where it does not converge. Targets of actuators and applied
// forces are those of `target_time`.
bool pawl_nmdp_euler_stage(nmdp *s, double h, double target_time, double end);
// nmdp_state.c
void pawl_nmdp_read_state(nmdp *s, const pawl_state *state); // into begin, begin_rate, w, beta
// begin and begin_rate from these coordinates in the chart of config, with nothing remembered.
void pawl_nmdp_begin(nmdp *s, const double *theta, const double *rate, double time);
void pawl_nmdp_read_place(nmdp *s, nmdp_moment *out); // where things are placed
void pawl_nmdp_write_state(const nmdp *s, pawl_state *state);
// Keeps in the points how much of their forces these weights use.
void pawl_nmdp_keep_spent(nmdp *s, const double *w);
