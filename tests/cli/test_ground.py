# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""--ground, --fixed-base and --motion on robots that bring neither ground nor gains."""

import json
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


def test_ground_without_a_value_is_under_the_model(pawl):
    robot = pawl.model("robots/hexapod.urdf")
    at_the_end, named = pawl.json("check", robot, "--ground"), pawl.json("check", robot, "--ground", "under")
    before_another = pawl.json("check", robot, "--ground", "--start", "as-is")
    assert at_the_end == named == before_another


def test_ground_under_nothing_is_refused(pawl):
    done = pawl("run", pawl.write("stone"), "--ground", "under", "--time", "0.01")
    assert done.returncode == 2 and "collision shape" in done.stderr


STAIRS = """<sdf version="1.9"><world name="w"><model name="stairs"><static>true</static><link name="l">
<collision name="floor"><geometry><plane><normal>0 0 1</normal></plane></geometry></collision>
<collision name="step"><pose>1.5 0 0.01 0 0 0</pose><geometry><box><size>2 4 0.02</size></box></geometry></collision>
</link></model></world></sdf>"""


def base_at_the_end(pawl, motion, *arguments):
    """Where the base of the quadruped is at 1 s."""
    pawl("run", pawl.model("robots/quadruped.urdf"), "--motion", motion, "--dt", "0.02", "--time", "1", "--set",
         "nmdp.stiffness=1e10", "--json", "run.json", *arguments)
    return json.loads((pawl.folder / "run.json").read_text())["final"]["bodies"][0]["position"]


@pytest.mark.parametrize("stepper", ["nmdp", "euler"])
def test_the_fixed_shapes_of_a_file_are_ground(pawl, stepper):
    """On the step it stands 2 cm higher than on the floor."""
    (pawl.folder / "stairs.sdf").write_text(STAIRS)
    stand = pawl.model("robots/motions/quadruped-stand.motion")
    floor, step = (base_at_the_end(pawl, stand, "--stepper", stepper, "--ground", "stairs.sdf", "--place", place)
                   for place in ("0,0,0.33", "1.5,0,0.35"))
    assert step[2] - floor[2] == pytest.approx(0.02, abs=1e-6) and step[0] - floor[0] == pytest.approx(1.5, abs=1e-6)


def test_a_motion_may_have_axes_of_its_own(pawl):
    """Feet that move along x of the base, and the same along y of axes that are turned by 90 degrees."""
    text = """pawl-motion 1
base base{angles}
servo *_joint 500 8
foot FL FL_foot 0 0 0
foot FR FR_foot 0 0 0
foot RL RL_foot 0 0 0
foot RR RR_foot 0 0 0
start
  offset all 0 0 0.1
key 0.8
  travel {travel}
  balance all
"""
    ends = []
    for angles, travel in (("", "0.04 0 0.01"), (" 0 0 90", "0 0.04 0.01")):
        (pawl.folder / "m.motion").write_text(text.format(angles=angles, travel=travel))
        ends.append(base_at_the_end(pawl, "m.motion", "--stepper", "nmdp", "--ground", "under"))
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


def test_a_ground_file_without_fixed_shapes_is_refused(pawl):
    done = pawl("run", pawl.model("robots/hexapod.urdf"), "--ground", pawl.model("robots/quadruped.urdf"), "--time", "0.01")
    assert done.returncode == 2 and "no fixed collision shape" in done.stderr


def test_place_moves_and_turns_what_floats(pawl):
    robot = pawl.model("robots/quadruped.urdf")
    before = pawl.json("check", robot)["com"]
    after = pawl.json("check", robot, "--place", "1,2,3,90,0,90")["com"]
    # Roll by 90 degrees takes z to -y, the yaw then -y to x.
    expected = [before[2] + 1, before[0] + 2, before[1] + 3]
    assert after == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("pose", ["", "1", "1,2", "1,2,3,4", "1,2,x", "nan,0,0", "1,2,3,4,5,6,7"])
def test_bad_places_are_refused(pawl, pose):
    done = pawl("check", pawl.model("robots/hexapod.urdf"), "--place", pose)
    assert done.returncode == 2 and "--place" in done.stderr
