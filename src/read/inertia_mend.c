// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Moments of 0 in the principal axes of an inertia tensor, lifted to what can be divided by.
#include "read/inertia_mend.h"
#include "math/principal.h"

pawl_status inertia_mend(xml_reader *reader, const xmlNode *node, const char *name,
                         double inertia[6])
{
    static const double least = 1e-6, nothing = 1e-12; // of the largest moment
    pawl_mat3 tensor = m3_from_six(inertia);
    principal_axes p = pawl_principal_axes(&tensor);
    double largest = max_of(p.moment[0], max_of(p.moment[1], p.moment[2]));
    bool lifted = false;
    for (int i = 0; i < 3; ++i) {
        if (!(largest > 0.0) || p.moment[i] < -nothing * largest) {
            return PAWL_OK;
        }
        if (p.moment[i] <= nothing * largest) {
            p.moment[i] = least * largest;
            lifted = true;
        }
    }
    if (!lifted) {
        return PAWL_OK;
    }
    pawl_mat3 own = {{{p.moment[0], 0, 0}, {0, p.moment[1], 0}, {0, 0, p.moment[2]}}};
    tensor = m3_congruence(&p.axes, &own);
    const double six[6] = {tensor.m[0][0], tensor.m[1][1], tensor.m[2][2],
                           tensor.m[0][1], tensor.m[0][2], tensor.m[1][2]};
    for (int i = 0; i < 6; ++i) {
        inertia[i] = six[i];
    }
    return xml_tally(reader, PAWL_LOG_WARNING, node,
                     "a principal moment of inertia of 0 is read as a millionth of the largest",
                     name);
}
