// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// States: separate ones, and those of simulations and batches, which are accessed in place. Inputs (pawl/input.h) are
// set here. While another thread steps the owner, its state can be neither read nor written by these functions.
#include "core.h"
#include <string.h>

PyTypeObject *core_state_type;

PyObject *core_state_wrap(PyObject *model, PyObject *owner, core_log *log, pawl_state *state,
                          core_watch *watch)
{
    state_object *s = PyObject_New(state_object, core_state_type);
    if (s == NULL) {
        return NULL;
    }
    Py_INCREF(model);
    Py_XINCREF(owner);
    s->model = model;
    s->owner = owner;
    s->log = log;
    s->state = state;
    s->watch = watch;
    return (PyObject *)s;
}

static PyObject *state_new_of(PyObject *model)
{
    core_log *log = core_log_create();
    pawl_state *state = NULL;
    if (log == NULL) {
        return NULL;
    }
    pawl_status status =
        pawl_state_create(core_log_env(log), ((model_object *)model)->model, &state);
    PyObject *s = status == PAWL_OK ? core_state_wrap(model, NULL, log, state, NULL)
                                    : core_raise(log, status);
    if (s == NULL) {
        pawl_state_destroy(state);
        core_log_destroy(log);
    }
    return s;
}

static PyObject *state_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *model;
    (void)type;
    (void)keywords;
    return PyArg_ParseTuple(args, "O!", core_model_type, &model) ? state_new_of(model) : NULL;
}

static void state_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    state_object *s = (state_object *)self;
    if (s->owner == NULL) {
        pawl_state_destroy(s->state);
        core_log_destroy(s->log);
    }
    Py_XDECREF(s->owner);
    Py_XDECREF(s->model);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

// The state, or NULL and an exception while it is being stepped.
static pawl_state *state_of(PyObject *self)
{
    state_object *s = (state_object *)self;
    if (s->watch != NULL && s->watch->busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is stepping this state");
        return NULL;
    }
    return s->state;
}

static PyObject *state_done(PyObject *self, pawl_status status)
{
    if (status != PAWL_OK) {
        return core_raise(((state_object *)self)->log, status);
    }
    Py_RETURN_NONE;
}

// As state_done(), where joints have moved.
static PyObject *state_moved(PyObject *self, pawl_status status)
{
    state_object *s = (state_object *)self;
    if (s->watch != NULL) {
        ++s->watch->edits;
    }
    return state_done(self, status);
}

// ---- inputs ----------------------------------------------------------------------------------------

static PyObject *state_set_target(PyObject *self, PyObject *args)
{
    PyObject *key;
    double value;
    pawl_actuator_id id;
    pawl_state *s = state_of(self);
    if (s == NULL || !PyArg_ParseTuple(args, "Od", &key, &value) ||
        core_find_actuator(pawl_state_model(s), key, &id) < 0) {
        return NULL;
    }
    return state_done(self, pawl_state_set_target(s, id, value));
}

static PyObject *state_target(PyObject *self, PyObject *key)
{
    pawl_actuator_id id;
    pawl_state *s = state_of(self);
    if (s == NULL || core_find_actuator(pawl_state_model(s), key, &id) < 0) {
        return NULL;
    }
    return PyFloat_FromDouble(pawl_state_target(s, id));
}

static PyObject *state_set_gains(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"actuator", "stiffness", "damping", "effort", NULL};
    PyObject *key, *given[3] = {NULL, NULL, NULL};
    pawl_actuator_id id;
    pawl_state *s = state_of(self);
    if (s == NULL ||
        !PyArg_ParseTupleAndKeywords(args, keywords, "O|OOO", names, &key, &given[0], &given[1],
                                     &given[2]) ||
        core_find_actuator(pawl_state_model(s), key, &id) < 0) {
        return NULL;
    }
    pawl_gains gains = pawl_state_gains(s, id);
    double *field[3] = {&gains.stiffness, &gains.damping, &gains.effort};
    for (int i = 0; i < 3; ++i) {
        if (given[i] != NULL && given[i] != Py_None) {
            *field[i] = PyFloat_AsDouble(given[i]);
        }
    }
    return PyErr_Occurred() ? NULL : state_done(self, pawl_state_set_gains(s, id, &gains));
}

