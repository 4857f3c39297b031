# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""What public model files are like: files of other formats in an <include>, folders with a model.config, meshes whose
folder moved, several trees in one URDF file, elements that refer into a <replicate>, bodies nested a hundred deep."""

import re

import pytest

INERTIAL = "<inertial><mass value='{m}'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
BOX = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def urdf_link(name, mass, more=""):
    return f"<link name='{name}'>{INERTIAL.format(m=mass)}{more}</link>"


def test_sdf_includes_urdf_whose_frames_keep_their_names(pawl, tmp_path):
    write(tmp_path / "arm.urdf", "<robot name='arm'>" + urdf_link("base", 2) + urdf_link("hand", 3) + "<link name='tip'/>"
          "<joint name='j' type='continuous'><parent link='base'/><child link='hand'/><origin xyz='1 0 0'/></joint>"
          "<joint name='k' type='fixed'><parent link='hand'/><child link='tip'/><origin xyz='0 2 0'/></joint></robot>")
    world = write(tmp_path / "w.sdf", "<sdf version='1.10'><world name='w'><include><uri>arm.urdf</uri><name>left</name>"
                  "<pose>0 0 5 0 0 0</pose></include><include><uri>arm.urdf</uri><name>right</name></include>"
                  "<joint name='hold' type='fixed'><parent>world</parent><child>left::tip</child></joint></world></sdf>")
    found = pawl.json("check", world)
    assert found["mass"] == pytest.approx(10)
    # Two bases (2 kg) at x = 0 and two hands (3 kg) at x = 1; one robot is 5 m up.
    assert found["com"] == pytest.approx([0.6, 0, 2.5], abs=1e-12)
    assert {"left::base", "left::hand", "right::hand"} <= {b["name"] for b in found["bodies"]}


def test_sdf_includes_mjcf(pawl, tmp_path):
    write(tmp_path / "p.xml", "<mujoco><worldbody><body name='a' pos='0 0 1'><freejoint/><geom type='sphere' size='.1' mass='4'/>"
          "<body name='b' pos='1 0 0'><joint name='h' axis='0 1 0'/><geom type='sphere' size='.1' mass='1'/></body>"
          "</body></worldbody></mujoco>")
    found = pawl.json("check", write(tmp_path / "w.sdf", "<sdf version='1.10'><world name='w'>"
                                     "<include><uri>p.xml</uri></include></world></sdf>"))
    assert found["mass"] == pytest.approx(5)
    assert found["com"] == pytest.approx([0.2, 0, 1], abs=1e-12)


def test_a_folder_names_its_file_in_model_config(pawl, tmp_path):
    link = "<sdf version='1.10'><model name='m'><link name='l'><inertial><mass>7</mass></inertial></link></model></sdf>"
    write(tmp_path / "part" / "other.sdf", link)
    write(tmp_path / "part" / "model.config", "<?xml version='1.0'?><model><name>m</name><sdf version='1.10'>other.sdf</sdf></model>")
    world = write(tmp_path / "w.sdf", "<sdf version='1.10'><world name='w'><include><uri>model://part</uri></include></world></sdf>")
    assert pawl.json("check", world)["mass"] == pytest.approx(7)
    write(tmp_path / "part" / "model.config", "<model><sdf>../../../etc/passwd</sdf></model>")
    assert pawl("check", world).returncode == 2


def test_several_models_without_a_world_are_read_as_in_one(pawl, tmp_path):
    model = "<model name='{n}'><link name='l'><inertial><mass>1</mass></inertial></link></model>"
    path = write(tmp_path / "two.sdf", "<sdf version='1.7'>" + model.format(n="a") + model.format(n="b") + "</sdf>")
    done = pawl("check", path)
    assert done.returncode == 0 and "2 models" in done.stderr
    assert {b["name"] for b in pawl.json("check", path)["bodies"]} == {"a::l", "b::l"}


@pytest.mark.parametrize("uri", ["package://gone/away/meshes/t.obj", "package:///robot/meshes/t.obj", "/nowhere/t.obj", "t.obj"])
def test_a_mesh_whose_folder_moved_is_found_with_a_warning(pawl, tmp_path, uri):
    write(tmp_path / "robot" / "meshes" / "t.obj", BOX)
    shape = f"<collision><geometry><mesh filename='{uri}'/></geometry></collision>"
    path = write(tmp_path / "robot" / "urdf" / "r.urdf", "<robot name='r'>" + urdf_link("a", 1, shape) + "</robot>")
    done = pawl("check", path)
    assert done.returncode == 0, done.stderr
    assert ("nearby" in done.stderr) == ("/robot/" not in uri)
    (tmp_path / "robot" / "meshes" / "t.obj").unlink()
    assert pawl("check", path).returncode == 2


def test_meshes_of_included_mjcf_are_relative_to_the_first_file(pawl, tmp_path):
    write(tmp_path / "meshes" / "t.obj", BOX)
    write(tmp_path / "shared" / "assets.xml", "<mujocoinclude><asset><mesh name='t' file='../meshes/t.obj'/></asset></mujocoinclude>")
    path = write(tmp_path / "arms" / "a.xml", "<mujoco><include file='../shared/assets.xml'/><worldbody><body><freejoint/>"
                 "<geom type='mesh' mesh='t' mass='1'/></body></worldbody></mujoco>")
    done = pawl("check", path)
    assert done.returncode == 0 and "nearby" not in done.stderr, done.stderr


def test_urdf_with_several_roots_holds_several_trees(pawl, tmp_path):
    path = write(tmp_path / "r.urdf", "<robot name='r'>" + urdf_link("a", 1) + urdf_link("b", 2) + urdf_link("c", 3)
                 + "<joint name='j' type='continuous'><parent link='b'/><child link='c'/></joint></robot>")
    done = pawl("check", path)
    assert done.returncode == 0 and "a tree of its own" in done.stderr
    assert pawl.json("check", path)["mobility"] == 6 + 6 + 1


def test_slips_of_numbers_and_empty_shapes_are_read_as_meant(pawl, tmp_path):
    shape = "<collision><geometry><box size='0 0 0'/></geometry></collision>"
    path = write(tmp_path / "r.urdf", "<robot name='r'>" + urdf_link("a", 1, shape) + urdf_link("b", 1)
                 + "<joint name='j' type='fixed'><parent link='a'/><child link='b'/><origin xyz='2, 0, 0'/></joint></robot>")
    assert pawl.json("check", path)["com"] == pytest.approx([1, 0, 0], abs=1e-12)


def test_what_refers_into_a_replicate_is_there_for_each_copy(pawl, tmp_path):
    """As MuJoCo has it: the motor and the tendon are copied, what refers elsewhere is not."""
    path = write(tmp_path / "m.xml", "<mujoco><worldbody><replicate count='3' offset='1 0 0'><body name='b'>"
                 "<joint name='j'/><geom type='sphere' size='.1' mass='1'/><site name='s'/></body></replicate>"
                 "<body name='d' pos='9 0 0'><joint name='k'/><geom type='sphere' size='.1' mass='1'/></body></worldbody>"
                 "<actuator><motor name='m' joint='j'/><motor name='n' joint='k'/></actuator></mujoco>")
    assert pawl("convert", path, tmp_path / "m.sdf").returncode == 0
    text = (tmp_path / "m.sdf").read_text(encoding="utf-8")
    assert set(re.findall(r'<pawl:actuator name="(\w+)"', text)) == {"m0", "m1", "m2", "n"}


def test_bodies_nest_as_deep_as_a_chain_is_long(pawl, tmp_path):
    link = "<body pos='0 0 .1'><joint axis='0 1 0'/><geom type='capsule' size='.02' fromto='0 0 0 0 0 .1'/>"
    deep = write(tmp_path / "c.xml", "<mujoco><worldbody>" + 300 * link + 300 * "</body>" + "</worldbody></mujoco>")
    assert len(pawl.json("check", deep)["bodies"]) == 300
    deeper = write(tmp_path / "d.xml", "<mujoco><worldbody>" + 1100 * link + 1100 * "</body>" + "</worldbody></mujoco>")
    assert "1000 deep" in pawl("check", deeper).stderr
