// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The viewer's simulation and its thread. The thread executes the commands of pages, steps up to the time given by
// the clock and the speed, and publishes a frame at most 60 times a second. Publishing swaps two buffers under a lock
// that the server holds only while it copies one, so the simulation's speed does not depend on the viewers.
#define _POSIX_C_SOURCE 200809L
#include "serve/view_session.h"
#include "base/env.h"
#include "serve/view_document.h"
#include "serve/view_pane.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { SESSION_QUEUE = 512, SESSION_NOTE = 600, SESSION_PATH = 4096 };
static const double session_interval = 1.0 / 60.0; // between frames [s]

// Something that pages get a copy of.
typedef struct session_page {
    view_bytes bytes;
    uint32_t number; // grows with each version; 0: there is none yet
} session_page;

struct view_session {
    pawl_env env; // its log becomes notes for pages
    const pawl_env *caller;
    const pawl_viewer_options *options; // of the view, which outlives the session
    void (*wake)(void *user);
    void *user;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock; // of what follows
    pthread_cond_t asked;
    bool quit;
    int viewers;
    view_command queue[SESSION_QUEUE];
    int queue_first, queue_count;
    session_page frame, document, state;
    view_counts counts;
    // The thread's own from here on.
    view_bytes draft;
    pawl_model *model;
    char model_path[SESSION_PATH], recording[SESSION_PATH];
    view_pane panes[VIEW_PANES];
    int pane_count;
    view_inputs inputs;
    view_grip grip;
    bool running, state_stale, frame_stale;
    uint32_t steps_left;
    double speed;
    double base_wall, base_time; // the clock and the simulated time go along from here
    double next_frame;           // when it is due, by the clock
    double frame_cpu;            // of the thread, for frames [s]
    double rate_wall, rate_time, real_time;
    uint32_t sequence;
    char note[SESSION_NOTE];
    uint32_t note_number;
};

static double session_clock(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double session_now(void)
{
    return session_clock(CLOCK_MONOTONIC);
}

// ---- notes ------------------------------------------------------------------------------------------

static void session_note(view_session *s, const char *text)
{
    (void)snprintf(s->note, sizeof s->note, "%s", text);
    ++s->note_number;
    s->state_stale = true;
}

// What the library logs while the thread runs is for the pages; before that, for the caller.
static void session_log(void *user, pawl_log_level level, const char *message)
{
    view_session *s = user;
    if (!s->started) {
        if (s->caller->log != NULL) {
            s->caller->log(s->caller->user, level, message);
        }
    } else if (level != PAWL_LOG_NOTE) {
        session_note(s, message);
    }
}

static void *session_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    view_session *s = user;
    return s->caller->resize(s->caller->user, block, old_size, new_size);
}

// ---- the model and its panes -------------------------------------------------------------------------

static void session_close_model(view_session *s)
{
    for (int p = 0; p < s->pane_count; ++p) {
        view_pane_destroy(&s->panes[p]);
    }
    s->pane_count = 0;
    if (s->inputs.actuators != NULL) {
        pawl_free(&s->env, s->inputs.actuators,
                  (size_t)s->inputs.actuator_count * sizeof *s->inputs.actuators);
    }
    s->inputs = (view_inputs){.friction = 1.0};
    s->grip = (view_grip){.body = -1};
    s->recording[0] = '\0';
    pawl_model_destroy(s->model);
    s->model = NULL;
    s->running = false;
    s->steps_left = 0;
}

// The clock and the simulated time go along from now on.
static void session_rebase(view_session *s)
{
    s->base_wall = session_now();
    s->base_time = s->pane_count > 0 ? pawl_state_time(pawl_sim_state(s->panes[0].sim)) : 0.0;
    s->rate_wall = s->base_wall;
    s->rate_time = s->base_time;
}

static void session_publish(view_session *s, session_page *page)
{
    (void)pthread_mutex_lock(&s->lock);
    view_bytes old = page->bytes;
    page->bytes = s->draft;
    ++page->number;
    s->draft = old;
    (void)pthread_mutex_unlock(&s->lock);
    s->draft.size = 0;
    if (s->wake != NULL && s->started) {
        s->wake(s->user);
    }
}

static pawl_status session_show(view_session *s)
{
    s->draft.size = 0;
    if (s->model != NULL) {
        PAWL_TRY(view_document_model(&s->env, s->model, &s->options->settings, &s->draft));
    } else {
        PAWL_TRY(view_document_gallery(&s->env, s->options->gallery, s->options->gallery_count,
                                       &s->draft));
    }
    view_set_u32(&s->draft, 4,
                 s->document.number + 1); // frames name the document that they belong to
    session_publish(s, &s->document);
    s->state_stale = s->frame_stale = true;
    return PAWL_OK;
}

