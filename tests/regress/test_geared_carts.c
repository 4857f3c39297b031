// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Carts that gears couple, one of them in contact. Their rows are independent, but with masses and ratios over
// decades the factor's shift for rows that may not be was larger than what tells them apart, and residuals
// looked small while the contact's effective mass was wrong: up to all steps stayed open.
#include "support/linkage_motion.h"
#include "support/mechanism.h"
#include "support/random.h"

#include <math.h>
#include <stdio.h>

enum { CARTS_TEXT = 16384 };

static int carts_link(char *text, int used, const char *name, const char *pose, double mass,
                      const char *shape)
{
    double inertia = mass / 150.0;
    return used + snprintf(text + used, (size_t)(CARTS_TEXT - used),
                           "<link name=\"%s\"><pose>%s</pose><inertial><mass>%.17g</mass><inertia>"
                           "<ixx>%.17g</ixx><iyy>%.17g</iyy><izz>%.17g</izz></inertia></inertial>"
                           "%s</link>\n",
                           name, pose, mass, inertia, inertia, inertia, shape);
}

// Carts on rails, a tree of gears over them; the first one is a box on the floor and carries a ball. `digits` > 0:
// one more gear from the first cart to the last, which the others imply but for so many digits of its ratio.
static void carts_write(char *text, uint64_t seed, int digits)
{
    double over[8] = {1.0}; // ratio of each cart to the first
    static const char *const box =
        "<collision name=\"c\"><geometry><box><size>0.2 0.2 0.2</size></box></geometry>"
        "<pawl:friction>0.5</pawl:friction></collision>";
    int count = 3 + (int)(4.0 * random_in(&seed, 0.0, 1.0));
    int used = snprintf(
        text, CARTS_TEXT,
        "<sdf version=\"1.10\" xmlns:pawl=\"urn:pawl:sdf\"><world name=\"w\">"
        "<gravity>0 0 -9.81</gravity><model name=\"ground\"><static>true</static><link name=\"g\">"
        "<collision name=\"f\"><geometry><plane><normal>0 0 1</normal></plane></geometry>"
        "<pawl:friction>0.5</pawl:friction></collision></link></model><model name=\"carts\">\n");
    for (int i = 0; i < count; ++i) {
        char name[16], pose[64];
        snprintf(name, sizeof name, "l%d", i);
        snprintf(pose, sizeof pose, "%d 0 %g 0 0 0", 2 * i, i == 0 ? 0.1 : 3.0);
        used = carts_link(text, used, name, pose, pow(10.0, random_in(&seed, -3.5, 3.5)),
                          i == 0 ? box : "");
        used += snprintf(text + used, (size_t)(CARTS_TEXT - used),
                         "<joint name=\"j%d\" type=\"prismatic\"><parent>world</parent><child>l%d"
                         "</child><axis><xyz>%s</xyz></axis></joint>\n",
                         i, i, i % 2 == 0 ? "0 0 1" : "1 0 0");
    }
    for (int i = 1; i < count; ++i) {
        double sign = random_in(&seed, -1.0, 1.0) < 0.0 ? -1.0 : 1.0;
        double ratio = sign * pow(10.0, random_in(&seed, -1.5, 1.5));
        int source = (int)(random_in(&seed, 0.0, 1.0) * i);
        over[i] = ratio * over[source];
        used += snprintf(text + used, (size_t)(CARTS_TEXT - used),
                         "<pawl:gear name=\"g%d\" joint=\"j%d\" source_joint=\"j%d\" "
                         "ratio=\"%.17g\"/>\n",
                         i, i, source, ratio);
    }
    if (digits > 0) {
        used += snprintf(text + used, (size_t)(CARTS_TEXT - used),
                         "<pawl:gear name=\"cycle\" joint=\"j%d\" source_joint=\"j0\" "
                         "ratio=\"%.*g\"/>\n",
                         count - 1, digits, over[count - 1]);
    }
    used += snprintf(text + used, (size_t)(CARTS_TEXT - used), "</model><model name=\"ball\">");
    used = carts_link(
        text, used, "ball", "0.01 0 0.25 0 0 0", pow(10.0, random_in(&seed, -4.0, 3.0)),
        "<collision name=\"c\"><geometry><sphere><radius>0.05</radius></sphere></geometry>"
        "<pawl:friction>0.5</pawl:friction></collision>");
    snprintf(text + used, (size_t)(CARTS_TEXT - used), "</model></world></sdf>");
}

// Every step is solved, with any shift.
TEST(geared_carts_in_contact_are_solved_whatever_their_masses)
{
    static const double shifts[] = {1e-8, 1e-6, 1e-14};
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        char text[CARTS_TEXT];
        carts_write(text, seed, 0);
        for (int i = 0; i < 3; ++i) {
            pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_MOREAU);
            settings.solver.regularization = shifts[i];
            linkage_motion m = linkage_run_text(text, &settings, 0.5, 0.1);
            CHECK_OK(m.status);
            CHECK_INT(m.verdict.not_converged, 0);
            linkage_motion_end(&m);
        }
    }
}

// A cycle of gears is a loop: from ratios of few digits it would lock, and its carts would stand in the air. It moves
// as the tree of gears does, by what the digits tell, in maximal and in reduced coordinates.
TEST(cycles_of_gears_in_contact_move_as_trees_do)
{
    static const int digits[] = {5, 7, 9, 17};
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        for (int form = 0; form < PAWL_FORMULATION_COUNT; ++form) {
            pawl_settings settings = mechanism_settings(5e-3, PAWL_STEPPER_MOREAU);
            settings.formulation = (pawl_formulation)form;
            char text[CARTS_TEXT];
            carts_write(text, seed, 0);
            linkage_motion tree = linkage_run_text(text, &settings, 0.3, 0.1);
            for (int i = 0; i < 4; ++i) {
                carts_write(text, seed, digits[i]);
                linkage_motion m = linkage_run_text(text, &settings, 0.3, 0.1);
                CHECK_OK(m.status);
                CHECK_INT(m.verdict.not_converged, 0);
                CHECK(linkage_distance(&m, &tree, m.samples) <
                      100.0 * pow(10.0, -digits[i]) + 1e-9);
                CHECK(m.fine || !tree.fine);
                linkage_motion_end(&m);
            }
            linkage_motion_end(&tree);
        }
    }
}
