// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The parts of the MJCF reader and their common data.
//
// A file is a *spec*: its compiler settings and default classes apply to its elements, also after <attach> moved them
// below a body of another file. An element is a node with the spec and the default class in which its attributes are
// looked up. docs/mjcf.md describes the translation of all elements.
#pragma once
#include "base/array.h"
#include "pawl/model.h"
#include "read/lumped_mass.h"
#include "read/mesh.h"

enum { MJCF_WORLD = 0 }; // the first body

typedef enum mjcf_scope { // of names; those of classes, meshes and models belong to a spec
    MJCF_BODY = 0,
    MJCF_JOINT,
    MJCF_GEOM,
    MJCF_SITE,
    MJCF_TENDON,
    MJCF_SPEC_SCOPES = 16,
    MJCF_CLASS = 0,
    MJCF_MESH,
    MJCF_MODEL,
    MJCF_HFIELD,
    MJCF_MATERIAL,
    MJCF_SCOPES_OF_A_SPEC
} mjcf_scope;

typedef enum mjcf_inertia_rule {
    MJCF_INERTIA_GIVEN = 0,
    MJCF_INERTIA_FROM_GEOMS,
    MJCF_INERTIA_AUTO
} mjcf_inertia_rule;

typedef struct mjcf_compiler {
    bool radian, auto_limits, balance;
    char
        euler_order[4]; // lower case: about the axes as turned so far, upper case: about fixed ones
    const char *mesh_folder, *asset_folder;
    bool strip_path, global, fit_box;
    mjcf_inertia_rule inertia;
    int group_low, group_high; // of the geoms that have a mass
    double bound_mass, bound_inertia, total_mass;
} mjcf_compiler;

typedef struct mjcf_class {
    const char *name;
    int parent;       // -1 for main
    pawl_array nodes; // const xmlNode *, the <default> elements, in the order of the file
} mjcf_class;

typedef struct mjcf_spec {
    struct mjcf_spec *next;
    int index;
    const xmlNode *root;
    const char *prefix, *suffix; // of all names, from <attach> and <replicate>
    bool partial;                // one body of it was attached: the rest is not there
    const struct mjcf_spec
        *copy_of; // of <replicate>: the file with another suffix, for what refers to the copies
    bool copied;  // there are such
    mjcf_compiler compiler;
    pawl_array classes; // mjcf_class; the first is main
} mjcf_spec;

typedef struct mjcf_element {
    const xmlNode *node;
    const mjcf_spec *spec;
    int default_class;
    const char *tag; // in <default>; NULL: no defaults
} mjcf_element;

typedef lumped_mass mjcf_mass;

typedef struct mjcf_body {
    mjcf_element e; // node NULL: the world
    const char *name;
    int parent, carrier; // the body that it is welded to: itself, another or MJCF_WORLD
    pawl_pose local, world;
    const xmlNode *inertial;
    mjcf_mass mass; // own, in its frame
    int first_joint, joint_count;
    bool mocap;
    double gravcomp;
    pawl_body_id id; // of carriers
} mjcf_body;

typedef enum mjcf_joint_type { MJCF_FREE = 0, MJCF_BALL, MJCF_SLIDE, MJCF_HINGE } mjcf_joint_type;
typedef struct mjcf_joint {
    mjcf_element e;
    const char *name;
    int body;
    mjcf_joint_type type;
    pawl_vec3 pos, axis; // in the body's frame
    double ref;
    double effort;           // actuatorfrcrange, inf for none
    bool ranged;             // lower and upper are of the file
    double spring_damper[2]; // time constant and damping ratio; 0: none
    pawl_coordinate_def coordinate;
    pawl_joint_id id;
} mjcf_joint;

typedef struct mjcf_geom {
    mjcf_element e;
    const char *name;
    int body;
    pawl_pose pose; // in the body's frame
    pawl_shape_def shape;
    mjcf_mass mass;          // in the body's frame
    uint32_t type, affinity; // contype, conaffinity
    int contact_class;
    const triangle_mesh *mesh; // scaled
    mjcf_element mesh_asset;
    const xmlNode *field; // the <hfield> of one
} mjcf_geom;

typedef struct mjcf_site {
    const char *name;
    int body;
    pawl_pose pose;
} mjcf_site;

typedef struct mjcf_asset {
    const char *name;
    mjcf_element e;
    const triangle_mesh *mesh; // of a mesh, once it is asked for
} mjcf_asset;

typedef struct mjcf_term {
    int joint; // of the file; -1 for a piece of a spatial tendon
    double coef;
    pawl_joint_id id;           // of the joint, or of the span that the piece is
    const pawl_joint_def *span; // of a piece: not in the builder before it is needed
    double start;               // its coordinate in the configuration of the file
    double inertia;             // that moves with it at least
    int carrier[2];             // MuJoCo's bodies that a piece's ends move with
} mjcf_term;
typedef struct mjcf_tendon {
    mjcf_element e;
    const char *name;
    bool fixed;
    pawl_array terms; // mjcf_term; of a spatial one once its path was laid
    bool laid;
    double constant; // length of pieces that never change
    double start;    // length in the configuration of the file
    double
        sprung; // length with all joints at their springref: a spring's rest unless it says another
    double offset;    // length less the coordinate of id
    pawl_joint_id id; // whose first coordinate is its length; none until it is asked for
} mjcf_tendon;

