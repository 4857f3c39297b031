// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Batches. As for simulations, the engine's memory belongs to a separate object, which arrays and states keep alive.
#include "core.h"

typedef struct pool_object {
    PyObject_HEAD PyObject *model;
    core_log *log;
    pawl_batch *batch;
    core_watch watch;
} pool_object;

typedef struct batch_object {
    PyObject_HEAD pool_object *pool;
} batch_object;

static PyTypeObject *pool_type;

static void pool_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    pool_object *p = (pool_object *)self;
    pawl_batch_destroy(p->batch);
    core_log_destroy(p->log);
    Py_XDECREF(p->model);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

static PyType_Slot pool_slots[] = {{Py_tp_dealloc, pool_dealloc}, {0, NULL}};
static PyType_Spec pool_spec = {"pawl._core.BatchMemory", sizeof(pool_object), 0,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, pool_slots};

// Batch(model, settings, count, threads)
static PyObject *batch_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *model, *dict;
    pawl_settings settings;
    int count, threads;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "O!O!ii", core_model_type, &model, &PyDict_Type, &dict, &count,
                          &threads) ||
        core_settings(dict, &settings) < 0) {
        return NULL;
    }
    pool_object *p = PyObject_New(pool_object, pool_type);
    if (p == NULL) {
        return NULL;
    }
    Py_INCREF(model);
    p->model = model;
    p->batch = NULL;
    p->watch = (core_watch){0};
    p->log = core_log_create();
    pawl_status status = PAWL_NO_MEMORY;
    if (p->log != NULL) {
        Py_BEGIN_ALLOW_THREADS status =
            pawl_batch_create(core_log_env(p->log), ((model_object *)model)->model, &settings,
                              count, threads, &p->batch);
        Py_END_ALLOW_THREADS
    }
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    batch_object *b = status == PAWL_OK ? (batch_object *)alloc(type, 0) : NULL;
    if (b == NULL) {
        if (status != PAWL_OK) {
            core_raise(p->log, status);
        }
        Py_DECREF((PyObject *)p);
        return NULL;
    }
    b->pool = p;
    return (PyObject *)b;
}

static void batch_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF((PyObject *)((batch_object *)self)->pool);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF((PyObject *)type);
}

static pool_object *batch_free(PyObject *self)
{
    pool_object *p = ((batch_object *)self)->pool;
    if (p->watch.busy) {
        PyErr_SetString(PyExc_RuntimeError, "another thread is stepping this batch");
        return NULL;
    }
    return p;
}

// None, or bytes-like with one byte for each copy; 0, or -1 and an exception.
static int batch_mask(PyObject *object, const pawl_batch *batch, Py_buffer *view)
{
    *view = (Py_buffer){0};
    if (object == NULL || object == Py_None) {
        return 0;
    }
    if (PyObject_GetBuffer(object, view, PyBUF_SIMPLE) < 0) {
        return -1;
    }
    if (view->len != pawl_batch_count(batch)) {
        PyErr_Format(PyExc_ValueError, "a mask of %zd for %d copies", view->len,
                     pawl_batch_count(batch));
        PyBuffer_Release(view);
        return -1;
    }
    return 0;
}

// The three that run on all threads: step(steps, mask), reset(mask, state, keep), assemble(mask). They return the status as a
// number; python/pawl/batch.py makes exceptions of it.
static PyObject *batch_end(pool_object *p, pawl_status status, Py_buffer *mask)
{
    if (mask->obj != NULL) {
        PyBuffer_Release(mask);
    }
    p->watch.busy = false;
    return PyLong_FromLong((long)status);
}

static PyObject *batch_step(PyObject *self, PyObject *args)
{
    pool_object *p = batch_free(self);
    PyObject *object;
    int steps;
    Py_buffer mask;
    if (p == NULL || !PyArg_ParseTuple(args, "iO", &steps, &object) ||
        batch_mask(object, p->batch, &mask) < 0) {
        return NULL;
    }
    pawl_status status;
    p->watch.busy = true;
    Py_BEGIN_ALLOW_THREADS status = pawl_batch_step(p->batch, steps, mask.buf);
    Py_END_ALLOW_THREADS return batch_end(p, status, &mask);
}

