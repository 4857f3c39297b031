# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Jacobians in Python, against differences of steps and a closed form."""

import numpy as np
import pytest

import pawl


def test_a_falling_body_has_the_jacobian_of_free_fall():
    b = pawl.Builder("ball")
    b.body("ball", mass=2.0, inertia=(1, 1, 1, 0, 0, 0))
    model, h = b.compile(), 1e-2
    d = pawl.Derivative(model, dt=h)
    end = d.compute(pawl.Sim(model, dt=h).state)
    # closed form of the midpoint rule
    assert d["twist"][:3, :3] == pytest.approx(h * np.eye(3), abs=1e-12)
    assert d["wrench"][:3, :3] == pytest.approx(0.5 * h * h / 2.0 * np.eye(3), abs=1e-9)
    assert d["gravity"][6:9] == pytest.approx(h * np.eye(3), abs=1e-9)
    assert d["mass"][8, 0] == pytest.approx(0.0, abs=1e-9) and end.time == pytest.approx(h)
    assert d.margin == 1.0 and d.state_matrix.shape == (12, 12)


def test_targets_of_a_standing_robot():
    model = pawl.Model.load("models/suite/quadruped.sdf")
    keys = {"dt": 2e-3, "solver_tolerance": 1e-12}
    sim = pawl.Sim(model, **keys)
    sim.step(50)
    state = sim.state.copy()
    d = pawl.Derivative(model, **keys)
    end = d.compute(state)
    sim.set_state(state)
    sim.step()
    assert end.hash == sim.state.hash

    def after(by):
        sim.set_state(state)
        sim.state.set_target(4, state.target(4) + by)
        sim.step()
        return np.concatenate([sim.velocities, sim.angular_velocities], axis=1).ravel()

    expected = (after(1e-5) - after(-1e-5)) / 2e-5
    assert d["target"][78:, 4] == pytest.approx(expected, abs=1e-5 * np.abs(expected).max())


def test_a_step_with_an_impact_is_refused():
    model = pawl.Model.load("models/classics/D8-bouncing-ball.sdf")
    sim, d = pawl.Sim(model, dt=1e-3), pawl.Derivative(model, dt=1e-3)
    with pytest.raises(pawl.Unsupported, match="not differentiated"):
        for _ in range(1500):
            d.compute(sim.state)
            sim.step()
    assert sim.time > 0.1
