// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The number of weak vectors of a cluster at the present poses.
//
// If the lengths of rods differ by delta, a change point (a flat parallelogram) becomes two curves with a distance of
// sqrt(delta): the linkage of the file cannot pass it, the intended one can. With s the singular value that vanishes
// there and y the distance from the intended path, the file's path is s y + delta = 0, at an angle of delta / s^2 to
// the intended one. While s is below a threshold, the zone, its direction is not constrained; a free motion during
// the time 2 zone / s' deviates by an angle of the order of the zone. The energy error grows with the squares of both
// angles, which are balanced by zone ~ delta^(1/3); the faster s changes, the larger the zone may be. A direction
// that was weak at the start only because the start was a singular position becomes a constraint again in the same
// way. There are two thresholds each, so that a passage changes the rank once up and once down. Derivation:
// docs/derivations/weak-space.md, section 5.
#include "problem/weak_space.h"
#include <math.h>

static const double zone_most = 0.1;
static const double zone_fraction =
    1.0 / 3.0;                        // of the smallest singular value that counts at the start
static const double zone_leave = 1.5; // times the zone
static const double zone_width = 3.0; // times the cube root of delta: delta is what one loop shows
static const double zone_speed =
    2.0; // of the singular value [1/s]: slower ones have less of a zone
static const double zone_memory = 0.02;  // of that speed [s]
static const double zone_near = 4.0;     // times the zone
static const double zone_slack = 10.0;   // times delta, in a passage
static const double zone_apart = 1e-9;   // [m]
static const double zone_release = 30.0; // times the tolerance: this is no misalignment

// The next singular value of a cluster as it was last found.
static double zone_next(const weak_cluster *c)
{
    return c->base < c->total ? c->sigma[c->base] : 0.0;
}

// A mechanism that turns back close to a singular position, or creeps through it, would move freely for long:
// the zone is that of a passage of limited time.
static void zone_set(const weak_space *space, weak_cluster *c, double last, double rate)
{
    c->last = last;
    c->rate = rate;
    c->zone = fmax(space->least_zone, space->zone * fmin(1.0, rate / zone_speed));
}

// position [m] and rotation [rad] are the misfit of the model's joints at the start; delta is
// relative to the length of the mechanism.
void pawl_weak_set_zone(weak_space *space, double position, double rotation)
{
    double delta = fmax(pawl_weak_space_largest(space), position / space->length);
    double most = fmin(zone_most, zone_fraction * space->strong);
    space->zone = fmin(most, zone_width * cbrt(delta));
    space->least_zone = fmin(space->zone, sqrt(delta));
    space->passage = fmin(most, sqrt(sqrt(delta)));
    space->slack = zone_slack * delta * space->length;
    space->apart = fmax(zone_apart, delta * space->length);
    space->delta = fmax(delta, rotation);
    for (int i = 0; i < space->cluster_count; ++i) {
        zone_set(space, &space->clusters[i], 0.0, 0.0);
    }
}

// Hysteresis: a direction that is out (k < count) must exceed the larger threshold to count again.
void pawl_weak_count(const weak_space *space, weak_cluster *c)
{
    int count = 0;
    while (count < c->total) {
        double leave = count < c->base ? fmax(zone_release * space->tolerance, space->zone)
                                       : zone_leave * c->zone;
        if (!(c->sigma[count] < (count < c->count ? leave : c->zone))) {
            break;
        }
        ++count;
    }
    c->count = count;
}

// f (rows) are position errors. Close to a passage an error of up to `slack` along a nearly weak
// direction is not corrected; it fades out linearly towards the passage's end.
void pawl_weak_slacken(const pawl_problem *p, double *f)
{
    const weak_space *space = p->delassus->weak.space;
    for (int i = 0; i < space->cluster_count; ++i) {
        const weak_cluster *c = &space->clusters[i];
        for (int k = c->count; k < c->total && c->sigma[k] < space->passage; ++k) {
            const double *u = c->u + k * c->n;
            double error = 0.0, slack = space->slack * (1.0 - c->sigma[k] / space->passage);
            for (int r = 0; r < c->n; ++r) {
                error += u[r] * c->scale[r] * f[c->rows[r]];
            }
            double taken = fmin(fmax(error, -slack), slack);
            for (int r = 0; r < c->n; ++r) {
                f[c->rows[r]] -= taken * u[r] / c->scale[r];
            }
        }
    }
}

bool pawl_weak_in_zone(const weak_space *space)
{
    for (int i = 0; space != NULL && i < space->cluster_count; ++i) {
        if (space->clusters[i].count != space->clusters[i].base) {
            return true;
        }
    }
    return false;
}

bool pawl_weak_was_in_zone(const weak_space *space, const double *words)
{
    for (int i = 0; space != NULL && words[0] == space->cluster_count && i < space->cluster_count;
         ++i) {
        if (words[1 + PAWL_WEAK_WORDS * i] != space->clusters[i].base) {
            return true;
        }
    }
    return false;
}

double pawl_weak_blur(const weak_space *space)
{
    for (int i = 0; space != NULL && i < space->cluster_count; ++i) {
        const weak_cluster *c = &space->clusters[i];
        if (c->count != c->base || (c->count < c->total && c->sigma[c->count] < space->passage)) {
            return space->apart;
        }
    }
    return 0.0;
}

// The row with the largest part in the next direction to become weak; -1 for none.
int pawl_weak_next_row(const weak_space *space)
{
    double least = INFINITY;
    int row = -1;
    for (int i = 0; i < space->cluster_count; ++i) {
        const weak_cluster *c = &space->clusters[i];
        if (c->base < c->total && c->sigma[c->base] < least) {
            const double *u = c->u + c->base * c->n;
            int largest = 0;
            for (int r = 1; r < c->n; ++r) {
                largest = fabs(u[r]) > fabs(u[largest]) ? r : largest;
            }
            least = c->sigma[c->base];
            row = c->rows[largest];
        }
    }
    return row;
}

// words: the number of clusters, then for each its count, its next singular value and the speed of
// that [1/s], 0 where it turns back. They are part of the state, so that a resumed run does the same.
void pawl_weak_remember(const weak_space *space, double dt, double *words)
{
    words[0] = space == NULL ? 0.0 : space->cluster_count;
    for (int i = 0; space != NULL && i < space->cluster_count; ++i) {
        const weak_cluster *c = &space->clusters[i];
        double next = zone_next(c), *own = words + 1 + PAWL_WEAK_WORDS * i;
        // A value that passes zero within a step hardly changes in it: the rate before fades slowly.
        double kept = c->rate * zone_memory / (zone_memory + dt);
        own[0] = c->count;
        own[1] = next;
        own[2] = dt > 0.0 && c->last > 0.0 ? fmax(fabs(next - c->last) / dt, kept) : 0.0;
        if (c->count == c->base && c->turns_back) {
            own[2] = 0.0;
        }
    }
}

void pawl_weak_recall(weak_space *space, const double *words)
{
    for (int i = 0; space != NULL && i < space->cluster_count; ++i) {
        weak_cluster *c = &space->clusters[i];
        const double *own = words + 1 + PAWL_WEAK_WORDS * i;
        bool known = words[0] == space->cluster_count && own[0] >= 0.0 && own[0] <= c->total;
        int count = known ? (int)own[0] : c->base;
        zone_set(space, c, known ? own[1] : 0.0, known ? own[2] : 0.0);
        // Computed again wherever the zone can matter, only from the state: a resumed run has the same result.
        bool near = !known || own[1] < zone_near * space->zone;
        if (count != c->count || near) {
            c->count = count;
            space->parts[c->part].key = 0;
        }
    }
}
