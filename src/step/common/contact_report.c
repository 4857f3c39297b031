// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Forces and modes of the contacts of a step, for queries. They are copied, because rows and impulses do not outlive
// the step.
#include "step/common/contact_report.h"
#include "rows/spin_rows.h"
#include "step/common/impact.h"
#include <math.h>

// x (3): impulses along both tangents and the normal.
static pawl_contact_mode report_mode(const double x[3], double mu)
{
    // Impulses that solvers put on the cone are on it up to rounding.
    const double inside = 1.0 - 1e-9;
    if (x[2] == 0.0 && x[0] == 0.0 && x[1] == 0.0) {
        return PAWL_CONTACT_OPEN;
    }
    bool sticks = sqrt(x[0] * x[0] + x[1] * x[1]) < inside * mu * x[2];
    return sticks ? PAWL_CONTACT_STICK : PAWL_CONTACT_SLIP;
}

// The force of contact k on its second body, from impulses x along the axes over a time h. The last body's rows are
// along the axes; a row of body a alone has the other sign.
static pawl_vec3 report_force(const pawl_assembly *a, int k, const double x[3], double h)
{
    const row_block *b = &a->blocks[a->problem.block_count - a->problem.contact_count + k];
    const double *row = a->J + b->jacobian[b->body_count - 1];
    double scale = (a->contacts[k].body_b >= 0 ? 1.0 : -1.0) / h;
    pawl_vec3 force = v3(0.0, 0.0, 0.0);
    for (int r = 0; r < 3; ++r) {
        const double *e = row + 6 * r;
        force = v3_axpy(force, scale * x[r], v3(e[0], e[1], e[2]));
    }
    return force;
}

// Forces are impulses over h, those of an impact within the step included: a mean over the step [N].
void pawl_report_contacts(step_context *c, double h)
{
    const pawl_assembly *a = c->assembly;
    c->out.contact_count = a->problem.contact_count;
    bool struck = c->impact->struck;
    for (int k = 0; k < c->out.contact_count; ++k) {
        const pawl_contact *in = &a->contacts[k];
        double x[3];
        for (int r = 0; r < 3; ++r) {
            x[r] = c->u.lambda[pawl_problem_contact_row(&a->problem, k) + r] +
                   (struck ? c->impact->impulse[3 * k + r] : 0.0);
        }
        pawl_vec3 moment = v3(0.0, 0.0, 0.0);
        if (c->model->spin_friction) {
            moment = v3_scale(1.0 / h, pawl_spin_moment(a, k, c->u.lambda));
        }
        c->out.contacts[k] = (pawl_contact_info){.body_a = model_body_id(c->model, in->body_a),
                                                 .body_b = model_body_id(c->model, in->body_b),
                                                 .shape_a = model_shape_id(c->model, in->shape_a),
                                                 .shape_b = model_shape_id(c->model, in->shape_b),
                                                 .position = in->position,
                                                 .normal = in->normal,
                                                 .gap = in->gap,
                                                 .force = report_force(a, k, x, h),
                                                 .moment = moment,
                                                 .mode = report_mode(x, in->friction)};
    }
}
