// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// test_env: memory that counts, fails on demand and checks what it is told. Each block carries a
// header with its size, because resize() is told the old size and a wrong one is a bug that the
// default environment would never notice.
#include "support/test.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENVIRONMENT_ALIGNMENT = 64, // promised in pawl/base.h
    ENVIRONMENT_FRESH = 0xA5,   // as a double tiny and negative, as an index far out of range
    ENVIRONMENT_FREED = 0xDD
};
#define ENVIRONMENT_MAGIC UINT64_C(0x7061776C74657374)

typedef struct environment_header {
    uint64_t magic;
    size_t size;
} environment_header;

// Kept so that a failed CHECK_STATUS can say why, whichever test_env was in use.
static char environment_last_message[TEST_ENV_MESSAGE_SIZE];

static environment_header *environment_header_of(void *block)
{
    return (environment_header *)(void *)((char *)block - ENVIRONMENT_ALIGNMENT);
}

static void environment_free(test_env *t, void *block, size_t size)
{
    environment_header *header = environment_header_of(block);
    header->magic = 0;
    memset(block, ENVIRONMENT_FREED, size);
    free(header);
    t->live_blocks -= 1;
    t->live_bytes -= size;
}

static void *environment_allocate(test_env *t, size_t size)
{
    if (size > SIZE_MAX - ENVIRONMENT_ALIGNMENT) {
        return NULL;
    }
    // Not aligned_alloc: rounding the size up would hide an overrun from the address sanitizer.
    void *whole = NULL;
    if (posix_memalign(&whole, ENVIRONMENT_ALIGNMENT, ENVIRONMENT_ALIGNMENT + size) != 0) {
        return NULL;
    }
    *(environment_header *)whole = (environment_header){.magic = ENVIRONMENT_MAGIC, .size = size};
    void *block = (char *)whole + ENVIRONMENT_ALIGNMENT;
    memset(block, ENVIRONMENT_FRESH, size);
    t->live_blocks += 1;
    t->live_bytes += size;
    if (t->live_bytes > t->peak_bytes) {
        t->peak_bytes = t->live_bytes;
    }
    return block;
}

static void *environment_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    test_env *t = user;
    if (block == NULL) {
        CHECK_INT(old_size, 0);
    } else {
        const environment_header *header = environment_header_of(block);
        CHECK(header->magic == ENVIRONMENT_MAGIC); // freed twice, or never ours
        CHECK_INT(old_size, header->size);
    }
    if (new_size == 0) {
        if (block != NULL) {
            environment_free(t, block, old_size);
        }
        return NULL;
    }
    t->calls += 1;
    if (t->calls == t->fail_at) {
        return NULL;
    }
    void *fresh = environment_allocate(t, new_size);
    if (fresh != NULL && block != NULL) {
        memcpy(fresh, block, old_size < new_size ? old_size : new_size);
        environment_free(t, block, old_size);
    }
    return fresh;
}

static void environment_copy_message(char to[TEST_ENV_MESSAGE_SIZE], const char *message)
{
    size_t length = strnlen(message, TEST_ENV_MESSAGE_SIZE - 1);
    memcpy(to, message, length);
    to[length] = '\0';
}

static void environment_log(void *user, pawl_log_level level, const char *message)
{
    test_env *t = user;
    CHECK(strchr(message, '\n') == NULL); // one line, as pawl/base.h says
    t->messages[level] += 1;
    environment_copy_message(t->last_message, message);
    environment_copy_message(environment_last_message, message);
}

void test_env_init(test_env *t)
{
    *t = (test_env){.env = {.resize = environment_resize, .log = environment_log, .user = t}};
    environment_last_message[0] = '\0';
}

void test_check_no_leak(const test_env *t, const char *file, int line)
{
    if (t->live_blocks != 0 || t->live_bytes != 0) {
        print_error("%" PRId64 " blocks, %zu bytes not given back\n", t->live_blocks,
                    t->live_bytes);
        _fail(file, line);
    }
}

void test_check_message(const test_env *t, const char *part, const char *file, int line)
{
    if (strstr(t->last_message, part) == NULL) {
        print_error("the last message is \"%s\", expected to contain \"%s\"\n", t->last_message,
                    part);
        _fail(file, line);
    }
}

void test_check_status(pawl_status got, pawl_status expected, const char *text, const char *file,
                       int line)
{
    if (got != expected) {
        print_error("%s is %s, expected %s; last message: \"%s\"\n", text, pawl_status_name(got),
                    pawl_status_name(expected), environment_last_message);
        _fail(file, line);
    }
}

int64_t test_check_survives_no_memory(test_make make, void *argument, const char *text,
                                      const char *file, int line)
{
    for (int64_t n = 1;; ++n) {
        test_env t;
        test_env_init(&t);
        t.fail_at = n;
        pawl_status status = make(&t.env, argument);
        bool got_failure = t.calls >= n;
        pawl_status expected = got_failure ? PAWL_NO_MEMORY : PAWL_OK;
        if (status != expected || t.live_blocks != 0) {
            print_error("%s with request %" PRId64 " for memory failing: %s, expected %s; %" PRId64
                        " blocks leaked; last message: \"%s\"\n",
                        text, n, pawl_status_name(status), pawl_status_name(expected),
                        t.live_blocks, t.last_message);
            _fail(file, line);
        }
        if (!got_failure) {
            return t.calls;
        }
    }
}
