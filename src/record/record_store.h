// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The file under a recording: HDF5 sees an ordinary file, the disk sees transactions.
//
// HDF5 updates its index in place, so a process that is killed while HDF5 writes may leave a file that does not open.
// Here HDF5 writes to pages in memory, through the file driver of record_driver.c, and record_store_commit() moves
// them to the disk such that at every instant the file contains either all of the previous commit or all of the new
// one. See docs/recording.md for the order of the writes.
#pragma once
#include "base/env.h"

typedef struct record_store record_store;

// A new file beside `path`, as `path`.part; the first commit renames it over `path`. Refuses a
// path that is no regular file and a recording that another process is writing.
pawl_status record_store_create(const pawl_env *env, const char *path, record_store **out);
// An existing file. A commit that was cut short is completed: on the disk when `writable`, else
// in memory alone. While a store is open for reading, a writer waits with its next commit.
pawl_status record_store_open(const pawl_env *env, const char *path, bool writable,
                              record_store **out);
// Bytes beyond the end read as zero; writes go to memory. False when memory or the disk fails.
bool record_store_read(const record_store *store, uint64_t address, size_t size, void *buffer);
bool record_store_write(record_store *store, uint64_t address, size_t size, const void *buffer);
void record_store_set_length(record_store *store, uint64_t length);
// Makes all that was written the file's content. On failure the file is as it was.
pawl_status record_store_commit(record_store *store);
// Waits until the disk has it all.
pawl_status record_store_sync(record_store *store);
// From here on writes are dropped and cannot fail. To be called before the HDF5 file is closed: a
// close that failed would leave HDF5 with a file that is no more.
void record_store_discard(record_store *store);
// Drops what was not committed; a file that never was is removed. NULL is fine.
void record_store_close(record_store *store);
// An HDF5 call that failed because memory ran out beneath it shows no other sign of it.
void record_store_note_no_memory(record_store *store);
bool record_store_had_no_memory(const record_store *store);
const pawl_env *record_store_env(const record_store *store);
const char *record_store_path(const record_store *store);
uint64_t record_store_length(const record_store *store); // bytes, with what was written
bool record_store_is_fresh(const record_store *store);   // made by record_store_create()
bool record_store_is_writable(const record_store *store);
