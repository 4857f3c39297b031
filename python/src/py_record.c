// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Recordings: their series as arrays, and report pages.
#include "core.h"
#include <string.h>

// read(path) -> (attributes, {series: (bytes, shape, unit, columns)}, body names, [(joint name, coordinates)], verdict)
static PyObject *record_series(const pawl_record *record, core_log *log)
{
    PyObject *all = PyDict_New();
    int count = pawl_record_series_count(record);
    for (int i = 0; i < count && all != NULL; ++i) {
        pawl_series series = pawl_record_series(record, i);
        size_t numbers = 1;
        for (int k = 0; k < series.rank; ++k) {
            numbers *= (size_t)series.size[k];
        }
        PyObject *bytes =
            PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(numbers * sizeof(double)));
        pawl_status status = PAWL_OK;
        if (bytes != NULL && numbers > 0) {
            status = pawl_record_read(record, i, (double *)PyByteArray_AsString(bytes));
        }
        if (bytes == NULL || status != PAWL_OK) {
            Py_XDECREF(bytes);
            Py_DECREF(all);
            return status != PAWL_OK ? core_raise(log, status) : NULL;
        }
        PyObject *row = Py_BuildValue("(Ni(LLL)zz)", bytes, series.rank, (long long)series.size[0],
                                      (long long)series.size[1], (long long)series.size[2],
                                      series.unit, series.columns);
        if (row == NULL || PyDict_SetItemString(all, series.name, row) < 0) {
            Py_CLEAR(all);
        }
        Py_XDECREF(row);
    }
    return all;
}

static PyObject *record_names(const pawl_record *record, bool joints)
{
    PyObject *list = PyList_New(0);
    int count = joints ? pawl_record_joint_count(record) : pawl_record_body_count(record);
    for (int i = 0; i < count && list != NULL; ++i) {
        PyObject *row = joints ? Py_BuildValue("(si)", pawl_record_joint_name(record, i),
                                               pawl_record_joint_coordinates(record, i))
                               : PyUnicode_FromString(pawl_record_body_name(record, i));
        if (row == NULL || PyList_Append(list, row) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *record_read(PyObject *module, PyObject *args)
{
    PyObject *path = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    core_log *log = core_log_create();
    pawl_record *record = NULL;
    PyObject *result = NULL;
    if (log != NULL) {
        pawl_status status = pawl_record_open(core_log_env(log), PyBytes_AsString(path), &record);
        if (status != PAWL_OK) {
            core_raise(log, status);
        } else {
            PyObject *series = record_series(record, log);
            pawl_verdict_list list = pawl_record_judge(record);
            pawl_settings settings = pawl_record_settings(record);
            result = series == NULL ? NULL
                                    : Py_BuildValue("{s:s,s:N,s:N,s:N,s:N,s:N}", "model_path",
                                                    pawl_record_model_path(record), "series",
                                                    series, "bodies", record_names(record, false),
                                                    "joints", record_names(record, true), "verdict",
                                                    core_verdict_list(&list), "settings",
                                                    core_settings_dict(&settings));
        }
    }
    pawl_record_close(record);
    core_log_destroy(log);
    Py_DECREF(path);
    return result;
}

static PyObject *record_report(PyObject *module, PyObject *args)
{
    PyObject *path = NULL, *page = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&O&", PyUnicode_FSConverter, &path, PyUnicode_FSConverter,
                          &page)) {
        Py_XDECREF(path);
        return NULL;
    }
    core_log *log = core_log_create();
    pawl_status status = PAWL_NO_MEMORY;
    if (log != NULL) {
        status =
            pawl_report_write(core_log_env(log), PyBytes_AsString(path), PyBytes_AsString(page));
    }
    Py_DECREF(path);
    Py_DECREF(page);
    if (status != PAWL_OK) {
        core_raise(log, status);
    }
    core_log_destroy(log);
    return status == PAWL_OK ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef record_functions[] = {
    {"record_read", record_read, METH_VARARGS, NULL},
    {"record_report", record_report, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int core_record_init(PyObject *module)
{
    return PyModule_AddFunctions(module, record_functions);
}
