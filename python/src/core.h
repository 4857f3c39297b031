// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What the files of the extension share. It uses CPython's stable interface (3.11) and no header of NumPy: numbers of the engine are
// given as buffers with strides, which numpy.asarray() shows without a copy.
#pragma once
#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#include "pawl/io.h"
#include "pawl/pawl.h"

// ---- log and errors (errors.c) ------------------------------------------------------------------

// Where messages of one object go. Any thread may write to it, also without the GIL.
typedef struct core_log core_log;
core_log *core_log_create(void); // NULL with an exception
void core_log_destroy(core_log *log);
const pawl_env *core_log_env(core_log *log);
// The messages since the last call, as a list of (level, text). A new reference, or NULL.
PyObject *core_log_take(core_log *log);
// Raises the exception of a status with the last messages, and returns NULL.
PyObject *core_raise(core_log *log, pawl_status status);
int core_errors_init(PyObject *module);

// ---- values (values.c) ---------------------------------------------------------------------------

int core_doubles(PyObject *object, const char *what, int count,
                 double *out); // 0, or -1 and an exception
int core_vec3(PyObject *object, const char *what, pawl_vec3 *out);
int core_pose(PyObject *position, PyObject *orientation,
              pawl_pose *out); // either may be NULL: stays
PyObject *core_from_vec3(pawl_vec3 v);
PyObject *core_from_quat(pawl_quat q);
PyObject *core_from_doubles(const double *x, int count);
PyObject *core_from_pose(pawl_pose pose); // (position, orientation)
// A function of time: a number, ("sine", ...), ("table", ...) or a callable; callables go to `keep`, a list.
int core_signal(PyObject *object, PyObject *keep, pawl_signal *out);
void core_signal_free(pawl_signal *signal); // what core_signal() allocated

// One field of a C struct that a keyword sets.
typedef enum core_type {
    CORE_DOUBLE,
    CORE_INT,
    CORE_UINT,
    CORE_BOOL,
    CORE_TEXT,
    CORE_VEC3,
    CORE_QUAT,
    CORE_DOUBLES6,
    CORE_RGBA
} core_type;
typedef struct core_field {
    const char *name;
    core_type type;
    size_t offset;
} core_field;
// Sets the fields that `keywords` (a dict; may be NULL) names and removes them from it; 0, or -1 and an exception. Texts live
// as long as their objects.
int core_fields(PyObject *keywords, const core_field *fields, int count, void *out);
// A TypeError if something is left in the dict.
int core_no_more(PyObject *keywords, const char *function);

// ---- views (views.c) -----------------------------------------------------------------------------

// numpy.asarray() of numbers in somebody's memory, which `owner` keeps alive. Strides in bytes.
typedef struct core_shape {
    int rank;
    Py_ssize_t size[3], stride[3];
} core_shape;
PyObject *core_array(PyObject *owner, void *data, core_shape shape, bool writable);
// A view of a state, and of the states of a batch.
PyObject *core_array_of_view(PyObject *owner, pawl_view view, bool writable);
int core_views_init(PyObject *module);

// ---- objects -------------------------------------------------------------------------------------

typedef struct model_object {
    PyObject_HEAD core_log *log;
    pawl_model *model;
    PyObject *keep; // list of callables that signals call
} model_object;
extern PyTypeObject *core_model_type;
int core_model_init(PyObject *module);
PyObject *core_model_wrap(core_log *log, pawl_model *model, PyObject *keep); // takes all three
// Things of a model by name or index; 0, or -1 and a KeyError or IndexError.
int core_find_body(const pawl_model *model, PyObject *key, pawl_body_id *out);
int core_find_joint(const pawl_model *model, PyObject *key, pawl_joint_id *out);
int core_find_actuator(const pawl_model *model, PyObject *key, pawl_actuator_id *out);

int core_builder_init(PyObject *module);

// Settings from a dict of key: text; 0, or -1 and an exception.
int core_settings(PyObject *dict, pawl_settings *out);
PyObject *core_settings_dict(const pawl_settings *settings);

// What an owner of states and the wrappers of these share.
typedef struct core_watch {
    bool busy;      // a step is under way, without the GIL
    unsigned edits; // how often poses, twists or joints were set
} core_watch;

// A state of its own, or of a sim or batch, which `owner` is then.
typedef struct state_object {
    PyObject_HEAD PyObject *model; // model_object
    PyObject *owner;               // NULL: `state` is its own
    core_log *log;                 // of the owner, or its own
    pawl_state *state;
    core_watch *watch; // of the owner; NULL: none
} state_object;
extern PyTypeObject *core_state_type;
int core_state_init(PyObject *module);
PyObject *core_state_wrap(PyObject *model, PyObject *owner, core_log *log, pawl_state *state,
                          core_watch *watch);

int core_sim_init(PyObject *module);
int core_batch_init(PyObject *module);
int core_record_init(PyObject *module);
int core_derivative_init(PyObject *module);
PyObject *core_judge(const pawl_verdict *verdict, const pawl_settings *settings,
                     const pawl_model *model);
PyObject *core_verdict_list(const pawl_verdict_list *list);
PyObject *core_report(const pawl_step_report *report, const pawl_model *model);
PyObject *core_energy(const pawl_energy *energy);

// Makes a heap type, adds it to the module and returns it (borrowed by the module), or NULL.
PyTypeObject *core_add_type(PyObject *module, PyType_Spec *spec);
