// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Sparse Cholesky and LU of 6 x 6 blocks, right-looking: column by column in the elimination order, each
// subtracts what it contributes to the columns after it. For column j with rows i, k below the diagonal
//   A_jj = L U,  L_ij = A_ij U^-1,  U_jk = L^-1 A_jk,  A_ik -= L_ij U_jk,
// with U = LT in the symmetric case. Upper blocks are stored transposed, so that one kernel, C -= A BT, does all
// updates and adds its products in the same order whatever the compiler and the vector unit.
//
// With several threads, the update of a column k by column j is one item of work, and the items of one j write to
// different columns. All items of j precede those of j + 1, so that each block is updated in the same order, and has
// the same bits, as with one thread.
#include "linalg/block_lu.h"
#include "base/carver.h"
#include "base/hash.h"
#include "math/six.h"
#include <math.h>
#include <string.h>
#include <suitesparse/amd.h>

enum { N = BLOCK_LU_DIM, SIZE = BLOCK_LU_SIZE };

// Of pieces of work for several threads, in products of blocks: 0.06 us each. And the least factor that they pay for, of
// some 0.5 ms, because a thread takes 0.05 ms to wake up.
enum { LU_PIECE = 48, LU_SCALES = 24, LU_TEAM = 8000 };

typedef struct lu_pool { // memory that only grows
    char *base;
    size_t bytes;
} lu_pool;

// A piece of a factor: whole columns, or the pivot of one, or some entries of one, of which it scales the blocks or
// subtracts the products.
typedef enum lu_work { LU_WHOLE, LU_PIVOT, LU_SCALE, LU_SUBTRACT } lu_work;
typedef struct lu_piece {
    lu_work work;
    int column, from, to; // columns or entries
    int after;            // so many pieces must be done before
} lu_piece;

struct block_lu {
    pawl_env env;
    lu_pool plan, values;
    uint64_t topology; // hash of the graph; 0 for none
    int node_count, edge_count, entry_count;
    bool symmetric; // the last factor is
    int *position;  // (nodes) in the elimination order
    int *node;      // (nodes) its inverse
    int *column;    // (nodes + 1) first entry of a column
    int *row;       // (entries) positions, ascending within a column
    int *edge;      // (edges) entry of each, complemented where it is swapped
    // by position or entry
    double *diagonal, *lower, *upper;
    int *pivot; // (6 x nodes) rows exchanged
    double *x;  // (6 x nodes)
    // By several threads, made when it is first asked for.
    int64_t products; // of the factor; 0: not counted yet
    lu_pool piece_room;
    lu_piece *pieces; // (piece_count)
    int piece_count;  // 0: not made yet
    bool failed;      // the factor at work
};

pawl_status pawl_block_lu_create(const pawl_env *env, block_lu **out)
{
    *out = pawl_alloc(env, sizeof **out);
    if (*out == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a factor");
    }
    (*out)->env = *env;
    return PAWL_OK;
}

void pawl_block_lu_destroy(block_lu *f)
{
    if (f != NULL) {
        pawl_env env = f->env;
        pawl_free(&env, f->plan.base, f->plan.bytes);
        pawl_free(&env, f->values.base, f->values.bytes);
        pawl_free(&env, f->piece_room.base, f->piece_room.bytes);
        pawl_free(&env, f, sizeof *f);
    }
}

static bool lu_reserve(block_lu *f, lu_pool *pool, size_t bytes)
{
    if (bytes <= pool->bytes) {
        return true;
    }
    size_t wanted = pool->bytes == 0 ? bytes : bytes + bytes / 2;
    pawl_free(&f->env, pool->base, pool->bytes);
    pool->base = pawl_alloc(&f->env, wanted);
    pool->bytes = pool->base == NULL ? 0 : wanted;
    return pool->base != NULL;
}

// ---- order and fill ------------------------------------------------------------------------------

// The graph while it is ordered and filled; all of it scratch.
typedef struct lu_graph {
    int *start, *neighbour; // lists of neighbours, both ways
    int *iw;                // AMD's copy of them, with elbow room
    int *list, *length, *nv, *next, *head, *elen, *degree, *work, *mark, *parent, *count;
    int room;
} lu_graph;

