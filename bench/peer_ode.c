// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The scenes in the Open Dynamics Engine: maximal coordinates, hinge joints, semi-implicit Euler.
// dWorldStep factorizes densely, dWorldQuickStep sweeps (its default of 20 iterations). ERP, the
// share of the joint error removed each step, is tried at its default 0.2 and at 0.8.
#include "peer.h"

#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>

enum { ODE_QUICK = 1, ODE_ERP_HIGH = 2 };

typedef struct ode_run {
    dWorldID world;
    dBodyID *bodies;
    int body_count;
    double dt;
    bool quick;
} ode_run;

static void ode_destroy(void *world)
{
    ode_run *run = world;
    if (run != NULL) {
        dWorldDestroy(run->world); // takes its bodies and joints along
        dCloseODE();
        free(run->bodies);
        free(run);
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
    dRandSetSeed(1); // quick steps shuffle their rows: the same way in every repetition
    *run = (ode_run){.world = dWorldCreate(),
                     .bodies = bodies,
                     .body_count = scene->body_count,
                     .dt = dt,
                     .quick = (option & ODE_QUICK) != 0};
    dWorldSetGravity(run->world, scene->gravity.x, scene->gravity.y, scene->gravity.z);
    dWorldSetERP(run->world, (option & ODE_ERP_HIGH) != 0 ? 0.8 : 0.2);
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
    for (int i = 0; i < scene->hinge_count; ++i) {
        const bench_hinge *hinge = &scene->hinges[i];
        dJointID joint = dJointCreateHinge(run->world, NULL);
        dJointAttach(joint, bodies[hinge->follower],
                     hinge->base == BENCH_WORLD ? NULL : bodies[hinge->base]);
        dJointSetHingeAnchor(joint, hinge->point.x, hinge->point.y, hinge->point.z);
        dJointSetHingeAxis(joint, hinge->axis.x, hinge->axis.y, hinge->axis.z);
    }
    return run;
}

static bool ode_step(void *world)
{
    ode_run *run = world;
    int done = run->quick ? dWorldQuickStep(run->world, run->dt) : dWorldStep(run->world, run->dt);
    return done != 0;
}

static void ode_read(void *world, pawl_pose *poses, pawl_twist *twists)
{
    const ode_run *run = world;
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
        .create = ode_create, .step = ode_step, .read = ode_read, .destroy = ode_destroy           \
    }
const bench_peer bench_ode_peers[BENCH_ODE_PEERS] = {
    ODE_ROW("step erp 0.2", 0, 300),
    ODE_ROW("step erp 0.8", ODE_ERP_HIGH, 300),
    ODE_ROW("quick erp 0.2", ODE_QUICK, 0),
    ODE_ROW("quick erp 0.8", ODE_QUICK | ODE_ERP_HIGH, 0),
};
