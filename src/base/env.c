// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The default environment (memory of the C library, log to nothing), names of statuses, and the
// formatting of log lines.
#include "base/env.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENV_ALIGNMENT = 64, ENV_MESSAGE_SIZE = 1024 };

static void *env_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    (void)user;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    if (new_size > SIZE_MAX - ENV_ALIGNMENT) {
        return NULL;
    }
    size_t rounded = (new_size + ENV_ALIGNMENT - 1) / ENV_ALIGNMENT * ENV_ALIGNMENT;
    void *fresh = aligned_alloc(ENV_ALIGNMENT, rounded);
    if (fresh != NULL && block != NULL) {
        memcpy(fresh, block, old_size < new_size ? old_size : new_size);
        free(block);
    }
    return fresh;
}

pawl_env pawl_env_default(void)
{
    return (pawl_env){.resize = env_resize};
}

const char *pawl_version(void)
{
#define ENV_TEXT_(x) #x
#define ENV_TEXT(x) ENV_TEXT_(x)
    return ENV_TEXT(PAWL_VERSION_MAJOR) "." ENV_TEXT(PAWL_VERSION_MINOR) "." ENV_TEXT(
        PAWL_VERSION_PATCH);
}

const char *pawl_status_name(pawl_status status)
{
    static const char *const names[] = {
        [PAWL_OK] = "ok",
        [PAWL_BAD_ARGUMENT] = "bad argument",
        [PAWL_NO_MEMORY] = "out of memory",
        [PAWL_BAD_FILE] = "bad file",
        [PAWL_NOT_FINITE] = "not finite",
        [PAWL_NOT_ASSEMBLED] = "not assembled",
        [PAWL_UNSUPPORTED] = "unsupported",
        [PAWL_IO_ERROR] = "input/output error",
        [PAWL_NOT_SOLVED] = "not solved",
    };
    return (size_t)status < sizeof names / sizeof names[0] ? names[status] : "unknown status";
}

static void env_log(const pawl_env *env, pawl_log_level level, const char *format, va_list list)
{
    if (env->log == NULL) {
        return;
    }
    char message[ENV_MESSAGE_SIZE];
    vsnprintf(message, sizeof message, format, list);
    env->log(env->user, level, message);
}

pawl_status pawl_fail(const pawl_env *env, pawl_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    env_log(env, PAWL_LOG_ERROR, format, list);
    va_end(list);
    return status;
}

void pawl_log(const pawl_env *env, pawl_log_level level, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    env_log(env, level, format, list);
    va_end(list);
}

void pawl_assert_failed(const char *condition, const char *file, int line)
{
    fprintf(stderr, "pawl: internal error: assertion %s failed (%s:%d)\n", condition, file, line);
    abort();
}

void *pawl_alloc(const pawl_env *env, size_t size)
{
    void *block = env->resize(env->user, NULL, 0, size > 0 ? size : 1);
    if (block != NULL) {
        memset(block, 0, size > 0 ? size : 1);
    }
    return block;
}

void pawl_free(const pawl_env *env, void *block, size_t size)
{
    if (block != NULL) {
        env->resize(env->user, block, size > 0 ? size : 1, 0);
    }
}
