// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The tree of a URDF file: its links and joints by name, the pose of every link with all coordinates at
// zero, and the body that each link is part of.
//
// URDF files have many links without mass that only name a frame. Such a link is merged into the link it is fixed to.
// A root link called "world" is the world; any other root floats. A file with several roots has several trees (as in
// Drake), all placed at the origin.
#include "math/rotation.h"
#include "read/urdf_parts.h"
#include <string.h>

// Without <inertial>, or with a mass of 0, as exporters write it for frames.
pawl_status urdf_tree_is_weightless(const urdf_reader *r, const xmlNode *link, bool *out)
{
    const xmlNode *inertial, *mass = NULL;
    double value = 1.0;
    PAWL_TRY(xml_child(r->xml, link, "inertial", &inertial));
    if (inertial != NULL) {
        PAWL_TRY(xml_child(r->xml, inertial, "mass", &mass));
    }
    if (mass != NULL) {
        PAWL_TRY(xml_attribute_number(r->xml, mass, "value", XML_ANY, &value));
    }
    *out = inertial == NULL || value == 0.0;
    return PAWL_OK;
}

static pawl_status urdf_tree_list_link(urdf_reader *r, const xmlNode *node)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@name inertial visual collision " EXTENSION_LINK},
                                     {XML_SILENT, "@type sensor"},
                                     {XML_TAKEN, NULL}};
    const char *name;
    const xmlNode *density;
    bool weightless;
    PAWL_TRY(xml_check(r->xml, node, rules));
    PAWL_TRY(xml_need_attribute(r->xml, node, "name", &name));
    PAWL_TRY(urdf_enter(r, node, URDF_LINKS, "link", name, r->links.count));
    PAWL_TRY(urdf_tree_is_weightless(r, node, &weightless));
    PAWL_TRY(xml_child(r->xml, node, "pawl:density", &density));
    pawl_body_def probe = {.name = name};
    PAWL_TRY(extension_read_link(r->xml, node, &probe));
    urdf_link *link = urdf_push(r, &r->links, sizeof *link);
    if (link == NULL) {
        return PAWL_NO_MEMORY;
    }
    *link =
        (urdf_link){.node = node,
                    .name = name,
                    .joint = URDF_NONE,
                    .first_child = URDF_NONE,
                    .sibling = URDF_NONE,
                    .carrier = URDF_NONE,
                    .floats_with = URDF_NONE,
                    .massless = weightless && density == NULL && probe.kind != PAWL_BODY_KINEMATIC,
                    .body = PAWL_WORLD};
    return PAWL_OK;
}

static pawl_status urdf_tree_list_joint(urdf_reader *r, const xmlNode *node)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name @type origin parent child axis limit dynamics mimic " EXTENSION_JOINT},
        {XML_SILENT, "calibration safety_controller"},
        {XML_TAKEN, NULL}};
    static const xml_rule end_rules[] = {{XML_TAKEN, "@link"}, {XML_TAKEN, NULL}};
    static const char *const names[2] = {"parent", "child"};
    urdf_joint joint = {.node = node};
    int ends[2];
    PAWL_TRY(xml_check(r->xml, node, rules));
    PAWL_TRY(xml_need_attribute(r->xml, node, "name", &joint.name));
    PAWL_TRY(xml_need_attribute(r->xml, node, "type", &joint.type));
    PAWL_TRY(urdf_enter(r, node, URDF_JOINTS, "joint", joint.name, r->joints.count));
    PAWL_TRY(urdf_origin(r, node, &joint.origin));
    for (int i = 0; i < 2; ++i) {
        const xmlNode *end;
        const char *name;
        PAWL_TRY(xml_need_child(r->xml, node, names[i], &end));
        PAWL_TRY(xml_check(r->xml, end, end_rules));
        PAWL_TRY(xml_need_attribute(r->xml, end, "link", &name));
        PAWL_TRY(urdf_find(r, end, URDF_LINKS, name, &ends[i]));
    }
    joint.parent = ends[0];
    joint.child = ends[1];
    if (joint.parent == joint.child) {
        return xml_error(r->xml, node, "joint '%s' connects link '%s' with itself", joint.name,
                         URDF_LINK(r, joint.child)->name);
    }
    urdf_link *child = URDF_LINK(r, joint.child);
    if (child->joint != URDF_NONE) {
        return xml_error(r->xml, node,
                         "link '%s' is the child of joint '%s' and of joint '%s'; URDF is a tree: "
                         "<pawl:loop> closes loops",
                         child->name, URDF_JOINT(r, child->joint)->name, joint.name);
    }
    child->joint = r->joints.count;
    for (int c = 0; c < 6; ++c) {
        joint.effort[c] = INFINITY;
    }
    urdf_joint *slot = urdf_push(r, &r->joints, sizeof *slot);
    if (slot == NULL) {
        return PAWL_NO_MEMORY;
    }
    *slot = joint;
    return PAWL_OK;
}

