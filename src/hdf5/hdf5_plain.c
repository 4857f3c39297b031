// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Files of contact problems come from unknown sources, and HDF5 1.10 (Debian 12's) corrupts memory or ends the
// process on damaged files: for example, it does not check sizes in local heaps and symbol tables. The files are
// simple, so they are read here by the published format (HDF5 File Format Specification, version 3.0; sections in
// brackets), with every address and size checked against the length of the file: superblocks 0 to 3 (II), groups as
// symbol tables (III.A, III.B, III.D) or by link messages (IV.A.2.g), object headers 1 and 2 (IV.A.1), datasets that
// are contiguous or compact (IV.A.2.i), of whole numbers and IEEE reals. Anything else is reported as unknown, never
// guessed. Traversals have a budget, so that structures that contain each other terminate.
#include "hdf5/hdf5_plain.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
    PLAIN_ENTRY = 40,        // bytes of a symbol table entry
    PLAIN_MOST_BLOCKS = 64,  // continuations of an object header
    PLAIN_MOST_NODES = 65536 // of a group's tree that a search looks at
};
static const uint64_t plain_nowhere = UINT64_MAX; // the undefined address

// ---- Bytes ---------------------------------------------------------------------------------------

// `length` bytes at an address; NULL when they are not all in the file.
static const unsigned char *plain_at(const hdf5_plain *f, uint64_t address, uint64_t length)
{
    return address <= f->size && length <= f->size - address ? f->bytes + address : NULL;
}

static uint64_t plain_number(const unsigned char *p, int width)
{
    uint64_t sum = 0;
    for (int i = width - 1; i >= 0; --i) {
        sum = sum << 8 | p[i];
    }
    return sum;
}

static bool plain_is(const unsigned char *p, const char *signature)
{
    return p != NULL && memcmp(p, signature, 4) == 0;
}

// ---- Object headers (IV.A.1) ---------------------------------------------------------------------

typedef struct plain_message {
    int kind;
    bool shared; // stored elsewhere
    const unsigned char *data;
    uint64_t size;
} plain_message;

typedef struct plain_block {
    uint64_t address, length; // of messages
} plain_block;

// A walk over the messages of an object, continuations included.
typedef struct plain_walk {
    const hdf5_plain *file;
    int version, head; // bytes before the data of a message
    plain_block queue[PLAIN_MOST_BLOCKS];
    int queued, block;
    uint64_t at; // within the block
    bool damaged;
} plain_walk;

static bool plain_walk_version_2(plain_walk *w, uint64_t address)
{
    const unsigned char *p = plain_at(w->file, address, 6);
    uint64_t at = address + 6;
    if (p == NULL || p[4] != 2) {
        return false;
    }
    int flags = p[5], width = 1 << (flags & 3);
    at += (flags & 0x20) != 0 ? 16 : 0; // times
    at += (flags & 0x10) != 0 ? 4 : 0;  // attribute storage
    const unsigned char *length = plain_at(w->file, at, (uint64_t)width);
    if (length == NULL) {
        return false;
    }
    w->version = 2;
    w->head = (flags & 4) != 0 ? 6 : 4;
    w->queue[w->queued++] = (plain_block){at + (uint64_t)width, plain_number(length, width)};
    return true;
}

static plain_walk plain_walk_begin(const hdf5_plain *f, uint64_t address)
{
    plain_walk w = {.file = f};
    const unsigned char *p = plain_at(f, address, 16);
    if (plain_is(p, "OHDR")) {
        w.damaged = !plain_walk_version_2(&w, address);
    } else if (p != NULL && p[0] == 1) {
        w.version = 1;
        w.head = 8;
        w.queue[w.queued++] = (plain_block){address + 16, plain_number(p + 8, 4)};
    } else {
        w.damaged = true;
    }
    return w;
}

