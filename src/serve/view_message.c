// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The viewer's binary protocol: messages from pages are parsed and checked, messages to pages are built. One row of a
// table describes each command, so that the length of a message follows from its kind and the range of every number
// is checked before use. tests/fuzz/fuzz_view.c tests it with hostile bytes.
#include "serve/view_message.h"
#include <math.h>
#include <string.h>

// What follows the four bytes of the head.
typedef struct message_form {
    bool known, index;
    int singles, doubles; // f32 and f64 after the index
    double low, high;     // of each number
    uint32_t most_index;
} message_form;

#define MESSAGE_ANY UINT32_MAX
static const message_form message_forms[VIEW_COMMAND_COUNT] = {
    [VIEW_RUN] = {true, true, 0, 0, 0.0, 0.0, 1},
    [VIEW_STEP] = {true, true, 0, 0, 0.0, 0.0, 100000},
    [VIEW_SPEED] = {true, false, 0, 1, 0.0, 1000.0, 0},
    [VIEW_RESET] = {true, false, 0, 0, 0.0, 0.0, 0},
    [VIEW_SET] = {true, false, 0, 0, 0.0, 0.0, 0}, // and two texts
    [VIEW_GRAB] = {true, true, 6, 0, -1e9, 1e9, MESSAGE_ANY},
    [VIEW_RELEASE] = {true, false, 0, 0, 0.0, 0.0, 0},
    [VIEW_TARGET] = {true, true, 0, 1, -1e12, 1e12, MESSAGE_ANY},
    [VIEW_CLEAR_TARGET] = {true, true, 0, 0, 0.0, 0.0, MESSAGE_ANY},
    [VIEW_FRICTION] = {true, false, 0, 1, 0.0, 1e6, 0},
    [VIEW_GRAVITY] = {true, false, 0, 3, -1e6, 1e6, 0},
    [VIEW_RECORD] = {true, true, 0, 0, 0.0, 0.0, 1},
    [VIEW_COMPARE] = {true, true, 0, 0, 0.0, 0.0, 1},
    [VIEW_OPEN] = {true, true, 0, 0, 0.0, 0.0, MESSAGE_ANY},
    [VIEW_RATE] = {true, true, 0, 0, 0.0, 0.0, 240},
    [VIEW_GAINS] = {true, true, 0, 2, 0.0, 1e15, MESSAGE_ANY},
    [VIEW_CLEAR_INPUTS] = {true, false, 0, 0, 0.0, 0.0, 0},
    [VIEW_DRAWN] = {true, true, 0, 0, 0.0, 0.0, MESSAGE_ANY},
};

static uint32_t message_u32(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double message_f32(const unsigned char *b)
{
    uint32_t bits = message_u32(b);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double message_f64(const unsigned char *b)
{
    uint64_t bits = (uint64_t)message_u32(b) | (uint64_t)message_u32(b + 4) << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Keys and values of settings are of these characters.
static bool message_take_text(const unsigned char *bytes, size_t size, char *text)
{
    for (size_t i = 0; i < size; ++i) {
        if (bytes[i] < 0x20 || bytes[i] > 0x7e) {
            return false;
        }
        text[i] = (char)bytes[i];
    }
    text[size] = '\0';
    return size > 0;
}

static bool message_take_texts(const unsigned char *bytes, size_t size, view_command *out)
{
    if (size < 2 || size != 2 + (size_t)bytes[0] + (size_t)bytes[1]) {
        return false;
    }
    return message_take_text(bytes + 2, bytes[0], out->key) &&
           message_take_text(bytes + 2 + bytes[0], bytes[1], out->text);
}

static bool message_take_numbers(const message_form *form, const unsigned char *bytes,
                                 view_command *out)
{
    if (form->index) {
        out->index = message_u32(bytes);
        bytes += 4;
        if (out->index > form->most_index) {
            return false;
        }
    }
    for (int i = 0; i < form->singles + form->doubles; ++i) {
        bool single = i < form->singles;
        out->value[i] = single ? message_f32(bytes) : message_f64(bytes);
        bytes += single ? 4 : 8;
        if (!(out->value[i] >= form->low && out->value[i] <= form->high)) { // NaN is neither
            return false;
        }
    }
    return true;
}

static bool message_take(const unsigned char *bytes, size_t size, view_command *out)
{
    if (size < 4 || size > VIEW_MOST_BYTES || bytes[0] >= VIEW_COMMAND_COUNT ||
        !message_forms[bytes[0]].known || bytes[1] == 0 || bytes[1] >= 1U << VIEW_PANES ||
        bytes[2] != 0 || bytes[3] != 0) {
        return false;
    }
    out->kind = (view_command_kind)bytes[0];
    out->panes = bytes[1];
    const message_form *form = &message_forms[bytes[0]];
    if (out->kind == VIEW_SET) {
        return message_take_texts(bytes + 4, size - 4, out);
    }
    size_t expected =
        4 + (form->index ? 4U : 0U) + 4 * (size_t)form->singles + 8 * (size_t)form->doubles;
    return size == expected && message_take_numbers(form, bytes + 4, out);
}

bool view_message_read(const void *bytes, size_t size, view_command *out)
{
    *out = (view_command){0};
    if (message_take(bytes, size, out)) {
        return true;
    }
    *out = (view_command){0};
    return false;
}

unsigned char *view_bytes_extend(view_bytes *b, size_t more)
{
    if (b->failed) {
        return NULL;
    }
    if (b->capacity - b->size < more) {
        size_t capacity = b->capacity == 0 ? 4096 : b->capacity;
        while (capacity - b->size < more) {
            capacity *= 2;
        }
        unsigned char *data = b->env->resize(b->env->user, b->data, b->capacity, capacity);
        if (data == NULL) {
            b->failed = true;
            return NULL;
        }
        b->data = data;
        b->capacity = capacity;
    }
    unsigned char *at = b->data + b->size;
    b->size += more;
    return at;
}

// Written out: compilers make one store of it, not of a loop, and a frame has thousands.
static void message_store(unsigned char *at, uint32_t bits)
{
    at[0] = (unsigned char)bits;
    at[1] = (unsigned char)(bits >> 8);
    at[2] = (unsigned char)(bits >> 16);
    at[3] = (unsigned char)(bits >> 24);
}

void view_put_u32(view_bytes *b, uint32_t value)
{
    unsigned char *at = view_bytes_extend(b, 4);
    if (at != NULL) {
        message_store(at, value);
    }
}

void view_set_u32(view_bytes *b, size_t at, uint32_t value)
{
    if (!b->failed && at + 4 <= b->size) {
        message_store(b->data + at, value);
    }
}

void view_put_f32(view_bytes *b, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    view_put_u32(b, bits);
}

void view_put_f32s(view_bytes *b, const float *values, size_t count)
{
    unsigned char *at = view_bytes_extend(b, 4 * count);
    for (size_t i = 0; i < count && at != NULL; ++i) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        message_store(at + 4 * i, bits);
    }
}

void view_put_f64(view_bytes *b, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    unsigned char *at = view_bytes_extend(b, 8);
    if (at != NULL) {
        message_store(at, (uint32_t)bits);
        message_store(at + 4, (uint32_t)(bits >> 32));
    }
}

void view_put_text(view_bytes *b, const char *text, size_t size)
{
    unsigned char *at = view_bytes_extend(b, size);
    if (at != NULL && size > 0) {
        memcpy(at, text, size);
    }
}

void view_bytes_free(view_bytes *b)
{
    if (b->data != NULL) {
        (void)b->env->resize(b->env->user, b->data, b->capacity, 0);
    }
    *b = (view_bytes){.env = b->env};
}
