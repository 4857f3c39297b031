// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The coordinates of a model: the joints that are rows and those that the coordinates satisfy, the effect of impulses
// along rows, and the change of poses by a displacement. Each kind has one line in coordinates_table.c; no other file
// depends on the kind.
//
// State, twists and rows are those of the bodies in every kind, so that rows, solvers and steppers are
// written once.
#pragma once
#include "coordinates/free_factor.h"
#include "rows/assembly.h"

// The estimated cost of a step in some coordinates.
typedef struct coordinates_estimate {
    const char *of;      // their name; NULL: none
    double instructions; // of a step
    const char *cannot;  // why they are not to be chosen; NULL: they may be
    char counts[72];     // what it was estimated by
} coordinates_estimate;

typedef struct coordinates coordinates;
typedef struct coordinates_ops {
    const char *name, *summary;
    // The cost of a model in them, for formulation=auto (coordinates_choice.c); NULL: it never chooses them.
    pawl_status (*estimate)(const pawl_env *env, const pawl_model *model,
                            const pawl_settings *settings, coordinates_estimate *out);
    // Joints are held by the coordinates: bodies are bound to each other even where no row acts.
    bool has_tree_joints;
    bool finds_islands; // islands can be found over its bodies and rows
    int newton_steps;   // of a predictor onto the joints: what redundant rows leave open takes more
    // Rows with room for that many contacts, their metric and their operator. Refuses settings that it cannot meet.
    pawl_status (*create)(const pawl_env *env, const pawl_model *model,
                          const pawl_settings *settings, int max_contacts, coordinates **out);
    void (*destroy)(coordinates *c);
    // Of kinds that hold joints; NULL: nothing to do. The twists of held joints that are nearest to u
    // (6 x bodies) in the metric of the masses.
    void (*constrain)(coordinates *c, double *u);
    // Adds to `reaction` (slots) the impulses of held joints that lead from twists `from` to `to` beside impulses
    // lambda of the rows, and returns the work of kinematic bodies against them, done at the mean of twists
    // `before` and `after`. `scratch` is (6 x bodies).
    double (*reactions)(coordinates *c, const double *lambda, const double *from, const double *to,
                        const double *before, const double *after, double *scratch,
                        double *reaction);
    // Adds the data deferred by reactions() to `reaction` and discards it; NULL: it keeps nothing.
    void (*settle_reactions)(coordinates *c, double *reaction);
    void (*forget_reactions)(coordinates *c, bool defers); // whether it may keep them from now on
    // Poses near held joints to poses that close them at time t; `placed`: at the configuration where the rows
    // were placed, with nothing read again.
    void (*close)(coordinates *c, const double *values, double t, body_state *bodies);
    void (*close_placed)(coordinates *c, body_state *bodies);
    // Poses moved by a fraction of the displacement d (6 x bodies).
    void (*move)(coordinates *c, const double *values, const double *d, double fraction, double t,
                 body_state *bodies);
    // The factor of the free rows, which tells mechanisms apart; NULL: there is none.
    free_factor *(*factor)(const coordinates *c);
    // Without a factor: the number of redundant free rows, which are then dropped; NULL: they never are.
    void (*expect)(coordinates *c, int redundant);
    // The number of joints in the loop that free block k closes by itself; NULL where loops are found as
    // circles of joints with rows.
    int (*loop_joints)(const coordinates *c, int block);
} coordinates_ops;

struct coordinates { // every kind embeds this as its first member
    const coordinates_ops *ops;
    pawl_assembly *rows;
    pawl_delassus *delassus;
};

const coordinates_ops *pawl_coordinates_find(int kind); // pawl_formulation; NULL if unknown
// The kind itself or, if it means a choice among others, the first of these.
int pawl_coordinates_named(int kind);
bool pawl_coordinates_have_tree_joints(int kind); // has_tree_joints of that kind; false if unknown
extern const coordinates_ops pawl_maximal_coordinates;
extern const coordinates_ops pawl_reduced_coordinates;

// For estimates: rows of springs and drives of a model, and how many contacts it may have.
int pawl_coordinates_soft_rows(const pawl_model *model);
double pawl_coordinates_contacts(const pawl_model *model);
bool pawl_coordinates_move_freely(const pawl_model *model);

// Calls of the functions of the same name, if the kind has them.
void pawl_coordinates_destroy(coordinates *c); // NULL is fine
void pawl_coordinates_constrain(coordinates *c, double *u);
double pawl_coordinates_reactions(coordinates *c, const double *lambda, const double *from,
                                  const double *to, const double *before, const double *after,
                                  double *scratch, double *reaction);
void pawl_coordinates_settle_reactions(coordinates *c, double *reaction);
void pawl_coordinates_forget_reactions(coordinates *c, bool defers);
// Lets the operator drop redundant rows, of which there are those of `space` (NULL: none), or not.
void pawl_coordinates_drop_redundant(coordinates *c, const struct weak_space *space, bool drops);
void pawl_coordinates_close(coordinates *c, const double *values, double t, body_state *bodies);
