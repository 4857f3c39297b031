// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A whole MJCF file: its includes, <compiler>, default classes and names.
//
// <include> is replaced by the children of the root of another file, at any place. The file is read when its node is
// first visited and then stored with the node, so that it is read once.
#include "math/vec.h"
#include "read/mjcf_parts.h"
#include "read/search_path.h"
#include <stdio.h>
#include <string.h>

enum { MJCF_MAX_CHILDREN = 1000 * 1000, MJCF_MAX_CLASSES = 10000, MJCF_MAX_COPIES = 2000 };

// --- names ---------------------------------------------------------------------------------------

void *mjcf_push(mjcf_reader *r, pawl_array *array, size_t size)
{
    void *item = pawl_array_push(r->xml->env, array, size);
    if (item == NULL) {
        pawl_log(r->xml->env, PAWL_LOG_ERROR, "no memory for the parts of the model");
    }
    return item;
}

const char *mjcf_concat(mjcf_reader *r, const char *a, const char *b, const char *c)
{
    size_t x = strlen(a), y = strlen(b), z = strlen(c);
    char *text = xml_alloc(r->xml, x + y + z + 1);
    if (text != NULL) {
        memcpy(text, a, x);
        memcpy(text + x, b, y);
        memcpy(text + x + y, c, z + 1);
    }
    return text;
}

int mjcf_spec_scope(const mjcf_spec *spec, mjcf_scope scope)
{
    return MJCF_SPEC_SCOPES + MJCF_SCOPES_OF_A_SPEC * spec->index + (int)scope;
}

pawl_status mjcf_enter(mjcf_reader *r, const xmlNode *node, int scope, const char *name, int index)
{
    PAWL_TRY(xml_name_check(r->xml, node, name));
    if (pawl_name_table_find(&r->names, scope, name, strlen(name)) >= 0) {
        return xml_error(r->xml, node, "a second <%s> is called '%s'", node->name, name);
    }
    return xml_add_name(r->xml, &r->names, scope, name, index);
}

// The element with a name of the file. Of a copy it may be an element outside of the <replicate>, which has no
// suffix.
static int mjcf_look_up(const mjcf_reader *r, const mjcf_spec *spec, mjcf_scope scope,
                        const char *name, bool *of_copy)
{
    char full[512];
    int n = snprintf(full, sizeof full, "%s%s%s", spec->prefix, name, spec->suffix);
    int found = n > 0 && (size_t)n < sizeof full
                    ? pawl_name_table_find(&r->names, (int)scope, full, strlen(full))
                    : -1;
    *of_copy = found >= 0;
    return found >= 0 || spec->copy_of == NULL
               ? found
               : mjcf_look_up(r, spec->copy_of, scope, name, &(bool){false});
}

pawl_status mjcf_refer(const mjcf_reader *r, const mjcf_element *e, const char *attribute,
                       mjcf_scope scope, const char *what, int *index)
{
    const char *name = mjcf_get(e, attribute);
    bool of_copy;
    *index = -1;
    if (name == NULL) {
        return PAWL_OK;
    }
    if (scope == MJCF_BODY && strcmp(name, "world") == 0) {
        *index = MJCF_WORLD;
        return PAWL_OK;
    }
    *index = mjcf_look_up(r, e->spec, scope, name, &of_copy);
    if (*index < 0) {
        return xml_error(r->xml, e->node, "<%s> %s: no %s is called '%s'", e->node->name, attribute,
                         what, name);
    }
    return PAWL_OK;
}

// Whether what an element and its children name is in the model, with the suffix of a spec; *any: they name something, of a
// copy something that it has itself.
static bool mjcf_names_here(const mjcf_reader *r, const mjcf_spec *spec, const xmlNode *node,
                            bool *any)
{
    static const struct {
        const char *attribute;
        mjcf_scope scope;
    } names[] = {{"body1", MJCF_BODY},   {"body2", MJCF_BODY},  {"joint1", MJCF_JOINT},
                 {"joint2", MJCF_JOINT}, {"joint", MJCF_JOINT}, {"site1", MJCF_SITE},
                 {"site2", MJCF_SITE},   {"site", MJCF_SITE},   {"geom1", MJCF_GEOM},
                 {"geom2", MJCF_GEOM},   {"geom", MJCF_GEOM},   {"tendon", MJCF_TENDON}};
    bool here = true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        const char *name = xml_attribute(node, names[i].attribute);
        if (name == NULL || (names[i].scope == MJCF_BODY && strcmp(name, "world") == 0)) {
            continue;
        }
        bool of_copy;
        here = mjcf_look_up(r, spec, names[i].scope, name, &of_copy) >= 0 && here;
        *any = *any || of_copy || spec->copy_of == NULL;
    }
    XML_EACH (child, node) {
        here = here && mjcf_names_here(r, spec, child, any);
    }
    return here;
}

