# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""pawl reproduce nmdp-*: robots that jump and walk. Figures of the paper and of the independent
measurements are typed here once more: the command's own copy is not trusted."""

import json

import pytest

MEASURED = {  # highest torso by method and dt [ms]
    "NE-NMDP-PGM": {5: 1.26, 20: 1.08, 50: 0.96},
    "PBD-NMDP-PGM": {5: 1.26, 20: 1.09, 50: 1.00},
}
PRINTED = {  # Table I
    "Robosimian-Walk-Dist": (0.72, 0.25, 0.10),
    "Robosimian-Jump-Height": (0.26, 0.01, 0.02),
    "Spider-Walk-Dist": (0.09, 0.09, 0.10),
    "Spider-Jump-Height": (0.13, 0.04, 0.05),
}


def quick(pawl, name, may_miss=()):
    """Claims with a phrase of `may_miss` depend on the gait or the machine; the exit code says so."""
    done = pawl("reproduce", name, "--quick", "--json", "study.json", "--html", "page.html")
    study = json.loads((pawl.folder / "study.json").read_text())
    assert study["name"] == name and study["claims"] and study["plots"]
    missed = [claim for claim in study["claims"] if not claim["met"]]
    assert all(any(words in claim["claim"] for words in may_miss) for claim in missed), missed
    assert study["met"] == (not missed) and done.returncode == (1 if missed else 0), done.stdout
    for plot in study["plots"]:
        for curve in plot["curves"]:
            assert len(curve["x"]) == len(curve["y"]) > 1
    assert "<svg" in (pawl.folder / "page.html").read_text(encoding="utf-8")
    return study


def column(table, name):
    """The first of that name."""
    return [c["name"] for c in table["columns"]].index(name)


def test_the_jump_is_as_high_as_was_measured(pawl):
    study = quick(pawl, "nmdp-height")
    table = study["tables"][0]
    method, dt, height = (column(table, name) for name in ("method", "dt", "highest"))
    seen = 0
    for row in table["rows"]:
        measured = MEASURED.get(row[method], {}).get(round(row[dt]))
        if measured is not None:
            assert row[height] == pytest.approx(measured, rel=0.1)
            seen += 1
    assert seen == 6


def test_the_linearized_method_explodes_where_the_others_stand(pawl):
    study = quick(pawl, "nmdp-tilt")
    table = study["tables"][0]
    stands = {row[0]: row[1] for row in table["rows"]}
    assert stands["NE-MDP"] <= 15
    for name in ("NE-NMDP-PGM", "NE-NMDP-ZOPGM", "PBD-NMDP-PGM", "PBD-NMDP-ZOPGM"):
        assert stands[name] == 50


def test_table_one_has_the_papers_numbers_beside_ours_and_says_which_steps(pawl):
    study = quick(pawl, "nmdp-table1", may_miss=("as in the paper",))
    table = study["tables"][0]
    assert "4, 5 ms" in table["note"] and "30, 40, 50 ms" in table["note"]
    for row in table["rows"]:
        assert tuple(row[k] for k in (2, 5, 8)) == PRINTED[row[0]]
        assert all(row[k] >= 0 for k in (1, 4, 7))


def test_the_walk_goes_forward(pawl):
    study = quick(pawl, "nmdp-walk")
    table = study["tables"][0]
    distance = column(table, "distance")
    assert all(row[distance] > 0.1 for row in table["rows"] if row[2] == "stands")


def test_the_cost_counts_frames_and_iterations(pawl):
    study = quick(pawl, "nmdp-cost", may_miss=("time of a frame",))
    rows = {row[0]: row for row in study["tables"][0]["rows"]}
    assert rows["NE-MDP, stable PD"][3] == 1.0  # the unit of time
    assert rows["NE-NMDP-ZOPGM"][4] > rows["NE-NMDP-PGM"][4] > 1.0
    assert rows["NE-NMDP-PGM"][1] == rows["PBD-NMDP-PGM"][1] == 40  # frames