// Drake's files have joints whose parent is a link "world" that stands nowhere: it is added.
static pawl_status urdf_tree_need_world(urdf_reader *r, const xmlNode *root)
{
    XML_EACH (joint, root) {
        const xmlNode *parent = NULL;
        if (xml_is(joint, "joint")) {
            PAWL_TRY(xml_child(r->xml, joint, "parent", &parent));
        }
        const char *name = parent != NULL ? xml_attribute(parent, "link") : NULL;
        if (name == NULL || strcmp(name, "world") != 0 ||
            pawl_name_table_find(&r->names, URDF_LINKS, name, strlen(name)) >= 0) {
            continue;
        }
        xmlNode *link = xmlNewChild((xmlNode *)root, NULL, (const xmlChar *)"link", NULL);
        if (link == NULL ||
            xmlNewProp(link, (const xmlChar *)"name", (const xmlChar *)"world") == NULL) {
            return PAWL_FAIL(r->xml->env, PAWL_NO_MEMORY, "libxml2 has no memory");
        }
        xml_log(r->xml, PAWL_LOG_NOTE, parent,
                "the parent 'world' is no link of the file: the world "
                "is meant");
        return urdf_tree_list_link(r, link);
    }
    return PAWL_OK;
}

// Gazebo lumps links on fixed joints, too; its two elements that say where not count here.
static pawl_status urdf_tree_list_kept(urdf_reader *r, const xmlNode *gazebo)
{
    const char *name = xml_attribute(gazebo, "reference");
    int index =
        name != NULL ? pawl_name_table_find(&r->names, URDF_JOINTS, name, strlen(name)) : -1;
    if (index < 0) {
        return PAWL_OK;
    }
    bool kept = false;
    PAWL_TRY(xml_child_bool(r->xml, gazebo, "preserveFixedJoint", &kept));
    if (!kept) {
        PAWL_TRY(xml_child_bool(r->xml, gazebo, "disableFixedJointLumping", &kept));
    }
    URDF_JOINT(r, index)->kept = URDF_JOINT(r, index)->kept || kept;
    return PAWL_OK;
}

pawl_status urdf_tree_list(urdf_reader *r, const xmlNode *root)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@name link joint material loop_joint pawl:loop "
                                                 "pawl:gravity pawl:self_collide " EXTENSION_MODEL},
                                     {XML_SILENT, "@version"},
                                     {XML_IGNORED, "gazebo transmission sensor"},
                                     {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(r->xml, root, rules));
    XML_EACH (child, root) {
        if (xml_is(child, "link")) {
            PAWL_TRY(urdf_tree_list_link(r, child));
        } else if (xml_is(child, "material")) {
            const char *name = xml_attribute(child, "name");
            if (name != NULL &&
                pawl_name_table_find(&r->names, URDF_MATERIALS, name, strlen(name)) < 0) {
                PAWL_TRY(xml_add_name(r->xml, &r->names, URDF_MATERIALS, name, r->materials.count));
                const xmlNode **slot = urdf_push(r, &r->materials, sizeof *slot);
                if (slot == NULL) {
                    return PAWL_NO_MEMORY;
                }
                *slot = child;
            }
        }
    }
    if (r->links.count == 0) {
        return xml_error(r->xml, root, "<robot> has no <link>");
    }
    PAWL_TRY(urdf_tree_need_world(r, root));
    XML_EACH (child, root) {
        if (xml_is(child, "joint")) {
            PAWL_TRY(urdf_tree_list_joint(r, child));
        }
    }
    XML_EACH (child, root) {
        if (xml_is(child, "gazebo")) {
            PAWL_TRY(urdf_tree_list_kept(r, child));
        }
    }
    return PAWL_OK;
}

