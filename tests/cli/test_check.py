# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""pawl check: counts, rank and redundancy against figures known by other means."""

import json

import pytest

KEYS = {"format", "model", "mass", "com", "mobility", "velocities", "free_bases", "coordinates",
        "actuated", "mass_ratio", "redundant", "loop_joints", "singular",
        "generic_rank", "smallest_ratio", "weak", "misfit", "assembly", "warnings", "bodies", "frames", "joints",
        "contact_points", "formulation"}


def test_fourbar_fixed_has_the_counts_of_seed_002_table_ii(pawl):
    found = pawl.json("check", pawl.model("primitives/fourbar-fixed.sdf"))
    assert set(found) == KEYS
    assert found["model"] == {
        "name": "fourbar-fixed", "bodies": 4, "joints": 5, "dofs": 1, "rows": 26, "rank": 23}
    assert found["mobility"] == 1
    assert found["mass"] == pytest.approx(4)
    assert len(found["redundant"]) == 26 - 23
    names = {joint["name"] for joint in found["joints"]}
    revolute = {j["name"] for j in found["joints"] if j["kind"] == "revolute"}
    for row in found["redundant"]:
        assert set(row) == {"joint", "row", "what"}
        assert row["joint"] in names
    # The loop is the four hinges; the weld to the world is no part of it.
    assert set(found["loop_joints"]) == revolute
    assert found["assembly"]["assembled"]["position"] < 1e-12
    assert found["warnings"] == []


def test_fourbar_free_has_the_counts_of_seed_002_table_ii(pawl):
    model = pawl.json("check", pawl.model("primitives/fourbar-free.sdf"))["model"]
    assert (model["bodies"], model["joints"], model["rows"], model["rank"]) == (4, 4, 20, 17)
    assert model["dofs"] == 24 - 17


def test_table_says_it_in_words(pawl):
    done = pawl("check", pawl.model("primitives/fourbar-fixed.sdf"))
    assert done.returncode == 0
    assert done.stderr == ""
    figures = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) >= 2 and words[1].isdigit():
            figures.setdefault(words[0], int(words[1]))
    assert figures["bodies"] == 4
    assert figures["joints"] == 5
    assert figures["rows"] == 26
    assert figures["rank"] == 23
    assert figures["mobility"] == 1
    assert "redundant row" in done.stdout
    assert "can be simulated" in done.stdout.splitlines()[-1]


def test_run_and_check_agree_on_the_model(pawl):
    for path in ("joints/universal.sdf", "joints/gear.sdf", "classics/A02-N2.sdf"):
        checked = pawl.json("check", pawl.model(path))["model"]
        assert pawl.json("run", pawl.model(path), "--time", 0.01)["model"] == checked


def test_a_body_alone(pawl):
    found = pawl.json("check", pawl.write("stone"))
    assert found["mobility"] == 6
    assert found["mass"] == 2
    assert found["com"] == [0, 0, 0]
    assert found["redundant"] == [] and found["loop_joints"] == []
    assert found["bodies"][0]["inertia"] == pytest.approx([0.1, 0.2, 0.25, 0, 0, 0])


def test_joints_that_cannot_meet_are_refused_by_name(pawl):
    model = pawl.write_impossible()
    done = pawl("check", model, "--json", "a.json")
    assert done.returncode == 2
    assert "near" in done.stderr or "far" in done.stderr
    found = json.loads((pawl.folder / "a.json").read_text())
    assert set(found) == KEYS
    assert found["assembly"]["assembled"] is None
    assert found["assembly"]["start"]["worst_joint"] == "far"
    assert found["model"]["rank"] is None
    ran = pawl("run", model, "--time", 1, "-o", "a.h5")
    assert ran.returncode == 2
    assert "near" in ran.stderr or "far" in ran.stderr
    assert not (pawl.folder / "a.h5").exists()


def test_warnings_are_shown_counted_and_in_the_json(pawl):
    model = pawl.write("stone", gravity="0 0 0", more="<unheard_of>3</unheard_of>")
    done = pawl("check", model, "--json", "a.json")
    assert done.returncode == 0
    assert "warning: " in done.stderr and "unheard_of" in done.stderr and "stone.sdf:" in done.stderr
    assert "1 warning" in done.stdout
    found = json.loads((pawl.folder / "a.json").read_text())
    assert len(found["warnings"]) == 1 and "unheard_of" in found["warnings"][0]["text"]
    assert found["warnings"][0]["kind"] == "file" and found["format"] == 2


def test_contact_points_are_listed(pawl):
    path = pawl.model("wrench/four-feet.sdf")
    points = pawl.json("check", path)["contact_points"]
    assert [(p["name"], p["body"], p["model"], p["kind"], p["radius"]) for p in points] == [
        ("front_left", "stool", "rubber", "coulomb", 0),
        ("front_right", "stool", "skate", "anisotropic", 0),
        ("rear_left", "stool", "pad", "patch", 0),
        ("rear_right", "stool", "sand", "table", 0.05)]
    assert points[3]["position"] == [-0.3, -0.3, -0.15]
    text = pawl("check", path).stdout
    assert "contact point  body   model        radius [m]  where [m]" in text
    assert "rear_right     stool  table              0.05  -0.3, -0.3, -0.15" in text
