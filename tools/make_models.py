#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Writes the model files that are too repetitive, or too full of computed numbers, for a hand.

Usage: tools/make_models.py [models folder]

The files it writes are committed, so that nobody needs this script to use them; a test compares
them with what it writes. All linkages lie in the plane y = 0 (or parallel to it), hinges turn about
y, gravity acts along -z. A bar's link frame sits at its first pivot with x along the bar. Of what
touches, link frames sit in the centres of mass; the ground is a static model beside the mechanism.
"""

import math
import os
import sys
import textwrap

NAMESPACE = "urn:pawl:sdf"
Y_AXIS = (0.0, 1.0, 0.0)

BLUE = (0.16, 0.42, 0.72)
ORANGE = (0.93, 0.55, 0.14)
GREEN = (0.24, 0.60, 0.36)
RED = (0.80, 0.24, 0.22)
VIOLET = (0.50, 0.36, 0.68)
GREY = (0.45, 0.47, 0.50)
TEAL = (0.12, 0.60, 0.62)
SAND = (0.86, 0.74, 0.46)


def number(x):
    """The shortest text that reads back as the same double, without a negative zero."""
    x = float(x)
    if x == 0.0:
        return "0"
    if x == int(x) and abs(x) < 1e6:
        return str(int(x))
    return repr(x)


def numbers(values):
    return " ".join(number(v) for v in values)


class Writer:
    """One world with one model, and perhaps a static one for the ground, as text."""

    def __init__(self, name, comment, gravity=(0.0, 0.0, -9.81)):
        self.name = name
        self.static = []
        self.lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            "<!-- SPDX-License-Identifier: MIT -->",
            "<!-- Part of pawl, a rigid multibody dynamics engine. "
            "Written by tools/make_models.py. -->",
            "<!--",
        ]
        self.lines += textwrap.wrap(
            " ".join(comment.split()), 98, initial_indent="  ", subsequent_indent="  "
        )
        self.lines += [
            "-->",
            f'<sdf version="1.10" xmlns:pawl="{NAMESPACE}">',
            f'  <world name="{name}">',
            f"    <gravity>{numbers(gravity)}</gravity>",
            f'    <model name="{name}">',
        ]

    def link(self, name, pose, mass, com, inertia, visuals, twist=None, material=None, drawn=(),
             filters=()):
        """inertia: xx yy zz and, where given, xz xy yz, about the centre of mass in link axes.
        material: friction and restitution, for visuals that are what touches, too; `drawn` are
        visuals that do not. filters: elements that say what the collisions touch."""
        a = self.lines.append
        a(f'      <link name="{name}">')
        a(f"        <pose>{numbers(pose)}</pose>")
        a("        <inertial>")
        if any(com):
            a(f"          <pose>{numbers(com)} 0 0 0</pose>")
        a(f"          <mass>{number(mass)}</mass>")
        a("          <inertia>")
        for key, value in zip(("ixx", "iyy", "izz", "ixz", "ixy", "iyz"), inertia):
            a(f"            <{key}>{number(value)}</{key}>")
        a("          </inertia>")
        a("        </inertial>")
        for k, (visual_pose, geometry, colour) in enumerate((*visuals, *drawn)):
            a(f'        <visual name="{name}_visual{k if k else ""}">')
            if any(visual_pose):
                a(f"          <pose>{numbers(visual_pose)}</pose>")
            a(f"          <geometry>{geometry}</geometry>")
            a(f"          <material><diffuse>{numbers(colour)} 1</diffuse></material>")
            a("        </visual>")
            if material is not None and k < len(visuals):
                self.lines += self.collision(f"{name}{k if k else ''}", visual_pose, geometry,
                                             material, filters)
        if twist is not None:
            a(f"        <pawl:twist>{numbers(twist)}</pawl:twist>")
        a("      </link>")

    def hinge(self, name, parent, child, at=(0.0, 0.0, 0.0), axis=Y_AXIS):
        """A revolute joint at a point of the child's link frame."""
        a = self.lines.append
        a(f'      <joint name="{name}" type="revolute">')
        if any(at):
            a(f"        <pose>{numbers(at)} 0 0 0</pose>")
        a(f"        <parent>{parent}</parent>")
        a(f"        <child>{child}</child>")
        a(f"        <axis><xyz>{numbers(axis)}</xyz></axis>")
        a("      </joint>")

    def weld(self, name, parent, child):
        a = self.lines.append
        a(f'      <joint name="{name}" type="fixed">')
        a(f"        <parent>{parent}</parent>")
        a(f"        <child>{child}</child>")
        a("      </joint>")

    @staticmethod
    def collision(name, pose, geometry, material, filters=()):
        friction, restitution = material
        lines = [f'        <collision name="{name}_collision">']
        if any(pose):
            lines.append(f"          <pose>{numbers(pose)}</pose>")
        lines += [
            f"          <geometry>{geometry}</geometry>",
            "          <surface>",
            f"            <friction><ode><mu>{number(friction)}</mu>"
            f"<mu2>{number(friction)}</mu2></ode></friction>",
        ]
        if restitution:
            lines.append("            <bounce><restitution_coefficient>"
                         f"{number(restitution)}</restitution_coefficient></bounce>")
        lines += ["          </surface>"] + ["          " + line for line in filters]
        return lines + ["        </collision>"]

    def ground(self, material, pose=(0.0,) * 6, geometry=None, name="ground", filters=()):
        """What stands still: a plane with its normal along z, unless it is another shape."""
        self.static += [
            f'    <model name="{name}">',
            "      <static>true</static>",
            f'      <link name="{name}">',
        ]
        geometry = geometry or "<plane><normal>0 0 1</normal></plane>"
        self.static += self.collision(name, pose, geometry, material, filters)
        self.static += ["      </link>", "    </model>"]

    def ball_joint(self, name, parent, child, at):
        a = self.lines.append
        a(f'      <joint name="{name}" type="ball">')
        a(f"        <pose>{numbers(at)} 0 0 0</pose>")
        a(f"        <parent>{parent}</parent>")
        a(f"        <child>{child}</child>")
        a("      </joint>")

    def text(self, *lines):
        self.lines += ["      " + line for line in lines]

    def touch_each_other(self):
        """Links of a model touch each other only where it says so, which is left out where no two could."""
        count = lambda part: sum(part in line for line in self.lines)
        if count("<link ") > 1 and count("<collision ") > 1 and not count("<self_collide>"):
            at = next(i for i, line in enumerate(self.lines) if "<model " in line)
            self.lines.insert(at + 1, "      <self_collide>true</self_collide>")

    def finish(self):
        self.touch_each_other()
        return "\n".join(
            self.lines + ["    </model>"] + self.static + ["  </world>", "</sdf>", ""])


def box(size):
    return f"<box><size>{numbers(size)}</size></box>"


def capsule(radius, length):
    return (
        f"<capsule><radius>{number(radius)}</radius><length>{number(length)}</length></capsule>"
    )


def sphere(radius):
    return f"<sphere><radius>{number(radius)}</radius></sphere>"


def cylinder(radius, length):
    return (
        f"<cylinder><radius>{number(radius)}</radius><length>{number(length)}</length></cylinder>"
    )


def ellipsoid(radii):
    return f"<ellipsoid><radii>{numbers(radii)}</radii></ellipsoid>"


def hull(points):
    return "<pawl:hull>" + "  ".join(numbers(p) for p in points) + "</pawl:hull>"


