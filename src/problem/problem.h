// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The waist: one frozen constraint problem, the only input of a solver.
//
//   v = (D + R) lambda + v_f,   lower <= lambda <= upper,   v complementary to the bounds
//
// v is zero where lambda is between its bounds, >= 0 at a lower and <= 0 at an upper bound. Free
// rows (bounds at infinity: joints, springs, prescribed motions) come first, grouped in blocks;
// bounded rows (limits, friction losses, effort limits) follow, each a block of its own. Contacts
// come last, three rows each: two tangents, then the normal. There, with the friction cone K,
//   K* contains v + (0, 0, mu |v_T|), K contains lambda, and the two are orthogonal
// (Signorini and Coulomb, in De Saxce's form).
// D = J M^-1 JT is available only through an operator. See docs/math.md section 2.
#pragma once
#include "base/env.h"
#include "pawl/problem.h"

typedef struct problem_block {
    int first_row, dim;
} problem_block;

// Where the rows of a mechanism (free_factor.h calls it a part) begin among those of a problem.
typedef struct problem_part {
    int part, first_row;
} problem_part;

typedef struct pawl_problem pawl_problem;
typedef struct pawl_delassus pawl_delassus;
typedef struct velocity_space velocity_space; // velocity_space.h

// The operator D. Formulations and file readers each bring one.
typedef struct pawl_delassus_ops {
    // y = D x over all rows. Leaves the memory of a sweep alone.
    void (*apply)(pawl_delassus *d, const double *x, double *y);
    // diagonal of D over the rows of the blocks from first_block on
    void (*diagonal)(pawl_delassus *d, int first_block, double *out);
    // the dim x dim diagonal block of D
    void (*block)(pawl_delassus *d, int block, double *out);
    // Sweeps: remember x; then give (D x) on a block, and take changes of x on a block.
    void (*sweep_begin)(pawl_delassus *d, const double *x);
    void (*sweep_velocity)(pawl_delassus *d, int block, double *out);
    void (*sweep_add)(pawl_delassus *d, int block, const double *dx);
    // Factors D + R + shift diag(D + R) on the free rows. Returns how many pivots were dropped.
    int (*factor)(pawl_delassus *d, const double *compliance, double shift);
    // Makes the factor of `key` the last one, and sets `factored`, where it is kept beside that. May be NULL.
    void (*recall)(pawl_delassus *d, int64_t key);
    // x (free rows) in place, with the last factor.
    void (*solve)(pawl_delassus *d, double *x);
    // With these two (see `halves`) a forest's free rows are eliminated at half the cost: D's columns of a
    // block of bounded rows or a contact, each of all rows, one after the other; and the half of
    // `solve` with which solve(x) . y = half(x) . half(y).
    void (*columns)(pawl_delassus *d, int block, double *out);
    void (*half_solve)(pawl_delassus *d, double *x);
    // The other half of `solve`, after that one. NULL: solves are not taken apart.
    void (*back_solve)(pawl_delassus *d, double *x);
    // The half solves of all these columns of a block, only along the paths of its bodies: x contains them one after
    // the other, `stride` apart. Sets the runs of free rows in which they are not zero (at most free_block_count) and
    // returns their number. NULL: there is no such way.
    int (*half_columns)(pawl_delassus *d, int block, double *x, int stride, problem_block *runs);
    // The matrix S (m x m) of the bounded rows, R included, from half solves of the bodies that they act on. A row that
    // the free ones hold still, to less than `still` of its D + R, gets 0 on the diagonal. room (size) and runs (rows)
    // are scratch. False: not worth it, or no room. NULL: there is no such way.
    // Where R is 0 and Y is not NULL, it gets a factor of S, Y YT = S, with *rank columns; else *rank stays.
    bool (*condense_bodies)(pawl_delassus *d, double still, double *room, size_t size,
                            problem_block *runs, double *S, double *Y, int *rank);
    // What `room` then holds, D_fb by bodies: with y a half solve, v (m) -= J_b ZT y; x (free rows) += Z J_bT lambda, from
    // the bounded rows of lambda (rows).
    void (*bodies_velocity)(pawl_delassus *d, const double *room, const double *y, double *v);
    void (*bodies_impulses)(pawl_delassus *d, const double *room, const double *lambda, double *x);
    // With the free rows eliminated by the factor at hand, where that is `direct`: the matrix S (m x m) of the others,
    // R included, with `size` (m) scratch; their velocities v (m) without impulses of their own, lambda (rows) scratch;
    // the impulses of the free rows from theirs in lambda. NULL: by half solves, or column by column.
    void (*condense)(pawl_delassus *d, const pawl_problem *p, double *S, double *size);
    void (*condensed_velocity)(pawl_delassus *d, const pawl_problem *p, double *lambda, double *v);
    void (*recover)(pawl_delassus *d, const pawl_problem *p, double *lambda);
    // Factors D + diag(sigma) over all rows, sigma > 0 (R included); x in place with that factor.
    // `contacts` (9 a contact, symmetric, positive definite) stands in for sigma on contacts where it
    // is not NULL. False when memory is out (only when the structure of the rows is new).
    bool (*factor_shifted)(pawl_delassus *d, const double *sigma, const double *contacts);
    void (*solve_shifted)(pawl_delassus *d, double *x);
    // The rows of a free block (counted over all free blocks, islands or not) as geometry, masses left
    // out: `columns`, the velocities they act on, whether those `turn` (rad/s, not m/s), and `values`, row
    // by row. columns and turns may be NULL: they never change. Returns the number of columns. NULL where
    // the operator knows nothing of geometry.
    int (*geometry)(pawl_delassus *d, int block, int *columns, bool *turns, double *values);
    // The diagonal of D over the free rows for bodies without other joints: the size of rows, also of those that
    // cause almost no motion. NULL: the diagonal itself.
    void (*sizes)(pawl_delassus *d, double *out);
    // The matrix itself, row by row (rows x rows), where it is at hand; else NULL.
    const double *(*matrix)(const pawl_delassus *d);
    // The operator as a product Y YT, for the problem as it is now; NULL when memory is out (only when the structure
    // of the rows is new). The op is NULL where nothing of the kind is at hand.
    velocity_space *(*space)(pawl_delassus *d);
} pawl_delassus_ops;

