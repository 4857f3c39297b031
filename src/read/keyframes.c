// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Motion files: keys of feet and joints in, targets of position actuators out. docs/motions.md has the
// format. A file is read in one pass: a key is complete when the next one begins, and then the feet's
// limbs are solved for it. What is repeated is read again from where it stands, so that a message
// about the third stride still names the line it comes from.
#include "pawl/keyframes.h"
#include "base/array.h"
#include "base/guard.h"
#include "math/vec.h"
#include "pawl/limb.h"
#include "pawl/state.h"
#include "read/keyframe_tables.h"
#include "read/text_lines.h"
#include <locale.h>
#include <string.h>

enum {
    KEYFRAMES_MAX_FEET = 64,
    KEYFRAMES_MAX_KEYS = 20000,      // with all repetitions
    KEYFRAMES_MAX_NUMBERS = 4000000, // keys times actuators
    KEYFRAMES_NAME = 64
};
static const double KEYFRAMES_REACHED = 1e-9; // a foot that is nearer than that is there [m]

typedef struct keyframes_foot {
    char name[KEYFRAMES_NAME];
    pawl_limb *limb;
    int coordinates;
    int *actuator;    // of each coordinate
    double *rest, *q; // (coordinates) each; in one block with `actuator`
    void *block;
    size_t block_size;
    pawl_vec3 start, target; // seen from the root
    bool moved;              // since the last key
    int line;                // that moved it last
} keyframes_foot;

typedef struct keyframes_reader {
    text_lines text;
    const pawl_env *env;
    const pawl_model *model;
    pawl_state *state; // the model's start
    pawl_body_id root; // none: not said yet
    pawl_interpolation between;
    int foot_count;
    keyframes_foot feet[KEYFRAMES_MAX_FEET];
    int actuator_count;
    bool *moved;       // (actuator_count) by some foot or joint line
    int *foot_of;      // (actuator_count) -1: none
    double *value;     // (actuator_count) of the key being read
    pawl_array times;  // double
    pawl_array values; // double, key by key
    bool in_key;       // a key was begun and is not complete
    double time;       // of the last key that was begun
    const char *loop;  // where the repeated lines begin; NULL: outside
    int loop_line;     // of the `repeat`
    int rounds_left;   // of the repetition, the one under way included; -1: for ever
    int loop_keys;     // begun in it
    int loop_end;      // for ever: the key that ended the first round; -1: still in it
    bool ended;        // for ever: nothing may follow
} keyframes_reader;

// --- the model's side ------------------------------------------------------------------------------

// The position actuator of a joint coordinate, -1 for none.
static int keyframes_actuator(const keyframes_reader *r, pawl_joint_id joint, int coordinate)
{
    for (int a = 0; a < r->actuator_count; ++a) {
        pawl_actuator_def def = pawl_model_actuator(r->model, pawl_model_actuator_at(r->model, a));
        if (def.kind == PAWL_ACTUATOR_POSITION && pawl_joint_same(def.joint, joint) &&
            def.coordinate == coordinate) {
            return a;
        }
    }
    return -1;
}

static double keyframes_start_coordinate(const keyframes_reader *r, pawl_joint_id joint,
                                         int coordinate)
{
    double q[6];
    pawl_state_joint(r->state, joint, q, NULL);
    return q[coordinate];
}

// Which actuator moves each coordinate of a foot's limb; no two feet may share one.
static pawl_status keyframes_bind(keyframes_reader *r, keyframes_foot *foot)
{
    for (int i = 0; i < foot->coordinates; ++i) {
        pawl_limb_coordinate of = pawl_limb_coordinate_at(foot->limb, i);
        const char *joint = pawl_model_joint(r->model, of.joint).name;
        int a = keyframes_actuator(r, of.joint, of.coordinate);
        if (a < 0) {
            return text_lines_error(&r->text,
                                    "foot '%s' hangs on coordinate %d of joint '%s', which has no "
                                    "position actuator",
                                    foot->name, of.coordinate, joint);
        }
        if (r->moved[a]) {
            return text_lines_error(&r->text,
                                    "joint '%s' of foot '%s' is already moved by another line",
                                    joint, foot->name);
        }
        foot->actuator[i] = a;
        foot->rest[i] = foot->q[i] = keyframes_start_coordinate(r, of.joint, of.coordinate);
    }
    for (int i = 0; i < foot->coordinates; ++i) {
        int a = foot->actuator[i];
        r->moved[a] = true;
        r->foot_of[a] = r->foot_count;
        r->value[a] = foot->rest[i];
    }
    return PAWL_OK;
}

