// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Describe a mechanism with a builder, compile it to an immutable model, ask the model about it.
///
/// Bodies have a *link frame*, in which their shapes, anchors and centre of mass are given. Joints
/// form a graph, not a tree: any two bodies, or a body and the world, any number of loops. All
/// units are SI. Every def starts from its `_default()` function.
///
/// **Threads.** A model is immutable: any number of threads, states and simulations share it. A builder belongs to one
/// thread at a time. Callbacks of signals are called by whichever thread steps, and must allow that.
#pragma once
#include "pawl/id.h"
#include "pawl/warning.h"

PAWL_EXTERN_C_BEGIN

/// A scalar function of time.
typedef enum pawl_signal_kind {
    PAWL_SIGNAL_CONSTANT = 0, ///< value
    PAWL_SIGNAL_SINUSOID,     ///< value + amplitude sin(frequency t + phase)
    PAWL_SIGNAL_TABLE, ///< times/values, interpolated; constant outside, or repeated after the end
    PAWL_SIGNAL_CALLBACK ///< callback(user, t); must be a pure function of t
} pawl_signal_kind;
/// Between the points of a table. Values are stored in files.
typedef enum pawl_interpolation {
    PAWL_LINEAR = 0,
    PAWL_CUBIC, ///< C1: Hermite, rates by finite differences
    PAWL_SMOOTH ///< C1: cubic from rest to rest, rate 0 at every point, as for keyframes
} pawl_interpolation;
typedef struct pawl_signal {
    pawl_signal_kind kind;
    double value;
    double amplitude, frequency, phase; ///< frequency in rad/s
    pawl_interpolation interpolation;   ///< of a table
    double period;                      ///< > 0: the table's last `period` repeats for ever [s]
    int count;                          ///< of the table; at least 2 [-]
    const double *times, *values;       ///< strictly increasing times [s]; copied by the builder
    double (*callback)(void *user, double t);
    void *user;
} pawl_signal;
PAWL_API pawl_signal pawl_signal_constant(double value);

/// The compliance of a constraint, with the parameters of MuJoCo's solref and solimp. The violation r
/// should decay like that of a damped oscillator, with the acceleration
///   a_ref = -b r' - k r,   b = 2/(dw T),   k = d(r)/(dw T zeta)^2.
/// The row gets 1 - d times the acceleration without the constraint, plus d times a_ref. The
/// impedance d(r) rises from d0 at r = 0 to dw at |r| = width and is constant beyond, along the curve
/// y = x^power/midpoint^(power - 1) below x = midpoint and its mirror image above. See docs/math.md,
/// section 9.
typedef struct pawl_softness {
    double time_constant; ///< T; at least two steps. 0: the model's default; < 0: hard [s]
    double damping_ratio; ///< zeta, > 0; 1: critical [-]
    double d0, dw;        ///< from 0 to 1, both excluded; 1 would be hard [-]
    double width;         ///< 0: the mean of d0 and dw throughout [m or rad]
    double midpoint;      ///< from 0 to 1, both excluded [-]
    double power;         ///< 1 (a straight line) or more [-]
} pawl_softness;
/// The default of the model, with MuJoCo's other parameters: damping ratio 1, d0 0.9, dw 0.95, width 1 mm, midpoint 0.5, power 2.
PAWL_API pawl_softness pawl_softness_default(void);

