// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Collects the named elements of an SDFormat file and resolves their frames.
//
// Poses may refer to any other named element in their scope, in any order, so they are resolved after all elements
// have been collected, without recursion: a chain of a hundred thousand links must not exhaust the stack. Nested and
// included models are flattened; their names are joined by "::", as SDFormat itself refers to them.
#include "read/sdf_tree.h"
#include "math/rotation.h"
#include "read/extension.h"
#include "read/search_path.h"
#include <stdio.h>
#include <string.h>

enum { SDF_TREE_MAX_ATTACHED = 1000 }; // frames in a row; keeps hostile files from taking hours

void sdf_tree_free(sdf_tree *tree)
{
    pawl_array_free(tree->reader->env, &tree->items);
}

// --- names ---------------------------------------------------------------------------------------

static const char *sdf_tree_kind_name(sdf_kind kind)
{
    static const char *const names[] = {[SDF_WORLD] = "world",
                                        [SDF_MODEL] = "model",
                                        [SDF_LINK] = "link",
                                        [SDF_JOINT] = "joint",
                                        [SDF_FRAME] = "frame"};
    return names[kind];
}

// A name must not collide with the words and marks that SDFormat reserves.
static pawl_status sdf_tree_check_name(const sdf_tree *tree, const xmlNode *node, const char *name)
{
    PAWL_TRY(xml_name_check(tree->reader, node, name));
    size_t length = strlen(name);
    bool marked =
        length >= 4 && memcmp(name, "__", 2) == 0 && memcmp(name + length - 2, "__", 2) == 0;
    if (marked) {
        return xml_error(tree->reader, node, "the name '%s' is reserved", name);
    }
    if (strcmp(name, "world") == 0) {
        return xml_tally(tree->reader, PAWL_LOG_WARNING, node,
                         "something is called 'world', which is the name of the world; where it "
                         "stands, it is meant",
                         (const char *)node->name);
    }
    if (strstr(name, "::") != NULL) {
        return xml_tally(tree->reader, PAWL_LOG_WARNING, node,
                         "a name contains '::', which separates the names of nested models", name);
    }
    return PAWL_OK;
}

static pawl_status sdf_tree_add(sdf_tree *tree, const sdf_item *item, int *index)
{
    if (tree->items.count > 0) {
        PAWL_TRY(sdf_tree_check_name(tree, item->node, item->name));
        int other = pawl_name_table_find(&tree->names, item->scope, item->name, strlen(item->name));
        if (other >= 0) {
            const sdf_item *first = SDF_ITEM(tree, other);
            return xml_error(tree->reader, item->node,
                             "%s '%s' has the name of a %s at line %ld; names in one %s differ",
                             sdf_tree_kind_name(item->kind), item->name,
                             sdf_tree_kind_name(first->kind), xmlGetLineNo(first->node),
                             sdf_tree_kind_name(SDF_ITEM(tree, item->scope)->kind));
        }
    }
    sdf_item *slot = pawl_array_push(tree->reader->env, &tree->items, sizeof *slot);
    if (slot == NULL) {
        return PAWL_FAIL(tree->reader->env, PAWL_NO_MEMORY, "no memory for the model's names");
    }
    *slot = *item;
    slot->joint = (pawl_joint_id){0, 0};
    slot->first_link = -1;
    slot->pose_base = -1;
    *index = tree->items.count - 1;
    return *index == 0 ? PAWL_OK // the world is found by its own rule
                       : xml_add_name(tree->reader, &tree->names, item->scope, item->name, *index);
}

static pawl_status sdf_tree_unknown(const sdf_tree *tree, const xmlNode *where, int scope,
                                    const char *name)
{
    char hint[XML_HINT_SIZE];
    xml_nearest nearest = xml_nearest_begin(name);
    for (int i = 1; i < tree->items.count; ++i) {
        if (SDF_ITEM(tree, i)->scope == scope) {
            xml_nearest_offer(&nearest, SDF_ITEM(tree, i)->name);
        }
    }
    const sdf_item *s = SDF_ITEM(tree, scope);
    return xml_error(tree->reader, where, "<%s>: nothing is called '%s' in %s '%s'%s", where->name,
                     name, sdf_tree_kind_name(s->kind), s->name, xml_nearest_hint(&nearest, hint));
}

