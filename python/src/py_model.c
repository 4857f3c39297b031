// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Models: loading, and lists of their elements. python/pawl/model.py makes named objects of the lists given here.
#include "core.h"
#include <stdio.h>
#include <string.h>

PyTypeObject *core_model_type;

PyObject *core_model_wrap(core_log *log, pawl_model *model, PyObject *keep)
{
    model_object *m = PyObject_New(model_object, core_model_type);
    if (m == NULL) {
        pawl_model_destroy(model);
        core_log_destroy(log);
        Py_XDECREF(keep);
        return NULL;
    }
    m->log = log;
    m->model = model;
    m->keep = keep;
    return (PyObject *)m;
}

static void model_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    model_object *m = (model_object *)self;
    pawl_model_destroy(m->model);
    core_log_destroy(m->log);
    Py_XDECREF(m->keep);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

// ---- finding --------------------------------------------------------------------------------------

// An index from 0 to count - 1 (negative ones from the end), -1 for a text, -2 and an exception.
static int model_index(PyObject *key, int count, const char *what, const char **text)
{
    *text = NULL;
    if (PyUnicode_Check(key)) {
        *text = PyUnicode_AsUTF8AndSize(key, NULL);
        return *text != NULL ? -1 : -2;
    }
    PyObject *number = PyNumber_Index(key);
    long i = number != NULL ? PyLong_AsLong(number) : -1;
    Py_XDECREF(number);
    if (PyErr_Occurred()) {
        return -2;
    }
    i += i < 0 ? count : 0;
    if (i < 0 || i >= count) {
        PyErr_Format(PyExc_IndexError, "there are %d %s", count, what);
        return -2;
    }
    return (int)i;
}

typedef const char *model_name_at(const pawl_model *model, int index);

static const char *model_body_name(const pawl_model *model, int i)
{
    return pawl_model_body(model, pawl_model_body_at(model, i)).name;
}

static const char *model_joint_name(const pawl_model *model, int i)
{
    return pawl_model_joint(model, pawl_model_joint_at(model, i)).name;
}

// Actuators without a name go by that of their joint.
static const char *model_actuator_name(const pawl_model *model, int i)
{
    pawl_actuator_def a = pawl_model_actuator(model, pawl_model_actuator_at(model, i));
    return a.name != NULL && a.name[0] != '\0' ? a.name : pawl_model_joint(model, a.joint).name;
}

// A KeyError with the names that there are: those that contain the word ("arm" for "left::arm"), else the first ones.
static int model_no_such(const char *what, const char *name, const pawl_model *model, int count,
                         model_name_at *name_at)
{
    enum { LISTED = 10 };
    char text[400] = "";
    size_t used = 0;
    int listed = 0;
    for (int all = 0; all < 2 && listed == 0; ++all) {
        for (int i = 0; i < count && listed < LISTED && used < sizeof text; ++i) {
            const char *other = name_at(model, i);
            if (all || strstr(other, name) != NULL) {
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                         listed > 0 ? ", " : "; there are ", other);
                ++listed;
            }
        }
    }
    PyErr_Format(PyExc_KeyError, "no %s '%s'%s%s", what, name, text,
                 listed == LISTED && count > LISTED ? ", ..." : "");
    return -1;
}

int core_find_body(const pawl_model *model, PyObject *key, pawl_body_id *out)
{
    const char *name;
    int i = model_index(key, pawl_model_body_count(model), "bodies", &name);
    if (i < -1) {
        return -1;
    }
    *out = i >= 0 ? pawl_model_body_at(model, i) : pawl_model_find_body(model, name);
    pawl_frame frame = name != NULL ? pawl_model_find_frame(model, name) : (pawl_frame){0};
    if (pawl_body_is_none(*out) && frame.name != NULL) {
        PyErr_Format(PyExc_KeyError,
                     "no body '%s': it is a frame of body '%s' (model.frames); links on fixed "
                     "joints stay bodies with keep_fixed=True",
                     name,
                     pawl_body_is_world(frame.body) ? "world"
                                                    : pawl_model_body(model, frame.body).name);
        return -1;
    }
    return pawl_body_is_none(*out)
               ? model_no_such("body", name, model, pawl_model_body_count(model), model_body_name)
               : 0;
}

int core_find_joint(const pawl_model *model, PyObject *key, pawl_joint_id *out)
{
    const char *name;
    int i = model_index(key, pawl_model_joint_count(model), "joints", &name);
    if (i < -1) {
        return -1;
    }
    *out = i >= 0 ? pawl_model_joint_at(model, i) : pawl_model_find_joint(model, name);
    return pawl_joint_is_none(*out) ? model_no_such("joint", name, model,
                                                    pawl_model_joint_count(model), model_joint_name)
                                    : 0;
}