typedef enum pawl_shape_kind {
    PAWL_SHAPE_SPHERE = 0,  ///< size.x radius
    PAWL_SHAPE_BOX,         ///< size half extents
    PAWL_SHAPE_CYLINDER,    ///< size.x radius, size.z half length along z
    PAWL_SHAPE_CAPSULE,     ///< size.x radius, size.z half length of its straight part along z
    PAWL_SHAPE_ELLIPSOID,   ///< size semi-axes
    PAWL_SHAPE_PLANE,       ///< the half space z <= 0 of its frame; no mass
    PAWL_SHAPE_HULL,        ///< the convex hull of `points`; size is not used
    PAWL_SHAPE_HEIGHTFIELD, ///< made only by pawl_builder_add_heightfield(); size is not used
    PAWL_SHAPE_MESH,        ///< the `triangles` over `points`, concave or not; size is not used
    PAWL_SHAPE_COUNT
} pawl_shape_kind;
PAWL_API const char *pawl_shape_kind_name(pawl_shape_kind kind); ///< e.g. "box"
typedef struct pawl_shape_def {
    const char *name; ///< may be NULL
    pawl_shape_kind kind;
    pawl_pose frame;         ///< in the link frame
    pawl_vec3 size;          ///< see pawl_shape_kind [m]
    float rgba[4];           ///< for drawing only
    bool visual_only;        ///< never collides, and has no mass when a density is given
    const pawl_vec3 *points; ///< of a hull or mesh, in the shape's frame; copied by the builder [m]
    int point_count;         ///< of a hull: 4 to 4096, not all in one plane
    /// Of a mesh: three points each, counter-clockwise seen from outside; copied by the builder. A closed mesh is solid
    /// (a density then gives its mass); an open one pushes to the side of its normals and has no mass.
    const int *triangles;
    int triangle_count;        ///< 1 to 1000000
    double friction;           ///< coefficient; pairs combine by contact.friction_rule [-]
    double restitution;        ///< of the normal velocity; pairs by contact.restitution_rule [-]
    double impact_friction;    ///< coefficient in impacts; < 0: contact.impact_friction of it [-]
    double torsional_friction; ///< largest moment about the normal per normal force; 0 for none [m]
    double rolling_friction;   ///< largest moment about the tangents per normal force; 0: none [m]
    uint32_t group, mask; ///< two shapes touch if each one's group has a bit of the other's mask
    pawl_softness soft;   ///< two soft shapes: the mean of their numbers; one: its own
    double erp;      ///< fraction of a penetration removed per step, 0: erp.contact, < 0: none;
                     ///< pairs use the mean of the given values
    int heightfield; ///< number in the model if the kind is PAWL_SHAPE_HEIGHTFIELD; otherwise -1
    uint32_t stamp;  ///< set by the default function; shows that it was called
} pawl_shape_def;
PAWL_API pawl_shape_def pawl_shape_def_default(void);

/// The faces of the convex hull of points, for drawing it. One block of memory.
typedef struct pawl_hull_faces {
    int count;                ///< of faces; neighbours in one plane are one face
    const int *start;         ///< face f has the corners start[f] to start[f + 1] - 1 (count + 1)
    const pawl_vec3 *corners; ///< counter-clockwise seen from outside (start[count])
    const pawl_vec3 *normals; ///< outward, of length 1 (count)
    size_t bytes;             ///< of this block
} pawl_hull_faces;
/// Whether a hull shape accepts the points: 4 to 4096, finite, not all in one plane.
PAWL_API pawl_status pawl_hull_faces_create(const pawl_env *env, const pawl_vec3 *points,
                                            int point_count, pawl_hull_faces **out);
/// `env` is the one it was created with; NULL faces are fine.
PAWL_API void pawl_hull_faces_destroy(const pawl_env *env, pawl_hull_faces *faces);

typedef enum pawl_body_kind {
    PAWL_BODY_RIGID = 0, ///< six degrees of freedom
    PAWL_BODY_POINT,     ///< a point mass: three; joints must attach at its centre and leave
                         ///< its orientation alone
    PAWL_BODY_KINEMATIC  ///< follows `motion`, independent of forces
} pawl_body_kind;
typedef struct pawl_body_def {
    const char *name; ///< unique; NULL makes one up
    pawl_body_kind kind;
    pawl_pose pose;        ///< link frame in the world at the start
    pawl_twist twist;      ///< of the link frame's origin, in world axes, at the start
    double mass;           ///< [kg], > 0 unless density is given or kinematic
    pawl_vec3 com;         ///< centre of mass in the link frame [m]
    double inertia[6];     ///< xx yy zz xy xz yz about the centre of mass, in link axes [kg m^2]
    double density;        ///< > 0: mass, com and inertia come from the body's shapes; if a mass is
                           ///< given, too, only com and inertia, scaled to that mass; if also an
                           ///< inertia is given, nothing (with a warning) [kg/m^3]
    double gravity_scale;  ///< 1
    double linear_damping; ///< force per velocity of the centre of mass [N s/m]
    double angular_damping; ///< torque per angular velocity [N m s]
    int family;             ///< bodies of one family never touch each other; 0: none
    pawl_signal motion[6];  ///< kinematic bodies: displacement x y z [m] and rotation vector [rad]
                            ///< from `pose`, in world axes
    uint32_t stamp;         ///< set by the default function; shows that it was called
} pawl_body_def;
PAWL_API pawl_body_def pawl_body_def_default(void);