// --- lines -----------------------------------------------------------------------------------------

static pawl_status keyframes_words(const keyframes_reader *r, int count, const char *usage)
{
    if (r->text.word_count != count) {
        return text_lines_error(&r->text, "got %d words, expected '%s'", r->text.word_count, usage);
    }
    return PAWL_OK;
}

static pawl_status keyframes_vec3(const keyframes_reader *r, int first, pawl_vec3 *out)
{
    PAWL_TRY(text_lines_number(&r->text, first, "x", &out->x));
    PAWL_TRY(text_lines_number(&r->text, first + 1, "y", &out->y));
    return text_lines_number(&r->text, first + 2, "z", &out->z);
}

static pawl_status keyframes_body(const keyframes_reader *r, const char *name, pawl_body_id *out)
{
    *out = pawl_model_find_body(r->model, name);
    if (out->index1 == 0) {
        return text_lines_error(&r->text, "the model has no body '%s'", name);
    }
    return PAWL_OK;
}

static pawl_status keyframes_base(keyframes_reader *r)
{
    PAWL_TRY(keyframes_words(r, 2, "base BODY"));
    if (r->root.index1 != 0) {
        return text_lines_error(&r->text, "got a second base, expected one");
    }
    return keyframes_body(r, r->text.words[1], &r->root);
}

static pawl_status keyframes_between(keyframes_reader *r)
{
    static const char *const words[] = {
        [PAWL_LINEAR] = "linear", [PAWL_CUBIC] = "cubic", [PAWL_SMOOTH] = "smooth"};
    PAWL_TRY(keyframes_words(r, 2, "between HOW"));
    for (int k = 0; k <= PAWL_SMOOTH; ++k) {
        if (strcmp(r->text.words[1], words[k]) == 0) {
            r->between = (pawl_interpolation)k;
            return PAWL_OK;
        }
    }
    return text_lines_error(&r->text, "got between '%.40s', expected smooth, cubic or linear",
                            r->text.words[1]);
}

static int keyframes_find_foot(const keyframes_reader *r, const char *name, size_t length)
{
    for (int f = 0; f < r->foot_count; ++f) {
        if (strlen(r->feet[f].name) == length && memcmp(r->feet[f].name, name, length) == 0) {
            return f;
        }
    }
    return -1;
}

static pawl_status keyframes_foot_name(keyframes_reader *r, const char *name)
{
    if (r->root.index1 == 0) {
        return text_lines_error(
            &r->text,
            "got a foot before 'base BODY', which names the body that positions refer to");
    }
    if (r->times.count > 1 || r->in_key || r->loop != NULL) {
        return text_lines_error(&r->text,
                                "got a foot after the first key, expected all feet before it");
    }
    if (r->foot_count == KEYFRAMES_MAX_FEET) {
        return text_lines_error(&r->text, "got more than %d feet", (int)KEYFRAMES_MAX_FEET);
    }
    if (strlen(name) >= KEYFRAMES_NAME || strchr(name, ',') != NULL || strcmp(name, "all") == 0) {
        return text_lines_error(&r->text,
                                "got foot '%.70s', expected a name of at most %d characters "
                                "without a comma that is not 'all'",
                                name, KEYFRAMES_NAME - 1);
    }
    if (keyframes_find_foot(r, name, strlen(name)) >= 0) {
        return text_lines_error(&r->text, "got a second foot '%s'", name);
    }
    return PAWL_OK;
}

