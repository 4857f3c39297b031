# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Batches, environments and sweeps in Python. What a batch gives is held against single simulations."""

import json

import numpy as np
import pytest

import pawl


@pytest.fixture(scope="module")
def robot():
    return pawl.Model.load("models/suite/quadruped.sdf")


def single(model, friction, mass, target, steps):
    sim = pawl.Sim(model, dt=2e-3)
    sim.state.set_friction(friction)
    sim.state.set_mass(0, mass)
    sim.targets[:] = target
    sim.step(steps)
    return sim


def test_a_batch_has_the_bits_of_single_simulations(robot):
    friction, mass, target = np.linspace(0.4, 1.2, 5), np.linspace(0.8, 1.3, 5), np.linspace(0, 0.1, 5)
    expected = [single(robot, f, m, t, 12).state.hash for f, m, t in zip(friction, mass, target)]
    for threads in (1, 2, 3):
        batch = pawl.Batch(robot, 5, threads=threads, dt=2e-3)
        batch.set_friction(friction)
        batch.set_mass(0, mass)
        batch.targets[:] = target[:, None]
        batch.step(5)
        batch.step(7)
        assert [batch.state(i).hash for i in range(5)] == expected


def test_arrays_of_a_batch_are_the_engines_memory(robot):
    batch = pawl.Batch(robot, 4, dt=2e-3)
    arrays = [batch.positions, batch.velocities, batch.q, batch.v, batch.targets, batch.contact_forces, batch.time]
    places = [a.__array_interface__["data"][0] for a in arrays]
    stride = batch.positions.strides[0]
    batch.step(10)
    assert [a.__array_interface__["data"][0] for a in arrays] == places
    assert batch.positions.shape == (4, 13, 3) and batch.positions.strides == (stride, 13 * 8, 8)
    sim = single(robot, 1.0, 1.0, robot.state().target(0), 0)
    assert batch.q.shape == (4, 12) and np.array_equal(batch.q[1], np.concatenate([batch.state(1).joint(j.name)[0] for j in robot.joints]))
    assert batch.contact_forces.shape == (4, 13, 3) and batch.contact_forces[:, :, 2].sum() > 0
    assert np.allclose(batch.time, 0.02) and sim.time == 0


def test_partial_resets_and_masks(robot):
    batch = pawl.Batch(robot, 4, dt=2e-3)
    batch.set_friction([0.5, 0.6, 0.7, 0.8])
    batch.step(5)
    batch.reset([1, 3])
    assert np.allclose(batch.time, [0.01, 0, 0.01, 0]) and batch.state(3).friction == 0.8
    batch.step(5, mask=np.array([False, True, False, True]))
    assert np.allclose(batch.time, 0.01)
    batch.reset(keep_inputs=False)
    assert batch.state(3).friction == 1.0
    batch.set_joint(robot.joints[1].name, [0.1, 0.2, 0.3, 0.4])
    batch.assemble()
    assert np.allclose(batch.q[:, robot.joints[1].columns.start], [0.1, 0.2, 0.3, 0.4], atol=1e-9)
    assert batch.verdict(0) is not None and batch.report(0) is None


def test_randomization_repeats_with_its_seed(robot):
    hashes = []
    for threads in (1, 2):
        batch = pawl.Batch(robot, 6, threads=threads, dt=2e-3)
        drawn = batch.randomize(friction=(0.5, 1.2), mass=(0.8, 1.2), gravity=0.1, stiffness=(0.9, 1.1), damping=(0.9, 1.1), seed=7)
        assert (drawn["friction"] >= 0.5).all() and (drawn["friction"] <= 1.2).all()
        assert batch.state(2).mass(0) == pytest.approx(batch.state(2).mass(5))
        batch.step(5)
        hashes.append([batch.state(i).hash for i in range(6)])
    assert hashes[0] == hashes[1] and len(set(hashes[0])) == 6


def test_a_copy_that_fails_is_named(robot):
    batch = pawl.Batch(robot, 3, dt=2e-3)
    batch.targets[1, 0] = np.nan
    batch.step(1, errors="ignore")
    assert batch.failed.tolist() == [False, True, False]
    with pytest.raises(pawl.NotFinite):
        batch.step(1)
    assert np.allclose(batch.time, [0.004, 0, 0.004])


def make_env(model, count, **options):
    return pawl.VectorEnv(model, count, reward=lambda b, a: b.velocities[:, 0, 0] - 0.01 * (a**2).sum(axis=1),
                          done=lambda b: b.positions[:, 0, 2] < 0.15, action_scale=0.3, control_steps=5, episode=6, dt=2e-3, **options)


def test_environments_reset_by_themselves(robot):
    env = make_env(robot, 3, randomize={"friction": (0.5, 1.0)}, noise=0.01)
    obs, info = env.reset(seed=3)
    assert obs.shape == (3,) + env.single_observation_space.shape and env.single_action_space.shape == (12,)
    truncations = 0
    for _ in range(8):
        obs, reward, terminated, truncated, info = env.step(np.zeros((3, 12)))
        assert reward.shape == (3,) and np.isfinite(obs).all() and not terminated.any()
        truncations += truncated.sum()
    assert truncations == 3 and (env.batch.time < 0.06).all()
    first = make_env(robot, 3, randomize={"friction": (0.5, 1.0)}, noise=0.01).reset(seed=5)[0]
    assert np.array_equal(first, make_env(robot, 3, randomize={"friction": (0.5, 1.0)}, noise=0.01).reset(seed=5)[0])


def test_one_environment_is_as_gymnasium_has_it(robot):
    env = pawl.Env(robot, reward=lambda b, a: b.positions[:, 0, 2], control_steps=2, dt=2e-3)
    obs, _ = env.reset(seed=1)
    obs, reward, terminated, truncated, _ = env.step(env.action_space.sample())
    assert env.observation_space.shape == obs.shape and isinstance(reward, float) and not terminated and not truncated


def fall(height, gravity):
    b = pawl.Builder("ball")
    b.body("ball", mass=1.0, position=(0, 0, height), inertia=(1, 1, 1, 0, 0, 0))
    b.gravity((0, 0, -gravity))
    sim = pawl.Sim(b.compile(), dt=1e-2)
    sim.run(0.5)
    return {"z": sim.positions[0, 2], "path": np.array([height, sim.positions[0, 2]])}


def test_a_sweep_covers_the_grid_and_goes_on(tmp_path):
    axes = {"height": [1.0, 2.0, 3.0], "gravity": [1.0, 9.81]}
    journal = tmp_path / "sweep.jsonl"
    study = pawl.sweep(fall, axes, journal=journal)
    # closed form
    expected = study["height"] - 0.5 * study["gravity"] * 0.25
    assert np.allclose(study["z"], expected, atol=1e-9) and study.grid("z").shape == (3, 2) and study.grid("path").shape == (3, 2, 2)
    lines = journal.read_text().splitlines()
    journal.write_text("\n".join(lines[:3]) + '\n{"index": 5, "po')  # killed while it wrote
    calls = []

    def counted(height, gravity):
        calls.append(height)
        return fall(height, gravity)

    again = pawl.sweep(counted, axes, journal=journal, workers=1)
    assert len(calls) == 3 and np.array_equal(again["z"], study["z"])
    assert len({json.loads(x)["index"] for x in lines}) == 6
    again.save(tmp_path / "s.npz")
    assert np.array_equal(pawl.Sweep.load(tmp_path / "s.npz").grid("z"), study.grid("z"))