// Actuators often have no name of their own: then that of their joint serves.
int core_find_actuator(const pawl_model *model, PyObject *key, pawl_actuator_id *out)
{
    const char *name;
    int count = pawl_model_actuator_count(model), i = model_index(key, count, "actuators", &name);
    if (i < -1) {
        return -1;
    }
    *out = i >= 0 ? pawl_model_actuator_at(model, i) : pawl_model_find_actuator(model, name);
    pawl_joint_id joint =
        pawl_actuator_is_none(*out) ? pawl_model_find_joint(model, name) : (pawl_joint_id){0};
    for (int k = 0; k < count && !pawl_joint_is_none(joint) && pawl_actuator_is_none(*out); ++k) {
        pawl_actuator_id id = pawl_model_actuator_at(model, k);
        if (pawl_joint_index(pawl_model_actuator(model, id).joint) == pawl_joint_index(joint)) {
            *out = id;
        }
    }
    return pawl_actuator_is_none(*out)
               ? model_no_such("actuator", name, model, pawl_model_actuator_count(model),
                               model_actuator_name)
               : 0;
}

// ---- loading --------------------------------------------------------------------------------------

typedef struct load_request {
    pawl_load_options options;
    PyObject *starts; // dict of joint name: number or sequence
    PyObject *ground; // None, True (under it) or a number (height)
} load_request;

enum { LOAD_MAX_STARTS = 256 };

static int load_start(PyObject *key, PyObject *value, pawl_named_start *out)
{
    out->joint = PyUnicode_AsUTF8AndSize(key, NULL);
    if (out->joint == NULL) {
        return -1;
    }
    if (PyFloat_Check(value) || PyLong_Check(value)) {
        out->count = 1;
        out->position[0] = PyFloat_AsDouble(value);
        return PyErr_Occurred() ? -1 : 0;
    }
    Py_ssize_t count = PySequence_Size(value);
    if (count < 1 || count > 6) {
        PyErr_Format(PyExc_ValueError, "start of joint %R: expected 1 to 6 numbers", key);
        return -1;
    }
    out->count = (int)count;
    return core_doubles(value, "start", (int)count, out->position);
}

static int load_starts(PyObject *dict, pawl_named_start *starts, pawl_load_options *options)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (dict != NULL && dict != Py_None && PyDict_Next(dict, &at, &key, &value)) {
        if (options->start_count == LOAD_MAX_STARTS) {
            PyErr_Format(PyExc_ValueError, "more than %d starts", LOAD_MAX_STARTS);
            return -1;
        }
        if (load_start(key, value, &starts[options->start_count]) < 0) {
            return -1;
        }
        ++options->start_count;
    }
    options->starts = starts;
    return 0;
}

static int load_ground(PyObject *ground, double slope, double friction, pawl_ground_option *out)
{
    if (ground == NULL || ground == Py_None || ground == Py_False) {
        return 0;
    }
    out->put = true;
    out->slope = slope;
    out->friction = friction;
    if (ground == Py_True) {
        out->under = true;
        return 0;
    }
    out->height = PyFloat_AsDouble(ground);
    return PyErr_Occurred() ? -1 : 0;
}

