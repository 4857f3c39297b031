// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The bundle of web/, embedded by the build. Without Node it is empty, and pages show only their drawings.
#pragma once
#include <stddef.h>

extern const char pawl_player_bundle[]; // a script, ended by a zero
extern const size_t pawl_player_bundle_size;
