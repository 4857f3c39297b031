# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""The four robots of models/suite/ without loops: an arm, a quadruped and two bipeds."""

from make_models import BLUE, GREEN, GREY, ORANGE, SAND, TEAL, VIOLET
from suite_machine import Machine, ball, block, shell, tube

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
SIDES = (("left", 1), ("right", -1))


def arm7():
    m = Machine("arm7", """
An arm of seven revolute joints on a base that is welded to the world: 8 bodies, 41 rows. Heaviest to
lightest link 19.54 : 1. Each joint follows a slow sinusoid by a position servo. The paper counts 7 joints
and 41 rows; the rows need the fixed joint of the base, which makes 8 joints.
""", ground=0.6)
    heights = (0.16, 0.32, 0.50, 0.68, 0.86, 1.00, 1.10)
    masses = (4.2, 3.6, 2.8, 2.4, 1.5, 0.9, 0.3)
    axes = (Z, Y, Z, Y, Z, Y, Z)
    m.link("base", 5.862, tube(0.11, (0, 0, 0.02), (0, 0, 0.14), GREY))
    for k in range(7):
        top = heights[k + 1] if k < 6 else 1.16
        radius = 0.075 - 0.007 * k
        # Every other link bends forwards a little, so that no pose of the sweep is a singular one.
        m.link(f"link{k + 1}", masses[k],
               tube(radius, (0, 0, heights[k] + 0.02), (0, 0, top - 0.02), (BLUE, ORANGE)[k % 2],
                    touches=k > 1, round_ends=True))
    m.weld("mount", "world", "base", (0, 0, 0))
    stiffness = (900, 1500, 700, 900, 250, 200, 40)
    swing = (0.8, 0.5, 0.7, -0.9, 0.8, -0.7, 1.2)
    for k in range(7):
        m.driven(f"joint{k + 1}", f"link{k}" if k else "base", f"link{k + 1}", (0, 0, heights[k]), axes[k],
                 stiffness[k], 0.08 * stiffness[k], swing[k], period=3.0 + 0.4 * k, limit=(-2.6, 2.6))
    return m.finish()


def quadruped():
    m = Machine("quadruped", """
A quadruped of 13 bodies and 12 hinges on a plane: hip roll, hip pitch and knee of each leg, position
servos, ball feet. Trunk to foreleg 29.07 : 1.
""", ground=0.8)
    m.link("trunk", 8.721, block((0.42, 0.16, 0.11), (0, 0, 0.34), BLUE),
           shell(((-0.06, 0.22, 0.07), (0, 0.26, 0.1), (0.06, 0.2, 0.06)), (0, 0, 0.34), TEAL))
    legs = [(f"{end}_{side}", x, s) for end, x in (("front", 1), ("hind", -1)) for side, s in SIDES]
    for name, x, s in legs:
        hip, pivot = (0.19 * x, 0.11 * s, 0.34), (0.19 * x, 0.16 * s, 0.34)
        knee, foot = (0.12 * x, 0.16 * s, 0.18), (0.19 * x, 0.16 * s, 0.02)
        m.link(f"{name}_hip", 0.6, tube(0.035, hip, pivot, GREY))
        m.link(f"{name}_thigh", 0.9, tube(0.025, pivot, knee, ORANGE))
        m.link(f"{name}_shank", 0.3, tube(0.014, knee, foot, GREEN), ball(0.02, foot, SAND, touches=True),
               friction=0.8)
        m.driven(f"{name}_roll", "trunk", f"{name}_hip", hip, X, 120, 4, 0, limit=(-0.8, 0.8))
        # The trunk rises and sinks; opposite swings of hip and knee keep the feet below the hips.
        m.driven(f"{name}_pitch", f"{name}_hip", f"{name}_thigh", pivot, Y, 120, 4, 0.15 * x, 2.0,
                 limit=(-1.5, 1.5))
        m.driven(f"{name}_knee", f"{name}_thigh", f"{name}_shank", knee, Y, 120, 4, -0.3 * x, 2.0,
                 limit=(-1.2, 1.2))
    return m.finish()


def biped_leg(m, side, s, y, heights, masses, gains, swings, foot, roll_ankle):
    """Hip yaw, roll, pitch, knee, ankle pitch and, where asked, ankle roll of one leg."""
    hip, knee, ankle = heights
    names = ["hip_yaw", "hip_roll", "thigh", "shank"] + (["ankle"] if roll_ankle else []) + ["foot"]
    names = [f"{side}_{n}" for n in names]
    points = [(0, y, hip + 0.06), (0, y, hip + 0.03), (0, y, hip), (0.02, y, knee), (0, y, ankle)]
    axes = [Z, X, Y, Y, Y]
    parts = [
        (tube(0.03, points[0], points[1], GREY),),
        (tube(0.035, points[1], points[2], GREY),),
        (tube(0.04, points[2], points[3], ORANGE),),
        (tube(0.032, points[3], points[4], GREEN),),
    ]
    if roll_ankle:
        points.append((0, y, ankle - 0.02))
        axes.append(X)
        parts.append((tube(0.02, points[4], points[5], GREY),))
    sole = block((foot[0], foot[1], 0.03), (0.02, y, 0.015), SAND, touches=True)
    parts.append((sole, tube(0.02, (0, y, 0.03), points[-1], GREY)))
    parent = "torso"
    for k, name in enumerate(names):
        m.link(name, masses[k], *parts[k], friction=0.8)
        m.driven(f"{name}_joint", parent, name, points[k], axes[k], *gains[k], s * swings[k] if k < 2 else swings[k],
                 2.5, limit=(-1.6, 1.6))
        parent = name


