// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A model that plays a motion is compiled twice: inverse kinematics needs the compiled model, and the
// targets it finds are part of the one that is handed out, and of its hash.
#include "read/model_finish.h"
#include "pawl/keyframes.h"

pawl_status model_finish(const xml_reader *reader, const xmlNode *root, const char *what,
                         const char *name, pawl_builder *builder, pawl_model **out)
{
    for (const xml_warning *w = reader->warnings; w != NULL; w = w->next) {
        PAWL_TRY(pawl_builder_add_warning(builder, &w->warning));
    }
    PAWL_TRY(xml_refused(reader, root, what, name, pawl_builder_compile(builder, out)));
    if (reader->motion_path == NULL) {
        return PAWL_OK;
    }
    pawl_keyframes *keyframes;
    pawl_status status = pawl_keyframes_read(reader->env, reader->motion_path, *out, &keyframes);
    pawl_model_destroy(*out);
    *out = NULL;
    if (status == PAWL_OK) {
        status = pawl_keyframes_apply(keyframes, builder);
    }
    pawl_keyframes_destroy(keyframes);
    PAWL_TRY(status);
    return pawl_builder_compile(builder, out);
}