static pawl_status keyframes_add_foot(keyframes_reader *r)
{
    pawl_body_id body;
    pawl_vec3 point;
    PAWL_TRY(keyframes_words(r, 6, "foot NAME BODY X Y Z"));
    PAWL_TRY(keyframes_foot_name(r, r->text.words[1]));
    PAWL_TRY(keyframes_body(r, r->text.words[2], &body));
    PAWL_TRY(keyframes_vec3(r, 3, &point));
    keyframes_foot *foot = &r->feet[r->foot_count];
    *foot = (keyframes_foot){.line = r->text.line};
    strcpy(foot->name, r->text.words[1]);
    pawl_status status = pawl_limb_create(r->env, r->model, r->root, body, point, &foot->limb);
    if (status != PAWL_OK) {
        return status == PAWL_NO_MEMORY
                   ? status
                   : text_lines_error(&r->text, "foot '%s' cannot be moved from body '%s'",
                                      foot->name, pawl_model_body(r->model, r->root).name);
    }
    foot->coordinates = pawl_limb_coordinate_count(foot->limb);
    size_t n = (size_t)foot->coordinates;
    foot->block_size = n * (2 * sizeof(double) + sizeof(int)) + 1;
    foot->block = pawl_alloc(r->env, foot->block_size);
    if (foot->block == NULL) {
        pawl_limb_destroy(foot->limb);
        return PAWL_FAIL(r->env, PAWL_NO_MEMORY, "no memory for a foot of a motion");
    }
    foot->rest = foot->block;
    foot->q = foot->rest + n;
    foot->actuator = (int *)(foot->q + n);
    pawl_status bound = keyframes_bind(r, foot);
    foot->start = foot->target = pawl_limb_tip(foot->limb, foot->rest, NULL);
    ++r->foot_count; // its memory is given back with all others from here on
    return bound;
}

// The feet that a word names: bits, for there are at most 64.
static pawl_status keyframes_choose(const keyframes_reader *r, const char *word, uint64_t *out)
{
    *out = 0;
    if (strcmp(word, "all") == 0) {
        for (int f = 0; f < r->foot_count; ++f) {
            *out |= UINT64_C(1) << f;
        }
        return PAWL_OK;
    }
    for (const char *name = word; name != NULL;) {
        const char *comma = strchr(name, ',');
        size_t length = comma != NULL ? (size_t)(comma - name) : strlen(name);
        int f = keyframes_find_foot(r, name, length);
        if (f < 0) {
            return text_lines_error(&r->text, "there is no foot '%.*s'",
                                    (int)(length < 60 ? length : 60), name);
        }
        *out |= UINT64_C(1) << f;
        name = comma != NULL ? comma + 1 : NULL;
    }
    return PAWL_OK;
}

// How a line moves feet.
typedef enum keyframes_verb { VERB_REST, VERB_OFFSET, VERB_SHIFT, VERB_PLACE } keyframes_verb;

static void keyframes_move(keyframes_reader *r, uint64_t feet, keyframes_verb verb, pawl_vec3 to)
{
    for (int f = 0; f < r->foot_count; ++f) {
        keyframes_foot *foot = &r->feet[f];
        if ((feet >> f & 1) == 0) {
            continue;
        }
        switch (verb) {
        case VERB_REST:
            foot->target = foot->start;
            break;
        case VERB_OFFSET:
            foot->target = v3_add(foot->start, to);
            break;
        case VERB_SHIFT:
            foot->target = v3_add(foot->target, to);
            break;
        case VERB_PLACE:
            foot->target = to;
            break;
        }
        foot->moved = true;
        foot->line = r->text.line;
    }
}