def box_inertia(mass, size):
    x, y, z = (s * s for s in size)
    return (mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12)


def bar_inertia(mass, length, section):
    """Of a box with its length along x and a square section."""
    axial = mass * section**2 / 6.0
    across = mass * (length**2 + section**2) / 12.0
    return (axial, across, across)


def bar(w, name, a, b, mass, section, colour, y=0.0, inertia=None, twist=None, material=None,
        length=None):
    """A bar between two points (x, z) of the plane; the link frame is at a with x towards b.
    length: what is between them, where the points are its rounded consequence."""
    dx, dz = b[0] - a[0], b[1] - a[1]
    length = length or math.hypot(dx, dz)
    pitch = math.atan2(-dz, dx)
    if inertia is None:
        inertia = bar_inertia(mass, length, section)
    visual = ((length / 2, 0, 0, 0, 0, 0), box((length, section, section)), colour)
    w.link(name, (a[0], y, a[1], 0, pitch, 0), mass, (length / 2, 0, 0), inertia, [visual], twist,
           material)
    return length


def chain(count):
    length, mass, section = 0.1, 0.1, 0.02
    w = Writer(
        f"chain-{count}",
        f"""
A chain of {count} links released horizontally: scene S5 of the comparison with other engines.
Each link is a bar of {length} m, {mass} kg and {section} m square section; hinges about y.
""",
    )
    visual = ((length / 2, 0, 0, 0, 0, 0), box((length, section, section)))
    inertia = bar_inertia(mass, length, section)
    for k in range(count):
        colour = BLUE if k % 2 == 0 else ORANGE
        # k / 10 is the double nearest to the true position; summing 0.1 would drift.
        w.link(
            f"link{k}",
            (k / 10, 0, 0, 0, 0, 0),
            mass,
            (length / 2, 0, 0),
            inertia,
            [visual + (colour,)],
        )
    for k in range(count):
        w.hinge(f"hinge{k}", "world" if k == 0 else f"link{k - 1}", f"link{k}")
    return w.finish()


def ladder(n):
    """The IFToMM benchmark A02."""
    w = Writer(
        f"A02-N{n}",
        f"""
IFToMM A02: {n} parallelogram four-bars side by side, {2 * n + 1} uniform rods of 1 m and 1 kg.
It starts upright with its top moving at 1 m/s along x. Whenever the rods lie flat, the mechanism is
singular: its mobility jumps from 1 to {n + 1}. The reference stays on the parallelogram branch.
The reference's y is z here. The rods are slender: their transverse inertia is m L^2 / 12 exactly.
""",
    )
    inertia = (1.0 / 3750.0, 1.0 / 12.0, 1.0 / 12.0)  # axial: a section of 0.04 m; plays no part
    for k in range(n + 1):
        bar(w, f"crank{k}", (k, 0), (k, 1), 1, 0.04, BLUE, inertia=inertia,
            twist=(0, 0, 0, 0, 1, 0))
    for k in range(n):
        bar(w, f"coupler{k}", (k, 1), (k + 1, 1), 1, 0.04, ORANGE, inertia=inertia,
            twist=(1, 0, 0, 0, 0, 0))
    for k in range(n + 1):
        w.hinge(f"A{k}", "world", f"crank{k}")
    for k in range(n):
        w.hinge(f"B{k}", f"crank{k}", f"coupler{k}")
        w.hinge(f"C{k + 1}", f"crank{k + 1}", f"coupler{k}", (1, 0, 0))
    return w.finish()


def fourbar_passive():
    """Scene S4: a four-bar without symmetry."""
    a, b, c, d = (0, 0), (-0.15, 0.15 * math.sqrt(3)), (1, 0.6), (1, 0)
    w = Writer(
        "S4-fourbar",
        """
A passive four-bar linkage: scene S4 of the comparison with other engines. Pivots A (0, 0),
B (-0.15, 0.2598), C (1, 0.6) and D (1, 0) in the plane (x, z); bars AB 0.3 kg,
BC |BC| kg and DC 0.6 kg of 0.04 m square section. It is released at rest and swings for ever.
""",
    )
    bar(w, "crank", a, b, 0.3, 0.04, BLUE)
    bar(w, "coupler", b, c, math.dist(b, c), 0.04, ORANGE)
    rocker = bar(w, "rocker", d, c, 0.6, 0.04, GREEN)
    w.hinge("A", "world", "crank")
    w.hinge("B", "crank", "coupler")
    w.hinge("C", "coupler", "rocker", (rocker, 0, 0))
    w.hinge("D", "world", "rocker")
    return w.finish()


def fourbar_released():
    """The passive four-bar of the lit stepper: slender rods, released at rest."""
    ground, crank, coupler, rocker = 0.3, 0.1, 0.3, 0.25
    angle = math.radians(-20)
    a, d = (0.0, 0.0), (ground, 0.0)
    b = (crank * math.cos(angle), crank * math.sin(angle))
    c = circles(b, coupler, d, rocker, 1)
    w = Writer(
        "fourbar-passive",
        """
A passive four-bar in a vertical plane: ground 0.30 m, crank 0.10 m and 0.2 kg, coupler 0.30 m and
0.6 kg, rocker 0.25 m and 0.5 kg, pins without friction. It is released at rest with its crank 20
degrees below the horizontal, the joint of coupler and rocker above the ground's line.
The rods are slender: their transverse inertia is m L^2 / 12 exactly.
""",
    )
    section = 0.015
    for name, ends, length, mass, colour in (
        ("crank", (a, b), crank, 0.2, BLUE),
        ("coupler", (b, c), coupler, 0.6, ORANGE),
        ("rocker", (d, c), rocker, 0.5, GREEN),
    ):
        across = mass * length**2 / 12
        bar(w, name, *ends, mass, section, colour, inertia=(mass * section**2 / 6, across, across),
            length=length)
    w.hinge("A", "world", "crank")
    w.hinge("B", "crank", "coupler")
    w.hinge("C", "coupler", "rocker", (rocker, 0, 0))
    w.hinge("D", "world", "rocker")
    return w.finish()


def fourbar(fixed, dropped=False):
    """The four-bar of the loops paper (Table II): four equal bars, mass ratio 1."""
    length, mass, section = 0.5, 1.0, 0.05
    angle = math.radians(50.0)  # of the cranks, from hanging straight down
    height = 0.0 if fixed else 1.0 if dropped else 2.0
    material = (0.5, 0.0) if dropped else None
    dx, dz = length * math.sin(angle), -length * math.cos(angle)
    a, d = (-length / 2, height), (length / 2, height)
    b, c = (a[0] + dx, a[1] + dz), (d[0] + dx, d[1] + dz)
    if fixed:
        w = Writer(
            "fourbar-fixed",
            """
Four equal bars in a closed loop, the first one welded to the world: 4 bodies, 5 joints, 26 rows of
rank 23. In space, a planar loop has three rows too many: they are redundant, not wrong.
The cranks start 50 degrees from hanging and swing, for the actuator's torque is zero.
""",
        )
        rate = 0.0
    elif dropped:
        w = Writer(
            "fourbar-dropped",
            """
The four-bar of fourbar-free, dropped on a plane from about half a metre. It lands on its coupler,
folds and falls over, and must then lie still.
""",
        )
        rate = 2.0
    else:
        w = Writer(
            "fourbar-free",
            """
Four equal bars in a closed loop that nothing holds: 4 bodies, 4 joints, 20 rows of rank 17,
that is, 6 degrees of freedom of the whole and one of the loop. It falls while its
cranks turn at 2 rad/s against the bar between their pivots. The actuator's torque is zero.
""",
        )
        rate = 2.0
    spin = (0, 0, 0, 0, rate, 0) if rate else None
    # w x r with w = (0, rate, 0) and r = (dx, 0, dz)
    carry = (rate * dz, 0, -rate * dx, 0, 0, 0) if rate else None
    bar(w, "ground", a, d, mass, section, GREY, material=material)
    bar(w, "crank", a, b, mass, section, BLUE, twist=spin, material=material)
    bar(w, "coupler", b, c, mass, section, ORANGE, twist=carry, material=material)
    bar(w, "rocker", d, c, mass, section, GREEN, twist=spin, material=material)
    if dropped:
        w.ground(material)
    if fixed:
        w.weld("weld", "world", "ground")
    w.hinge("A", "ground", "crank")
    w.hinge("B", "crank", "coupler")
    w.hinge("C", "coupler", "rocker", (length, 0, 0))
    w.hinge("D", "ground", "rocker")
    w.text(
        '<pawl:actuator name="motor" type="force" joint="A">',
        "  <pawl:constant>0</pawl:constant>",
        "</pawl:actuator>",
    )
    return w.finish()


