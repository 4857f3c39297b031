// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Where the models are that come with pawl.
#pragma once

/// The folder, found from where the command is. To be freed; NULL when there is none.
char *models_folder(void);
