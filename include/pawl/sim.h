// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// The simulation: a state of a model that is stepped in time under settings, and what can be read after a step.
///
/// **Threads.** A simulation belongs to one thread at a time; a second one that steps it meanwhile is refused.
/// Different simulations, of one model, too, run at once. With `threads` above 1 a step uses threads of its own.
#pragma once
#include "pawl/contact.h"
#include "pawl/input.h"
#include "pawl/report.h"
#include "pawl/settings.h"

PAWL_EXTERN_C_BEGIN

typedef struct pawl_sim pawl_sim;
/// Allocates all that steps will use and assembles the start: joints that do not meet are brought
/// together (with a note in the log) or refused. `model` and `env` must outlive the sim.
PAWL_API pawl_status pawl_sim_create(const pawl_env *env, const pawl_model *model,
                                     const pawl_settings *settings, pawl_sim **out);
PAWL_API void pawl_sim_destroy(pawl_sim *sim); ///< NULL is fine
/// One step. On a status other than PAWL_OK the state is as it was. `report` may be NULL.
PAWL_API pawl_status pawl_sim_step(pawl_sim *sim, pawl_step_report *report);
/// A clock [s] that is read some ten times a step to fill pawl_step_report.seconds, and given `user`
/// each time. NULL, as at the start: no step reads a clock. It never changes what a step computes.
PAWL_API void pawl_sim_set_clock(pawl_sim *sim, double (*now)(void *user), void *user);
PAWL_API const pawl_state *pawl_sim_state(const pawl_sim *sim);
/// Takes over a state of the same model, as a resumed run does: nothing is assembled anew.
PAWL_API pawl_status pawl_sim_set_state(pawl_sim *sim, const pawl_state *state);
/// The state, to set inputs (pawl/input.h), poses or joints before the next step: the same object as long as the sim
/// lives. After poses or joints were changed, call pawl_sim_assemble() unless all joints still
/// meet.
PAWL_API pawl_state *pawl_sim_edit_state(pawl_sim *sim);
/// Closes the joints from where the bodies are, with the least change of poses in the metric of the masses, then
/// brings velocities in line with them. `start` and `assembled` (either may be NULL) are the closure before and
/// after. PAWL_NOT_ASSEMBLED: they cannot be brought together; the log names the worst joint, and the state is as
/// it was. The energy balance begins anew.
PAWL_API pawl_status pawl_sim_assemble(pawl_sim *sim, pawl_closure *start, pawl_closure *assembled);
/// Sets coordinates of joints, at rest, and closes the loops with these joints held where they were set. On failure
/// (PAWL_NOT_ASSEMBLED where the loops do not allow it) the state is as it was. Each joint once.
PAWL_API pawl_status pawl_sim_set_joints(pawl_sim *sim, const pawl_joint_start *starts, int count);
/// Those that it was made with, but for formulation=auto: they name the formulation that was chosen.
PAWL_API const pawl_settings *pawl_sim_settings(const pawl_sim *sim);
/// Why formulation=auto chose what it did, as a line of text; "" where the settings named a formulation.
PAWL_API const char *pawl_sim_formulation_reason(const pawl_sim *sim);
/// What formulation=auto chooses for a model, whatever the settings name. `reason` (size; NULL: not wanted) is that line.
PAWL_API pawl_status pawl_choose_formulation(const pawl_env *env, const pawl_model *model,
                                             const pawl_settings *settings, pawl_formulation *out,
                                             char *reason, size_t size);
PAWL_API const pawl_model *pawl_sim_model(const pawl_sim *sim);
/// Reaction of a joint in the last step: force and torque that the base exerts on the follower, in
/// world axes, at the follower's joint origin. Least-norm where redundant rows leave it open.
PAWL_API pawl_status pawl_sim_joint_reaction(const pawl_sim *sim, pawl_joint_id joint,
                                             pawl_vec3 *force, pawl_vec3 *torque);
/// Force or torque that an actuator applied in the last step.
PAWL_API double pawl_sim_actuator_effort(const pawl_sim *sim, pawl_actuator_id actuator);

/// How many contacts the problem of the last step had, open ones included; 0 before the first step.
PAWL_API int pawl_sim_contact_count(const pawl_sim *sim);
PAWL_API pawl_contact_info pawl_sim_contact(const pawl_sim *sim, int contact);

/// Events of the last step, in the order of their times; none before the first step.
PAWL_API int pawl_sim_event_count(const pawl_sim *sim);
PAWL_API pawl_event pawl_sim_event(const pawl_sim *sim, int event);

PAWL_EXTERN_C_END
