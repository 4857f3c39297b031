// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Figure 2 of [pan-hauser-2020]: the robots as they walk and jump with NE-NMDP-PGM at 50 ms, seen from the side. Links are drawn
// as dots from joint to joint.
#include "nmdp_setup.h"
#include "pawl/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROBOTS_POSES = 5, ROBOTS_DOTS = 12, ROBOTS_MAX = 4000 };

typedef struct robots_dot {
    double x, z;
} robots_dot;
typedef struct robots_drawing {
    int count;
    robots_dot dots[ROBOTS_MAX];
    double x[ROBOTS_MAX], z[ROBOTS_MAX];
} robots_drawing;

static void robots_line(robots_drawing *d, pawl_vec3 a, pawl_vec3 b)
{
    for (int i = 0; i <= ROBOTS_DOTS && d->count < ROBOTS_MAX; ++i) {
        double t = (double)i / ROBOTS_DOTS;
        d->dots[d->count++] = (robots_dot){a.x + t * (b.x - a.x), a.z + t * (b.z - a.z)};
    }
}

static int robots_order(const void *a, const void *b)
{
    const robots_dot *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

// From every joint to the next ones, and from the last to its contact point.
static void robots_draw(const pawl_sim *sim, robots_drawing *d)
{
    const pawl_model *model = pawl_sim_model(sim);
    const pawl_state *state = pawl_sim_state(sim);
    d->count = 0;
    for (int j = 0; j < pawl_model_joint_count(model); ++j) {
        pawl_joint_info joint = pawl_model_joint(model, pawl_model_joint_at(model, j));
        if (pawl_body_is_world(joint.base)) {
            continue;
        }
        pawl_pose base = pawl_state_pose(state, joint.base);
        pawl_pose link = pawl_state_pose(state, joint.follower);
        robots_line(d, base.position, pawl_pose_apply(base, joint.base_frame.position));
        for (int k = 0; k < pawl_model_contact_point_count(model); ++k) {
            pawl_contact_point_def foot = pawl_model_contact_point(model, k);
            if (pawl_body_same(foot.body, joint.follower)) {
                robots_line(d, link.position, pawl_pose_apply(link, foot.frame.position));
            }
        }
    }
    qsort(d->dots, (size_t)d->count, sizeof *d->dots, robots_order);
    for (int i = 0; i < d->count; ++i) {
        d->x[i] = d->dots[i].x;
        d->z[i] = d->dots[i].z;
    }
}

typedef struct robots_figure {
    const char *title;
    nmdp_task task;
    double first, every; // poses that are drawn [s]
} robots_figure;
static const robots_figure robots_figures[] = {
    {"Figure 2: Robosimian walks", {NMDP_ROBOSIMIAN, NMDP_WALK, 9.0, false}, 1.0, 2.0},
    {"Figure 2: Robosimian jumps", {NMDP_ROBOSIMIAN, NMDP_JUMP, 1.8, false}, 0.0, 0.45},
    {"Figure 2: Spider walks", {NMDP_SPIDER, NMDP_WALK, 9.0, false}, 1.0, 2.0},
    {"Figure 2: Spider jumps", {NMDP_SPIDER, NMDP_JUMP, 1.8, false}, 0.0, 0.45},
};

static pawl_status robots_show(experiment_run *run, pawl_study *study, const robots_figure *figure,
                               pawl_sim *sim, robots_drawing *d)
{
    int steps = (int)(figure->task.end / 0.05 + 0.5), pose = 0;
    pawl_joint_id base = pawl_model_find_joint(pawl_sim_model(sim), "base");
    double q[6], high = -INFINITY, start;
    pawl_state_joint(pawl_sim_state(sim), base, q, NULL);
    start = q[1];
    pawl_study_add_plot(study, &(pawl_study_plot){.title = figure->title,
                                                  .note = "from the side",
                                                  .x_name = "x",
                                                  .x_unit = "m",
                                                  .unit = "m"});
    for (int k = 0; k <= steps; ++k) {
        double time = pawl_state_time(pawl_sim_state(sim));
        if (pose < ROBOTS_POSES && time > figure->first + pose * figure->every - 1e-6) {
            char label[40];
            snprintf(label, sizeof label, "%.2f s", time);
            robots_draw(sim, d);
            pawl_study_add_curve(
                study,
                &(pawl_study_curve){
                    .label = label, .points = true, .count = d->count, .x = d->x, .y = d->z});
            ++pose;
        }
        pawl_step_report report;
        if (k < steps) {
            EXPERIMENT_TRY(experiment_step(run, sim, &report));
        }
        pawl_state_joint(pawl_sim_state(sim), base, q, NULL);
        high = fmax(high, q[1] - start);
    }
    bool walks = figure->task.motion == NMDP_WALK;
    nmdp_claim(study, "m", walks ? q[0] : high, PAWL_AT_LEAST, walks ? 0.5 : 0.1, "%s: %s",
               figure->title, walks ? "it comes forward by" : "the torso rises by");
    return PAWL_OK;
}

static pawl_status robots_run(experiment_run *run, pawl_study *study)
{
    int count = (int)(sizeof robots_figures / sizeof robots_figures[0]);
    robots_drawing *d = malloc(sizeof *d);
    pawl_status status = d != NULL ? PAWL_OK : PAWL_NO_MEMORY;
    double dt = 0.05;
    for (int i = 0; i < count; ++i) {
        nmdp_expect(run, &robots_figures[i].task, &dt, 1);
    }
    for (int i = 0; i < count && status == PAWL_OK; ++i) {
        pawl_model *model = NULL;
        pawl_sim *sim = NULL;
        status = nmdp_open(run, &robots_figures[i].task, NMDP_NE_PGM, dt, &model, &sim);
        if (status == PAWL_OK) {
            status = robots_show(run, study, &robots_figures[i], sim, d);
        }
        experiment_destroy(run, sim);
        pawl_model_destroy(model);
    }
    free(d);
    return status;
}

const experiment experiment_nmdp_robots = {
    .name = "nmdp-robots",
    .summary = "The robots as they walk and jump with steps of 50 ms, drawn",
    .source = NMDP_SOURCE ". Figure 2",
    .run = robots_run,
};
