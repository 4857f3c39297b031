// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The tree of <worldbody>: bodies, with <frame>, <replicate> and <attach> resolved. The elements of a body are read
// before its child bodies, so that its joints are adjacent in the list.
#include "math/rotation.h"
#include "read/mjcf_parts.h"
#include "read/search_path.h"
#include <stdio.h>
#include <string.h>

enum { MJCF_MAX_PARTS = 200 * 1000, MJCF_MAX_COPIED = 10 * MJCF_MAX_PARTS, MJCF_MAX_ATTACH = 16 };
typedef enum mjcf_pass { MJCF_OWN, MJCF_BELOW } mjcf_pass;

static pawl_status mjcf_content(mjcf_reader *r, const mjcf_place *place, const xmlNode *node,
                                mjcf_pass pass);

pawl_status mjcf_name(mjcf_reader *r, const mjcf_place *place, const xmlNode *node,
                      const char **out)
{
    const char *name = xml_attribute(node, "name");
    *out = NULL;
    if (name == NULL || name[0] == '\0') {
        return PAWL_OK;
    }
    *out = mjcf_concat(r, place->spec->prefix, name, place->suffix);
    return *out != NULL ? PAWL_OK : PAWL_NO_MEMORY;
}

pawl_status mjcf_element_at(mjcf_reader *r, const mjcf_place *place, const xmlNode *node,
                            mjcf_element *out)
{
    *out = (mjcf_element){.node = node, .spec = place->spec, .tag = (const char *)node->name};
    return mjcf_class_of(r, place->spec, node, "class", place->child_class, &out->default_class);
}

// In files with coordinate="global" (MuJoCo before 2.3.4) what states a place states it in the world; what states none is
// where its body is.
pawl_pose mjcf_to_local(const mjcf_reader *r, const mjcf_element *e, int body, pawl_pose given)
{
    static const char *const places[] = {"pos",   "quat",  "axisangle", "xyaxes",
                                         "zaxis", "euler", "fromto"};
    bool placed = false;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i) {
        placed = placed || mjcf_get(e, places[i]) != NULL;
    }
    if (!e->spec->compiler.global || !placed) {
        return given;
    }
    return pawl_pose_compose(pawl_pose_inverse(MJCF_BODY_AT(r, body)->world), given);
}

static pawl_status mjcf_site_read(mjcf_reader *r, const mjcf_place *place, const xmlNode *node)
{
    mjcf_element e;
    mjcf_site site = {.body = place->body};
    double v[6];
    int n;
    PAWL_TRY(mjcf_element_at(r, place, node, &e));
    PAWL_TRY(mjcf_name(r, place, node, &site.name));
    PAWL_TRY(mjcf_pose(r, &e, &site.pose));
    PAWL_TRY(mjcf_numbers(r, &e, "fromto", v, 6, &n));
    if (n == 6) {
        pawl_vec3 a = v3(v[0], v[1], v[2]), b = v3(v[3], v[4], v[5]);
        site.pose = (pawl_pose){v3_scale(0.5, v3_add(a, b)), mjcf_z_onto(v3_sub(a, b))};
    }
    site.pose = mjcf_to_local(r, &e, place->body, site.pose);
    site.pose = pawl_pose_compose(place->frame, site.pose);
    if (site.name != NULL) {
        PAWL_TRY(mjcf_enter(r, node, MJCF_SITE, site.name, r->sites.count));
    }
    mjcf_site *slot = mjcf_push(r, &r->sites, sizeof *slot);
    if (slot == NULL) {
        return PAWL_NO_MEMORY;
    }
    *slot = site;
    return PAWL_OK;
}

// --- <frame>, <replicate>, <attach> --------------------------------------------------------------

static pawl_status mjcf_frame_read(mjcf_reader *r, const mjcf_place *place, const xmlNode *node,
                                   mjcf_pass pass)
{
    mjcf_place inner = *place;
    mjcf_element e = {.node = node, .spec = place->spec};
    pawl_pose pose;
    PAWL_TRY(mjcf_pose(r, &e, &pose));
    inner.frame = pawl_pose_compose(place->frame, pose);
    PAWL_TRY(
        mjcf_class_of(r, place->spec, node, "childclass", place->child_class, &inner.child_class));
    return mjcf_content(r, &inner, node, pass);
}

