// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Real tosses of a cube (ContactNets, Pfrommer, Halm and Posa 2020) against every law of impact and every
// stepper that collides: parameters fitted on one half of the tosses, judged on the other. The recording is not
// part of the project; --data says where it is. docs/impacts.md quotes the table.
#include "reproduce/reality_cube.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pawl/base.h"

static const pawl_stepper_kind reality_steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                                     PAWL_STEPPER_LIT};
static const char *const reality_laws[PAWL_IMPACT_LAW_COUNT] = {"poisson", "newton", "energetic",
                                                                "routh"};

typedef struct reality_options {
    const char *data, *only;
    int evaluations, stride;
} reality_options;

static void reality_usage(FILE *to)
{
    fputs("usage: bench_reality [options]\n\n"
          "real tosses of a cube by law of impact and stepper\n\n"
          "  --data FILE        the recording (../shared/reality/cube-tosses.h5)\n"
          "  --evaluations N    of the fit, for each law and stepper (120)\n"
          "  --stride N         the fit takes every N-th toss, an even number (4)\n"
          "  --only TEXT        laws and steppers whose \"stepper law\" contains it\n",
          to);
}

static reality_options reality_parse(int argc, char **argv)
{
    reality_options o = {"../shared/reality/cube-tosses.h5", "", 120, 4};
    for (int i = 1; i < argc; ++i) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--help") == 0) {
            reality_usage(stdout);
            exit(0);
        } else if (strcmp(argv[i], "--data") == 0 && value != NULL) {
            o.data = value;
        } else if (strcmp(argv[i], "--only") == 0 && value != NULL) {
            o.only = value;
        } else if (strcmp(argv[i], "--evaluations") == 0 && value != NULL && atoi(value) > 0) {
            o.evaluations = atoi(value);
        } else if (strcmp(argv[i], "--stride") == 0 && value != NULL && atoi(value) > 0 &&
                   atoi(value) % 2 == 0) {
            o.stride = atoi(value);
        } else {
            reality_usage(stderr);
            exit(2);
        }
        ++i;
    }
    return o;
}

int main(int argc, char **argv)
{
    reality_options o = reality_parse(argc, argv);
    pawl_env env = pawl_env_default();
    reality_data data;
    if (reality_data_load(&env, o.data, &data) != PAWL_OK) {
        fprintf(stderr, "%s: no recording of tosses; --data FILE says where it is\n", o.data);
        return 77;
    }
    printf("pawl %s: %d real tosses, dt 1/592 s; fitted on every %d-th from the first on, judged "
           "on every\n"
           "second from the second on. Start from the first sample / from the flight before the "
           "first contact.\n\n",
           pawl_version(), data.count, o.stride);
    printf("%-8s %-10s %15s %15s %15s  ", "stepper", "law", "position %", "rotation deg",
           "right face %");
    for (int p = 0; p < REALITY_PARAMETERS; ++p) {
        printf(" %9s", reality_parameter_name((reality_parameter)p));
    }
    puts("");
    int failed = 0;
    for (size_t s = 0; s < sizeof reality_steppers / sizeof reality_steppers[0]; ++s) {
        for (int law = 0; law < PAWL_IMPACT_LAW_COUNT; ++law) {
            char name[64];
            snprintf(name, sizeof name, "%s %s", pawl_stepper_name((int)reality_steppers[s]),
                     reality_laws[law]);
            if (strstr(name, o.only) == NULL) {
                continue;
            }
            reality_cube cube = reality_cube_default(reality_steppers[s], (pawl_impact_law)law);
            reality_score first, fitted;
            reality_fit(&env, &cube, &data, 0, o.stride, o.evaluations);
            if (!reality_judge(&env, &cube, &data, 1, 2, REALITY_FIRST_SAMPLE, &first) ||
                !reality_judge(&env, &cube, &data, 1, 2, REALITY_FREE_FLIGHT, &fitted)) {
                printf("%-19s failed\n", name);
                ++failed;
                continue;
            }
            printf("%-8s %-10s %7.2f /%6.2f %7.2f /%6.2f %7.1f /%6.1f  ",
                   pawl_stepper_name((int)reality_steppers[s]), reality_laws[law], first.position,
                   fitted.position, first.rotation, fitted.rotation, first.faces, fitted.faces);
            for (int p = 0; p < REALITY_PARAMETERS; ++p) {
                printf(" %9.4g", cube.value[p]);
            }
            puts("");
            fflush(stdout);
        }
    }
    reality_data_free(&data);
    return failed == 0 ? 0 : 1;
}
