// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Trajectory optimization through contact: which targets of its servos make a one-legged hopper jump highest? Every
// step of nmdp has exact derivatives with respect to its initial state and the targets (pawl/sensitivity.h), contacts
// included. The chain rule over all steps gives the gradient of the jump, and gradient ascent finds the targets. The
// gradient is compared with central differences of whole jumps, before and after; if two neighbouring jumps leave the
// ground in different steps, differences are not meaningful.
#include <math.h>
#include <pawl/pawl.h>
#include <pawl/sensitivity.h>
#include <stdio.h>
#include <string.h>

enum { JOINTS = 3, MOTORS = 2, STEPS = 30, PIECES = 10, PARAMETERS = MOTORS * PIECES };
static const double stiffness = 150.0, damping = 4.0;   // of the servos [N m/rad, N m s/rad]
static const double crouch[JOINTS] = {0.0, -0.85, 1.7}; // hip and knee [rad]
static const double cost_weight =
    0.05; // of what the servos are asked for beyond the crouch [m/rad^2]
static const double gravity = 9.81;

typedef struct hopper {
    pawl_env env;
    pawl_model *model;
    pawl_sensitivity *step;
    pawl_state *state;
    pawl_joint_id joint[JOINTS]; // the rail of the body, hip, knee
    pawl_actuator_id motor[MOTORS];
    int row[JOINTS]; // of the joints, in the matrices
} hopper;

// Contact in the plane of the jump: k d^3 (n +- mu t) over the plane z = 0. Friction across it has nothing to do here, and
// forces that could take each other's place would leave the derivative of the forces open.
static void hopper_foot(void *user, const pawl_wrench_query *q, double *v, double *dv)
{
    double k = q->parameters[0], friction = q->parameters[1];
    double depth = fmax(0.0, -q->frame.position.z);
    (void)user;
    for (int i = 0; i < 2; ++i) {
        double side = i == 0 ? friction : -friction;
        v[3 * i] = k * depth * depth * depth * side;
        v[3 * i + 1] = 0.0;
        v[3 * i + 2] = k * depth * depth * depth;
        for (int j = 0; j < 18 && dv != NULL; ++j) {
            dv[18 * i + j] = 0.0;
        }
        if (dv != NULL) { // by z, the third of six coordinates of the frame
            dv[18 * i + 2] = -3.0 * k * depth * depth * side;
            dv[18 * i + 14] = -3.0 * k * depth * depth;
        }
    }
}

// A body on a vertical rail, a thigh and a shank, bent at the start; the foot is a contact point at the shank's end.
static pawl_status hopper_build(hopper *h)
{
    pawl_builder *b = NULL;
    pawl_body_id body = {0}, thigh = {0}, shank = {0};
    pawl_vec3 up = {0, 0, 1}, across = {0, 1, 0}, hip = {0, 0, 0.6}, knee = {0, 0, 0.3};
    pawl_shape_def ground = pawl_shape_def_default();
    static const double parameters[] = {1e8, 0.8}; // stiffness [N/m^3], friction
    pawl_wrench_model_def law = pawl_wrench_model_def_default(PAWL_WRENCH_CUSTOM);
    pawl_contact_point_def foot = pawl_contact_point_def_default();
    ground.kind = PAWL_SHAPE_PLANE;
    pawl_builder_create(&h->env, "hopper", &b);
    pawl_builder_add_shape(b, PAWL_WORLD, &ground, NULL);
    pawl_builder_add_solid(b, "body", PAWL_SHAPE_BOX, hip, (pawl_vec3){0.1, 0.1, 0.1}, 1000, &body);
    pawl_builder_add_solid(b, "thigh", PAWL_SHAPE_CAPSULE, (pawl_vec3){0, 0, 0.45},
                           (pawl_vec3){0.03, 0, 0.12}, 1000, &thigh);
    pawl_builder_add_solid(b, "shank", PAWL_SHAPE_CAPSULE, (pawl_vec3){0, 0, 0.15},
                           (pawl_vec3){0.02, 0, 0.12}, 1000, &shank);
    pawl_builder_connect(b, "rail", PAWL_JOINT_PRISMATIC, PAWL_WORLD, body, hip, up, &h->joint[0]);
    pawl_builder_connect(b, "hip", PAWL_JOINT_REVOLUTE, body, thigh, hip, across, &h->joint[1]);
    pawl_builder_connect(b, "knee", PAWL_JOINT_REVOLUTE, thigh, shank, knee, across, &h->joint[2]);
    for (int m = 0; m < MOTORS; ++m) {
        pawl_actuator_def servo = pawl_actuator_def_default();
        servo.kind = PAWL_ACTUATOR_POSITION;
        servo.joint = h->joint[1 + m];
        servo.stiffness = stiffness;
        servo.damping = damping;
        pawl_builder_add_actuator(b, &servo, &h->motor[m]);
    }
    law.vertices = hopper_foot;
    law.vertex_count = 2;
    law.component_count = 3;
    law.has_derivatives = true;
    law.parameters = parameters;
    law.parameter_count = 2;
    foot.body = shank;
    foot.frame.position = (pawl_vec3){0, 0, -0.15};
    pawl_builder_add_wrench_model(b, &law, &foot.wrench_model);
    pawl_builder_add_contact_point(b, &foot, NULL);
    pawl_status status = pawl_builder_compile(b, &h->model); // whatever went wrong above ends here
    pawl_builder_destroy(b);
    return status;
}

