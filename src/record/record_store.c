// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Transactions for an HDF5 file; the header gives the reason. The overlay holds pages that HDF5 wrote since the last
// commit. A commit of a file with `committed` bytes to a new length does
//   1. write pages beyond `committed`: nothing refers to them yet;
//   2. append a journal: copies of the changed pages before `committed`, their numbers, and a
//      footer with a hash of all this. When the footer is complete, the commit is valid;
//   3. write the changed pages in place;
//   4. cut the journal off.
// A kill before the end of 2 leaves the old content, followed by bytes that HDF5 ignores; a later kill leaves a
// journal that record_store_open() applies. Incomplete writes do no harm: the footer's hash covers the journal, and
// step 3 may be repeated.
#define _GNU_SOURCE 1 // for locks that belong to the open file, not to the process
#include "record/record_store.h"
#include "base/array.h"
#include "base/hash.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    STORE_PAGE = 4096,
    STORE_FOOTER = 40,     // magic, page count, new length, journal start, hash
    STORE_LOCK_WRITER = 0, // held exclusively as long as a recording is open for writing
    STORE_LOCK_CONTENT = 1 // shared while reading, exclusive while committing
};
static const uint64_t store_magic = UINT64_C(0x316c6e726c776170); // "pawlrnl1"

struct record_store {
    const pawl_env *env;
    char *path;      // for messages, and what the file is called after the first commit
    char *part_path; // until the first commit, else NULL
    int fd;
    bool writable, fresh;
    bool discarding; // what HDF5 still writes while it closes is dropped
    bool no_memory;  // was met
    bool lost;       // a write failed, which HDF5 may not have reported: nothing can be committed
    uint64_t committed; // bytes of the file that hold the last commit
    uint64_t length;    // with what was written since
    // The overlay: page numbers and their bytes in order of first write, found through a hash
    // table of indices (open addressing, -1 empty, at most half full).
    uint64_t *number;
    unsigned char *bytes;
    int *slot;
    size_t page_count, page_capacity, slot_count;
};

// ---- Plain files --------------------------------------------------------------------------------

static bool store_write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t done = pwrite(fd, at, size, (off_t)offset);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            errno = done == 0 ? EIO : errno;
            return false;
        }
        at += done;
        size -= (size_t)done;
        offset += (uint64_t)done;
    }
    return true;
}

// Bytes beyond the end of the file read as zero.
static bool store_read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
    char *at = bytes;
    while (size > 0) {
        ssize_t done = pread(fd, at, size, (off_t)offset);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return false;
        }
        if (done == 0) {
            memset(at, 0, size);
            return true;
        }
        at += done;
        size -= (size_t)done;
        offset += (uint64_t)done;
    }
    return true;
}

static bool store_cut(int fd, uint64_t length)
{
    int result;
    do {
        result = ftruncate(fd, (off_t)length);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

// False only if another open file holds the lock: where a file system knows no locks, recordings
// still work, without protection from a second writer.
static bool store_lock(int fd, int which, short type)
{
#ifdef F_OFD_SETLK
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = which, .l_len = 1};
    int result;
    do {
        result = fcntl(fd, F_OFD_SETLK, &lock);
    } while (result != 0 && errno == EINTR);
    return result == 0 || (errno != EAGAIN && errno != EACCES);
#else
    (void)fd, (void)which, (void)type;
    return true;
#endif
}

// Commits and readers keep out of each other's way. A reader that never ends, perhaps in the same thread, must not
// stop a run: after the wait the writer continues, and the reader may read bytes of two commits, which it detects by
// checksums.
static void store_lock_content(const record_store *s, short type)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    for (int tries = 0; tries < 5000 && !store_lock(s->fd, STORE_LOCK_CONTENT, type); ++tries) {
        (void)nanosleep(&pause, NULL);
    }
}

static uint64_t store_get(const unsigned char *p)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; --i) {
        value = value << 8 | p[i];
    }
    return value;
}

static void store_put(unsigned char *p, uint64_t value)
{
    for (int i = 0; i < 8; ++i) {
        p[i] = (unsigned char)(value >> 8 * i);
    }
}

// ---- The overlay --------------------------------------------------------------------------------

static size_t store_slot_of(const record_store *s, uint64_t number)
{
    size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (s->slot_count - 1);
    while (s->slot[at] >= 0 && s->number[s->slot[at]] != number) {
        at = (at + 1) & (s->slot_count - 1);
    }
    return at;
}

