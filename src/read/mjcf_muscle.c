// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Muscles of MJCF. The file may omit two values: the peak force, which is then `scale` by the acceleration that a
// unit force gives in the configuration of the file, and the range of the muscle's length. MuJoCo computes the latter
// by pulling the model in both directions until it rests at its limits; here the length is minimized and maximized
// joint by joint over the joints' ranges, within the limits of the tendon, which gives the same limits.
#include "math/vec.h"
#include "read/mjcf_parts.h"
#include <math.h>
#include <string.h>

// Numbers of gainprm, in its order, and their names in <muscle>.
enum {
    MUSCLE_FORCE = 2,
    MUSCLE_SCALE,
    MUSCLE_SHORT,
    MUSCLE_LONG,
    MUSCLE_RATE,
    MUSCLE_PASSIVE,
    MUSCLE_STRETCH,
    MUSCLE_PRM
};
static const char *const muscle_words[MUSCLE_PRM] = {NULL,   NULL,   "force", "scale", "lmin",
                                                     "lmax", "vmax", "fpmax", "fvmax"};

static bool muscle_is(const mjcf_element *e, const char *attribute)
{
    const char *type = mjcf_get(e, attribute);
    return type != NULL && strcmp(type, "muscle") == 0;
}

// The peak is `force`, or minus `scale` where the file leaves it to mjcf_muscle_fit().
static pawl_muscle muscle_from(const double prm[MUSCLE_PRM])
{
    return (pawl_muscle){.peak = prm[MUSCLE_FORCE] < 0.0 ? -prm[MUSCLE_SCALE] : prm[MUSCLE_FORCE],
                         .range = {prm[0], prm[1]},
                         .shortest = prm[MUSCLE_SHORT],
                         .longest = prm[MUSCLE_LONG],
                         .rate = prm[MUSCLE_RATE],
                         .passive = prm[MUSCLE_PASSIVE],
                         .stretching = prm[MUSCLE_STRETCH]};
}

pawl_status mjcf_muscle_read(mjcf_reader *r, const mjcf_element *e, pawl_muscle *out)
{
    double prm[MUSCLE_PRM] = {0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2}, v[10] = {0.0};
    int n;
    *out = (pawl_muscle){.peak = 0.0};
    if (xml_is(e->node, "muscle")) {
        PAWL_TRY(mjcf_numbers(r, e, "range", prm, 2, &n));
        for (int i = MUSCLE_FORCE; i < MUSCLE_PRM; ++i) {
            PAWL_TRY(mjcf_number(r, e, muscle_words[i], &prm[i]));
        }
        *out = muscle_from(prm);
        return PAWL_OK;
    }
    bool active = muscle_is(e, "gaintype"), passive = muscle_is(e, "biastype");
    if (!xml_is(e->node, "general") || (!active && !passive)) {
        return PAWL_OK;
    }
    PAWL_TRY(mjcf_numbers(r, e, active ? "gainprm" : "biasprm", v, 10, &n));
    memcpy(prm, v, sizeof prm);
    if (active && passive) {
        PAWL_TRY(mjcf_numbers(r, e, "biasprm", v, 10, &n));
    }
    prm[MUSCLE_PASSIVE] = passive ? v[MUSCLE_PASSIVE] : 0.0;
    bool same = true; // what both curves have
    for (int i = 0; i < MUSCLE_SHORT && passive; ++i) {
        same = same && v[i] == prm[i];
    }
    if (!active || !same || (passive && v[MUSCLE_LONG] != prm[MUSCLE_LONG])) {
        return xml_unsupported(r->xml, e->node,
                               "a muscle whose gain and bias differ is not supported");
    }
    *out = muscle_from(prm);
    return PAWL_OK;
}

static double muscle_length(const mjcf_reader *r, int joint, int tendon, const double *way)
{
    return joint >= 0 ? MJCF_JOINT_AT(r, joint)->ref + way[joint]
                      : mjcf_path_length(r, MJCF_TENDON_AT(r, tendon), way);
}

// Moves joint k to where sign * length is largest: the best of a grid, then a search within its neighbours.
static double muscle_reach(const mjcf_reader *r, int joint, int tendon, double *way, int k,
                           double sign)
{
    const mjcf_joint *j = MJCF_JOINT_AT(r, k);
    const double pi = 3.14159265358979323846;
    double low = j->ranged ? j->coordinate.lower - j->ref : -pi;
    double high = j->ranged ? j->coordinate.upper - j->ref : pi;
    double best_way = way[k], best = sign * muscle_length(r, joint, tendon, way);
    for (double step = (high - low) / 16.0, from = low, to = high; step > 1e-7 * (high - low);
         step /= 8.0) {
        for (double x = from; x <= to + 0.5 * step; x += step) {
            way[k] = fmin(fmax(x, low), high);
            double here = sign * muscle_length(r, joint, tendon, way);
            if (here > best) {
                best = here;
                best_way = way[k];
            }
        }
        from = best_way - step;
        to = best_way + step;
    }
    way[k] = best_way;
    return best;
}