static pawl_status urdf_tree_add_root(urdf_reader *r, int root)
{
    URDF_LINK(r, root)->pose = pawl_pose_identity();
    URDF_LINK(r, root)->top = root;
    int *slot = urdf_push(r, &r->order, sizeof *slot);
    if (slot == NULL) {
        return PAWL_NO_MEMORY;
    }
    *slot = root;
    return PAWL_OK;
}

// Walks the trees from their roots: poses, and the order in which parents come before children.
pawl_status urdf_tree_walk(urdf_reader *r)
{
    r->root = URDF_NONE;
    for (int i = r->links.count - 1; i >= 0; --i) { // backwards, so that siblings keep their order
        urdf_link *link = URDF_LINK(r, i);
        if (link->joint == URDF_NONE) {
            r->root = i;
            continue;
        }
        urdf_link *parent = URDF_LINK(r, URDF_JOINT(r, link->joint)->parent);
        link->sibling = parent->first_child;
        parent->first_child = i;
    }
    if (r->root == URDF_NONE) {
        return xml_error(
            r->xml, URDF_LINK(r, 0)->node,
            "every link is the child of a joint, so the joints form a cycle; URDF is a "
            "tree: <pawl:loop> closes loops");
    }
    for (int i = r->root; i < r->links.count; ++i) {
        if (URDF_LINK(r, i)->joint != URDF_NONE) {
            continue;
        }
        PAWL_TRY(urdf_tree_add_root(r, i));
        if (i != r->root && strcmp(URDF_LINK(r, i)->name, "world") != 0) {
            PAWL_TRY(xml_tally(r->xml, PAWL_LOG_WARNING, URDF_LINK(r, i)->node,
                               "a link besides the root is the child of no joint: it begins a "
                               "tree of its own at the origin",
                               URDF_LINK(r, i)->name));
        }
    }
    int *slot;
    for (int k = 0; k < r->order.count; ++k) {
        int parent = PAWL_ITEM(r->order, int, k);
        for (int c = URDF_LINK(r, parent)->first_child; c >= 0; c = URDF_LINK(r, c)->sibling) {
            urdf_link *child = URDF_LINK(r, c);
            child->pose =
                pawl_pose_compose(URDF_LINK(r, parent)->pose, URDF_JOINT(r, child->joint)->origin);
            child->pose.orientation = pawl_quat_normalize(child->pose.orientation);
            child->top = URDF_LINK(r, parent)->top;
            slot = urdf_push(r, &r->order, sizeof *slot);
            if (slot == NULL) {
                return PAWL_NO_MEMORY;
            }
            *slot = c;
        }
    }
    if (r->order.count < r->links.count) {
        return xml_error(
            r->xml, URDF_LINK(r, r->root)->node,
            "%d links cannot be reached from the root '%s': their joints form a cycle; "
            "<pawl:loop> closes loops",
            r->links.count - r->order.count, URDF_LINK(r, r->root)->name);
    }
    return PAWL_OK;
}

// The mass of every link with all that hangs on it; shapes that give a mass count as 1 kg.
static pawl_status urdf_tree_weigh(urdf_reader *r)
{
    for (int k = r->order.count - 1; k >= 0; --k) {
        urdf_link *link = URDF_LINK(r, PAWL_ITEM(r->order, int, k));
        const xmlNode *inertial, *mass = NULL;
        double value = 0.0;
        PAWL_TRY(xml_child(r->xml, link->node, "inertial", &inertial));
        if (inertial != NULL) {
            PAWL_TRY(xml_child(r->xml, inertial, "mass", &mass));
        }
        if (mass != NULL) {
            PAWL_TRY(xml_attribute_number(r->xml, mass, "value", XML_ANY, &value));
        }
        link->weight += link->massless ? 0.0 : value > 0.0 ? value : 1.0;
        if (link->joint != URDF_NONE) {
            URDF_LINK(r, URDF_JOINT(r, link->joint)->parent)->weight += link->weight;
        }
    }
    return PAWL_OK;
}

// A link without mass that a joint moves: a body of little mass where something hangs on it, else part of its parent.
static pawl_status urdf_tree_merge_moving(urdf_reader *r, int i, int above)
{
    const double little = 1e-6; // of what hangs on it
    urdf_link *link = URDF_LINK(r, i);
    if (link->weight > 0.0) {
        link->auxiliary = little * link->weight;
        link->carrier = i;
        return PAWL_OK;
    }
    link->carrier = above;
    return xml_tally(r->xml, PAWL_LOG_WARNING, link->node,
                     "a joint on which no mass hangs is taken as fixed",
                     URDF_JOINT(r, link->joint)->name);
}

