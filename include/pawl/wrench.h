// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Generalized contact models: at each contact point of a body the ground can exert any force (or
/// wrench) of a polytope whose vertices depend on the position and orientation of the point,
///   f = sum_i w_i v_i(pose),   w_i >= 0,   sum_i w_i <= 1.
/// The steppers `mdp` and `nmdp` choose the weights w; see docs/wrench-contact.md for the formulas.
///
/// **Threads.** A wrench set is not changed by evaluation: any threads may read one. Steppers have their own. Functions of
/// a custom model are called by whichever thread steps, and must allow that.
#pragma once
#include "pawl/kinds.h"
#include "pawl/model.h"

PAWL_EXTERN_C_BEGIN

// ---- the ground --------------------------------------------------------------------------------

/// A surface z = h(x, y) over a grid in its own frame, solid below, which continues straight beyond the
/// edges. Shapes touch two triangles in each cell of the grid, split along the diagonal through
/// its first point; contact points touch natural bicubic splines, which have continuous second
/// derivatives. Both go through all heights. Adding one also adds a shape of the world.
typedef struct pawl_heightfield_def {
    const char *name;      ///< may be NULL
    pawl_pose frame;       ///< in the world; its origin is the grid's first point
    int x_count, y_count;  ///< at least 2 each
    double dx, dy;         ///< spacing [m]
    const double *heights; ///< x_count in a row, y_count rows; copied by the builder [m]
    pawl_shape_def
        surface;    ///< of its shape: friction, restitution, softness, colour, groups (default:
                    ///< all) and visual_only, if only contact points touch it;
                    ///< other fields are not used
    uint32_t stamp; ///< set by the default function; shows that it was called
} pawl_heightfield_def;
PAWL_API pawl_heightfield_def pawl_heightfield_def_default(void);
PAWL_API pawl_status pawl_builder_add_heightfield(pawl_builder *builder,
                                                  const pawl_heightfield_def *def, int *out);

/// All fixed solids: the shapes of the world that are not visual only, and the
/// heightfields. One block of memory.
typedef struct pawl_ground pawl_ground;
/// Signed distance of a point from the nearest piece of ground.
typedef struct pawl_distance {
    double value;         ///< below 0 inside; infinite where there is no ground at all [m]
    pawl_vec3 normal;     ///< gradient: a unit vector away from the ground
    double hessian[3][3]; ///< derivative of the normal, symmetric [1/m]
    int piece;            ///< which piece of the ground; -1: none
} pawl_distance;
PAWL_API pawl_status pawl_ground_create(const pawl_env *env, const pawl_model *model,
                                        pawl_ground **out);
PAWL_API void pawl_ground_destroy(pawl_ground *ground); ///< NULL is fine
PAWL_API void pawl_ground_distance(const pawl_ground *ground, pawl_vec3 point, pawl_distance *out);
/// Two unit vectors across the normal: the x and y axes of a frame of the piece after the shortest
/// turn that takes the frame's z axis onto the normal. The frame is the piece's own for planes and
/// heightfields, otherwise one with z upward (against gravity). A smooth function of the normal
/// except where the normal is -z of the frame. `dt` (may be NULL) is the derivative with respect to the
/// point: dt[a][row][column] of t[a].
PAWL_API void pawl_ground_tangents(const pawl_ground *ground, const pawl_distance *distance,
                                   pawl_vec3 t[2], double dt[2][3][3]);

// ---- models of the force at a point ------------------------------------------------------------

/// Values are stored in files: append, never renumber.
typedef enum pawl_wrench_kind {
    PAWL_WRENCH_COULOMB = 0, ///< K(d) (n + mu t_i), K(d) = k (d^p + zeta), d the depth
    PAWL_WRENCH_ANISOTROPIC, ///< K(d) (n + mu cos(a_i) e_1 + mu_2 sin(a_i) e_2)
    PAWL_WRENCH_PATCH,       ///< a flat foot: force and moment about the normal on an ellipsoid
    PAWL_WRENCH_TABLE,       ///< wrenches measured or computed beforehand, interpolated
    PAWL_WRENCH_CUSTOM,      ///< given by `vertices`
    PAWL_WRENCH_KIND_COUNT
} pawl_wrench_kind;
PAWL_API const char *pawl_wrench_kind_name(pawl_wrench_kind kind); ///< e.g. "coulomb"

enum {
    PAWL_WRENCH_MAX_VERTICES = 256,   ///< of a polytope
    PAWL_WRENCH_MAX_CENTRES = 1024,   ///< of a table
    PAWL_WRENCH_MAX_PARAMETERS = 4096 ///< of a custom model
};

/// Position and orientation of a contact point.
typedef struct pawl_contact_frame {
    pawl_vec3 position;    ///< in the world [m]
    double rotation[3][3]; ///< its columns are the frame's axes in the world
} pawl_contact_frame;