static pawl_status muscle_range(mjcf_reader *r, int joint, int tendon, double out[2])
{
    int n = r->joints.count;
    bool bounded = true;
    double *way = xml_alloc(r->xml, ((size_t)n + 1) * sizeof *way);
    bool *moves = xml_alloc(r->xml, ((size_t)n + 1) * sizeof *moves);
    if (way == NULL || moves == NULL) {
        return PAWL_NO_MEMORY;
    }
    memset(way, 0, (size_t)n * sizeof *way);
    double start = muscle_length(r, joint, tendon, way);
    int moving = 0;
    for (int k = 0; k < n; ++k) { // joints that the length depends on
        const mjcf_joint *j = MJCF_JOINT_AT(r, k);
        moves[k] = false;
        for (int i = 1; i <= 2 && j->type >= MJCF_SLIDE; ++i) {
            way[k] = 0.37 * i;
            moves[k] = moves[k] || fabs(muscle_length(r, joint, tendon, way) - start) > 1e-12;
        }
        way[k] = 0.0;
        bounded = bounded && (!moves[k] || j->ranged || j->type == MJCF_HINGE);
        moves[k] = moves[k] && (j->ranged || j->type == MJCF_HINGE);
        moving += moves[k] ? 1 : 0;
    }
    for (int end = 0; end < 2; ++end) {
        double sign = end == 0 ? -1.0 : 1.0, best = -INFINITY, last;
        memset(way, 0, (size_t)n * sizeof *way);
        int sweeps = 0,
            most = 1 + 600 / (moving > 0 ? moving : 1); // bounds the work of a hostile file
        do {
            last = best;
            for (int k = 0; k < n; ++k) {
                best = moves[k] ? muscle_reach(r, joint, tendon, way, k, sign) : best;
            }
        } while (best > last + 1e-9 && ++sweeps < most);
        out[end] = !bounded ? sign * INFINITY : isfinite(best) ? sign * best : start;
    }
    double limits[2] = {-INFINITY, INFINITY};
    if (tendon >= 0) {
        PAWL_TRY(mjcf_tendon_bounds(r, MJCF_TENDON_AT(r, tendon), limits));
    }
    out[0] = fmax(out[0], limits[0]);
    out[1] = fmin(out[1], limits[1]);
    return PAWL_OK;
}

// d length / d joint, by central differences; of paths around geoms there is no simpler expression here.
static pawl_status muscle_slope(mjcf_reader *r, int joint, int tendon, double gear, double **out)
{
    int n = r->joints.count;
    const double step = 1e-5;
    double *way = xml_alloc(r->xml, ((size_t)n + 1) * sizeof *way);
    *out = xml_alloc(r->xml, ((size_t)n + 1) * sizeof **out);
    if (way == NULL || *out == NULL) {
        return PAWL_NO_MEMORY;
    }
    memset(way, 0, (size_t)n * sizeof *way);
    for (int k = 0; k < n; ++k) {
        way[k] = step;
        double ahead = muscle_length(r, joint, tendon, way);
        way[k] = -step;
        (*out)[k] = gear * (ahead - muscle_length(r, joint, tendon, way)) / (2.0 * step);
        way[k] = 0.0;
    }
    return PAWL_OK;
}

pawl_status mjcf_muscle_fit(mjcf_reader *r, const mjcf_element *e, int joint, int tendon,
                            double gear, pawl_muscle *m)
{
    int n;
    if (m->peak == 0.0) {
        return PAWL_OK;
    }
    if (tendon >= 0) {
        PAWL_TRY(mjcf_path_lay(r, MJCF_TENDON_AT(r, tendon)));
    }
    m->gear = gear;
    PAWL_TRY(mjcf_numbers(r, e, "lengthrange", m->length, 2, &n));
    if (n != 2 || !(m->length[0] < m->length[1])) {
        double path[2];
        PAWL_TRY(muscle_range(r, joint, tendon, path));
        m->length[0] = fmin(gear * path[0], gear * path[1]);
        m->length[1] = fmax(gear * path[0], gear * path[1]);
        if (!isfinite(m->length[0] + m->length[1]) || m->length[0] >= m->length[1]) {
            return xml_error(r->xml, e->node,
                             "the length of the muscle goes from %g to %g by the ranges of its "
                             "joints and of its tendon, expected two numbers that rise: give it a "
                             "lengthrange, or these a range",
                             m->length[0], m->length[1]);
        }
    }
    if (m->peak < 0.0) {
        double *slope, acceleration;
        PAWL_TRY(muscle_slope(r, joint, tendon, gear, &slope));
        PAWL_TRY(mjcf_dofs_acceleration(r, slope, &acceleration));
        m->peak = -m->peak / max_of(acceleration, 1e-15);
    }
    return PAWL_OK;
}
