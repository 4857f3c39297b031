// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Muscles: actuators with a force by length and rate, and the check of their parameters.
#pragma once
#include "pawl/model.h"

enum { MUSCLE_NUMBERS = 12 };
// All numbers of a muscle, for hashes and tags.
void pawl_muscle_numbers(const pawl_muscle *m, double out[MUSCLE_NUMBERS]);
// What was expected; NULL: no fault, or no muscle.
const char *pawl_muscle_fault(const pawl_actuator_def *a);
