// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Finds files named in model files.
//
// package://NAME/rest and model://NAME/rest are searched as NAME/rest in every folder of the search path and in every
// folder above the file that contains the reference; a folder called NAME counts as the package; last, rest alone is
// tried, because packages may be renamed. A model file is treated as hostile, so the files that it names must be in a
// folder of the search path, or below the fourth folder above the file that the caller named.
#include "read/search_path.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SEARCH_MAX_FOLDERS = 256, SEARCH_CLIMB = 4, SEARCH_ABOVE = 8, SEARCH_PATH = 4096 };

typedef struct search_folders {
    int count;
    const char *folder[SEARCH_MAX_FOLDERS]; // canonical, without a slash at the end
    const char *root;                       // below which the model's own files are
} search_folders;

static const char *search_keep(xml_reader *reader, const char *text, size_t length)
{
    char *copy = xml_alloc(reader, length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy;
}

// Adds the folders of a list "a:b:c" that exist.
static pawl_status search_add_list(xml_reader *reader, search_folders *s, const char *list)
{
    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, ":");
        char path[SEARCH_PATH];
        if (length > 0 && length < sizeof path && s->count < SEARCH_MAX_FOLDERS) {
            memcpy(path, list, length);
            path[length] = '\0';
            char *real = realpath(path, NULL);
            if (real != NULL) {
                s->folder[s->count] = search_keep(reader, real, strlen(real));
                free(real);
                if (s->folder[s->count++] == NULL) {
                    return PAWL_NO_MEMORY;
                }
            }
        }
        list += length + (list[length] == ':');
    }
    return PAWL_OK;
}

// The length of the folder above, 0 for none.
static size_t search_parent(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/') {
        --length;
    }
    return length > 0 ? length - 1 : 0;
}

pawl_status search_path_begin(xml_reader *reader, const char *given, const char *model_path)
{
    static const char *const variables[] = {"SDF_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH",
                                            "ROS_PACKAGE_PATH"};
    search_folders *s = xml_alloc(reader, sizeof *s);
    if (s == NULL) {
        return PAWL_NO_MEMORY;
    }
    PAWL_TRY(search_add_list(reader, s, given));
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; ++i) {
        PAWL_TRY(search_add_list(reader, s, getenv(variables[i])));
    }
    char *real = realpath(model_path, NULL);
    if (real == NULL) {
        real = realpath(".", NULL); // a model from memory
        char *inside = real != NULL ? malloc(strlen(real) + 3) : NULL;
        if (inside != NULL) {
            sprintf(inside, "%s/m", real);
        }
        free(real);
        real = inside;
    }
    if (real == NULL) {
        return PAWL_FAIL(reader->env, PAWL_NO_MEMORY, "no memory for the search path");
    }
    size_t length = search_parent(real, strlen(real));
    for (int i = 0; i < SEARCH_CLIMB && search_parent(real, length) > 0; ++i) {
        length = search_parent(real, length);
    }
    s->root = search_keep(reader, real, length);
    free(real);
    reader->search = s;
    return s->root != NULL ? PAWL_OK : PAWL_NO_MEMORY;
}

static bool search_below(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    return strncmp(folder, path, length) == 0 && (path[length] == '/' || length == 0);
}

static bool search_allows(const search_folders *s, const char *real)
{
    bool allowed = s->root[0] != '\0' && search_below(s->root, real);
    for (int i = 0; i < s->count && !allowed; ++i) {
        allowed = search_below(s->folder[i], real);
    }
    return allowed;
}

bool search_path_allows(const xml_reader *reader, const char *path)
{
    char *real = reader->search != NULL ? realpath(path, NULL) : NULL;
    bool allowed = real != NULL && search_allows(reader->search, real);
    free(real);
    return allowed;
}

typedef struct search_attempt {
    xml_reader *reader;
    const char *found;
    char *tried;
    size_t size, used;
} search_attempt;

static void search_note(search_attempt *a, const char *text, const char *why)
{
    int n = snprintf(a->tried + a->used, a->size - a->used, "%s%s%s", a->used > 0 ? ", " : "", text,
                     why);
    a->used = n > 0 && (size_t)n < a->size - a->used ? a->used + (size_t)n : a->used;
}

// One place: `folder` (length bytes) and `rest`.
static pawl_status search_at(search_attempt *a, const char *folder, size_t length, const char *rest)
{
    char path[SEARCH_PATH];
    const search_folders *s = a->reader->search;
    if (a->found != NULL || length + strlen(rest) + 2 > sizeof path) {
        return PAWL_OK;
    }
    snprintf(path, sizeof path, "%.*s%s%s", (int)length, folder, length > 0 ? "/" : "", rest);
    char *real = realpath(path, NULL);
    if (real == NULL) {
        search_note(a, path, "");
        return PAWL_OK;
    }
    bool allowed = search_allows(s, real);
    free(real);
    if (!allowed) {
        search_note(a, path, " (exists, but outside of the search path: --path allows it)");
        return PAWL_OK;
    }
    a->found = search_keep(a->reader, path, strlen(path));
    return a->found != NULL ? PAWL_OK : PAWL_NO_MEMORY;
}

// Whether the last part of a folder is the first part of `name`, up to its slash.
static bool search_is_called(const char *folder, size_t length, const char *name)
{
    size_t from = search_parent(folder, length), n = strcspn(name, "/");
    from += from > 0 || folder[0] == '/' ? 1 : 0;
    return length - from == n && memcmp(folder + from, name, n) == 0;
}

