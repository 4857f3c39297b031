// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Geoms of MJCF: shape, pose, friction, contact type.
#include "math/principal.h"
#include "math/rotation.h"
#include "read/mesh_shape.h"
#include "read/mjcf_parts.h"
#include <string.h>

#define MJCF_ORIENTATION "@pos @quat @axisangle @xyaxes @zaxis @euler "

typedef struct mjcf_geom_word {
    const char *word;
    pawl_shape_kind kind;
    int sizes; // numbers that it needs without fromto
} mjcf_geom_word;

static pawl_status mjcf_geom_kind(const mjcf_reader *r, const mjcf_element *e,
                                  const mjcf_geom_word **out)
{
    static const mjcf_geom_word words[] = {
        {"sphere", PAWL_SHAPE_SPHERE, 1},
        {"capsule", PAWL_SHAPE_CAPSULE, 2},
        {"box", PAWL_SHAPE_BOX, 3},
        {"cylinder", PAWL_SHAPE_CYLINDER, 2},
        {"ellipsoid", PAWL_SHAPE_ELLIPSOID, 3},
        {"plane", PAWL_SHAPE_PLANE, 0},
        {"mesh", PAWL_SHAPE_HULL, 0},
        {"hfield", PAWL_SHAPE_HEIGHTFIELD, 0},
    };
    const char *type = mjcf_get(e, "type");
    *out = NULL;
    // A mesh that is named makes a geom without a type a mesh.
    type = type != NULL ? type : mjcf_get(e, "mesh") != NULL ? "mesh" : "sphere";
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (strcmp(type, words[i].word) == 0) {
            *out = &words[i];
            return PAWL_OK;
        }
    }
    if (strcmp(type, "sdf") == 0) {
        return xml_unsupported(r->xml, e->node, "a geom of type sdf is not supported");
    }
    return xml_error(r->xml, e->node,
                     "geom type: got '%.40s', expected sphere, capsule, box, "
                     "cylinder, ellipsoid, plane, mesh or hfield",
                     type);
}

// Size and, with fromto, pose: z of the geom runs from its second point to its first.
static pawl_status mjcf_geom_size(const mjcf_reader *r, mjcf_geom *g, const mjcf_geom_word *word)
{
    double v[6], size[3] = {0.0, 0.0, 0.0};
    int n, from_to = 0;
    pawl_shape_kind kind = word->kind;
    PAWL_TRY(mjcf_numbers(r, &g->e, "size", size, 3, &n));
    bool long_one = kind == PAWL_SHAPE_CAPSULE || kind == PAWL_SHAPE_CYLINDER ||
                    kind == PAWL_SHAPE_BOX || kind == PAWL_SHAPE_ELLIPSOID;
    if (long_one) {
        PAWL_TRY(mjcf_numbers(r, &g->e, "fromto", v, 6, &from_to));
    }
    if (from_to == 6) {
        pawl_vec3 a = v3(v[0], v[1], v[2]), b = v3(v[3], v[4], v[5]);
        pawl_vec3 along = v3_sub(a, b);
        g->pose = (pawl_pose){v3_scale(0.5, v3_add(a, b)), mjcf_z_onto(along)};
        double half = 0.5 * v3_norm(along);
        bool round = kind == PAWL_SHAPE_CAPSULE || kind == PAWL_SHAPE_CYLINDER;
        size[round ? 1 : 2] = half;
        size[1] = round ? half : size[0];
        n = n > 0 ? word->sizes : 0;
    }
    if (n < word->sizes) {
        return xml_error(r->xml, g->e.node,
                         "geom '%s' is a %s: got %d numbers in size, expected %d",
                         g->name != NULL ? g->name : "", word->word, n, word->sizes);
    }
    for (int i = 0; i < word->sizes; ++i) {
        if (!(isfinite(size[i]) && size[i] > 0.0)) {
            return xml_error(r->xml, g->e.node, "geom '%s': size %d is %g m, expected above 0",
                             g->name != NULL ? g->name : "", i, size[i]);
        }
    }
    bool round = kind == PAWL_SHAPE_CAPSULE || kind == PAWL_SHAPE_CYLINDER;
    g->shape.size = round ? v3(size[0], 0.0, size[1]) : v3(size[0], size[1], size[2]);
    return PAWL_OK;
}

