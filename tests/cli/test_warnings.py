# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Warnings about model files: what check lists, what its JSON has, what run says at its start."""

import json

import pytest

SDF = """<sdf version="1.10" xmlns:pawl="urn:pawl:sdf"><world name="w"><gravity>0 0 0</gravity>
<model name="m">{body}</model></world></sdf>"""
BOX = """<collision name="c"><geometry><box><size>0.1 0.2 0.4</size></box></geometry></collision>"""
INERTIA = "<inertia><ixx>0.03</ixx><iyy>0.03</iyy><izz>0.03</izz></inertia>"

URDF = """<robot name="r" xmlns:pawl="urn:pawl:urdf"><pawl:gravity>0 0 0</pawl:gravity>
<link name="base"><inertial>{origin}<mass value="2"/>
<inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>{more}</link>
<link name="arm"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="elbow" type="{type}"><parent link="base"/><child link="arm"/>
<origin xyz="0 0 1" rpy="{rpy}"/><axis xyz="0 1 0"/>{limit}</joint>{loop}</robot>"""


def urdf(origin="", more="", type="continuous", rpy="0 0 0", limit="", loop=""):
    return URDF.format(origin=origin, more=more, type=type, rpy=rpy, limit=limit, loop=loop)


def warnings(pawl, name, text):
    """{kind: [warning, ...]} of a file with that text; the model must be accepted."""
    path = pawl.folder / name
    path.write_text(text)
    done = pawl("check", path, "--json", "w.json")
    assert done.returncode == 0, done.stderr
    found = {}
    for warning in json.loads((pawl.folder / "w.json").read_text())["warnings"]:
        assert set(warning) == {"kind", "where", "text", "advice"}
        found.setdefault(warning["kind"], []).append(warning)
        if warning["kind"] != "file":
            # The table says the same.
            assert f"{warning['where']}: {warning['text']}" in done.stdout
            assert f"what to do: {warning['advice']}" in done.stdout
    return found


def masses(pawl, name):
    return pawl.json("check", pawl.folder / name)["bodies"][0]


@pytest.mark.parametrize("inertial, told, mass, ixx", [
    ("<pawl:density>1000</pawl:density>", False, 8, 8 * 0.2 / 12),
    ("<inertial auto='true'/>", False, 8, 8 * 0.2 / 12),
    ("<inertial auto='true'><density>500</density></inertial>", False, 4, 4 * 0.2 / 12),
    ("<inertial><mass>3</mass>" + INERTIA + "</inertial>", False, 3, 0.03),
    ("<pawl:density>1000</pawl:density><inertial><mass>3</mass></inertial>", True, 3, 3 * 0.2 / 12),
    ("<pawl:density>1000</pawl:density><inertial><mass>3</mass>" + INERTIA + "</inertial>",
     True, 3, 0.03),
    ("<inertial auto='true'><mass>3</mass><density>500</density></inertial>",
     True, 3, 3 * 0.2 / 12),
    ("<inertial auto='true'><mass>3</mass><density>500</density>" + INERTIA + "</inertial>",
     True, 3, 3 * 0.2 / 12),
])
def test_a_mass_beside_a_density_counts_and_is_reported(pawl, inertial, told, mass, ixx):
    # By hand: the box has 8e-3 m^3 and Ixx = m (0.2^2 + 0.4^2)/12.
    found = warnings(pawl, "a.sdf", SDF.format(body=f"<link name='l'>{inertial}{BOX}</link>"))
    assert ("two masses" in found) == told
    body = masses(pawl, "a.sdf")
    assert body["mass"] == pytest.approx(mass)
    assert body["inertia"][0] == pytest.approx(ixx)


def test_a_mass_beside_a_density_in_urdf(pawl):
    text = urdf(more="<pawl:density>1000</pawl:density>"
                     "<collision><geometry><box size='0.1 0.2 0.4'/></geometry></collision>")
    assert len(warnings(pawl, "a.urdf", text)["two masses"]) == 1
    assert masses(pawl, "a.urdf")["mass"] == 2
    massless = text.replace('<mass value="2"/>', '<mass value="0"/>')
    assert "two masses" not in warnings(pawl, "b.urdf", massless)
    assert masses(pawl, "b.urdf")["mass"] == pytest.approx(8)


