// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Queries of the contacts of the last step. The step stores them (contact_report.c), because its rows and impulses do
// not outlive it.
#include "base/guard.h"
#include "sim/sim.h"

const char *pawl_contact_mode_name(pawl_contact_mode mode)
{
    static const char *const names[PAWL_CONTACT_MODE_COUNT] = {"open", "stick", "slip"};
    return mode >= 0 && mode < PAWL_CONTACT_MODE_COUNT ? names[mode] : NULL;
}

int pawl_sim_contact_count(const pawl_sim *sim)
{
    return sim != NULL ? sim->context.out.contact_count : 0;
}

// Forces are means over the step, on body b [N]; an index that is out of range gives NaN.
pawl_contact_info pawl_sim_contact(const pawl_sim *sim, int contact)
{
    if (sim == NULL || !PAWL_HAS(&sim->env, "contact", contact, sim->context.out.contact_count)) {
        return (pawl_contact_info){.position = {NAN, NAN, NAN},
                                   .normal = {NAN, NAN, NAN},
                                   .gap = NAN,
                                   .force = {NAN, NAN, NAN},
                                   .moment = {NAN, NAN, NAN}};
    }
    return sim->context.out.contacts[contact];
}
