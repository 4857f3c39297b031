// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// All solvers: the only place outside its own file that names a solver. Kinds are stored in files. A program may be
// linked with a different table.
#include "solve/solver_ops.h"

const pawl_solver_ops *const pawl_solvers[] = {
    [PAWL_SOLVER_DIRECT] = &pawl_direct_ops,
    [PAWL_SOLVER_PGS_NCP] = &pawl_pgs_ncp_ops,
    [PAWL_SOLVER_ADMM_NCP] = &pawl_admm_ncp_ops,
    [PAWL_SOLVER_NSGS] = &pawl_nsgs_ops,
    [PAWL_SOLVER_NEWTON] = &pawl_newton_ops,
    [PAWL_SOLVER_ADMM_CCP] = &pawl_admm_ccp_ops,
    [PAWL_SOLVER_ADMM_NCP_FP] = &pawl_admm_ncp_fp_ops,
    [PAWL_SOLVER_ADMM_NCP_LA] = &pawl_admm_ncp_la_ops,
    [PAWL_SOLVER_ADMM_NCP_SA] = &pawl_admm_ncp_sa_ops,
    [PAWL_SOLVER_PGS_CCP] = &pawl_pgs_ccp_ops,
    [PAWL_SOLVER_NBGS] = &pawl_nbgs_ops,
    [PAWL_SOLVER_RAISIM] = &pawl_raisim_ops,
    [PAWL_SOLVER_RAISIM_DS] = &pawl_raisim_ds_ops,
    [PAWL_SOLVER_RAISIM_DS_ES] = &pawl_raisim_ds_es_ops,
    [PAWL_SOLVER_PROX] = &pawl_prox_ops,
    [PAWL_SOLVER_AUTO] = &pawl_auto_ops,
    [PAWL_SOLVER_LEMKE] = &pawl_lemke_ops,
};
const int pawl_solver_count = (int)(sizeof pawl_solvers / sizeof pawl_solvers[0]);
_Static_assert(sizeof pawl_solvers / sizeof pawl_solvers[0] == PAWL_SOLVER_COUNT, "missing row");
