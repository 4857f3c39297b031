// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads <pawl:wrench_model>, <pawl:contact_point>, <pawl:contact_points> and <pawl:heightfield>.
// Files that they name are relative to the model file.
#include "read/extension_wrench.h"
#include "math/vec.h"
#include "read/wrench_file.h"
#include <string.h>

// The field `file`, relative to the folder of the model file; NULL when there is none.
static pawl_status extension_wrench_path(const extension_context *x, const xmlNode *node,
                                         const char **path)
{
    const char *name;
    const xmlNode *where;
    *path = NULL;
    PAWL_TRY(xml_field(x->reader, node, "file", &name, &where));
    if (name == NULL) {
        return PAWL_OK;
    }
    if (name[0] == '\0') {
        return xml_error(x->reader, where, "<%s> has an empty file name", node->name);
    }
    const xml_file *file = node->doc->_private;
    const char *slash = strrchr(file->path, '/');
    size_t folder = name[0] == '/' || slash == NULL ? 0 : (size_t)(slash - file->path) + 1;
    char *joined = xml_alloc(x->reader, folder + strlen(name) + 1);
    if (joined == NULL) {
        return PAWL_NO_MEMORY;
    }
    memcpy(joined, file->path, folder);
    memcpy(joined + folder, name, strlen(name) + 1);
    *path = joined;
    return PAWL_OK;
}

// A whole number from low to high; keeps *out where there is no such field.
static pawl_status extension_wrench_count(const extension_context *x, const xmlNode *node,
                                          const char *field, int low, int high, int *out)
{
    double value = (double)*out;
    PAWL_TRY(xml_field_number(x->reader, node, field, XML_NOT_NEGATIVE, &value));
    if (!(value >= (double)low && value <= (double)high) || floor(value) != value) {
        return xml_error(x->reader, node, "got %s %g, expected a whole number from %d to %d", field,
                         value, low, high);
    }
    *out = (int)value;
    return PAWL_OK;
}

static pawl_status extension_wrench_kind(const extension_context *x, const xmlNode *node,
                                         pawl_wrench_kind *kind)
{
    const char *word;
    const xmlNode *where;
    PAWL_TRY(xml_field(x->reader, node, "kind", &word, &where));
    *kind = PAWL_WRENCH_COULOMB;
    for (int i = 0; word != NULL && i < PAWL_WRENCH_CUSTOM; ++i) {
        if (strcmp(word, pawl_wrench_kind_name((pawl_wrench_kind)i)) == 0) {
            *kind = (pawl_wrench_kind)i;
            return PAWL_OK;
        }
    }
    return word == NULL ? PAWL_OK
                        : xml_error(x->reader, where,
                                    "got kind '%s', expected coulomb, anisotropic, patch or table "
                                    "(models of your own are given in C)",
                                    word);
}

static pawl_status extension_wrench_axes(const extension_context *x, const xmlNode *node,
                                         bool *body)
{
    const char *axes;
    const xmlNode *where;
    PAWL_TRY(xml_field(x->reader, node, "axes", &axes, &where));
    if (axes != NULL && strcmp(axes, "ground") != 0 && strcmp(axes, "body") != 0) {
        return xml_error(x->reader, where, "got axes '%s', expected ground or body", axes);
    }
    *body = axes != NULL && strcmp(axes, "body") == 0;
    return PAWL_OK;
}