/// Joint kinds. With the joint frame's axes x, y, z on the base and on the follower, t the
/// follower's joint origin seen from the base's, and the frames equal at the zero position.
typedef enum pawl_joint_kind {
    PAWL_JOINT_FIXED = 0,      ///< 6 rows
    PAWL_JOINT_REVOLUTE,       ///< 5 rows; angle about x
    PAWL_JOINT_PRISMATIC,      ///< 5 rows; displacement along x
    PAWL_JOINT_CYLINDRICAL,    ///< 4 rows; displacement along x, angle about x
    PAWL_JOINT_UNIVERSAL,      ///< 4 rows; angle about the base's x, angle about the follower's y
    PAWL_JOINT_SPHERICAL,      ///< 3 rows; rotation vector in the base's axes
    PAWL_JOINT_PLANAR,         ///< 3 rows; displacements along y and z, angle about x
    PAWL_JOINT_CARTESIAN,      ///< 3 rows; displacements along x, y and z, no rotation
    PAWL_JOINT_GIMBAL,         ///< 3 rows; angles about x, then the turned y, then the turned z
    PAWL_JOINT_FREE,           ///< no row; displacements x, y, z, rotation vector
    PAWL_JOINT_SCREW,          ///< 5 rows; angle about x; displacement = pitch * angle along x
    PAWL_JOINT_DISTANCE,       ///< 1 row; |t| = length: a massless rod with ball ends
    PAWL_JOINT_POINT_ON_LINE,  ///< 2 rows; displacement along x
    PAWL_JOINT_POINT_ON_PLANE, ///< 1 row; displacements along y and z; x is the normal
    PAWL_JOINT_GEAR,           ///< 1 row between two coordinates of other joints; see pawl_gear_def
    PAWL_JOINT_SPAN,           ///< no row; length of the path between the anchors, see pawl_wrap
    PAWL_JOINT_KIND_COUNT
} pawl_joint_kind;
PAWL_API const char *pawl_joint_kind_name(pawl_joint_kind kind); ///< e.g. "point-on-line"
PAWL_API int pawl_joint_kind_rows(pawl_joint_kind kind);         ///< constraint rows
PAWL_API int
pawl_joint_kind_coordinates(pawl_joint_kind kind); ///< free directions with a coordinate
/// Whether coordinate `c` is an angle (rad) rather than a length (m).
PAWL_API bool pawl_joint_kind_is_angle(pawl_joint_kind kind, int c);

/// Limits, springs, dampers and friction along one free direction of a joint. Springs and dampers are integrated implicitly.
typedef struct pawl_coordinate_def {
    double lower, upper; ///< limits, -inf and +inf for none [m or rad]
    double stiffness;    ///< [N/m or N m/rad]
    double rest;         ///< position at which the spring is slack
    double damping;      ///< [N s/m or N m s/rad]
    double armature;     ///< inertia of a geared rotor seen at the joint [kg or kg m^2]
    double friction;     ///< dry friction loss [N or N m]
    double limit_erp;    ///< fraction of a violation removed per step; 0: erp.limit, < 0: none [-]
    double slack; ///< play of the spring: it is slack from `rest` to `rest + slack` [m or rad]
    pawl_softness limit_soft; ///< of both limits
} pawl_coordinate_def;

