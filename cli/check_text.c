// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A check as text: figures, then tables of bodies, joints and contact points, then warnings.
#include <string.h>

#include "check_counts.h"
#include "check_out.h"
#include "pawl/sim.h"
#include "warnings_out.h"

enum { CHECK_TEXT_MOST_LINES = 40 }; // of a table; the JSON has them all

const char *check_body_kind(pawl_body_kind kind)
{
    switch (kind) {
    case PAWL_BODY_RIGID:
        return "rigid";
    case PAWL_BODY_POINT:
        return "point";
    case PAWL_BODY_KINEMATIC:
        return "kinematic";
    }
    return "unknown";
}

const char *check_body_name(const pawl_model *model, pawl_body_id body)
{
    return pawl_body_is_world(body) ? "world" : pawl_model_body(model, body).name;
}

static int check_text_widest(int widest, const char *text)
{
    int length = (int)strlen(text);
    return length > widest ? length : widest;
}

static void check_text_more(FILE *to, int count)
{
    if (count > CHECK_TEXT_MOST_LINES) {
        fprintf(to, "  ... and %d more; --json has them all\n", count - CHECK_TEXT_MOST_LINES);
    }
}

static void check_text_bodies(const pawl_model *model, FILE *to)
{
    int count = pawl_model_body_count(model);
    int shown = count < CHECK_TEXT_MOST_LINES ? count : CHECK_TEXT_MOST_LINES;
    int width = 4;
    for (int i = 0; i < shown; ++i) {
        width = check_text_widest(width, pawl_model_body(model, pawl_model_body_at(model, i)).name);
    }
    fprintf(to, "\n  %-*s  %-9s  %9s  %-32s  %s\n", width, "body", "kind", "mass [kg]",
            "inertia xx, yy, zz [kg m^2]", "centre of mass [m]");
    for (int i = 0; i < shown; ++i) {
        pawl_body_info info = pawl_model_body(model, pawl_model_body_at(model, i));
        char inertia[64];
        snprintf(inertia, sizeof inertia, "%.4g, %.4g, %.4g", info.inertia[0], info.inertia[1],
                 info.inertia[2]);
        fprintf(to, "  %-*s  %-9s  %9.5g  %-32s  %.4g, %.4g, %.4g\n", width, info.name,
                check_body_kind(info.kind), info.mass, inertia, info.com.x, info.com.y, info.com.z);
    }
    check_text_more(to, count);
}

static void check_text_joints(const pawl_model *model, FILE *to)
{
    int count = pawl_model_joint_count(model);
    int shown = count < CHECK_TEXT_MOST_LINES ? count : CHECK_TEXT_MOST_LINES;
    int width = 5;
    int base_width = 4;
    int follower_width = 8;
    for (int i = 0; i < shown; ++i) {
        pawl_joint_info info = pawl_model_joint(model, pawl_model_joint_at(model, i));
        width = check_text_widest(width, info.name);
        base_width = check_text_widest(base_width, check_body_name(model, info.base));
        follower_width = check_text_widest(follower_width, check_body_name(model, info.follower));
    }
    if (count == 0) {
        return;
    }
    fprintf(to, "\n  %-*s  %-14s  %-*s  %-*s  %4s  %11s\n", width, "joint", "kind", base_width,
            "base", follower_width, "follower", "rows", "coordinates");
    for (int i = 0; i < shown; ++i) {
        pawl_joint_info info = pawl_model_joint(model, pawl_model_joint_at(model, i));
        fprintf(to, "  %-*s  %-14s  %-*s  %-*s  %4d  %11d\n", width, info.name,
                pawl_joint_kind_name(info.kind), base_width, check_body_name(model, info.base),
                follower_width, check_body_name(model, info.follower), info.row_count,
                info.coordinate_count);
    }
    check_text_more(to, count);
}

