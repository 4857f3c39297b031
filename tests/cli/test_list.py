# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""pawl list: what it lists can be used, and what can be used is listed."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Rows and coordinates, counted by hand: rows + coordinates = 6 where every direction has one.
JOINTS = {
    "fixed": (6, 0), "revolute": (5, 1), "prismatic": (5, 1), "cylindrical": (4, 2),
    "universal": (4, 2), "spherical": (3, 3), "planar": (3, 3), "cartesian": (3, 3),
    "gimbal": (3, 3), "free": (0, 6), "screw": (5, 1), "distance": (1, 0),
    "point-on-line": (2, 1), "point-on-plane": (1, 2), "gear": (1, 0), "span": (0, 1),
}


def names(pawl, kind, header):
    done = pawl("list", kind)
    assert done.returncode == 0, done.stderr
    return [line.split()[0] for line in done.stdout.splitlines()[1 if header else 0:]]


@pytest.mark.parametrize("kind, option", [
    ("solvers", "--solver"), ("steppers", "--stepper"), ("formulations", "--formulation")])
def test_what_is_listed_can_be_run(pawl, kind, option):
    model = pawl.write("stone")
    listed = names(pawl, kind, header=False)
    assert listed
    for name in listed:
        done = pawl("run", model, "--time", 0.01, option, name)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", ["solvers", "steppers"])
def test_every_solver_and_stepper_has_its_page(pawl, kind):
    listed = set(names(pawl, kind, header=False))
    assert listed >= {"solvers": {"direct", "pgs-ncp", "nsgs"}, "steppers": {"euler", "moreau"}}[kind]
    index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    for name in listed:
        page = ROOT / "docs" / kind / f"{name}.md"
        assert page.exists(), f"{name} has no page"
        title = kind[:-1].capitalize()
        assert f"# {title}: {name}\n" in page.read_text(encoding="utf-8")
        assert f"]({kind}/{name}.md)" in index, f"{name} is not in docs/README.md"


def test_joints_have_their_rows_and_coordinates(pawl):
    done = pawl("list", "joints")
    found = {}
    for line in done.stdout.splitlines()[1:]:
        name, rows, rest = line.split(maxsplit=2)
        found[name] = (int(rows), 0 if rest == "-" else len(rest.split(",")))
    assert found == JOINTS


def test_default_of_every_setting_can_be_set(pawl):
    model = pawl.write("stone")
    lines = pawl("list", "settings").stdout.splitlines()[1:]
    assert {line.split()[0] for line in lines} >= {
        "project", "solver.tolerance", "solver.max_iterations", "erp.joint"}
    sets = []
    for line in lines:
        key, value = line.split()[:2]
        sets += ["--set", f"{key}={value}"]
    plain = pawl.json("run", model, "--time", 0.01)
    spelled_out = pawl.json("run", model, "--time", 0.01, *sets)
    assert spelled_out["settings"] == plain["settings"]
    assert spelled_out["hash"] == plain["hash"]


def test_models_are_listed_with_paths_that_can_be_checked(pawl):
    done = pawl("list", "models")
    assert done.returncode == 0, done.stderr
    assert "cannot be read" not in done.stdout
    rows = [line.rsplit(maxsplit=2) for line in done.stdout.splitlines()[1:]]
    found = {os.path.basename(path): (path, int(bodies), int(joints))
             for path, bodies, joints in rows}
    path, bodies, joints = found["fourbar-fixed.sdf"]
    assert (bodies, joints) == (4, 5)
    assert pawl("check", path).returncode == 0
