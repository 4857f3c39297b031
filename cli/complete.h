// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Completion of a half-typed command line, for the shells.
#pragma once

/// Prints what could stand in place of the last of `words`, the words after "pawl": one candidate a
/// line. A last line ":files" says that names of files may stand there, too.
void complete_print(int count, char **words);
