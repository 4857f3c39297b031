// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The savings of contact reduction: contacts, rows and time per step, for plates of coplanar tiles that slide on a
// slab and for the pawl that is pushed into a slot, with all contacts, with the corners of each patch, and with few
// of these. The resultant of the first step's forces on the part must be the same.
#include "runner.h"

#include "pawl/io.h"
#include "pawl/pawl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct reduce_variant {
    const char *name;
    pawl_reduce_kind reduce;
    int most;
} reduce_variant;
static const reduce_variant reduce_variants[] = {
    {"off", PAWL_REDUCE_OFF, 0}, {"hull", PAWL_REDUCE_HULL, 0}, {"hull, 4", PAWL_REDUCE_HULL, 4}};
enum { REDUCE_VARIANTS = sizeof reduce_variants / sizeof reduce_variants[0] };

typedef struct reduce_scene {
    const char *name;
    pawl_model *model;
    double margin; // [m]
    int steps;     // of 1 ms
} reduce_scene;

// Force along z, moments about x and y.
typedef struct reduce_wrench {
    double part[3];
} reduce_wrench;

static void reduce_must(pawl_status status, const char *what)
{
    if (status != PAWL_OK) {
        fprintf(stderr, "bench: %s: %s\n", what, pawl_status_name(status));
        exit(1);
    }
}

// tiles x tiles boxes that make one plate of 1.2 m and 3 kg, its centre of mass off the middle, on a slab,
// sliding at 1 m/s. Were it turning, friction would depend on where the normal force is.
static pawl_model *reduce_plate(const pawl_env *env, int tiles)
{
    pawl_builder *builder = NULL;
    pawl_model *model = NULL;
    reduce_must(pawl_builder_create(env, "plate", &builder), "builder");
    pawl_body_def def = pawl_body_def_default();
    def.mass = 3.0;
    def.com = (pawl_vec3){0.1, 0.05, 0.0};
    def.inertia[0] = def.inertia[1] = 0.4;
    def.inertia[2] = 0.8;
    def.pose.position.z = 0.05;
    def.twist.linear.x = 1.0;
    pawl_body_id plate;
    reduce_must(pawl_builder_add_body(builder, &def, &plate), "plate");
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_BOX;
    shape.friction = 0.3;
    double half = 0.6 / tiles;
    shape.size = (pawl_vec3){half, half, 0.05};
    for (int i = 0; i < tiles * tiles; ++i) {
        shape.frame.position.x = (2 * (i % tiles) + 1) * half - 0.6;
        shape.frame.position.y = (2 * (i / tiles) + 1) * half - 0.6;
        reduce_must(pawl_builder_add_shape(builder, plate, &shape, NULL), "tile");
    }
    shape.size = (pawl_vec3){3.0, 3.0, 0.1};
    shape.frame.position = (pawl_vec3){0.0, 0.0, -0.1};
    reduce_must(pawl_builder_add_shape(builder, PAWL_WORLD, &shape, NULL), "slab");
    reduce_must(pawl_builder_compile(builder, &model), "plate");
    pawl_builder_destroy(builder);
    return model;
}

static pawl_settings reduce_settings(const reduce_scene *s, const reduce_variant *variant)
{
    pawl_settings settings = pawl_settings_default();
    settings.contact.margin = s->margin;
    settings.contact.reduce = variant->reduce;
    settings.contact.reduce_max = variant->most;
    return settings;
}

