// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Pages: one HTML file that consists of the bundle of web/ and one JSON document. docs/pages.md describes the
/// documents; the browser draws the whole page from them.
///
/// **Threads.** These functions share nothing; any threads may call them at once.
#pragma once
#include "pawl/kinds.h"
#include "pawl/model.h"

PAWL_EXTERN_C_BEGIN

/// Text allocated by the library, terminated by a zero that is not counted; free it with pawl_string_free().
typedef struct pawl_string {
    char *data;
    size_t size, capacity;
} pawl_string;
/// `env` is the one it was created with; a text of zeros is fine.
PAWL_API void pawl_string_free(const pawl_env *env, pawl_string *text);

/// Whether the bundle of web/ is built in. Without it a page contains its document and a notice.
PAWL_API bool pawl_page_has_bundle(void);
/// A page as text: `document` is JSON with the key `page`, which is the kind of the page, and must not contain
/// "</". It is not checked beyond that.
PAWL_API pawl_status pawl_page_make(const pawl_env *env, const char *title, const char *document,
                                    pawl_string *out);
/// The same into a file, which is replaced when the new one is complete on the disk.
PAWL_API pawl_status pawl_page_write(const pawl_env *env, const char *title, const char *document,
                                     const char *path);
/// The parts of a model as JSON: `{"format":1,"name":..,"up":..,"bodies":..,"joints":..,"shapes":..}`, the
/// document of a motion without its frames (docs/player.md).
PAWL_API pawl_status pawl_scene_json(const pawl_env *env, const pawl_model *model,
                                     pawl_string *out);
/// A recorded motion as JSON (docs/player.md).
PAWL_API pawl_status pawl_motion_json(const pawl_env *env, const char *record_path,
                                      pawl_string *out);

/// Only the document of a report (docs/pages.md).
PAWL_API pawl_status pawl_report_json(const pawl_env *env, const char *record_path,
                                      pawl_string *out);
/// Several recordings in one page (docs/pages.md): settings and verdicts side by side, every quantity in one plot, the
/// machines moving together. 2 to PAWL_MOST_COMPARED of them.
PAWL_API pawl_status pawl_compare_write(const pawl_env *env, const char *const *record_paths,
                                        int count, const char *html_path);
enum { PAWL_MOST_COMPARED = 8 };
/// The page that pawl_report_write() writes, as text.
PAWL_API pawl_status pawl_report_make(const pawl_env *env, const char *record_path,
                                      pawl_string *out);

/// The distance between the two sides of a joint along the directions that the joint constrains [m], with its frames in the
/// world; pages colour joints by it. NaN where it has no meaning: distances, gears, free joints.
PAWL_API double pawl_joint_gap(pawl_joint_kind kind, pawl_pose base, pawl_pose follower);

PAWL_EXTERN_C_END
