// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Status codes, the environment (memory and log) and the plain value types all headers share.
///
/// **Mistakes of a caller** never end the program and never read or write out of range. They are: NULL
/// where a pointer is needed, an id of zeros (such as a misspelt name gives) or of another model, an index
/// that is negative or too large, an enum value that does not exist, a def or settings struct that its `_default()` function did
/// not make, numbers that are not finite, a state of another model, one sim stepped by two threads. Then
///
/// - a function that returns a pawl_status returns PAWL_BAD_ARGUMENT (or PAWL_NOT_FINITE); its outputs
///   are NULL, NaN or unchanged, and nothing else changes;
/// - a function that returns a value returns the value that means none: NaN for a number, 0 for a count or hash,
///   false, -1 for an index, zeros for an id, NULL for an object or the name of a kind, "" for the
///   name of a thing, and structs of these;
/// - a function that returns nothing does nothing; destroying NULL is fine;
/// - the log of the object's environment gets one line that names the function, what it got and what it
///   expected. Without an environment (it was NULL, too) there is no log line.
///
/// Not detected: objects that were destroyed, memory smaller than promised. PAWL_ASSERT_IDS, a
/// build option for debugging, makes an id of another model end the program.
///
/// **Bugs of pawl itself** are the one case in which the library prints and ends the program: a failed
/// internal check (PAWL_ASSERT in the source) writes one line to stderr and calls abort(), in release
/// builds, too, because an unnoticed wrong result is worse. No argument of a public function should
/// be able to cause it.
///
/// **Threads.** A model is immutable and may be shared. A sim, state, builder, recorder, record, limb,
/// sensitivity or contact problem belongs to one thread at a time; different ones may be used by different
/// threads at once, files included. The functions of an environment are called by whichever thread uses an
/// object made with it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
#define PAWL_EXTERN_C_BEGIN extern "C" {
#define PAWL_EXTERN_C_END }
#else
#define PAWL_EXTERN_C_BEGIN
#define PAWL_EXTERN_C_END
#endif

#if defined(_WIN32)
#define PAWL_API
#else
#define PAWL_API __attribute__((visibility("default")))
#endif

PAWL_EXTERN_C_BEGIN

#define PAWL_VERSION_MAJOR 0
#define PAWL_VERSION_MINOR 2
#define PAWL_VERSION_PATCH 0
/// "major.minor.patch" of the library that is linked, which may differ from the header's.
PAWL_API const char *pawl_version(void);

/// The result of a call that can be refused. Values are stored in files: append, never renumber.
typedef enum pawl_status {
    PAWL_OK = 0,
    PAWL_BAD_ARGUMENT,  ///< a def or setting out of range; the log says which value was expected
    PAWL_NO_MEMORY,     ///< the environment's resize() returned NULL
    PAWL_BAD_FILE,      ///< malformed or missing input; the log says file, line and expectation
    PAWL_NOT_FINITE,    ///< a step would have produced NaN or infinity; the previous state is kept
    PAWL_NOT_ASSEMBLED, ///< the joints cannot be brought together; the log names the worst
    PAWL_UNSUPPORTED,   ///< understood, but not built in or not allowed in this combination
    PAWL_IO_ERROR,      ///< the operating system refused to read or write
    PAWL_NOT_SOLVED     ///< a step found no solution, however short; the previous state is kept
} pawl_status;
PAWL_API const char *pawl_status_name(pawl_status status); ///< e.g. "bad argument"

typedef enum pawl_log_level { PAWL_LOG_NOTE, PAWL_LOG_WARNING, PAWL_LOG_ERROR } pawl_log_level;

/// The library's only way to memory and to the outside. It must outlive what is created with it.
typedef struct pawl_env {
    /// Like realloc, with the old size given; new_size 0 frees. Blocks are aligned to 64 bytes.
    void *(*resize)(void *user, void *block, size_t old_size, size_t new_size);
    /// May be NULL: messages are then dropped. One line, without a line feed.
    void (*log)(void *user, pawl_log_level level, const char *message);
    void *user;
} pawl_env;
/// The C library's heap and no log.
PAWL_API pawl_env pawl_env_default(void);

typedef struct pawl_vec3 {
    double x, y, z;
} pawl_vec3;
/// Unit quaternion, scalar first, body axes to world axes.
typedef struct pawl_quat {
    double w, x, y, z;
} pawl_quat;
/// A frame: the position of its origin and the orientation of its axes.
typedef struct pawl_pose {
    pawl_vec3 position;
    pawl_quat orientation;
} pawl_pose;
/// Velocity of a rigid body in world axes: of a stated point, and angular.
typedef struct pawl_twist {
    pawl_vec3 linear;  ///< [m/s]
    pawl_vec3 angular; ///< [rad/s]
} pawl_twist;

PAWL_API pawl_pose pawl_pose_identity(void);
/// a after b: maps a point from b's frame, which is given in a's frame, to the parent of a.
PAWL_API pawl_pose pawl_pose_compose(pawl_pose a, pawl_pose b);
PAWL_API pawl_pose pawl_pose_inverse(pawl_pose a);
PAWL_API pawl_vec3 pawl_pose_apply(pawl_pose a, pawl_vec3 point);
PAWL_API pawl_vec3 pawl_quat_rotate(pawl_quat q, pawl_vec3 v);
PAWL_API pawl_quat pawl_quat_multiply(pawl_quat a, pawl_quat b);
PAWL_API pawl_quat pawl_quat_normalize(pawl_quat q);
/// Rotation about fixed axes x, then y, then z (SDF's and URDF's roll, pitch, yaw) [rad].
PAWL_API pawl_quat pawl_quat_from_rpy(double roll, double pitch, double yaw);
PAWL_API pawl_quat pawl_quat_from_axis_angle(pawl_vec3 axis, double angle);
/// A rotation that turns the x axis onto `x_axis` and, as nearly as it can, y onto `y_hint`.
/// A zero or parallel `y_hint` is replaced by a fixed choice. `x_axis` need not be a unit vector.
PAWL_API pawl_quat pawl_quat_from_axes(pawl_vec3 x_axis, pawl_vec3 y_hint);

PAWL_EXTERN_C_END
