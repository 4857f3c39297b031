// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
#include "base/carver.h"
#include "support/test.h"

#include <string.h>

typedef struct carver_arrays {
    char *bytes;
    double *numbers;
    int *none, *last;
} carver_arrays;

static carver_arrays carver_layout(pawl_carver *mem)
{
    carver_arrays a;
    a.bytes = PAWL_CARVE(mem, char, 3);
    a.numbers = PAWL_CARVE(mem, double, 5);
    a.none = PAWL_CARVE(mem, int, 0);
    a.last = PAWL_CARVE(mem, int, 7);
    return a;
}

// By hand: the measuring pass asks for exactly what the second pass hands out, on cache lines.
TEST(the_second_pass_fits_the_first_exactly_and_arrays_do_not_overlap)
{
    pawl_carver need = {0};
    carver_arrays measured = carver_layout(&need);
    CHECK(measured.bytes == NULL && measured.last == NULL);
    test_env t;
    test_env_init(&t);
    char *block = t.env.resize(t.env.user, NULL, 0, need.used);
    pawl_carver mem = {.base = block, .capacity = need.used};
    carver_arrays a = carver_layout(&mem);
    CHECK_INT(mem.used, need.used);
    CHECK_INT((uintptr_t)a.bytes % 64, 0);
    CHECK_INT((uintptr_t)a.numbers % 64, 0);
    CHECK_INT((uintptr_t)a.last % 64, 0);
    CHECK((char *)(a.last + 7) == block + need.used);
    memset(a.bytes, 1, 3);
    memset(a.numbers, 2, 5 * sizeof(double));
    memset(a.last, 3, 7 * sizeof(int));
    CHECK(a.bytes[2] == 1 && ((char *)a.numbers)[39] == 2 && ((char *)a.last)[0] == 3);
    t.env.resize(t.env.user, block, need.used, 0);
    CHECK_NO_LEAK(&t);
}
