// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A user's own contact model: a foot on snow with a crust. Down to `crust` the snow acts like a stiff plate with
// little friction; deeper, the hole constrains the foot, so friction grows. The model has no derivatives: steppers
// then use their zeroth-order gradient.
#include <math.h>
#include <pawl/pawl.h>
#include <stdio.h>

enum { SNOW_VERTICES = 4 };
typedef struct snow {
    int calls; // what a model needs besides numbers goes through `user`
} snow;

// Vertices k d^2 (n +- mu t), mu = ice + hold d/crust, along both tangents.
static void snow_vertices(void *user, const pawl_wrench_query *q, double *v, double *dv)
{
    (void)dv; // never wanted: has_derivatives is false
    ++((snow *)user)->calls;
    double k = q->parameters[0], ice = q->parameters[1], hold = q->parameters[2],
           crust = q->parameters[3];
    pawl_distance ground;
    pawl_vec3 t[2];
    pawl_ground_distance(q->ground, q->frame.position, &ground);
    pawl_ground_tangents(q->ground, &ground, t, NULL);
    double depth = fmax(0.0, q->radius - ground.value), mu = ice + hold * depth / crust;
    for (int i = 0; i < SNOW_VERTICES; ++i) {
        double side = i % 2 == 0 ? mu : -mu;
        v[3 * i + 0] = k * depth * depth * (ground.normal.x + side * t[i / 2].x);
        v[3 * i + 1] = k * depth * depth * (ground.normal.y + side * t[i / 2].y);
        v[3 * i + 2] = k * depth * depth * (ground.normal.z + side * t[i / 2].z);
    }
}

// One foot of 20 kg over a plane.
static pawl_status snow_model(const pawl_env *env, snow *user, pawl_model **out)
{
    static const double parameters[] = {1e6, 0.05, 0.5, 0.02};
    pawl_builder *b;
    pawl_status status = pawl_builder_create(env, "snow", &b);
    if (status != PAWL_OK) {
        return status;
    }
    pawl_shape_def plane = pawl_shape_def_default();
    plane.kind = PAWL_SHAPE_PLANE;
    pawl_body_def body = pawl_body_def_default();
    body.mass = 20.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
    pawl_wrench_model_def model = pawl_wrench_model_def_default(PAWL_WRENCH_CUSTOM);
    model.vertices = snow_vertices;
    model.user = user;
    model.vertex_count = SNOW_VERTICES;
    model.component_count = 3;
    model.parameters = parameters;
    model.parameter_count = 4;
    pawl_contact_point_def point = pawl_contact_point_def_default();
    bool added = pawl_builder_add_shape(b, PAWL_WORLD, &plane, NULL) == PAWL_OK &&
                 pawl_builder_add_body(b, &body, &point.body) == PAWL_OK &&
                 pawl_builder_add_wrench_model(b, &model, &point.wrench_model) == PAWL_OK &&
                 pawl_builder_add_contact_point(b, &point, NULL) == PAWL_OK;
    status = added ? pawl_builder_compile(b, out) : PAWL_BAD_ARGUMENT;
    pawl_builder_destroy(b);
    return status;
}

int main(void)
{
    pawl_env env = pawl_env_default();
    snow user = {0};
    pawl_model *model;
    pawl_wrench_set *set;
    pawl_wrench_set_def def = pawl_wrench_set_def_default();
    if (snow_model(&env, &user, &model) != PAWL_OK ||
        pawl_wrench_set_create(&env, model, &def, &set) != PAWL_OK) {
        return 1;
    }
    printf("%10s %12s %10s\n", "depth [m]", "carries [N]", "friction");
    bool right = true;
    for (int i = 0; i <= 4; ++i) {
        double depth = 0.005 * i, v[3 * SNOW_VERTICES];
        pawl_contact_frame frame = {{0, 0, -depth}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        pawl_wrench_set_vertices(set, 0, &frame, v, NULL);
        double after_time = v[2], friction = after_time > 0.0 ? v[0] / after_time : 0.0;
        printf("%10.3f %12.2f %10.3f\n", depth, after_time, friction);
        right = right && fabs(after_time - 1e6 * depth * depth) < 1e-9 &&
                (i == 0 || fabs(friction - (0.05 + 0.5 * depth / 0.02)) < 1e-9);
    }
    pawl_wrench_set_destroy(set);
    pawl_model_destroy(model);
    return right && user.calls == 5 ? 0 : 1;
}
