// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Figures of a state: closure, energy, joint coordinates. Computed from the state alone.
#pragma once
#include "pawl/report.h"
#include "rows/assembly.h"

// Frames of a joint (no gear) from the state's poses.
void pawl_state_joint_frames(const pawl_state *s, const model_joint *j, joint_frames *out);
// Closure from an assembly that was placed at the state, limits included.
pawl_closure pawl_assembly_closure(const pawl_assembly *a);
// The closure error of joints along the weak space (weak_space.h): (1 - Q) f, which is not corrected.
pawl_closure pawl_assembly_misfit(const pawl_assembly *a);
// Sets s->coordinates, the memory of full turns: from the bodies, or from an assembly that was
// placed at s.
void pawl_state_count_turns(pawl_state *s);
void pawl_assembly_count_turns(const pawl_assembly *a, pawl_state *s);
// kinetic + gravity + springs
double pawl_energy_stored(const pawl_energy *e);
