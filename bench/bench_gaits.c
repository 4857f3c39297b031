// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Robots of models/robots/ stand, walk 5 m and climb a slope of 10 degrees by their gait files, with nmdp at 20 ms beside
// euler and lit. The figures are measured only on the motion, in the same way for every stepper: distance, tilt and
// sinking of the base, depth of the feet, their slip under load, and the work of the motors.
//
//   bench_gaits [--robot NAME] [--task stand|walk|climb] [--stepper NAME] [--dt SECONDS] [--set KEY VALUE]
//               [--quick] [--frames]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pawl/io.h"
#include "pawl/query.h"
#include "pawl/verdict.h"

typedef struct gait_robot {
    const char *name, *base, *gait;
    double speed; // that the gait is meant to have [m/s]
} gait_robot;
static const gait_robot gait_robots[] = {
    {"quadruped", "base", "crawl", 0.2 / 3.0},
    {"biped", "pelvis", "walk", 0.2 / 3.6},
    {"hexapod", "body", "tripod", 0.1 / 1.0},
};

typedef enum gait_task { GAIT_STAND = 0, GAIT_WALK, GAIT_CLIMB, GAIT_TASKS } gait_task;
static const char *const gait_task_names[GAIT_TASKS] = {"stand", "walk", "climb"};

static const double gait_way = 5.0; // to walk [m]

typedef struct gait_stepper {
    const char *name;
    double dt;             // [s]
    const char *stiffness; // of nmdp's contacts; NULL: they are hard
} gait_stepper;
static const gait_stepper gait_steppers[] = {
    {"nmdp", 0.02, "1e8"}, {"nmdp", 0.02, "1e10"}, {"euler", 0.02, NULL}, {"lit", 0.02, NULL}};

typedef struct gait_options {
    const char *robot, *task, *stepper; // NULL: all
    const char *key, *value;            // a setting; NULL: none
    double dt, slope;                   // dt 0: as listed; slope in degrees
    bool quick, frames;
} gait_options;

typedef struct gait_result {
    double time, distance, aside, lean, sink, depth, slip, contact_time, motors, given, unexplained;
    double seconds;
    int missed, cut;
    bool fell, ended;
} gait_result;

