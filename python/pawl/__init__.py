# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Rigid multibody dynamics with closed loops, hard contact and dry friction.

    import pawl

    model = pawl.Model.load("models/suite/quadruped.sdf")     # SDFormat, URDF or MJCF
    sim = pawl.Sim(model, dt=1e-3)
    run = sim.run(2.0, control=lambda sim: sim.targets.fill(0.1), record="run.h5")
    print(run.verdict)                                        # can the numbers be trusted?
    run.plot("joint/position")

Start with help(pawl.Model), help(pawl.Sim) and help(pawl.Batch). Numbers of the engine are NumPy arrays in the engine's own memory:
nothing is copied, and an array taken once always shows the last step.

Model, Builder      models to simulate          Settings     settings (completion and help on every key)
Sim, State          one simulation              Verdict      accuracy of a run
Batch, Env          many at once                Recording    recordings as arrays with names
Derivative          Jacobians of a step         sweep        parameter studies on all cores
"""

from ._core import (
    BadArgument,
    BadFile,
    Error,
    IoError,
    NoMemory,
    NotAssembled,
    NotFinite,
    NotSolved,
    State,
    Unsupported,
)
from ._core import version as __version__
from .batch import Batch
from .derivative import Derivative
from .environment import Env, VectorEnv
from .model import Builder, Model, ModelWarning, sine, table
from .recording import Recording
from .settings import Settings, settings_help, solvers, steppers
from .sim import Sim
from .sweeping import Sweep, sweep
from .verdict import Verdict

__all__ = [
    "BadArgument", "BadFile", "Batch", "Builder", "Derivative", "Env", "Error", "IoError", "Model", "ModelWarning", "NoMemory",
    "NotAssembled", "NotFinite", "NotSolved", "Recording", "Settings", "Sim", "State", "Sweep", "Unsupported", "VectorEnv",
    "Verdict", "settings_help", "sine", "solvers", "steppers", "sweep", "table",
]
