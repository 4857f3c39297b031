// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Opens and parses model files, after a screening (xml_screen.c), keeps their memory, and writes the
// messages.
//
// libxml2 itself takes its memory from the C library, because its allocator is a global and a
// library must not set globals; all other memory here comes from pawl_env.
#include "read/xml_reader.h"
#include "read/xml_mend.h"
#include "read/xml_screen.h"
#include <errno.h>
#include <libxml/parser.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { XML_READER_BLOCK = 32 * 1024, XML_READER_CHUNK = 64 * 1024, XML_READER_MESSAGE = 1024 };

typedef struct xml_block {
    struct xml_block *next;
    size_t size, used; // bytes, header included
} xml_block;

// libxml2's globals are made by the first call that needs them, and two threads could make them at once.
static void xml_reader_prepare(void)
{
    xmlInitParser();
}

void xml_reader_begin(xml_reader *reader, const pawl_env *env, bool lenient)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, xml_reader_prepare);
    *reader = (xml_reader){.env = env,
                           .lenient = lenient,
                           .bytes_left = XML_MAX_BYTES,
                           .elements_left = XML_MAX_ELEMENTS,
                           .files_left = XML_MAX_FILES};
}

void xml_reader_end(xml_reader *reader)
{
    for (xml_file *file = reader->files; file != NULL; file = file->next) {
        xmlFreeDoc(file->doc);
    }
    while (reader->blocks != NULL) {
        xml_block *block = reader->blocks;
        reader->blocks = block->next;
        pawl_free(reader->env, block, block->size);
    }
    *reader = (xml_reader){0};
}

static void *xml_alloc_for(void *reader, size_t size)
{
    return xml_alloc(reader, size);
}

pawl_status xml_add_name(xml_reader *reader, name_table *table, int scope, const char *name,
                         int index)
{
    return pawl_name_table_add(table, xml_alloc_for, reader, scope, name, index) ? PAWL_OK
                                                                                 : PAWL_NO_MEMORY;
}

pawl_status xml_note_effort(xml_reader *reader, pawl_joint_id joint, double effort)
{
    xml_effort *note = xml_alloc(reader, sizeof *note);
    if (note == NULL) {
        return PAWL_NO_MEMORY;
    }
    *note = (xml_effort){reader->efforts, joint, effort};
    reader->efforts = note;
    return PAWL_OK;
}

void *xml_alloc(xml_reader *reader, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    const size_t header = (sizeof(xml_block) + align - 1) / align * align;
    if (size > SIZE_MAX / 2) {
        size = SIZE_MAX / 2; // no environment has that much: refused below
    }
    size = (size + align - 1) / align * align;
    xml_block *block = reader->blocks;
    if (block == NULL || block->size - block->used < size) {
        size_t want = header + (size > XML_READER_BLOCK / 4 ? size : XML_READER_BLOCK);
        xml_block *fresh = pawl_alloc(reader->env, want);
        if (fresh == NULL) {
            pawl_log(reader->env, PAWL_LOG_ERROR, "the model reader needs %zu more bytes", want);
            return NULL;
        }
        fresh->size = want;
        fresh->used = header;
        if (block != NULL && size > XML_READER_BLOCK / 4) {
            // A large piece has a block of its own; the current one keeps its free room.
            fresh->next = block->next;
            block->next = fresh;
        } else {
            fresh->next = block;
            reader->blocks = fresh;
        }
        block = fresh;
    }
    void *piece = (char *)block + block->used;
    block->used += size;
    return piece;
}

const char *xml_join(xml_reader *reader, const char *prefix, const char *text)
{
    size_t a = strlen(prefix), b = strlen(text), gap = a > 0 ? 2 : 0;
    char *joined = xml_alloc(reader, a + gap + b + 1);
    if (joined == NULL) {
        return NULL;
    }
    memcpy(joined, prefix, a);
    memcpy(joined + a, "::", gap);
    memcpy(joined + a + gap, text, b + 1);
    return joined;
}

// --- messages ------------------------------------------------------------------------------------

// Names in messages come from the file: line feeds and other control characters would break the
// log's promise of one line, or the terminal.
static void xml_reader_tame(char *text)
{
    for (char *c = text; *c != '\0'; ++c) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = ' ';
        }
    }
}