static void check_text_points(const pawl_model *model, FILE *to)
{
    int count = pawl_model_contact_point_count(model);
    int shown = count < CHECK_TEXT_MOST_LINES ? count : CHECK_TEXT_MOST_LINES;
    int width = 13, body_width = 4;
    for (int i = 0; i < shown; ++i) {
        pawl_contact_point_def point = pawl_model_contact_point(model, i);
        width = check_text_widest(width, point.name);
        body_width = check_text_widest(body_width, check_body_name(model, point.body));
    }
    if (count == 0) {
        return;
    }
    fprintf(to, "\n  %-*s  %-*s  %-11s  %10s  %s\n", width, "contact point", body_width, "body",
            "model", "radius [m]", "where [m]");
    for (int i = 0; i < shown; ++i) {
        pawl_contact_point_def point = pawl_model_contact_point(model, i);
        pawl_vec3 at = point.frame.position;
        fprintf(to, "  %-*s  %-*s  %-11s  %10.4g  %.4g, %.4g, %.4g\n", width, point.name,
                body_width, check_body_name(model, point.body),
                pawl_wrench_kind_name(pawl_model_wrench_model(model, point.wrench_model).kind),
                point.radius, at.x, at.y, at.z);
    }
    check_text_more(to, count);
}

static void check_text_redundant(const pawl_model *model, const pawl_check *check, FILE *to)
{
    if (check->redundant_count == 0) {
        return;
    }
    int shown = check->redundant_count < CHECK_TEXT_MOST_LINES ? check->redundant_count
                                                               : CHECK_TEXT_MOST_LINES;
    int width = 13;
    for (int i = 0; i < shown; ++i) {
        width = check_text_widest(width, pawl_model_joint(model, check->redundant[i].joint).name);
    }
    fprintf(to, "\n  %-*s  %3s  %s\n", width, "redundant row", "row",
            "directions it constrains that earlier rows already constrain");
    for (int i = 0; i < shown; ++i) {
        const pawl_redundant_row *row = &check->redundant[i];
        fprintf(to, "  %-*s  %3d  %s\n", width, pawl_model_joint(model, row->joint).name, row->row,
                row->what);
    }
    check_text_more(to, check->redundant_count);
    fprintf(to, "  shared by the joints");
    int named = check->loop_joint_count < CHECK_TEXT_MOST_LINES ? check->loop_joint_count
                                                                : CHECK_TEXT_MOST_LINES;
    for (int i = 0; i < named; ++i) {
        fprintf(to, "%s %s", i > 0 ? "," : "", pawl_model_joint(model, check->loop_joints[i]).name);
    }
    fprintf(to, "%s\n", named < check->loop_joint_count ? ", ..." : "");
}

// How far the numbers of the model are from rows that repeat each other.
static void check_text_misfit(const pawl_model *model, const pawl_check *check, FILE *to)
{
    fprintf(to, "  redundant      rows repeat each other to %.1e (rad, or lengths)\n", check->weak);
    if (check->misfit.position > 0.0 || check->misfit.rotation > 0.0) {
        fprintf(to, "                 joints close to %.1e m, %.1e rad, worst at joint '%s'\n",
                check->misfit.position, check->misfit.rotation,
                pawl_model_joint(model, check->misfit.worst_joint).name);
    }
}

static void check_text_assembly(const pawl_model *model, const pawl_check *check, bool assembled,
                                FILE *to)
{
    const pawl_closure *start = &check->start;
    const pawl_closure *end = &check->assembled;
    if (pawl_joint_is_none(start->worst_joint)) {
        fprintf(to, "  assembly       nothing to assemble\n");
        return;
    }
    fprintf(to, "  assembly       as given    %.2e m, %.2e rad, worst at joint '%s'\n",
            start->position, start->rotation, pawl_model_joint(model, start->worst_joint).name);
    if (assembled) {
        fprintf(to, "                 assembled   %.2e m, %.2e rad\n", end->position,
                end->rotation);
    } else {
        fprintf(to, "                 the joints CANNOT be closed\n");
    }
    if (!pawl_joint_is_none(start->worst_limit) && start->limit > 0.0) {
        fprintf(to, "                 joint '%s' starts %.2e beyond its limit\n",
                pawl_model_joint(model, start->worst_limit).name, start->limit);
    }
}

