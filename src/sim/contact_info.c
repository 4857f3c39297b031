// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Contacts of the last step, for those who ask. The step itself keeps them (velocity_step.c): its
// rows and impulses are gone when it ends.
#include "sim/sim.h"

const char *pawl_contact_mode_name(pawl_contact_mode mode)
{
    static const char *const names[PAWL_CONTACT_MODE_COUNT] = {"open", "stick", "slip"};
    return mode >= 0 && mode < PAWL_CONTACT_MODE_COUNT ? names[mode] : NULL;
}

int pawl_sim_contact_count(const pawl_sim *sim)
{
    return sim->context.contact_count;
}

pawl_contact_info pawl_sim_contact(const pawl_sim *sim, int contact)
{
    PAWL_ASSERT(contact >= 0 && contact < sim->context.contact_count);
    return sim->context.contacts[contact];
}
