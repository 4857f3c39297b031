// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The only file that uses MPI. MPI is initialized only under a launcher, because this takes a large part of a second
// and opens ports, which a command in a single process should not do.
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

#if defined(PAWL_WITH_MPI)
#include <limits.h>
#include <mpi.h>

// What launchers set: Open MPI, MPICH and Intel MPI (PMI), Slurm with PMIx.
static bool ranks_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (getenv(names[i]) != NULL) {
            return true;
        }
    }
    return false;
}

ranks ranks_begin(void)
{
    ranks r = {.count = 1};
    if (ranks_launched()) {
        int level;
        r.started = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) == MPI_SUCCESS;
    }
    if (r.started) {
        MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
        MPI_Comm_size(MPI_COMM_WORLD, &r.count);
    }
    return r;
}

void ranks_end(ranks *r)
{
    if (r->started) {
        MPI_Finalize();
    }
    r->started = false;
}

// The counter is in the memory of rank 0. Every rank reads and increments it in one atomic operation: no rank waits
// for another one that computes, and a lost rank loses only its own work.
static MPI_Win ranks_window;
static int64_t *ranks_counter;

void ranks_count_begin(const ranks *r)
{
    if (!r->started) {
        return;
    }
    MPI_Aint bytes = r->rank == 0 ? (MPI_Aint)sizeof *ranks_counter : 0;
    MPI_Win_allocate(bytes, sizeof *ranks_counter, MPI_INFO_NULL, MPI_COMM_WORLD, &ranks_counter,
                     &ranks_window);
    if (r->rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, ranks_window);
        *ranks_counter = 0;
        MPI_Win_unlock(0, ranks_window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int64_t ranks_next(const ranks *r, int64_t *own)
{
    const int64_t one = 1;
    int64_t mine = 0;
    if (!r->started) {
        return (*own)++;
    }
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, ranks_window);
    MPI_Fetch_and_op(&one, &mine, MPI_INT64_T, 0, 0, MPI_SUM, ranks_window);
    MPI_Win_unlock(0, ranks_window);
    return mine;
}

void ranks_count_end(const ranks *r)
{
    if (r->started) {
        MPI_Win_free(&ranks_window);
    }
}

const char *ranks_version(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0'; // the rest is who built it
    return text;
}

bool ranks_any(const ranks *r, bool value)
{
    int mine = value, all = value;
    if (r->started) {
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    }
    return all != 0;
}

void ranks_broadcast(const ranks *r, void *data, size_t bytes)
{
    for (size_t at = 0; r->started && at < bytes; at += INT_MAX) {
        size_t left = bytes - at;
        MPI_Bcast((char *)data + at, left < INT_MAX ? (int)left : INT_MAX, MPI_BYTE, 0,
                  MPI_COMM_WORLD);
    }
}

// One rank after the other, in pieces that an int can count.
static void ranks_collect(const ranks *r, const char *data, const unsigned long long *sizes,
                          char *all)
{
    size_t at = (size_t)sizes[0];
    if (r->rank == 0) {
        memcpy(all, data, (size_t)sizes[0]);
    }
    for (int from = 1; from < r->count; at += (size_t)sizes[from], ++from) {
        size_t bytes = (size_t)sizes[from];
        for (size_t done = 0; done < bytes; done += INT_MAX) {
            int piece = bytes - done < INT_MAX ? (int)(bytes - done) : INT_MAX;
            if (r->rank == from) {
                MPI_Send(data + done, piece, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
            } else if (r->rank == 0) {
                MPI_Recv(all + at + done, piece, MPI_BYTE, from, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            }
        }
    }
}

static char *ranks_gather_all(const ranks *r, const void *data, size_t bytes, size_t *sizes)
{
    unsigned long long mine = bytes, *each = calloc((size_t)r->count, sizeof *each);
    char *all = NULL;
    if (ranks_any(r, each == NULL)) {
        free(each);
        return NULL;
    }
    MPI_Allgather(&mine, 1, MPI_UNSIGNED_LONG_LONG, each, 1, MPI_UNSIGNED_LONG_LONG,
                  MPI_COMM_WORLD);
    size_t total = 1; // an empty gathering is not out of memory
    for (int i = 0; i < r->count; ++i) {
        total += (size_t)each[i];
        if (sizes != NULL) {
            sizes[i] = (size_t)each[i];
        }
    }
    all = r->rank == 0 ? malloc(total) : NULL;
    if (!ranks_any(r, r->rank == 0 && all == NULL)) {
        ranks_collect(r, data, each, all);
    }
    free(each);
    return all;
}

#else

static char *ranks_gather_all(const ranks *r, const void *data, size_t bytes, size_t *sizes)
{
    (void)r, (void)data, (void)bytes, (void)sizes;
    return NULL;
}

ranks ranks_begin(void)
{
    return (ranks){.count = 1};
}

void ranks_end(ranks *r)
{
    (void)r;
}

void ranks_count_begin(const ranks *r)
{
    (void)r;
}

int64_t ranks_next(const ranks *r, int64_t *own)
{
    (void)r;
    return (*own)++;
}

void ranks_count_end(const ranks *r)
{
    (void)r;
}

const char *ranks_version(void)
{
    return NULL;
}

bool ranks_any(const ranks *r, bool value)
{
    (void)r;
    return value;
}

void ranks_broadcast(const ranks *r, void *data, size_t bytes)
{
    (void)r, (void)data, (void)bytes;
}

#endif

char *ranks_gather(const ranks *r, const void *data, size_t bytes, size_t *sizes)
{
    if (r->started) {
        return ranks_gather_all(r, data, bytes, sizes);
    }
    char *all = malloc(bytes + 1);
    if (all != NULL && bytes > 0) {
        memcpy(all, data, bytes);
    }
    if (sizes != NULL) {
        sizes[0] = bytes;
    }
    return all;
}
