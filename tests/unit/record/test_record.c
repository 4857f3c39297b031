// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Recordings: what is in them, what survives, what is refused. Content is read back with HDF5's own
// driver, not with ours, so that other programs' view of the file is what is tested.
#define _GNU_SOURCE 1
#include "support/hdf5_values.h"
#include "support/recording.h"
#include "support/test.h"
#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// HDF5 loses memory of its own on damaged files; see record_prepare_exit().
PAWL_API const char *__lsan_default_suppressions(void); // what the sanitizer's runtime looks for
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

// ---- A disk that stops in the middle of a write -------------------------------------------------

// These take the place of the C library's in this program. At the chosen call, half of the bytes
// are written and the process ends at once, as a kill in the middle of a system call would end it.
static int64_t disk_calls, disk_dies_at;

static void disk_count(int fd, const void *bytes, size_t size, off_t offset)
{
    if (++disk_calls == disk_dies_at) {
        if (bytes != NULL) {
            (void)syscall(SYS_pwrite64, fd, bytes, size / 2, offset);
        }
        (void)syscall(SYS_exit_group, 7);
    }
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
    disk_count(fd, bytes, size, offset);
    return syscall(SYS_pwrite64, fd, bytes, size, offset);
}

int ftruncate(int fd, off_t length)
{
    disk_count(fd, NULL, 0, 0);
    return (int)syscall(SYS_ftruncate, fd, length);
}

// ---- Reading with stock HDF5 --------------------------------------------------------------------

// A whole dataset as doubles, to be freed. Fails the test unless it has `count` numbers.
static double *read_all(const char *path, const char *name, int64_t count)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(file >= 0);
    double *values = hdf5_values(file, name, count);
    H5Fclose(file);
    return values;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    close(fd);
}

static unsigned char *read_file(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY);
    struct stat info;
    CHECK(fd >= 0 && fstat(fd, &info) == 0);
    *size = (size_t)info.st_size;
    unsigned char *bytes = malloc(*size);
    CHECK(read(fd, bytes, *size) == (ssize_t)*size);
    close(fd);
    return bytes;
}

static int64_t frame_count(const pawl_env *env, const char *path)
{
    pawl_record *record;
    CHECK_OK(pawl_record_open(env, path, &record));
    int64_t count = pawl_record_frame_count(record);
    pawl_record_close(record);
    return count;
}

static void check_same_series(const char *a, const char *b, const char *name, int64_t count)
{
    double *x = read_all(a, name, count), *y = read_all(b, name, count);
    CHECK_INT(memcmp(x, y, (size_t)count * sizeof *x), 0);
    free(x);
    free(y);
}

// ---- Content ------------------------------------------------------------------------------------

// The state itself is the reference.
TEST(frames_hold_the_bits_of_the_states)
{
    enum { STEPS = 57 };
    test_env t;
    test_env_init(&t);
    char path[256];
    test_path("content.h5", path, sizeof path);
    recording r;
    recording_begin(&r, &t.env, "pendulum", 1e-3);
    CHECK_OK(recording_create(&r, path, 0.0, 10));
    double pose[STEPS + 1][2][7], rate[STEPS + 1][2], kinetic[STEPS + 1], effort[STEPS + 1];
    double reaction[STEPS + 1][3];
    for (int k = 0; k <= STEPS; ++k) {
        CHECK_OK(recording_run(&r, k));
        const pawl_state *s = pawl_sim_state(r.sim);
        for (int b = 0; b < 2; ++b) {
            pawl_pose p = pawl_state_pose(s, pawl_model_body_at(pawl_state_model(s), b));
            memcpy(pose[k][b], &p, sizeof p);
            double position;
            pawl_state_joint(s, pawl_model_joint_at(pawl_state_model(s), b), &position,
                             &rate[k][b]);
        }
        kinetic[k] = pawl_state_energy(s).kinetic;
        effort[k] =
            pawl_sim_actuator_effort(r.sim, pawl_model_actuator_at(pawl_sim_model(r.sim), 0));
        pawl_vec3 f, m;
        pawl_sim_joint_reaction(r.sim, pawl_model_joint_at(pawl_sim_model(r.sim), 1), &f, &m);
        memcpy(reaction[k], &f, sizeof f);
    }
    CHECK_OK(recording_close(&r));
    double *read = read_all(path, "/body/pose", (STEPS + 1) * 14);
    CHECK_INT(memcmp(read, pose, sizeof pose), 0);
    free(read);
    read = read_all(path, "/joint/rate", (STEPS + 1) * 2);
    CHECK_INT(memcmp(read, rate, sizeof rate), 0);
    free(read);
    double *energy = read_all(path, "/energy", (STEPS + 1) * 11);
    double *efforts = read_all(path, "/actuator/effort", STEPS + 1);
    double *forces = read_all(path, "/joint/force", (STEPS + 1) * 12);
    double *steps = read_all(path, "/step", STEPS + 1);
    for (int k = 0; k <= STEPS; ++k) {
        CHECK(energy[11 * k] == kinetic[k]);
        CHECK(efforts[k] == effort[k]);
        CHECK_INT(memcmp(&forces[12 * k + 6], reaction[k], sizeof reaction[k]), 0);
        CHECK(steps[k] == k);
    }
    free(energy);
    free(efforts);
    free(forces);
    free(steps);
    recording_end(&r);
    CHECK_NO_LEAK(&t);
}