pawl_status sdf_tree_find(const sdf_tree *tree, const xmlNode *where, int scope, const char *name,
                          int *item)
{
    int whole = pawl_name_table_find(&tree->names, scope, name, strlen(name));
    if (whole >= 0) {
        *item = whole;
        return PAWL_OK;
    }
    if (strcmp(name, "world") == 0) {
        *item = 0;
        return PAWL_OK;
    }
    if (strcmp(name, "__model__") == 0) {
        *item = scope;
        return PAWL_OK;
    }
    int at = scope;
    for (const char *part = name;;) {
        const char *end = strstr(part, "::");
        size_t length = end != NULL ? (size_t)(end - part) : strlen(part);
        int found = pawl_name_table_find(&tree->names, at, part, length);
        if (found < 0 && end == NULL && at != scope && length == 9 &&
            memcmp(part, "__model__", 9) == 0) {
            found = at;
        }
        if (found < 0 || (end != NULL && SDF_ITEM(tree, found)->kind != SDF_MODEL)) {
            return sdf_tree_unknown(tree, where, scope, name);
        }
        at = found;
        if (end == NULL) {
            *item = at;
            return PAWL_OK;
        }
        part = end + 2;
    }
}

// --- poses ---------------------------------------------------------------------------------------

pawl_status sdf_read_pose(xml_reader *reader, const xmlNode *node, pawl_pose *out)
{
    // SDFormat 1.5 and 1.6 have `frame`, which they never defined, for `relative_to`.
    static const xml_rule rules[] = {{XML_TAKEN, "@relative_to @rotation_format @degrees @frame"},
                                     {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(reader, node, rules));
    const char *text, *format = xml_attribute(node, "rotation_format");
    bool degrees = false, quaternion = false;
    if (xml_attribute(node, "degrees") != NULL) {
        PAWL_TRY(xml_bool(reader, node, "degrees", xml_attribute(node, "degrees"), &degrees));
    }
    if (format != NULL) {
        quaternion = strcmp(format, "quat_xyzw") == 0;
        if (!quaternion && strcmp(format, "euler_rpy") != 0) {
            return xml_error(reader, node,
                             "got rotation_format '%s', expected euler_rpy or quat_xyzw", format);
        }
    }
    PAWL_TRY(xml_text(reader, node, &text));
    *out = pawl_pose_identity();
    if (text[0] == '\0') {
        return PAWL_OK;
    }
    double v[7];
    PAWL_TRY(
        xml_numbers(reader, node, (const char *)node->name, text, XML_ANY, v, quaternion ? 7 : 6));
    out->position = v3(v[0], v[1], v[2]);
    if (quaternion) {
        pawl_quat q = {v[6], v[3], v[4], v[5]};
        double norm2 = quat_norm2(q);
        if (!(norm2 > 1e-12) || !isfinite(norm2)) {
            return xml_error(reader, node,
                             "the quaternion '%g %g %g %g' has no direction; one of length 1 "
                             "expected",
                             v[3], v[4], v[5], v[6]);
        }
        out->orientation = pawl_quat_normalize(q);
    } else {
        double unit = degrees ? 3.14159265358979323846 / 180.0 : 1.0;
        if (!degrees) {
            PAWL_TRY(
                xml_warn_turns(reader, node, v + 3, "write radians, or <pose degrees=\"true\">"));
        }
        out->orientation = pawl_quat_from_rpy(unit * v[3], unit * v[4], unit * v[5]);
    }
    return PAWL_OK;
}

static const char *sdf_pose_base_name(const xmlNode *pose)
{
    const char *name = xml_attribute(pose, "relative_to");
    return name != NULL ? name : xml_attribute(pose, "frame");
}

// Reads the item's own <pose>, when it has one.
static pawl_status sdf_tree_read_pose(sdf_tree *tree, sdf_item *item, const xmlNode *holder)
{
    item->given = pawl_pose_identity();
    bool placed_by_model = item->kind == SDF_LINK || item->kind == SDF_MODEL ||
                           (item->kind == SDF_FRAME && item->holder == NULL);
    PAWL_TRY(xml_child(tree->reader, holder, "pose", &item->pose_node));
    if (item->pose_node == NULL) {
        item->relative_to = placed_by_model ? tree->merged : NULL;
        return PAWL_OK;
    }
    item->relative_to = sdf_pose_base_name(item->pose_node);
    if (item->relative_to != NULL && item->relative_to[0] == '\0') {
        item->relative_to = NULL;
    }
    if (item->relative_to == NULL && placed_by_model) {
        item->relative_to = tree->merged;
    }
    return sdf_read_pose(tree->reader, item->pose_node, &item->given);
}

pawl_status sdf_tree_pose(const sdf_tree *tree, const xmlNode *node, int scope, int base,
                          pawl_pose *out)
{
    pawl_pose given = pawl_pose_identity();
    if (node != NULL) {
        const char *relative_to = sdf_pose_base_name(node);
        PAWL_TRY(sdf_read_pose(tree->reader, node, &given));
        if (relative_to != NULL && relative_to[0] != '\0') {
            PAWL_TRY(sdf_tree_find(tree, node, scope, relative_to, &base));
        }
    }
    *out = pawl_pose_compose(SDF_ITEM(tree, base)->pose, given);
    return PAWL_OK;
}

// --- collecting ----------------------------------------------------------------------------------

// The changes of an included model by its <include>.
typedef struct sdf_override {
    const xmlNode *include; // NULL when the model stands in its place
    const char *name;       // NULL for none
} sdf_override;

static pawl_status sdf_tree_model(sdf_tree *tree, const xmlNode *node, int scope,
                                  const sdf_override *change);

static pawl_status sdf_tree_link(sdf_tree *tree, const xmlNode *node, int scope)
{
    sdf_item item = {.kind = SDF_LINK, .node = node, .scope = scope};
    int index;
    PAWL_TRY(xml_need_attribute(tree->reader, node, "name", &item.name));
    PAWL_TRY(sdf_tree_read_pose(tree, &item, node));
    item.full_name = xml_join(tree->reader, SDF_ITEM(tree, scope)->full_name, item.name);
    if (item.full_name == NULL) {
        return PAWL_NO_MEMORY;
    }
    PAWL_TRY(sdf_tree_add(tree, &item, &index));
    for (int m = scope; m != 0 && SDF_ITEM(tree, m)->first_link < 0; m = SDF_ITEM(tree, m)->scope) {
        SDF_ITEM(tree, m)->first_link = index;
    }
    return PAWL_OK;
}

static pawl_status sdf_tree_joint(sdf_tree *tree, const xmlNode *node, int scope)
{
    sdf_item item = {.kind = SDF_JOINT, .node = node, .scope = scope};
    const xmlNode *child;
    int index;
    PAWL_TRY(xml_need_attribute(tree->reader, node, "name", &item.name));
    PAWL_TRY(xml_need_child(tree->reader, node, "child", &child));
    PAWL_TRY(xml_text(tree->reader, child, &item.holder));
    PAWL_TRY(sdf_tree_read_pose(tree, &item, node));
    int other = pawl_name_table_find(&tree->names, scope, item.name, strlen(item.name));
    if (other >= 0 && SDF_ITEM(tree, other)->kind != SDF_JOINT) {
        // Allowed before SDFormat 1.7; libsdformat renames the joint in the same way.
        PAWL_TRY(xml_tally(tree->reader, PAWL_LOG_WARNING, node,
                           "a joint has the name of another element: it is called NAME_joint",
                           item.name));
        size_t room = strlen(item.name) + sizeof "_joint";
        char *name = xml_alloc(tree->reader, room);
        if (name == NULL) {
            return PAWL_NO_MEMORY;
        }
        snprintf(name, room, "%s_joint", item.name);
        item.name = name;
    }
    item.full_name = xml_join(tree->reader, SDF_ITEM(tree, scope)->full_name, item.name);
    return item.full_name == NULL ? PAWL_NO_MEMORY : sdf_tree_add(tree, &item, &index);
}

static pawl_status sdf_tree_frame(sdf_tree *tree, const xmlNode *node, int scope)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@name @attached_to pose"}, {XML_TAKEN, NULL}};
    sdf_item item = {.kind = SDF_FRAME, .node = node, .scope = scope};
    int index;
    PAWL_TRY(xml_check(tree->reader, node, rules));
    PAWL_TRY(xml_need_attribute(tree->reader, node, "name", &item.name));
    item.holder = xml_attribute(node, "attached_to");
    if (item.holder != NULL && item.holder[0] == '\0') {
        item.holder = NULL;
    }
    item.full_name = item.name;
    PAWL_TRY(sdf_tree_read_pose(tree, &item, node));
    return sdf_tree_add(tree, &item, &index);
}

