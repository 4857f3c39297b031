// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Mechanisms of the textbooks from files with few digits, beside the prototype of the method
// (docs/math.md, redundant loops): dimensions are those of the prototype for the four-bar, the doors,
// Bricard's mechanism and the ladder, and pawl's own otherwise.
#include "redundant_table.h"
#include "support/linkage_motion.h"
#include "support/linkage_zoo.h"

#include <math.h>
#include <stdio.h>

// What `size` is depends on the case: digits of the file, or a flaw in metres or radians.
typedef struct table_group {
    const char *name;
    void (*make)(linkage *l, double size);
    void (*exact)(linkage *l); // what the flawed one is compared with; NULL: itself with 17 digits
    bool flawed;               // sizes are flaws: 17 digits always
    bool angle;                // compare the first joint's angle instead of the bodies' centres
    pawl_stepper_kind stepper;
    double dt, time;
    struct {
        double size;
        const char *prototype;
    } rows[8];
} table_group;

// A linkage of the zoo; `size` is that of its flaw, where it has one.
#define MAKE(name, call)                                                                           \
    static void make_##name(linkage *l, double size)                                               \
    {                                                                                              \
        (void)size;                                                                                \
        call;                                                                                      \
    }
MAKE(four_bar, zoo_four_bar(l))
MAKE(offset_2, zoo_door(l, 2, ZOO_OFFSET, size))
MAKE(tilt_2, zoo_door(l, 2, ZOO_TILT, size))
MAKE(offset_3, zoo_door(l, 3, ZOO_OFFSET, size))
MAKE(gap, zoo_door(l, 2, ZOO_GAP, size))
MAKE(bricard, zoo_bricard(l))
MAKE(bennett, zoo_bennett(l))
MAKE(delta, zoo_delta(l))
MAKE(stewart, zoo_stewart(l))
MAKE(floating, zoo_floating_four_bar(l))
MAKE(ladder, zoo_ladder(l, 10))
MAKE(sarrus, zoo_sarrus(l))
#undef MAKE

static const table_group table_groups[] = {
    {"tilted four-bar [rad]",
     make_four_bar,
     NULL,
     false,
     true,
     PAWL_STEPPER_MOREAU,
     2.5e-3,
     5.0,
     {{4, "4.4e-4"},
      {5, "2.0e-3"},
      {6, "8.5e-4"},
      {7, "9.4e-4"},
      {8, "9.4e-4"},
      {9, "9.4e-4"},
      {17, "9.4e-4"}}},
    {"the same, rattle",
     make_four_bar,
     NULL,
     false,
     true,
     PAWL_STEPPER_RATTLE,
     2.5e-3,
     5.0,
     {{6, "5.1e-3 (10 s)"}, {17, ""}}},
    {"the same, lit",
     make_four_bar,
     NULL,
     false,
     true,
     PAWL_STEPPER_LIT,
     2.5e-3,
     5.0,
     {{6, "3.4e-3 (10 s)"}, {17, ""}}},
    {"door, 2 hinges, off [m]",
     make_offset_2,
     zoo_pendulum,
     true,
     true,
     PAWL_STEPPER_MOREAU,
     1e-3,
     2.0,
     {{1e-12, "4e-8"}, {1e-8, "4e-8"}, {1e-6, "1.5e-6"}, {1e-4, "1.5e-4"}, {1e-3, "1.5e-3"}}},
    {"door, 2 hinges, tilt [rad]",
     make_tilt_2,
     zoo_pendulum,
     true,
     true,
     PAWL_STEPPER_MOREAU,
     1e-3,
     2.0,
     {{1e-12, "4e-8"}, {1e-8, "4e-8"}, {1e-6, "1.0e-6"}, {1e-4, "1.0e-4"}, {1e-3, "1.0e-3"}}},
    {"door, 3 hinges, off [m]",
     make_offset_3,
     zoo_pendulum,
     true,
     true,
     PAWL_STEPPER_MOREAU,
     1e-3,
     2.0,
     {{1e-6, "7.5e-7"}, {1e-4, "7.4e-5"}}},
    {"door, halves apart [m]",
     make_gap,
     zoo_pendulum,
     true,
     false,
     PAWL_STEPPER_MOREAU,
     1e-3,
     2.0,
     {{1e-9, "9.4e-10"}, {1e-7, "9.4e-8"}, {1e-6, "9.4e-7"}, {1e-4, "9.4e-5"}}},
    {"Bricard [m]",
     make_bricard,
     NULL,
     false,
     false,
     PAWL_STEPPER_MOREAU,
     2e-3,
     2.0,
     {{9, "4e-9"}, {7, "1.7e-7"}, {5, "2.3e-5"}, {4, "2.6e-4"}, {17, ""}}},
    {"Bennett [m]",
     make_bennett,
     NULL,
     false,
     false,
     PAWL_STEPPER_MOREAU,
     2e-3,
     2.0,
     {{9, "5.6e-8"}, {7, "4.1e-6"}, {5, "6.1e-5"}, {4, "8.6e-4"}, {17, ""}}},
    {"delta [m]",
     make_delta,
     NULL,
     false,
     false,
     PAWL_STEPPER_MOREAU,
     1e-3,
     0.5,
     {{9, "1.7e-7"}, {7, "3.7e-5"}, {5, "3.8e-3"}, {4, "1.0e-2"}, {17, ""}}},
    {"Stewart, not redundant [m]",
     make_stewart,
     NULL,
     false,
     false,
     PAWL_STEPPER_MOREAU,
     2e-3,
     0.5,
     {{9, "6.5e-9"}, {7, "5.6e-7"}, {17, "0"}}},
    {"floating four-bar [m]",
     make_floating,
     NULL,
     false,
     false,
     PAWL_STEPPER_MOREAU,
     2e-3,
     5.0,
     {{9, ""}, {6, ""}, {4, ""}, {17, ""}}},
    {"ladder, 10 four-bars [m]",
     make_ladder,
     NULL,
     false,
     false,
     PAWL_STEPPER_MOREAU,
     2e-3,
     2.0,
     {{9, "1.7e-6"}, {7, "1.1e-4"}, {6, "7.1e-4"}, {5, "1.1e-2"}, {4, "8.4e-2"}, {17, ""}}},
    {"Sarrus through flat [m]",
     make_sarrus,
     NULL,
     false,
     false,
     PAWL_STEPPER_MOREAU,
     2e-3,
     2.0,
     {{9, "3.2e-5"}, {7, "5.9e-4"}, {5, "3.0e-2"}, {4, "0.17"}, {17, ""}}},
};
enum { TABLE_GROUPS = sizeof table_groups / sizeof table_groups[0] };

