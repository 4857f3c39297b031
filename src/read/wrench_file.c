// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads tables of wrenches and heightfields, line by line.
#include "read/wrench_file.h"
#include "base/guard.h"
#include "pawl/io.h"
#include "read/text_lines.h"
#include <locale.h>
#include <math.h>
#include <string.h>

// A line "word n numbers", or an error that says what it got instead.
static pawl_status wrench_file_line(text_lines *t, const char *word, int count, double *out)
{
    bool more;
    PAWL_TRY(text_lines_next(t, &more));
    if (!more) {
        return text_lines_error(t, "got the end of the file, expected '%s' with %d numbers", word,
                                count);
    }
    if (strcmp(t->words[0], word) != 0 || t->word_count != count + 1) {
        return text_lines_error(t,
                                "got '%.40s' with %d words after it, expected '%s' with %d numbers",
                                t->words[0], t->word_count - 1, word, count);
    }
    for (int i = 0; i < count; ++i) {
        PAWL_TRY(text_lines_number(t, i + 1, word, &out[i]));
    }
    return PAWL_OK;
}

static pawl_status wrench_file_head(text_lines *t, const char *format)
{
    double version;
    PAWL_TRY(wrench_file_line(t, format, 1, &version));
    if (version != 1.0) {
        return text_lines_error(t, "got %s of version %g, expected 1", format, version);
    }
    return PAWL_OK;
}

static pawl_status wrench_file_whole(const text_lines *t, const char *what, double x, int low,
                                     int high, int *out)
{
    if (!(x >= (double)low && x <= (double)high) || floor(x) != x) {
        return text_lines_error(t, "got %s %g, expected a whole number from %d to %d", what, x, low,
                                high);
    }
    *out = (int)x;
    return PAWL_OK;
}

static pawl_status wrench_file_push(text_lines *t, pawl_array *array, const double *x, int count)
{
    for (int i = 0; i < count; ++i) {
        double *slot = pawl_array_push(t->env, array, sizeof *slot);
        if (slot == NULL) {
            return PAWL_FAIL(t->env, PAWL_NO_MEMORY, "%s: no memory for its numbers", t->name);
        }
        *slot = x[i];
    }
    return PAWL_OK;
}

// --- tables of wrenches --------------------------------------------------------------------------

static pawl_status wrench_file_centre(text_lines *t, wrench_file *file)
{
    double c[4];
    if (strcmp(t->words[0], "centre") != 0 || t->word_count != 5) {
        return text_lines_error(
            t, "got '%.40s' with %d words after it, expected 'centre' with 4 numbers", t->words[0],
            t->word_count - 1);
    }
    for (int i = 0; i < 4; ++i) {
        PAWL_TRY(text_lines_number(t, i + 1, "centre", &c[i]));
    }
    double length = sqrt(c[1] * c[1] + c[2] * c[2] + c[3] * c[3]);
    if (!(c[0] > 0.0) || !(fabs(length - 1.0) <= 1e-6)) {
        return text_lines_error(t,
                                "got a centre with depth %g and a normal of length %g, expected a "
                                "depth above 0 and length 1",
                                c[0], length);
    }
    if (file->centres.count / 4 == PAWL_WRENCH_MAX_CENTRES) {
        return text_lines_error(t, "got more than %d centres", PAWL_WRENCH_MAX_CENTRES);
    }
    PAWL_TRY(wrench_file_push(t, &file->centres, c, 4));
    for (int v = 0; v < file->table.vertex_count; ++v) {
        double wrench[6];
        bool more;
        PAWL_TRY(text_lines_next(t, &more));
        if (!more || t->word_count != 6) {
            return text_lines_error(
                t, "got %d words as vertex %d of a centre, expected the 6 numbers of a wrench",
                t->word_count, v);
        }
        for (int i = 0; i < 6; ++i) {
            PAWL_TRY(text_lines_number(t, i, "a wrench", &wrench[i]));
        }
        PAWL_TRY(wrench_file_push(t, &file->wrenches, wrench, 6));
    }
    return PAWL_OK;
}

