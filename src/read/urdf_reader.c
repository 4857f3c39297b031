// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// URDF to a model: the tree of links at zero coordinates (urdf_tree.c), then bodies and shapes
// (urdf_link.c), joints and mimics (urdf_joint.c), loops (urdf_loop.c) and the pawl: elements.
#include "read/urdf_reader.h"
#include "read/model_finish.h"
#include "read/urdf_parts.h"
#include <string.h>

static pawl_status urdf_reader_fill(urdf_reader *r, const xmlNode *root)
{
    for (int i = 0; i < r->links.count; ++i) {
        if (URDF_LINK(r, i)->carrier == i) {
            PAWL_TRY(urdf_link_read(r, URDF_LINK(r, i)));
        }
    }
    for (int i = 0; i < r->links.count; ++i) {
        PAWL_TRY(urdf_link_read_shapes(r, URDF_LINK(r, i)));
    }
    for (int i = 0; i < r->links.count; ++i) {
        const urdf_link *link = URDF_LINK(r, i);
        if (link->carrier == i || strcmp(link->name, "world") == 0) {
            continue;
        }
        pawl_frame frame = {.name = link->name};
        PAWL_TRY(urdf_find_body(r, link->node, link->name, &frame.body, &frame.pose));
        PAWL_TRY(xml_refused(r->xml, link->node, "link", link->name,
                             pawl_builder_add_frame(r->builder, &frame)));
    }
    int tree_joints = r->joints.count;
    for (int i = 0; i < tree_joints; ++i) {
        PAWL_TRY(urdf_joint_read(r, URDF_JOINT(r, i)));
    }
    XML_EACH (child, root) {
        if (xml_is(child, "pawl:loop") || xml_is(child, "loop_joint")) {
            PAWL_TRY(urdf_loop_read(r, child));
        }
    }
    for (int i = 0; i < tree_joints; ++i) {
        PAWL_TRY(urdf_joint_read_mimic(r, URDF_JOINT(r, i)));
    }
    if (!r->tied) {
        xml_log(r->xml, PAWL_LOG_NOTE, URDF_LINK(r, r->root)->node,
                "the root link '%s' floats; a root called 'world', or <pawl:loop type=\"fixed\" "
                "parent=\"world\" ...>, would hold it",
                URDF_LINK(r, r->root)->name);
    }
    extension_context context = {.reader = r->xml,
                                 .builder = r->builder,
                                 .prefix = "",
                                 .user = r,
                                 .find_body = urdf_find_body,
                                 .find_joint = urdf_find_joint};
    XML_EACH (child, root) {
        bool done;
        PAWL_TRY(extension_read_model(&context, child, &done));
    }
    return PAWL_OK;
}

static pawl_status urdf_reader_run(urdf_reader *r, const xmlNode *root, pawl_model **out)
{
    const char *name = xml_attribute(root, "name");
    const xmlNode *node;
    name = name != NULL && name[0] != '\0' ? name : "robot";
    PAWL_TRY(xml_child_bool(r->xml, root, "pawl:self_collide", &r->self_collide));
    PAWL_TRY(urdf_tree_list(r, root));
    PAWL_TRY(urdf_tree_walk(r));
    PAWL_TRY(urdf_tree_merge(r));
    PAWL_TRY(pawl_builder_create(r->xml->env, name, &r->builder));
    PAWL_TRY(xml_child(r->xml, root, "pawl:gravity", &node));
    if (node != NULL) {
        pawl_vec3 gravity;
        PAWL_TRY(xml_child_vec3(r->xml, root, "pawl:gravity", &gravity));
        pawl_builder_set_gravity(r->builder, gravity);
    }
    int touching = 0; // links that could
    for (int i = 0; i < r->links.count; ++i) {
        XML_EACH (child, URDF_LINK(r, i)->node) {
            if (xml_is(child, "collision")) {
                ++touching;
                break;
            }
        }
    }
    r->self_collide = r->self_collide || touching < 2;
    PAWL_TRY(urdf_reader_fill(r, root));
    return model_finish(r->xml, root, "robot", name, r->builder, out);
}

pawl_status urdf_read(xml_reader *reader, const xmlNode *root, pawl_model **out)
{
    urdf_reader r = {.xml = reader};
    pawl_status status = urdf_reader_run(&r, root, out);
    pawl_builder_destroy(r.builder);
    pawl_array_free(reader->env, &r.links);
    pawl_array_free(reader->env, &r.joints);
    pawl_array_free(reader->env, &r.materials);
    pawl_array_free(reader->env, &r.order);
    return status;
}