struct weak_space;
// The weak space of the rows of an operator (weak_space.h): all of them, or those of some mechanisms.
typedef struct weak_view {
    struct weak_space *space;
    int part_count;            // used with `parts`
    const problem_part *parts; // NULL: all rows
    double *scratch;           // (2 x rows)
} weak_view;

struct pawl_delassus { // every operator embeds this as its first member
    const pawl_delassus_ops *ops;
    bool maybe_singular; // false: the free rows are known to be independent
    bool halves;         // whether it has `columns` and `half_solve`, or `condense`
    bool direct;         // the factor at hand serves `condense` and the two behind it
    // Redundant rows repeat others exactly: where no other position is near at which rows do so, the factor drops them
    // in place of a shift, and one solve is exact. The impulses are then not those of least norm
    // (step/common/least_reactions.c makes up for it).
    bool drops_redundant;
    bool dropped;             // the factor at hand did so
    int64_t factored;         // factor_key of the problem whose factor it holds; 0 for none
    weak_view weak;           // its space is NULL where every row is to be met
    struct thread_pool *team; // helps inside of a solve, with the same bits; NULL: the caller alone
};

// An observer of a solver's iterations: after a sweep, a gradient step, a Newton step, an iteration of ADMM.
typedef struct problem_watch problem_watch;
struct problem_watch {
    void (*see)(problem_watch *watch, const pawl_problem *p, const double *lambda);
};

struct pawl_problem {
    int row_count, free_row_count;
    int block_count, free_block_count;
    const problem_block *blocks;
    const double *v_f;           // (row_count)
    const double *lower, *upper; // (row_count) impulse bounds
    const double *compliance;    // (row_count) R, on the diagonal
    int contact_count;           // the last blocks
    const double *friction;      // (contact_count) mu
    int64_t factor_key; // equal keys: equal free parts of D + R, so that a factor serves again
    int64_t place_key;  // equal keys: equal J
    int64_t rows_key;   // equal keys: equal J, of bounded rows and contacts, too; 0: unknown
    int64_t matrix_key; // equal keys: equal D + R over all rows, and equal bounds' rows; 0: unknown
    pawl_delassus *delassus;
    problem_watch *watch; // NULL: nobody looks
};

static inline void pawl_problem_show(const pawl_problem *p, const double *lambda)
{
    if (p->watch != NULL) {
        p->watch->see(p->watch, p, lambda);
    }
}

// First row of contact k.
static inline int pawl_problem_contact_row(const pawl_problem *p, int k)
{
    return p->row_count - 3 * (p->contact_count - k);
}

// The judge: residuals of impulses and the velocities v = (D + R) lambda + v_f that belong to them.
// A stepper computes v from its new twists, so that an error of the operator shows as well.
// `weight` is scratch (rows).
pawl_residual pawl_problem_judge(const pawl_problem *p, const double *lambda, const double *v,
                                 double *weight);
// Primal, dual and complementarity of it alone (loops (156) to (158)), by which published solvers stop.
pawl_residual pawl_problem_three_residuals(const pawl_problem *p, const double *lambda,
                                           const double *v);
