# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""A machine described in world coordinates at its zero pose, for the models of models/suite/.

Every link frame is parallel to the world's axes and sits in the link's centre of mass, so that joints are
given by points and axes of the world. All numbers are rounded to six significant digits: the loops of
these machines close to the digits of the file, as in files that a CAD program wrote, and not better.
"""

import math

from make_models import GREY, Writer, box, capsule, cylinder, hull, number, numbers, sphere

DIGITS = 6


def rounded(x):
    """To six significant digits; what is below a micrometre (or its like) is zero."""
    return 0.0 if abs(x) < 5e-9 else float(f"{x:.{DIGITS}g}")


def add(a, b, scale=1.0):
    return tuple(x + scale * y for x, y in zip(a, b))


def sub(a, b):
    return add(a, b, -1.0)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    length = math.sqrt(dot(a, a))
    return tuple(x / length for x in a)


def across(direction):
    """Two unit vectors at right angles to a direction and to each other."""
    d = unit(direction)
    helper = (0.0, 1.0, 0.0) if abs(d[1]) < 0.8 else (1.0, 0.0, 0.0)
    first = unit(sub(helper, tuple(dot(helper, d) * x for x in d)))
    return first, cross(d, first)


def turn_to(direction):
    """Roll, pitch, yaw that turn z into a direction."""
    d = unit(direction)
    pitch = math.acos(max(-1.0, min(1.0, d[2])))
    return (0.0, pitch, math.atan2(d[1], d[0]) if pitch > 1e-9 else 0.0)


def rotation(rpy):
    """The matrix of fixed-axis roll, pitch, yaw."""
    (sr, sp, sy), (cr, cp, cy) = [math.sin(a) for a in rpy], [math.cos(a) for a in rpy]
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


class Part:
    """A solid of a link: where it is, how it looks, and whether it touches others."""

    def __init__(self, geometry, centre, rpy, volume, moments, colour, touches, massive=True):
        self.geometry, self.centre, self.rpy = geometry, centre, rpy
        self.volume, self.moments = volume, moments  # moments: principal, per unit of mass
        self.colour, self.touches, self.massive = colour, touches, massive


def block(size, centre, colour=GREY, touches=False):
    x, y, z = (s * s / 12 for s in size)
    return Part(box(size), centre, (0, 0, 0), size[0] * size[1] * size[2], (y + z, x + z, x + y), colour,
                touches)


def ball(radius, centre, colour=GREY, touches=False):
    return Part(sphere(radius), centre, (0, 0, 0), 4 / 3 * math.pi * radius**3, (0.4 * radius**2,) * 3, colour,
                touches)


def tube(radius, a, b, colour=GREY, touches=False, round_ends=False):
    """A cylinder, or a capsule, from a to b."""
    length = math.dist(a, b)
    axial, lateral = radius**2 / 2, radius**2 / 4 + length**2 / 12
    geometry = capsule(radius, rounded(length)) if round_ends else cylinder(radius, rounded(length))
    return Part(geometry, tuple((x + y) / 2 for x, y in zip(a, b)), turn_to(sub(b, a)),
                math.pi * radius**2 * length, (lateral, lateral, axial), colour, touches)


def shell(sections, centre, colour, sides=8):
    """A convex shell around a part of the body: rings (height, half depth, half width) about z. It can touch
    the world and other shells; its mass is that of what it covers."""
    points = [(rx * math.cos(2 * math.pi * (k + 0.5) / sides), ry * math.sin(2 * math.pi * (k + 0.5) / sides), z)
              for z, rx, ry in sections for k in range(sides)]
    return Part(hull([tuple(rounded(x) for x in p) for p in points]), centre, (0, 0, 0), 0.0, (0, 0, 0), colour,
                True, massive=False)


class Machine:
    """Links, joints and servos of one machine."""

    def __init__(self, name, comment, ground=None):
        self.writer = Writer(name, comment)
        self.centres = {}
        self.joints = []  # (name, kind, parent, child)
        self.tied = set()
        self.ground, self.touching = ground, []
        self.servos = 0
        self.body_parts = []

    # --- links ---

    def link(self, name, mass, *parts, friction=0.7):
        solids = [p for p in parts if p.massive]
        volume = sum(p.volume for p in solids)
        com = tuple(sum(p.volume * p.centre[k] for p in solids) / volume for k in range(3))
        com = tuple(rounded(x) for x in com)
        tensor = [[0.0] * 3 for _ in range(3)]
        for p in solids:
            share = mass * p.volume / volume
            r, turn = sub(p.centre, com), rotation(p.rpy)
            for a in range(3):
                for b in range(3):
                    tensor[a][b] += share * sum(turn[a][k] * p.moments[k] * turn[b][k] for k in range(3))
                    tensor[a][b] += share * ((dot(r, r) if a == b else 0.0) - r[a] * r[b])
        i = tensor
        # Visuals that touch come first: Writer takes them for collisions, too.
        ordered = [p for p in parts if p.touches] + [p for p in parts if not p.touches]
        drawn = [((*(rounded(x) for x in (*sub(p.centre, com), *p.rpy)),), p.geometry, p.colour)
                 for p in ordered]
        count = sum(p.touches for p in parts)
        self.centres[name] = com
        self.body_parts.append(name)
        if count:
            self.touching.append(name)
        self.writer.link(name, (*com, 0, 0, 0), rounded(mass), (0, 0, 0),
                         [rounded(x) for x in (i[0][0], i[1][1], i[2][2], i[0][2], i[0][1], i[1][2])],
                         drawn[:count], material=(friction, 0.0), drawn=drawn[count:])

    # --- joints ---

    def joint(self, kind, name, parent, child, at, axes=(), limit=None, damping=0.0):
        w = self.writer
        where = [rounded(x) for x in sub(at, self.centres[child])]
        w.text(f'<joint name="{name}" type="{kind}">')
        if any(where):
            w.text(f"  <pose>{numbers(where)} 0 0 0</pose>")
        w.text(f"  <parent>{parent}</parent>", f"  <child>{child}</child>")
        for k, axis in enumerate(axes):
            tag = "axis2" if k else "axis"
            inner = f"<xyz>{numbers([rounded(x) for x in axis])}</xyz>"
            if limit:
                inner += f"<limit><lower>{number(limit[0])}</lower><upper>{number(limit[1])}</upper></limit>"
            if damping:
                inner += f"<dynamics><damping>{number(rounded(damping))}</damping></dynamics>"
            w.text(f"  <{tag}>{inner}</{tag}>")
        w.text("</joint>")
        self.joints.append((name, kind, parent, child))
        self.tied.add(frozenset((parent, child)))

    def weld(self, name, parent, child, at):
        self.joint("fixed", name, parent, child, at)

    def hinge(self, name, parent, child, at, axis, limit=None, damping=0.0):
        self.joint("revolute", name, parent, child, at, (axis,), limit, damping)

    def servo(self, joint, stiffness, damping, amplitude=0.0, period=4.0, phase=0.0):
        """A position servo that swings about the zero pose; with a phase it begins elsewhere than it is."""
        self.servos += 1
        target = (f'<pawl:sinusoid amplitude="{number(rounded(amplitude))}" '
                  f'frequency="{number(rounded(2 * math.pi / period))}" phase="{number(rounded(phase))}"/>'
                  if amplitude else "<pawl:constant>0</pawl:constant>")
        self.writer.text(
            f'<pawl:actuator name="{joint}_servo" type="position" joint="{joint}" '
            f'stiffness="{number(rounded(stiffness))}" damping="{number(rounded(damping))}">',
            f"  {target}", "</pawl:actuator>")

    def driven(self, name, parent, child, at, axis, stiffness, damping, amplitude, period=4.0, limit=None):
        self.hinge(name, parent, child, at, axis, limit)
        self.servo(name, stiffness, damping, amplitude, period)

    def rod(self, name, parent, child, a, b, mass, radius=0.006, colour=GREY):
        """A push rod from a on the parent to b on the child: a universal joint, and a ball at the child."""
        self.link(name, mass, tube(radius, a, b, colour))
        self.joint("universal", f"{name}_foot", parent, name, a, across(sub(b, a)))
        self.joint("ball", f"{name}_head", name, child, b)

    def swivel_rod(self, name, parent, child, a, b, mass, radius=0.004, colour=GREY):
        """A push rod with universal joints at both ends and a swivel between its halves."""
        middle = tuple((x + y) / 2 for x, y in zip(a, b))
        axes = across(sub(b, a))
        self.link(f"{name}_lower", mass / 2, tube(radius, a, middle, colour))
        self.link(f"{name}_upper", mass / 2, tube(0.75 * radius, middle, b, colour))
        self.joint("universal", f"{name}_foot", parent, f"{name}_lower", a, axes)
        self.hinge(f"{name}_swivel", f"{name}_lower", f"{name}_upper", middle, unit(sub(b, a)))
        self.joint("universal", f"{name}_head", child, f"{name}_upper", b, axes)

    def finish(self):
        if self.ground is not None:
            self.writer.ground((self.ground, 0.0))
        return self.writer.finish()
