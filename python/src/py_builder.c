// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The builder: the functions of pawl/model.h with keywords for the fields of their defs. Bodies, joints and actuators are named by
// their index in Python (-1: the world), or by name.
#include "core.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct builder_object {
    PyObject_HEAD core_log *log;
    pawl_builder *builder;
    PyObject *keep; // callables of signals
} builder_object;

static PyObject *builder_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const char *name = "model";
    static char *names[] = {"name", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|s", names, &name)) {
        return NULL;
    }
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    builder_object *b = (builder_object *)alloc(type, 0);
    if (b == NULL || (b->log = core_log_create()) == NULL || (b->keep = PyList_New(0)) == NULL) {
        Py_XDECREF((PyObject *)b);
        return NULL;
    }
    pawl_status status = pawl_builder_create(core_log_env(b->log), name, &b->builder);
    if (status != PAWL_OK) {
        core_raise(b->log, status);
        Py_DECREF((PyObject *)b);
        return NULL;
    }
    return (PyObject *)b;
}

static void builder_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    builder_object *b = (builder_object *)self;
    pawl_builder_destroy(b->builder);
    core_log_destroy(b->log);
    Py_XDECREF(b->keep);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF((PyObject *)type);
}

// ---- names and indices ------------------------------------------------------------------------------

static int builder_body(const builder_object *b, PyObject *key, pawl_body_id *out)
{
    if (key == NULL || key == Py_None) {
        *out = PAWL_WORLD;
        return 0;
    }
    if (PyUnicode_Check(key)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        *out = name != NULL && strcmp(name, "world") == 0
                   ? PAWL_WORLD
                   : pawl_builder_find_body(b->builder, name);
    } else {
        long i = PyLong_AsLong(key);
        *out = i == -1 && !PyErr_Occurred() ? PAWL_WORLD : pawl_builder_body_at(b->builder, (int)i);
    }
    if (pawl_body_is_none(*out) && !PyErr_Occurred()) {
        PyErr_Format(PyExc_KeyError, "no body %R", key);
    }
    return PyErr_Occurred() ? -1 : 0;
}

static int builder_joint(const builder_object *b, PyObject *key, pawl_joint_id *out)
{
    if (PyUnicode_Check(key)) {
        *out = pawl_builder_find_joint(b->builder, PyUnicode_AsUTF8AndSize(key, NULL));
    } else {
        *out = pawl_builder_joint_at(b->builder, (int)PyLong_AsLong(key));
    }
    if (pawl_joint_is_none(*out) && !PyErr_Occurred()) {
        PyErr_Format(PyExc_KeyError, "no joint %R", key);
    }
    return PyErr_Occurred() ? -1 : 0;
}

// The number of a name in a list of names, or -1 and an exception.
static int builder_kind(PyObject *name, const char *(*names)(int), int count, const char *what)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    for (int k = 0; k < count && text != NULL; ++k) {
        if (strcmp(text, names(k)) == 0) {
            return k;
        }
    }
    if (text != NULL) {
        char all[400] = "";
        size_t used = 0;
        for (int k = 0; k < count && used < sizeof all; ++k) {
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", k > 0 ? ", " : "",
                                     names(k));
        }
        PyErr_Format(PyExc_ValueError, "no %s of kind %R; there are %s", what, name, all);
    }
    return -1;
}

static const char *builder_joint_name(int k)
{
    return pawl_joint_kind_name((pawl_joint_kind)k);
}

static const char *builder_shape_name(int k)
{
    return pawl_shape_kind_name((pawl_shape_kind)k);
}

static PyObject *builder_done(const builder_object *b, pawl_status status, long index)
{
    return status == PAWL_OK ? PyLong_FromLong(index) : core_raise(b->log, status);
}

// A keyword of its own, removed from the dict; NULL: not given.
static PyObject *builder_take(PyObject *keywords, const char *name)
{
    PyObject *value = keywords != NULL ? PyDict_GetItemString(keywords, name) : NULL;
    if (value != NULL) {
        Py_INCREF(value);
        PyDict_DelItemString(keywords, name);
    }
    return value;
}

// ---- things ----------------------------------------------------------------------------------------

#define BODY(field, kind)                                                                          \
    {                                                                                              \
#field, kind, offsetof(pawl_body_def, field)                                               \
    }
