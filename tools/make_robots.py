# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""The legged robots of models/nmdp/, for tools/make_models.py.

Robosimian has four limbs of eight joints. Limb frames have x outwards from the torso and z up, so that
all four share their numbers: those of limbs 1 and 3 as they are, those of 2 and 4 with y turned round.
Joint angles are zero with a limb stretched out; the files begin in the standing pose. Spider is made of
a sphere and capsules of one density, and its angles are zero in the pose it begins in.
"""

import math
import textwrap

from make_models import (BLUE, GREY, ORANGE, RED, SAND, TEAL, VIOLET, Writer, box, capsule, cylinder,
                         numbers, number, sphere)

STIFFNESS, DAMPING = 1000, 1  # of every leg joint [N m/rad, N m s/rad]

# --- mass properties ------------------------------------------------------------------------------


class Mass:
    """Mass, centre, and inertia about the centre: a 3 x 3 list."""

    def __init__(self, mass, com, xx, yy, zz, xy=0.0, xz=0.0, yz=0.0):
        self.mass, self.com = mass, tuple(com)
        self.inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]

    def six(self):
        """In the order of Writer.link."""
        i = self.inertia
        return (i[0][0], i[1][1], i[2][2], i[0][2], i[0][1], i[1][2])

    def moved(self, offset, side=1):
        """Seen from a frame in which this one's origin is at `offset`; side -1: y turned round."""
        i = self.inertia
        com = (self.com[0], side * self.com[1], self.com[2])
        return Mass(self.mass, [a + b for a, b in zip(com, offset)], i[0][0], i[1][1], i[2][2],
                    side * i[0][1], i[0][2], side * i[1][2])

    def turned(self):
        """Seen from a frame that is turned by half a turn about z."""
        i = self.inertia
        return Mass(self.mass, (-self.com[0], -self.com[1], self.com[2]), i[0][0], i[1][1], i[2][2],
                    i[0][1], -i[0][2], -i[1][2])


def joined(*parts):
    """Bodies that move as one, by the parallel-axis theorem."""
    mass = sum(p.mass for p in parts)
    com = [sum(p.mass * p.com[k] for p in parts) / mass for k in range(3)]
    total = [[0.0] * 3 for _ in range(3)]
    for p in parts:
        r = [p.com[k] - com[k] for k in range(3)]
        square = sum(x * x for x in r)
        for a in range(3):
            for b in range(3):
                shift = (square if a == b else 0.0) - r[a] * r[b]
                total[a][b] += p.inertia[a][b] + p.mass * shift
    return Mass(mass, com, total[0][0], total[1][1], total[2][2], total[0][1], total[0][2],
                total[1][2])


# --- what the robots share ------------------------------------------------------------------------

# The ground is in a group of its own: legs pass through each other, as in the experiments.
ON_GROUND = ("<pawl:group>2</pawl:group>", "<pawl:mask>1</pawl:mask>")
ON_ROBOT = ("<pawl:group>1</pawl:group>", "<pawl:mask>2</pawl:mask>")


def planar_base(w, body):
    """x, z and the pitch about -y of a body that stays in the plane y = 0."""
    w.text('<joint name="base" type="pawl:planar">',
           "  <parent>world</parent>",
           f"  <child>{body}</child>",
           "  <axis><xyz>0 -1 0</xyz></axis>",
           "  <axis2><xyz>1 0 0</xyz></axis2>",
           "</joint>")


def hinge(w, name, parent, child, parent_pose, axis, limit):
    """A hinge at the child's origin. Its angle is that of the child's frame from `parent_pose`."""
    w.text(f'<joint name="{name}" type="revolute">',
           f"  <parent>{parent}</parent>",
           f"  <child>{child}</child>",
           f"  <pawl:parent_pose>{numbers(parent_pose)}</pawl:parent_pose>",
           f"  <axis><xyz>{numbers(axis)}</xyz><limit><lower>{number(-limit)}</lower>"
           f"<upper>{number(limit)}</upper></limit></axis>",
           "</joint>")