static const double table_interval = 0.05; // between compared positions [s]

// Of the four-bar the right motion is known better than its own step allows.
static linkage_motion table_exact(const table_group *g, const pawl_settings *settings)
{
    linkage l;
    pawl_settings fine = *settings;
    if (g->exact != NULL) {
        g->exact(&l);
    } else {
        g->make(&l, 17.0);
        if (g->angle) {
            fine.stepper = PAWL_STEPPER_RATTLE;
            fine.rattle.order = 4;
            fine.formulation = PAWL_FORMULATION_MAXIMAL;
            fine.dt = 0.2 * settings->dt;
        }
    }
    return linkage_run(&l, LINKAGE_EXACT, &fine, g->time, table_interval);
}

static json_t *table_row(const table_group *g, int row, const linkage_motion *exact,
                         const pawl_settings *settings, int *bad)
{
    linkage l;
    double size = g->rows[row].size;
    g->make(&l, size);
    linkage_motion m =
        linkage_run(&l, g->flawed ? LINKAGE_EXACT : (int)size, settings, g->time, table_interval);
    double off =
        g->angle ? linkage_angle_distance(&m, exact) : linkage_distance(&m, exact, m.samples);
    bool frozen = linkage_frozen(&m, exact), exploded = linkage_exploded(&m, exact);
    const char *what = m.status != PAWL_OK ? "REFUSED"
                       : frozen            ? "FROZEN"
                       : exploded          ? "EXPLODES"
                                           : "";
    *bad += what[0] != '\0';
    printf("  %-10g%11.1e%14s%11.1e%11.2f%11.2f%10.1e%10.1e%7d  %s %s\n", size, off,
           g->rows[row].prototype, pawl_verdict_energy_error(&m.verdict), m.force_max,
           m.force_median, m.momentum_change, m.spin_change, (int)m.verdict.not_converged,
           m.fine ? "fine" : "NOT MET", what);
    fflush(stdout);
    json_t *out =
        json_pack("{s:s, s:f, s:o, s:s, s:o, s:o, s:b, s:s}", "mechanism", g->name, "size", size,
                  "off", bench_number(off), "prototype", g->rows[row].prototype, "energy_error",
                  bench_number(pawl_verdict_energy_error(&m.verdict)), "force",
                  bench_number(m.force_max), "fine", m.fine, "failure", what);
    linkage_motion_end(&m);
    return out;
}

json_t *redundant_table(const bench_options *options, const pawl_settings *base, int *bad)
{
    json_t *rows = json_array();
    printf(
        "mechanisms of the textbooks by digits of their file, or by size of a flaw\n"
        "  off      largest distance of a centre (m) or of the first angle (rad) from the motion\n"
        "           with 17 digits; four-bar: from the same by rattle of order 4 and a fifth of "
        "dt\n"
        "  energy   largest unexplained energy over the energy turned over (docs/verdict.md)\n"
        "  N        largest joint force, and the median over the steps\n"
        "  p, L     largest change of momentum and spin (of what floats alone)\n\n");
    printf("  %-10s%11s%14s%11s%11s%11s%10s%10s%7s  verdict\n", "size", "off", "prototype",
           "energy", "N max", "N median", "p", "L", "open");
    for (int k = 0; k < TABLE_GROUPS; ++k) {
        const table_group *g = &table_groups[k];
        if (!bench_wanted(options, g->name)) {
            continue;
        }
        pawl_settings settings = *base;
        settings.stepper = g->stepper;
        settings.dt = g->dt;
        printf("%s, %s %g ms, %g s\n", g->name, pawl_stepper_name((int)g->stepper), 1e3 * g->dt,
               g->time);
        linkage_motion exact = table_exact(g, &settings);
        for (int row = 0; row < 8 && g->rows[row].prototype != NULL; ++row) {
            json_array_append_new(rows, table_row(g, row, &exact, &settings, bad));
        }
        linkage_motion_end(&exact);
        if (options->quick && k >= 1) {
            break;
        }
    }
    printf("\n");
    return rows;
}