static PyObject *state_gains(PyObject *self, PyObject *key)
{
    pawl_actuator_id id;
    pawl_state *s = state_of(self);
    if (s == NULL || core_find_actuator(pawl_state_model(s), key, &id) < 0) {
        return NULL;
    }
    pawl_gains g = pawl_state_gains(s, id);
    return Py_BuildValue("(ddd)", g.stiffness, g.damping, g.effort);
}

static PyObject *state_set_wrench(PyObject *self, PyObject *args)
{
    PyObject *key, *force, *torque = NULL;
    pawl_vec3 f, t = {0, 0, 0};
    pawl_body_id id;
    pawl_state *s = state_of(self);
    if (s == NULL || !PyArg_ParseTuple(args, "OO|O", &key, &force, &torque) ||
        core_find_body(pawl_state_model(s), key, &id) < 0 || core_vec3(force, "force", &f) < 0 ||
        (torque != NULL && core_vec3(torque, "torque", &t) < 0)) {
        return NULL;
    }
    return state_done(self, pawl_state_set_wrench(s, id, f, t));
}

static PyObject *state_add_force(PyObject *self, PyObject *args)
{
    PyObject *key, *force, *point;
    pawl_vec3 f, p;
    pawl_body_id id;
    pawl_state *s = state_of(self);
    if (s == NULL || !PyArg_ParseTuple(args, "OOO", &key, &force, &point) ||
        core_find_body(pawl_state_model(s), key, &id) < 0 || core_vec3(force, "force", &f) < 0 ||
        core_vec3(point, "point", &p) < 0) {
        return NULL;
    }
    return state_done(self, pawl_state_add_force(s, id, f, p));
}

static PyObject *state_wrench(PyObject *self, PyObject *key)
{
    pawl_body_id id;
    pawl_vec3 f, t;
    pawl_state *s = state_of(self);
    if (s == NULL || core_find_body(pawl_state_model(s), key, &id) < 0) {
        return NULL;
    }
    pawl_state_wrench(s, id, &f, &t);
    return Py_BuildValue("(NN)", core_from_vec3(f), core_from_vec3(t));
}

static PyObject *state_set_friction(PyObject *self, PyObject *args)
{
    double scale;
    int shape = -1;
    pawl_state *s = state_of(self);
    if (s == NULL || !PyArg_ParseTuple(args, "d|i", &scale, &shape)) {
        return NULL;
    }
    return state_done(self, shape < 0
                                ? pawl_state_set_friction_scale(s, scale)
                                : pawl_state_set_shape_friction_scale(
                                      s, pawl_model_shape_at(pawl_state_model(s), shape), scale));
}

static PyObject *state_set_mass(PyObject *self, PyObject *args)
{
    PyObject *key;
    double scale;
    pawl_body_id id;
    pawl_state *s = state_of(self);
    if (s == NULL || !PyArg_ParseTuple(args, "Od", &key, &scale) ||
        core_find_body(pawl_state_model(s), key, &id) < 0) {
        return NULL;
    }
    return state_done(self, pawl_state_set_mass_scale(s, id, scale));
}

static PyObject *state_mass(PyObject *self, PyObject *key)
{
    pawl_body_id id;
    pawl_state *s = state_of(self);
    if (s == NULL || core_find_body(pawl_state_model(s), key, &id) < 0) {
        return NULL;
    }
    return PyFloat_FromDouble(pawl_state_mass_scale(s, id));
}

static PyObject *state_clear_inputs(PyObject *self, PyObject *unused)
{
    pawl_state *s = state_of(self);
    (void)unused;
    return s != NULL ? state_done(self, pawl_state_clear_inputs(s)) : NULL;
}

static PyObject *state_hold_targets(PyObject *self, PyObject *unused)
{
    pawl_state *s = state_of(self);
    (void)unused;
    return s != NULL ? state_done(self, pawl_state_hold_targets(s)) : NULL;
}

