// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Simulations, their verdicts and recordings of them. Steps run without the GIL.
//
// The engine's memory belongs to a separate object (`room`), so that arrays may outlive their simulation without a
// reference cycle.
#include "core.h"
#include <string.h>

typedef struct room_object {
    PyObject_HEAD PyObject *model;
    core_log *log;
    pawl_sim *sim;
    pawl_recorder *recorder;
    core_watch watch;
} room_object;

typedef struct sim_object {
    PyObject_HEAD room_object *room;
    pawl_step_report report;
    bool stepped;
    pawl_verdict verdict;
    int64_t q_step;   // that q and v are of; -1: none
    unsigned q_edits; // likewise
    int coordinates;
    double *q, *v; // of all joints, as of the last question
    PyObject *q_array, *v_array;
    PyObject *q_owner; // bytes that hold both
} sim_object;

static PyTypeObject *room_type;

static void room_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    room_object *r = (room_object *)self;
    (void)pawl_recorder_close(r->recorder);
    pawl_sim_destroy(r->sim);
    core_log_destroy(r->log);
    Py_XDECREF(r->model);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

static PyType_Slot room_slots[] = {{Py_tp_dealloc, room_dealloc}, {0, NULL}};
static PyType_Spec room_spec = {"pawl._core.SimMemory", sizeof(room_object), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, room_slots};

static room_object *room_create(PyObject *model, const pawl_settings *settings)
{
    room_object *r = PyObject_New(room_object, room_type);
    if (r == NULL) {
        return NULL;
    }
    Py_INCREF(model);
    r->model = model;
    r->sim = NULL;
    r->recorder = NULL;
    r->watch = (core_watch){0};
    r->log = core_log_create();
    pawl_status status = PAWL_NO_MEMORY;
    if (r->log != NULL) {
        Py_BEGIN_ALLOW_THREADS status = pawl_sim_create(
            core_log_env(r->log), ((model_object *)model)->model, settings, &r->sim);
        Py_END_ALLOW_THREADS
    }
    if (status != PAWL_OK) {
        core_raise(r->log, status);
        Py_DECREF((PyObject *)r);
        return NULL;
    }
    return r;
}

static PyObject *sim_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *model, *dict;
    pawl_settings settings;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "O!O!", core_model_type, &model, &PyDict_Type, &dict) ||
        core_settings(dict, &settings) < 0) {
        return NULL;
    }
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    sim_object *s = (sim_object *)alloc(type, 0);
    if (s == NULL || (s->room = room_create(model, &settings)) == NULL) {
        Py_XDECREF((PyObject *)s);
        return NULL;
    }
    s->q_step = -1;
    s->coordinates = pawl_model_coordinate_count(((model_object *)model)->model);
    size_t bytes = (size_t)(2 * s->coordinates + 1) * sizeof(double);
    s->q_owner = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)bytes);
    if (s->q_owner == NULL) {
        Py_DECREF((PyObject *)s);
        return NULL;
    }
    s->q = (double *)PyByteArray_AsString(s->q_owner);
    s->v = s->q + s->coordinates;
    core_shape shape = {1, {s->coordinates}, {sizeof(double)}};
    s->q_array = core_array(s->q_owner, s->q, shape, false);
    s->v_array = core_array(s->q_owner, s->v, shape, false);
    s->verdict = pawl_verdict_begin(pawl_sim_state(s->room->sim));
    if (s->q_array == NULL || s->v_array == NULL) {
        Py_DECREF((PyObject *)s);
        return NULL;
    }
    return (PyObject *)s;
}

static void sim_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    sim_object *s = (sim_object *)self;
    Py_XDECREF((PyObject *)s->room);
    Py_XDECREF(s->q_array);
    Py_XDECREF(s->v_array);
    Py_XDECREF(s->q_owner);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF((PyObject *)type);
}

// False with an exception while another thread steps it.
static bool sim_free(const sim_object *s)
{
    if (s->room->watch.busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is stepping this simulation");
    }
    return !s->room->watch.busy;
}

// ---- steps -------------------------------------------------------------------------------------------

static pawl_status sim_one(sim_object *s)
{
    pawl_status status = pawl_sim_step(s->room->sim, &s->report);
    if (status == PAWL_OK) {
        s->stepped = true;
        pawl_verdict_add(&s->verdict, &s->report);
        if (s->room->recorder != NULL) {
            status = pawl_recorder_add(s->room->recorder, &s->report, &s->verdict);
        }
    }
    return status;
}

