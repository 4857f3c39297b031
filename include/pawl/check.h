// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// The results of `pawl check`: mobility, redundant rows and singular positions, the closure of the start, warnings.
///
/// **Threads.** A check belongs to one thread at a time.
#pragma once
#include "pawl/sim.h"

PAWL_EXTERN_C_BEGIN

/// A row of J that depends on the rows before it.
typedef struct pawl_redundant_row {
    pawl_joint_id joint;
    int row;          ///< within the joint
    const char *what; ///< e.g. "force y", "moment z", in the joint frame
} pawl_redundant_row;
/// The figures that `pawl check` prints. Valid until pawl_check_destroy().
typedef struct pawl_check {
    int rows, rank, mobility, velocity_count;
    double mass;
    pawl_vec3 com;          ///< of the whole, at the start
    pawl_closure start;     ///< before assembly
    pawl_closure assembled; ///< after it
    int redundant_count;
    pawl_redundant_row *redundant;
    int loop_joint_count; ///< joints that share a redundancy
    pawl_joint_id *loop_joints;
    bool singular;         ///< rank is lower here than close by
    int generic_rank;      ///< rank close by
    double smallest_ratio; ///< smallest singular value that is not redundant, as a misalignment
                           ///< [rad, or lengths of the mechanism]; 1 without loops
    double weak;           ///< largest singular value of rows that count as redundant
    pawl_closure misfit;   ///< closure error of loops that the numbers of the model cause
    int warning_count;
    const pawl_warning *warnings; ///< of the model's source, then of the model, by kind
} pawl_check;
/// Assembles a copy of the model's start and analyses it. PAWL_NOT_ASSEMBLED still fills `start`.
PAWL_API pawl_status pawl_check_model(const pawl_env *env, const pawl_model *model,
                                      pawl_check **out);
/// The same for a sim that has not stepped yet, without creating another: a run that begins with a check
/// needs only one sim. Redundancy is judged by the settings of the sim (loop.tolerance). The steps that
/// follow have the same bits as without the check. Reduced coordinates have no rows of tree joints,
/// so such a sim is checked as by pawl_check_model(), with a sim in maximal coordinates.
/// PAWL_BAD_ARGUMENT after the first step.
PAWL_API pawl_status pawl_check_sim(pawl_sim *sim, pawl_check **out);
PAWL_API void pawl_check_destroy(pawl_check *check);

PAWL_EXTERN_C_END