def servo(w, joint, coordinate, target):
    w.text(f'<pawl:actuator name="{joint}{coordinate if coordinate else ""}_servo" '
           f'type="position" joint="{joint}"'
           + (f' coordinate="{coordinate}"' if coordinate else "")
           + f' stiffness="{STIFFNESS}" damping="{DAMPING}">',
           f"  <pawl:constant>{number(target)}</pawl:constant>",
           "</pawl:actuator>")


# --- Robosimian -----------------------------------------------------------------------------------

PITCH = (0.0, -1.0, 0.0)
ROLL = (1.0, 0.0, 0.0)
HIP = (0.29326, 0.20940, -0.03650 - 0.17203)  # of limb 4, on the torso: both hip joints on one axis
SPAN, REACH, SIDE = 0.2865, 0.1925, 0.117  # along and across from a pitch joint to the roll after it
FOOT_LENGTH, FOOT_RADIUS = 0.15, 0.05
STAND = (-0.45 * math.pi, 0.5 * math.pi, -0.55 * math.pi)  # hip, knee and ankle
FULL_TURN, HIP_YAW = math.pi, 3.4906

TORSO = Mass(40.0, (-0.00082, -0.00206, -0.0218), 0.24897, 0.70323, 0.77256, yz=0.00182)
STUB = Mass(0.429, (-0.0504, 0.0128, 0.0), 0.000741, 0.002044, 0.001885)  # links 1, 3 and 5
LONG = Mass(3.975, (0.0674, -0.0965, 0.0003), 0.0447, 0.0334, 0.0743, xy=-0.0304)  # links 2, 4, 6
LAST = Mass(1.76, (0.1123, 0.0, 0.0), 0.0019, 0.0067, 0.0061)  # link 7


class Limb:
    """Where the parts of limb 1 to 4 are in the standing pose."""

    def __init__(self, k):
        self.k = k
        front, left = k in (1, 4), k in (3, 4)
        self.yaw = 0.0 if front else math.pi
        self.out = 1 if front else -1
        self.hip = (self.out * HIP[0], HIP[1] if left else -HIP[1], HIP[2])
        self.mirror = -1 if k in (2, 4) else 1
        self.side = -SIDE * self.mirror  # across, in the limb's frame

    def pose(self, lengths, angles):
        """After links of these lengths, each turned by an angle against the one before and followed
        by a step across; the last angle turns what begins there."""
        x, y, z = self.hip
        pitch = 0.0
        for length, angle in zip(lengths, angles):
            pitch += angle
            x += self.out * length * math.cos(pitch)
            y += self.out * self.side
            z += length * math.sin(pitch)
        pitch += angles[len(lengths)]
        return (x, y, z, 0, -pitch, self.yaw)


def link_shapes(limb, length, colour):
    """A housing about the pitch axis, and what reaches to the next joint."""
    across = limb.side
    return [((0, across / 2, 0, math.pi / 2, 0, 0), cylinder(0.06, abs(across)), GREY),
            ((length / 2, across, 0, 0, math.pi / 2, 0), capsule(0.045, length), colour)]


def foot(at):
    """The foot's cylinder, and the ball that rounds its far end and touches the ground: a flat end
    would have redundant contact points. `at` is the middle of the near end."""
    straight = FOOT_LENGTH - FOOT_RADIUS
    ball = ((at[0] + straight, at[1], 0, 0, 0, 0), sphere(FOOT_RADIUS), RED)
    drawn = ((at[0] + straight / 2, at[1], 0, 0, math.pi / 2, 0), cylinder(FOOT_RADIUS, straight),
             RED)
    return ball, drawn


# The smooth Coulomb contact k d^p (n + mu t_i) of the nmdp steppers, and a softer one for steps without
# derivatives, in which k d^2 is easier to balance than k d^3. The stiff one tries the line search.
HARD, SOFT, STIFF = ("1e8", 3), ("1e6", 2), ("1e10", 3)