// ---- poses and joints ------------------------------------------------------------------------------

static PyObject *state_pose(PyObject *self, PyObject *key)
{
    pawl_body_id id;
    pawl_state *s = state_of(self);
    if (s == NULL || core_find_body(pawl_state_model(s), key, &id) < 0) {
        return NULL;
    }
    return core_from_pose(pawl_state_pose(s, id));
}

static PyObject *state_twist(PyObject *self, PyObject *key)
{
    pawl_body_id id;
    pawl_state *s = state_of(self);
    if (s == NULL || core_find_body(pawl_state_model(s), key, &id) < 0) {
        return NULL;
    }
    pawl_twist t = pawl_state_twist(s, id);
    return Py_BuildValue("(NN)", core_from_vec3(t.linear), core_from_vec3(t.angular));
}

static PyObject *state_set_pose(PyObject *self, PyObject *args)
{
    PyObject *key, *position = NULL, *orientation = NULL;
    pawl_body_id id;
    pawl_state *s = state_of(self);
    if (s == NULL || !PyArg_ParseTuple(args, "O|OO", &key, &position, &orientation) ||
        core_find_body(pawl_state_model(s), key, &id) < 0) {
        return NULL;
    }
    pawl_pose pose = pawl_state_pose(s, id);
    return core_pose(position, orientation, &pose) < 0
               ? NULL
               : state_moved(self, pawl_state_set_pose(s, id, pose));
}

static PyObject *state_set_twist(PyObject *self, PyObject *args)
{
    PyObject *key, *linear, *angular = NULL;
    pawl_body_id id;
    pawl_state *s = state_of(self);
    if (s == NULL || !PyArg_ParseTuple(args, "OO|O", &key, &linear, &angular) ||
        core_find_body(pawl_state_model(s), key, &id) < 0) {
        return NULL;
    }
    pawl_twist twist = pawl_state_twist(s, id);
    if (core_vec3(linear, "linear", &twist.linear) < 0 ||
        (angular != NULL && core_vec3(angular, "angular", &twist.angular) < 0)) {
        return NULL;
    }
    return state_moved(self, pawl_state_set_twist(s, id, twist));
}

static PyObject *state_joint(PyObject *self, PyObject *key)
{
    pawl_joint_id id;
    double q[6] = {0}, v[6] = {0};
    pawl_state *s = state_of(self);
    if (s == NULL || core_find_joint(pawl_state_model(s), key, &id) < 0) {
        return NULL;
    }
    pawl_status status = pawl_state_joint(s, id, q, v);
    int count = pawl_model_joint(pawl_state_model(s), id).coordinate_count;
    return status == PAWL_OK
               ? Py_BuildValue("(NN)", core_from_doubles(q, count), core_from_doubles(v, count))
               : core_raise(((state_object *)self)->log, status);
}

// A number, or a sequence of `count` numbers.
static int state_numbers(PyObject *object, const char *what, int count, double *out)
{
    if (count == 1 && !PySequence_Check(object)) {
        out[0] = PyFloat_AsDouble(object);
        return PyErr_Occurred() ? -1 : 0;
    }
    return core_doubles(object, what, count, out);
}

static PyObject *state_set_joint(PyObject *self, PyObject *args)
{
    PyObject *key, *position, *rate = NULL;
    pawl_joint_id id;
    double q[6], v[6];
    pawl_state *s = state_of(self);
    if (s == NULL || !PyArg_ParseTuple(args, "OO|O", &key, &position, &rate) ||
        core_find_joint(pawl_state_model(s), key, &id) < 0) {
        return NULL;
    }
    int count = pawl_model_joint(pawl_state_model(s), id).coordinate_count;
    bool moves = rate != NULL && rate != Py_None;
    if (state_numbers(position, "position", count, q) < 0 ||
        (moves && state_numbers(rate, "rate", count, v) < 0)) {
        return NULL;
    }
    return state_moved(self, pawl_state_set_joint(s, id, q, moves ? v : NULL));
}

static PyObject *state_accept(PyObject *self, PyObject *unused)
{
    pawl_state *s = state_of(self);
    (void)unused;
    return s != NULL ? state_moved(self, pawl_state_accept(s)) : NULL;
}