# Theo Jansen's published leg proportions, in cm: a leg is about 1.2 m high.
JANSEN = {
    "a": 38.0, "b": 41.5, "c": 39.3, "d": 40.1, "e": 55.8, "f": 39.4, "g": 36.7,
    "h": 65.7, "i": 49.0, "j": 50.0, "k": 61.9, "l": 7.8, "m": 15.0,
}


def circles(p, r, q, s, side):
    """The point at distance r from p and s from q, on the left (side 1) or right (-1) of p -> q."""
    dx, dz = q[0] - p[0], q[1] - p[1]
    dist = math.hypot(dx, dz)
    along = (r * r - s * s + dist * dist) / (2 * dist)
    up = side * math.sqrt(r * r - along * along)
    return (p[0] + (along * dx - up * dz) / dist, p[1] + (along * dz + up * dx) / dist)


def jansen_points(theta, mirror):
    """Points of one leg for a crank angle; the leg points to -x, its mirror image to +x."""
    n = {key: value / 100.0 for key, value in JANSEN.items()}
    angle = math.pi - theta if mirror else theta
    p = {}
    p["O"] = (0.0, 0.0)
    p["crank"] = (n["m"] * math.cos(angle), n["m"] * math.sin(angle))
    p["pivot"] = (-n["a"], -n["l"])
    p["top"] = circles(p["crank"], n["j"], p["pivot"], n["b"], -1)
    p["left"] = circles(p["top"], n["e"], p["pivot"], n["d"], -1)
    p["low"] = circles(p["crank"], n["k"], p["pivot"], n["c"], 1)
    p["knee"] = circles(p["left"], n["f"], p["low"], n["g"], -1)
    p["foot"] = circles(p["knee"], n["h"], p["low"], n["i"], -1)
    if mirror:
        p = {key: (-x, z) for key, (x, z) in p.items()}
    return p


def rods_body(points, pairs, density, radius):
    """Mass, centre of mass (x, z) and inertia xx yy zz xz of thin rods between named points."""
    mass = sum(density * math.dist(points[a], points[b]) for a, b in pairs)
    cx = sum(density * math.dist(points[a], points[b]) * (points[a][0] + points[b][0]) / 2
             for a, b in pairs) / mass
    cz = sum(density * math.dist(points[a], points[b]) * (points[a][1] + points[b][1]) / 2
             for a, b in pairs) / mass
    xx = yy = zz = xz = 0.0
    for a, b in pairs:
        length = math.dist(points[a], points[b])
        m = density * length
        ux, uz = ((points[b][0] - points[a][0]) / length, (points[b][1] - points[a][1]) / length)
        rx = (points[a][0] + points[b][0]) / 2 - cx
        rz = (points[a][1] + points[b][1]) / 2 - cz
        axial, across = m * radius**2 / 2, m * (length**2 / 12 + radius**2 / 4)
        xx += across + (axial - across) * ux * ux + m * rz * rz
        zz += across + (axial - across) * uz * uz + m * rx * rx
        yy += across + m * (rx * rx + rz * rz)
        xz += (axial - across) * ux * uz - m * rx * rz
    return mass, (cx, cz), (xx, yy, zz, xz)


# Bodies of a leg: name, points, layer in y, colour. Two points make a bar, three a triangle.
JANSEN_BODIES = (
    ("upper_rod", ("crank", "top"), 0.03, ORANGE),
    ("lower_rod", ("crank", "low"), -0.03, ORANGE),
    ("shoulder", ("pivot", "top", "left"), 0.0, BLUE),
    ("rocker", ("pivot", "low"), 0.03, TEAL),
    ("tendon", ("left", "knee"), 0.03, GREEN),
    ("shank", ("low", "knee", "foot"), 0.0, VIOLET),
)
# Hinges of a leg: point, parent, child.
JANSEN_HINGES = (
    ("crank", "crank", "upper_rod"),
    ("crank", "crank", "lower_rod"),
    ("pivot", "frame", "shoulder"),
    ("pivot", "frame", "rocker"),
    ("top", "upper_rod", "shoulder"),
    ("low", "lower_rod", "rocker"),
    ("low", "rocker", "shank"),
    ("left", "shoulder", "tendon"),
    ("knee", "tendon", "shank"),
)


def rod_visual(a, b, origin, radius, colour, y=0.0):
    """A capsule between two points of the plane, seen from a link frame at `origin`."""
    pose = (
        (a[0] + b[0]) / 2 - origin[0],
        y,
        (a[1] + b[1]) / 2 - origin[1],
        0,
        math.atan2(b[0] - a[0], b[1] - a[1]),
        0,
    )
    return (pose, capsule(radius, math.dist(a, b)), colour)


def jansen_leg(w, side, points, density, radius, lift=(0.0, 0.0), y0=0.0, foot=None):
    """The links of one leg; `foot`: the radius of a ball at its end that touches the ground."""
    for name, corners, layer, colour in JANSEN_BODIES:
        # The two legs share the crank pin: the right leg's rods lie further out.
        y = y0 + (2 * layer if side.endswith("right") and "crank" in corners else layer)
        pairs = [(corners[0], corners[1])]
        if len(corners) == 3:
            pairs += [(corners[1], corners[2]), (corners[2], corners[0])]
        mass, com, inertia = rods_body(points, pairs, density, radius)
        at = points[corners[0]]
        visuals = [rod_visual(points[a], points[b], at, radius, colour) for a, b in pairs]
        touching, material = [], None
        if foot is not None and "foot" in corners:
            end = points["foot"]
            touching = [((end[0] - at[0], 0, end[1] - at[1], 0, 0, 0), sphere(foot), GREY)]
            material = (0.8, 0)
        w.link(f"{side}_{name}", (at[0] + lift[0], y, at[1] + lift[1], 0, 0, 0), mass,
               (com[0] - at[0], 0, com[1] - at[1]), inertia, touching or visuals, None, material,
               visuals if touching else ())


def jansen_hinges(w, side, points):
    first = {name: corners[0] for name, corners, _, _ in JANSEN_BODIES}
    for point, parent, child in JANSEN_HINGES:
        origin = points[first[child]]
        at = (points[point][0] - origin[0], 0, points[point][1] - origin[1])
        base = parent if parent in ("frame", "crank") else f"{side}_{parent}"
        w.hinge(f"{side}_{parent}_{child}", base, f"{side}_{child}", at)


