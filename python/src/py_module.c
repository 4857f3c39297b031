// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The extension module pawl._core: settings, verdicts and reports as plain values, and all types.
#include "core.h"
#include <math.h>
#include <string.h>

PyTypeObject *core_add_type(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromSpec(spec);
    const char *name = strrchr(spec->name, '.') + 1;
    if (type == NULL || PyModule_AddObjectRef(module, name, type) < 0) {
        Py_XDECREF(type);
        return NULL;
    }
    return (PyTypeObject *)type; // the module and this file keep it for good
}

// ---- settings ----------------------------------------------------------------------------------------

int core_settings(PyObject *dict, pawl_settings *out)
{
    *out = pawl_settings_default();
    core_log *log = core_log_create();
    if (log == NULL) {
        return -1;
    }
    PyObject *key, *value;
    Py_ssize_t at = 0;
    int failed = 0;
    while (failed == 0 && PyDict_Next(dict, &at, &key, &value)) {
        const char *k = PyUnicode_AsUTF8AndSize(key, NULL),
                   *v = PyUnicode_AsUTF8AndSize(value, NULL);
        failed = k == NULL || v == NULL;
        if (!failed) {
            pawl_status status = pawl_settings_set(core_log_env(log), out, k, v);
            if (status != PAWL_OK) {
                core_raise(log, status);
                failed = 1;
            }
        }
    }
    core_log_destroy(log);
    return failed ? -1 : 0;
}

PyObject *core_settings_dict(const pawl_settings *settings)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; i < pawl_setting_count() && dict != NULL; ++i) {
        char text[128];
        PyObject *value = pawl_settings_get(settings, i, text, sizeof text) == PAWL_OK
                              ? PyUnicode_FromString(text)
                              : NULL;
        if (value == NULL || PyDict_SetItemString(dict, pawl_setting(i).key, value) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(value);
    }
    return dict;
}

// [(key, unit, range, help, default)]
static PyObject *module_settings(PyObject *module, PyObject *unused)
{
    pawl_settings defaults = pawl_settings_default();
    PyObject *list = PyList_New(0);
    (void)module;
    (void)unused;
    for (int i = 0; i < pawl_setting_count() && list != NULL; ++i) {
        char text[128] = "";
        pawl_setting_info s = pawl_setting(i);
        pawl_settings_get(&defaults, i, text, sizeof text);
        PyObject *row = Py_BuildValue("(sssss)", s.key, s.unit, s.range, s.help, text);
        if (row == NULL || PyList_Append(list, row) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *module_check_settings(PyObject *module, PyObject *dict)
{
    pawl_settings settings;
    (void)module;
    if (!PyDict_Check(dict)) {
        PyErr_SetString(PyExc_TypeError, "expected a dict");
        return NULL;
    }
    return core_settings(dict, &settings) < 0 ? NULL : core_settings_dict(&settings);
}

static PyObject *module_names(PyObject *module, PyObject *unused)
{
    PyObject *steppers = PyList_New(0), *solvers = PyList_New(0);
    (void)module;
    (void)unused;
    const char *name;
    for (int i = 0; (name = pawl_stepper_name(i)) != NULL; ++i) {
        PyObject *row = Py_BuildValue("(ss)", name, pawl_stepper_summary(i));
        PyList_Append(steppers, row);
        Py_XDECREF(row);
    }
    for (int i = 0; (name = pawl_solver_name(i)) != NULL; ++i) {
        PyObject *row = Py_BuildValue("(ss)", name, pawl_solver_summary(i));
        PyList_Append(solvers, row);
        Py_XDECREF(row);
    }
    return Py_BuildValue("(NN)", steppers, solvers);
}

// ---- verdicts and reports ------------------------------------------------------------------------------

PyObject *core_verdict_list(const pawl_verdict_list *list)
{
    PyObject *rows = PyList_New(0);
    for (int i = 0; i < list->count && rows != NULL; ++i) {
        const pawl_criterion *c = &list->criteria[i];
        PyObject *row = Py_BuildValue("(ssssddss)", c->name, c->title, c->unit,
                                      pawl_judgement_name(c->judgement), c->value, c->limit,
                                      c->where, c->advice);
        if (row == NULL || PyList_Append(rows, row) < 0) {
            Py_CLEAR(rows);
        }
        Py_XDECREF(row);
    }
    char sentence[PAWL_SENTENCE_SIZE];
    pawl_verdict_sentence(list, sentence, sizeof sentence);
    return rows == NULL
               ? NULL
               : Py_BuildValue("(OsN)", list->judgement == PAWL_PASSED ? Py_True : Py_False,
                               sentence, rows);
}

PyObject *core_judge(const pawl_verdict *verdict, const pawl_settings *settings,
                     const pawl_model *model)
{
    pawl_verdict_names names = pawl_model_names(model);
    pawl_verdict_list list = pawl_verdict_judge(verdict, settings, &names);
    return core_verdict_list(&list);
}

PyObject *core_report(const pawl_step_report *r, const pawl_model *model)
{
    static const char *const outcomes[] = {"converged", "iteration limit", "stalled"};
    (void)model;
    return Py_BuildValue("{s:s,s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:d,s:d,s:d,s:d,s:d,s:d,s:i,s:N}",
                         "outcome", outcomes[r->outcome], "method", pawl_method_name(r->method),
                         "iterations", r->iterations, "rows", r->rows, "contacts", r->contacts,
                         "islands", r->islands, "asleep", r->asleep, "projections", r->projections,
                         "residual", r->own_residual, "penetration", r->penetration, "closure",
                         r->closure.position, "closure_rotation", r->closure.rotation, "limit",
                         r->closure.limit, "impact_work", r->impact_work, "tunnelled", r->tunnelled,
                         "energy", core_energy(&r->energy));
}

static PyMethodDef module_functions[] = {
    {"settings_table", module_settings, METH_NOARGS, NULL},
    {"check_settings", module_check_settings, METH_O, NULL},
    {"names", module_names, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module_def = {.m_base = PyModuleDef_HEAD_INIT,
                                        .m_name = "pawl._core",
                                        .m_doc = "The C part of pawl.",
                                        .m_size = -1,
                                        .m_methods = module_functions};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&module_def);
    int (*const parts[])(PyObject *) = {core_errors_init,  core_views_init,  core_model_init,
                                        core_builder_init, core_state_init,  core_sim_init,
                                        core_batch_init,   core_record_init, core_derivative_init};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && module != NULL; ++i) {
        if (parts[i](module) < 0) {
            Py_CLEAR(module);
        }
    }
    if (module != NULL && PyModule_AddStringConstant(module, "version", pawl_version()) < 0) {
        Py_CLEAR(module);
    }
    return module;
}
