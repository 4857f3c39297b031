# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Environments in the style of gymnasium, on batches. gymnasium itself is optional: with it, spaces are its own."""

import numpy as np

from .batch import Batch

try:
    from gymnasium.spaces import Box
except ImportError:

    class Box:
        """The part of gymnasium.spaces.Box that these environments need."""

        def __init__(self, low, high, shape=None, dtype=np.float64):
            self.shape = tuple(shape) if shape is not None else np.shape(low)
            self.low = np.broadcast_to(np.asarray(low, dtype=dtype), self.shape).copy()
            self.high = np.broadcast_to(np.asarray(high, dtype=dtype), self.shape).copy()
            self.dtype = np.dtype(dtype)
            self._rng = np.random.default_rng()

        def seed(self, seed=None):
            self._rng = np.random.default_rng(seed)

        def sample(self):
            return self._rng.uniform(np.clip(self.low, -1e3, 1e3), np.clip(self.high, -1e3, 1e3))

        def contains(self, x):
            return np.shape(x) == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))


def default_observation(batch):
    """Joint coordinates and rates, and of body 0 its height, orientation and velocities: (copies, n)."""
    return np.concatenate([batch.q, batch.v, batch.positions[:, 0, 2:], batch.orientations[:, 0], batch.velocities[:, 0],
                           batch.angular_velocities[:, 0]], axis=1)


class VectorEnv:
    """n environments at once on a pawl.Batch: step(actions) with actions (n, actuators).

        env = pawl.VectorEnv(model, 64, reward=lambda b, a: b.velocities[:, 0, 0], done=lambda b: b.positions[:, 0, 2] < 0.2,
                             control_steps=10, episode=500, dt=2e-3)
        obs, info = env.reset(seed=1)
        obs, reward, terminated, truncated, info = env.step(actions)

    observation(batch), reward(batch, actions) and done(batch) get the batch and return arrays of all copies: NumPy, or anything
    compiled (numba, ctypes) that takes arrays. Copies that are done start again by themselves at the next step, as in gymnasium's "next step"
    autoreset; `randomize` (arguments of Batch.randomize) draws new parameters for them, `noise` spreads the joints of their start.
    """

    def __init__(self, model, count, *, reward, observation=default_observation, done=None, action_low=-1.0, action_high=1.0,
                 action_scale=1.0, action_offset=0.0, control_steps=1, episode=1000, randomize=None, noise=0.0, threads=None, **settings):
        self.batch = Batch(model, count, threads=threads, **settings)
        self.num_envs = count
        self.model = model
        self._reward, self._observe, self._done = reward, observation, done
        self._scale, self._offset = action_scale, action_offset
        self.control_steps, self.episode = control_steps, episode
        self._randomize, self._noise = randomize, noise
        self._age = np.zeros(count, dtype=int)
        self._over = np.zeros(count, dtype=bool)
        self._rng = np.random.default_rng()
        shape = np.shape(self._observe(self.batch))[1:]
        self.single_observation_space = Box(-np.inf, np.inf, shape=shape, dtype=np.float64)
        self.single_action_space = Box(action_low, action_high, shape=(len(model.actuators),), dtype=np.float64)

    def _begin(self, mask):
        self.batch.reset(mask)
        if self._randomize:
            self.batch.randomize(mask=mask, seed=self._rng.integers(2**63), **self._randomize)
        if self._noise:
            for joint in self.model.joints:
                if len(joint.coordinates) == 1:
                    spread = self._rng.uniform(-self._noise, self._noise, self.num_envs)
                    start = self.batch.q[:, joint.columns.start].copy()
                    self.batch.set_joint(joint.index, start + spread, mask=mask)
            self.batch.assemble(mask)
        self._age[mask] = 0
        self._over[mask] = False

    def reset(self, *, seed=None, options=None):
        """Starts all episodes again; returns (observations, info)."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._begin(np.ones(self.num_envs, dtype=bool))
        return self._observe(self.batch), {}

    def step(self, actions):
        """One control step of all copies; returns (observations, rewards, terminated, truncated, info)."""
        actions = np.clip(np.asarray(actions, dtype=float), self.single_action_space.low, self.single_action_space.high)
        again = self._over.copy()
        if again.any():
            self._begin(again)
        self.batch.targets[:] = self._offset + self._scale * actions
        self.batch.step(self.control_steps, mask=~again if again.any() else None, errors="ignore")
        failed = self.batch.failed
        self._age += ~again
        reward = np.asarray(self._reward(self.batch, actions), dtype=float)
        terminated = failed | (np.asarray(self._done(self.batch), dtype=bool) if self._done else False)
        terminated &= ~again
        truncated = (self._age >= self.episode) & ~terminated
        self._over = terminated | truncated
        return self._observe(self.batch), np.where(again, 0.0, reward), terminated, truncated, {"failed": failed}

    def close(self):
        """Nothing to close: memory goes with the last array."""


class Env:
    """One environment, as gymnasium.Env has it: reset() and step(action). Arguments as VectorEnv without a count.

    Functions still get a batch (of one copy) and return arrays of one element.
    """

    metadata = {"render_modes": []}
    render_mode = None

    def __init__(self, model, **options):
        self.vector = VectorEnv(model, 1, threads=1, **options)
        self.batch = self.vector.batch
        self.observation_space = self.vector.single_observation_space
        self.action_space = self.vector.single_action_space

    @property
    def unwrapped(self):
        return self

    def reset(self, *, seed=None, options=None):
        """Begins an episode; returns (observation, info)."""
        observation, info = self.vector.reset(seed=seed, options=options)
        return observation[0], info

    def step(self, action):
        """One control step; returns (observation, reward, terminated, truncated, info)."""
        observation, reward, terminated, truncated, info = self.vector.step(np.asarray(action)[None])
        self.vector._over[:] = False  # the caller resets
        return observation[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), info

    def close(self):
        """Nothing to close."""
