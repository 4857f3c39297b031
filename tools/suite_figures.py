# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""The four machines of models/suite/ with closed loops, in the sizes of the paper's proprietary figures.

Their mechanisms are of our own design. Linkages are parallelograms at the zero pose, so that a crank and
what it drives turn by the same angle and servos on both sides of a loop agree.
"""

from make_models import BLUE, GREEN, GREY, ORANGE, RED, SAND, TEAL, VIOLET
from suite_machine import Machine, add, ball, block, shell, tube

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
SIDES = (("left", 1), ("right", -1))


# --- figure22: a figure on a pedestal, every hinge driven ------------------------------------------


def figure22_torso(m):
    """Turntable, and a chest on a parallelogram whose four hinges are all driven."""
    m.link("base", 13.6, block((0.3, 0.3, 0.36), (0, 0, 0.18), GREY))
    m.link("turntable", 4, tube(0.14, (0, 0, 0.38), (0, 0, 0.48), TEAL))
    for name, x in (("front_link", 0.08), ("rear_link", -0.08)):
        m.link(name, 0.9, tube(0.018, (x, 0, 0.5), (x, 0, 0.75), ORANGE))
    m.link("chest", 9, block((0.14, 0.24, 0.3), (0, 0, 0.95), BLUE), block((0.05, 0.44, 0.05), (0, 0, 1.08), BLUE),
           shell(((-0.2, 0.12, 0.15), (0.08, 0.15, 0.2), (0.19, 0.08, 0.12)), (0, 0, 0.97), SAND))
    m.weld("mount", "world", "base", (0, 0, 0))
    m.driven("waist_yaw", "base", "turntable", (0, 0, 0.37), Z, 800, 60, 0.5, 5, limit=(-1.5, 1.5))
    for name, x in (("front", 0.08), ("rear", -0.08)):
        m.driven(f"{name}_low", "turntable", f"{name}_link", (x, 0, 0.5), Y, 800, 50, 0.25, 4, limit=(-0.9, 0.9))
        m.driven(f"{name}_high", f"{name}_link", "chest", (x, 0, 0.75), Y, 800, 50, -0.25, 4, limit=(-0.9, 0.9))


def figure22_head(m):
    """Neck, eyes, and a jaw that a crank moves through a rod."""
    jaw, crank = (-0.01, 0, 1.33), (-0.01, 0, 1.41)
    lever, pin = add(jaw, (-0.04, 0, 0)), add(crank, (-0.04, 0, 0))
    m.link("neck_yaw", 0.8, tube(0.04, (0, 0, 1.18), (0, 0, 1.21), GREY))
    m.link("neck_pitch", 0.6, tube(0.035, (0, 0, 1.22), (0, 0, 1.27), GREY))
    m.link("head", 3.2, block((0.1, 0.1, 0.1), (0.03, 0, 1.43), BLUE),
           shell(((-0.05, 0.08, 0.08), (0.02, 0.11, 0.1), (0.1, 0.06, 0.06)), (0.03, 0, 1.43), SAND))
    m.link("eyes", 0.15, tube(0.018, (0.1, -0.05, 1.45), (0.1, 0.05, 1.45), VIOLET))
    m.link("jaw", 0.35, block((0.1, 0.08, 0.03), (0.06, 0, 1.32), RED), tube(0.008, jaw, lever, RED))
    m.link("jaw_crank", 0.2, tube(0.01, crank, pin, ORANGE))
    m.link("jaw_rod", 0.16, tube(0.006, pin, lever, GREEN))
    m.driven("neck_turn", "chest", "neck_yaw", (0, 0, 1.17), Z, 150, 8, 0.6, 3, limit=(-1.4, 1.4))
    m.driven("neck_nod", "neck_yaw", "neck_pitch", (0, 0, 1.22), Y, 150, 8, 0.3, 2.5, limit=(-0.8, 0.8))
    m.driven("neck_tilt", "neck_pitch", "head", (0, 0, 1.27), X, 120, 6, 0.2, 3.5, limit=(-0.6, 0.6))
    m.driven("eyes_tilt", "head", "eyes", (0.1, 0, 1.45), Y, 4, 0.1, 0.3, 1.5, limit=(-0.6, 0.6))
    m.driven("jaw_hinge", "head", "jaw", jaw, Y, 8, 0.3, 0.25, 1, limit=(-0.6, 0.6))
    m.driven("jaw_crank_hinge", "head", "jaw_crank", crank, Y, 8, 0.3, 0.25, 1, limit=(-0.6, 0.6))
    m.driven("jaw_pin", "jaw_crank", "jaw_rod", pin, Y, 8, 0.3, -0.25, 1, limit=(-0.6, 0.6))
    m.driven("jaw_lever", "jaw_rod", "jaw", lever, Y, 8, 0.3, 0.25, 1, limit=(-0.6, 0.6))


def figure22():
    m = Machine("figure22", """
