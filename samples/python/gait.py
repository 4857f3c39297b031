# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""A gait by optimization: hips and knees of a quadruped swing as sines; the cross-entropy method looks for amplitudes and phases that go far. All candidates
of a generation are one batch."""

import sys

import numpy as np

import pawl


def rollout(batch, parameters, seconds, pitch, knee):
    """How far each copy gets along x with its parameters: amplitudes of pitch and knee, frequency, phase of the knee."""
    batch.reset()
    start = batch.targets.copy()
    diagonal = np.array([0, np.pi, np.pi, 0])  # trot
    for _ in range(int(seconds / 0.01)):
        phase = 2 * np.pi * parameters[:, 2:3] * batch.time[:, None] + diagonal
        batch.targets[:, pitch] = start[:, pitch] + parameters[:, 0:1] * np.sin(phase)
        batch.targets[:, knee] = start[:, knee] + parameters[:, 1:2] * np.sin(phase + parameters[:, 3:4])
        batch.step(5, errors="ignore")
    fallen = batch.positions[:, 0, 2] < 0.18
    batch.targets[:] = start
    return np.where(fallen | batch.failed, -1.0, batch.positions[:, 0, 0] - 0.0)


def main(short=False):
    model = pawl.Model.load("models/suite/quadruped.sdf")
    pitch = [a.index for a in model.actuators if "pitch" in model.joints[a.joint].name]
    knee = [a.index for a in model.actuators if "knee" in model.joints[a.joint].name]
    count, generations, seconds = (12, 2, 0.3) if short else (64, 12, 2.0)
    batch = pawl.Batch(model, count, dt=2e-3)
    rng = np.random.default_rng(3)
    mean, spread = np.array([0.15, 0.15, 2.0, 1.5]), np.array([0.1, 0.1, 0.5, 1.0])
    best = -np.inf
    for generation in range(generations):
        parameters = mean + spread * rng.standard_normal((count, 4))
        distance = rollout(batch, parameters, seconds, pitch, knee)
        elite = parameters[np.argsort(distance)[-count // 4:]]
        mean, spread = elite.mean(axis=0), elite.std(axis=0) + 0.02
        best = max(best, distance.max())
        print(f"generation {generation}: best {distance.max():.3f} m in {seconds} s, mean {distance.mean():.3f} m")
    assert best > 0.0


if __name__ == "__main__":
    main("--short" in sys.argv)
