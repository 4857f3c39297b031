// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Whipple's bicycle that rolls at 5 m/s without a rider's control, beside its linearized equations: four bodies, three
// hinges, two thin wheels that touch the ground without slip. Parameters and matrices of the benchmark of J. P. Meijaard,
// J. M. Papadopoulos, A. Ruina, A. L. Schwab, "Linearized dynamics equations for the balance and steer of a bicycle"
// (Proc. R. Soc. A 463, 2007), whose z axis points down; here it points up, so that the steer angle changes its sign.
#include "pawl/io.h"
#include "pawl/pawl.h"
#include "support/test.h"
#include <math.h>
#include <string.h>

static const char bicycle_sdf[] =
    "<sdf version='1.10' xmlns:pawl='urn:pawl:sdf'><world name='w'><gravity>0 0 -9.81</gravity>"
    "<model name='ground'><static>true</static><link name='g'><collision "
    "name='c'><geometry><plane/>"
    "</geometry><pawl:friction>5</pawl:friction></collision></link></model><model name='bicycle'>"
    "<link name='frame'><pose>0.3 0 0.9 0 0 "
    "0</pose><inertial><mass>85</mass><inertia><ixx>9.2</ixx>"
    "<iyy>11</iyy><izz>2.8</izz><ixz>-2.4</ixz></inertia></inertial></link>"
    "<link name='fork'><pose>0.9 0 0.7 0 0 0</pose><inertial><mass>4</mass><inertia>"
    "<ixx>0.05892</ixx><iyy>0.06</iyy><izz>0.00708</izz><ixz>0.00756</ixz></inertia></inertial></"
    "link>"
    "<link name='rear'><pose>0 0 0.3 0 0 0</pose><inertial><mass>2</mass><inertia><ixx>0.0603</ixx>"
    "<iyy>0.12</iyy><izz>0.0603</izz></inertia></inertial><collision name='c'><geometry><ellipsoid>"
    "<radii>0.3 0.0005 "
    "0.3</radii></ellipsoid></geometry><pawl:friction>5</pawl:friction></collision></link>"
    "<link name='front'><pose>1.02 0 0.35 0 0 "
    "0</pose><inertial><mass>3</mass><inertia><ixx>0.1405</ixx>"
    "<iyy>0.28</iyy><izz>0.1405</izz></inertia></inertial><collision name='c'><geometry><ellipsoid>"
    "<radii>0.35 0.0005 "
    "0.35</radii></ellipsoid></geometry><pawl:friction>5</pawl:friction></collision></link>"
    "<joint name='rear_axle' type='revolute'><parent>frame</parent><child>rear</child><axis>"
    "<xyz>0 1 0</xyz></axis></joint><joint name='front_axle' type='revolute'><parent>fork</parent>"
    "<child>front</child><axis><xyz>0 1 0</xyz></axis></joint>"
    // The steer axis leans back by 18 degrees and meets the ground at x = 1.02 + 0.08 m.
    "<joint name='steer' type='revolute'><parent>frame</parent><child>fork</child>"
    "<pose relative_to='__model__'>0.93754015190 0 0.5 0 0 0</pose><axis>"
    "<xyz expressed_in='__model__'>-0.30901699437494740 0 0.95105651629515357</xyz></axis></joint>"
    "</model></world></sdf>";

typedef struct lean_steer {
    double angle[2], rate[2]; // lean to the right, steer to the left
} lean_steer;

static lean_steer bicycle_look(const pawl_model *model, const pawl_state *state)
{
    lean_steer out;
    pawl_body_id frame = pawl_model_find_body(model, "frame");
    pawl_quat q = pawl_state_pose(state, frame).orientation;
    out.angle[0] = asin(2.0 * (q.y * q.z + q.w * q.x));
    out.rate[0] = pawl_state_twist(state, frame).angular.x;
    CHECK_OK(pawl_state_joint(state, pawl_model_find_joint(model, "steer"), &out.angle[1],
                              &out.rate[1]));
    return out;
}