A figure on a pedestal: 22 bodies, a fixed joint and 23 hinges, all of them driven, 121 rows. Two loops:
the chest rides on a parallelogram, a crank and a rod move the jaw. Heaviest to lightest 90.67 : 1.
""")
    figure22_torso(m)
    figure22_head(m)
    for side, s in SIDES:
        shoulder, outer, elbow = (0, 0.23 * s, 1.08), (0, 0.29 * s, 1.08), (0, 0.29 * s, 0.82)
        twist, wrist = (0, 0.29 * s, 0.72), (0, 0.29 * s, 0.58)
        m.link(f"{side}_shoulder", 0.9, tube(0.03, shoulder, outer, GREY))
        m.link(f"{side}_upper_arm", 1.6, tube(0.03, outer, elbow, ORANGE),
               shell(((-0.1, 0.05, 0.05), (0, 0.06, 0.06), (0.1, 0.05, 0.05)), (0, 0.29 * s, 0.95), SAND))
        m.link(f"{side}_elbow", 0.7, tube(0.028, elbow, twist, GREY))
        m.link(f"{side}_forearm", 0.8, tube(0.024, twist, wrist, GREEN, touches=True, round_ends=True))
        m.link(f"{side}_hand", 0.4, block((0.07, 0.03, 0.1), (0, 0.29 * s, 0.52), VIOLET, touches=True))
        for joint, parent, child, at, axis, gain, swing in (
            ("shoulder_pitch", "chest", "shoulder", shoulder, Y, 200, -0.6),
            ("shoulder_roll", "shoulder", "upper_arm", outer, X, 200, 0.25 * s),
            ("elbow_hinge", "upper_arm", "elbow", elbow, Y, 120, -0.5),
            ("forearm_twist", "elbow", "forearm", twist, Z, 30, 0.6),
            ("wrist", "forearm", "hand", wrist, Y, 20, 0.4),
        ):
            up = parent if parent == "chest" else f"{side}_{parent}"
            m.driven(f"{side}_{joint}", up, f"{side}_{child}", at, axis, gain, 0.05 * gain, swing,
                     3 if s > 0 else 3.6, limit=(-2, 2))
    return m.finish()


# --- walker31: two legs of parallel linkages -------------------------------------------------------

STRUT = {"thigh": ((0.1, 0, -0.28), 0.80), "shank": ((-0.1, 0, -0.28), 0.46)}


def walker_struts(m, side, y, part, upper, lower, x, colour, swing):
    """Two equal struts that keep the lower plate parallel to the upper one; servos on both."""
    vector, z = STRUT[part]
    for end, dx in (("front", 0.03), ("back", -0.03)):
        top = (x + dx, y, z)
        name = f"{side}_{part}_{end}"
        levers = [tube(0.012, top, add(top, (0, 0, 0.06)), colour)] if (part, end) == ("thigh", "front") else []
        m.link(name, 1.1 if part == "thigh" else 0.8, tube(0.015, top, add(top, vector), colour), *levers)
    return [(f"{side}_{part}_{end}", upper, lower, (x + dx, y, z), add((x + dx, y, z), vector), swing)
            for end, dx in (("front", 0.03), ("back", -0.03))]


def walker_leg(m, side, s):
    y, knee_x = 0.1 * s, 0.1
    crank, thigh = (-0.09, y, 0.80), (0.03, y, 0.80)
    pin, lever = add(crank, (0, 0, 0.06)), add(thigh, (0, 0, 0.06))
    m.link(f"{side}_hip_yaw", 0.9, tube(0.03, (0, y, 0.92), (0, y, 0.89), GREY))
    m.link(f"{side}_hip_roll", 0.9, tube(0.03, (0, y, 0.88), (0, y, 0.85), GREY))
    m.link(f"{side}_hip", 1.4, block((0.22, 0.03, 0.03), (-0.03, y, 0.81), BLUE))
    struts = walker_struts(m, side, y, "thigh", f"{side}_hip", f"{side}_knee", 0.0, ORANGE, 0.2)
    m.link(f"{side}_knee", 0.6, block((0.1, 0.03, 0.06), (knee_x, y, 0.49), BLUE),
           shell(((-0.05, 0.06, 0.03), (0, 0.075, 0.04), (0.05, 0.06, 0.03)), (knee_x, y, 0.49), SAND))
    struts += walker_struts(m, side, y, "shank", f"{side}_knee", f"{side}_ankle_plate", knee_x, GREEN, -0.2)
    m.link(f"{side}_ankle_plate", 0.5, block((0.1, 0.03, 0.04), (0, y, 0.16), BLUE))
    m.link(f"{side}_ankle", 0.3, tube(0.02, (0, y, 0.12), (0, y, 0.08), GREY))
    m.link(f"{side}_foot", 0.9, block((0.13, 0.09, 0.03), (0.02, y, 0.015), SAND, touches=True),
           tube(0.015, (0, y, 0.03), (0, y, 0.07), GREY), friction=0.8)
    m.link(f"{side}_toe", 0.2, block((0.06, 0.09, 0.025), (0.12, y, 0.0125), RED, touches=True), friction=0.8)
    m.link(f"{side}_heel", 0.2, block((0.05, 0.09, 0.025), (-0.075, y, 0.0125), RED, touches=True), friction=0.8)
    m.link(f"{side}_crank", 0.35, tube(0.012, crank, pin, ORANGE))
    m.link(f"{side}_rod", 0.25, tube(0.007, pin, lever, GREY))
    m.driven(f"{side}_yaw", "pelvis", f"{side}_hip_yaw", (0, y, 0.92), Z, 800, 30, 0, limit=(-0.6, 0.6))
    m.driven(f"{side}_roll", f"{side}_hip_yaw", f"{side}_hip_roll", (0, y, 0.88), X, 2500, 80, 0,
             limit=(-0.5, 0.5))
    m.driven(f"{side}_pitch", f"{side}_hip_roll", f"{side}_hip", (0, y, 0.84), Y, 2500, 80, 0, limit=(-0.8, 0.8))
    for name, upper, lower, top, bottom, swing in struts:
        m.driven(f"{name}_top", upper, name, top, Y, 1500, 50, swing, 2.5, limit=(-0.9, 0.9))
        m.hinge(f"{name}_bottom", name, lower, bottom, Y)
    m.driven(f"{side}_crank_hinge", f"{side}_hip", f"{side}_crank", crank, Y, 800, 20, 0.2, 2.5,
             limit=(-0.9, 0.9))
    m.hinge(f"{side}_crank_pin", f"{side}_crank", f"{side}_rod", pin, Y)
    m.hinge(f"{side}_rod_pin", f"{side}_rod", f"{side}_thigh_front", lever, Y)
    m.driven(f"{side}_ankle_pitch", f"{side}_ankle_plate", f"{side}_ankle", (0, y, 0.12), Y, 2500, 80, 0,
             limit=(-0.7, 0.7))
    m.driven(f"{side}_ankle_roll", f"{side}_ankle", f"{side}_foot", (0, y, 0.07), X, 2500, 80, 0,
             limit=(-0.5, 0.5))
    m.driven(f"{side}_toe_hinge", f"{side}_foot", f"{side}_toe", (0.09, y, 0.0125), Y, 150, 3, 0,
             limit=(-0.6, 0.6))
    m.driven(f"{side}_heel_hinge", f"{side}_foot", f"{side}_heel", (-0.05, y, 0.0125), Y, 150, 3, 0,
             limit=(-0.6, 0.6))


def walker31():
    m = Machine("walker31", """
