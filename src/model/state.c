// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Creating, copying, hashing, saving and loading states. All numbers of a state are stored in one block, so that each
// of these operations is a plain pass over doubles.
#include "model/state.h"
#include "base/carver.h"
#include "base/guard.h"
#include "base/hash.h"
#include "math/numbers.h"
#include <math.h>
#include <string.h>

// Earlier versions are still read: version 1 has no memory of steppers, version 2 not the step before, version 3
// not which directions of loops are weak, version 4 no inputs, version 5 no factors of masses, version 6 not how the
// impulses of joints change, version 7 not who sleeps, version 8 not the overlaps of the start.
enum {
    STATE_MAGIC = 0x4c574150,
    STATE_VERSION = 9,
    STATE_HEADER_WORDS = 6,
    STATE_SUM_WORD = 5,
    STATE_SPANS = 15,                                  // of this version, see state_spans()
    STATE_EARLIER_SPANS = STATE_SPANS - STATE_VERSION, // version v has v more
    STATE_INPUT_SPAN = 10,                             // which of them has the inputs
    STATE_MASS_SPAN = 11,                              // and the factors of masses
    STATE_CONTACT_SPAN = 6,                            // and the contacts
    STATE_TREND_SPAN = 12,                             // and how impulses change
    STATE_SLEEP_SPAN = 13,                             // and who sleeps
    STATE_OVERLAP_SPAN = 14,                           // and the overlaps of the start
    STATE_BODY_NUMBERS = sizeof(body_state) / sizeof(double)
};

// Where the impulses of each kind of row are in the state's array, for warm starts: fixed places,
// so that rows that come and go keep theirs.
impulse_slots pawl_impulse_slots(const pawl_model *m)
{
    impulse_slots s = {.joints = 0};
    s.softs = s.joints + m->row_count;
    s.springs = s.softs + m->coordinate_count;
    s.actuators = s.springs + 3 * m->spring_count;
    s.frictions = s.actuators + m->actuator_count;
    s.lowers = s.frictions + m->coordinate_count;
    s.uppers = s.lowers + m->coordinate_count;
    s.count = s.uppers + m->coordinate_count;
    return s;
}

static int state_colliders(const pawl_model *m)
{
    int shapes = 0;
    for (int i = 0; i < m->shape_count; ++i) {
        shapes += m->shapes[i].def.visual_only ? 0 : 1;
    }
    return shapes;
}

// Most contacts whose impulses are remembered between steps.
int pawl_contact_memory(const pawl_model *m)
{
    return 16 * state_colliders(m);
}

// A heap has some six neighbours a body, each of which is a pair of two.
static int state_overlap_room(const pawl_model *m)
{
    return 4 * state_colliders(m);
}

static int state_overlap_numbers(const pawl_model *m)
{
    return 1 + (int)(sizeof(state_overlap) / sizeof(double)) * state_overlap_room(m);
}

// A saved state may have any number there.
state_overlaps pawl_state_overlaps(const pawl_state *s)
{
    int room = state_overlap_room(s->model);
    return (state_overlaps){(state_overlap *)(s->overlaps + 1),
                            (int)clamp_to(s->overlaps[0], 0.0, room), room};
}

// Numbers of a remembered contact; torsional and rolling friction have three more.
int pawl_contact_width(const pawl_model *m)
{
    return m->spin_friction ? 7 : 4;
}

// The first number is how many contacts are remembered.
static int state_contact_numbers(const pawl_model *m)
{
    return 1 + pawl_contact_width(m) * pawl_contact_memory(m);
}

// At least as many as its polytope has.
static int state_vertex_count(const pawl_wrench_model_def *d)
{
    switch (d->kind) {
    case PAWL_WRENCH_CUSTOM:
        return d->vertex_count;
    case PAWL_WRENCH_TABLE:
        return d->table.vertex_count;
    case PAWL_WRENCH_PATCH:
        return d->directions * d->rings + 2;
    default:
        return d->directions;
    }
}

