// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Who put energy in and who took it out over a part of a step: forces at its end times the way. What
// implicit integration itself takes is in none of the accounts and shows in the balance.
#include "nmdp/nmdp.h"

static void work_of_joints(const nmdp *s, double h, double *work)
{
    for (int k = 0; k < s->n; ++k) {
        const reduced_column *c = &s->tree->columns[k];
        if (c->coordinate < 0) {
            continue;
        }
        const model_joint *j = &s->model->joints[s->tree->links[c->link].joint];
        double way = s->now.theta[k] - s->begin.theta[k];
        double damping = j->coordinate[c->coordinate - j->first_coordinate].damping;
        work[WORK_DAMPERS] -= damping * s->now_rate.theta[k] * way;
    }
    for (int i = 0; i < s->model->actuator_count; ++i) {
        int k = s->actuator_column[i];
        work[WORK_ACTUATORS] += s->effort[i] * (s->now.theta[k] - s->begin.theta[k]);
    }
    for (int i = 0; i < s->links; ++i) {
        const model_body *b = &s->model->bodies[s->tree->links[i].body];
        pawl_vec3 way = v3_sub(s->now.bodies[i].r, s->begin.bodies[i].r);
        pawl_vec3 turn = pawl_nmdp_turn(&s->begin.bodies[i].R, &s->now.bodies[i].R);
        work[WORK_DAMPERS] -=
            b->linear_damping * v3_dot(way, way) / h + b->angular_damping * v3_dot(turn, turn) / h;
    }
}

static void work_of_forces(const nmdp *s, double *work)
{
    for (int i = 0; i < s->model->force_count; ++i) {
        const pawl_force_def *d = &s->model->forces[i];
        int link = s->tree->link_of_body[d->body];
        const nmdp_body *from = &s->begin.bodies[link], *to = &s->now.bodies[link];
        double t = s->stage.target_time;
        pawl_vec3 force = v3(pawl_signal_value(&d->force[0], t), pawl_signal_value(&d->force[1], t),
                             pawl_signal_value(&d->force[2], t));
        pawl_vec3 torque =
            v3(pawl_signal_value(&d->torque[0], t), pawl_signal_value(&d->torque[1], t),
               pawl_signal_value(&d->torque[2], t));
        force = d->in_body_axes ? m3_mul(&to->R, force) : force;
        torque = d->in_body_axes ? m3_mul(&to->R, torque) : torque;
        pawl_vec3 arm = v3_sub(d->point, s->model->bodies[d->body].com);
        pawl_vec3 way =
            v3_sub(v3_add(to->r, m3_mul(&to->R, arm)), v3_add(from->r, m3_mul(&from->R, arm)));
        work[WORK_FORCES] += v3_dot(force, way) + v3_dot(torque, pawl_nmdp_turn(&from->R, &to->R));
    }
}

static void work_of_contacts(const nmdp *s, double *work)
{
    for (int i = 0; i < s->points; ++i) {
        const nmdp_point *p = &s->point[i];
        if (!p->touching) {
            continue;
        }
        const nmdp_body *from = &s->begin.bodies[p->link], *to = &s->now.bodies[p->link];
        pawl_vec3 way = v3_sub(v3_add(to->r, m3_mul(&to->R, p->anchor)),
                               v3_add(from->r, m3_mul(&from->R, p->anchor)));
        double f[6];
        pawl_nmdp_point_wrench(s, i, s->w, f);
        work[WORK_CONTACTS] += v3_dot(v3(f[0], f[1], f[2]), way) +
                               v3_dot(v3(f[3], f[4], f[5]), pawl_nmdp_turn(&from->R, &to->R));
    }
}

void pawl_nmdp_count_work(const nmdp *s, double h, double *work)
{
    work_of_joints(s, h, work);
    work_of_forces(s, work);
    work_of_contacts(s, work);
}

pawl_vec3 pawl_nmdp_turn(const pawl_mat3 *from, const pawl_mat3 *to)
{
    double M[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            M[i][j] = to->m[i][0] * from->m[j][0] + to->m[i][1] * from->m[j][1] +
                      to->m[i][2] * from->m[j][2];
        }
    }
    return v3(0.5 * (M[2][1] - M[1][2]), 0.5 * (M[0][2] - M[2][0]), 0.5 * (M[1][0] - M[0][1]));
}
