// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Numbers, vectors, signals and keyword arguments between Python and C.
#include "core.h"
#include <stdlib.h>
#include <string.h>

int core_doubles(PyObject *object, const char *what, int count, double *out)
{
    Py_ssize_t size = PySequence_Check(object) ? PySequence_Size(object) : -1;
    if (size != count) {
        if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_ValueError, "%s: expected %d number%s", what, count,
                         count == 1 ? "" : "s");
        }
        return -1;
    }
    for (int i = 0; i < count; ++i) {
        PyObject *item = PySequence_GetItem(object, i);
        out[i] = item != NULL ? PyFloat_AsDouble(item) : -1.0;
        Py_XDECREF(item);
        if (PyErr_Occurred()) {
            return -1;
        }
    }
    return 0;
}

int core_vec3(PyObject *object, const char *what, pawl_vec3 *out)
{
    double x[3];
    if (core_doubles(object, what, 3, x) < 0) {
        return -1;
    }
    *out = (pawl_vec3){x[0], x[1], x[2]};
    return 0;
}

static int values_quat(PyObject *object, const char *what, pawl_quat *out)
{
    double x[4];
    if (core_doubles(object, what, 4, x) < 0) {
        return -1;
    }
    *out = (pawl_quat){x[0], x[1], x[2], x[3]};
    return 0;
}

int core_pose(PyObject *position, PyObject *orientation, pawl_pose *out)
{
    if (position != NULL && position != Py_None &&
        core_vec3(position, "position", &out->position) < 0) {
        return -1;
    }
    return orientation == NULL || orientation == Py_None
               ? 0
               : values_quat(orientation, "orientation", &out->orientation);
}

PyObject *core_from_vec3(pawl_vec3 v)
{
    return Py_BuildValue("(ddd)", v.x, v.y, v.z);
}

PyObject *core_from_quat(pawl_quat q)
{
    return Py_BuildValue("(dddd)", q.w, q.x, q.y, q.z);
}

PyObject *core_from_pose(pawl_pose pose)
{
    return Py_BuildValue("((ddd)(dddd))", pose.position.x, pose.position.y, pose.position.z,
                         pose.orientation.w, pose.orientation.x, pose.orientation.y,
                         pose.orientation.z);
}

PyObject *core_from_doubles(const double *x, int count)
{
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; i < count && tuple != NULL; ++i) {
        PyObject *item = PyFloat_FromDouble(x[i]);
        if (item == NULL || PyTuple_SetItem(tuple, i, item) < 0) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

// ---- signals --------------------------------------------------------------------------------------

// Called by whichever thread steps. An exception becomes NaN, which the step refuses; the exception itself is shown at once.
static double values_call(void *user, double t)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *result = PyObject_CallFunction(user, "d", t);
    double value = result != NULL ? PyFloat_AsDouble(result) : NAN;
    if (PyErr_Occurred()) {
        PyErr_WriteUnraisable(user);
        value = NAN;
    }
    Py_XDECREF(result);
    PyGILState_Release(gil);
    return value;
}

static double *values_list(PyObject *object, Py_ssize_t *count)
{
    *count = PySequence_Check(object) ? PySequence_Size(object) : -1;
    if (*count < 2 || *count > INT_MAX) {
        PyErr_SetString(PyExc_ValueError, "a table needs two or more times and as many values");
        return NULL;
    }
    double *x = malloc((size_t)*count * sizeof *x);
    if (x == NULL) {
        PyErr_NoMemory();
    } else if (core_doubles(object, "table", (int)*count, x) < 0) {
        free(x);
        x = NULL;
    }
    return x;
}

