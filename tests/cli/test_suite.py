# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""The benchmark suite of the loops paper: every model of models/suite has the counts of the paper's Table II."""

import json
import os
import subprocess
import sys

import pytest

from conftest import ROOT

# Table II: base, bodies, joints, total degrees of freedom, passive, actuated, constraint rows, mass ratio.
TABLE = {
    "box-on-plane": ("free", 1, 0, 6, 0, 0, 0, 1.00),
    "boxes-fixed": ("free", 2, 1, 6, 0, 0, 6, 1000.00),
    "nunchuk": ("free", 3, 2, 12, 6, 0, 6, 1.00),
    "fourbar-fixed": ("fixed", 4, 5, 1, 0, 1, 26, 1.00),
    "fourbar-free": ("free", 4, 4, 7, 5, 1, 20, 1.00),
    "arm7": ("fixed", 8, 7, 7, 0, 7, 41, 19.54),
    "quadruped": ("free", 13, 12, 18, 6, 12, 60, 29.07),
    "biped15": ("free", 15, 14, 14, 6, 14, 70, 42.49),
    "biped21": ("free", 21, 20, 26, 6, 20, 100, 321.39),
    "figure22": ("fixed", 22, 24, 23, 0, 23, 121, 90.67),
    "walker31": ("free", 31, 36, 42, 18, 24, 180, 99.55),
    "figure38": ("fixed", 38, 45, 60, 38, 22, 214, 1012.54),
    "figure54": ("fixed", 54, 67, 100, 80, 20, 304, 25544.44),
}
PRIMITIVES = ("box-on-plane", "boxes-fixed", "nunchuk", "fourbar-fixed", "fourbar-free")
# 41 rows need the fixed joint of the base, which the paper's 7 joints leave out.
JOINTS = {"arm7": 8}
# A free base and 14 hinges have 20 degrees of freedom, of which 6 and 14 are listed.
TOTAL = {"biped15": 20}
# Joints with so many rows have fewer coordinates than listed; as many if a ball joint counts as a quaternion.
QUATERNIONS = ("figure38", "figure54")


def ball_joints(check):
    return sum(joint["kind"] == "spherical" for joint in check["joints"])


@pytest.mark.parametrize("name", TABLE)
def test_a_model_of_the_suite_has_the_counts_of_table_2(pawl, name):
    base, bodies, joints, total, passive, actuated, rows, ratio = TABLE[name]
    done = pawl("check", os.path.join(ROOT, "models", "suite", name + ".sdf"), "--json", "-")
    check = json.loads(done.stdout)
    assert check["model"]["bodies"] == bodies
    assert check["model"]["joints"] == JOINTS.get(name, joints)
    assert check["model"]["rows"] == rows
    assert check["actuated"] == actuated
    assert check["free_bases"] == (1 if base == "free" else 0)
    assert round(check["mass_ratio"], 2) == ratio
    if name in PRIMITIVES:  # the paper lists their mobility
        assert check["mobility"] == total
        return
    coordinates = check["coordinates"] + (ball_joints(check) if name in QUATERNIONS else 0)
    assert coordinates == TOTAL.get(name, total)
    assert coordinates - check["actuated"] == passive


@pytest.mark.parametrize("name", [n for n in TABLE if n not in PRIMITIVES])
def test_a_machine_of_the_suite_moves_as_its_servos_ask(pawl, name, tmp_path):
    """Without contacts of the ground in play: the start of the driven motion, closed and with a sound balance."""
    result = tmp_path / "run.json"
    pawl("run", os.path.join(ROOT, "models", "suite", name + ".sdf"), "--time", "0.05", "--dt", "1e-3",
         "--set", "solver.tolerance=1e-6", "--json", str(result))
    criteria = {c["name"]: c for c in json.loads(result.read_text())["verdict"]["criteria"]}
    for word in ("closure", "energy", "limits", "penetration"):
        assert all(c["met"] is not False for key, c in criteria.items() if word in key), word


@pytest.mark.parametrize("name", TABLE)
def test_the_mjcf_version_of_a_machine_has_its_mobility_and_mass(pawl, name):
    """Rows differ, since MJCF closes loops otherwise; how the machine can move does not."""
    checks = [json.loads(pawl("check", os.path.join(ROOT, "models", "suite", name + ending), "--json", "-").stdout)
              for ending in (".sdf", "-mjcf.xml")]
    for count in ("mobility", "free_bases", "actuated"):
        assert checks[0][count] == checks[1][count]
    mass = [{body["name"]: body["mass"] for body in check["bodies"]} for check in checks]
    halves = sum(m for n, m in mass[1].items() if n.endswith("_half"))
    for body, m in mass[1].items():
        if body in mass[0] and not halves:
            assert abs(m - mass[0][body]) <= 1e-6 * m
    assert sum(mass[1].values()) <= sum(mass[0].values()) * (1 + 1e-6)


def test_the_mjcf_files_are_those_that_the_script_writes():
    subprocess.run([sys.executable, os.path.join(ROOT, "tools", "suite_mjcf.py"), "--check"], check=True)
