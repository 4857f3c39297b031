# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# Laws of tendons and their servos beside MuJoCo itself: springs that are slack over a range of lengths, and damping ratios of servos on paths through sites, around
# geoms and over pulleys, on slides, hinges, balls and free bodies. MuJoCo's Runge-Kutta method with a step of 0.1 ms is the answer. Needs the Python packages mujoco and pawl.
import os
import random
import sys
import warnings

import pytest

sys.path += [p for p in [os.environ.get("PAWL_MUJOCO"), "build/python"] if p]
try:
    import mujoco
    import numpy as np
    import pawl
except ImportError:
    mujoco = None
pytestmark = pytest.mark.skipif(mujoco is None, reason="the Python package mujoco or pawl is not there")

DURATION = 0.6  # [s]
PATHS = [
    "<site site='w'/><site site='s'/>",
    "<site site='w'/><site site='u'/>",
    "<site site='u'/><site site='w'/><pulley divisor='2'/><site site='s'/><geom geom='roll'/><site site='u'/>",
    "<site site='w'/><geom geom='roll'/><site site='u'/>",
]


def arm(seed, law, servo, root="hinge"):
    """Two links and a tendon, without contacts."""
    rng = random.Random(seed)
    some = lambda low, high: f"{rng.uniform(low, high):.4f}"
    axis = "" if root in ("ball", "free") else f" axis='{some(-1, 1)} {some(-1, 1)} 1'"
    quiet = "contype='0' conaffinity='0'"
    return f"""<mujoco><option integrator='RK4' timestep='1e-4'/><worldbody><site name='w' pos='0 {some(.2, .4)} 0'/>
    <body name='a' pos='0 0 {some(0.5, 1)}'><joint type='{root}'{axis}/><geom type='box' size='.1 .2 .3' pos='.1 0 .05' mass='{some(.5, 2)}' {quiet}/><site name='s' pos='.3 0 0'/>
      <body name='b' pos='.3 .1 0'><joint axis='1 .3 0' armature='.01'/><geom size='.1' mass='.5' pos='0 .2 0' {quiet}/><geom name='roll' type='cylinder' size='.04 .1' mass='.2' euler='20 30 0' {quiet}/><site name='u' pos='0 .2 {some(.05, .15)}'/>
    </body></body></worldbody><tendon><spatial name='t' {law}>{PATHS[seed % len(PATHS)]}</spatial></tendon><actuator>{servo}</actuator></mujoco>"""


def answer(text):
    """Positions of the bodies at the end, and the lengths of the tendon on the way."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    lengths = []
    for _ in range(round(DURATION / model.opt.timestep)):
        mujoco.mj_step(model, data)
        lengths.append(data.ten_length[0])
    mujoco.mj_forward(model, data)
    return {model.body(i).name: data.xipos[i].copy() for i in range(1, model.nbody)}, lengths


def distance(text, dt, expected, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = pawl.Model.parse(text, name="arm.xml")
    sim = pawl.Sim(model, dt=dt, **options)
    sim.run(DURATION)
    return max(np.linalg.norm(sim.positions[b.index] - expected[b.name]) for b in model.bodies if b.name in expected)


@pytest.mark.parametrize("seed", range(12))
def test_springs_are_slack_between_two_lengths(seed):
    still = arm(seed, "", "")
    start = mujoco.MjModel.from_xml_string(still).tendon_length0[0]
    rng = random.Random(seed)
    low, high = start * rng.uniform(0.7, 0.95), start * rng.uniform(1.02, 1.2)
    text = arm(seed, f"stiffness='{rng.uniform(50, 400):.3f}' springlength='{low:.4f} {high:.4f}' damping='{rng.choice([0, 1])}'", "")
    expected, lengths = answer(text)
    assert max(lengths) > high or min(lengths) < low  # the spring comes to act
    coarse, fine = (distance(text, dt, expected) for dt in (2e-3, 5e-4))
    assert fine < 1e-3 and (fine < 0.3 * coarse or fine < 5e-5), (coarse, fine, text)
    for options in ({"formulation": "reduced"}, {"stepper": "lit"}, {"stepper": "rattle"}):
        assert distance(text, 5e-4, expected, **options) < 2e-3, (options, text)


@pytest.mark.parametrize("root", ["hinge", "slide", "ball", "free"])
@pytest.mark.parametrize("seed", range(4))
def test_damping_ratios_on_paths(seed, root):
    text = arm(seed, "", "<position tendon='t' kp='40' dampratio='0.7' gear='2'/>", root)
    expected, _ = answer(text)
    # Where a path leaves a geom the force has a kink, at which the error depends on where the step ends.
    assert distance(text, 1.25e-4, expected) < 2e-4, text
