// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// SDFormat describes a surface by the parameters of other engines. Those without an equivalent for hard contacts with
// Coulomb friction are ignored with a note.
#include "read/sdf_surface.h"
#include "read/extension.h"
#include <math.h>

// A disk of radius a that is pressed on like a sphere of Hertz slips at a torque of
// 3 pi / 16 * a * mu * N: Gazebo's documentation of <torsional>.
static const double SDF_SURFACE_PATCH = 3.0 * 3.14159265358979323846 / 16.0;
enum { SDF_SURFACE_BITS = 16 }; // of a <collide_bitmask>
static const uint32_t SDF_SURFACE_ALL = 0xffff;

static pawl_status sdf_surface_ode(xml_reader *reader, const xmlNode *ode, double *mu)
{
    static const xml_rule rules[] = {{XML_TAKEN, "mu mu2 slip1 slip2"},
                                     {XML_SILENT, "fdir1"}, // turns what is the same all around
                                     {XML_TAKEN, NULL}};
    double mu2, slip1 = 0.0, slip2 = 0.0;
    PAWL_TRY(xml_check(reader, ode, rules));
    *mu = 1.0; // SDFormat's default
    PAWL_TRY(xml_child_number(reader, ode, "mu", XML_ANY, mu));
    mu2 = *mu;
    PAWL_TRY(xml_child_number(reader, ode, "mu2", XML_ANY, &mu2));
    if (*mu < 0.0) { // ODE's mark for none stated
        PAWL_TRY(xml_tally(reader, PAWL_LOG_WARNING, ode,
                           "a negative <mu> is read as SDFormat's default of 1", NULL));
        *mu = mu2 = 1.0;
    }
    PAWL_TRY(xml_child_number(reader, ode, "slip1", XML_ANY, &slip1));
    PAWL_TRY(xml_child_number(reader, ode, "slip2", XML_ANY, &slip2));
    if (mu2 != *mu) {
        xml_log(reader, PAWL_LOG_NOTE, ode,
                "<mu2> %g differs from <mu> %g: friction is isotropic in pawl, <mu> is used", mu2,
                *mu);
    }
    if (slip1 != 0.0 || slip2 != 0.0) {
        xml_log(reader, PAWL_LOG_NOTE, ode, "<slip1> and <slip2> are ignored: contacts are hard");
    }
    return PAWL_OK;
}

// Stands only where there is no <ode>: programs that write both fill the other in with defaults,
// and a rolling friction of 1 m stops every wheel.
static pawl_status sdf_surface_bullet(xml_reader *reader, const xmlNode *bullet,
                                      pawl_shape_def *def)
{
    static const xml_rule rules[] = {{XML_TAKEN, "friction rolling_friction"},
                                     {XML_SILENT, "friction2 fdir1"},
                                     {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(reader, bullet, rules));
    def->friction = 1.0; // SDFormat's default here, too
    PAWL_TRY(xml_child_number(reader, bullet, "friction", XML_NOT_NEGATIVE, &def->friction));
    const xmlNode *rolling;
    PAWL_TRY(xml_child(reader, bullet, "rolling_friction", &rolling));
    PAWL_TRY(xml_child_number(reader, bullet, "rolling_friction", XML_NOT_NEGATIVE,
                              &def->rolling_friction));
    if (rolling != NULL && def->rolling_friction > 0.0) {
        xml_log(reader, PAWL_LOG_NOTE, rolling,
                "<rolling_friction> %g is taken as a length: a moment of %g m times the normal "
                "force",
                def->rolling_friction, def->rolling_friction);
    }
    return PAWL_OK;
}

static pawl_status sdf_surface_torsional(xml_reader *reader, const xmlNode *torsional,
                                         pawl_shape_def *def)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "coefficient use_patch_radius patch_radius surface_radius ode"},
        {XML_TAKEN, NULL}};
    static const xml_rule ode_rules[] = {{XML_TAKEN, "slip"}, {XML_TAKEN, NULL}};
    double coefficient = 1.0, patch = 0.0, surface = 0.0, slip = 0.0; // SDFormat's defaults
    bool use_patch = true;
    const xmlNode *ode;
    PAWL_TRY(xml_check(reader, torsional, rules));
    PAWL_TRY(xml_child_number(reader, torsional, "coefficient", XML_NOT_NEGATIVE, &coefficient));
    PAWL_TRY(xml_child_bool(reader, torsional, "use_patch_radius", &use_patch));
    PAWL_TRY(xml_child_number(reader, torsional, "patch_radius", XML_NOT_NEGATIVE, &patch));
    PAWL_TRY(xml_child_number(reader, torsional, "surface_radius", XML_NOT_NEGATIVE, &surface));
    PAWL_TRY(xml_child(reader, torsional, "ode", &ode));
    if (ode != NULL) {
        PAWL_TRY(xml_check(reader, ode, ode_rules));
        PAWL_TRY(xml_child_number(reader, ode, "slip", XML_ANY, &slip));
    }
    if (slip != 0.0) {
        xml_log(reader, PAWL_LOG_NOTE, ode, "<slip> is ignored: contacts are hard");
    }
    if (!use_patch && surface > 0.0 && coefficient > 0.0) {
        xml_log(
            reader, PAWL_LOG_WARNING, torsional,
            "<surface_radius> %g is ignored: the patch would grow with the depth of the "
            "contact, and hard contacts have none; use <patch_radius> or <pawl:torsional_friction>",
            surface);
    }
    def->torsional_friction = use_patch ? SDF_SURFACE_PATCH * coefficient * patch : 0.0;
    return PAWL_OK;
}