/// The surface around which the path of a span runs: none, or a ball or an infinite cylinder fixed to the base. For a
/// slider-crank the span measures the position, along the z axis of the frame, of a slider that a rod of the length `radius`
/// connects to the follower's anchor.
typedef enum pawl_wrap_kind {
    PAWL_WRAP_NONE = 0,
    PAWL_WRAP_SPHERE,
    PAWL_WRAP_CYLINDER, ///< along the z of its frame
    PAWL_WRAP_CRANK     ///< a slider on the z of its frame, behind the crank's pin
} pawl_wrap_kind;
typedef struct pawl_wrap {
    pawl_wrap_kind kind;
    pawl_pose frame; ///< in the base's link frame
    double radius;   ///< [m]
    bool sided; ///< the path runs on the side of `side`; if that is inside, it touches from within
    pawl_vec3 side; ///< in the base's link frame
} pawl_wrap;
/// Length of the path between two points, in the frame of `wrap` [m]; NaN for bad arguments.
PAWL_API double pawl_wrap_length(const pawl_wrap *wrap, pawl_vec3 from, pawl_vec3 to);

typedef struct pawl_joint_def {
    const char *name; ///< unique; NULL makes one up
    pawl_joint_kind kind;
    pawl_body_id base, follower; ///< the base may be PAWL_WORLD (a unary joint), as by default
    pawl_pose base_frame;        ///< joint frame in the base's link frame (in the world)
    pawl_pose follower_frame;    ///< joint frame in the follower's link frame
    double pitch;                ///< screw only [m/rad]
    double length;      ///< distance only; < 0: the distance of the anchors at the start [m]
    pawl_wrap wrap;     ///< span only
    pawl_softness soft; ///< of its rows; a soft joint is not projected
    double erp; ///< fraction of its error removed without project; 0: erp.joint, < 0: none [-]
    pawl_coordinate_def coordinate[6];
    uint32_t stamp; ///< set by the default function; shows that it was called
} pawl_joint_def;
PAWL_API pawl_joint_def pawl_joint_def_default(void);

/// follower coordinate = offset + ratio s + curve[0] s^2 + curve[1] s^3 + curve[2] s^4, s the source coordinate, between
/// two joints' coordinates.
typedef struct pawl_gear_def {
    const char *name;
    pawl_joint_id joint; ///< the driven one
    int coordinate;
    pawl_joint_id source_joint; ///< the driving one
    int source_coordinate;
    double ratio, offset;
    double curve[3]; ///< 0 for a gear of constant ratio
    uint32_t stamp;  ///< set by the default function; shows that it was called
} pawl_gear_def;
PAWL_API pawl_gear_def pawl_gear_def_default(void);

typedef enum pawl_actuator_kind {
    PAWL_ACTUATOR_FORCE = 0, ///< target is the force or torque
    PAWL_ACTUATOR_POSITION,  ///< stiffness (target - q) - damping q', implicit: any gain, any dt
    PAWL_ACTUATOR_VELOCITY,  ///< damping (target - q'), implicit; damping inf: exact velocity
    PAWL_ACTUATOR_ADHESION, ///< target is a force [N] that presses the joint's follower against the bodies it touches, along
    ///< the normals: divided equally among its contact points nearer than
    ///< contact.margin (lit: closed ones). Without any it exerts no force; `coordinate` is
    ///< not used
    PAWL_ACTUATOR_KIND_COUNT
} pawl_actuator_kind;
PAWL_API const char *pawl_actuator_kind_name(pawl_actuator_kind kind); ///< e.g. "position"
/// A muscle as in MuJoCo: an actuator of kind force whose target is the activation a, from 0 to 1. With the length
/// l = gear q + offset of the muscle, where q is the coordinate, it acts on q with
///   -gear peak (a FL(L) FV(V) + FP(L)),   L = range[0] + (l - length[0])/L0,   V = l'/(L0 rate),
///   L0 = (length[1] - length[0])/(range[1] - range[0]).
/// FL is a bump from shortest over 1 to longest, FV falls to 0 at V = -1 and rises to `stretching`, FP starts
/// at L = 1 and is passive/2 halfway to longest. docs/mjcf.md has the curves. Activation follows the target at once.
typedef struct pawl_muscle {
    double peak;              ///< largest active force at rest; 0: no muscle [N]
    double gear, offset;      ///< of the length
    double length[2];         ///< shortest and longest length of the path [m or rad]
    double range[2];          ///< the same in units of L0
    double shortest, longest; ///< of the active force, in units of L0; below 1 and above 1
    double rate;              ///< rate of shortening at which the active force is 0 [L0/s]
    double passive;           ///< passive force, relative to peak
    double stretching; ///< active force when it is stretched fast, relative to peak; 1 or more
} pawl_muscle;
/// Its force on the coordinate, without the actuator's largest effort.
PAWL_API double pawl_muscle_force(const pawl_muscle *muscle, double q, double rate,
                                  double activation);
