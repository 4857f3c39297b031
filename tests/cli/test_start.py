# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""--start and <pawl:start>: where joints begin."""

import math

import pytest

ARM = """<sdf version="1.10" xmlns:pawl="urn:pawl:sdf"><model name="arm">
  <link name="a"><pose>0 0 0 0 0 0</pose><inertial><pose>1 0 0 0 0 0</pose><mass>1</mass>
    <inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>
  <link name="b"><pose>2 0 0 0 0 0</pose><inertial><pose>0.5 0 0 0 0 0</pose><mass>3</mass>
    <inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>
  <joint name="shoulder" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
  <joint name="elbow" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
  {more}
</model></sdf>
"""


def arm(tmp_path, more=""):
    path = tmp_path / "arm.sdf"
    path.write_text(ARM.format(more=more), encoding="utf-8")
    return str(path)


def centre(shoulder, elbow):
    """Of the two masses, by trigonometry."""
    x, y = 2 * math.cos(shoulder), 2 * math.sin(shoulder)
    x += 0.5 * math.cos(shoulder + elbow)
    y += 0.5 * math.sin(shoulder + elbow)
    return [(math.cos(shoulder) + 3 * x) / 4, (math.sin(shoulder) + 3 * y) / 4, 0]


def test_joints_begin_where_the_command_line_says(pawl, tmp_path):
    found = pawl.json("check", arm(tmp_path), "--start", "shoulder=0.7", "--start", "elbow=-1.1")
    assert found["com"] == pytest.approx(centre(0.7, -1.1), abs=1e-12)


def test_joints_begin_where_the_file_says_and_the_command_line_counts_more(pawl, tmp_path):
    path = arm(tmp_path, '<pawl:start joint="elbow" position="2.2"/>')
    assert pawl.json("check", path)["com"] == pytest.approx(centre(0, 2.2), abs=1e-12)
    found = pawl.json("check", path, "--start", "elbow=0.4")
    assert found["com"] == pytest.approx(centre(0, 0.4), abs=1e-12)


def test_a_loop_is_closed_around_the_start(pawl):
    model = pawl.model("primitives/fourbar-fixed.sdf")
    found = pawl.json("check", model, "--start", "A=0.5")
    assert found["assembly"]["assembled"]["position"] < 1e-9
    assert found["mobility"] == 1
    assert found["com"] != pytest.approx(pawl.json("check", model)["com"], abs=1e-3)
    assert pawl("run", model, "--start", "A=0.5", "--time", "0.1").returncode == 0


@pytest.mark.parametrize("start, words", [
    ("nope=1", "no joint of that name"),
    ("A=1,2", "got 2 numbers, expected 1"),
    ("D=0.5", "closes a loop"),
    ("A", "no keyframe of that name"),
    ("A=x", "finite numbers"),
    ("A=", "finite numbers"),
    ("=1", "expected JOINT=Q"),
    ("A=inf", "finite numbers"),
])
def test_starts_that_are_none(pawl, start, words):
    for command in ("check", "run"):
        done = pawl(command, pawl.model("primitives/fourbar-fixed.sdf"), "--start", start)
        assert done.returncode == 2
        assert words in done.stderr


@pytest.mark.parametrize("more, words", [
    ('<pawl:start joint="wrist" position="1"/>', "wrist"),
    ('<pawl:start joint="elbow"/>', "has no position"),
    ('<pawl:start joint="elbow" position="1 2"/>', "position"),
    ('<pawl:start position="1"/>', "joint"),
])
def test_starts_of_files_that_are_none(pawl, tmp_path, more, words):
    done = pawl("check", arm(tmp_path, more))
    assert done.returncode == 2
    assert "arm.sdf:" in done.stderr and words in done.stderr


LIMITED = """<mujoco><worldbody><body name="a"><joint name="h" axis="0 1 0" range="20 90"/>
  <geom type="sphere" size=".1" pos="1 0 0" mass="1"/><body name="b" pos="1 0 0"><joint name="k" axis="0 1 0" range="-10 10"/>
  <geom type="sphere" size=".1" pos="1 0 0" mass="1"/></body></body></worldbody></mujoco>"""


def test_a_start_beyond_limits_is_reported_or_moved_to_them(pawl, tmp_path):
    """By trigonometry: the upper arm begins at 20 degrees, the lower one is in line with it."""
    path = tmp_path / "limited.xml"
    path.write_text(LIMITED, encoding="utf-8")
    assert pawl.json("check", path)["com"] == pytest.approx([1.5, 0, 0], abs=1e-12)
    assert pawl.json("check", path, "--start", "as-is")["com"] == pytest.approx([1.5, 0, 0], abs=1e-12)
    done = pawl("check", path, "--start", "clamp")
    assert "at them: h" in done.stderr
    angle = math.radians(20)
    assert pawl.json("check", path, "--start", "clamp")["com"] == pytest.approx(
        [1.5 * math.cos(angle), 0, -1.5 * math.sin(angle)], abs=1e-12)
    both = pawl.json("check", path, "--start", "clamp", "--start", "h=3", "--start", "k=-1")
    up, down = math.radians(90), math.radians(80)
    assert both["com"] == pytest.approx(
        [math.cos(up) + 0.5 * math.cos(down), 0, -math.sin(up) - 0.5 * math.sin(down)], abs=1e-12)