static void xml_reader_say(const xml_reader *reader, pawl_log_level level, const xml_file *file,
                           long line, const char *message)
{
    char text[XML_READER_MESSAGE];
    snprintf(text, sizeof text, "%s", message);
    xml_reader_tame(text);
    const char *path = file != NULL ? file->path : "model";
    if (line > 0) {
        pawl_log(reader->env, level, "%s:%ld: %s", path, line, text);
    } else {
        pawl_log(reader->env, level, "%s: %s", path, text);
    }
}

static void xml_reader_say_list(const xml_reader *reader, pawl_log_level level, const xmlNode *node,
                                const char *format, va_list list)
{
    char message[XML_READER_MESSAGE];
    vsnprintf(message, sizeof message, format, list);
    xml_reader_say(reader, level, node != NULL ? node->doc->_private : reader->files,
                   node != NULL ? xmlGetLineNo(node) : 0, message);
}

pawl_status xml_error(const xml_reader *reader, const xmlNode *node, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    xml_reader_say_list(reader, PAWL_LOG_ERROR, node, format, list);
    va_end(list);
    return PAWL_BAD_FILE;
}

void xml_log(const xml_reader *reader, pawl_log_level level, const xmlNode *node,
             const char *format, ...)
{
    va_list list;
    va_start(list, format);
    xml_reader_say_list(reader, level, node, format, list);
    va_end(list);
}

pawl_status xml_warn(xml_reader *reader, pawl_warning_kind kind, const xmlNode *node,
                     const char *what, const char *name, const char *advice, const char *format,
                     ...)
{
    char where[XML_READER_MESSAGE], text[XML_READER_MESSAGE];
    const xml_file *file = node->doc->_private;
    snprintf(where, sizeof where, "%s:%ld: %s '%s'", file->path, xmlGetLineNo(node), what, name);
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    xml_reader_tame(where);
    xml_reader_tame(text);
    xml_warning *warning = xml_alloc(reader, sizeof *warning);
    if (warning == NULL) {
        return PAWL_NO_MEMORY;
    }
    *warning = (xml_warning){.warning = {.kind = kind,
                                         .where = xml_join(reader, "", where),
                                         .text = xml_join(reader, "", text),
                                         .advice = advice}};
    if (warning->warning.where == NULL || warning->warning.text == NULL) {
        return PAWL_NO_MEMORY;
    }
    if (reader->last_warning == NULL) {
        reader->warnings = warning;
    } else {
        reader->last_warning->next = warning;
    }
    reader->last_warning = warning;
    return PAWL_OK;
}

pawl_status xml_warn_turns(xml_reader *reader, const xmlNode *node, const double angle[3],
                           const char *advice)
{
    static const double turn = 6.2832; // 2 pi as people write it
    const double *largest = &angle[0];
    for (int i = 1; i < 3; ++i) {
        largest = fabs(angle[i]) > fabs(*largest) ? &angle[i] : largest;
    }
    if (fabs(*largest) <= turn) {
        return PAWL_OK;
    }
    const xmlNode *owner = node->parent != NULL ? node->parent : node;
    const char *name = xml_attribute(owner, "name");
    return xml_warn(reader, PAWL_WARNING_DEGREES, node, (const char *)owner->name,
                    name != NULL ? name : "", advice,
                    "an angle of %g rad is %.3g turns and looks like degrees", *largest,
                    fabs(*largest) / turn);
}

pawl_status xml_unsupported(const xml_reader *reader, const xmlNode *node, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    xml_reader_say_list(reader, reader->lenient ? PAWL_LOG_WARNING : PAWL_LOG_ERROR, node, format,
                        list);
    va_end(list);
    return reader->lenient ? PAWL_OK : PAWL_UNSUPPORTED;
}

pawl_status xml_leave_out_shape(xml_reader *reader, const xmlNode *shape, bool visual,
                                const char *supported)
{
    if (!visual && !reader->lenient) {
        return xml_unsupported(reader, shape,
                               "collision shape <%s> is not supported: %s are; --lenient leaves it "
                               "out, and then nothing touches it",
                               shape->name, supported);
    }
    struct xml_left_out *left = visual ? &reader->visual_left_out : &reader->collision_left_out;
    left->first = left->count++ == 0 ? shape : left->first;
    return PAWL_OK;
}

void xml_report_left_out(const xml_reader *reader)
{
    const struct xml_left_out *c = &reader->collision_left_out, *v = &reader->visual_left_out;
    if (c->count > 0) {
        xml_log(reader, PAWL_LOG_WARNING, c->first,
                "%d collision shape%s not supported and left out, this <%s> %s: nothing touches %s",
                c->count, c->count == 1 ? " is" : "s are", c->first->name,
                c->count == 1 ? "alone" : "first", c->count == 1 ? "it" : "them");
    }
    if (v->count > 0) {
        xml_log(reader, PAWL_LOG_NOTE, v->first,
                "%d visual shape%s not drawn, this <%s> %s; the motion is the same", v->count,
                v->count == 1 ? " is" : "s are", v->first->name, v->count == 1 ? "alone" : "first");
    }
}

