// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Tags of ids: a running hash over everything that was added to a builder, number by number. Two builders give the
// same tag only if their descriptions are equal up to that point, so that an id of one means the same element in the
// other; a model that differs in one mass, gain or table entry refuses all later ids. Tags depend on no address or
// clock: the same program gives the same ids in every run. For callbacks only their presence is hashed.
//
// Fields are hashed one by one, because the padding of a struct has no defined value.
#include "base/hash.h"
#include "model/builder.h"
#include "model/muscle.h"

#define TAG_NUMBERS(h, ...)                                                                        \
    pawl_hash_doubles((h), (const double[]){__VA_ARGS__},                                          \
                      sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

// Each function continues the hash h with the numbers of one def and returns the new one.
static uint64_t tag_pose(uint64_t h, const pawl_pose *p)
{
    return TAG_NUMBERS(h, p->position.x, p->position.y, p->position.z, p->orientation.w,
                       p->orientation.x, p->orientation.y, p->orientation.z);
}

uint64_t pawl_tag_softness(uint64_t h, const pawl_softness *s)
{
    return TAG_NUMBERS(h, s->time_constant, s->damping_ratio, s->d0, s->dw, s->width, s->midpoint,
                       s->power);
}

uint64_t pawl_tag_signal(uint64_t h, const pawl_signal *s)
{
    h = TAG_NUMBERS(h, s->kind, s->value, s->amplitude, s->frequency, s->phase, s->interpolation,
                    s->period, s->count);
    h = pawl_hash_doubles(h, s->times, (size_t)s->count);
    return pawl_hash_doubles(h, s->values, (size_t)s->count);
}

uint64_t pawl_tag_body(uint64_t h, const pawl_body_def *d)
{
    h = tag_pose(h, &d->pose);
    h = TAG_NUMBERS(h, d->kind, d->mass, d->com.x, d->com.y, d->com.z, d->density, d->gravity_scale,
                    d->linear_damping, d->angular_damping, d->twist.linear.x, d->twist.linear.y,
                    d->twist.linear.z, d->twist.angular.x, d->twist.angular.y, d->twist.angular.z);
    h = pawl_hash_doubles(h, d->inertia, 6);
    for (int k = 0; k < 6; ++k) {
        h = pawl_tag_signal(h, &d->motion[k]);
    }
    return h;
}

uint64_t pawl_tag_shape(uint64_t h, const pawl_shape_info *shape)
{
    const pawl_shape_def *d = &shape->def;
    h = tag_pose(h, &d->frame);
    h = TAG_NUMBERS(h, pawl_body_index(shape->body), d->kind, d->size.x, d->size.y, d->size.z,
                    d->visual_only, d->friction, d->restitution, d->impact_friction,
                    d->torsional_friction, d->rolling_friction, d->group, d->mask, d->erp,
                    d->heightfield, d->point_count);
    for (int k = 0; k < d->point_count; ++k) {
        h = TAG_NUMBERS(h, d->points[k].x, d->points[k].y, d->points[k].z);
    }
    for (int k = 0; k < 3 * d->triangle_count; ++k) {
        h = TAG_NUMBERS(h, d->triangles[k]);
    }
    return pawl_tag_softness(h, &d->soft);
}

uint64_t pawl_tag_joint(uint64_t h, const pawl_joint_def *d)
{
    h = tag_pose(tag_pose(h, &d->base_frame), &d->follower_frame);
    h = TAG_NUMBERS(h, d->kind, pawl_body_index(d->base), pawl_body_index(d->follower), d->pitch,
                    d->length, d->erp);
    for (int c = 0; c < 6; ++c) {
        const pawl_coordinate_def *q = &d->coordinate[c];
        h = TAG_NUMBERS(h, q->lower, q->upper, q->stiffness, q->rest, q->damping, q->armature,
                        q->friction, q->limit_erp);
        h = q->slack != 0.0 ? TAG_NUMBERS(h, q->slack) : h;
        h = pawl_tag_softness(h, &q->limit_soft);
    }
    const pawl_wrap *w = &d->wrap;
    if (w->kind != PAWL_WRAP_NONE) {
        h = tag_pose(TAG_NUMBERS(h, w->kind, w->radius, w->sided, w->side.x, w->side.y, w->side.z),
                     &w->frame);
    }
    return pawl_tag_softness(h, &d->soft);
}

uint64_t pawl_tag_gear(uint64_t h, const pawl_gear_def *d)
{
    return TAG_NUMBERS(h, pawl_joint_index(d->joint), d->coordinate,
                       pawl_joint_index(d->source_joint), d->source_coordinate, d->ratio, d->offset,
                       d->curve[0], d->curve[1], d->curve[2]);
}

uint64_t pawl_tag_actuator(uint64_t h, const pawl_actuator_def *d)
{
    h = TAG_NUMBERS(h, d->kind, pawl_joint_index(d->joint), d->coordinate, d->stiffness, d->damping,
                    d->effort);
    if (d->muscle.peak > 0.0) {
        double muscle[MUSCLE_NUMBERS];
        pawl_muscle_numbers(&d->muscle, muscle);
        h = pawl_hash_doubles(h, muscle, MUSCLE_NUMBERS);
    }
    return pawl_tag_signal(h, &d->target);
}

uint64_t pawl_tag_motion(uint64_t h, const pawl_motion_def *d)
{
    return pawl_tag_signal(TAG_NUMBERS(h, pawl_joint_index(d->joint), d->coordinate), &d->target);
}

uint64_t pawl_tag_force(uint64_t h, const pawl_force_def *d)
{
    h = TAG_NUMBERS(h, pawl_body_index(d->body), d->point.x, d->point.y, d->point.z,
                    d->in_body_axes);
    for (int k = 0; k < 3; ++k) {
        h = pawl_tag_signal(pawl_tag_signal(h, &d->force[k]), &d->torque[k]);
    }
    return h;
}

uint64_t pawl_tag_spring(uint64_t h, const pawl_spring_def *d)
{
    return TAG_NUMBERS(h, pawl_body_index(d->body_a), pawl_body_index(d->body_b), d->point_a.x,
                       d->point_a.y, d->point_a.z, d->point_b.x, d->point_b.y, d->point_b.z,
                       d->stiffness, d->rest_length, d->damping);
}