pawl_status mjcf_mesh_moments(mjcf_reader *r, const mjcf_geom *g, mesh_moments *out)
{
    const char *rule = mjcf_get(&g->mesh_asset, "inertia");
    triangle_mesh hull;
    const triangle_mesh *mesh = g->mesh;
    mesh_volume_rule how = MESH_LEGACY;
    if (rule != NULL && strcmp(rule, "convex") == 0) {
        PAWL_TRY(mjcf_mesh_of_hull(r, g->e.node, mesh, &hull));
        mesh = &hull;
        how = MESH_EXACT;
    } else if (rule != NULL && strcmp(rule, "exact") == 0) {
        how = MESH_EXACT;
    } else if (rule != NULL && strcmp(rule, "shell") == 0) {
        how = MESH_SHELL;
    }
    PAWL_TRY(mesh_moments_of(r->xml, mesh, how, out));
    if (how == MESH_EXACT && !out->watertight) {
        return xml_error(r->xml, g->e.node,
                         "the mass of an open mesh cannot be computed exactly; inertia=\"convex\" "
                         "on the <mesh> takes that of its hull");
    }
    if (!(fabs(out->volume) > 0.0)) {
        return xml_error(r->xml, g->e.node,
                         "the mesh has no volume; give the geom mass=\"0\", or "
                         "the body an <inertial>");
    }
    return PAWL_OK;
}

static pawl_status mjcf_geom_mesh(mjcf_reader *r, mjcf_geom *g, bool *left_out)
{
    const char *name = mjcf_get(&g->e, "mesh");
    if (name == NULL) {
        return xml_error(r->xml, g->e.node, "a geom of type mesh names no mesh");
    }
    int index =
        pawl_name_table_find(&r->names, mjcf_spec_scope(g->e.spec, MJCF_MESH), name, strlen(name));
    if (index < 0) {
        return xml_error(r->xml, g->e.node, "<geom> mesh: no mesh is called '%s'", name);
    }
    PAWL_TRY(mjcf_asset_mesh(r, index, &g->mesh));
    g->mesh_asset = PAWL_ITEM(r->meshes, mjcf_asset, index).e;
    *left_out = g->mesh == NULL;
    return PAWL_OK;
}

// The box with the principal moments of the mesh, or around its vertices: half sizes and frame in the mesh's.
static pawl_status mjcf_geom_box(mjcf_reader *r, const mjcf_geom *g, double half[3],
                                 pawl_pose *frame)
{
    *frame = pawl_pose_identity();
    if (g->e.spec->compiler.fit_box) {
        pawl_vec3 low = g->mesh->vertices[0], high = low;
        for (int i = 1; i < g->mesh->vertex_count; ++i) {
            for (int k = 0; k < 3; ++k) {
                double x = v3_get(g->mesh->vertices[i], k);
                v3_set(&low, k, fmin(v3_get(low, k), x));
                v3_set(&high, k, fmax(v3_get(high, k), x));
            }
        }
        frame->position = v3_scale(0.5, v3_add(low, high));
        pawl_vec3 size = v3_scale(0.5, v3_sub(high, low));
        memcpy(half, &size, sizeof size);
        return PAWL_OK;
    }
    mesh_moments m;
    PAWL_TRY(mjcf_mesh_moments(r, g, &m));
    double sign = m.volume < 0.0 ? -1.0 : 1.0, *s = m.second;
    const double six[6] = {sign * (s[1] + s[2]), sign * (s[0] + s[2]), sign * (s[0] + s[1]),
                           -sign * s[3],         -sign * s[4],         -sign * s[5]};
    pawl_mat3 tensor = m3_from_six(six);
    principal_axes p = pawl_principal_axes(&tensor);
    int order[3] = {0, 1, 2}; // moments falling, so that z is the longest
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 2 - i; ++k) {
            if (p.moment[order[k]] < p.moment[order[k + 1]]) {
                int swap = order[k];
                order[k] = order[k + 1];
                order[k + 1] = swap;
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        double sum =
            p.moment[order[(i + 1) % 3]] + p.moment[order[(i + 2) % 3]] - p.moment[order[i]];
        half[i] = 0.5 * sqrt(6.0 * max_of(sum, 1e-15) / fabs(m.volume));
    }
    frame->position = m.centre;
    frame->orientation =
        pawl_quat_from_axes(m3_column(&p.axes, order[0]), m3_column(&p.axes, order[1]));
    return PAWL_OK;
}