// IV.A.2.q: messages continue elsewhere. In version 2 they lie between a signature and a checksum.
static void plain_walk_continue(plain_walk *w, const plain_message *m)
{
    if (m->size < 16 || w->queued == PLAIN_MOST_BLOCKS) {
        w->damaged = true;
        return;
    }
    plain_block b = {plain_number(m->data, 8), plain_number(m->data + 8, 8)};
    if (w->version == 2) {
        w->damaged =
            w->damaged || b.length < 8 || !plain_is(plain_at(w->file, b.address, b.length), "OCHK");
        b.address += 4;
        b.length -= 8;
    }
    w->queue[w->queued++] = b;
}

static bool plain_walk_next(plain_walk *w, plain_message *out)
{
    while (!w->damaged && w->block < w->queued) {
        const plain_block *b = &w->queue[w->block];
        const unsigned char *p = plain_at(w->file, b->address, b->length);
        uint64_t head = (uint64_t)w->head;
        if (p == NULL) {
            w->damaged = true;
            return false;
        }
        if (b->length < head || w->at > b->length - head) {
            ++w->block;
            w->at = 0;
            continue;
        }
        p += w->at;
        bool first = w->version == 1;
        *out = (plain_message){.kind = first ? (int)plain_number(p, 2) : p[0],
                               .shared = (p[first ? 4 : 3] & 2) != 0,
                               .data = p + head,
                               .size = plain_number(p + (first ? 2 : 1), 2)};
        if (out->size > b->length - head - w->at) {
            w->damaged = true;
            return false;
        }
        w->at += head + out->size;
        if (out->kind == 0x10) {
            plain_walk_continue(w, out);
        } else {
            return true;
        }
    }
    return false;
}

// ---- Groups --------------------------------------------------------------------------------------

typedef struct plain_search {
    const hdf5_plain *file;
    const char *name; // (length), not ended by a zero
    size_t length;
    const unsigned char *names; // of a local heap
    uint64_t names_size;
    int budget;
    bool damaged, unknown;
    uint64_t address; // of the object header that was found, else plain_nowhere
} plain_search;

static void plain_search_entry(plain_search *s, const unsigned char *entry)
{
    uint64_t name = plain_number(entry, 8);
    if (name >= s->names_size || s->names_size - name <= s->length) {
        return;
    }
    const unsigned char *text = s->names + name;
    bool soft = plain_number(entry + 16, 4) == 2; // a name of something else
    if (memcmp(text, s->name, s->length) == 0 && text[s->length] == 0 && !soft) {
        s->address = plain_number(entry + 8, 8);
    }
}

// A leaf (III.B) holds symbols, a node above (III.A.1) the addresses of nodes.
static void plain_search_node(plain_search *s, uint64_t address, int level)
{
    if (s->budget-- <= 0) {
        s->damaged = true;
        return;
    }
    const unsigned char *p = plain_at(s->file, address, level < 0 ? 8 : 24);
    int count = p == NULL ? 0 : (int)plain_number(p + 6, 2);
    uint64_t body = level < 0 ? (uint64_t)count * PLAIN_ENTRY : 8 + (uint64_t)count * 16;
    const unsigned char *items = plain_at(s->file, address + (level < 0 ? 8 : 24), body);
    bool right =
        level < 0 ? plain_is(p, "SNOD") : plain_is(p, "TREE") && p[4] == 0 && p[5] == level;
    if (!right || items == NULL) {
        s->damaged = true;
        return;
    }
    for (int i = 0; i < count && s->address == plain_nowhere && !s->damaged; ++i) {
        if (level < 0) {
            plain_search_entry(s, items + PLAIN_ENTRY * i);
        } else { // keys lie between the addresses
            plain_search_node(s, plain_number(items + 8 + 16 * i, 8), level - 1);
        }
    }
}

// IV.A.2.r: the tree and the heap of names (III.D) of a group.
static void plain_search_table(plain_search *s, const plain_message *m)
{
    enum { MOST_LEVELS = 16 };
    if (m->size < 16) {
        s->damaged = true;
        return;
    }
    uint64_t root = plain_number(m->data, 8);
    const unsigned char *tree = plain_at(s->file, root, 24);
    const unsigned char *heap = plain_at(s->file, plain_number(m->data + 8, 8), 32);
    if (!plain_is(tree, "TREE") || !plain_is(heap, "HEAP") || tree[5] > MOST_LEVELS) {
        s->damaged = true;
        return;
    }
    s->names_size = plain_number(heap + 8, 8);
    s->names = plain_at(s->file, plain_number(heap + 24, 8), s->names_size);
    if (s->names == NULL) {
        s->damaged = true;
        return;
    }
    plain_search_node(s, root, tree[5]);
}

