# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Recordings under an allocator that overwrites what is freed: HDF5's driver lives as long as its file."""

import os
import shutil
import subprocess

import pytest

from conftest import COMMAND

# Freed memory is filled at once and never reused from a cache: a call through it cannot go unnoticed.
PERTURBED = {**os.environ, "GLIBC_TUNABLES":
             "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165", "MALLOC_PERTURB_": "165"}
MODELS = ["primitives/fourbar-fixed.sdf", "primitives/box-on-plane.sdf", "joints/gear.sdf"]


def run(pawl, *arguments, before=()):
    return subprocess.run([*before, COMMAND, *map(str, arguments)], cwd=pawl.folder, env=PERTURBED,
                          capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("model", MODELS)
def test_recordings_are_closed_written_read_and_resumed(pawl, model):
    path = pawl.model(model)
    for arguments in (("run", path, "--time", 0.01, "-q", "-o", "a.h5"),
                      ("report", "a.h5", "-o", "a.html"),
                      ("run", "--resume", "a.h5", "--time", 0.02, "-q"),
                      ("report", "a.h5", "--picture", "a.svg")):
        done = run(pawl, *arguments)
        assert done.returncode == 0, (arguments, done.returncode, done.stderr)


def test_a_file_that_is_no_recording_is_closed_as_well(pawl):
    (pawl.folder / "b.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(500))
    assert run(pawl, "report", "b.h5", "-o", "b.html").returncode == 2


@pytest.mark.skipif(shutil.which("valgrind") is None or "asan" in COMMAND or "tsan" in COMMAND,
                    reason="valgrind is not there, or a sanitizer is")
def test_valgrind_finds_nothing_in_a_recording(pawl):
    valgrind = ["valgrind", "-q", "--error-exitcode=77"]
    done = run(pawl, "run", pawl.model(MODELS[0]), "--time", 0.002, "-q", "-o", "c.h5",
               before=valgrind)
    assert done.returncode == 0, done.stderr[-2000:]
