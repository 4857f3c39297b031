// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Files of contact problems in a folder, by name, so that tables have the same order everywhere.
#include "solve_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void solve_files_free(solve_files *files)
{
    for (int i = 0; i < files->count; ++i) {
        free(files->paths[i]);
    }
    free(files->paths);
}

static bool solve_files_add(solve_files *files, const char *folder, const char *name)
{
    size_t size = strlen(name) + (folder != NULL ? strlen(folder) + 1 : 0) + 1;
    char *path = malloc(size);
    char **paths = realloc(files->paths, (size_t)(files->count + 1) * sizeof *paths);
    files->paths = paths != NULL ? paths : files->paths;
    if (path == NULL || paths == NULL) {
        free(path);
        return false;
    }
    const char *slash = folder != NULL && folder[strlen(folder) - 1] != '/' ? "/" : "";
    snprintf(path, size, "%s%s%s", folder != NULL ? folder : "", slash, name);
    paths[files->count++] = path;
    return true;
}

static int solve_files_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool solve_files_is_problem(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && name[0] != '.' && (strcmp(dot, ".hdf5") == 0 || strcmp(dot, ".h5") == 0);
}

bool solve_files_list(console *con, const char *path, solve_files *files)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        console_error(con, "cannot open '%s': %s", path, strerror(errno));
        return false;
    }
    bool done = true;
    if (!S_ISDIR(info.st_mode)) {
        done = solve_files_add(files, NULL, path);
    } else {
        DIR *folder = opendir(path);
        if (folder == NULL) {
            console_error(con, "cannot open folder '%s': %s", path, strerror(errno));
            return false;
        }
        for (struct dirent *entry; done && (entry = readdir(folder)) != NULL;) {
            done = !solve_files_is_problem(entry->d_name) ||
                   solve_files_add(files, path, entry->d_name);
        }
        closedir(folder);
    }
    if (!done) {
        console_error(con, "out of memory");
        return false;
    }
    if (files->count == 0) {
        console_error(con, "'%s' has no file that ends in .hdf5 or .h5", path);
        return false;
    }
    qsort(files->paths, (size_t)files->count, sizeof *files->paths, solve_files_compare);
    return true;
}
