# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Steps a second of batches, beside MuJoCo's rollout where its wheel is installed:

    PYTHONPATH=build/python python3 bench/python/bench_batch.py [--copies 64] [--steps 100] [--rounds 5] [--mjcf DIR]

Engines and numbers of threads take turns, and the best round of each counts. On a busy machine the processor time says more than the clock: if a step
takes as much of it with two threads as with one, two free cores take twice as many. Accuracy, in the same run: for pawl the largest closure error of the joints and the largest
unexplained energy of all copies; for MuJoCo the largest penetration and, of its equality constraints, the largest violation. MuJoCo runs the
model's MJCF version, NAME-mjcf.xml in the same folder or in that of --mjcf. A second table has the cost of a step that Python controls."""

import argparse
import pathlib
import time

import numpy as np

import pawl

SCENES = [("quadruped", "models/suite/quadruped.sdf", 2e-3), ("walker31", "models/suite/walker31.sdf", 1e-3), ("four-bar", "models/suite/fourbar-free.sdf", 1e-3)]


def pawl_batch(path, dt, copies, threads):
    """A function that steps a batch, and one that says how exact its steps were."""
    batch = pawl.Batch(pawl.Model.load(path), copies, threads=threads, dt=dt)
    batch.randomize(friction=(0.8, 1.2), seed=1)

    def accuracy():
        verdicts = [batch.verdict(i) for i in range(0, copies, max(1, copies // 8))]
        largest = {name: max(v[name].value for v in verdicts) for name in ("closure", "energy", "residual")}
        return f"closure {largest['closure']:.0e}, energy {largest['energy']:.0e}, residual {largest['residual']:.0e} m/s, passed {sum(map(bool, verdicts))}/{len(verdicts)}"

    return lambda steps: batch.step(steps), accuracy


def mujoco_batch(path, dt, copies, threads):
    """The same with MuJoCo's rollout."""
    import mujoco
    from mujoco import rollout

    model = mujoco.MjModel.from_xml_path(path)
    model.opt.timestep = dt
    datas = [mujoco.MjData(model) for _ in range(threads)]
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros((copies, size))
    mujoco.mj_getState(model, datas[0], state[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state[:] = state[0]
    pool = rollout.Rollout(nthread=threads)

    def step(steps):
        out, _ = pool.rollout(model, datas, state, nstep=steps)
        state[:] = out[:, -1]

    def accuracy():
        depth = loops = 0.0
        for i in range(min(copies, 8)):
            mujoco.mj_setState(model, datas[0], state[i], mujoco.mjtState.mjSTATE_FULLPHYSICS)
            mujoco.mj_forward(model, datas[0])
            depth = max([depth] + [-c.dist for c in datas[0].contact])
            rows = datas[0].efc_pos[datas[0].efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]
            loops = max([loops] + list(np.abs(rows)))
        return f"penetration {depth:.0e} m, loops open by {loops:.0e} m"

    return step, accuracy


def peers(path, mjcf):
    yield "pawl", pawl_batch, path
    folder = pathlib.Path(mjcf) if mjcf else pathlib.Path(path).parent
    other = str(folder / (pathlib.Path(path).stem + "-mjcf.xml"))
    try:
        import mujoco  # noqa: F401
    except ImportError:
        return
    if pathlib.Path(other).exists():
        yield "mujoco", mujoco_batch, other


def table(copies, steps, rounds, mjcf):
    print(f"{copies} copies, {steps} steps a call, best of {rounds}; steps a second by the clock, and a step's processor time [us]\n"
          f"{'scene':10} {'engine':7} {'1 thread':>10} {'2 threads':>10}  ratio  {'cpu 1':>8} {'cpu 2':>8}  ratio  accuracy")
    for name, path, dt in SCENES:
        runs = []
        for engine, make, file in peers(path, mjcf):
            runs.append((engine, [make(file, dt, copies, threads) for threads in (1, 2)], np.full((2, 2), np.inf)))
        for _ in range(rounds):
            for _, made, best in runs:
                for k in range(2):
                    begun, busy = time.perf_counter(), time.process_time()
                    made[k][0](steps)
                    best[k] = np.minimum(best[k], (time.perf_counter() - begun, time.process_time() - busy))
        for engine, made, best in runs:
            speed, cpu = copies * steps / best[:, 0], 1e6 * best[:, 1] / (copies * steps)
            print(f"{name:10} {engine:7} {speed[0]:10,.0f} {speed[1]:10,.0f} {speed[1] / speed[0]:6.2f}  {cpu[0]:8.1f} {cpu[1]:8.1f} {cpu[1] / cpu[0]:6.2f}  {made[0][1]()}")


def overhead():
    """A step that Python controls against one of a loop in C: processor time."""
    sim = pawl.Sim(pawl.Model.load(SCENES[0][1]), dt=2e-3)
    targets, step, count = sim.targets, sim.step, 400
    best, parts = np.inf, np.inf

    def timed(function):
        begun = time.process_time()
        function()
        return (time.process_time() - begun) / count

    def controlled():
        for _ in range(count):
            targets[0] = 0.1 * sim.q[0] + 0.01 * sim.v[0]
            step()

    def alone():
        for _ in range(count):
            targets[0] = 0.1 * sim.q[0] + 0.01 * sim.v[0]

    for _ in range(10):
        best = min(best, timed(controlled) - timed(lambda: step(count)))
        parts = min(parts, timed(alone))
    print(f"control in Python of the quadruped (12 joints read, one target written): {1e6 * best:.2f} us a step; without reading joints anew {1e6 * parts:.2f} us")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--copies", type=int, default=64)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mjcf")
    options = parser.parse_args()
    table(options.copies, options.steps, options.rounds, options.mjcf)
    overhead()


main()
