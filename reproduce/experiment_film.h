// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The film of an experiment, around each of its steps.
#pragma once
#include "experiment.h"

void experiment_film_before(experiment_run *run, const pawl_sim *sim);
void experiment_film_after(experiment_run *run, const pawl_sim *sim,
                           const pawl_step_report *report);
