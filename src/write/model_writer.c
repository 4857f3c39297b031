// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Writes a compiled model as a file: names that the format accepts, the list of losses, and the file itself, which
// replaces an older one only when it is complete. The formats are in write_sdf.c, write_urdf.c and write_mjcf.c.
#include "write/model_writer.h"
#include "base/carver.h"
#include "base/guard.h"
#include "math/trig.h"
#include "pawl/sim.h"
#include <stdio.h>
#include <string.h>

static const char *const writer_formats[PAWL_FILE_FORMAT_COUNT] = {NULL, "sdf", "urdf", "mjcf"};

const char *pawl_file_format_name(pawl_file_format format)
{
    return format > PAWL_FILE_NONE && format < PAWL_FILE_FORMAT_COUNT ? writer_formats[format]
                                                                      : NULL;
}

pawl_file_format pawl_file_format_of(const char *path)
{
    static const struct {
        const char *end;
        pawl_file_format format;
    } ends[] = {{".sdf", PAWL_FILE_SDF},
                {".world", PAWL_FILE_SDF},
                {".urdf", PAWL_FILE_URDF},
                {".xml", PAWL_FILE_MJCF},
                {".mjcf", PAWL_FILE_MJCF}};
    size_t length = path != NULL ? strlen(path) : 0;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) {
        size_t own = strlen(ends[i].end);
        if (length > own && strcmp(path + length - own, ends[i].end) == 0) {
            return ends[i].format;
        }
    }
    return PAWL_FILE_NONE;
}

// --- what is not kept ----------------------------------------------------------------------------

// Losses that change the motion stand first.
static pawl_write_loss *writer_new_loss(pawl_write_report *report, bool motion)
{
    int at = report->count++;
    while (motion && at > 0 && !report->losses[at - 1].motion) {
        report->losses[at] = report->losses[at - 1];
        --at;
    }
    report->losses[at] = (pawl_write_loss){.motion = motion};
    return &report->losses[at];
}

void write_lose(model_writer *w, bool motion, const char *what, const char *name)
{
    enum { LISTED = 3 };
    pawl_write_loss *loss = NULL;
    for (int i = 0; i < w->report->count; ++i) {
        bool same = strncmp(w->report->losses[i].what, what, sizeof loss->what - 1) == 0;
        loss = same ? &w->report->losses[i] : loss;
    }
    if (loss == NULL && w->report->count == PAWL_WRITE_LOSSES) {
        return; // there are fewer sentences than places
    }
    if (loss == NULL) {
        loss = writer_new_loss(w->report, motion);
        snprintf(loss->what, sizeof loss->what, "%s", what);
    }
    size_t used = strlen(loss->where);
    if (name != NULL && loss->count < LISTED) {
        snprintf(loss->where + used, sizeof loss->where - used, "%s%s", used > 0 ? ", " : "", name);
    } else if (name != NULL && loss->count == LISTED) {
        snprintf(loss->where + used, sizeof loss->where - used, ", ...");
    }
    loss->count += 1;
}

// --- what writers ask ----------------------------------------------------------------------------

const char *write_body_name(const model_writer *w, pawl_body_id body)
{
    return pawl_body_is_world(body) ? "world" : w->body_names[pawl_body_index(body)];
}

const char *write_joint_name(const model_writer *w, pawl_joint_id joint)
{
    return w->joint_names[pawl_joint_index(joint)];
}

pawl_body_info write_body(const model_writer *w, int body)
{
    return pawl_model_body(w->model, pawl_model_body_at(w->model, body));
}

pawl_joint_info write_joint(const model_writer *w, int joint)
{
    return pawl_model_joint(w->model, pawl_model_joint_at(w->model, joint));
}

pawl_pose write_frame(const model_writer *w, pawl_body_id body, pawl_pose frame)
{
    return pawl_body_is_world(body)
               ? frame
               : pawl_pose_compose(pawl_pose_inverse(w->link[pawl_body_index(body)]), frame);
}

