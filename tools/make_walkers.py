#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Writes the robots of models/robots/: a quadruped (also with linkages), a biped and a hexapod in URDF, the way people
write it.

The base floats and is not tied to a world, all joints are zero with straight legs, joints have limits of angle, effort
and velocity, motors are named by transmissions, and there is no ground. Masses are round numbers, inertias those of
boxes, cylinders and spheres of even density. Usage: tools/make_walkers.py [FOLDER]
"""

import math
import pathlib
import sys


def number(x):
    return f"{x:.6g}" if abs(x) > 1e-12 else "0"


def numbers(values):
    return " ".join(number(x) for x in values)


def box(x, y, z):
    return {"geometry": f'<box size="{numbers((x, y, z))}"/>',
            "inertia": lambda m: ((y * y + z * z) * m / 12, (x * x + z * z) * m / 12, (x * x + y * y) * m / 12)}


def sphere(r):
    return {"geometry": f'<sphere radius="{number(r)}"/>', "inertia": lambda m: (0.4 * m * r * r,) * 3}


def cylinder(r, length):
    across = lambda m: m * (3 * r * r + length * length) / 12
    return {"geometry": f'<cylinder radius="{number(r)}" length="{number(length)}"/>',
            "inertia": lambda m: (across(m), across(m), m * r * r / 2)}


class Robot:
    def __init__(self, name, comment, loops=False):
        self.lines = ['<?xml version="1.0"?>', "<!-- SPDX-License-Identifier: MIT -->",
                      f"<!-- Part of pawl, a rigid multibody dynamics engine. Made by tools/make_walkers.py.\n{comment.strip()} -->",
                      f'<robot name="{name}"' + (' xmlns:pawl="urn:pawl:sdf"' if loops else "") + ">"]
        self.name, self.motors = name, []
        self.colours = {"dark": "0.2 0.2 0.22 1", "light": "0.75 0.76 0.78 1", "accent": "0.9 0.45 0.1 1"}
        for colour, rgba in self.colours.items():
            self.lines.append(f'  <material name="{colour}"><color rgba="{rgba}"/></material>')

    def link(self, name, mass, shape, at=(0, 0, 0), rpy=(0, 0, 0), colour="light", touches=True):
        origin = f'<origin xyz="{numbers(at)}" rpy="{numbers(rpy)}"/>'
        xx, yy, zz = shape["inertia"](mass)
        self.lines += [f'  <link name="{name}">',
                       "    <inertial>", f"      {origin}", f'      <mass value="{number(mass)}"/>',
                       f'      <inertia ixx="{number(xx)}" ixy="0" ixz="0" iyy="{number(yy)}" iyz="0" izz="{number(zz)}"/>',
                       "    </inertial>",
                       f'    <visual>{origin}<geometry>{shape["geometry"]}</geometry><material name="{colour}"/></visual>']
        if touches:
            self.lines.append(f'    <collision>{origin}<geometry>{shape["geometry"]}</geometry></collision>')
        self.lines.append("  </link>")

    def joint(self, name, parent, child, at, axis, lower, upper, effort, velocity, rpy=(0, 0, 0)):
        self.lines += [f'  <joint name="{name}" type="revolute">',
                       f'    <origin xyz="{numbers(at)}" rpy="{numbers(rpy)}"/>',
                       f'    <parent link="{parent}"/>', f'    <child link="{child}"/>',
                       f'    <axis xyz="{numbers(axis)}"/>',
                       f'    <limit lower="{number(lower)}" upper="{number(upper)}" effort="{number(effort)}" velocity="{number(velocity)}"/>',
                       '    <dynamics damping="0.02" friction="0"/>', "  </joint>"]
        self.motors.append(name)

    def pin(self, name, parent, child, at):
        """A passive hinge about y."""
        self.lines += [f'  <joint name="{name}" type="continuous">',
                       f'    <origin xyz="{numbers(at)}" rpy="0 0 0"/>',
                       f'    <parent link="{parent}"/>', f'    <child link="{child}"/>',
                       '    <axis xyz="0 1 0"/>', "  </joint>"]

    def closing_pin(self, name, parent, child, at, child_at):
        """A passive hinge about y that closes a loop."""
        self.lines.append(f'  <pawl:loop name="{name}" type="revolute" parent="{parent}" child="{child}" axis="0 1 0" '
                          f'parent_origin="{numbers(at)} 0 0 0" child_origin="{numbers(child_at)} 0 0 0"/>')

    def fixed(self, name, parent, child, at):
        self.lines += [f'  <joint name="{name}" type="fixed">',
                       f'    <origin xyz="{numbers(at)}" rpy="0 0 0"/>',
                       f'    <parent link="{parent}"/>', f'    <child link="{child}"/>', "  </joint>"]

    def write(self, folder):
        for motor in self.motors:
            self.lines += [f'  <transmission name="{motor}_transmission">',
                           "    <type>transmission_interface/SimpleTransmission</type>",
                           f'    <joint name="{motor}"><hardwareInterface>hardware_interface/PositionJointInterface</hardwareInterface></joint>',
                           f'    <actuator name="{motor}_motor"><mechanicalReduction>1</mechanicalReduction></actuator>',
                           "  </transmission>"]
        path = pathlib.Path(folder) / f"{self.name}.urdf"
        path.write_text("\n".join(self.lines) + "\n</robot>\n", encoding="utf-8")


def quadruped(linkage=False):
    """A dog: hip abduction, hip and knee pitch. Knees bend backwards alone, so straight legs are at a limit.

    With a linkage, a crank beside each hip and a rod beside the thigh turn as the knee does: a parallelogram, whose lever is
    across the thigh in the middle of the knee's range, so that it never lies flat."""
    if linkage:
        r = Robot("quadruped-linkage", "The dog of quadruped.urdf with a parallel linkage in each leg: a crank at the hip and a rod to the calf.", loops=True)
    else:
        r = Robot("quadruped", "A dog of 13.4 kg: 12 motors, legs of 0.21 + 0.21 m, straight down at zero, knees at their limit there.")
    thigh, calf = 0.21, 0.21
    lever = (-0.03 * math.cos(1.35), 0, 0.03 * math.sin(1.35))
    r.link("base", 6.4, box(0.38, 0.2, 0.11), colour="dark")
    for leg, x, y in (("FL", 1, 1), ("FR", 1, -1), ("RL", -1, 1), ("RR", -1, -1)):
        r.link(f"{leg}_hip", 0.6, cylinder(0.04, 0.05), (0, 0.02 * y, 0), (math.pi / 2, 0, 0), touches=False)
        r.link(f"{leg}_thigh", 0.9, box(0.04, 0.03, thigh), (0, 0, -thigh / 2), colour="accent", touches=False)
        r.link(f"{leg}_calf", 0.2, box(0.02, 0.02, calf), (0, 0, -calf / 2), touches=False)
        r.link(f"{leg}_foot", 0.05, sphere(0.022), colour="dark")
        r.joint(f"{leg}_hip_joint", "base", f"{leg}_hip", (0.19 * x, 0.05 * y, 0), (1, 0, 0), -0.8, 0.8, 25, 20)
        r.joint(f"{leg}_thigh_joint", f"{leg}_hip", f"{leg}_thigh", (0, 0.085 * y, 0), (0, 1, 0), -1.5, 3, 25, 20)
        r.joint(f"{leg}_calf_joint", f"{leg}_thigh", f"{leg}_calf", (0, 0, -thigh), (0, 1, 0), -2.7, 0, 35, 15)
        r.fixed(f"{leg}_foot_joint", f"{leg}_calf", f"{leg}_foot", (0, 0, -calf))
        if linkage:
            r.link(f"{leg}_crank", 0.15, cylinder(0.03, 0.02), rpy=(math.pi / 2, 0, 0), colour="dark", touches=False)
            r.link(f"{leg}_rod", 0.06, box(0.012, 0.012, thigh), (0, 0, -thigh / 2), colour="dark", touches=False)
            r.pin(f"{leg}_crank_pin", f"{leg}_thigh", f"{leg}_crank", (0, 0, 0))
            r.pin(f"{leg}_rod_pin", f"{leg}_crank", f"{leg}_rod", lever)
            r.closing_pin(f"{leg}_lever_pin", f"{leg}_calf", f"{leg}_rod", lever, (0, 0, -thigh))
    return r