// IV.A.2.g: one link. Links to names and into other files are no objects of this one.
static void plain_search_link(plain_search *s, const plain_message *m)
{
    uint64_t at = 2;
    if (m->size < 2 || m->data[0] != 1) {
        s->damaged = true;
        return;
    }
    int flags = m->data[1], width = 1 << (flags & 3);
    bool hard = (flags & 8) == 0 || (m->size > 2 && m->data[2] == 0);
    at += (flags & 8) != 0 ? 1 : 0;
    at += (flags & 4) != 0 ? 8 : 0;
    at += (flags & 0x10) != 0 ? 1 : 0;
    if (m->size < at + (uint64_t)width) {
        s->damaged = true;
        return;
    }
    uint64_t length = plain_number(m->data + at, width);
    at += (uint64_t)width;
    if (length > m->size - at || (hard && m->size - at - length < 8)) {
        s->damaged = true;
    } else if (hard && length == s->length && memcmp(m->data + at, s->name, length) == 0) {
        s->address = plain_number(m->data + at + length, 8);
    }
}

// Many links are kept in a heap of another kind (IV.A.2.c).
static bool plain_links_are_dense(const plain_message *m)
{
    uint64_t at = m->size >= 2 && (m->data[1] & 1) != 0 ? 10 : 2;
    return m->size >= at + 8 && plain_number(m->data + at, 8) != plain_nowhere;
}

static void plain_search_group(plain_search *s, uint64_t group)
{
    enum { LINK_INFO = 0x2, LINK = 0x6, SYMBOL_TABLE = 0x11 };
    plain_walk w = plain_walk_begin(s->file, group);
    plain_message m;
    s->address = plain_nowhere;
    while (s->address == plain_nowhere && plain_walk_next(&w, &m)) {
        if (m.kind == SYMBOL_TABLE) {
            plain_search_table(s, &m);
        } else if (m.kind == LINK) {
            plain_search_link(s, &m);
        } else if (m.kind == LINK_INFO && plain_links_are_dense(&m)) {
            s->unknown = true;
        }
    }
    s->damaged = s->damaged || w.damaged;
}

// ---- Datasets ------------------------------------------------------------------------------------

typedef struct plain_dataset {
    hdf5_numbers out;
    bool has_space, has_type, has_layout, group, damaged, unknown, other;
    uint64_t stored; // bytes of the data
} plain_dataset;

// IV.A.2.b
static void plain_space(plain_dataset *d, const plain_message *m)
{
    int version = m->size >= 4 ? m->data[0] : 0, rank = m->size >= 4 ? m->data[1] : 0;
    uint64_t head = version == 1 ? 8 : 4;
    d->has_space = true;
    if ((version != 1 && version != 2) || m->size < head + 8 * (uint64_t)rank) {
        d->damaged = true;
        return;
    }
    d->out.count = version == 2 && m->data[3] == 2 ? 0 : 1; // a null space, or all others
    for (int k = 0; k < rank; ++k) {
        uint64_t extent = plain_number(m->data + head + 8 * k, 8);
        if (extent > 0 && d->out.count > UINT64_MAX / extent) {
            d->damaged = true;
            return;
        }
        d->out.count *= extent;
    }
}

// IV.A.2.d
static void plain_type(plain_dataset *d, const plain_message *m)
{
    static const unsigned char ieee[2][12] = {
        {0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0},
        {0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0},
    };
    d->has_type = true;
    if (m->size < 8) {
        d->damaged = true;
        return;
    }
    int class = m->data[0] & 15;
    uint64_t width = plain_number(m->data + 4, 4);
    bool whole = class == 0 && (width == 1 || width == 2 || width == 4 || width == 8) &&
                 m->size >= 12 && plain_number(m->data + 8, 2) == 0 &&
                 plain_number(m->data + 10, 2) == 8 * width;
    bool real = class == 1 && (width == 4 || width == 8) && m->size >= 20 &&
                (m->data[1] & 0x40) == 0 && memcmp(m->data + 8, ieee[width == 8], 12) == 0;
    d->other = !whole && !real;
    d->out.real = real;
    d->out.width = d->other ? 1 : (int)width;
    d->out.big_endian = (m->data[1] & 1) != 0;
    d->out.is_signed = (m->data[1] & 8) != 0;
}

