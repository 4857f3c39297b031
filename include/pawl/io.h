// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Model files in, recordings and reports out. In libpawl-io, so that libpawl stays small.
///
/// **Threads.** Recorders and records belong to one thread at a time; a recorder reads its simulation, so the two belong
/// to the same one. Loading models, and different recorders and records, may run at once: access to HDF5 is serialized
/// inside.
#pragma once
#include "pawl/contact_problem.h"
#include "pawl/sample.h"
#include "pawl/verdict.h"
#include "pawl/wrench.h"

PAWL_EXTERN_C_BEGIN

/// The start position of a joint, by its name.
typedef struct pawl_named_start {
    const char *joint;
    int count;          ///< as many as the joint has coordinates
    double position[6]; ///< [m or rad]
} pawl_named_start;
/// The ground added to a model whose file has none, such as a robot in URDF: a plane, or the ground of another file.
typedef struct pawl_ground_option {
    bool put;
    bool under;      ///< it touches the lowest shape of all moving bodies at the start
    double height;   ///< otherwise: its height at the world's z axis [m]
    double slope;    ///< it rises along x by this angle; floating bodies are turned with it [rad]
    double friction; ///< coefficient; pairs combine by contact.friction_rule [-]
    /// NULL, or a model file whose fixed shapes and heightfields are the ground; the fields above are then not used.
    const char *file;
} pawl_ground_option;
/// How the collision meshes of a model file touch.
typedef enum pawl_mesh_contact {
    PAWL_MESH_HULL = 0,  ///< each as its convex hull (PAWL_SHAPE_HULL)
    PAWL_MESH_TRIANGLES, ///< as they are (PAWL_SHAPE_MESH)
    PAWL_MESH_PARTS, ///< each as convex parts, which fill concave regions by at most 1 % of its size
    PAWL_MESH_CONTACT_COUNT
} pawl_mesh_contact;
/// Treatment of joints that start beyond their limits.
typedef enum pawl_start_limits {
    PAWL_START_AS_IS = 0, ///< they start there; the limit moves them inside
    PAWL_START_CLAMP,     ///< they start at the limit
    PAWL_START_LIMITS_COUNT
} pawl_start_limits;
/// How model files are read.
typedef struct pawl_load_options {
    bool lenient; ///< an unsupported element that changes the physics is a warning, not an error
    const char *motion_path; ///< NULL, or a motion file whose keys the position actuators follow
    int start_count;         ///< of `starts`
    const pawl_named_start *starts; ///< besides those of the file; the last one of a joint is used
    pawl_ground_option ground;      ///< none by default
    pawl_pose place; ///< displacement of floating bodies, before the ground; none by default
    bool fixed_base; ///< the root of every floating tree is fixed at its start pose
    /// Folders separated by ':' for files that the model names, searched before those of SDF_PATH,
    /// GZ_SIM_RESOURCE_PATH, GAZEBO_MODEL_PATH and ROS_PACKAGE_PATH; or NULL.
    const char *search_path;
    const char *start_key; ///< NULL, or a keyframe of an MJCF file to start from
    bool verbose;          ///< a log line for each note, instead of one line with the count
    bool repair_inertia;   ///< inertias that no rigid body has become the nearest valid ones
    /// SDFormat, URDF: links on fixed joints stay bodies, and their joints have forces that can be queried. By default such
    /// a link becomes part of its parent link, and pawl_model_find_frame() finds it by its name.
    bool keep_fixed;
    pawl_mesh_contact mesh_contact; ///< how collision meshes touch: as their hulls by default
    pawl_start_limits start_limits; ///< of joints that start beyond their limits: as is by default
    bool mjcf_soft; ///< MJCF files: constraints are soft by solref and solimp; otherwise hard
    bool
        drawing; ///< visual meshes become shapes (visual_only), for drawing; the motion is the same
    uint32_t stamp; ///< set by the default function; shows that it was called
} pawl_load_options;
PAWL_API pawl_load_options pawl_load_options_default(void);
/// SDFormat, URDF or MJCF, recognized by the root element. Errors and warnings go to the log as
/// "file:line: message". On failure *out is NULL.
PAWL_API pawl_status pawl_model_load(const pawl_env *env, const char *path,
                                     const pawl_load_options *options, pawl_model **out);
/// The same from memory; `name` is the file name in messages and the base of includes.
PAWL_API pawl_status pawl_model_parse(const pawl_env *env, const char *name, const char *text,
                                      size_t size, const pawl_load_options *options,
                                      pawl_model **out);

/// Adds a wrench model of kind table to the builder, its table and power read from a text file
/// (docs/wrench-contact.md); name and stiffness are taken from `def`. Errors go to the log of `env` as
/// "file:line: message".
PAWL_API pawl_status pawl_wrench_table_load(const pawl_env *env, const char *path,
                                            pawl_builder *builder, const pawl_wrench_model_def *def,
                                            int *out);

