# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""pip install . in a fresh virtual environment, then the program of docs/python.md. It builds everything anew and needs the network: with PAWL_LONG_RUNS alone."""

import os
import pathlib
import subprocess
import sys

import pytest

PROGRAM = """
import pawl
sim = pawl.Sim(pawl.Model.load("models/suite/quadruped.sdf"), dt=2e-3)
run = sim.run(0.1, control=lambda sim: sim.targets.fill(0.1), record={record!r})
assert run.verdict and len(run.time) == 51
print(pawl.__file__)
"""


@pytest.mark.skipif("PAWL_LONG_RUNS" not in os.environ, reason="takes minutes and the network: set PAWL_LONG_RUNS")
def test_pip_installs_into_a_fresh_environment(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    pip = subprocess.run([tmp_path / "venv/bin/pip", "install", "--disable-pip-version-check", "-q", "."], capture_output=True, text=True)
    if pip.returncode != 0 and ("Could not find a version" in pip.stderr or "connection" in pip.stderr.lower()):
        pytest.skip("no network for pip")
    assert pip.returncode == 0, pip.stderr
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    run = subprocess.run([tmp_path / "venv/bin/python", "-c", PROGRAM.format(record=str(tmp_path / "run.h5"))], capture_output=True, text=True,
                         env=environment)
    assert run.returncode == 0 and str(pathlib.Path(tmp_path)) in run.stdout, run.stderr