static pawl_status keyframes_feet_line(keyframes_reader *r, keyframes_verb verb, const char *usage)
{
    uint64_t feet;
    pawl_vec3 to = v3(0.0, 0.0, 0.0);
    PAWL_TRY(keyframes_words(r, verb == VERB_REST ? 2 : 5, usage));
    PAWL_TRY(keyframes_choose(r, r->text.words[1], &feet));
    if (verb != VERB_REST) {
        PAWL_TRY(keyframes_vec3(r, 2, &to));
    }
    keyframes_move(r, feet, verb, to);
    return PAWL_OK;
}

static pawl_status keyframes_travel(keyframes_reader *r)
{
    uint64_t all;
    pawl_vec3 by;
    PAWL_TRY(keyframes_words(r, 4, "travel X Y Z"));
    PAWL_TRY(keyframes_choose(r, "all", &all));
    PAWL_TRY(keyframes_vec3(r, 1, &by));
    keyframes_move(r, all, VERB_SHIFT, v3_scale(-1.0, by));
    return PAWL_OK;
}

static pawl_status keyframes_joint(keyframes_reader *r)
{
    int words = r->text.word_count;
    if (words != 3 && words != 4) {
        return keyframes_words(r, 3, "joint NAME [COORDINATE] VALUE");
    }
    const char *name = r->text.words[1];
    pawl_joint_id joint = pawl_model_find_joint(r->model, name);
    if (joint.index1 == 0) {
        return text_lines_error(&r->text, "the model has no joint '%s'", name);
    }
    double coordinate = 0.0, value;
    if (words == 4) {
        PAWL_TRY(text_lines_number(&r->text, 2, "coordinate", &coordinate));
    }
    PAWL_TRY(text_lines_number(&r->text, words - 1, "value", &value));
    int count = pawl_model_joint(r->model, joint).coordinate_count, c = 0;
    while (c < count && (double)c != coordinate) {
        ++c;
    }
    int a = c < count ? keyframes_actuator(r, joint, c) : -1;
    if (a < 0) {
        return text_lines_error(&r->text, "joint '%s' has no position actuator of coordinate %g",
                                name, coordinate);
    }
    if (r->foot_of[a] >= 0) {
        return text_lines_error(&r->text, "joint '%s' is moved by foot '%s'", name,
                                r->feet[r->foot_of[a]].name);
    }
    r->moved[a] = true;
    r->value[a] = value;
    return PAWL_OK;
}

// --- keys ------------------------------------------------------------------------------------------

static pawl_status keyframes_push(keyframes_reader *r)
{
    int64_t numbers = ((int64_t)r->times.count + 1) * r->actuator_count;
    if (r->times.count >= KEYFRAMES_MAX_KEYS || numbers > KEYFRAMES_MAX_NUMBERS) {
        return text_lines_error(&r->text, "got more than %d keys, with all repetitions",
                                r->times.count);
    }
    double *time = pawl_array_push(r->env, &r->times, sizeof(double));
    if (time == NULL) {
        return PAWL_FAIL(r->env, PAWL_NO_MEMORY, "no memory for the keys of a motion");
    }
    *time = r->time;
    for (int a = 0; a < r->actuator_count; ++a) {
        double *value = pawl_array_push(r->env, &r->values, sizeof(double));
        if (value == NULL) {
            return PAWL_FAIL(r->env, PAWL_NO_MEMORY, "no memory for the keys of a motion");
        }
        *value = r->value[a];
    }
    return PAWL_OK;
}

static pawl_status keyframes_solve(keyframes_reader *r, keyframes_foot *foot)
{
    bool home = memcmp(&foot->target, &foot->start, sizeof foot->start) == 0;
    double left = 0.0;
    if (home) { // exactly, so that rest is rest
        memcpy(foot->q, foot->rest, (size_t)foot->coordinates * sizeof *foot->q);
    } else {
        left = pawl_limb_reach(foot->limb, foot->target, foot->rest, foot->q);
    }
    if (!(left <= KEYFRAMES_REACHED)) {
        r->text.line = foot->line;
        return text_lines_error(&r->text,
                                "foot '%s' cannot reach (%g, %g, %g) m, relative to body '%s': the "
                                "nearest point is %.3g m away",
                                foot->name, foot->target.x, foot->target.y, foot->target.z,
                                pawl_model_body(r->model, r->root).name, left);
    }
    for (int i = 0; i < foot->coordinates; ++i) {
        r->value[foot->actuator[i]] = foot->q[i];
    }
    foot->moved = false;
    return PAWL_OK;
}