// ("table", times, values, interpolation, period)
static int values_table(PyObject *tuple, pawl_signal *out)
{
    PyObject *times, *values;
    int interpolation;
    double period;
    const char *kind;
    Py_ssize_t n = 0, m = 0;
    if (!PyArg_ParseTuple(tuple, "sOOid", &kind, &times, &values, &interpolation, &period)) {
        return -1;
    }
    double *x = values_list(times, &n), *y = x != NULL ? values_list(values, &m) : NULL;
    if (y == NULL || n != m) {
        free(x);
        free(y);
        if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_ValueError, "a table has %zd times and %zd values", n, m);
        }
        return -1;
    }
    *out = (pawl_signal){.kind = PAWL_SIGNAL_TABLE,
                         .interpolation = (pawl_interpolation)interpolation,
                         .period = period,
                         .count = (int)n,
                         .times = x,
                         .values = y};
    return 0;
}

int core_signal(PyObject *object, PyObject *keep, pawl_signal *out)
{
    *out = pawl_signal_constant(0.0);
    if (PyTuple_Check(object)) {
        PyObject *first = PyTuple_GetItem(object, 0);
        const char *kind = first != NULL ? PyUnicode_AsUTF8AndSize(first, NULL) : NULL;
        if (kind != NULL && strcmp(kind, "sine") == 0) {
            out->kind = PAWL_SIGNAL_SINUSOID;
            return PyArg_ParseTuple(object, "sdddd", &kind, &out->value, &out->amplitude,
                                    &out->frequency, &out->phase)
                       ? 0
                       : -1;
        }
        return kind != NULL ? values_table(object, out) : -1;
    }
    if (PyCallable_Check(object)) {
        out->kind = PAWL_SIGNAL_CALLBACK;
        out->callback = values_call;
        out->user = object;
        return PyList_Append(keep, object);
    }
    out->value = PyFloat_AsDouble(object);
    return PyErr_Occurred() ? -1 : 0;
}

void core_signal_free(pawl_signal *signal)
{
    if (signal->kind == PAWL_SIGNAL_TABLE) {
        free((void *)signal->times);
        free((void *)signal->values);
        *signal = pawl_signal_constant(0.0);
    }
}

// ---- keywords -------------------------------------------------------------------------------------

static int values_field(PyObject *value, const core_field *field, void *at)
{
    double x[6];
    switch (field->type) {
    case CORE_DOUBLE:
        *(double *)at = PyFloat_AsDouble(value);
        break;
    case CORE_INT:
        *(int *)at = (int)PyLong_AsLong(value);
        break;
    case CORE_UINT:
        *(uint32_t *)at = (uint32_t)PyLong_AsUnsignedLong(value);
        break;
    case CORE_BOOL:
        *(bool *)at = PyObject_IsTrue(value) == 1;
        break;
    case CORE_TEXT:
        *(const char **)at = value == Py_None ? NULL : PyUnicode_AsUTF8AndSize(value, NULL);
        break;
    case CORE_VEC3:
        return core_vec3(value, field->name, at);
    case CORE_QUAT:
        return values_quat(value, field->name, at);
    case CORE_DOUBLES6:
        return core_doubles(value, field->name, 6, at);
    case CORE_RGBA:
        if (core_doubles(value, field->name, 4, x) < 0) {
            return -1;
        }
        for (int i = 0; i < 4; ++i) {
            ((float *)at)[i] = (float)x[i];
        }
        break;
    }
    return PyErr_Occurred() ? -1 : 0;
}

int core_fields(PyObject *keywords, const core_field *fields, int count, void *out)
{
    for (int i = 0; i < count && keywords != NULL; ++i) {
        PyObject *value = PyDict_GetItemString(keywords, fields[i].name);
        if (value == NULL) {
            continue;
        }
        if (values_field(value, &fields[i], (char *)out + fields[i].offset) < 0) {
            return -1;
        }
        // The caller's own dict keeps the value, and its text, alive.
        if (PyDict_DelItemString(keywords, fields[i].name) < 0) {
            return -1;
        }
    }
    return 0;
}

int core_no_more(PyObject *keywords, const char *function)
{
    if (keywords == NULL || PyDict_Size(keywords) == 0) {
        return 0;
    }
    PyObject *keys = PyDict_Keys(keywords);
    PyErr_Format(PyExc_TypeError, "%s does not know %R", function, keys);
    Py_XDECREF(keys);
    return -1;
}
