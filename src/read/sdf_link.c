// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Links of SDFormat: those that are bodies, their mass and inertia, and pairs that do not touch each other.
#include "read/inertia_mend.h"
#include "read/sdf_parts.h"
#include <string.h>

static const double SDF_LINK_WATER = 1000.0; // SDFormat's default density [kg/m^3]

// The density for <inertial auto="true">: that of <inertial>, unless all collisions state another.
static pawl_status sdf_link_density(const sdf_reader *r, const xmlNode *link,
                                    const xmlNode *inertial, pawl_body_def *def)
{
    double common = SDF_LINK_WATER, first = -1.0;
    PAWL_TRY(xml_child_number(r->xml, inertial, "density", XML_POSITIVE, &common));
    XML_EACH (child, link) {
        if (!xml_is(child, "collision")) {
            continue;
        }
        double density = common;
        PAWL_TRY(xml_child_number(r->xml, child, "density", XML_POSITIVE, &density));
        if (first >= 0.0 && density != first) {
            PAWL_TRY(xml_unsupported(r->xml, child,
                                     "link '%s' has collisions of densities %g and %g; one density "
                                     "for a link is supported",
                                     def->name, first, density));
        }
        first = first >= 0.0 ? first : density;
    }
    def->density = first >= 0.0 ? first : common;
    return PAWL_OK;
}

static pawl_status sdf_link_inertia(const sdf_reader *r, const xmlNode *inertial,
                                    pawl_body_def *def)
{
    static const xml_rule rules[] = {{XML_TAKEN, "ixx iyy izz ixy ixz iyz"}, {XML_TAKEN, NULL}};
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const xmlNode *inertia, *pose_node;
    pawl_pose pose = pawl_pose_identity();
    PAWL_TRY(xml_child(r->xml, inertial, "pose", &pose_node));
    if (pose_node != NULL) {
        PAWL_TRY(sdf_read_pose(r->xml, pose_node, &pose));
    }
    def->com = pose.position;
    PAWL_TRY(xml_child(r->xml, inertial, "inertia", &inertia));
    if (inertia == NULL) {
        if (def->kind == PAWL_BODY_RIGID) {
            PAWL_TRY(xml_tally(r->xml, PAWL_LOG_WARNING, inertial,
                               "a link without <inertia> has SDFormat's default of 1 kg m^2",
                               def->name));
        }
    } else {
        PAWL_TRY(xml_check(r->xml, inertia, rules));
        for (int i = 0; i < 6; ++i) {
            PAWL_TRY(xml_child_number(r->xml, inertia, names[i], i < 3 ? XML_NOT_NEGATIVE : XML_ANY,
                                      &def->inertia[i]));
        }
    }
    extension_turn_inertia(pose.orientation, def->inertia);
    return inertia_mend(r->xml, inertial, def->name, def->inertia);
}

pawl_status sdf_link_mass(const sdf_reader *r, const xmlNode *link, pawl_body_def *def)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@auto mass pose inertia density"},
                                     {XML_SILENT, "auto_inertia_params"},
                                     {XML_PHYSICS, "fluid_added_mass"},
                                     {XML_TAKEN, NULL}};
    const xmlNode *inertial;
    PAWL_TRY(xml_child(r->xml, link, "inertial", &inertial));
    def->mass = 1.0; // SDFormat's defaults
    for (int i = 0; i < 6; ++i) {
        def->inertia[i] = i < 3 ? 1.0 : 0.0;
    }
    if (inertial == NULL) {
        if (def->density > 0.0) {
            def->mass = 0.0;
            memset(def->inertia, 0, sizeof def->inertia);
        } else if (def->kind != PAWL_BODY_KINEMATIC) {
            PAWL_TRY(xml_tally(r->xml, PAWL_LOG_WARNING, link,
                               "a link without <inertial> has SDFormat's default of 1 kg and 1 kg "
                               "m^2",
                               def->name));
        }
        return PAWL_OK;
    }
    PAWL_TRY(xml_check(r->xml, inertial, rules));
    bool automatic = false;
    const char *text = xml_attribute(inertial, "auto");
    if (text != NULL) {
        PAWL_TRY(xml_bool(r->xml, inertial, "auto", text, &automatic));
    }
    const xmlNode *mass, *inertia;
    PAWL_TRY(xml_child(r->xml, inertial, "mass", &mass));
    PAWL_TRY(xml_child(r->xml, inertial, "inertia", &inertia));
    PAWL_TRY(xml_child_number(r->xml, inertial, "mass",
                              def->kind == PAWL_BODY_KINEMATIC ? XML_NOT_NEGATIVE : XML_POSITIVE,
                              &def->mass));
    if (automatic && !(def->density > 0.0)) {
        PAWL_TRY(sdf_link_density(r, link, inertial, def));
    }
    // A mass counts before a density, and the shapes' inertia is then scaled to it, as libsdformat
    // has it from version 15 on. auto="true" overrules an <inertia>, <pawl:density> does not.
    if (def->density > 0.0 && (mass == NULL || inertia == NULL || automatic)) {
        def->mass = mass != NULL ? def->mass : 0.0;
        memset(def->inertia, 0, sizeof def->inertia);
        return PAWL_OK;
    }
    if (mass == NULL && def->kind != PAWL_BODY_KINEMATIC) {
        PAWL_TRY(xml_tally(r->xml, PAWL_LOG_WARNING, inertial,
                           "a link without <mass> has SDFormat's default of 1 kg", def->name));
    }
    return sdf_link_inertia(r, inertial, def);
}