// IV.A.2.i
static void plain_layout(const hdf5_plain *f, plain_dataset *d, const plain_message *m)
{
    int version = m->size >= 2 ? m->data[0] : 0, class = m->size >= 2 ? m->data[1] : 0;
    d->has_layout = true;
    if ((version != 3 && version != 4) || class > 1) {
        d->unknown = true;
    } else if (class == 0 && m->size >= 4) {
        d->stored = plain_number(m->data + 2, 2);
        d->out.data = d->stored <= m->size - 4 ? m->data + 4 : NULL;
    } else if (class == 1 && m->size >= 18) {
        uint64_t address = plain_number(m->data + 2, 8);
        d->stored = address == plain_nowhere ? 0 : plain_number(m->data + 10, 8);
        d->out.data = address == plain_nowhere ? f->bytes : plain_at(f, address, d->stored);
    }
}

static hdf5_numbers plain_describe(const hdf5_plain *f, uint64_t address)
{
    enum { SPACE = 1, LINK_INFO = 2, TYPE = 3, EXTERNAL = 7, LAYOUT = 8, SYMBOL_TABLE = 0x11 };
    plain_dataset d = {.out = {.width = 1}};
    plain_walk w = plain_walk_begin(f, address);
    plain_message m;
    while (plain_walk_next(&w, &m)) {
        bool ours = m.kind == SPACE || m.kind == TYPE || m.kind == LAYOUT;
        d.unknown = d.unknown || m.kind == EXTERNAL || (ours && m.shared);
        d.group = d.group || m.kind == SYMBOL_TABLE || m.kind == LINK_INFO;
        if (ours && m.shared) {
            d.has_type = true; // it is a dataset, of an unknown kind
        } else if (m.kind == SPACE) {
            plain_space(&d, &m);
        } else if (m.kind == TYPE) {
            plain_type(&d, &m);
        } else if (m.kind == LAYOUT) {
            plain_layout(f, &d, &m);
        }
    }
    bool complete = d.has_space && d.has_type && d.has_layout && d.out.data != NULL &&
                    d.out.count <= d.stored / (uint64_t)d.out.width;
    d.out.found = w.damaged || d.damaged ? HDF5_DAMAGED
                  : d.group              ? HDF5_GROUP
                  : d.unknown            ? HDF5_UNKNOWN
                  : d.other              ? HDF5_NO_NUMBERS
                  : complete             ? HDF5_DATASET
                                         : HDF5_DAMAGED;
    return d.out;
}

// ---- Files ---------------------------------------------------------------------------------------

// The address of the root group's header (II.A, II.B); plain_nowhere when the form is unknown.
static uint64_t plain_root(const hdf5_plain *f)
{
    const unsigned char *p = plain_at(f, 0, 48);
    int version = p == NULL ? -1 : p[8];
    if (version == 0 || version == 1) {
        uint64_t at = version == 0 ? 24 : 28; // base address
        const unsigned char *q = plain_at(f, at, 48);
        bool plain = p[13] == 8 && p[14] == 8 && q != NULL && plain_number(q, 8) == 0;
        return plain ? plain_number(q + 40, 8) : plain_nowhere;
    }
    bool plain =
        (version == 2 || version == 3) && p[9] == 8 && p[10] == 8 && plain_number(p + 12, 8) == 0;
    return plain ? plain_number(p + 36, 8) : plain_nowhere;
}

// Whether the file is as long as it states.
static bool plain_is_whole(const hdf5_plain *f)
{
    const unsigned char *p = plain_at(f, 0, 48);
    int version = p == NULL ? -1 : p[8];
    uint64_t at = version == 0 ? 40 : version == 1 ? 44 : 28; // end of file address
    const unsigned char *end = plain_at(f, at, 8);
    return end != NULL && plain_number(end, 8) <= f->size;
}

