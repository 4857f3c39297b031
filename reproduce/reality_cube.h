// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The cube of reality_data.h in pawl: a model by its parameters, a rollout of each toss, its score, and the fit
// of the parameters. Each apart, so that others can put them together anew.
#pragma once
#include "pawl/sim.h"
#include "reality_data.h"

#define REALITY_SIDE 0.1048   ///< of the cube, to which position errors are referred [m]
#define REALITY_GRAVITY 9.606 ///< as it comes out of the data, whose lengths are 2 % short [m/s^2]
#define REALITY_SUBSTEPS 4    ///< steps a sample: 1/592 s

typedef enum reality_parameter {
    REALITY_FRICTION = 0,
    REALITY_IMPACT_FRICTION,
    REALITY_RESTITUTION,
    REALITY_HALF_SIDE, ///< of the box [m]
    REALITY_TABLE,     ///< height of the table [m]
    REALITY_CENTRE,    ///< mass centre along the body's z [m]
    REALITY_INERTIA,   ///< [kg m^2]
    REALITY_PARAMETERS
} reality_parameter;
const char *reality_parameter_name(reality_parameter p);

typedef enum reality_start {
    REALITY_FIRST_SAMPLE = 0, ///< as tracked, backward differences corrected
    REALITY_FREE_FLIGHT       ///< fitted to the samples before the first contact
} reality_start;

typedef struct reality_score {
    double position; ///< mean error over samples and tosses [% of the side]
    double rotation; ///< [degrees]
    double faces;    ///< tosses that end on the right face [%]
    int tosses;
} reality_score;

typedef struct reality_cube {
    pawl_settings settings;
    double value[REALITY_PARAMETERS];
} reality_cube;
/// Parameters as measured by others, and the settings of a stepper and law.
reality_cube reality_cube_default(pawl_stepper_kind stepper, pawl_impact_law law);

/// A simulation of the cube, for one rollout after the other.
typedef struct reality_world {
    reality_cube cube;
    pawl_model *model;
    pawl_sim *sim;
    pawl_state *state;
} reality_world;
pawl_status reality_world_create(const pawl_env *env, const reality_cube *cube, reality_world *out);
void reality_world_destroy(reality_world *world);
/// What is added to a start: the errors of tracking.
typedef struct reality_noise {
    pawl_vec3 position, rotation; ///< [m], [rad]
    pawl_vec3 velocity, spin;     ///< [m/s], [rad/s]
} reality_noise;
/// Poses at the samples of a toss (its count), from its start, with noise unless NULL.
pawl_status reality_roll(reality_world *world, const reality_toss *toss, reality_start start,
                         const reality_noise *noise, pawl_pose *poses);
/// Mean errors of one series of poses against another.
reality_score reality_compare(const pawl_pose *a, const pawl_pose *b, int count);
/// Distance of two poses [m] and the angle between them [degrees].
double reality_apart(pawl_pose a, pawl_pose b, double *angle);
void reality_poses(const reality_toss *toss, pawl_pose *out); ///< as tracked

/// Every `stride`-th toss from `first` on, rolled out and scored. False: the model is none, or a run failed.
bool reality_judge(const pawl_env *env, const reality_cube *cube, const reality_data *data,
                   int first, int stride, reality_start start, reality_score *out);
/// Looks for the parameters with the least sum of both errors over those tosses. Returns that sum.
double reality_fit(const pawl_env *env, reality_cube *cube, const reality_data *data, int first,
                   int stride, int evaluations);
