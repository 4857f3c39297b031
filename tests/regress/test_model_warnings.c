// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Warnings about models that can be simulated but are probably not what was meant: each kind is found
// on variations of a mistake, and not on the same model without it.
#include "math/rotation.h"
#include "support/scene.h"
#include <stdio.h>

// The warnings of a kind; *first is a copy of the first one's `where` and text.
static int warnings_of(const mechanism *m, pawl_warning_kind kind, char first[512])
{
    pawl_check *check;
    int count = 0;
    first[0] = '\0';
    CHECK_OK(pawl_check_model(&m->t.env, m->model, &check));
    for (int i = 0; i < check->warning_count; ++i) {
        const pawl_warning *w = &check->warnings[i];
        CHECK(w->where[0] != '\0' && w->text[0] != '\0' && w->advice[0] != '\0');
        if (w->kind == kind) {
            if (count++ == 0) {
                snprintf(first, 512, "%s: %s", w->where, w->text);
            }
        }
    }
    pawl_check_destroy(check);
    return count;
}

static int warnings_count(mechanism *m, pawl_warning_kind kind)
{
    char first[512];
    mechanism_compile(m);
    return warnings_of(m, kind, first);
}

TEST(every_kind_of_warning_has_a_name)
{
    for (int i = 0; i < PAWL_WARNING_KIND_COUNT; ++i) {
        const char *name = pawl_warning_kind_name((pawl_warning_kind)i);
        CHECK(name != NULL && name[0] != '\0');
    }
    CHECK(pawl_warning_kind_name(PAWL_WARNING_KIND_COUNT) == NULL);
    CHECK(pawl_warning_kind_name((pawl_warning_kind)-1) == NULL);
}

// Principal moments 1, 1, 3: 3 > 1 + 1, no mass distribution has them. 1, 1, 2 is a thin plate.
TEST(an_inertia_that_breaks_the_triangle_inequality_is_warned_of)
{
    for (int axis = 0; axis < 3; ++axis) {
        for (int plate = 0; plate < 2; ++plate) {
            mechanism m;
            mechanism_begin(&m);
            double moment[3] = {1.0, 1.0, 1.0};
            moment[axis] = plate ? 2.0 : 3.0;
            mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(moment[0], moment[1], moment[2]));
            CHECK_INT(warnings_count(&m, PAWL_WARNING_INERTIA), plate ? 0 : 1);
            mechanism_end(&m);
        }
    }
}

// A solid box has trace(I)/2 = m (a^2 + b^2 + c^2)/12; the same figure in kg mm^2 is 1e6 times that.
TEST(an_inertia_in_the_wrong_unit_is_warned_of)
{
    const double scale[] = {1e-6, 1e-5, 0.1, 1.0, 3.0, 1e3, 1e6};
    const int expected[] = {1, 1, 0, 0, 0, 1, 1};
    for (size_t i = 0; i < sizeof scale / sizeof scale[0]; ++i) {
        for (int size = -2; size <= 2; ++size) {
            mechanism m;
            mechanism_begin(&m);
            double a = pow(10.0, size), k = scale[i] * 5.0 * a * a / 12.0;
            int body = mechanism_solid(&m, 5.0, v3(0, 0, 0),
                                       v3(k * (0.09 + 0.25), k * (1.0 + 0.25), k * (1.0 + 0.09)));
            scene_shape(&m, body, PAWL_SHAPE_BOX, v3(0.5 * a, 0.15 * a, 0.25 * a), v3(0, 0, 0), 0.5,
                        0.0);
            CHECK_INT(warnings_count(&m, PAWL_WARNING_INERTIA), expected[i]);
            mechanism_end(&m);
        }
    }
}

// What the source of a model has to say stays with the model, in its order, and is not part of its hash.
TEST(warnings_of_the_source_stay_with_the_model)
{
    mechanism m;
    mechanism_begin(&m);
    mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(1, 1, 1));
    pawl_model *silent;
    CHECK_OK(pawl_builder_compile(m.builder, &silent));
    const pawl_warning given[] = {
        {PAWL_WARNING_DEGREES, "arm.sdf:3", "a yaw of 90 rad", "write 1.57"},
        {PAWL_WARNING_TWO_MASSES, "arm.sdf:5", "two", "one"}};
    for (int i = 0; i < 2; ++i) {
        CHECK_OK(pawl_builder_add_warning(m.builder, &given[i]));
    }
    pawl_warning bad = {.kind = PAWL_WARNING_KIND_COUNT};
    CHECK_STATUS(pawl_builder_add_warning(m.builder, &bad), PAWL_BAD_ARGUMENT);
    mechanism_compile(&m);
    CHECK(pawl_model_hash(m.model) == pawl_model_hash(silent));
    CHECK_INT(pawl_model_warning_count(silent), 0);
    CHECK_INT(pawl_model_warning_count(m.model), 2);
    for (int i = 0; i < 2; ++i) {
        pawl_warning kept = pawl_model_warning(m.model, i);
        CHECK_INT(kept.kind, given[i].kind);
        CHECK_TEXT(kept.where, given[i].where);
        CHECK_TEXT(kept.text, given[i].text);
        CHECK_TEXT(kept.advice, given[i].advice);
    }
    char first[512];
    CHECK_INT(warnings_of(&m, PAWL_WARNING_DEGREES, first), 1);
    CHECK_TEXT(first, "arm.sdf:3: a yaw of 90 rad");
    pawl_model_destroy(silent);
    mechanism_end(&m);
}

static pawl_status warnings_make(const pawl_env *env, void *model)
{
    pawl_check *check;
    pawl_status status = pawl_check_model(env, model, &check);
    pawl_check_destroy(check);
    return status;
}

TEST(warnings_survive_a_lack_of_memory)
{
    mechanism m;
    mechanism_begin(&m);
    mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(1, 1, 3));
    mechanism_compile(&m);
    CHECK_SURVIVES_NO_MEMORY(warnings_make, m.model);
    mechanism_end(&m);
}