static const core_field builder_body_fields[] = {
    BODY(name, CORE_TEXT),
    {"position", CORE_VEC3, offsetof(pawl_body_def, pose.position)},
    {"orientation", CORE_QUAT, offsetof(pawl_body_def, pose.orientation)},
    {"velocity", CORE_VEC3, offsetof(pawl_body_def, twist.linear)},
    {"angular_velocity", CORE_VEC3, offsetof(pawl_body_def, twist.angular)},
    BODY(mass, CORE_DOUBLE),
    BODY(com, CORE_VEC3),
    BODY(inertia, CORE_DOUBLES6),
    BODY(density, CORE_DOUBLE),
    BODY(gravity_scale, CORE_DOUBLE),
    BODY(linear_damping, CORE_DOUBLE),
    BODY(angular_damping, CORE_DOUBLE),
    BODY(family, CORE_INT),
};

static PyObject *builder_add_body(PyObject *self, PyObject *args, PyObject *keywords)
{
    builder_object *b = (builder_object *)self;
    PyObject *left = keywords != NULL ? PyDict_Copy(keywords) : PyDict_New();
    PyObject *kind = NULL;
    pawl_body_def def = pawl_body_def_default();
    PyObject *result = NULL;
    if (left == NULL || !PyArg_ParseTuple(args, "|s", &def.name)) {
        goto end;
    }
    kind = builder_take(left, "kind");
    if (kind != NULL) {
        const char *text = PyUnicode_AsUTF8AndSize(kind, NULL);
        def.kind = text != NULL && strcmp(text, "point") == 0 ? PAWL_BODY_POINT : PAWL_BODY_RIGID;
    }
    if (core_fields(left, builder_body_fields,
                    (int)(sizeof builder_body_fields / sizeof builder_body_fields[0]), &def) == 0 &&
        core_no_more(left, "body()") == 0) {
        pawl_body_id id;
        pawl_status status = pawl_builder_add_body(b->builder, &def, &id);
        result = builder_done(b, status, status == PAWL_OK ? pawl_body_index(id) : 0);
    }
end:
    Py_XDECREF(kind);
    Py_XDECREF(left);
    return result;
}

#define SHAPE(field, kind)                                                                         \
    {                                                                                              \
#field, kind, offsetof(pawl_shape_def, field)                                              \
    }
static const core_field builder_shape_fields[] = {
    SHAPE(name, CORE_TEXT),
    {"position", CORE_VEC3, offsetof(pawl_shape_def, frame.position)},
    {"orientation", CORE_QUAT, offsetof(pawl_shape_def, frame.orientation)},
    SHAPE(size, CORE_VEC3),
    SHAPE(rgba, CORE_RGBA),
    SHAPE(visual_only, CORE_BOOL),
    SHAPE(friction, CORE_DOUBLE),
    SHAPE(restitution, CORE_DOUBLE),
    SHAPE(impact_friction, CORE_DOUBLE),
    SHAPE(torsional_friction, CORE_DOUBLE),
    SHAPE(rolling_friction, CORE_DOUBLE),
    SHAPE(group, CORE_UINT),
    SHAPE(mask, CORE_UINT),
};

static PyObject *builder_add_shape(PyObject *self, PyObject *args, PyObject *keywords)
{
    builder_object *b = (builder_object *)self;
    PyObject *body, *kind, *result = NULL;
    if (!PyArg_ParseTuple(args, "OU", &body, &kind)) {
        return NULL;
    }
    PyObject *left = keywords != NULL ? PyDict_Copy(keywords) : PyDict_New();
    pawl_shape_def def = pawl_shape_def_default();
    pawl_body_id id;
    int k = left != NULL ? builder_kind(kind, builder_shape_name, PAWL_SHAPE_COUNT, "shape") : -1;
    if (k >= 0 && builder_body(b, body, &id) == 0 &&
        core_fields(left, builder_shape_fields,
                    (int)(sizeof builder_shape_fields / sizeof builder_shape_fields[0]),
                    &def) == 0 &&
        core_no_more(left, "shape()") == 0) {
        def.kind = (pawl_shape_kind)k;
        pawl_shape_id out;
        pawl_status status = pawl_builder_add_shape(b->builder, id, &def, &out);
        result = builder_done(b, status, status == PAWL_OK ? pawl_shape_index(out) : 0);
    }
    Py_XDECREF(left);
    return result;
}

