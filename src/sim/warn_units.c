// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Numbers that are probably in another unit: millimetres or tonnes instead of metres and kilograms, degrees instead
// of radians.
//
// Lengths: a body that reaches 50 m, or one that is lighter than the air it displaces, was probably
// given in millimetres (a part of 30 mm and 50 g becomes one of 30 m and 1e-3 kg/m^3), and so was one of 5 m that weighs
// less than 50 g a metre; a model whose
// largest body measures less than 5 mm was probably scaled twice, and if not, needs other settings than
// the defaults. Masses: a body that weighs more than a ball of its size of the densest metal was given in grams. Angles: limits of whole numbers
// from 10 on are degrees, unless they are a power of ten, which stands for "no limit".
#include "sim/shape_reach.h"
#include "sim/warnings.h"

static const double units_largest = 50.0; // reach of a body [m]
static const double units_long = 5.0;     // reach from which on that of a metre counts [m]
static const double units_thin = 0.05;    // mass of a metre [kg]
static const double units_densest = 5e4;  // osmium has 22600; shapes may leave out a part [kg/m^3]
static const double units_smallest = 2.5e-3; // reach of the largest body [m]
static const double units_lightest = 0.1;    // mean density; air has 1.2 [kg/m^3]
static const double units_heaviest = 1e6;    // of the whole [kg]
static const double units_gravity = 100.0;   // the sun's surface has 274 [m/s^2]

static const char *const units_length_advice =
    "lengths are in metres, masses in kilograms: scale a model given in millimetres by 0.001";

// Volume of the shapes that collide [m^3]; hulls and meshes count as the box around their points.
static double units_volume(const pawl_model *m, const model_body *b)
{
    double volume = 0.0;
    for (int s = b->first_shape; s < b->first_shape + b->shape_count; ++s) {
        const pawl_shape_def *def = &m->shapes[s].def;
        if (def->visual_only || def->kind == PAWL_SHAPE_PLANE) {
            continue;
        }
        if (def->point_count == 0) {
            volume += pawl_mass_of_shape(def, 1.0).mass;
            continue;
        }
        pawl_vec3 low = def->points[0], high = low;
        for (int k = 1; k < def->point_count; ++k) {
            pawl_vec3 p = def->points[k];
            low = v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
            high = v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
        }
        pawl_vec3 side = v3_sub(high, low);
        volume += side.x * side.y * side.z;
    }
    return volume;
}

typedef struct units_extent {
    double reach; // of the largest body, from its centre of mass [m]
    int largest;
    double density; // of the lightest, where shapes tell [kg/m^3]
    int lightest;
} units_extent;

static void units_reaches(units_extent *e, const pawl_model *m, int body, double reach)
{
    // A ground may be as large as it likes.
    if (body >= 0 && m->bodies[body].inverse_mass > 0.0 && reach > e->reach) {
        e->reach = reach;
        e->largest = body;
    }
}

// By shapes, and by joints, which may be all that a model has.
static units_extent units_measure(const pawl_model *m)
{
    units_extent e = {.largest = -1, .density = INFINITY, .lightest = -1};
    for (int i = 0; i < m->body_count; ++i) {
        const model_body *b = &m->bodies[i];
        units_reaches(&e, m, i, pawl_body_reach(m, i));
        double volume = units_volume(m, b);
        if (b->inverse_mass > 0.0 && volume > 0.0 && b->mass / volume < e.density) {
            e.density = b->mass / volume;
            e.lightest = i;
        }
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        if (j->kind != PAWL_JOINT_GEAR && j->kind != PAWL_JOINT_FREE &&
            j->kind != PAWL_JOINT_SPAN) {
            units_reaches(&e, m, j->base, v3_norm(j->base_anchor));
            units_reaches(&e, m, j->follower, v3_norm(j->follower_anchor));
        }
    }
    return e;
}

// One warning at most besides that of gravity: all have the same cause.
pawl_status pawl_warn_length(pawl_sim *sim, warning_list *list)
{
    const pawl_model *m = sim->model;
    units_extent e = units_measure(m);
    double g = v3_norm(m->gravity);
    if (g > units_gravity) {
        PAWL_TRY(pawl_warning_add(list, PAWL_WARNING_LENGTH_UNIT, "gravity", units_length_advice,
                                  "%.5g m/s^2; the earth has 9.81", g));
    }
    if (e.reach > units_largest) {
        return pawl_warning_add(list, PAWL_WARNING_LENGTH_UNIT,
                                pawl_warning_body(m, e.largest).text, units_length_advice,
                                "it reaches %.4g m from its centre of mass", e.reach);
    }
    if (e.reach > units_long && m->bodies[e.largest].mass < units_thin * e.reach) {
        return pawl_warning_add(list, PAWL_WARNING_LENGTH_UNIT,
                                pawl_warning_body(m, e.largest).text, units_length_advice,
                                "it reaches %.4g m from its centre of mass and weighs %.3g kg",
                                e.reach, m->bodies[e.largest].mass);
    }
    if (e.density < units_lightest) {
        return pawl_warning_add(list, PAWL_WARNING_LENGTH_UNIT,
                                pawl_warning_body(m, e.lightest).text, units_length_advice,
                                "its shapes have a mean density of %.3g kg/m^3; air has 1.2",
                                e.density);
    }
    if (e.reach > 0.0 && e.reach < units_smallest) {
        return pawl_warning_add(
            list, PAWL_WARNING_LENGTH_UNIT, pawl_warning_body(m, e.largest).text,
            "lengths are in metres; if the model is that small, choose contact.margin and dt for "
            "it",
            "the largest body of the model reaches %.3g m from its centre of mass", e.reach);
    }
    return PAWL_OK;
}