def biped():
    """Six joints a leg; soles of 0.22 x 0.12 m."""
    r = Robot("biped", "A biped of 27 kg without arms: 12 motors, legs of 0.3 + 0.3 m, straight at zero, knees at their limit there; soles of 0.22 x 0.12 m.")
    upper, lower = 0.3, 0.3
    r.link("pelvis", 5, box(0.12, 0.22, 0.12), colour="dark")
    r.link("torso", 9, box(0.16, 0.26, 0.34), (0, 0, 0.17), colour="light", touches=False)
    r.fixed("waist", "pelvis", "torso", (0, 0, 0.06))
    for leg, y in (("left", 1), ("right", -1)):
        r.link(f"{leg}_yaw", 0.5, cylinder(0.03, 0.04), colour="dark", touches=False)
        r.link(f"{leg}_roll", 0.5, cylinder(0.03, 0.04), (0, 0, 0), (0, math.pi / 2, 0), colour="dark", touches=False)
        r.link(f"{leg}_thigh", 2.2, box(0.08, 0.07, upper), (0, 0, -upper / 2), colour="accent", touches=False)
        r.link(f"{leg}_shank", 1.8, box(0.06, 0.06, lower), (0, 0, -lower / 2), touches=False)
        r.link(f"{leg}_ankle", 0.4, cylinder(0.025, 0.05), (0, 0, 0), (math.pi / 2, 0, 0), colour="dark", touches=False)
        r.link(f"{leg}_foot", 1.1, box(0.22, 0.12, 0.03), (0.02, 0, -0.055), colour="dark")
        r.joint(f"{leg}_hip_yaw", "pelvis", f"{leg}_yaw", (0, 0.1 * y, -0.08), (0, 0, 1), -0.8, 0.8, 60, 10)
        r.joint(f"{leg}_hip_roll", f"{leg}_yaw", f"{leg}_roll", (0, 0, 0), (1, 0, 0), -0.6, 0.6, 100, 10)
        r.joint(f"{leg}_hip_pitch", f"{leg}_roll", f"{leg}_thigh", (0, 0, 0), (0, 1, 0), -1.8, 1.2, 100, 10)
        r.joint(f"{leg}_knee", f"{leg}_thigh", f"{leg}_shank", (0, 0, -upper), (0, 1, 0), 0, 2.4, 120, 12)
        r.joint(f"{leg}_ankle_pitch", f"{leg}_shank", f"{leg}_ankle", (0, 0, -lower), (0, 1, 0), -1.2, 0.9, 80, 10)
        r.joint(f"{leg}_ankle_roll", f"{leg}_ankle", f"{leg}_foot", (0, 0, 0), (1, 0, 0), -0.5, 0.5, 60, 10)
    return r


