# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Model predictive control with derivatives: torques of an arm with two joints are chosen so that its tip goes to a point. The gradient of the cost by all torques of
the horizon comes from one pass back through the Jacobians of its steps (the adjoint method); the first torque is applied, and so on."""

import sys

import numpy as np

import pawl


def build():
    b = pawl.Builder("arm")
    b.gravity((0, 0, 0))
    upper = b.body("upper", mass=1.0, position=(0.25, 0, 0), inertia=(1e-3, 0.02, 0.02, 0, 0, 0))
    lower = b.body("lower", mass=1.0, position=(0.75, 0, 0), inertia=(1e-3, 0.02, 0.02, 0, 0, 0))
    shoulder = b.joint("revolute", None, upper, axis=(0, 0, 1), name="shoulder", damping=0.1)
    elbow = b.joint("revolute", upper, lower, point=(0.5, 0, 0), axis=(0, 0, 1), name="elbow", damping=0.1)
    b.motor(shoulder, effort=5.0, name="m1")
    b.motor(elbow, effort=5.0, name="m2")
    return b.compile()


def descend(derivative, state, torques, goal, rounds):
    """Gradient steps on the torques (steps, 2). Cost: distance of the lower body's centre to the goal at the end, its speed, and torque."""
    rate, last = 4.0, np.inf
    for _ in range(rounds):
        s, jacobians = state.copy(), []
        for u in torques:
            for k in range(2):
                s.set_target(k, float(np.clip(u[k], -5, 5)))
            s = derivative.compute(s)
            jacobians.append((derivative.state_matrix, derivative["target"]))
        position, velocity = np.array(s.pose(1)[0]), np.array(s.twist(1)[0])
        cost = ((position - goal) ** 2).sum() + 0.05 * (velocity**2).sum() + 1e-4 * (torques**2).sum()
        rate = rate * 1.2 if cost < last else rate * 0.5
        last = cost
        adjoint = np.zeros(24)
        adjoint[6:9], adjoint[18:21] = 2 * (position - goal), 0.1 * velocity
        gradient = np.zeros_like(torques)
        for k in reversed(range(len(torques))):
            by_state, by_target = jacobians[k]
            gradient[k] = by_target.T @ adjoint + 2e-4 * torques[k]
            adjoint = by_state.T @ adjoint
        torques = torques - rate * gradient / (np.abs(gradient).max() + 1e-9)
    return torques, last


def main(short=False):
    model, goal, dt = build(), np.array([0.45, 0.45, 0.0]), 0.02
    sim, derivative = pawl.Sim(model, dt=dt), pawl.Derivative(model, dt=dt)
    horizon, moves, rounds = (10, 6, 4) if short else (20, 60, 8)
    torques = np.zeros((horizon, 2))
    first = np.linalg.norm(np.array(sim.pose(1)[0]) - goal)
    for _ in range(moves):
        torques, cost = descend(derivative, sim.state, torques, goal, rounds)
        sim.targets[:] = np.clip(torques[0], -5, 5)
        sim.step()
        torques = np.vstack([torques[1:], torques[-1:]])
    distance = np.linalg.norm(np.array(sim.pose(1)[0]) - goal)
    print(f"distance to the goal {first:.3f} -> {distance:.3f} m after {sim.time:.2f} s, cost {cost:.4f}")
    assert distance < first


if __name__ == "__main__":
    main("--short" in sys.argv)