A walking machine whose thighs and shanks are parallelograms, so that its feet stay parallel to its
hips: 31 bodies, 36 hinges, 180 rows, six loops, free to fall. A crank and a rod help each thigh. 24 hinges
are driven; the 12 at the lower ends of struts and at the rods are passive. Pelvis to toe 99.55 : 1.
""", ground=0.8)
    m.link("pelvis", 19.91, block((0.12, 0.26, 0.06), (0, 0, 0.96), BLUE),
           shell(((-0.02, 0.12, 0.16), (0.05, 0.15, 0.19), (0.17, 0.1, 0.12)), (0, 0, 0.98), TEAL))
    for side, s in SIDES:
        walker_leg(m, side, s)
    return m.finish()


# --- figure38: an animal on a post -----------------------------------------------------------------


def figure38_body(m):
    """Spine, neck on a parallelogram, and a head with a jaw, ears and eyelids."""
    m.link("post", 20, tube(0.06, (0, 0, 0), (0, 0, 0.9), GREY))
    m.link("hips", 14, block((0.5, 0.08, 0.08), (-0.2, 0, 0.95), SAND),
           shell(((-0.11, 0.2, 0.07), (0.01, 0.25, 0.1), (0.13, 0.2, 0.06)), (-0.2, 0, 0.96), ORANGE))
    m.link("chest", 40.5016, block((0.46, 0.1, 0.12), (0.4, 0, 0.97), SAND),
           shell(((-0.15, 0.18, 0.07), (0.0, 0.22, 0.1), (0.13, 0.2, 0.07)), (0.44, 0, 0.97), ORANGE))
    for name, x in (("neck_rear", 0.5), ("neck_front", 0.6)):
        m.link(name, 1.6, tube(0.025, (x, 0, 1.12), (x + 0.12, 0, 1.45), BLUE))
    m.link("withers", 1.1, block((0.14, 0.06, 0.05), (0.67, 0, 1.47), BLUE))
    m.link("neck_top", 0.5, tube(0.03, (0.67, 0, 1.52), (0.67, 0, 1.56), GREY))
    m.link("head", 2.4, block((0.16, 0.07, 0.06), (0.75, 0, 1.63), SAND),
           shell(((-0.05, 0.12, 0.05), (0.02, 0.15, 0.08), (0.07, 0.1, 0.05)), (0.76, 0, 1.63), ORANGE))
    m.weld("mount", "world", "post", (0, 0, 0))
    m.driven("hips_pitch", "post", "hips", (0, 0, 0.95), Y, 12000, 1200, 0.06, 5, limit=(-0.5, 0.5))
    m.driven("chest_yaw", "hips", "chest", (0.15, 0, 0.95), Z, 4000, 400, 0.15, 6, limit=(-0.6, 0.6))
    for name, x in (("neck_rear", 0.5), ("neck_front", 0.6)):
        at, top = (x, 0, 1.12), (x + 0.12, 0, 1.45)
        if name == "neck_rear":
            m.driven("neck_lean", "chest", name, at, Y, 1500, 120, 0.3, 4, limit=(-0.8, 0.8))
        else:
            m.hinge("neck_front_low", "chest", name, at, Y)
        m.hinge(f"{name}_high", name, "withers", top, Y)
    m.driven("head_turn", "withers", "neck_top", (0.67, 0, 1.51), Z, 150, 8, 0.6, 3, limit=(-1.4, 1.4))
    m.driven("head_nod", "neck_top", "head", (0.67, 0, 1.57), Y, 200, 10, 0.3, 2.5, limit=(-0.9, 0.9))


def figure38_face(m):
    jaw, crank, arm = (0.70, 0, 1.56), (0.70, 0.03, 1.64), (0.04, 0, 0)
    lever = add((jaw[0], 0.03, jaw[2]), arm)
    m.link("jaw", 0.3, block((0.14, 0.06, 0.03), (0.77, 0, 1.55), RED), tube(0.006, jaw, lever, RED))
    m.link("jaw_crank", 0.08, tube(0.008, crank, add(crank, arm), GREEN))
    m.hinge("jaw_hinge", "head", "jaw", jaw, Y, limit=(-0.7, 0.7))
    m.driven("jaw_drive", "head", "jaw_crank", crank, Y, 12, 0.4, 0.3, 1.2, limit=(-0.7, 0.7))
    m.rod("jaw_rod", "jaw_crank", "jaw", add(crank, arm), lever, 0.05, 0.004)
    for side, s in SIDES:
        m.link(f"{side}_ear", 0.06, block((0.02, 0.05, 0.12), (0.66, 0.07 * s, 1.77), SAND))
        m.driven(f"{side}_ear_turn", "head", f"{side}_ear", (0.66, 0.07 * s, 1.71), Z, 2, 0.03, 0.6, 1.7,
                 limit=(-1.2, 1.2))
    m.link("eyelids", 0.04, tube(0.012, (0.82, -0.06, 1.68), (0.82, 0.06, 1.68), VIOLET),
           tube(0.012, (0.83, -0.06, 1.67), (0.83, 0.06, 1.67), VIOLET))
    m.driven("blink", "head", "eyelids", (0.82, 0, 1.68), Y, 1, 0.01, 0.4, 0.9, limit=(-0.8, 0.8))


def figure38_tail(m):
    """Three pieces: the first is driven, a crossed rod curls the second, the third hangs on a spring."""
    points = ((-0.46, 0, 1.0), (-0.56, 0, 0.95), (-0.64, 0, 0.86), (-0.68, 0, 0.74))
    for k in range(3):
        m.link(f"tail{k + 1}", (0.5, 0.3, 0.15)[k], tube(0.02 - 0.004 * k, points[k], points[k + 1], ORANGE))
    m.driven("tail1_hinge", "hips", "tail1", points[0], Y, 60, 3, 0.35, 1.6, limit=(-0.9, 0.9))
    m.hinge("tail2_hinge", "tail1", "tail2", points[1], Y)
    m.hinge("tail3_hinge", "tail2", "tail3", points[2], Y, limit=(-1.2, 1.2), damping=0.01)
    m.rod("tail_rod", "hips", "tail2", add(points[0], (0, 0.03, 0.04)), add(points[1], (0, 0.03, -0.04)), 0.05, 0.004)


def figure38_leg(m, name, parent, s, points, lever, rod_kind):
    """Four hinges; a rod beside the first link keeps the second parallel to the body."""
    masses, colours = (2.2, 1.2, 0.6, 0.25), (ORANGE, SAND, GREY, BLUE)
    pieces = ("upper", "lower", "cannon", "hoof")
    ends = (*points, add(points[3], (0.03, 0, -0.04)))
    for k, piece in enumerate(pieces):
        solid = (tube((0.035, 0.026, 0.018, 0.02)[k], ends[k], ends[k + 1], colours[k]) if piece != "hoof" else
                 block((0.07, 0.05, 0.04), add(points[3], (0.01, 0, -0.03)), colours[k], touches=True))
        extra = [tube(0.01, points[1], add(points[1], lever), SAND)] if piece == "lower" else []
        m.link(f"{name}_{piece}", masses[k], solid, *extra)
    before = parent
    for k, piece in enumerate(pieces):
        joint = f"{name}_{piece}_hinge"
        if k == 1:
            m.hinge(joint, before, f"{name}_{piece}", points[k], Y)
        else:
            gain = (500, 0, 80, 15)[k]
            m.driven(joint, before, f"{name}_{piece}", points[k], Y, gain, 0.05 * gain,
                     (0.3, 0, -0.3, 0.2)[k] * s, 2.4, limit=(-0.9, 0.9))
        before = f"{name}_{piece}"
    a, b = add(points[0], lever), add(points[1], lever)
    if rod_kind == "spatial":
        m.rod(f"{name}_rod", parent, f"{name}_lower", a, b, 0.2)
        return
    m.link(f"{name}_rod", 0.2, tube(0.008, a, b, GREY))
    m.hinge(f"{name}_rod_top", parent, f"{name}_rod", a, Y)
    m.hinge(f"{name}_rod_bottom", f"{name}_rod", f"{name}_lower", b, Y)


def figure38():
    m = Machine("figure38", """
