// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The models that come with pawl: where they are, which there are, and how one is found by its name.
#pragma once
#include "console.h"

/// The folder, found from where the command is. To be freed; NULL when there is none.
char *models_folder(void);

typedef struct models_list {
    char **paths; ///< absolute, sorted
    int count;
    bool complete; ///< false: a part of the folder could not be read
} models_list;
/// All model files below a folder; to be freed with models_list_free().
models_list models_list_make(const char *folder);
void models_list_free(models_list *list);

/// The i-th name by which a model that comes with pawl can be called: the name of its file without the
/// ending. NULL past the last. The names stay until the command ends.
const char *models_name(const void *user, int i);
/// The file that MODEL on the command line stands for, to be freed. A file that exists is itself; any
/// other word is looked up among the models that come with pawl (the first in the order of paths counts, a note names
/// others): "fourbar-fixed",
/// "primitives/fourbar-fixed.sdf" and "models/primitives/fourbar-fixed.sdf" all find that file. What is
/// neither is returned as it was, for the reader to complain about. NULL after a message.
char *models_find(console *con, const char *word);
