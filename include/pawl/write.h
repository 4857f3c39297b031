// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Models as files: SDFormat, URDF and MJCF. In libpawl-io.
///
/// A file is written from the compiled model, so it contains what the engine simulates: bodies, joints, loops, shapes, actuators.
/// Content that the format cannot express is listed in a report; nothing is dropped silently. docs/convert.md has the tables.
///
/// **Threads.** A call reads its model, which is shared. Calls that write to different files may run at once.
#pragma once
#include "pawl/model.h"

PAWL_EXTERN_C_BEGIN

typedef enum pawl_file_format {
    PAWL_FILE_NONE = 0,
    PAWL_FILE_SDF,
    PAWL_FILE_URDF,
    PAWL_FILE_MJCF,
    PAWL_FILE_FORMAT_COUNT
} pawl_file_format;
/// "sdf", "urdf" or "mjcf"; NULL for others.
PAWL_API const char *pawl_file_format_name(pawl_file_format format);
/// By the ending of a file's name: .sdf, .world, .urdf, .xml, .mjcf; PAWL_FILE_NONE for others.
PAWL_API pawl_file_format pawl_file_format_of(const char *path);

/// A difference between the file and the model.
typedef struct pawl_write_loss {
    char what[120];  ///< one sentence
    char where[120]; ///< the names of the first
    int count;
    bool motion; ///< the motion differs; otherwise names, colours and similar data
} pawl_write_loss;
enum { PAWL_WRITE_LOSSES = 64 };
typedef struct pawl_write_report {
    int count;                                 ///< of the kinds of losses
    pawl_write_loss losses[PAWL_WRITE_LOSSES]; ///< those that change the motion first
} pawl_write_report;
/// Writes the file; one of that name is replaced when the new one is complete. `report` may be NULL. Losses are
/// not failures: the report lists them.
PAWL_API pawl_status pawl_model_write(const pawl_env *env, const pawl_model *model,
                                      pawl_file_format format, const char *path,
                                      pawl_write_report *report);

/// Gets the text of a file, which is valid during the call.
typedef pawl_status pawl_write_take(void *user, const char *text, size_t size);
/// As pawl_model_write(), to a function that is called once; its status is returned.
PAWL_API pawl_status pawl_model_write_text(const pawl_env *env, const pawl_model *model,
                                           pawl_file_format format, pawl_write_take *take,
                                           void *user, pawl_write_report *report);

PAWL_EXTERN_C_END