// NAME/rest in the folder, or rest in the folder called NAME.
static pawl_status search_package_at(search_attempt *a, const char *folder, size_t length,
                                     const char *name)
{
    const char *rest = strchr(name, '/');
    char models[SEARCH_PATH];
    PAWL_TRY(search_at(a, folder, length, name));
    snprintf(models, sizeof models, "models/%s", name); // worlds/a.sdf beside models/NAME
    PAWL_TRY(search_at(a, folder, length, models));
    return rest != NULL && search_is_called(folder, length, name)
               ? search_at(a, folder, length, rest + 1)
               : PAWL_OK;
}

static pawl_status search_package(search_attempt *a, const char *file, const char *name)
{
    const search_folders *s = a->reader->search;
    for (int i = 0; i < s->count; ++i) {
        PAWL_TRY(search_package_at(a, s->folder[i], strlen(s->folder[i]), name));
    }
    char *real = realpath(file, NULL);
    if (real == NULL) {
        return search_at(a, "", 0, name);
    }
    pawl_status status = PAWL_OK;
    size_t used = a->used;
    size_t length = search_parent(real, strlen(real));
    for (int i = 0; i < SEARCH_ABOVE && length > 0 && status == PAWL_OK; ++i) {
        status = search_package_at(a, real, length, name);
        length = search_parent(real, length);
    }
    const char *rest = strchr(name, '/');
    length = search_parent(real, strlen(real));
    for (int i = 0; i < SEARCH_CLIMB && length > 0 && status == PAWL_OK && rest != NULL; ++i) {
        status = search_at(a, real, length, rest + 1);
        length = search_parent(real, length);
    }
    if (a->found == NULL && a->used > used) { // one place for all of them reads better
        char text[SEARCH_PATH];
        a->used = used;
        a->tried[used] = '\0';
        snprintf(text, sizeof text, "%.*s and the folders above it",
                 (int)search_parent(real, strlen(real)), real);
        search_note(a, text, "");
    }
    free(real);
    return status;
}

pawl_status search_path_find(xml_reader *reader, const xmlNode *where, const char *folder,
                             const char *uri, const char **path, char *tried, size_t size)
{
    const xml_file *file = where->doc->_private;
    const search_folders *s = reader->search;
    search_attempt a = {.reader = reader, .tried = tried, .size = size};
    tried[0] = '\0';
    *path = NULL;
    if (strncmp(uri, "package://", 10) == 0 || strncmp(uri, "model://", 8) == 0) {
        const char *name = strstr(uri, "://") + 3;
        name += strspn(name, "/"); // package:///NAME/rest
        PAWL_TRY(search_package(&a, file->path, name));
        *path = a.found;
        return PAWL_OK;
    }
    uri += strncmp(uri, "file://", 7) == 0 ? 7 : 0;
    if (strstr(uri, "://") != NULL) {
        search_note(&a, uri, " (nothing is fetched from a network)");
        return PAWL_OK;
    }
    if (uri[0] == '/') {
        PAWL_TRY(search_at(&a, "", 0, uri));
    } else {
        size_t own = search_parent(file->path, strlen(file->path));
        bool top = own == 0 && file->path[0] == '/';
        if (folder != NULL && folder[0] != '\0') {
            char joined[SEARCH_PATH];
            snprintf(joined, sizeof joined, "%s/%s", folder, uri);
            PAWL_TRY(search_at(&a, folder[0] == '/' ? "" : file->path, folder[0] == '/' ? 0 : own,
                               joined));
        }
        PAWL_TRY(search_at(&a, top ? "/" : file->path, own, uri));
        for (int i = 0; i < s->count; ++i) {
            PAWL_TRY(search_at(&a, s->folder[i], strlen(s->folder[i]), uri));
        }
    }
    *path = a.found;
    return PAWL_OK;
}

// Packages are renamed and folders moved, so the folders of a URI are often wrong although the file is near: the
// longest end of the URI that is found in the folder of the model file, up to four folders above it, or in a folder
// meshes there.
pawl_status search_path_nearby(xml_reader *reader, const xmlNode *where, const char *uri,
                               const char **path)
{
    const xml_file *file = where->doc->_private;
    char unused[1], meshes[SEARCH_PATH], *real = realpath(file->path, NULL);
    search_attempt a = {.reader = reader, .tried = unused, .size = sizeof unused};
    pawl_status status = PAWL_OK;
    const char *scheme = strstr(uri, "://");
    for (const char *end = scheme != NULL ? scheme + 3 : uri; real != NULL && end != NULL;) {
        end += strspn(end, "/");
        bool climbs = strncmp(end, "../", 3) == 0 || strncmp(end, "./", 2) == 0;
        size_t length = search_parent(real, strlen(real));
        for (int i = 0; i <= SEARCH_CLIMB && length > 0 && status == PAWL_OK && !climbs; ++i) {
            status = search_at(&a, real, length, end);
            snprintf(meshes, sizeof meshes, "meshes/%s", end);
            status = status == PAWL_OK ? search_at(&a, real, length, meshes) : status;
            length = search_parent(real, length);
        }
        end = a.found == NULL ? strchr(end, '/') : NULL;
    }
    free(real);
    *path = a.found;
    return status;
}
