// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Derivatives of a step: matrices as arrays in the engine's memory.
#include "core.h"

typedef struct derivative_object {
    PyObject_HEAD PyObject *model;
    core_log *log;
    pawl_derivative *derivative;
} derivative_object;

// Derivative(model, settings)
static PyObject *derivative_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *model, *dict;
    pawl_settings settings;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "O!O!", core_model_type, &model, &PyDict_Type, &dict) ||
        core_settings(dict, &settings) < 0) {
        return NULL;
    }
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    derivative_object *d = (derivative_object *)alloc(type, 0);
    if (d == NULL || (d->log = core_log_create()) == NULL) {
        Py_XDECREF((PyObject *)d);
        return NULL;
    }
    Py_INCREF(model);
    d->model = model;
    pawl_status status = pawl_derivative_create(
        core_log_env(d->log), ((model_object *)model)->model, &settings, &d->derivative);
    if (status != PAWL_OK) {
        core_raise(d->log, status);
        Py_DECREF((PyObject *)d);
        return NULL;
    }
    return (PyObject *)d;
}

static void derivative_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    derivative_object *d = (derivative_object *)self;
    pawl_derivative_destroy(d->derivative);
    core_log_destroy(d->log);
    Py_XDECREF(d->model);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF((PyObject *)type);
}

static PyObject *derivative_compute(PyObject *self, PyObject *state)
{
    derivative_object *d = (derivative_object *)self;
    if (!PyObject_TypeCheck(state, core_state_type)) {
        PyErr_SetString(PyExc_TypeError, "expected a state");
        return NULL;
    }
    pawl_status status;
    Py_BEGIN_ALLOW_THREADS status =
        pawl_derivative_compute(d->derivative, ((state_object *)state)->state);
    Py_END_ALLOW_THREADS if (status != PAWL_OK)
    {
        return core_raise(d->log, status);
    }
    Py_RETURN_NONE;
}

// Valid until the next compute(); python/pawl/derivative.py copies it.
static PyObject *derivative_matrix(PyObject *self, PyObject *input)
{
    derivative_object *d = (derivative_object *)self;
    long kind = PyLong_AsLong(input);
    if (PyErr_Occurred()) {
        return NULL;
    }
    pawl_derivative_input k = (pawl_derivative_input)kind;
    const double *matrix = pawl_derivative_matrix(d->derivative, k);
    int rows = 2 * pawl_derivative_width(d->derivative, PAWL_DERIVATIVE_POSE);
    int width = pawl_derivative_width(d->derivative, k);
    if (matrix == NULL && width > 0) {
        PyErr_SetString(PyExc_RuntimeError, "compute() comes first");
        return NULL;
    }
    core_shape shape = {2, {rows, width}, {(Py_ssize_t)sizeof(double) * width, sizeof(double)}};
    return core_array(self, (void *)matrix, shape, false);
}

static PyObject *derivative_margin(PyObject *self, void *unused)
{
    (void)unused;
    return PyFloat_FromDouble(pawl_derivative_margin(((derivative_object *)self)->derivative));
}

// A copy of the state at the end of the step, into a state that is given.
static PyObject *derivative_end(PyObject *self, PyObject *state)
{
    derivative_object *d = (derivative_object *)self;
    const pawl_state *end = pawl_derivative_state(d->derivative);
    if (end == NULL || !PyObject_TypeCheck(state, core_state_type)) {
        PyErr_SetString(PyExc_RuntimeError, "compute() comes first");
        return NULL;
    }
    pawl_state_copy(((state_object *)state)->state, end);
    Py_RETURN_NONE;
}

static PyMethodDef derivative_methods[] = {
    {"_compute", derivative_compute, METH_O, NULL},
    {"_matrix", derivative_matrix, METH_O, NULL},
    {"_end", derivative_end, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef derivative_getset[] = {
    {"margin", derivative_margin, NULL,
     "How near the step is to a switch of contacts: 0 at one, 1 far from all.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot derivative_slots[] = {
    {Py_tp_new, derivative_new},
    {Py_tp_dealloc, derivative_dealloc},
    {Py_tp_methods, derivative_methods},
    {Py_tp_getset, derivative_getset},
    {0, NULL},
};
static PyType_Spec derivative_spec = {"pawl._core.Derivative", sizeof(derivative_object), 0,
                                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, derivative_slots};

int core_derivative_init(PyObject *module)
{
    return core_add_type(module, &derivative_spec) != NULL ? 0 : -1;
}