// Weights of the vertices of all contact points. A model without contact points may still be run by
// a stepper that makes them from shapes: room for eight corners with six directions per moving
// shape.
static int state_weight_count(const pawl_model *m)
{
    int count = 0;
    for (int i = 0; i < m->contact_point_count; ++i) {
        count += state_vertex_count(&m->wrench_models[m->contact_points[i].wrench_model]);
    }
    for (int i = 0; i < m->shape_count && m->contact_point_count == 0; ++i) {
        enum { CORNERS = 8, DIRECTIONS = 6 };
        bool moves = pawl_body_index(m->shapes[i].body) >= 0 && !m->shapes[i].def.visual_only;
        count += moves ? CORNERS * DIRECTIONS : 0;
    }
    return count;
}

static int state_memory_numbers(const pawl_model *m)
{
    return 1 + 12 * m->body_count + state_weight_count(m);
}

state_memory pawl_state_memory(const pawl_state *s)
{
    double *rates = s->memory + 1;
    return (state_memory){s->memory, rates, rates + 12 * s->model->body_count,
                          state_weight_count(s->model)};
}

static int state_before_numbers(const pawl_model *m)
{
    return 2 + STATE_BODY_NUMBERS * m->body_count;
}

state_before pawl_state_before(const pawl_state *s)
{
    return (state_before){s->before, s->before + 1, (body_state *)(s->before + 2)};
}

// Setting a pose or a twist writes 0 there: the step before then belongs to another motion.
bool pawl_state_knows_before(const pawl_state *s)
{
    return s->step > 0 && s->before[0] == (double)s->step;
}

static int state_trend_numbers(const pawl_model *m)
{
    return 3 + 2 * STATE_TREND_LEVELS * m->row_count;
}

state_trend pawl_state_trend(const pawl_state *s)
{
    double *first = s->trend + 3;
    return (state_trend){s->trend, s->trend + 1, s->trend + 2, first,
                         first + STATE_TREND_LEVELS * s->model->row_count};
}

// A saved state may have any number there.
int pawl_state_trend_levels(const pawl_state *s)
{
    bool known = s->step > 0 && s->trend[0] == (double)s->step;
    return known ? (int)clamp_to(s->trend[1], 0.0, STATE_TREND_LEVELS) : 0;
}

// Inputs and factors of masses stand behind each other as in the state.
static int state_sleep_numbers(const pawl_model *m)
{
    return 1 + m->body_count + pawl_state_input_numbers(m) + 1 + m->body_count;
}

state_sleep pawl_state_sleep(const pawl_state *s)
{
    const pawl_model *m = s->model;
    double *inputs = s->sleep + 1 + m->body_count;
    return (state_sleep){s->sleep, s->sleep + 1, inputs, inputs + pawl_state_input_numbers(m)};
}

// Clusters that there can be at most.
static int state_weak_count(const pawl_model *m)
{
    return 2 * m->joint_count;
}

static int state_weak_numbers(const pawl_model *m)
{
    return 1 + PAWL_STATE_WEAK_WORDS * state_weak_count(m);
}

// Runs twice, to count bytes and to hand out pointers.
static pawl_state *state_layout(const pawl_model *m, pawl_carver *mem)
{
    pawl_state *s = PAWL_CARVE(mem, pawl_state, 1);
    body_state *bodies = PAWL_CARVE(mem, body_state, m->body_count);
    double *coordinates = PAWL_CARVE(mem, double, m->coordinate_count);
    double *impulses = PAWL_CARVE(mem, double, pawl_impulse_slots(m).count);
    double *contacts = PAWL_CARVE(mem, double, state_contact_numbers(m));
    double *memory = PAWL_CARVE(mem, double, state_memory_numbers(m));
    double *before = PAWL_CARVE(mem, double, state_before_numbers(m));
    double *weak = PAWL_CARVE(mem, double, state_weak_numbers(m));
    double *inputs = PAWL_CARVE(mem, double, pawl_state_input_numbers(m));
    double *masses = PAWL_CARVE(mem, double, 1 + m->body_count);
    double *trend = PAWL_CARVE(mem, double, state_trend_numbers(m));
    double *sleep = PAWL_CARVE(mem, double, state_sleep_numbers(m));
    double *overlaps = PAWL_CARVE(mem, double, state_overlap_numbers(m));
    if (s != NULL) {
        s->model = m;
        s->bodies = bodies;
        s->coordinates = coordinates;
        s->impulses = impulses;
        s->contacts = contacts;
        s->memory = memory;
        s->before = before;
        s->weak = weak;
        s->inputs = inputs;
        s->masses = masses;
        s->trend = trend;
        s->sleep = sleep;
        s->overlaps = overlaps;
    }
    return s;
}