// Models that every installation of Gazebo has: a light, which is nothing here, and the floor.
static pawl_status sdf_tree_built_in(sdf_tree *tree, const char *uri, const xmlNode **model,
                                     bool *nothing)
{
    static const char floor[] =
        "<sdf version='1.7'><model name='ground_plane'><static>true</static><link name='link'>"
        "<collision name='collision'><geometry><plane><normal>0 0 1</normal><size>100 100</size>"
        "</plane></geometry><surface><friction><ode><mu>100</mu><mu2>50</mu2></ode></friction>"
        "</surface></collision></link></model></sdf>";
    const char *name = strstr(uri, "://");
    name = name != NULL ? name + 3 : uri;
    *nothing = strcmp(name, "sun") == 0;
    *model = NULL;
    if (strcmp(name, "ground_plane") != 0) {
        return PAWL_OK;
    }
    xml_file *file;
    PAWL_TRY(xml_file_parse(tree->reader, "ground_plane", floor, sizeof floor - 1, &file));
    *model = xml_first(xmlDocGetRootElement(file->doc));
    return PAWL_OK;
}

// A model of a server, https://HOST/VERSION/OWNER/models/NAME, may be on this machine as a folder NAME of the search path, or
// be built in: *local is model://NAME then, else NULL.
static pawl_status sdf_tree_local_copy(xml_reader *reader, const xmlNode *where, const char *uri,
                                       const char **local)
{
    char name[300], tried[600];
    const char *at = strstr(uri, "/models/"), *path;
    *local = NULL;
    if (at == NULL) {
        return PAWL_OK;
    }
    int length = (int)strcspn(at + 8, "/");
    snprintf(name, sizeof name, "model://%.*s", length < 250 ? length : 250, at + 8);
    PAWL_TRY(search_path_find(reader, where, NULL, name, &path, tried, sizeof tried));
    if (path == NULL) { // the server calls them "Ground Plane" and "Sun"
        static const char *const floors[] = {"Ground Plane",   "Ground%20Plane", "ground plane",
                                             "ground%20plane", "Ground_Plane",   "ground_plane"};
        const char *own = name + 8;
        for (size_t i = 0; i < sizeof floors / sizeof floors[0]; ++i) {
            *local = strcmp(own, floors[i]) == 0 ? "model://ground_plane" : *local;
        }
        *local = strcmp(own, "Sun") == 0 || strcmp(own, "sun") == 0 ? "model://sun" : *local;
        return PAWL_OK;
    }
    *local = xml_join(reader, "", name);
    return *local != NULL ? PAWL_OK : PAWL_NO_MEMORY;
}