typedef struct pawl_actuator_def {
    const char *name;
    pawl_actuator_kind kind;
    pawl_joint_id joint;
    int coordinate;
    pawl_signal target;
    double stiffness, damping;
    double effort;      ///< largest absolute force or torque, inf for none [N or N m]
    pawl_muscle muscle; ///< of kind force only: peak above 0 makes it a muscle
    uint32_t stamp;     ///< set by the default function; shows that it was called
} pawl_actuator_def;
PAWL_API pawl_actuator_def pawl_actuator_def_default(void);

/// A joint coordinate that follows a function of time exactly, by a constraint row.
typedef struct pawl_motion_def {
    const char *name;
    pawl_joint_id joint;
    int coordinate;
    pawl_signal target;
    uint32_t stamp; ///< set by the default function; shows that it was called
} pawl_motion_def;
PAWL_API pawl_motion_def pawl_motion_def_default(void);

/// An applied force and torque.
typedef struct pawl_force_def {
    const char *name;
    pawl_body_id body;
    pawl_vec3 point;       ///< where the force acts, in the link frame
    bool in_body_axes;     ///< components turn with the body; else world axes
    pawl_signal force[3];  ///< [N]
    pawl_signal torque[3]; ///< [N m]
    uint32_t stamp;        ///< set by the default function; shows that it was called
} pawl_force_def;
PAWL_API pawl_force_def pawl_force_def_default(void);

/// A spring and damper between two points, integrated implicitly. With rest_length 0 it acts equally in all
/// three directions.
typedef struct pawl_spring_def {
    const char *name;
    pawl_body_id body_a, body_b; ///< either may be PAWL_WORLD
    pawl_vec3 point_a, point_b;  ///< in the link frames
    double stiffness;            ///< [N/m]
    double rest_length;          ///< [m]
    double damping;              ///< [N s/m]
    uint32_t stamp;              ///< set by the default function; shows that it was called
} pawl_spring_def;
PAWL_API pawl_spring_def pawl_spring_def_default(void);

/// Two bodies; either may be PAWL_WORLD.
typedef struct pawl_body_pair {
    pawl_body_id a, b;
} pawl_body_pair;

/// Collects defs and copies all data. A failed call adds nothing.
typedef struct pawl_builder pawl_builder;
PAWL_API pawl_status pawl_builder_create(const pawl_env *env, const char *model_name,
                                         pawl_builder **out);
PAWL_API void pawl_builder_destroy(pawl_builder *builder); ///< NULL is fine
PAWL_API void pawl_builder_set_name(pawl_builder *builder, const char *model_name);
PAWL_API void pawl_builder_set_gravity(pawl_builder *builder, pawl_vec3 gravity); ///< 0 0 -9.81
/// A medium around all bodies. The drag of a body is that of the box with its mass and inertia and the sides b: along each of its
/// principal axes the force is -density/2 |v| v times the area of the box across the axis, the moment
/// -density/64 |w| w b_i (b_j^4 + b_k^4), with v relative to the wind. (MuJoCo's model of inertia boxes.)
typedef struct pawl_medium {
    double density; ///< [kg/m^3]; 0, the default, for none
    pawl_vec3 wind; ///< its velocity [m/s]
} pawl_medium;
/// Refused unless density and wind are finite and the density is not negative.
PAWL_API pawl_status pawl_builder_set_medium(pawl_builder *builder, pawl_medium medium);
/// The default softness of all constraints of a kind. Without one, the settings soft.* apply, which are hard unless
/// changed.
typedef enum pawl_soft_kind {
    PAWL_SOFT_JOINTS = 0, ///< the rows of joints, gears left out
    PAWL_SOFT_LIMITS,
    PAWL_SOFT_CONTACTS,
    PAWL_SOFT_KIND_COUNT
} pawl_soft_kind;
PAWL_API pawl_status pawl_builder_set_softness(pawl_builder *builder, pawl_soft_kind kind,
                                               const pawl_softness *soft);