size_t pawl_state_bytes(const pawl_model *model)
{
    enum { CACHE_LINE = 64 };
    pawl_carver need = {0};
    state_layout(model, &need);
    return (need.used + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

pawl_status pawl_state_begin(const pawl_env *env, const pawl_model *model, void *block,
                             pawl_state **out)
{
    pawl_carver mem = {.base = block, .capacity = pawl_state_bytes(model)};
    pawl_state *s = state_layout(model, &mem);
    s->env = *env;
    s->bytes = mem.capacity;
    for (int i = 0; i < model->body_count; ++i) {
        const model_body *b = &model->bodies[i];
        s->bodies[i] = (body_state){b->start_pose.position, b->start_pose.orientation,
                                    b->start_twist.linear, b->start_twist.angular};
        if (b->kind == PAWL_BODY_KINEMATIC) {
            pawl_pose pose = pawl_kinematic_pose(b, 0.0);
            pawl_twist twist = pawl_kinematic_twist(b, 0.0);
            s->bodies[i] =
                (body_state){pose.position, pose.orientation, twist.linear, twist.angular};
        }
    }
    for (int i = 0; i < model->start_count; ++i) {
        const pawl_joint_start *start = &model->starts[i];
        PAWL_TRY(pawl_state_set_joint(s, start->joint, start->position, NULL));
    }
    *out = s;
    return PAWL_OK;
}

pawl_status pawl_state_create(const pawl_env *env, const pawl_model *model, pawl_state **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, model);
    PAWL_NEED(env, out);
    *out = NULL;
    size_t bytes = pawl_state_bytes(model);
    void *block = pawl_alloc(env, bytes);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "a state of '%s' needs %zu bytes", model->name,
                         bytes);
    }
    pawl_status status = pawl_state_begin(env, model, block, out);
    if (status != PAWL_OK) {
        pawl_free(env, block, bytes);
    }
    return status;
}

void pawl_state_destroy(pawl_state *state)
{
    if (state != NULL) {
        pawl_env env = state->env;
        pawl_free(&env, state, state->bytes);
    }
}

// Contacts have room for many more than there are, and unused entries are zero: of two states the longer list is all
// that can differ.
static size_t state_contacts_used(const pawl_state *s)
{
    size_t all = (size_t)state_contact_numbers(s->model);
    double used = 1.0 + s->contacts[0] * pawl_contact_width(s->model);
    return used >= 1.0 && used < (double)all ? (size_t)used : all;
}

// Numbers that only some steppers use: the first one says whether they are in use. Where they are in neither state
// there is nothing to copy.
static void state_copy_optional(double *to, const double *from, int count)
{
    if (to[0] != 0.0 || from[0] != 0.0) {
        pawl_numbers_copy(to, from, (size_t)count);
    }
}

void pawl_bodies_copy(body_state *to, const body_state *from, int count)
{
    pawl_numbers_copy(&to->r.x, &from->r.x, (size_t)(STATE_BODY_NUMBERS * count));
}

void pawl_state_copy_motion(pawl_state *to, const pawl_state *from)
{
    const pawl_model *m = from->model;
    to->time = from->time;
    to->step = from->step;
    to->energy_start = from->energy_start;
    memcpy(to->work, from->work, sizeof to->work);
    pawl_bodies_copy(to->bodies, from->bodies, m->body_count);
    pawl_numbers_copy(to->coordinates, from->coordinates, (size_t)m->coordinate_count);
    pawl_numbers_copy(to->impulses, from->impulses, (size_t)pawl_impulse_slots(m).count);
    size_t contacts = state_contacts_used(to), more = state_contacts_used(from);
    memcpy(to->contacts, from->contacts,
           (contacts > more ? contacts : more) * sizeof *to->contacts);
    state_copy_optional(to->memory, from->memory, state_memory_numbers(m));
    state_copy_optional(to->before, from->before, state_before_numbers(m));
    state_copy_optional(to->weak, from->weak, state_weak_numbers(m));
    state_copy_optional(to->trend, from->trend, state_trend_numbers(m));
    state_copy_optional(to->sleep, from->sleep, state_sleep_numbers(m));
    state_copy_optional(to->overlaps, from->overlaps, state_overlap_numbers(m));
    to->moved = true;
    to->edited = from->edited;
    to->balance = from->balance;
}