static pawl_status sdf_surface_friction(xml_reader *reader, const xmlNode *friction,
                                        pawl_shape_def *def)
{
    static const xml_rule rules[] = {{XML_TAKEN, "ode torsional bullet"}, {XML_TAKEN, NULL}};
    const xmlNode *ode, *torsional, *bullet;
    PAWL_TRY(xml_check(reader, friction, rules));
    PAWL_TRY(xml_child(reader, friction, "ode", &ode));
    PAWL_TRY(xml_child(reader, friction, "torsional", &torsional));
    PAWL_TRY(xml_child(reader, friction, "bullet", &bullet));
    if (torsional != NULL) {
        PAWL_TRY(sdf_surface_torsional(reader, torsional, def));
    }
    if (ode != NULL) {
        return sdf_surface_ode(reader, ode, &def->friction);
    }
    return bullet != NULL ? sdf_surface_bullet(reader, bullet, def) : PAWL_OK;
}

static pawl_status sdf_surface_bounce(xml_reader *reader, const xmlNode *bounce, double *e)
{
    static const xml_rule rules[] = {{XML_TAKEN, "restitution_coefficient threshold"},
                                     {XML_TAKEN, NULL}};
    const xmlNode *threshold;
    PAWL_TRY(xml_check(reader, bounce, rules));
    PAWL_TRY(xml_child_number(reader, bounce, "restitution_coefficient", XML_NOT_NEGATIVE, e));
    PAWL_TRY(xml_child(reader, bounce, "threshold", &threshold));
    if (threshold != NULL) {
        xml_log(reader, PAWL_LOG_NOTE, threshold,
                "<threshold> is ignored: the setting contact.restitution_threshold applies to all "
                "shapes");
    }
    return PAWL_OK;
}

// Two collisions touch if their <collide_bitmask> have a bit in common, and one without it touches
// all but 0. Our rule is that each one's group has a bit of the other's mask. So the bits become the
// upper half of both, and the lower half of the mask, where files put their own groups, is all ones:
// between two such the upper halves decide, and with others nothing does.
static pawl_status sdf_surface_contact(xml_reader *reader, const xmlNode *contact,
                                       pawl_shape_def *def)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "collide_bitmask category_bitmask"},
        {XML_SILENT, "ode bullet poissons_ratio elastic_modulus"},
        {XML_IGNORED, "collide_without_contact collide_without_contact_bitmask"},
        {XML_TAKEN, NULL}};
    const xmlNode *mask, *category;
    uint32_t bits = SDF_SURFACE_ALL;
    PAWL_TRY(xml_check(reader, contact, rules));
    PAWL_TRY(xml_child(reader, contact, "collide_bitmask", &mask));
    PAWL_TRY(xml_child_bits(reader, contact, "collide_bitmask", SDF_SURFACE_ALL, &bits));
    if (mask != NULL) {
        def->group = bits << SDF_SURFACE_BITS;
        def->mask = bits << SDF_SURFACE_BITS | SDF_SURFACE_ALL;
    }
    uint32_t category_bits = bits; // SDFormat's default
    PAWL_TRY(xml_child(reader, contact, "category_bitmask", &category));
    PAWL_TRY(xml_child_bits(reader, contact, "category_bitmask", SDF_SURFACE_ALL, &category_bits));
    if (category_bits != bits) {
        xml_log(reader, PAWL_LOG_WARNING, category,
                "<category_bitmask> 0x%lx differs from <collide_bitmask> 0x%lx and is ignored; "
                "use <pawl:group> and <pawl:mask>",
                (unsigned long)category_bits, (unsigned long)bits);
    }
    return PAWL_OK;
}

pawl_status sdf_read_surface(xml_reader *reader, const xmlNode *collision, pawl_shape_def *def)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "friction bounce contact"}, {XML_SILENT, "soft_contact"}, {XML_TAKEN, NULL}};
    const xmlNode *surface, *friction, *bounce, *contact;
    PAWL_TRY(xml_child(reader, collision, "surface", &surface));
    if (surface != NULL) {
        PAWL_TRY(xml_check(reader, surface, rules));
        PAWL_TRY(xml_child(reader, surface, "friction", &friction));
        PAWL_TRY(xml_child(reader, surface, "bounce", &bounce));
        PAWL_TRY(xml_child(reader, surface, "contact", &contact));
        if (friction != NULL) {
            PAWL_TRY(sdf_surface_friction(reader, friction, def));
        }
        if (bounce != NULL) {
            PAWL_TRY(sdf_surface_bounce(reader, bounce, &def->restitution));
        }
        if (contact != NULL) {
            PAWL_TRY(sdf_surface_contact(reader, contact, def));
        }
    }
    return extension_read_collision(reader, collision, def);
}
