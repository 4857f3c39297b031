# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""One simulation: steps, control, recording."""

import math
import os
from typing import NamedTuple

from . import _core
from .recording import Recording
from .settings import make, of_texts
from .verdict import Verdict

POSITION, ORIENTATION, VELOCITY, ANGULAR_VELOCITY, TARGET, WORK, TIME = range(7)
_DONE, _INTERRUPTED, _FAILED = 2, 3, 4


class Energy(NamedTuple):
    """Energies, the work done since the start, and the unexplained energy [J]."""

    kinetic: float
    gravity: float
    springs: float
    work_actuators: float
    work_dampers: float
    work_friction: float
    work_motion: float
    work_forces: float
    work_limits: float
    work_contacts: float
    balance: float


class Contact(NamedTuple):
    """A contact point of the last step. Bodies by index, -1 the world; the force is that of a on b [N]."""

    body_a: int
    body_b: int
    position: tuple
    normal: tuple
    gap: float
    force: tuple
    mode: str


class Event(NamedTuple):
    """An event at an instant within the last step."""

    time: float
    kind: str
    shape_a: int
    shape_b: int
    joint: int
    figure: float


class _Targets:
    """Targets by name: sim.target["knee"] = 0.3."""

    def __init__(self, sim):
        self._sim = sim

    def __getitem__(self, key):
        return self._sim.state.target(key)

    def __setitem__(self, key, value):
        self._sim.targets[self._sim.model.actuators[key].index] = value

    def _ipython_key_completions_(self):
        return self._sim.model.actuators.names


class Sim(_core.Sim):
    """A simulation of a model.

        sim = pawl.Sim(model, dt=1e-3, stepper="moreau")
        while sim.time < 2:
            sim.targets[:] = -20 * sim.q - 2 * sim.v          # arrays in the engine's memory
            sim.step()

    Arrays (no copies; taken once they stay up to date):
      positions, orientations, velocities, angular_velocities   of the centres of mass, (bodies, 3 or 4), world axes
      targets    of the actuators; writing to it acts from the next step on
      q, v       coordinates and rates of all joints, model.joints["knee"].columns says where
    By name: sim.target["knee"] = 0.3, sim.joint("knee"), sim.pose("torso"), sim.reaction("knee"), sim.effort("knee").
    sim.state has all inputs (wrenches, gravity, friction, masses, gains), saving and copying.
    """

    def __new__(cls, model, settings=None, **keys):
        return _core.Sim.__new__(cls, model._core, make(settings, keys))

    def __init__(self, model, settings=None, **keys):
        self.model = model
        self.state = self._state
        view = self.state._view
        self.positions = view(POSITION)
        self.orientations = view(ORIENTATION)
        self.velocities = view(VELOCITY)
        self.angular_velocities = view(ANGULAR_VELOCITY)
        self.work = view(WORK)
        self.target = _Targets(self)
        self._targets = None

    @property
    def targets(self):
        """Targets of all actuators, to be written. From the first use on they take the place of the model's signals."""
        if self._targets is None:
            self.state._hold_targets()
            self._targets = self.state._view(TARGET, True)
        return self._targets

    @property
    def settings(self):
        """The settings, all of them."""
        return of_texts(self._settings)

    @property
    def verdict(self):
        """The verdict on all steps so far."""
        return Verdict(self._verdict)

    @property
    def report(self):
        """The report of the last step: a dict; None before the first."""
        return self._report

    @property
    def energy(self):
        """Energies and work [J]."""
        return Energy(*self.state._energy)

    @property
    def contacts(self):
        """Contact points of the last step."""
        return [Contact(*row) for row in self._contacts()]

    @property
    def events(self):
        """Events of the last step."""
        return [Event(*row) for row in self._events()]

    def pose(self, body):
        """(position, orientation) of a body's link frame."""
        return self.state.pose(body)

    def twist(self, body):
        """(linear, angular) velocity of a body's link frame."""
        return self.state.twist(body)

    def joint(self, joint):
        """(positions, rates) of a joint."""
        return self.state.joint(joint)

    def reset(self, state=None):
        """Back to the model's start, or to a state; arrays stay."""
        if state is None:
            self.state.set(self.model.state())
            self.assemble()
        else:
            self.set_state(state)
        if self._targets is not None:
            self.state._hold_targets()

    def run(self, duration=None, *, until=None, control=None, record=None, interval=0.0, resume=None, progress=None):
        """Steps for a duration [s], or until a time.

        control    called as control(sim) before each step: set targets and inputs there
        record     a path: everything is recorded there (HDF5), a frame each step or each `interval`; returns the Recording
        resume     a path: continues that recording, with the same bits as if it had never ended
        progress   called as progress(time) now and then
        Returns the Recording, or the Verdict without one. An interrupt (Ctrl-C) ends the run between two steps.
        """
        path = resume if resume is not None else record
        if resume is not None:
            self._resume(os.fspath(resume))
        end = until if until is not None else self.time + duration if duration is not None else None
        if end is None:
            raise TypeError("run() needs a duration or until")
        if not (math.isfinite(end) and end >= self.time - 0.5 * self.dt):
            raise ValueError(f"run() to t = {end:g} s: expected a finite time, {self.time:g} s (now) or later")
        if path is not None:
            model_path = os.path.abspath(self.model.path) if self.model.path else None
            self._record(os.fspath(path), model_path, interval, resume is not None, end)
        how = _FAILED
        try:
            steps = max(0, math.ceil((end - self.time) / self.dt - 1e-6))
            self._steps(steps, control, progress)
            how = _DONE
        except KeyboardInterrupt:
            how = _INTERRUPTED
            raise
        finally:
            self._end(how, end)
        return Recording(path) if path is not None else self.verdict

    def _steps(self, steps, control, progress):
        if control is None:
            portion = 256 if progress is not None else max(steps, 1)
            for done in range(0, steps, portion):
                self.step(min(portion, steps - done))
                if progress is not None:
                    progress(self.time)
            return
        step = self.step
        for done in range(steps):
            control(self)
            step()
            if progress is not None and done % 256 == 255:
                progress(self.time)

    def __repr__(self):
        return f"<pawl.Sim of '{self.model.name}' at t = {self.time:.6g} s, dt = {self.dt:g} s>"
