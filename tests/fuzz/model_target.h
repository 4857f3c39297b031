// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What the fuzz targets of the model readers share: parse and compile the bytes, strictly and
// leniently, as a whole file and as the content of a root element. The second way lets the fuzzer
// spend its time on elements instead of on finding the root again.
#pragma once
#include "pawl/io.h"

#include <stdlib.h>
#include <string.h>

// A folder that does not exist, so that relative includes fail the same way on every machine.
#define MODEL_TARGET_NAME "/nonexistent/fuzz"

static inline void model_target_parse(const char *text, size_t size)
{
    pawl_env env = pawl_env_default();
    for (int lenient = 0; lenient < 2; ++lenient) {
        pawl_load_options options = pawl_load_options_default();
        options.lenient = options.keep_fixed = lenient == 1;
        pawl_model *model;
        pawl_status status =
            pawl_model_parse(&env, MODEL_TARGET_NAME, text, size, &options, &model);
        if ((status == PAWL_OK) != (model != NULL)) {
            abort(); // the promise of pawl/io.h
        }
        pawl_model_destroy(model);
        if (status != PAWL_UNSUPPORTED) {
            break; // only what is not supported is treated otherwise by lenient readers
        }
    }
}

static inline int model_target_run(const uint8_t *data, size_t size, const char *head,
                                   const char *tail)
{
    model_target_parse((const char *)data, size);
    size_t a = strlen(head), z = strlen(tail);
    char *text = malloc(a + size + z);
    if (text != NULL) {
        memcpy(text, head, a);
        memcpy(text + a, data, size);
        memcpy(text + a + size, tail, z);
        model_target_parse(text, a + size + z);
        free(text);
    }
    return 0;
}
