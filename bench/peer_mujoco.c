// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The scenes in MuJoCo: joint coordinates on a spanning tree of the hinges, found breadth first
// from the world; each hinge left over closes a loop by one equality constraint of type connect at
// the hinge's point. One connect is the usual way for planar mechanisms: the tree's parallel
// hinges keep the axes parallel already. The model is written as MJCF into memory and loaded
// through MuJoCo's virtual file system. Options stay at their defaults, but for the integrator and,
// in the variant "rk4 stiff", the softness of the loops: solref 2 dt, the stiffest MuJoCo allows,
// and solimp 0.99.
#include "peer.h"

#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MUJOCO_RK4 = 1, MUJOCO_STIFF = 2 };

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

// The spanning tree of the hinge graph.
typedef struct mujoco_tree {
    const bench_scene *scene;
    int *hinge_of;     ///< the hinge by which each body hangs on its parent
    int *parent;       ///< body index or BENCH_WORLD
    int *first, *next; ///< children as linked lists; first[0] is the world's, first[b + 1] b's
    bool *is_loop;     ///< per hinge
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
        .hinge_of = mujoco_allocate(bodies, sizeof(int)),
        .parent = mujoco_allocate(bodies, sizeof(int)),
        .first = mujoco_allocate(bodies + 1, sizeof(int)),
        .next = mujoco_allocate(bodies, sizeof(int)),
        .is_loop = mujoco_allocate((size_t)scene->hinge_count, sizeof(bool)),
    };
    int *queue = mujoco_allocate(bodies + 1, sizeof(int));
    for (int i = 0; i < scene->body_count; ++i) {
        tree.hinge_of[i] = -1;
    }
    for (int i = 0; i <= scene->body_count; ++i) {
        tree.first[i] = -1;
    }
    int filled = 1;
    queue[0] = BENCH_WORLD;
    for (int k = 0; k < filled; ++k) {
        for (int h = 0; h < scene->hinge_count; ++h) {
            const bench_hinge *hinge = &scene->hinges[h];
            int child = hinge->base == queue[k]       ? hinge->follower
                        : hinge->follower == queue[k] ? hinge->base
                                                      : BENCH_WORLD;
            if (child == BENCH_WORLD || tree.hinge_of[child] >= 0) {
                continue;
            }
            tree.hinge_of[child] = h;
            tree.parent[child] = queue[k];
            queue[filled++] = child;
        }
    }
    for (int k = filled - 1; k > 0; --k) { // lists fill from the front
        int child = queue[k];
        int *first = &tree.first[tree.parent[child] + 1];
        tree.next[child] = *first;
        *first = child;
    }
    free(queue);
    for (int h = 0; h < scene->hinge_count; ++h) {
        const bench_hinge *hinge = &scene->hinges[h];
        bool in_tree = tree.hinge_of[hinge->follower] == h ||
                       (hinge->base != BENCH_WORLD && tree.hinge_of[hinge->base] == h);
        tree.is_loop[h] = !in_tree;
    }
    return tree;
}

static void mujoco_tree_free(mujoco_tree *tree)
{
    free(tree->hinge_of);
    free(tree->parent);
    free(tree->first);
    free(tree->next);
    free(tree->is_loop);
}

static pawl_pose mujoco_world_pose(const bench_scene *scene, int body)
{
    return body == BENCH_WORLD ? pawl_pose_identity() : scene->bodies[body].pose;
}

static void mujoco_write_bodies(mujoco_files *files, int file, int depth, const mujoco_tree *tree,
                                int first);

