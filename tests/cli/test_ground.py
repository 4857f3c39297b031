# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""--ground, --fixed-base and --motion on robots that bring neither ground nor gains."""

import math

import pytest




def test_a_robot_walks_by_a_gait_file_alone(pawl):
    done = pawl("run", pawl.model("robots/hexapod.urdf"), "--motion", pawl.model("robots/motions/hexapod-tripod.motion"),
                "--ground", "under,0,0.8", "--stepper", "nmdp", "--dt", "0.02", "--time", "1",
                "--set", "nmdp.stiffness=1e10")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_slope_turns_the_robot_with_it(pawl):
    robot = pawl.model("robots/quadruped.urdf")
    flat = pawl.json("check", robot, "--ground", "under")["com"]
    steep = pawl.json("check", robot, "--ground", "under,30")["com"]
    turn = math.radians(30)
    assert steep[0] == pytest.approx(math.cos(turn) * flat[0] - math.sin(turn) * flat[2], abs=1e-12)
    assert steep[2] == pytest.approx(math.sin(turn) * flat[0] + math.cos(turn) * flat[2], abs=1e-12)


def test_a_fixed_base_takes_six_degrees_of_freedom(pawl):
    robot = pawl.model("robots/quadruped.urdf")
    assert pawl.json("check", robot)["mobility"] - pawl.json("check", robot, "--fixed-base")["mobility"] == 6


@pytest.mark.parametrize("where", ["", "below", "under,", "under,x", "under,10,-1", "under,85", "0,1,2,3", "nan"])
def test_bad_grounds_are_refused(pawl, where):
    done = pawl("run", pawl.model("robots/hexapod.urdf"), "--ground", where, "--time", "0.01")
    assert done.returncode == 2 and "--ground" in done.stderr


def test_ground_under_nothing_is_refused(pawl):
    done = pawl("run", pawl.write("stone"), "--ground", "under", "--time", "0.01")
    assert done.returncode == 2 and "collision shape" in done.stderr