pawl_status xml_refused(const xml_reader *reader, const xmlNode *node, const char *what,
                        const char *name, pawl_status status)
{
    if (status == PAWL_OK || status == PAWL_NO_MEMORY) {
        return status;
    }
    xml_error(reader, node, "%s '%s' was refused for the reason above", what, name);
    return status == PAWL_BAD_ARGUMENT ? PAWL_BAD_FILE : status;
}

// --- parsing -------------------------------------------------------------------------------------

typedef struct xml_first_error {
    bool seen;
    long line;
    char message[256];
} xml_first_error;

#if LIBXML_VERSION >= 21200
static void xml_reader_on_error(void *user, const xmlError *error)
#else
static void xml_reader_on_error(void *user, xmlErrorPtr error)
#endif
{
    xml_first_error *first = ((xmlParserCtxt *)user)->_private;
    if (first == NULL || first->seen || error == NULL || error->level != XML_ERR_FATAL) {
        return;
    }
    first->seen = true;
    first->line = error->line;
    snprintf(first->message, sizeof first->message, "%s",
             error->message != NULL ? error->message : "not well-formed");
    size_t length = strlen(first->message);
    while (length > 0 &&
           (first->message[length - 1] == '\n' || first->message[length - 1] == ' ')) {
        first->message[--length] = '\0';
    }
}

static pawl_status xml_reader_parse(xml_reader *reader, xml_file *file, const char *text,
                                    size_t size)
{
    if (size > reader->bytes_left) {
        xml_reader_say(reader, PAWL_LOG_ERROR, file, 0,
                       "the files of the model hold more than 64 MiB together");
        return PAWL_BAD_FILE;
    }
    reader->bytes_left -= size;
    bool blank = true;
    for (size_t i = 0; i < size && blank; ++i) {
        blank = text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n';
    }
    if (blank) {
        xml_reader_say(reader, PAWL_LOG_ERROR, file, 0,
                       "the file is empty, expected <sdf>, <robot> or <mujoco>");
        return PAWL_BAD_FILE;
    }
    while (size > 0 && text[size - 1] == '\0') {
        --size; // padding behind the text
    }
    xml_screen screen = {.at = text, .end = text + size, .line = 1};
    const char *zero = memchr(text, '\0', size);
    if (zero != NULL) {
        for (; screen.at < zero; ++screen.at) {
            screen.line += *screen.at == '\n';
        }
        screen.complaint = size >= 4 && memcmp(text, "\x89HDF", 4) == 0
                               ? "this is an HDF5 file (a recording?), a model file is UTF-8 text"
                               : "got a zero byte: a model file is UTF-8 text";
    }
    xml_screen_run(&screen, reader->elements_left);
    if (screen.complaint != NULL) {
        xml_reader_say(reader, PAWL_LOG_ERROR, file, screen.line, screen.complaint);
        return PAWL_BAD_FILE;
    }
    reader->elements_left -= screen.elements;

    char *mended = NULL;
    if (xml_mend(text, size, NULL)) {
        mended = xml_alloc(reader, size);
        if (mended == NULL) {
            return PAWL_NO_MEMORY;
        }
        memcpy(mended, text, size);
        xml_mend(text, size, mended);
        text = mended;
        xml_reader_say(reader, PAWL_LOG_NOTE, file, 0,
                       "an XML declaration not at the beginning or of an unknown version, or -- in "
                       "a comment, is "
                       "passed over");
    }
    xmlParserCtxt *context = xmlNewParserCtxt();
    if (context == NULL) {
        return PAWL_FAIL(reader->env, PAWL_NO_MEMORY, "%s: libxml2 has no memory", file->path);
    }
    xml_first_error first = {0};
    context->_private = &first;
    context->sax->serror = xml_reader_on_error;
    // The encoding is fixed, because a declared one could turn harmless bytes into other markup
    // than was screened. No XML_PARSE_NOENT, _DTDLOAD, _XINCLUDE. XML_PARSE_HUGE lets elements nest deeper than
    // 256 (a chain of bodies in MJCF nests as deep as it is long); the screen bounded size, depth and number.
    file->doc = xmlCtxtReadMemory(context, text, (int)size, NULL, "UTF-8",
                                  XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                      XML_PARSE_BIG_LINES | XML_PARSE_HUGE);
    bool no_memory = context->errNo == XML_ERR_NO_MEMORY;
    xmlFreeParserCtxt(context);
    if (file->doc == NULL) {
        if (no_memory) {
            return PAWL_FAIL(reader->env, PAWL_NO_MEMORY, "%s: libxml2 has no memory", file->path);
        }
        char message[320];
        snprintf(message, sizeof message, "not well-formed XML: %s",
                 first.seen ? first.message : "no root element");
        xml_reader_say(reader, PAWL_LOG_ERROR, file, first.line, message);
        return PAWL_BAD_FILE;
    }
    file->doc->_private = file;
    if (xmlDocGetRootElement(file->doc) == NULL) {
        xml_reader_say(reader, PAWL_LOG_ERROR, file, 1,
                       "no root element, expected <sdf>, <robot> or <mujoco>");
        return PAWL_BAD_FILE;
    }
    return PAWL_OK;
}