static lu_graph lu_graph_layout(int n, int edges, pawl_carver *mem)
{
    lu_graph g = {.room = 2 * edges + 2 * edges / 5 + n + 1};
    g.start = PAWL_CARVE(mem, int, n + 1);
    g.neighbour = PAWL_CARVE(mem, int, 2 * edges + 1);
    g.iw = PAWL_CARVE(mem, int, g.room);
    int **by_node[] = {&g.list,   &g.length, &g.nv,   &g.next,   &g.head, &g.elen,
                       &g.degree, &g.work,   &g.mark, &g.parent, &g.count};
    for (size_t i = 0; i < sizeof by_node / sizeof by_node[0]; ++i) {
        *by_node[i] = PAWL_CARVE(mem, int, n + 1);
    }
    return g;
}

// Lists of neighbours without duplicates.
static void lu_neighbours(lu_graph *g, int n, const block_edge *edges, int edge_count)
{
    memset(g->start, 0, (size_t)(n + 1) * sizeof *g->start);
    for (int e = 0; e < edge_count; ++e) {
        ++g->start[edges[e].a + 1];
        ++g->start[edges[e].b + 1];
    }
    for (int i = 0; i < n; ++i) {
        g->start[i + 1] += g->start[i];
        g->work[i] = g->start[i];
        g->mark[i] = -1;
    }
    for (int e = 0; e < edge_count; ++e) {
        g->neighbour[g->work[edges[e].a]++] = edges[e].b;
        g->neighbour[g->work[edges[e].b]++] = edges[e].a;
    }
    int kept = 0;
    for (int i = 0; i < n; ++i) {
        int first = g->start[i], last = g->start[i + 1];
        g->start[i] = kept;
        for (int k = first; k < last; ++k) {
            if (g->mark[g->neighbour[k]] != i) {
                g->mark[g->neighbour[k]] = i;
                g->neighbour[kept++] = g->neighbour[k];
            }
        }
    }
    g->start[n] = kept;
}

//
// AMD (Amestoy, Davis, Duff) in our own memory; amd_order() would allocate from the C library.
static void lu_order(lu_graph *g, int n, int *node, int *position)
{
    int count = g->start[n];
    memcpy(g->iw, g->neighbour, (size_t)count * sizeof *g->iw);
    for (int i = 0; i < n; ++i) {
        g->list[i] = g->start[i];
        g->length[i] = g->start[i + 1] - g->start[i];
    }
    amd_2(n, g->list, g->iw, g->length, count + count / 5 + n, count, g->nv, g->next, node, g->head,
          g->elen, g->degree, g->work, NULL, NULL);
    for (int k = 0; k < n; ++k) {
        position[node[k]] = k;
    }
}

// Entries of L, counted by column. Row k of L is found along the elimination tree: from each neighbour that is
// eliminated earlier, upwards until a column that has the row already.
static int lu_count_fill(const block_lu *f, lu_graph *g)
{
    int n = f->node_count, entries = 0;
    for (int k = 0; k < n; ++k) {
        g->parent[k] = -1;
        g->mark[k] = k;
        g->count[k] = 0;
        int node = f->node[k];
        for (int e = g->start[node]; e < g->start[node + 1]; ++e) {
            int i = f->position[g->neighbour[e]];
            for (; i < k && g->mark[i] != k; i = g->parent[i]) {
                g->parent[i] = g->parent[i] < 0 ? k : g->parent[i];
                g->mark[i] = k;
                ++g->count[i];
                ++entries;
            }
        }
    }
    return entries;
}

// The same walk writes each row k into the columns that have it: rows come out ascending.
static void lu_fill(block_lu *f, lu_graph *g)
{
    int n = f->node_count;
    f->column[0] = 0;
    for (int k = 0; k < n; ++k) {
        f->column[k + 1] = f->column[k] + g->count[k];
        g->work[k] = f->column[k];
        g->mark[k] = -1;
    }
    for (int k = 0; k < n; ++k) {
        g->mark[k] = k;
        int node = f->node[k];
        for (int e = g->start[node]; e < g->start[node + 1]; ++e) {
            for (int i = f->position[g->neighbour[e]]; i < k && g->mark[i] != k; i = g->parent[i]) {
                g->mark[i] = k;
                f->row[g->work[i]++] = k;
            }
        }
    }
}

