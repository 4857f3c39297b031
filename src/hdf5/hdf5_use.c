// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// HDF5 keeps global tables of all open objects, and its serial library (Debian's, and most others) does not protect
// them: two threads that write two different files corrupt each other's data. Therefore all calls of this library use
// one lock of the process, even if the HDF5 library is thread-safe. It cannot protect programs that call HDF5
// themselves in another thread at the same time (docs/recording.md). Commits, which wait for readers, are not done
// under this lock.
#include "hdf5/hdf5_use.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HDF5_IMAGE_GROWTH = 1 << 20 }; // by which the memory of a file grows [bytes]

static pthread_once_t hdf5_use_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t hdf5_use_lock;

static void hdf5_use_prepare(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&hdf5_use_lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void hdf5_use_silence_exit(void)
{
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

// HDF5 1.10 loses memory of its own when it meets a damaged object, finds that out when the process
// ends, and then prints about it on stderr unless its error messages are off. What is registered after HDF5's first call
// runs before HDF5's own end.
static void hdf5_prepare_exit(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT; // once a process is enough
    if (!atomic_flag_test_and_set(&done)) {
        (void)atexit(hdf5_use_silence_exit);
    }
}

hdf5_use hdf5_use_begin(void)
{
    pthread_once(&hdf5_use_once, hdf5_use_prepare);
    pthread_mutex_lock(&hdf5_use_lock);
    hdf5_use use = {0};
    (void)H5Eget_auto2(H5E_DEFAULT, &use.function, &use.data);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hdf5_prepare_exit();
    return use;
}

void hdf5_use_end(hdf5_use use)
{
    (void)H5Eset_auto2(H5E_DEFAULT, use.function, use.data);
    pthread_mutex_unlock(&hdf5_use_lock);
}

pawl_status hdf5_open_to_read(const pawl_env *env, const char *path, hid_t *file)
{
    *file = H5I_INVALID_HID;
    FILE *in = fopen(path, "rb"); // HDF5 does not say why it refuses
    if (in == NULL) {
        return PAWL_FAIL(env, PAWL_IO_ERROR, "%s: cannot be read: %s", path, strerror(errno));
    }
    (void)fclose(in);
    *file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return *file >= 0 ? PAWL_OK
                      : PAWL_FAIL(env, PAWL_BAD_FILE,
                                  "%s: is not an HDF5 file, is damaged or was cut off", path);
}

hid_t hdf5_image_create(void)
{
    hid_t plan = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = plan >= 0 && H5Pset_fapl_core(plan, HDF5_IMAGE_GROWTH, false) >= 0
                     ? H5Fcreate("image", H5F_ACC_TRUNC, H5P_DEFAULT, plan)
                     : H5I_INVALID_HID;
    (void)H5Pclose(plan);
    return file;
}

static bool hdf5_image_put(const char *path, const void *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    if (out == NULL) {
        return false;
    }
    bool done = size == 0 || fwrite(bytes, 1, size, out) == size;
    int reason = errno;
    if (fclose(out) != 0) {
        reason = done ? errno : reason;
        done = false;
    }
    errno = reason;
    return done;
}

// "path.part", and then its new name. False and errno where that fails.
static bool hdf5_image_replace(const char *path, const char *part, const void *bytes, size_t size)
{
    if (hdf5_image_put(part, bytes, size) && rename(part, path) == 0) {
        return true;
    }
    int reason = errno;
    (void)remove(part);
    errno = reason;
    return false;
}

pawl_status hdf5_image_probe(const pawl_env *env, const char *path)
{
    size_t size = strlen(path) + sizeof ".part";
    char *part = pawl_alloc(env, size);
    if (part == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "%s: no memory to write it", path);
    }
    (void)snprintf(part, size, "%s.part", path);
    bool can = hdf5_image_put(part, NULL, 0);
    int reason = errno;
    (void)remove(part);
    pawl_free(env, part, size);
    return can ? PAWL_OK
               : PAWL_FAIL(env, PAWL_IO_ERROR, "%s: cannot be written: %s", path, strerror(reason));
}

pawl_status hdf5_image_save(const pawl_env *env, hid_t file, const char *path, bool done)
{
    ssize_t size = file >= 0 && done && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0
                       ? H5Fget_file_image(file, NULL, 0)
                       : -1;
    size_t part_size = strlen(path) + sizeof ".part";
    char *part = pawl_alloc(env, part_size);
    void *bytes = size > 0 ? pawl_alloc(env, (size_t)size) : NULL;
    pawl_status status = PAWL_OK;
    if (part == NULL || (size > 0 && bytes == NULL)) {
        status = PAWL_FAIL(env, PAWL_NO_MEMORY, "%s: no memory to write it", path);
    } else if (size <= 0 || H5Fget_file_image(file, bytes, (size_t)size) != size) {
        status = PAWL_FAIL(env, PAWL_IO_ERROR, "%s: cannot be written: HDF5 refused", path);
    } else {
        (void)snprintf(part, part_size, "%s.part", path);
        if (!hdf5_image_replace(path, part, bytes, (size_t)size)) {
            status =
                PAWL_FAIL(env, PAWL_IO_ERROR, "%s: cannot be written: %s", path, strerror(errno));
        }
    }
    pawl_free(env, bytes, size > 0 ? (size_t)size : 0);
    pawl_free(env, part, part_size);
    if (file >= 0) {
        (void)H5Fclose(file);
    }
    return status;
}
