// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Height maps: images in shades of grey (PNG through libpng, where pawl was built with it) and MuJoCo's binary files (two
// 32-bit counts, then rows of 32-bit floats). Values are heights without a unit, which the caller scales. libpng
// converts colours to grey. Sizes are limited before decoding.
#include "read/image_file.h"
#include "read/search_path.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#if defined(PAWL_WITH_PNG)
#include <png.h>
#endif

enum { IMAGE_MAX_BYTES = 64 * 1024 * 1024, IMAGE_MAX_POINTS = 4000 * 1000 };

static bool image_fits(uint32_t rows, uint32_t columns)
{
    return rows >= 2 && columns >= 2 && rows <= IMAGE_MAX_POINTS && columns <= IMAGE_MAX_POINTS &&
           (uint64_t)rows * columns <= IMAGE_MAX_POINTS;
}

#if defined(PAWL_WITH_PNG)
static pawl_status image_read_png(xml_reader *reader, const char *data, size_t size,
                                  height_image *out, char why[IMAGE_WHY])
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, data, size)) {
        snprintf(why, IMAGE_WHY, "%.100s", image.message);
        return PAWL_BAD_FILE;
    }
    if (!image_fits(image.height, image.width)) {
        snprintf(why, IMAGE_WHY, "%u x %u pixels; at least 2 x 2 and at most %d in all are read",
                 (unsigned)image.width, (unsigned)image.height, (int)IMAGE_MAX_POINTS);
        png_image_free(&image);
        return PAWL_BAD_FILE;
    }
    // 16 bits keep the steps of deep images; libpng's linear grey would bend the heights of 8-bit ones.
    bool deep = (image.format & PNG_FORMAT_FLAG_LINEAR) != 0;
    image.format = deep ? PNG_FORMAT_LINEAR_Y : PNG_FORMAT_GRAY;
    size_t points = (size_t)image.height * image.width;
    void *pixels = xml_alloc(reader, points * 2);
    out->values = xml_alloc(reader, points * sizeof *out->values);
    if (pixels == NULL || out->values == NULL) {
        png_image_free(&image);
        return PAWL_NO_MEMORY;
    }
    if (!png_image_finish_read(&image, NULL, pixels, 0, NULL)) {
        snprintf(why, IMAGE_WHY, "%.100s", image.message);
        png_image_free(&image);
        return PAWL_BAD_FILE;
    }
    out->rows = (int)image.height;
    out->columns = (int)image.width;
    for (size_t i = 0; i < points; ++i) {
        out->values[i] = deep ? (double)((const uint16_t *)pixels)[i] / 65535.0
                              : (double)((const uint8_t *)pixels)[i] / 255.0;
    }
    return PAWL_OK;
}
#else
static pawl_status image_read_png(xml_reader *reader, const char *data, size_t size,
                                  height_image *out, char why[IMAGE_WHY])
{
    (void)reader;
    (void)data;
    (void)size;
    (void)out;
    snprintf(why, IMAGE_WHY, "this pawl was built without libpng, which reads images");
    return PAWL_UNSUPPORTED;
}
#endif

static pawl_status image_read_floats(xml_reader *reader, const char *data, size_t size,
                                     height_image *out, char why[IMAGE_WHY])
{
    int32_t counts[2] = {0, 0};
    if (size >= sizeof counts) {
        memcpy(counts, data, sizeof counts);
    }
    bool good =
        counts[0] > 0 && counts[1] > 0 && image_fits((uint32_t)counts[0], (uint32_t)counts[1]);
    size_t points = good ? (size_t)counts[0] * (size_t)counts[1] : 0;
    if (!good || size != sizeof counts + points * sizeof(float)) {
        snprintf(why, IMAGE_WHY,
                 "neither an image (PNG) nor two counts and as many 32-bit numbers");
        return PAWL_BAD_FILE;
    }
    out->values = xml_alloc(reader, points * sizeof *out->values);
    if (out->values == NULL) {
        return PAWL_NO_MEMORY;
    }
    out->rows = counts[0];
    out->columns = counts[1];
    for (size_t i = 0; i < points; ++i) {
        float value;
        memcpy(&value, data + sizeof counts + i * sizeof value, sizeof value);
        if (!isfinite(value)) {
            snprintf(why, IMAGE_WHY, "a height is not finite");
            return PAWL_BAD_FILE;
        }
        // MuJoCo's files begin with the row at the lowest y; images with the highest.
        size_t row = (size_t)(out->rows - 1) - i / (size_t)out->columns;
        out->values[row * (size_t)out->columns + i % (size_t)out->columns] = value;
    }
    return PAWL_OK;
}

pawl_status height_image_parse(xml_reader *reader, const char *data, size_t size, height_image *out,
                               char why[IMAGE_WHY])
{
    *out = (height_image){0};
    snprintf(why, IMAGE_WHY, "no memory");
    bool png = size > 8 && memcmp(data, "\x89PNG\r\n\x1a\n", 8) == 0;
    return png ? image_read_png(reader, data, size, out, why)
               : image_read_floats(reader, data, size, out, why);
}

pawl_status height_image_find(xml_reader *reader, const xmlNode *where, const char *folder,
                              const char *uri, height_image *out)
{
    const char *path;
    char tried[600], why[IMAGE_WHY] = "cannot be read";
    struct stat info;
    *out = (height_image){0};
    PAWL_TRY(search_path_find(reader, where, folder, uri, &path, tried, sizeof tried));
    if (path == NULL) {
        return xml_unsupported(reader, where,
                               "height map '%s' is not there; tried %s; --path adds a folder", uri,
                               tried);
    }
    FILE *stream =
        stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= (off_t)IMAGE_MAX_BYTES
            ? fopen(path, "rb")
            : NULL;
    if (stream == NULL) {
        return xml_error(reader, where, "height map %s: not a regular file of at most 64 MiB",
                         path);
    }
    size_t size = (size_t)info.st_size;
    char *data = pawl_alloc(reader->env, size + 1);
    bool whole = data != NULL && fread(data, 1, size, stream) == size;
    fclose(stream);
    pawl_status status = whole ? height_image_parse(reader, data, size, out, why) : PAWL_BAD_FILE;
    pawl_free(reader->env, data, data != NULL ? size + 1 : 0);
    if (status != PAWL_OK) {
        xml_error(reader, where, "height map %s: %s", path, why);
    }
    return status;
}