static unsigned char *store_find(const record_store *s, uint64_t number)
{
    if (s->page_count == 0) {
        return NULL;
    }
    int index = s->slot[store_slot_of(s, number)];
    return index < 0 ? NULL : s->bytes + (size_t)index * STORE_PAGE;
}

static void store_clear(record_store *s)
{
    s->page_count = 0;
    for (size_t i = 0; i < s->slot_count; ++i) {
        s->slot[i] = -1;
    }
}

// All or nothing: when memory is out, what there was is still there.
static bool store_grow(record_store *s)
{
    record_store grown = *s;
    grown.page_capacity = s->page_capacity == 0 ? 64 : 2 * s->page_capacity;
    grown.slot_count = 2 * grown.page_capacity;
    grown.number = pawl_alloc(s->env, grown.page_capacity * sizeof *s->number);
    grown.bytes = pawl_alloc(s->env, grown.page_capacity * STORE_PAGE);
    grown.slot = pawl_alloc(s->env, grown.slot_count * sizeof *s->slot);
    bool ok = grown.number != NULL && grown.bytes != NULL && grown.slot != NULL;
    if (ok) {
        store_clear(&grown);
        for (size_t i = 0; i < s->page_count; ++i) {
            grown.number[i] = s->number[i];
            grown.slot[store_slot_of(&grown, s->number[i])] = (int)i;
        }
        if (s->page_count > 0) {
            memcpy(grown.bytes, s->bytes, s->page_count * STORE_PAGE);
        }
        grown.page_count = s->page_count;
    }
    record_store *old = ok ? s : &grown;
    pawl_free(s->env, old->number, old->page_capacity * sizeof *s->number);
    pawl_free(s->env, old->bytes, old->page_capacity * STORE_PAGE);
    pawl_free(s->env, old->slot, old->slot_count * sizeof *s->slot);
    if (ok) {
        *s = grown;
    }
    return ok;
}

// The page to write to, with its present content; NULL when memory or the disk fails.
static unsigned char *store_page(record_store *s, uint64_t number)
{
    unsigned char *page = store_find(s, number);
    if (page != NULL) {
        return page;
    }
    if (s->page_count == s->page_capacity && !store_grow(s)) {
        s->no_memory = true;
        return NULL;
    }
    page = s->bytes + s->page_count * STORE_PAGE;
    uint64_t start = number * STORE_PAGE;
    if (start >= s->committed) {
        memset(page, 0, STORE_PAGE);
    } else if (!store_read_at(s->fd, page, STORE_PAGE, start)) {
        return NULL;
    }
    s->number[s->page_count] = number;
    s->slot[store_slot_of(s, number)] = (int)s->page_count;
    s->page_count++;
    return page;
}

// ---- Bytes --------------------------------------------------------------------------------------

bool record_store_read(const record_store *s, uint64_t address, size_t size, void *buffer)
{
    unsigned char *to = buffer;
    if (address > INT64_MAX || size > INT64_MAX - address) {
        return false;
    }
    while (size > 0) {
        size_t inside = (size_t)(address % STORE_PAGE);
        size_t part = STORE_PAGE - inside < size ? STORE_PAGE - inside : size;
        const unsigned char *page = store_find(s, address / STORE_PAGE);
        if (page != NULL) {
            memcpy(to, page + inside, part);
        } else if (address >= s->committed) {
            memset(to, 0, part);
        } else {
            // One call for all pages up to the next one that is in memory.
            while (part < size && store_find(s, (address + part) / STORE_PAGE) == NULL) {
                part = size - part < STORE_PAGE ? size : part + STORE_PAGE;
            }
            if (!store_read_at(s->fd, to, part, address)) {
                return false;
            }
        }
        to += part;
        address += part;
        size -= part;
    }
    return true;
}

bool record_store_write(record_store *s, uint64_t address, size_t size, const void *buffer)
{
    const unsigned char *from = buffer;
    if (s->discarding) {
        return true;
    }
    if (!s->writable || address > INT64_MAX || size > INT64_MAX - address) {
        return false;
    }
    while (size > 0) {
        size_t inside = (size_t)(address % STORE_PAGE);
        size_t part = STORE_PAGE - inside < size ? STORE_PAGE - inside : size;
        unsigned char *page = store_page(s, address / STORE_PAGE);
        if (page == NULL) {
            s->lost = true;
            return false;
        }
        memcpy(page + inside, from, part);
        from += part;
        address += part;
        size -= part;
    }
    s->length = address > s->length ? address : s->length;
    return true;
}

void record_store_set_length(record_store *s, uint64_t length)
{
    if (s->writable && !s->discarding) {
        s->length = length;
    }
}

