# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Parameter studies: a function at every point of a grid, on all cores or all ranks of MPI, resumable."""

import concurrent.futures
import itertools
import json
import os
import time

import numpy as np


class Sweep:
    """Results of a sweep: `parameters` {name: (points,)} and `results` {name: (points, ...)}, in the order of the grid.

    sweep["height"] is one of either; grid("height") has the shape of the grid; save() and Sweep.load() use NumPy's .npz.
    """

    def __init__(self, axes, rows):
        self.axes = {name: np.asarray(values) for name, values in axes.items()}
        self.shape = tuple(len(values) for values in self.axes.values())
        points = list(itertools.product(*self.axes.values()))
        self.parameters = {name: np.array([p[i] for p in points]) for i, name in enumerate(self.axes)}
        names = list(dict.fromkeys(key for row in rows if row for key in row))
        self.results = {name: np.array([row.get(name, np.nan) if row else np.nan for row in rows]) for name in names}
        self.done = np.array([row is not None for row in rows])

    def __getitem__(self, name):
        return self.parameters[name] if name in self.parameters else self.results[name]

    def grid(self, name):
        """A result as an array with one dimension for each parameter."""
        data = self[name]
        return data.reshape(self.shape + data.shape[1:])

    def save(self, path):
        """Writes an .npz file."""
        np.savez(path, **{f"axis:{k}": v for k, v in self.axes.items()}, **{f"result:{k}": v for k, v in self.results.items()})

    @classmethod
    def load(cls, path):
        """Reads the file of save()."""
        with np.load(path) as data:
            axes = {k[5:]: data[k] for k in data.files if k.startswith("axis:")}
            results = {k[7:]: data[k] for k in data.files if k.startswith("result:")}
        count = int(np.prod([len(v) for v in axes.values()]))
        return cls(axes, [{k: v[i] for k, v in results.items()} for i in range(count)])

    def __repr__(self):
        return f"<pawl.Sweep over {', '.join(self.axes)}: {self.done.sum()} of {self.done.size} points; {', '.join(self.results)}>"


def _plain(value):
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else value


def _call(function, point):
    result = function(**point)
    if not isinstance(result, dict):
        result = {"value": result}
    return {key: _plain(value) for key, value in result.items()}


def _read_journal(path, points):
    """Rows of earlier runs; a line that was not written whole is left out."""
    rows = {}
    if path and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    entry = json.loads(line)
                except ValueError:
                    continue
                if entry["point"] == [_plain(v) for v in points[entry["index"]].values()]:
                    rows[entry["index"]] = entry["row"]
    return rows


def _executor(mpi, threads):
    if mpi:
        from mpi4py.futures import MPICommExecutor  # under mpirun: rank 0 distributes, the others compute

        from mpi4py import MPI

        return MPICommExecutor(MPI.COMM_WORLD, root=0)
    return concurrent.futures.ThreadPoolExecutor(threads)


def sweep(function, axes, *, journal=None, workers=None, mpi=None, progress=None):
    """Calls function(**point) at every point of a grid and collects its results (a dict of numbers or arrays, or a number).

        def jump(friction, mass):
            sim = pawl.Sim(model, dt=1e-3)
            sim.state.set_friction(friction)
            sim.state.set_mass("torso", mass)
            sim.run(1.0)
            return {"height": sim.positions[0, 2], "passed": bool(sim.verdict)}

        study = pawl.sweep(jump, {"friction": np.linspace(0.1, 1, 20), "mass": [0.9, 1.0, 1.1]}, journal="jump.jsonl")
        study.grid("height")                       # (20, 3)

    Steps release the GIL, so threads use all cores. Under `mpirun -n N python -m mpi4py.futures script.py`, or with mpi=True, the ranks of MPI
    take one point after another (mpi4py). `journal` is a file to which every point is appended as it is done: a sweep that was
    interrupted continues from it, and a process that dies loses the points that it was at. The result does not depend on the number of workers.
    """
    names = list(axes)
    points = [dict(zip(names, values)) for values in itertools.product(*axes.values())]
    rows = _read_journal(journal, points)
    missing = [i for i in range(len(points)) if i not in rows]
    mpi = mpi if mpi is not None else int(os.environ.get("OMPI_COMM_WORLD_SIZE", os.environ.get("PMI_SIZE", "1"))) > 1
    begun = time.monotonic()
    with _executor(mpi, workers or len(os.sched_getaffinity(0))) as pool:
        if pool is None:  # a rank other than 0: it has computed what rank 0 gave it
            return None
        futures = {pool.submit(_call, function, points[i]): i for i in missing}
        out = open(journal, "a", encoding="utf-8") if journal else None
        try:
            for n, future in enumerate(concurrent.futures.as_completed(futures), 1):
                i = futures[future]
                rows[i] = future.result()
                if out:
                    out.write(json.dumps({"index": i, "point": [_plain(v) for v in points[i].values()], "row": rows[i]}) + "\n")
                    out.flush()
                if progress is not None:
                    progress(n, len(missing), (time.monotonic() - begun) / n * (len(missing) - n))
        finally:
            if out:
                out.close()
            for future in futures:
                future.cancel()
    return Sweep(axes, [rows.get(i) for i in range(len(points))])
