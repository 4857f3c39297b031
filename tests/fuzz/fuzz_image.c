// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Hostile height maps: PNG images and MuJoCo's binary height fields, told apart by their first bytes.
#include "read/image_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pawl_env env = pawl_env_default();
    xml_reader reader;
    height_image image = {0};
    char why[IMAGE_WHY] = "";
    char *text = malloc(size + 1);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    xml_reader_begin(&reader, &env, false);
    if (height_image_parse(&reader, text, size, &image, why) == PAWL_OK) {
        for (int i = 0; i < image.rows * image.columns; ++i) {
            if (!isfinite(image.values[i])) {
                abort(); // heights are numbers
            }
        }
    }
    xml_reader_end(&reader);
    free(text);
    return 0;
}