// M a'' + v C1 a' + (g K0 + v^2 K2) a = 0, the benchmark's numbers with the sign of the steer angle changed.
static void bicycle_accelerate(const lean_steer *x, double v, double a[2])
{
    const double M[2][2] = {{80.81722, -2.31941332208709}, {-2.31941332208709, 0.29784188199686}};
    const double K0[2][2] = {{-80.95, 2.59951685249872}, {2.59951685249872, -0.80329488458618}};
    const double K2[2][2] = {{0.0, -76.59734589573222}, {0.0, 2.65431523794604}};
    const double C1[2][2] = {{0.0, -33.86641391492494}, {0.85035641456978, 1.68540397397560}};
    double f[2];
    for (int i = 0; i < 2; ++i) {
        f[i] = 0.0;
        for (int k = 0; k < 2; ++k) {
            f[i] -= v * C1[i][k] * x->rate[k] + (9.81 * K0[i][k] + v * v * K2[i][k]) * x->angle[k];
        }
    }
    double det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
    a[0] = (M[1][1] * f[0] - M[0][1] * f[1]) / det;
    a[1] = (M[0][0] * f[1] - M[1][0] * f[0]) / det;
}

// A step of the method of Runge and Kutta, of order 4.
static lean_steer bicycle_runge_kutta(lean_steer x, double v, double h)
{
    const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    lean_steer sum = x, slope = {{0.0, 0.0}, {0.0, 0.0}};
    for (int stage = 0; stage < 4; ++stage) {
        lean_steer at = x;
        for (int i = 0; i < 2; ++i) {
            at.angle[i] += node[stage] * h * slope.angle[i];
            at.rate[i] += node[stage] * h * slope.rate[i];
        }
        bicycle_accelerate(&at, v, slope.rate);
        memcpy(slope.angle, at.rate, sizeof slope.angle);
        for (int i = 0; i < 2; ++i) {
            sum.angle[i] += weight[stage] * h * slope.angle[i];
            sum.rate[i] += weight[stage] * h * slope.rate[i];
        }
    }
    return sum;
}

// A push in lean of 1e-3 rad/s; the first 0.2 s are left to the contacts to settle. Then lean and steer follow the linear
// equations for 1.8 s, through the damped weave (-0.775 +- 4.465 i) and capsize (-0.323).
TEST(a_rolling_bicycle_leans_and_steers_as_the_benchmark_says)
{
    const double v = 5.0, lean = 1e-3;
    test_env t;
    test_env_init(&t);
    pawl_model *model;
    CHECK_OK(
        pawl_model_parse(&t.env, "bicycle.sdf", bicycle_sdf, strlen(bicycle_sdf), NULL, &model));
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
    const struct {
        const char *name;
        double height, spin;
    } body[] = {
        {"frame", 0.9, 0}, {"fork", 0.7, 0}, {"rear", 0.3, v / 0.3}, {"front", 0.35, v / 0.35}};
    for (size_t i = 0; i < sizeof body / sizeof *body; ++i) {
        pawl_twist twist = {{v, -lean * body[i].height, 0}, {lean, body[i].spin, 0}};
        CHECK_OK(pawl_state_set_twist(pawl_sim_edit_state(sim),
                                      pawl_model_find_body(model, body[i].name), twist));
    }
    lean_steer expected = {{0.0, 0.0}, {0.0, 0.0}};
    double largest = 0.0, error = 0.0;
    for (int step = 1; step <= 2000; ++step) {
        CHECK_OK(pawl_sim_step(sim, NULL));
        lean_steer now = bicycle_look(model, pawl_sim_state(sim));
        expected = step <= 200 ? now : bicycle_runge_kutta(expected, v, settings.dt);
        for (int i = 0; i < 2; ++i) {
            largest = fmax(largest, fabs(now.angle[i]));
            error = fmax(error, fabs(now.angle[i] - expected.angle[i]));
        }
    }
    CHECK(largest > 1.5e-4 && largest < 4e-4);
    CHECK_NEAR(error / largest, 0.0, 0.01);
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}
