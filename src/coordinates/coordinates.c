// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Calls of optional functions of a kind of coordinates.
#include "coordinates/coordinates.h"
#include "problem/weak_space.h"

int pawl_coordinates_named(int kind)
{
    return pawl_coordinates_find(kind) != NULL ? kind : 0;
}

bool pawl_coordinates_have_tree_joints(int kind)
{
    const coordinates_ops *ops = pawl_coordinates_find(kind);
    return ops != NULL && ops->has_tree_joints;
}

void pawl_coordinates_destroy(coordinates *c)
{
    if (c != NULL) {
        c->ops->destroy(c);
    }
}

void pawl_coordinates_constrain(coordinates *c, double *u)
{
    if (c->ops->constrain != NULL) {
        c->ops->constrain(c, u);
    }
}

// 0 without joints in a tree: all reactions are impulses of rows then.
double pawl_coordinates_reactions(coordinates *c, const double *lambda, const double *from,
                                  const double *to, const double *before, const double *after,
                                  double *scratch, double *reaction)
{
    return c->ops->reactions == NULL
               ? 0.0
               : c->ops->reactions(c, lambda, from, to, before, after, scratch, reaction);
}

void pawl_coordinates_settle_reactions(coordinates *c, double *reaction)
{
    if (c->ops->settle_reactions != NULL) {
        c->ops->settle_reactions(c, reaction);
    }
}

void pawl_coordinates_forget_reactions(coordinates *c, bool defers)
{
    if (c->ops->forget_reactions != NULL) {
        c->ops->forget_reactions(c, defers);
    }
}

void pawl_coordinates_close(coordinates *c, const double *values, double t, body_state *bodies)
{
    if (c->ops->close != NULL) {
        c->ops->close(c, values, t, bodies);
    }
}

static int coordinates_redundant(const struct weak_space *space, int part)
{
    int redundant = 0;
    for (int i = 0; space != NULL && i < space->cluster_count; ++i) {
        bool own = part < 0 || space->clusters[i].part == part;
        redundant += own ? space->clusters[i].base : 0;
    }
    return redundant;
}

// Tells the factor how many rows of each part are redundant, as the weak space has found. It drops
// exactly that many or none (coordinates/free_factor.c).
void pawl_coordinates_drop_redundant(coordinates *c, const struct weak_space *space, bool drops)
{
    free_factor *factor = c->ops->factor != NULL ? c->ops->factor(c) : NULL;
    c->delassus->drops_redundant = drops && (factor != NULL || c->ops->expect != NULL);
    if (c->ops->expect != NULL) {
        c->ops->expect(c, coordinates_redundant(space, -1));
    }
    for (int part = 0; factor != NULL && part < pawl_free_factor_part_count(factor); ++part) {
        pawl_free_factor_expect(factor, part, coordinates_redundant(space, part));
    }
}