static PyObject *batch_reset(PyObject *self, PyObject *args)
{
    pool_object *p = batch_free(self);
    PyObject *object, *state;
    int keep;
    Py_buffer mask;
    if (p == NULL || !PyArg_ParseTuple(args, "OOp", &object, &state, &keep) ||
        (state != Py_None && !PyObject_TypeCheck(state, core_state_type)) ||
        batch_mask(object, p->batch, &mask) < 0) {
        return NULL;
    }
    const pawl_state *from = state != Py_None ? ((state_object *)state)->state : NULL;
    pawl_status status;
    p->watch.busy = true;
    Py_BEGIN_ALLOW_THREADS status = pawl_batch_reset(p->batch, mask.buf, from, keep != 0);
    Py_END_ALLOW_THREADS return batch_end(p, status, &mask);
}

static PyObject *batch_assemble(PyObject *self, PyObject *object)
{
    pool_object *p = batch_free(self);
    Py_buffer mask;
    if (p == NULL || batch_mask(object, p->batch, &mask) < 0) {
        return NULL;
    }
    pawl_status status;
    p->watch.busy = true;
    Py_BEGIN_ALLOW_THREADS status = pawl_batch_assemble(p->batch, mask.buf);
    Py_END_ALLOW_THREADS return batch_end(p, status, &mask);
}

static PyObject *batch_measure(PyObject *self, PyObject *unused)
{
    pool_object *p = batch_free(self);
    (void)unused;
    if (p == NULL) {
        return NULL;
    }
    pawl_batch_measure(p->batch);
    Py_RETURN_NONE;
}

static PyObject *batch_raise(PyObject *self, PyObject *status)
{
    long value = PyLong_AsLong(status);
    return PyErr_Occurred() ? NULL
                            : core_raise(((batch_object *)self)->pool->log, (pawl_status)value);
}

static PyObject *batch_hold_targets(PyObject *self, PyObject *unused)
{
    pool_object *p = batch_free(self);
    (void)unused;
    if (p == NULL) {
        return NULL;
    }
    pawl_status status = pawl_batch_hold_targets(p->batch);
    if (status != PAWL_OK) {
        return core_raise(p->log, status);
    }
    Py_RETURN_NONE;
}

// The table of all copies as an array (copies, rows[, columns]).
static PyObject *batch_array(pool_object *p, pawl_batch_table table, bool writable)
{
    core_shape shape = {
        3,
        {pawl_batch_count(p->batch), table.first.rows, table.first.columns},
        {(Py_ssize_t)table.copy_stride, (Py_ssize_t)table.first.row_stride, sizeof(double)}};
    shape.rank = table.first.columns == 1 ? 2 : 3;
    return core_array((PyObject *)p, table.first.data, shape, writable);
}

static PyObject *batch_view(PyObject *self, PyObject *args)
{
    int kind, writable = 0;
    pool_object *p = ((batch_object *)self)->pool;
    if (!PyArg_ParseTuple(args, "i|p", &kind, &writable)) {
        return NULL;
    }
    return batch_array(p, pawl_batch_view(p->batch, (pawl_view_kind)kind), writable != 0);
}

static PyObject *batch_results(PyObject *self, PyObject *kind)
{
    pool_object *p = ((batch_object *)self)->pool;
    long k = PyLong_AsLong(kind);
    return PyErr_Occurred()
               ? NULL
               : batch_array(p, pawl_batch_results(p->batch, (pawl_batch_result)k), false);
}

static int batch_copy_index(PyObject *key, const pawl_batch *batch)
{
    long i = PyLong_AsLong(key);
    i += i < 0 ? pawl_batch_count(batch) : 0;
    if (!PyErr_Occurred() && (i < 0 || i >= pawl_batch_count(batch))) {
        PyErr_Format(PyExc_IndexError, "there are %d copies", pawl_batch_count(batch));
    }
    return PyErr_Occurred() ? -1 : (int)i;
}