static bool urdf_tree_is_plain(const xmlNode *node)
{
    XML_EACH (child, node) {
        if (child->ns != NULL || strncmp((const char *)child->name, "pawl:", 5) == 0) {
            return false;
        }
    }
    return true;
}

// Whether a link with a mass becomes part of `above`, to which a joint fixes it: where nothing keeps it and both are
// rigid bodies of given masses, or where its inertia is that of no body.
static pawl_status urdf_tree_lump(urdf_reader *r, int i, int above, bool *out)
{
    urdf_link *link = URDF_LINK(r, i);
    bool stands = urdf_link_stands_alone(r, link);
    bool plain = urdf_tree_is_plain(link->node) && urdf_tree_is_plain(URDF_LINK(r, above)->node) &&
                 urdf_tree_is_plain(URDF_JOINT(r, link->joint)->node);
    bool kept = r->xml->keep_fixed || r->self_collide || URDF_JOINT(r, link->joint)->kept;
    *out = !stands || (!kept && plain);
    if (!*out) {
        return PAWL_OK;
    }
    link->carrier = above;
    link->lumped = true;
    URDF_LINK(r, above)->auxiliary = 0.0; // it has a mass now
    return stands ? xml_tally(r->xml, PAWL_LOG_NOTE, link->node,
                              "a link on a fixed joint is part of the link that carries it; "
                              "--keep-fixed keeps it",
                              link->name)
                  : xml_tally(r->xml, PAWL_LOG_WARNING, link->node,
                              "the inertia of a link on a fixed joint is that of no rigid body: "
                              "it is lumped with the link that carries it",
                              link->name);
}

// Which body each link is part of.
pawl_status urdf_tree_merge(urdf_reader *r)
{
    PAWL_TRY(urdf_tree_weigh(r));
    for (int k = 0; k < r->order.count;
         ++k) { // a massive link fixed to frames that lead to the root
        int i = PAWL_ITEM(r->order, int, k);
        urdf_link *link = URDF_LINK(r, i);
        bool fixed =
            link->joint != URDF_NONE && strcmp(URDF_JOINT(r, link->joint)->type, "fixed") == 0;
        urdf_link *above =
            link->joint != URDF_NONE ? URDF_LINK(r, URDF_JOINT(r, link->joint)->parent) : NULL;
        link->rooted = link->massless && (above == NULL || (fixed && above->rooted));
        urdf_link *top = URDF_LINK(r, link->top);
        if (!link->massless && fixed && above->rooted && top->floats_with == URDF_NONE) {
            top->floats_with = i;
        }
    }
    for (int k = 0; k < r->order.count; ++k) {
        int i = PAWL_ITEM(r->order, int, k);
        urdf_link *link = URDF_LINK(r, i);
        const urdf_link *top = URDF_LINK(r, link->top);
        if (i == link->top && strcmp(link->name, "world") == 0) {
            link->carrier = URDF_WORLD;
            continue;
        }
        if (i == link->top && link->massless && top->floats_with == URDF_NONE) {
            link->carrier = URDF_WORLD;
            r->tied = r->tied || i == r->root;
            PAWL_TRY(xml_tally(r->xml, PAWL_LOG_WARNING, link->node,
                               "the root link has no mass and is taken as part of the world",
                               link->name));
            continue;
        }
        bool fixed =
            link->joint != URDF_NONE && strcmp(URDF_JOINT(r, link->joint)->type, "fixed") == 0;
        int above = link->joint != URDF_NONE
                        ? URDF_LINK(r, URDF_JOINT(r, link->joint)->parent)->carrier
                        : URDF_NONE;
        if (link->rooted) {
            link->carrier = top->floats_with != URDF_NONE && top->carrier != URDF_WORLD
                                ? top->floats_with
                                : URDF_WORLD;
        } else if (!link->massless) {
            bool lumped = false;
            if (fixed && above >= 0 && above != i) {
                PAWL_TRY(urdf_tree_lump(r, i, above, &lumped));
            }
            link->carrier = lumped ? above : i;
        } else if (fixed) {
            link->carrier = above;
        } else {
            PAWL_TRY(urdf_tree_merge_moving(r, i, above));
        }
    }
    return PAWL_OK;
}
