// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// How many vectors of a cluster are weak where the bodies are now.
//
// Rods whose lengths differ by delta turn a change point (a parallelogram laid flat) into two curves that are
// sqrt(delta) apart: the file's linkage has no way through, the one that was meant has. Close to such a
// position the next singular value falls towards zero. Below a threshold, the zone, its direction is left out as
// well, for as long as it is that small: what the linkage does there errs by the square of the zone, what it
// meets when the direction counts again by delta over the zone. The fourth root of delta balances both
// (measured on the ladder of four-bars). A direction that was weak when it was searched for and is not any more,
// because the search was done in such a position, counts again likewise. Two thresholds each, so that a
// passage changes the rank once up and once down.
#include "problem/weak_space.h"
#include <math.h>

static const double zone_most = 0.1;
static const double zone_share =
    1.0 / 3.0;                           // of the smallest singular value that counts at the start
static const double zone_leave = 1.5;    // times the zone
static const double zone_release = 30.0; // times the tolerance: this is no misalignment

void pawl_weak_set_zone(weak_space *space, double misfit)
{
    double delta = fmax(pawl_weak_space_largest(space), misfit / space->length);
    space->zone = fmin(fmin(zone_most, zone_share * space->strong), sqrt(sqrt(delta)));
}

void pawl_weak_count(const weak_space *space, weak_cluster *c)
{
    int count = 0;
    while (count < c->total) {
        double leave = count < c->base ? fmax(zone_release * space->tolerance, space->zone)
                                       : zone_leave * space->zone;
        if (!(c->sigma[count] < (count < c->count ? leave : space->zone))) {
            break;
        }
        ++count;
    }
    c->count = count;
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

void pawl_weak_remember(const weak_space *space, double *counts)
{
    counts[0] = space == NULL ? 0.0 : space->cluster_count;
    for (int i = 0; space != NULL && i < space->cluster_count; ++i) {
        counts[1 + i] = space->clusters[i].count;
    }
}

void pawl_weak_recall(weak_space *space, const double *counts)
{
    for (int i = 0; space != NULL && i < space->cluster_count; ++i) {
        weak_cluster *c = &space->clusters[i];
        bool known =
            counts[0] == space->cluster_count && counts[1 + i] >= 0.0 && counts[1 + i] <= c->total;
        int count = known ? (int)counts[1 + i] : c->base;
        if (count != c->count) {
            c->count = count;
            space->parts[c->part].key = 0;
        }
    }
}
