# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""System identification: friction and restitution of a real cube from tracked tosses (Pfrommer et al., ContactNets; docs/impacts.md says where the
data is from). Every candidate is simulated from the first samples of some tosses; the best one predicts the rest best. Needs the data and h5py."""

import pathlib
import sys

import numpy as np

import pawl

DATA = pathlib.Path("../shared/reality/cube-tosses.h5")
SIDE, MASS, RATE = 0.1048, 0.37, 148.0


def cube(friction, restitution):
    b = pawl.Builder("cube")
    inertia = MASS * SIDE**2 / 6
    body = b.body("cube", mass=MASS, inertia=(inertia, inertia, inertia, 0, 0, 0))
    b.shape(body, "box", size=(SIDE / 2,) * 3, friction=friction, restitution=restitution)
    b.shape(None, "plane", friction=friction, restitution=restitution)
    return b.compile()


def error(model, toss, samples):
    """Distance of the predicted centre at the end, over the distance that the cube went."""
    sim = pawl.Sim(model, dt=1.0 / RATE / 4)
    row = toss[0]
    sim.state.set_pose(0, row[:3], row[3:7])
    w, u = row[3], row[4:7]
    spin = row[10:13] + 2 * np.cross(u, np.cross(u, row[10:13]) + w * row[10:13])  # body axes to world axes
    sim.state.set_twist(0, row[7:10], spin)
    sim.step(4 * (samples - 1))
    return np.linalg.norm(sim.positions[0] - toss[samples - 1, :3]) / np.linalg.norm(toss[samples - 1, :3] - toss[0, :3])


def main(short=False):
    try:
        import h5py
    except ImportError:
        print("skipped: h5py is not installed")
        return
    if not DATA.exists():
        print(f"skipped: {DATA} is not there")
        return
    with h5py.File(DATA) as file:
        names = sorted(file)[:: 200 if short else 40]
        tosses = [np.array(file[name]) for name in names]
    frictions, restitutions = np.linspace(0.05, 0.3, 3 if short else 8), np.linspace(0.0, 0.3, 2 if short else 5)

    def mean(friction, restitution):
        model = cube(friction, restitution)
        return {"error": float(np.mean([error(model, t, len(t)) for t in tosses]))}

    study = pawl.sweep(mean, {"friction": frictions, "restitution": restitutions})
    best = np.argmin(study["error"])
    print(f"{len(tosses)} tosses: friction {study['friction'][best]:.3f}, restitution {study['restitution'][best]:.3f}, "
          f"error {100 * study['error'][best]:.1f} % of the path (worst of the grid {100 * study['error'].max():.1f} %)")
    assert study["error"][best] < 0.5


if __name__ == "__main__":
    main("--short" in sys.argv)
