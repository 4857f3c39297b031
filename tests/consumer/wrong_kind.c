// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Compiles as it is. With WRONG_KIND a joint stands where a body is wanted, which must not compile.
#include <pawl/pawl.h>

double wrong_kind(const pawl_model *model)
{
#ifdef WRONG_KIND
    return pawl_model_body(model, pawl_model_joint_at(model, 0)).mass;
#else
    return pawl_model_body(model, pawl_model_body_at(model, 0)).mass;
#endif
}
