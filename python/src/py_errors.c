// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Messages and exceptions. The engine logs one line for everything that it refuses; that line becomes the text of the exception.
// Lines of readers begin with "file:line:", from which `filename` and `lineno` are taken.
#include "core.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LOG_LINES = 64, LOG_LINE = 2048 };

typedef struct log_line {
    int level;
    char text[LOG_LINE];
} log_line;

struct core_log {
    pawl_env env;
    pthread_mutex_t lock;
    int count; // written since the last call; the first LOG_LINES are kept, then the last place is overwritten
    log_line line[LOG_LINES];
};

static PyObject *errors_by_status[PAWL_NOT_SOLVED + 1];
static PyObject *errors_base;

static void log_add(void *user, pawl_log_level level, const char *message)
{
    core_log *log = user;
    pthread_mutex_lock(&log->lock);
    int place = log->count < LOG_LINES ? log->count++ : LOG_LINES - 1;
    log->line[place].level = (int)level;
    strncpy(log->line[place].text, message, LOG_LINE - 1);
    log->line[place].text[LOG_LINE - 1] = '\0';
    pthread_mutex_unlock(&log->lock);
}

// Blocks keep their address until they are freed, aligned as the engine wants.
static void *log_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    pawl_env env = pawl_env_default();
    return env.resize(env.user, block, old_size, new_size);
}

core_log *core_log_create(void)
{
    core_log *log = calloc(1, sizeof *log);
    if (log == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    pthread_mutex_init(&log->lock, NULL);
    log->env = (pawl_env){.resize = log_resize, .log = log_add, .user = log};
    return log;
}

void core_log_destroy(core_log *log)
{
    if (log != NULL) {
        pthread_mutex_destroy(&log->lock);
        free(log);
    }
}

const pawl_env *core_log_env(core_log *log)
{
    return &log->env;
}

PyObject *core_log_take(core_log *log)
{
    PyObject *list = PyList_New(0);
    pthread_mutex_lock(&log->lock);
    for (int i = 0; i < log->count && list != NULL; ++i) {
        PyObject *item = Py_BuildValue("(is)", log->line[i].level, log->line[i].text);
        if (item == NULL || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    log->count = 0;
    pthread_mutex_unlock(&log->lock);
    return list;
}

// "file:line: text" becomes attributes of the exception.
static int errors_place(PyObject *error, const char *text)
{
    const char *colon = strchr(text, ':');
    while (colon != NULL) {
        char *end;
        long line = strtol(colon + 1, &end, 10);
        if (end > colon + 1 && *end == ':' && line > 0) {
            PyObject *name = PyUnicode_DecodeFSDefaultAndSize(text, colon - text);
            PyObject *number = PyLong_FromLong(line);
            int failed = name == NULL || number == NULL ||
                         PyObject_SetAttrString(error, "filename", name) < 0 ||
                         PyObject_SetAttrString(error, "lineno", number) < 0;
            Py_XDECREF(name);
            Py_XDECREF(number);
            return failed ? -1 : 0;
        }
        colon = strchr(colon + 1, ':');
    }
    return 0;
}

PyObject *core_raise(core_log *log, pawl_status status)
{
    const char *text = pawl_status_name(status);
    static _Thread_local char copy[LOG_LINE];
    if (log != NULL) {
        pthread_mutex_lock(&log->lock);
        for (int i = log->count - 1; i >= 0; --i) {
            if (log->line[i].level == PAWL_LOG_ERROR) {
                strcpy(copy, log->line[i].text);
                text = copy;
                break;
            }
        }
        log->count = 0;
        pthread_mutex_unlock(&log->lock);
    }
    PyObject *type =
        status > 0 && status <= PAWL_NOT_SOLVED ? errors_by_status[status] : errors_base;
    PyObject *error = PyObject_CallFunction(type, "s", text);
    if (error != NULL && errors_place(error, text) == 0) {
        PyErr_SetObject(type, error);
    }
    Py_XDECREF(error);
    return NULL;
}

static PyObject *errors_add(PyObject *module, const char *name, PyObject *second, const char *doc)
{
    char full[64] = "pawl.";
    strcat(full, name);
    PyObject *bases = second != NULL ? Py_BuildValue("(OO)", errors_base, second) : NULL;
    PyObject *place = Py_BuildValue("{s:O,s:O}", "filename", Py_None, "lineno", Py_None);
    PyObject *type =
        PyErr_NewExceptionWithDoc(full, doc, bases != NULL ? bases : errors_base, place);
    Py_XDECREF(bases);
    Py_XDECREF(place);
    if (type == NULL || PyModule_AddObjectRef(module, name, type) < 0) {
        Py_XDECREF(type);
        return NULL;
    }
    return type;
}

int core_errors_init(PyObject *module)
{
    errors_base = errors_add(
        module, "Error", NULL,
        "Something that pawl refused. `filename` and `lineno` say where, if it is about a file.");
    if (errors_base == NULL) {
        return -1;
    }
    struct row {
        pawl_status status;
        const char *name, *doc;
        PyObject *second;
    } rows[] = {
        {PAWL_BAD_ARGUMENT, "BadArgument", "A value out of range, or of another model.",
         PyExc_ValueError},
        {PAWL_NO_MEMORY, "NoMemory", "Memory is out.", PyExc_MemoryError},
        {PAWL_BAD_FILE, "BadFile", "A file that is missing or malformed.", PyExc_ValueError},
        {PAWL_NOT_FINITE, "NotFinite",
         "A step would have stored NaN or infinity; the state before it is kept.",
         PyExc_ArithmeticError},
        {PAWL_NOT_ASSEMBLED, "NotAssembled", "The joints cannot be brought together.",
         PyExc_ValueError},
        {PAWL_UNSUPPORTED, "Unsupported",
         "Understood, but not built in or not allowed in this combination.",
         PyExc_NotImplementedError},
        {PAWL_IO_ERROR, "IoError", "The operating system refused to read or write.", PyExc_OSError},
        {PAWL_NOT_SOLVED, "NotSolved", "A step found no solution; the state before it is kept.",
         PyExc_ArithmeticError},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        errors_by_status[rows[i].status] =
            errors_add(module, rows[i].name, rows[i].second, rows[i].doc);
        if (errors_by_status[rows[i].status] == NULL) {
            return -1;
        }
    }
    return 0;
}