pawl_status extension_wrench_model(const extension_context *x, const xmlNode *node)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name @kind @stiffness @power @zeta @friction @directions @friction2 @angle "
                    "@axes @torsion @rings @file pawl:name pawl:kind pawl:stiffness pawl:power "
                    "pawl:zeta pawl:friction pawl:directions pawl:friction2 pawl:angle pawl:axes "
                    "pawl:torsion pawl:rings pawl:file"},
        {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(x->reader, node, rules));
    pawl_wrench_kind kind;
    PAWL_TRY(extension_wrench_kind(x, node, &kind));
    pawl_wrench_model_def def = pawl_wrench_model_def_default(kind);
    const struct {
        const char *name;
        xml_range range;
        double *out;
    } numbers[] = {{"stiffness", XML_POSITIVE, &def.stiffness},
                   {"power", XML_POSITIVE, &def.power},
                   {"zeta", XML_NOT_NEGATIVE, &def.zeta},
                   {"friction", XML_NOT_NEGATIVE, &def.friction},
                   {"friction2", XML_NOT_NEGATIVE, &def.friction2},
                   {"angle", XML_ANY, &def.angle},
                   {"torsion", XML_POSITIVE, &def.torsion}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        PAWL_TRY(
            xml_field_number(x->reader, node, numbers[i].name, numbers[i].range, numbers[i].out));
    }
    PAWL_TRY(extension_wrench_count(x, node, "directions", 3, PAWL_WRENCH_MAX_VERTICES,
                                    &def.directions));
    PAWL_TRY(extension_wrench_count(x, node, "rings", 1, PAWL_WRENCH_MAX_VERTICES, &def.rings));
    PAWL_TRY(extension_wrench_axes(x, node, &def.body_axes));
    PAWL_TRY(extension_name(x, node, &def.name));
    const char *path, *shown = def.name != NULL ? def.name : "";
    PAWL_TRY(extension_wrench_path(x, node, &path));
    if ((path != NULL) != (kind == PAWL_WRENCH_TABLE)) {
        return xml_error(x->reader, node, "got a %s model %s a file; tables have one, others none",
                         pawl_wrench_kind_name(kind), path != NULL ? "with" : "without");
    }
    if (path == NULL) {
        return xml_refused(x->reader, node, "wrench model", shown,
                           pawl_builder_add_wrench_model(x->builder, &def, NULL));
    }
    wrench_file file;
    pawl_status status = wrench_file_read(x->reader->env, path, &file);
    if (status == PAWL_OK) {
        def.table = file.table;
        def.power = file.power;
        status = pawl_builder_add_wrench_model(x->builder, &def, NULL);
    }
    wrench_file_free(x->reader->env, &file);
    return xml_refused(x->reader, node, "wrench model", shown, status);
}

// The wrench model that the field `model` names, which must have been given before.
static pawl_status extension_wrench_find(const extension_context *x, const xmlNode *node, int *out)
{
    const char *name;
    const xmlNode *where;
    PAWL_TRY(xml_field(x->reader, node, "model", &name, &where));
    if (name == NULL) {
        return xml_error(x->reader, node, "<pawl:%s> does not name its model", node->name);
    }
    const char *full = xml_join(x->reader, x->prefix, name);
    if (full == NULL) {
        return PAWL_NO_MEMORY;
    }
    *out = pawl_builder_find_wrench_model(x->builder, full);
    if (*out < 0) {
        *out = pawl_builder_find_wrench_model(x->builder, name); // the world's
    }
    return *out >= 0
               ? PAWL_OK
               : xml_error(x->reader, where,
                           "got model '%s', expected a <pawl:wrench_model> of that name before it",
                           name);
}

// The body that a field names, which must be one that moves, and the frame there.
static pawl_status extension_wrench_body(const extension_context *x, const xmlNode *node,
                                         pawl_body_id *body, pawl_pose *frame)
{
    const char *name;
    const xmlNode *where;
    PAWL_TRY(xml_field(x->reader, node, "body", &name, &where));
    if (name == NULL) {
        return xml_error(x->reader, node, "<pawl:%s> does not name its body", node->name);
    }
    PAWL_TRY(x->find_body(x->user, where, name, body, frame));
    return pawl_body_index(*body) >= 0
               ? PAWL_OK
               : xml_error(x->reader, where,
                           "body '%s' is fixed to the world, expected one that moves", name);
}

// x y z and roll pitch yaw from two fields.
static pawl_status extension_wrench_pose(const extension_context *x, const xmlNode *node,
                                         pawl_pose *out)
{
    pawl_vec3 rpy = v3(0.0, 0.0, 0.0);
    out->position = rpy;
    PAWL_TRY(xml_field_vec3(x->reader, node, "position", &out->position));
    PAWL_TRY(xml_field_vec3(x->reader, node, "rpy", &rpy));
    out->orientation = pawl_quat_from_rpy(rpy.x, rpy.y, rpy.z);
    return PAWL_OK;
}

pawl_status extension_contact_point(const extension_context *x, const xmlNode *node)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name @body @position @rpy @radius @core @model pawl:name pawl:body "
                    "pawl:position pawl:rpy pawl:radius pawl:core pawl:model"},
        {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(x->reader, node, rules));
    pawl_contact_point_def def = pawl_contact_point_def_default();
    pawl_pose base, local;
    PAWL_TRY(extension_name(x, node, &def.name));
    PAWL_TRY(extension_wrench_body(x, node, &def.body, &base));
    PAWL_TRY(extension_wrench_pose(x, node, &local));
    PAWL_TRY(xml_field_number(x->reader, node, "radius", XML_NOT_NEGATIVE, &def.radius));
    PAWL_TRY(xml_field_vec3(x->reader, node, "core", &def.core));
    PAWL_TRY(extension_wrench_find(x, node, &def.wrench_model));
    def.frame = pawl_pose_compose(base, local);
    return xml_refused(x->reader, node, "contact point", def.name != NULL ? def.name : "",
                       pawl_builder_add_contact_point(x->builder, &def, NULL));
}

