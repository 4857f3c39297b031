#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Writes the model files that are too repetitive, or too full of computed numbers, for a hand.

Usage: tools/make_models.py [models folder]

The files it writes are committed, so that nobody needs this script to use them; a test compares
them with what it writes. All linkages lie in the plane y = 0 (or parallel to it), hinges turn about
y, gravity acts along -z. A bar's link frame sits at its first pivot with x along the bar.
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
    """One world with one model, as text."""

    def __init__(self, name, comment, gravity=(0.0, 0.0, -9.81)):
        self.name = name
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

    def link(self, name, pose, mass, com, inertia, visuals, twist=None):
        """inertia: xx yy zz and, where given, xz, about the centre of mass in link axes."""
        a = self.lines.append
        a(f'      <link name="{name}">')
        a(f"        <pose>{numbers(pose)}</pose>")
        a("        <inertial>")
        if any(com):
            a(f"          <pose>{numbers(com)} 0 0 0</pose>")
        a(f"          <mass>{number(mass)}</mass>")
        a("          <inertia>")
        for key, value in zip(("ixx", "iyy", "izz", "ixz"), inertia):
            a(f"            <{key}>{number(value)}</{key}>")
        a("          </inertia>")
        a("        </inertial>")
        for k, (visual_pose, geometry, colour) in enumerate(visuals):
            a(f'        <visual name="{name}_visual{k if k else ""}">')
            if any(visual_pose):
                a(f"          <pose>{numbers(visual_pose)}</pose>")
            a(f"          <geometry>{geometry}</geometry>")
            a(f"          <material><diffuse>{numbers(colour)} 1</diffuse></material>")
            a("        </visual>")
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

    def text(self, *lines):
        self.lines += ["      " + line for line in lines]

    def finish(self):
        return "\n".join(self.lines + ["    </model>", "  </world>", "</sdf>", ""])


def box(size):
    return f"<box><size>{numbers(size)}</size></box>"


def capsule(radius, length):
    return (
        f"<capsule><radius>{number(radius)}</radius><length>{number(length)}</length></capsule>"
    )


def bar_inertia(mass, length, section):
    """Of a box with its length along x and a square section."""
    axial = mass * section**2 / 6.0
    across = mass * (length**2 + section**2) / 12.0
    return (axial, across, across)


def bar(w, name, a, b, mass, section, colour, y=0.0, inertia=None, twist=None):
    """A bar between two points (x, z) of the plane; the link frame is at a with x towards b."""
    dx, dz = b[0] - a[0], b[1] - a[1]
    length = math.hypot(dx, dz)
    pitch = math.atan2(-dz, dx)
    if inertia is None:
        inertia = bar_inertia(mass, length, section)
    visual = ((length / 2, 0, 0, 0, 0, 0), box((length, section, section)), colour)
    w.link(name, (a[0], y, a[1], 0, pitch, 0), mass, (length / 2, 0, 0), inertia, [visual], twist)
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


def fourbar(fixed):
    """The four-bar of the loops paper (seed 002, Table II): four equal bars, mass ratio 1."""
    length, mass, section = 0.5, 1.0, 0.05
    angle = math.radians(50.0)  # of the cranks, from hanging straight down
    height = 0.0 if fixed else 2.0
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
    bar(w, "ground", a, d, mass, section, GREY)
    bar(w, "crank", a, b, mass, section, BLUE, twist=spin)
    bar(w, "coupler", b, c, mass, section, ORANGE, twist=carry)
    bar(w, "rocker", d, c, mass, section, GREEN, twist=spin)
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
        for name, corners, layer, colour in JANSEN_BODIES:
            # The two legs share the crank pin: the right leg's rods lie further out.
            y = 2 * layer if side == "right" and "crank" in corners else layer
            pairs = [(corners[0], corners[1])]
            if len(corners) == 3:
                pairs += [(corners[1], corners[2]), (corners[2], corners[0])]
            mass, com, inertia = rods_body(points, pairs, density, radius)
            at = points[corners[0]]
            visuals = [rod_visual(points[a], points[b], at, radius, colour) for a, b in pairs]
            w.link(f"{side}_{name}", (at[0], y, at[1], 0, 0, 0), mass,
                   (com[0] - at[0], 0, com[1] - at[1]), inertia, visuals)
    w.weld("weld", "world", "frame")
    w.hinge("axle", "frame", "crank")
    first = {name: corners[0] for name, corners, _, _ in JANSEN_BODIES}
    for side, points in legs:
        for point, parent, child in JANSEN_HINGES:
            origin = points[first[child]]
            at = (points[point][0] - origin[0], 0, points[point][1] - origin[1])
            base = parent if parent in ("frame", "crank") else f"{side}_{parent}"
            w.hinge(f"{side}_{parent}_{child}", base, f"{side}_{child}", at)
    return w.finish()


FILES = {
    "quickstart.sdf": quickstart,
    "primitives/fourbar-fixed.sdf": lambda: fourbar(True),
    "primitives/fourbar-free.sdf": lambda: fourbar(False),
    "classics/S4-fourbar.sdf": fourbar_passive,
    "classics/A02-N2.sdf": lambda: ladder(2),
    "classics/A02-N10.sdf": lambda: ladder(10),
    "classics/A02-N40.sdf": lambda: ladder(40),
    "classics/chain-10.sdf": lambda: chain(10),
    "classics/chain-100.sdf": lambda: chain(100),
    "classics/chain-1000.sdf": lambda: chain(1000),
}


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, os.pardir, "models")
    for name, make in FILES.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="\n") as out:
            out.write(make())


if __name__ == "__main__":
    main()
