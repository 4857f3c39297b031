// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The weak space: combinations of hard free rows that (almost) no motion of the bodies changes.
//
// Joints of a loop can be redundant, but with the numbers of a file they are never exactly so: a door on two hinges
// whose axes are a micrometre apart cannot move, although it should. Singular vectors u of the rows with singular
// values below a tolerance (loop.tolerance) therefore count as redundant: the rows are satisfied in the least-squares
// sense, except along these vectors. The rows are scaled only by lengths, J~ = S J B (masses are not used), so that a
// singular value is a misalignment in rad, or in lengths of the mechanism. With a = diag D, n^ = a^1/2 S u and the
// projectors
//   Q v = a^1/2 (1 - N^ N^+) a^-1/2 v  of velocities,   QT x = a^-1/2 (1 - N^ N^+) a^1/2 x  of impulses,
// a step solves Q D QT lambda + Q v_f = 0: a problem that is exactly redundant and exactly consistent. Impulses are
// still combinations of joint rows, so that action equals reaction, and have least norm. Derivation:
// docs/derivations/weak-space.md.
//
// It is stored by loop. A cluster is the rows of one loop with its own weak vectors, zero elsewhere; the part of a
// mechanism's weak space that belongs to no single loop is in one more cluster over all of its rows. All vectors
// depend only on the poses; for each placement they are computed by inverse iteration from fixed vectors.
#pragma once
#include "linalg/block_ldl.h"
#include "problem/problem.h"

enum {
    PAWL_WEAK_WORDS = 3, // numbers of a cluster in a state
    WEAK_GUARDS = 2 // vectors beyond the weak ones that are found as well: they make the iteration
                    // safe, and show when another direction becomes weak
};

// Of rows of block a with rows of block b at velocities that both act on.
typedef struct weak_product {
    int row_values, column_values; // where the first row's run of values begins
    int row_stride, column_stride; // from row to row
    int row_dim, column_dim, length;
    int offset, offset_row, offset_column; // in the Gram matrix
    bool diagonal;
} weak_product;

typedef struct weak_block {
    int block;           // of the free blocks
    int first;           // its first row in the cluster
    int dim;             // rows of it in the cluster, the hard ones
    int width;           // columns
    int columns, values; // where they begin in `local` and `turns`, and in `values`
} weak_block;

typedef struct weak_cluster {
    char *memory;
    size_t bytes;
    block_ldl *gram; // of J~ J~T over its blocks
    int part;        // mechanism
    int n;           // rows
    int columns;     // velocities that they act on
    int base;        // weak vectors, found once
    int total;       // vectors that are found
    int count;       // those that are weak now
    double last;     // the next singular value where the step began, 0 for not known
    double rate;     // how fast it changes [1/s]
    double zone;     // singular values below it are left out for the time, at that rate
    bool turns_back; // as pawl_weak_look_ahead() last found
    int block_count, product_count;
    int raw_count; // numbers of the largest block
    weak_block *blocks;
    weak_product *products;
    int *rows, *part_rows; // (n) among all free rows, and among those of the mechanism
    int *hard_rows;        // (n) among the hard ones of the mechanism
    int *own_row;          // (n) in its block
    int *local;            // column of each of the blocks' columns
    bool *turns;           // likewise
    double *scale;         // (n) S
    double *values;        // of J~, block by block
    double *raw;           // scratch of two blocks
    double *start;         // (total x n) where the iteration begins
    double *u;             // (total x n) singular vectors of J~, least first
    double *image;         // (total x columns) J~T u
    double *ahead;         // (columns) scratch: how J~T u of the next direction changes
    double *basis;         // (count x n) N^
    double *sigma;         // (total) singular values, a few of the least
    double *root;          // (n) a^1/2
    double *gathered;      // (n) scratch
} weak_cluster;

// Rows that two clusters of a mechanism share.
typedef struct weak_overlap {
    int a, b; // clusters, counted within the mechanism
    int first, count;
} weak_overlap;
typedef struct weak_shared {
    int a, b; // rows of the two
} weak_shared;

typedef struct weak_part {
    int first, count; // clusters; the last of them is that of all rows where `wide` says so
    bool wide;
    double length;   // l [m]
    block_ldl *gram; // N^T N^ of its loops; NULL for one
    int overlap_count;
    weak_overlap *overlaps;
    weak_shared *shared;
    double *coefficients; // (sum of totals)
    char *memory;
    size_t bytes;
    int64_t key; // place_key that it was found for
} weak_part;

