// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Arrays of the engine as buffers, which NumPy uses without a copy. A buffer keeps its owner alive.
#include "core.h"

typedef struct buffer_object {
    PyObject_HEAD PyObject *owner;
    void *data;
    core_shape shape;
    bool writable;
} buffer_object;

static PyTypeObject *buffer_type;
static PyObject *views_asarray; // numpy.asarray

static int buffer_get(PyObject *self, Py_buffer *view, int flags)
{
    buffer_object *b = (buffer_object *)self;
    if ((flags & PyBUF_WRITABLE) != 0 && !b->writable) {
        PyErr_SetString(PyExc_BufferError, "these numbers may only be read");
        return -1;
    }
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
        PyErr_SetString(PyExc_BufferError, "these numbers have strides");
        return -1;
    }
    Py_ssize_t count = 1;
    for (int i = 0; i < b->shape.rank; ++i) {
        count *= b->shape.size[i];
    }
    Py_INCREF(self);
    *view = (Py_buffer){.buf = b->data,
                        .obj = self,
                        .len = count * (Py_ssize_t)sizeof(double),
                        .readonly = !b->writable,
                        .itemsize = sizeof(double),
                        .format = "d",
                        .ndim = b->shape.rank,
                        .shape = b->shape.size,
                        .strides = b->shape.stride};
    return 0;
}

static void buffer_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((buffer_object *)self)->owner);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

static PyType_Slot buffer_slots[] = {
    {Py_tp_dealloc, buffer_dealloc},
    {Py_bf_getbuffer, buffer_get},
    {0, NULL},
};
static PyType_Spec buffer_spec = {"pawl._core.Buffer", sizeof(buffer_object), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                  buffer_slots};

PyObject *core_array(PyObject *owner, void *data, core_shape shape, bool writable)
{
    static double nothing; // of arrays without elements
    buffer_object *b = PyObject_New(buffer_object, buffer_type);
    if (b == NULL) {
        return NULL;
    }
    Py_XINCREF(owner);
    b->owner = owner;
    b->data = data != NULL ? data : &nothing;
    b->shape = shape;
    b->writable = writable;
    PyObject *array = PyObject_CallFunctionObjArgs(views_asarray, (PyObject *)b, NULL);
    Py_DECREF((PyObject *)b);
    return array;
}

PyObject *core_array_of_view(PyObject *owner, pawl_view view, bool writable)
{
    core_shape shape = {
        2, {view.rows, view.columns}, {(Py_ssize_t)view.row_stride, sizeof(double)}};
    if (view.columns == 1) {
        shape.rank = 1;
    }
    return core_array(owner, view.data, shape, writable);
}

int core_views_init(PyObject *module)
{
    buffer_type = core_add_type(module, &buffer_spec);
    PyObject *numpy = PyImport_ImportModule("numpy");
    views_asarray = numpy != NULL ? PyObject_GetAttrString(numpy, "asarray") : NULL;
    Py_XDECREF(numpy);
    return buffer_type != NULL && views_asarray != NULL ? 0 : -1;
}