// Takes the place of the model that is open, if all goes well.
static pawl_status session_open(view_session *s, const char *path)
{
    pawl_model *model = NULL;
    view_pane pane;
    PAWL_TRY(pawl_model_load(&s->env, path, s->options->load, &model));
    pawl_status status = view_pane_create(&s->env, model, &s->options->settings, NULL, &pane);
    int actuators = pawl_model_actuator_count(model);
    struct view_actuator *inputs = NULL;
    if (status == PAWL_OK && actuators > 0) {
        inputs = pawl_alloc(&s->env, (size_t)actuators * sizeof *inputs);
        status = inputs != NULL ? PAWL_OK
                                : PAWL_FAIL(&s->env, PAWL_NO_MEMORY, "no memory for the inputs");
        if (status != PAWL_OK) {
            view_pane_destroy(&pane);
        }
    }
    if (status != PAWL_OK) {
        pawl_model_destroy(model);
        return status;
    }
    session_close_model(s);
    s->model = model;
    s->inputs.actuators = inputs;
    s->inputs.actuator_count = actuators;
    s->panes[0] = pane;
    s->pane_count = 1;
    (void)snprintf(s->model_path, sizeof s->model_path, "%s", path);
    s->running = s->options->running;
    session_rebase(s);
    return session_show(s);
}

// ---- commands ----------------------------------------------------------------------------------------

static pawl_status session_compare(view_session *s, bool on)
{
    if (on && s->pane_count == 1) {
        PAWL_TRY(view_pane_create(&s->env, s->model, NULL, &s->panes[0], &s->panes[1]));
        s->pane_count = 2;
    } else if (!on && s->pane_count == 2) {
        s->pane_count = 1;
        view_pane_destroy(&s->panes[1]);
    }
    return PAWL_OK;
}

// A name that no file has yet: the model's, and a number.
static pawl_status session_record(view_session *s, bool on)
{
    pawl_status status = PAWL_OK;
    if (!on) {
        for (int p = 0; p < s->pane_count; ++p) {
            pawl_status closed = view_pane_end_record(&s->panes[p]);
            status = status == PAWL_OK ? closed : status;
        }
        s->recording[0] = '\0';
        return status;
    }
    char name[128];
    size_t length = 0;
    for (const char *c = pawl_model_name(s->model); *c != '\0' && length + 1 < sizeof name; ++c) {
        bool plain =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        name[length++] = plain ? *c : '-';
    }
    name[length] = '\0';
    struct stat info;
    for (int number = 1; number < 10000; ++number) {
        (void)snprintf(s->recording, sizeof s->recording, "%s/%s-%d.h5", s->options->output_folder,
                       name, number);
        if (stat(s->recording, &info) != 0) {
            break;
        }
    }
    status = view_pane_record(&s->panes[0], s->recording, s->model_path);
    if (status != PAWL_OK) {
        (void)view_pane_end_record(&s->panes[0]);
        s->recording[0] = '\0';
    }
    return status;
}

static pawl_status session_reset(view_session *s)
{
    s->recording[0] = '\0';
    for (int p = 0; p < s->pane_count; ++p) {
        PAWL_TRY(view_pane_reset(&s->panes[p], &s->inputs));
    }
    return PAWL_OK;
}

static pawl_status session_set(view_session *s, const view_command *c)
{
    for (int p = 0; p < s->pane_count; ++p) {
        if ((c->panes & 1U << p) != 0) {
            PAWL_TRY(view_pane_set(&s->panes[p], c->key, c->text));
            if (p == 0) {
                s->recording[0] = '\0';
            }
        }
    }
    return PAWL_OK;
}

static pawl_status session_grab(view_session *s, const view_command *c)
{
    if (c->index >= (uint32_t)pawl_model_body_count(s->model)) {
        return PAWL_OK; // of a page that still shows another model
    }
    if (s->grip.held && s->grip.body != (int)c->index) { // one pull at a time: the last one counts
        for (int p = 0; p < s->pane_count; ++p) {
            PAWL_TRY(view_pane_apply(&s->panes[p], &s->inputs));
        }
    }
    const double *v = c->value;
    s->grip = (view_grip){.held = true,
                          .body = (int)c->index,
                          .point = {v[0], v[1], v[2]},
                          .target = {v[3], v[4], v[5]}};
    return PAWL_OK;
}