/// The arguments of a custom model.
typedef struct pawl_wrench_query {
    const double *parameters; ///< as given to the builder
    int parameter_count;
    const pawl_ground *ground;
    pawl_contact_frame frame; ///< of the contact point, in the world
    double radius;            ///< of the contact point [m]
    pawl_vec3 core;           ///< of the contact point [m]
    double lean;              ///< of the contact point [m]
    int vertex_count, component_count;
} pawl_wrench_query;
/// Writes the vertices: v[i * component_count + c] is component c of vertex i, force x y z [N] and,
/// with six components, moment x y z about the frame's origin [N m], in world axes.
/// `dv` is NULL if derivatives are not requested or the model has none; otherwise
/// dv[(i * component_count + c) * 6 + j] is the derivative with respect to coordinate j of the
/// frame: 0 to 2 its position, 3 to 5 a rotation vector, both in world axes: R <- exp([xi]x) R.
/// A pure function of the query: it may be called from several threads.
typedef void pawl_wrench_vertices(void *user, const pawl_wrench_query *query, double *v,
                                  double *dv);

/// Wrenches of a foot given at centres (depth, direction of the surface's normal in the foot's
/// axes); between them inverse multiquadrics interpolate wrench/depth^power. docs/wrench-contact.md
/// section 6 has the formulas and the file format.
typedef struct pawl_wrench_table {
    int centre_count, vertex_count;
    double depth_scale;     ///< a distance in depth that counts as 1 [m]
    double normal_scale;    ///< a distance of unit normals that counts as 1 [-]
    const double *centres;  ///< depth, normal x y z in the foot's axes; 4 a centre
    const double *wrenches; ///< force, moment in the foot's axes; [centre][vertex][6] [N, N m]
} pawl_wrench_table;

typedef struct pawl_wrench_model_def {
    const char *name; ///< unique; NULL makes one up
    pawl_wrench_kind kind;
    double stiffness; ///< k [N/m^p]
    double power;     ///< p: a multiple of 1/2 from 1 to 8; 2 and more are smooth at touch [-]
    double zeta;      ///< 0; above 0 feet that do not touch get forces, too [m^p]
    double friction;  ///< mu; the first axis' for anisotropic friction [-]
    int directions;   ///< of the tangents, at least 3 [-]
    double friction2; ///< anisotropic: along the second axis [-]
    double angle;     ///< anisotropic: of the first axis from the tangent frame's x axis [rad]
    bool body_axes;   ///< anisotropic: axes turn with the contact frame; else fixed to the ground
    double torsion;   ///< patch: largest moment about the normal / largest friction force [m]
    int rings;        ///< patch: circles of vertices with equal moment, odd, at least 1 [-]
    pawl_wrench_table table; ///< of a table model; stiffness then scales all wrenches [-]
    int vertex_count;        ///< custom: from 1 to PAWL_WRENCH_MAX_VERTICES
    int component_count;     ///< custom: 3 or 6
    bool has_derivatives;    ///< custom: `vertices` writes dv; else the steppers are zeroth order
    int parameter_count;
    const double *parameters;       ///< custom; copied by the builder, part of the model's hash
    pawl_wrench_vertices *vertices; ///< custom
    void *user;                     ///< custom; must outlive the model
    uint32_t stamp;                 ///< set by the default function; shows that it was called
} pawl_wrench_model_def;
/// Coulomb: k 1e8 N/m^3, p 3, zeta 0, mu 0.5, 6 directions. Anisotropic: mu_2 0.25. Patch: torsion
/// 0.02 m, 1 ring. Tables: stiffness 1.
PAWL_API pawl_wrench_model_def pawl_wrench_model_def_default(pawl_wrench_kind kind);
PAWL_API pawl_status pawl_builder_add_wrench_model(pawl_builder *builder,
                                                   const pawl_wrench_model_def *def, int *out);
PAWL_API int pawl_builder_find_wrench_model(const pawl_builder *builder,
                                            const char *name); ///< -1: none

// ---- contact points ----------------------------------------------------------------------------

/// A point of a body that can touch the ground: a ball of `radius` about the origin of `frame`. Its depth is
/// d = max(0, radius - distance of the origin). With a radius the force acts on the ball's surface,
/// at -radius n from the origin: built-in models then give six components, force and moment.
///
/// With a `core`, half axes of an ellipsoid along the frame's axes, the ball is not about the origin but about that
/// point of the ellipsoid which is furthest against the ground's normal: (R, R, 0) is a wheel's rim about z, which rolls
/// over its own edge. Only Coulomb, anisotropic and patch models support a core.
typedef struct pawl_contact_point_def {
    const char *name;  ///< may be NULL
    pawl_body_id body; ///< one that can move
    pawl_pose frame;   ///< in the link frame
    double radius;     ///< 0 or more [m]
    pawl_vec3 core;    ///< half axes, 0 or more; all 0: none [m]
    double lean;      ///< distance from the ground, times the squared sine of the angle between the
                      ///< frame's z axis and the normal: for points on a rim next to a core [m]
    int wrench_model; ///< from pawl_builder_add_wrench_model()
    uint32_t stamp;   ///< set by the default function; shows that it was called
} pawl_contact_point_def;
PAWL_API pawl_contact_point_def pawl_contact_point_def_default(void);
PAWL_API pawl_status pawl_builder_add_contact_point(pawl_builder *builder,
                                                    const pawl_contact_point_def *def, int *out);