// A primitive of the size of a mesh, as MuJoCo fits it.
static pawl_status mjcf_geom_fit(mjcf_reader *r, mjcf_geom *g)
{
    double b[3], scale = 1.0;
    pawl_pose frame;
    PAWL_TRY(mjcf_geom_box(r, g, b, &frame));
    PAWL_TRY(mjcf_number(r, &g->e, "fitscale", &scale));
    bool box = g->e.spec->compiler.fit_box;
    double across = box ? max_of(b[0], b[1]) : 0.5 * (b[0] + b[1]);
    double shorter = box ? across : 0.5 * across; // by the ends of a capsule
    pawl_vec3 size = v3(b[0], b[1], b[2]);
    if (g->shape.kind == PAWL_SHAPE_SPHERE) {
        size.x = box ? max_of(across, b[2]) : (b[0] + b[1] + b[2]) / 3.0;
    } else if (g->shape.kind == PAWL_SHAPE_CYLINDER) {
        size = v3(across, 0.0, b[2]);
    } else if (g->shape.kind == PAWL_SHAPE_CAPSULE) {
        size = v3(across, 0.0, max_of(b[2] - shorter, 1e-9 * b[2]));
    }
    g->shape.size = v3_scale(scale, size);
    g->pose = pawl_pose_compose(g->pose, frame);
    g->mesh = NULL;
    return PAWL_OK;
}

static pawl_status mjcf_geom_field(mjcf_reader *r, mjcf_geom *g)
{
    const char *name = mjcf_get(&g->e, "hfield");
    int index = name == NULL
                    ? -1
                    : pawl_name_table_find(&r->names, mjcf_spec_scope(g->e.spec, MJCF_HFIELD), name,
                                           strlen(name));
    if (index < 0) {
        return xml_error(r->xml, g->e.node, "<geom> hfield: no hfield is called '%s'",
                         name != NULL ? name : "");
    }
    g->field = PAWL_ITEM(r->fields, mjcf_asset, index).e.node;
    return PAWL_OK;
}

static pawl_status mjcf_geom_surface(const mjcf_reader *r, mjcf_geom *g)
{
    double friction[3] = {1.0, 0.005, 0.0001}, condim = 3.0, type = 1.0, affinity = 1.0, v[4];
    int n;
    PAWL_TRY(mjcf_numbers(r, &g->e, "friction", friction, 3, &n));
    PAWL_TRY(mjcf_number(r, &g->e, "condim", &condim));
    PAWL_TRY(mjcf_number(r, &g->e, "contype", &type));
    PAWL_TRY(mjcf_number(r, &g->e, "conaffinity", &affinity));
    PAWL_TRY(mjcf_numbers(r, &g->e, "rgba", v, 4, &n));
    const char *material = n == 0 ? mjcf_get(&g->e, "material") : NULL;
    int index = material != NULL
                    ? pawl_name_table_find(&r->names, mjcf_spec_scope(g->e.spec, MJCF_MATERIAL),
                                           material, strlen(material))
                    : -1;
    if (index >= 0) { // of one that is not there MuJoCo says so; the motion is the same
        PAWL_TRY(mjcf_numbers(r, &PAWL_ITEM(r->materials, mjcf_asset, index).e, "rgba", v, 4, &n));
    }
    for (int i = 0; i < n; ++i) {
        g->shape.rgba[i] = (float)clamp_to(v[i], 0.0, 1.0);
    }
    if (!(type >= -2147483648.0 && type <= 4294967295.0) ||
        !(affinity >= -2147483648.0 && affinity <= 4294967295.0)) {
        return xml_error(r->xml, g->e.node, "contype and conaffinity are whole numbers of 32 bits");
    }
    g->type = (uint32_t)(int64_t)type;
    g->affinity = (uint32_t)(int64_t)affinity;
    for (int i = 0; i < 3; ++i) {
        if (!(friction[i] >= 0.0) || !isfinite(friction[i])) {
            return xml_error(r->xml, g->e.node, "friction: got %g, expected 0 or more",
                             friction[i]);
        }
    }
    PAWL_TRY(mjcf_softness(r, &g->e, "solref", "solimp", &g->shape.soft));
    g->shape.friction = condim > 1.0 ? friction[0] : 0.0;
    g->shape.torsional_friction = condim >= 4.0 ? friction[1] : 0.0;
    g->shape.rolling_friction = condim >= 6.0 ? friction[2] : 0.0;
    return PAWL_OK;
}