// The sim itself is the reference; the tables have the rows of all frames one after another.
TEST(frames_hold_the_contacts_of_their_steps)
{
    enum { STEPS = 120, MOST = 16 };
    static pawl_contact_info kept[STEPS + 1][MOST];
    int count[STEPS + 1], total = 0, modes[PAWL_CONTACT_MODE_COUNT] = {0};
    double depth[STEPS + 1] = {0};
    test_env t;
    test_env_init(&t);
    char path[256];
    test_path("contacts.h5", path, sizeof path);
    recording r;
    recording_begin_crate(&r, &t.env, 2e-3);
    CHECK_OK(recording_create(&r, path, 0.0, 10));
    for (int k = 0; k <= STEPS; ++k) {
        if (k > 0) {
            pawl_step_report report;
            CHECK_OK(pawl_sim_step(r.sim, &report));
            pawl_verdict_add(&r.verdict, &report);
            CHECK_OK(pawl_recorder_add(r.recorder, &report, &r.verdict));
            depth[k] = report.penetration;
        }
        count[k] = pawl_sim_contact_count(r.sim);
        CHECK(count[k] <= MOST);
        for (int i = 0; i < count[k]; ++i) {
            kept[k][i] = pawl_sim_contact(r.sim, i);
            modes[kept[k][i].mode]++;
        }
        total += count[k];
    }
    CHECK_OK(recording_close(&r));
    CHECK(total > STEPS && modes[PAWL_CONTACT_STICK] > 0 && modes[PAWL_CONTACT_SLIP] > 0);
    double *frame = read_all(path, "/contact/frame", (STEPS + 1) * 4);
    double *pair = read_all(path, "/contact/pair", total * 5);
    double *point = read_all(path, "/contact/point", total * 10);
    for (int k = 0, row = 0; k <= STEPS; ++k) {
        CHECK(frame[4 * k] == row && frame[4 * k + 1] == count[k]);
        CHECK(frame[4 * k + 2] == depth[k]);
        double force = 0.0;
        for (int i = 0; i < count[k]; ++i, ++row) {
            const pawl_contact_info *c = &kept[k][i];
            const double *p = pair + 5 * row;
            CHECK(p[0] == pawl_body_index(c->body_a) && p[1] == pawl_body_index(c->body_b) &&
                  p[2] == pawl_shape_index(c->shape_a));
            CHECK(p[3] == pawl_shape_index(c->shape_b) && p[4] == (double)c->mode);
            CHECK_INT(memcmp(point + 10 * row, &c->position, sizeof c->position), 0);
            CHECK_INT(memcmp(point + 10 * row + 3, &c->normal, sizeof c->normal), 0);
            CHECK_INT(memcmp(point + 10 * row + 6, &c->force, sizeof c->force), 0);
            CHECK(point[10 * row + 9] == c->gap);
            force += c->force.z; // the ground is level
        }
        CHECK_NEAR(frame[4 * k + 3], force, 1e-12 * force);
    }
    free(frame);
    free(pair);
    free(point);
    pawl_record *record;
    pawl_state *state;
    pawl_verdict verdict;
    CHECK_OK(pawl_record_open(&t.env, path, &record));
    CHECK_OK(pawl_state_create(&t.env, r.model, &state));
    CHECK_OK(pawl_record_last_state(record, state, &verdict));
    CHECK(verdict.penetration == r.verdict.penetration && verdict.penetration > 0.0);
    CHECK_INT(verdict.contacts_max, r.verdict.contacts_max);
    CHECK_INT(verdict.contacts_sum, total);
    CHECK_INT(pawl_shape_index(verdict.worst_shape_a), 0);
    CHECK(pawl_shape_same(verdict.worst_shape_b, r.verdict.worst_shape_b));
    pawl_state_destroy(state);
    pawl_record_close(record);
    recording_end(&r);
    CHECK_NO_LEAK(&t);
}

// A step at this speed is 10 m, twenty times the way to the ground, whose soft contact stops nothing before it is
// violated.
static void throw_through_the_floor(recording *r)
{
    pawl_state *state;
    CHECK_OK(pawl_state_create(r->env, r->model, &state));
    pawl_state_copy(state, pawl_sim_state(r->sim));
    pawl_state_set_pose(state, pawl_model_body_at(pawl_state_model(state), 0),
                        (pawl_pose){{0, 0, 0.5}, {1, 0, 0, 0}});
    pawl_state_set_twist(state, pawl_model_body_at(pawl_state_model(state), 0),
                         (pawl_twist){{0, 0, -1000.0}, {0, 0, 0}});
    CHECK_OK(pawl_sim_set_state(r->sim, state));
    pawl_state_destroy(state);
}

