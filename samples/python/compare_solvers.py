# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""The same run with several solvers: time, iterations, and what the verdict says of each."""

import sys
import time

import pawl


def main(short=False):
    model = pawl.Model.load("models/suite/quadruped.sdf")
    names = ["auto", "nsgs", "newton", "pgs-ncp", "admm-ncp"][: 3 if short else 5]
    print(f"{'solver':10} us a step  residual   Coulomb's law  verdict")
    for name in names:
        sim = pawl.Sim(model, dt=2e-3, solver=name)
        begun = time.process_time()
        sim.step(50 if short else 500)
        spent = (time.process_time() - begun) / (50 if short else 500)
        verdict = sim.verdict
        print(f"{name:10} {1e6 * spent:9.0f} {verdict['residual'].value:9.1e} {verdict['coulomb'].value:14.1e}  {verdict.sentence[:60]}")
    assert pawl.Sim(model, dt=2e-3).run(0.1)


if __name__ == "__main__":
    main("--short" in sys.argv)