// Changes of inputs, into what all panes have.
static pawl_status session_input(view_session *s, const view_command *c)
{
    const double *v = c->value;
    struct view_actuator *a =
        c->index < (uint32_t)s->inputs.actuator_count ? &s->inputs.actuators[c->index] : NULL;
    if (c->kind == VIEW_FRICTION) {
        s->inputs.friction = v[0];
    } else if (c->kind == VIEW_GRAVITY) {
        s->inputs.gravity_set = true;
        s->inputs.gravity = (pawl_vec3){v[0], v[1], v[2]};
    } else if (c->kind == VIEW_CLEAR_INPUTS) {
        s->inputs.friction = 1.0;
        s->inputs.gravity_set = false;
        for (int i = 0; i < s->inputs.actuator_count; ++i) {
            s->inputs.actuators[i] = (struct view_actuator){0};
        }
    } else if (a != NULL && c->kind == VIEW_GAINS) {
        a->gains_set = true, a->stiffness = v[0], a->damping = v[1];
    } else if (a != NULL) {
        a->target_set = c->kind == VIEW_TARGET;
        a->target = v[0];
    }
    for (int p = 0; p < s->pane_count; ++p) {
        PAWL_TRY(view_pane_apply(&s->panes[p], &s->inputs));
    }
    return PAWL_OK;
}

static pawl_status session_choose(view_session *s, uint32_t index)
{
    if (index < (uint32_t)s->options->gallery_count) {
        char path[SESSION_PATH];
        (void)snprintf(path, sizeof path, "%s/%s", s->options->gallery_folder,
                       s->options->gallery[index]);
        return session_open(s, path);
    }
    if (s->options->gallery_count > 0 && index == UINT32_MAX) {
        session_close_model(s);
        return session_show(s);
    }
    return PAWL_OK;
}

static pawl_status session_obey(view_session *s, const view_command *c)
{
    s->state_stale = s->frame_stale = true;
    if (c->kind == VIEW_OPEN) {
        return session_choose(s, c->index);
    }
    if (s->model == NULL) {
        return PAWL_OK;
    }
    switch (c->kind) {
    case VIEW_RUN:
        s->running = c->index != 0;
        session_rebase(s);
        return PAWL_OK;
    case VIEW_STEP:
        s->running = false;
        s->steps_left = c->index;
        return PAWL_OK;
    case VIEW_SPEED:
        s->speed = c->value[0];
        session_rebase(s);
        return PAWL_OK;
    case VIEW_RESET:
        PAWL_TRY(session_reset(s));
        session_rebase(s);
        return PAWL_OK;
    case VIEW_SET:
        return session_set(s, c);
    case VIEW_GRAB:
        s->state_stale = false;
        return session_grab(s, c);
    case VIEW_RELEASE:
        s->grip.held = false;
        return PAWL_OK;
    case VIEW_RECORD:
        return session_record(s, c->index != 0);
    case VIEW_COMPARE:
        return session_compare(s, c->index != 0);
    default:
        return session_input(s, c);
    }
}

// Executes all commands of the queue. False: the session is to end.
static bool session_take(view_session *s)
{
    for (;;) {
        (void)pthread_mutex_lock(&s->lock);
        bool quit = s->quit, any = s->queue_count > 0;
        view_command command = {0};
        if (any) {
            command = s->queue[s->queue_first];
            s->queue_first = (s->queue_first + 1) % SESSION_QUEUE;
            --s->queue_count;
        }
        (void)pthread_mutex_unlock(&s->lock);
        if (quit || !any) {
            return !quit;
        }
        uint32_t notes = s->note_number;
        pawl_status status = session_obey(s, &command);
        if (status != PAWL_OK && s->note_number == notes) {
            session_note(s, pawl_status_name(status));
        }
    }
}

// ---- stepping ----------------------------------------------------------------------------------------

// One step of the pane whose time is least, so that both stay together.
static bool session_step(view_session *s)
{
    int p = 0;
    if (s->pane_count == 2 && pawl_state_time(pawl_sim_state(s->panes[1].sim)) <
                                  pawl_state_time(pawl_sim_state(s->panes[0].sim)) - 1e-12) {
        p = 1;
    }
    uint32_t notes = s->note_number;
    pawl_status status = view_pane_step(&s->panes[p], &s->grip);
    s->frame_stale = true;
    if (status != PAWL_OK) {
        s->running = false;
        s->steps_left = 0;
        if (s->note_number == notes) {
            session_note(s, pawl_status_name(status));
        }
        s->state_stale = true;
        return false;
    }
    return true;
}

static double session_time(const view_session *s)
{
    double time = pawl_state_time(pawl_sim_state(s->panes[0].sim));
    if (s->pane_count == 2) {
        time = fmin(time, pawl_state_time(pawl_sim_state(s->panes[1].sim)));
    }
    return time;
}

