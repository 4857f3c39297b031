# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# Actuators without a coordinate of their own beside MuJoCo itself: forces at sites, on free and ball joints, by the control of the start; and direct current motors.
# MuJoCo's Runge-Kutta method with a step of 0.1 ms is the answer. Needs the Python packages mujoco and pawl.
import random

import pytest

from side_by_side import distance, needs_both, run_mujoco

pytestmark = needs_both
DURATION = 0.3  # [s]


def text(seed, root, actuator):
    rng = random.Random(seed)
    some = lambda low, high, count=1: " ".join(f"{rng.uniform(low, high):.4f}" for _ in range(count))
    actuator = actuator.format(six=some(-3, 3, 6), control=f"{some(0.2, 1)} 2")
    return f"""<mujoco><option integrator='RK4' timestep='1e-4'/><worldbody>
    <body name='a' pos='{some(-1, 1, 3)}' euler='{some(-90, 90, 3)}'><joint name='root' type='{root}' {"" if root in ("free", "ball") else "axis='1 2 3'"}/>
      <geom type='box' size='.1 .2 .3' pos='{some(-.2, .2, 3)}' mass='{some(1, 3)}' contype='0' conaffinity='0'/>
      <body name='b' pos='.3 .1 0' euler='20 40 60'><joint name='tip' axis='1 .3 0' damping='.1'/><geom size='.1' mass='1.5' pos='0 .2 0' contype='0' conaffinity='0'/>
        <body name='welded' euler='{some(-90, 90, 3)}' pos='{some(-.2, .2, 3)}'><site name='s' pos='{some(-.1, .1, 3)}' euler='{some(-90, 90, 3)}'/></body>
    </body></body></worldbody><actuator>{actuator}</actuator></mujoco>"""


@pytest.mark.parametrize("root", ["free", "ball", "hinge"])
@pytest.mark.parametrize("actuator", [
    "<motor site='s' gear='{six}' ctrlrange='{control}'/>",
    "<motor site='s' gear='{six}' ctrlrange='{control}' forcerange='-.1 .15'/>",
    "<motor joint='root' gear='{six}' ctrlrange='{control}'/>",
    "<general site='s' gear='{six}' biastype='affine' biasprm='.7 0 0' gainprm='.5'/>",
    "<dcmotor joint='tip' motorconst='.4' resistance='.3' gear='2' ctrlrange='{control}'/>",
])
@pytest.mark.parametrize("seed", range(3))
def test_pushes_move_bodies_as_mujocos(seed, actuator, root):
    if "joint='root'" in actuator and root == "hinge":
        pytest.skip("an actuator on a hinge")
    case = text(seed, root, actuator)
    expected = run_mujoco(case, DURATION)
    assert distance(case[:case.index("<actuator>")] + "</mujoco>", 1e-3, DURATION, expected) > 1e-3  # it does push
    coarse, fine = (distance(case, dt, DURATION, expected) for dt in (2e-3, 1e-3))
    assert fine < 1e-3 and (fine < 0.4 * coarse or fine < 2e-5), (coarse, fine, case)
