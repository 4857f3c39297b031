// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A family of rows: the rows of joints, springs, limits, contacts ... in the constraint problem.
//
// A family is one file with one table of functions and one line in row_table.c. The plan gets all rows that a model
// can have from the families, a placement their Jacobians and residuals, a problem their biases, compliances and
// bounds. No other code depends on the family of a row: other properties of rows are traits or functions of this
// table.
#pragma once
#include "collide/contact.h"
#include "model/softness.h"
#include "model/state.h"
#include "problem/problem.h"
#include "rows/joint_kinematics.h"

typedef struct pawl_assembly pawl_assembly;
typedef struct row_family row_family;

typedef struct row_info {
    const row_family *family;
    int owner;      // joint, motion, spring, actuator or contact; of coordinate rows the joint
    int part;       // row within the joint or contact, axis of a spring, or the coordinate
    int coordinate; // flat index, -1 for rows of joints, springs and contacts
    int slot;       // identity, see impulse_slots; -1: not remembered from step to step
    double sign;    // of the row along its coordinate: -1 for upper limits, else 1
} row_info;

enum { BLOCK_MAX_BODIES = 4 };
// Rows that are placed together. A joint's block has the joint's own rows, then those of its coordinates.
typedef struct row_block {
    problem_block rows;
    const row_family *family; // that places it
    int joint;                // whose frames it uses; -1 for springs and contacts
    int body_count;           // bodies it touches, the world left out
    int body[BLOCK_MAX_BODIES];
    int jacobian[BLOCK_MAX_BODIES]; // offset of the dim x 6 Jacobian of each
} row_block;

// One joint coordinate that something acts on.
typedef struct coordinate_row {
    double value; // turns counted
    double base[6], follower[6];
} coordinate_row;

// How a stepper weighs the ends of a step of length h. Dampers act on (1 - theta) q'- + theta q'+.
// Springs act at value + h (ahead q'+ - behind q'-), value being the coordinate where the rows are
// placed: the end of the step for implicit Euler (1, 1, 0), the mean of its ends for the
// trapezoidal rule placed at the midpoint (1/2, 1/4, 1/4).
typedef struct step_weights {
    double h;
    double theta, ahead, behind;
    double place_time;         // when the rows are placed [s]
    double reach;              // time from there to the end of the step: gaps may close in it
    int gyroscope_corrections; // how often the gyroscopic torque is computed anew from the rows' impulses
    bool predict_spin;         // it uses the last step's impulses before the first solve
    bool
        keeps_momentum; // spins before it are those of angular momenta that stay in the world: no gyroscopic torque
    double begin, end; // the step's interval [s]
    bool
        at_end; // a stage: what is prescribed has its rate at place_time, not its mean over the step
    double impulse_fraction; // fraction of the impulses that counts in work and reactions
    double target_time[2];   // forces and actuator targets are the mean of these two times
    // Hard rows hold for u+ + start_weight u-: 1 for the mean of both ends. So do contacts and limits that
    // are held; with persistent_only there are no others.
    double start_weight;
    bool persistent_only;
    const body_state
        *about; // twists that springs are linearized about; NULL: those before the step
    // (free rows) rates of the rotors of armatures before the step; NULL: those of the rows
    const double *rotor;
    bool own_erp; // joints may have an erp of their own
    double erp_joint, erp_limit;
    double erp_contact;
    double allowed_depth; // of contacts [m]
    double still;         // gaps of limits and contacts that ask for less count as closed [m/s]
    bool literal_bias;    // of limits and contacts: loops eqs. 90b and 91b as printed
    // Fastest corrections of positions, by contacts and by limits [m/s or rad/s].
    double contact_correction_speed, limit_correction_speed;
    bool soft_friction; // of soft contacts
    // Springs between points that are too stiff for the step are bent: they act as they are at the end of the
    // step (step/common/stiff_springs.c). Times for which the twists before and after the step move the bodies up
    // to and from where the rows are placed; both 0: nothing is bent.
    double before_time, after_time;
} step_weights;

