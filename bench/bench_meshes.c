// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Bodies of triangles that fall into a bin: U-shaped ones, which hook into each other, and mixed convex ones, as surfaces
// of triangles. Prints the time of a step by phase, how it grows with the number of bodies, and whether they come to
// rest. With a budget of sweeps, because exact solutions of falling heaps take most of the time; --engine auto
// computes these.
#include "options.h"
#include "pawl/pawl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MESH_POINTS = 64, MESH_CORNERS = 3 * 128 };
static const double mesh_dt = 5e-3, mesh_size = 0.1;
static const int mesh_budget = 100; // sweeps a step

typedef struct mesh_form {
    int point_count, triangle_count;
    pawl_vec3 points[MESH_POINTS];
    int triangles[MESH_CORNERS];
} mesh_form;

static double mesh_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-53;
}

static void mesh_add(mesh_form *f, int a, int b, int c)
{
    int *t = f->triangles + 3 * f->triangle_count++;
    t[0] = a, t[1] = b, t[2] = c;
}

// A prism over a polygon, counter-clockwise, with ends from the list of its triangles.
static mesh_form mesh_prism(double (*xy)[2], int count, int (*ends)[3], int end_count, double half)
{
    mesh_form f = {.point_count = 2 * count};
    for (int k = 0; k < count; ++k) {
        f.points[k] = (pawl_vec3){xy[k][0], xy[k][1], -half};
        f.points[k + count] = (pawl_vec3){xy[k][0], xy[k][1], half};
        int next = (k + 1) % count;
        mesh_add(&f, k, next, next + count);
        mesh_add(&f, k, next + count, k + count);
    }
    for (int k = 0; k < end_count; ++k) {
        mesh_add(&f, ends[k][0], ends[k][2], ends[k][1]);
        mesh_add(&f, ends[k][0] + count, ends[k][1] + count, ends[k][2] + count);
    }
    return f;
}

static mesh_form mesh_hook(void)
{
    const double u[8][2] = {{-0.5, -0.5}, {0.5, -0.5},   {0.5, 0.5},   {0.25, 0.5},
                            {0.25, -0.2}, {-0.25, -0.2}, {-0.25, 0.5}, {-0.5, 0.5}};
    int ends[6][3] = {{0, 1, 4}, {0, 4, 5}, {1, 2, 4}, {2, 3, 4}, {0, 5, 7}, {5, 6, 7}};
    double scaled[8][2];
    for (int k = 0; k < 8; ++k) {
        scaled[k][0] = mesh_size * u[k][0];
        scaled[k][1] = mesh_size * u[k][1];
    }
    return mesh_prism(scaled, 8, ends, 6, 0.15 * mesh_size);
}

// A prism over a random polygon on an ellipse.
static mesh_form mesh_convex(uint64_t *seed)
{
    int count = 3 + (int)(6.0 * mesh_random(seed)), ends[6][3];
    double xy[8][2], turn = mesh_random(seed), a = 0.3 + 0.3 * mesh_random(seed);
    for (int k = 0; k < count; ++k) {
        double angle = 6.283185307179586 * (k + turn + 0.5 * mesh_random(seed)) / count;
        xy[k][0] = mesh_size * 0.5 * cos(angle);
        xy[k][1] = mesh_size * a * sin(angle);
    }
    for (int k = 0; k + 2 < count; ++k) {
        ends[k][0] = 0, ends[k][1] = k + 1, ends[k][2] = k + 2;
    }
    return mesh_prism(xy, count, ends, count - 2, mesh_size * (0.2 + 0.3 * mesh_random(seed)));
}

static pawl_shape_def mesh_shape(const mesh_form *f)
{
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = PAWL_SHAPE_MESH;
    def.points = f->points;
    def.point_count = f->point_count;
    def.triangles = f->triangles;
    def.triangle_count = f->triangle_count;
    def.friction = 0.5;
    return def;
}

static void mesh_walls(pawl_builder *b, double half)
{
    for (int k = 0; k < 5; ++k) {
        pawl_shape_def wall = pawl_shape_def_default();
        wall.kind = PAWL_SHAPE_BOX;
        wall.size = (pawl_vec3){half + 0.4, half + 0.4, 0.1};
        wall.frame.position = (pawl_vec3){0, 0, -0.1};
        if (k > 0) {
            double side = k % 2 == 0 ? half + 0.1 : -half - 0.1;
            wall.size = k < 3 ? (pawl_vec3){0.1, half + 0.2, 5.0} : (pawl_vec3){half, 0.1, 5.0};
            wall.frame.position = k < 3 ? (pawl_vec3){side, 0, 5.0} : (pawl_vec3){0, side, 5.0};
        }
        wall.friction = 0.5;
        (void)pawl_builder_add_shape(b, PAWL_WORLD, &wall, NULL);
    }
}