// Copy i is turned by i times the angles; its place is where the copy before has the offset.
static pawl_status mjcf_replicate_read(mjcf_reader *r, const mjcf_place *place, const xmlNode *node,
                                       mjcf_pass pass)
{
    mjcf_place inner = *place;
    mjcf_element e = {.node = node, .spec = place->spec};
    double count = 0.0, euler[3] = {0.0, 0.0, 0.0}, unit = mjcf_angle_unit(&e);
    pawl_vec3 offset = {0.0, 0.0, 0.0}, position = {0.0, 0.0, 0.0};
    const char *separator = xml_attribute(node, "sep");
    int n;
    PAWL_TRY(mjcf_number(r, &e, "count", &count));
    PAWL_TRY(mjcf_vec3(r, &e, "offset", &offset));
    PAWL_TRY(mjcf_numbers(r, &e, "euler", euler, 3, &n));
    if (!(count >= 0.0 && count <= MJCF_MAX_PARTS)) {
        return xml_error(r->xml, node, "count: got %g, expected 0 to %d", count, MJCF_MAX_PARTS);
    }
    int digits = snprintf(NULL, 0, "%d", (int)count - 1);
    for (int i = 0; i < (int)count; ++i) {
        char number[32];
        if (++r->copied > MJCF_MAX_COPIED) { // nested ones multiply before there is any body
            return xml_error(r->xml, node, "<replicate> makes more than %d copies in all",
                             MJCF_MAX_COPIED);
        }
        snprintf(number, sizeof number, "%0*d", digits, i);
        const double angles[3] = {i * unit * euler[0], i * unit * euler[1], i * unit * euler[2]};
        pawl_pose pose = {position, mjcf_euler(&place->spec->compiler, angles)};
        inner.frame = pawl_pose_compose(place->frame, pose);
        inner.suffix = mjcf_concat(r, place->suffix, separator != NULL ? separator : "", number);
        if (inner.suffix == NULL) {
            return PAWL_NO_MEMORY;
        }
        PAWL_TRY(mjcf_content(r, &inner, node, pass));
        if (pass == MJCF_BELOW) {
            PAWL_TRY(mjcf_spec_copy(r, place->spec, inner.suffix));
        }
        position = v3_add(position, pawl_quat_rotate(pose.orientation, offset));
    }
    return PAWL_OK;
}

static const xmlNode *mjcf_find_body(mjcf_reader *r, const xmlNode *node, const char *name)
{
    mjcf_children children;
    if (mjcf_list(r, node, &children) != PAWL_OK) {
        return NULL;
    }
    for (int i = 0; i < children.count; ++i) {
        const char *own = xml_attribute(children.nodes[i], "name");
        bool body = xml_is(children.nodes[i], "body");
        if (body && own != NULL && strcmp(own, name) == 0) {
            return children.nodes[i];
        }
        if (body || xml_is(children.nodes[i], "frame")) {
            const xmlNode *found = mjcf_find_body(r, children.nodes[i], name);
            if (found != NULL) {
                return found;
            }
        }
    }
    return NULL;
}

static pawl_status mjcf_body_read(mjcf_reader *r, const mjcf_place *place, const xmlNode *node);

static pawl_status mjcf_attach_file(mjcf_reader *r, const xmlNode *asset, const xmlNode **root)
{
    const char *file, *path;
    char tried[MESH_TRIED];
    PAWL_TRY(xml_need_attribute(r->xml, asset, "file", &file));
    PAWL_TRY(search_path_find(r->xml, asset, NULL, file, &path, tried, sizeof tried));
    if (path == NULL) {
        return xml_error(r->xml, asset, "model '%s' is not there; tried %s", file, tried);
    }
    xml_file *opened;
    PAWL_TRY(xml_file_open(r->xml, path, asset, &opened));
    *root = xmlDocGetRootElement(opened->doc);
    return PAWL_OK;
}

// A <model> without a name is called as its file calls itself.
static pawl_status mjcf_attach_named(mjcf_reader *r, const mjcf_spec *spec, const char *name,
                                     int *index)
{
    for (int i = 0; i < r->models.count; ++i) {
        const mjcf_asset *asset = &PAWL_ITEM(r->models, mjcf_asset, i);
        const xmlNode *root;
        if (asset->e.spec != spec || xml_attribute(asset->e.node, "name") != NULL) {
            continue;
        }
        PAWL_TRY(mjcf_attach_file(r, asset->e.node, &root));
        const char *own = xml_attribute(root, "model");
        if (own != NULL && strcmp(own, name) == 0) {
            *index = i;
            return PAWL_OK;
        }
    }
    return PAWL_OK;
}