typedef struct mjcf_pair { // geoms that touch whatever their types say
    int a, b;
} mjcf_pair;

typedef struct mjcf_reader {
    xml_reader *xml;
    pawl_builder *builder;
    mjcf_spec *specs;
    int spec_count, attach_depth;
    int copied; // by <replicate>, in all passes
    pawl_array bodies, joints, geoms, sites, meshes, models, fields, materials, tendons;
    name_table names;
    pawl_vec3 gravity;
    double viscosity;
    pawl_vec3 wind;
    bool medium; // has a density: bodies have drag
    bool contacts_off, gravity_off, limits_off, equality_off, friction_off, springs_off,
        dampers_off, only_pairs; // by <option>
    pawl_array pairs;            // mjcf_pair, of <contact>
    struct mjcf_dofs *dofs;      // mjcf_dofs.c
} mjcf_reader;

#define MJCF_BODY_AT(r, i) (&PAWL_ITEM((r)->bodies, mjcf_body, (i)))
#define MJCF_JOINT_AT(r, i) (&PAWL_ITEM((r)->joints, mjcf_joint, (i)))
#define MJCF_GEOM_AT(r, i) (&PAWL_ITEM((r)->geoms, mjcf_geom, (i)))
#define MJCF_SITE_AT(r, i) (&PAWL_ITEM((r)->sites, mjcf_site, (i)))
#define MJCF_TENDON_AT(r, i) (&PAWL_ITEM((r)->tendons, mjcf_tendon, (i)))

// --- mjcf_values.c: attributes, by the element itself, its class and the classes above

const char *mjcf_get(const mjcf_element *e, const char *name);
pawl_status mjcf_numbers(const mjcf_reader *r, const mjcf_element *e, const char *name, double *out,
                         int most, int *count); // *count 0 where it is not there
pawl_status mjcf_number(const mjcf_reader *r, const mjcf_element *e, const char *name, double *out);
pawl_status mjcf_vec3(const mjcf_reader *r, const mjcf_element *e, const char *name,
                      pawl_vec3 *out);
pawl_status mjcf_flag(const mjcf_reader *r, const mjcf_element *e, const char *name, bool *out);
// "true", "false" or "auto": 1, 0, -1.
pawl_status mjcf_tristate(const mjcf_reader *r, const mjcf_element *e, const char *name, int *out);
// MuJoCo's softness, where it was asked for; else *out stays as it is. The names are of the attributes solref and solimp.
pawl_status mjcf_softness(const mjcf_reader *r, const mjcf_element *e, const char *reference,
                          const char *impedance, pawl_softness *out);
double mjcf_angle_unit(const mjcf_element *e); // of an angle in the file [rad]
// pos and the orientation in any of its forms.
pawl_status mjcf_pose(const mjcf_reader *r, const mjcf_element *e, pawl_pose *out);
pawl_quat mjcf_euler(const mjcf_compiler *c, const double angles[3]); // [rad]
pawl_quat mjcf_z_onto(pawl_vec3 direction);

// --- mjcf_spec.c: files, compiler, classes, and lists of children with <include> resolved

pawl_status mjcf_spec_open(mjcf_reader *r, const xmlNode *root, const char *prefix,
                           mjcf_spec **out);
pawl_status mjcf_spec_copy(mjcf_reader *r, const mjcf_spec *spec, const char *suffix);
typedef struct mjcf_children {
    const xmlNode **nodes;
    int count;
} mjcf_children;
pawl_status mjcf_list(mjcf_reader *r, const xmlNode *node, mjcf_children *out);
// The class that an element of the file names, or `otherwise`.
pawl_status mjcf_class_of(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *node,
                          const char *attribute, int otherwise, int *out);

// --- names

void *mjcf_push(mjcf_reader *r, pawl_array *array, size_t size);
const char *mjcf_concat(mjcf_reader *r, const char *a, const char *b, const char *c);
pawl_status mjcf_enter(mjcf_reader *r, const xmlNode *node, int scope, const char *name, int index);
int mjcf_spec_scope(const mjcf_spec *spec, mjcf_scope scope);
// What an attribute of an element names; *index is -1 where it is not there.
pawl_status mjcf_refer(const mjcf_reader *r, const mjcf_element *e, const char *attribute,
                       mjcf_scope scope, const char *what, int *index);

// Whether all that an element names is in the model. Where it is not, and one body of a file was attached, the element
// is left out.
bool mjcf_is_here(const mjcf_reader *r, const mjcf_element *e);

// --- mjcf_asset.c

pawl_status mjcf_assets_list(mjcf_reader *r, const mjcf_spec *spec);
// NULL where the file is not there and the reader is lenient.
pawl_status mjcf_asset_mesh(mjcf_reader *r, int index, const triangle_mesh **out);
// The convex hull of a mesh, as a mesh.
pawl_status mjcf_mesh_of_hull(mjcf_reader *r, const xmlNode *node, const triangle_mesh *mesh,
                              triangle_mesh *out);