// Steps until the simulated time is where the clock wants it, or a frame is due. Returns how many.
static int64_t session_advance(view_session *s)
{
    // Up to the next frame and not for a whole interval: what the last step takes beyond the frame's time would
    // otherwise delay each frame, and steps of 2 ms left 56 frames a second.
    double begun = session_now();
    double until = s->next_frame > begun ? s->next_frame : begun + session_interval;
    double wanted = s->speed > 0.0 ? s->base_time + s->speed * (begun - s->base_wall) : INFINITY;
    int64_t steps = 0;
    double now = begun;
    while (now < until && (s->steps_left > 0 || (s->running && session_time(s) < wanted))) {
        if (!session_step(s)) {
            break;
        }
        ++steps;
        s->steps_left -= s->steps_left > 0 && steps % s->pane_count == 0 ? 1 : 0;
        now = session_now();
    }
    if (s->running && s->speed > 0.0 && session_time(s) < wanted - 0.05 * s->speed) {
        s->base_wall = now; // it cannot keep up: no burst when it can again
        s->base_time = session_time(s);
    }
    if (now - s->rate_wall > 0.5) {
        s->real_time = (session_time(s) - s->rate_time) / (now - s->rate_wall);
        s->rate_wall = now;
        s->rate_time = session_time(s);
    }
    return steps;
}

static void session_write_frame(view_session *s)
{
    view_bytes *frame = &s->draft;
    frame->size = 0;
    view_put_u32(frame, VIEW_FRAME | (uint32_t)s->pane_count << 8);
    view_put_u32(frame, s->document.number);
    view_put_u32(frame, ++s->sequence);
    view_put_u32(frame, (uint32_t)pawl_model_body_count(s->model));
    view_put_u32(frame, (uint32_t)pawl_model_joint_count(s->model));
    view_put_u32(frame, s->running ? 1 : 0);
    view_put_f64(frame, session_now());
    for (int p = 0; p < s->pane_count; ++p) {
        view_pane_write(&s->panes[p], s->running ? s->real_time : 0.0, frame);
    }
    if (!frame->failed) {
        session_publish(s, &s->frame);
        s->frame_stale = false;
    }
    frame->failed = false;
}

static void session_write_state(view_session *s)
{
    const char *slash = strrchr(s->recording, '/');
    view_condition condition = {.running = s->running,
                                .model_open = s->model != NULL,
                                .speed = s->speed,
                                .pane_count = s->pane_count,
                                .panes = s->panes,
                                .inputs = &s->inputs,
                                .note = s->note,
                                .note_number = s->note_number,
                                .recording = slash != NULL ? slash + 1 : s->recording};
    s->draft.size = 0;
    if (view_document_state(&s->env, &condition, &s->draft) == PAWL_OK) {
        session_publish(s, &s->state);
        s->state_stale = false;
    }
    s->draft.failed = false;
}

static void session_tell(view_session *s, int64_t steps)
{
    double now = session_now();
    (void)pthread_mutex_lock(&s->lock);
    int viewers = s->viewers;
    s->counts.steps += steps;
    s->counts.cpu = session_clock(CLOCK_THREAD_CPUTIME_ID);
    s->counts.frame_cpu = s->frame_cpu;
    s->counts.clock = now;
    s->counts.time = s->pane_count > 0 ? session_time(s) : 0.0;
    s->counts.running = s->running;
    s->counts.frames = (int64_t)s->sequence;
    (void)pthread_mutex_unlock(&s->lock);
    if (s->state_stale) {
        session_write_state(s);
    }
    if (s->frame_stale && s->model != NULL && viewers > 0 && now >= s->next_frame) {
        double before = session_clock(CLOCK_THREAD_CPUTIME_ID);
        session_write_frame(s);
        s->frame_cpu += session_clock(CLOCK_THREAD_CPUTIME_ID) - before;
        s->next_frame += session_interval; // on the average, whenever the thread comes round
        s->next_frame = s->next_frame < now ? now + 0.5 * session_interval : s->next_frame;
    }
}

static void session_wait(view_session *s)
{
    bool busy = s->steps_left > 0 || (s->running && !(s->speed > 0.0));
    double now = session_now(), until = fmax(s->next_frame, now + 0.001);
    if (s->running && s->speed > 0.0 &&
        session_time(s) < s->base_time + s->speed * (now - s->base_wall)) {
        busy = true; // behind the clock
    }
    (void)pthread_mutex_lock(&s->lock);
    bool idle = !s->running && s->steps_left == 0 && !(s->frame_stale && s->viewers > 0);
    if (!busy && !s->quit && s->queue_count == 0) {
        double whole = floor(until);
        struct timespec when = {.tv_sec = (time_t)whole, .tv_nsec = (long)(1e9 * (until - whole))};
        if (idle) {
            (void)pthread_cond_wait(&s->asked, &s->lock);
        } else {
            (void)pthread_cond_timedwait(&s->asked, &s->lock, &when);
        }
    }
    (void)pthread_mutex_unlock(&s->lock);
}