// The sim itself is the reference.
TEST(events_are_recorded_whether_a_frame_is_due_or_not)
{
    enum { STEPS = 9 };
    test_env t;
    test_env_init(&t);
    char path[256];
    test_path("events.h5", path, sizeof path);
    recording r;
    recording_begin_crate(&r, &t.env, 1e-2);
    pawl_settings settings = *pawl_sim_settings(r.sim);
    settings.stepper = PAWL_STEPPER_MOREAU;
    settings.soft.contact = 0.02;
    pawl_sim_destroy(r.sim);
    CHECK_OK(pawl_sim_create(&t.env, r.model, &settings, &r.sim));
    CHECK_OK(recording_create(&r, path, 0.05, 2));
    pawl_event seen[STEPS];
    int count = 0;
    for (int k = 1; k <= STEPS; ++k) {
        if (k == 2 || k == 7) {
            throw_through_the_floor(&r);
        }
        if (k == 5) { // go on in the file
            CHECK_OK(recording_close(&r));
            CHECK_OK(recording_resume(&r, path));
        }
        CHECK_OK(recording_run(&r, k));
        for (int i = 0; i < pawl_sim_event_count(r.sim); ++i) {
            CHECK(count < STEPS);
            seen[count++] = pawl_sim_event(r.sim, i);
        }
    }
    CHECK_OK(recording_close(&r));
    CHECK_INT(count, 2);
    CHECK_INT(r.verdict.events[PAWL_EVENT_TUNNELLED], 2);
    double *what = read_all(path, "/event/what", (int64_t)5 * count);
    double *instant = read_all(path, "/event/instant", (int64_t)2 * count);
    for (int i = 0; i < count; ++i) {
        CHECK_INT(what[5 * i], PAWL_EVENT_TUNNELLED);
        CHECK_INT(what[5 * i + 1], pawl_shape_index(seen[i].shape_a));
        CHECK_INT(what[5 * i + 2], pawl_shape_index(seen[i].shape_b));
        CHECK_INT(what[5 * i + 3], -1);
        CHECK_INT(what[5 * i + 4], -1);
        CHECK_NEAR(instant[2 * i], i == 0 ? 0.02 : 0.07, 1e-15); // the ends of their steps
        CHECK(instant[2 * i + 1] == 1.0);
    }
    free(what);
    free(instant);
    pawl_record *record;
    CHECK_OK(pawl_record_open(&t.env, path, &record));
    pawl_verdict verdict;
    pawl_state *state;
    CHECK_OK(pawl_state_create(&t.env, r.model, &state));
    CHECK_OK(pawl_record_last_state(record, state, &verdict));
    CHECK_INT(verdict.events[PAWL_EVENT_TUNNELLED], 2);
    pawl_record_close(record);
    pawl_state_destroy(state);
    recording_end(&r);
    CHECK_NO_LEAK(&t);
}

// Written by the last version before events were recorded.
TEST(recordings_from_before_events_are_read_but_not_continued)
{
    test_env t;
    test_env_init(&t);
    const char *old = "tests/data/recordings/format3.h5";
    char page[256], copy[256];
    test_path("format3.html", page, sizeof page);
    CHECK_INT(frame_count(&t.env, old), 3);
    CHECK_OK(pawl_report_write(&t.env, old, page));
    test_path("format3.h5", copy, sizeof copy);
    size_t size;
    unsigned char *bytes = read_file(old, &size);
    write_file(copy, bytes, size);
    free(bytes);
    pawl_model *model;
    pawl_load_options options = pawl_load_options_default();
    CHECK_OK(pawl_model_load(&t.env, "models/classics/D8-bouncing-ball.sdf", &options, &model));
    pawl_record *record;
    CHECK_OK(pawl_record_open(&t.env, copy, &record));
    pawl_settings settings = pawl_record_settings(record);
    pawl_state *state;
    CHECK_OK(pawl_state_create(&t.env, model, &state));
    CHECK_OK(pawl_record_last_state(record, state, NULL));
    pawl_record_close(record);
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
    CHECK_OK(pawl_sim_set_state(sim, state));
    pawl_recorder *recorder;
    CHECK_STATUS(pawl_recorder_append(&t.env, copy, sim, &recorder), PAWL_UNSUPPORTED);
    CHECK_MESSAGE(&t, "recording format 3 can be read");
    pawl_sim_destroy(sim);
    pawl_state_destroy(state);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}