// step(count=1). The GIL is released; signals are looked at every few milliseconds of steps.
static PyObject *sim_step(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    enum { PORTION = 64 };
    sim_object *s = (sim_object *)self;
    long steps = 1;
    if (!sim_free(s)) {
        return NULL;
    }
    if (count > 1 || (count == 1 && (steps = PyLong_AsLong(args[0])) < 0)) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_ValueError, "step(count): expected a number of steps, 0 or more");
        }
        return NULL;
    }
    pawl_status status = PAWL_OK;
    while (steps > 0 && status == PAWL_OK) {
        long portion = steps < PORTION ? steps : PORTION;
        s->room->watch.busy = true;
        Py_BEGIN_ALLOW_THREADS for (long i = 0; i < portion && status == PAWL_OK; ++i)
        {
            status = sim_one(s);
        }
        Py_END_ALLOW_THREADS s->room->watch.busy = false;
        steps -= portion;
        if (steps > 0 && PyErr_CheckSignals() < 0) {
            return NULL;
        }
    }
    if (status != PAWL_OK) {
        return core_raise(s->room->log, status);
    }
    Py_RETURN_NONE;
}

static PyObject *sim_assemble(PyObject *self, PyObject *unused)
{
    sim_object *s = (sim_object *)self;
    pawl_closure start, end;
    (void)unused;
    if (!sim_free(s)) {
        return NULL;
    }
    ++s->room->watch.edits;
    pawl_status status = pawl_sim_assemble(s->room->sim, &start, &end);
    if (status != PAWL_OK) {
        return core_raise(s->room->log, status);
    }
    s->verdict = pawl_verdict_begin(pawl_sim_state(s->room->sim));
    return PyFloat_FromDouble(end.position);
}

static PyObject *sim_set_state(PyObject *self, PyObject *other)
{
    sim_object *s = (sim_object *)self;
    if (!PyObject_TypeCheck(other, core_state_type)) {
        PyErr_SetString(PyExc_TypeError, "expected a state");
        return NULL;
    }
    if (!sim_free(s)) {
        return NULL;
    }
    ++s->room->watch.edits;
    pawl_status status = pawl_sim_set_state(s->room->sim, ((state_object *)other)->state);
    if (status != PAWL_OK) {
        return core_raise(s->room->log, status);
    }
    s->verdict = pawl_verdict_begin(pawl_sim_state(s->room->sim));
    s->stepped = false;
    Py_RETURN_NONE;
}

// ---- what can be read --------------------------------------------------------------------------------

static PyObject *sim_joints(PyObject *self, void *rates)
{
    sim_object *s = (sim_object *)self;
    if (!sim_free(s)) {
        return NULL;
    }
    const pawl_state *state = pawl_sim_state(s->room->sim);
    if (s->q_step != pawl_state_step(state) || s->q_edits != s->room->watch.edits) {
        pawl_status status = pawl_state_joints(state, s->q, s->v);
        if (status != PAWL_OK) {
            return core_raise(s->room->log, status);
        }
        s->q_step = pawl_state_step(state);
        s->q_edits = s->room->watch.edits;
    }
    PyObject *array = rates != NULL ? s->v_array : s->q_array;
    Py_INCREF(array);
    return array;
}

static PyObject *sim_get(PyObject *self, void *what)
{
    sim_object *s = (sim_object *)self;
    const pawl_sim *sim = s->room->sim;
    if (!sim_free(s)) {
        return NULL;
    }
    switch ((int)(intptr_t)what) {
    case 0:
        return PyFloat_FromDouble(pawl_state_time(pawl_sim_state(sim)));
    case 1:
        return core_state_wrap(s->room->model, (PyObject *)s->room, s->room->log,
                               pawl_sim_edit_state(s->room->sim), &s->room->watch);
    case 2:
        return core_judge(&s->verdict, pawl_sim_settings(sim), pawl_sim_model(sim));
    case 3:
        if (!s->stepped) {
            Py_RETURN_NONE;
        }
        return core_report(&s->report, pawl_sim_model(sim));
    case 4:
        return core_settings_dict(pawl_sim_settings(sim));
    case 5:
        return PyLong_FromLong(pawl_sim_contact_count(sim));
    default:
        return PyFloat_FromDouble(pawl_sim_settings(sim)->dt);
    }
}