@pytest.mark.parametrize("pose, told", [
    ("<pose>0 0 0 0 0 90</pose>", True), ("<pose>1 0 0 -45 0 0</pose>", True),
    ("<pose>0 0 0 0 7 0</pose>", True), ("<pose degrees='true'>0 0 0 0 0 90</pose>", False),
    ("<pose>0 0 0 0 0 1.5708</pose>", False), ("<pose>0 0 0 6.2832 0 0</pose>", False),
    ("<pose>90 0 0 0 0 0</pose>", False),
    ("<pose rotation_format='quat_xyzw'>0 0 0 0 0 9 9</pose>", False)])
def test_poses_in_degrees(pawl, pose, told):
    mass = f"<inertial><mass>1</mass>{INERTIA}</inertial>"
    found = warnings(pawl, "a.sdf", SDF.format(body=f"<link name='l'>{pose}{mass}</link>"))
    assert ("degrees" in found) == told
    if told:
        assert "a.sdf:2: link 'l'" in found["degrees"][0]["where"]
    shape = BOX.replace("<geometry>", pose + "<geometry>")
    found = warnings(pawl, "b.sdf", SDF.format(body=f"<link name='l'>{mass}{shape}</link>"))
    assert ("degrees" in found) == told


def test_degrees_in_urdf(pawl):
    assert "degrees" not in warnings(pawl, "a.urdf", urdf(rpy="0 3.14159 -1.5708"))
    found = warnings(pawl, "b.urdf", urdf(rpy="0 90 0"))
    assert "joint 'elbow'" in found["degrees"][0]["where"]
    limit = "<limit effort='1' velocity='1' lower='{}' upper='{}'/>"
    found = warnings(pawl, "c.urdf", urdf(type="revolute", limit=limit.format(-90, 90)))
    assert "-90 and 90 rad" in found["degrees"][0]["text"]
    assert "degrees" not in warnings(
        pawl, "d.urdf", urdf(type="revolute", limit=limit.format(-1.57, 1.57)))


@pytest.mark.parametrize("type", ["revolute", "prismatic"])
def test_a_joint_that_defaults_lock(pawl, type):
    effort = "<limit effort='1' velocity='1' {}/>"
    found = warnings(pawl, "a.urdf", urdf(type=type, limit=effort.format("")))
    assert "locked joint" not in found  # read as one without limits
    found = warnings(pawl, "b.urdf", urdf(type=type, limit=effort.format("lower='0' upper='0'")))
    assert len(found["locked joint"]) == 1
    for room in ("upper='1'", "lower='-1'", "lower='-1' upper='1'"):
        found = warnings(pawl, "c.urdf", urdf(type=type, limit=effort.format(room)))
        assert "locked joint" not in found


def test_a_root_that_was_fixed_does_not_float(pawl):
    note = "floats"
    fix = "<pawl:loop name='base_fix' type='{}' parent='world' child='base'/>"
    for loop, told in (("", True), (fix.format("fixed"), False), (fix.format("revolute"), False),
                       (fix.format("floating"), True)):
        (pawl.folder / "a.urdf").write_text(urdf(loop=loop))
        done = pawl("check", "a.urdf")
        assert done.returncode == 0, done.stderr
        assert (note in done.stderr) == told, loop


def test_run_shows_one_line_of_each_kind(pawl):
    heavy = "".join(
        f"<link name='l{i}'><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>5</izz>"
        "</inertia></inertial></link>" for i in range(3))
    (pawl.folder / "a.sdf").write_text(
        SDF.format(body=heavy).replace("<gravity>0 0 0</gravity>", ""))
    done = pawl("run", "a.sdf", "--time", 0.01)
    lines = [line for line in done.stderr.splitlines() if "warning" in line]
    assert len(lines) == 2
    assert "inertia: body 'l0'" in lines[0] and "(and 2 more)" in lines[0]
    assert "falls for ever" in lines[1] and "pawl check a.sdf" in lines[1]
    found = json.loads(pawl("run", "a.sdf", "--time", 0.01, "--json", "-").stdout)
    assert [w["kind"] for w in found["warnings"]] == ["inertia"] * 3 + ["falls for ever"] * 3


def test_a_long_list_is_cut_in_the_text_alone(pawl):
    links = "".join(
        f"<link name='l{i}'><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>5</izz>"
        "</inertia></inertial></link>" for i in range(25))
    found = pawl.folder / "many.sdf"
    found.write_text(SDF.format(body=links))
    done = pawl("check", found, "--json", "a.json")
    assert done.stdout.count("warning: inertia") == 10
    assert "and 15 more of 'inertia'" in done.stdout
    assert "25 warnings" in done.stdout
    assert len(json.loads((pawl.folder / "a.json").read_text())["warnings"]) == 25