/// The contents of a recording besides time and states.
enum {
    PAWL_TRACE_Q = 1 << 0,        ///< poses, and joint coordinates
    PAWL_TRACE_V = 1 << 1,        ///< twists, and joint rates
    PAWL_TRACE_FORCE = 1 << 2,    ///< joint reactions and actuator efforts
    PAWL_TRACE_CONTACTS = 1 << 3, ///< contact points, forces and modes
    PAWL_TRACE_ENERGY = 1 << 4,
    PAWL_TRACE_RESIDUALS = 1 << 5, ///< solver iterations, residuals, closure
    PAWL_TRACE_ALL = (1 << 6) - 1
};
typedef struct pawl_recorder_options {
    unsigned trace;          ///< PAWL_TRACE_*
    double interval;         ///< time between recorded frames; 0: every step [s]
    int flush_frames;        ///< most frames between flushes: memory and slow runs reduce it;
                             ///< flushed data remain if the process is killed
    const char *model_path;  ///< stored, so that a run can be resumed
    const char *motion_path; ///< likewise; NULL for none
    uint32_t stamp;          ///< set by the default function; shows that it was called
} pawl_recorder_options;
PAWL_API pawl_recorder_options pawl_recorder_options_default(void);

typedef struct pawl_recorder pawl_recorder;
/// Creates `path` (HDF5, see docs/recording.md). An existing file is replaced only when the new one
/// contains a first frame. `sim` must outlive the recorder.
PAWL_API pawl_status pawl_recorder_create(const pawl_env *env, const char *path,
                                          const pawl_sim *sim, const pawl_recorder_options *options,
                                          pawl_recorder **out);
/// Appends to a recording of the same model and settings, after its last flushed frame. The sim
/// must be in the state that pawl_record_last_state() returned; close that record before.
PAWL_API pawl_status pawl_recorder_append(const pawl_env *env, const char *path,
                                          const pawl_sim *sim, pawl_recorder **out);
/// Call after each step (and once before the first, `report` may then be NULL); records a frame when
/// one is due. After a failure every call fails in the same way, and flushed data remain.
PAWL_API pawl_status pawl_recorder_add(pawl_recorder *recorder, const pawl_step_report *report,
                                       const pawl_verdict *verdict);
/// The final verdict (see pawl_verdict_end()), which pawl_recorder_close() writes.
PAWL_API void pawl_recorder_end(pawl_recorder *recorder, const pawl_verdict *verdict);
/// Flushes, with a frame of the present state of the sim, and closes. The status reports whether all data
/// reached the file. NULL is fine.
PAWL_API pawl_status pawl_recorder_close(pawl_recorder *recorder);

/// A recording opened for reading. One that is still being written can be read: the run waits with
/// its next flush until the record is closed, but no longer than 10 s.
typedef struct pawl_record pawl_record;
PAWL_API pawl_status pawl_record_open(const pawl_env *env, const char *path, pawl_record **out);
PAWL_API void pawl_record_close(pawl_record *record);
PAWL_API int64_t pawl_record_frame_count(const pawl_record *record); ///< flushed frames
PAWL_API const char *pawl_record_model_path(const pawl_record *record);
PAWL_API const char *pawl_record_motion_path(const pawl_record *record); ///< "": none
PAWL_API uint64_t pawl_record_model_hash(const pawl_record *record);
PAWL_API pawl_settings pawl_record_settings(const pawl_record *record);
/// The last flushed state and the run's verdict up to it.
PAWL_API pawl_status pawl_record_last_state(const pawl_record *record, pawl_state *state,
                                            pawl_verdict *verdict);
/// The criteria of the run up to there, as by pawl_verdict_judge().
PAWL_API pawl_verdict_list pawl_record_judge(const pawl_record *record);
/// One of the series and tables that a recording has (docs/recording.md).
typedef struct pawl_series {
    const char *name;    ///< e.g. "joint/position"
    const char *unit;    ///< "" for none
    const char *columns; ///< names of the last dimension, separated by spaces; "" for none
    int rank;            ///< 1 to 3
    int64_t size[3];     ///< frames, or rows of a table, first; 1 beyond the rank
} pawl_series;
PAWL_API int pawl_record_series_count(const pawl_record *record); ///< series in the file
PAWL_API pawl_series pawl_record_series(const pawl_record *record,
                                        int index); ///< rank 0 for none
/// All its numbers, row by row; whole numbers as doubles. `out` has room for the product of its sizes.
PAWL_API pawl_status pawl_record_read(const pawl_record *record, int index, double *out);
/// Names in the order of the columns: of bodies, and of joints with the number of coordinates of each.
PAWL_API int pawl_record_body_count(const pawl_record *record);
PAWL_API const char *pawl_record_body_name(const pawl_record *record, int body); ///< "" for none
PAWL_API int pawl_record_joint_count(const pawl_record *record);                 ///< gears included
PAWL_API const char *pawl_record_joint_name(const pawl_record *record, int joint); ///< "" for none
PAWL_API int pawl_record_joint_coordinates(const pawl_record *record, int joint); ///< of that joint
/// One self-contained HTML page: plots, residuals, energy, verdict.
PAWL_API pawl_status pawl_report_write(const pawl_env *env, const char *record_path,
                                       const char *html_path);
