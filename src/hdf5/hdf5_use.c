// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// HDF5 keeps global tables of all that is open, and its serial library (Debian's, and nearly everybody's)
// does not protect them: two threads that write two different files break each other's. So all calls of
// this library go through one lock of the process, whether or not the HDF5 at hand is thread-safe. A
// program that calls HDF5 itself in another thread at the same time is beyond its reach; docs/recording.md
// says so. Commits, which wait for readers, are not done under this lock.
#include "hdf5/hdf5_use.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

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

hdf5_use hdf5_use_begin(void)
{
    pthread_once(&hdf5_use_once, hdf5_use_prepare);
    pthread_mutex_lock(&hdf5_use_lock);
    hdf5_use use = {0};
    (void)H5Eget_auto2(H5E_DEFAULT, &use.function, &use.data);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return use;
}

void hdf5_use_end(hdf5_use use)
{
    (void)H5Eset_auto2(H5E_DEFAULT, use.function, use.data);
    pthread_mutex_unlock(&hdf5_use_lock);
}

static void hdf5_use_silence_exit(void)
{
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

// HDF5 1.10 loses memory of its own when it meets a damaged object, finds that out when the process
// ends, and then prints about it on stderr unless its error messages are off.
void hdf5_prepare_exit(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT; // once a process is enough
    if (!atomic_flag_test_and_set(&done)) {
        (void)atexit(hdf5_use_silence_exit);
    }
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
    bool done = fwrite(bytes, 1, size, out) == size;
    int reason = errno;
    if (fclose(out) != 0) {
        reason = done ? errno : reason;
        done = false;
    }
    errno = reason;
    return done;
}

bool hdf5_image_save(hid_t file, const char *path, bool done)
{
    ssize_t size = file >= 0 && done && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0
                       ? H5Fget_file_image(file, NULL, 0)
                       : -1;
    void *bytes = size > 0 ? malloc((size_t)size) : NULL;
    done = bytes != NULL && H5Fget_file_image(file, bytes, (size_t)size) == size;
    errno = 0;
    done = done && hdf5_image_put(path, bytes, (size_t)size);
    int reason = errno;
    free(bytes);
    if (file >= 0) {
        (void)H5Fclose(file);
    }
    errno = reason;
    return done;
}