// The name of how collision meshes touch.
static int load_mesh(const char *name, pawl_mesh_contact *out)
{
    static const char *const names[PAWL_MESH_CONTACT_COUNT] = {[PAWL_MESH_HULL] = "hull",
                                                               [PAWL_MESH_TRIANGLES] = "triangles",
                                                               [PAWL_MESH_PARTS] = "parts"};
    for (int k = 0; k < PAWL_MESH_CONTACT_COUNT; ++k) {
        if (strcmp(name, names[k]) == 0) {
            *out = (pawl_mesh_contact)k;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "mesh='%s': expected 'hull', 'parts' or 'triangles'", name);
    return -1;
}

// load(path, text, lenient, motion, start, ground, slope, friction, fixed_base, search_path, start_key, verbose, mesh,
//      keep_fixed, repair_inertia, clamp, mjcf_soft)
static PyObject *model_load(PyObject *module, PyObject *args)
{
    PyObject *path = NULL, *starts, *ground;
    const char *text, *motion, *search, *key, *mesh;
    double slope, friction;
    int lenient, fixed, verbose, keep, repair, clamp, soft;
    (void)module;
    if (!PyArg_ParseTuple(args, "O&zpzOOddpzzpspppp", PyUnicode_FSConverter, &path, &text, &lenient,
                          &motion, &starts, &ground, &slope, &friction, &fixed, &search, &key,
                          &verbose, &mesh, &keep, &repair, &clamp, &soft)) {
        return NULL;
    }
    static pawl_named_start list[LOAD_MAX_STARTS]; // under the GIL until the reader has copied it
    pawl_load_options options = pawl_load_options_default();
    options.lenient = lenient != 0;
    options.motion_path = motion;
    options.fixed_base = fixed != 0;
    options.search_path = search;
    options.start_key = key;
    options.verbose = verbose != 0;
    options.keep_fixed = keep != 0;
    options.repair_inertia = repair != 0;
    options.start_limits = clamp ? PAWL_START_CLAMP : PAWL_START_AS_IS;
    options.mjcf_soft = soft != 0;
    core_log *log = NULL;
    pawl_model *model = NULL;
    if (load_mesh(mesh, &options.mesh_contact) == 0 && load_starts(starts, list, &options) == 0 &&
        load_ground(ground, slope, friction, &options.ground) == 0) {
        log = core_log_create();
    }
    if (log == NULL) {
        Py_DECREF(path);
        return NULL;
    }
    const char *name = PyBytes_AsString(path);
    pawl_status status = text == NULL ? pawl_model_load(core_log_env(log), name, &options, &model)
                                      : pawl_model_parse(core_log_env(log), name, text,
                                                         strlen(text), &options, &model);
    Py_DECREF(path);
    if (status != PAWL_OK) {
        core_raise(log, status);
        core_log_destroy(log);
        return NULL;
    }
    return core_model_wrap(log, model, NULL);
}

// ---- what it is made of ----------------------------------------------------------------------------

static PyObject *model_body_row(const pawl_model *m, int i)
{
    pawl_body_info b = pawl_model_body(m, pawl_model_body_at(m, i));
    static const char *const kinds[] = {"rigid", "point", "kinematic"};
    return Py_BuildValue("(ssdN(dddddd))", b.name, kinds[b.kind], b.mass, core_from_vec3(b.com),
                         b.inertia[0], b.inertia[1], b.inertia[2], b.inertia[3], b.inertia[4],
                         b.inertia[5]);
}

static PyObject *model_coordinate_row(const pawl_coordinate_def *c)
{
    return Py_BuildValue("(ddddddd)", c->lower, c->upper, c->stiffness, c->rest, c->damping,
                         c->armature, c->friction);
}

static PyObject *model_joint_row(const pawl_model *m, int i)
{
    pawl_joint_info j = pawl_model_joint(m, pawl_model_joint_at(m, i));
    PyObject *coordinates = PyTuple_New(j.coordinate_count);
    for (int k = 0; k < j.coordinate_count && coordinates != NULL; ++k) {
        PyObject *row = model_coordinate_row(&j.coordinate[k]);
        if (row == NULL || PyTuple_SetItem(coordinates, k, row) < 0) {
            Py_CLEAR(coordinates);
        }
    }
    return coordinates == NULL
               ? NULL
               : Py_BuildValue("(ssiiNNiN)", j.name, pawl_joint_kind_name(j.kind),
                               pawl_body_index(j.base), pawl_body_index(j.follower),
                               core_from_pose(j.base_frame), core_from_pose(j.follower_frame),
                               j.row_count, coordinates);
}

static PyObject *model_actuator_row(const pawl_model *m, int i)
{
    pawl_actuator_def a = pawl_model_actuator(m, pawl_model_actuator_at(m, i));
    int joint = pawl_joint_index(a.joint);
    return Py_BuildValue("(ssiiddd)", model_actuator_name(m, i), pawl_actuator_kind_name(a.kind),
                         joint, a.coordinate, a.stiffness, a.damping, a.effort);
}

static PyObject *model_shape_row(const pawl_model *m, int i)
{
    pawl_shape_info s = pawl_model_shape(m, pawl_model_shape_at(m, i));
    return Py_BuildValue("(zsiNNdddO)", s.def.name, pawl_shape_kind_name(s.def.kind),
                         pawl_body_index(s.body), core_from_pose(s.def.frame),
                         core_from_vec3(s.def.size), s.def.friction, s.def.restitution,
                         s.def.rolling_friction, s.def.visual_only ? Py_True : Py_False);
}

static PyObject *model_frame_row(const pawl_model *m, int i)
{
    pawl_frame f = pawl_model_frame(m, i);
    return Py_BuildValue("(siN)", f.name, pawl_body_is_world(f.body) ? -1 : pawl_body_index(f.body),
                         core_from_pose(f.pose));
}

static PyObject *model_list(const pawl_model *m, int count,
                            PyObject *(*row)(const pawl_model *, int))
{
    PyObject *list = PyList_New(count);
    for (int i = 0; i < count && list != NULL; ++i) {
        PyObject *item = row(m, i);
        if (item == NULL || PyList_SetItem(list, i, item) < 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *model_parts(PyObject *self, PyObject *unused)
{
    const pawl_model *m = ((model_object *)self)->model;
    (void)unused;
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N}", "bodies",
                         model_list(m, pawl_model_body_count(m), model_body_row), "joints",
                         model_list(m, pawl_model_joint_count(m), model_joint_row), "actuators",
                         model_list(m, pawl_model_actuator_count(m), model_actuator_row), "shapes",
                         model_list(m, pawl_model_shape_count(m), model_shape_row), "frames",
                         model_list(m, pawl_model_frame_count(m), model_frame_row));
}

static PyObject *model_messages(PyObject *self, PyObject *unused)
{
    (void)unused;
    return core_log_take(((model_object *)self)->log);
}

static PyObject *model_get(PyObject *self, void *what)
{
    const pawl_model *m = ((model_object *)self)->model;
    switch ((int)(intptr_t)what) {
    case 0:
        return PyUnicode_FromString(pawl_model_name(m));
    case 1:
        return PyFloat_FromDouble(pawl_model_mass(m));
    case 2:
        return core_from_vec3(pawl_model_gravity(m));
    case 3:
        return PyLong_FromUnsignedLongLong(pawl_model_hash(m));
    case 4:
        return PyLong_FromLong(pawl_model_row_count(m));
    case 5:
        return PyLong_FromLong(pawl_model_velocity_count(m));
    default:
        return PyLong_FromLong(pawl_model_coordinate_count(m));
    }
}

// Mobility, redundancy and warnings, as `pawl check` has them.
static PyObject *model_check(PyObject *self, PyObject *unused)
{
    model_object *m = (model_object *)self;
    (void)unused;
    pawl_check *check = NULL;
    pawl_status status = pawl_check_model(core_log_env(m->log), m->model, &check);
    if (status != PAWL_OK) {
        pawl_check_destroy(check);
        return core_raise(m->log, status);
    }
    PyObject *warnings = PyList_New(0);
    for (int i = 0; i < check->warning_count && warnings != NULL; ++i) {
        const pawl_warning *w = &check->warnings[i];
        PyObject *row = Py_BuildValue("{s:s,s:s,s:s,s:s}", "kind", pawl_warning_kind_name(w->kind),
                                      "where", w->where, "text", w->text, "advice", w->advice);
        if (row == NULL || PyList_Append(warnings, row) < 0) {
            Py_CLEAR(warnings);
        }
        Py_XDECREF(row);
    }
    PyObject *out =
        warnings == NULL
            ? NULL
            : Py_BuildValue("{s:i,s:i,s:i,s:i,s:O,s:d,s:N}", "mobility", check->mobility, "rows",
                            check->rows, "rank", check->rank, "redundant", check->redundant_count,
                            "singular", check->singular ? Py_True : Py_False, "closure",
                            check->assembled.position, "warnings", warnings);
    pawl_check_destroy(check);
    return out;
}

static PyMethodDef model_methods[] = {
    {"_parts", model_parts, METH_NOARGS, NULL},
    {"_messages", model_messages, METH_NOARGS, NULL},
    {"check", model_check, METH_NOARGS,
     "Mobility, redundant rows, singular position and warnings of the start, as `pawl check` "
     "prints them: a dict."},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef model_getset[] = {
    {"name", model_get, NULL, "Name of the model.", (void *)0},
    {"mass", model_get, NULL, "Mass of all bodies that can move [kg].", (void *)1},
    {"gravity", model_get, NULL, "Gravity [m/s^2].", (void *)2},
    {"hash", model_get, NULL, "Hash of everything that shapes the motion.", (void *)3},
    {"row_count", model_get, NULL, "Rows of all joints.", (void *)4},
    {"velocity_count", model_get, NULL, "6 for each rigid body, 3 for each point.", (void *)5},
    {"coordinate_count", model_get, NULL, "Coordinates of all joints.", (void *)6},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot model_slots[] = {
    {Py_tp_dealloc, model_dealloc},
    {Py_tp_methods, model_methods},
    {Py_tp_getset, model_getset},
    {0, NULL},
};
static PyType_Spec model_spec = {"pawl._core.Model", sizeof(model_object), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 model_slots};

static PyMethodDef model_functions[] = {
    {"load", model_load, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int core_model_init(PyObject *module)
{
    core_model_type = core_add_type(module, &model_spec);
    return core_model_type != NULL && PyModule_AddFunctions(module, model_functions) == 0 ? 0 : -1;
}
