// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Motion files: keys of feet and joints in, targets of position actuators out. docs/motions.md has the
// format. A file is read in one pass: a key is complete when the next one begins; the limbs of the feet are then
// solved for it. Repeated lines are read again, so that a message about the third stride names the right line.
#include "pawl/keyframes.h"
#include "base/array.h"
#include "base/guard.h"
#include "math/rotation.h"
#include "pawl/sim.h"
#include "read/keyframe_feet.h"
#include "read/keyframe_servos.h"
#include "read/keyframe_tables.h"
#include "read/text_lines.h"
#include <locale.h>
#include <string.h>

enum {
    KEYFRAMES_MAX_KEYS = 20000,      // with all repetitions
    KEYFRAMES_MAX_NUMBERS = 4000000, // keys times actuators
    KEYFRAMES_MAX_PATH = 100,        // poses from key to key
    KEYFRAMES_MAX_ROUNDS = 50        // until a repetition that balances ends where it began
};
static const double KEYFRAMES_CLOSED = 1e-9; // a foot that is nearer to where it was is there [m]

// Where the reader is. Feet and servos come first, then perhaps the start pose, then keys.
typedef enum keyframes_part { PART_HEAD, PART_START, PART_KEYS } keyframes_part;

typedef struct keyframes_reader {
    text_lines text;
    const pawl_env *env;
    const pawl_model *model;
    pawl_state *state; // the model's start
    keyframes_part part;
    pawl_interpolation between;
    int path; // poses from key to key, of which the last is the key
    keyframe_feet feet;
    keyframe_balance balance; // of the key being read
    int actuator_count;
    bool *moved;             // (actuator_count) by some foot or joint line
    bool *started;           // (actuator_count) begins elsewhere than the model says
    double *value;           // (actuator_count) of the key being read
    double *before;          // (actuator_count) of the key before
    pawl_joint_start *start; // (actuator_count at most) joints that `started` names
    int start_count;
    pawl_array times;  // double
    pawl_array values; // double, key by key
    bool in_key;       // a key was begun and is not complete
    double time;       // of the last key that was begun
    double key_time;   // of the key before that
    const char *loop;  // where the repeated lines begin; NULL: outside
    int loop_line;     // of the `repeat`
    int rounds_left;   // of the repetition, the one under way included; -1: for ever
    int rounds;        // for ever: that were read
    int loop_keys;     // begun in it
    int loop_end;      // for ever: the row that ended the last round; -1: still in the first
    double loop_drift; // for ever: how far a foot was from where the round before left it [m]
    pawl_vec3 loop_at[KEYFRAME_MAX_FEET]; // for ever: where the last round left the feet
    bool ended;                           // for ever: nothing may follow
} keyframes_reader;

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
    const double degree = 3.14159265358979323846 / 180.0;
    pawl_vec3 turn;
    if (r->text.word_count == 2) {
        turn = v3(0.0, 0.0, 0.0);
    } else {
        PAWL_TRY(keyframes_words(r, 5, "base BODY' or 'base BODY ROLL PITCH YAW"));
        PAWL_TRY(text_lines_number(&r->text, 2, "roll", &turn.x));
        PAWL_TRY(text_lines_number(&r->text, 3, "pitch", &turn.y));
        PAWL_TRY(text_lines_number(&r->text, 4, "yaw", &turn.z));
    }
    if (r->feet.base.index1 != 0) {
        return text_lines_error(&r->text, "got a second base, expected one");
    }
    r->feet.axes = pawl_quat_from_rpy(degree * turn.x, degree * turn.y, degree * turn.z);
    return keyframes_body(r, r->text.words[1], &r->feet.base);
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