// ---- The journal --------------------------------------------------------------------------------

static bool store_apply(const record_store *s, uint64_t length, bool old_pages)
{
    for (size_t i = 0; i < s->page_count; ++i) {
        uint64_t start = s->number[i] * STORE_PAGE;
        if (start >= length || (start < s->committed) != old_pages) {
            continue;
        }
        size_t size = length - start < STORE_PAGE ? (size_t)(length - start) : STORE_PAGE;
        if (!store_write_at(s->fd, s->bytes + i * STORE_PAGE, size, start)) {
            return false;
        }
    }
    return true;
}

static uint64_t store_journal_start(uint64_t committed, uint64_t length)
{
    uint64_t end = committed > length ? committed : length;
    return (end + STORE_PAGE - 1) / STORE_PAGE * STORE_PAGE;
}

static bool store_write_journal(const record_store *s, uint64_t length)
{
    uint64_t start = store_journal_start(s->committed, length);
    uint64_t at = start, count = 0, hash = PAWL_HASH_SEED;
    for (size_t i = 0; i < s->page_count; ++i) {
        uint64_t first = s->number[i] * STORE_PAGE;
        if (first >= length || first >= s->committed) {
            continue;
        }
        unsigned char number[8];
        store_put(number, s->number[i]);
        const unsigned char *page = s->bytes + i * STORE_PAGE;
        if (!store_write_at(s->fd, page, STORE_PAGE, at) ||
            !store_write_at(s->fd, number, sizeof number, at + STORE_PAGE)) {
            return false;
        }
        hash = pawl_hash_bytes(hash, page, STORE_PAGE);
        hash = pawl_hash_bytes(hash, number, sizeof number);
        at += STORE_PAGE + sizeof number;
        count++;
    }
    unsigned char footer[STORE_FOOTER];
    store_put(footer, store_magic);
    store_put(footer + 8, count);
    store_put(footer + 16, length);
    store_put(footer + 24, start);
    store_put(footer + 32, pawl_hash_bytes(hash, footer, 32));
    return store_write_at(s->fd, footer, sizeof footer, at);
}

// Takes a whole journal at the end of the file into the overlay. False only if memory or the disk
// fails; a journal that is absent, torn or not ours changes nothing.
static bool store_read_journal(record_store *s)
{
    unsigned char footer[STORE_FOOTER];
    const uint64_t stride = STORE_PAGE + 8;
    if (s->committed < STORE_FOOTER) {
        return true;
    }
    if (!store_read_at(s->fd, footer, sizeof footer, s->committed - STORE_FOOTER)) {
        return false;
    }
    uint64_t count = store_get(footer + 8);
    uint64_t length = store_get(footer + 16);
    uint64_t start = store_get(footer + 24);
    if (store_get(footer) != store_magic || count > s->committed / stride || start > s->committed ||
        length > start || start + count * stride + STORE_FOOTER != s->committed) {
        return true;
    }
    // Before a page is taken over, the hash of them all must fit.
    uint64_t hash = PAWL_HASH_SEED;
    unsigned char entry[STORE_PAGE + 8];
    for (uint64_t i = 0; i < count; ++i) {
        if (!store_read_at(s->fd, entry, sizeof entry, start + i * stride)) {
            return false;
        }
        if (store_get(entry + STORE_PAGE) > length / STORE_PAGE) {
            return true;
        }
        hash = pawl_hash_bytes(hash, entry, STORE_PAGE);
        hash = pawl_hash_bytes(hash, entry + STORE_PAGE, 8);
    }
    if (pawl_hash_bytes(hash, footer, 32) != store_get(footer + 32)) {
        return true;
    }
    for (uint64_t i = 0; i < count; ++i) {
        if (!store_read_at(s->fd, entry, sizeof entry, start + i * stride)) {
            return false;
        }
        unsigned char *page = store_page(s, store_get(entry + STORE_PAGE));
        if (page == NULL) {
            return false;
        }
        memcpy(page, entry, STORE_PAGE);
    }
    s->length = length;
    return true;
}