/// Each writes the new id to *out (which may be NULL).
PAWL_API pawl_status pawl_builder_add_body(pawl_builder *builder, const pawl_body_def *def,
                                           pawl_body_id *out);
PAWL_API pawl_status pawl_builder_add_shape(pawl_builder *builder, pawl_body_id body,
                                            const pawl_shape_def *def, pawl_shape_id *out);
PAWL_API pawl_status pawl_builder_add_joint(pawl_builder *builder, const pawl_joint_def *def,
                                            pawl_joint_id *out);
PAWL_API pawl_status pawl_builder_add_gear(pawl_builder *builder, const pawl_gear_def *def,
                                           pawl_joint_id *out);
PAWL_API pawl_status pawl_builder_add_actuator(pawl_builder *builder, const pawl_actuator_def *def,
                                               pawl_actuator_id *out);
/// Replaces the target of an actuator that was added.
PAWL_API pawl_status pawl_builder_set_target(pawl_builder *builder, pawl_actuator_id actuator,
                                             const pawl_signal *target);
PAWL_API pawl_status pawl_builder_add_motion(pawl_builder *builder, const pawl_motion_def *def,
                                             pawl_motion_id *out);
PAWL_API pawl_status pawl_builder_add_force(pawl_builder *builder, const pawl_force_def *def,
                                            pawl_force_id *out);
PAWL_API pawl_status pawl_builder_add_spring(pawl_builder *builder, const pawl_spring_def *def,
                                             pawl_spring_id *out);
/// Coordinates of a joint at the start of a simulation.
typedef struct pawl_joint_start {
    pawl_joint_id joint;
    double position[6]; ///< pawl_joint_kind_coordinates() of them [m or rad]
} pawl_joint_start;
/// The joint starts there, at rest, instead of at the poses of its bodies: the bodies behind it move along,
/// and loops are closed with this joint fixed (pawl_sim_create()). For joints of the spanning tree; see
/// pawl_state_set_joint(). The last call for a joint is used. Not part of the model's hash, because a state contains
/// all poses.
PAWL_API pawl_status pawl_builder_set_start(pawl_builder *builder, pawl_joint_id joint,
                                            const double *position);
/// Moves all bodies without a connection to the world together: places a robot, or turns it onto a slope.
PAWL_API pawl_status pawl_builder_move_floating(pawl_builder *builder, pawl_pose motion);
/// The shapes of two different bodies, one of which may be PAWL_WORLD, never touch each other.
/// Repeated calls change nothing.
PAWL_API pawl_status pawl_builder_exclude(pawl_builder *builder, pawl_body_id body_a,
                                          pawl_body_id body_b);
