// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// main() of every test program that uses TEST(). It sits alone in its file: the linker takes it
// from the support library only where a test program brings no main() of its own.
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

static test_case *main_first;
static test_case **main_end = &main_first;
static size_t main_count;

void test_case_list(test_case *added)
{
    *main_end = added;
    main_end = &added->next;
    main_count += 1;
}

int main(int argument_count, char **arguments)
{
    if (argument_count > 1) {
        cmocka_set_test_filter(arguments[1]);
    }
    struct CMUnitTest *cases = main_count > 0 ? calloc(main_count, sizeof *cases) : NULL;
    if (cases == NULL) {
        fputs("no test case, or no memory to list them\n", stderr);
        return 1;
    }
    size_t i = 0;
    for (const test_case *c = main_first; c != NULL; c = c->next) {
        cases[i++] = (struct CMUnitTest){.name = c->name, .test_func = c->function};
    }
    int failed = _cmocka_run_group_tests(arguments[0], cases, main_count, NULL, NULL);
    free(cases);
    return failed == 0 ? 0 : 1; // a count could wrap to 0 in an exit code
}