pawl_status record_store_commit(record_store *s)
{
    PAWL_ASSERT(s->writable);
    const uint64_t length = s->length;
    if (s->lost) {
        return PAWL_FAIL(s->env, s->no_memory ? PAWL_NO_MEMORY : PAWL_IO_ERROR,
                         "%s: cannot write: a page was lost", s->path);
    }
    if (s->page_count == 0 && length == s->committed) {
        return PAWL_OK;
    }
    store_lock_content(s, F_WRLCK);
    bool prepared =
        store_apply(s, length, false) && (s->committed == 0 || store_write_journal(s, length));
    if (!prepared) {
        int reason = errno;
        (void)store_cut(s->fd, s->committed);
        (void)store_lock(s->fd, STORE_LOCK_CONTENT, F_UNLCK);
        return PAWL_FAIL(s->env, PAWL_IO_ERROR, "%s: cannot write: %s", s->path, strerror(reason));
    }
    // From here on the new content holds: should the disk fail now, the journal stays and counts.
    bool applied = store_apply(s, length, true) && store_cut(s->fd, length);
    int reason = errno;
    (void)store_lock(s->fd, STORE_LOCK_CONTENT, F_UNLCK);
    if (!applied) {
        return PAWL_FAIL(s->env, PAWL_IO_ERROR, "%s: cannot write: %s", s->path, strerror(reason));
    }
    s->committed = length;
    store_clear(s);
    if (s->part_path != NULL) {
        PAWL_TRY(record_store_sync(s));
        if (rename(s->part_path, s->path) != 0) {
            return PAWL_FAIL(s->env, PAWL_IO_ERROR, "%s: cannot rename %s to it: %s", s->path,
                             s->part_path, strerror(errno));
        }
        pawl_text_free(s->env, s->part_path);
        s->part_path = NULL;
    }
    return PAWL_OK;
}

void record_store_discard(record_store *s)
{
    s->discarding = true;
}

pawl_status record_store_sync(record_store *s)
{
    // Some special file systems cannot sync and say EINVAL; the data went where it can go.
    if (fdatasync(s->fd) != 0 && errno != EINVAL) {
        return PAWL_FAIL(s->env, PAWL_IO_ERROR, "%s: cannot write to the disk: %s", s->path,
                         strerror(errno));
    }
    return PAWL_OK;
}

// ---- Opening and closing ------------------------------------------------------------------------

static pawl_status store_new(const pawl_env *env, const char *path, record_store **out)
{
    record_store *s = pawl_alloc(env, sizeof *s);
    if (s == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "%s: no memory to open it", path);
    }
    s->env = env;
    s->fd = -1;
    s->path = pawl_text_copy(env, path);
    *out = s;
    return s->path != NULL ? PAWL_OK : PAWL_FAIL(env, PAWL_NO_MEMORY, "%s: no memory", path);
}

// What is at `path` may be replaced: nothing, or a regular file that no recorder writes to.
static pawl_status store_check_target(const pawl_env *env, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return PAWL_OK;
    }
    if (!S_ISREG(info.st_mode)) {
        return PAWL_FAIL(env, PAWL_IO_ERROR, "%s: is a %s; a recording needs a file", path,
                         S_ISDIR(info.st_mode) ? "folder" : "device or pipe");
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return PAWL_OK; // not readable, yet the folder decides whether it can be replaced
    }
    bool free_to_use = store_lock(fd, STORE_LOCK_WRITER, F_RDLCK);
    (void)close(fd);
    return free_to_use ? PAWL_OK
                       : PAWL_FAIL(env, PAWL_IO_ERROR, "%s: another run is recording to it", path);
}

