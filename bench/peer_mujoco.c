// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The scenes in MuJoCo: joint coordinates on a spanning tree of the hinges and balls, found breadth first from the
// world and then from the first body of every floating part; each remaining hinge closes a loop by one equality
// constraint of type connect at the hinge's point. One connect is usual for planar mechanisms, because the tree's
// parallel hinges already keep the axes parallel. Fixed joints are equality constraints of type weld between bodies
// that are otherwise free, as the scenes ask for. A servo is a position actuator with the damping in the joint, where
// MuJoCo integrates it implicitly. The model is written as MJCF into memory and loaded through MuJoCo's virtual file
// system. Options have their defaults, except for the integrator, the friction cone, and the softness of constraints
// in "rk4 stiff" (loops: solref 2 dt, the stiffest MuJoCo allows, and solimp 0.99) and "acc" (loops and contacts:
// solref 2 dt).
#include "peer.h"

#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MUJOCO_RK4 = 1,
    MUJOCO_STIFF = 2,
    MUJOCO_ELLIPTIC = 4, // impratio 10, implicit in velocity
    MUJOCO_ACCURATE = 8  // elliptic, impratio 100, solref 2 dt
};

// Room for the contacts of a wall: the compiler's own guess overflows there, and a full MuJoCo
// drops contacts.
enum { MUJOCO_CONTACTS_PER_SHAPE = 16, MUJOCO_ROWS_PER_CONTACT = 4 };

// MuJoCo's XML parser refuses elements nested about 100 deep, which a long chain exceeds. Included
// files are parsed by themselves, so every so many bodies the next file begins.
enum { MUJOCO_FILE_DEPTH = 60, MUJOCO_MAX_FILES = 64 };

typedef struct mujoco_run {
    mjModel *model;
    mjData *data;
    int body_count;
    int *ids; ///< MuJoCo's body of each of the scene's
} mujoco_run;

typedef struct mujoco_text {
    char *bytes;
    size_t used, capacity;
} mujoco_text;

typedef struct mujoco_files {
    mujoco_text text[MUJOCO_MAX_FILES]; ///< [0] is the model, the others are included by it
    int count;
} mujoco_files;

// The spanning tree of the joint graph.
typedef struct mujoco_tree {
    const bench_scene *scene;
    int *joint_of;     ///< the joint by which each body hangs on its parent; -1: it is free
    int *parent;       ///< body index or BENCH_WORLD
    int *first, *next; ///< children as linked lists; first[0] is the world's, first[b + 1] b's
    bool *is_loop;     ///< per joint: not in the tree
} mujoco_tree;

static void *mujoco_allocate(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (block == NULL) {
        fprintf(stderr, "bench: out of memory for MuJoCo\n");
        exit(1);
    }
    return block;
}

__attribute__((format(printf, 2, 3))) static void mujoco_write(mujoco_text *text,
                                                               const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    size_t need = (size_t)vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (text->used + need + 1 > text->capacity) {
        text->capacity = 2 * (text->used + need + 1);
        char *bytes = realloc(text->bytes, text->capacity);
        if (bytes == NULL) {
            fprintf(stderr, "bench: out of memory for MuJoCo\n");
            exit(1);
        }
        text->bytes = bytes;
    }
    vsnprintf(text->bytes + text->used, need + 1, format, again);
    va_end(again);
    text->used += need;
}