def sole(w, law, friction):
    w.text(f'<pawl:wrench_model name="sole" kind="coulomb" stiffness="{law[0]}" '
           f'power="{law[1]}" friction="{number(friction)}" directions="6"/>')


def contact_point(w, name, body, at, radius=0):
    """Where that contact acts."""
    w.text(f'<pawl:contact_point name="{name}" body="{body}" position="{numbers(at)}"'
           + (f' radius="{number(radius)}"' if radius else "") + ' model="sole"/>')


def torso_shapes():
    return [((0, 0, -0.02, 0, 0, 0), box((0.62, 0.44, 0.2)), SAND)]


ROBOSIMIAN_FRICTION = 0.7


def robosimian_legs(w, limb):
    """Three pitch joints; links 2 and 3, 4 and 5, 6 and 7 move as one."""
    k, material = limb.k, (ROBOSIMIAN_FRICTION, 0)
    after = (SPAN, limb.side, 0)
    upper = joined(LONG.moved((0, 0, 0), limb.mirror), STUB.moved(after, limb.mirror))
    at_foot = (REACH, limb.side, 0)
    lower = joined(LONG.moved((0, 0, 0), limb.mirror), LAST.moved(at_foot, limb.mirror))
    w.link(f"thigh{k}", limb.pose((), STAND), upper.mass, upper.com, upper.six(),
           link_shapes(limb, SPAN, BLUE))
    w.link(f"shank{k}", limb.pose((SPAN,), STAND), upper.mass, upper.com, upper.six(),
           link_shapes(limb, SPAN, ORANGE))
    ball, drawn = foot(at_foot)
    w.link(f"leg{k}", limb.pose((SPAN, SPAN), STAND), lower.mass, lower.com, lower.six(), [ball],
           None, material, [drawn, *link_shapes(limb, REACH, TEAL)], ON_ROBOT)


def hills():
    """Waves of up to 6 cm and 0.9 m length on ground that is flat where the robot begins, 0.8 m below its torso."""
    columns, rows, cell, west, south = 49, 25, 0.125, -1.5, -1.5
    heights = []
    for j in range(rows):
        for i in range(columns):
            x, y = west + cell * i, south + cell * j
            rise = min(1.0, max(0.0, (x - 0.9) / 0.6))
            heights.append(rise * 0.03 * (2.0 + math.sin(7.0 * x) + math.cos(5.0 * y + x)) / 2.0)
    lines = [f'      <pawl:heightfield name="hills" position="{number(west)} {number(south)} -0.8" x_count="{columns}" '
             f'y_count="{rows}" dx="{number(cell)}" dy="{number(cell)}">', "        <pawl:heights>"]
    for j in range(rows):
        row = heights[columns * j:columns * (j + 1)]
        lines += textwrap.wrap(" ".join(f"{h:.4g}" for h in row), 98, initial_indent="          ",
                               subsequent_indent="          ")
    return lines + ["        </pawl:heights>", "      </pawl:heightfield>"]


def robosimian(name, comment, planar, law=HARD, ground=None):
    w = Writer(name, comment)
    limbs = [Limb(k) for k in range(1, 5)]
    stubs = []
    for limb in limbs:
        stub = STUB.moved((0, 0, 0), limb.mirror)
        stubs.append((stub if limb.out > 0 else stub.turned()).moved(limb.hip))
    torso = joined(TORSO, *stubs)
    w.link("torso", (0,) * 6, torso.mass, torso.com, torso.six(), torso_shapes(), None,
           (ROBOSIMIAN_FRICTION, 0), (), ON_ROBOT)
    for limb in limbs:
        robosimian_legs(w, limb)
    if planar:
        planar_base(w, "torso")
    for limb in limbs:
        k, next_at = limb.k, (SPAN, limb.side, 0, 0, 0, 0)
        hinge(w, f"hip{k}", "torso", f"thigh{k}", limb.hip + (0, 0, limb.yaw), PITCH, FULL_TURN)
        hinge(w, f"knee{k}", f"thigh{k}", f"shank{k}", next_at, PITCH, FULL_TURN)
        hinge(w, f"ankle{k}", f"shank{k}", f"leg{k}", next_at, PITCH, FULL_TURN)
    for limb in limbs:
        for joint, angle in zip(("hip", "knee", "ankle"), STAND):
            servo(w, f"{joint}{limb.k}", 0, angle)
    sole(w, law, ROBOSIMIAN_FRICTION)
    for limb in limbs:
        contact_point(w, f"foot{limb.k}", f"leg{limb.k}", (REACH + FOOT_LENGTH, limb.side, 0))
    if ground is None:
        w.ground((ROBOSIMIAN_FRICTION, 0), (0, 0, -0.8, 0, 0, 0), filters=ON_GROUND)
    else:
        w.lines += ground
    return w.finish()