// 0.01 s at steps of 0.003 s: frames at the first steps at or past each multiple, and the end.
TEST(an_interval_thins_frames_but_no_residual_is_lost)
{
    test_env t;
    test_env_init(&t);
    char path[256];
    test_path("interval.h5", path, sizeof path);
    recording r;
    recording_begin(&r, &t.env, "pendulum", 3e-3);
    CHECK_OK(recording_create(&r, path, 0.01, 4));
    CHECK_OK(recording_run(&r, 15));
    double worst = r.verdict.residual.natural_scaled;
    CHECK_OK(recording_close(&r));
    const double expected[] = {0, 4, 7, 10, 14, 15};
    double *steps = read_all(path, "/step", 6);
    CHECK_INT(memcmp(steps, expected, sizeof expected), 0);
    double *residuals = read_all(path, "/residuals", 6 * 12);
    double most = 0.0;
    for (int k = 0; k < 6; ++k) {
        most = fmax(most, residuals[12 * k]);
    }
    CHECK(most == worst);
    free(residuals);
    free(steps);
    recording_end(&r);
    CHECK_NO_LEAK(&t);
}

TEST(the_head_shows_model_settings_and_verdict)
{
    test_env t;
    test_env_init(&t);
    char path[256];
    test_path("head.h5", path, sizeof path);
    recording r;
    recording_begin(&r, &t.env, "pendulum", 7e-4);
    CHECK_OK(recording_create(&r, path, 0.0, 8));
    CHECK_OK(recording_run(&r, 30));
    CHECK_OK(recording_close(&r));
    pawl_record *record;
    CHECK_OK(pawl_record_open(&t.env, path, &record));
    CHECK_TEXT(pawl_record_model_path(record), "models/none.sdf");
    CHECK(pawl_record_model_hash(record) == pawl_model_hash(r.model));
    CHECK(pawl_record_settings(record).dt == 7e-4);
    pawl_state *state;
    CHECK_OK(pawl_state_create(&t.env, r.model, &state));
    pawl_verdict verdict;
    CHECK_OK(pawl_record_last_state(record, state, &verdict));
    CHECK(pawl_state_hash(state) == pawl_state_hash(pawl_sim_state(r.sim)));
    CHECK_INT(verdict.steps, 30);
    CHECK(verdict.balance_max == r.verdict.balance_max);
    CHECK(pawl_joint_same(verdict.closure.worst_joint, r.verdict.closure.worst_joint));
    CHECK(verdict.residual.natural_scaled == r.verdict.residual.natural_scaled);
    pawl_state_destroy(state);
    pawl_record_close(record);
    recording_end(&r);
    CHECK_NO_LEAK(&t);
}

TEST(hulls_are_recorded_with_their_points)
{
    test_env t;
    test_env_init(&t);
    char path[256];
    test_path("hull.h5", path, sizeof path);
    recording r;
    recording_begin_crate(&r, &t.env, 1e-3);
    CHECK_OK(recording_create(&r, path, 0.0, 8));
    CHECK_OK(recording_close(&r));
    double *size = read_all(path, "/model/hull_size", 1);
    double *points = read_all(path, "/model/hull_points", 3 * RECORDING_GEM_POINTS);
    CHECK(size[0] == RECORDING_GEM_POINTS);
    CHECK_INT(memcmp(points, recording_gem, sizeof recording_gem), 0);
    free(size);
    free(points);
    recording_end(&r);
    CHECK_NO_LEAK(&t);
}

// Counts that do not fit the points, and points that are no numbers or lie in a plane.
TEST(hulls_that_cannot_be_are_refused)
{
    test_env t;
    test_env_init(&t);
    char path[256], page[256];
    test_path("bad-hull.h5", path, sizeof path);
    test_path("bad-hull.html", page, sizeof page);
    static const struct {
        int size;      // 0: leave it
        double height; // of all points, NAN, or -1: leave them
        const char *message;
    } rows[] = {{0, -1.0, NULL},
                {5, -1.0, "/model/hull_points"},
                {3, -1.0, "/model/hull_size"},
                {-1, -1.0, "/model/hull_size"},
                {2000000000, -1.0, "/model/hull_size"},
                {0, (double)NAN, "/model/hull_points"},
                {0, 0.0, "the points of shape 3 make no hull"}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        recording r;
        recording_begin_crate(&r, &t.env, 1e-3);
        (void)unlink(path);
        CHECK_OK(recording_create(&r, path, 0.0, 8));
        recording_end(&r);
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        hid_t set = H5Dopen2(file, "/model/hull_size", H5P_DEFAULT);
        if (rows[k].size != 0) {
            CHECK(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &rows[k].size) >= 0);
        }
        H5Dclose(set);
        set = H5Dopen2(file, "/model/hull_points", H5P_DEFAULT);
        pawl_vec3 points[RECORDING_GEM_POINTS];
        memcpy(points, recording_gem, sizeof points);
        for (int i = 0; i < RECORDING_GEM_POINTS && rows[k].height != -1.0; ++i) {
            points[i].z = rows[k].height;
        }
        CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, points) >= 0);
        H5Dclose(set);
        H5Fclose(file);
        CHECK_STATUS(pawl_report_write(&t.env, path, page),
                     rows[k].message == NULL ? PAWL_OK : PAWL_BAD_FILE);
        if (rows[k].message != NULL) {
            CHECK_MESSAGE(&t, rows[k].message);
        }
    }
    CHECK_NO_LEAK(&t);
}

