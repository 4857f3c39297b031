# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# Laws of tendons and their servos beside MuJoCo itself: springs that are slack over a range of lengths, and damping ratios of servos on paths through sites, around
# geoms and over pulleys, on slides, hinges, balls and free bodies. MuJoCo's Runge-Kutta method with a step of 0.1 ms is the answer. Needs the Python packages mujoco and pawl.
import random

import pytest

from side_by_side import distance, mujoco, needs_both, run_mujoco

pytestmark = needs_both

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




@pytest.mark.parametrize("seed", range(12))
def test_springs_are_slack_between_two_lengths(seed):
    still = arm(seed, "", "")
    start = mujoco.MjModel.from_xml_string(still).tendon_length0[0]
    rng = random.Random(seed)
    low, high = start * rng.uniform(0.7, 0.95), start * rng.uniform(1.02, 1.2)
    text = arm(seed, f"stiffness='{rng.uniform(50, 400):.3f}' springlength='{low:.4f} {high:.4f}' damping='{rng.choice([0, 1])}'", "")
    lengths = []
    expected = run_mujoco(text, DURATION, after_step=lambda data: lengths.append(data.ten_length[0]))
    assert max(lengths) > high or min(lengths) < low  # the spring comes to act
    coarse, fine = (distance(text, dt, DURATION, expected) for dt in (2e-3, 5e-4))
    assert fine < 1e-3 and (fine < 0.3 * coarse or fine < 5e-5), (coarse, fine, text)
    for options in ({"formulation": "reduced"}, {"stepper": "lit"}, {"stepper": "rattle"}):
        assert distance(text, 5e-4, DURATION, expected, **options) < 2e-3, (options, text)


@pytest.mark.parametrize("root", ["hinge", "slide", "ball", "free"])
@pytest.mark.parametrize("seed", range(4))
def test_damping_ratios_on_paths(seed, root):
    text = arm(seed, "", "<position tendon='t' kp='40' dampratio='0.7' gear='2'/>", root)
    expected = run_mujoco(text, DURATION)
    # Where a path leaves a geom the force has a kink, at which the error depends on where the step ends.
    assert distance(text, 1.25e-4, DURATION, expected) < 2e-4, text