bool mjcf_is_here(const mjcf_reader *r, const mjcf_element *e)
{
    const mjcf_spec *spec = e->spec;
    bool any = false;
    if (spec->copy_of != NULL) {
        return mjcf_names_here(r, spec, e->node, &any) && any;
    }
    if (!spec->partial && !spec->copied) {
        return true;
    }
    if (mjcf_names_here(r, spec, e->node, &any)) {
        return true;
    }
    bool elsewhere = spec->partial; // the copies have it; else the reader says what is missing
    for (const mjcf_spec *s = spec->next; s != NULL && !elsewhere; s = s->next) {
        elsewhere = s->copy_of == spec && mjcf_names_here(r, s, e->node, &any);
    }
    return !elsewhere;
}

// Elements that refer into a <replicate> exist once for every copy: a spec of the same file with its suffix.
pawl_status mjcf_spec_copy(mjcf_reader *r, const mjcf_spec *spec, const char *suffix)
{
    static const char *const sections[] = {"contact", "equality", "tendon", "actuator"};
    mjcf_spec *last = (mjcf_spec *)spec; // a file's own spec is in the list before its copies
    mjcf_children children;
    bool needed = false;
    PAWL_TRY(mjcf_list(r, spec->root, &children));
    for (int i = 0; i < children.count; ++i) {
        for (size_t k = 0; k < sizeof sections / sizeof sections[0]; ++k) {
            needed = needed || xml_is(children.nodes[i], sections[k]);
        }
    }
    for (int copies = 0; needed && last->next != NULL; last = last->next) {
        bool same = last->next->copy_of == spec;
        copies += same ? 1 : 0;
        needed = copies < MJCF_MAX_COPIES && !(same && strcmp(last->next->suffix, suffix) == 0);
    }
    if (!needed) {
        return PAWL_OK;
    }
    mjcf_spec *copy = xml_alloc(r->xml, sizeof *copy);
    if (copy == NULL) {
        return PAWL_NO_MEMORY;
    }
    *copy = *spec;
    copy->next = NULL;
    copy->suffix = suffix;
    copy->copy_of = spec;
    last->next = copy;
    ((mjcf_spec *)spec)->copied = true;
    return PAWL_OK;
}

// --- includes ------------------------------------------------------------------------------------

// The file of an <include>, relative to the first file's folder as MuJoCo has it, else to that of the file it stands in.
static pawl_status mjcf_include(mjcf_reader *r, const xmlNode *node, const xmlNode **root)
{
    xmlNode *slot = (xmlNode *)node; // its _private is ours to use
    if (slot->_private == NULL) {
        const char *name, *path;
        char tried[MESH_TRIED], again[MESH_TRIED];
        PAWL_TRY(xml_need_attribute(r->xml, node, "file", &name));
        PAWL_TRY(search_path_find(r->xml, r->specs->root, NULL, name, &path, tried, sizeof tried));
        if (path == NULL) {
            PAWL_TRY(search_path_find(r->xml, node, NULL, name, &path, again, sizeof again));
        }
        if (path == NULL) {
            return xml_error(r->xml, node, "cannot include '%s': not there; tried %s", name, tried);
        }
        xml_file *file;
        PAWL_TRY(xml_file_open(r->xml, path, node, &file));
        slot->_private = xmlDocGetRootElement(file->doc);
    }
    *root = slot->_private;
    if (!xml_is(*root, "mujoco") && !xml_is(*root, "mujocoinclude")) {
        return xml_error(r->xml, *root, "got <%s>, expected <mujoco> or <mujocoinclude>",
                         (*root)->name);
    }
    return PAWL_OK;
}

static pawl_status mjcf_collect(mjcf_reader *r, const xmlNode *node, mjcf_children *out)
{
    XML_EACH (child, node) {
        if (xml_is(child, "include")) {
            const xmlNode *root;
            PAWL_TRY(mjcf_include(r, child, &root));
            PAWL_TRY(mjcf_collect(r, root, out)); // xml_file_open() bounds depth and number
        } else if (out->count == MJCF_MAX_CHILDREN) {
            return xml_error(r->xml, child, "an element has more than a million children");
        } else {
            if (out->nodes != NULL) {
                out->nodes[out->count] = child;
            }
            out->count += 1;
        }
    }
    return PAWL_OK;
}

