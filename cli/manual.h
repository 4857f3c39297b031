// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The manual page pawl(1), made from the tables that parse the command line.
#pragma once

/// The page on stdout, in the man macros of roff.
void manual_print(void);