static pawl_status wrench_file_parse(text_lines *t, wrench_file *file)
{
    double scale[2], vertices;
    PAWL_TRY(wrench_file_head(t, "pawl-wrench-table"));
    PAWL_TRY(wrench_file_line(t, "power", 1, &file->power));
    PAWL_TRY(wrench_file_line(t, "scale", 2, scale));
    if (!(scale[0] > 0.0 && scale[1] > 0.0)) {
        return text_lines_error(t, "got scales %g and %g, expected numbers above 0", scale[0],
                                scale[1]);
    }
    PAWL_TRY(wrench_file_line(t, "vertices", 1, &vertices));
    PAWL_TRY(wrench_file_whole(t, "vertices", vertices, 1, PAWL_WRENCH_MAX_VERTICES,
                               &file->table.vertex_count));
    for (;;) {
        bool more;
        PAWL_TRY(text_lines_next(t, &more));
        if (!more) {
            break;
        }
        PAWL_TRY(wrench_file_centre(t, file));
    }
    if (file->centres.count == 0) {
        return text_lines_error(t, "got the end of the file, expected at least one 'centre'");
    }
    file->table.centre_count = file->centres.count / 4;
    file->table.depth_scale = scale[0];
    file->table.normal_scale = scale[1];
    file->table.centres = file->centres.data;
    file->table.wrenches = file->wrenches.data;
    return PAWL_OK;
}

pawl_status wrench_file_read(const pawl_env *env, const char *path, wrench_file *out)
{
    *out = (wrench_file){0};
    text_lines t;
    pawl_status status = text_lines_open(&t, env, path);
    if (status == PAWL_OK) {
        status = wrench_file_parse(&t, out);
    }
    text_lines_end(&t);
    return status;
}

void wrench_file_free(const pawl_env *env, wrench_file *file)
{
    pawl_array_free(env, &file->centres);
    pawl_array_free(env, &file->wrenches);
}

pawl_status pawl_wrench_table_load(const pawl_env *env, const char *path, pawl_builder *builder,
                                   const pawl_wrench_model_def *def, int *out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, path);
    PAWL_NEED(env, builder);
    PAWL_NEED(env, def);
    PAWL_NEED_STAMP(env, def, PAWL_STAMP_WRENCH_MODEL, "pawl_wrench_model_def_default");
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the C locale");
    }
    locale_t before = uselocale(plain);
    wrench_file file;
    pawl_status status = wrench_file_read(env, path, &file);
    if (status == PAWL_OK) {
        pawl_wrench_model_def model = *def;
        model.kind = PAWL_WRENCH_TABLE;
        model.power = file.power;
        model.table = file.table;
        status = pawl_builder_add_wrench_model(builder, &model, out);
    }
    wrench_file_free(env, &file);
    uselocale(before);
    freelocale(plain);
    return status;
}

// --- heightfields --------------------------------------------------------------------------------

static pawl_status height_file_parse(text_lines *t, height_file *file)
{
    enum { MOST = 1 << 20 };
    double size[2], spacing[2];
    PAWL_TRY(wrench_file_head(t, "pawl-heightfield"));
    PAWL_TRY(wrench_file_line(t, "size", 2, size));
    PAWL_TRY(wrench_file_whole(t, "size", size[0], 2, MOST, &file->x_count));
    PAWL_TRY(wrench_file_whole(t, "size", size[1], 2,
                               MOST / file->x_count > 2 ? MOST / file->x_count : 2,
                               &file->y_count));
    PAWL_TRY(wrench_file_line(t, "spacing", 2, spacing));
    if (!(spacing[0] > 0.0 && spacing[1] > 0.0)) {
        return text_lines_error(t, "got spacing %g and %g, expected numbers above 0", spacing[0],
                                spacing[1]);
    }
    file->dx = spacing[0];
    file->dy = spacing[1];
    int count = file->x_count * file->y_count;
    for (;;) {
        bool more;
        PAWL_TRY(text_lines_next(t, &more));
        if (!more) {
            break;
        }
        for (int i = 0; i < t->word_count; ++i) {
            double height;
            PAWL_TRY(text_lines_number(t, i, "a height", &height));
            PAWL_TRY(wrench_file_push(t, &file->heights, &height, 1));
        }
        if (file->heights.count > count) {
            return text_lines_error(t, "got %d heights, expected %d x %d", file->heights.count,
                                    file->x_count, file->y_count);
        }
    }
    if (file->heights.count < count) {
        return text_lines_error(t, "got the end of the file after %d heights, expected %d x %d",
                                file->heights.count, file->x_count, file->y_count);
    }
    return PAWL_OK;
}

pawl_status height_file_read(const pawl_env *env, const char *path, height_file *out)
{
    *out = (height_file){0};
    text_lines t;
    pawl_status status = text_lines_open(&t, env, path);
    if (status == PAWL_OK) {
        status = height_file_parse(&t, out);
    }
    text_lines_end(&t);
    return status;
}

void height_file_free(const pawl_env *env, height_file *file)
{
    pawl_array_free(env, &file->heights);
}
