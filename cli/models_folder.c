// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Finds the models beside the command, installed or in the build, so that no absolute path is compiled in.
#include "models_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(PAWL_MODELS_FROM_BUILD)
#define PAWL_MODELS_FROM_BUILD "../models" // from build/
#endif

// The folder of the models: where they are installed or, of a command that was only built, in the
// source tree; both found from where the command is, so that no path of the building machine is
// compiled in. To be freed; NULL when there is none.
char *models_folder(void)
{
    static const char *const beside[] = {"/../share/pawl/models", "/" PAWL_MODELS_FROM_BUILD};
    char *command = realpath("/proc/self/exe", NULL);
    char *slash = command != NULL ? strrchr(command, '/') : NULL;
    char *folder = NULL;
    for (size_t i = 0; slash != NULL && folder == NULL && i < sizeof beside / sizeof *beside; ++i) {
        size_t size = (size_t)(slash - command) + strlen(beside[i]) + 1;
        char *path = malloc(size);
        if (path != NULL) {
            snprintf(path, size, "%.*s%s", (int)(slash - command), command, beside[i]);
            folder = realpath(path, NULL);
        }
        free(path);
    }
    free(command);
    return folder;
}
