# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# The same MJCF text run by MuJoCo and by pawl: where the bodies are at the end, and how far apart the two are.
# `mujoco` is None where one of the two packages is not installed; tests then skip themselves by `needs_both`.
import os
import sys
import warnings

import pytest

sys.path += [p for p in [os.environ.get("PAWL_MUJOCO"), "build/python"] if p]
try:
    import mujoco
    import numpy as np
    import pawl
except ImportError:
    mujoco = np = pawl = None
needs_both = pytest.mark.skipif(mujoco is None, reason="the Python package mujoco or pawl is not there")


def run_mujoco(text, duration, after_step=None):
    """The centre of each body at the end, by name [m]. Controls are the lower ends of their ranges."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    limited = model.actuator_ctrllimited.astype(bool)
    data.ctrl[limited] = model.actuator_ctrlrange[limited, 0]  # where pawl's controls begin, if the range is positive
    for _ in range(round(duration / model.opt.timestep)):
        mujoco.mj_step(model, data)
        if after_step:
            after_step(data)
    mujoco.mj_forward(model, data)
    return {model.body(i).name: data.xipos[i].copy() for i in range(1, model.nbody)}


def distance(text, dt, duration, expected, **options):
    """The largest distance [m] of a body's centre from where it is expected at the end of pawl's run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = pawl.Model.parse(text, name="machine.xml")
    sim = pawl.Sim(model, dt=dt, **options)
    sim.run(duration)
    return max(np.linalg.norm(sim.positions[b.index] - expected[b.name]) for b in model.bodies if b.name in expected)
