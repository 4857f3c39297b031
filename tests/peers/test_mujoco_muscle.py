# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# Muscles beside MuJoCo itself: random arms of hinges with muscles on joints, on fixed tendons and on tendons around cylinders, with an activation that does not change.
# MuJoCo's Runge-Kutta method with a step of 0.1 ms is the answer. Needs the Python packages mujoco and pawl.
import random

import pytest

from side_by_side import distance, needs_both, run_mujoco

pytestmark = needs_both

DURATION = 0.2  # [s]


def arm(seed, given):
    """Two links with limits and muscles; without `given` lengths and peak forces are the compiler's."""
    rng = random.Random(seed)
    some = lambda low, high: f"{rng.uniform(low, high):.4f}"
    muscles = ""
    for place in ("joint='shoulder'", "joint='elbow'", "tendon='around'", "tendon='both'"):
        numbers = f"{some(0.5, 0.8)} {some(1.1, 1.6)} {some(5, 30) if given else -1} {some(1, 20)} {some(0.2, 0.6)} {some(1.4, 1.9)} {some(2, 5)} {some(0.5, 2)} {some(1.1, 1.6)}"
        lengths = {"tendon='around'": f"{some(0.1, 0.2)} {some(0.4, 0.6)}"}.get(place, f"{some(-1.5, -1)} {some(1, 1.5)}")
        lengths = f" lengthrange='{lengths}'" if given else ""
        gear = some(0.5, 1.5) if rng.random() < 0.5 else "1"
        muscles += f"<general {place} gear='{gear}' gaintype='muscle' biastype='muscle' gainprm='{numbers}' biasprm='{numbers}' ctrlrange='{some(0, 0.6)} 1'{lengths}/>"
    return f"""<mujoco><compiler angle='radian'/><option integrator='RK4' timestep='1e-4'/>
    <worldbody><site name='s' pos='0 {some(0.05, 0.1)} 0.1'/>
      <body name='upper'><joint name='shoulder' axis='0 1 {some(-0.3, 0.3)}' range='-1.2 1.3'/>
        <geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.03' mass='1' contype='0' conaffinity='0'/><site name='u' pos='0.2 0 0.05'/>
        <geom name='roll' type='cylinder' fromto='0.3 -0.05 0 0.3 0.05 0' size='0.04' mass='0' contype='0' conaffinity='0'/>
        <body name='lower' pos='0.3 0 0'><joint name='elbow' axis='0 1 0' range='-1.1 1.4'/>
          <geom type='capsule' fromto='0 0 0 0.25 0 0' size='0.02' mass='0.7' contype='0' conaffinity='0'/><site name='l' pos='0.1 0 0.03'/>
    </body></body></worldbody>
    <tendon><spatial name='around'><site site='s'/><site site='u'/><geom geom='roll'/><site site='l'/></spatial>
      <fixed name='both'><joint joint='shoulder' coef='0.8'/><joint joint='elbow' coef='-0.6'/></fixed></tendon>
    <actuator>{muscles}</actuator></mujoco>"""




@pytest.mark.parametrize("seed", range(12))
def test_muscles_move_arms_as_mujocos(seed):
    text = arm(seed, True)
    expected = run_mujoco(text, DURATION)
    still = text.replace("gaintype='muscle' biastype='muscle'", "gaintype='fixed'").replace("ctrlrange=", "ctrlrange='0 1' user=")
    still = still[:still.index("<actuator>")] + "</mujoco>"
    assert distance(still, 1e-3, DURATION, expected) > 1e-2  # they do move it
    coarse, fine = (distance(text, dt, DURATION, expected) for dt in (1e-3, 2.5e-4))
    # The force is that at the beginning of a step: first order.
    assert fine < 1e-3 and (fine < 0.4 * coarse or fine < 2e-5), (coarse, fine, text)
    assert distance(text, 1e-3, DURATION, expected, formulation="reduced") < 1.2 * coarse + 2e-5


@pytest.mark.parametrize("seed", range(12))
def test_lengths_and_peaks_that_the_file_leaves_out(seed):
    """MuJoCo finds lengths by pulling the arm against soft limits, to some hundredths."""
    text = arm(seed, False)
    expected = run_mujoco(text, DURATION)
    assert distance(text, 2.5e-4, DURATION, expected) < 3e-2, text