// Fixed to a velocity, this would be a damping; its unit is another, so it cannot be carried over.
static pawl_status sdf_link_decay(const sdf_reader *r, const xmlNode *link, const char *name)
{
    const xmlNode *node;
    double linear = 0.0, angular = 0.0;
    PAWL_TRY(xml_child(r->xml, link, "velocity_decay", &node));
    if (node == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_child_number(r->xml, node, "linear", XML_ANY, &linear));
    PAWL_TRY(xml_child_number(r->xml, node, "angular", XML_ANY, &angular));
    if (linear != 0.0 || angular != 0.0) {
        xml_log(r->xml, PAWL_LOG_WARNING, node,
                "link '%s': <velocity_decay> is ignored, its meaning depends on the time step; "
                "<pawl:linear_damping> and <pawl:angular_damping> do not",
                name);
    }
    return PAWL_OK;
}

// Whether a link is part of the world: it is of a static model, no joint ends at it, and nothing in
// it asks for a body of its own. Floors and walls then do not count as bodies.
static pawl_status sdf_link_stands(const sdf_reader *r, const sdf_item *link, bool *out)
{
    static const char *const own[] = {"kinematic", "pawl:kind", "pawl:kinematic"};
    *out = SDF_ITEM(&r->tree, link->scope)->is_static && !link->jointed;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i) {
        const xmlNode *node;
        PAWL_TRY(xml_child(r->xml, link->node, own[i], &node));
        *out = *out && node == NULL;
    }
    return PAWL_OK;
}

// Two links of one model touch if either of them says <self_collide>true</self_collide>, or says nothing in a model that
// does; nested models are part of the outermost. Those that do not are a family.
static pawl_status sdf_link_family(const sdf_reader *r, const sdf_item *link, int *family)
{
    bool touches = false;
    int model = link->scope;
    PAWL_TRY(xml_child_bool(r->xml, SDF_ITEM(&r->tree, model)->node, "self_collide", &touches));
    PAWL_TRY(xml_child_bool(r->xml, link->node, "self_collide", &touches));
    while (SDF_ITEM(&r->tree, model)->scope != 0) {
        model = SDF_ITEM(&r->tree, model)->scope;
    }
    *family = touches || SDF_ITEM(&r->tree, model)->touching < 2 ? 0 : model;
    return PAWL_OK;
}

// A mass of 0 means a link that does not move, as in Bullet; one that a joint moves needs a mass.
static pawl_status sdf_link_weightless(const sdf_reader *r, const sdf_item *link, bool *out)
{
    const xmlNode *inertial, *mass = NULL;
    double value = 1.0;
    *out = false;
    PAWL_TRY(xml_child(r->xml, link->node, "inertial", &inertial));
    if (inertial != NULL) {
        PAWL_TRY(xml_child(r->xml, inertial, "mass", &mass));
    }
    if (mass == NULL || link->is_child) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_child_number(r->xml, inertial, "mass", XML_ANY, &value));
    *out = value == 0.0;
    return *out ? xml_tally(r->xml, PAWL_LOG_WARNING, mass,
                            "a link of mass 0 that is no child of a joint does not move",
                            link->full_name)
                : PAWL_OK;
}

pawl_status sdf_link_read(sdf_reader *r, int index)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name pose inertial visual collision gravity kinematic velocity_decay "
                    "self_collide " EXTENSION_LINK},
        {XML_SILENT, "sensor light projector audio_sink audio_source battery particle_emitter "
                     "enable_wind must_be_base_link"},
        {XML_IGNORED, "plugin"},
        {XML_TAKEN, NULL}};
    sdf_item *item = SDF_ITEM(&r->tree, index);
    const xmlNode *node = item->node;
    pawl_body_def def = pawl_body_def_default();
    bool gravity = true, kinematic = false;
    PAWL_TRY(xml_check(r->xml, node, rules));
    def.name = item->full_name;
    def.pose = item->pose;
    PAWL_TRY(xml_child_bool(r->xml, node, "gravity", &gravity));
    PAWL_TRY(xml_child_bool(r->xml, node, "kinematic", &kinematic));
    def.gravity_scale = gravity ? 1.0 : 0.0;
    PAWL_TRY(extension_read_link(r->xml, node, &def));
    bool weightless;
    PAWL_TRY(sdf_link_weightless(r, item, &weightless));
    if (kinematic || weightless || SDF_ITEM(&r->tree, item->scope)->is_static) {
        def.kind = PAWL_BODY_KINEMATIC; // stands still unless <pawl:kinematic> moves it
    }
    PAWL_TRY(sdf_link_decay(r, node, def.name));
    PAWL_TRY(sdf_link_mass(r, node, &def));
    PAWL_TRY(sdf_lump_masses(r, index, &def));
    if (def.kind == PAWL_BODY_KINEMATIC) {
        def.density = 0.0;
    }
    bool stands = false;
    PAWL_TRY(sdf_link_stands(r, item, &stands));
    PAWL_TRY(sdf_link_family(r, item, &def.family));
    item->body = PAWL_WORLD;
    item->body_pose = item->pose;
    item->still = def.kind == PAWL_BODY_KINEMATIC;
    if (!stands) {
        PAWL_TRY(xml_refused(r->xml, node, "link", def.name,
                             pawl_builder_add_body(r->builder, &def, &item->body)));
    }
    bool weighed = def.density > 0.0 && !(def.inertia[0] > 0.0);
    return sdf_shapes_read(r, item, index, weighed);
}
