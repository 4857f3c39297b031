// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Runs a linkage from its file and says what came of it: where the bodies' centres went, what the energy
// did, and what the verdict said of it.
#pragma once
#include "pawl/sim.h"
#include "pawl/verdict.h"
#include "support/linkage.h"

typedef struct linkage_motion {
    pawl_status status; // of loading, of creating the simulation, or of the step that failed
    char message[256];  // a criterion that failed, else the last warning or error of the log
    pawl_verdict verdict;
    bool fine; // the verdict: what `pawl run` would exit with 0 for
    int samples, bodies;
    pawl_vec3 *centre; // (samples x bodies), centres of mass at equal intervals from the start on
    double *angle;     // (samples) coordinate of the first joint, where it has one
    double start[LINKAGE_MAX_JOINTS];
    double travel;       // largest change of the coordinate of a hinge or slider [rad or m]
    double kinetic_max;  // [J]
    double gain, loss;   // largest unexplained energy, up and down [J]
    double force_max;    // largest joint reaction [N]
    double force_median; // of the steps' largest ones [N]
    pawl_vec3 momentum[2], spin[2]; // linear and angular about the origin, at the start and the end
    double momentum_change, spin_change; // largest, without gravity
} linkage_motion;

// Loads the text and runs it for `time`; `interval` between samples is a multiple of the step.
linkage_motion linkage_run_text(const char *text, const pawl_settings *settings, double time,
                                double interval);
linkage_motion linkage_run(const linkage *l, int digits, const pawl_settings *settings, double time,
                           double interval);
void linkage_motion_end(linkage_motion *m);

// Largest distance between centres at equal times, up to sample `last` (or the end where that is
// earlier); infinite where one of them failed before.
double linkage_distance(const linkage_motion *a, const linkage_motion *b, int last);
// The same of the first joint's coordinate [rad or m].
double linkage_angle_distance(const linkage_motion *a, const linkage_motion *b);

// Whether m stands where `exact` moves: both over the same time.
bool linkage_frozen(const linkage_motion *m, const linkage_motion *exact);
// Whether m gained energy that nobody gave: a twentieth of the largest kinetic energy of the exact
// motion, beyond twice what that one gained by the same step itself.
bool linkage_exploded(const linkage_motion *m, const linkage_motion *exact);
// Likewise lost.
bool linkage_lost(const linkage_motion *m, const linkage_motion *exact);