// The <model> of an included file; NULL with *nothing for a light.
static pawl_status sdf_tree_open_include(sdf_tree *tree, const xmlNode *uri_node, const char *uri,
                                         const xmlNode **model, bool *nothing)
{
    xml_reader *reader = tree->reader;
    const char *path;
    char tried[600];
    *nothing = false;
    *model = NULL;
    if (strstr(uri, "://") != NULL && strncmp(uri, "model://", 8) != 0 &&
        strncmp(uri, "package://", 10) != 0 && strncmp(uri, "file://", 7) != 0) {
        const char *local;
        PAWL_TRY(sdf_tree_local_copy(reader, uri_node, uri, &local));
        if (local != NULL) {
            return sdf_tree_open_include(tree, uri_node, local, model, nothing);
        }
        *nothing = true;
        return xml_unsupported(reader, uri_node,
                               "got '%s', expected a file: models are never fetched from a "
                               "network%s",
                               uri,
                               reader->lenient ? "; it is left out"
                                               : "; --lenient leaves it "
                                                 "out");
    }
    PAWL_TRY(search_path_find(reader, uri_node, NULL, uri, &path, tried, sizeof tried));
    if (path == NULL &&
        strncmp(uri, "model://", 8) == 0) { // beside the file, as older files have it
        PAWL_TRY(search_path_find(reader, uri_node, NULL, uri + 8, &path, tried, sizeof tried));
    }
    if (path == NULL && strncmp(uri, "model://", 8) == 0 && strchr(uri + 8, '/') == NULL) {
        char name[300], again[600]; // a folder of files NAME.sdf instead of folders NAME
        snprintf(name, sizeof name, "%.250s.sdf", uri + 8);
        PAWL_TRY(search_path_find(reader, uri_node, NULL, name, &path, again, sizeof again));
    }
    if (path == NULL && strstr(uri, "://") == NULL && uri[0] != '/') {
        char package[400], again[600]; // a bare name: as if it were model://NAME
        snprintf(package, sizeof package, "model://%.380s", uri);
        PAWL_TRY(search_path_find(reader, uri_node, NULL, package, &path, again, sizeof again));
    }
    if (path == NULL) {
        PAWL_TRY(sdf_tree_built_in(tree, uri, model, nothing));
        return *model != NULL || *nothing
                   ? PAWL_OK
                   : xml_error(reader, uri_node,
                               "cannot include '%s': No such file or directory; "
                               "tried %s",
                               uri, tried);
    }
    xml_file *file;
    PAWL_TRY(xml_file_open(reader, path, uri_node, &file));
    const xmlNode *root = xmlDocGetRootElement(file->doc);
    if (xml_is(root, "robot") || xml_is(root, "mujoco")) {
        return sdf_foreign_open(reader, uri_node, root, model);
    }
    if (!xml_is(root, "sdf")) {
        return xml_error(reader, root, "got <%s>, expected <sdf> in an included file", root->name);
    }
    XML_EACH (child, root) {
        if (xml_is(child, "light") || xml_is(child, "actor")) {
            *nothing = true;
            continue;
        }
        if (!xml_is(child, "model")) {
            return xml_error(reader, child, "got <%s>, expected one <model> in an included file",
                             child->name);
        }
        if (*model != NULL) {
            return xml_error(reader, child, "got a second <model>; an included file has one");
        }
        *model = child;
    }
    *nothing = *model == NULL && *nothing;
    return *model != NULL || *nothing
               ? PAWL_OK
               : xml_error(reader, root, "got no <model>; an included file has one");
}