static pawl_status keyframes_path(keyframes_reader *r)
{
    double count;
    PAWL_TRY(keyframes_words(r, 2, "path POSES"));
    PAWL_TRY(text_lines_number(&r->text, 1, "the number of poses from key to key", &count));
    if (!(count >= 1.0 && count <= KEYFRAMES_MAX_PATH && count == floor(count))) {
        return text_lines_error(&r->text, "got path %g, expected a whole number from 1 to %d",
                                count, (int)KEYFRAMES_MAX_PATH);
    }
    if (r->part != PART_HEAD) {
        return text_lines_error(&r->text, "got a path after the first key, expected it before");
    }
    r->path = (int)count;
    return PAWL_OK;
}

// Servos were made before the model was compiled; here the line is only checked.
static pawl_status keyframes_servo(keyframes_reader *r)
{
    keyframe_servo servo;
    if (r->part != PART_HEAD) {
        return text_lines_error(&r->text, "got a servo after the first key, expected it before");
    }
    return keyframe_servo_line(&r->text, &servo);
}

static pawl_status keyframes_foot_name(keyframes_reader *r, const char *name)
{
    if (r->feet.base.index1 == 0) {
        return text_lines_error(
            &r->text,
            "got a foot before 'base BODY', which names the body that positions refer to");
    }
    if (r->part != PART_HEAD) {
        return text_lines_error(&r->text,
                                "got a foot after the first key, expected all feet before it");
    }
    if (r->feet.count == KEYFRAME_MAX_FEET) {
        return text_lines_error(&r->text, "got more than %d feet", (int)KEYFRAME_MAX_FEET);
    }
    if (strlen(name) >= KEYFRAME_NAME || strchr(name, ',') != NULL || strcmp(name, "all") == 0) {
        return text_lines_error(&r->text,
                                "got foot '%.70s', expected a name of at most %d characters "
                                "without a comma that is not 'all'",
                                name, KEYFRAME_NAME - 1);
    }
    if (keyframe_feet_find(&r->feet, name, strlen(name)) >= 0) {
        return text_lines_error(&r->text, "got a second foot '%s'", name);
    }
    return PAWL_OK;
}

static pawl_status keyframes_add_foot(keyframes_reader *r)
{
    pawl_vec3 point;
    bool level = r->text.word_count == 7 && strcmp(r->text.words[6], "level") == 0;
    PAWL_TRY(keyframes_words(r, level ? 7 : 6, "foot NAME BODY X Y Z [level]"));
    PAWL_TRY(keyframes_foot_name(r, r->text.words[1]));
    PAWL_TRY(keyframes_vec3(r, 3, &point));
    pawl_frame frame = pawl_model_find_frame(r->model, r->text.words[2]);
    if (frame.name == NULL || pawl_body_is_world(frame.body)) {
        return text_lines_error(&r->text, "the model has no body '%s'", r->text.words[2]);
    }
    point = pawl_pose_apply(frame.pose, point);
    return keyframe_feet_add(&r->feet, r->text.words[1], frame.body, point, level);
}

