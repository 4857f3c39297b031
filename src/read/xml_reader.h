// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The layer between hostile bytes and the model readers: it opens, screens and parses files, and reads every number,
// name and truth value of a model file.
//
// Its guarantees to the readers above it: bounded size, depth, element and attribute counts; no DOCTYPE, hence no
// entities; no network, no XInclude; numbers that are complete and finite; every message as "file:line: got this,
// expected that". All returned data is in one arena until xml_reader_end(), so that no error path can leak.
#pragma once
#include "base/env.h"
#include "base/name_table.h"
#include "pawl/io.h"
#include <libxml/tree.h>

enum {
    XML_MAX_BYTES = 64 * 1024 * 1024, // of all files of one model together
    XML_MAX_DEPTH = 1000,             // of nested elements in one file
    XML_MAX_ELEMENTS = 1000 * 1000,   // of all files together
    XML_MAX_ATTRIBUTES = 64,          // of one element
    XML_MAX_INCLUDE_DEPTH = 16,
    XML_MAX_FILES = 1000
};

typedef struct xml_file {
    struct xml_file *next;
    const struct xml_file *includer; // NULL for the first file
    const char *path;                // as messages show it, and where includes start from
    const char *real_path;           // canonical, to tell files apart; NULL when read from memory
    int depth;                       // of includes
    xmlDoc *doc;
} xml_file;

typedef struct xml_reader {
    const pawl_env *env;
    bool lenient;
    const char *motion_path;        // of a motion file that the model plays; NULL for none
    const pawl_named_start *starts; // (start_count) of joints, given from outside
    int start_count;
    const char *start_key; // name of a keyframe to begin at; NULL for none
    bool start_found;
    pawl_ground_option ground;  // that is put under the model
    const char *search_path;    // as given, for the file of the ground
    pawl_pose place;            // by which what floats is moved
    bool fixed_base;            // roots of floating trees are held by the world
    struct xml_effort *efforts; // limits that the file has for joints
    struct xml_block *blocks;
    xml_file *files;
    size_t bytes_left;
    int elements_left, files_left;
    bool unbound_seen; // the missing xmlns:pawl was reported
    struct xml_notice *notices;
    struct xml_warning *warnings, *last_warning; // about the model, in the order of the file
    struct xml_tally *tallies, *last_tally;      // things of one kind, said once with their number
    struct search_folders *search;               // where named files are looked for (search_path.c)
    struct triangle_mesh *meshes;                // that were read (mesh_file.c)
    const struct mesh_parts *parts;              // convex parts of meshes (mesh_parts.c)
    const struct kept_hull *hulls;               // hulls of meshes (mesh_shape.c)
    bool verbose;                                // every thing of a tally has a line of its own
    bool repair_inertia;
    bool keep_fixed; // links on fixed joints are bodies of their own (urdf_tree.c, sdf_lump.c)
    pawl_mesh_contact mesh_contact;
    pawl_start_limits start_limits;
    bool mjcf_soft;       // solref and solimp of MJCF are used
    bool drawing;         // visual meshes are read
    int drawn_left;       // of the triangles that visual meshes may have together (mesh_shape.c)
    struct xml_left_out { // shapes that the model does without
        int count;
        const xmlNode *first;
    } visual_left_out, collision_left_out;
} xml_reader;

// The largest effort of a joint's first coordinate, for actuators that are not in the file.
typedef struct xml_effort {
    struct xml_effort *next;
    pawl_joint_id joint; // of the builder
    double effort;       // inf for none
} xml_effort;
pawl_status xml_note_effort(xml_reader *reader, pawl_joint_id joint, double effort);

void xml_reader_begin(xml_reader *reader, const pawl_env *env, bool lenient);
void xml_reader_end(xml_reader *reader);
// Reads and parses a file. `from` is the element that asked for it, or NULL for the first file.
pawl_status xml_file_open(xml_reader *reader, const char *path, const xmlNode *from,
                          xml_file **out);
pawl_status xml_file_parse(xml_reader *reader, const char *name, const char *text, size_t size,
                           xml_file **out);