// ---- whole states ------------------------------------------------------------------------------------

static PyObject *state_save(PyObject *self, PyObject *unused)
{
    pawl_state *s = state_of(self);
    (void)unused;
    PyObject *bytes =
        s != NULL ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)pawl_state_size(s)) : NULL;
    if (bytes != NULL) {
        pawl_state_save(s, PyBytes_AsString(bytes));
    }
    return bytes;
}

static PyObject *state_load(PyObject *self, PyObject *args)
{
    const char *bytes;
    Py_ssize_t size;
    pawl_state *s = state_of(self);
    if (s == NULL || !PyArg_ParseTuple(args, "y#", &bytes, &size)) {
        return NULL;
    }
    core_log *log = ((state_object *)self)->log;
    return state_moved(self, pawl_state_load(core_log_env(log), s, bytes, (size_t)size));
}

static PyObject *state_copy(PyObject *self, PyObject *unused)
{
    pawl_state *s = state_of(self);
    (void)unused;
    PyObject *copy = s != NULL ? state_new_of(((state_object *)self)->model) : NULL;
    if (copy != NULL) {
        pawl_state_copy(((state_object *)copy)->state, s);
    }
    return copy;
}

static PyObject *state_set(PyObject *self, PyObject *other)
{
    pawl_state *s = state_of(self);
    if (!PyObject_TypeCheck(other, core_state_type)) {
        PyErr_SetString(PyExc_TypeError, "expected a state");
        return NULL;
    }
    pawl_state *from = s != NULL ? state_of(other) : NULL;
    return from != NULL ? state_moved(self, pawl_state_copy(s, from)) : NULL;
}

static PyObject *state_view(PyObject *self, PyObject *args)
{
    int kind, writable = 0;
    state_object *s = (state_object *)self;
    if (!PyArg_ParseTuple(args, "i|p", &kind, &writable)) {
        return NULL;
    }
    pawl_view view = pawl_state_view(s->state, (pawl_view_kind)kind);
    // Arrays keep the memory alive, not this wrapper.
    return core_array_of_view(s->owner != NULL ? s->owner : self, view, writable != 0);
}

PyObject *core_energy(const pawl_energy *e)
{
    return Py_BuildValue("(ddddddddddd)", e->kinetic, e->gravity, e->springs, e->work_actuators,
                         e->work_dampers, e->work_friction, e->work_motion, e->work_forces,
                         e->work_limits, e->work_contacts, e->balance);
}

static PyObject *state_get(PyObject *self, void *what)
{
    pawl_state *s = state_of(self);
    if (s == NULL) {
        return NULL;
    }
    switch ((int)(intptr_t)what) {
    case 0:
        return PyFloat_FromDouble(pawl_state_time(s));
    case 1:
        return PyLong_FromLongLong(pawl_state_step(s));
    case 2:
        return PyLong_FromUnsignedLongLong(pawl_state_hash(s));
    case 3:
        return core_from_vec3(pawl_state_gravity(s));
    case 4:
        return PyFloat_FromDouble(pawl_state_friction_scale(s));
    case 5:
        return core_from_vec3(pawl_state_centre_of_mass(s));
    case 6: {
        pawl_energy e = pawl_state_energy(s);
        return core_energy(&e);
    }
    default: {
        PyObject *model = ((state_object *)self)->model;
        Py_INCREF(model);
        return model;
    }
    }
}

static int state_put_gravity(PyObject *self, PyObject *value, void *unused)
{
    pawl_vec3 g;
    pawl_state *s = state_of(self);
    (void)unused;
    if (s == NULL) {
        return -1;
    }
    pawl_status status;
    if (value == NULL || value == Py_None) {
        status = pawl_state_clear_gravity(s);
    } else if (core_vec3(value, "gravity", &g) < 0) {
        return -1;
    } else {
        status = pawl_state_set_gravity(s, g);
    }
    if (status != PAWL_OK) {
        core_raise(((state_object *)self)->log, status);
        return -1;
    }
    return 0;
}