pawl_status extension_contact_points(const extension_context *x, const xmlNode *node)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@body @model pawl:body pawl:model"},
                                     {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(x->reader, node, rules));
    pawl_body_id body;
    int model;
    pawl_pose frame;
    PAWL_TRY(extension_wrench_body(x, node, &body, &frame));
    PAWL_TRY(extension_wrench_find(x, node, &model));
    return xml_refused(x->reader, node, "contact points", "",
                       pawl_builder_add_contact_points_of(x->builder, body, model));
}

// Heights written inside the element.
static pawl_status extension_heightfield_inline(const extension_context *x, const xmlNode *node,
                                                pawl_heightfield_def *def)
{
    enum { MOST = 1 << 20 };
    double *heights;
    const xmlNode *inside;
    const char *text;
    int count;
    PAWL_TRY(extension_wrench_count(x, node, "x_count", 2, MOST, &def->x_count));
    PAWL_TRY(extension_wrench_count(x, node, "y_count", 2, MOST, &def->y_count));
    PAWL_TRY(xml_field_number(x->reader, node, "dx", XML_POSITIVE, &def->dx));
    PAWL_TRY(xml_field_number(x->reader, node, "dy", XML_POSITIVE, &def->dy));
    PAWL_TRY(xml_need_child(x->reader, node, "pawl:heights", &inside));
    PAWL_TRY(xml_text(x->reader, inside, &text));
    PAWL_TRY(xml_number_list(x->reader, inside, "pawl:heights", text, &heights, &count));
    if (count / def->x_count != def->y_count || count % def->x_count != 0) {
        return xml_error(x->reader, inside, "got %d heights, expected %d x %d", count, def->x_count,
                         def->y_count);
    }
    def->heights = heights;
    return xml_refused(x->reader, node, "heightfield", def->name != NULL ? def->name : "",
                       pawl_builder_add_heightfield(x->builder, def, NULL));
}

static pawl_status extension_heightfield_file(const extension_context *x, const xmlNode *node,
                                              const char *path, pawl_heightfield_def *def)
{
    height_file file;
    pawl_status status = height_file_read(x->reader->env, path, &file);
    if (status == PAWL_OK) {
        def->x_count = file.x_count;
        def->y_count = file.y_count;
        def->dx = file.dx;
        def->dy = file.dy;
        def->heights = file.heights.data;
        status = pawl_builder_add_heightfield(x->builder, def, NULL);
    }
    height_file_free(x->reader->env, &file);
    return xml_refused(x->reader, node, "heightfield", def->name != NULL ? def->name : "", status);
}

pawl_status extension_heightfield(const extension_context *x, const xmlNode *node)
{
    static const xml_rule from_file[] = {
        {XML_TAKEN, "@name @position @rpy @file pawl:name pawl:position pawl:rpy "
                    "pawl:file " EXTENSION_COLLISION},
        {XML_TAKEN, NULL}};
    static const xml_rule written[] = {
        {XML_TAKEN, "@name @position @rpy @x_count @y_count @dx @dy pawl:name pawl:position "
                    "pawl:rpy pawl:x_count pawl:y_count pawl:dx pawl:dy "
                    "pawl:heights " EXTENSION_COLLISION},
        {XML_TAKEN, NULL}};
    const char *path;
    PAWL_TRY(extension_wrench_path(x, node, &path));
    PAWL_TRY(xml_check(x->reader, node, path != NULL ? from_file : written));
    pawl_heightfield_def def = pawl_heightfield_def_default();
    def.x_count = def.y_count = 2;
    PAWL_TRY(extension_name(x, node, &def.name));
    PAWL_TRY(extension_wrench_pose(x, node, &def.frame));
    PAWL_TRY(extension_read_collision(x->reader, node, &def.surface));
    return path != NULL ? extension_heightfield_file(x, node, path, &def)
                        : extension_heightfield_inline(x, node, &def);
}
