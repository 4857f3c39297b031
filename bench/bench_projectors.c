// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Every local solver of one contact against brute force on a million random blocks of each kind of
// section: the largest error relative to the block's scale, and the time of a call. `--quick` or
// `--blocks N` uses fewer. Exits with 1 if an error is above 1e-9.
#include "linalg/cone.h"
#include "solve/contact_local.h"
#include "solve/contact_nb.h"
#include "support/projector_proof.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double bench_allowed = 1e-9;

typedef void (*bench_projector)(const proof_block *k, double lambda[3]);

static void bench_exact(const proof_block *k, double x[3])
{
    pawl_contact_exact(k->D, k->v, k->mu, x);
}
static void bench_quartic(const proof_block *k, double x[3])
{
    pawl_contact_nb(k->D, k->v, 0.0, k->mu, CONTACT_NB_QUARTIC, x);
}
static void bench_bisection(const proof_block *k, double x[3])
{
    pawl_contact_nb(k->D, k->v, 0.0, k->mu, CONTACT_NB_BISECTION, x);
}
static void bench_quartic_ds(const proof_block *k, double x[3])
{
    pawl_contact_nb(k->D, k->v, k->s, k->mu, CONTACT_NB_QUARTIC, x);
}
static void bench_bisection_ds(const proof_block *k, double x[3])
{
    pawl_contact_nb(k->D, k->v, k->s, k->mu, CONTACT_NB_BISECTION, x);
}
// From an impulse that is not zero: the velocity's sign makes one.
static void bench_start(const proof_block *k, double x[3])
{
    for (int r = 0; r < 3; ++r) {
        x[r] = k->v[2 - r] / k->D[8];
    }
    pawl_cone_project(x, k->mu);
}
static void bench_velocity(const proof_block *k, const double x[3], double z[3])
{
    for (int r = 0; r < 3; ++r) {
        z[r] = k->v[r] + k->D[3 * r] * x[0] + k->D[3 * r + 1] * x[1] + k->D[3 * r + 2] * x[2];
    }
}
static void bench_ccp(const proof_block *k, double x[3])
{
    double z[3];
    bench_start(k, x);
    bench_velocity(k, x, z);
    pawl_contact_ccp_step(k->D, z, k->mu, x);
}

// What each should have answered; NULL where the laws themselves are the measure.
static void bench_truth_nb(const proof_block *k, double x[3])
{
    proof_nonlinear_block(k, 0.0, x);
}
static void bench_truth_nb_ds(const proof_block *k, double x[3])
{
    proof_nonlinear_block(k, k->s, x);
}
static void bench_truth_ccp(const proof_block *k, double x[3])
{
    double start[3], z[3], step = 3.0 / (k->D[0] + k->D[4] + k->D[8]);
    bench_start(k, start);
    bench_velocity(k, start, z);
    for (int r = 0; r < 3; ++r) {
        const double *row = k->D + 3 * r;
        step = fmin(step, 1.5 / (fabs(row[0]) + fabs(row[1]) + fabs(row[2])));
    }
    for (int r = 0; r < 3; ++r) {
        start[r] -= step * z[r];
    }
    proof_nearest(start, k->mu, x);
}

typedef struct bench_row {
    const char *name;
    bench_projector projector, truth;
} bench_row;
static const bench_row bench_rows[] = {
    {"exact (laws)", bench_exact, NULL},
    {"nb quartic", bench_quartic, bench_truth_nb},
    {"nb bisection", bench_bisection, bench_truth_nb},
    {"nb quartic, De Saxce", bench_quartic_ds, bench_truth_nb_ds},
    {"nb bisection, De Saxce", bench_bisection_ds, bench_truth_nb_ds},
    {"ccp step", bench_ccp, bench_truth_ccp},
};
enum { BENCH_ROWS = sizeof bench_rows / sizeof bench_rows[0], BENCH_BATCH = 1000 };

static double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct bench_result {
    double worst, seconds;
    int above;
} bench_result;

static void bench_batch(const proof_block *blocks, int count, bench_result *results)
{
    static double truth[BENCH_BATCH][3], got[BENCH_BATCH][3];
    bench_projector known = NULL;
    for (int r = 0; r < BENCH_ROWS; ++r) {
        const bench_row *row = &bench_rows[r];
        for (int i = 0; i < count && row->truth != NULL && row->truth != known; ++i) {
            row->truth(&blocks[i], truth[i]);
        }
        known = row->truth;
        double begin = bench_now();
        for (int i = 0; i < count; ++i) {
            row->projector(&blocks[i], got[i]);
        }
        results[r].seconds += bench_now() - begin;
        for (int i = 0; i < count; ++i) {
            double error = row->truth == NULL ? proof_laws(&blocks[i], got[i])
                                              : proof_error(&blocks[i], got[i], truth[i]);
            if (!(error <= bench_allowed)) {
                ++results[r].above;
            }
            results[r].worst = error <= results[r].worst ? results[r].worst : error;
        }
    }
}

// Returns whether all errors are within what is allowed.
static int bench_family(proof_family family, int blocks)
{
    static proof_block batch[BENCH_BATCH];
    bench_result results[BENCH_ROWS] = {0};
    uint64_t seed = 1000u + (uint64_t)family;
    for (int done = 0; done < blocks; done += BENCH_BATCH) {
        int count = blocks - done < BENCH_BATCH ? blocks - done : BENCH_BATCH;
        for (int i = 0; i < count; ++i) {
            batch[i] = proof_random(family, &seed);
        }
        bench_batch(batch, count, results);
    }
    int good = 1;
    for (int r = 0; r < BENCH_ROWS; ++r) {
        printf("| %s | %s | %.1e | %d | %.2f |\n", proof_family_name(family), bench_rows[r].name,
               results[r].worst, results[r].above, 1e6 * results[r].seconds / blocks);
        good = good && results[r].above == 0;
    }
    fflush(stdout);
    return good;
}

int main(int argc, char **argv)
{
    int blocks = 1000000, good = 1;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--quick") == 0) {
            blocks = 10000;
        } else if (strcmp(argv[i], "--blocks") == 0 && i + 1 < argc) {
            blocks = atoi(argv[++i]);
        }
    }
    printf("%d random blocks of each kind; error relative to the block's scale\n\n", blocks);
    printf(
        "| section | local solver | worst error | above %g | us a call |\n|---|---|---|---|---|\n",
        bench_allowed);
    for (int f = 0; f < PROOF_FAMILIES; ++f) {
        good = bench_family((proof_family)f, blocks) && good;
    }
    return good ? 0 : 1;
}