static mujoco_tree mujoco_tree_make(const bench_scene *scene)
{
    size_t bodies = (size_t)scene->body_count;
    mujoco_tree tree = {
        .scene = scene,
        .joint_of = mujoco_allocate(bodies, sizeof(int)),
        .parent = mujoco_allocate(bodies, sizeof(int)),
        .first = mujoco_allocate(bodies + 1, sizeof(int)),
        .next = mujoco_allocate(bodies, sizeof(int)),
        .is_loop = mujoco_allocate((size_t)scene->joint_count + 1, sizeof(bool)),
    };
    int *queue = mujoco_allocate(bodies + 1, sizeof(int));
    bool *placed = mujoco_allocate(bodies, sizeof(bool));
    for (int i = 0; i < scene->body_count; ++i) {
        tree.joint_of[i] = -1;
    }
    for (int i = 0; i <= scene->body_count; ++i) {
        tree.first[i] = -1;
    }
    int filled = 1;
    queue[0] = BENCH_WORLD;
    for (int k = 0, root = 0; k < filled; ++k) {
        for (int h = 0; h < scene->joint_count; ++h) {
            const bench_joint *joint = &scene->joints[h];
            int child = joint->base == queue[k]       ? joint->follower
                        : joint->follower == queue[k] ? joint->base
                                                      : BENCH_WORLD;
            if (joint->kind != BENCH_FIXED && child != BENCH_WORLD && !placed[child]) {
                placed[child] = true;
                tree.joint_of[child] = h;
                tree.parent[child] = queue[k];
                queue[filled++] = child;
            }
        }
        while (k + 1 == filled && root < scene->body_count) { // this part is done: the next floats
            if (!placed[root]) {
                placed[root] = true;
                tree.parent[root] = BENCH_WORLD;
                queue[filled++] = root;
            }
            ++root;
        }
    }
    for (int k = filled - 1; k > 0; --k) { // lists fill from the front
        int child = queue[k];
        int *first = &tree.first[tree.parent[child] + 1];
        tree.next[child] = *first;
        *first = child;
    }
    free(queue);
    free(placed);
    for (int h = 0; h < scene->joint_count; ++h) {
        const bench_joint *joint = &scene->joints[h];
        bool in_tree = tree.joint_of[joint->follower] == h ||
                       (joint->base != BENCH_WORLD && tree.joint_of[joint->base] == h);
        tree.is_loop[h] = !in_tree;
    }
    return tree;
}

static void mujoco_tree_free(mujoco_tree *tree)
{
    free(tree->joint_of);
    free(tree->parent);
    free(tree->first);
    free(tree->next);
    free(tree->is_loop);
}

static pawl_pose mujoco_world_pose(const bench_scene *scene, int body)
{
    return body == BENCH_WORLD ? pawl_pose_identity() : scene->bodies[body].pose;
}

static void mujoco_write_joint(mujoco_text *text, const mujoco_tree *tree, int index)
{
    if (tree->joint_of[index] < 0) {
        mujoco_write(text, "<freejoint name='j%d'/>\n", index);
        return;
    }
    const bench_joint *joint = &tree->scene->joints[tree->joint_of[index]];
    pawl_pose inverse = pawl_pose_inverse(tree->scene->bodies[index].pose);
    pawl_vec3 anchor = pawl_pose_apply(inverse, joint->point);
    mujoco_write(text, "<joint name='j%d' type='%s' pos='%.17g %.17g %.17g'", index,
                 joint->kind == BENCH_HINGE ? "hinge" : "ball", anchor.x, anchor.y, anchor.z);
    if (joint->kind == BENCH_HINGE) {
        pawl_vec3 axis = pawl_quat_rotate(inverse.orientation, joint->axis);
        mujoco_write(text, " axis='%.17g %.17g %.17g' damping='%.17g'", axis.x, axis.y, axis.z,
                     joint->damping);
    }
    mujoco_write(text, "/>\n");
}

static void mujoco_write_shapes(mujoco_text *text, const bench_scene *scene, int body)
{
    for (int i = 0; i < scene->shape_count; ++i) {
        const bench_shape *shape = &scene->shapes[i];
        if (shape->body == body) {
            mujoco_write(
                text, "<geom type='%s' pos='%.17g %.17g %.17g' size='%.17g %.17g %.17g'/>\n",
                shape->kind == BENCH_BOX ? "box" : "sphere", shape->offset.x, shape->offset.y,
                shape->offset.z, shape->size.x, shape->size.y, shape->size.z);
        }
    }
}

static void mujoco_write_bodies(mujoco_files *files, int file, int depth, const mujoco_tree *tree,
                                int first);

static void mujoco_write_body(mujoco_files *files, int file, int depth, const mujoco_tree *tree,
                              int index)
{
    mujoco_text *text = &files->text[file];
    const bench_scene *scene = tree->scene;
    const bench_body *body = &scene->bodies[index];
    pawl_pose base = mujoco_world_pose(scene, tree->parent[index]);
    pawl_pose local = pawl_pose_compose(pawl_pose_inverse(base), body->pose);
    mujoco_write(text, "<body name='b%d' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>\n",
                 index, local.position.x, local.position.y, local.position.z, local.orientation.w,
                 local.orientation.x, local.orientation.y, local.orientation.z);
    mujoco_write(text, "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n",
                 body->mass, body->inertia.x, body->inertia.y, body->inertia.z);
    mujoco_write_joint(text, tree, index);
    mujoco_write_shapes(text, scene, index);
    mujoco_write_bodies(files, file, depth + 1, tree, tree->first[index + 1]);
    mujoco_write(text, "</body>\n");
}