// Density of a ball that has room for the body: for its shapes, its joints and its radius of gyration. 0 without shapes,
// where nothing tells its size.
static double units_ball_density(const pawl_model *m, int body)
{
    const model_body *b = &m->bodies[body];
    double reach = pawl_body_reach(m, body);
    if (!(reach > 0.0)) {
        return 0.0;
    }
    double trace = b->inertia.m[0][0] + b->inertia.m[1][1] + b->inertia.m[2][2];
    reach = fmax(reach, sqrt(0.5 * trace * b->inverse_mass));
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        reach = fmax(reach, j->base == body ? v3_norm(j->base_anchor) : 0.0);
        reach = fmax(reach, j->follower == body ? v3_norm(j->follower_anchor) : 0.0);
    }
    return b->mass / (4.18879 * reach * reach * reach);
}

// One warning at most: all have the same cause.
pawl_status pawl_warn_mass(pawl_sim *sim, warning_list *list)
{
    const pawl_model *m = sim->model;
    int heaviest = -1;
    for (int i = 0; i < m->body_count; ++i) {
        double density = m->bodies[i].inverse_mass > 0.0 ? units_ball_density(m, i) : 0.0;
        if (density > units_densest) {
            return pawl_warning_add(list, PAWL_WARNING_MASS_UNIT, pawl_warning_body(m, i).text,
                                    "masses are in kilograms: scale one given in grams by 0.001",
                                    "%.4g kg in the space of its shapes and joints would be %.3g "
                                    "kg/m^3; the densest metal has 22600",
                                    m->bodies[i].mass, density);
        }
        bool moves = m->bodies[i].inverse_mass > 0.0;
        if (moves && (heaviest < 0 || m->bodies[i].mass > m->bodies[heaviest].mass)) {
            heaviest = i;
        }
    }
    if (heaviest >= 0 && m->total_mass >= units_heaviest) {
        return pawl_warning_add(list, PAWL_WARNING_MASS_UNIT, pawl_warning_body(m, heaviest).text,
                                "masses are in kilograms, densities in kg/m^3 (water has 1000)",
                                "the model has a mass of %.4g kg, most of it here", m->total_mass);
    }
    return PAWL_OK;
}

// Whether a number of radians looks like degrees.
// Whole numbers from 10 to 720 except 10 and 100, which are not plausible as radians.
static bool units_like_degrees(double angle)
{
    double a = fabs(angle);
    return a >= 10.0 && a <= 720.0 && a == floor(a) && a != 10.0 && a != 100.0;
}

// A limit of 0 goes with anything; one with a fraction was computed, and is in radians.
static bool units_limits_like_degrees(double lower, double upper)
{
    bool low = units_like_degrees(lower), high = units_like_degrees(upper);
    return (low && (high || !isfinite(upper) || upper == floor(upper))) ||
           (high && (!isfinite(lower) || lower == floor(lower)));
}

static const char *const units_angle_advice =
    "angles are in radians: 90 degrees are 1.5708 rad; a joint without limits needs none";

// Limits, rest angles of springs and constant targets of position actuators, of rotational coordinates.
pawl_status pawl_warn_degrees(pawl_sim *sim, warning_list *list)
{
    const pawl_model *m = sim->model;
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        for (int c = 0; c < j->coordinate_count; ++c) {
            if (!pawl_joint_kind_is_angle(j->kind, c)) {
                continue;
            }
            const pawl_coordinate_def *d = &j->coordinate[c];
            if (units_limits_like_degrees(d->lower, d->upper)) {
                PAWL_TRY(pawl_warning_add(
                    list, PAWL_WARNING_DEGREES, pawl_warning_joint(m, i).text, units_angle_advice,
                    "its limits of %g and %g rad look like degrees", d->lower, d->upper));
            } else if (d->stiffness > 0.0 && units_like_degrees(d->rest)) {
                PAWL_TRY(pawl_warning_add(
                    list, PAWL_WARNING_DEGREES, pawl_warning_joint(m, i).text, units_angle_advice,
                    "its spring is slack at %g rad, which looks like degrees", d->rest));
            }
        }
    }
    for (int i = 0; i < m->actuator_count; ++i) {
        const pawl_actuator_def *a = &m->actuators[i];
        if (a->kind == PAWL_ACTUATOR_POSITION && a->target.kind == PAWL_SIGNAL_CONSTANT &&
            pawl_joint_kind_is_angle(m->joints[pawl_joint_index(a->joint)].kind, a->coordinate) &&
            units_like_degrees(a->target.value)) {
            PAWL_TRY(pawl_warning_add(
                list, PAWL_WARNING_DEGREES, pawl_warning_joint(m, pawl_joint_index(a->joint)).text,
                units_angle_advice, "the target of its actuator, %g rad, looks like degrees",
                a->target.value));
        }
    }
    return PAWL_OK;
}
