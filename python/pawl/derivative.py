# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Jacobians of a step, with loops and hard contact."""

from . import _core
from .settings import make

INPUTS = ("pose", "twist", "target", "wrench", "gravity", "friction", "mass")


class Derivative(_core.Derivative):
    """Exact derivatives of a step of euler or moreau (docs/derivatives.md):

        d = pawl.Derivative(model, dt=2e-3)
        end = d.compute(sim.state)               # takes the step; returns the state at its end
        d["target"]                              # (12 bodies, actuators): changes of all poses, then of all twists
        d.state_matrix                           # (12 bodies, 12 bodies): by poses, then twists

    Inputs: pose and twist (6 numbers for each body: displacement of the centre of mass and turn, in world axes), target, wrench (6 for each body),
    gravity, friction (factor), mass (factor for each body). Jacobians of steps one after the other may be multiplied. They are those of the side
    of a switch (contact that opens, slides, reaches a limit) that the step is on; `margin` says how near one is. A step with an impact raises
    pawl.Unsupported.
    """

    def __new__(cls, model, settings=None, **keys):
        return _core.Derivative.__new__(cls, model._core, make(settings, keys))

    def __init__(self, model, settings=None, **keys):
        self.model = model

    def compute(self, state):
        """Takes the step from a state and differentiates it; returns the state at its end."""
        self._compute(state)
        end = self.model.state()
        self._end(end)
        return end

    def __getitem__(self, name):
        return self._matrix(INPUTS.index(name)).copy()

    def keys(self):
        """Names of the inputs."""
        return list(INPUTS)

    @property
    def state_matrix(self):
        """(12 bodies, 12 bodies): changes at the end by changes before the step."""
        import numpy as np

        return np.concatenate([self["pose"], self["twist"]], axis=1)