// Writes the list of siblings that starts with `first`, in a file of their own when it is time.
static void mujoco_write_bodies(mujoco_files *files, int file, int depth, const mujoco_tree *tree,
                                int first)
{
    bool split = depth == MUJOCO_FILE_DEPTH && first >= 0 && files->count < MUJOCO_MAX_FILES;
    int target = file;
    if (split) {
        target = files->count++;
        depth = 0;
        mujoco_write(&files->text[file], "<include file='part%d.xml'/>\n", target);
        mujoco_write(&files->text[target], "<mujocoinclude>\n");
    }
    for (int child = first; child >= 0; child = tree->next[child]) {
        mujoco_write_body(files, target, depth, tree, child);
    }
    if (split) {
        mujoco_write(&files->text[target], "</mujocoinclude>\n");
    }
}

// Loops and welds; bodies that must not collide (MuJoCo itself spares only parents and children);
// servos.
static void mujoco_write_constraints(mujoco_text *text, const mujoco_tree *tree)
{
    const bench_scene *scene = tree->scene;
    mujoco_write(text, "<equality>\n");
    for (int h = 0; h < scene->joint_count; ++h) {
        const bench_joint *joint = &scene->joints[h];
        if (!tree->is_loop[h]) {
            continue;
        }
        if (joint->kind == BENCH_FIXED) {
            mujoco_write(text, "<weld body1='b%d'", joint->follower);
        } else {
            pawl_vec3 p = joint->follower_point;
            mujoco_write(text, "<connect body1='b%d' anchor='%.17g %.17g %.17g'", joint->follower,
                         p.x, p.y, p.z);
        }
        if (joint->base != BENCH_WORLD) {
            mujoco_write(text, " body2='b%d'", joint->base);
        }
        mujoco_write(text, "/>\n");
    }
    mujoco_write(text, "</equality>\n<contact>\n");
    for (int h = 0; h < scene->joint_count; ++h) {
        const bench_joint *joint = &scene->joints[h];
        if (scene->shape_count > 0 && joint->base != BENCH_WORLD) {
            mujoco_write(text, "<exclude body1='b%d' body2='b%d'/>\n", joint->base,
                         joint->follower);
        }
    }
    mujoco_write(text, "</contact>\n<actuator>\n");
    for (int i = 0; i < scene->body_count; ++i) {
        int h = tree->joint_of[i];
        if (h >= 0 && scene->joints[h].stiffness > 0.0) {
            mujoco_write(text, "<position joint='j%d' kp='%.17g'/>\n", i,
                         scene->joints[h].stiffness);
        }
    }
    mujoco_write(text, "</actuator>\n");
}

static void mujoco_write_model(mujoco_files *files, const mujoco_tree *tree)
{
    const bench_scene *scene = tree->scene;
    mujoco_text *text = &files->text[0];
    files->count = 1;
    mujoco_write(text, "<mujoco>\n<option gravity='%.17g %.17g %.17g'/>\n", scene->gravity.x,
                 scene->gravity.y, scene->gravity.z);
    if (scene->shape_count > 0) {
#if mjVERSION_HEADER >= 300 // memory grows with the model's arena, which defaults to little
        mujoco_write(text, "<size memory='%dM'/>\n", 64 + scene->shape_count);
#else
        int contacts = MUJOCO_CONTACTS_PER_SHAPE * scene->shape_count;
        mujoco_write(text, "<size nconmax='%d' njmax='%d'/>\n", contacts,
                     MUJOCO_ROWS_PER_CONTACT * contacts + 6 * scene->joint_count);
#endif
        mujoco_write(text, "<default><geom friction='%.17g 0.005 0.0001'/></default>\n",
                     scene->friction);
    }
    mujoco_write(text, "<worldbody>\n");
    if (scene->floor) {
        mujoco_write(text, "<geom type='plane' size='0 0 1'/>\n");
    }
    for (int i = 0; i < 4 && scene->bin > 0.0; ++i) {
        double x = i < 2 ? (i == 0 ? 1.0 : -1.0) : 0.0, y = i < 2 ? 0.0 : (i == 2 ? 1.0 : -1.0);
        mujoco_write(text,
                     "<geom type='plane' size='0 0 1' pos='%.17g %.17g 0' zaxis='%g %g 0'/>\n",
                     scene->bin * x, scene->bin * y, -x, -y);
    }
    mujoco_write_bodies(files, 0, 0, tree, tree->first[0]);
    mujoco_write(text, "</worldbody>\n");
    mujoco_write_constraints(text, tree);
    mujoco_write(text, "</mujoco>\n");
}