def jansen_walker():
    """Four pairs of legs on one crankshaft; the outer and the inner pairs take turns."""
    foot, axle = 0.025, math.pi / 2
    w = Writer("jansen-walker", """
Theo Jansen's walking machine: eight legs on one crankshaft that a motor turns at 2.5 rad/s. 50 bodies, 73 hinges, 24 closed loops
and a free frame that nothing but the feet carries. Bars weigh 1 kg per metre.
""")
    slices = [(-0.48, 40.0), (-0.16, 220.0), (0.16, 220.0), (0.48, 40.0)]
    legs = []
    for k, (y, degrees) in enumerate(slices):
        for word, mirror in (("left", False), ("right", True)):
            legs.append((f"{'abcd'[k]}_{word}", y, jansen_points(math.radians(degrees), mirror)))
    lift = (0.0, foot - min(points["foot"][1] for _, _, points in legs))
    pivots = (legs[0][2]["pivot"], legs[1][2]["pivot"])
    frame = [rod_visual(p, q, (0.0, 0.0), 0.014, GREY, y) for y, _ in ((-0.6, 0), (0.6, 0))
             for p, q in ((pivots[0], (0.0, 0.0)), ((0.0, 0.0), pivots[1]), pivots)]
    frame += [((p[0], 0, p[1], axle, 0, 0), capsule(0.014, 1.2), GREY) for p in pivots]
    w.link("frame", (0, 0, lift[1], 0, 0, 0), 8, (0, 0, -0.05), (1.2, 0.6, 1.5), frame)
    shaft = [((0, 0, 0, axle, 0, 0), capsule(0.012, 1.2), RED)]
    for y, degrees in slices:
        pin = jansen_points(math.radians(degrees), False)["crank"]
        shaft += [((pin[0], y, pin[1], axle, 0, 0), capsule(0.012, 0.16), RED)]
        for side in (-0.09, 0.09):
            shaft.append(rod_visual((0.0, 0.0), pin, (0.0, 0.0), 0.01, RED, y + side))
    w.link("crank", (0, 0, lift[1], 0, 0, 0), 2, (0, 0, 0), (0.25, 0.02, 0.25), shaft)
    for side, y, points in legs:
        jansen_leg(w, side, points, 1.0, 0.011, lift, y, foot)
    w.hinge("axle", "frame", "crank")
    for side, _, points in legs:
        jansen_hinges(w, side, points)
    w.text('<pawl:actuator name="motor" type="velocity" joint="axle" damping="200">',
           "  <pawl:constant>2.5</pawl:constant>", "</pawl:actuator>")
    w.ground((0.8, 0))
    return w.finish()


def quickstart():
    theta = math.radians(338.0)
    radius, density = 0.011, 1.0
    w = Writer(
        "quickstart",
        """
Two of Theo Jansen's walking legs on one crank, released at rest with the crank at 338 degrees and
driven by nothing but their weight: 14 bodies, 20 joints, six independent loops, one degree
of freedom. Bars weigh 1 kg per metre; the crank carries a flywheel.
""",
    )
    legs = (("left", jansen_points(theta, False)), ("right", jansen_points(theta, True)))
    pivots = (legs[0][1]["pivot"], legs[1][1]["pivot"])
    hub = (0.0, 0.0)
    frame = [
        rod_visual(p, q, hub, 0.014, GREY, y)
        for y in (-0.1, 0.1)
        for p, q in ((pivots[0], hub), (hub, pivots[1]), pivots)
    ]
    axle = math.pi / 2
    frame += [
        ((p[0], 0, p[1], axle, 0, 0), capsule(0.014, 0.2), GREY) for p in pivots + (hub,)
    ]
    w.link("frame", (0, 0, 0, 0, 0, 0), 5, (0, 0, 0), (0.4, 0.4, 0.4), frame)
    pin = legs[0][1]["crank"]
    # A disc of 0.6 kg; the pin's own mass is neglected.
    rim = "<cylinder><radius>0.165</radius><length>0.012</length></cylinder>"
    disc = (
        ((0, 0, 0, axle, 0, 0), rim, SAND),
        ((pin[0], 0, pin[1], axle, 0, 0), capsule(0.014, 0.14), RED),
    )
    inertia = (0.6 * 0.165**2 / 4, 0.6 * 0.165**2 / 2, 0.6 * 0.165**2 / 4)
    w.link("crank", (0, 0, 0, 0, 0, 0), 0.6, (0, 0, 0), inertia, disc)
    for side, points in legs:
        jansen_leg(w, side, points, density, radius)
    w.weld("weld", "world", "frame")
    w.hinge("axle", "frame", "crank")
    for side, points in legs:
        jansen_hinges(w, side, points)
    return w.finish()


# --- what touches -------------------------------------------------------------------------------

HERE = (0.0, 0.0, 0.0)
STILL = (0.0,) * 6


def add_box(w, name, pose, mass, size, material, colour=BLUE, twist=None):
    w.link(name, pose, mass, HERE, box_inertia(mass, size), [(STILL, box(size), colour)], twist,
           material)


def add_sphere(w, name, at, mass, radius, material, colour=BLUE, twist=None):
    moment = 0.4 * mass * radius**2
    w.link(name, tuple(at) + (0, 0, 0), mass, HERE, (moment,) * 3,
           [(STILL, sphere(radius), colour)], twist, material)


def slope(degrees):
    """Pose of a plane that falls towards +x, and the direction of its normal."""
    angle = math.radians(degrees)
    return (0, 0, 0, 0, angle, 0), (math.sin(angle), 0.0, math.cos(angle))


def box_on_plane():
    w = Writer("box-on-plane", """
A cube of 1 kg and 0.2 m on a plane, pushed off at 2 m/s along x: scene S1 of the comparison with
other engines. With a friction of 0.5 it stops after 2^2 / (2 0.5 9.81) = 0.40775 m.
1 body, no joint, 6 degrees of freedom.
""")
    add_box(w, "box", (0, 0, 0.1, 0, 0, 0), 1, (0.2,) * 3, (0.5, 0), twist=(2, 0, 0, 0, 0, 0))
    w.ground((0.5, 0))
    return w.finish()


def boxes_fixed():
    w = Writer("boxes-fixed", """
A cube of 1 kg under one of 1000 kg, joined by a fixed joint of 6 rows and at rest on a plane: scene
S2 of the comparison with other engines. 2 bodies, 1 joint.
""")
    add_box(w, "lower", (0, 0, 0.1, 0, 0, 0), 1, (0.2,) * 3, (0.5, 0))
    add_box(w, "upper", (0, 0, 0.3, 0, 0, 0), 1000, (0.2,) * 3, (0.5, 0), ORANGE)
    w.weld("weld", "lower", "upper")
    w.ground((0.5, 0))
    return w.finish()