An animal on a post: 38 bodies, 45 joints (a fixed one, 36 hinges, 4 universal and 4 ball joints),
214 rows, seven loops: the neck and the hind legs are planar linkages, spatial rods move jaw, tail and
forelegs. 22 hinges are driven, the rest follows, and the tip of the tail swings freely. Chest to eyelids
1012.54 : 1. The paper lists 60 degrees of freedom, 38 of them passive; 45 joints with 214 rows have 56
coordinates, and 60 only if a ball joint counts as the four numbers of a quaternion.
""", ground=0.7)
    figure38_body(m)
    figure38_face(m)
    figure38_tail(m)
    for side, s in SIDES:
        y = 0.13 * s
        figure38_leg(m, f"fore_{side}", "chest", s,
                     ((0.52, y, 0.8), (0.46, y, 0.57), (0.5, y, 0.34), (0.5, y, 0.1)), (-0.06, 0.03 * s, 0), "spatial")
        figure38_leg(m, f"hind_{side}", "hips", s,
                     ((-0.3, y, 0.82), (-0.24, y, 0.58), (-0.34, y, 0.34), (-0.32, y, 0.1)), (-0.06, 0.03 * s, 0),
                     "planar")
    return m.finish()


# --- figure54: a figure moved by cranks and push rods ----------------------------------------------


def platform(m, name, parent, child, at, radius, half_width, height, masses, gains, swings, swivel=True):
    """A universal joint and two push rods from cranks on the parent: both cranks alike pitch the child,
    opposite ones roll it. `height` is from the cranks to the joint, negative where the child hangs."""
    m.joint("universal", f"{name}_joint", parent, child, at, (X, Y))
    for side, s in SIDES:
        crank = add(at, (0, half_width * s, -height))
        arm = (-radius, 0, 0)
        pin, socket = add(crank, arm), add(add(at, (0, half_width * s, 0)), arm)
        m.link(f"{name}_{side}_crank", masses[0], tube(max(0.004, 0.12 * radius), crank, pin, RED))
        m.driven(f"{name}_{side}_drive", parent, f"{name}_{side}_crank", crank, Y, *gains,
                 swings[0] + s * swings[1], 3.2, limit=(-0.9, 0.9))
        make = m.swivel_rod if swivel else m.rod
        make(f"{name}_{side}_rod", f"{name}_{side}_crank", child, pin, socket, masses[1], 0.08 * radius)


def crank_drive(m, name, parent, child, at, offset, arm, side_step, axis, masses, gains, swing, period):
    """A hinge that a parallel crank turns through a push rod with a swivel."""
    crank = add(add(at, offset), side_step)
    pin, socket = add(crank, arm), add(add(at, side_step), arm)
    m.hinge(f"{name}_hinge", parent, child, at, axis, limit=(-0.9, 0.9))
    m.link(f"{name}_crank", masses[0], tube(0.005, crank, pin, RED))
    m.driven(f"{name}_drive", parent, f"{name}_crank", crank, axis, *gains, swing, period, limit=(-0.9, 0.9))
    m.swivel_rod(f"{name}_rod", f"{name}_crank", child, pin, socket, masses[1], 0.003)


def figure54_trunk(m):
    m.link("pelvis", 15, block((0.14, 0.18, 0.1), (0, 0, 0.8), GREY), tube(0.03, (0, 0, 0.85), (0, 0, 1.1), GREY))
    m.link("torso", 22.99, block((0.12, 0.34, 0.1), (0, 0, 1.48), BLUE), tube(0.05, (0, 0, 1.1), (0, 0, 1.45), GREY),
           shell(((-0.19, 0.09, 0.11), (0.03, 0.13, 0.15), (0.17, 0.09, 0.12)), (0, 0, 1.39), RED))
    m.link("neck", 0.5, tube(0.025, (0, 0, 1.62), (0, 0, 1.67), GREY))
    m.link("head", 2.2, block((0.1, 0.1, 0.12), (0, 0, 1.79), SAND),
           shell(((-0.06, 0.08, 0.07), (0.03, 0.1, 0.09), (0.11, 0.06, 0.06)), (0, 0, 1.79), RED))
    m.link("jaw", 0.12, block((0.07, 0.06, 0.02), (0.07, 0, 1.71), GREY),
           tube(0.005, (0.02, 0.03, 1.71), (0.06, 0.03, 1.71), GREY))
    m.link("eyes", 0.01, tube(0.01, (0.1, -0.04, 1.81), (0.1, 0.04, 1.81), VIOLET))
    m.link("eyelids", 0.0009, tube(0.006, (0.115, -0.04, 1.815), (0.115, 0.04, 1.815), TEAL),
           tube(0.006, (0.118, -0.04, 1.811), (0.118, 0.04, 1.811), TEAL))
    m.weld("mount", "world", "pelvis", (0, 0, 0.7))
    platform(m, "waist", "pelvis", "torso", (0, 0, 1.1), 0.08, 0.11, 0.25, (0.5, 0.4), (6000, 400), (0.1, 0.06),
             swivel=False)
    platform(m, "neck", "torso", "neck", (0, 0, 1.62), 0.04, 0.05, 0.14, (0.06, 0.04), (150, 5), (0.2, 0.15))
    m.driven("head_turn", "neck", "head", (0, 0, 1.67), Z, 60, 3, 0.6, 3, limit=(-1.4, 1.4))
    crank_drive(m, "jaw", "head", "jaw", (0.02, 0, 1.71), (0, 0, 0.08), (0.04, 0, 0), (0, 0.03, 0), Y,
                (0.03, 0.01), (6, 0.15), 0.25, 1.1)
    m.driven("eyes_tilt", "head", "eyes", (0.1, 0, 1.81), Y, 0.3, 0.003, 0.4, 1.5, limit=(-0.7, 0.7))
    m.driven("blink", "head", "eyelids", (0.1, 0, 1.81), Y, 0.02, 1e-4, 0.3, 0.9, limit=(-0.7, 0.7))


def figure54_arm(m, side, s):
    shoulder, outer, elbow = (0, 0.2 * s, 1.5), (0, 0.27 * s, 1.5), (0, 0.27 * s, 1.22)
    wrist, grip = (0, 0.27 * s, 0.96), (0.02, 0.27 * s, 0.87)
    m.link(f"{side}_shoulder", 0.9, tube(0.03, shoulder, outer, GREY), block((0.04, 0.04, 0.1), (-0.05, 0.25 * s, 1.54), GREY))
    m.link(f"{side}_upper_arm", 1.9, tube(0.035, outer, elbow, BLUE),
           shell(((-0.1, 0.05, 0.05), (0, 0.06, 0.06), (0.1, 0.05, 0.05)), (0, 0.27 * s, 1.35), RED))
    m.link(f"{side}_forearm", 1.1, tube(0.025, elbow, wrist, BLUE),
           shell(((-0.07, 0.045, 0.045), (0, 0.055, 0.055), (0.07, 0.05, 0.05)), (0, 0.27 * s, 1.11), RED))
    m.link(f"{side}_hand", 0.4, block((0.07, 0.03, 0.08), (0, 0.27 * s, 0.9), SAND, touches=True))
    m.link(f"{side}_fingers", 0.08, block((0.02, 0.03, 0.07), (0.02, 0.27 * s, 0.83), SAND, touches=True))
    m.driven(f"{side}_shoulder_pitch", "torso", f"{side}_shoulder", shoulder, Y, 250, 12, -0.5 * s, 3.4,
             limit=(-1.8, 1.8))
    crank_drive(m, f"{side}_shoulder_roll", f"{side}_shoulder", f"{side}_upper_arm", outer, (0, 0, 0.09),
                (0, 0.045 * s, 0), (-0.05, 0, 0), X, (0.15, 0.06), (250, 12), 0.3 * s, 3)
    m.driven(f"{side}_elbow", f"{side}_upper_arm", f"{side}_forearm", elbow, Y, 120, 6, -0.5, 2.8, limit=(-1.8, 0.8))
    platform(m, f"{side}_wrist", f"{side}_forearm", f"{side}_hand", wrist, 0.03, 0.03, -0.12, (0.03, 0.02), (30, 1),
             (0.25, 0.1))
    crank_drive(m, f"{side}_grip", f"{side}_hand", f"{side}_fingers", grip, (0, 0, 0.05), (0.02, 0, 0),
                (0, 0.02 * s, 0), Y, (0.01, 0.006), (3, 0.05), 0.3, 1.4)


def figure54():
    m = Machine("figure54", """
The upper body of a figure, moved by cranks and push rods: 54 bodies, 67 joints (a fixed one, 36 hinges,
28 universal and 2 ball joints), 304 rows, 13 loops. Waist, neck and wrists are universal joints on two
push rods each; cranks turn shoulders, jaw and fingers; 20 hinges are driven and nothing else moves by
itself. Torso to eyelids 25544.44 : 1. The paper lists 100 degrees of freedom, 80 of them passive; 67 joints
with 304 rows have 98 coordinates, and 100 only if a ball joint counts as the four numbers of a quaternion.
""")
    figure54_trunk(m)
    for side, s in SIDES:
        figure54_arm(m, side, s)
    return m.finish()