static PyMethodDef state_methods[] = {
    {"set_target", state_set_target, METH_VARARGS,
     "set_target(actuator, value): in place of its signal, from the next step on."},
    {"target", state_target, METH_O, "target(actuator): as it is now."},
    {"set_gains", (PyCFunction)(void (*)(void))state_set_gains, METH_VARARGS | METH_KEYWORDS,
     "set_gains(actuator, stiffness=, damping=, effort=): in place of the model's."},
    {"gains", state_gains, METH_O, "gains(actuator) -> (stiffness, damping, effort)"},
    {"set_wrench", state_set_wrench, METH_VARARGS,
     "set_wrench(body, force, torque=(0, 0, 0)): at its centre of mass, world axes, until set "
     "again [N, N m]."},
    {"add_force", state_add_force, METH_VARARGS, "add_force(body, force, world_point)"},
    {"wrench", state_wrench, METH_O, "wrench(body) -> (force, torque)"},
    {"set_friction", state_set_friction, METH_VARARGS,
     "set_friction(scale, shape=-1): a factor for the friction of all shapes, or of one by its "
     "index."},
    {"set_mass", state_set_mass, METH_VARARGS,
     "set_mass(body, scale): a factor for its mass and inertia."},
    {"mass", state_mass, METH_O, "mass(body): that factor."},
    {"clear_inputs", state_clear_inputs, METH_NOARGS, "All inputs back to what the model has."},
    {"_hold_targets", state_hold_targets, METH_NOARGS, NULL},
    {"pose", state_pose, METH_O,
     "pose(body) -> (position, orientation) of its link frame; quaternion scalar first."},
    {"twist", state_twist, METH_O,
     "twist(body) -> (linear, angular) of its link frame's origin, world axes."},
    {"set_pose", state_set_pose, METH_VARARGS, "set_pose(body, position=None, orientation=None)"},
    {"set_twist", state_set_twist, METH_VARARGS, "set_twist(body, linear, angular=None)"},
    {"joint", state_joint, METH_O, "joint(joint) -> (positions, rates), a tuple of each."},
    {"set_joint", state_set_joint, METH_VARARGS,
     "set_joint(joint, position, rate=None): moves what hangs on it in the spanning tree; "
     "sim.assemble() closes loops."},
    {"accept", state_accept, METH_NOARGS,
     "After positions or velocities were written through arrays."},
    {"save", state_save, METH_NOARGS, "save() -> bytes, the same on every machine."},
    {"load", state_load, METH_VARARGS, "load(bytes)"},
    {"copy", state_copy, METH_NOARGS, "copy() -> a state of its own"},
    {"set", state_set, METH_O, "set(other): takes over another state of the model."},
    {"_view", state_view, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef state_getset[] = {
    {"time", state_get, NULL, "Time [s].", (void *)0},
    {"step", state_get, NULL, "Steps since the start.", (void *)1},
    {"hash", state_get, NULL, "States with equal hashes step to equal bits.", (void *)2},
    {"gravity", state_get, state_put_gravity, "Gravity [m/s^2]; None: the model's.", (void *)3},
    {"friction", state_get, NULL, "Factor of all friction.", (void *)4},
    {"centre_of_mass", state_get, NULL, "Of all bodies that can move [m].", (void *)5},
    {"_energy", state_get, NULL, NULL, (void *)6},
    {"model", state_get, NULL, "The C part of its model.", (void *)7},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot state_slots[] = {
    {Py_tp_new, state_new},
    {Py_tp_dealloc, state_dealloc},
    {Py_tp_methods, state_methods},
    {Py_tp_getset, state_getset},
    {Py_tp_doc,
     "State(model): everything that shapes the next step. Copyable, saveable, hashable."},
    {0, NULL},
};
static PyType_Spec state_spec = {"pawl._core.State", sizeof(state_object), 0, Py_TPFLAGS_DEFAULT,
                                 state_slots};

int core_state_init(PyObject *module)
{
    core_state_type = core_add_type(module, &state_spec);
    return core_state_type != NULL ? 0 : -1;
}