/// By name; none where there is no such name.
PAWL_API pawl_body_id pawl_builder_find_body(const pawl_builder *builder, const char *name);
PAWL_API pawl_joint_id pawl_builder_find_joint(const pawl_builder *builder, const char *name);
/// The i-th that was added; none where there is no such one.
PAWL_API pawl_body_id pawl_builder_body_at(const pawl_builder *builder, int i);
PAWL_API pawl_joint_id pawl_builder_joint_at(const pawl_builder *builder, int i);
PAWL_API pawl_actuator_id pawl_builder_actuator_at(const pawl_builder *builder, int i);
/// Coordinates of a joint that was added, as pawl_joint_kind_coordinates() of its kind; 0 where there is none.
PAWL_API int pawl_builder_joint_coordinates(const pawl_builder *builder, pawl_joint_id joint);
/// A warning about the source of the model that its numbers no longer show; it is copied. It
/// changes neither the model nor its hash: pawl_check_model() repeats it.
PAWL_API pawl_status pawl_builder_add_warning(pawl_builder *builder, const pawl_warning *warning);
/// A named frame on a body, for example of a link that became part of another body. Not part of any hash.
typedef struct pawl_frame {
    const char *name;
    pawl_body_id body; ///< may be PAWL_WORLD
    pawl_pose pose;    ///< in the body's link frame (in the world)
} pawl_frame;
/// Copies it; several may have one name, of which pawl_model_find_frame() finds the first.
PAWL_API pawl_status pawl_builder_add_frame(pawl_builder *builder, const pawl_frame *frame);
/// Joint frames on both sides for a joint at a world point with a world x axis, taken from the
/// bodies' start poses: the joint is assembled. `y_hint` may be zero.
PAWL_API pawl_status pawl_builder_place_joint(const pawl_builder *builder, pawl_joint_def *def,
                                              pawl_vec3 world_point, pawl_vec3 world_axis,
                                              pawl_vec3 y_hint);

/// A rigid body with one shape of a density [kg/m^3] that gives mass and inertia: the shape's centre at `position`,
/// its axes along the world's; size as pawl_shape_kind says. *out is the body.
PAWL_API pawl_status pawl_builder_add_solid(pawl_builder *builder, const char *name,
                                            pawl_shape_kind kind, pawl_vec3 position,
                                            pawl_vec3 size, double density, pawl_body_id *out);
/// A joint between two bodies where they are at the start: at a world point, its x axis along `axis`.
PAWL_API pawl_status pawl_builder_connect(pawl_builder *builder, const char *name,
                                          pawl_joint_kind kind, pawl_body_id base,
                                          pawl_body_id follower, pawl_vec3 point, pawl_vec3 axis,
                                          pawl_joint_id *out);
/// A force or torque along the first coordinate of a joint, at most `effort`, 0 until pawl_state_set_target().
PAWL_API pawl_status pawl_builder_add_motor(pawl_builder *builder, pawl_joint_id joint,
                                            double effort, pawl_actuator_id *out);

typedef struct pawl_model pawl_model;
/// Checks everything, then creates the immutable model: one block of memory. The builder remains valid.
PAWL_API pawl_status pawl_builder_compile(const pawl_builder *builder, pawl_model **out);
PAWL_API void pawl_model_destroy(pawl_model *model); ///< NULL is fine

PAWL_API const char *pawl_model_name(const pawl_model *model);
PAWL_API int pawl_model_body_count(const pawl_model *model);
PAWL_API int pawl_model_joint_count(const pawl_model *model); ///< gears count as joints
PAWL_API int pawl_model_shape_count(const pawl_model *model);
PAWL_API int pawl_model_actuator_count(const pawl_model *model);
PAWL_API int pawl_model_spring_count(const pawl_model *model);
PAWL_API int pawl_model_row_count(
    const pawl_model *model); ///< bilateral joint rows, prescribed motions included
PAWL_API int pawl_model_velocity_count(
    const pawl_model *model); ///< 6 a rigid body, 3 a point, 0 a kinematic one
PAWL_API pawl_vec3 pawl_model_gravity(const pawl_model *model);
PAWL_API double pawl_model_mass(const pawl_model *model); ///< of all bodies that can move
PAWL_API uint64_t
pawl_model_hash(const pawl_model *model); ///< of everything that determines its motion