// ---- Memory -------------------------------------------------------------------------------------

TEST(frames_between_flushes_allocate_nothing)
{
    test_env t;
    test_env_init(&t);
    char path[256];
    test_path("memory.h5", path, sizeof path);
    recording r;
    recording_begin(&r, &t.env, "pendulum", 1e-3);
    CHECK_OK(recording_create(&r, path, 0.0, 1000));
    CHECK_OK(recording_run(&r, 2));
    int64_t calls = t.calls;
    CHECK_OK(recording_run(&r, 900));
    CHECK_INT(t.calls, calls);
    recording_end(&r);
    CHECK_NO_LEAK(&t);
}

typedef struct no_memory_case {
    const char *path;
    const recording *source;
} no_memory_case;

static pawl_status record_a_little(const pawl_env *env, void *argument)
{
    const no_memory_case *c = argument;
    pawl_recorder_options options = pawl_recorder_options_default();
    pawl_recorder *recorder;
    pawl_status status = pawl_recorder_create(env, c->path, c->source->sim, &options, &recorder);
    if (status != PAWL_OK) {
        return status;
    }
    status = pawl_recorder_add(recorder, NULL, &c->source->verdict);
    pawl_status closed = pawl_recorder_close(recorder);
    return status != PAWL_OK ? status : closed;
}

static pawl_status read_a_little(const pawl_env *env, void *argument)
{
    const no_memory_case *c = argument;
    pawl_record *record;
    pawl_status status = pawl_record_open(env, c->path, &record);
    pawl_record_close(record);
    return status;
}

TEST(recorder_and_reader_survive_any_allocation_failing)
{
    test_env t;
    test_env_init(&t);
    char path[256];
    test_path("no-memory.h5", path, sizeof path);
    recording r;
    recording_begin(&r, &t.env, "pendulum", 1e-3);
    no_memory_case c = {path, &r};
    CHECK(CHECK_SURVIVES_NO_MEMORY(record_a_little, &c) > 4);
    CHECK(CHECK_SURVIVES_NO_MEMORY(read_a_little, &c) > 4);
    recording_end(&r);
    recording_begin_crate(&r, &t.env, 1e-3);
    CHECK_OK(recording_run(&r, 50));
    CHECK(pawl_sim_contact_count(r.sim) > 0);
    CHECK(CHECK_SURVIVES_NO_MEMORY(record_a_little, &c) > 4);
    CHECK(CHECK_SURVIVES_NO_MEMORY(read_a_little, &c) > 4);
    recording_end(&r);
    CHECK_NO_LEAK(&t);
}

// ---- Going on -----------------------------------------------------------------------------------

// The uninterrupted run is the reference: same hash, same bytes in every series.
TEST(a_resumed_run_gives_the_bits_of_an_uninterrupted_one)
{
    static const char *const series[] = {"/time",       "/body/pose",      "/joint/position",
                                         "/energy",     "/joint/force",    "/residuals",
                                         "/body/twist", "/actuator/effort"};
    static const int width[] = {1, 14, 2, 11, 12, 12, 12, 1};
    test_env t;
    test_env_init(&t);
    char whole[256], parts[256];
    test_path("whole.h5", whole, sizeof whole);
    test_path("parts.h5", parts, sizeof parts);
    recording a, b;
    recording_begin(&a, &t.env, "pendulum", 1e-3);
    CHECK_OK(recording_create(&a, whole, 0.0, 20));
    CHECK_OK(recording_run(&a, 300));
    CHECK_OK(recording_close(&a));

    recording_begin(&b, &t.env, "pendulum", 1e-3);
    CHECK_OK(recording_create(&b, parts, 0.0, 20));
    CHECK_OK(recording_run(&b, 117));
    recording_end(&b);
    for (int64_t step = 200; step <= 300; step += 100) {
        recording_begin(&b, &t.env, "pendulum", 1e-3);
        CHECK_OK(recording_resume(&b, parts));
        // The command calls this before its first step; the frame must not come twice.
        CHECK_OK(pawl_recorder_add(b.recorder, NULL, &b.verdict));
        CHECK_OK(recording_run(&b, step));
        if (step < 300) {
            recording_end(&b);
        }
    }
    CHECK_OK(recording_close(&b));
    CHECK(pawl_state_hash(pawl_sim_state(a.sim)) == pawl_state_hash(pawl_sim_state(b.sim)));
    CHECK(a.verdict.iterations_sum == b.verdict.iterations_sum);
    CHECK(a.verdict.balance_max == b.verdict.balance_max);
    for (size_t s = 0; s < sizeof width / sizeof width[0]; ++s) {
        check_same_series(whole, parts, series[s], 301 * width[s]);
    }
    recording_end(&a);
    recording_end(&b);
    CHECK_NO_LEAK(&t);
}

