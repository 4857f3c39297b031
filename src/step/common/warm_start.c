// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Joints, limits and other rows have a slot each; contacts are known by pair of shapes and feature.
// Features appear and disappear while the total force between two shapes hardly changes; the guess preserves it. The
// impulses of the lost contacts of a pair are divided equally among its new ones: of all distributions with the same
// sum this has the least norm. Impulses in the state are those of a full step dt; c->u.fraction scales them to the
// length of the part at hand. A guess only saves iterations: it must be deterministic, because a resumed run has to
// have the same bits.
#include "step/common/warm_start.h"
#include "rows/spin_rows.h"
#include <string.h>

// The memory of contacts as the state keeps it: sorted by id, like the contacts of the assembly.
typedef struct warm_memory {
    const double *entries;
    int width, count;
} warm_memory;

static warm_memory warm_memory_of(const step_context *c, const pawl_state *s)
{
    return (warm_memory){s->contacts + 1, pawl_contact_width(c->model), (int)s->contacts[0]};
}

static const double *warm_entry(const warm_memory *m, int i)
{
    return m->entries + m->width * i;
}

// The three impulses (t, o, n) of a contact [N s].
static double *warm_impulse(const step_context *c, int contact)
{
    return c->u.lambda + pawl_problem_contact_row(&c->assembly->problem, contact);
}

// The impulse x, and the moment where there is one, of contact k; NULL: none is known.
static void warm_set(const step_context *c, int k, const double *entry)
{
    double *x = warm_impulse(c, k), scale = c->u.fraction * c->settings->solver.warm_start_scale;
    for (int r = 0; r < 3; ++r) {
        x[r] = entry != NULL ? scale * entry[1 + r] : 0.0;
    }
    if (c->model->spin_friction) {
        pawl_vec3 moment = {0};
        if (entry != NULL) {
            moment = v3_scale(scale, v3(entry[4], entry[5], entry[6]));
        }
        pawl_spin_set_moment(c->assembly, k, moment, c->u.lambda);
    }
}

// One walk over both lists finds what each contact had in the last step.
static void warm_matched(const step_context *c, const warm_memory *m)
{
    const pawl_contact *contacts = c->assembly->contacts;
    for (int k = 0, i = 0; k < c->assembly->contact_count; ++k) {
        while (i < m->count && warm_entry(m, i)[0] < contacts[k].id) {
            ++i;
        }
        bool found = i < m->count && warm_entry(m, i)[0] == contacts[k].id;
        warm_set(c, k, found ? warm_entry(m, i) : NULL);
    }
}

// Pairs have few contacts: a search from the front is enough.
static bool warm_is_known(const warm_memory *m, int first, int last, double id)
{
    for (int i = first; i < last; ++i) {
        if (warm_entry(m, i)[0] == id) {
            return true;
        }
    }
    return false;
}

// The contacts k to end of one pair, of which the entries first to last are known.
// Sums are of all three components: contacts of one pair mostly share a normal, and so the axes of their impulses.
static void warm_guess_pair(const step_context *c, const warm_memory *m, int k, int end, int first,
                            int last)
{
    const pawl_contact *contacts = c->assembly->contacts;
    double gone[3] = {0};
    int fresh = 0;
    for (int n = k; n < end; ++n) {
        fresh += !warm_is_known(m, first, last, contacts[n].id);
    }
    for (int i = first; i < last && fresh > 0; ++i) {
        bool stays = false;
        for (int n = k; n < end; ++n) {
            stays = stays || contacts[n].id == warm_entry(m, i)[0];
        }
        for (int r = 0; r < 3 && !stays; ++r) {
            gone[r] += warm_entry(m, i)[1 + r];
        }
    }
    for (int n = k; n < end && fresh > 0; ++n) {
        if (!warm_is_known(m, first, last, contacts[n].id)) {
            for (int r = 0; r < 3; ++r) {
                warm_impulse(c, n)[r] =
                    c->u.fraction * c->settings->solver.warm_start_scale * gone[r] / fresh;
            }
        }
    }
}

