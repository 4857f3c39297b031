// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The scenes that the benchmarks give to every engine, described once as neutral data: bodies about
// their centres of mass, joints by world point and axis, shapes on the bodies. An adapter turns
// this into its engine's own model, so all engines simulate the same thing from the same start.
#pragma once
#include "pawl/base.h"

#define BENCH_WORLD (-1)

typedef struct bench_body {
    pawl_pose pose;    ///< of the centre of mass and the principal axes
    pawl_twist twist;  ///< of the centre of mass, world axes
    double mass;       ///< [kg]
    pawl_vec3 inertia; ///< principal moments about the body's x, y, z [kg m^2]
} bench_body;

typedef enum bench_joint_kind {
    BENCH_HINGE = 0,
    BENCH_BALL,
    BENCH_FIXED ///< to be modelled as a constraint even where an engine could merge the two bodies
} bench_joint_kind;

typedef struct bench_joint {
    bench_joint_kind kind;
    int base, follower;       ///< the base may be BENCH_WORLD
    pawl_vec3 point;          ///< in the world, at the start
    pawl_vec3 axis;           ///< of a hinge: unit vector in the world, at the start
    pawl_vec3 base_point;     ///< the same point in the base's and in the follower's axes, from
    pawl_vec3 follower_point; ///< their centres: what closure is measured between
    double stiffness;         ///< of a hinge: a servo that holds its angle of the start, 0 for none
    double damping;           ///< [N m/rad] and [N m s/rad]
} bench_joint;

typedef enum bench_shape_kind {
    BENCH_SPHERE = 0, ///< size.x radius
    BENCH_BOX         ///< size half extents, along the body's axes
} bench_shape_kind;

typedef struct bench_shape {
    bench_shape_kind kind;
    int body;
    pawl_vec3 offset; ///< its centre in the body's axes, from the body's centre
    pawl_vec3 size;   ///< [m]
} bench_shape;

typedef struct bench_scene {
    char name[40];
    pawl_vec3 gravity;
    int body_count, joint_count, shape_count;
    bench_body *bodies;
    bench_joint *joints;
    bench_shape *shapes; ///< none: no engine pays for collisions. Bodies that share a joint do not
                         ///< collide
    bool floor;          ///< the half space z <= 0 is solid
    double bin;          ///< half the width of a square bin about the z axis, with walls of any
                         ///< height; 0: none. Known to pawl's adapter alone
    double friction;     ///< of every pair
    double settle;       ///< what moves later than this drifts [s]
    double shortest;     ///< rod or box edge [m]: a joint that opens further has come apart
    double swing; ///< what energy errors are measured by, and what no motion can gain [J]: the
                  ///< scene's potential at the start above its lowest position (four-bar: above the
                  ///< ground line). E itself will not do: the chain's is 0.
} bench_scene;

/// S4: a four-bar linkage whose crank and rocker start askew, at rest.
bench_scene *bench_scene_four_bar(void);
/// S5: `links` links of 0.1 m and 0.1 kg, held at one end, released horizontally.
bench_scene *bench_scene_chain(int links);
/// S8: the IFToMM N-four-bar, `windows` parallelograms of 1 m, 1 kg rods, upright at 1 m/s.
bench_scene *bench_scene_ladder(int windows);

/// S1: a box that slides along x until friction stops it.
bench_scene *bench_scene_sliding_box(void);
/// S2: 1000 kg fixed on top of 1 kg, `offset` to the side [m].
bench_scene *bench_scene_fixed(double offset);
/// S3: two sticks and a short link between them, dropped while they spin.
bench_scene *bench_scene_nunchuk(void);
/// S6: a quadruped that its servos hold up.
bench_scene *bench_scene_quadruped(void);
/// S7: cubes on each other.
bench_scene *bench_scene_stack(int height);
/// S7: `rows` rows of as many bricks, every other row shifted by a quarter of one; the bricks of a
/// row stand 2 mm apart.
bench_scene *bench_scene_wall(int rows);
/// D12: cubes of 1 m on each other, the lowest of 1 kg, the topmost of `ratio` kg, those between in
/// geometric progression.
bench_scene *bench_scene_heavy_stack(int height, double ratio);
/// `count` spheres or cubes of 0.1 m and 1 kg, let fall into a bin that about as many fit side by side
/// as on each other. Where and how they start is jittered, the same in every run.
bench_scene *bench_scene_bin(bench_shape_kind kind, int count);
/// `side`^3 boxes of two sizes, turned every way, dropped in a heap: contacts come and go.
bench_scene *bench_scene_heap(int side);
/// A house of cards of that many levels, each pair leaning at 20 degrees: what stands by friction alone.
bench_scene *bench_scene_cards(int levels);
/// Two piers of that many courses, each leaning inwards, with a lintel across them.
bench_scene *bench_scene_arch(int courses);
/// A cube of 0.1 m that rolls over its edges until it comes to rest.
bench_scene *bench_scene_tumbling(void);
/// A cube of 0.1 m thrown on the floor.
bench_scene *bench_scene_toss(void);
/// S9: a box at rest on an incline of that slope, made by tilting gravity along x or along x = y.
bench_scene *bench_scene_incline(double slope, bool diagonal);
/// S10: a flat box that slides and spins.
bench_scene *bench_scene_spinning_box(void);

/// S12: a humanoid of 22 bodies, 27 degrees of freedom, that its servos hold up.
bench_scene *bench_scene_humanoid(void);
/// S13: a biped of 31 bodies whose legs are closed linkages: 36 hinges, 180 rows, of which 18 are redundant.
bench_scene *bench_scene_loop_biped(void);

void bench_scene_destroy(bench_scene *scene);