// The models need not be the same object, only equal: their hashes are compared.
pawl_status pawl_state_copy(pawl_state *to, const pawl_state *from)
{
    PAWL_NEED(NULL, to);
    PAWL_NEED(&to->env, from);
    const pawl_model *m = from->model;
    if (to->model != m && to->model->hash != m->hash) {
        return PAWL_FAIL(&to->env, PAWL_BAD_ARGUMENT,
                         "a state of '%s' cannot be copied to one of '%s'", m->name,
                         to->model->name);
    }
    pawl_state_copy_motion(to, from);
    if (from->inputs[0] != 0.0 || to->inputs[0] != 0.0) {
        memcpy(to->inputs, from->inputs, (size_t)pawl_state_input_numbers(m) * sizeof *to->inputs);
    }
    if (from->masses[0] != 0.0 || to->masses[0] != 0.0) {
        memcpy(to->masses, from->masses, (size_t)(1 + m->body_count) * sizeof *to->masses);
    }
    return PAWL_OK;
}

// The arrays of doubles that make up a state, in file order.
typedef struct state_span {
    double *values;
    size_t count;
} state_span;

// Order is part of the file format: new spans are appended, with a new version.
static void state_spans(const pawl_state *s, state_span spans[STATE_SPANS])
{
    pawl_state *w = (pawl_state *)s; // readers of the spans do not write through them
    const pawl_model *m = s->model;
    spans[0] = (state_span){&w->time, 1};
    spans[1] = (state_span){&w->energy_start, 1};
    spans[2] = (state_span){w->work, WORK_COUNT};
    spans[3] = (state_span){&w->bodies[0].r.x, (size_t)(STATE_BODY_NUMBERS * m->body_count)};
    spans[4] = (state_span){w->coordinates, (size_t)m->coordinate_count};
    spans[5] = (state_span){w->impulses, (size_t)pawl_impulse_slots(m).count};
    spans[STATE_CONTACT_SPAN] = (state_span){w->contacts, (size_t)state_contact_numbers(m)};
    spans[7] = (state_span){w->memory, (size_t)state_memory_numbers(m)};
    spans[8] = (state_span){w->before, (size_t)state_before_numbers(m)};
    spans[9] = (state_span){w->weak, (size_t)state_weak_numbers(m)};
    spans[STATE_INPUT_SPAN] = (state_span){w->inputs, (size_t)pawl_state_input_numbers(m)};
    spans[STATE_MASS_SPAN] = (state_span){w->masses, (size_t)(1 + m->body_count)};
    spans[STATE_TREND_SPAN] = (state_span){w->trend, (size_t)state_trend_numbers(m)};
    spans[STATE_SLEEP_SPAN] = (state_span){w->sleep, (size_t)state_sleep_numbers(m)};
    spans[STATE_OVERLAP_SPAN] = (state_span){w->overlaps, (size_t)state_overlap_numbers(m)};
}

// Whether the first number of a span says that the others are in use.
static bool state_is_optional(int span)
{
    return span == 7 || span == 8 || span == 9 || span == STATE_TREND_SPAN ||
           span == STATE_SLEEP_SPAN || span == STATE_OVERLAP_SPAN;
}

// Of the first `spans` of them, as earlier versions have.
static size_t state_double_count(const pawl_state *s, int span_count)
{
    state_span spans[STATE_SPANS];
    state_spans(s, spans);
    size_t count = 0;
    for (int i = 0; i < span_count; ++i) {
        count += spans[i].count;
    }
    return count;
}

