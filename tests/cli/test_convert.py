# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""pawl convert: the file that is written moves as the model it was written from, and what it cannot keep is listed.

The two runs are compared by the centres of mass and orientations of all bodies: link frames may move (URDF). Runs are
short, so that differences of the last digit have no time to grow."""

import json
import math
import os
import random

import pytest

ENDS = {"sdf": "sdf", "urdf": "urdf", "mjcf": "xml"}
MODELS = ["joints/fixed.sdf", "joints/revolute.sdf", "joints/prismatic.sdf", "joints/distance.sdf", "joints/span.sdf",
          "joints/gear.sdf", "joints/cylindrical.sdf", "joints/free.sdf", "joints/gimbal.sdf", "joints/planar.sdf",
          "joints/point-on-line.sdf", "joints/screw.sdf", "joints/spherical.sdf", "joints/universal.sdf",
          "primitives/boxes-fixed.sdf", "primitives/fourbar-fixed.sdf", "primitives/nunchuk.sdf", "primitives/hulls.sdf",
          "classics/A04-bricard.sdf", "classics/C2-car-axis.sdf", "classics/D12-stack-10.sdf", "classics/D9-cradle.sdf",
          "lit/rover.sdf", "robots/hexapod.urdf", "robots/quadruped-linkage.urdf", "suite/figure22-mjcf.xml",
          "suite/walker31-mjcf.xml", "quickstart.sdf"]


def rotated(q, v):
    w, x, y, z = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
            v[2] + w * t[2] + x * t[1] - y * t[0]]


def centres(pawl, path, duration):
    """Mass and final centre of each body."""
    check = pawl("check", path, "--json", "-")
    assert check.returncode == 0, check.stderr
    own = {b["name"]: b for b in json.loads(check.stdout)["bodies"]}
    done = pawl("run", path, "--time", duration, "--json", "-", "--quiet")
    assert done.returncode != 2, done.stderr
    out = {}
    for body in json.loads(done.stdout)["final"]["bodies"]:
        com = rotated(body["quaternion"], own[body["name"]]["com"])
        out[body["name"].replace("::", ".")] = (own[body["name"]]["mass"],
                                                [p + c for p, c in zip(body["position"], com)])
    return out


def farthest(a, b):
    """The largest distance of the centres of bodies that both have with the same mass, and how many those are."""
    worst, count = 0.0, 0
    for name, (mass, centre) in a.items():
        if name in b and math.isclose(b[name][0], mass, rel_tol=1e-12):
            worst = max(worst, math.dist(centre, b[name][1]))
            count += 1
    return worst, count


def convert(pawl, path, out):
    done = pawl("convert", path, out)
    assert done.returncode in (0, 1), done.stderr
    lost = [line for line in done.stdout.splitlines() if line.startswith("not kept: ")]
    assert (done.returncode == 1) == (lost != []), done.stdout
    return lost


@pytest.mark.parametrize("to", ["sdf", "urdf", "mjcf"])
@pytest.mark.parametrize("model", MODELS)
def test_models_move_as_before(pawl, model, to, tmp_path):
    path, out = pawl.model(model), str(tmp_path / ("out." + ENDS[to]))
    lost = convert(pawl, path, out)
    a, b = centres(pawl, path, 0.02), centres(pawl, out, 0.02)
    worst, count = farthest(a, b)
    if to != "mjcf":
        assert lost == [] and count == len(a)
    if lost == []:
        # In MJCF bodies on fixed joints are one body, and joints of several coordinates have bodies of a millionth of
        # the mass between them.
        assert worst <= (1e-9 if to != "mjcf" else 1e-7), (worst, lost)


@pytest.mark.parametrize("path", ["sdf urdf sdf", "sdf mjcf sdf", "urdf mjcf urdf", "mjcf sdf mjcf", "sdf urdf mjcf sdf"])
def test_a_chain_of_conversions_ends_where_it_began(pawl, path, tmp_path):
    source = pawl.model("primitives/fourbar-fixed.sdf")
    at = source
    for i, to in enumerate(path.split()):
        out = str(tmp_path / f"step{i}.{ENDS[to]}")
        assert convert(pawl, at, out) == []
        at = out
    worst, count = farthest(centres(pawl, source, 0.05), centres(pawl, at, 0.05))
    assert count >= 3 and worst <= 1e-9


def random_model(seed, kinds):
    """A tree of bodies with random joints, laws, actuators, springs and a loop; frames are turned at random."""
    rng = random.Random(seed)
    number = lambda low, high: f"{rng.uniform(low, high):.9g}"
    pose = lambda far: " ".join([number(-far, far) for _ in range(3)] + [number(-1.5, 1.5) for _ in range(3)])
    links, joints, more = [], [], []
    count = rng.randint(3, 6)
    for i in range(count):
        size = [rng.uniform(0.05, 0.3) for _ in range(3)]
        shape = rng.choice([f"<box><size>{size[0]:.6g} {size[1]:.6g} {size[2]:.6g}</size></box>",
                            f"<capsule><radius>{size[0]:.6g}</radius><length>{size[1]:.6g}</length></capsule>",
                            f"<ellipsoid><radii>{size[0]:.6g} {size[1]:.6g} {size[2]:.6g}</radii></ellipsoid>",
                            f"<sphere><radius>{size[0]:.6g}</radius></sphere>"])
        links.append(f"""<link name="l{i}"><pose>{pose(1)}</pose><inertial><pose>{pose(0.1)}</pose><mass>{number(0.5, 3)}</mass>
          <inertia><ixx>{number(0.02, 0.03)}</ixx><iyy>{number(0.02, 0.03)}</iyy><izz>{number(0.02, 0.03)}</izz>
          <ixy>{number(-0.003, 0.003)}</ixy></inertia></inertial>
          <collision name="c{i}"><pose>{pose(0.1)}</pose><geometry>{shape}</geometry>
          <surface><friction><ode><mu>{number(0.1, 1)}</mu></ode></friction></surface></collision></link>""")
        kind = rng.choice(kinds)
        parent = "world" if i == 0 else f"l{rng.randint(0, i - 1)}"
        axes = {"revolute": 1, "prismatic": 1, "universal": 2, "screw": 1, "pawl:cylindrical": 1}.get(kind, 0)
        text = f'<joint name="j{i}" type="{kind}"><parent>{parent}</parent><child>l{i}</child><pose>{pose(0.3)}</pose>'
        if axes > 0:
            text += f"<axis><xyz>{number(0.2, 1)} {number(-1, 1)} 0</xyz>"
            if kind in ("revolute", "prismatic"):
                text += f"""<limit><lower>-0.4</lower><upper>{number(0.3, 2)}</upper></limit><dynamics><damping>{number(0, 1)}</damping>
                <friction>{number(0, 0.1)}</friction><spring_reference>{number(-0.3, 0.3)}</spring_reference>
                <spring_stiffness>{number(0, 9)}</spring_stiffness></dynamics>"""
            text += "</axis>"
        if axes == 2:
            text += "<axis2><xyz>0 0 1</xyz></axis2>"
        if kind == "screw":
            text += "<screw_thread_pitch>0.3</screw_thread_pitch>"
        if kind == "revolute":
            text += f"<pawl:armature>{number(0, 0.1)}</pawl:armature>"
            more.append(f"""<pawl:actuator name="a{i}" type="position" joint="j{i}" stiffness="{number(1, 9)}" damping="{number(0, 1)}"
              effort="{number(1, 50)}"><pawl:constant>{number(-0.5, 0.5)}</pawl:constant></pawl:actuator>""")
        joints.append(text + "</joint>")
    joints.append(f"""<joint name="loop" type="ball"><parent>l0</parent><child>l{count - 1}</child><pose>{pose(0.3)}</pose></joint>""")
    more.append(f"""<pawl:spring name="coil" body_a="world" point_a="{number(-1, 1)} 0 1" body_b="l1" point_b="0.1 {number(-1, 1)} 0"
      stiffness="{number(5, 50)}" rest_length="{number(0.1, 1)}"/>""")
    return f"""<sdf version="1.10" xmlns:pawl="urn:pawl:sdf"><world name="random"><gravity>0 0 -9.81</gravity>
      <model name="random">{''.join(links + joints + more)}</model></world></sdf>"""


@pytest.mark.parametrize("seed", range(8))
def test_random_machines_move_as_before(pawl, seed, tmp_path):
    path = tmp_path / "random.sdf"
    simple = seed % 2 == 0  # every other one with joints that MJCF has itself
    kinds = ["revolute", "prismatic", "ball"]
    if not simple:
        kinds += ["universal", "screw", "pawl:cylindrical", "pawl:planar", "pawl:gimbal", "pawl:cartesian"]
    path.write_text(random_model(seed, kinds))
    a = centres(pawl, path, 0.02)
    for to, end in ENDS.items():
        out = str(tmp_path / ("out." + end))
        lost = convert(pawl, path, out)
        worst, count = farthest(a, centres(pawl, out, 0.02))
        assert count == len(a) and lost == []
        assert worst <= (1e-9 if to != "mjcf" or simple else 2e-6), (to, worst)


PLACES = """<robot name='r'><link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>
<link name='tool'/><joint name='j' type='fixed'><origin xyz='1 2 3' rpy='0 0 1'/><parent link='base'/><child link='tool'/></joint></robot>"""


def test_names_of_places_are_kept(pawl, tmp_path):
    at = tmp_path / "places.urdf"
    at.write_text(PLACES)
    for i, to in enumerate(["sdf", "mjcf", "urdf", "sdf", "urdf"]):
        out = str(tmp_path / f"{i}.{ENDS[to]}")
        assert convert(pawl, at, out) == []
        frames = json.loads(pawl("check", out, "--json", "-").stdout)["frames"]
        assert [(f["name"], f["body"]) for f in frames] == [("tool", "base")]
        assert frames[0]["position"] == pytest.approx([1, 2, 3])
        assert frames[0]["quaternion"] == pytest.approx([math.cos(0.5), 0, 0, math.sin(0.5)])
        at = out


STUCK = """<mujoco><worldbody><geom type='box' size='1 1 .5' pos='0 0 .5'/><body name='box' pos='0 0 -.1'><freejoint name='free'/>
<geom type='box' size='.1 .1 .1' mass='2'/></body></worldbody><actuator><adhesion name='glue' body='box' gain='80' ctrlrange='{} 1'/></actuator></mujoco>"""


@pytest.mark.parametrize("force, falls", [(0.2, True), (0.3, False)])
def test_adhesion_holds_as_before(pawl, force, falls, tmp_path):
    path = tmp_path / "stuck.xml"
    path.write_text(STUCK.format(force))
    before = centres(pawl, path, 0.2)
    assert (before["box"][1][2] < -0.11) == falls
    for i, to in enumerate(["sdf", "urdf", "mjcf"]):
        out = str(tmp_path / f"{i}.{ENDS[to]}")
        assert convert(pawl, path, out) == []
        assert farthest(before, centres(pawl, out, 0.2)) == pytest.approx((0.0, 1), abs=1e-9)


def test_what_is_not_kept_is_listed(pawl, tmp_path):
    done = pawl("convert", pawl.model("classics/D9-cradle.sdf"), str(tmp_path / "out.xml"))
    assert done.returncode == 1
    assert "not kept: restitution: MJCF has none" in done.stdout and "ball0" in done.stdout
    assert "its motion is not that of the model" in done.stdout
    assert os.path.exists(tmp_path / "out.xml")


def test_bad_usage(pawl, tmp_path):
    model = pawl.model("joints/fixed.sdf")
    for arguments, words in [((), "which files?"), ((model,), "which files?"), ((model, "a.txt"), "--to says the format"),
                             ((model, "a.xml", "--to", "usd"), "expected sdf, urdf or mjcf"),
                             ((model, str(tmp_path / "no" / "a.xml")), "no"),
                             (("nothing.sdf", str(tmp_path / "a.xml")), "nothing.sdf")]:
        done = pawl("convert", *arguments)
        assert done.returncode == 2 and words in done.stderr, (arguments, done.stderr)
    assert pawl("convert", model, str(tmp_path / "a.txt"), "--to", "urdf").returncode == 0
    assert (tmp_path / "a.txt").read_text().startswith("<?xml") and "<robot" in (tmp_path / "a.txt").read_text()
