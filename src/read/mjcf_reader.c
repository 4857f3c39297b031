// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// MJCF to a model: files, compiler and classes (mjcf_spec.c), assets (mjcf_asset.c), the tree (mjcf_tree.c with mjcf_geom.c
// and mjcf_joint.c), masses (mjcf_mass.c), bodies, joints and shapes (mjcf_build.c, mjcf_contact.c), then the
// elements that refer to them: mjcf_equality.c, mjcf_tendon.c, mjcf_actuator.c, mjcf_key.c.
#include "read/mjcf_reader.h"
#include "math/vec.h"
#include "read/mjcf_parts.h"
#include "read/model_finish.h"
#include <string.h>

// --- <option> ------------------------------------------------------------------------------------

static pawl_status mjcf_option_flags(mjcf_reader *r, const mjcf_element *e)
{
    const struct {
        const char *name;
        bool *off[4];
    } flags[] = {
        {"contact", {&r->contacts_off}},
        {"gravity", {&r->gravity_off}},
        {"limit", {&r->limits_off}},
        {"equality", {&r->equality_off}},
        {"frictionloss", {&r->friction_off}},
        {"constraint", {&r->contacts_off, &r->limits_off, &r->equality_off, &r->friction_off}},
        {"passive", {&r->springs_off, &r->dampers_off}},
        {"spring", {&r->springs_off}},
        {"damper", {&r->dampers_off}}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; ++i) {
        bool on = true;
        PAWL_TRY(mjcf_flag(r, e, flags[i].name, &on));
        for (int k = 0; k < 4 && flags[i].off[k] != NULL; ++k) {
            *flags[i].off[k] = *flags[i].off[k] || !on;
        }
    }
    return PAWL_OK;
}

static pawl_status mjcf_option_read(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *node)
{
    mjcf_element e = {.node = node, .spec = spec};
    double density = 0.0;
    pawl_vec3 wind = {0.0, 0.0, 0.0};
    PAWL_TRY(mjcf_vec3(r, &e, "gravity", &r->gravity));
    PAWL_TRY(mjcf_vec3(r, &e, "wind", &wind));
    PAWL_TRY(mjcf_number(r, &e, "viscosity", &r->viscosity));
    PAWL_TRY(mjcf_number(r, &e, "density", &density));
    const char *collision = xml_attribute(node, "collision");
    r->only_pairs = r->only_pairs || (collision != NULL && strcmp(collision, "predefined") == 0);
    r->wind = wind;
    if (density > 0.0) {
        pawl_medium medium = {.density = density, .wind = wind};
        r->medium = true;
        PAWL_TRY(pawl_builder_set_medium(r->builder, medium));
    }
    const char *step = xml_attribute(node, "timestep");
    if (step != NULL) {
        PAWL_TRY(xml_tally(r->xml, PAWL_LOG_NOTE, node,
                           "the file's time step is not used; --dt sets it", step));
    }
    XML_EACH (child, node) {
        if (xml_is(child, "flag")) {
            mjcf_element flag = {.node = child, .spec = spec};
            PAWL_TRY(mjcf_option_flags(r, &flag));
        }
    }
    return PAWL_OK;
}

// --- sections ------------------------------------------------------------------------------------

typedef pawl_status (*mjcf_section_reader)(mjcf_reader *r, const mjcf_spec *spec,
                                           const xmlNode *section);

static pawl_status mjcf_each_section(mjcf_reader *r, const char *name, mjcf_section_reader read)
{
    for (const mjcf_spec *spec = r->specs; spec != NULL; spec = spec->next) {
        mjcf_children sections;
        if (spec->copy_of != NULL && read == mjcf_keys_read) {
            continue;
        }
        PAWL_TRY(mjcf_list(r, spec->root, &sections));
        for (int i = 0; i < sections.count; ++i) {
            if (xml_is(sections.nodes[i], name)) {
                PAWL_TRY(read(r, spec, sections.nodes[i]));
            }
        }
    }
    return PAWL_OK;
}