static mjModel *mujoco_load(const mujoco_files *files)
{
    char message[1000] = "no room in the virtual file system";
    mjVFS *vfs = mujoco_allocate(1, sizeof *vfs); // megabytes: too large for the stack
    mjModel *model = NULL;
    bool stored = true;
    mj_defaultVFS(vfs);
    for (int i = 0; i < files->count && stored; ++i) {
        const mujoco_text *text = &files->text[i];
        char name[32];
        snprintf(name, sizeof name, "part%d.xml", i);
#if mjVERSION_HEADER >= 300
        stored = mj_addBufferVFS(vfs, name, text->bytes, (int)text->used) == 0;
#else
        stored = mj_makeEmptyFileVFS(vfs, name, (int)text->used) == 0;
        if (stored) {
            memcpy(vfs->filedata[mj_findFileVFS(vfs, name)], text->bytes, text->used);
        }
#endif
    }
    if (stored) {
        model = mj_loadXML("part0.xml", vfs, message, (int)sizeof message);
    }
    mj_deleteVFS(vfs);
    free(vfs);
    if (model == NULL) {
        fprintf(stderr, "bench: MuJoCo refuses the scene: %s\n", message);
    }
    return model;
}

static void mujoco_destroy(void *world)
{
    mujoco_run *run = world;
    if (run != NULL) {
        if (run->data != NULL) {
            mj_deleteData(run->data);
        }
        if (run->model != NULL) {
            mj_deleteModel(run->model);
        }
        free(run->ids);
        free(run);
    }
}

// MuJoCo's own answer to a warning is a line in MUJOCO_LOG.TXT; we count them instead.
static void mujoco_ignore(const char *message)
{
    (void)message;
}

static void mujoco_set_start(mujoco_run *run, const mujoco_tree *tree)
{
    const bench_scene *scene = tree->scene;
    for (int i = 0; i < scene->body_count; ++i) {
        char name[32];
        snprintf(name, sizeof name, "j%d", i);
        int joint = mj_name2id(run->model, mjOBJ_JOINT, name);
        mjtNum *rate = &run->data->qvel[run->model->jnt_dofadr[joint]];
        int parent = tree->parent[i];
        pawl_twist twist = scene->bodies[i].twist;
        pawl_vec3 w = twist.angular;
        if (parent != BENCH_WORLD) {
            pawl_vec3 u = scene->bodies[parent].twist.angular;
            w = (pawl_vec3){w.x - u.x, w.y - u.y, w.z - u.z};
        }
        int h = tree->joint_of[i];
        if (h >= 0 && scene->joints[h].kind == BENCH_HINGE) {
            pawl_vec3 axis = scene->joints[h].axis;
            rate[0] = axis.x * w.x + axis.y * w.y + axis.z * w.z;
            continue;
        }
        if (h < 0) {
            rate[0] = twist.linear.x;
            rate[1] = twist.linear.y;
            rate[2] = twist.linear.z;
            rate += 3;
        }
        w = pawl_quat_rotate(pawl_pose_inverse(scene->bodies[i].pose).orientation, w);
        rate[0] = w.x;
        rate[1] = w.y;
        rate[2] = w.z;
    }
}

// A chain of 1000 takes MuJoCo's compiler many seconds, so the last scene's model is kept: variants
// and steps differ only in options that are set on a copy of it.
static mjModel *mujoco_compile(const mujoco_tree *tree)
{
    static char name[sizeof tree->scene->name];
    static mjModel *kept;
    if (kept == NULL || strcmp(name, tree->scene->name) != 0) {
        if (kept != NULL) {
            mj_deleteModel(kept);
        }
        mujoco_files files = {0};
        mujoco_write_model(&files, tree);
        kept = mujoco_load(&files);
        memcpy(name, tree->scene->name, sizeof name);
        for (int i = 0; i < files.count; ++i) {
            free(files.text[i].bytes);
        }
    }
    return kept == NULL ? NULL : mj_copyModel(NULL, kept);
}

