# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# --set mjcf.soft=on: contacts, limits and equalities of MJCF files have the softness that solref and solimp say. Bodies that
# one constraint holds come to rest where MuJoCo's come to rest; without the setting they rest where a hard constraint has them.
import json
import os
import random
import subprocess
import sys

import pytest

sys.path += [p for p in [os.environ.get("PAWL_MUJOCO")] if p]
try:
    import mujoco
except ImportError:
    mujoco = None
pytestmark = pytest.mark.skipif(mujoco is None, reason="the Python package mujoco is not there")

PAWL = os.environ.get("PAWL", "build/pawl")
SCENES = {
    "contact": "<geom type='plane' size='1 1 1' {soft}/><body pos='0 0 .1'><freejoint/><geom type='sphere' size='.1' mass='2' "
               "{soft}/></body>",
    "limit": "<body pos='0 0 .1'><joint type='slide' axis='0 0 1' limited='true' range='0 1' {limit}/>"
             "<geom type='sphere' size='.1' mass='2'/></body>",
    "connect": "<body name='b' pos='0 0 .1'><freejoint/><geom type='sphere' size='.1' mass='2'/></body>",
}


def softness(rng):
    """solref in both of its forms, solimp with any number of its five numbers."""
    if rng.random() < 0.5:
        ref = (rng.uniform(0.005, 0.05), rng.uniform(0.5, 1.5))
    else:
        ref = (-rng.uniform(500, 5000), -rng.uniform(20, 100))
    imp = [rng.uniform(0.3, 0.9), rng.uniform(0.9, 0.98), rng.choice([1e-3, 1e-2]), rng.uniform(0.3, 0.7), rng.choice([1, 2, 3])]
    return "%.17g %.17g" % ref, " ".join("%.17g" % x for x in imp[:rng.randint(2, 5)])


@pytest.mark.parametrize("scene", sorted(SCENES))
@pytest.mark.parametrize("seed", range(4))
def test_rests_where_mujoco_rests(tmp_path, scene, seed):
    ref, imp = softness(random.Random(seed * 31 + len(scene)))
    soft, limit = f"solref='{ref}' solimp='{imp}'", f"solreflimit='{ref}' solimplimit='{imp}'"
    equality = f"<equality><connect body1='b' anchor='0 0 0' {soft}/></equality>" if scene == "connect" else ""
    path = tmp_path / "m.xml"
    path.write_text("<mujoco><worldbody>" + SCENES[scene].format(soft=soft, limit=limit) + "</worldbody>" + equality + "</mujoco>",
                    encoding="utf-8")
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep = 1e-3
    data = mujoco.MjData(model)
    start = data.xpos[1][2]
    mujoco.mj_forward(model, data)
    start = data.xpos[1][2]
    for _ in range(4000):
        mujoco.mj_step(model, data)
    fell = {}
    for how in ("off", "on"):
        done = subprocess.run([PAWL, "run", str(path), "--time", "4", "--dt", "1e-3", "--set", "mjcf.soft=" + how, "-q", "--json", "-"],
                              capture_output=True, text=True, timeout=100)
        found = json.loads(done.stdout)
        fell[how] = found["energy"]["final"] / (2 * 9.81) - 0.1
    assert start == pytest.approx(0.1)
    assert fell["off"] == pytest.approx(0, abs=1e-9)
    assert fell["on"] == pytest.approx(data.xpos[1][2] - start, rel=1e-6, abs=1e-9)
    assert fell["on"] < -1e-6