pawl_status mjcf_geom_read(mjcf_reader *r, const mjcf_place *place, const xmlNode *node)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name @class @type @size @fromto @mesh @hfield @mass @density @group "
                    "@friction @condim @contype @conaffinity @rgba @shellinertia @fitscale @solref "
                    "@solimp " MJCF_ORIENTATION},
        {XML_SILENT, "@material @user @solmix @margin @gap @priority "
                     "@fluidshape @fluidcoef"},
        {XML_PHYSICS, "plugin"},
        {XML_TAKEN, NULL}};
    mjcf_geom g = {.body = place->body, .shape = pawl_shape_def_default()};
    const mjcf_geom_word *word;
    bool left_out = false;
    PAWL_TRY(xml_check(r->xml, node, rules));
    PAWL_TRY(mjcf_element_at(r, place, node, &g.e));
    PAWL_TRY(mjcf_name(r, place, node, &g.name));
    PAWL_TRY(mjcf_pose(r, &g.e, &g.pose));
    PAWL_TRY(mjcf_geom_kind(r, &g.e, &word));
    if (word == NULL) {
        return PAWL_OK; // lenient, and warned of
    }
    g.shape.kind = word->kind;
    const char *fluid = mjcf_get(&g.e, "fluidshape");
    if (fluid != NULL && strcmp(fluid, "ellipsoid") == 0 && (r->medium || r->viscosity > 0.0)) {
        PAWL_TRY(xml_unsupported(r->xml, node, "fluidshape=\"ellipsoid\" is not supported%s",
                                 r->xml->lenient
                                     ? "; the body drags as its inertia box"
                                     : "; --lenient takes the drag of the body's inertia box"));
    }
    bool fitted = word->sizes > 0 && mjcf_get(&g.e, "mesh") != NULL;
    if (word->kind == PAWL_SHAPE_HULL || fitted) {
        PAWL_TRY(mjcf_geom_mesh(r, &g, &left_out));
    } else if (word->kind == PAWL_SHAPE_HEIGHTFIELD) {
        PAWL_TRY(mjcf_geom_field(r, &g));
    } else {
        PAWL_TRY(mjcf_geom_size(r, &g, word));
    }
    if (left_out) {
        return xml_leave_out_shape(r->xml, node, false, "meshes that are there");
    }
    PAWL_TRY(mjcf_geom_surface(r, &g));
    g.pose = mjcf_to_local(r, &g.e, place->body, g.pose);
    if (fitted) {
        PAWL_TRY(mjcf_geom_fit(r, &g));
    }
    g.pose = pawl_pose_compose(place->frame, g.pose);
    if (g.name != NULL) {
        PAWL_TRY(mjcf_enter(r, node, MJCF_GEOM, g.name, r->geoms.count));
    }
    mjcf_geom *slot = mjcf_push(r, &r->geoms, sizeof *slot);
    if (slot == NULL) {
        return PAWL_NO_MEMORY;
    }
    *slot = g;
    return PAWL_OK;
}