static pawl_status sdf_tree_children(sdf_tree *tree, const xmlNode *node, int scope);

// The frame of a model to which an <include> or the model itself gives the pose; NULL for the model's own.
static pawl_status sdf_tree_placement(sdf_tree *tree, const xmlNode *include, const xmlNode *model,
                                      const char **out)
{
    const xmlNode *node = NULL;
    *out = xml_attribute(model, "placement_frame");
    if (include != NULL) {
        PAWL_TRY(xml_child(tree->reader, include, "placement_frame", &node));
    }
    if (node != NULL) {
        PAWL_TRY(xml_text(tree->reader, node, out));
    }
    *out = *out != NULL && (*out)[0] != '\0' ? *out : NULL;
    return PAWL_OK;
}

// <include merge="true">: the content of the model stands in the scope that includes it. A frame takes the place of the
// model's own frame, as in libsdformat.
static pawl_status sdf_tree_merge(sdf_tree *tree, const sdf_override *change, const xmlNode *model,
                                  int scope)
{
    xml_reader *reader = tree->reader;
    sdf_item frame = {.kind = SDF_FRAME, .node = model, .scope = scope};
    const xmlNode *pose;
    const char *name = change->name, *outer = tree->merged, *placement;
    int index;
    if (name == NULL) {
        PAWL_TRY(xml_need_attribute(reader, model, "name", &name));
    }
    PAWL_TRY(sdf_tree_placement(tree, change->include, model, &placement));
    if (placement != NULL) {
        return xml_unsupported(reader, change->include,
                               "<include merge=\"true\"> with a placement frame is not supported");
    }
    size_t room = strlen(name) + 32;
    char *made = xml_alloc(reader, room);
    if (made == NULL) {
        return PAWL_NO_MEMORY;
    }
    snprintf(made, room, "_merged__%s__model__", name);
    frame.name = frame.full_name = made;
    PAWL_TRY(xml_child(reader, change->include, "pose", &pose));
    PAWL_TRY(sdf_tree_read_pose(tree, &frame, pose != NULL ? change->include : model));
    PAWL_TRY(sdf_tree_add(tree, &frame, &index));
    tree->merged = made;
    PAWL_TRY(sdf_tree_children(tree, model, scope));
    tree->merged = outer;
    return PAWL_OK;
}

static pawl_status sdf_tree_include(sdf_tree *tree, const xmlNode *node, int scope)
{
    static const xml_rule rules[] = {{XML_TAKEN, "uri name pose static placement_frame @merge"},
                                     {XML_IGNORED, "plugin"},
                                     {XML_TAKEN, NULL}};
    xml_reader *reader = tree->reader;
    PAWL_TRY(xml_check(reader, node, rules));
    const char *merge = xml_attribute(node, "merge");
    const xmlNode *uri_node, *name_node, *model = NULL;
    const char *uri;
    bool nothing;
    sdf_override change = {.include = node};
    PAWL_TRY(xml_need_child(reader, node, "uri", &uri_node));
    PAWL_TRY(xml_text(reader, uri_node, &uri));
    PAWL_TRY(xml_child(reader, node, "name", &name_node));
    if (name_node != NULL) {
        PAWL_TRY(xml_text(reader, name_node, &change.name));
    }
    PAWL_TRY(sdf_tree_open_include(tree, uri_node, uri, &model, &nothing));
    if (nothing) {
        return PAWL_OK;
    }
    if (merge != NULL && strcmp(merge, "true") == 0) {
        return sdf_tree_merge(tree, &change, model, scope);
    }
    return sdf_tree_model(tree, model, scope, &change);
}

