# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Many copies of one model, stepped on all cores."""

import os

import numpy as np

from . import _core
from .settings import make, of_texts
from .sim import ANGULAR_VELOCITY, ORIENTATION, POSITION, TARGET, TIME, VELOCITY
from .verdict import Verdict


class Batch(_core.Batch):
    """n states of one model that are stepped on all cores, in place.

        batch = pawl.Batch(model, 1000, dt=2e-3)
        batch.randomize(friction=(0.5, 1.2), mass={"torso": (0.9, 1.1)}, seed=1)
        for _ in range(500):
            batch.targets[:] = policy(batch.q, batch.v)        # (copies, actuators)
            batch.step(10)                                     # ten steps of each, without the GIL
            batch.reset(batch.positions[:, torso, 2] < 0.2)    # those that fell

    Arrays (no copies; taken once they stay up to date): positions, orientations, velocities, angular_velocities
    (copies, bodies, 3 or 4), targets (copies, actuators), q, v (copies, coordinates), contact_forces (copies, bodies, 3),
    efforts (copies, actuators), time (copies). batch.state(i) has the inputs of one copy; batch.verdict(i) judges it. A copy has the
    same bits as a Sim with the same inputs, for any number of threads.
    """

    def __new__(cls, model, count, settings=None, *, threads=None, **keys):
        threads = threads or len(os.sched_getaffinity(0))
        return _core.Batch.__new__(cls, model._core, make(settings, keys), count, threads)

    def __init__(self, model, count, settings=None, *, threads=None, **keys):
        self.model = model
        self.positions = self._view(POSITION)
        self.orientations = self._view(ORIENTATION)
        self.velocities = self._view(VELOCITY)
        self.angular_velocities = self._view(ANGULAR_VELOCITY)
        self.time = self._view(TIME)[:, 0]
        self.q, self.v, self.contact_forces, self.efforts = (self._results(k) for k in range(4))
        self._targets = None

    def __len__(self):
        return self.count

    @property
    def targets(self):
        """(copies, actuators), to be written; from the first use on in place of the model's signals."""
        if self._targets is None:
            self._hold_targets()
            self._targets = self._view(TARGET, True)
        return self._targets

    @property
    def settings(self):
        """The settings, all of them."""
        return of_texts(self._settings)

    def _mask(self, mask):
        if mask is None:
            return None
        mask = np.asarray(mask)
        if mask.dtype != bool:  # indices
            chosen = np.zeros(self.count, dtype=bool)
            chosen[mask] = True
            mask = chosen
        return np.ascontiguousarray(mask)

    def step(self, steps=1, mask=None, errors="raise"):
        """Steps of all copies, or of those that `mask` (bools or indices) chooses. A copy whose step is refused stays where it was; the
        others are stepped. errors="raise": then raises; "ignore": `failed` says which."""
        status = self._step(steps, self._mask(mask))
        if status != 0 and errors == "raise":
            self._raise(status)

    @property
    def failed(self):
        """Whether the last step of each copy was refused."""
        return np.frombuffer(self._statuses(), dtype=np.uint8) != 0

    def reset(self, mask=None, state=None, keep_inputs=True):
        """The chosen copies (all without a mask) go back to the start, or to a state. They keep their inputs (friction, masses,
        targets ...) unless stated otherwise."""
        status = self._reset(self._mask(mask), state, keep_inputs)
        if status != 0:
            self._raise(status)
        if not keep_inputs and self._targets is not None:
            self._hold_targets()

    def assemble(self, mask=None):
        """Closes the joints of the chosen copies after poses or joints were set."""
        status = self._assemble(self._mask(mask))
        if status != 0:
            self._raise(status)

    def set_joint(self, joint, position, rate=None, mask=None):
        """Sets a joint of the chosen copies; a number, or one for each copy. assemble() closes loops afterwards."""
        self._each(lambda s, q, v: s.set_joint(joint, q, v), mask, position, rate)
        self._measure()

    def set_velocities(self, linear, angular=None, body=0, mask=None):
        """Sets the twist of a body of the chosen copies: (3,) or (copies, 3)."""
        linear = np.broadcast_to(np.asarray(linear, dtype=float), (self.count, 3))
        angular = np.broadcast_to(np.zeros(3) if angular is None else np.asarray(angular, dtype=float), (self.count, 3))
        for i in self._chosen(mask):
            self.state(i).set_twist(body, linear[i], angular[i])
        self._measure()

    def set_friction(self, scale, shape=-1, mask=None):
        """Factors of friction: of all shapes, or of one."""
        self._each(lambda s, x, _: s.set_friction(x, shape), mask, scale)

    def set_mass(self, body, scale, mask=None):
        """Factors of the mass and inertia of a body."""
        self._each(lambda s, x, _: s.set_mass(body, x), mask, scale)

    def set_gravity(self, gravity, mask=None):
        """Gravity: (3,) or (copies, 3)."""
        gravity = np.broadcast_to(np.asarray(gravity, dtype=float), (self.count, 3))
        for i in self._chosen(mask):
            self.state(i).gravity = gravity[i]

    def set_gains(self, actuator, stiffness=None, damping=None, mask=None):
        """Gains of an actuator."""
        self._each(lambda s, k, d: s.set_gains(actuator, k, d), mask, stiffness, damping)

    def _chosen(self, mask):
        return range(self.count) if mask is None else np.flatnonzero(self._mask(mask)).tolist()

    def _each(self, function, mask, *values):
        columns = [None if v is None else np.broadcast_to(np.asarray(v, dtype=float), self.count) for v in values]
        columns += [None] * (2 - len(columns))
        for i in self._chosen(mask):
            function(self.state(i), *(None if c is None else float(c[i]) for c in columns))

    def randomize(self, *, friction=None, mass=None, gravity=None, stiffness=None, damping=None, mask=None, seed=None):
        """Domain randomization: draws inputs uniformly for each chosen copy.

        friction=(low, high)                     factor of all friction
        mass={"torso": (low, high)} or (l, h)    factor of a body's mass; one pair: the same factor for all bodies of a copy
        gravity=spread                           added to each component of the model's [m/s^2]
        stiffness=(l, h), damping=(l, h)         factors of the gains of all actuators that have some
        The same seed gives the same numbers for any number of threads. Returns what was drawn.
        """
        rng = np.random.default_rng(seed)
        drawn = {}
        if friction is not None:
            drawn["friction"] = rng.uniform(*friction, self.count)
            self.set_friction(drawn["friction"], mask=mask)
        if mass is not None:
            pairs = mass if isinstance(mass, dict) else None
            factor = None if pairs else rng.uniform(*mass, self.count)
            for body in (pairs or self.model.bodies.names):
                drawn["mass", body] = rng.uniform(*pairs[body], self.count) if pairs else factor
                self.set_mass(body, drawn["mass", body], mask=mask)
        if gravity is not None:
            drawn["gravity"] = np.array(self.model.gravity) + rng.uniform(-gravity, gravity, (self.count, 3))
            self.set_gravity(drawn["gravity"], mask=mask)
        if stiffness is not None or damping is not None:
            k = rng.uniform(*(stiffness or (1, 1)), self.count)
            d = rng.uniform(*(damping or (1, 1)), self.count)
            drawn["stiffness"], drawn["damping"] = k, d
            for a in self.model.actuators:
                if a.kind != "force" and np.isfinite(a.damping):
                    self.set_gains(a.index, k * a.stiffness, d * a.damping, mask=mask)
        return drawn

    def verdict(self, copy):
        """The verdict on the steps of a copy since its last reset."""
        return Verdict(self._verdict(copy))

    def report(self, copy):
        """The report of the last step of a copy."""
        return self._report(copy)

    def __repr__(self):
        return f"<pawl.Batch of {self.count} '{self.model.name}' on {self.threads} threads>"