/// Points for all shapes of a body that collide: a sphere's centre, a capsule's ends (both with its
/// radius), a box's corners, a hull's vertices, for a cylinder both rims as cores and eight points on each for
/// a standing cylinder, for an ellipsoid the ellipsoid as a core.
PAWL_API pawl_status pawl_builder_add_contact_points_of(pawl_builder *builder, pawl_body_id body,
                                                        int wrench_model);

PAWL_API int pawl_model_wrench_model_count(const pawl_model *model);
PAWL_API pawl_wrench_model_def pawl_model_wrench_model(const pawl_model *model, int wrench_model);
PAWL_API int pawl_model_contact_point_count(const pawl_model *model);
PAWL_API pawl_contact_point_def pawl_model_contact_point(const pawl_model *model, int point);
PAWL_API int pawl_model_heightfield_count(const pawl_model *model);
PAWL_API pawl_heightfield_def pawl_model_heightfield(const pawl_model *model, int heightfield);

// ---- evaluation --------------------------------------------------------------------------------

/// The contact points of a model with their ground. Immutable: any number of
/// threads may use it. `model` must outlive it.
typedef struct pawl_wrench_set pawl_wrench_set;
typedef struct pawl_wrench_set_def {
    bool derive; ///< a model without contact points gets those of its moving bodies' shapes that
                 ///< groups, masks and exclusions let touch the ground; true
    pawl_wrench_model_def derived; ///< their model; friction < 0: that of the shape
    bool
        bodies; ///< points also touch the shapes of other bodies, where groups, masks, exclusions and joints let them:
                ///< one more point for each such shape; false
    pawl_pair_rule friction_rule; ///< of derived points that touch other bodies
    uint32_t stamp;               ///< set by the default function; shows that it was called
} pawl_wrench_set_def;
PAWL_API pawl_wrench_set_def pawl_wrench_set_def_default(void);
PAWL_API pawl_status pawl_wrench_set_create(const pawl_env *env, const pawl_model *model,
                                            const pawl_wrench_set_def *def, pawl_wrench_set **out);
PAWL_API void pawl_wrench_set_destroy(pawl_wrench_set *set); ///< NULL is fine
PAWL_API const pawl_ground *pawl_wrench_set_ground(const pawl_wrench_set *set);
PAWL_API int pawl_wrench_set_point_count(const pawl_wrench_set *set);
typedef struct pawl_wrench_point {
    pawl_body_id body;
    pawl_pose frame; ///< in the link frame
    double radius;
    pawl_vec3 core;                    ///< half axes; all 0: none
    double lean;                       ///< see pawl_contact_point_def
    int vertex_count, component_count; ///< never change; 3 or 6 components
    int first_weight;                  ///< vertices of all points before it
    bool has_derivatives;
    pawl_wrench_kind kind;
    pawl_body_id other; ///< the other body; PAWL_WORLD: the ground
} pawl_wrench_point;
PAWL_API pawl_wrench_point pawl_wrench_set_point(const pawl_wrench_set *set, int point);
PAWL_API int pawl_wrench_set_weight_count(const pawl_wrench_set *set); ///< of all points' vertices
/// Vertices of a point's polytope with its frame there (in the link frame of the other body, where it touches one; the
/// results are in its axes), laid out as pawl_wrench_vertices says. `dv`
/// may be NULL; it is all 0 for models without derivatives. Never allocates.
PAWL_API pawl_status pawl_wrench_set_vertices(const pawl_wrench_set *set, int point,
                                              const pawl_contact_frame *frame, double *v,
                                              double *dv);
/// The contact of a point with its surface.
typedef struct pawl_wrench_touch {
    double gap; ///< distance of the point's ball from the ground, below 0 when it is inside [m]
    pawl_vec3 normal; ///< the direction in which the ground pushes
    pawl_vec3 lever;  ///< from the frame's origin to the point at which the force acts [m]
} pawl_wrench_touch;
/// With the point's frame there. The gap is NaN for a bad point, infinite without ground.
PAWL_API pawl_wrench_touch pawl_wrench_set_touch(const pawl_wrench_set *set, int point,
                                                 const pawl_contact_frame *frame);
/// Derivative of the vertices with respect to a parameter of the model, for built-in models; laid out
/// like v. False (and zeros) if the model has no such parameter.
typedef enum pawl_wrench_number {
    PAWL_WRENCH_STIFFNESS = 0,
    PAWL_WRENCH_FRICTION,
    PAWL_WRENCH_FRICTION2,
    PAWL_WRENCH_TORSION,
    PAWL_WRENCH_NUMBER_COUNT
} pawl_wrench_number;
PAWL_API bool pawl_wrench_set_sensitivity(const pawl_wrench_set *set, int point,
                                          const pawl_contact_frame *frame,
                                          pawl_wrench_number number, double *dv_dnumber);

PAWL_EXTERN_C_END