// The children that make a scope: of a world or of a model.
static pawl_status sdf_tree_children(sdf_tree *tree, const xmlNode *node, int scope)
{
    static const sdf_override none = {0};
    XML_EACH (child, node) {
        if (xml_is(child, "link")) {
            const char *name = xml_attribute(child, "name");
            bool empty = name != NULL && strcmp(name, "world") == 0 && xml_first(child) == NULL;
            if (scope == 0 || empty) {
                continue; // reported by the rules of <world>; the world itself
            }
            PAWL_TRY(sdf_tree_link(tree, child, scope));
        } else if (xml_is(child, "joint")) {
            PAWL_TRY(sdf_tree_joint(tree, child, scope));
        } else if (xml_is(child, "frame")) {
            PAWL_TRY(sdf_tree_frame(tree, child, scope));
        } else if (xml_is(child, "model")) {
            PAWL_TRY(sdf_tree_model(tree, child, scope, &none));
        } else if (xml_is(child, "include")) {
            PAWL_TRY(sdf_tree_include(tree, child, scope));
        }
    }
    return PAWL_OK;
}

static pawl_status sdf_tree_model(sdf_tree *tree, const xmlNode *node, int scope,
                                  const sdf_override *change)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name @canonical_link pose static self_collide link joint frame model include "
                    "@placement_frame pawl:gravity " EXTENSION_MODEL},
        {XML_SILENT, "allow_auto_disable enable_wind"},
        {XML_IGNORED, "plugin gripper"},
        {XML_TAKEN, NULL}};
    xml_reader *reader = tree->reader;
    PAWL_TRY(xml_check(reader, node, rules));
    sdf_item item = {.kind = SDF_MODEL, .node = node, .scope = scope};
    PAWL_TRY(xml_need_attribute(reader, node, "name", &item.name));
    item.holder = xml_attribute(node, "canonical_link");
    if (item.holder != NULL && item.holder[0] == '\0') {
        item.holder = NULL;
    }
    PAWL_TRY(xml_child_bool(reader, node, "static", &item.is_static));
    PAWL_TRY(sdf_tree_read_pose(tree, &item, node));
    PAWL_TRY(sdf_tree_placement(tree, change->include, node, &item.placement));
    if (change->include != NULL) {
        const xmlNode *pose;
        PAWL_TRY(xml_child(reader, change->include, "pose", &pose));
        if (pose != NULL) {
            PAWL_TRY(sdf_tree_read_pose(tree, &item, change->include));
        } else { // names of the including file mean nothing in the included one
            item.relative_to = tree->merged;
        }
        PAWL_TRY(xml_child_bool(reader, change->include, "static", &item.is_static));
        item.name = change->name != NULL ? change->name : item.name;
    }
    const sdf_item *outer = SDF_ITEM(tree, scope);
    item.is_static = item.is_static || outer->is_static;
    // A lone model lends no prefix to its names: they are what the user wrote.
    bool lone = scope == 0 && outer->lone == (change->include != NULL ? change->include : node);
    item.full_name = lone ? "" : xml_join(reader, outer->full_name, item.name);
    int index;
    if (item.full_name == NULL) {
        return PAWL_NO_MEMORY;
    }
    PAWL_TRY(sdf_tree_add(tree, &item, &index));
    const char *merged = tree->merged;
    tree->merged = NULL;
    PAWL_TRY(sdf_tree_children(tree, node, index));
    tree->merged = merged;
    return PAWL_OK;
}

static pawl_status sdf_tree_world(sdf_tree *tree, const xmlNode *world)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name gravity model include joint frame " EXTENSION_MODEL},
        {XML_SILENT, "scene light gui audio magnetic_field atmosphere spherical_coordinates road"},
        {XML_IGNORED, "physics plugin population actor state wind"},
        {XML_PHYSICS, "link"},
        {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(tree->reader, world, rules));
    sdf_item *item = SDF_ITEM(tree, 0);
    const char *name = xml_attribute(world, "name");
    item->node = world;
    item->name = name != NULL && name[0] != '\0' ? name : "world";
    int moving = 0, all = 0;
    const xmlNode *last_moving = NULL, *last = NULL;
    XML_EACH (child, world) {
        bool is_static = false;
        if (!xml_is(child, "model") && !xml_is(child, "include")) {
            continue;
        }
        PAWL_TRY(xml_child_bool(tree->reader, child, "static", &is_static));
        last = child;
        all += 1;
        if (!is_static) {
            last_moving = child;
            moving += 1;
        }
    }
    item->lone = moving == 1 ? last_moving : all == 1 ? last : NULL;
    return sdf_tree_children(tree, world, 0);
}