static xml_file *xml_reader_new_file(xml_reader *reader, const char *path)
{
    xml_file *file = xml_alloc(reader, sizeof *file);
    const char *copy = xml_join(reader, "", path);
    if (file == NULL || copy == NULL) {
        return NULL;
    }
    file->path = copy;
    file->next = reader->files;
    reader->files = file;
    return file;
}

pawl_status xml_file_parse(xml_reader *reader, const char *name, const char *text, size_t size,
                           xml_file **out)
{
    *out = NULL;
    xml_file *file = xml_reader_new_file(reader, name);
    if (file == NULL) {
        return PAWL_NO_MEMORY;
    }
    PAWL_TRY(xml_reader_parse(reader, file, text, size));
    *out = file;
    return PAWL_OK;
}

// --- files ---------------------------------------------------------------------------------------

// Blames the include that asked for the file, or the file itself when nothing included it.
static pawl_status xml_reader_cannot(const xml_reader *reader, const char *path,
                                     const xmlNode *from, const char *why)
{
    if (from != NULL) {
        return xml_error(reader, from, "cannot include '%s': %s", path, why);
    }
    return PAWL_FAIL(reader->env, PAWL_BAD_FILE, "%s: %s", path, why);
}

typedef struct xml_bytes {
    char *data;
    size_t size, capacity;
} xml_bytes;

// Reads to the end, but never more than one byte beyond the limit. The size is not trusted: a pipe
// has none, and a file may grow meanwhile.
static pawl_status xml_reader_slurp(const xml_reader *reader, FILE *stream, size_t expected,
                                    xml_bytes *bytes)
{
    const size_t most = XML_MAX_BYTES + 1;
    size_t want = expected + 1 < most ? expected + 1 : most;
    for (;;) {
        if (bytes->size == bytes->capacity) {
            char *data = reader->env->resize(reader->env->user, bytes->data, bytes->capacity, want);
            if (data == NULL) {
                return PAWL_FAIL(reader->env, PAWL_NO_MEMORY, "reading needs %zu bytes", want);
            }
            bytes->data = data;
            bytes->capacity = want;
            want = 2 * want < most ? 2 * want : most;
        }
        size_t got = fread(bytes->data + bytes->size, 1, bytes->capacity - bytes->size, stream);
        bytes->size += got;
        if (got == 0 || bytes->size == most) {
            return PAWL_OK;
        }
    }
}

static pawl_status xml_reader_load(xml_reader *reader, const char *path, const xmlNode *from,
                                   xml_file *file)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return xml_reader_cannot(reader, path, from, strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return xml_reader_cannot(reader, path, from, "this is a folder, expected a model file");
    }
    bool regular = S_ISREG(info.st_mode);
    if (!regular && from != NULL) {
        return xml_reader_cannot(reader, path, from, "not a regular file");
    }
    if (regular && info.st_size > (off_t)XML_MAX_BYTES) {
        char why[128];
        snprintf(why, sizeof why, "%lld bytes is too large: a model file has at most 64 MiB",
                 (long long)info.st_size);
        return xml_reader_cannot(reader, path, from, why);
    }
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return xml_reader_cannot(reader, path, from, strerror(errno));
    }
    xml_bytes bytes = {0};
    pawl_status status =
        xml_reader_slurp(reader, stream, regular ? (size_t)info.st_size : XML_READER_CHUNK, &bytes);
    if (status == PAWL_OK && ferror(stream)) {
        status = xml_reader_cannot(reader, path, from, "the operating system failed to read it");
    } else if (status == PAWL_OK && bytes.size > XML_MAX_BYTES) {
        status =
            xml_reader_cannot(reader, path, from, "too large: a model file has at most 64 MiB");
    }
    fclose(stream);
    if (status == PAWL_OK) {
        status = xml_reader_parse(reader, file, bytes.data, bytes.size);
    }
    pawl_free(reader->env, bytes.data, bytes.capacity);
    return status;
}