pawl_vec3 write_point(const model_writer *w, pawl_body_id body, pawl_vec3 point)
{
    pawl_pose frame = {point, {1.0, 0.0, 0.0, 0.0}};
    return write_frame(w, body, frame).position;
}

// R = Rz(yaw) Ry(pitch) Rx(roll). Yaw and roll are not unique where the pitch is a right angle, and digits of theirs are lost
// near it; the roll is therefore taken from what yaw and pitch leave over, so that the three together are exact.
void write_rpy(pawl_quat q, double rpy[3])
{
    pawl_mat3 r = quat_matrix(q);
    double across = hypot(r.m[0][0], r.m[1][0]);
    rpy[2] = across > 0.0 ? pawl_atan2(r.m[1][0], r.m[0][0]) : 0.0;
    rpy[1] = pawl_atan2(-r.m[2][0], across);
    double c = pawl_cos(rpy[2]), s = pawl_sin(rpy[2]);
    double sine = s * r.m[0][2] - c * r.m[1][2], cosine = c * r.m[1][1] - s * r.m[0][1];
    rpy[0] = pawl_atan2(sine, cosine);
}

bool write_is_soft(const pawl_softness *soft)
{
    return soft->time_constant != 0.0;
}

bool write_coordinate_acts(const pawl_coordinate_def *c)
{
    return isfinite(c->lower) || isfinite(c->upper) || c->stiffness > 0.0 || c->damping > 0.0 ||
           c->armature > 0.0 || c->friction > 0.0;
}

bool write_signal_is_constant(const pawl_signal *s)
{
    return s->kind == PAWL_SIGNAL_CONSTANT ||
           (s->kind == PAWL_SIGNAL_SINUSOID && s->amplitude == 0.0);
}

double write_signal_start(const pawl_signal *s)
{
    switch (s->kind) {
    case PAWL_SIGNAL_SINUSOID:
        return s->value + s->amplitude * pawl_sin(s->phase);
    case PAWL_SIGNAL_TABLE: { // linear between its points
        int k = 0;
        while (k + 2 < s->count && s->times[k + 1] <= 0.0) {
            ++k;
        }
        double part = (0.0 - s->times[k]) / (s->times[k + 1] - s->times[k]);
        part = fmin(fmax(part, 0.0), 1.0);
        return s->values[k] + part * (s->values[k + 1] - s->values[k]);
    }
    case PAWL_SIGNAL_CALLBACK:
        return s->callback != NULL ? s->callback(s->user, 0.0) : 0.0;
    default:
        return s->value;
    }
}

// --- names ---------------------------------------------------------------------------------------

// In SDFormat '::' leads into models.
static char *writer_clean(const model_writer *w, const char *name)
{
    char *copy = pawl_text_copy(w->env, name);
    if (copy == NULL || w->format != PAWL_FILE_SDF || strstr(name, "::") == NULL) {
        return copy;
    }
    char *to = copy;
    for (const char *from = name; *from != '\0'; ++to) {
        bool colons = from[0] == ':' && from[1] == ':';
        *to = colons ? '.' : *from;
        from += colons ? 2 : 1;
    }
    *to = '\0';
    char *out = pawl_text_copy(w->env, copy);
    pawl_free(w->env, copy, strlen(name) + 1);
    return out;
}

// Names of a file that are there already.
typedef struct writer_taken {
    int bodies, joints, frames;
} writer_taken;

static bool writer_is_taken(const model_writer *w, const char *name, writer_taken by)
{
    bool taken = strcmp(name, "world") == 0 || name[0] == '\0';
    for (int i = 0; i < by.bodies && !taken; ++i) {
        taken = strcmp(w->body_names[i], name) == 0;
    }
    for (int i = 0; i < by.joints && !taken; ++i) {
        taken = strcmp(w->joint_names[i], name) == 0;
    }
    for (int i = 0; i < by.frames && !taken; ++i) {
        taken = strcmp(w->frame_names[i], name) == 0;
    }
    return taken;
}

