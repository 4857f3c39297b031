// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A virtual file driver, which HDF5 calls to read and write bytes. It does not use file names; a file access list
// contains the store.
#include "record/record_driver.h"
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

typedef struct driver_access {
    const pawl_env *env;
    record_store *store;
} driver_access;

typedef struct driver_file {
    H5FD_t base; // first, so that HDF5's pointer is ours
    driver_access access;
    haddr_t eoa; // end of the addresses that HDF5 has given out
} driver_file;

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    (void)name, (void)flags, (void)maxaddr;
    const driver_access *access = H5Pget_driver_info(fapl);
    driver_file *file = access == NULL ? NULL : pawl_alloc(access->env, sizeof *file);
    if (file == NULL) {
        if (access != NULL) {
            record_store_note_no_memory(access->store);
        }
        return NULL;
    }
    file->access = *access;
    return &file->base;
}

static herr_t driver_close(H5FD_t *base)
{
    driver_file *file = (driver_file *)base;
    pawl_free(file->access.env, file, sizeof *file);
    return 0;
}

static herr_t driver_query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)base)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((driver_file *)base)->eoa = address;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return record_store_length(((const driver_file *)base)->access.store);
}

static herr_t driver_read(H5FD_t *base, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size,
                          void *buffer)
{
    (void)type, (void)dxpl;
    return record_store_read(((driver_file *)base)->access.store, address, size, buffer) ? 0 : -1;
}

static herr_t driver_write(H5FD_t *base, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size,
                           const void *buffer)
{
    (void)type, (void)dxpl;
    return record_store_write(((driver_file *)base)->access.store, address, size, buffer) ? 0 : -1;
}

// HDF5 calls this at the end of every flush: the file is as long as the addresses given out.
static herr_t driver_truncate(H5FD_t *base, hid_t dxpl, hbool_t closing)
{
    (void)dxpl, (void)closing;
    driver_file *file = (driver_file *)base;
    record_store_set_length(file->access.store, file->eoa);
    return 0;
}

static const H5FD_class_t driver_class = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = 512, // of the range that HDF5 leaves to drivers it does not know
#endif
    .name = "pawl-store",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(driver_access),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

record_driver record_driver_open(record_store *store)
{
    const char *path = record_store_path(store);
    hid_t driver = H5FDregister(&driver_class);
    hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5I_INVALID_HID;
    const driver_access access = {record_store_env(store), store};
    // The format of HDF5 1.8 has checksums on its object headers, and none of the marks of later
    // ones that keep other programs from opening a file whose writer was killed.
    if (driver >= 0 && fapl >= 0 && H5Pset_driver(fapl, driver, &access) >= 0 &&
        H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0) {
        if (record_store_is_fresh(store)) {
            file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
        } else {
            bool writable = record_store_is_writable(store);
            file = H5Fopen(path, writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY, fapl);
        }
    }
    if (fapl >= 0) {
        (void)H5Pclose(fapl);
    }
    record_driver opened = {file, driver};
    if (file < 0) {
        record_driver_close(&opened);
    }
    return opened;
}

void record_driver_close(record_driver *driver)
{
    if (driver->file >= 0) {
        (void)H5Fclose(driver->file); // and with it, all that is open in it
    }
    if (driver->driver >= 0) {
        (void)H5FDunregister(driver->driver);
    }
    driver->file = driver->driver = H5I_INVALID_HID;
}
