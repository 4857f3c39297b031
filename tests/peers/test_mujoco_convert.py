# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# MJCF that pawl convert writes, read by MuJoCo itself: the same masses and, where the run begins, the same frames of all
# bodies and the same joint coordinates. Needs the Python package mujoco; PAWL_MUJOCO names a folder to import it from.
import json
import os
import subprocess
import sys

import pytest

sys.path += [p for p in [os.environ.get("PAWL_MUJOCO")] if p]
try:
    import mujoco
    import numpy as np
except ImportError:
    mujoco = None
pytestmark = pytest.mark.skipif(mujoco is None, reason="the Python package mujoco is not there")

PAWL = os.environ.get("PAWL", "build/pawl")
MODELS = ["joints/cartesian.sdf", "joints/cylindrical.sdf", "joints/distance.sdf", "joints/fixed.sdf", "joints/gear.sdf", "joints/gimbal.sdf",
          "joints/planar.sdf", "joints/prismatic.sdf", "joints/revolute.sdf", "joints/screw.sdf", "joints/span.sdf",
          "joints/spherical.sdf", "joints/universal.sdf", "primitives/fourbar-fixed.sdf", "primitives/hulls.sdf",
          "primitives/nunchuk.sdf", "classics/C1-slider-crank.sdf", "classics/A04-bricard.sdf", "classics/D12-stack-10.sdf",
          "lit/rover.sdf", "robots/biped.urdf", "robots/hexapod.urdf", "robots/quadruped-linkage.urdf", "suite/figure22.sdf",
          "suite/arm7-mjcf.xml", "suite/walker31.sdf", "quickstart.sdf"]


def from_pawl(*arguments):
    done = subprocess.run([PAWL, *arguments, "--json", "-"], capture_output=True, text=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", MODELS)
def test_mujoco_reads_the_same_machine(name, tmp_path):
    path, out = os.path.join("models", name), str(tmp_path / "out.xml")
    done = subprocess.run([PAWL, "convert", path, out], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    model = mujoco.MjModel.from_xml_path(out)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    # One step of a nanosecond: the state is that of the start, with loops closed; what moves is moved back.
    start = from_pawl("run", path, "--time", "1e-9", "--dt", "1e-9", "--quiet")["final"]
    masses = {b["name"]: b["mass"] for b in from_pawl("check", path)["bodies"]}
    for body in start["bodies"]:
        index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, body["name"])
        assert index > 0, body["name"]
        assert model.body_mass[index] == pytest.approx(masses[body["name"]], rel=1e-12)
        before = np.array(body["position"]) - 1e-9 * np.array(body["linear"])
        assert np.abs(data.xpos[index] - before).max() < 1e-9
        assert min(np.abs(data.xquat[index] - s * np.array(body["quaternion"])).max() for s in (1, -1)) < 1e-9 * (
            1 + np.linalg.norm(body["angular"]))
    for joint in start["joints"]:
        index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, joint["name"])
        if index >= 0 and len(joint["position"]) == 1:
            assert data.qpos[model.jnt_qposadr[index]] == pytest.approx(
                joint["position"][0] - 1e-9 * joint["velocity"][0], abs=1e-9)
    # Constraints hold where the run begins: loops are closed, gears mesh.
    equality = [i for i in range(data.nefc) if data.efc_type[i] == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
    assert all(abs(data.efc_pos[i]) < 1e-8 for i in equality)
