// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The scenes in Bullet: maximal coordinates, sequential impulses, semi-implicit Euler in single precision as
// distributions build it. Default settings but for two: bodies never sleep, so that a step is a step, and shapes have
// no margin of their own, so that what is measured as overlap is one. "sweeps 50" has 50 iterations instead of 10.
#include "peer.h"

#include <btBulletDynamicsCommon.h>
#include <cstdio>
#include <vector>

namespace {

struct bullet_run {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<btCollisionShape *> shapes;
    std::vector<btRigidBody *> bodies, fixed;
    std::vector<btTypedConstraint *> joints;
    btScalar dt = 0;
};

btVector3 bullet_vector(pawl_vec3 v)
{
    return {(btScalar)v.x, (btScalar)v.y, (btScalar)v.z};
}

void bullet_destroy(void *world)
{
    bullet_run *run = static_cast<bullet_run *>(world);
    for (btTypedConstraint *joint : run->joints) {
        run->world.removeConstraint(joint);
        delete joint;
    }
    for (std::vector<btRigidBody *> *list : {&run->bodies, &run->fixed}) {
        for (btRigidBody *body : *list) {
            run->world.removeRigidBody(body);
            delete body;
        }
    }
    for (btCollisionShape *shape : run->shapes) {
        delete shape;
    }
    delete run;
}

void bullet_add_plane(bullet_run *run, const bench_scene *scene, btVector3 normal, btScalar height)
{
    btCollisionShape *plane = new btStaticPlaneShape(normal, height);
    plane->setMargin(0);
    run->shapes.push_back(plane);
    btRigidBody *body = new btRigidBody(0, nullptr, plane);
    body->setFriction((btScalar)scene->friction);
    run->fixed.push_back(body);
    run->world.addRigidBody(body);
}

// Friction of a pair is the product of both, so that each has its root.
btCollisionShape *bullet_shape(bullet_run *run, const bench_shape &def)
{
    btCollisionShape *shape;
    if (def.kind == BENCH_SPHERE) {
        shape = new btSphereShape((btScalar)def.size.x); // its margin is its radius
    } else {
        shape = new btBoxShape(bullet_vector(def.size));
    }
    run->shapes.push_back(shape);
    return shape;
}

void bullet_add_body(bullet_run *run, const bench_scene *scene, int index)
{
    const bench_body &def = scene->bodies[index];
    btCompoundShape *compound = new btCompoundShape();
    run->shapes.push_back(compound);
    btCollisionShape *single = nullptr;
    int count = 0;
    for (int i = 0; i < scene->shape_count; ++i) {
        const bench_shape &shape = scene->shapes[i];
        if (shape.body == index) {
            btTransform at(btQuaternion::getIdentity(), bullet_vector(shape.offset));
            btCollisionShape *part = bullet_shape(run, shape);
            compound->addChildShape(at, part);
            bool centred = shape.offset.x == 0 && shape.offset.y == 0 && shape.offset.z == 0;
            single = count == 0 && centred ? part : nullptr;
            ++count;
        }
    }
    btCollisionShape *shape = count == 1 && single != nullptr ? single : compound;
    btRigidBody::btRigidBodyConstructionInfo info((btScalar)def.mass, nullptr, shape,
                                                  bullet_vector(def.inertia));
    pawl_quat q = def.pose.orientation;
    info.m_startWorldTransform.setRotation(
        {(btScalar)q.x, (btScalar)q.y, (btScalar)q.z, (btScalar)q.w});
    info.m_startWorldTransform.setOrigin(bullet_vector(def.pose.position));
    info.m_friction = btSqrt((btScalar)scene->friction);
    btRigidBody *body = new btRigidBody(info);
    body->setLinearVelocity(bullet_vector(def.twist.linear));
    body->setAngularVelocity(bullet_vector(def.twist.angular));
    body->setActivationState(DISABLE_DEACTIVATION);
    run->bodies.push_back(body);
    run->world.addRigidBody(body);
}

btTransform bullet_frame(const btRigidBody *body, pawl_vec3 point)
{
    btTransform at(btQuaternion::getIdentity(), bullet_vector(point));
    return body->getWorldTransform().inverse() * at;
}

void bullet_add_joint(bullet_run *run, const bench_joint &def)
{
    btRigidBody &b = *run->bodies[(size_t)def.follower];
    btRigidBody &a = def.base == BENCH_WORLD ? btTypedConstraint::getFixedBody()
                                             : *run->bodies[(size_t)def.base];
    btVector3 point = bullet_vector(def.point), axis = bullet_vector(def.axis);
    btTransform to_a = a.getWorldTransform().inverse(), to_b = b.getWorldTransform().inverse();
    btTypedConstraint *joint;
    if (def.kind == BENCH_BALL) {
        joint = new btPoint2PointConstraint(a, b, to_a * point, to_b * point);
    } else if (def.kind == BENCH_FIXED) {
        joint = new btFixedConstraint(a, b, bullet_frame(&a, def.point), bullet_frame(&b, def.point));
    } else {
        joint = new btHingeConstraint(a, b, to_a * point, to_b * point, to_a.getBasis() * axis,
                                      to_b.getBasis() * axis);
    }
    run->joints.push_back(joint);
    run->world.addConstraint(joint, true); // bodies that share a joint do not collide
}

void *bullet_create(const bench_scene *scene, double dt, int option)
{
    for (int i = 0; i < scene->joint_count; ++i) {
        if (scene->joints[i].stiffness > 0.0) {
            return nullptr; // its hinges have no implicit springs
        }
    }
    bullet_run *run = new bullet_run;
    run->dt = (btScalar)dt;
    run->world.setGravity(bullet_vector(scene->gravity));
    run->world.getSolverInfo().m_numIterations = option;
    if (scene->floor) {
        bullet_add_plane(run, scene, {0, 0, 1}, 0);
    }
    for (int i = 0; i < 4 && scene->bin > 0.0; ++i) {
        btScalar side = i % 2 == 0 ? (btScalar)1 : (btScalar)-1;
        btVector3 in = i < 2 ? btVector3{-side, 0, 0} : btVector3{0, -side, 0};
        bullet_add_plane(run, scene, in, (btScalar)-scene->bin);
    }
    for (btRigidBody *body : run->fixed) {
        body->setFriction(btSqrt((btScalar)scene->friction));
    }
    for (int i = 0; i < scene->body_count; ++i) {
        bullet_add_body(run, scene, i);
    }
    for (int i = 0; i < scene->joint_count; ++i) {
        bullet_add_joint(run, scene->joints[i]);
    }
    return run;
}

bool bullet_step(void *world)
{
    bullet_run *run = static_cast<bullet_run *>(world);
    run->world.stepSimulation(run->dt, 0, run->dt);
    return true;
}

void bullet_read(void *world, pawl_pose *poses, pawl_twist *twists)
{
    const bullet_run *run = static_cast<bullet_run *>(world);
    for (size_t i = 0; i < run->bodies.size(); ++i) {
        const btTransform &at = run->bodies[i]->getWorldTransform();
        btVector3 r = at.getOrigin(), v = run->bodies[i]->getLinearVelocity();
        btVector3 w = run->bodies[i]->getAngularVelocity();
        btQuaternion q = at.getRotation();
        poses[i] = {{r.x(), r.y(), r.z()}, {q.w(), q.x(), q.y(), q.z()}};
        twists[i] = {{v.x(), v.y(), v.z()}, {w.x(), w.y(), w.z()}};
    }
}

bench_peer bullet_row(const char *name, int sweeps)
{
    bench_peer peer = {};
    peer.engine = "Bullet";
    peer.variant = name;
    peer.option = sweeps;
    peer.create = bullet_create;
    peer.step = bullet_step;
    peer.read = bullet_read;
    peer.destroy = bullet_destroy;
    return peer;
}

} // namespace

extern "C" {
extern const bench_peer bench_bullet_peers[BENCH_BULLET_PEERS] = {bullet_row("default", 10),
                                                                  bullet_row("sweeps 50", 50)};

const char *bench_bullet_version(void)
{
    static char text[16];
    std::snprintf(text, sizeof text, "%d.%02d", btGetVersion() / 100, btGetVersion() % 100);
    return text;
}
}
