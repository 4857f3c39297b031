// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The scenes in the Open Dynamics Engine: maximal coordinates, semi-implicit Euler. dWorldStep
// factorizes densely, dWorldQuickStep sweeps (its default of 20 iterations, or 100). ERP, the fraction of the joint
// error removed in each step, is tried at its default 0.2 and at 0.8. Friction is the pyramid that scales with the
// normal force (dContactApprox1). A servo is the hinge's own limit with both stops at the target angle, softened:
// ODE's form of an implicit spring and damper.
#include "collide/shape.h"
#include "math/vec.h"
#include "peer.h"
#include "problem/natural.h"

#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>

enum { ODE_QUICK = 1, ODE_ERP_HIGH = 2, ODE_MANY = 4 };

enum { ODE_WATCHED = 65536 };

// The body that it pushes, with the other one or NULL; all as they were before the step.
typedef struct ode_contact {
    dJointFeedback force;
    dBodyID body, other;
    pawl_vec3 normal, lever, other_lever; // from the centres of mass
    double depth;
} ode_contact;

typedef struct ode_run {
    dWorldID world;
    dSpaceID space; // NULL without shapes
    dJointGroupID contacts;
    double friction;
    dBodyID *bodies;
    int body_count;
    double dt, erp;
    bool quick;
    // Of a judged run: the contacts of a step with the forces that ODE found for them.
    ode_contact *watched; // NULL otherwise (ODE_WATCHED)
    int watched_count;
    bench_effort effort;
} ode_run;

// ODE prints a line on stderr for every step that its pivoting does not finish; what comes of it is
// judged by the motion.
static void ode_ignore(int number, const char *message, va_list arguments)
{
    (void)number;
    (void)message;
    (void)arguments;
}

static void ode_destroy(void *world)
{
    ode_run *run = world;
    if (run != NULL) {
        if (run->space != NULL) {
            dJointGroupDestroy(run->contacts);
            dSpaceDestroy(run->space); // takes its geoms along
        }
        dWorldDestroy(run->world); // takes its bodies and joints along
        dCloseODE();
        free(run->watched);
        free(run->bodies);
        free(run);
    }
}

static void ode_add_joint(const ode_run *run, const bench_joint *def)
{
    dBodyID follower = run->bodies[def->follower];
    dBodyID base = def->base == BENCH_WORLD ? NULL : run->bodies[def->base];
    if (def->kind == BENCH_FIXED) {
        dJointID joint = dJointCreateFixed(run->world, NULL);
        dJointAttach(joint, follower, base);
        dJointSetFixed(joint);
    } else if (def->kind == BENCH_BALL) {
        dJointID joint = dJointCreateBall(run->world, NULL);
        dJointAttach(joint, follower, base);
        dJointSetBallAnchor(joint, def->point.x, def->point.y, def->point.z);
    } else {
        dJointID joint = dJointCreateHinge(run->world, NULL);
        dJointAttach(joint, follower, base);
        dJointSetHingeAnchor(joint, def->point.x, def->point.y, def->point.z);
        dJointSetHingeAxis(joint, def->axis.x, def->axis.y, def->axis.z);
        if (def->stiffness > 0.0) {
            double resistance = run->dt * def->stiffness + def->damping; // torque per rad/s
            dJointSetHingeParam(joint, dParamLoStop, 0.0);
            dJointSetHingeParam(joint, dParamHiStop, 0.0);
            dJointSetHingeParam(joint, dParamStopERP, run->dt * def->stiffness / resistance);
            dJointSetHingeParam(joint, dParamStopCFM, 1.0 / resistance);
        }
    }
}

static void ode_add_shapes(ode_run *run, const bench_scene *scene)
{
    run->space = dHashSpaceCreate(NULL);
    run->contacts = dJointGroupCreate(0);
    run->friction = scene->friction;
    if (scene->floor) {
        dCreatePlane(run->space, 0.0, 0.0, 1.0, 0.0);
    }
    for (int i = 0; i < 4 && scene->bin > 0.0; ++i) {
        double x = i < 2 ? (i == 0 ? 1.0 : -1.0) : 0.0, y = i < 2 ? 0.0 : (i == 2 ? 1.0 : -1.0);
        dCreatePlane(run->space, -x, -y, 0.0, -scene->bin);
    }
    for (int i = 0; i < scene->shape_count; ++i) {
        const bench_shape *shape = &scene->shapes[i];
        pawl_vec3 size = shape->size;
        dGeomID geom = shape->kind == BENCH_SPHERE
                           ? dCreateSphere(run->space, size.x)
                           : dCreateBox(run->space, 2.0 * size.x, 2.0 * size.y, 2.0 * size.z);
        dGeomSetBody(geom, run->bodies[shape->body]);
        dGeomSetOffsetPosition(geom, shape->offset.x, shape->offset.y, shape->offset.z);
    }
}

