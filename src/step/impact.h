// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Impacts of the stepper lit: velocities jump, poses stay (seed 004 section 7.3, 7.4).
#pragma once
#include "step/lit.h"

typedef struct impact_request {
    double time;  // [s]
    double reach; // contacts and limits with gaps up to this take part [m or rad]
    bool plastic; // nothing bounces
} impact_request;

// Solves the impact of all that touches at the poses of s and gives s the twists after it. Work and
// reactions are accounted for, events logged, the report's figures made worse where the solver's were.
// False when there are more contacts than room (context.contact_demand): the step must be given up.
bool pawl_impact(step_context *c, pawl_state *s, const impact_request *request,
                 pawl_step_report *report);
// Velocity of a contact's second body against its first along the normal, and across it.
double pawl_contact_opening(const pawl_contact *contact, const body_state *bodies);
pawl_vec3 pawl_contact_slip(const pawl_contact *contact, const body_state *bodies);