def nunchuk(middle_mass=0.1, use="scene S3 of the comparison with other engines"):
    w = Writer("nunchuk", f"""
Two sticks of 0.5 m and 1 kg on a short middle piece of 0.1 m and {number(middle_mass)} kg, by two ball joints:
{use}. It falls from 0.5 m while its sticks
turn about the joints, and hits the plane. 3 bodies, 2 joints, 6 rows.
""")
    stick, middle = (0.5, 0.05, 0.05), (0.1, 0.05, 0.05)
    # w x r from the joint to the centre: (1, 2, 0) x (-0.25, 0, 0) and (0, 3, 1) x (0.25, 0, 0)
    add_box(w, "first", (-0.3, 0, 0.5, 0, 0, 0), 1, stick, (0.5, 0), BLUE, (0, 0, 0.5, 1, 2, 0))
    add_box(w, "middle", (0, 0, 0.5, 0, 0, 0), middle_mass, middle, (0.5, 0), GREY)
    add_box(w, "third", (0.3, 0, 0.5, 0, 0, 0), 1, stick, (0.5, 0), ORANGE,
            (0, 0.25, -0.75, 0, 3, 1))
    w.ball_joint("left", "first", "middle", (-0.05, 0, 0))
    w.ball_joint("right", "middle", "third", (-0.25, 0, 0))
    w.ground((0.5, 0))
    return w.finish()


def incline(degrees):
    pose, normal = slope(degrees)
    w = Writer(f"D4-incline-{degrees}", f"""
A block of 0.4 x 0.2 x 0.1 m at rest on a slope of {degrees} degrees with a friction of 0.5. It
stays where it is up to atan(0.5) = 26.565 degrees, and slides at g (sin a - 0.5 cos a) beyond.
""")
    add_box(w, "block", tuple(0.05 * x for x in normal) + pose[3:], 1, (0.4, 0.2, 0.1), (0.5, 0))
    w.ground((0.5, 0), pose)
    return w.finish()


def rolling_sphere(name, comment, twist):
    w = Writer(name, comment)
    add_sphere(w, "sphere", (0, 0, 0.1), 1, 0.1, (0.2, 0), twist=twist)
    w.ground((0.2, 0))
    return w.finish()


def sphere_incline():
    pose, normal = slope(30)
    w = Writer("D7-sphere-incline", """
A solid sphere released on a slope of 30 degrees with a friction of 0.3, which is enough to roll
(more than 2/7 tan 30): it accelerates at 5/7 g sin 30.
""")
    add_sphere(w, "sphere", tuple(0.1 * x for x in normal), 1, 0.1, (0.3, 0))
    w.ground((0.3, 0), pose)
    return w.finish()


def bouncing_ball():
    w = Writer("D8-bouncing-ball", """
A ball dropped from a gap of 1 m with a restitution of 0.8: infinitely many bounces within 4.0637 s,
then rest.
""")
    add_sphere(w, "ball", (0, 0, 1.1), 1, 0.1, (0.5, 0.8))
    w.ground((0.5, 0.8))
    return w.finish()


def cradle(count, gap):
    w = Writer("D9-cradle", f"""
{count} equal balls in a row, {gap} m apart, without weight or friction and with a restitution of 1.
The first comes at 1 m/s; impact by impact, the last one takes all of it along.
""", gravity=HERE)
    for k in range(count):
        x = (-0.05 if k == 0 else 0.0) + k * (0.2 + gap)
        add_sphere(w, f"ball{k}", (x, 0, 0), 1, 0.1, (0, 1), ORANGE if k == 0 else BLUE,
                   (1, 0, 0, 0, 0, 0) if k == 0 else None)
    return w.finish()


def rod_impact():
    angle, half, radius, above = math.radians(60), 0.5, 1e-3, 0.05
    w = Writer("D10-rod-impact", """
A slender rod of 1 m and 1 kg, leaning at 60 degrees, without weight, comes down on its lower end at
3 m/s along x and 2 m/s down, on a floor with a friction of 0.1 and a restitution of 0.5. The tip is
a sphere of 1 mm that touches exactly where the rod ends.
""", gravity=HERE)
    # The sphere's centre, radius above the rod's end at this angle, in the rod's axes.
    tip = (radius * math.sin(angle) - half, 0, radius * math.cos(angle))
    pose = (0, 0, half * math.sin(angle) + above, 0, -angle, 0)
    rod = [((0, 0, 0, 0, math.pi / 2, 0), cylinder(0.01, 2 * half), BLUE)]
    w.link("rod", pose, 1, HERE, (1e-6, half**2 / 3, half**2 / 3),
           [(tip + (0, 0, 0), sphere(radius), RED)], (3, 0, -2, 0, 0, 0), (0.1, 0.5), rod)
    w.ground((0.1, 0.5))
    return w.finish()


def painleve_rod():
    angle, friction = math.radians(50), 1.2
    lever = (math.cos(angle), math.sin(angle))  # from the tip to the centre
    w = Writer("D11-painleve-rod", f"""
A rod of 2 m leaning at 50 degrees whose lower tip, a sphere of 1 mm, slides at 1 m/s towards +x on
a floor with a friction of {friction}: below 4/3 the normal force is unique, above that Painleve's
paradox begins. The rod is slender; its transverse inertia is m L^2 / 12 exactly.
""")
    radius = 1e-3
    pose = (lever[0], 0, lever[1] + radius, 0, -angle, 0)
    visual = [((-1, 0, 0, 0, 0, 0), sphere(radius), RED)]
    rod = [((0, 0, 0, 0, math.pi / 2, 0), cylinder(0.02, 2), BLUE)]
    w.link("rod", pose, 1, HERE, (1e-4, 1 / 3, 1 / 3), visual, (1, 0, 0, 0, 0, 0), (friction, 0),
           rod)
    w.ground((friction, 0))
    return w.finish()


def stack(name, masses, comment):
    w = Writer(name, comment)
    for k, mass in enumerate(masses):
        add_box(w, f"box{k}", (0, 0, 0.5 + k, 0, 0, 0), mass, (1, 1, 1), (0.5, 0),
                ORANGE if k % 2 else BLUE)
    w.ground((0.5, 0))
    return w.finish()


def card_house(levels):
    """Pairs of cards that lean on each other by 20 degrees, with flat ones between the levels."""
    w = Writer("card-house", """
A house of 15 cards (2 g, 90 x 60 x 2 mm) that touch each other only by edges. It stands as long as friction, 0.6, and the normal
forces are exact enough: errors of the solver make it creep and fall.
""")
    long, wide, thick, lean = 0.09, 0.06, 0.002, math.radians(20)
    rise = 0.5 * (long * math.cos(lean) + thick * math.sin(lean))
    aside = 0.5 * (long * math.sin(lean) + thick * math.cos(lean))
    pitch = 4 * aside + 0.002
    for level in range(levels):
        z = level * (2 * rise + thick)
        for i in range(levels - level):
            x, name = pitch * (i + 0.5 * level), f"{level + 1}{'abcdef'[i]}"
            for side, word in ((-1, "left"), (1, "right")):
                add_box(w, f"{word}{name}", (x + side * aside, 0, z + rise, 0, -side * lean, 0), 0.002, (thick, wide, long),
                        (0.6, 0), BLUE if side < 0 else ORANGE)
            if i > 0:
                add_box(w, f"flat{name}", (x - 0.5 * pitch, 0, z + 2 * rise + 0.5 * thick, 0, 0, 0), 0.002,
                        (pitch - 0.001, wide, thick), (0.6, 0), SAND)
    w.ground((0.6, 0))
    return w.finish()


def sphere_off_sphere():
    theta = 0.1
    w = Writer("D13-sphere-off-sphere", """
A small sphere (0.1 m) released 0.1 rad from the top of a fixed one (1 m), without friction: it
leaves at the angle whose cosine is 2/3 cos 0.1.
""")
    add_sphere(w, "sphere", (1.1 * math.sin(theta), 0, 1.1 * math.cos(theta)), 1, 0.1, (0, 0))
    w.ground((0, 0), geometry=sphere(1))
    return w.finish()


