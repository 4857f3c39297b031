// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Values to JSON, and JSON to a file through a temporary one in the same folder, so that a reader that waits for the
// file never gets an incomplete one.
#include "json_out.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JSON_OUT_FLAGS = JSON_INDENT(2) | JSON_REAL_PRECISION(17) };

json_t *json_out_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_out_text(const char *text)
{
    if (text == NULL) {
        return json_null();
    }
    json_t *string = json_string(text);
    if (string == NULL) {
        char *plain = strdup(text);
        for (char *c = plain; plain != NULL && *c != '\0'; ++c) {
            *c = (unsigned char)*c < 128 ? *c : '?';
        }
        string = plain != NULL ? json_string(plain) : NULL;
        free(plain);
    }
    return string;
}

json_t *json_out_vec3(pawl_vec3 v)
{
    return json_pack("[o, o, o]", json_out_number(v.x), json_out_number(v.y), json_out_number(v.z));
}

json_t *json_out_joint_name(const pawl_model *model, pawl_joint_id joint)
{
    return pawl_joint_is_none(joint) ? json_null()
                                     : json_out_text(pawl_model_joint(model, joint).name);
}

json_t *json_out_model(const pawl_model *model, const pawl_check *check)
{
    return json_pack("{s:o, s:i, s:i, s:o, s:i, s:o}",                                    //
                     "name", json_out_text(pawl_model_name(model)),                       //
                     "bodies", pawl_model_body_count(model),                              //
                     "joints", pawl_model_joint_count(model),                             //
                     "dofs", check != NULL ? json_integer(check->mobility) : json_null(), //
                     "rows", pawl_model_row_count(model),                                 //
                     "rank", check != NULL ? json_integer(check->rank) : json_null());
}

static bool json_out_stream(json_t *root, FILE *file)
{
    return json_dumpf(root, file, JSON_OUT_FLAGS) == 0 && fputc('\n', file) != EOF &&
           fflush(file) == 0;
}

// Devices and pipes cannot be replaced by renaming: they are written straight.
static bool json_out_special(json_t *root, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    bool written = json_out_stream(root, file);
    return fclose(file) == 0 && written;
}

static bool json_out_atomic(json_t *root, const char *path)
{
    size_t size = strlen(path) + sizeof ".XXXXXX";
    char *temporary = malloc(size);
    if (temporary == NULL) {
        return false;
    }
    snprintf(temporary, size, "%s.XXXXXX", path);
    int descriptor = mkstemp(temporary);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    bool done = false;
    if (file != NULL) {
        // mkstemp lets nobody else read; give what open() would have given.
        mode_t mask = umask(0);
        umask(mask);
        done = json_out_stream(root, file) && fchmod(descriptor, 0666 & ~mask) == 0 &&
               fsync(descriptor) == 0;
        done = fclose(file) == 0 && done;
    } else if (descriptor >= 0) {
        close(descriptor);
    }
    done = done && rename(temporary, path) == 0;
    if (!done && descriptor >= 0) {
        int reason = errno;
        unlink(temporary);
        errno = reason;
    }
    free(temporary);
    return done;
}

bool json_out_write(console *con, const char *path, json_t *root)
{
    if (root == NULL) {
        console_error(con, "out of memory while making the JSON for '%s'", path);
        return false;
    }
    bool done;
    errno = 0;
    if (strcmp(path, "-") == 0) {
        done = json_out_stream(root, stdout);
    } else {
        struct stat info;
        char *real = realpath(path, NULL); // through links, so that a link is not replaced
        if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
            done = json_out_special(root, path);
        } else {
            done = json_out_atomic(root, real != NULL ? real : path);
        }
        free(real);
    }
    if (!done) {
        console_error(con, "cannot write '%s': %s", path,
                      errno != 0 ? strerror(errno) : "unknown reason");
    }
    json_decref(root);
    return done;
}