pawl_status sdf_tree_build(sdf_tree *tree, xml_reader *reader, const xmlNode *root)
{
    static const sdf_override none = {0};
    static const xml_rule rules[] = {
        {XML_TAKEN, "@version world model"}, {XML_IGNORED, "light actor"}, {XML_TAKEN, NULL}};
    *tree = (sdf_tree){.reader = reader};
    PAWL_TRY(xml_check(reader, root, rules));
    const char *version;
    PAWL_TRY(xml_need_attribute(reader, root, "version", &version));
    double number;
    PAWL_TRY(xml_numbers(reader, root, "version", version, XML_NOT_NEGATIVE, &number, 1));
    if (strncmp(version, "1.", 2) != 0) {
        xml_log(reader, PAWL_LOG_WARNING, root, "got SDFormat version %s, expected 1.4 to 1.12",
                version);
    }
    int index;
    sdf_item world = {.kind = SDF_WORLD,
                      .name = "world",
                      .full_name = "",
                      .given = pawl_pose_identity(),
                      .pose = pawl_pose_identity()};
    PAWL_TRY(sdf_tree_add(tree, &world, &index));
    SDF_ITEM(tree, 0)->body = PAWL_WORLD;
    const xmlNode *content = NULL;
    int models = 0;
    XML_EACH (child, root) {
        if (!xml_is(child, "world") && !xml_is(child, "model")) {
            continue;
        }
        if (content == NULL) {
            content = child;
        } else if (xml_is(content, "world")) { // worlds do not see each other
            PAWL_TRY(xml_tally(reader, PAWL_LOG_WARNING, child,
                               "only the first <world> of a file is read", NULL));
        } else if (xml_is(child, "world")) {
            return xml_error(reader, child, "got a <world> beside a <model>; <sdf> has one");
        }
        models += xml_is(child, "model") ? 1 : 0;
    }
    if (models > 1 && xml_is(content, "model")) {
        xml_log(
            reader, PAWL_LOG_WARNING, root,
            "<sdf> has %d models, SDFormat allows one or a <world>: they are read as in a world",
            models);
        XML_EACH (child, root) {
            if (xml_is(child, "model")) {
                PAWL_TRY(sdf_tree_model(tree, child, 0, &none));
            }
        }
        return PAWL_OK;
    }
    if (content == NULL) {
        return xml_error(reader, root, "<sdf> has neither a <world> nor a <model>");
    }
    if (xml_is(content, "world")) {
        return sdf_tree_world(tree, content);
    }
    SDF_ITEM(tree, 0)->lone = content;
    return sdf_tree_model(tree, content, 0, &none);
}

// --- resolving -----------------------------------------------------------------------------------

// Which item an item's pose is given in.
static pawl_status sdf_tree_pose_base(const sdf_tree *tree, const sdf_item *item, int *base)
{
    if (item->relative_to != NULL) {
        return sdf_tree_find(tree, item->pose_node, item->scope, item->relative_to, base);
    }
    if (item->holder != NULL && (item->kind == SDF_JOINT || item->kind == SDF_FRAME)) {
        return sdf_tree_find(tree, item->node, item->scope, item->holder, base);
    }
    *base = item->scope;
    return PAWL_OK;
}

static pawl_status sdf_tree_cycle(const sdf_tree *tree, int start)
{
    char chain[256] = "";
    size_t used = 0;
    int at = start;
    do {
        int length =
            snprintf(chain + used, sizeof chain - used, "'%.40s' -> ", SDF_ITEM(tree, at)->name);
        used += length > 0 ? (size_t)length : 0;
        at = SDF_ITEM(tree, at)->pose_base;
    } while (at != start && used < sizeof chain - 64);
    const sdf_item *item = SDF_ITEM(tree, start);
    return xml_error(tree->reader, item->node, "the pose of %s '%s' depends on itself: %s'%.40s'",
                     sdf_tree_kind_name(item->kind), item->name, chain, item->name);
}