// Rows of (body_a, body_b, position, normal, gap, force, mode).
static PyObject *sim_contacts(PyObject *self, PyObject *unused)
{
    sim_object *s = (sim_object *)self;
    (void)unused;
    if (!sim_free(s)) {
        return NULL;
    }
    int count = pawl_sim_contact_count(s->room->sim);
    PyObject *list = PyList_New(count);
    for (int i = 0; i < count && list != NULL; ++i) {
        pawl_contact_info c = pawl_sim_contact(s->room->sim, i);
        PyObject *row =
            Py_BuildValue("(iiNNdNs)", pawl_body_index(c.body_a), pawl_body_index(c.body_b),
                          core_from_vec3(c.position), core_from_vec3(c.normal), c.gap,
                          core_from_vec3(c.force), pawl_contact_mode_name(c.mode));
        if (row == NULL || PyList_SetItem(list, i, row) < 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *sim_events(PyObject *self, PyObject *unused)
{
    sim_object *s = (sim_object *)self;
    (void)unused;
    int count = pawl_sim_event_count(s->room->sim);
    PyObject *list = sim_free(s) ? PyList_New(count) : NULL;
    for (int i = 0; i < count && list != NULL; ++i) {
        pawl_event e = pawl_sim_event(s->room->sim, i);
        PyObject *row = Py_BuildValue("(dsiiid)", e.time, pawl_event_kind_name(e.kind),
                                      pawl_shape_index(e.shape_a), pawl_shape_index(e.shape_b),
                                      pawl_joint_index(e.joint), e.figure);
        if (row == NULL || PyList_SetItem(list, i, row) < 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *sim_reaction(PyObject *self, PyObject *key)
{
    sim_object *s = (sim_object *)self;
    pawl_joint_id id;
    pawl_vec3 force, torque;
    if (!sim_free(s) || core_find_joint(pawl_sim_model(s->room->sim), key, &id) < 0) {
        return NULL;
    }
    pawl_status status = pawl_sim_joint_reaction(s->room->sim, id, &force, &torque);
    return status == PAWL_OK ? Py_BuildValue("(NN)", core_from_vec3(force), core_from_vec3(torque))
                             : core_raise(s->room->log, status);
}

static PyObject *sim_effort(PyObject *self, PyObject *key)
{
    sim_object *s = (sim_object *)self;
    pawl_actuator_id id;
    if (!sim_free(s) || core_find_actuator(pawl_sim_model(s->room->sim), key, &id) < 0) {
        return NULL;
    }
    return PyFloat_FromDouble(pawl_sim_actuator_effort(s->room->sim, id));
}

static PyObject *sim_body_contacts(PyObject *self, PyObject *key)
{
    sim_object *s = (sim_object *)self;
    pawl_body_id id;
    if (!sim_free(s) || core_find_body(pawl_sim_model(s->room->sim), key, &id) < 0) {
        return NULL;
    }
    pawl_contact_sum sum = pawl_sim_body_contacts(s->room->sim, id);
    return Py_BuildValue("(iNN)", sum.count, core_from_vec3(sum.force), core_from_vec3(sum.moment));
}

static PyObject *sim_messages(PyObject *self, PyObject *unused)
{
    (void)unused;
    return core_log_take(((sim_object *)self)->room->log);
}

// ---- recordings --------------------------------------------------------------------------------------

// record(path, model_path, interval, append, requested_time)
static PyObject *sim_record(PyObject *self, PyObject *args)
{
    sim_object *s = (sim_object *)self;
    PyObject *path = NULL;
    const char *model_path;
    double interval, requested;
    int append;
    if (!sim_free(s) || !PyArg_ParseTuple(args, "O&zdpd", PyUnicode_FSConverter, &path, &model_path,
                                          &interval, &append, &requested)) {
        return NULL;
    }
    const pawl_env *env = core_log_env(s->room->log);
    pawl_status status = pawl_recorder_close(s->room->recorder);
    s->room->recorder = NULL;
    pawl_verdict_end(&s->verdict, PAWL_RUN_UNDERWAY, pawl_state_time(pawl_sim_state(s->room->sim)),
                     requested);
    if (status == PAWL_OK && append) {
        status =
            pawl_recorder_append(env, PyBytes_AsString(path), s->room->sim, &s->room->recorder);
    } else if (status == PAWL_OK) {
        pawl_recorder_options options = pawl_recorder_options_default();
        options.interval = interval;
        options.model_path = model_path;
        status = pawl_recorder_create(env, PyBytes_AsString(path), s->room->sim, &options,
                                      &s->room->recorder);
        if (status == PAWL_OK) {
            status = pawl_recorder_add(s->room->recorder, NULL, &s->verdict);
        }
    }
    Py_DECREF(path);
    if (status != PAWL_OK) {
        return core_raise(s->room->log, status);
    }
    Py_RETURN_NONE;
}

// end(how, requested_time): closes the recording, if there is one.
static PyObject *sim_end(PyObject *self, PyObject *args)
{
    sim_object *s = (sim_object *)self;
    int how;
    double requested;
    if (!sim_free(s) || !PyArg_ParseTuple(args, "id", &how, &requested)) {
        return NULL;
    }
    pawl_verdict_end(&s->verdict, (pawl_run_end)how, pawl_state_time(pawl_sim_state(s->room->sim)),
                     requested);
    pawl_status status = PAWL_OK;
    if (s->room->recorder != NULL) {
        pawl_recorder_end(s->room->recorder, &s->verdict);
        status = pawl_recorder_close(s->room->recorder);
        s->room->recorder = NULL;
    }
    if (status != PAWL_OK) {
        return core_raise(s->room->log, status);
    }
    Py_RETURN_NONE;
}

// resume(path): the last state of a recording, and the verdict up to it.
static PyObject *sim_resume(PyObject *self, PyObject *args)
{
    sim_object *s = (sim_object *)self;
    PyObject *path = NULL;
    if (!sim_free(s) || !PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    const pawl_env *env = core_log_env(s->room->log);
    pawl_record *record = NULL;
    pawl_state *state = NULL;
    ++s->room->watch.edits;
    pawl_status status = pawl_state_create(env, pawl_sim_model(s->room->sim), &state);
    if (status == PAWL_OK) {
        status = pawl_record_open(env, PyBytes_AsString(path), &record);
    }
    if (status == PAWL_OK) {
        status = pawl_record_last_state(record, state, &s->verdict);
    }
    if (status == PAWL_OK) {
        status = pawl_sim_set_state(s->room->sim, state);
    }
    pawl_record_close(record);
    pawl_state_destroy(state);
    Py_DECREF(path);
    if (status != PAWL_OK) {
        return core_raise(s->room->log, status);
    }
    Py_RETURN_NONE;
}

static PyMethodDef sim_methods[] = {
    {"step", (PyCFunction)(void (*)(void))sim_step, METH_FASTCALL,
     "step(count=1): takes steps of dt. The GIL is released meanwhile."},
    {"assemble", sim_assemble, METH_NOARGS,
     "Closes the joints from where the bodies are; returns the largest error that is left [m]."},
    {"set_state", sim_set_state, METH_O, "set_state(state): continues from a copy of this state."},
    {"_contacts", sim_contacts, METH_NOARGS, NULL},
    {"_events", sim_events, METH_NOARGS, NULL},
    {"reaction", sim_reaction, METH_O,
     "reaction(joint) -> (force, torque) of the base on the follower in the last step, world axes "
     "[N, N m]."},
    {"effort", sim_effort, METH_O, "effort(actuator): that it applied in the last step."},
    {"body_contacts", sim_body_contacts, METH_O,
     "body_contacts(body) -> (count, force, moment) of all contacts on it in the last step."},
    {"_messages", sim_messages, METH_NOARGS, NULL},
    {"_record", sim_record, METH_VARARGS, NULL},
    {"_end", sim_end, METH_VARARGS, NULL},
    {"_resume", sim_resume, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef sim_getset[] = {
    {"q", sim_joints, NULL,
     "Coordinates of all joints, one after another: always the same array, brought up to date [m "
     "or rad].",
     NULL},
    {"v", sim_joints, NULL, "Their rates, likewise.", (void *)1},
    {"time", sim_get, NULL, "Time [s].", (void *)0},
    {"_state", sim_get, NULL, NULL, (void *)1},
    {"_verdict", sim_get, NULL, NULL, (void *)2},
    {"_report", sim_get, NULL, NULL, (void *)3},
    {"_settings", sim_get, NULL, NULL, (void *)4},
    {"contact_count", sim_get, NULL, "Contacts of the last step, open ones included.", (void *)5},
    {"dt", sim_get, NULL, "Step [s].", (void *)6},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot sim_slots[] = {
    {Py_tp_new, sim_new},
    {Py_tp_dealloc, sim_dealloc},
    {Py_tp_methods, sim_methods},
    {Py_tp_getset, sim_getset},
    {0, NULL},
};
static PyType_Spec sim_spec = {"pawl._core.Sim", sizeof(sim_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, sim_slots};

int core_sim_init(PyObject *module)
{
    room_type = core_add_type(module, &room_spec);
    return room_type != NULL && core_add_type(module, &sim_spec) != NULL ? 0 : -1;
}
