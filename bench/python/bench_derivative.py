# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Cost of the derivatives of a step, in steps: PYTHONPATH=build/python python3 bench/python/bench_derivative.py [MODEL:dt:steps ...]

Processor time of one thread, the best of three; steps and derivatives are timed in turn."""

import sys
import time

import pawl


def seconds(function, count):
    """Processor time of a call, the best of three runs."""
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        for _ in range(count):
            function()
        best = min(best, (time.process_time() - begun) / count)
    return best


def main(cases):
    print(f"{'model':38} bodies columns  step [us]  derivative [ms]  in steps  differences  margin")
    for case in cases:
        path, dt, steps = case.split(":")
        model = pawl.Model.load(path)
        sim, d = pawl.Sim(model, dt=float(dt)), pawl.Derivative(model, dt=float(dt))
        sim.step(int(steps))
        state = sim.state.copy()

        def step():
            sim.set_state(state)
            sim.step()

        a, b = seconds(step, 30), seconds(lambda: d._compute(state), 3)
        columns = sum(d[name].shape[1] for name in d.keys())
        print(f"{path:38} {len(model.bodies):6} {columns:7} {1e6 * a:10.1f} {1e3 * b:16.2f} {b / a:9.0f} {2 * columns:12} {d.margin:7.2g}")


main(sys.argv[1:] or ["models/primitives/fourbar-free.sdf:1e-3:50", "models/suite/quadruped.sdf:2e-3:50", "models/suite/walker31.sdf:1e-3:5"])
