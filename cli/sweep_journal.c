// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Journals of a sweep: OUTPUT.rank-R, one for each process, to which every point is appended in one write when it is
// done. A killed process loses only its current point; an incomplete record has a wrong check sum and is skipped.
#define _POSIX_C_SOURCE 200809L
#include "sweep_plan.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// FNV-1a.
static uint64_t journal_hash(uint64_t h, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; ++i) {
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    }
    return h;
}

uint64_t sweep_stamp(const sweep_request *request, const pawl_model *model)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325), id = pawl_model_hash(model);
    h = journal_hash(h, &id, sizeof id);
    h = journal_hash(h, &request->time, sizeof request->time);
    for (int i = 0; i < pawl_setting_count(); ++i) {
        char text[128] = "";
        (void)pawl_settings_get(&request->settings, i, text, sizeof text);
        h = journal_hash(h, text, strlen(text) + 1);
    }
    for (int i = 0; i < request->axis_count; ++i) {
        h = journal_hash(h, request->axis[i].text, strlen(request->axis[i].text) + 1);
    }
    return h;
}

static size_t journal_bytes(const sweep_journal *j)
{
    return (3 + (size_t)j->width) * sizeof(double); // stamp, point, numbers, check sum
}

bool sweep_journal_open(console *con, sweep_journal *j, int rank)
{
    char path[4200];
    snprintf(path, sizeof path, "%s.rank-%d", j->output, rank);
    j->file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (j->file < 0) {
        console_error(con, "%s: cannot be written", path);
        return false;
    }
    return true;
}

bool sweep_journal_add(const sweep_journal *j, int64_t point, const double *result)
{
    size_t size = journal_bytes(j);
    unsigned char *record = malloc(size);
    if (record == NULL) {
        return false;
    }
    memcpy(record, &j->stamp, 8);
    memcpy(record + 8, &point, 8);
    memcpy(record + 16, result, (size_t)j->width * sizeof *result);
    uint64_t sum = journal_hash(j->stamp, record, size - 8);
    memcpy(record + size - 8, &sum, 8);
    bool written = write(j->file, record, size) == (ssize_t)size;
    free(record);
    return written;
}

void sweep_journal_close(sweep_journal *j)
{
    if (j->file >= 0) {
        (void)close(j->file);
    }
    j->file = -1;
}

// Records of one file. After one that is damaged the next good one is looked for byte by byte.
static int64_t journal_read_file(const sweep_journal *j, const char *path, int64_t points,
                                 double *results, bool *done)
{
    size_t size = journal_bytes(j), used = 0;
    int64_t found = 0;
    FILE *file = fopen(path, "rb");
    unsigned char *record = malloc(size);
    while (file != NULL && record != NULL) {
        used += fread(record + used, 1, size - used, file);
        if (used < size) {
            break;
        }
        uint64_t stamp, sum;
        int64_t point;
        memcpy(&stamp, record, 8);
        memcpy(&point, record + 8, 8);
        memcpy(&sum, record + size - 8, 8);
        bool good = stamp == j->stamp && sum == journal_hash(stamp, record, size - 8) &&
                    point >= 0 && point < points;
        if (good && !done[point]) {
            memcpy(results + point * j->width, record + 16, (size_t)j->width * sizeof *results);
            done[point] = true;
            ++found;
        }
        size_t drop = good ? size : 1;
        used -= drop;
        memmove(record, record + drop, used);
    }
    free(record);
    if (file != NULL) {
        (void)fclose(file);
    }
    return found;
}

// Calls `use` for every journal beside the output.
static int64_t journal_each(const sweep_journal *j, int64_t points, double *results, bool *done,
                            bool erase)
{
    char folder[4200], name[4200], path[8500];
    snprintf(folder, sizeof folder, "%s", j->output);
    snprintf(name, sizeof name, "%s", j->output);
    const char *where = dirname(folder), *base = basename(name);
    char begin[4300];
    snprintf(begin, sizeof begin, "%s.rank-", base);
    int64_t found = 0;
    DIR *dir = opendir(where);
    for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
        if (strncmp(e->d_name, begin, strlen(begin)) == 0) {
            snprintf(path, sizeof path, "%s/%s", where, e->d_name);
            if (erase) {
                (void)unlink(path);
            } else {
                found += journal_read_file(j, path, points, results, done);
            }
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    return found;
}

int64_t sweep_journal_read(const sweep_journal *j, int64_t points, double *results, bool *done)
{
    memset(done, 0, (size_t)points * sizeof *done);
    return journal_each(j, points, results, done, false);
}

void sweep_journal_remove(const sweep_journal *j)
{
    (void)journal_each(j, 0, NULL, NULL, true);
}