// The key that was begun, if any, is complete.
static pawl_status keyframes_complete(keyframes_reader *r)
{
    if (!r->in_key) {
        return PAWL_OK;
    }
    for (int f = 0; f < r->foot_count; ++f) {
        if (r->feet[f].moved) {
            PAWL_TRY(keyframes_solve(r, &r->feet[f]));
        }
    }
    r->in_key = false;
    return keyframes_push(r);
}

static pawl_status keyframes_key(keyframes_reader *r)
{
    double after;
    PAWL_TRY(keyframes_words(r, 2, "key SECONDS"));
    PAWL_TRY(text_lines_number(&r->text, 1, "the time after the last key", &after));
    if (!(after > 0.0 && r->time + after > r->time)) {
        return text_lines_error(&r->text, "got a key %g s after the last one, expected more than 0",
                                after);
    }
    PAWL_TRY(keyframes_complete(r));
    r->time += after;
    r->in_key = true;
    ++r->loop_keys;
    return PAWL_OK;
}

static pawl_status keyframes_repeat(keyframes_reader *r)
{
    double rounds = -1.0;
    PAWL_TRY(keyframes_words(r, 2, "repeat TIMES"));
    if (r->loop != NULL) {
        return text_lines_error(&r->text, "got a repeat inside that of line %d, expected 'end'",
                                r->loop_line);
    }
    if (strcmp(r->text.words[1], "forever") != 0) {
        PAWL_TRY(text_lines_number(&r->text, 1, "the number of times", &rounds));
        if (!(rounds >= 1.0 && rounds <= KEYFRAMES_MAX_KEYS && rounds == floor(rounds))) {
            return text_lines_error(
                &r->text, "got repeat '%s', expected a whole number from 1 to %d or 'forever'",
                r->text.words[1], (int)KEYFRAMES_MAX_KEYS);
        }
    }
    PAWL_TRY(keyframes_complete(r));
    r->loop = r->text.next;
    r->loop_line = r->text.line;
    r->rounds_left = (int)rounds;
    r->loop_keys = 0;
    r->loop_end = -1;
    return PAWL_OK;
}

// The second round of what repeats for ever must end where the first did; then it is the period.
static pawl_status keyframes_close_loop(keyframes_reader *r)
{
    int n = r->actuator_count, last = r->times.count - 1;
    double *first = &PAWL_ITEM(r->values, double, r->loop_end *n);
    double *second = &PAWL_ITEM(r->values, double, last *n);
    for (int f = 0; f < r->foot_count; ++f) {
        keyframes_foot *foot = &r->feet[f];
        for (int i = 0; i < foot->coordinates; ++i) {
            foot->q[i] = first[foot->actuator[i]];
        }
        double drift = v3_norm(v3_sub(foot->target, pawl_limb_tip(foot->limb, foot->q, NULL)));
        if (!(drift <= KEYFRAMES_REACHED)) {
            return text_lines_error(&r->text,
                                    "foot '%s' moves by %.3g m against the base in every "
                                    "repetition; an endless repetition must end where it began",
                                    foot->name, drift);
        }
    }
    memcpy(second, first, (size_t)n * sizeof *second);
    r->ended = true;
    return PAWL_OK;
}