TEST(going_on_needs_the_same_model_settings_and_step)
{
    test_env t;
    test_env_init(&t);
    char path[256];
    test_path("other.h5", path, sizeof path);
    recording r;
    recording_begin(&r, &t.env, "pendulum", 1e-3);
    CHECK_OK(recording_create(&r, path, 0.0, 5));
    CHECK_OK(recording_run(&r, 12));
    CHECK_OK(recording_close(&r));
    CHECK_OK(recording_run(&r, 13));
    CHECK_STATUS(pawl_recorder_append(&t.env, path, r.sim, &r.recorder), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&t, "ends at step 12");
    recording_end(&r);

    recording_begin(&r, &t.env, "pendulum", 2e-3);
    CHECK_STATUS(recording_resume(&r, path), PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&t, "dt=");
    recording_end(&r);
    CHECK_NO_LEAK(&t);
}

// ---- Kills --------------------------------------------------------------------------------------

// What a child tells its parent; shared memory survives it.
typedef struct child_report {
    int64_t steps_done; // calls of pawl_recorder_add() that have returned
    int64_t calls;      // of the disk
} child_report;

static child_report *shared_report(void)
{
    void *block =
        mmap(NULL, sizeof(child_report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(block != MAP_FAILED);
    return block;
}

static void begin_either(recording *r, const pawl_env *env, bool crate)
{
    if (crate) {
        recording_begin_crate(r, env, 1e-3);
    } else {
        recording_begin(r, env, "pendulum", 1e-3);
    }
}

// Records 10 steps with a flush every 4 frames: 10 steps and the start make 11 frames.
static void child_records(const char *path, bool crate, int64_t dies_at, child_report *report)
{
    pawl_env env = pawl_env_default();
    recording r;
    begin_either(&r, &env, crate);
    disk_calls = 0;
    disk_dies_at = dies_at;
    pawl_status status = recording_create(&r, path, 0.0, 4);
    for (int64_t k = 0; k < 10 && status == PAWL_OK; ++k) {
        report->steps_done = k + 1;
        status = recording_run(&r, k + 1);
    }
    if (status == PAWL_OK) {
        status = recording_close(&r);
    }
    report->calls = disk_calls;
    _exit(status == PAWL_OK ? 0 : 1);
}

static int run_child(const char *path, bool crate, int64_t dies_at, child_report *report)
{
    *report = (child_report){0};
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        child_records(path, crate, dies_at, report);
    }
    int state = 0;
    CHECK(waitpid(child, &state, 0) == child && WIFEXITED(state));
    return WEXITSTATUS(state);
}

// Every write and every truncation of a run is once the place of death, torn in the middle. The
// file must then hold what the last flush before it, or the one in progress, put there; and the
// run that goes on from it must end in the bits of the undisturbed one.
static void check_cut_short(bool crate)
{
    test_env t;
    test_env_init(&t);
    char path[256], whole[256];
    test_path("cut.h5", path, sizeof path);
    test_path("uncut.h5", whole, sizeof whole);
    child_report *report = shared_report();
    CHECK_INT(run_child(whole, crate, 0, report), 0);
    const int64_t calls = report->calls;
    CHECK(calls > 50);
    int resumed = 0;
    for (int64_t n = 1; n <= calls; ++n) {
        (void)unlink(path);
        CHECK_INT(run_child(path, crate, n, report), 7);
        // Frames added when the last flush was complete for certain: the first, then fourth ones.
        int64_t added = report->steps_done; // the start, and all steps but the one in progress
        int64_t sure = added < 4 ? 1 : added / 4 * 4;
        if (report->steps_done == 0) {
            if (access(path, F_OK) != 0) {
                continue; // before the first frame there is no file
            }
        }
        int64_t frames = frame_count(&t.env, path);
        int64_t in_progress = added < 4 && (added + 1) % 4 != 0 ? 1 : (added + 1) / 4 * 4;
        // Closing flushes what is left.
        CHECK(frames == sure || frames == in_progress || (added == 10 && frames == 11));
        if (n % 9 == 0) {
            recording r;
            begin_either(&r, &t.env, crate);
            CHECK_OK(recording_resume(&r, path));
            CHECK_OK(recording_run(&r, 10));
            CHECK_OK(recording_close(&r));
            check_same_series(whole, path, "/body/pose", 11 * 14);
            check_same_series(whole, path, "/residuals", 11 * 12);
            check_same_series(whole, path, "/contact/frame", 11 * 4);
            if (crate) {
                check_same_series(whole, path, "/contact/pair", 5 * r.verdict.contacts_sum);
                check_same_series(whole, path, "/contact/point", 10 * r.verdict.contacts_sum);
            }
            recording_end(&r);
            ++resumed;
        }
    }
    CHECK(resumed > 5);
    munmap(report, sizeof *report);
    CHECK_NO_LEAK(&t);
}

TEST(a_run_cut_short_at_any_write_keeps_all_it_had_flushed)
{
    check_cut_short(false);
}

TEST(a_run_with_contacts_cut_short_at_any_write_keeps_all_it_had_flushed)
{
    check_cut_short(true);
}

// The same from outside, at moments that nobody chose.
TEST(a_killed_run_keeps_all_it_had_flushed)
{
    test_env t;
    test_env_init(&t);
    char path[256];
    test_path("killed.h5", path, sizeof path);
    child_report *report = shared_report();
    srand(20240607);
    for (int round = 0; round < 12; ++round) {
        *report = (child_report){0};
        (void)unlink(path);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            pawl_env env = pawl_env_default();
            recording r;
            recording_begin(&r, &env, "pendulum", 1e-3);
            (void)recording_create(&r, path, 0.0, 3);
            for (int64_t k = 1;; ++k) {
                (void)recording_run(&r, k);
                report->steps_done = k;
            }
        }
        while (report->steps_done < 3) {
            usleep(200);
        }
        usleep((useconds_t)(rand() % 20000));
        kill(child, SIGKILL);
        int state;
        CHECK(waitpid(child, &state, 0) == child && WIFSIGNALED(state));
        int64_t frames = frame_count(&t.env, path);
        CHECK(frames >= (report->steps_done + 1) / 3 * 3);
    }
    munmap(report, sizeof *report);
    CHECK_NO_LEAK(&t);
}