static char *writer_name(model_writer *w, const char *given, const char *kind, writer_taken by)
{
    char *name = writer_clean(w, given);
    for (int i = 0; name != NULL && writer_is_taken(w, name, by); ++i) {
        char made[300];
        pawl_text_free(w->env, name);
        if (i == 0) {
            snprintf(made, sizeof made, "%.260s_%s", given, kind);
        } else {
            snprintf(made, sizeof made, "%.260s_%s%d", given, kind, i + 1);
        }
        name = writer_clean(w, made);
    }
    if (name != NULL && strcmp(name, given) != 0) {
        write_lose(w, false, "names that the format does not take are changed", given);
    }
    return name;
}

static pawl_status writer_make_names(model_writer *w)
{
    bool together = w->format == PAWL_FILE_SDF; // links and joints have one list of names
    for (int i = 0; i < w->body_count; ++i) {
        w->body_names[i] =
            writer_name(w, write_body(w, i).name, "link", (writer_taken){.bodies = i});
        if (w->body_names[i] == NULL) {
            return PAWL_FAIL(w->env, PAWL_NO_MEMORY, "no memory for the names of bodies");
        }
    }
    for (int i = 0; i < w->joint_count; ++i) {
        writer_taken by = {.bodies = together ? w->body_count : 0, .joints = i};
        w->joint_names[i] = writer_name(w, write_joint(w, i).name, "joint", by);
        if (w->joint_names[i] == NULL) {
            return PAWL_FAIL(w->env, PAWL_NO_MEMORY, "no memory for the names of joints");
        }
    }
    for (int i = 0; i < w->frame_count; ++i) {
        writer_taken by = {w->body_count, together ? w->joint_count : 0, i};
        w->frame_names[i] = writer_name(w, pawl_model_frame(w->model, i).name, "frame", by);
        if (w->frame_names[i] == NULL) {
            return PAWL_FAIL(w->env, PAWL_NO_MEMORY, "no memory for the names of frames");
        }
    }
    return PAWL_OK;
}

// --- the file ------------------------------------------------------------------------------------

static void writer_carve(model_writer *w, pawl_carver *mem)
{
    int bodies = w->body_count, joints = w->joint_count;
    w->body_names = PAWL_CARVE(mem, char *, bodies + 1);
    w->joint_names = PAWL_CARVE(mem, char *, joints + 1);
    w->frame_names = PAWL_CARVE(mem, char *, w->frame_count + 1);
    w->link = PAWL_CARVE(mem, pawl_pose, bodies + 1);
    w->tree.joint = PAWL_CARVE(mem, int, bodies + 1);
    w->tree.parent = PAWL_CARVE(mem, int, bodies + 1);
    w->tree.reversed = PAWL_CARVE(mem, bool, bodies + 1);
    w->tree.inside = PAWL_CARVE(mem, bool, joints + 1);
    w->tree.order = PAWL_CARVE(mem, int, bodies + 1);
}

static pawl_status writer_begin(model_writer *w)
{
    pawl_carver need = {0};
    w->xml.env = w->env;
    w->body_count = pawl_model_body_count(w->model);
    w->joint_count = pawl_model_joint_count(w->model);
    w->frame_count = pawl_model_frame_count(w->model);
    writer_carve(w, &need);
    w->bytes = need.used;
    w->block = pawl_alloc(w->env, w->bytes);
    if (w->block == NULL) {
        w->body_count = w->joint_count = w->frame_count = 0;
        return PAWL_FAIL(w->env, PAWL_NO_MEMORY, "writing a model needs %zu bytes", w->bytes);
    }
    pawl_carver mem = {.base = w->block, .capacity = w->bytes};
    writer_carve(w, &mem);
    for (int i = 0; i < w->body_count; ++i) {
        w->link[i] = pawl_pose_identity();
    }
    PAWL_TRY(writer_make_names(w));
    return pawl_state_create(w->env, w->model, &w->start);
}