pawl_status mjcf_list(mjcf_reader *r, const xmlNode *node, mjcf_children *out)
{
    *out = (mjcf_children){0};
    PAWL_TRY(mjcf_collect(r, node, out));
    out->nodes = xml_alloc(r->xml, ((size_t)out->count + 1) * sizeof *out->nodes);
    if (out->nodes == NULL) {
        return PAWL_NO_MEMORY;
    }
    out->count = 0;
    return mjcf_collect(r, node, out);
}

// --- <compiler> ----------------------------------------------------------------------------------

static pawl_status mjcf_compiler_euler(mjcf_reader *r, const xmlNode *node, mjcf_compiler *c)
{
    const char *order = xml_attribute(node, "eulerseq");
    if (order == NULL) {
        return PAWL_OK;
    }
    bool good = strlen(order) == 3;
    for (int i = 0; good && i < 3; ++i) {
        good = strchr("xyzXYZ", order[i]) != NULL;
    }
    if (!good) {
        return xml_error(r->xml, node, "eulerseq: got '%.20s', expected three of xyzXYZ", order);
    }
    memcpy(c->euler_order, order, 4);
    return PAWL_OK;
}

static pawl_status mjcf_compiler_inertia(mjcf_reader *r, const mjcf_element *e, mjcf_compiler *c)
{
    const char *text = xml_attribute(e->node, "inertiafromgeom");
    double range[2];
    int n;
    if (text != NULL) {
        int rule;
        PAWL_TRY(mjcf_tristate(r, e, "inertiafromgeom", &rule));
        c->inertia = rule < 0    ? MJCF_INERTIA_AUTO
                     : rule == 1 ? MJCF_INERTIA_FROM_GEOMS
                                 : MJCF_INERTIA_GIVEN;
    }
    PAWL_TRY(mjcf_numbers(r, e, "inertiagrouprange", range, 2, &n));
    if (n == 2) {
        c->group_low = (int)clamp_to(range[0], -1.0, 100.0);
        c->group_high = (int)clamp_to(range[1], -1.0, 100.0);
    }
    PAWL_TRY(mjcf_number(r, e, "boundmass", &c->bound_mass));
    PAWL_TRY(mjcf_number(r, e, "boundinertia", &c->bound_inertia));
    PAWL_TRY(mjcf_number(r, e, "settotalmass", &c->total_mass));
    return mjcf_flag(r, e, "balanceinertia", &c->balance);
}

static pawl_status mjcf_compiler_read(mjcf_reader *r, mjcf_spec *spec, const xmlNode *node)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@angle @autolimits @eulerseq @meshdir @assetdir @strippath @inertiafromgeom "
                    "@inertiagrouprange @boundmass @boundinertia @settotalmass @balanceinertia "
                    "@coordinate @fitaabb"},
        {XML_SILENT, "@texturedir @fusestatic @discardvisual @usethread @alignfree "
                     "@saveinertial @exactmeshinertia @convexhull lengthrange"},
        {XML_TAKEN, NULL}};
    mjcf_element e = {.node = node, .spec = spec};
    mjcf_compiler *c = &spec->compiler;
    PAWL_TRY(xml_check(r->xml, node, rules));
    const char *angle = xml_attribute(node, "angle"), *text = xml_attribute(node, "coordinate");
    if (angle != NULL && strcmp(angle, "radian") != 0 && strcmp(angle, "degree") != 0) {
        return xml_error(r->xml, node, "angle: got '%.20s', expected degree or radian", angle);
    }
    c->radian = angle != NULL ? angle[0] == 'r' : c->radian;
    if (text != NULL && strcmp(text, "local") != 0 && strcmp(text, "global") != 0) {
        return xml_error(r->xml, node, "coordinate: got '%.20s', expected local or global", text);
    }
    c->global = text != NULL ? text[0] == 'g' : c->global;
    PAWL_TRY(mjcf_flag(r, &e, "fitaabb", &c->fit_box));
    PAWL_TRY(mjcf_flag(r, &e, "autolimits", &c->auto_limits));
    PAWL_TRY(mjcf_flag(r, &e, "strippath", &c->strip_path));
    text = xml_attribute(node, "assetdir");
    c->asset_folder = text != NULL ? text : c->asset_folder;
    text = xml_attribute(node, "meshdir");
    c->mesh_folder = text != NULL ? text : c->mesh_folder;
    PAWL_TRY(mjcf_compiler_euler(r, node, c));
    return mjcf_compiler_inertia(r, &e, c);
}

// --- default classes -----------------------------------------------------------------------------