static pawl_status mjcf_check_sections(mjcf_reader *r, const mjcf_spec *spec)
{
    static const char *const known[] = {
        "compiler", "option",   "size",   "visual",   "statistic", "default",  "asset", "worldbody",
        "contact",  "equality", "tendon", "actuator", "sensor",    "keyframe", "custom"};
    mjcf_children sections;
    PAWL_TRY(mjcf_list(r, spec->root, &sections));
    for (int i = 0; i < sections.count; ++i) {
        const xmlNode *node = sections.nodes[i];
        bool found = false;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; ++k) {
            found = found || xml_is(node, known[k]);
        }
        if (xml_is(node, "extension") || xml_is(node, "deformable")) {
            XML_EACH (child, node) {
                bool drawn = xml_is(child, "skin");
                PAWL_TRY(
                    drawn ? xml_tally(r->xml, PAWL_LOG_NOTE, child, "a skin is not drawn", NULL)
                          : xml_unsupported(r->xml, child, "<%s> is not supported%s", child->name,
                                            r->xml->lenient ? " and left out"
                                                            : "; --lenient leaves it out"));
            }
        } else if (mjcf_is_part(node)) {
            PAWL_TRY(xml_tally(r->xml, PAWL_LOG_WARNING, node,
                               "a part of a body outside of <worldbody> is read as part of it",
                               xml_attribute(node, "name")));
        } else if (!found) {
            return xml_error(r->xml, node, "<%s> is not expected in <%s>", node->name,
                             spec->root->name);
        }
        if (xml_is(node, "sensor")) {
            XML_EACH (child, node) {
                PAWL_TRY(xml_tally(r->xml, PAWL_LOG_NOTE, child,
                                   "a sensor of the file is not read; queries have its value",
                                   xml_attribute(child, "name")));
            }
        }
    }
    return PAWL_OK;
}

static pawl_status mjcf_equality_unless_off(mjcf_reader *r, const mjcf_spec *spec,
                                            const xmlNode *section)
{
    return r->equality_off ? PAWL_OK : mjcf_equality_read(r, spec, section);
}

static pawl_status mjcf_fill(mjcf_reader *r)
{
    mjcf_spec *spec = r->specs;
    mjcf_children sections;
    PAWL_TRY(mjcf_check_sections(r, spec));
    PAWL_TRY(mjcf_list(r, spec->root, &sections));
    for (int i = 0; i < sections.count;
         ++i) { // of the first file: an attached one has none of its own
        if (xml_is(sections.nodes[i], "option")) {
            PAWL_TRY(mjcf_option_read(r, spec, sections.nodes[i]));
        }
    }
    pawl_builder_set_gravity(r->builder, r->gravity_off ? v3(0.0, 0.0, 0.0) : r->gravity);
    PAWL_TRY(mjcf_assets_list(r, spec));
    PAWL_TRY(mjcf_tree_read(r, spec));
    PAWL_TRY(mjcf_each_section(r, "contact", mjcf_contact_read));
    PAWL_TRY(mjcf_build(r));
    PAWL_TRY(mjcf_each_section(r, "contact", mjcf_excludes_read));
    PAWL_TRY(mjcf_each_section(r, "tendon", mjcf_tendons_list));
    PAWL_TRY(mjcf_tendons_build(r));
    PAWL_TRY(mjcf_each_section(r, "equality", mjcf_equality_unless_off));
    PAWL_TRY(mjcf_each_section(r, "actuator", mjcf_actuators_read));
    return mjcf_each_section(r, "keyframe", mjcf_keys_read);
}

static pawl_status mjcf_run(mjcf_reader *r, const xmlNode *root, pawl_model **out)
{
    mjcf_spec *spec;
    const char *name = xml_attribute(root, "model");
    name = name != NULL && name[0] != '\0' ? name : "mujoco";
    PAWL_TRY(mjcf_spec_open(r, root, "", &spec));
    PAWL_TRY(pawl_builder_create(r->xml->env, name, &r->builder));
    PAWL_TRY(mjcf_fill(r));
    return model_finish(r->xml, root, "model", name, r->builder, out);
}

static void mjcf_free(mjcf_reader *r)
{
    const pawl_env *env = r->xml->env;
    pawl_builder_destroy(r->builder);
    for (mjcf_spec *s = r->specs; s != NULL; s = s->next) {
        for (int i = 0; s->copy_of == NULL && i < s->classes.count; ++i) {
            pawl_array_free(env, &PAWL_ITEM(s->classes, mjcf_class, i).nodes);
        }
        if (s->copy_of == NULL) {
            pawl_array_free(env, &s->classes);
        }
    }
    for (int i = 0; i < r->tendons.count; ++i) {
        pawl_array_free(env, &MJCF_TENDON_AT(r, i)->terms);
    }
    pawl_array *all[] = {&r->bodies, &r->joints, &r->geoms,     &r->sites,   &r->meshes,
                         &r->models, &r->fields, &r->materials, &r->tendons, &r->pairs};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        pawl_array_free(env, all[i]);
    }
}

pawl_status mjcf_read(xml_reader *reader, const xmlNode *root, pawl_model **out)
{
    mjcf_reader r = {.xml = reader, .gravity = {0.0, 0.0, -9.81}};
    pawl_status status = mjcf_run(&r, root, out);
    mjcf_free(&r);
    return status;
}