typedef struct weak_space {
    pawl_env env;
    double tolerance;
    double shift;      // of the factor, so that weak directions do not spoil it as a preconditioner
    double length;     // of the smallest mechanism with loops [m]
    double least_zone; // the zone of slow motions
    double delta;      // what joints are apart by, in rad or lengths of the mechanism
    double slack;   // that rows of a singular position may be off by, for numbers of the file [m]
    double apart;   // what joints are apart by, at most, for numbers of the file [m]
    double passage; // singular values below it are of a passage, where that slack is given
    double zone;    // singular values below it are left out for the time (weak_zone.c); 0 for none
    double strong;  // the smallest singular value at the search that is not weak
    int strong_row[2]; // rows of two joints with the largest part in it; -1 for none
    int empty;         // hard rows that move nothing
    int cluster_count, part_count;
    weak_cluster *clusters;
    weak_part *parts;
} weak_space;

void pawl_weak_space_destroy(weak_space *space);         // NULL is fine
int pawl_weak_space_dimension(const weak_space *space);  // weak vectors, found once
double pawl_weak_space_largest(const weak_space *space); // of their singular values as last found
void pawl_weak_space_forget(weak_space *space);          // placements are counted anew
// Makes p's operator leave the space out, or none (NULL). p must be placed.
void pawl_weak_attach(const pawl_problem *p, weak_space *space);

static inline bool pawl_is_weak(const pawl_problem *p)
{
    return p->delassus->weak.space != NULL;
}

// Finds the vectors for where p is placed, unless they are.
void pawl_weak_follow(const pawl_problem *p);
// Q of velocities and QT of impulses, over the free rows, in place. For problems that are weak.
void pawl_weak_velocities(const pawl_problem *p, double *v);
void pawl_weak_impulses(const pawl_problem *p, double *x);
// The largest entry of Q v over the free rows, weak or not, and of (1 - Q) v (not NULL).
double pawl_weak_largest(const pawl_problem *p, const double *v, double *apart);

// Takes out of errors f [m or rad] of the free rows what rows of a passage may be off by. For the whole problem.
void pawl_weak_slacken(const pawl_problem *p, double *f);

// The zone of true singular positions, for joints that miss each other by `position` [m] and `rotation` [rad] at the start; how many
// vectors of a cluster are weak by its singular values; whether that is not what the search found, anywhere.
void pawl_weak_set_zone(weak_space *space, double position, double rotation);
void pawl_weak_count(const weak_space *space, weak_cluster *c);
bool pawl_weak_in_zone(const weak_space *space);
// Whether a direction may enter the zone in the next step; and, with the rows of d placed where the bodies will be a moment
// [s] later, after a step [s], whether its singular value turns back before it is small. For where the vectors were last found.
bool pawl_weak_is_near(weak_space *space);
void pawl_weak_look_ahead(weak_space *space, pawl_delassus *d, double moment, double step);
// The least singular value that still falls and will turn back, as that call found, of clusters with several freedoms;
// infinite for none.
double pawl_weak_nearest(const weak_space *space);
// What rows may be left open by, for numbers of the file, next to a singular position [m]; 0 elsewhere.
double pawl_weak_blur(const weak_space *space);
// The free row with the largest part in the next direction that is closest to being weak; -1 for none.
int pawl_weak_next_row(const weak_space *space);
// Those numbers to and from a state: see pawl_state.
void pawl_weak_remember(const weak_space *space, double dt, double *words);
void pawl_weak_recall(weak_space *space, const double *words);
bool pawl_weak_was_in_zone(const weak_space *space, const double *words); // as they were kept

// Parts of finding, for the search. The scaled rows of a cluster and the factor of their Gram matrix; inverse
// iterations of u, kept out of the span of the loops' vectors where `loops` is not NULL; and the singular
// values of its span, of which u becomes the singular vectors.
// The scaled rows of block b of a cluster to `values` (dim x width), as d is placed.
void pawl_weak_fill_block(weak_cluster *c, const weak_block *b, pawl_delassus *d, double length,
                          double *values);
void pawl_weak_place(weak_cluster *c, pawl_delassus *d, double length);
void pawl_weak_begin(weak_space *space, weak_part *loops, weak_cluster *c);
void pawl_weak_iterate(const weak_space *space, const weak_part *loops, weak_cluster *c);
void pawl_weak_ritz(weak_cluster *c);
