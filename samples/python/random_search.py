# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Reinforcement learning, tiny: a linear policy for a cart-pole by augmented random search (Mania et al. 2018). Every direction is one copy of a vector environment;
with gymnasium installed its spaces are gymnasium's."""

import sys

import numpy as np

import pawl
from closed_loop import build


def episode(env, policies, steps, seed):
    """Sums of rewards, one policy (observations) for each copy."""
    obs, _ = env.reset(seed=seed)
    total, alive = np.zeros(env.num_envs), np.ones(env.num_envs, dtype=bool)
    for _ in range(steps):
        action = (policies * obs).sum(axis=1, keepdims=True)
        obs, reward, terminated, truncated, _ = env.step(action)
        total += np.where(alive, reward, 0.0)
        alive &= ~(terminated | truncated)
    return total


def main(short=False):
    model = build()
    pairs, rounds, steps = (4, 3, 40) if short else (16, 30, 200)
    env = pawl.VectorEnv(model, 2 * pairs, reward=lambda b, a: np.ones(b.count), observation=lambda b: np.concatenate([b.q, b.v], axis=1),
                         done=lambda b: (abs(b.q[:, 1]) > 0.4) | (abs(b.q[:, 0]) > 2.0), action_scale=10.0, control_steps=5, episode=steps,
                         noise=0.1, dt=4e-3)
    rng, policy, best = np.random.default_rng(0), np.zeros(4), 0.0
    for round_ in range(rounds):
        directions = rng.standard_normal((pairs, 4))
        rewards = episode(env, np.concatenate([policy + 0.5 * directions, policy - 0.5 * directions]), steps, seed=round_)
        plus, minus = rewards[:pairs], rewards[pairs:]
        policy = policy + 0.6 / (rewards.std() + 1e-9) * ((plus - minus)[:, None] * directions).mean(axis=0)
        best = max(best, rewards.max())
        if round_ % 10 == 9 or short:
            print(f"round {round_}: mean {rewards.mean():.1f} of {steps}, best {rewards.max():.0f}")
    print(f"policy {np.round(policy, 2)}")
    assert best > 5


if __name__ == "__main__":
    main("--short" in sys.argv)