static pawl_vec3 ode_from_centre(dBodyID body, const dReal *point)
{
    const dReal *r = dBodyGetPosition(body);
    return v3(point[0] - r[0], point[1] - r[1], point[2] - r[2]);
}

// ODE's forces are those on the joint's first body; where that is the world, on the second.
static void ode_watch_contact(ode_run *run, dJointID joint, const dContactGeom *at, dBodyID first,
                              dBodyID second)
{
    if (run->watched == NULL || run->watched_count >= ODE_WATCHED) {
        return;
    }
    ode_contact *c = &run->watched[run->watched_count++];
    double sign = first != NULL ? 1.0 : -1.0;
    *c = (ode_contact){.body = first != NULL ? first : second,
                       .other = first != NULL ? second : NULL,
                       .normal =
                           v3(sign * at->normal[0], sign * at->normal[1], sign * at->normal[2]),
                       .depth = at->depth};
    c->lever = ode_from_centre(c->body, at->pos);
    if (c->other != NULL) {
        c->other_lever = ode_from_centre(c->other, at->pos);
    }
    dJointSetFeedback(joint, &c->force);
}

// What a unit of impulse along d does to the body's velocity along d. Inertias are diagonal, and rotations those of the
// end of the step, which is near enough for a weight.
static double ode_inverse_mass(dBodyID body, pawl_vec3 lever, pawl_vec3 d)
{
    dMass mass;
    dVector3 turn;
    pawl_vec3 c = v3_cross(lever, d);
    dBodyGetMass(body, &mass);
    dBodyVectorFromWorld(body, c.x, c.y, c.z, turn);
    return 1.0 / mass.mass + turn[0] * turn[0] / mass.I[0] + turn[1] * turn[1] / mass.I[5] +
           turn[2] * turn[2] / mass.I[10];
}

static pawl_vec3 ode_velocity(dBodyID body, pawl_vec3 lever)
{
    const dReal *v = dBodyGetLinearVel(body), *w = dBodyGetAngularVel(body);
    return v3_add(v3(v[0], v[1], v[2]), v3_cross(v3(w[0], w[1], w[2]), lever));
}

// The natural map of the problem that ODE solved: its contacts, its impulses, and its wish that a share `erp` of the
// depth be gone after the step.
static double ode_residual(const ode_run *run, const ode_contact *c)
{
    pawl_vec3 axis[3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, c->normal},
              v = ode_velocity(c->body, c->lever);
    pawl_tangents(c->normal, &axis[0], &axis[1]);
    if (c->other != NULL) {
        v = v3_sub(v, ode_velocity(c->other, c->other_lever));
    }
    const dReal *f = c->force.f1;
    double lambda[3], u[3], weight = 0.0;
    for (int r = 0; r < 3; ++r) {
        lambda[r] = run->dt * v3_dot(axis[r], v3(f[0], f[1], f[2]));
        u[r] = v3_dot(axis[r], v);
        weight += ode_inverse_mass(c->body, c->lever, axis[r]) / 3.0;
        weight +=
            c->other != NULL ? ode_inverse_mass(c->other, c->other_lever, axis[r]) / 3.0 : 0.0;
    }
    u[2] -= run->erp / run->dt * c->depth;
    return pawl_natural_contact(lambda, u, run->friction, weight);
}

static void ode_judge(ode_run *run)
{
    double worst = 0.0;
    for (int i = 0; i < run->watched_count; ++i) {
        worst = fmax(worst, ode_residual(run, &run->watched[i]));
    }
    run->effort.residual += worst;
    ++run->effort.measured;
}

static void ode_watch(void *world)
{
    ode_run *run = world;
    run->watched = calloc(ODE_WATCHED, sizeof *run->watched);
}

static bench_effort ode_effort(void *world)
{
    const ode_run *run = world;
    return run->effort;
}

static void ode_touch(void *user, dGeomID a, dGeomID b)
{
    enum { ODE_MAX_POINTS = 8 };
    ode_run *run = user;
    dBodyID first = dGeomGetBody(a);
    dBodyID second = dGeomGetBody(b);
    if (first != NULL && second != NULL &&
        dAreConnectedExcluding(first, second, dJointTypeContact)) {
        return;
    }
    dContact points[ODE_MAX_POINTS];
    int count = dCollide(a, b, ODE_MAX_POINTS, &points[0].geom, (int)sizeof points[0]);
    for (int i = 0; i < count; ++i) {
        points[i].surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = run->friction};
        dJointID joint = dJointCreateContact(run->world, run->contacts, &points[i]);
        dJointAttach(joint, first, second);
        ode_watch_contact(run, joint, &points[i].geom, first, second);
    }
}