static pawl_status hopper_create(hopper *h)
{
    *h = (hopper){.env = pawl_env_default()};
    pawl_settings settings = pawl_settings_default();
    settings.dt = 0.01;
    settings.nmdp.tolerance = 1e-10;
    settings.nmdp.max_iterations = 20000;
    pawl_status status = hopper_build(h);
    if (status == PAWL_OK) {
        status = pawl_settings_set(&h->env, &settings, "stepper", "nmdp");
    }
    if (status == PAWL_OK) {
        status = pawl_sensitivity_create(&h->env, h->model, &settings, &h->step);
    }
    if (status == PAWL_OK) {
        status = pawl_state_create(&h->env, h->model, &h->state);
    }
    for (int k = 0; k < JOINTS && status == PAWL_OK; ++k) {
        pawl_body_id body;
        pawl_joint_id joint;
        int part;
        status = pawl_sensitivity_coordinate(h->step, k, &body, &joint, &part);
        for (int j = 0; j < JOINTS; ++j) {
            h->row[j] = pawl_joint_same(joint, h->joint[j]) ? k : h->row[j];
        }
    }
    return status;
}

// S <- A S + B for one step: S (2 JOINTS x PARAMETERS) is how the state changes with the targets so far.
static void hopper_chain(const hopper *h, int piece, double *S)
{
    enum { ROWS = 2 * JOINTS };
    const double *by_position = pawl_sensitivity_matrix(h->step, PAWL_BY_POSITION);
    const double *by_rate = pawl_sensitivity_matrix(h->step, PAWL_BY_RATE);
    const double *by_target = pawl_sensitivity_matrix(h->step, PAWL_BY_TARGET);
    double next[ROWS * PARAMETERS];
    for (int r = 0; r < ROWS; ++r) {
        for (int p = 0; p < PARAMETERS; ++p) {
            double sum = p / MOTORS == piece ? by_target[r * MOTORS + p % MOTORS] : 0.0;
            for (int k = 0; k < JOINTS; ++k) {
                sum += by_position[r * JOINTS + k] * S[k * PARAMETERS + p];
                sum += by_rate[r * JOINTS + k] * S[(JOINTS + k) * PARAMETERS + p];
            }
            next[r * PARAMETERS + p] = sum;
        }
    }
    memcpy(S, next, sizeof next);
}