#define COORDINATE(field)                                                                          \
    {                                                                                              \
#field, CORE_DOUBLE, offsetof(pawl_joint_def, coordinate[0].field)                         \
    }
static const core_field builder_joint_fields[] = {
    {"name", CORE_TEXT, offsetof(pawl_joint_def, name)},
    {"pitch", CORE_DOUBLE, offsetof(pawl_joint_def, pitch)},
    {"length", CORE_DOUBLE, offsetof(pawl_joint_def, length)},
    COORDINATE(lower),
    COORDINATE(upper),
    COORDINATE(stiffness),
    COORDINATE(rest),
    COORDINATE(damping),
    COORDINATE(armature),
    COORDINATE(friction),
};

// joint(kind, base, follower, point=, axis=, ...): placed where the bodies are.
static PyObject *builder_add_joint(PyObject *self, PyObject *args, PyObject *keywords)
{
    builder_object *b = (builder_object *)self;
    PyObject *kind, *base, *follower, *result = NULL;
    if (!PyArg_ParseTuple(args, "UOO", &kind, &base, &follower)) {
        return NULL;
    }
    PyObject *left = keywords != NULL ? PyDict_Copy(keywords) : PyDict_New();
    PyObject *point = builder_take(left, "point"), *axis = builder_take(left, "axis");
    pawl_joint_def def = pawl_joint_def_default();
    pawl_vec3 at = {0, 0, 0}, along = {0, 0, 1};
    int k = left != NULL ? builder_kind(kind, builder_joint_name, PAWL_JOINT_GEAR, "joint") : -1;
    if (k >= 0 && builder_body(b, base, &def.base) == 0 &&
        builder_body(b, follower, &def.follower) == 0 &&
        (point == NULL || core_vec3(point, "point", &at) == 0) &&
        (axis == NULL || core_vec3(axis, "axis", &along) == 0) &&
        core_fields(left, builder_joint_fields,
                    (int)(sizeof builder_joint_fields / sizeof builder_joint_fields[0]),
                    &def) == 0 &&
        core_no_more(left, "joint()") == 0) {
        def.kind = (pawl_joint_kind)k;
        pawl_joint_id id;
        pawl_status status =
            pawl_builder_place_joint(b->builder, &def, at, along, (pawl_vec3){0, 0, 0});
        if (status == PAWL_OK) {
            status = pawl_builder_add_joint(b->builder, &def, &id);
        }
        result = builder_done(b, status, status == PAWL_OK ? pawl_joint_index(id) : 0);
    }
    Py_XDECREF(point);
    Py_XDECREF(axis);
    Py_XDECREF(left);
    return result;
}

static const core_field builder_actuator_fields[] = {
    {"name", CORE_TEXT, offsetof(pawl_actuator_def, name)},
    {"coordinate", CORE_INT, offsetof(pawl_actuator_def, coordinate)},
    {"stiffness", CORE_DOUBLE, offsetof(pawl_actuator_def, stiffness)},
    {"damping", CORE_DOUBLE, offsetof(pawl_actuator_def, damping)},
    {"effort", CORE_DOUBLE, offsetof(pawl_actuator_def, effort)},
};

static const char *builder_actuator_name(int k)
{
    return pawl_actuator_kind_name((pawl_actuator_kind)k);
}

static PyObject *builder_add_actuator(PyObject *self, PyObject *args, PyObject *keywords)
{
    builder_object *b = (builder_object *)self;
    PyObject *kind, *joint, *result = NULL;
    if (!PyArg_ParseTuple(args, "UO", &kind, &joint)) {
        return NULL;
    }
    PyObject *left = keywords != NULL ? PyDict_Copy(keywords) : PyDict_New();
    PyObject *target = builder_take(left, "target");
    pawl_actuator_def def = pawl_actuator_def_default();
    int k = left != NULL
                ? builder_kind(kind, builder_actuator_name, PAWL_ACTUATOR_KIND_COUNT, "actuator")
                : -1;
    if (k >= 0 && builder_joint(b, joint, &def.joint) == 0 &&
        (target == NULL || core_signal(target, b->keep, &def.target) == 0)) {
        if (core_fields(left, builder_actuator_fields,
                        (int)(sizeof builder_actuator_fields / sizeof builder_actuator_fields[0]),
                        &def) == 0 &&
            core_no_more(left, "actuator()") == 0) {
            def.kind = (pawl_actuator_kind)k;
            pawl_actuator_id id;
            pawl_status status = pawl_builder_add_actuator(b->builder, &def, &id);
            result = builder_done(b, status, status == PAWL_OK ? pawl_actuator_index(id) : 0);
        }
        core_signal_free(&def.target);
    }
    Py_XDECREF(target);
    Py_XDECREF(left);
    return result;
}

