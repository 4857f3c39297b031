# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# Ten machines with loops in MJCF (tests/peers/loops: connect, weld, joint and tendon constraints), run by pawl and by MuJoCo
# at the same step. The first motion is the same; then closure, energy and time are compared. `pytest -s` prints the table
# of docs/mjcf.md. MuJoCo's constraints are as stiff as its step allows (solref of two steps, impedance 0.9999).
import glob
import json
import os
import subprocess
import sys
import time

import pytest

sys.path += [p for p in [os.environ.get("PAWL_MUJOCO")] if p]
try:
    import mujoco
    import numpy as np
except ImportError:
    mujoco = None
pytestmark = pytest.mark.skipif(mujoco is None, reason="the Python package mujoco is not there")

PAWL = os.environ.get("PAWL", "build/pawl")
MACHINES = sorted(glob.glob(os.path.join(os.path.dirname(__file__), "loops", "*.xml")))
STEP = 1e-3


def run_pawl(path, duration):
    done = subprocess.run([PAWL, "run", path, "--time", str(duration), "--dt", str(STEP), "-q", "--json", "-"],
                          capture_output=True, text=True, timeout=100)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def run_mujoco(path, duration):
    """Largest violation of a constraint, range of the energy by the largest kinetic one, microseconds a step, data."""
    m = mujoco.MjModel.from_xml_path(path)
    m.opt.timestep = STEP
    m.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    d = mujoco.MjData(m)
    closure, energies, kinetic = 0.0, [], 0.0
    steps = round(duration / STEP)
    for _ in range(steps):
        mujoco.mj_step(m, d)
        rows = np.array(d.efc_pos)[np.array(d.efc_type) == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
        closure = max(closure, np.abs(rows).max(initial=0.0))
        energies.append(d.energy.sum())
        kinetic = max(kinetic, d.energy[1])
    again = mujoco.MjData(m)
    begin = time.process_time()
    for _ in range(steps):
        mujoco.mj_step(m, again)
    each = (time.process_time() - begin) / steps * 1e6
    return closure, (max(energies) - min(energies)) / kinetic, each, m, d


@pytest.mark.parametrize("path", MACHINES, ids=lambda p: os.path.basename(p)[:-4])
def test_the_first_motion_is_mujocos(path):
    ours = {b["name"]: b for b in run_pawl(path, 0.2)["final"]["bodies"]}
    *_, m, d = run_mujoco(path, 0.2)
    mujoco.mj_kinematics(m, d)
    for b in range(1, m.nbody):
        off = np.abs(np.array(ours[m.body(b).name]["position"]) - d.xpos[b]).max()
        assert off < 5e-3, f"{m.body(b).name} is {off:.2g} m away"


def test_loops_close_and_keep_energy_better_than_mujocos():
    assert len(MACHINES) == 10
    print("\n| machine | closure [m, rad] | | energy error | | time a step [us] | |\n|---|---|---|---|---|---|---|")
    print("| | pawl | MuJoCo | pawl | MuJoCo | pawl | MuJoCo |")
    for path in MACHINES:
        ours = run_pawl(path, 2.0)
        closure, energy, each, _, _ = run_mujoco(path, 2.0)
        own = max(ours["closure"]["position"], ours["closure"]["rotation"])
        error = ours["energy"]["unexplained"] / ours["energy"]["turned_over"]
        print(f"| {os.path.basename(path)[:-4]} | {own:.1e} | {closure:.1e} | {error:.1e} | {energy:.1e} | "
              f"{ours['us_per_step']['median']:.0f} | {each:.0f} |")
        assert ours["verdict"]["passed"], path
        assert own < 1e-9 and own < closure
        assert error < 1e-3 and error < energy