static void writer_end(model_writer *w)
{
    for (int i = 0; i < w->body_count; ++i) {
        pawl_text_free(w->env, w->body_names[i]);
    }
    for (int i = 0; i < w->joint_count; ++i) {
        pawl_text_free(w->env, w->joint_names[i]);
    }
    for (int i = 0; i < w->frame_count; ++i) {
        pawl_text_free(w->env, w->frame_names[i]);
    }
    pawl_state_destroy(w->start);
    pawl_free(w->env, w->block, w->bytes);
    xml_text_free(&w->xml);
}

static pawl_status writer_save(const model_writer *w, const char *path)
{
    char temporary[4096];
    int length = snprintf(temporary, sizeof temporary, "%s.part", path);
    if (length < 0 || (size_t)length >= sizeof temporary) {
        return PAWL_FAIL(w->env, PAWL_BAD_ARGUMENT, "the name of the file is too long");
    }
    FILE *file = fopen(temporary, "wb");
    if (file == NULL) {
        return PAWL_FAIL(w->env, PAWL_BAD_FILE, "%s: cannot be written", path);
    }
    bool whole = fwrite(w->xml.data, 1, w->xml.size, file) == w->xml.size;
    whole = fclose(file) == 0 && whole;
    if (!whole || rename(temporary, path) != 0) {
        remove(temporary);
        return PAWL_FAIL(w->env, PAWL_BAD_FILE, "%s: cannot be written", path);
    }
    return PAWL_OK;
}

typedef struct writer_file {
    const model_writer *writer;
    const char *path;
} writer_file;

static pawl_status writer_take(void *user, const char *text, size_t size)
{
    const writer_file *f = user;
    (void)text;
    (void)size;
    return writer_save(f->writer, f->path);
}

static pawl_status writer_run(model_writer *w, pawl_write_take *take, void *user)
{
    PAWL_TRY(writer_begin(w));
    switch (w->format) {
    case PAWL_FILE_SDF:
        PAWL_TRY(write_sdf(w));
        break;
    case PAWL_FILE_URDF:
        PAWL_TRY(write_urdf(w));
        break;
    default:
        PAWL_TRY(write_mjcf(w));
    }
    PAWL_TRY(xml_text_status(&w->xml));
    return take(user, w->xml.data, w->xml.size);
}

static pawl_status writer_check(const pawl_env *env, const pawl_model *model,
                                pawl_file_format format)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, model);
    if (pawl_file_format_name(format) == NULL) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "got no file format %d, expected 1 to %d",
                         (int)format, PAWL_FILE_FORMAT_COUNT - 1);
    }
    return PAWL_OK;
}

pawl_status pawl_model_write_text(const pawl_env *env, const pawl_model *model,
                                  pawl_file_format format, pawl_write_take *take, void *user,
                                  pawl_write_report *report)
{
    pawl_write_report own;
    PAWL_TRY(writer_check(env, model, format));
    PAWL_NEED(env, take);
    report = report != NULL ? report : &own;
    report->count = 0;
    model_writer w = {.env = env, .model = model, .format = format, .report = report};
    pawl_status status = writer_run(&w, take, user);
    writer_end(&w);
    return status;
}

pawl_status pawl_model_write(const pawl_env *env, const pawl_model *model, pawl_file_format format,
                             const char *path, pawl_write_report *report)
{
    pawl_write_report own;
    PAWL_TRY(writer_check(env, model, format));
    PAWL_NEED(env, path);
    report = report != NULL ? report : &own;
    report->count = 0;
    model_writer w = {.env = env, .model = model, .format = format, .report = report};
    writer_file file = {.writer = &w, .path = path};
    pawl_status status = writer_run(&w, writer_take, &file);
    writer_end(&w);
    return status;
}
