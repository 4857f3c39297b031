# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Records a run, opens the recording as arrays with names, continues it, and writes plots and the page with the 3D player."""

import pathlib
import sys
import tempfile

import pawl


def main(short=False):
    folder = pathlib.Path(tempfile.mkdtemp() if short else "out")
    folder.mkdir(exist_ok=True)
    model = pawl.Model.load("models/suite/fourbar-free.sdf")
    pawl.Sim(model, dt=1e-3).run(0.1 if short else 1.0, record=folder / "run.h5")
    run = pawl.Sim(model, dt=1e-3).run(until=0.2 if short else 2.0, resume=folder / "run.h5")  # the same bits as without a break
    print(run)
    name = run.joints[0]
    angle, energy = run.joint(name)[:, 0], run["energy"]
    total = energy[:, :3].sum(axis=1)
    print(f"joint '{name}' from {angle.min():.3f} to {angle.max():.3f} rad; energy changed by {abs(total - total[0]).max():.1e} J")
    run.page(folder / "run.html")
    try:
        run.plot("joint/position").figure.savefig(folder / "joints.png")
    except ImportError:
        print("no plot: matplotlib is not installed")
    assert run.verdict and (folder / "run.html").stat().st_size > 10000


if __name__ == "__main__":
    main("--short" in sys.argv)
