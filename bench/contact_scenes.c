// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Scenes S1, S2, S3, S6, S7, S9 and S10 of the comparison with other engines: those with contact;
// and, for pawl alone, the stacks of D12 and bins full of bodies.
// Details that the comparison's text does not define: only the feet of the quadruped collide, and its hip blocks are
// cubes; the bricks of the wall weigh 1 kg and every other row is shifted by a quarter of a brick. By half a brick,
// those at the ends would be balanced on an edge.
#include "scene_build.h"

#include <math.h>
#include <stdint.h>

#define CONTACT_FRICTION 0.5

static const pawl_vec3 contact_scenes_no_axis = {0.0, 0.0, 0.0};

bench_scene *bench_scene_sliding_box(void)
{
    bench_scene *scene = bench_scene_create(1, 0, 1, "S1 box");
    int box = bench_add_box(scene, (pawl_vec3){0.0, 0.0, 0.1}, (pawl_vec3){0.1, 0.1, 0.1}, 1.0);
    scene->bodies[box].twist.linear.x = 2.0;
    return bench_scene_on_floor(scene, CONTACT_FRICTION, 0.5);
}

bench_scene *bench_scene_fixed(double offset)
{
    const pawl_vec3 half = {0.1, 0.1, 0.1};
    bench_scene *scene =
        bench_scene_create(2, 1, 2, "%s", offset == 0.0 ? "S2 fixed" : "S2 fixed offset");
    int light = bench_add_box(scene, (pawl_vec3){0.0, 0.0, 0.1}, half, 1.0);
    int heavy = bench_add_box(scene, (pawl_vec3){offset, 0.0, 0.3}, half, 1000.0);
    bench_add_joint(scene, BENCH_FIXED, light, heavy, (pawl_vec3){0.5 * offset, 0.0, 0.2},
                    contact_scenes_no_axis);
    return bench_scene_on_floor(scene, CONTACT_FRICTION, 1.0);
}

// The velocity of a stick's centre, `arm` along x from its end, which rests when it is let go.
static pawl_twist contact_scenes_swung(pawl_vec3 spin, double arm)
{
    return (pawl_twist){.linear = {0.0, spin.z * arm, -spin.y * arm}, .angular = spin};
}

bench_scene *bench_scene_nunchuk(void)
{
    const pawl_vec3 stick = {0.25, 0.025, 0.025};
    const pawl_vec3 link = {0.05, 0.025, 0.025};
    const double height = 0.5;
    bench_scene *scene = bench_scene_create(3, 2, 3, "S3 nunchuk");
    int first = bench_add_box(scene, (pawl_vec3){-0.3, 0.0, height}, stick, 1.0);
    int middle = bench_add_box(scene, (pawl_vec3){0.0, 0.0, height}, link, 0.1);
    int third = bench_add_box(scene, (pawl_vec3){0.3, 0.0, height}, stick, 1.0);
    scene->bodies[first].twist = contact_scenes_swung((pawl_vec3){1.0, 2.0, 0.0}, -stick.x);
    scene->bodies[third].twist = contact_scenes_swung((pawl_vec3){0.0, 3.0, 1.0}, stick.x);
    bench_add_joint(scene, BENCH_BALL, first, middle, (pawl_vec3){-link.x, 0.0, height},
                    contact_scenes_no_axis);
    bench_add_joint(scene, BENCH_BALL, middle, third, (pawl_vec3){link.x, 0.0, height},
                    contact_scenes_no_axis);
    return bench_scene_on_floor(scene, CONTACT_FRICTION, 4.0);
}

static void contact_scenes_add_servo(bench_scene *scene, int base, int follower, pawl_vec3 point,
                                     pawl_vec3 axis)
{
    bench_joint *joint = bench_add_joint(scene, BENCH_HINGE, base, follower, point, axis);
    joint->stiffness = 100.0;
    joint->damping = 2.0;
}