def dry_friction_oscillator():
    w = Writer("D14-dry-friction", """
A block of 1 kg on a plane with a friction of 0.2, drawn to the origin by a spring of 100 N/m and
released at x = 0.25 m: each half swing is shorter by 2 mu m g / k, until it sticks.
""")
    add_box(w, "block", (0.25, 0, 0.05, 0, 0, 0), 1, (0.1, 0.1, 0.1), (0.2, 0))
    # A free joint has no row; its first coordinate carries the spring.
    w.text(
        '<joint name="guide" type="pawl:free">',
        "  <parent>world</parent>",
        "  <child>block</child>",
        "  <pawl:parent_pose>0 0 0.05 0 0 0</pawl:parent_pose>",
        '  <pawl:coordinate index="0" stiffness="100"/>',
        "</joint>",
    )
    w.ground((0.2, 0))
    return w.finish()


def euler_disk():
    alpha, radius, thick = math.radians(30), 0.05, 1e-6
    omega = 2 * math.sqrt(9.81 / (radius * math.sin(alpha)))
    w = Writer("D15-euler-disk", """
A thin disk of 0.05 m rolling on its rim, 30 degrees from lying flat, with its centre at rest: it
precesses at 2 sqrt(g / (a sin 30)). Its inertia is that of an ideally thin disk.
""")
    # The low point of the rim is at -x; the spin is along the diameter through it.
    size = omega * math.sin(alpha)
    spin = (size * math.cos(alpha), 0, size * math.sin(alpha))
    height = radius * math.sin(alpha) + 0.5 * thick * math.cos(alpha)
    w.link("disk", (0, 0, height, 0, -alpha, 0), 1, HERE,
           (radius**2 / 4, radius**2 / 4, radius**2 / 2),
           [(STILL, cylinder(radius, thick), SAND)], (0, 0, 0) + spin, (1, 0))
    w.ground((1, 0))
    return w.finish()


def sliding_box(name, comment, mass, size, friction, twist):
    w = Writer(name, comment)
    add_box(w, "box", (0, 0, size[2] / 2, 0, 0, 0), mass, size, (friction, 0), twist=twist)
    w.ground((friction, 0))
    return w.finish()


def table():
    w = Writer("E2-table", """
A table of 20 kg on four legs that end in small spheres at (+-0.5, +-0.3), its centre of mass 0.2 m
and 0.1 m off the middle: the legs carry it in more ways than one, but their sums are known.
""")
    com, radius, height = (0.2, 0.1, 0), 0.02, 0.5
    feet = [(x - com[0], y - com[1]) for x in (0.5, -0.5) for y in (0.3, -0.3)]
    shapes = [((x, y, radius - height, 0, 0, 0), sphere(radius), RED) for x, y in feet]
    wood = [((-com[0], -com[1], 0.1, 0, 0, 0), box((1.2, 0.8, 0.04)), SAND)]
    wood += [((x, y, -0.2, 0, 0, 0), cylinder(radius, 0.56), SAND) for x, y in feet]
    w.link("table", (com[0], com[1], height, 0, 0, 0), 20, HERE, (1, 2, 2.5), shapes, None,
           (0.5, 0), wood)
    w.ground((0.5, 0))
    return w.finish()


def topple():
    pose, normal = slope(30)
    w = Writer("E3-topple", """
A tall box (0.2 m wide, 0.5 m high) on a slope of 30 degrees with a friction of 0.8: too rough to
slide on and too steep to stand on, so it topples over its lower edge.
""")
    add_box(w, "box", tuple(0.25 * x for x in normal) + pose[3:], 1, (0.2, 0.2, 0.5), (0.8, 0))
    w.ground((0.8, 0), pose)
    return w.finish()


def hulls():
    w = Writer("hulls", """
Convex hulls, and what they do not touch. A gem (an octahedron) falls through its twin, for the two
are excluded from each other, and both come to rest on the plane. A brick of eight points slides down
a wedge of six. A ghost in a group of its own falls through the wedge; of all things it touches the
plane alone.
""")
    a, mass, material = 0.1, 1.0, (0.4, 0)
    corners = [(s * a, 0, 0) for s in (1, -1)] + [(0, s * a, 0) for s in (1, -1)] + [
        (0, 0, s * a) for s in (1, -1)]
    inertia = (mass * a * a / 5,) * 3  # of a regular octahedron whose corners are at a
    for name, height, colour in (("gem", 0.45, TEAL), ("twin", 0.25, VIOLET)):
        w.link(name, (-0.3, 0, height, 0.3, 0.2, 0), mass, (0, 0, 0), inertia,
               [((0,) * 6, hull(corners), colour)], material=material)
    half = (0.08, 0.05, 0.04)
    brick = [(sx * half[0], sy * half[1], sz * half[2])
             for sz in (-1, 1) for sy in (-1, 1) for sx in (-1, 1)]
    slope = math.radians(30)
    top = (0.2, 0.5)  # the wedge's upper edge (x, z); it comes down to the plane towards +x
    foot = top[0] + top[1] / math.tan(slope)
    along, out = (math.cos(slope), -math.sin(slope)), (math.sin(slope), math.cos(slope))
    at = [top[k] + 0.2 * along[k] + half[2] * out[k] for k in range(2)]
    w.link("brick", (at[0], 0, at[1], 0, slope, 0), mass, (0, 0, 0),
           box_inertia(mass, [2 * h for h in half]), [((0,) * 6, hull(brick), ORANGE)],
           material=material)
    w.link("ghost", (0.5, 0, 0.75, 0, 0, 0), mass, (0, 0, 0), (0.4 * mass * 0.0064,) * 3,
           [((0,) * 6, sphere(0.08), GREY)], material=material,
           filters=("<pawl:group>2</pawl:group>", "<pawl:mask>4</pawl:mask>"))
    w.text('<pawl:exclude body_a="gem" body_b="twin"/>')
    w.ground(material, filters=("<pawl:group>4</pawl:group>",))
    w.ground(material, geometry=hull([(x, y, z) for y in (-0.2, 0.2) for x, z in (
        (top[0], 0), top, (foot, 0))]), name="wedge")
    return w.finish()


# --- machines of the lit paper's section 10.4 -----------------------------------------------------

def prism(polygon, low, high):
    """A convex polygon of the plane, drawn out along z."""
    return hull([(x, y, z) for z in (low, high) for x, y in polygon])


def polygon_moments(triangles):
    """Area, centre (x, y) and second moments xx, yy, xy about the centre of triangles."""
    area = cx = cy = xx = yy = xy = 0.0
    for (ax, ay), (bx, by), (dx, dy) in triangles:
        a = 0.5 * ((bx - ax) * (dy - ay) - (dx - ax) * (by - ay))
        mx, my = (ax + bx + dx) / 3, (ay + by + dy) / 3
        area += a
        cx += a * mx
        cy += a * my
        # exact for quadratics: the mean over the middles of the sides
        for (px, py), (qx, qy) in (((ax, ay), (bx, by)), ((bx, by), (dx, dy)), ((dx, dy), (ax, ay))):
            ux, uy = (px + qx) / 2, (py + qy) / 2
            xx += a * ux * ux / 3
            yy += a * uy * uy / 3
            xy += a * ux * uy / 3
    cx, cy = cx / area, cy / area
    return area, (cx, cy), (xx - area * cx * cx, yy - area * cy * cy, xy - area * cx * cy)


