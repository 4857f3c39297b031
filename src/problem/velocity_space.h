// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The operator as a product, D = Y YT, with Y (rows x velocities) sparse: in maximal coordinates Y = J C with
// M^-1 = C CT, where the velocities w = C^-1 u of a body are scaled so that its kinetic energy is |w|^2 / 2. One
// block per row block and body serves for velocities, v = Y w, and for impulses, w = YT lambda. Newton-like systems
// over the rows, 1 + S D with S block diagonal, become 1 + YT S Y over the velocities: their number does not depend
// on the number of contacts, and the matrix is sparse over the pairs of bodies that touch, and definite without
// sliding.
//
// Velocities are grouped in nodes of equal width: six per body, or one node of all if the operator is dense.
#pragma once
#include "base/carver.h"
#include "linalg/block_lu.h"
#include "problem/problem.h"

enum { SPACE_VECTORS = 6 }; // vectors over the velocities that solvers may use

struct velocity_space {
    int width; // velocities of a node
    int node_count;
    const int *first_side; // (blocks + 1) sides of each row block: the nodes that it acts on
    const int *side_node;  // (sides)
    const double **side_Y; // (sides) dim x width, row by row
    const int *first_pair; // (blocks + 1) pairs of its sides, (1,0) (2,0) (2,1) ...
    const int *pair_edge;  // (pairs) edges of `sparse`
    double *vectors;       // (SPACE_VECTORS x velocities)
    // The factor: one of the two.
    block_lu *sparse; // width 6
    const block_edge
        *edges; // (edge_count) its graph, planned by the first factor: not all who sweep need one
    int edge_count;
    bool planned;
    double *dense, *inverse;          // (width x width), (width): one node
    const double *dense_Y, *dense_YT; // all of its rows, one after the other, and the transpose
    double *weighed;                  // (rows x width) S Y
    int *pivot;                       // (width)
    bool symmetric;                   // the last factor is
};

static inline int pawl_space_size(const velocity_space *s)
{
    return s->width * s->node_count;
}
static inline double *pawl_space_vector(const velocity_space *s, int k)
{
    return s->vectors + (size_t)k * (size_t)pawl_space_size(s);
}

// w = YT x, and y = Y w, over all rows of p.
void pawl_space_gather(const velocity_space *s, const pawl_problem *p, const double *x, double *w);
void pawl_space_scatter(const velocity_space *s, const pawl_problem *p, const double *w, double *y);
// y (dim) = Y w of one block; w += YT x.
void pawl_space_block_velocity(const velocity_space *s, const pawl_problem *p, int block,
                               const double *w, double *y);
void pawl_space_block_add(const velocity_space *s, const pawl_problem *p, int block,
                          const double *x, double *w);
// Factors 1 + YT S Y, S = `rows` on the diagonal, but on contacts the 3 x 3 blocks `contacts`, row by row. False
// where it breaks down.
bool pawl_space_factor(velocity_space *s, const pawl_problem *p, const double *rows,
                       const double *contacts, bool symmetric);
// x (velocities) in place, with the last factor.
void pawl_space_solve(const velocity_space *s, double *x);
