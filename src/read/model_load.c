// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Model files from a path or from memory: recognizes the format, calls its reader and releases memory.
#include "base/guard.h"
#include "pawl/io.h"
#include "read/mesh.h"
#include "read/mjcf_reader.h"
#include "read/sdf_reader.h"
#include "read/search_path.h"
#include "read/urdf_reader.h"
#include <locale.h>
#include <math.h>
#include <string.h>

pawl_load_options pawl_load_options_default(void)
{
    return (pawl_load_options){.ground.friction = pawl_shape_def_default().friction,
                               .place.orientation.w = 1.0,
                               .stamp = PAWL_STAMP_LOAD_OPTIONS};
}

// Whether it has macros of ROS's preprocessor.
static bool model_load_is_xacro(const xmlNode *root)
{
    XML_EACH (child, root) {
        bool bound = child->ns != NULL && child->ns->prefix != NULL &&
                     strcmp((const char *)child->ns->prefix, "xacro") == 0;
        if (bound || strncmp((const char *)child->name, "xacro:", 6) == 0) {
            return true;
        }
    }
    return false;
}

static pawl_status model_load_root(xml_reader *reader, const xml_file *file, pawl_model **out)
{
    const xmlNode *root = xmlDocGetRootElement(file->doc);
    if (xml_is(root, "sdf")) {
        return sdf_read(reader, root, out);
    }
    if (xml_is(root, "robot") && model_load_is_xacro(root)) {
        return xml_error(reader, root,
                         "this is a xacro file, which makes a URDF file: xacro FILE > "
                         "robot.urdf");
    }
    if (xml_is(root, "robot")) {
        return urdf_read(reader, root, out);
    }
    if (xml_is(root, "mujoco")) {
        return mjcf_read(reader, root, out);
    }
    if (xml_is(root, "mujocoinclude")) {
        return xml_error(reader, root,
                         "<mujocoinclude> is a part of a model: read the file that "
                         "includes it");
    }
    return xml_error(reader, root, "got root element <%s>, expected <sdf>, <robot> or <mujoco>",
                     root->name);
}

// From `path`, or from `text` when that is not NULL.
static pawl_status model_load(const pawl_env *env, const char *path, const char *text, size_t size,
                              const pawl_load_options *options, pawl_model **out)
{
    *out = NULL;
    // Model files write numbers with a point, whatever the locale of the program is.
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the C locale");
    }
    locale_t before = uselocale(plain);
    xml_reader reader;
    xml_file *file = NULL;
    xml_reader_begin(&reader, env, options != NULL && options->lenient);
    reader.motion_path = options != NULL ? options->motion_path : NULL;
    reader.starts = options != NULL ? options->starts : NULL;
    reader.start_count = options != NULL && options->starts != NULL ? options->start_count : 0;
    reader.start_key = options != NULL ? options->start_key : NULL;
    if (options != NULL) {
        reader.ground = options->ground;
        reader.search_path = options->search_path;
        reader.fixed_base = options->fixed_base;
    }
    reader.place = (options != NULL ? *options : pawl_load_options_default()).place;
    reader.verbose = options != NULL && options->verbose;
    reader.repair_inertia = options != NULL && options->repair_inertia;
    reader.keep_fixed = options != NULL && options->keep_fixed;
    reader.mesh_contact = options != NULL ? options->mesh_contact : PAWL_MESH_HULL;
    reader.mjcf_soft = options != NULL && options->mjcf_soft;
    reader.start_limits = options != NULL ? options->start_limits : PAWL_START_AS_IS;
    reader.drawing = options != NULL && options->drawing;
    reader.drawn_left = MESH_DRAWN_TRIANGLES;
    pawl_status status =
        search_path_begin(&reader, options != NULL ? options->search_path : NULL, path);
    if (status == PAWL_OK) {
        status = text != NULL ? xml_file_parse(&reader, path, text, size, &file)
                              : xml_file_open(&reader, path, NULL, &file);
    }
    if (status == PAWL_OK) {
        status = model_load_root(&reader, file, out);
    }
    if (status == PAWL_OK && reader.start_key != NULL && !reader.start_found) {
        pawl_model_destroy(*out);
        *out = NULL;
        status = PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                           "start '%s': the file has no keyframe of that name", reader.start_key);
    }
    if (status == PAWL_OK) {
        xml_report_left_out(&reader);
        xml_report_tallies(&reader);
    }
    xml_reader_end(&reader);
    uselocale(before);
    freelocale(plain);
    return status;
}

static pawl_status model_load_check(const pawl_env *env, const pawl_load_options *options)
{
    if (options != NULL) {
        PAWL_NEED_STAMP(env, options, PAWL_STAMP_LOAD_OPTIONS, "pawl_load_options_default");
        if ((int)options->mesh_contact < 0 || options->mesh_contact >= PAWL_MESH_CONTACT_COUNT) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "mesh contact %d, expected 0 to %d",
                             (int)options->mesh_contact, PAWL_MESH_CONTACT_COUNT - 1);
        }
        if ((int)options->start_limits < 0 || options->start_limits >= PAWL_START_LIMITS_COUNT) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "start limits %d, expected 0 to %d",
                             (int)options->start_limits, PAWL_START_LIMITS_COUNT - 1);
        }
        const pawl_ground_option *g = &options->ground;
        if (g->put && !(isfinite(g->height) && fabs(g->slope) < 1.5 && g->friction >= 0.0 &&
                        isfinite(g->friction))) {
            return PAWL_FAIL(
                env, PAWL_BAD_ARGUMENT,
                "ground at height %g m with a slope of %g rad and friction %g, "
                "expected finite numbers, a slope below 1.5 rad and friction from 0 on",
                g->height, g->slope, g->friction);
        }
    }
    return PAWL_OK;
}

pawl_status pawl_model_load(const pawl_env *env, const char *path, const pawl_load_options *options,
                            pawl_model **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, path);
    PAWL_NEED(env, out);
    PAWL_TRY(model_load_check(env, options));
    return model_load(env, path, NULL, 0, options, out);
}

pawl_status pawl_model_parse(const pawl_env *env, const char *name, const char *text, size_t size,
                             const pawl_load_options *options, pawl_model **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, out);
    if (size > 0) {
        PAWL_NEED(env, text);
    }
    PAWL_TRY(model_load_check(env, options));
    return model_load(env, name != NULL ? name : "model", text != NULL ? text : "", size, options,
                      out);
}