// Rates of a row before the step, of the motion that springs are linearized about, and of the rotor of an armature.
typedef struct row_rates {
    double before, about, rotor;
} row_rates;

// The force law of a row that gives way: force = -stiffness stretch - damping rate - armature rate'. The stretch is
// value - rest, or what is left of it beyond the play of a spring that is slack from rest to rest + slack.
typedef struct row_law {
    double stiffness, damping, armature, rest, slack;
} row_law;

// The rows that a model can ever have. Families call the functions below with it, once to count (a is NULL)
// and once to fill.
typedef struct row_plan {
    const pawl_model *model;
    pawl_assembly *a;
    impulse_slots slots;
    const bool *tree_joint; // (joints) held by coordinates, no rows of their own; NULL: none
    int joint_slot;         // of the first row of the joint at hand
    int rows, blocks, jacobian, candidates;
} row_plan;
void pawl_row_plan_row(row_plan *p, row_info info);
// Closes a block over the rows since first_row, if there are any.
void pawl_row_plan_block(row_plan *p, const row_family *family, int first_row, int joint,
                         const int *body, int body_count);
// A bounded row, assembled in the steps in which it can act.
void pawl_row_plan_candidate(row_plan *p, row_info info);

// What others need to know of the rows of a family.
enum {
    ROW_IS_HARD =
        1 << 0, // a constraint that is satisfied exactly, and projected, unless it is soft
    ROW_STORES_ENERGY = 1 << 1,  // a spring: of its work, that of its damper alone leaves the model
    ROW_ONE_SIDED = 1 << 2,      // may open: limits and contacts
    ROW_RESISTS_MOTION = 1 << 3, // but no displacement: nothing in corrections of positions
    ROW_IS_LIMIT = 1 << 4,       // has a gap, see pawl_limit_gap_at()
    ROW_IS_DRY = 1 << 5          // dry friction of a coordinate: sticks between its bounds
};

struct row_family {
    const char *name;
    unsigned traits;   // ROW_*
    int work_kind;     // WORK_*: the part of the energy balance that its work is in
    unsigned measured; // PAWL_MEASURED_* that a model with such rows gives
    // The plan; any of these may be NULL. Free rows of a joint's block, free blocks of its own, and
    // bounded rows: all in the order of the table.
    void (*plan_joint)(row_plan *p, int joint);
    void (*plan_blocks)(row_plan *p);
    void (*plan_bounded)(row_plan *p);
    // Jacobian and residual of a free block of its own.
    void (*place)(pawl_assembly *a, const row_block *b);
    // Bias, compliance and bounds of row r of block b, which is free, hard and without bias so far. `persistent`: of
    // limits.
    void (*fill)(pawl_assembly *a, const row_block *b, int r, const step_weights *w, row_rates rate,
                 bool persistent);
    // Whether candidate k is part of the problem of this step, from its rate now and that of the free motion;
    // NULL: always.
    bool (*is_near)(const pawl_assembly *a, int k, double rate, double ahead, double h);
    // Rows that come and go with each step, placed and filled at once behind all others.
    void (*append)(pawl_assembly *a, const body_state *start, const step_weights *w);
    // NULL where the row is no spring, damper or armature; t is the time of targets.
    row_law (*law)(const pawl_model *m, const row_info *info, double t);
    // Of hard rows: the joint, whether its residual is an angle, the rate that is prescribed (NULL: 0), and
    // what a person calls it.
    int (*joint)(const pawl_model *m, const row_info *info);
    bool (*is_angle)(const pawl_model *m, const row_info *info);
    double (*rate)(const pawl_model *m, const row_info *info, double t);
    const char *(*describe)(const pawl_model *m, const row_info *info);
};

// The table: the order of the rows of a block, and of all blocks.
extern const row_family *const pawl_row_families[];
extern const int pawl_row_family_count;
