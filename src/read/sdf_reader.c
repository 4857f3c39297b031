// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// SDFormat 1.10 to a model, after sdf_tree.c has found the names and resolved the frames: links with
// their masses and shapes (sdf_link.c, sdf_shape.c), then joints (sdf_joint.c), then elements that refer to joints
// (sdf_coupling.c, and the pawl: elements of extension.c).
#include "read/sdf_reader.h"
#include "math/rotation.h"
#include "read/model_finish.h"
#include "read/sdf_parts.h"
#include <string.h>

// How the pawl: elements of one model or world find their names.
typedef struct sdf_scope {
    sdf_reader *reader;
    int scope;
} sdf_scope;

static pawl_status sdf_reader_scope_body(void *user, const xmlNode *where, const char *name,
                                         pawl_body_id *body, pawl_pose *frame)
{
    const sdf_scope *s = user;
    const sdf_tree *tree = &s->reader->tree;
    int item, link;
    PAWL_TRY(sdf_tree_find(tree, where, s->scope, name, &item));
    PAWL_TRY(sdf_tree_link_of(tree, item, &link));
    *body = SDF_ITEM(tree, link)->body;
    *frame = pawl_pose_compose(pawl_pose_inverse(sdf_body_pose(SDF_ITEM(tree, link))),
                               SDF_ITEM(tree, item)->pose);
    return PAWL_OK;
}

static pawl_status sdf_reader_scope_joint(void *user, const xmlNode *where, const char *name,
                                          extension_joint *joint)
{
    const sdf_scope *s = user;
    return sdf_coupling_find_joint(s->reader, where, s->scope, name, joint);
}

static pawl_status sdf_reader_extensions(sdf_reader *r, int scope)
{
    const sdf_item *item = SDF_ITEM(&r->tree, scope);
    if (item->kind == SDF_MODEL && (scope != 1 || SDF_ITEM(&r->tree, 0)->node != NULL)) {
        const xmlNode *gravity;
        PAWL_TRY(xml_child(r->xml, item->node, "pawl:gravity", &gravity));
        if (gravity != NULL) {
            return xml_error(r->xml, gravity,
                             "model '%s' is in a world, whose <gravity> applies; <pawl:gravity> is "
                             "only for a file with a single model",
                             item->name);
        }
    }
    sdf_scope user = {r, scope};
    extension_context context = {.reader = r->xml,
                                 .builder = r->builder,
                                 .prefix = item->full_name,
                                 .user = &user,
                                 .find_body = sdf_reader_scope_body,
                                 .find_joint = sdf_reader_scope_joint};
    if (item->node == NULL) {
        return PAWL_OK;
    }
    XML_EACH (child, item->node) {
        bool done;
        PAWL_TRY(extension_read_model(&context, child, &done));
    }
    return PAWL_OK;
}

static pawl_status sdf_reader_gravity(sdf_reader *r)
{
    const sdf_item *world = SDF_ITEM(&r->tree, 0);
    pawl_vec3 gravity = v3(0.0, 0.0, -9.8); // SDFormat's default, not ours
    const xmlNode *node;
    if (world->node == NULL) {
        // A model alone stands in no world that could state it.
        const xmlNode *model = SDF_ITEM(&r->tree, 1)->node;
        PAWL_TRY(xml_child(r->xml, model, "pawl:gravity", &node));
        if (node != NULL) {
            PAWL_TRY(xml_child_vec3(r->xml, model, "pawl:gravity", &gravity));
            pawl_builder_set_gravity(r->builder, gravity);
        }
        return PAWL_OK;
    }
    PAWL_TRY(xml_child(r->xml, world->node, "gravity", &node));
    if (node == NULL) {
        xml_log(r->xml, PAWL_LOG_NOTE, world->node,
                "the world has no <gravity>: SDFormat's default 0 0 -9.8 is used");
    }
    PAWL_TRY(xml_child_vec3(r->xml, world->node, "gravity", &gravity));
    pawl_builder_set_gravity(r->builder, gravity);
    return PAWL_OK;
}