static void *session_main(void *user)
{
    view_session *s = user;
    while (session_take(s)) {
        int64_t steps =
            s->model != NULL && (s->running || s->steps_left > 0) ? session_advance(s) : 0;
        session_tell(s, steps);
        session_wait(s);
    }
    return NULL;
}

// ---- for the server ----------------------------------------------------------------------------------

static pawl_status session_begin(view_session *s)
{
    s->draft.env = s->frame.bytes.env = s->document.bytes.env = s->state.bytes.env = &s->env;
    session_close_model(s);
    s->speed = s->options->speed;
    if (s->options->model_path != NULL) {
        PAWL_TRY(session_open(s, s->options->model_path));
    } else {
        PAWL_TRY(session_show(s));
    }
    s->started = true;
    if (pthread_create(&s->thread, NULL, session_main, s) != 0) {
        s->started = false;
        return PAWL_FAIL(&s->env, PAWL_IO_ERROR, "no thread for the simulation");
    }
    return PAWL_OK;
}

pawl_status view_session_create(const pawl_env *env, const pawl_viewer_options *options,
                                void (*wake)(void *user), void *user, view_session **out)
{
    *out = NULL;
    view_session *s = pawl_alloc(env, sizeof *s);
    if (s == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the viewer");
    }
    s->caller = env;
    s->env = (pawl_env){.resize = session_resize, .log = session_log, .user = s};
    s->options = options;
    s->wake = wake;
    s->user = user;
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&s->asked, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    (void)pthread_mutex_init(&s->lock, NULL);
    pawl_status status = session_begin(s);
    if (status != PAWL_OK) {
        view_session_destroy(s);
        return status;
    }
    *out = s;
    return PAWL_OK;
}

void view_session_destroy(view_session *s)
{
    if (s == NULL) {
        return;
    }
    if (s->started) {
        (void)pthread_mutex_lock(&s->lock);
        s->quit = true;
        (void)pthread_cond_signal(&s->asked);
        (void)pthread_mutex_unlock(&s->lock);
        (void)pthread_join(s->thread, NULL);
        s->started = false;
    }
    session_close_model(s);
    view_bytes_free(&s->draft);
    view_bytes_free(&s->frame.bytes);
    view_bytes_free(&s->document.bytes);
    view_bytes_free(&s->state.bytes);
    (void)pthread_cond_destroy(&s->asked);
    (void)pthread_mutex_destroy(&s->lock);
    const pawl_env *caller = s->caller;
    pawl_free(caller, s, sizeof *s);
}

bool view_session_ask(view_session *s, const view_command *command)
{
    (void)pthread_mutex_lock(&s->lock);
    bool room = s->queue_count < SESSION_QUEUE;
    if (room) {
        s->queue[(s->queue_first + s->queue_count++) % SESSION_QUEUE] = *command;
        (void)pthread_cond_signal(&s->asked);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return room;
}

static bool session_copy(view_session *s, const session_page *page, uint32_t *seen, view_bytes *out)
{
    (void)pthread_mutex_lock(&s->lock);
    bool newer = page->number != *seen && page->bytes.size > 0;
    if (newer) {
        view_put_text(out, (const char *)page->bytes.data, page->bytes.size);
        *seen = page->number;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return newer && !out->failed;
}

bool view_session_document(view_session *s, uint32_t *seen, view_bytes *out)
{
    return session_copy(s, &s->document, seen, out);
}

bool view_session_frame(view_session *s, uint32_t *seen, view_bytes *out)
{
    return session_copy(s, &s->frame, seen, out);
}

bool view_session_state(view_session *s, uint32_t *seen, view_bytes *out)
{
    return session_copy(s, &s->state, seen, out);
}

void view_session_set_viewers(view_session *s, int viewers)
{
    (void)pthread_mutex_lock(&s->lock);
    s->viewers = viewers;
    (void)pthread_cond_signal(&s->asked);
    (void)pthread_mutex_unlock(&s->lock);
}

view_counts view_session_counts(view_session *s)
{
    (void)pthread_mutex_lock(&s->lock);
    view_counts counts = s->counts;
    (void)pthread_mutex_unlock(&s->lock);
    return counts;
}