// What the contacts with the plane that body 0 lies on do to it in the first step, solved as exactly as the
// solver can.
static reduce_wrench reduce_resultant(const pawl_env *env, const reduce_scene *s,
                                      const reduce_variant *variant)
{
    pawl_settings settings = reduce_settings(s, variant);
    settings.solver.tolerance = 1e-13;
    pawl_sim *sim = NULL;
    reduce_must(pawl_sim_create(env, s->model, &settings, &sim), s->name);
    reduce_must(pawl_sim_step(sim, NULL), s->name);
    reduce_wrench sum = {{0}};
    for (int k = 0; k < pawl_sim_contact_count(sim); ++k) {
        pawl_contact_info c = pawl_sim_contact(sim, k);
        double sign = pawl_body_index(c.body_b) == 0   ? 1.0
                      : pawl_body_index(c.body_a) == 0 ? -1.0
                                                       : 0.0;
        if (fabs(c.normal.z) < 0.5) {
            continue;
        }
        sum.part[0] += sign * c.force.z;
        sum.part[1] += sign * c.position.y * c.force.z;
        sum.part[2] -= sign * c.position.x * c.force.z;
    }
    pawl_sim_destroy(sim);
    return sum;
}

static void reduce_run(const pawl_env *env, const reduce_scene *s, const reduce_variant *variant,
                       int steps, reduce_wrench *first, json_t *rows)
{
    reduce_wrench own = reduce_resultant(env, s, variant);
    *first = variant == reduce_variants ? own : *first;
    double most_rows = 0.0, off = 0.0;
    for (int i = 0; i < 3; ++i) {
        off = fmax(off, fabs(own.part[i] - first->part[i]) / fabs(first->part[0]));
    }
    pawl_settings settings = reduce_settings(s, variant);
    pawl_sim *sim = NULL;
    reduce_must(pawl_sim_create(env, s->model, &settings, &sim), s->name);
    pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
    double begin = bench_cpu_time();
    for (int k = 0; k < steps; ++k) {
        pawl_step_report report;
        reduce_must(pawl_sim_step(sim, &report), s->name);
        pawl_verdict_add(&verdict, &report);
        most_rows = fmax(most_rows, report.rows);
    }
    double us = 1e6 * (bench_cpu_time() - begin) / steps;
    double contacts = (double)verdict.contacts_sum / steps;
    printf("%-14s %-8s %9.1f %6.0f %10.1f %7lld %10.1f %10.1e\n", s->name, variant->name, contacts,
           most_rows, (double)verdict.iterations_sum / steps, (long long)verdict.not_converged, us,
           off);
    fflush(stdout);
    json_array_append_new(rows, json_pack("{s:s, s:s, s:f, s:f, s:I, s:f, s:o}",              //
                                          "scene", s->name, "reduce", variant->name,          //
                                          "contacts", contacts, "rows", most_rows,            //
                                          "not_converged", (json_int_t)verdict.not_converged, //
                                          "us_per_step", us, "resultant_off", bench_number(off)));
    pawl_sim_destroy(sim);
}

int main(int argument_count, char **arguments)
{
    bench_options options =
        bench_parse("bench_reduce", "contact reduction: size and time", argument_count, arguments);
    pawl_env env = pawl_env_default();
    reduce_scene scenes[] = {
        {"36 tiles", reduce_plate(&env, 6), 1e-3, 300},
        {"144 tiles", reduce_plate(&env, 12), 1e-3, 300},
        {"pawl in slot", NULL, 1e-5, 300},
    };
    enum { SCENES = sizeof scenes / sizeof scenes[0] };
    reduce_must(pawl_model_load(&env, BENCH_MODELS "/lit/pawl-in-slot.sdf", NULL,
                                &scenes[SCENES - 1].model),
                "models/lit/pawl-in-slot.sdf");
    json_t *rows = json_array();
    printf("%-14s %-8s %9s %6s %10s %7s %10s %10s\n", "scene", "reduce", "contacts", "rows",
           "iterations", "failed", "us a step", "resultant");
    for (int i = 0; i < SCENES; ++i) {
        reduce_wrench first;
        for (int w = 0; w < REDUCE_VARIANTS && bench_wanted(&options, scenes[i].name); ++w) {
            int steps = options.quick ? 3 : scenes[i].steps;
            reduce_run(&env, &scenes[i], &reduce_variants[w], steps, &first, rows);
        }
        pawl_model_destroy(scenes[i].model);
    }
    return bench_write_json(&options, json_pack("{s:o}", "rows", rows)) ? 0 : 2;
}
