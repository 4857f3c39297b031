// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A binary tree of boxes, split at the median of the longest axis. Nodes are stored in preorder, each with the index
// behind its subtree (skip), so that a search is a loop without a stack. Every leaf is compared only with later
// nodes: each pair is found once, and the cost is n log n for boxes that are spread out. The tree is kept while its
// boxes move: they are refitted in each step, and the tree is rebuilt only when a search takes twice as long as after
// the last build.
#include "collide/broad_phase.h"

static broad_box broad_union(const broad_box *a, const broad_box *b)
{
    broad_box c;
    for (int k = 0; k < 3; ++k) {
        double al = v3_get(a->low, k), bl = v3_get(b->low, k);
        v3_set(&c.low, k, al < bl ? al : bl);
        v3_set(&c.high, k, max_of(v3_get(a->high, k), v3_get(b->high, k)));
    }
    return c;
}

static bool broad_overlap(const broad_box *a, const broad_box *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

void pawl_broad_phase_layout(broad_phase *bp, int count, pawl_carver *mem)
{
    broad_node *nodes = PAWL_CARVE(mem, broad_node, count > 0 ? 2 * count - 1 : 0);
    int *order = PAWL_CARVE(mem, int, count);
    if (mem->base != NULL) {
        *bp = (broad_phase){.count = count, .nodes = nodes, .order = order};
    }
}

// Twice the middle: only the order matters.
static double broad_middle(const broad_box *box, int axis)
{
    return v3_get(box->low, axis) + v3_get(box->high, axis);
}

// Whether box i comes before box j along an axis; ties by index, so that the order is total.
static bool broad_before(const broad_box *boxes, int axis, int i, int j)
{
    double p = broad_middle(&boxes[i], axis), q = broad_middle(&boxes[j], axis);
    return p < q || (p == q && i < j);
}

// Puts the `middle` first items of order[from, to) before the others.
// Quickselect by Hoare's partition. Indices break ties, so that the tree is the same for the same boxes.
static void broad_select(const broad_box *boxes, int axis, int *order, int from, int to, int middle)
{
    while (to - from > 1) {
        int pivot = order[from + (to - from) / 2];
        int i = from, j = to - 1;
        while (i <= j) {
            while (broad_before(boxes, axis, order[i], pivot)) {
                ++i;
            }
            while (broad_before(boxes, axis, pivot, order[j])) {
                --j;
            }
            if (i <= j) {
                int swap = order[i];
                order[i++] = order[j];
                order[j--] = swap;
            }
        }
        if (middle <= j) {
            to = j + 1;
        } else if (middle >= i) {
            from = i;
        } else {
            return;
        }
    }
}

// Fills nodes from `at`; depth is the logarithm of the count, as halves are even.
static void broad_build(broad_phase *bp, const broad_box *boxes, int from, int to, int at)
{
    broad_node *node = &bp->nodes[at];
    // A subtree of n leaves has 2 n - 1 nodes, so that all places are known before it is built.
    node->skip = at + 2 * (to - from) - 1;
    if (to - from == 1) {
        node->item = bp->order[from];
        return;
    }
    node->item = -1;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = from; i < to; ++i) {
        for (int k = 0; k < 3; ++k) {
            double middle = broad_middle(&boxes[bp->order[i]], k);
            low[k] = middle < low[k] ? middle : low[k];
            high[k] = max_of(high[k], middle);
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        axis = high[k] - low[k] > high[axis] - low[axis] ? k : axis;
    }
    int middle = from + (to - from) / 2;
    broad_select(boxes, axis, bp->order, from, to, middle);
    broad_build(bp, boxes, from, middle, at + 1);
    broad_build(bp, boxes, middle, to, at + 2 * (middle - from));
}

// Children come after their parents in preorder, so a loop from the end fits boxes bottom up.
static void broad_fit(broad_phase *bp, const broad_box *boxes)
{
    for (int at = 2 * bp->count - 2; at >= 0; --at) {
        broad_node *node = &bp->nodes[at];
        node->box = node->item >= 0 ? boxes[node->item]
                                    : broad_union(&bp->nodes[at + 1].box,
                                                  &bp->nodes[bp->nodes[at + 1].skip].box);
    }
}

// Pairs beyond `capacity` are counted and not stored. A pair is a key with the smaller index in the upper half.
static inline void broad_add(int i, int j, uint64_t *pairs, int capacity, int *found)
{
    if (*found < capacity) {
        pairs[*found] = i < j ? (uint64_t)i << 32 | (uint64_t)j : (uint64_t)j << 32 | (uint64_t)i;
    }
    ++*found;
}

static int broad_sweep(broad_phase *bp, uint64_t *pairs, int capacity)
{
    int found = 0, end = 2 * bp->count - 1;
    bp->visits = 0;
    for (int leaf = 0; leaf < end; ++leaf) {
        int i = bp->nodes[leaf].item;
        if (i < 0) {
            continue;
        }
        const broad_box box = bp->nodes[leaf].box;
        for (int at = leaf + 1; at < end;) {
            const broad_node *node = &bp->nodes[at];
            ++bp->visits;
            if (!broad_overlap(&box, &node->box)) {
                at = node->skip;
                continue;
            }
            if (node->item >= 0) {
                broad_add(i, node->item, pairs, capacity, &found);
            }
            ++at;
        }
    }
    return found;
}

// The same without pairs of which both rest. Only moving leaves search. Each searches the whole tree for leaves at
// rest, and the later part of the tree for moving ones.
static int broad_sweep_moving(broad_phase *bp, const bool *rests, uint64_t *pairs, int capacity)
{
    int found = 0, end = 2 * bp->count - 1;
    for (int leaf = 0; leaf < end; ++leaf) {
        int i = bp->nodes[leaf].item;
        if (i < 0 || rests[i]) {
            continue;
        }
        const broad_box box = bp->nodes[leaf].box;
        for (int at = 0; at < end;) {
            const broad_node *node = &bp->nodes[at];
            if (!broad_overlap(&box, &node->box)) {
                at = node->skip;
                continue;
            }
            int j = node->item;
            if (j >= 0 && (rests[j] || at > leaf)) {
                broad_add(i, j, pairs, capacity, &found);
            }
            ++at;
        }
    }
    return found;
}

// boxes (count), in the order of the items. Returns the number of overlapping pairs, which may be more than the
// capacity: then the caller makes room and searches again.
int pawl_broad_phase_search(broad_phase *bp, const broad_box *boxes, const bool *rests,
                            uint64_t *pairs, int capacity)
{
    if (bp->count == 0) {
        return 0;
    }
    // Counted visits, not times: the decision must be the same in every run.
    bool fresh = !bp->built || (rests == NULL && bp->visits > 2 * bp->visits_when_built);
    if (fresh) {
        for (int i = 0; i < bp->count; ++i) {
            bp->order[i] = i;
        }
        broad_build(bp, boxes, 0, bp->count, 0);
        bp->built = true;
    }
    broad_fit(bp, boxes);
    if (rests != NULL) {
        return broad_sweep_moving(bp, rests, pairs, capacity);
    }
    int found = broad_sweep(bp, pairs, capacity);
    bp->visits_when_built = fresh ? bp->visits : bp->visits_when_built;
    return found;
}