static pawl_vec3 gait_add(pawl_vec3 a, double s, pawl_vec3 b)
{
    return (pawl_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static double gait_dot(pawl_vec3 a, pawl_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// The plane of the ground: its frame.
static pawl_pose gait_ground(const pawl_model *model)
{
    for (int s = 0; s < pawl_model_shape_count(model); ++s) {
        pawl_shape_info shape = pawl_model_shape(model, pawl_model_shape_at(model, s));
        if (pawl_body_is_world(shape.body) && shape.def.kind == PAWL_SHAPE_PLANE) {
            return shape.def.frame;
        }
    }
    return pawl_pose_identity();
}

// Sliding speed of the material point of a body that is nearest to the ground below the middle of its shape.
static double gait_slip_speed(const pawl_sim *sim, pawl_body_id body, pawl_pose ground, pawl_vec3 n)
{
    const pawl_model *model = pawl_sim_model(sim);
    const pawl_state *state = pawl_sim_state(sim);
    pawl_body_info info = pawl_model_body(model, body);
    pawl_pose pose = pawl_state_pose(state, body);
    pawl_twist twist = pawl_state_twist(state, body);
    double speed = 0.0;
    for (int s = info.first_shape; s < info.first_shape + info.shape_count; ++s) {
        pawl_shape_def def = pawl_model_shape(model, pawl_model_shape_at(model, s)).def;
        if (def.visual_only) {
            continue;
        }
        pawl_vec3 centre = pawl_pose_apply(pose, def.frame.position);
        double height = gait_dot(gait_add(centre, -1.0, ground.position), n);
        pawl_vec3 arm = gait_add(gait_add(centre, -height, n), -1.0, pose.position);
        pawl_vec3 w = twist.angular;
        pawl_vec3 v = {twist.linear.x + w.y * arm.z - w.z * arm.y,
                       twist.linear.y + w.z * arm.x - w.x * arm.z,
                       twist.linear.z + w.x * arm.y - w.y * arm.x};
        v = gait_add(v, -gait_dot(v, n), n);
        speed = fmax(speed, sqrt(gait_dot(v, v)));
    }
    return speed;
}

static void gait_slip(const pawl_sim *sim, pawl_pose ground, pawl_vec3 n, double dt, gait_result *r)
{
    const pawl_model *model = pawl_sim_model(sim);
    for (int b = 0; b < pawl_model_body_count(model); ++b) {
        pawl_body_id body = pawl_model_body_at(model, b);
        if (pawl_sim_body_contacts(sim, body).count > 0) {
            r->slip += dt * gait_slip_speed(sim, body, ground, n);
            r->contact_time += dt;
        }
    }
}

// Where the base is against the ground's axes: along, across, above; and the angle it leans by.
typedef struct gait_place {
    double along, across, above, lean, heading;
} gait_place;
static gait_place gait_where(const pawl_sim *sim, pawl_body_id base, pawl_pose ground)
{
    pawl_pose pose = pawl_state_pose(pawl_sim_state(sim), base);
    pawl_pose seen = pawl_pose_compose(pawl_pose_inverse(ground), pose);
    pawl_vec3 up = pawl_quat_rotate(seen.orientation, (pawl_vec3){0, 0, 1});
    pawl_vec3 ahead = pawl_quat_rotate(seen.orientation, (pawl_vec3){1, 0, 0});
    return (gait_place){seen.position.x, seen.position.y, seen.position.z,
                        acos(fmin(1.0, fmax(-1.0, up.z))), atan2(ahead.y, ahead.x)};
}

static pawl_status gait_load(const pawl_env *env, const gait_robot *robot, gait_task task,
                             double slope, pawl_model **out)
{
    char model[512], motion[512];
    snprintf(model, sizeof model, "%s/robots/%s.urdf", BENCH_MODELS, robot->name);
    snprintf(motion, sizeof motion, "%s/robots/motions/%s-%s.motion", BENCH_MODELS, robot->name,
             task == GAIT_STAND ? "stand" : robot->gait);
    pawl_load_options options = pawl_load_options_default();
    options.motion_path = motion;
    options.ground = (pawl_ground_option){.put = true, .under = true, .friction = 0.8};
    options.ground.slope = task == GAIT_CLIMB ? slope * acos(-1.0) / 180.0 : 0.0;
    return pawl_model_load(env, model, &options, out);
}

static void gait_steps(pawl_sim *sim, const gait_robot *robot, double duration, double dt,
                       bool frames, gait_result *r)
{
    const pawl_model *model = pawl_sim_model(sim);
    pawl_body_id base = pawl_model_find_body(model, robot->base);
    pawl_pose ground = gait_ground(model);
    pawl_vec3 n = pawl_quat_rotate(ground.orientation, (pawl_vec3){0, 0, 1});
    gait_place start = gait_where(sim, base, ground), now = start;
    int64_t steps = (int64_t)(duration / dt + 0.5), every = (int64_t)(0.5 / dt + 0.5);
    for (int64_t k = 0; k < steps && !r->fell && now.along - start.along < gait_way; ++k) {
        pawl_step_report report;
        clock_t begun = clock(); // of the processor alone: other programs may be running
        if (pawl_sim_step(sim, &report) != PAWL_OK) {
            return;
        }
        r->seconds += (double)(clock() - begun) / CLOCKS_PER_SEC;
        now = gait_where(sim, base, ground);
        r->time = pawl_state_time(pawl_sim_state(sim));
        r->lean = fmax(r->lean, now.lean);
        r->sink = fmax(r->sink, start.above - now.above);
        r->depth = fmax(r->depth, report.penetration);
        r->missed += report.outcome != PAWL_CONVERGED;
        r->cut += report.substeps > 1;
        r->unexplained = fmax(r->unexplained, fabs(report.energy.balance));
        r->motors = report.energy.work_actuators;
        r->given = fmax(r->given, report.energy.work_contacts);
        r->fell = now.lean > 0.8 || now.above < 0.5 * start.above;
        gait_slip(sim, ground, n, dt, r);
        if (frames && k % every == 0) {
            printf("    t %6.2f along %7.3f across %7.3f above %6.3f lean %5.3f heading %6.3f\n",
                   r->time, now.along, now.across, now.above, now.lean, now.heading);
        }
    }
    r->distance = now.along - start.along;
    r->aside = now.across - start.across;
    r->ended = true;
}

static void gait_print(const gait_stepper *stepper, const gait_result *r)
{
    printf(
        "  %-6s %-4s %4g  %5.1f s %7.3f m %7.3f m  %5.1f deg %6.1f mm %6.2f mm %8.1f mm/m %7.1f J "
        "%8.2g J %8.2g J  %4d %4d %7.0f us  %s\n",
        stepper->name, stepper->stiffness != NULL ? stepper->stiffness : "", 1e3 * stepper->dt,
        r->time, r->distance, r->aside, r->lean * 180.0 / acos(-1.0), 1e3 * r->sink, 1e3 * r->depth,
        r->distance > 0.1 ? 1e3 * r->slip / r->distance : 1e3 * r->slip, r->motors, r->given,
        r->unexplained, r->missed, r->cut, 1e6 * r->seconds * stepper->dt / r->time,
        !r->ended ? "STOPPED"
        : r->fell ? "FELL"
                  : "upright");
    fflush(stdout);
}

static void gait_run(const pawl_env *env, const gait_options *o, const gait_robot *robot,
                     gait_task task, gait_stepper stepper)
{
    pawl_model *model;
    pawl_sim *sim = NULL;
    gait_result result = {0};
    if (gait_load(env, robot, task, o->slope, &model) != PAWL_OK) {
        printf("  cannot be loaded\n");
        return;
    }
    stepper.dt = o->dt > 0.0 ? o->dt : stepper.dt;
    pawl_settings settings = pawl_settings_default();
    settings.dt = stepper.dt;
    if (stepper.stiffness != NULL) {
        pawl_settings_set(env, &settings, "nmdp.stiffness", stepper.stiffness);
    }
    if (pawl_settings_set(env, &settings, "stepper", stepper.name) == PAWL_OK &&
        (o->key == NULL || pawl_settings_set(env, &settings, o->key, o->value) == PAWL_OK) &&
        pawl_sim_create(env, model, &settings, &sim) == PAWL_OK) {
        // Feet slip: there is half as much time again.
        double duration = task == GAIT_STAND ? 5.0 : 1.5 * gait_way / robot->speed;
        gait_steps(sim, robot, o->quick ? fmin(duration, 4.0) : duration, stepper.dt, o->frames,
                   &result);
        gait_print(&stepper, &result);
    }
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
}

// False where an option is unknown or lacks its value.
static bool gait_parse(int count, char **arguments, gait_options *o)
{
    *o = (gait_options){.slope = 10.0};
    for (int i = 1; i < count; ++i) {
        const char *option = arguments[i];
        if (strcmp(option, "--quick") == 0) {
            o->quick = true;
            continue;
        }
        if (strcmp(option, "--frames") == 0) {
            o->frames = true;
            continue;
        }
        if (++i == count) {
            return false;
        }
        const char *value = arguments[i];
        if (strcmp(option, "--robot") == 0) {
            o->robot = value;
        } else if (strcmp(option, "--task") == 0) {
            o->task = value;
        } else if (strcmp(option, "--stepper") == 0) {
            o->stepper = value;
        } else if (strcmp(option, "--dt") == 0) {
            o->dt = atof(value);
        } else if (strcmp(option, "--slope") == 0) {
            o->slope = atof(value);
        } else if (strcmp(option, "--set") == 0 && i + 1 < count) {
            o->key = value;
            o->value = arguments[++i];
        } else {
            return false;
        }
    }
    return true;
}

int main(int count, char **arguments)
{
    gait_options o;
    if (!gait_parse(count, arguments, &o)) {
        fprintf(stderr, "usage: bench_gaits [--robot NAME] [--task NAME] [--stepper NAME] [--dt S] "
                        "[--slope DEGREES]\n"
                        "                   [--set KEY VALUE] [--quick] [--frames]\n");
        return 2;
    }
    pawl_env env = pawl_env_default();
    env.log = NULL;
    for (size_t i = 0; i < sizeof gait_robots / sizeof gait_robots[0]; ++i) {
        for (int task = 0; task < GAIT_TASKS; ++task) {
            if ((o.robot != NULL && strcmp(o.robot, gait_robots[i].name) != 0) ||
                (o.task != NULL && strcmp(o.task, gait_task_names[task]) != 0)) {
                continue;
            }
            printf(
                "%s: %s\n  stepper  k dt ms   until     along     aside       lean     sinks     "
                "depth          slip    motors   contacts   unexpl. missed cut    a step\n",
                gait_robots[i].name, gait_task_names[task]);
            for (size_t s = 0; s < sizeof gait_steppers / sizeof gait_steppers[0]; ++s) {
                bool wanted = o.stepper == NULL || strcmp(o.stepper, gait_steppers[s].name) == 0;
                if (wanted) {
                    gait_run(&env, &o, &gait_robots[i], (gait_task)task, gait_steppers[s]);
                }
            }
        }
    }
    return 0;
}