def pawl_triangles():
    """The pawl's outline as triangles (m): a head that stops it, a shank, a round nose."""
    micro = 1e-6
    strips = [(-1150, -450, 400, 3), (-450, 900, 250, 10)]  # from, to, half width, parts
    triangles = []
    for start, end, half, parts in strips:
        xs = [start + (end - start) * k / parts for k in range(parts + 1)]
        for a, b in zip(xs, xs[1:]):
            triangles += [((a, -half), (b, -half), (b, half)), ((a, -half), (b, half), (a, half))]
    # Half a disk about (900, 0), in 16 parts.
    rim = [(900 + 250 * math.sin(math.pi * k / 16), -250 * math.cos(math.pi * k / 16))
           for k in range(17)]
    triangles += [((900, 0), a, b) for a, b in zip(rim, rim[1:])]
    return [tuple((x * micro, y * micro) for x, y in t) for t in triangles]


def pawl_in_slot():
    w = Writer("pawl-in-slot", """
A pawl of a micro-machine, 2.3 mm long and 0.1 mm thick, lying on a plate, is pushed into a slot with
a clearance of 20 micrometres a side (section 10.4 of the lit paper). It starts turned by 2 degrees and 40
micrometres off the slot's axis; the chamfers of the slot's mouth guide it. The pusher moves 1.8 mm in
4 s; before that the pawl's head stops between the chamfers, and the pusher presses with what its motor has. The pawl is made of 42
prisms with coplanar faces, as a triangulated part would be: 126 contacts with the plate alone, of which
contact.reduce=hull leaves the corners of the outline.
""")
    micro, thick, density = 1e-6, 100e-6, 2330.0
    material = (0.2, 0.0)
    triangles = pawl_triangles()
    area, (cx, cy), (xx, yy, _) = polygon_moments(triangles)
    mass = density * area * thick
    inertia = (density * thick * yy + mass * thick**2 / 12,
               density * thick * xx + mass * thick**2 / 12, density * thick * (xx + yy))
    parts = [((0, 0, 0, 0, 0, 0), prism([(x - cx, y - cy) for x, y in t], -thick / 2, thick / 2),
              ORANGE if k < 6 else BLUE) for k, t in enumerate(triangles)]
    # The mouth is at x = 0. The nose starts 50 micrometres before it.
    turn = math.radians(2)
    back = cx - 1200 * micro
    w.link("pawl", (back, 40 * micro, thick / 2, 0, 0, turn), mass, HERE, inertia, parts,
           material=material)
    size = (100 * micro, 400 * micro, 80 * micro)
    pusher = density * size[0] * size[1] * size[2]
    # Behind the turned head's lower corner: 20 micrometres of free play.
    tail = -1150 * micro - 1200 * micro - 20 * micro
    w.link("pusher", (tail - size[0] / 2 - 400 * micro * math.sin(turn), 0, thick / 2, 0, 0, 0), pusher, HERE,
           box_inertia(pusher, size), [(STILL, box(size), RED)], material=material)
    w.text(
        '<joint name="guide" type="prismatic">',
        "  <parent>world</parent>",
        "  <child>pusher</child>",
        "  <axis><xyz>1 0 0</xyz></axis>",
        "</joint>",
        '<pawl:actuator name="motor" type="position" joint="guide" stiffness="2" damping="2e-3" '
        'effort="2e-5">',
        '  <pawl:table interpolation="linear">0 0  4 0.0018</pawl:table>',
        "</pawl:actuator>",
    )
    w.ground(material, name="plate")
    half, chamfer, depth, wide, high = 270, 150, 1900, 900, 150
    for side, name in ((1, "left"), (-1, "right")):
        wall = [(chamfer, half), (depth, half), (depth, wide), (chamfer, wide)]
        mouth = [(0, half + chamfer), (chamfer, half), (chamfer, wide), (0, wide)]
        for part, polygon in (("wall", wall), ("mouth", mouth)):
            corners = [(x * micro, side * y * micro) for x, y in polygon]
            w.ground(material, geometry=prism(corners, 0, high * micro), name=f"{name}_{part}")
    return w.finish()


# Rocks, slabs and ridges that the rover drives over: kind, x, y, what else it takes.
TERRAIN = (
    ("ball", 0.72, 0.3, 0.16, -0.11),
    ("slab", 0.85, -0.3, (0.5, 0.3, 0.06), (0.0, -0.12, 0.3)),
    ("ridge", 1.25, 0.3, 0.08, 0.3),
    ("ball", 1.45, -0.28, 0.2, -0.13),
    ("rock", 1.75, 0.32, 0.09, 0.4),
    ("slab", 1.95, -0.3, (0.6, 0.3, 0.08), (0.1, 0.1, -0.2)),
    ("ridge", 2.3, 0.25, 0.06, -0.3),
    ("rock", 2.5, -0.3, 0.07, 1.1),
    ("slab", 2.75, 0.3, (0.5, 0.4, 0.05), (-0.1, -0.08, 0.1)),
    ("ball", 2.95, -0.3, 0.15, -0.09),
    ("ridge", 3.3, 0.0, 0.05, 0.1),
)


def rover_terrain(w, material):
    w.ground(material)
    for k, (kind, x, y, a, b) in enumerate(TERRAIN):
        pose, geometry = (x, y, 0.0, 0, 0, b if kind in ("ridge", "rock") else 0), None
        if kind == "ball":  # a sphere of radius a whose centre lies below the ground
            pose, geometry = (x, y, b, 0, 0, 0), sphere(a)
        elif kind == "slab":  # tilted and half buried
            pose, geometry = (x, y, 0.0, *b), box(a)
        elif kind == "ridge":  # of height a, across the path but for an angle b
            profile = ((-0.18, 0), (-0.05, a), (0.06, a * 0.9), (0.2, 0))
            geometry = hull([(px, py, pz) for py in (-0.22, 0.22) for px, pz in profile])
        else:  # a cut stone of height a, turned by b
            foot = [(2.4 * a * math.cos(t), 2.0 * a * math.sin(t), 0.0)
                    for t in (math.pi * i / 3 for i in range(6))]
            top = [(0.9 * a * math.cos(t), 0.7 * a * math.sin(t), a * (0.9 + 0.1 * math.cos(t)))
                   for t in (math.pi * (i + 0.5) / 2 for i in range(4))]
            geometry = hull(foot + top)
        w.ground(material, pose, geometry, f"{kind}{k}")


def rover_wheels(w, material):
    across, half, mass = 0.12, 0.06, 0.8  # crowned tyres: ellipsoids
    inertia = (mass * (across**2 + half**2) / 5,) * 2 + (mass * 2 * across**2 / 5,)
    axle = math.pi / 2
    for side, y in (("left", 0.3), ("right", -0.3)):
        size = (0.62, 0.04, 0.05)
        w.link(f"{side}_rocker", (0, 0.75 * y, 0.2, 0, 0, 0), 1, HERE, box_inertia(1, size),
               [(STILL, box(size), TEAL)])
        w.hinge(f"{side}_pivot", "chassis", f"{side}_rocker")
        for end, x in (("front", 0.3), ("rear", -0.3)):
            name = f"{end}_{side}"
            # The link's z axis is the axle, which points to the right: positive rates drive back.
            spoke = ((0, 0, 0, 0, axle, 0), box((2.04 * half, 0.02, 1.5 * across)), SAND)
            w.link(name, (x, y, across, axle, 0, 0), mass, HERE, inertia,
                   [(STILL, ellipsoid((across, across, half)), GREY)], material=material,
                   drawn=[spoke])
            w.hinge(f"{name}_axle", f"{side}_rocker", name, axis=(0, 0, 1))
            w.text(
                f'<pawl:actuator name="{name}_drive" type="velocity" joint="{name}_axle" '
                'damping="4">',
                '  <pawl:table interpolation="linear">0 0  1 -6  5 -6</pawl:table>',
                "</pawl:actuator>",
            )
    w.text('<pawl:gear name="differential" joint="left_pivot" source_joint="right_pivot" ratio="-1"/>')


