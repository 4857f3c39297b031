# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# Motions of random trees beside MuJoCo itself: hinges, sliders and balls, several to a body, with springs, dampers, armatures, tendons and servos, no contacts.
# MuJoCo's Runge-Kutta method with a step of 0.1 ms is the answer; pawl's distance from it is that of a method of second order. Needs the Python packages mujoco and pawl.
import random

import pytest

from side_by_side import distance, needs_both, run_mujoco

pytestmark = needs_both

DURATION = 0.3  # [s]


class RandomTree:
    """A tree of bodies as MJCF."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.bodies = 0
        self.joints = []
        body = self.body(0)
        self.text = (
            "<mujoco><option integrator='RK4' timestep='1e-4'/><worldbody>"
            + body + "</worldbody>" + self.tendons() + self.actuators() + "</mujoco>")

    def some(self, name, low, high, chance, count=1):
        """An attribute of random numbers, or nothing."""
        values = " ".join(f"{self.random.uniform(low, high):.3f}" for _ in range(count))
        return f" {name}='{values}'" if self.random.random() < chance else ""

    def joint(self, name, kind):
        slides = kind == "slide"
        text = f"<joint name='{name}' type='{kind}'"
        text += self.some("axis", -1, 1, kind != "ball", 3) + self.some("pos", -0.1, 0.1, not slides, 3)
        text += self.some("armature", 0.001, 0.5, 0.5) + self.some("damping", 0.01, 1, 0.4)
        text += self.some("stiffness", 3, 50, 1 if slides else 0.4) + self.some("springref", -0.3, 0.3, slides)
        text += self.some("ref", -40, 40, 0.3 if kind == "hinge" else 0)
        if kind != "ball":
            self.joints.append(name)
        return text + "/>"

    def body(self, depth):
        self.bodies += 1
        index, text = self.bodies, f"<body name='b{self.bodies}'"
        text += self.some("pos", -0.3, 0.3, 1, 3) + self.some("euler", -90, 90, 1, 3) + self.some("gravcomp", 0, 1, 0.15) + ">"
        count = self.random.choice([1, 1, 2, 3])
        for k in range(count):
            text += self.joint(f"j{index}_{k}", self.random.choice(["hinge", "slide"] + ["ball"] * (count == 1)))
        text += f"<site name='s{index}'" + self.some("pos", -0.2, 0.2, 1, 3) + "/>"
        text += "<geom type='box' contype='0' conaffinity='0'" + self.some("size", 0.05, 0.2, 1, 3)
        text += self.some("pos", -0.1, 0.1, 1, 3) + self.some("mass", 0.1, 5, 1) + "/>"
        for _ in range(self.random.choice([0, 1, 1, 2]) if depth < 3 else 0):
            text += self.body(depth + 1)
        return text + "</body>"

    def tendons(self):
        text = ""
        if len(self.joints) > 1:
            text += "<fixed name='f'" + self.some("stiffness", 5, 50, 1) + self.some("damping", 0, 1, 0.5)
            text += self.some("springlength", -0.2, 0.2, 0.5) + ">"
            for name in self.random.sample(self.joints, 2):
                text += f"<joint joint='{name}'" + self.some("coef", 0.1, 2, 1) + "/>"
            text += "</fixed>"
        if self.bodies > 1:
            text += "<spatial name='s'" + self.some("stiffness", 5, 50, 1) + self.some("damping", 0, 2, 1)
            # No armature: MuJoCo 4.0.0 then loses energy where bodies have several joints (8e-4 J of 71 J, pawl 8e-8).
            text += ">"
            for index in self.random.sample(range(1, self.bodies + 1), min(self.bodies, self.random.choice([2, 3]))):
                text += f"<site site='s{index}'/>"
            text += "</spatial>"
        return f"<tendon>{text}</tendon>"

    def actuators(self):
        text = ""
        if self.joints:
            text += f"<position joint='{self.random.choice(self.joints)}'" + self.some("kp", 1, 20, 1) + self.some("kv", 0.1, 1, 1) + "/>"
            text += f"<velocity joint='{self.random.choice(self.joints)}'" + self.some("kv", 0.1, 3, 1) + "/>"
        return f"<actuator>{text}</actuator>"




@pytest.mark.parametrize("seed", range(24))
def test_trees_move_as_mujocos(seed):
    text = RandomTree(seed).text
    expected = run_mujoco(text, DURATION)
    coarse, fine = (distance(text, dt, DURATION, expected) for dt in (2e-3, 1e-3))
    # Auxiliary bodies have a millionth of the mass, which is what is left at small steps.
    assert fine < 1e-3 and (fine < 0.4 * coarse or fine < 2e-5), (coarse, fine, text)


@pytest.mark.parametrize("seed", range(100, 106))
def test_formulations_and_steppers_agree(seed):
    text = RandomTree(seed).text
    expected = run_mujoco(text, DURATION)
    for options in ({"formulation": "reduced"}, {"stepper": "lit"}, {"stepper": "rattle"}):
        assert distance(text, 1e-3, DURATION, expected, **options) < 1e-3, (options, text)