// Where the block of each edge of the caller is, once per plan: filling a matrix then needs no
// search. Negative numbers (complements) mean that node b, not a, is eliminated later.
static void lu_place_edges(block_lu *f, const block_edge *edges)
{
    for (int e = 0; e < f->edge_count; ++e) {
        int a = f->position[edges[e].a], b = f->position[edges[e].b];
        int low = a < b ? a : b, high = a < b ? b : a;
        int first = f->column[low], last = f->column[low + 1] - 1;
        while (first < last) {
            int middle = (first + last) / 2;
            if (f->row[middle] < high) {
                first = middle + 1;
            } else {
                last = middle;
            }
        }
        f->edge[e] = a > b ? first : ~first;
    }
}

// What a plan keeps but for the fill, behind the scratch of the analysis.
static lu_graph lu_plan_layout(block_lu *f, pawl_carver *mem)
{
    lu_graph g = lu_graph_layout(f->node_count, f->edge_count, mem);
    f->position = PAWL_CARVE(mem, int, f->node_count);
    f->node = PAWL_CARVE(mem, int, f->node_count);
    f->column = PAWL_CARVE(mem, int, f->node_count + 1);
    f->edge = PAWL_CARVE(mem, int, f->edge_count);
    return g;
}

static void lu_values_layout(block_lu *f, pawl_carver *mem)
{
    size_t nodes = (size_t)f->node_count, entries = (size_t)f->entry_count;
    f->diagonal = PAWL_CARVE(mem, double, SIZE *nodes);
    f->lower = PAWL_CARVE(mem, double, SIZE *entries);
    f->upper = PAWL_CARVE(mem, double, SIZE *entries);
    f->x = PAWL_CARVE(mem, double, N *nodes);
    f->pivot = PAWL_CARVE(mem, int, N *nodes);
    f->row = PAWL_CARVE(mem, int, entries);
}

// Most steps have the pairs of the step before: an equal hash keeps order, fill and places.
bool pawl_block_lu_plan(block_lu *f, int n, const block_edge *edges, int edge_count)
{
    uint64_t hash = pawl_hash_bytes(PAWL_HASH_SEED, &n, sizeof n);
    hash = pawl_hash_bytes(hash, edges, (size_t)edge_count * sizeof *edges) | 1;
    if (f->topology == hash) {
        return true;
    }
    f->topology = 0;
    f->products = 0;
    f->piece_count = 0;
    f->node_count = n;
    f->edge_count = edge_count;
    pawl_carver need = {0}, room = {0};
    (void)lu_plan_layout(f, &need);
    if (!lu_reserve(f, &f->plan, need.used)) {
        return false;
    }
    pawl_carver mem = {.base = f->plan.base, .capacity = f->plan.bytes};
    lu_graph g = lu_plan_layout(f, &mem);
    lu_neighbours(&g, n, edges, edge_count);
    if (n > 0) {
        lu_order(&g, n, f->node, f->position);
    }
    f->entry_count = lu_count_fill(f, &g);
    lu_values_layout(f, &room);
    if (!lu_reserve(f, &f->values, room.used)) {
        return false;
    }
    room = (pawl_carver){.base = f->values.base, .capacity = f->values.bytes};
    lu_values_layout(f, &room);
    lu_fill(f, &g);
    lu_place_edges(f, edges);
    f->topology = hash;
    return true;
}

// ---- values --------------------------------------------------------------------------------------

block_lu_place pawl_block_lu_edge(const block_lu *f, int e)
{
    int entry = f->edge[e];
    bool swapped = entry < 0;
    size_t at = SIZE * (size_t)(swapped ? ~entry : entry);
    return (block_lu_place){f->lower + at, f->upper + at, swapped};
}

double *pawl_block_lu_diagonal(const block_lu *f, int node)
{
    return f->diagonal + SIZE * (size_t)f->position[node];
}

void pawl_block_lu_clear(block_lu *f, bool symmetric)
{
    size_t entries = SIZE * (size_t)f->entry_count * sizeof *f->lower;
    memset(f->diagonal, 0, SIZE * (size_t)f->node_count * sizeof *f->diagonal);
    memset(f->lower, 0, entries);
    if (!symmetric) {
        memset(f->upper, 0, entries);
    }
}

// ---- kernels -------------------------------------------------------------------------------------

// C -= A BT, BT given row by row (the transpose of B).
PAWL_KERNEL_PART void lu_subtract(double *restrict C, const double *restrict A,
                                  const double *restrict BT)
{
    for (int r = 0; r < N; ++r) {
        double c[N];
        memcpy(c, C + N * r, sizeof c);
        for (int k = 0; k < N; ++k) {
            six_subtract(A[N * r + k], BT + N * k, c);
        }
        memcpy(C + N * r, c, sizeof c);
    }
}