bench_scene *bench_scene_quadruped(void)
{
    const pawl_vec3 along_x = {1.0, 0.0, 0.0};
    const pawl_vec3 along_y = {0.0, 1.0, 0.0};
    const double bend = 0.6;
    const double rod = 0.2;
    const double section = 0.03;
    const double hip = 0.04; // half side of the hip block, which stands beside the torso
    const double foot = 0.02;
    const double drop = rod * cos(bend);
    const double height = 2.0 * drop + foot;
    bench_scene *scene = bench_scene_create(13, 12, 4, "S6 quadruped");
    int torso =
        bench_add_block(scene, (pawl_vec3){0.0, 0.0, height}, (pawl_vec3){0.2, 0.1, 0.05}, 8.0);
    for (int leg = 0; leg < 4; ++leg) {
        double x = leg < 2 ? 0.2 : -0.2;
        double side = leg % 2 == 0 ? 1.0 : -1.0;
        pawl_vec3 centre = {x, side * (0.1 + hip), height};
        pawl_vec3 knee = {x - rod * sin(bend), centre.y, height - drop};
        pawl_vec3 ankle = {x, centre.y, height - 2.0 * drop};
        int block = bench_add_block(scene, centre, (pawl_vec3){hip, hip, hip}, 0.5);
        int thigh = bench_add_rod(scene, centre, knee, 0.6, section);
        int shank = bench_add_rod(scene, knee, ankle, 0.2, section);
        contact_scenes_add_servo(scene, torso, block, (pawl_vec3){x, side * 0.1, height}, along_x);
        contact_scenes_add_servo(scene, block, thigh, centre, along_y);
        contact_scenes_add_servo(scene, thigh, shank, knee, along_y);
        bench_add_shape(scene, (bench_shape){.kind = BENCH_SPHERE,
                                             .body = shank,
                                             .offset = {0.5 * rod, 0.0, 0.0},
                                             .size = {foot, 0.0, 0.0}});
    }
    return bench_scene_on_floor(scene, 0.8, 2.0);
}

bench_scene *bench_scene_stack(int height)
{
    const double half = 0.1;
    bench_scene *scene = bench_scene_create(height, 0, height, "S7 stack of %d", height);
    for (int i = 0; i < height; ++i) {
        bench_add_box(scene, (pawl_vec3){0.0, 0.0, half * (2 * i + 1)},
                      (pawl_vec3){half, half, half}, 1.0);
    }
    return bench_scene_on_floor(scene, CONTACT_FRICTION, 1.0);
}

bench_scene *bench_scene_heavy_stack(int height, double ratio)
{
    const double half = 0.5;
    bench_scene *scene =
        bench_scene_create(height, 0, height, "D12 heavy stack of %d, 1:%g", height, ratio);
    for (int i = 0; i < height; ++i) {
        double mass = height > 1 ? pow(ratio, (double)i / (height - 1)) : 1.0;
        bench_add_box(scene, (pawl_vec3){0.0, 0.0, half * (2 * i + 1)},
                      (pawl_vec3){half, half, half}, mass);
    }
    return bench_scene_on_floor(scene, CONTACT_FRICTION, 1.0);
}

// Uniform in [-size, size), the same on every machine.
static double contact_scenes_random(uint64_t *seed, double size)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return size * ((double)(*seed >> 11) * 0x1p-52 - 1.0);
}

bench_scene *bench_scene_bin(bench_shape_kind kind, int count)
{
    const double half = 0.05;
    // Cubes have room to turn before they fall.
    const double pitch = kind == BENCH_SPHERE ? 0.12 : 0.18;
    const double play = 0.5 * pitch - (kind == BENCH_SPHERE ? half : sqrt(3.0) * half);
    int side = (int)lround(cbrt((double)count));
    uint64_t seed = 1;
    bench_scene *scene = bench_scene_create(count, 0, count, "bin of %d %s", count,
                                            kind == BENCH_SPHERE ? "spheres" : "boxes");
    scene->bin = 0.5 * pitch * side;
    for (int i = 0; i < count; ++i) {
        pawl_vec3 at = {pitch * (i % side + 0.5) - scene->bin + contact_scenes_random(&seed, play),
                        pitch * (i / side % side + 0.5) - scene->bin +
                            contact_scenes_random(&seed, play),
                        pitch * (i / (side * side) + 0.5)};
        pawl_vec3 turn = {contact_scenes_random(&seed, 1.0), contact_scenes_random(&seed, 1.0),
                          contact_scenes_random(&seed, 1.0)};
        double angle = sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
        int body = kind == BENCH_SPHERE
                       ? bench_add_ball(scene, at, half, 1.0)
                       : bench_add_box(scene, at, (pawl_vec3){half, half, half}, 1.0);
        scene->bodies[body].pose.orientation = pawl_quat_from_axis_angle(turn, angle);
    }
    return bench_scene_on_floor(scene, CONTACT_FRICTION, 9.0);
}

