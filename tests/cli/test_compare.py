# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""pawl compare: settings that differ, verdicts, and one page for several runs."""

from pages import document


def test_what_differs_is_printed_and_in_the_page(pawl):
    model = pawl.model("primitives/fourbar-fixed.sdf")
    for stepper in ("euler", "moreau"):
        done = pawl("run", model, "--time", 0.3, "--stepper", stepper, "-o", f"{stepper}.h5")
        assert done.returncode == 0, done.stderr
    done = pawl("compare", "euler.h5", "moreau.h5", "--html", "both.html")
    assert done.returncode == 0, done.stderr
    lines = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line.strip()}
    assert lines["stepper"] == ["euler", "moreau"]
    assert "dt" not in lines and lines["verdict"] == ["PASSED", "PASSED"]
    page = document(pawl.folder / "both.html")
    assert page["page"] == "compare" and [run["run"]["stepper"] for run in page["runs"]] == ["euler", "moreau"]


def test_a_run_that_failed_and_too_few_runs(pawl):
    model = pawl.model("primitives/fourbar-fixed.sdf")
    assert pawl("run", model, "--time", 0.3, "-o", "a.h5").returncode == 0
    assert pawl("run", model, "--time", 20, "--dt", 0.5, "-o", "b.h5").returncode == 1
    assert pawl("compare", "a.h5", "b.h5").returncode == 1
    done = pawl("compare", "a.h5")
    assert done.returncode == 2 and "got 1 recordings" in done.stderr
    assert pawl("compare", "a.h5", "no.h5").returncode == 2
    done = pawl("compare", "a.h5", "b.h5", "--html", "a.h5")
    assert done.returncode == 2 and "overwritten" in done.stderr