// Pairs are runs of both lists.
static void warm_guess(const step_context *c, const warm_memory *m)
{
    const pawl_contact *contacts = c->assembly->contacts;
    int count = c->assembly->contact_count, i = 0;
    for (int k = 0, end; k < count; k = end) {
        double pair = pawl_contact_pair(contacts[k].id);
        for (end = k; end < count && pawl_contact_pair(contacts[end].id) == pair; ++end) {
        }
        while (i < m->count && pawl_contact_pair(warm_entry(m, i)[0]) < pair) {
            ++i;
        }
        int first = i;
        while (i < m->count && pawl_contact_pair(warm_entry(m, i)[0]) == pair) {
            ++i;
        }
        warm_guess_pair(c, m, k, end, first, i);
    }
}

// First by identity, then, with warm_start=guess, new contacts of known pairs.
void pawl_warm_start(step_context *c, const pawl_state *s)
{
    const pawl_assembly *a = c->assembly;
    bool cold = c->settings->solver.warm_start == PAWL_WARM_OFF;
    double scale = cold ? 0.0 : c->u.fraction * c->settings->solver.warm_start_scale;
    for (int r = 0; r < a->slot_rows; ++r) {
        int slot = a->rows[r].slot;
        c->u.lambda[r] = slot >= 0 ? scale * s->impulses[slot] : 0.0;
    }
    warm_memory memory = warm_memory_of(c, s);
    memory.count = cold ? 0 : memory.count;
    warm_matched(c, &memory);
    if (c->settings->solver.warm_start == PAWL_WARM_GUESS) {
        warm_guess(c, &memory);
    }
}

// The entry of a contact of this step.
static void warm_put(const step_context *c, int k, double *to)
{
    to[0] = c->assembly->contacts[k].id;
    for (int r = 0; r < 3; ++r) {
        to[1 + r] = warm_impulse(c, k)[r] / c->u.fraction;
    }
    if (c->model->spin_friction) {
        pawl_vec3 moment =
            v3_scale(1.0 / c->u.fraction, pawl_spin_moment(c->assembly, k, c->u.lambda));
        to[4] = moment.x, to[5] = moment.y, to[6] = moment.z;
    }
}

// Moves entries of contacts between sleeping bodies to the end of the room, in their order; how many there are.
static int warm_keep_asleep(const step_context *c, double *entries, int count, int room, int width)
{
    int kept = 0;
    for (int i = count - 1; i >= 0 && c->sleep.asleep > 0; --i) {
        if (pawl_sleep_keeps(&c->sleep, c->model, entries[width * i])) {
            ++kept;
            memmove(entries + width * (room - kept), entries + width * i,
                    (size_t)width * sizeof *entries);
        }
    }
    return kept;
}

// Entries are (id, impulse (3), and with spin friction the moment (3)); unused ones are zero, so that states
// compare by their bits. Contacts beyond the room of the state are forgotten. Those of sleeping bodies stay, and the two lists
// are merged by id from the front: the kept ones wait at the end of the room, where nothing is written before it is read.
void pawl_remember_contacts(const step_context *c, pawl_state *s)
{
    const pawl_assembly *a = c->assembly;
    int room = pawl_contact_memory(c->model), width = pawl_contact_width(c->model);
    double *entries = s->contacts + 1;
    int before = (int)s->contacts[0];
    int kept = warm_keep_asleep(c, entries, before, room, width);
    int fresh = a->contact_count < room - kept ? a->contact_count : room - kept, at = 0;
    const double *old = entries + width * (room - kept), *end = entries + width * room;
    for (int k = 0; k < fresh; ++k) {
        for (; old < end && old[0] < a->contacts[k].id; old += width) {
            memmove(entries + width * at++, old, (size_t)width * sizeof *entries);
        }
        warm_put(c, k, entries + width * at++);
    }
    for (; old < end; old += width) {
        memmove(entries + width * at++, old, (size_t)width * sizeof *entries);
    }
    s->contacts[0] = (double)at;
    int used = kept > 0 ? room : before;
    if (used > at) {
        memset(entries + width * at, 0, (size_t)(width * (used - at)) * sizeof *entries);
    }
}