// --- mjcf_tree.c: bodies, joints, geoms and sites of <worldbody>; mjcf_geom.c, mjcf_joint.c: their content

typedef struct mjcf_place { // where an element stands
    const mjcf_spec *spec;
    int body;           // it belongs to
    int child_class;    // default class in force
    pawl_pose frame;    // of the <frame>s around it, in the body's frame
    const char *suffix; // of names, from <replicate>
} mjcf_place;
// A pose that an element of a body has in the file, in the body's frame.
pawl_pose mjcf_to_local(const mjcf_reader *r, const mjcf_element *e, int body, pawl_pose given);
bool mjcf_is_part(const xmlNode *node); // that may stand in <worldbody>
pawl_status mjcf_tree_read(mjcf_reader *r, const mjcf_spec *spec);
pawl_status mjcf_geom_read(mjcf_reader *r, const mjcf_place *place, const xmlNode *node);
pawl_status mjcf_joint_read(mjcf_reader *r, const mjcf_place *place, const xmlNode *node);
pawl_status mjcf_name(mjcf_reader *r, const mjcf_place *place, const xmlNode *node,
                      const char **out); // NULL where there is none
pawl_status mjcf_element_at(mjcf_reader *r, const mjcf_place *place, const xmlNode *node,
                            mjcf_element *out);

// --- mjcf_mass.c

pawl_status mjcf_mesh_moments(mjcf_reader *r, const mjcf_geom *g, mesh_moments *out);
pawl_status mjcf_mass_of_geom(mjcf_reader *r, mjcf_geom *g);
pawl_status mjcf_mass_of_body(mjcf_reader *r, int body);
pawl_status mjcf_mass_total(mjcf_reader *r, const mjcf_compiler *c);

// --- mjcf_dofs.c: inertias that the joints see, and springs that are stated by them

pawl_status mjcf_dofs_measure(mjcf_reader *r);
// The inertia that gear times a sum of joint coordinates, or of pieces that were laid, sees, in the configuration of the file.
pawl_status mjcf_dofs_reflected(mjcf_reader *r, const mjcf_term *terms, int count, double gear,
                                double *out);
// The length of the accelerations that a unit force along `slope`, the derivative of a length by each hinge and slide,
// gives to all joints.
pawl_status mjcf_dofs_acceleration(mjcf_reader *r, const double *slope, double *out);

// --- what is built: mjcf_build.c, mjcf_contact.c, mjcf_equality.c, mjcf_actuator.c, mjcf_tendon.c, mjcf_key.c

// The pose of a MuJoCo body in the pawl body that carries it, which *id is.
pawl_pose mjcf_in_carrier(const mjcf_reader *r, int body, pawl_body_id *id);
// Where a body is with all hinges and slides moved by `way` from the configuration of the file; NULL: at their springref.
pawl_pose mjcf_pose_at(const mjcf_reader *r, int body, const double *way);
pawl_status mjcf_build(mjcf_reader *r);
pawl_status mjcf_contact_read(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *section);
pawl_status mjcf_contacts_build(mjcf_reader *r); // shapes, after <contact> was read
pawl_status mjcf_excludes_read(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *section);
pawl_status mjcf_equality_read(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *section);
// mjcf_muscle.c: a muscle of <muscle> or <general>; peak 0 where it is none. Its length is gear times that of a joint or
// tendon (the other is -1).
pawl_status mjcf_muscle_read(mjcf_reader *r, const mjcf_element *e, pawl_muscle *out);
pawl_status mjcf_muscle_fit(mjcf_reader *r, const mjcf_element *e, int joint, int tendon,
                            double gear, pawl_muscle *m);
pawl_status mjcf_actuators_read(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *section);
pawl_status mjcf_tendons_list(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *section);
pawl_status mjcf_tendons_build(mjcf_reader *r);
// mjcf_path.c: the pieces of a spatial tendon as spans, its terms.
pawl_status mjcf_path_lay(mjcf_reader *r, mjcf_tendon *t);
// The limits of a tendon; infinite where it has none.
pawl_status mjcf_tendon_bounds(const mjcf_reader *r, const mjcf_tendon *t, double out[2]);
// The length of a tendon that was laid, with joints moved by `way`.
double mjcf_path_length(const mjcf_reader *r, const mjcf_tendon *t, const double *way);
// The line that a piece pulls along in the configuration of the file: its length grows by direction . (v of the follower
// less v of the base), both at that point of the world.
void mjcf_path_pull(const mjcf_reader *r, const mjcf_term *term, pawl_vec3 *point,
                    pawl_vec3 *direction);
// The joint whose first coordinate is the length of a tendon; none where the length cannot change.
pawl_status mjcf_tendon_coordinate(mjcf_reader *r, int index, pawl_joint_id *out);
// The joint and coordinate of a keyframe's numbers are set as starts; `name` NULL: the reader's choice, if any.
pawl_status mjcf_keys_read(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *section);