static pawl_status keyframes_end(keyframes_reader *r)
{
    PAWL_TRY(keyframes_words(r, 1, "end"));
    if (r->loop == NULL) {
        return text_lines_error(&r->text, "got an end without a repeat");
    }
    PAWL_TRY(keyframes_complete(r));
    if (r->loop_keys == 0) {
        return text_lines_error(&r->text, "the repeat of line %d holds no key", r->loop_line);
    }
    bool again = r->rounds_left < 0 ? r->loop_end < 0 : --r->rounds_left > 0;
    if (r->rounds_left < 0) {
        if (r->loop_end >= 0) {
            PAWL_TRY(keyframes_close_loop(r));
        } else {
            r->loop_end = r->times.count - 1;
        }
    }
    if (again) {
        r->text.next = r->loop;
        r->text.line = r->loop_line;
    } else {
        r->loop = NULL;
    }
    return PAWL_OK;
}

static pawl_status keyframes_line(keyframes_reader *r)
{
    const char *verb = r->text.words[0];
    if (r->ended) {
        return text_lines_error(&r->text, "got '%.40s' after an endless repetition", verb);
    }
    if (strcmp(verb, "base") == 0) {
        return keyframes_base(r);
    }
    if (strcmp(verb, "between") == 0) {
        return keyframes_between(r);
    }
    if (strcmp(verb, "foot") == 0) {
        return keyframes_add_foot(r);
    }
    if (strcmp(verb, "key") == 0) {
        return keyframes_key(r);
    }
    if (strcmp(verb, "repeat") == 0) {
        return keyframes_repeat(r);
    }
    if (strcmp(verb, "end") == 0) {
        return keyframes_end(r);
    }
    static const struct {
        const char *word, *usage;
    } verbs[] = {[VERB_REST] = {"rest", "rest FEET"},
                 [VERB_OFFSET] = {"offset", "offset FEET X Y Z"},
                 [VERB_SHIFT] = {"shift", "shift FEET X Y Z"},
                 [VERB_PLACE] = {"place", "place FEET X Y Z"}};
    bool joint = strcmp(verb, "joint") == 0, travel = strcmp(verb, "travel") == 0;
    int move = 0;
    while (move <= VERB_PLACE && strcmp(verb, verbs[move].word) != 0) {
        ++move;
    }
    if (!joint && !travel && move > VERB_PLACE) {
        return text_lines_error(&r->text,
                                "got '%.40s', expected one of base, between, foot, key, rest, "
                                "offset, shift, place, travel, joint, repeat, end",
                                verb);
    }
    if (!r->in_key) {
        return text_lines_error(&r->text, "got '%s' outside of a key, expected 'key SECONDS' first",
                                verb);
    }
    return joint    ? keyframes_joint(r)
           : travel ? keyframes_travel(r)
                    : keyframes_feet_line(r, (keyframes_verb)move, verbs[move].usage);
}

// --- the whole file --------------------------------------------------------------------------------

static pawl_status keyframes_head(keyframes_reader *r)
{
    bool more;
    PAWL_TRY(text_lines_next(&r->text, &more));
    bool ours = more && r->text.word_count == 2 && strcmp(r->text.words[0], "pawl-motion") == 0;
    if (!ours || strcmp(r->text.words[1], "1") != 0) {
        return text_lines_error(
            &r->text, "got '%.40s%s%.40s', the first line of a motion file is 'pawl-motion 1'",
            more ? r->text.words[0] : "", more && r->text.word_count > 1 ? " " : "",
            more && r->text.word_count > 1 ? r->text.words[1] : "");
    }
    return PAWL_OK;
}

// The first key is the start, for which actuators that only joint lines move have their coordinate.
static pawl_status keyframes_begin(keyframes_reader *r)
{
    size_t n = (size_t)r->actuator_count;
    r->moved = pawl_alloc(r->env, n * sizeof *r->moved + 1);
    r->foot_of = pawl_alloc(r->env, n * sizeof *r->foot_of + 1);
    r->value = pawl_alloc(r->env, n * sizeof *r->value + 1);
    if (r->moved == NULL || r->foot_of == NULL || r->value == NULL) {
        return PAWL_FAIL(r->env, PAWL_NO_MEMORY, "no memory for the actuators of a motion");
    }
    PAWL_TRY(pawl_state_create(r->env, r->model, &r->state));
    for (int a = 0; a < r->actuator_count; ++a) {
        pawl_actuator_def def = pawl_model_actuator(r->model, pawl_model_actuator_at(r->model, a));
        r->foot_of[a] = -1;
        r->value[a] = keyframes_start_coordinate(r, def.joint, def.coordinate);
    }
    return keyframes_push(r);
}