// The way from `start` to something whose pose is known (mark 2) and back; cycles were ruled out.
static pawl_status sdf_tree_resolve_from(sdf_tree *tree, int start)
{
    int at = start, before = -1;
    // Each item on the way points back to the one before it, until the way back restores it.
    while (SDF_ITEM(tree, at)->mark != 2) {
        sdf_item *item = SDF_ITEM(tree, at);
        int base = item->pose_base;
        item->pose_base = before;
        before = at;
        at = base;
    }
    while (before >= 0) {
        sdf_item *item = SDF_ITEM(tree, before);
        int next = item->pose_base;
        item->pose_base = at;
        item->pose = pawl_pose_compose(SDF_ITEM(tree, at)->pose, item->given);
        item->pose.orientation = pawl_quat_normalize(item->pose.orientation);
        item->mark = 2;
        if (!v3_finite(item->pose.position) || !quat_finite(item->pose.orientation)) {
            return xml_error(tree->reader, item->node,
                             "the pose of %s '%s' is too large to compute",
                             sdf_tree_kind_name(item->kind), item->name);
        }
        at = before;
        before = next;
    }
    return PAWL_OK;
}

static pawl_status sdf_tree_resolve_all(sdf_tree *tree)
{
    for (int i = 0; i < tree->items.count; ++i) {
        SDF_ITEM(tree, i)->mark = i == 0 ? 2 : 0;
    }
    for (int i = 1; i < tree->items.count; ++i) {
        PAWL_TRY(sdf_tree_resolve_from(tree, i));
    }
    return PAWL_OK;
}

// The pose of a model with a placement frame F is that of F: the model's own is the given one times the inverse of F's
// pose in the model. Inner models come later in the list and are placed first.
static pawl_status sdf_tree_place(sdf_tree *tree)
{
    int placed = 0;
    for (int i = tree->items.count - 1; i > 0; --i) {
        sdf_item *model = SDF_ITEM(tree, i);
        int frame;
        if (model->placement == NULL) {
            continue;
        }
        if (++placed > SDF_TREE_MAX_ATTACHED) {
            return xml_error(tree->reader, model->node, "more than %d models have placement frames",
                             SDF_TREE_MAX_ATTACHED);
        }
        PAWL_TRY(sdf_tree_find(tree, model->node, i, model->placement, &frame));
        pawl_pose in_model =
            pawl_pose_compose(pawl_pose_inverse(model->pose), SDF_ITEM(tree, frame)->pose);
        model->given = pawl_pose_compose(model->given, pawl_pose_inverse(in_model));
        PAWL_TRY(sdf_tree_resolve_all(tree));
    }
    return PAWL_OK;
}

pawl_status sdf_tree_resolve(sdf_tree *tree)
{
    int count = tree->items.count;
    for (int i = 1; i < count; ++i) {
        sdf_item *item = SDF_ITEM(tree, i);
        PAWL_TRY(sdf_tree_pose_base(tree, item, &item->pose_base));
    }
    // Cycles first: each walk marks the visited items with the number of its start, so that every item is visited
    // once, and a walk that reaches its own mark has found a cycle.
    for (int i = 1; i < count; ++i) {
        int at = i;
        while (at != 0 && SDF_ITEM(tree, at)->mark == 0) {
            SDF_ITEM(tree, at)->mark = i;
            at = SDF_ITEM(tree, at)->pose_base;
        }
        if (at != 0 && SDF_ITEM(tree, at)->mark == i) {
            return sdf_tree_cycle(tree, at);
        }
    }
    PAWL_TRY(sdf_tree_resolve_all(tree));
    return sdf_tree_place(tree);
}

pawl_status sdf_tree_link_of(const sdf_tree *tree, int item, int *link)
{
    int at = item;
    for (int steps = 0; steps <= SDF_TREE_MAX_ATTACHED; ++steps) {
        const sdf_item *i = SDF_ITEM(tree, at);
        if (i->kind == SDF_LINK || i->kind == SDF_WORLD) {
            *link = at;
            return PAWL_OK;
        }
        if (i->kind == SDF_MODEL && i->holder == NULL) {
            if (i->first_link < 0) {
                return xml_error(tree->reader, i->node,
                                 "model '%s' has no link that something could be attached to",
                                 i->name);
            }
            at = i->first_link;
        } else if (i->holder != NULL) {
            int scope = i->kind == SDF_MODEL ? at : i->scope;
            PAWL_TRY(sdf_tree_find(tree, i->node, scope, i->holder, &at));
        } else {
            at = i->scope;
        }
    }
    return xml_error(tree->reader, SDF_ITEM(tree, item)->node,
                     "'%s' is attached to itself, or through more than %d frames",
                     SDF_ITEM(tree, item)->name, SDF_TREE_MAX_ATTACHED);
}
