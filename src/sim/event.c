// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Events of the last step for callers: a name, and the name and unit of its figure, for every kind
// of event. The log itself is step/common/event_log.c.
#include "base/guard.h"
#include "sim/sim.h"

static const struct {
    const char *name, *figure;
} event_kinds[] = {
    [PAWL_EVENT_COLLISION] = {"collision", "approach speed [m/s]"},
    [PAWL_EVENT_LIMIT] = {"limit", "approach speed [m/s or rad/s]"},
    [PAWL_EVENT_IMPACT] = {"impact", "energy lost [J]"},
    [PAWL_EVENT_TAKEOFF] = {"takeoff", "sliding speed [m/s]"},
    [PAWL_EVENT_STICK] = {"stick", "normal force [N]"},
    [PAWL_EVENT_SLIP] = {"slip", "normal force [N]"},
    [PAWL_EVENT_REVERSAL] = {"reversal", "normal force [N]"},
    [PAWL_EVENT_LASTING] = {"lasting", "approach speed [m/s]"},
    [PAWL_EVENT_UNRESOLVED] = {"unresolved", "cuts of the step [1]"},
    [PAWL_EVENT_TUNNELLED] = {"tunnelled", "pairs of shapes [1]"},
    [PAWL_EVENT_FALLBACK] = {"fallback",
                             "why: 1 dissipation, 2 limit, 3 stiff spring, 4 contact, 5 singular "
                             "position [1]"},
    [PAWL_EVENT_IMPACT_CAPPED] = {"impact_capped",
                                  "restitution used, as a fraction of the requested one [1]"},
    [PAWL_EVENT_IMPACT_FALLBACK] = {"impact_fallback", "contacts and limits concerned [1]"},
};
_Static_assert(sizeof event_kinds / sizeof event_kinds[0] == PAWL_EVENT_KIND_COUNT, "missing row");
_Static_assert((int)PAWL_EVENT_KIND_COUNT <= (int)PAWL_MAX_EVENT_KINDS, "no room in reports");

const char *pawl_event_kind_name(pawl_event_kind kind)
{
    return (int)kind >= 0 && kind < PAWL_EVENT_KIND_COUNT ? event_kinds[kind].name : NULL;
}

const char *pawl_event_kind_figure(pawl_event_kind kind)
{
    return (int)kind >= 0 && kind < PAWL_EVENT_KIND_COUNT ? event_kinds[kind].figure : NULL;
}

int pawl_sim_event_count(const pawl_sim *sim)
{
    return sim != NULL ? sim->context.out.events.count : 0;
}

// Events of the last step, in the order of the log. An index that is out of range gives an event of no
// kind.
pawl_event pawl_sim_event(const pawl_sim *sim, int event)
{
    if (sim == NULL || !PAWL_HAS(&sim->env, "event", event, sim->context.out.events.count)) {
        return (pawl_event){
            .time = NAN, .kind = PAWL_EVENT_KIND_COUNT, .coordinate = -1, .figure = NAN};
    }
    const step_event *e = &sim->context.out.events.events[event];
    return (pawl_event){.time = e->time,
                        .kind = e->kind,
                        .shape_a = model_shape_id(sim->model, e->shape_a),
                        .shape_b = model_shape_id(sim->model, e->shape_b),
                        .joint = model_joint_id(sim->model, e->joint),
                        .coordinate = e->coordinate,
                        .figure = e->figure};
}