// The model that an <attach> names, opened anew for each, because every copy has a prefix of its own.
static pawl_status mjcf_attach_open(mjcf_reader *r, const mjcf_place *place, const xmlNode *node,
                                    mjcf_spec **out)
{
    const char *name, *prefix = xml_attribute(node, "prefix");
    PAWL_TRY(xml_need_attribute(r->xml, node, "model", &name));
    int index = pawl_name_table_find(&r->names, mjcf_spec_scope(place->spec, MJCF_MODEL), name,
                                     strlen(name));
    if (index < 0) {
        PAWL_TRY(mjcf_attach_named(r, place->spec, name, &index));
    }
    if (index < 0) {
        return xml_error(r->xml, node, "<attach> model: no <model> in <asset> is called '%s'",
                         name);
    }
    const xmlNode *asset = PAWL_ITEM(r->models, mjcf_asset, index).e.node;
    const xmlNode *root;
    PAWL_TRY(mjcf_attach_file(r, asset, &root));
    if (!xml_is(root, "mujoco")) {
        return xml_error(r->xml, root,
                         "got <%s>, expected <mujoco>: other formats cannot be "
                         "attached",
                         root->name);
    }
    const char *full = mjcf_concat(r, place->spec->prefix, prefix != NULL ? prefix : "", "");
    if (full == NULL) {
        return PAWL_NO_MEMORY;
    }
    PAWL_TRY(mjcf_spec_open(r, root, full, out));
    return mjcf_assets_list(r, *out);
}

static pawl_status mjcf_attach_read(mjcf_reader *r, const mjcf_place *place, const xmlNode *node,
                                    mjcf_pass pass)
{
    if (pass == MJCF_OWN) {
        return PAWL_OK;
    }
    mjcf_spec *spec;
    const char *body = xml_attribute(node, "body");
    if (++r->attach_depth > MJCF_MAX_ATTACH) {
        return xml_error(r->xml, node, "models attach each other more than %d deep",
                         MJCF_MAX_ATTACH);
    }
    PAWL_TRY(mjcf_attach_open(r, place, node, &spec));
    mjcf_place inner = *place;
    inner.spec = spec;
    inner.child_class = 0;
    spec->suffix = place->suffix;
    spec->partial = body != NULL;
    mjcf_children sections;
    PAWL_TRY(mjcf_list(r, spec->root, &sections));
    bool found = body == NULL;
    for (int i = 0; i < sections.count; ++i) {
        if (!xml_is(sections.nodes[i], "worldbody")) {
            continue;
        }
        const xmlNode *wanted =
            body == NULL ? sections.nodes[i] : mjcf_find_body(r, sections.nodes[i], body);
        if (body == NULL) {
            PAWL_TRY(mjcf_content(r, &inner, wanted, MJCF_OWN));
            PAWL_TRY(mjcf_content(r, &inner, wanted, MJCF_BELOW));
        } else if (wanted != NULL) {
            PAWL_TRY(mjcf_body_read(r, &inner, wanted));
            found = true;
        }
    }
    --r->attach_depth;
    return found ? PAWL_OK
                 : xml_error(r->xml, node, "<attach> body: the model has no body '%s'", body);
}

// --- bodies --------------------------------------------------------------------------------------

static pawl_status mjcf_element_read(mjcf_reader *r, const mjcf_place *place, const xmlNode *node,
                                     mjcf_pass pass)
{
    if (r->bodies.count + r->geoms.count + r->sites.count > MJCF_MAX_PARTS) {
        return xml_error(r->xml, node, "more than %d bodies, geoms and sites", MJCF_MAX_PARTS);
    }
    if (xml_is(node, "frame")) {
        return mjcf_frame_read(r, place, node, pass);
    }
    if (xml_is(node, "replicate")) {
        return mjcf_replicate_read(r, place, node, pass);
    }
    if (xml_is(node, "attach")) {
        return mjcf_attach_read(r, place, node, pass);
    }
    if (xml_is(node, "body")) {
        return pass == MJCF_BELOW ? mjcf_body_read(r, place, node) : PAWL_OK;
    }
    if (pass == MJCF_BELOW) {
        return PAWL_OK;
    }
    if (xml_is(node, "geom")) {
        return mjcf_geom_read(r, place, node);
    }
    if (xml_is(node, "joint") || xml_is(node, "freejoint")) {
        return mjcf_joint_read(r, place, node);
    }
    if (xml_is(node, "site")) {
        return mjcf_site_read(r, place, node);
    }
    if (xml_is(node, "inertial")) {
        MJCF_BODY_AT(r, place->body)->inertial = node;
        return PAWL_OK;
    }
    if (xml_is(node, "light") || xml_is(node, "camera")) {
        return PAWL_OK;
    }
    if (xml_is(node, "composite") || xml_is(node, "flexcomp") || xml_is(node, "plugin")) {
        return xml_unsupported(r->xml, node, "<%s> is not supported%s", node->name,
                               r->xml->lenient ? " and left out" : "; --lenient leaves it out");
    }
    return xml_error(r->xml, node, "<%s> is not expected here", node->name);
}