// Element by element: each state keeps its memory. Inputs are the same before and after a step, so that there is nothing to
// exchange where neither has any. Earlier changes of the impulses are not needed again: a gets the memory of b, which
// keeps it.
void pawl_state_exchange(pawl_state *a, pawl_state *b)
{
    state_span x[STATE_SPANS], y[STATE_SPANS];
    state_spans(a, x);
    state_spans(b, y);
    bool inputs = pawl_state_has_inputs(a) || pawl_state_has_inputs(b);
    size_t contacts = state_contacts_used(a), more = state_contacts_used(b);
    x[STATE_CONTACT_SPAN].count = contacts > more ? contacts : more;
    for (int i = 0; i < STATE_SPANS; ++i) {
        bool unused = state_is_optional(i) && x[i].values[0] == 0.0 && y[i].values[0] == 0.0;
        if (unused || (!inputs && (i == STATE_INPUT_SPAN || i == STATE_MASS_SPAN))) {
            continue;
        }
        if (i == STATE_TREND_SPAN) {
            pawl_numbers_copy(x[i].values, y[i].values, x[i].count);
        } else {
            pawl_numbers_exchange(x[i].values, y[i].values, x[i].count);
        }
    }
    int64_t step = a->step;
    a->step = b->step;
    b->step = step;
}

//
// The first number of each optional span says whether it is in use.
uint64_t pawl_state_hash(const pawl_state *s)
{
    if (s == NULL) {
        return 0;
    }
    state_span spans[STATE_SPANS];
    state_spans(s, spans);
    uint64_t h = s->model->hash ^ (uint64_t)s->step;
    // Unused numbers of steppers are not part of the state.
    bool used[STATE_SPANS];
    for (int i = 0; i < STATE_SPANS; ++i) {
        used[i] = true;
    }
    used[7] = s->memory[0] != 0.0;
    used[8] = pawl_state_knows_before(s);
    used[9] = s->weak[0] != 0.0;
    used[STATE_INPUT_SPAN] = s->inputs[0] != 0.0;
    used[STATE_MASS_SPAN] = s->masses[0] != 0.0;
    used[STATE_TREND_SPAN] = pawl_state_trend_levels(s) > 0;
    used[STATE_SLEEP_SPAN] = s->sleep[0] != 0.0;
    used[STATE_OVERLAP_SPAN] = s->overlaps[0] != 0.0;
    for (int i = 0; i < STATE_SPANS; ++i) {
        h = used[i] ? pawl_hash_doubles(h, spans[i].values, spans[i].count) : h;
    }
    return h;
}

// Run after each step: NaN must not travel on in a state.
bool pawl_state_is_finite(const pawl_state *s)
{
    state_span spans[STATE_SPANS];
    state_spans(s, spans);
    spans[STATE_CONTACT_SPAN].count = state_contacts_used(s);
    // Guesses of impulses come from differences of finite numbers; a guess that is none is no step's answer.
    spans[STATE_TREND_SPAN].count = 3;
    for (int i = 0; i < STATE_SPANS; ++i) {
        // Inputs were checked when they were set, and no step writes them; memory that no stepper uses begins with 0.
        bool input = i == STATE_INPUT_SPAN || i == STATE_MASS_SPAN;
        bool unused = state_is_optional(i) && spans[i].values[0] == 0.0;
        if (!input && !unused && !pawl_numbers_are_finite(spans[i].values, spans[i].count)) {
            return false;
        }
    }
    return true;
}

size_t pawl_state_size(const pawl_state *s)
{
    if (s == NULL) {
        return 0;
    }
    return 8 * (STATE_HEADER_WORDS + state_double_count(s, STATE_SPANS));
}

// Little-endian on every machine, so that a saved state can be moved.
static unsigned char *state_put(unsigned char *p, uint64_t word)
{
    for (int i = 0; i < 8; ++i) {
        *p++ = (unsigned char)(word >> (8 * i));
    }
    return p;
}

static uint64_t state_get(const unsigned char *p)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; ++i) {
        word |= (uint64_t)p[i] << (8 * i);
    }
    return word;
}

