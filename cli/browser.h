// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Browsers: one that the user sees, and one without a window that does a job.
#pragma once
#include <stdbool.h>
#include <sys/types.h>

/// Opens an address as the desktop would. Where there is no display, nothing happens.
void browser_show(const char *address);
/// Starts Chromium or a relative without a window on an address, with a profile of its own in `folder`. The command is
/// that of PAWL_BROWSER or the first of the usual names. 0: there is none.
pid_t browser_work(const char *address, const char *folder);
/// Whether it still runs.
bool browser_lives(pid_t browser);
void browser_end(pid_t browser);