static pawl_status mjcf_content(mjcf_reader *r, const mjcf_place *place, const xmlNode *node,
                                mjcf_pass pass)
{
    mjcf_children children;
    PAWL_TRY(mjcf_list(r, node, &children));
    for (int i = 0; i < children.count; ++i) {
        PAWL_TRY(mjcf_element_read(r, place, children.nodes[i], pass));
    }
    return PAWL_OK;
}

static pawl_status mjcf_body_read(mjcf_reader *r, const mjcf_place *place, const xmlNode *node)
{
    static const xml_rule rules[] = {
        {XML_TAKEN,
         "@name @childclass @mocap @gravcomp @pos @quat @axisangle @xyaxes @zaxis @euler "
         "body joint freejoint geom site inertial frame replicate attach include "
         "composite flexcomp plugin"},
        {XML_SILENT, "@user @sleep camera light"},
        {XML_TAKEN, NULL}};
    mjcf_body b = {
        .parent = place->body, .e = {.node = node, .spec = place->spec}, .id = PAWL_WORLD};
    PAWL_TRY(xml_check(r->xml, node, rules));
    PAWL_TRY(mjcf_name(r, place, node, &b.name));
    PAWL_TRY(mjcf_pose(r, &b.e, &b.local));
    PAWL_TRY(mjcf_flag(r, &b.e, "mocap", &b.mocap));
    PAWL_TRY(mjcf_number(r, &b.e, "gravcomp", &b.gravcomp));
    if (b.e.spec->compiler.global) { // without a place: the world's frame, which moves nothing
        b.local =
            pawl_pose_compose(pawl_pose_inverse(MJCF_BODY_AT(r, place->body)->world), b.local);
    }
    b.local = pawl_pose_compose(place->frame, b.local);
    b.world = pawl_pose_compose(MJCF_BODY_AT(r, place->body)->world, b.local);
    b.world.orientation = pawl_quat_normalize(b.world.orientation);
    int index = r->bodies.count;
    if (b.name == NULL) {
        char made[32];
        snprintf(made, sizeof made, "body%d", index);
        b.name = mjcf_concat(r, made, "", "");
        if (b.name == NULL) {
            return PAWL_NO_MEMORY;
        }
    }
    PAWL_TRY(mjcf_enter(r, node, MJCF_BODY, b.name, index));
    mjcf_body *slot = mjcf_push(r, &r->bodies, sizeof *slot);
    if (slot == NULL) {
        return PAWL_NO_MEMORY;
    }
    *slot = b;
    mjcf_place inner = {
        .spec = place->spec, .body = index, .frame = pawl_pose_identity(), .suffix = place->suffix};
    PAWL_TRY(
        mjcf_class_of(r, place->spec, node, "childclass", place->child_class, &inner.child_class));
    PAWL_TRY(mjcf_content(r, &inner, node, MJCF_OWN));
    return mjcf_content(r, &inner, node, MJCF_BELOW);
}

bool mjcf_is_part(const xmlNode *node)
{
    static const char *const parts[] = {"body",  "geom",   "site",     "frame",
                                        "light", "camera", "replicate"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        if (xml_is(node, parts[i])) {
            return true;
        }
    }
    return false;
}

pawl_status mjcf_tree_read(mjcf_reader *r, const mjcf_spec *spec)
{
    mjcf_children sections;
    mjcf_body *world = mjcf_push(r, &r->bodies, sizeof *world);
    if (world == NULL) {
        return PAWL_NO_MEMORY;
    }
    *world = (mjcf_body){.name = "world",
                         .e = {.node = spec->root, .spec = spec},
                         .local = pawl_pose_identity(),
                         .world = pawl_pose_identity(),
                         .id = PAWL_WORLD};
    mjcf_place place = {
        .spec = spec, .body = MJCF_WORLD, .frame = pawl_pose_identity(), .suffix = ""};
    PAWL_TRY(mjcf_list(r, spec->root, &sections));
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < sections.count; ++i) {
            mjcf_pass what = pass == 0 ? MJCF_OWN : MJCF_BELOW;
            if (xml_is(sections.nodes[i], "worldbody")) {
                PAWL_TRY(mjcf_content(r, &place, sections.nodes[i], what));
            } else if (mjcf_is_part(sections.nodes[i])) {
                PAWL_TRY(mjcf_element_read(r, &place, sections.nodes[i], what));
            }
        }
    }
    return PAWL_OK;
}