static PyObject *builder_add_motion(PyObject *self, PyObject *args)
{
    builder_object *b = (builder_object *)self;
    PyObject *joint, *target;
    pawl_motion_def def = pawl_motion_def_default();
    if (!PyArg_ParseTuple(args, "OO|i", &joint, &target, &def.coordinate) ||
        builder_joint(b, joint, &def.joint) < 0 || core_signal(target, b->keep, &def.target) < 0) {
        return NULL;
    }
    pawl_motion_id id;
    pawl_status status = pawl_builder_add_motion(b->builder, &def, &id);
    core_signal_free(&def.target);
    return builder_done(b, status, status == PAWL_OK ? pawl_motion_index(id) : 0);
}

static const core_field builder_spring_fields[] = {
    {"name", CORE_TEXT, offsetof(pawl_spring_def, name)},
    {"point_a", CORE_VEC3, offsetof(pawl_spring_def, point_a)},
    {"point_b", CORE_VEC3, offsetof(pawl_spring_def, point_b)},
    {"stiffness", CORE_DOUBLE, offsetof(pawl_spring_def, stiffness)},
    {"rest_length", CORE_DOUBLE, offsetof(pawl_spring_def, rest_length)},
    {"damping", CORE_DOUBLE, offsetof(pawl_spring_def, damping)},
};

static PyObject *builder_add_spring(PyObject *self, PyObject *args, PyObject *keywords)
{
    builder_object *b = (builder_object *)self;
    PyObject *first, *second, *result = NULL;
    pawl_spring_def def = pawl_spring_def_default();
    if (!PyArg_ParseTuple(args, "OO", &first, &second)) {
        return NULL;
    }
    PyObject *left = keywords != NULL ? PyDict_Copy(keywords) : PyDict_New();
    if (left != NULL && builder_body(b, first, &def.body_a) == 0 &&
        builder_body(b, second, &def.body_b) == 0 &&
        core_fields(left, builder_spring_fields,
                    (int)(sizeof builder_spring_fields / sizeof builder_spring_fields[0]),
                    &def) == 0 &&
        core_no_more(left, "spring()") == 0) {
        pawl_spring_id id;
        pawl_status status = pawl_builder_add_spring(b->builder, &def, &id);
        result = builder_done(b, status, status == PAWL_OK ? pawl_spring_index(id) : 0);
    }
    Py_XDECREF(left);
    return result;
}

static PyObject *builder_add_gear(PyObject *self, PyObject *args)
{
    builder_object *b = (builder_object *)self;
    PyObject *joint, *source;
    pawl_gear_def def = pawl_gear_def_default();
    if (!PyArg_ParseTuple(args, "OOd|d", &joint, &source, &def.ratio, &def.offset) ||
        builder_joint(b, joint, &def.joint) < 0 ||
        builder_joint(b, source, &def.source_joint) < 0) {
        return NULL;
    }
    pawl_joint_id id;
    pawl_status status = pawl_builder_add_gear(b->builder, &def, &id);
    return builder_done(b, status, status == PAWL_OK ? pawl_joint_index(id) : 0);
}

static PyObject *builder_set_gravity(PyObject *self, PyObject *value)
{
    pawl_vec3 g;
    if (core_vec3(value, "gravity", &g) < 0) {
        return NULL;
    }
    pawl_builder_set_gravity(((builder_object *)self)->builder, g);
    Py_RETURN_NONE;
}

static PyObject *builder_exclude(PyObject *self, PyObject *args)
{
    builder_object *b = (builder_object *)self;
    PyObject *first, *second;
    pawl_body_id x, y;
    if (!PyArg_ParseTuple(args, "OO", &first, &second) || builder_body(b, first, &x) < 0 ||
        builder_body(b, second, &y) < 0) {
        return NULL;
    }
    return builder_done(b, pawl_builder_exclude(b->builder, x, y), 0);
}