PAWL_KERNEL_PART void lu_transpose(const double *A, double *T)
{
    for (int r = 0; r < N; ++r) {
        for (int c = 0; c < N; ++c) {
            T[N * c + r] = A[N * r + c];
        }
    }
}

// A = L LT of the lower triangle. The diagonal gets the inverses of L's.
PAWL_KERNEL_PART bool lu_cholesky(double *A)
{
    for (int j = 0; j < N; ++j) {
        double *row = A + N * j;
        for (int k = 0; k < j; ++k) {
            double sum = row[k];
            for (int i = 0; i < k; ++i) {
                sum -= row[i] * A[N * k + i];
            }
            row[k] = sum * A[N * k + k];
        }
        double pivot = row[j];
        for (int i = 0; i < j; ++i) {
            pivot -= row[i] * row[i];
        }
        if (!(pivot > 0.0) || !isfinite(pivot)) {
            return false;
        }
        row[j] = 1.0 / sqrt(pivot);
    }
    return true;
}

// P A = L U, L of unit diagonal; the diagonal gets the inverses of U's.
PAWL_KERNEL_PART bool lu_dense(double *A, int *pivot)
{
    for (int j = 0; j < N; ++j) {
        int best = j;
        for (int r = j + 1; r < N; ++r) {
            best = fabs(A[N * r + j]) > fabs(A[N * best + j]) ? r : best;
        }
        pivot[j] = best;
        for (int c = 0; c < N && best != j; ++c) {
            double x = A[N * j + c];
            A[N * j + c] = A[N * best + c];
            A[N * best + c] = x;
        }
        double head = A[N * j + j];
        if (head == 0.0 || !isfinite(head)) {
            return false;
        }
        double inverse = 1.0 / head;
        A[N * j + j] = inverse;
        for (int r = j + 1; r < N; ++r) {
            double factor = A[N * r + j] *= inverse;
            for (int c = j + 1; c < N; ++c) {
                A[N * r + c] -= factor * A[N * j + c];
            }
        }
    }
    return true;
}

// X T = B in place for all rows of B, given B's transpose, where T's columns are read as rows of `L`
// from the diagonal's left: x_c = (b_c - sum_{i < c} L[c][i] x_i) * scale_c.
PAWL_KERNEL_PART void lu_forward(const double *L, bool unit, double *restrict B)
{
    for (int c = 0; c < N; ++c) {
        double *x = B + N * c;
        for (int i = 0; i < c; ++i) {
            six_subtract(L[N * c + i], B + N * i, x);
        }
        if (!unit) {
            six_scale(L[N * c + c], x);
        }
    }
}

// Lower block of column j: B <- B U^-1, as transposed rows; U is read by columns.
PAWL_KERNEL_PART void lu_scale_lower(const double *D, bool symmetric, double *block,
                                     double *transposed)
{
    lu_transpose(block, transposed);
    if (symmetric) {
        lu_forward(D, false, transposed); // U^T = L
    } else {
        double T[SIZE];
        lu_transpose(D, T); // rows of it are columns of U
        lu_forward(T, false, transposed);
    }
    lu_transpose(transposed, block);
}

// Upper block: rows of the transpose are solved with L after the exchanges.
PAWL_KERNEL_PART void lu_scale_upper(const double *D, const int *pivot, double *block,
                                     double *transposed)
{
    lu_transpose(block, transposed); // row c: row c of A_jk
    for (int c = 0; c < N; ++c) {
        for (int r = 0; r < N && pivot[c] != c; ++r) {
            double x = transposed[N * c + r];
            transposed[N * c + r] = transposed[N * pivot[c] + r];
            transposed[N * pivot[c] + r] = x;
        }
    }
    lu_forward(D, true, transposed);
    lu_transpose(transposed, block);
}

// Pivoting is within the diagonal blocks only. 1 + YT S Y has the identity in each, which is what
// makes that enough as a rule; a zero pivot returns false.
PAWL_KERNEL_PART bool lu_pivot(block_lu *f, int j)
{
    double *D = f->diagonal + SIZE * (size_t)j;
    return f->symmetric ? lu_cholesky(D) : lu_dense(D, f->pivot + N * j);
}