def hexapod():
    """Coxa about the vertical, femur and tibia; legs are straight and horizontal at zero."""
    r = Robot("hexapod", "A hexapod of 2.9 kg: 18 motors, legs of 0.05 + 0.09 + 0.14 m that are straight and horizontal at zero.")
    coxa, femur, tibia = 0.05, 0.09, 0.14
    r.link("body", 1.4, box(0.26, 0.14, 0.05), colour="dark")
    for side, y in (("left", 1), ("right", -1)):
        for part, x in (("front", 1), ("middle", 0), ("rear", -1)):
            leg = f"{side}_{part}"
            yaw = math.pi / 2 * y - 0.6 * x * y
            r.link(f"{leg}_coxa", 0.06, box(coxa, 0.03, 0.03), (coxa / 2, 0, 0), touches=False)
            r.link(f"{leg}_femur", 0.1, box(femur, 0.025, 0.03), (femur / 2, 0, 0), colour="accent", touches=False)
            r.link(f"{leg}_tibia", 0.08, box(tibia, 0.018, 0.018), (tibia / 2, 0, 0), touches=False)
            r.link(f"{leg}_tip", 0.01, sphere(0.01), colour="dark")
            r.joint(f"{leg}_coxa_joint", "body", f"{leg}_coxa", (0.12 * x, 0.075 * y, 0), (0, 0, 1), -1.2, 1.2, 4, 8, rpy=(0, 0, yaw))
            r.joint(f"{leg}_femur_joint", f"{leg}_coxa", f"{leg}_femur", (coxa, 0, 0), (0, 1, 0), -1.6, 1.6, 4, 8)
            r.joint(f"{leg}_tibia_joint", f"{leg}_femur", f"{leg}_tibia", (femur, 0, 0), (0, 1, 0), -0.2, 2.6, 4, 8)
            r.fixed(f"{leg}_tip_joint", f"{leg}_tibia", f"{leg}_tip", (tibia, 0, 0))
    return r


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    folder = sys.argv[1] if len(sys.argv) > 1 else root / "models" / "robots"
    for robot in (quadruped(), quadruped(linkage=True), biped(), hexapod()):
        robot.write(folder)


if __name__ == "__main__":
    main()