def rover_arm(w):
    shoulder = (0.15, 0.0, 0.42)  # where the turntable stands on the chassis
    for name, at, mass, size, colour in (
        ("turntable", shoulder, 0.6, (0.12, 0.12, 0.08), GREEN),
        ("upper_arm", (shoulder[0] + 0.16, 0.0, shoulder[2] + 0.05), 0.5, (0.32, 0.05, 0.05), ORANGE),
        ("fore_arm", (shoulder[0] + 0.45, 0.0, shoulder[2] + 0.05), 0.35, (0.26, 0.04, 0.04), VIOLET),
    ):
        w.link(name, (*at, 0, 0, 0), mass, HERE, box_inertia(mass, size), [(STILL, box(size), colour)])
    for name, parent, child, at, axis, target in (
        ("yaw", "chassis", "turntable", (0, 0, -0.04), (0, 0, 1), "0 0  1.5 0.8  3.5 -0.8  5 0"),
        ("shoulder", "turntable", "upper_arm", (-0.16, 0, 0), Y_AXIS, "0 0  1 -0.9  3 -0.5  5 -1.1"),
        ("elbow", "upper_arm", "fore_arm", (-0.13, 0, 0), Y_AXIS, "0 0  1 1.2  3 0.4  5 1.4"),
    ):
        w.hinge(name, parent, child, at, axis)
        w.text(
            f'<pawl:actuator name="{name}_servo" type="position" joint="{name}" stiffness="150" '
            'damping="6">',
            f'  <pawl:table interpolation="cubic">{target}</pawl:table>',
            "</pawl:actuator>",
        )


def rover():
    w = Writer("rover", """
A rover with an arm of three joints crosses rough ground: balls, stones, slabs and ridges half buried
in a plane (section 10.4 of the lit paper). Its four wheels sit on two rockers that a differential couples,
so that all of them press on the ground. Velocity actuators turn the wheels at 6 rad/s, position actuators
move the arm. 10 bodies, 10 joints of which one is a gear, 14 degrees of freedom.
""")
    material = (0.8, 0.0)
    size = (0.7, 0.36, 0.16)
    w.link("chassis", (0, 0, 0.3, 0, 0, 0), 12, HERE, box_inertia(12, size),
           [(STILL, box(size), BLUE)], material=material)
    rover_wheels(w, material)
    rover_arm(w)
    rover_terrain(w, material)
    return w.finish()


FILES = {
    "quickstart.sdf": quickstart,
    "primitives/fourbar-fixed.sdf": lambda: fourbar(True),
    "primitives/fourbar-free.sdf": lambda: fourbar(False),
    "primitives/fourbar-dropped.sdf": lambda: fourbar(False, dropped=True),
    "classics/S4-fourbar.sdf": fourbar_passive,
    "lit/fourbar-passive.sdf": fourbar_released,
    "lit/pawl-in-slot.sdf": pawl_in_slot,
    "lit/rover.sdf": rover,
    "classics/A02-N2.sdf": lambda: ladder(2),
    "classics/A02-N10.sdf": lambda: ladder(10),
    "classics/A02-N40.sdf": lambda: ladder(40),
    "classics/chain-10.sdf": lambda: chain(10),
    "classics/chain-100.sdf": lambda: chain(100),
    "classics/chain-1000.sdf": lambda: chain(1000),
    "primitives/box-on-plane.sdf": box_on_plane,
    "primitives/boxes-fixed.sdf": boxes_fixed,
    "primitives/nunchuk.sdf": nunchuk,
    "primitives/hulls.sdf": hulls,
    "classics/D4-incline-26.sdf": lambda: incline(26),
    "classics/D4-incline-30.sdf": lambda: incline(30),
    "classics/D5-slide-to-roll.sdf": lambda: rolling_sphere(
        "D5-slide-to-roll",
        "A solid sphere launched at 2 m/s without spin on a plane with a friction of 0.2: it "
        "slides, then rolls at 5/7 of that.",
        (2, 0, 0, 0, 0, 0)),
    "classics/D6-back-spin.sdf": lambda: rolling_sphere(
        "D6-back-spin",
        "A solid sphere launched at 2 m/s with a back spin of 60 rad/s on a plane with a friction "
        "of 0.2: it turns round and rolls back.",
        (2, 0, 0, 0, -60, 0)),
    "classics/D7-sphere-incline.sdf": sphere_incline,
    "classics/D8-bouncing-ball.sdf": bouncing_ball,
    "classics/D9-cradle.sdf": lambda: cradle(5, 0.01),
    "classics/D10-rod-impact.sdf": rod_impact,
    "classics/D11-painleve-rod.sdf": painleve_rod,
    "classics/D12-stack-1000.sdf": lambda: stack(
        "D12-stack-1000", (1, 1000),
        "A box of 1000 kg at rest on one of 1 kg, both of 1 m, on a plane."),
    "classics/D12-stack-10.sdf": lambda: stack(
        "D12-stack-10", (1,) * 10, "Ten boxes of 1 m and 1 kg, at rest one upon the other."),
    "classics/D13-sphere-off-sphere.sdf": sphere_off_sphere,
    "classics/D14-dry-friction.sdf": dry_friction_oscillator,
    "classics/D15-euler-disk.sdf": euler_disk,
    "classics/E1-slide.sdf": lambda: sliding_box(
        "E1-slide",
        "A box of 0.4 x 0.3 x 0.2 m and 2 kg pushed off at 2 m/s along x, with a friction of 0.3: "
        "it stops after v^2 / (2 mu g), whatever its four corners carry.",
        2, (0.4, 0.3, 0.2), 0.3, (2, 0, 0, 0, 0, 0)),
    "classics/E1-spin.sdf": lambda: sliding_box(
        "E1-spin",
        "The box of E1-slide spinning at 10 rad/s on the spot: its corners are all at one radius, "
        "so it stops after 1.4158 rad, whatever they carry.",
        2, (0.4, 0.3, 0.2), 0.3, (0, 0, 0, 0, 0, 10)),
    "classics/jansen-walker.sdf": jansen_walker,
    "classics/card-house.sdf": lambda: card_house(3),
    "classics/E2-table.sdf": table,
    "classics/E3-topple.sdf": topple,
    "classics/S10-spinning-box.sdf": lambda: sliding_box(
        "S10-spinning-box",
        "A flat box of 0.2 x 0.2 x 0.04 m and 1 kg, pushed off at 3 m/s along x while it spins at "
        "10 rad/s: scene S10 of the comparison with other engines.",
        1, (0.2, 0.2, 0.04), 0.5, (3, 0, 0, 0, 0, 10)),
}


def main():
    # Not above: they take Writer from here.
    import make_robots
    import make_suite

    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, os.pardir, "models")
    for name, make in {**FILES, **make_robots.FILES, **make_suite.FILES}.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as out:
            out.write(make())


if __name__ == "__main__":
    main()