// Entries from..to of column j.
PAWL_KERNEL_PART void lu_scale(block_lu *f, int j, int from, int to)
{
    const double *D = f->diagonal + SIZE * (size_t)j;
    double scratch[SIZE];
    for (int e = from; e < to; ++e) {
        lu_scale_lower(D, f->symmetric, f->lower + SIZE * (size_t)e, scratch);
        if (!f->symmetric) {
            lu_scale_upper(D, f->pivot + N * j, f->upper + SIZE * (size_t)e, scratch);
        }
    }
}

// The updates by the entries from..to of column j to the columns of their rows; each of those has all later rows of
// j.
//
// `at` only moves forward, since rows ascend in both columns: a merge without search.
PAWL_KERNEL_PART void lu_update(block_lu *f, int j, int from, int to)
{
    int last = f->column[j + 1];
    for (int b = from; b < to; ++b) {
        int k = f->row[b], at = f->column[k];
        double right[SIZE], left[SIZE];
        lu_transpose((f->symmetric ? f->lower : f->upper) + SIZE * (size_t)b, right);
        lu_subtract(f->diagonal + SIZE * (size_t)k, f->lower + SIZE * (size_t)b, right);
        if (!f->symmetric) {
            lu_transpose(f->lower + SIZE * (size_t)b, left);
        }
        for (int a = b + 1; a < last; ++a, ++at) {
            while (f->row[at] != f->row[a]) {
                ++at;
            }
            lu_subtract(f->lower + SIZE * (size_t)at, f->lower + SIZE * (size_t)a, right);
            if (!f->symmetric) {
                lu_subtract(f->upper + SIZE * (size_t)at, f->upper + SIZE * (size_t)a, left);
            }
        }
    }
}

PAWL_KERNEL static bool lu_factor(block_lu *f, int from, int to)
{
    for (int j = from; j < to; ++j) {
        if (!lu_pivot(f, j)) {
            return false;
        }
        lu_scale(f, j, f->column[j], f->column[j + 1]);
        lu_update(f, j, f->column[j], f->column[j + 1]);
    }
    return true;
}

// ---- by several threads --------------------------------------------------------------------------

// Products that entry b of a column subtracts, below and above the diagonal.
static int lu_products(const block_lu *f, int j, int b)
{
    return 1 + 2 * (f->column[j + 1] - 1 - b);
}

static int64_t lu_all_products(const block_lu *f)
{
    int64_t sum = 0;
    for (int j = 0; j < f->node_count; ++j) {
        int64_t entries = f->column[j + 1] - f->column[j];
        sum += entries * entries; // of lu_products()
    }
    return sum;
}

static void lu_put(block_lu *f, lu_piece piece)
{
    if (f->pieces != NULL) {
        f->pieces[f->piece_count] = piece;
    }
    ++f->piece_count;
}

// A column with much to subtract: its pivot, all scaled blocks, and all products wait for each other.
static void lu_divide(block_lu *f, int j)
{
    int first = f->column[j], last = f->column[j + 1], before = f->piece_count;
    lu_put(f, (lu_piece){LU_PIVOT, j, 0, 0, before});
    before = f->piece_count;
    for (int e = first; e < last; e += LU_SCALES) {
        int to = e + LU_SCALES < last ? e + LU_SCALES : last;
        lu_put(f, (lu_piece){LU_SCALE, j, e, to, before});
    }
    before = f->piece_count;
    for (int e = first, to = first; e < last; e = to) {
        for (int sum = 0; to < last && sum < LU_PIECE; ++to) {
            sum += lu_products(f, j, to);
        }
        lu_put(f, (lu_piece){LU_SUBTRACT, j, e, to, before});
    }
}

// Writes the pieces, or counts them where there is no room yet. Columns with little to subtract are for one thread, as
// many as follow each other.
static void lu_list_pieces(block_lu *f)
{
    f->piece_count = 0;
    for (int j = 0, from = 0; j <= f->node_count; ++j) {
        int entries = j < f->node_count ? f->column[j + 1] - f->column[j] : 0;
        bool much = entries * entries >= 2 * LU_PIECE;
        if ((much || j == f->node_count) && from < j) {
            lu_put(f, (lu_piece){LU_WHOLE, from, from, j, f->piece_count});
        }
        if (much) {
            lu_divide(f, j);
        }
        from = much ? j + 1 : from;
    }
}

// False where memory is out.
static bool lu_make_pieces(block_lu *f)
{
    f->pieces = NULL;
    lu_list_pieces(f);
    if (!lu_reserve(f, &f->piece_room, (size_t)f->piece_count * sizeof *f->pieces)) {
        f->piece_count = 0;
        return false;
    }
    f->pieces = (lu_piece *)(void *)f->piece_room.base;
    lu_list_pieces(f);
    return true;
}

