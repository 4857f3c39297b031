# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""A parameter study: how far does a box slide on planes of several frictions and masses? On all cores; `mpirun -n 8 python3 -m mpi4py.futures` runs it on
ranks. The mass must not matter, and the distance is v^2 / (2 mu g)."""

import sys

import numpy as np

import pawl


def build():
    b = pawl.Builder("box")
    box = b.solid("box", "box", (0, 0, 0.05), (0.1, 0.1, 0.05), friction=1.0)
    b.shape(None, "plane", friction=1.0)
    return b.compile(), box


MODEL, BOX = build()


def slide(friction, mass):
    sim = pawl.Sim(MODEL, dt=1e-3)
    sim.state.set_friction(friction)
    sim.state.set_mass(BOX, mass)
    sim.state.set_twist(BOX, (2.0, 0, 0), (0, 0, 0))
    sim.assemble()  # the energy balance begins here
    sim.run(1.5)
    return {"distance": sim.positions[BOX, 0], "passed": bool(sim.verdict)}


def main(short=False):
    axes = {"friction": np.linspace(0.2, 0.8, 3 if short else 13), "mass": [0.5, 1.0, 2.0][: 2 if short else 3]}
    study = pawl.sweep(slide, axes)
    expected = 4.0 / (2 * study["friction"] * 9.81)
    print(study)
    print(f"largest deviation from v^2 / (2 mu g): {100 * abs(study['distance'] / expected - 1).max():.2f} %")
    assert np.allclose(study["distance"], expected, rtol=0.02) and study["passed"].all()


if __name__ == "__main__":
    main("--short" in sys.argv)
