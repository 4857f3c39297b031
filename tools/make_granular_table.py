#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Writes the wrench space of a round foot in sand as a table for a `table` contact model.

Usage: tools/make_granular_table.py [output file]

The resistance of granular matter to slow motion does not depend on the speed, acts on each element
of a surface by itself, and grows with the element's depth (resistive force theory). The foot is a
ball about the origin of its axes, with a ribbed sole that looks along -z and a smooth ankle. An
element with the outward normal s, at the depth h, that moves along the unit vector u meets, a unit
of area,
    -h (K_PRESS max(0, u.s) s + K_SHEAR (1 - RIBS s_z) (u - (u.s) s)):
pressing is resisted more than sliding, lifting not at all, ribs more than the ankle. The wrench of
the foot for a rigid motion is the sum over its elements. Motions are taken straight down, obliquely,
along the surface and twisting; their wrenches are the vertices: a foot that maximizes dissipation
picks the one that opposes it.

The numbers are of the size of loose dry sand (about 0.5 N/cm^3 when pressed); they are ours, not
measured.
"""

import math
import os
import sys

RADIUS = 0.05  # of the foot [m]
K_PRESS = 6.0e5  # [N/m^3]
K_SHEAR = 2.0e5  # [N/m^3]
RIBS = 0.5  # share of the shear that changes from sole to ankle
RINGS, SECTORS = 16, 12  # elements of what is in the sand
DEPTHS = (0.005, 0.015, 0.03, 0.045)  # of the foot's lowest point [m]
TILTS = (25.0, 50.0)  # [degrees]
AZIMUTHS = 6


def elements(depth, m):
    """Outward normals, depths and areas of the elements of the ball below the surface."""
    t = tangents(m)
    for i in range(RINGS):
        height = depth * (i + 0.5) / RINGS  # over the lowest point; rings of a ball have equal areas
        area = 2.0 * math.pi * RADIUS * depth / RINGS / SECTORS
        cosine = height / RADIUS - 1.0
        sine = math.sqrt(1.0 - cosine * cosine)
        for j in range(SECTORS):
            a = 2.0 * math.pi * (j + 0.5) / SECTORS
            yield (tuple(cosine * m[k] + sine * (math.cos(a) * t[0][k] + math.sin(a) * t[1][k])
                         for k in range(3)), depth - height, area)


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def tangents(m):
    """The x and y axes after the shortest turn from z to m."""
    a = 1.0 / (1.0 + m[2])
    return ((1.0 - m[0] * m[0] * a, -m[0] * m[1] * a, -m[0]),
            (-m[0] * m[1] * a, 1.0 - m[1] * m[1] * a, -m[1]))


def motions(m):
    """Linear and angular velocities of the foot, for a surface with the normal m."""
    t = tangents(m)
    yield tuple(-x for x in m), (0.0, 0.0, 0.0)
    for down in (1.0, 0.1):
        for k in range(6):
            a = math.pi * k / 3.0
            yield tuple(math.cos(a) * t[0][i] + math.sin(a) * t[1][i] - down * m[i]
                        for i in range(3)), (0.0, 0.0, 0.0)
    for spin in (1.0, -1.0):
        yield tuple(-0.5 * RADIUS * x for x in m), tuple(spin * x for x in m)


def wrench(pieces, motion):
    """Force and moment of elements about the foot's middle, in its axes."""
    linear, angular = motion
    force, moment = [0.0] * 3, [0.0] * 3
    for s, h, area in pieces:
        r = tuple(RADIUS * x for x in s)
        u = [v + w for v, w in zip(linear, cross(angular, r))]
        speed = math.sqrt(dot(u, u))
        into = dot(u, s) / speed
        shear = K_SHEAR * (1.0 - RIBS * s[2])
        f = [-h * area * (K_PRESS * max(0.0, into) * s[i] + shear * (u[i] / speed - into * s[i]))
             for i in range(3)]
        for i, x in enumerate(cross(r, f)):
            force[i] += f[i]
            moment[i] += x
    return force + moment


def normals():
    yield (0.0, 0.0, 1.0)
    for tilt in TILTS:
        s, c = math.sin(math.radians(tilt)), math.cos(math.radians(tilt))
        for k in range(AZIMUTHS):
            a = 2.0 * math.pi * k / AZIMUTHS
            yield (s * math.cos(a), s * math.sin(a), c)


def text(x, digits):
    return f"{x:.{digits}g}" if abs(x) > 1e-9 else "0"


def lines():
    yield "# SPDX-License-Identifier: MIT"
    yield "# Part of pawl, a rigid multibody dynamics engine. Written by tools/make_granular_table.py."
    yield f"# A round foot of radius {RADIUS} m in loose sand, with a ribbed sole."
    yield "pawl-wrench-table 1"
    yield "power 2"
    yield "scale 0.08 1.2"
    yield f"vertices {len(list(motions((0.0, 0.0, 1.0))))}"
    for depth in DEPTHS:
        for m in normals():
            yield f"centre {text(depth, 6)} " + " ".join(text(x, 12) for x in m)
            pieces = list(elements(depth, m))
            for motion in motions(m):
                yield "  " + " ".join(text(x, 6) for x in wrench(pieces, motion))


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(
        root, "models", "wrench", "granular-foot.txt")
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(line + "\n" for line in lines())


if __name__ == "__main__":
    main()