static void *ode_create(const bench_scene *scene, double dt, int option)
{
    ode_run *run = calloc(1, sizeof *run);
    dBodyID *bodies = calloc((size_t)scene->body_count, sizeof *bodies);
    if (run == NULL || bodies == NULL) {
        fprintf(stderr, "bench: out of memory for ODE\n");
        free(run);
        free(bodies);
        return NULL;
    }
    dInitODE2(0);
    dSetMessageHandler(ode_ignore);
    dRandSetSeed(1); // quick steps shuffle their rows: the same way in every repetition
    *run = (ode_run){.world = dWorldCreate(),
                     .bodies = bodies,
                     .body_count = scene->body_count,
                     .dt = dt,
                     .erp = (option & ODE_ERP_HIGH) != 0 ? 0.8 : 0.2,
                     .effort = {.unsolved = -1},
                     .quick = (option & ODE_QUICK) != 0};
    dWorldSetGravity(run->world, scene->gravity.x, scene->gravity.y, scene->gravity.z);
    dWorldSetQuickStepNumIterations(run->world, (option & ODE_MANY) != 0 ? 100 : 20);
    dWorldSetERP(run->world, run->erp);
    for (int i = 0; i < scene->body_count; ++i) {
        const bench_body *body = &scene->bodies[i];
        pawl_pose pose = body->pose;
        dQuaternion q = {pose.orientation.w, pose.orientation.x, pose.orientation.y,
                         pose.orientation.z};
        dMass mass;
        dMassSetParameters(&mass, body->mass, 0.0, 0.0, 0.0, body->inertia.x, body->inertia.y,
                           body->inertia.z, 0.0, 0.0, 0.0);
        bodies[i] = dBodyCreate(run->world);
        dBodySetMass(bodies[i], &mass);
        dBodySetPosition(bodies[i], pose.position.x, pose.position.y, pose.position.z);
        dBodySetQuaternion(bodies[i], q);
        dBodySetLinearVel(bodies[i], body->twist.linear.x, body->twist.linear.y,
                          body->twist.linear.z);
        dBodySetAngularVel(bodies[i], body->twist.angular.x, body->twist.angular.y,
                           body->twist.angular.z);
    }
    for (int i = 0; i < scene->joint_count; ++i) {
        ode_add_joint(run, &scene->joints[i]);
    }
    if (scene->shape_count > 0) {
        ode_add_shapes(run, scene);
    }
    return run;
}

static bool ode_step(void *world)
{
    ode_run *run = world;
    run->watched_count = 0;
    if (run->space != NULL) {
        dJointGroupEmpty(run->contacts);
        dSpaceCollide(run->space, run, ode_touch);
    }
    int done = run->quick ? dWorldQuickStep(run->world, run->dt) : dWorldStep(run->world, run->dt);
    return done != 0;
}

static void ode_read(void *world, pawl_pose *poses, pawl_twist *twists)
{
    ode_run *run = world;
    if (run->watched != NULL) {
        ode_judge(run);
    }
    for (int i = 0; i < run->body_count; ++i) {
        const dReal *r = dBodyGetPosition(run->bodies[i]);
        const dReal *q = dBodyGetQuaternion(run->bodies[i]);
        const dReal *v = dBodyGetLinearVel(run->bodies[i]);
        const dReal *w = dBodyGetAngularVel(run->bodies[i]);
        poses[i] = (pawl_pose){{r[0], r[1], r[2]}, {q[0], q[1], q[2], q[3]}};
        twists[i] = (pawl_twist){{v[0], v[1], v[2]}, {w[0], w[1], w[2]}};
    }
}

const char *bench_ode_version(void)
{
    return BENCH_ODE_VERSION; // the library has no call for it; CMake knows
}

// The dense factorization of 5000 rows takes minutes.
#define ODE_ROW(name, bits, limit)                                                                 \
    {                                                                                              \
        .engine = "ODE", .variant = (name), .option = (bits), .max_bodies = (limit),               \
        .create = ode_create, .step = ode_step, .read = ode_read, .destroy = ode_destroy,          \
        .effort = ode_effort, .watch = ode_watch                                                   \
    }
const bench_peer bench_ode_peers[BENCH_ODE_PEERS] = {
    ODE_ROW("step erp 0.2", 0, 300),
    ODE_ROW("step erp 0.8", ODE_ERP_HIGH, 300),
    ODE_ROW("quick erp 0.2", ODE_QUICK, 0),
    ODE_ROW("quick erp 0.8", ODE_QUICK | ODE_ERP_HIGH, 0),
};
const bench_peer bench_ode_contact_peers[BENCH_ODE_CONTACT_PEERS] = {
    ODE_ROW("step", 0, 300),
    ODE_ROW("quick", ODE_QUICK, 0),
    ODE_ROW("quick 100", ODE_QUICK | ODE_MANY, 0),
};