def robosimian_full():
    w = Writer("robosimian-full", """
Robosimian with all its joints: a floating torso of 40 kg and four limbs of eight joints, 38 degrees of
freedom, 99.888 kg. Hip yaw and hip roll have their axes in one point and nothing heavy between them,
so the two are one universal joint. It stands with its yaw and roll joints at zero and
its pitch joints at 81, 90 and 99 degrees, feet 11 mm above the ground.
""")
    limbs = [Limb(k) for k in range(1, 5)]
    material = (ROBOSIMIAN_FRICTION, 0)
    w.link("torso", (0,) * 6, TORSO.mass, TORSO.com, TORSO.six(), torso_shapes(), None, material,
           (), ON_ROBOT)
    lengths = ((), (SPAN,), (SPAN, SPAN))
    for limb in limbs:
        k = limb.k
        stub, long, last = (m.moved((0, 0, 0), limb.mirror) for m in (STUB, LONG, LAST))
        hub = [((0,) * 6, sphere(0.05), GREY)]
        w.link(f"hip{k}", limb.hip + (0, 0, limb.yaw), stub.mass, stub.com, stub.six(), hub)
        for n, (part, colour) in enumerate((("thigh", BLUE), ("shank", ORANGE), ("leg", TEAL))):
            w.link(f"{part}{k}", limb.pose(lengths[n], STAND), long.mass, long.com, long.six(),
                   link_shapes(limb, (SPAN, SPAN, REACH)[n], colour))
            if n < 2:
                still = STAND[:n + 1] + (0.0,)
                w.link(f"{part}{k}_roll", limb.pose(lengths[n + 1], still), stub.mass, stub.com,
                       stub.six(), hub)
        ball, drawn = foot((0, 0))
        w.link(f"foot{k}", limb.pose((SPAN, SPAN, REACH), STAND + (0.0,)), last.mass, last.com,
               last.six(), [ball], None, material, [drawn], ON_ROBOT)
    for limb in limbs:
        k, here = limb.k, (0,) * 6
        w.text(f'<joint name="hip_yaw_roll{k}" type="universal">',
               "  <parent>torso</parent>",
               f"  <child>hip{k}</child>",
               f"  <axis><xyz>0 0 1</xyz><limit><lower>{number(-HIP_YAW)}</lower>"
               f"<upper>{number(HIP_YAW)}</upper></limit></axis>",
               f"  <axis2><xyz>1 0 0</xyz><limit><lower>{number(-FULL_TURN)}</lower>"
               f"<upper>{number(FULL_TURN)}</upper></limit></axis2>",
               "</joint>")
        hinge(w, f"hip_pitch{k}", f"hip{k}", f"thigh{k}", here, PITCH, FULL_TURN)
        chain = (("thigh_roll", "thigh", "thigh{}_roll", SPAN, ROLL),
                 ("knee", "thigh{}_roll", "shank", 0, PITCH),
                 ("shank_roll", "shank", "shank{}_roll", SPAN, ROLL),
                 ("ankle", "shank{}_roll", "leg", 0, PITCH),
                 ("foot_roll", "leg", "foot", REACH, ROLL))
        for joint, parent, child, along, axis in chain:
            ends = [end.format(k) if "{}" in end else f"{end}{k}" for end in (parent, child)]
            at = (along, limb.side if along else 0, 0, 0, 0, 0)
            hinge(w, f"{joint}{k}", *ends, at, axis, FULL_TURN)
    angle = dict(zip(("hip_pitch", "knee", "ankle"), STAND))
    for limb in limbs:
        servo(w, f"hip_yaw_roll{limb.k}", 0, 0.0)
        servo(w, f"hip_yaw_roll{limb.k}", 1, 0.0)
        for joint in ("hip_pitch", "thigh_roll", "knee", "shank_roll", "ankle", "foot_roll"):
            servo(w, f"{joint}{limb.k}", 0, angle.get(joint, 0.0))
    sole(w, HARD, ROBOSIMIAN_FRICTION)
    for limb in limbs:
        contact_point(w, f"foot{limb.k}", f"foot{limb.k}", (FOOT_LENGTH, 0, 0))
    w.ground(material, (0, 0, -0.8, 0, 0, 0), filters=ON_GROUND)
    return w.finish()