// Zeroed memory that lives as long as the reader; NULL (and logged) when there is none left.
void *xml_alloc(xml_reader *reader, size_t size);
// Enters a name in a table that lives in the reader's memory.
pawl_status xml_add_name(xml_reader *reader, name_table *table, int scope, const char *name,
                         int index);
// `prefix` and `text` joined by "::", or `text` alone when prefix is "".
const char *xml_join(xml_reader *reader, const char *prefix, const char *text);

// One line "file:line: message"; yields PAWL_BAD_FILE.
pawl_status xml_error(const xml_reader *reader, const xmlNode *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void xml_log(const xml_reader *reader, pawl_log_level level, const xmlNode *node,
             const char *format, ...) __attribute__((format(printf, 4, 5)));
// A warning about the model, which goes with it (pawl/warning.h) instead of to the log. `what` and
// `name` are for instance "joint" and its name.
typedef struct xml_warning {
    struct xml_warning *next;
    pawl_warning warning;
} xml_warning;
pawl_status xml_warn(xml_reader *reader, pawl_warning_kind kind, const xmlNode *node,
                     const char *what, const char *name, const char *advice, const char *format,
                     ...) __attribute__((format(printf, 7, 8)));
// The same where one of three angles [rad] is more than a turn: were degrees meant?
pawl_status xml_warn_turns(xml_reader *reader, const xmlNode *node, const double angle[3],
                           const char *advice);
// Something that changes the physics and is not supported: an error (PAWL_UNSUPPORTED), or a
// warning and PAWL_OK when the reader is lenient.
pawl_status xml_unsupported(const xml_reader *reader, const xmlNode *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A shape of an unknown kind (`supported` lists the known ones). For a collision it is an error, because the body
// would fall through its ground; a lenient reader leaves it out. A visual shape is left out.
pawl_status xml_leave_out_shape(xml_reader *reader, const xmlNode *shape, bool visual,
                                const char *supported);
// How many shapes were left out, and where the first is: one line for visuals and one for collisions.
void xml_report_left_out(const xml_reader *reader);
// Counts a thing of a kind ("collision mesh is replaced by its convex hull"); `what` and `name` say of what, for
// instance "link" and its name. xml_report_tallies() has one line for each kind, with the number and the first names;
// with `verbose` everything has a line as it comes. `kind` must outlive the reader.
pawl_status xml_tally(xml_reader *reader, pawl_log_level level, const xmlNode *node,
                      const char *kind, const char *name);
void xml_report_tallies(const xml_reader *reader);
// After the builder refused something: says where in the file it came from.
pawl_status xml_refused(const xml_reader *reader, const xmlNode *node, const char *what,
                        const char *name, pawl_status status);

// Whether an element or attribute is x with the prefix pawl, *rest being x. libxml2 leaves the prefix in the
// name when no xmlns:pawl binds it; both spellings are treated alike. And whether it has the name that the
// first `length` letters of `wanted` spell.
bool xml_is_ours(const xmlNs *ns, const xmlChar *name, const char **rest);
bool xml_matches(const xmlNs *ns, const xmlChar *name, const char *wanted, size_t length);
// Elements by name; "pawl:x" is the element x with the prefix pawl, whatever URI it stands for.
bool xml_is(const xmlNode *node, const char *name);
const xmlNode *xml_first(const xmlNode *node); // child element, or NULL
const xmlNode *xml_next(const xmlNode *node);  // sibling element, or NULL
#define XML_EACH(child, node)                                                                      \
    for (const xmlNode *child = xml_first(node); child != NULL; child = xml_next(child))
// The one child of that name, NULL for none; a second one is an error.
pawl_status xml_child(xml_reader *reader, const xmlNode *node, const char *name,
                      const xmlNode **out);
pawl_status xml_need_child(xml_reader *reader, const xmlNode *node, const char *name,
                           const xmlNode **out);
const char *xml_attribute(const xmlNode *node, const char *name); // NULL for none
pawl_status xml_need_attribute(const xml_reader *reader, const xmlNode *node, const char *name,
                               const char **out);
// The text of an element that holds text alone, without blanks around it.
pawl_status xml_text(xml_reader *reader, const xmlNode *node, const char **out);
// A name: not empty, one line.
pawl_status xml_name_check(const xml_reader *reader, const xmlNode *node, const char *name);

// What a number may be, besides finite.
typedef enum xml_range {
    XML_ANY = 0,
    XML_NOT_NEGATIVE,
    XML_POSITIVE,
    XML_MAYBE_INFINITE,             // also "inf", "+inf", "-inf"
    XML_NOT_NEGATIVE_MAYBE_INFINITE // the same without "-inf"
} xml_range;
// Exactly `count` numbers from a text; `what` names it in messages.
pawl_status xml_numbers(xml_reader *reader, const xmlNode *node, const char *what, const char *text,
                        xml_range range, double *out, int count);
// Words separated by blanks.
int xml_word_count(const char *text);
// Any amount of numbers; *out lives in the arena.
pawl_status xml_number_list(xml_reader *reader, const xmlNode *node, const char *what,
                            const char *text, double **out, int *count);
pawl_status xml_bool(const xml_reader *reader, const xmlNode *node, const char *what,
                     const char *text, bool *out);
// From a child element, when there is one; *out keeps its value when there is none.
pawl_status xml_child_number(xml_reader *reader, const xmlNode *node, const char *name,
                             xml_range range, double *out);
pawl_status xml_child_vec3(xml_reader *reader, const xmlNode *node, const char *name,
                           pawl_vec3 *out);
pawl_status xml_child_bool(xml_reader *reader, const xmlNode *node, const char *name, bool *out);
// A set of bits: a whole number from 0 to `most`, decimal or with 0x before hexadecimal digits.
pawl_status xml_child_bits(xml_reader *reader, const xmlNode *node, const char *name, uint32_t most,
                           uint32_t *out);
// From an attribute, when there is one.
pawl_status xml_attribute_number(xml_reader *reader, const xmlNode *node, const char *name,
                                 xml_range range, double *out);
// Makes v a unit vector; one without a direction is an error.
pawl_status xml_unit_vector(const xml_reader *reader, const xmlNode *node, const char *what,
                            pawl_vec3 *v);

// A field of a pawl: element, which may be an attribute or a child element <pawl:name>. NULL when
// neither is there, an error when both are. *where is the element to blame in messages.
pawl_status xml_field(xml_reader *reader, const xmlNode *node, const char *name, const char **out,
                      const xmlNode **where);
pawl_status xml_field_number(xml_reader *reader, const xmlNode *node, const char *name,
                             xml_range range, double *out);
pawl_status xml_field_vec3(xml_reader *reader, const xmlNode *node, const char *name,
                           pawl_vec3 *out);
// A whole number in [0, limit).
pawl_status xml_field_index(xml_reader *reader, const xmlNode *node, const char *name, int limit,
                            int *out);

// The treatment of the children and attributes of an element. `names` is a list separated by blanks; attributes start
// with '@'. A list of rules ends with a NULL.
typedef enum xml_rule_kind {
    XML_TAKEN = 0, // the reader looks at it
    XML_SILENT,    // cannot change the motion: skipped without a word
    XML_IGNORED,   // skipped with a warning
    XML_PHYSICS    // changes the motion and is not supported
} xml_rule_kind;
typedef struct xml_rule {
    xml_rule_kind kind;
    const char *names;
} xml_rule;
// Warns of what no rule knows (once for each name); refuses unknown pawl: elements.
pawl_status xml_check(xml_reader *reader, const xmlNode *node, const xml_rule *rules);

// The candidate most like `name`, offered in turn; for "did you mean".
typedef struct xml_nearest {
    const char *name, *best;
    int distance;
} xml_nearest;
xml_nearest xml_nearest_begin(const char *name);
void xml_nearest_offer(xml_nearest *nearest, const char *candidate);
// "" or "; did you mean 'x'?", in `text` of XML_HINT_SIZE bytes.
enum { XML_HINT_SIZE = 128 };
const char *xml_nearest_hint(const xml_nearest *nearest, char *text);