static pawl_status keyframes_read_all(keyframes_reader *r)
{
    PAWL_TRY(keyframes_head(r));
    PAWL_TRY(keyframes_begin(r));
    for (bool more = true; more;) {
        PAWL_TRY(text_lines_next(&r->text, &more));
        if (more) {
            PAWL_TRY(keyframes_line(r));
        }
    }
    if (r->loop != NULL) {
        return text_lines_error(
            &r->text, "the file ends inside the repeat of line %d, 'end' expected", r->loop_line);
    }
    PAWL_TRY(keyframes_complete(r));
    if (r->times.count < 2) {
        return text_lines_error(&r->text, "the file has no key");
    }
    return PAWL_OK;
}

static void keyframes_release(keyframes_reader *r)
{
    for (int f = 0; f < r->foot_count; ++f) {
        pawl_limb_destroy(r->feet[f].limb);
        pawl_free(r->env, r->feet[f].block, r->feet[f].block_size);
    }
    size_t n = (size_t)r->actuator_count;
    pawl_free(r->env, r->moved, n * sizeof *r->moved + 1);
    pawl_free(r->env, r->foot_of, n * sizeof *r->foot_of + 1);
    pawl_free(r->env, r->value, n * sizeof *r->value + 1);
    pawl_state_destroy(r->state);
    pawl_array_free(r->env, &r->times);
    pawl_array_free(r->env, &r->values);
    text_lines_end(&r->text);
}

// From `path`, or from `text` when that is not NULL.
static pawl_status keyframes_load(const pawl_env *env, const char *path, const char *text,
                                  size_t size, const pawl_model *model, pawl_keyframes **out)
{
    *out = NULL;
    keyframes_reader *r = pawl_alloc(env, sizeof *r);
    if (r == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a motion");
    }
    // Files write numbers with a point, whatever the locale of the program is.
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) {
        pawl_free(env, r, sizeof *r);
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the C locale");
    }
    locale_t before = uselocale(plain);
    *r = (keyframes_reader){.env = env,
                            .model = model,
                            .between = PAWL_SMOOTH,
                            .actuator_count = pawl_model_actuator_count(model)};
    pawl_status status = text != NULL ? text_lines_begin(&r->text, env, path, text, size)
                                      : text_lines_open(&r->text, env, path);
    if (status == PAWL_OK) {
        status = keyframes_read_all(r);
    }
    if (status == PAWL_OK) {
        status = keyframe_tables_make(env,
                                      &(keyframe_rows){.count = r->times.count,
                                                       .actuator_count = r->actuator_count,
                                                       .times = r->times.data,
                                                       .values = r->values.data,
                                                       .moved = r->moved,
                                                       .between = r->between,
                                                       .loop_end = r->ended ? r->loop_end : -1},
                                      out);
    }
    keyframes_release(r);
    pawl_free(env, r, sizeof *r);
    uselocale(before);
    freelocale(plain);
    return status;
}

pawl_status pawl_keyframes_read(const pawl_env *env, const char *path, const pawl_model *model,
                                pawl_keyframes **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, path);
    PAWL_NEED(env, model);
    PAWL_NEED(env, out);
    return keyframes_load(env, path, NULL, 0, model, out);
}

pawl_status pawl_keyframes_parse(const pawl_env *env, const char *name, const char *text,
                                 size_t size, const pawl_model *model, pawl_keyframes **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, model);
    PAWL_NEED(env, out);
    if (size > 0) {
        PAWL_NEED(env, text);
    }
    return keyframes_load(env, name != NULL ? name : "motion", text != NULL ? text : "", size,
                          model, out);
}
