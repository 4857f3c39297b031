// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Checks of output files: a long run must not end with "no such folder", nor overwrite its own model.
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The folder part of a path, without its last slash; "." when there is none. To be freed.
static char *output_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return strdup(".");
    }
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

bool output_check(console *con, const char *option, const char *path)
{
    struct stat info;
    if (path == NULL || strcmp(path, "-") == 0) {
        return true;
    }
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode)) {
            console_error(con, "%s '%s' is a folder, expected a file name", option, path);
            return false;
        }
        if (access(path, W_OK) != 0) {
            console_error(con, "%s '%s' cannot be written: %s", option, path, strerror(errno));
            return false;
        }
        if (!S_ISREG(info.st_mode)) {
            return true;
        }
    }
    char *folder = output_folder(path);
    if (folder == NULL) {
        console_error(con, "out of memory");
        return false;
    }
    bool fine = false;
    if (stat(folder, &info) != 0) {
        console_error(con, "%s '%s': the folder '%s' does not exist", option, path, folder);
    } else if (!S_ISDIR(info.st_mode)) {
        console_error(con, "%s '%s': '%s' is not a folder", option, path, folder);
    } else if (access(folder, W_OK | X_OK) != 0) {
        console_error(con, "%s '%s': the folder '%s' cannot be written: %s", option, path, folder,
                      strerror(errno));
    } else if (path[strlen(path) - 1] == '/') {
        console_error(con, "%s '%s' is a folder, expected a file name", option, path);
    } else {
        fine = true;
    }
    free(folder);
    return fine;
}

bool output_same_file(const char *a, const char *b)
{
    struct stat at_a, at_b;
    bool has_a = stat(a, &at_a) == 0;
    bool has_b = stat(b, &at_b) == 0;
    if (has_a && has_b) {
        return at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino && S_ISREG(at_a.st_mode);
    }
    if (has_a != has_b) {
        return false;
    }
    // Neither exists: one file if the folders are one and the last parts are equal.
    const char *slash_a = strrchr(a, '/');
    const char *slash_b = strrchr(b, '/');
    if (strcmp(slash_a != NULL ? slash_a + 1 : a, slash_b != NULL ? slash_b + 1 : b) != 0) {
        return false;
    }
    char *folder_a = output_folder(a);
    char *folder_b = output_folder(b);
    bool same = folder_a != NULL && folder_b != NULL && stat(folder_a, &at_a) == 0 &&
                stat(folder_b, &at_b) == 0 && at_a.st_dev == at_b.st_dev &&
                at_a.st_ino == at_b.st_ino;
    free(folder_a);
    free(folder_b);
    return same;
}

bool output_spares(console *con, const char *option, const char *path, const char *called,
                   const char *other)
{
    if (path == NULL || other == NULL || !output_same_file(path, other)) {
        return true;
    }
    console_error(con, "%s '%s' would overwrite the %s", option, path, called);
    return false;
}

FILE *output_text(const char *json_path)
{
    return json_path != NULL && strcmp(json_path, "-") == 0 ? stderr : stdout;
}
