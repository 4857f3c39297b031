# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Links without mass between joints: a chain of hinges and slides through them moves as the one joint of several coordinates
that it stands for, which has no such links. Those have a millionth of the mass that hangs on them (docs/model-files.md)."""

import json
import math

import pytest

AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
# Joints of the chain, in order, and the joint kind with the same coordinates.
CHAINS = [(["continuous x", "continuous y"], "universal"), (["continuous x", "continuous y", "continuous z"], "gimbal"),
          (["prismatic x", "continuous x"], "cylindrical"), (["prismatic x", "prismatic y", "prismatic z"], "cartesian"),
          (["prismatic y", "prismatic z", "continuous x"], "planar")]
HEAD = "<robot name='r' xmlns:pawl='urn:pawl:urdf'><pawl:gravity>1 2 -9</pawl:gravity><link name='world'/>"
ROD = "<link name='rod'><inertial><origin xyz='0.1 0.2 -0.5'/><mass value='2'/><inertia ixx='0.1' iyy='0.2' izz='0.25'/></inertial></link>"
# It hangs on the end of the chain, so that forces come back through it.
LOAD = """<link name='load'><inertial><origin xyz='0 0.1 -0.2'/><mass value='1'/><inertia ixx='0.01' iyy='0.02' izz='0.02'/></inertial></link>
<joint name='hook' type='continuous'><origin xyz='0.2 0.2 -0.6'/><parent link='rod'/><child link='load'/><axis xyz='0.6 0 0.8'/></joint></robot>"""


def joint(name, kind, parent, child, axis):
    bare = "" if axis is None else f"<axis xyz='{axis}'/>"
    return f"<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>{bare}</joint>"


def chain(joints):
    text, parent = HEAD + ROD, "world"
    for i, (kind, axis) in enumerate(entry.split() for entry in joints):
        child = "rod" if i == len(joints) - 1 else f"between{i}"
        text += ("" if child == "rod" else f"<link name='{child}'/>") + joint(f"j{i}", kind, parent, child, AXES[axis])
        parent = child
    return text + LOAD


def ends(pawl, path):
    done = pawl("run", path, "--time", 0.5, "--json", "-", "--quiet")
    assert done.returncode == 0, done.stderr
    return {b["name"]: b for b in json.loads(done.stdout)["final"]["bodies"]}


@pytest.mark.parametrize("joints, kind", CHAINS)
def test_chains_through_links_without_mass_move_as_one_joint(pawl, joints, kind, tmp_path):
    (tmp_path / "chain.urdf").write_text(chain(joints))
    (tmp_path / "one.urdf").write_text(HEAD + ROD + joint("j", f"pawl:{kind}", "world", "rod", None) + LOAD)
    a, b = ends(pawl, tmp_path / "chain.urdf"), ends(pawl, tmp_path / "one.urdf")
    assert len(a) == len(b) + len(joints) - 1
    for name in ("rod", "load"):
        assert math.dist(a[name]["position"], b[name]["position"]) < 3e-6, kind
        assert math.dist(a[name]["quaternion"], b[name]["quaternion"]) < 3e-6, kind