bench_scene *bench_scene_wall(int rows)
{
    const pawl_vec3 half = {0.1, 0.05, 0.05};
    const double pitch = 2.0 * half.x + 2e-3;
    bench_scene *scene =
        bench_scene_create(rows * rows, 0, rows * rows, "S7 wall of %d", rows * rows);
    for (int row = 0; row < rows; ++row) {
        for (int i = 0; i < rows; ++i) {
            double x = pitch * (i + 0.25 * (row % 2));
            bench_add_box(scene, (pawl_vec3){x, 0.0, half.z * (2 * row + 1)}, half, 1.0);
        }
    }
    return bench_scene_on_floor(scene, CONTACT_FRICTION, 1.0);
}

bench_scene *bench_scene_heap(int side)
{
    int count = side * side * side;
    bench_scene *scene = bench_scene_create(count, 0, count, "heap of %d boxes", count);
    for (int i = 0; i < count; ++i) {
        int x = i % side, y = i / side % side, z = i / (side * side);
        double size = i % 2 == 0 ? 0.05 : 0.07;
        pawl_vec3 at = {0.2 * x + 0.01 * z, 0.2 * y - 0.01 * z, 0.15 + 0.2 * z};
        int box = bench_add_box(scene, at, (pawl_vec3){size, 0.8 * size, 0.6 * size}, 1.0);
        // no two alike: quarter turns and a bit
        pawl_quat turn = {1.0, 0.3 * (i % 5) - 0.6, 0.2 * (i % 7) - 0.6, 0.25 * (i % 3)};
        scene->bodies[box].pose.orientation = pawl_quat_normalize(turn);
    }
    return bench_scene_on_floor(scene, CONTACT_FRICTION, 2.0);
}

// A card about y, its centre at (x, 0, z), leaning by that angle from upright towards x.
static void contact_scenes_add_card(bench_scene *scene, double x, double z, double lean,
                                    pawl_vec3 half)
{
    int card = bench_add_box(scene, (pawl_vec3){x, 0.0, z}, half, 0.002);
    scene->bodies[card].pose.orientation =
        pawl_quat_from_axis_angle((pawl_vec3){0.0, 1.0, 0.0}, lean);
}

bench_scene *bench_scene_cards(int levels)
{
    const double length = 0.09, width = 0.06, thick = 0.002, lean = 20.0 * M_PI / 180.0;
    const double rise = 0.5 * length * cos(lean) + 0.5 * thick * sin(lean); // of a centre
    const double aside = 0.5 * length * sin(lean) + 0.5 * thick * cos(lean);
    const double pitch = 4.0 * aside - 2.0 * thick * cos(lean) + 2.0 * thick * cos(lean) + 2e-3;
    const pawl_vec3 upright = {0.5 * thick, 0.5 * width, 0.5 * length};
    const pawl_vec3 flat = {0.5 * pitch - 5e-4, 0.5 * width, 0.5 * thick};
    int pairs = levels * (levels + 1) / 2, plates = levels * (levels - 1) / 2;
    int count = 2 * pairs + plates;
    bench_scene *scene = bench_scene_create(count, 0, count, "house of %d cards", count);
    for (int level = 0; level < levels; ++level) {
        double z = level * (2.0 * rise + thick);
        for (int i = 0; i < levels - level; ++i) {
            double x = pitch * (i + 0.5 * level);
            contact_scenes_add_card(scene, x - aside, z + rise, lean, upright);
            contact_scenes_add_card(scene, x + aside, z + rise, -lean, upright);
            if (i > 0) {
                contact_scenes_add_card(scene, x - 0.5 * pitch, z + 2.0 * rise + 0.5 * thick, 0.0,
                                        flat);
            }
        }
    }
    return bench_scene_on_floor(scene, 0.6, 1.0);
}

