# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""A thousand quadrupeds at once, each with its own friction, masses and gains, pushed sideways: how many stay up?"""

import sys
import time

import numpy as np

import pawl


def main(short=False):
    model = pawl.Model.load("models/suite/quadruped.sdf")
    batch = pawl.Batch(model, 20 if short else 1000, dt=2e-3)
    drawn = batch.randomize(friction=(0.3, 1.2), mass=(0.8, 1.3), stiffness=(0.7, 1.3), seed=1)
    batch.step(50)
    push = np.random.default_rng(2).uniform(0.0, 150.0, batch.count)
    for i in range(batch.count):
        batch.state(i).set_wrench(0, (0, push[i], 0))
    begun, steps = time.perf_counter(), 20 if short else 100
    batch.step(steps)
    for i in range(batch.count):
        batch.state(i).set_wrench(0, (0, 0, 0))
    batch.step(steps)
    seconds = time.perf_counter() - begun
    up = batch.positions[:, 0, 2] > 0.2
    passed = sum(bool(batch.verdict(i)) for i in range(batch.count))
    print(f"{2 * steps * batch.count / seconds:,.0f} steps a second on {batch.threads} threads; {up.sum()} of {batch.count} stand, "
          f"{passed} passed their verdict; mean push of those that fell {push[~up].mean() if (~up).any() else 0:.0f} N, "
          f"friction {drawn['friction'][~up].mean() if (~up).any() else 0:.2f}")
    assert passed >= 0.9 * batch.count


if __name__ == "__main__":
    main("--short" in sys.argv)