# --- Spider ---------------------------------------------------------------------------------------

SPIDER_FRICTION = 1.5
SPIDER_BODY, SPIDER_LENGTH, SPIDER_RADIUS, SPIDER_MASS = 0.25, 0.44284, 0.08, 100.0
RAISED, LOWERED = math.radians(10), math.radians(80)


def sphere_volume(radius):
    return 4 / 3 * math.pi * radius**3


def capsule_mass(density):
    """Of a leg's part, from the joint at x = 0 along x; its round ends reach beyond both joints."""
    r, length = SPIDER_RADIUS, SPIDER_LENGTH
    straight, ends = density * math.pi * r * r * length, density * sphere_volume(r)
    axial = straight * r * r / 2 + ends * 2 / 5 * r * r
    # Of a half sphere about a line across through the end of the straight part: its own 2/5 m r^2, moved
    # from that end to the middle; its centre is 3/8 r further out.
    across = straight * (length**2 / 12 + r * r / 4)
    across += ends * (2 / 5 * r * r + length**2 / 4 + length * 3 / 8 * r)
    return Mass(straight + ends, (length / 2, 0, 0), axial, across, across)


def spider(name="spider-planar", law=HARD):
    w = Writer(name, """
Spider: a sphere of 0.25 m on four legs of two capsules, 100 kg of one density in all, kept in the
plane y = 0: base x, z and pitch, and four legs of three joints, 15 degrees of freedom. The legs stand
at 45, 135, 225 and 315 degrees. A hip turns about the vertical, then about the
horizontal across the leg; a knee about the latter alone. The feet begin 9 mm deep in the ground.
""")
    volume = sphere_volume(SPIDER_RADIUS) + math.pi * SPIDER_RADIUS**2 * SPIDER_LENGTH
    density = SPIDER_MASS / (sphere_volume(SPIDER_BODY) + 8 * volume)
    material = (SPIDER_FRICTION, 0)
    body = density * sphere_volume(SPIDER_BODY)
    moment = 0.4 * body * SPIDER_BODY**2
    w.link("torso", (0,) * 6, body, (0, 0, 0), (moment,) * 3, [((0,) * 6, sphere(SPIDER_BODY), SAND)],
           None, material, (), ON_ROBOT)
    part = capsule_mass(density)
    bar = ((SPIDER_LENGTH / 2, 0, 0, 0, math.pi / 2, 0), capsule(SPIDER_RADIUS, SPIDER_LENGTH))
    for k in range(1, 5):
        yaw = math.radians(45 + 90 * (k - 1))
        way = (math.cos(yaw), math.sin(yaw))
        out = SPIDER_BODY + SPIDER_LENGTH * math.cos(RAISED)
        hip = (SPIDER_BODY * way[0], SPIDER_BODY * way[1], 0)
        knee = (out * way[0], out * way[1], SPIDER_LENGTH * math.sin(RAISED))
        w.link(f"upper{k}", hip + (0, -RAISED, yaw), part.mass, part.com, part.six(),
               [bar + (BLUE,)])
        tip = ((SPIDER_LENGTH, 0, 0, 0, 0, 0), sphere(SPIDER_RADIUS), RED)
        w.link(f"lower{k}", knee + (0, LOWERED, yaw), part.mass, part.com, part.six(), [tip], None,
               material, [bar + (VIOLET,)], ON_ROBOT)
    planar_base(w, "torso")
    for k in range(1, 5):
        quarter, third = math.radians(45), math.radians(60)
        up = (math.sin(RAISED), 0, math.cos(RAISED))  # the vertical, seen from the raised part
        w.text(f'<joint name="hip{k}" type="universal">',
               "  <parent>torso</parent>",
               f"  <child>upper{k}</child>",
               *(f"  <{axis}><xyz>{xyz}</xyz><limit><lower>{number(-quarter)}</lower>"
                 f"<upper>{number(quarter)}</upper></limit></{axis}>"
                 for axis, xyz in (("axis", numbers(up)), ("axis2", "0 -1 0"))),
               "</joint>",
               f'<joint name="knee{k}" type="revolute">',
               f"  <parent>upper{k}</parent>",
               f"  <child>lower{k}</child>",
               f"  <axis><xyz>0 -1 0</xyz><limit><lower>{number(-third)}</lower>"
               f"<upper>{number(third)}</upper></limit></axis>",
               "</joint>")
    for k in range(1, 5):
        servo(w, f"hip{k}", 0, 0.0)
        servo(w, f"hip{k}", 1, 0.0)
        servo(w, f"knee{k}", 0, 0.0)
    sole(w, law, SPIDER_FRICTION)
    for k in range(1, 5):
        contact_point(w, f"foot{k}", f"lower{k}", (SPIDER_LENGTH, 0, 0), SPIDER_RADIUS)
    w.ground(material, (0, 0, -0.43, 0, 0, 0), filters=ON_GROUND)
    return w.finish()