static PyObject *builder_set_start(PyObject *self, PyObject *args)
{
    builder_object *b = (builder_object *)self;
    PyObject *joint, *position;
    pawl_joint_id id;
    double q[6] = {0};
    if (!PyArg_ParseTuple(args, "OO", &joint, &position) || builder_joint(b, joint, &id) < 0) {
        return NULL;
    }
    int count = pawl_builder_joint_coordinates(b->builder, id);
    if (count == 1 && PyNumber_Check(position) && !PySequence_Check(position)) {
        q[0] = PyFloat_AsDouble(position);
    } else if (core_doubles(position, "start", count, q) < 0) {
        return NULL;
    }
    return PyErr_Occurred() ? NULL : builder_done(b, pawl_builder_set_start(b->builder, id, q), 0);
}

static PyObject *builder_compile(PyObject *self, PyObject *unused)
{
    builder_object *b = (builder_object *)self;
    (void)unused;
    pawl_model *model = NULL;
    pawl_status status = pawl_builder_compile(b->builder, &model);
    if (status != PAWL_OK) {
        return core_raise(b->log, status);
    }
    // The model has the environment of the builder, which therefore lives as long.
    PyObject *keep = Py_BuildValue("(OO)", self, b->keep);
    core_log *log = keep != NULL ? core_log_create() : NULL;
    if (log == NULL) {
        Py_XDECREF(keep);
        pawl_model_destroy(model);
        return NULL;
    }
    return core_model_wrap(log, model, keep);
}

#define KEYS METH_VARARGS | METH_KEYWORDS
static PyMethodDef builder_methods[] = {
    {"body", (PyCFunction)(void (*)(void))builder_add_body, KEYS,
     "body(name=None, *, position, orientation, velocity, angular_velocity, mass, com, inertia, "
     "density,\n"
     "     gravity_scale, linear_damping, angular_damping, family, kind='rigid') -> index\n\n"
     "A rigid body (or kind='point'). Mass and inertia, or a density for its shapes."},
    {"shape", (PyCFunction)(void (*)(void))builder_add_shape, KEYS,
     "shape(body, kind, *, size, position, orientation, friction, restitution, rgba, visual_only, "
     "...) -> index\n\n"
     "kind: sphere, box, cylinder, capsule, ellipsoid, plane. size as in C: radius, half extents, "
     "..."},
    {"joint", (PyCFunction)(void (*)(void))builder_add_joint, KEYS,
     "joint(kind, base, follower, *, point, axis, name, lower, upper, stiffness, rest, damping, "
     "armature,\n"
     "      friction, pitch, length) -> index\n\n"
     "A joint at a world point with its x axis along `axis`, between bodies where they are. base "
     "None: the world."},
    {"actuator", (PyCFunction)(void (*)(void))builder_add_actuator, KEYS,
     "actuator(kind, joint, *, target, stiffness, damping, effort, coordinate, name) -> index\n\n"
     "kind: force, position, velocity, adhesion. target: a number, pawl.sine(), pawl.table() or a "
     "function "
     "of time."},
    {"motion", builder_add_motion, METH_VARARGS,
     "motion(joint, target, coordinate=0) -> index\n\nThe coordinate follows a function of time "
     "exactly."},
    {"spring", (PyCFunction)(void (*)(void))builder_add_spring, KEYS,
     "spring(body_a, body_b, *, point_a, point_b, stiffness, rest_length, damping, name) -> index"},
    {"gear", builder_add_gear, METH_VARARGS,
     "gear(joint, source, ratio, offset=0) -> index of the new joint"},
    {"gravity", builder_set_gravity, METH_O,
     "gravity((x, y, z)): in m/s^2; (0, 0, -9.81) unless set."},
    {"exclude", builder_exclude, METH_VARARGS,
     "exclude(a, b): the shapes of two bodies never touch."},
    {"start", builder_set_start, METH_VARARGS,
     "start(joint, position): the joint begins there; loops are closed around it."},
    {"_compile", builder_compile, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot builder_slots[] = {
    {Py_tp_new, builder_new},
    {Py_tp_dealloc, builder_dealloc},
    {Py_tp_methods, builder_methods},
    {0, NULL},
};
static PyType_Spec builder_spec = {"pawl._core.Builder", sizeof(builder_object), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, builder_slots};

int core_builder_init(PyObject *module)
{
    return core_add_type(module, &builder_spec) != NULL ? 0 : -1;
}