// Marks the links at which joints end, and counts the links of outermost models that could touch.
static pawl_status sdf_reader_mark_links(sdf_reader *r)
{
    for (int i = 0; i < r->tree.items.count; ++i) {
        const sdf_item *link = SDF_ITEM(&r->tree, i);
        bool shaped = false;
        if (link->kind == SDF_LINK) {
            XML_EACH (child, link->node) {
                shaped = shaped || xml_is(child, "collision");
            }
        }
        int model = link->scope;
        while (shaped && SDF_ITEM(&r->tree, model)->scope != 0) {
            model = SDF_ITEM(&r->tree, model)->scope;
        }
        SDF_ITEM(&r->tree, model)->touching += shaped ? 1 : 0;
    }
    for (int i = 0; i < r->tree.items.count; ++i) {
        if (SDF_ITEM(&r->tree, i)->kind == SDF_JOINT) {
            sdf_joint j = {.def = pawl_joint_def_default()};
            PAWL_TRY(sdf_joint_ends(r, SDF_ITEM(&r->tree, i), &j));
            SDF_ITEM(&r->tree, j.parent_link)->jointed = true;
            SDF_ITEM(&r->tree, j.child_link)->jointed = true;
            SDF_ITEM(&r->tree, j.child_link)->is_child = true;
        }
    }
    return PAWL_OK;
}

// <frame>: the name of a place, on a link or in the world. Names with __ stand for the frames of merged models.
static pawl_status sdf_reader_frame(sdf_reader *r, int index)
{
    const sdf_item *item = SDF_ITEM(&r->tree, index);
    int link;
    if (strstr(item->name, "__") != NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(sdf_tree_link_of(&r->tree, index, &link));
    const sdf_item *holder = SDF_ITEM(&r->tree, link);
    const char *prefix = SDF_ITEM(&r->tree, item->scope)->full_name;
    pawl_frame frame = {xml_join(r->xml, prefix, item->name), holder->body,
                        pawl_pose_compose(pawl_pose_inverse(sdf_body_pose(holder)), item->pose)};
    if (frame.name == NULL) {
        return PAWL_NO_MEMORY;
    }
    return xml_refused(r->xml, item->node, "frame", item->full_name,
                       pawl_builder_add_frame(r->builder, &frame));
}

static pawl_status sdf_reader_fill(sdf_reader *r)
{
    int count = r->tree.items.count;
    PAWL_TRY(sdf_reader_gravity(r));
    PAWL_TRY(sdf_reader_mark_links(r));
    PAWL_TRY(sdf_lump_links(r));
    for (int i = 0; i < count; ++i) {
        if (SDF_ITEM(&r->tree, i)->kind == SDF_LINK && SDF_ITEM(&r->tree, i)->carrier == 0) {
            PAWL_TRY(sdf_link_read(r, i));
        }
    }
    for (int i = 0; i < count; ++i) {
        if (SDF_ITEM(&r->tree, i)->kind == SDF_LINK && SDF_ITEM(&r->tree, i)->carrier != 0) {
            PAWL_TRY(sdf_lump_part(r, i));
        }
    }
    for (int i = 0; i < count; ++i) {
        if (SDF_ITEM(&r->tree, i)->kind == SDF_FRAME) {
            PAWL_TRY(sdf_reader_frame(r, i));
        }
    }
    for (int i = 0; i < count; ++i) {
        if (SDF_ITEM(&r->tree, i)->kind == SDF_JOINT) {
            PAWL_TRY(sdf_joint_read(r, i));
        }
    }
    for (int i = 0; i < count; ++i) {
        if (SDF_ITEM(&r->tree, i)->kind == SDF_JOINT) {
            PAWL_TRY(sdf_coupling_read(r, SDF_ITEM(&r->tree, i)));
        }
    }
    for (int i = 0; i < count; ++i) {
        sdf_kind kind = SDF_ITEM(&r->tree, i)->kind;
        if (kind == SDF_WORLD || kind == SDF_MODEL) {
            PAWL_TRY(sdf_reader_extensions(r, i));
        }
    }
    return PAWL_OK;
}

static pawl_status sdf_reader_run(sdf_reader *r, const xmlNode *root, pawl_model **out)
{
    PAWL_TRY(sdf_tree_build(&r->tree, r->xml, root));
    PAWL_TRY(sdf_tree_resolve(&r->tree));
    const sdf_item *world = SDF_ITEM(&r->tree, 0);
    const char *name = world->name;
    for (int i = 1; i < r->tree.items.count && world->lone != NULL; ++i) {
        const sdf_item *item = SDF_ITEM(&r->tree, i);
        if (item->kind == SDF_MODEL && item->full_name[0] == '\0') {
            name = item->name;
            break;
        }
    }
    PAWL_TRY(pawl_builder_create(r->xml->env, name, &r->builder));
    PAWL_TRY(sdf_reader_fill(r));
    return model_finish(r->xml, root, "model", name, r->builder, out);
}

pawl_status sdf_read(xml_reader *reader, const xmlNode *root, pawl_model **out)
{
    sdf_reader r = {.xml = reader, .tree = {.reader = reader}};
    pawl_status status = sdf_reader_run(&r, root, out);
    pawl_builder_destroy(r.builder);
    sdf_tree_free(&r.tree);
    return status;
}
