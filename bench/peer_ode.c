// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The scenes in the Open Dynamics Engine: maximal coordinates, semi-implicit Euler. dWorldStep
// factorizes densely, dWorldQuickStep sweeps (its default of 20 iterations, or 100). ERP, the share of the
// joint error removed each step, is tried at its default 0.2 and at 0.8. Friction is the pyramid
// that scales with the normal force (dContactApprox1). A servo is the hinge's own limit with both
// stops at the angle to hold, softened: ODE's way to an implicit spring and damper.
#include "peer.h"

#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>

enum { ODE_QUICK = 1, ODE_ERP_HIGH = 2, ODE_MANY = 4 };

typedef struct ode_run {
    dWorldID world;
    dSpaceID space; // NULL without shapes
    dJointGroupID contacts;
    double friction;
    dBodyID *bodies;
    int body_count;
    double dt;
    bool quick;
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

static void ode_touch(void *user, dGeomID a, dGeomID b)
{
    enum { ODE_MAX_POINTS = 8 };
    const ode_run *run = user;
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
        dJointAttach(dJointCreateContact(run->world, run->contacts, &points[i]), first, second);
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
                     .quick = (option & ODE_QUICK) != 0};
    dWorldSetGravity(run->world, scene->gravity.x, scene->gravity.y, scene->gravity.z);
    dWorldSetQuickStepNumIterations(run->world, (option & ODE_MANY) != 0 ? 100 : 20);
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
    if (run->space != NULL) {
        dJointGroupEmpty(run->contacts);
        dSpaceCollide(run->space, run, ode_touch);
    }
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
const bench_peer bench_ode_contact_peers[BENCH_ODE_CONTACT_PEERS] = {
    ODE_ROW("step", 0, 300),
    ODE_ROW("quick", ODE_QUICK, 0),
    ODE_ROW("quick 100", ODE_QUICK | ODE_MANY, 0),
};