def biped15():
    m = Machine("biped15", """
A small biped with a long neck: 15 bodies, 14 hinges, free to fall. Two legs of five joints, a neck of
four. Torso to neck piece 42.49 : 1. The paper's row lists 14 degrees of freedom beside a free base and 14
hinges; with the base they are 20.
""", ground=0.8)
    m.link("torso", 8.498, block((0.18, 0.2, 0.16), (0, 0, 0.52), BLUE),
           shell(((-0.1, 0.09, 0.1), (0, 0.14, 0.13), (0.1, 0.1, 0.1)), (0, 0, 0.53), TEAL))
    gains = [(200, 6), (400, 12), (400, 12), (400, 12), (300, 10)]
    for side, s in SIDES:
        # Legs keep straight below the body: ankle = -(hip + knee).
        biped_leg(m, side, s, 0.07 * s, (0.38, 0.21, 0.05), (0.6, 0.6, 1.1, 0.8, 0.45), gains,
                  (0.1, 0.0, 0.12, -0.24, 0.12), (0.2, 0.09), roll_ankle=False)
    heights = (0.62, 0.72, 0.76, 0.80)
    masses, axes = (0.35, 0.2, 0.2, 1.2), (Y, Y, Z, X)
    for k, name in enumerate(("neck", "neck_top", "head_yaw", "head")):
        here = (0.04, 0, heights[k])
        above = (0.04, 0, heights[k + 1] if k < 3 else 0.86)
        parts = [tube(0.02, here, above, ORANGE)]
        if name == "head":
            parts.append(shell(((-0.05, 0.06, 0.05), (0.01, 0.1, 0.08), (0.06, 0.06, 0.05)), (0.06, 0, 0.86), SAND))
        m.link(name, masses[k], *parts)
        m.driven(f"{name}_joint", "torso" if k == 0 else ("neck", "neck_top", "head_yaw")[k - 1], name, here,
                 axes[k], 60, 2, (0.2, -0.2, 0.5, 0.25)[k], 1.8 + 0.3 * k, limit=(-1.2, 1.2))
    return m.finish()


def biped21():
    m = Machine("biped21", """
A humanoid of 21 bodies and 20 hinges, free to fall: two legs of six joints, two arms of four. Torso to
hand 321.39 : 1.
""", ground=0.8)
    m.link("torso", 16.0695, block((0.2, 0.3, 0.5), (0, 0, 1.15), BLUE),
           shell(((-0.26, 0.1, 0.14), (0.05, 0.14, 0.19), (0.26, 0.08, 0.12)), (0, 0, 1.15), TEAL),
           ball(0.1, (0.02, 0, 1.52), SAND, touches=True))
    gains = [(600, 20), (2500, 80), (2500, 80), (2500, 80), (1500, 50), (1500, 50)]
    for side, s in SIDES:
        biped_leg(m, side, s, 0.1 * s, (0.82, 0.45, 0.09), (1.2, 1.2, 4.5, 3.2, 0.4, 1.1), gains,
                  (0.08, 0.0, 0.15, -0.3, 0.15, 0.0), (0.26, 0.11), roll_ankle=True)
        shoulder, outer, elbow = (0, 0.21 * s, 1.34), (0, 0.27 * s, 1.34), (0, 0.27 * s, 1.06)
        wrist = (0, 0.27 * s, 0.82)
        m.link(f"{side}_shoulder", 0.9, tube(0.03, shoulder, outer, GREY))
        m.link(f"{side}_upper_arm", 1.8, tube(0.04, outer, elbow, ORANGE))
        m.link(f"{side}_forearm", 1.1, tube(0.032, elbow, wrist, GREEN, touches=True, round_ends=True))
        m.link(f"{side}_hand", 0.05, block((0.05, 0.02, 0.09), (0, 0.27 * s, 0.74), VIOLET, touches=True))
        m.driven(f"{side}_shoulder_pitch", "torso", f"{side}_shoulder", shoulder, Y, 150, 5, 0.5 * s, 2.5,
                 limit=(-2.5, 2.5))
        m.driven(f"{side}_shoulder_roll", f"{side}_shoulder", f"{side}_upper_arm", outer, X, 150, 5, 0.0,
                 limit=(-2, 2))
        m.driven(f"{side}_elbow", f"{side}_upper_arm", f"{side}_forearm", elbow, Y, 80, 2.5, -0.4, 2.5,
                 limit=(-2.2, 0.6))
        m.driven(f"{side}_wrist", f"{side}_forearm", f"{side}_hand", wrist, Y, 2, 0.02, 0.3, 1.7,
                 limit=(-1, 1))
    return m.finish()