PLANAR = """
Robosimian as the experiments with nmdp use it: kept in the plane y = 0 with base x, z and pitch, its
yaw and roll joints frozen, four limbs of three pitch joints: 15 degrees of freedom, 99.888 kg. It
stands on its limbs with thighs 9 degrees outwards from straight down, shanks 9 degrees up
from straight out and lower legs vertical, feet 11 mm above the ground. The torso's centre lies 0.8 mm
behind its middle: that is what makes a jump tilt.
"""

FILES = {
    "nmdp/robosimian-planar.sdf": lambda: robosimian("robosimian-planar", PLANAR, True),
    "nmdp/robosimian-planar-soft.sdf": lambda: robosimian("robosimian-planar-soft", PLANAR + """
Its contact points are soft: 1e6 d^2 instead of 1e8 d^3.
""", True, SOFT),
    "nmdp/robosimian-planar-stiff.sdf": lambda: robosimian("robosimian-planar-stiff", PLANAR + """
Its contact points are stiff: 1e10 d^3 instead of 1e8 d^3.
""", True, STIFF),
    "nmdp/robosimian-spatial.sdf": lambda: robosimian("robosimian-spatial", """
Robosimian with a floating torso, its yaw and roll joints frozen: 18 degrees of freedom, 99.888 kg. It
begins as robosimian-planar does.
""", False),
    "nmdp/robosimian-hills.sdf": lambda: robosimian("robosimian-hills", """
robosimian-spatial on a heightfield: it begins on flat ground and walks along x into waves of up to 6 cm.
""", False, ground=hills()),
    "nmdp/robosimian-full.sdf": robosimian_full,
    "nmdp/spider-planar.sdf": spider,
    "nmdp/spider-planar-soft.sdf": lambda: spider("spider-planar-soft", SOFT),
}