// The feet that a word names: bits, for there are at most 64.
static pawl_status keyframes_choose(const keyframes_reader *r, const char *word, uint64_t *out)
{
    *out = 0;
    if (strcmp(word, "all") == 0) {
        for (int f = 0; f < r->feet.count; ++f) {
            *out |= UINT64_C(1) << f;
        }
        return PAWL_OK;
    }
    for (const char *name = word; name != NULL;) {
        const char *comma = strchr(name, ',');
        size_t length = comma != NULL ? (size_t)(comma - name) : strlen(name);
        int f = keyframe_feet_find(&r->feet, name, length);
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
typedef enum keyframes_verb {
    VERB_REST,
    VERB_OFFSET,
    VERB_SHIFT,
    VERB_PLACE,
    VERB_TURN,
    VERB_STEP,
    VERB_COUNT
} keyframes_verb;
typedef struct keyframes_verb_row {
    const char *word, *usage;
    int words;
} keyframes_verb_row;
static const keyframes_verb_row keyframes_verbs[VERB_COUNT] = {
    [VERB_REST] = {"rest", "rest FEET", 2},
    [VERB_OFFSET] = {"offset", "offset FEET X Y Z", 5},
    [VERB_SHIFT] = {"shift", "shift FEET X Y Z", 5},
    [VERB_PLACE] = {"place", "place FEET X Y Z", 5},
    [VERB_TURN] = {"turn", "turn FEET X Y Z", 5},
    [VERB_STEP] = {"step", "step FEET X Y Z HEIGHT", 6},
};

static void keyframes_move_foot(keyframe_foot *foot, keyframes_verb verb, pawl_vec3 to)
{
    pawl_limb_target *target = &foot->target;
    switch (verb) {
    case VERB_REST:
        *target = foot->start;
        break;
    case VERB_OFFSET:
        target->position = v3_add(foot->start.position, to);
        break;
    case VERB_SHIFT:
    case VERB_STEP:
        target->position = v3_add(target->position, to);
        break;
    case VERB_PLACE:
        target->position = to;
        break;
    case VERB_TURN: // about the axes of the base, from the orientation of the start
        target->orientation = quat_mul(quat_exp(to), foot->start.orientation);
        break;
    default:
        break;
    }
}

static void keyframes_move(keyframes_reader *r, uint64_t feet, keyframes_verb verb, pawl_vec3 to)
{
    for (int f = 0; f < r->feet.count; ++f) {
        keyframe_foot *foot = &r->feet.feet[f];
        if ((feet >> f & 1) != 0) {
            keyframes_move_foot(foot, verb, to);
            foot->moved = true;
            foot->line = r->text.line;
        }
    }
}

// What a turn asks of its feet, and a step of the file.
static pawl_status keyframes_can_move(const keyframes_reader *r, uint64_t feet, keyframes_verb verb)
{
    for (int f = 0; f < r->feet.count && verb == VERB_TURN; ++f) {
        if ((feet >> f & 1) != 0 && !r->feet.feet[f].start.turned) {
            return text_lines_error(&r->text,
                                    "foot '%s' has no orientation to turn; 'foot %s BODY X Y Z "
                                    "level' gives it one",
                                    r->feet.feet[f].name, r->feet.feet[f].name);
        }
    }
    if (verb == VERB_STEP && (r->path < 4 || r->part != PART_KEYS)) {
        return text_lines_error(
            &r->text, r->part != PART_KEYS
                          ? "got a step in the start pose, expected it in a key"
                          : "a step has a path between two keys: 'path 8', or another number from "
                            "4 on, expected before the first key");
    }
    return PAWL_OK;
}

static pawl_status keyframes_feet_line(keyframes_reader *r, keyframes_verb verb)
{
    uint64_t feet;
    pawl_vec3 to = v3(0.0, 0.0, 0.0);
    double lift = 0.0;
    PAWL_TRY(keyframes_words(r, keyframes_verbs[verb].words, keyframes_verbs[verb].usage));
    PAWL_TRY(keyframes_choose(r, r->text.words[1], &feet));
    PAWL_TRY(keyframes_can_move(r, feet, verb));
    if (verb != VERB_REST) {
        PAWL_TRY(keyframes_vec3(r, 2, &to));
    }
    if (verb == VERB_STEP) {
        PAWL_TRY(text_lines_number(&r->text, 5, "the height of a step", &lift));
    }
    keyframes_move(r, feet, verb, to);
    for (int f = 0; f < r->feet.count; ++f) {
        r->feet.feet[f].lift += (feet >> f & 1) != 0 ? lift : 0.0;
    }
    return PAWL_OK;
}

static pawl_status keyframes_balance(keyframes_reader *r)
{
    bool margin = r->text.word_count == 3;
    PAWL_TRY(keyframes_words(r, margin ? 3 : 2, "balance FEET [MARGIN]"));
    if (r->balance.feet != 0) {
        return text_lines_error(&r->text, "got a second balance in one key, expected one");
    }
    r->balance = (keyframe_balance){.margin = -1.0, .line = r->text.line};
    if (margin) {
        PAWL_TRY(text_lines_number(&r->text, 2, "the margin", &r->balance.margin));
        if (r->balance.margin < 0.0) {
            return text_lines_error(&r->text, "got a margin of %g m, expected 0 or more",
                                    r->balance.margin);
        }
    }
    PAWL_TRY(keyframes_choose(r, r->text.words[1], &r->balance.feet));
    if (r->balance.feet == 0) {
        return text_lines_error(&r->text, "got balance in a file without feet");
    }
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
    int a = c < count ? keyframe_actuator(&r->feet, joint, c) : -1;
    if (a < 0) {
        return text_lines_error(&r->text, "joint '%s' has no position actuator of coordinate %g",
                                name, coordinate);
    }
    int foot = keyframe_feet_of(&r->feet, a);
    if (foot >= 0 && r->part != PART_START) {
        return text_lines_error(&r->text, "joint '%s' is moved by foot '%s'", name,
                                r->feet.feet[foot].name);
    }
    r->moved[a] = true;
    r->started[a] = r->started[a] || r->part == PART_START;
    r->value[a] = value;
    keyframe_feet_bend(&r->feet, a, value);
    return PAWL_OK;
}

// --- keys ------------------------------------------------------------------------------------------

static pawl_status keyframes_push(keyframes_reader *r, double time)
{
    int64_t numbers = ((int64_t)r->times.count + 1) * r->actuator_count;
    if (r->times.count >= KEYFRAMES_MAX_KEYS || numbers > KEYFRAMES_MAX_NUMBERS) {
        return text_lines_error(&r->text, "got more than %d keys, with all repetitions and paths",
                                r->times.count);
    }
    double *slot = pawl_array_push(r->env, &r->times, sizeof(double));
    if (slot == NULL) {
        return PAWL_FAIL(r->env, PAWL_NO_MEMORY, "no memory for the keys of a motion");
    }
    *slot = time;
    for (int a = 0; a < r->actuator_count; ++a) {
        double *value = pawl_array_push(r->env, &r->values, sizeof(double));
        if (value == NULL) {
            return PAWL_FAIL(r->env, PAWL_NO_MEMORY, "no memory for the keys of a motion");
        }
        *value = r->value[a];
    }
    return PAWL_OK;
}

// The poses on the path to a key. Joints that no foot moves go along with the same fraction.
static pawl_status keyframes_push_path(keyframes_reader *r)
{
    size_t size = (size_t)r->actuator_count * sizeof *r->value;
    double *end = r->path > 1 ? pawl_alloc(r->env, size + 1) : NULL;
    if (r->path > 1 && end == NULL) {
        return PAWL_FAIL(r->env, PAWL_NO_MEMORY, "no memory for the keys of a motion");
    }
    if (end != NULL) {
        memcpy(end, r->value, size);
    }
    pawl_status status = PAWL_OK;
    for (int k = 1; k < r->path && status == PAWL_OK; ++k) {
        double x = (double)k / r->path;
        double fraction = r->between == PAWL_SMOOTH ? (3.0 - 2.0 * x) * x * x : x;
        for (int a = 0; a < r->actuator_count; ++a) {
            r->value[a] = r->before[a] + fraction * (end[a] - r->before[a]);
        }
        r->feet.smooth = r->between == PAWL_SMOOTH;
        status = keyframe_feet_solve(&r->feet, x);
        if (status == PAWL_OK) {
            status = keyframes_push(r, r->key_time + x * (r->time - r->key_time));
        }
    }
    if (end != NULL) {
        memcpy(r->value, end, size);
        pawl_free(r->env, end, size + 1);
    }
    return status;
}

// The key that was begun, if any, is complete.
static pawl_status keyframes_complete(keyframes_reader *r)
{
    if (!r->in_key) {
        return PAWL_OK;
    }
    if (r->balance.feet != 0) {
        PAWL_TRY(keyframe_feet_balance(&r->feet, &r->balance));
    }
    PAWL_TRY(keyframes_push_path(r));
    PAWL_TRY(keyframe_feet_solve(&r->feet, 1.0));
    keyframe_feet_next(&r->feet);
    r->balance = (keyframe_balance){0};
    r->in_key = false;
    memcpy(r->before, r->value, (size_t)r->actuator_count * sizeof *r->value);
    return keyframes_push(r, r->time);
}

// The head of the file is complete: feet are known.
static pawl_status keyframes_end_head(keyframes_reader *r, keyframes_part next)
{
    if (r->part == PART_HEAD) {
        PAWL_TRY(keyframe_feet_gather(&r->feet));
    }
    r->part = next;
    return PAWL_OK;
}

// The joints that begin elsewhere than the model says, with all their coordinates.
static void keyframes_list_starts(keyframes_reader *r)
{
    for (int a = 0; a < r->actuator_count; ++a) {
        pawl_actuator_def def = pawl_model_actuator(r->model, pawl_model_actuator_at(r->model, a));
        int at = 0;
        while (at < r->start_count && !pawl_joint_same(r->start[at].joint, def.joint)) {
            ++at;
        }
        if (!r->started[a]) {
            continue;
        }
        if (at == r->start_count) {
            ++r->start_count;
            r->start[at].joint = def.joint;
            pawl_state_joint(r->state, def.joint, r->start[at].position, NULL);
        }
        r->start[at].position[def.coordinate] = r->value[a];
    }
}

// Before the first key. A start pose, if there is one, is complete; then the first row is the start.
static pawl_status keyframes_begin_keys(keyframes_reader *r)
{
    if (r->part == PART_KEYS) {
        return PAWL_OK;
    }
    if (r->part == PART_START) {
        if (r->balance.feet != 0) {
            PAWL_TRY(keyframe_feet_balance(&r->feet, &r->balance));
        }
        PAWL_TRY(keyframe_feet_solve(&r->feet, 1.0));
        for (int s = 0; s < r->feet.set_count; ++s) {
            const keyframe_set *set = &r->feet.sets[s];
            for (int i = 0; i < set->coordinates; ++i) {
                r->started[set->actuator[i]] = true;
            }
        }
        keyframe_feet_begin_here(&r->feet);
        r->balance = (keyframe_balance){0};
        keyframes_list_starts(r);
    }
    PAWL_TRY(keyframes_end_head(r, PART_KEYS));
    memcpy(r->before, r->value, (size_t)r->actuator_count * sizeof *r->value);
    return keyframes_push(r, 0.0);
}

static pawl_status keyframes_start(keyframes_reader *r)
{
    PAWL_TRY(keyframes_words(r, 1, "start"));
    if (r->part != PART_HEAD) {
        return text_lines_error(&r->text, "got 'start' %s, expected one before the first key",
                                r->part == PART_START ? "twice" : "after a key");
    }
    return keyframes_end_head(r, PART_START);
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
    PAWL_TRY(keyframes_begin_keys(r));
    PAWL_TRY(keyframes_complete(r));
    r->key_time = r->time;
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
    PAWL_TRY(keyframes_begin_keys(r));
    PAWL_TRY(keyframes_complete(r));
    r->loop = r->text.next;
    r->loop_line = r->text.line;
    r->rounds_left = (int)rounds;
    r->loop_keys = 0;
    r->loop_end = -1;
    r->rounds = 0;
    r->loop_drift = INFINITY;
    return PAWL_OK;
}

// The second round of an endless repetition must end where the first did; then it is the period. Where balance moves
// the base, rounds come nearer to each other first: as long as they do so, there is another one.
static pawl_status keyframes_close_loop(keyframes_reader *r)
{
    int n = r->actuator_count, last = r->times.count - 1, worst = 0;
    double drift = 0.0;
    for (int f = 0; f < r->feet.count && r->loop_end >= 0; ++f) {
        pawl_vec3 at = r->feet.feet[f].target.position;
        double off = v3_norm(v3_sub(at, r->loop_at[f]));
        worst = off > drift ? f : worst;
        drift = off > drift ? off : drift;
    }
    bool second = r->loop_end >= 0, closed = second && drift <= KEYFRAMES_CLOSED;
    if (second && !closed &&
        (!(drift < 0.9 * r->loop_drift) || ++r->rounds > KEYFRAMES_MAX_ROUNDS)) {
        return text_lines_error(&r->text,
                                "foot '%s' moves by %.3g m against the base in every "
                                "repetition; an endless repetition must end where it began",
                                r->feet.feet[worst].name, drift);
    }
    if (closed) {
        memcpy(&PAWL_ITEM(r->values, double, last *n),
               &PAWL_ITEM(r->values, double, r->loop_end *n), (size_t)n * sizeof(double));
        r->ended = true;
        return PAWL_OK;
    }
    // A file without balance drifts by the same in every round: its second one decides.
    r->loop_drift = second ? drift : INFINITY;
    r->loop_end = last;
    for (int f = 0; f < r->feet.count; ++f) {
        r->loop_at[f] = r->feet.feet[f].target.position;
    }
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
    bool endless = r->rounds_left < 0;
    if (endless) {
        PAWL_TRY(keyframes_close_loop(r));
    }
    bool again = endless ? !r->ended : --r->rounds_left > 0;
    if (again) {
        r->text.next = r->loop;
        r->text.line = r->loop_line;
    } else {
        r->loop = NULL;
    }
    return PAWL_OK;
}

// Lines that stand in a key, or in the start pose. *done: it was one.
static pawl_status keyframes_key_line(keyframes_reader *r, bool *done)
{
    const char *verb = r->text.words[0];
    bool joint = strcmp(verb, "joint") == 0, travel = strcmp(verb, "travel") == 0;
    bool balance = strcmp(verb, "balance") == 0;
    int move = 0;
    while (move < VERB_COUNT && strcmp(verb, keyframes_verbs[move].word) != 0) {
        ++move;
    }
    *done = joint || travel || balance || move < VERB_COUNT;
    if (!*done) {
        return PAWL_OK;
    }
    if (!r->in_key && r->part != PART_START) {
        return text_lines_error(&r->text, "got '%s' outside of a key, expected 'key SECONDS' first",
                                verb);
    }
    return joint     ? keyframes_joint(r)
           : travel  ? keyframes_travel(r)
           : balance ? keyframes_balance(r)
                     : keyframes_feet_line(r, (keyframes_verb)move);
}

static pawl_status keyframes_line(keyframes_reader *r)
{
    static const struct {
        const char *word;
        pawl_status (*read)(keyframes_reader *r);
    } lines[] = {
        {"base", keyframes_base},     {"between", keyframes_between}, {"path", keyframes_path},
        {"foot", keyframes_add_foot}, {"servo", keyframes_servo},     {"start", keyframes_start},
        {"key", keyframes_key},       {"repeat", keyframes_repeat},   {"end", keyframes_end}};
    const char *verb = r->text.words[0];
    if (r->ended) {
        return text_lines_error(&r->text, "got '%.40s' after an endless repetition", verb);
    }
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        if (strcmp(verb, lines[i].word) == 0) {
            return lines[i].read(r);
        }
    }
    bool done;
    PAWL_TRY(keyframes_key_line(r, &done));
    return done ? PAWL_OK
                : text_lines_error(&r->text,
                                   "got '%.40s', expected one of base, between, path, foot, servo, "
                                   "start, key, rest, offset, shift, place, turn, step, travel, "
                                   "balance, joint, repeat, end",
                                   verb);
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

// The model's start: with the joints that begin elsewhere than the poses of their bodies, and loops closed.
static pawl_status keyframes_find_start(keyframes_reader *r)
{
    PAWL_TRY(pawl_state_create(r->env, r->model, &r->state));
    pawl_env quiet = *r->env; // what is wrong with the start is said when the simulation begins
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    quiet.log = NULL;
    pawl_status status = pawl_sim_create(&quiet, r->model, &settings, &sim);
    if (status == PAWL_OK) {
        status = pawl_state_copy(r->state, pawl_sim_state(sim));
        pawl_sim_destroy(sim);
    }
    return status == PAWL_NO_MEMORY
               ? PAWL_FAIL(r->env, PAWL_NO_MEMORY, "no memory for the start of a motion")
               : PAWL_OK;
}

static pawl_status keyframes_begin(keyframes_reader *r)
{
    size_t n = (size_t)r->actuator_count;
    r->moved = pawl_alloc(r->env, n * sizeof *r->moved + 1);
    r->started = pawl_alloc(r->env, n * sizeof *r->started + 1);
    r->value = pawl_alloc(r->env, n * sizeof *r->value + 1);
    r->before = pawl_alloc(r->env, n * sizeof *r->before + 1);
    r->start = pawl_alloc(r->env, n * sizeof *r->start + 1);
    if (r->moved == NULL || r->started == NULL || r->value == NULL || r->before == NULL ||
        r->start == NULL) {
        return PAWL_FAIL(r->env, PAWL_NO_MEMORY, "no memory for the actuators of a motion");
    }
    PAWL_TRY(keyframes_find_start(r));
    r->feet.env = r->env;
    r->feet.model = r->model;
    r->feet.text = &r->text;
    r->feet.actuator_count = r->actuator_count;
    r->feet.value = r->value;
    r->feet.moved = r->moved;
    r->feet.start = r->state;
    for (int a = 0; a < r->actuator_count; ++a) {
        pawl_actuator_def def = pawl_model_actuator(r->model, pawl_model_actuator_at(r->model, a));
        r->value[a] = keyframe_start_coordinate(&r->feet, def.joint, def.coordinate);
    }
    return PAWL_OK;
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
    PAWL_TRY(keyframes_begin_keys(r));
    PAWL_TRY(keyframes_complete(r));
    if (r->times.count < 2 && r->start_count == 0) {
        return text_lines_error(&r->text, "the file has no key");
    }
    return PAWL_OK;
}

static void keyframes_release(keyframes_reader *r)
{
    keyframe_feet_release(&r->feet);
    size_t n = (size_t)r->actuator_count;
    pawl_free(r->env, r->moved, n * sizeof *r->moved + 1);
    pawl_free(r->env, r->started, n * sizeof *r->started + 1);
    pawl_free(r->env, r->value, n * sizeof *r->value + 1);
    pawl_free(r->env, r->before, n * sizeof *r->before + 1);
    pawl_free(r->env, r->start, n * sizeof *r->start + 1);
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
    // Numbers in files have a decimal point in every locale.
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0) {
        pawl_free(env, r, sizeof *r);
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for the C locale");
    }
    locale_t before = uselocale(plain);
    *r = (keyframes_reader){.env = env,
                            .model = model,
                            .between = PAWL_SMOOTH,
                            .path = 1,
                            .actuator_count = pawl_model_actuator_count(model)};
    pawl_status status = text != NULL ? text_lines_begin(&r->text, env, path, text, size)
                                      : text_lines_open(&r->text, env, path);
    if (status == PAWL_OK) {
        status = keyframes_read_all(r);
    }
    if (status == PAWL_OK) {
        bool straight = r->path == 1 || r->between == PAWL_LINEAR;
        keyframe_rows rows = {.count = r->times.count,
                              .actuator_count = r->actuator_count,
                              .times = r->times.data,
                              .values = r->values.data,
                              .moved = r->moved,
                              .between = straight ? r->between : PAWL_CUBIC,
                              .loop_end = r->ended ? r->loop_end : -1,
                              .start_count = r->start_count,
                              .starts = r->start};
        status = keyframe_tables_make(env, &rows, out);
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
