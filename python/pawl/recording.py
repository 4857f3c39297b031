# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Recordings as arrays with names, report pages, and both inside Jupyter."""

import html
import os
import tempfile

import numpy as np

from . import _core
from .settings import of_texts
from .verdict import Verdict


def _find(things, name, what):
    try:
        return things[name]
    except KeyError:
        raise KeyError(f"no {what} '{name}'; there are {', '.join(things)}") from None


class Recording:
    """A recording of a run (HDF5, docs/recording.md), read into arrays:

        run = pawl.Recording("run.h5")
        run.time, run["joint/position"]                    # (frames, coordinates)
        run.joint("knee"), run.body("torso")               # coordinates (frames, n), poses (frames, 7)
        run.names("energy"), run.unit("joint/rate")
        run.plot("joint/position"); run.page("run.html")

    In Jupyter a recording shows itself: the 3D player, plots and the verdict.
    """

    def __init__(self, path):
        self.path = os.fspath(path)
        data = _core.record_read(self.path)
        self._unit, self._columns, self._arrays = {}, {}, {}
        for name, (numbers, rank, size, unit, columns) in data["series"].items():
            self._arrays[name] = np.frombuffer(numbers, dtype=float).reshape(size[:rank])
            self._unit[name] = unit or ""
            self._columns[name] = columns.split() if columns else None
        self.model_path = data["model_path"]
        self.bodies = data["bodies"]
        self.joints = [name for name, _ in data["joints"]]
        self.verdict = Verdict(data["verdict"])
        self.settings = of_texts(data["settings"])
        self._places, first = {}, 0
        self.coordinates = []
        for name, count in data["joints"]:
            self._places[name] = slice(first, first + count)
            self.coordinates += [name] if count == 1 else [f"{name}.{k}" for k in range(count)]
            first += count

    def keys(self):
        """Names of the series."""
        return list(self._arrays)

    def __getitem__(self, name):
        return _find(self._arrays, name.lstrip("/"), "series")

    def __contains__(self, name):
        return name in self._arrays

    def _ipython_key_completions_(self):
        return self.keys()

    @property
    def time(self):
        """Times of the frames [s]."""
        return self["time"]

    def unit(self, name):
        """Unit of a series."""
        return _find(self._unit, name, "series")

    def names(self, name):
        """Names of the last dimension of a series: coordinates, actuators' numbers, parts of an energy ..."""
        if self._columns[name]:
            return self._columns[name]
        if name in ("joint/position", "joint/rate"):
            return self.coordinates
        return [str(i) for i in range(self[name].shape[-1])]

    def joint(self, joint, series="joint/position"):
        """Columns of one joint, (frames, coordinates)."""
        return self[series][:, _find(self._places, joint, "joint")]

    def body(self, body, series="body/pose"):
        """Rows of one body: x y z and the quaternion, or with series="body/twist" the velocities."""
        return self[series][:, _find({name: i for i, name in enumerate(self.bodies)}, body, "body")]

    def plot(self, name="joint/position", columns=None, axes=None):
        """Plots a series over time with matplotlib; returns the axes."""
        try:
            import matplotlib.pyplot as plt
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError("plot() needs matplotlib: pip install matplotlib", name=error.name) from None

        axes = axes if axes is not None else plt.figure().gca()
        data = self[name].reshape(len(self.time), -1)
        names = self.names(name)
        for i, label in enumerate(names):
            if i < data.shape[1] and (columns is None or label in columns):
                axes.plot(self.time, data[:, i], label=label)
        axes.set_xlabel("time [s]")
        axes.set_ylabel(f"{name} [{self.unit(name)}]")
        if len(axes.lines) <= 12:
            axes.legend()
        return axes

    def page(self, path):
        """Writes the report: one HTML file with the 3D player, plots and the verdict."""
        _core.record_report(self.path, os.fspath(path))
        return path

    def _repr_html_(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            self.page(path)
            with open(path, encoding="utf-8") as file:
                page = file.read()
        return f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:680px;border:0"></iframe>'

    def __repr__(self):
        return f"<pawl.Recording '{self.path}': {len(self.time)} frames, {self.time[-1]:g} s; {self.verdict.sentence}>"