static void mujoco_write_body(mujoco_files *files, int file, int depth, const mujoco_tree *tree,
                              int index)
{
    mujoco_text *text = &files->text[file];
    const bench_scene *scene = tree->scene;
    const bench_body *body = &scene->bodies[index];
    const bench_hinge *hinge = &scene->hinges[tree->hinge_of[index]];
    pawl_pose base = mujoco_world_pose(scene, tree->parent[index]);
    pawl_pose local = pawl_pose_compose(pawl_pose_inverse(base), body->pose);
    pawl_pose inverse = pawl_pose_inverse(body->pose);
    pawl_vec3 anchor = pawl_pose_apply(inverse, hinge->point);
    pawl_vec3 axis = pawl_quat_rotate(inverse.orientation, hinge->axis);
    mujoco_write(text, "<body name='b%d' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>\n",
                 index, local.position.x, local.position.y, local.position.z, local.orientation.w,
                 local.orientation.x, local.orientation.y, local.orientation.z);
    mujoco_write(text, "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n",
                 body->mass, body->inertia.x, body->inertia.y, body->inertia.z);
    mujoco_write(text,
                 "<joint name='j%d' type='hinge' pos='%.17g %.17g %.17g' "
                 "axis='%.17g %.17g %.17g'/>\n",
                 index, anchor.x, anchor.y, anchor.z, axis.x, axis.y, axis.z);
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

static void mujoco_write_model(mujoco_files *files, const mujoco_tree *tree)
{
    const bench_scene *scene = tree->scene;
    mujoco_text *text = &files->text[0];
    files->count = 1;
    mujoco_write(text, "<mujoco>\n<option gravity='%.17g %.17g %.17g'/>\n", scene->gravity.x,
                 scene->gravity.y, scene->gravity.z);
    mujoco_write(text, "<worldbody>\n");
    mujoco_write_bodies(files, 0, 0, tree, tree->first[0]);
    mujoco_write(text, "</worldbody>\n<equality>\n");
    for (int h = 0; h < scene->hinge_count; ++h) {
        const bench_hinge *hinge = &scene->hinges[h];
        if (!tree->is_loop[h]) {
            continue;
        }
        pawl_vec3 p = hinge->follower_point;
        mujoco_write(text, "<connect body1='b%d' anchor='%.17g %.17g %.17g'", hinge->follower, p.x,
                     p.y, p.z);
        if (hinge->base != BENCH_WORLD) {
            mujoco_write(text, " body2='b%d'", hinge->base);
        }
        mujoco_write(text, "/>\n");
    }
    mujoco_write(text, "</equality>\n</mujoco>\n");
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
        stored = mj_makeEmptyFileVFS(vfs, name, (int)text->used) == 0;
        if (stored) {
            memcpy(vfs->filedata[mj_findFileVFS(vfs, name)], text->bytes, text->used);
        }
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
        const bench_hinge *hinge = &scene->hinges[tree->hinge_of[i]];
        int parent = tree->parent[i];
        pawl_vec3 w = scene->bodies[i].twist.angular;
        pawl_vec3 u = {0.0, 0.0, 0.0};
        if (parent != BENCH_WORLD) {
            u = scene->bodies[parent].twist.angular;
        }
        char name[32];
        snprintf(name, sizeof name, "j%d", i);
        int joint = mj_name2id(run->model, mjOBJ_JOINT, name);
        run->data->qvel[run->model->jnt_dofadr[joint]] =
            hinge->axis.x * (w.x - u.x) + hinge->axis.y * (w.y - u.y) + hinge->axis.z * (w.z - u.z);
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
           warning[mjWARN_BADQACC].number == 0;
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

#define MUJOCO_ROW(name, bits, loops)                                                              \
    {                                                                                              \
        .engine = "MuJoCo", .variant = (name), .option = (bits), .loops_only = (loops),            \
        .create = mujoco_create, .step = mujoco_step, .read = mujoco_read,                         \
        .destroy = mujoco_destroy                                                                  \
    }
const bench_peer bench_mujoco_peers[BENCH_MUJOCO_PEERS] = {
    MUJOCO_ROW("default", 0, false),
    MUJOCO_ROW("rk4", MUJOCO_RK4, false),
    MUJOCO_ROW("rk4 stiff", MUJOCO_RK4 | MUJOCO_STIFF, true),
};