static PyObject *batch_state(PyObject *self, PyObject *key)
{
    pool_object *p = ((batch_object *)self)->pool;
    int i = batch_copy_index(key, p->batch);
    return i < 0 ? NULL
                 : core_state_wrap(p->model, (PyObject *)p, p->log,
                                   pawl_batch_edit_state(p->batch, i), &p->watch);
}

static PyObject *batch_verdict(PyObject *self, PyObject *key)
{
    pool_object *p = batch_free(self);
    int i = p != NULL ? batch_copy_index(key, p->batch) : -1;
    return i < 0 ? NULL
                 : core_judge(pawl_batch_verdict(p->batch, i), pawl_batch_settings(p->batch),
                              pawl_batch_model(p->batch));
}

static PyObject *batch_report(PyObject *self, PyObject *key)
{
    pool_object *p = batch_free(self);
    int i = p != NULL ? batch_copy_index(key, p->batch) : -1;
    const pawl_step_report *report = i >= 0 ? pawl_batch_report(p->batch, i) : NULL;
    if (i >= 0 && report == NULL) {
        Py_RETURN_NONE;
    }
    return i < 0 ? NULL : core_report(report, pawl_batch_model(p->batch));
}

// One byte for each copy: its status.
static PyObject *batch_statuses(PyObject *self, PyObject *unused)
{
    pool_object *p = batch_free(self);
    (void)unused;
    PyObject *bytes =
        p != NULL ? PyBytes_FromStringAndSize(NULL, pawl_batch_count(p->batch)) : NULL;
    for (int i = 0; bytes != NULL && i < pawl_batch_count(p->batch); ++i) {
        PyBytes_AsString(bytes)[i] = (char)pawl_batch_status(p->batch, i);
    }
    return bytes;
}

static PyObject *batch_get(PyObject *self, void *what)
{
    const pawl_batch *b = ((batch_object *)self)->pool->batch;
    switch ((int)(intptr_t)what) {
    case 0:
        return PyLong_FromLong(pawl_batch_count(b));
    case 1:
        return PyLong_FromLong(pawl_batch_thread_count(b));
    default:
        return core_settings_dict(pawl_batch_settings(b));
    }
}

static PyMethodDef batch_methods[] = {
    {"_step", batch_step, METH_VARARGS, NULL},
    {"_reset", batch_reset, METH_VARARGS, NULL},
    {"_assemble", batch_assemble, METH_O, NULL},
    {"_measure", batch_measure, METH_NOARGS, NULL},
    {"_raise", batch_raise, METH_O, NULL},
    {"_hold_targets", batch_hold_targets, METH_NOARGS, NULL},
    {"_view", batch_view, METH_VARARGS, NULL},
    {"_results", batch_results, METH_O, NULL},
    {"state", batch_state, METH_O, "state(copy): its state, seen in place."},
    {"_verdict", batch_verdict, METH_O, NULL},
    {"_report", batch_report, METH_O, NULL},
    {"_statuses", batch_statuses, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef batch_getset[] = {
    {"count", batch_get, NULL, "Copies.", (void *)0},
    {"threads", batch_get, NULL, "Threads that step them.", (void *)1},
    {"_settings", batch_get, NULL, NULL, (void *)2},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot batch_slots[] = {
    {Py_tp_new, batch_new},
    {Py_tp_dealloc, batch_dealloc},
    {Py_tp_methods, batch_methods},
    {Py_tp_getset, batch_getset},
    {0, NULL},
};
static PyType_Spec batch_spec = {"pawl._core.Batch", sizeof(batch_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, batch_slots};

int core_batch_init(PyObject *module)
{
    pool_type = core_add_type(module, &pool_spec);
    return pool_type != NULL && core_add_type(module, &batch_spec) != NULL ? 0 : -1;
}