// ---- Files that cannot be written ---------------------------------------------------------------

TEST(an_existing_file_stays_until_there_is_a_first_frame)
{
    test_env t;
    test_env_init(&t);
    char path[256], part[256];
    test_path("existing.h5", path, sizeof path);
    test_path("existing.h5.part", part, sizeof part);
    recording r;
    recording_begin(&r, &t.env, "pendulum", 1e-3);
    CHECK_OK(recording_create(&r, path, 0.0, 5));
    CHECK_OK(recording_run(&r, 7));
    CHECK_OK(recording_close(&r));
    pawl_recorder_options options = pawl_recorder_options_default();
    pawl_recorder *second;
    CHECK_OK(pawl_recorder_create(&t.env, path, r.sim, &options, &second));
    CHECK_INT(frame_count(&t.env, path), 8);
    CHECK_OK(pawl_recorder_close(second)); // without a frame
    CHECK_INT(frame_count(&t.env, path), 8);
    CHECK(access(part, F_OK) != 0);
    CHECK_OK(pawl_recorder_create(&t.env, path, r.sim, &options, &second));
    CHECK_OK(pawl_recorder_add(second, NULL, &r.verdict));
    CHECK_INT(frame_count(&t.env, path), 1); // and it can be read while it is being written
    CHECK_OK(pawl_recorder_close(second));
    recording_end(&r);
    CHECK_NO_LEAK(&t);
}

TEST(two_runs_cannot_record_to_one_file)
{
    test_env t;
    test_env_init(&t);
    char path[256];
    test_path("twice.h5", path, sizeof path);
    recording r;
    recording_begin(&r, &t.env, "pendulum", 1e-3);
    CHECK_OK(recording_create(&r, path, 0.0, 5));
    pawl_recorder_options options = pawl_recorder_options_default();
    pawl_recorder *second;
    CHECK_STATUS(pawl_recorder_create(&t.env, path, r.sim, &options, &second), PAWL_IO_ERROR);
    CHECK_MESSAGE(&t, "another run");
    CHECK(second == NULL);
    CHECK_STATUS(pawl_recorder_append(&t.env, path, r.sim, &second), PAWL_IO_ERROR);
    CHECK_OK(recording_run(&r, 5));
    recording_end(&r);
    CHECK_NO_LEAK(&t);
}

TEST(places_that_cannot_hold_a_recording_are_refused)
{
    test_env t;
    test_env_init(&t);
    char path[256], file[300];
    test_path("folder", path, sizeof path);
    recording r;
    recording_begin(&r, &t.env, "pendulum", 1e-3);
    CHECK_STATUS(recording_create(&r, "no/such/folder/run.h5", 0.0, 5), PAWL_IO_ERROR);
    CHECK_MESSAGE(&t, "No such file or directory");
    CHECK_STATUS(recording_create(&r, "/dev/null", 0.0, 5), PAWL_IO_ERROR);
    CHECK_STATUS(recording_create(&r, ".", 0.0, 5), PAWL_IO_ERROR);
    CHECK_MESSAGE(&t, "folder");
    CHECK_INT(mkdir(path, 0555), 0);
    snprintf(file, sizeof file, "%s/run.h5", path);
    if (geteuid() != 0) { // the superuser may write anywhere
        CHECK_STATUS(recording_create(&r, file, 0.0, 5), PAWL_IO_ERROR);
    }
    CHECK_INT(rmdir(path), 0);
    pawl_recorder_options options = pawl_recorder_options_default();
    options.flush_frames = 0;
    CHECK_STATUS(pawl_recorder_create(&t.env, "x.h5", r.sim, &options, &r.recorder),
                 PAWL_BAD_ARGUMENT);
    options = pawl_recorder_options_default();
    options.interval = NAN;
    CHECK_STATUS(pawl_recorder_create(&t.env, "x.h5", r.sim, &options, &r.recorder),
                 PAWL_BAD_ARGUMENT);
    recording_end(&r);
    CHECK_NO_LEAK(&t);
}