static pawl_status store_create_part(record_store *s)
{
    size_t size = strlen(s->path) + sizeof ".part";
    char *part = pawl_alloc(s->env, size);
    if (part == NULL) {
        return PAWL_FAIL(s->env, PAWL_NO_MEMORY, "%s: no memory", s->path);
    }
    memcpy(part, s->path, size - sizeof ".part");
    memcpy(part + size - sizeof ".part", ".part", sizeof ".part");
    s->part_path = pawl_text_copy(s->env, part);
    pawl_free(s->env, part, size);
    if (s->part_path == NULL) {
        return PAWL_FAIL(s->env, PAWL_NO_MEMORY, "%s: no memory", s->path);
    }
    s->fd = open(s->part_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (s->fd < 0) {
        pawl_status status = PAWL_FAIL(s->env, PAWL_IO_ERROR, "%s: cannot create it: %s",
                                       s->part_path, strerror(errno));
        pawl_text_free(s->env, s->part_path);
        s->part_path = NULL; // not ours to remove
        return status;
    }
    // A .part file without a lock is left by a run that was killed before its first frame.
    if (!store_lock(s->fd, STORE_LOCK_WRITER, F_WRLCK)) {
        pawl_text_free(s->env, s->part_path);
        s->part_path = NULL;
        return PAWL_FAIL(s->env, PAWL_IO_ERROR, "%s: another run is recording to it", s->path);
    }
    if (!store_cut(s->fd, 0)) {
        return PAWL_FAIL(s->env, PAWL_IO_ERROR, "%s: cannot empty it: %s", s->part_path,
                         strerror(errno));
    }
    s->writable = s->fresh = true;
    return PAWL_OK;
}

pawl_status record_store_create(const pawl_env *env, const char *path, record_store **out)
{
    *out = NULL;
    // Through a symbolic link, the file it points to is replaced, not the link.
    char resolved[PATH_MAX];
    struct stat info;
    bool link = lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
    const char *target = link ? realpath(path, resolved) : path;
    record_store *s = NULL;
    pawl_status status = store_check_target(env, path);
    if (status == PAWL_OK) {
        status = store_new(env, target != NULL ? target : path, &s);
    }
    if (status == PAWL_OK) {
        status = store_create_part(s);
    }
    if (status != PAWL_OK) {
        record_store_close(s);
        return status;
    }
    *out = s;
    return PAWL_OK;
}

static pawl_status store_open_file(record_store *s, bool writable)
{
    struct stat info;
    s->fd = open(s->path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (s->fd < 0 || fstat(s->fd, &info) != 0) {
        return PAWL_FAIL(s->env, errno == ENOENT ? PAWL_BAD_FILE : PAWL_IO_ERROR,
                         "%s: cannot open it: %s", s->path, strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return PAWL_FAIL(s->env, PAWL_BAD_FILE, "%s: is not a regular file", s->path);
    }
    if (writable && !store_lock(s->fd, STORE_LOCK_WRITER, F_WRLCK)) {
        return PAWL_FAIL(s->env, PAWL_IO_ERROR, "%s: another run is recording to it", s->path);
    }
    store_lock_content(s, writable ? F_WRLCK : F_RDLCK);
    // Only now is the length sure not to be one in the middle of a commit.
    if (fstat(s->fd, &info) != 0) {
        return PAWL_FAIL(s->env, PAWL_IO_ERROR, "%s: %s", s->path, strerror(errno));
    }
    s->committed = s->length = (uint64_t)info.st_size;
    s->writable = writable;
    if (!store_read_journal(s)) {
        return PAWL_FAIL(s->env, s->no_memory ? PAWL_NO_MEMORY : PAWL_IO_ERROR,
                         "%s: cannot read its journal", s->path);
    }
    if (writable) {
        const uint64_t length = s->length;
        if (length != s->committed) {
            if (!store_apply(s, length, true) || !store_cut(s->fd, length)) {
                return PAWL_FAIL(s->env, PAWL_IO_ERROR, "%s: cannot complete its journal: %s",
                                 s->path, strerror(errno));
            }
            s->committed = length;
            store_clear(s);
        }
        (void)store_lock(s->fd, STORE_LOCK_CONTENT, F_UNLCK);
    }
    return PAWL_OK;
}

pawl_status record_store_open(const pawl_env *env, const char *path, bool writable,
                              record_store **out)
{
    *out = NULL;
    record_store *s = NULL;
    pawl_status status = store_new(env, path, &s);
    if (status == PAWL_OK) {
        status = store_open_file(s, writable);
    }
    if (status != PAWL_OK) {
        record_store_close(s);
        return status;
    }
    *out = s;
    return PAWL_OK;
}

void record_store_close(record_store *s)
{
    if (s == NULL) {
        return;
    }
    const pawl_env *env = s->env;
    if (s->part_path != NULL) {
        (void)unlink(s->part_path);
    }
    if (s->fd >= 0) {
        (void)close(s->fd); // its locks go with it
    }
    pawl_free(env, s->number, s->page_capacity * sizeof *s->number);
    pawl_free(env, s->bytes, s->page_capacity * STORE_PAGE);
    pawl_free(env, s->slot, s->slot_count * sizeof *s->slot);
    pawl_text_free(env, s->path);
    pawl_text_free(env, s->part_path);
    pawl_free(env, s, sizeof *s);
}

void record_store_note_no_memory(record_store *s)
{
    s->no_memory = true;
}

bool record_store_had_no_memory(const record_store *s)
{
    return s->no_memory;
}

const pawl_env *record_store_env(const record_store *s)
{
    return s->env;
}

const char *record_store_path(const record_store *s)
{
    return s->path;
}

uint64_t record_store_length(const record_store *s)
{
    return s->length;
}

bool record_store_is_fresh(const record_store *s)
{
    return s->fresh;
}

bool record_store_is_writable(const record_store *s)
{
    return s->writable;
}