static int lu_after(const void *user, int item)
{
    return ((const block_lu *)user)->pieces[item].after;
}

PAWL_KERNEL static void lu_work_on(block_lu *f, const lu_piece *p)
{
    switch (p->work) {
    case LU_WHOLE:
        f->failed = !lu_factor(f, p->from, p->to);
        break;
    case LU_PIVOT:
        f->failed = !lu_pivot(f, p->column);
        break;
    case LU_SCALE:
        lu_scale(f, p->column, p->from, p->to);
        break;
    case LU_SUBTRACT:
        lu_update(f, p->column, p->from, p->to);
        break;
    }
}

// Pieces that can fail wait for all before them, and all after them wait for those: `failed` needs no lock.
static void lu_task(void *user, int worker, int item)
{
    block_lu *f = user;
    (void)worker;
    if (!f->failed) {
        lu_work_on(f, &f->pieces[item]);
    }
}

bool pawl_block_lu_factor(block_lu *f, bool symmetric, thread_pool *team)
{
    f->symmetric = symmetric;
    if (team != NULL && f->products == 0) {
        f->products = lu_all_products(f);
    }
    if (team == NULL || f->products < LU_TEAM || (f->piece_count == 0 && !lu_make_pieces(f))) {
        return lu_factor(f, 0, f->node_count);
    }
    f->failed = false;
    pawl_thread_pool_run_stages(team, f->piece_count, lu_task, lu_after, f);
    return !f->failed;
}

// ---- solving -------------------------------------------------------------------------------------

// x <- L^-1 P x and x <- U^-1 x of one node.
PAWL_KERNEL_PART void lu_node_forward(const block_lu *f, int j, double *x)
{
    const double *D = f->diagonal + SIZE * (size_t)j;
    for (int c = 0; c < N && !f->symmetric; ++c) {
        int p = f->pivot[N * j + c];
        double y = x[c];
        x[c] = x[p];
        x[p] = y;
    }
    for (int c = 0; c < N; ++c) {
        for (int i = 0; i < c; ++i) {
            x[c] -= D[N * c + i] * x[i];
        }
        x[c] *= f->symmetric ? D[N * c + c] : 1.0;
    }
}

PAWL_KERNEL_PART void lu_node_backward(const block_lu *f, int j, double *x)
{
    const double *D = f->diagonal + SIZE * (size_t)j;
    for (int c = N - 1; c >= 0; --c) {
        for (int i = c + 1; i < N; ++i) {
            x[c] -= (f->symmetric ? D[N * i + c] : D[N * c + i]) * x[i];
        }
        x[c] *= D[N * c + c];
    }
}

// x (6 x nodes) in the caller's order of nodes; y is the same in the order of elimination.
PAWL_KERNEL static void lu_solve(const block_lu *f, double *x)
{
    const double *upper = f->symmetric ? f->lower : f->upper;
    double *y = f->x;
    for (int j = 0; j < f->node_count; ++j) {
        memcpy(y + N * j, x + N * f->node[j], N * sizeof *y);
    }
    for (int j = 0; j < f->node_count; ++j) {
        lu_node_forward(f, j, y + N * j);
        const double *own = y + N * j;
        for (int e = f->column[j]; e < f->column[j + 1]; ++e) {
            const double *L = f->lower + SIZE * (size_t)e;
            double *to = y + N * f->row[e];
            for (int r = 0; r < N; ++r) {
                const double *l = L + N * r;
                to[r] -= (l[0] * own[0] + l[1] * own[1] + l[2] * own[2]) +
                         (l[3] * own[3] + l[4] * own[4] + l[5] * own[5]);
            }
        }
    }
    for (int j = f->node_count - 1; j >= 0; --j) {
        double *own = y + N * j;
        for (int e = f->column[j]; e < f->column[j + 1]; ++e) {
            const double *U = upper + SIZE * (size_t)e, *from = y + N * f->row[e];
            for (int r = 0; r < N; ++r) {
                six_subtract(from[r], U + N * r, own);
            }
        }
        lu_node_backward(f, j, own);
        memcpy(x + N * f->node[j], own, N * sizeof *x);
    }
}

void pawl_block_lu_solve(const block_lu *f, double *x)
{
    lu_solve(f, x);
}