/// A body of the model, with masses computed from densities.
typedef struct pawl_body_info {
    const char *name;
    pawl_body_kind kind;
    double mass;
    pawl_vec3 com;
    double inertia[6];
    int first_shape, shape_count; ///< pawl_model_shape_at() of first_shape and those after it
    pawl_pose pose;               ///< link frame in the world at the start
    pawl_twist twist;             ///< of the link frame's origin, in world axes, at the start
    double gravity_scale, linear_damping, angular_damping;
    int family;            ///< bodies of one family never touch each other; 0: none
    pawl_signal motion[6]; ///< of a kinematic body; tables belong to the model
} pawl_body_info;
PAWL_API pawl_body_info pawl_model_body(const pawl_model *model, pawl_body_id body);
typedef struct pawl_joint_info {
    const char *name;
    pawl_joint_kind kind;
    pawl_body_id base, follower; ///< of a gear: those of its driven joint
    pawl_pose base_frame, follower_frame;
    int row_count;
    int coordinate_count;
    pawl_coordinate_def coordinate[6];
    pawl_softness soft;
    double erp;
    double pitch;   ///< of a screw [m/rad]
    double length;  ///< of a distance [m]
    pawl_wrap wrap; ///< of a span
} pawl_joint_info;
PAWL_API pawl_joint_info pawl_model_joint(const pawl_model *model, pawl_joint_id joint);
/// The coordinates that a joint of kind gear couples; for other joints, and for none, a def without a joint.
PAWL_API pawl_gear_def pawl_model_gear(const pawl_model *model, pawl_joint_id joint);
typedef struct pawl_shape_info {
    pawl_body_id body;
    pawl_shape_def def;
} pawl_shape_info;
PAWL_API pawl_shape_info pawl_model_shape(const pawl_model *model, pawl_shape_id shape);
PAWL_API pawl_spring_def pawl_model_spring(const pawl_model *model, pawl_spring_id spring);
PAWL_API pawl_actuator_def pawl_model_actuator(const pawl_model *model, pawl_actuator_id actuator);
/// Prescribed motions of joint coordinates, by index from 0 as they were added; the tables of signals belong to the model.
PAWL_API int pawl_model_motion_count(const pawl_model *model);
PAWL_API pawl_motion_def pawl_model_motion(const pawl_model *model, int motion);
/// Applied forces, likewise.
PAWL_API int pawl_model_force_count(const pawl_model *model);
PAWL_API pawl_force_def pawl_model_force(const pawl_model *model, int force);
PAWL_API pawl_medium pawl_model_medium(const pawl_model *model); ///< density NaN without a model
/// Joints with start positions set by pawl_builder_set_start().
PAWL_API int pawl_model_start_count(const pawl_model *model);
PAWL_API pawl_joint_start pawl_model_start(const pawl_model *model, int start);
/// The warnings added by pawl_builder_add_warning(), in that order.
PAWL_API int pawl_model_warning_count(const pawl_model *model);
PAWL_API pawl_warning pawl_model_warning(const pawl_model *model, int warning);
/// Pairs of bodies that never touch, by pawl_builder_exclude(): each once, a < b, ascending.
PAWL_API int pawl_model_exclusion_count(const pawl_model *model);
PAWL_API pawl_body_pair pawl_model_exclusion(const pawl_model *model, int exclusion);
/// By name; none where there is no such name.
PAWL_API pawl_body_id pawl_model_find_body(const pawl_model *model, const char *name);
PAWL_API pawl_joint_id pawl_model_find_joint(const pawl_model *model, const char *name);
/// Named frames on bodies.
PAWL_API int pawl_model_frame_count(const pawl_model *model);
PAWL_API pawl_frame pawl_model_frame(const pawl_model *model,
                                     int frame); ///< name NULL: no such one
/// The body of that name, at its link frame, or otherwise the frame; `name` is NULL if there is neither.
PAWL_API pawl_frame pawl_model_find_frame(const pawl_model *model, const char *name);
PAWL_API pawl_actuator_id pawl_model_find_actuator(const pawl_model *model, const char *name);
/// The i-th, from 0; none where there is no such one. Shapes are in the order of their bodies, those of the world first;
/// ids that pawl_builder_add_shape() gave mean the same shapes, but pawl_shape_index() of them is the builder's order.
PAWL_API pawl_body_id pawl_model_body_at(const pawl_model *model, int i);
PAWL_API pawl_joint_id pawl_model_joint_at(const pawl_model *model, int i);
PAWL_API pawl_shape_id pawl_model_shape_at(const pawl_model *model, int i);
PAWL_API pawl_actuator_id pawl_model_actuator_at(const pawl_model *model, int i);
PAWL_API pawl_spring_id pawl_model_spring_at(const pawl_model *model, int i);

PAWL_EXTERN_C_END
