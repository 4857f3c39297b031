// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Batches: many states of one model that are stepped on all cores, for sampling, learning and optimization.
///
/// The states are stored one after another in one block of memory, with a constant stride, and are stepped in place: no data
/// is copied (pawl_batch_view()). Each thread has a simulation of its own and takes the next state when it has finished
/// one, without locks. The bits of a copy do not depend on the number of threads, on the other copies, or on
/// being in a batch: they are those of a pawl_sim that steps this state.
///
/// Every copy has its own inputs (pawl/input.h): targets, gains, wrenches, gravity, friction and masses.
///
/// **Threads.** A batch belongs to one thread at a time. While it is not being stepped, different threads may read and edit
/// different copies.
#pragma once
#include "pawl/sim.h"
#include "pawl/verdict.h"
#include "pawl/view.h"

PAWL_EXTERN_C_BEGIN

typedef struct pawl_batch pawl_batch;
/// `count` copies of the model's start, assembled as pawl_sim_create() does, and as many threads as the machine has
/// processors, for example (1 to 1024). settings->threads is not used. `model` and `env` must outlive the batch.
PAWL_API pawl_status pawl_batch_create(const pawl_env *env, const pawl_model *model,
                                       const pawl_settings *settings, int count, int threads,
                                       pawl_batch **out);
PAWL_API void pawl_batch_destroy(pawl_batch *batch);           ///< NULL is fine
PAWL_API int pawl_batch_count(const pawl_batch *batch);        ///< copies
PAWL_API int pawl_batch_thread_count(const pawl_batch *batch); ///< at most as many as copies
/// The model of all copies, and their settings.
PAWL_API const pawl_model *pawl_batch_model(const pawl_batch *batch);
PAWL_API const pawl_settings *pawl_batch_settings(const pawl_batch *batch); ///< with threads = 1

/// Computes `steps` steps of every copy, or of those whose byte in `mask` (count bytes; NULL: all) is not 0. A copy whose step fails
/// keeps its state and is not stepped further by this call; all others are. The status is that of the failed copy with the
/// smallest index. Allocates only if a copy has more contacts than in any earlier step.
PAWL_API pawl_status pawl_batch_step(pawl_batch *batch, int steps, const unsigned char *mask);
/// Copies `from` (a state of the model; NULL: the assembled start) to the chosen copies. With `keep_inputs` they keep their
/// inputs, otherwise they get those of `from`. Their verdicts are reset.
PAWL_API pawl_status pawl_batch_reset(pawl_batch *batch, const unsigned char *mask,
                                      const pawl_state *from, bool keep_inputs);
/// Closes the joints of the chosen copies, as pawl_sim_assemble() does, after poses or joints were set.
PAWL_API pawl_status pawl_batch_assemble(pawl_batch *batch, const unsigned char *mask);

/// The state of a copy, read-only and for setting inputs, poses or joints; its address is constant.
PAWL_API const pawl_state *pawl_batch_state(const pawl_batch *batch, int copy);
PAWL_API pawl_state *pawl_batch_edit_state(pawl_batch *batch, int copy);
/// PAWL_OK, or the reason why the copy's last step was refused.
PAWL_API pawl_status pawl_batch_status(const pawl_batch *batch, int copy);
/// The report of the copy's last step; NULL before the first.
PAWL_API const pawl_step_report *pawl_batch_report(const pawl_batch *batch, int copy);
/// The figures of the copy's steps since its last reset, for pawl_verdict_judge().
PAWL_API const pawl_verdict *pawl_batch_verdict(const pawl_batch *batch, int copy);

/// A view of all copies: the view of the first copy, and the distance between copies in bytes.
typedef struct pawl_batch_table {
    pawl_view first;
    size_t copy_stride;
} pawl_batch_table;
/// As pawl_state_view().
PAWL_API pawl_batch_table pawl_batch_view(pawl_batch *batch, pawl_view_kind kind);
/// Makes all targets of all copies inputs, so that their view may be written (pawl_state_hold_targets()).
PAWL_API pawl_status pawl_batch_hold_targets(pawl_batch *batch);

/// Results of each copy, computed after its steps and by pawl_batch_reset(), pawl_batch_assemble() and
/// pawl_batch_measure(): tables of the batch.
typedef enum pawl_batch_result {
    PAWL_BATCH_COORDINATE = 0, ///< (coordinates) of all joints, see pawl_state_joints()
    PAWL_BATCH_RATE,           ///< (coordinates)
    PAWL_BATCH_CONTACT_FORCE, ///< (bodies x 3) of all contacts on each body, mean over the last step [N]
    PAWL_BATCH_EFFORT,        ///< (actuators) in the last step [N or N m]
    PAWL_BATCH_RESULT_COUNT
} pawl_batch_result;
/// The table of a result; data NULL: none.
PAWL_API pawl_batch_table pawl_batch_results(const pawl_batch *batch, pawl_batch_result result);
/// Recomputes coordinates and rates after states were edited.
PAWL_API pawl_status pawl_batch_measure(pawl_batch *batch);

PAWL_EXTERN_C_END