static void mujoco_set_options(mjModel *model, double dt, int option)
{
    model->opt.timestep = dt;
    model->opt.integrator = (option & MUJOCO_RK4) != 0 ? mjINT_RK4 : mjINT_EULER;
    if ((option & MUJOCO_STIFF) != 0) {
        for (int i = 0; i < model->neq; ++i) {
            model->eq_solref[mjNREF * i] = 2.0 * dt;
            model->eq_solimp[mjNIMP * i] = 0.99;
            model->eq_solimp[mjNIMP * i + 1] = 0.99;
        }
    }
    if ((option & (MUJOCO_ELLIPTIC | MUJOCO_ACCURATE)) != 0) {
        model->opt.cone = mjCONE_ELLIPTIC;
        model->opt.impratio = (option & MUJOCO_ACCURATE) != 0 ? 100.0 : 10.0;
    }
    if ((option & MUJOCO_ELLIPTIC) != 0) {
        model->opt.integrator = mjINT_IMPLICIT;
    }
    if ((option & MUJOCO_ACCURATE) != 0) {
        for (int i = 0; i < model->neq; ++i) {
            model->eq_solref[mjNREF * i] = 2.0 * dt;
        }
        for (int i = 0; i < model->ngeom; ++i) {
            model->geom_solref[mjNREF * i] = 2.0 * dt;
        }
    }
}

static void *mujoco_create(const bench_scene *scene, double dt, int option)
{
    mju_user_warning = mujoco_ignore;
    mujoco_run *run = mujoco_allocate(1, sizeof *run);
    mujoco_tree tree = mujoco_tree_make(scene);
    run->model = mujoco_compile(&tree);
    if (run->model != NULL) {
        mujoco_set_options(run->model, dt, option);
        run->data = mj_makeData(run->model);
    }
    if (run->data == NULL) {
        mujoco_tree_free(&tree);
        mujoco_destroy(run);
        return NULL;
    }
    run->body_count = scene->body_count;
    run->ids = mujoco_allocate((size_t)scene->body_count, sizeof *run->ids);
    for (int i = 0; i < scene->body_count; ++i) {
        char name[32];
        snprintf(name, sizeof name, "b%d", i);
        run->ids[i] = mj_name2id(run->model, mjOBJ_BODY, name);
    }
    mujoco_set_start(run, &tree);
    mujoco_tree_free(&tree);
    return run;
}

static bool mujoco_step(void *world)
{
    mujoco_run *run = world;
    mj_step(run->model, run->data);
    // An unstable MuJoCo resets itself to the start and goes on: only the count tells.
    const mjWarningStat *warning = run->data->warning;
    return warning[mjWARN_BADQPOS].number == 0 && warning[mjWARN_BADQVEL].number == 0 &&
           warning[mjWARN_BADQACC].number == 0 && warning[mjWARN_CONTACTFULL].number == 0 &&
           warning[mjWARN_CNSTRFULL].number == 0;
}

static void mujoco_read(void *world, pawl_pose *poses, pawl_twist *twists)
{
    const mujoco_run *run = world;
    const mjModel *m = run->model;
    mjData *d = run->data;
    mj_kinematics(m, d); // a step leaves the poses of its beginning
    mj_comPos(m, d);
    mj_comVel(m, d);
    for (int i = 0; i < run->body_count; ++i) {
        int id = run->ids[i];
        const mjtNum *r = &d->xipos[3 * id];
        const mjtNum *q = &d->xquat[4 * id];
        mjtNum twist[6]; // angular first
        mj_objectVelocity(m, d, mjOBJ_BODY, id, twist, 0);
        poses[i] = (pawl_pose){{r[0], r[1], r[2]}, {q[0], q[1], q[2], q[3]}};
        twists[i] = (pawl_twist){{twist[3], twist[4], twist[5]}, {twist[0], twist[1], twist[2]}};
    }
}

const char *bench_mujoco_version(void)
{
    return mj_versionString();
}

#define MUJOCO_ROW(name, bits, where)                                                              \
    {                                                                                              \
        .engine = "MuJoCo", .variant = (name), .option = (bits), .scope = (where),                 \
        .create = mujoco_create, .step = mujoco_step, .read = mujoco_read,                         \
        .destroy = mujoco_destroy                                                                  \
    }
const bench_peer bench_mujoco_peers[BENCH_MUJOCO_PEERS] = {
    MUJOCO_ROW("default", 0, BENCH_EVERYWHERE),
    MUJOCO_ROW("rk4", MUJOCO_RK4, BENCH_EVERYWHERE),
    MUJOCO_ROW("rk4 stiff", MUJOCO_RK4 | MUJOCO_STIFF, BENCH_LOOPS_ONLY),
};
const bench_peer bench_mujoco_contact_peers[BENCH_MUJOCO_CONTACT_PEERS] = {
    MUJOCO_ROW("default", 0, BENCH_EVERYWHERE),
    MUJOCO_ROW("ell10", MUJOCO_ELLIPTIC, BENCH_EVERYWHERE),
    MUJOCO_ROW("acc", MUJOCO_ACCURATE, BENCH_EVERYWHERE),
};
