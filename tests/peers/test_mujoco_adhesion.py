# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# Adhesion beside MuJoCo itself: boxes below tilted slabs, held or not, that slide or not, with a control that does not change. MuJoCo's contacts are soft: it is
# given stiff ones and small steps, and a gap within which it pulls as pawl does within contact.margin.
# Needs the Python packages mujoco and pawl.
import math
import random

import pytest

from side_by_side import distance, needs_both, np, run_mujoco

pytestmark = needs_both

DURATION = 0.3  # [s]
MARGIN = 1e-3  # pawl's contact.margin [m]


def scene(seed):
    rng = random.Random(seed)
    tilt, friction = rng.uniform(0, 1.2), rng.uniform(0.2, 0.9)
    mass = rng.uniform(0.5, 3)
    lift, slip = 9.81 * mass * math.cos(tilt), 9.81 * mass * math.sin(tilt) / friction
    force = rng.choice([0.7 * lift, lift + 0.6 * slip, lift + 1.5 * slip])  # falls, slides, stays
    gain = rng.uniform(20, 200)
    body = "<joint name='x' type='slide' axis='1 0 0'/><joint name='y' type='slide' axis='0 1 0'/><joint name='z' type='slide' axis='0 0 1'/>" if rng.random() < 0.5 else "<freejoint/>"
    return f"""<mujoco><option timestep='5e-5' cone='elliptic' impratio='1000' gravity='{9.81 * math.sin(tilt)} 0 {-9.81 * math.cos(tilt)}'/>
    <default><geom solref='1e-3 1' solimp='0.99 0.999 0.001' friction='{friction} 0 0' condim='3' gap='{MARGIN / 2}'/></default>
    <worldbody><geom type='box' size='2 2 0.5' pos='0 0 0.5'/>
      <body name='box' pos='0 0 -0.1'>{body}<geom type='box' size='0.1 0.1 0.1' mass='{mass}'/></body></worldbody>
    <actuator><adhesion body='box' gain='{gain}' ctrlrange='{force / gain} {2 * force / gain}'/></actuator></mujoco>"""


@pytest.mark.parametrize("seed", range(16))
def test_boxes_stick_slide_and_fall_as_mujocos(seed):
    text = scene(seed)
    expected = run_mujoco(text, DURATION)
    path = np.linalg.norm(expected["box"] - [0, 0, -0.1])
    assert distance(text, 2e-4, DURATION, expected) < 1e-3 + 5e-3 * path, (expected, text)