static pawl_status plain_load(FILE *in, const pawl_env *env, hdf5_plain *out)
{
    if (fseek(in, 0, SEEK_END) != 0) {
        return PAWL_IO_ERROR;
    }
    long size = ftell(in);
    if (size < 0 || size == LONG_MAX || fseek(in, 0, SEEK_SET) != 0) {
        return PAWL_IO_ERROR;
    }
    out->size = (uint64_t)size;
    out->bytes = pawl_alloc(env, out->size + 1); // empty files have an address, too
    if (out->bytes == NULL) {
        return PAWL_NO_MEMORY;
    }
    return fread(out->bytes, 1, out->size, in) == out->size ? PAWL_OK : PAWL_IO_ERROR;
}

pawl_status hdf5_plain_open(const pawl_env *env, const char *path, hdf5_plain *out)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    *out = (hdf5_plain){.env = env};
    FILE *in = fopen(path, "rb");
    pawl_status status = in == NULL ? PAWL_IO_ERROR : plain_load(in, env, out);
    if (in != NULL) {
        (void)fclose(in);
    }
    if (status == PAWL_OK) {
        bool ours = out->size >= 48 && memcmp(out->bytes, signature, sizeof signature) == 0;
        status = !ours                              ? PAWL_BAD_FILE
                 : plain_root(out) == plain_nowhere ? PAWL_UNSUPPORTED
                 : plain_is_whole(out)              ? PAWL_OK
                                                    : PAWL_BAD_FILE;
    }
    if (status != PAWL_OK) {
        hdf5_plain_close(out);
    }
    return status;
}

void hdf5_plain_close(hdf5_plain *file)
{
    pawl_free(file->env, file->bytes, file->bytes == NULL ? 0 : file->size + 1);
    file->bytes = NULL;
    file->size = 0;
}

hdf5_numbers hdf5_plain_find(const hdf5_plain *file, const char *path)
{
    uint64_t address = plain_root(file);
    for (const char *name = path + strspn(path, "/"); *name != '\0';) {
        size_t length = strcspn(name, "/");
        plain_search s = {.file = file, .name = name, .length = length, .budget = PLAIN_MOST_NODES};
        plain_search_group(&s, address);
        if (s.address == plain_nowhere) {
            return (hdf5_numbers){.found = s.damaged   ? HDF5_DAMAGED
                                           : s.unknown ? HDF5_UNKNOWN
                                                       : HDF5_ABSENT};
        }
        address = s.address;
        name += length + strspn(name + length, "/");
    }
    return plain_describe(file, address);
}

static uint64_t plain_bits(const hdf5_numbers *set, uint64_t i)
{
    unsigned char turned[8];
    const unsigned char *p = set->data + i * (uint64_t)set->width;
    for (int k = 0; k < set->width; ++k) {
        turned[k] = p[set->big_endian ? set->width - 1 - k : k];
    }
    return plain_number(turned, set->width);
}

// Two's complement: the highest bit counts negative.
static int64_t plain_signed(uint64_t bits, int width)
{
    uint64_t sign = UINT64_C(1) << (8 * width - 1);
    int64_t low = (int64_t)(bits & (sign - 1));
    return (bits & sign) == 0 ? low : low - (int64_t)(sign - 1) - 1;
}

double hdf5_plain_real(const hdf5_numbers *set, uint64_t i)
{
    uint64_t bits = plain_bits(set, i);
    double value;
    float single;
    if (set->real && set->width == 8) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (set->real) {
        uint32_t half = (uint32_t)bits;
        memcpy(&single, &half, sizeof single);
        return (double)single;
    }
    return set->is_signed ? (double)plain_signed(bits, set->width) : (double)bits;
}

int hdf5_plain_int(const hdf5_numbers *set, uint64_t i)
{
    uint64_t bits = plain_bits(set, i);
    if (!set->is_signed) {
        return bits > INT_MAX ? INT_MAX : (int)bits;
    }
    int64_t value = plain_signed(bits, set->width);
    return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
}