// A push of 0.3 s with these targets, ten pieces a motor. The gain is the height that the body reaches in flight, less
// the cost of the targets; its gradient by them, unless NULL. A step that cannot be differentiated: -inf.
static double hopper_jump(hopper *h, const double *target, double *gradient, double *height)
{
    double S[2 * JOINTS * PARAMETERS] = {0}, position[JOINTS], rate[JOINTS], cost = 0.0;
    for (int j = 0; j < JOINTS; ++j) {
        pawl_state_set_joint(h->state, h->joint[j], &crouch[j], NULL);
    }
    // The foot at the ground: the leg is that much shorter than when it is stretched.
    double rail = -(0.3 - 0.3 * cos(0.85)) * 2.0 - 0.005;
    pawl_state_set_joint(h->state, h->joint[0], &rail, NULL);
    for (int step = 0; step < STEPS; ++step) {
        int piece = step * PIECES / STEPS;
        for (int m = 0; m < MOTORS; ++m) {
            double u = target[piece * MOTORS + m];
            pawl_state_set_target(h->state, h->motor[m], u);
            cost += cost_weight * (u - crouch[1 + m]) * (u - crouch[1 + m]) / STEPS;
        }
        if (pawl_sensitivity_compute(h->step, h->state) != PAWL_OK) {
            return -INFINITY;
        }
        hopper_chain(h, piece, S);
        pawl_sensitivity_end(h->step, position, rate);
        for (int j = 0; j < JOINTS; ++j) {
            int k = h->row[j];
            pawl_state_set_joint(h->state, h->joint[j], &position[k], &rate[k]);
        }
    }
    int z = h->row[0];
    for (int p = 0; p < PARAMETERS && gradient != NULL; ++p) {
        double climb = rate[z] > 0.0 ? rate[z] / gravity : 0.0;
        gradient[p] = S[z * PARAMETERS + p] + climb * S[(JOINTS + z) * PARAMETERS + p] -
                      2.0 * cost_weight * (target[p] - crouch[1 + p % MOTORS]) / PIECES;
    }
    *height = 0.6 + position[z] + (rate[z] > 0.0 ? 0.5 * rate[z] * rate[z] / gravity : 0.0);
    return *height - cost;
}

// Largest difference of the gradient from central differences of whole jumps [m/rad]; *size is its largest component.
static double hopper_check(hopper *h, const double *target, double *size)
{
    double gradient[PARAMETERS], moved[PARAMETERS], height, worst = 0.0;
    *size = 0.0;
    const double by = 1e-5; // [rad]
    hopper_jump(h, target, gradient, &height);
    for (int p = 0; p < PARAMETERS; ++p) {
        memcpy(moved, target, sizeof moved);
        moved[p] = target[p] + by;
        double ahead = hopper_jump(h, moved, NULL, &height);
        moved[p] = target[p] - by;
        double behind = hopper_jump(h, moved, NULL, &height);
        worst = fmax(worst, fabs(gradient[p] - 0.5 * (ahead - behind) / by));
        *size = fmax(*size, fabs(gradient[p]));
    }
    return worst;
}

// Gradient ascent within the motors' limits; the step grows while it helps and shrinks when it does not.
static double hopper_optimize(hopper *h, double *target, int rounds)
{
    double gradient[PARAMETERS], trial[PARAMETERS], height, best = -INFINITY, length = 1.0;
    double gain = hopper_jump(h, target, gradient, &best);
    for (int k = 0; k < rounds && length > 1e-6; ++k) {
        for (int p = 0; p < PARAMETERS; ++p) {
            trial[p] = target[p] + length * gradient[p];
        }
        double fresh[PARAMETERS], next = hopper_jump(h, trial, fresh, &height);
        length *= next > gain ? 1.3 : 0.4;
        if (next > gain) {
            gain = next;
            best = height;
            memcpy(target, trial, sizeof trial);
            memcpy(gradient, fresh, sizeof fresh);
        }
    }
    return best;
}

int main(void)
{
    hopper h;
    if (hopper_create(&h) != PAWL_OK) {
        return 1;
    }
    double target[PARAMETERS], first, size, last_size;
    for (int p = 0; p < PARAMETERS; ++p) {
        target[p] = 0.6 * crouch[1 + p % MOTORS]; // stretches a little
    }
    double before = hopper_check(&h, target, &size);
    hopper_jump(&h, target, NULL, &first);
    double best = hopper_optimize(&h, target, 150);
    double after = hopper_check(&h, target, &last_size);
    printf("the body reaches %.3f m with the first targets and %.3f m with the best\n", first,
           best);
    printf("gradient off by %.1e of %.1e m/rad before, by %.1e of %.1e after\n", before, size,
           after, last_size);
    printf("%8s %10s %10s\n", "time [s]", "hip [rad]", "knee [rad]");
    for (int k = 0; k < PIECES; ++k) {
        printf("%8.2f %10.1f %10.1f\n", 0.01 * STEPS / PIECES * k, target[MOTORS * k],
               target[MOTORS * k + 1]);
    }
    pawl_state_destroy(h.state);
    pawl_sensitivity_destroy(h.step);
    pawl_model_destroy(h.model);
    return before < 1e-3 * size && best > first + 0.2 ? 0 : 1;
}