// Two piers whose courses lean inwards by a tenth of a block each, and a lintel across: a corbelled arch, whose blocks
// press on the inner halves of those below.
bench_scene *bench_scene_arch(int courses)
{
    const pawl_vec3 half = {0.1, 0.05, 0.05};
    const double lean = 0.1 * half.x, gap = 0.3;
    bench_scene *scene = bench_scene_create(2 * courses + 1, 0, 2 * courses + 1,
                                            "arch of %d blocks", 2 * courses + 1);
    for (int i = 0; i < courses; ++i) {
        double x = gap + half.x - lean * i, z = half.z * (2 * i + 1);
        bench_add_box(scene, (pawl_vec3){-x, 0.0, z}, half, 1.0);
        bench_add_box(scene, (pawl_vec3){x, 0.0, z}, half, 1.0);
    }
    bench_add_box(scene, (pawl_vec3){0.0, 0.0, half.z * (2 * courses + 1)},
                  (pawl_vec3){gap + half.x, half.y, half.z}, 4.0);
    return bench_scene_on_floor(scene, CONTACT_FRICTION, 1.0);
}

bench_scene *bench_scene_tumbling(void)
{
    bench_scene *scene = bench_scene_create(1, 0, 1, "tumbling cube");
    int cube =
        bench_add_box(scene, (pawl_vec3){0.0, 0.0, 0.08}, (pawl_vec3){0.05, 0.05, 0.05}, 0.37);
    scene->bodies[cube].twist = (pawl_twist){{2.0, 0.0, 0.0}, {0.0, 40.0, 3.0}};
    return bench_scene_on_floor(scene, CONTACT_FRICTION, 3.0);
}

bench_scene *bench_scene_toss(void)
{
    bench_scene *scene = bench_scene_create(1, 0, 1, "tossed cube");
    int cube =
        bench_add_box(scene, (pawl_vec3){0.0, 0.0, 0.3}, (pawl_vec3){0.05, 0.05, 0.05}, 0.37);
    scene->bodies[cube].twist = (pawl_twist){{1.5, 0.3, 0.5}, {7.0, -4.0, 5.0}};
    return bench_scene_on_floor(scene, 0.2, 1.5);
}

bench_scene *bench_scene_incline(double slope, bool diagonal)
{
    bench_scene *scene = bench_scene_create(1, 0, 1, "S9 incline %.2f along %s", slope,
                                            diagonal ? "the diagonal" : "x");
    double normal = BENCH_GRAVITY / sqrt(1.0 + slope * slope);
    double along = diagonal ? sqrt(0.5) : 1.0;
    bench_add_box(scene, (pawl_vec3){0.0, 0.0, 0.1}, (pawl_vec3){0.1, 0.1, 0.1}, 1.0);
    scene->gravity =
        (pawl_vec3){normal * slope * along, diagonal ? normal * slope * along : 0.0, -normal};
    return bench_scene_on_floor(scene, CONTACT_FRICTION, 1.0);
}

bench_scene *bench_scene_spinning_box(void)
{
    bench_scene *scene = bench_scene_create(1, 0, 1, "S10 spinning box");
    int box = bench_add_box(scene, (pawl_vec3){0.0, 0.0, 0.02}, (pawl_vec3){0.1, 0.1, 0.02}, 1.0);
    scene->bodies[box].twist = (pawl_twist){{3.0, 0.0, 0.0}, {0.0, 0.0, 10.0}};
    return bench_scene_on_floor(scene, CONTACT_FRICTION, 1.0);
}
