// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What the fuzz targets of readers that want a path share: the one file of the process, which is gone
// when the process ends.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline const char *file_target_path(void)
{
    static char path[64];
    if (path[0] == '\0') {
        snprintf(path, sizeof path, "/tmp/pawl-fuzz-%ld", (long)getpid());
    }
    return path;
}

static inline void file_target_remove(void)
{
    (void)remove(file_target_path());
}

// False where it cannot be written.
static inline bool file_target_write(const uint8_t *data, size_t size)
{
    static int once;
    if (once++ == 0) {
        (void)atexit(file_target_remove);
    }
    FILE *file = fopen(file_target_path(), "wb");
    if (file == NULL) {
        return false;
    }
    bool written = fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && written;
}