pawl_status mjcf_class_of(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *node,
                          const char *attribute, int otherwise, int *out)
{
    const char *name = xml_attribute(node, attribute);
    *out = otherwise;
    if (name == NULL || name[0] == '\0') {
        return PAWL_OK;
    }
    *out = pawl_name_table_find(&r->names, mjcf_spec_scope(spec, MJCF_CLASS), name, strlen(name));
    if (*out < 0 && strcmp(name, "main") == 0) {
        *out = 0;
    }
    if (*out < 0) {
        char hint[XML_HINT_SIZE];
        xml_nearest nearest = xml_nearest_begin(name);
        for (int i = 0; i < spec->classes.count; ++i) {
            xml_nearest_offer(&nearest, PAWL_ITEM(spec->classes, mjcf_class, i).name);
        }
        return xml_error(r->xml, node, "<%s> %s: no default class is called '%s'%s", node->name,
                         attribute, name, xml_nearest_hint(&nearest, hint));
    }
    return PAWL_OK;
}

// A <default> into class `index`; those inside it are classes of their own. xml_screen.c bounds the depth.
static pawl_status mjcf_default_read(mjcf_reader *r, mjcf_spec *spec, const xmlNode *node,
                                     int index)
{
    const xmlNode **slot =
        mjcf_push(r, &PAWL_ITEM(spec->classes, mjcf_class, index).nodes, sizeof *slot);
    if (slot == NULL) {
        return PAWL_NO_MEMORY;
    }
    *slot = node;
    mjcf_children children;
    PAWL_TRY(mjcf_list(r, node, &children));
    for (int i = 0; i < children.count; ++i) {
        const xmlNode *child = children.nodes[i];
        const char *name;
        if (!xml_is(child, "default")) {
            continue;
        }
        PAWL_TRY(xml_need_attribute(r->xml, child, "class", &name));
        int scope = mjcf_spec_scope(spec, MJCF_CLASS);
        int known = pawl_name_table_find(&r->names, scope, name, strlen(name));
        if (known < 0) {
            if (spec->classes.count >= MJCF_MAX_CLASSES) {
                return xml_error(r->xml, child, "more than %d default classes", MJCF_MAX_CLASSES);
            }
            mjcf_class *fresh = mjcf_push(r, &spec->classes, sizeof *fresh);
            if (fresh == NULL) {
                return PAWL_NO_MEMORY;
            }
            *fresh = (mjcf_class){.name = name, .parent = index};
            known = spec->classes.count - 1;
            PAWL_TRY(mjcf_enter(r, child, scope, name, known));
        }
        PAWL_TRY(mjcf_default_read(r, spec, child, known));
    }
    return PAWL_OK;
}

pawl_status mjcf_spec_open(mjcf_reader *r, const xmlNode *root, const char *prefix, mjcf_spec **out)
{
    mjcf_spec *spec = xml_alloc(r->xml, sizeof *spec);
    if (spec == NULL) {
        return PAWL_NO_MEMORY;
    }
    *spec = (mjcf_spec){.index = r->spec_count++,
                        .root = root,
                        .prefix = prefix,
                        .suffix = "",
                        .compiler = {.auto_limits = true,
                                     .euler_order = "xyz",
                                     .inertia = MJCF_INERTIA_AUTO,
                                     .group_high = 5,
                                     .total_mass = -1.0}};
    mjcf_spec **last = &r->specs;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = spec;
    *out = spec;
    mjcf_class *first = mjcf_push(r, &spec->classes, sizeof *first);
    if (first == NULL) {
        return PAWL_NO_MEMORY;
    }
    *first = (mjcf_class){.name = "main", .parent = -1};
    mjcf_children children;
    PAWL_TRY(mjcf_list(r, root, &children));
    for (int i = 0; i < children.count; ++i) {
        if (xml_is(children.nodes[i], "compiler")) {
            PAWL_TRY(mjcf_compiler_read(r, spec, children.nodes[i]));
        } else if (xml_is(children.nodes[i], "default")) {
            const char *name = xml_attribute(children.nodes[i], "class");
            if (name != NULL && i >= 0 &&
                PAWL_ITEM(spec->classes, mjcf_class, 0).nodes.count == 0) {
                PAWL_ITEM(spec->classes, mjcf_class, 0).name = name;
                PAWL_TRY(
                    mjcf_enter(r, children.nodes[i], mjcf_spec_scope(spec, MJCF_CLASS), name, 0));
            }
            PAWL_TRY(mjcf_default_read(r, spec, children.nodes[i], 0));
        }
    }
    return PAWL_OK;
}