static uint64_t state_bits(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static double state_value(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static double state_number(const void *numbers, int i)
{
    return state_value(state_get((const unsigned char *)numbers + 8 * (size_t)i));
}

// Over the bytes themselves: the hash of a state takes -0 for 0, which would let a changed bit pass.
static uint64_t state_sum(const unsigned char *bytes, size_t size)
{
    const size_t before = 8 * STATE_SUM_WORD, after = before + 8;
    return pawl_hash_bytes(pawl_hash_bytes(STATE_MAGIC, bytes, before), bytes + after,
                           size - after);
}

// Header of six words: magic, version, hash of the model, number of doubles, step, check sum. Then
// the doubles of all spans by their bits.
pawl_status pawl_state_save(const pawl_state *s, void *bytes)
{
    PAWL_NEED(NULL, s);
    PAWL_NEED(&s->env, bytes);
    const uint64_t header[STATE_HEADER_WORDS] = {
        STATE_MAGIC,       STATE_VERSION,
        s->model->hash,    state_double_count(s, STATE_SPANS),
        (uint64_t)s->step, 0};
    unsigned char *p = bytes;
    for (int i = 0; i < STATE_HEADER_WORDS; ++i) {
        p = state_put(p, header[i]);
    }
    state_span spans[STATE_SPANS];
    state_spans(s, spans);
    for (int i = 0; i < STATE_SPANS; ++i) {
        for (size_t k = 0; k < spans[i].count; ++k) {
            p = state_put(p, state_bits(spans[i].values[k]));
        }
    }
    state_put((unsigned char *)bytes + 8 * STATE_SUM_WORD,
              state_sum(bytes, (size_t)(p - (unsigned char *)bytes)));
    return PAWL_OK;
}

// Everything is checked before the first number is written: on failure the state is as it was.
// Earlier versions have fewer spans; what they lack becomes 0, which means unused.
pawl_status pawl_state_load(const pawl_env *env, pawl_state *s, const void *bytes, size_t size)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, s);
    PAWL_NEED(env, bytes);
    const unsigned char *p = bytes;
    int version = STATE_VERSION;
    size_t count = state_double_count(s, STATE_SPANS);
    for (; version > 1 && size < 8 * (STATE_HEADER_WORDS + count); --version) {
        count = state_double_count(s, STATE_EARLIER_SPANS + version - 1);
    }
    if (size != 8 * (STATE_HEADER_WORDS + count)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "a saved state has %zu bytes, '%s' needs %zu",
                         size, s->model->name, pawl_state_size(s));
    }
    if (state_get(p) != STATE_MAGIC || state_get(p + 8) != (uint64_t)version) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "the data is not a saved state of version %d",
                         STATE_VERSION);
    }
    if (state_get(p + 16) != s->model->hash || state_get(p + 24) != count) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "the saved state belongs to another model than '%s'", s->model->name);
    }
    if (state_get(p + 8 * STATE_SUM_WORD) != state_sum(p, size)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "the saved state of '%s' is damaged: its check sum is wrong",
                         s->model->name);
    }
    const unsigned char *numbers = p + 8 * STATE_HEADER_WORDS;
    for (size_t k = 0; k < count; ++k) {
        double value = state_value(state_get(numbers + 8 * k));
        if (!isfinite(value)) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "number %zu of the saved state is %g", k,
                             value);
        }
    }
    state_span spans[STATE_SPANS];
    state_spans(s, spans);
    int there_are = STATE_EARLIER_SPANS + version;
    const unsigned char *inputs = numbers + 8 * state_double_count(s, STATE_INPUT_SPAN);
    const unsigned char *masses = numbers + 8 * state_double_count(s, STATE_MASS_SPAN);
    bool good =
        there_are <= STATE_INPUT_SPAN || pawl_input_numbers_good(s->model, state_number, inputs);
    if (!good ||
        (there_are > STATE_MASS_SPAN && !pawl_mass_numbers_good(s->model, state_number, masses))) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "the saved state of '%s' has inputs that cannot be set", s->model->name);
    }
    for (int i = 0; i < STATE_SPANS; ++i) {
        bool there = i < STATE_EARLIER_SPANS + version;
        for (size_t k = 0; k < spans[i].count; ++k, numbers += there ? 8 : 0) {
            spans[i].values[k] = there ? state_value(state_get(numbers)) : 0.0;
        }
    }
    s->step = (int64_t)state_get(p + 32);
    s->moved = true;
    s->edited = false;
    s->balance = 0.0;
    return PAWL_OK;
}

double pawl_state_time(const pawl_state *s)
{
    if (s == NULL) {
        return NAN;
    }
    return s->time;
}