static pawl_status mesh_build(const pawl_env *env, bool hooks, int count, uint64_t seed,
                              pawl_model **out)
{
    pawl_builder *b = NULL;
    pawl_status status = pawl_builder_create(env, "meshes", &b);
    pawl_builder_set_gravity(b, (pawl_vec3){0, 0, -9.81});
    int across = (int)ceil(cbrt(count));
    double step = 1.8 * mesh_size;
    mesh_walls(b, 0.5 * step * across);
    for (int i = 0; i < count && status == PAWL_OK; ++i) {
        mesh_form form = hooks ? mesh_hook() : mesh_convex(&seed);
        pawl_shape_def shape = mesh_shape(&form);
        pawl_body_def def = pawl_body_def_default();
        pawl_body_id body;
        def.density = 500.0;
        def.pose.position = (pawl_vec3){step * (i % across - 0.5 * (across - 1)),
                                        step * (i / across % across - 0.5 * (across - 1)),
                                        mesh_size + step * (i / across / across)};
        pawl_quat turn = {mesh_random(&seed) - 0.5, mesh_random(&seed) - 0.5,
                          mesh_random(&seed) - 0.5, mesh_random(&seed) - 0.5};
        def.pose.orientation = pawl_quat_normalize(turn);
        status = pawl_builder_add_body(b, &def, &body);
        if (status == PAWL_OK) {
            status = pawl_builder_add_shape(b, body, &shape, NULL);
        }
    }
    if (status == PAWL_OK) {
        status = pawl_builder_compile(b, out);
    }
    pawl_builder_destroy(b);
    return status;
}

static double mesh_now(void *user)
{
    (void)user;
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Runs one bin and prints its line; the mean time of a step.
static double mesh_run(bool hooks, int count, double duration, const bench_options *options)
{
    pawl_env env = pawl_env_default();
    pawl_model *model = NULL;
    pawl_sim *sim = NULL;
    pawl_settings settings = pawl_settings_default();
    settings.dt = mesh_dt;
    settings.solver.tolerance = 1e-6;
    bool exact = options->engine != NULL && strcmp(options->engine, "auto") == 0;
    settings.solver.budget = exact ? 0 : mesh_budget;
    if (mesh_build(&env, hooks, count, options->seed, &model) != PAWL_OK ||
        pawl_sim_create(&env, model, &settings, &sim) != PAWL_OK) {
        pawl_model_destroy(model);
        return NAN;
    }
    pawl_sim_set_clock(sim, mesh_now, NULL);
    double phases[PAWL_PHASE_COUNT] = {0}, total = 0.0, depth = 0.0, late = 0.0, speed = 0.0;
    int steps = (int)(duration / mesh_dt), unsolved = 0, contacts = 0, done = 0;
    for (; done < steps; ++done) {
        pawl_step_report report;
        if (pawl_sim_step(sim, &report) != PAWL_OK) {
            break;
        }
        for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
            phases[p] += report.seconds[p];
            total += report.seconds[p];
        }
        depth = fmax(depth, report.penetration);
        late = done > 9 * steps / 10 ? fmax(late, report.penetration) : late;
        unsolved += report.outcome != PAWL_CONVERGED;
        contacts = pawl_sim_contact_count(sim);
    }
    for (int i = 0; i < count; ++i) {
        pawl_twist u = pawl_state_twist(pawl_sim_state(sim), pawl_model_body_at(model, i));
        speed = fmax(speed, sqrt(u.linear.x * u.linear.x + u.linear.y * u.linear.y +
                                 u.linear.z * u.linear.z));
    }
    printf("%-8s%6d%9d%10.0f", hooks ? "hooks" : "convex", count, contacts, 1e6 * total / done);
    for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
        printf("%10.0f", 1e6 * phases[p] / done);
    }
    printf("%9d%10.1e%10.1e%10.1e%s\n", unsolved, depth, late, speed,
           done < steps ? "  FAILED" : "");
    fflush(stdout);
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    return total / done;
}

int main(int argument_count, char **arguments)
{
    bench_options options = bench_parse("bench_meshes", "bodies of triangles that fall into a bin",
                                        argument_count, arguments);
    const int sizes[2][2] = {{50, 200}, {125, 1000}}, small[2] = {8, 27};
    double duration = options.quick ? 0.5 : 4.0;
    printf("pawl %s, auto at 1e-6 m/s, %d sweeps at most (--engine auto: until solved), dt %g ms, "
           "%g s\n"
           "us a step by phase, steps above the tolerance, deepest overlap [m] over the run and in "
           "its "
           "last tenth, speed of\nthe fastest body in the end [m/s]\n",
           pawl_version(), mesh_budget, 1e3 * mesh_dt, duration);
    printf("%-8s%6s%9s%10s", "bodies", "", "contacts", "step");
    for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
        printf("%10s", pawl_phase_name((pawl_phase)p));
    }
    printf("%9s%10s%10s%10s\n", "unsolved", "overlap", "late", "speed");
    for (int kind = 0; kind < 2; ++kind) {
        double time[2];
        const int *count = options.quick ? small : sizes[kind];
        if (!bench_wanted(&options, kind == 0 ? "hooks" : "convex")) {
            continue;
        }
        for (int i = 0; i < 2; ++i) {
            time[i] = mesh_run(kind == 0, count[i], duration, &options);
        }
        printf("growth from %d to %d bodies: %.2f\n", count[0], count[1],
               log(time[1] / time[0]) / log((double)count[1] / count[0]));
    }
    return 0;
}
