// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The models that come with pawl. They are found relative to the command, so that no path of the build machine is
// compiled in and the installed folder can be moved.
#include "models_folder.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"

#if !defined(PAWL_MODELS_FROM_BUILD)
#define PAWL_MODELS_FROM_BUILD "../models" // from build/
#endif

char *models_folder(void)
{
    // Where they are installed or, of a command that was only built, in the source tree.
    static const char *const beside[] = {"/../share/pawl/models", "/" PAWL_MODELS_FROM_BUILD};
    char *command = realpath("/proc/self/exe", NULL);
    char *slash = command != NULL ? strrchr(command, '/') : NULL;
    char *folder = NULL;
    for (size_t i = 0; slash != NULL && folder == NULL && i < sizeof beside / sizeof *beside; ++i) {
        size_t size = (size_t)(slash - command) + strlen(beside[i]) + 1;
        char *path = malloc(size);
        if (path != NULL) {
            snprintf(path, size, "%.*s%s", (int)(slash - command), command, beside[i]);
            folder = realpath(path, NULL);
        }
        free(path);
    }
    free(command);
    return folder;
}

// The list under way. nftw has no user pointer, hence a static variable.
static models_list models_found;

static bool models_is_model(const char *path)
{
    static const char *const endings[] = {".sdf", ".urdf", ".world", ".xml"};
    const char *dot = strrchr(path, '.');
    bool is_model = false;
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof *endings; ++i) {
        is_model = is_model || strcmp(dot, endings[i]) == 0;
    }
    return is_model;
}

static int models_visit(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)place;
    if (type != FTW_F || !models_is_model(path)) {
        return 0;
    }
    char **grown =
        realloc(models_found.paths, ((size_t)models_found.count + 1) * sizeof *models_found.paths);
    if (grown == NULL) {
        return -1;
    }
    models_found.paths = grown;
    char *copy = strdup(path);
    if (copy == NULL) {
        return -1;
    }
    models_found.paths[models_found.count++] = copy;
    return 0;
}

static int models_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

models_list models_list_make(const char *folder)
{
    models_found = (models_list){0};
    models_found.complete = nftw(folder, models_visit, 16, FTW_PHYS) == 0;
    models_list list = models_found;
    models_found = (models_list){0};
    if (list.count > 0) {
        qsort(list.paths, (size_t)list.count, sizeof *list.paths, models_compare);
    }
    return list;
}

void models_list_free(models_list *list)
{
    for (int i = 0; i < list->count; ++i) {
        free(list->paths[i]);
    }
    free(list->paths);
    *list = (models_list){0};
}

static const char *models_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// The paths without folder and ending, made once.
static models_list models_names;

// Turns the k-th path into a name; one that an earlier file has keeps its folder, as in "suite/nunchuk".
static void models_shorten(int k)
{
    char *path = models_names.paths[k];
    *strrchr(path, '.') = '\0'; // models_is_model() saw it
    const char *name = models_base(path);
    for (int i = 0; i < k; ++i) {
        if (strcmp(models_names.paths[i], name) == 0) {
            do {
                --name;
            } while (name > path && name[-1] != '/');
            break;
        }
    }
    memmove(path, name, strlen(name) + 1);
}

static void models_release_names(void)
{
    models_list_free(&models_names);
}

const char *models_name(const void *user, int i)
{
    (void)user;
    static bool made;
    if (!made) {
        made = true;
        char *folder = models_folder();
        if (folder != NULL) {
            models_names = models_list_make(folder);
            (void)atexit(models_release_names);
        }
        free(folder);
        for (int k = 0; k < models_names.count; ++k) {
            models_shorten(k);
        }
    }
    return i < models_names.count ? models_names.paths[i] : NULL;
}

// Whether `word` means the model at `path`: the end of the path, whole names, with or without ending.
static bool models_matches(const char *path, const char *word)
{
    size_t whole = strlen(path), length = strlen(word);
    size_t bare = (size_t)(strrchr(path, '.') - path);
    size_t ends[] = {whole, bare};
    for (int i = 0; i < 2; ++i) {
        if (length > 0 && length < ends[i] && path[ends[i] - length - 1] == '/' &&
            strncmp(path + ends[i] - length, word, length) == 0) {
            return true;
        }
    }
    return false;
}

char *models_find(console *con, const char *word)
{
    char *folder = access(word, F_OK) != 0 ? models_folder() : NULL;
    char *found = NULL;
    if (folder != NULL) {
        models_list list = models_list_make(folder);
        const char *match = NULL;
        for (int i = 0; i < list.count; ++i) {
            if (!models_matches(list.paths[i], word)) {
                continue;
            }
            if (match == NULL) {
                match = list.paths[i];
            } else {
                console_note(con, "'%s' is taken for %s; there is also %s", word,
                             match + strlen(folder) + 1, list.paths[i] + strlen(folder) + 1);
            }
        }
        if (match != NULL) {
            found = strdup(match);
        }
        models_list_free(&list);
        free(folder);
    }
    if (found == NULL && access(word, F_OK) != 0 && strchr(word, '/') == NULL) {
        char hint[160];
        if (args_suggest(word, models_name, NULL, hint, sizeof hint)[0] != '\0') {
            console_error(con, "there is no file and no model '%s'%s", word, hint);
            fprintf(stderr, "'pawl list models' shows those that come with pawl.\n");
            return NULL;
        }
    }
    if (found == NULL) {
        found = strdup(word);
    }
    if (found == NULL) {
        console_error(con, "out of memory");
    }
    return found;
}