static pawl_status xml_reader_check_cycle(const xml_reader *reader, const xml_file *file,
                                          const xmlNode *from)
{
    for (const xml_file *f = file->includer; f != NULL; f = f->includer) {
        if (f->real_path == NULL || strcmp(f->real_path, file->real_path) != 0) {
            continue;
        }
        // The chain from the file met again down to the include that closes the cycle.
        char chain[512] = "";
        size_t used = sizeof chain - 1; // written from the end, because the list runs backwards
        chain[used] = '\0';
        for (const xml_file *g = file;; g = g->includer) {
            const char *arrow = g == file ? "" : " -> ";
            size_t need = strlen(g->path) + strlen(arrow);
            if (need + 4 > used) {
                memcpy(&chain[used -= 3], "...", 3);
                break;
            }
            memcpy(&chain[used -= strlen(arrow)], arrow, strlen(arrow));
            memcpy(&chain[used -= strlen(g->path)], g->path, strlen(g->path));
            if (g == f) {
                break;
            }
        }
        return xml_error(reader, from, "files include each other in a cycle: %s", &chain[used]);
    }
    return PAWL_OK;
}

// The file of a model's folder: model.sdf, or the last that its model.config lists. A name with a slash is passed over.
static const char *xml_reader_in_folder(xml_reader *reader, const char *folder)
{
    char text[4096], name[128] = "model.sdf";
    size_t room = strlen(folder) + sizeof name + 16;
    char *path = xml_alloc(reader, room);
    struct stat info;
    if (path == NULL) {
        return NULL;
    }
    snprintf(path, room, "%s/model.config", folder);
    FILE *config = fopen(path, "rb");
    snprintf(path, room, "%s/%s", folder, name);
    if (config == NULL) {
        return path;
    }
    size_t size = fread(text, 1, sizeof text - 1, config);
    fclose(config);
    text[size] = '\0';
    const char *at = stat(path, &info) != 0 ? text : "";
    while ((at = strstr(at, "<sdf")) != NULL) {
        at += strcspn(at, ">");
        at += *at == '>';
        at += strspn(at, " \t\r\n");
        size_t length = strcspn(at, "< \t\r\n");
        if (length > 0 && length < sizeof name && memchr(at, '/', length) == NULL) {
            memcpy(name, at, length);
            name[length] = '\0';
        }
    }
    snprintf(path, room, "%s/%s", folder, name);
    return path;
}

pawl_status xml_file_open(xml_reader *reader, const char *path, const xmlNode *from, xml_file **out)
{
    *out = NULL;
    if (path[0] == '\0') {
        return xml_reader_cannot(reader, path, from, "no file name given");
    }
    struct stat info;
    if (from != NULL && stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        path = xml_reader_in_folder(reader, path); // a model's folder, as SDFormat lays it out
        if (path == NULL) {
            return PAWL_NO_MEMORY;
        }
    }
    if (reader->files_left-- <= 0) {
        return xml_reader_cannot(reader, path, from, "a model includes at most 1000 files");
    }
    xml_file *file = xml_reader_new_file(reader, path);
    if (file == NULL) {
        return PAWL_NO_MEMORY;
    }
    char *real = realpath(path, NULL); // NULL for a missing file: stat() will say so
    if (real != NULL) {
        file->real_path = xml_join(reader, "", real);
        free(real);
        if (file->real_path == NULL) {
            return PAWL_NO_MEMORY;
        }
    }
    if (from != NULL) {
        file->includer = from->doc->_private;
        file->depth = file->includer->depth + 1;
        if (file->real_path != NULL) {
            PAWL_TRY(xml_reader_check_cycle(reader, file, from));
        }
        if (file->depth > XML_MAX_INCLUDE_DEPTH) {
            return xml_error(reader, from, "includes are nested more than 16 deep at '%s'", path);
        }
    }
    PAWL_TRY(xml_reader_load(reader, path, from, file));
    *out = file;
    return PAWL_OK;
}
