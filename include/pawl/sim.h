// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// The simulation: a state of a model that is stepped in time with given settings, and the results of a step.
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
/// Allocates all that steps will use and assembles the start: open joints are closed
/// (with a note in the log), or the model is refused. `model` and `env` must outlive the sim.
PAWL_API pawl_status pawl_sim_create(const pawl_env *env, const pawl_model *model,
                                     const pawl_settings *settings, pawl_sim **out);
PAWL_API void pawl_sim_destroy(pawl_sim *sim); ///< NULL is fine
/// One step. On a status other than PAWL_OK the state is unchanged. `report` may be NULL.
PAWL_API pawl_status pawl_sim_step(pawl_sim *sim, pawl_step_report *report);
/// A clock [s] that is read about ten times a step to fill pawl_step_report.seconds, with the argument `user`.
/// NULL (the default): steps read no clock. It never changes the results of a step.
PAWL_API void pawl_sim_set_clock(pawl_sim *sim, double (*now)(void *user), void *user);
PAWL_API const pawl_state *pawl_sim_state(const pawl_sim *sim);
/// Copies a state of the same model, as a resumed run does: nothing is assembled again.
PAWL_API pawl_status pawl_sim_set_state(pawl_sim *sim, const pawl_state *state);
/// The state, to set inputs (pawl/input.h), poses or joints before the next step: the same object as long as the sim
/// exists. After changes of poses or joints call pawl_sim_assemble() unless all joints are still
/// closed.
PAWL_API pawl_state *pawl_sim_edit_state(pawl_sim *sim);
/// Closes the joints from the present poses, with the least change of poses in the metric of the masses, then
/// makes the velocities consistent with them. `start` and `assembled` (either may be NULL) are the closure before and
/// after. PAWL_NOT_ASSEMBLED: they cannot be closed; the log names the worst joint, and the state is
/// unchanged. The energy balance starts again.
PAWL_API pawl_status pawl_sim_assemble(pawl_sim *sim, pawl_closure *start, pawl_closure *assembled);
/// Sets coordinates of joints, at rest, and closes the loops with these joints fixed. On failure
/// (PAWL_NOT_ASSEMBLED if the loops do not allow it) the state is unchanged. Each joint at most once.
PAWL_API pawl_status pawl_sim_set_joints(pawl_sim *sim, const pawl_joint_start *starts, int count);
/// The settings that it was created with; formulation=auto is replaced by the formulation that was chosen.
PAWL_API const pawl_settings *pawl_sim_settings(const pawl_sim *sim);
/// The reason for the choice of formulation=auto, as a line of text; "" if the settings named a formulation.
PAWL_API const char *pawl_sim_formulation_reason(const pawl_sim *sim);
/// The choice of formulation=auto for a model, independent of the settings' formulation. `reason` (size; may be NULL) is that line.
PAWL_API pawl_status pawl_choose_formulation(const pawl_env *env, const pawl_model *model,
                                             const pawl_settings *settings, pawl_formulation *out,
                                             char *reason, size_t size);
PAWL_API const pawl_model *pawl_sim_model(const pawl_sim *sim);
/// Reaction of a joint in the last step: force and torque that the base exerts on the follower, in
/// world axes, at the follower's joint origin. Of least norm if redundant rows make it non-unique.
PAWL_API pawl_status pawl_sim_joint_reaction(const pawl_sim *sim, pawl_joint_id joint,
                                             pawl_vec3 *force, pawl_vec3 *torque);
/// Force or torque that an actuator applied in the last step.
PAWL_API double pawl_sim_actuator_effort(const pawl_sim *sim, pawl_actuator_id actuator);

/// The number of contacts of the last step's problem, open ones included; 0 before the first step.
PAWL_API int pawl_sim_contact_count(const pawl_sim *sim);
PAWL_API pawl_contact_info pawl_sim_contact(const pawl_sim *sim, int contact);

/// Events of the last step, in the order of their times; none before the first step.
PAWL_API int pawl_sim_event_count(const pawl_sim *sim);
PAWL_API pawl_event pawl_sim_event(const pawl_sim *sim, int event);

PAWL_EXTERN_C_END
