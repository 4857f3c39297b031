// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Processes that share one job under mpirun. Without MPI, or without a launcher, there is one rank, and every call
// here is a plain copy. All calls but ranks_next() are made by all ranks in the same order, from the thread that began.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ranks {
    int rank, count; ///< this process, and how many there are
    bool started;    ///< MPI was started by ranks_begin()
} ranks;

/// Starts MPI where a launcher (mpirun, srun) started this process, and where it is built in.
ranks ranks_begin(void);
void ranks_end(ranks *r);
/// A counter that all ranks share, for work that whoever is free takes: begun and ended by all ranks together. Between the two ranks_next() gives
/// every number from 0 on to one rank; one thread at a time asks. Without other ranks it counts `own` up.
void ranks_count_begin(const ranks *r);
int64_t ranks_next(const ranks *r, int64_t *own);
void ranks_count_end(const ranks *r);
/// The version of MPI that is built in, or NULL.
const char *ranks_version(void);
/// True on every rank if `value` is so on some rank.
bool ranks_any(const ranks *r, bool value);
/// `bytes` of rank 0 to all ranks.
void ranks_broadcast(const ranks *r, void *data, size_t bytes);
/// The data of all ranks, one after the other by rank, on rank 0: `all`, to be freed there, and NULL on the others or
/// when memory is out. sizes (count), which may be NULL, gets the bytes of each.
char *ranks_gather(const ranks *r, const void *data, size_t bytes, size_t *sizes);