// A limit on the size of files stands for a full disk: writes beyond it fail.
TEST(a_full_disk_is_reported_and_what_was_flushed_stays)
{
    test_env t;
    test_env_init(&t);
    char path[256];
    test_path("full.h5", path, sizeof path);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        pawl_env env = pawl_env_default();
        recording r;
        recording_begin(&r, &env, "pendulum", 1e-3);
        pawl_status status = recording_create(&r, path, 0.0, 10);
        const struct rlimit limit = {200000, 200000};
        if (status != PAWL_OK || setrlimit(RLIMIT_FSIZE, &limit) != 0) {
            _exit(1);
        }
        status = recording_run(&r, 100000);
        _exit(status == PAWL_IO_ERROR &&
                      pawl_recorder_add(r.recorder, NULL, &r.verdict) == status &&
                      recording_close(&r) == status
                  ? 0
                  : 2);
    }
    int state;
    CHECK(waitpid(child, &state, 0) == child && WIFEXITED(state));
    CHECK_INT(WEXITSTATUS(state), 0);
    int64_t frames = frame_count(&t.env, path);
    CHECK(frames >= 10 && frames % 10 == 0);
    recording r;
    recording_begin(&r, &t.env, "pendulum", 1e-3);
    CHECK_OK(recording_resume(&r, path));
    CHECK_OK(recording_run(&r, frames + 20));
    recording_end(&r);
    CHECK_INT(frame_count(&t.env, path), frames + 21);
    CHECK_NO_LEAK(&t);
}

// ---- Files that are no recordings ---------------------------------------------------------------

TEST(what_is_no_recording_is_refused_with_a_reason)
{
    test_env t;
    test_env_init(&t);
    char path[256];
    test_path("bad.h5", path, sizeof path);
    pawl_record *record;
    CHECK_STATUS(pawl_record_open(&t.env, "no-such-file.h5", &record), PAWL_BAD_FILE);
    CHECK_MESSAGE(&t, "No such file");
    CHECK_STATUS(pawl_record_open(&t.env, ".", &record), PAWL_BAD_FILE);
    write_file(path, "", 0);
    CHECK_STATUS(pawl_record_open(&t.env, path, &record), PAWL_BAD_FILE);
    write_file(path, "this is text, not HDF5, and a little longer than a signature\n", 61);
    CHECK_STATUS(pawl_record_open(&t.env, path, &record), PAWL_BAD_FILE);
    CHECK(record == NULL);
    CHECK_INT(t.messages[PAWL_LOG_ERROR], 4);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    CHECK_STATUS(pawl_record_open(&t.env, path, &record), PAWL_BAD_FILE);
    CHECK_MESSAGE(&t, "format");
    CHECK_NO_LEAK(&t);
}

// Truncations and random damage: an error or a record that can be read, never a crash. Sanitized
// builds give this test its teeth.
static void check_damage(bool crate)
{
    test_env t;
    test_env_init(&t);
    char path[256], page[256];
    test_path("damaged.h5", path, sizeof path);
    test_path("damaged.html", page, sizeof page);
    recording r;
    begin_either(&r, &t.env, crate);
    CHECK_OK(recording_create(&r, path, 0.0, 10));
    CHECK_OK(recording_run(&r, 40));
    CHECK_OK(recording_close(&r));
    pawl_state *state;
    CHECK_OK(pawl_state_create(&t.env, r.model, &state));
    size_t size;
    unsigned char *good = read_file(path, &size), *bad = malloc(size);
    srand(99);
    int opened = 0;
    for (int round = 0; round < 400; ++round) {
        memcpy(bad, good, size);
        size_t length = size;
        if (round % 4 == 0) {
            length = (size_t)rand() % size;
        }
        for (int k = 0; k < 1 + round % 8; ++k) {
            // The front of the file holds most of what HDF5 interprets.
            size_t at = (size_t)rand() % (k % 2 == 0 ? size : size / 8);
            bad[at] = (unsigned char)(round % 3 == 0 ? 0xff : rand());
        }
        write_file(path, bad, length);
        pawl_record *record;
        if (pawl_record_open(&t.env, path, &record) == PAWL_OK) {
            ++opened;
            (void)pawl_record_last_state(record, state, NULL);
            pawl_record_close(record);
            (void)pawl_report_write(&t.env, path, page);
        }
    }
    CHECK(opened > 0 && opened < 400);
    free(good);
    free(bad);
    pawl_state_destroy(state);
    recording_end(&r);
    CHECK_NO_LEAK(&t);
}

TEST(damaged_recordings_are_refused_or_read)
{
    check_damage(false);
    check_damage(true);
}
