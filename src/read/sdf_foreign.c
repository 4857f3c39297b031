// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// URDF and MJCF files in an <include> of SDFormat: the file is read as a model, written as SDFormat text
// (pawl_model_write_text) and included. Links that the reader made part of another body become frames.
#include "pawl/write.h"
#include "read/mjcf_reader.h"
#include "read/sdf_tree.h"
#include "read/urdf_reader.h"
#include <stdio.h>

typedef struct foreign_text {
    xml_reader *reader;
    const char *path;
    xml_file *file;
} foreign_text;

static pawl_status foreign_take(void *user, const char *text, size_t size)
{
    foreign_text *t = user;
    return xml_file_parse(t->reader, t->path, text, size, &t->file);
}

// Options of the caller for the whole model (ground, starts) do not apply to a part of it.
static pawl_status foreign_model(xml_reader *reader, const xmlNode *root, pawl_model **out)
{
    xml_reader whole = *reader;
    reader->starts = NULL;
    reader->start_count = 0;
    reader->start_key = NULL;
    reader->motion_path = NULL;
    reader->ground.put = false;
    reader->fixed_base = false;
    reader->mesh_contact = PAWL_MESH_HULL; // the text has no triangle meshes
    pawl_status status =
        xml_is(root, "robot") ? urdf_read(reader, root, out) : mjcf_read(reader, root, out);
    reader->starts = whole.starts;
    reader->start_count = whole.start_count;
    reader->start_key = whole.start_key;
    reader->motion_path = whole.motion_path;
    reader->ground = whole.ground;
    reader->fixed_base = whole.fixed_base;
    reader->mesh_contact = whole.mesh_contact;
    return status;
}

pawl_status sdf_foreign_open(xml_reader *reader, const xmlNode *where, const xmlNode *root,
                             const xmlNode **out)
{
    pawl_model *model = NULL;
    const xml_file *file = root->doc->_private;
    foreign_text text = {.reader = reader, .path = file->path};
    PAWL_TRY(foreign_model(reader, root, &model));
    pawl_write_report report;
    pawl_status status =
        pawl_model_write_text(reader->env, model, PAWL_FILE_SDF, foreign_take, &text, &report);
    for (int i = 0; status == PAWL_OK && i < report.count; ++i) {
        if (report.losses[i].motion) {
            status = xml_unsupported(reader, where, "of the included file is not kept: %s",
                                     report.losses[i].what);
        }
    }
    pawl_model_destroy(model);
    PAWL_TRY(status);
    xmlNode *top = NULL;
    const xmlNode *content = xmlDocGetRootElement(text.file->doc);
    content = xml_first(content) != NULL && xml_is(xml_first(content), "world") ? xml_first(content)
                                                                                : content;
    XML_EACH (child, content) {
        if (xml_is(child, "model") && top != NULL) {
            return xml_error(reader, where,
                             "the included file has shapes of the world beside its bodies, which "
                             "a model cannot have");
        }
        top = xml_is(child, "model") ? (xmlNode *)child : top;
    }
    if (top == NULL) {
        return xml_error(reader, where, "the included file contains no body");
    }
    *out = top;
    return PAWL_OK;
}