int64_t pawl_state_step(const pawl_state *s)
{
    if (s == NULL) {
        return -1;
    }
    return s->step;
}

const pawl_model *pawl_state_model(const pawl_state *s)
{
    return s != NULL ? s->model : NULL;
}

// The state has poses and velocities of centres of mass; callers have those of the body's frame,
// whose origin is at -com from it.
pawl_pose pawl_state_pose(const pawl_state *s, pawl_body_id id)
{
    int body = s == NULL ? -1 : PAWL_INDEX(&s->env, &s->model->ids[ID_BODY], id);
    if (body < 0) {
        return (pawl_pose){{NAN, NAN, NAN}, {NAN, NAN, NAN, NAN}};
    }
    const body_state *b = &s->bodies[body];
    pawl_vec3 arm = pawl_quat_rotate(b->q, s->model->bodies[body].com);
    return (pawl_pose){v3_sub(b->r, arm), b->q};
}

pawl_twist pawl_state_twist(const pawl_state *s, pawl_body_id id)
{
    int body = s == NULL ? -1 : PAWL_INDEX(&s->env, &s->model->ids[ID_BODY], id);
    if (body < 0) {
        return (pawl_twist){{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    }
    const body_state *b = &s->bodies[body];
    pawl_vec3 arm = pawl_quat_rotate(b->q, s->model->bodies[body].com);
    return (pawl_twist){v3_sub(b->v, v3_cross(b->w, arm)), b->w};
}

static pawl_status state_bad_body(const pawl_state *s)
{
    return s == NULL ? PAWL_BAD_ARGUMENT
                     : PAWL_FAIL(&s->env, PAWL_BAD_ARGUMENT, "the state of '%s' is as it was",
                                 s->model->name);
}

// The pose of the body's frame, as pawl_state_pose() gives it. Velocities stay those of the centre
// of mass.
pawl_status pawl_state_set_pose(pawl_state *s, pawl_body_id id, pawl_pose pose)
{
    int body = s == NULL ? -1 : PAWL_INDEX(&s->env, &s->model->ids[ID_BODY], id);
    if (body < 0) {
        return state_bad_body(s);
    }
    double norm2 = quat_norm2(pose.orientation);
    if (!v3_finite(pose.position) || !(norm2 > 0.0) || !isfinite(norm2)) {
        return PAWL_FAIL(
            &s->env, PAWL_BAD_ARGUMENT,
            "pose of body '%s': position (%g %g %g), quaternion (%g %g %g %g); expected "
            "finite numbers and a quaternion that is not 0",
            s->model->bodies[body].name, pose.position.x, pose.position.y, pose.position.z,
            pose.orientation.w, pose.orientation.x, pose.orientation.y, pose.orientation.z);
    }
    body_state *b = &s->bodies[body];
    pawl_state_forget(s);
    s->moved = s->edited = true;
    b->q = pawl_quat_normalize(pose.orientation);
    b->r = v3_add(pose.position, pawl_quat_rotate(b->q, s->model->bodies[body].com));
    return PAWL_OK;
}

// The twist of the body's frame origin, in world axes, from which that of the centre of mass
// follows.
pawl_status pawl_state_set_twist(pawl_state *s, pawl_body_id id, pawl_twist twist)
{
    int body = s == NULL ? -1 : PAWL_INDEX(&s->env, &s->model->ids[ID_BODY], id);
    if (body < 0) {
        return state_bad_body(s);
    }
    if (!v3_finite(twist.linear) || !v3_finite(twist.angular)) {
        return PAWL_FAIL(&s->env, PAWL_BAD_ARGUMENT,
                         "twist of body '%s': (%g %g %g) m/s, (%g %g %g) rad/s; expected finite "
                         "numbers",
                         s->model->bodies[body].name, twist.linear.x, twist.linear.y,
                         twist.linear.z, twist.angular.x, twist.angular.y, twist.angular.z);
    }
    body_state *b = &s->bodies[body];
    pawl_vec3 arm = pawl_quat_rotate(b->q, s->model->bodies[body].com);
    pawl_state_forget(s);
    s->moved = s->edited = true;
    b->w = twist.angular;
    b->v = v3_add(twist.linear, v3_cross(twist.angular, arm));
    return PAWL_OK;
}