// What a table of machines lists (Table II of the loops paper).
static void check_text_counts(const pawl_model *model, FILE *to)
{
    check_counts counts = check_counts_make(model);
    fprintf(to, "  coordinates %2d   %d actuated, %d passive", counts.coordinates, counts.actuated,
            counts.coordinates - counts.actuated);
    if (counts.free_bases > 0) {
        fprintf(to, ", 6 of them of %s",
                counts.free_bases == 1 ? "the free base" : "each free base");
    }
    fprintf(to, "\n  mass ratio  %.2f heaviest to lightest body\n", counts.mass_ratio);
}

// What formulation=auto chooses with default settings.
static void check_text_formulation(const console *con, const pawl_model *model, FILE *to)
{
    pawl_settings settings = pawl_settings_default();
    pawl_formulation kind;
    char reason[256];
    if (pawl_choose_formulation(&con->env, model, &settings, &kind, reason, sizeof reason) ==
        PAWL_OK) {
        fprintf(to, "  formulation    auto is %s\n", reason);
    }
}

void check_text(const console *con, const char *path, const pawl_model *model,
                const pawl_check *check, bool assembled, FILE *to)
{
    pawl_vec3 g = pawl_model_gravity(model);
    fprintf(to, "%s (%s)\n\n", pawl_model_name(model), path);
    fprintf(to, "  bodies    %4d\n", pawl_model_body_count(model));
    fprintf(to, "  joints    %4d\n", pawl_model_joint_count(model));
    if (pawl_model_actuator_count(model) > 0) {
        fprintf(to, "  actuators %4d\n", pawl_model_actuator_count(model));
    }
    if (pawl_model_spring_count(model) > 0) {
        fprintf(to, "  springs   %4d\n", pawl_model_spring_count(model));
    }
    fprintf(to, "  rows      %4d\n", pawl_model_row_count(model));
    if (assembled) {
        fprintf(to, "  rank      %4d   %d of the rows %s redundant\n", check->rank,
                check->redundant_count, check->redundant_count == 1 ? "is" : "are");
        fprintf(to, "  mobility  %4d   %d velocities less the rank\n", check->mobility,
                check->velocity_count);
    }
    check_text_counts(model, to);
    fprintf(to, "\n  mass           %.9g kg", pawl_model_mass(model));
    if (assembled) {
        fprintf(to, ", centre at %.6g, %.6g, %.6g m", check->com.x, check->com.y, check->com.z);
    }
    fprintf(to, "\n  gravity        %.6g, %.6g, %.6g m/s^2\n", g.x, g.y, g.z);
    check_text_assembly(model, check, assembled, to);
    if (assembled && check->rank > 0) {
        fprintf(to, "  conditioning   %.2e smallest misalignment that counts (rad, or lengths)\n",
                check->smallest_ratio);
    }
    if (assembled && check->redundant_count > 0) {
        check_text_misfit(model, check, to);
    }
    check_text_formulation(con, model, to);
    if (assembled) {
        check_text_redundant(model, check, to);
    }
    check_text_bodies(model, to);
    check_text_joints(model, to);
    check_text_points(model, to);
    warnings_out_list(check, to);
    fprintf(to, "\n");
    if (assembled && check->singular) {
        fprintf(to,
                "singular: the rank is %d here and %d close by; the mechanism can change its "
                "branch of motion\n",
                check->rank, check->generic_rank);
    }
    if (!assembled) {
        fprintf(to, "the model cannot be simulated\n");
        return;
    }
    int warnings = con->warning_count + check->warning_count;
    if (warnings == 0) {
        fprintf(to, "the model can be simulated; no warnings\n");
    } else {
        fprintf(to, "the model can be simulated; %d warning%s, above\n", warnings,
                warnings == 1 ? "" : "s");
    }
}
