# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""A recording run that is killed keeps what it had flushed, and can be gone on with.

Files are read with HDF5 itself, through ctypes, not with pawl: what survives must be of use to
other programs, too. The deaths inside of a single write are in tests/unit/record/test_record.c.
"""

import ctypes
import ctypes.util
import math
import random
import subprocess
import time

import pytest

KILLS = 50
JOURNAL = b"pawlrnl1"  # the first bytes of the last 40: a commit that was cut short


class Hdf5:
    """As much of HDF5 as it takes to read a dataset of numbers."""

    def __init__(self, library):
        self.lib = ctypes.CDLL(library)
        for name in ("H5Fopen", "H5Dopen2", "H5Dget_space"):
            getattr(self.lib, name).restype = ctypes.c_int64
        self.lib.H5open()
        self.lib.H5Eset_auto2(ctypes.c_int64(0), None, None)
        self.double = ctypes.c_int64.in_dll(self.lib, "H5T_NATIVE_DOUBLE_g")

    def read(self, path, names):
        """{name: (dimensions, numbers)} of a file, which must open and be whole."""
        file = ctypes.c_int64(self.lib.H5Fopen(str(path).encode(), 0, ctypes.c_int64(0)))
        assert file.value >= 0, f"HDF5 cannot open {path}"
        found = {}
        for name in names:
            data = ctypes.c_int64(self.lib.H5Dopen2(file, name.encode(), ctypes.c_int64(0)))
            assert data.value >= 0, name
            space = ctypes.c_int64(self.lib.H5Dget_space(data))
            dims = (ctypes.c_uint64 * 3)()
            rank = self.lib.H5Sget_simple_extent_dims(space, dims, None)
            values = (ctypes.c_double * math.prod(dims[:rank]))()
            everything = ctypes.c_int64(0)
            assert self.lib.H5Dread(
                data, self.double, everything, everything, everything, values) >= 0, name
            found[name] = (tuple(dims[:rank]), values)
            self.lib.H5Sclose(space)
            self.lib.H5Dclose(data)
        self.lib.H5Fclose(file)
        return found


@pytest.fixture(scope="module")
def hdf5():
    name = ctypes.util.find_library("hdf5_serial") or ctypes.util.find_library("hdf5")
    if name is None:
        pytest.skip("needs libhdf5 as a shared library")
    return Hdf5(name)


SERIES = ("/time", "/step", "/body/pose", "/body/twist", "/joint/position", "/energy", "/residuals")


def kill_while_recording(pawl, model, seconds, path):
    """Kills a run `seconds` after its file has appeared."""
    process = pawl.spawn("run", model, "--time", 1e6, "-o", path.name, "--quiet",
                         stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not path.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(seconds)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == -9, "the run ended by itself"


def test_every_flushed_frame_survives_fifty_kills(pawl, hdf5):
    model = pawl.model("primitives/fourbar-fixed.sdf")
    path = pawl.folder / "run.h5"
    chance = random.Random(20240607)
    most = 0
    for kill in range(KILLS):
        path.unlink(missing_ok=True)
        seconds = chance.uniform(0.0, 0.25)
        if kill == KILLS - 1 and most <= 500:
            seconds = 10.0  # a slow or busy machine: let one run come as far as its second flush
        kill_while_recording(pawl, model, seconds, path)
        if path.read_bytes()[-40:].startswith(JOURNAL):
            # Killed while a commit was being applied: pawl completes it from the journal.
            assert pawl("run", "--resume", path.name, "--time", 1e-3).returncode in (0, 1)
        found = hdf5.read(path, SERIES + ("/checkpoint/frames",))
        frames = int(found["/checkpoint/frames"][1][-1])
        assert frames >= 1
        for name in SERIES:
            dims, values = found[name]
            assert dims[0] == frames, name
            assert all(map(math.isfinite, values)), name
        assert list(found["/step"][1]) == list(range(frames))
        most = max(most, frames)
    assert most > 500, "no run came as far as its second flush"
    done = pawl("report", path.name)
    assert done.returncode == 1, done.stderr
    assert "not finished, or killed" in done.stdout


def test_a_killed_run_goes_on_with_the_same_bits(pawl, hdf5):
    model = pawl.model("primitives/fourbar-fixed.sdf")
    path = pawl.folder / "run.h5"
    kill_while_recording(pawl, model, 0.2, path)
    # Up to where the file reaches, then on, then once more from where that one stopped.
    steps = pawl.json("run", "--resume", path.name, "--time", 1e-3)["steps"] + 301
    assert pawl.json("run", "--resume", path.name, "--time", steps * 1e-3)["steps"] == steps
    resumed = pawl.json("run", "--resume", path.name, "--time", (steps + 700) * 1e-3)
    whole = pawl.json("run", model, "--time", (steps + 700) * 1e-3, "-o", "whole.h5")
    assert resumed["steps"] == whole["steps"] == steps + 700
    assert resumed["hash"] == whole["hash"]
    assert resumed["energy"] == whole["energy"]
    assert resumed["closure"] == whole["closure"]
    assert resumed["verdict"] == whole["verdict"]
    one, other = hdf5.read(path, SERIES), hdf5.read(pawl.folder / "whole.h5", SERIES)
    for name in SERIES:
        assert one[name][0] == other[name][0], name
        assert bytes(one[name][1]) == bytes(other[name][1]), name


def test_a_recording_can_be_read_while_it_is_written(pawl):
    path = pawl.folder / "run.h5"
    process = pawl.spawn("run", pawl.model("primitives/fourbar-fixed.sdf"), "--time", 1e6, "-o",
                         path.name, "--quiet", stderr=subprocess.DEVNULL)
    try:
        while not path.exists() and process.poll() is None:
            time.sleep(0.005)
        for _ in range(3):
            done = pawl("report", path.name)
            assert done.returncode == 1, done.stderr
            assert "not finished, or killed" in done.stdout
        assert process.poll() is None
        second = pawl("run", pawl.model("primitives/fourbar-fixed.sdf"), "-o", path.name)
        assert second.returncode == 2
        assert "another run" in second.stderr
    finally:
        process.kill()
        process.communicate()