/// Only the picture of the mechanism from the head of that page, as an SVG file.
PAWL_API pawl_status pawl_report_picture(const pawl_env *env, const char *record_path,
                                         const char *svg_path);

/// The page of a benchmark: `json` is its document (docs/bench.md), with every '</' written as '<\\/'.
PAWL_API pawl_status pawl_lab_page_write(const pawl_env *env, const char *title, const char *json,
                                         const char *path);

/// Reads a problem of FCLib (HDF5; Acary et al.): its local form, or its global form, which is reduced
/// to the local one. FCLib puts the normal first in each contact and pawl last: rows are moved, signs
/// are the same. See docs/contact-problems.md. Errors name the file and the dataset.
PAWL_API pawl_status pawl_fclib_read(const pawl_env *env, const char *path,
                                     pawl_contact_problem **out);
/// A solution in such a file (`guess` 0) or one of its guesses (from 1 on), as
/// impulses r (3 x contact_count). If there is none, *found is false and r is unchanged.
PAWL_API pawl_status pawl_fclib_read_answer(const pawl_env *env, const char *path, int guess,
                                            int contact_count, double *r, bool *found);

/// Descriptive texts of a file; any may be NULL.
typedef struct pawl_fclib_info {
    const char *title, *description, *math_info;
} pawl_fclib_info;
/// Writes a problem in FCLib's local form, and `r`, if not NULL, as its solution. A file of that name is
/// replaced when the new one is complete.
PAWL_API pawl_status pawl_fclib_write(const pawl_env *env, const char *path,
                                      const pawl_contact_problem *problem,
                                      const pawl_fclib_info *info, const double *r);

/// Files of samples (docs/samples.md), written one after the other. A file of that name is replaced.
typedef struct pawl_sample_writer pawl_sample_writer;
/// Opens a file for writing; it is complete after pawl_sample_writer_close().
PAWL_API pawl_status pawl_sample_writer_create(const pawl_env *env, const char *path,
                                               pawl_sample_writer **out);
/// `system` and `scenario` replace the sample's own unless NULL; names are cut after 63 bytes.
PAWL_API pawl_status pawl_sample_writer_add(pawl_sample_writer *writer, const pawl_sample *sample,
                                            const char *system, const char *scenario);
/// Whether all was written; NULL is fine.
PAWL_API pawl_status pawl_sample_writer_close(pawl_sample_writer *writer);

typedef struct pawl_sample_file pawl_sample_file;
/// Whether a file says of itself that it has samples.
PAWL_API bool pawl_sample_file_is(const char *path);
/// Opens a file and reads its list of samples.
PAWL_API pawl_status pawl_sample_file_open(const pawl_env *env, const char *path,
                                           pawl_sample_file **out);
PAWL_API void pawl_sample_file_close(pawl_sample_file *file);      ///< NULL is fine
PAWL_API int pawl_sample_file_count(const pawl_sample_file *file); ///< samples
/// Sample `index`, to be destroyed; several threads may call it at once.
PAWL_API pawl_status pawl_sample_file_read(pawl_sample_file *file, int index, pawl_sample **out);

/// A column of a file of results: a dataset of numbers or words.
typedef enum pawl_data_type { PAWL_DATA_INT, PAWL_DATA_REAL, PAWL_DATA_TEXT } pawl_data_type;
typedef struct pawl_data_column {
    const char *name; ///< may have folders: "results/time"
    pawl_data_type type;
    int count;
    int width; ///< bytes of a word, zeros at its end included; of numbers that were read, those of a row, 1 or more
    void *data; ///< (count) int, double or char[width]
} pawl_data_column;
typedef struct pawl_attribute {
    const char *name, *text;
} pawl_attribute;
typedef struct pawl_table pawl_table;
/// Replaces a file of that name when the new one is complete.
PAWL_API pawl_status pawl_table_write(const pawl_env *env, const char *path,
                                      const pawl_data_column *columns, int column_count,
                                      const pawl_attribute *attributes, int attribute_count);
/// All columns and attributes of a file; others of its contents are left out.
PAWL_API pawl_status pawl_table_read(const pawl_env *env, const char *path, pawl_table **out);
PAWL_API void pawl_table_destroy(pawl_table *table); ///< NULL is fine
/// The columns in the order of their names; NULL past the last.
PAWL_API const pawl_data_column *pawl_table_at(const pawl_table *table, int index);
/// Of this name, or NULL.
PAWL_API const pawl_data_column *pawl_table_column(const pawl_table *table, const char *name);
PAWL_API const char *pawl_table_attribute(const pawl_table *table, const char *name); ///< likewise

PAWL_EXTERN_C_END
