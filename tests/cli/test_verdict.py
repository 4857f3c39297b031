# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""One verdict: text, JSON, page and exit code say the same, of runs that pass, fail, end early and are resumed."""

import json
import os
import re
import resource
import signal
import subprocess
import time

import pytest

from conftest import COMMAND, ROOT
from pages import document

NAMES = ["completed", "finite", "residual", "coulomb", "position_updates", "closure", "closure_rotation",
         "misfit", "passage", "limits", "penetration", "passed_through", "energy", "work", "impacts",
         "imbalance", "dissipation", "divided"]

JUMP = """<?xml version="1.0"?>
<sdf version="1.10" xmlns:pawl="urn:pawl:sdf"><world name="jump"><model name="jump">
<link name="arm"><pose>0.3 0 0 0 0 0</pose><inertial><mass>2</mass>
<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial></link>
<joint name="shoulder" type="revolute"><parent>world</parent><child>arm</child><pose>-0.3 0 0 0 0 0</pose>
<axis><xyz>0 1 0</xyz></axis></joint>
<pawl:motion name="target" joint="shoulder"><pawl:table>0 0 0.02 0 0.021 {angle}</pawl:table></pawl:motion>
</model></world></sdf>
"""


def criteria_of_page(path):
    """Name, whether it passed (None: not judged) of each criterion."""
    return {c["name"]: c["met"] for c in document(path)["verdict"]["criteria"]}


def criteria_of_text(text, titles):
    found = {}
    for line in text.splitlines():
        for name, title in titles.items():
            if line.startswith("  " + title + " "):
                found[name] = (False if " FAILED" in line else None if "not judged" in line else
                               True if " passed" in line else "?")
    return found


def check_agreement(pawl, code, *arguments):
    """All four forms of one run; returns the JSON's verdict."""
    done = pawl("run", *arguments, "-o", "a.h5", "--json", "a.json", "--quiet")
    assert done.returncode == code, done.stdout + done.stderr
    summary = json.loads((pawl.folder / "a.json").read_text())
    verdict = summary["verdict"]
    assert summary["format"] == 1
    assert [c["name"] for c in verdict["criteria"]] == NAMES
    met = {c["name"]: c["met"] for c in verdict["criteria"]}
    for c in verdict["criteria"]:
        assert set(c) == {"name", "title", "unit", "value", "limit", "met", "where", "what_to_do"}
        if c["met"] is not None and c["value"] is not None:
            assert c["met"] == (c["value"] <= c["limit"]), c
    assert verdict["passed"] == (False not in met.values())
    assert verdict["passed"] == (code == 0)
    assert verdict["criteria_failed"] == list(met.values()).count(False)
    titles = {c["name"]: c["title"] for c in verdict["criteria"]}
    assert criteria_of_text(done.stdout, titles) == met
    assert done.stdout.rstrip().splitlines()[-1] == "verdict: " + verdict["sentence"]
    report = pawl("report", "a.h5")
    assert report.returncode == code, report.stderr
    assert report.stdout.splitlines()[-1] == "verdict: " + verdict["sentence"]
    page = pawl.folder / "a.html"
    assert criteria_of_page(page) == met
    shown = document(page)["verdict"]
    assert shown["sentence"] == verdict["sentence"]
    assert shown["passed"] == (code == 0)
    return {c["name"]: c for c in verdict["criteria"]}


@pytest.mark.parametrize("model, options, failed", [
    ("primitives/fourbar-fixed.sdf", ["--dt", 0.5, "--time", 20], {"energy"}),
    ("primitives/fourbar-fixed.sdf", ["--dt", 0.4, "--time", 12, "--stepper", "moreau"], {"energy"}),
    ("classics/chain-100.sdf", ["--dt", 0.1, "--stepper", "euler"],
     {"position_updates", "closure", "energy"}),
    ("classics/C2-car-axis.sdf", ["--dt", 0.1, "--stepper", "euler"], {"energy"}),
    ("joints/revolute.sdf", ["--dt", 0.02, "--time", 2, "--stepper", "euler"], {"energy"}),
    ("primitives/nunchuk.sdf", ["--time", 0.3, "--set", "solver.max_iterations=1", "--solver", "pgs-ncp"],
     {"residual", "coulomb"}),
])
def test_runs_that_fail_say_so_everywhere(pawl, model, options, failed):
    criteria = check_agreement(pawl, 1, pawl.model(model), *options)
    got = {name for name, c in criteria.items() if c["met"] is False}
    assert failed <= got, got
    assert all(criteria[name]["what_to_do"] for name in got)


@pytest.mark.parametrize("model, options", [
    ("primitives/fourbar-fixed.sdf", ["--time", 1]),
    ("primitives/box-on-plane.sdf", ["--time", 0.5]),
    ("primitives/box-on-plane.sdf", ["--time", 0.5, "--solver", "pgs-ccp"]),
    ("primitives/box-on-plane.sdf", ["--time", 0.5, "--solver", "lemke"]),
    ("primitives/box-on-plane.sdf", ["--time", 0.5, "--solver", "nbgs"]),
    ("joints/revolute.sdf", ["--time", 1, "--stepper", "lit"]),
    ("nmdp/spider-planar.sdf", ["--time", 0.2, "--dt", 0.01, "--stepper", "nmdp"]),
    ("joints/spherical.sdf", ["--time", 1, "--set", "verdict.closure=inf"]),
])
def test_runs_that_pass_say_so_everywhere(pawl, model, options):
    check_agreement(pawl, 0, pawl.model(model), *options)


@pytest.mark.parametrize("angle", [40, 1e3, 1e6])
@pytest.mark.parametrize("stepper", ["euler", "moreau", "rattle"])
def test_a_motion_that_jumps_fails(pawl, angle, stepper):
    (pawl.folder / "jump.sdf").write_text(JUMP.format(angle=angle))
    criteria = check_agreement(pawl, 1, "jump.sdf", "--time", 0.5, "--stepper", stepper)
    assert False in (criteria["closure"]["met"], criteria["energy"]["met"],
                     criteria["position_updates"]["met"])


def test_nmdp_is_judged_by_its_own_tolerance(pawl):
    criteria = check_agreement(pawl, 0, pawl.model("nmdp/robosimian-planar.sdf"), "--stepper", "nmdp", "--dt",
                               0.02, "--time", 0.4, "--set", "solver.tolerance=1e-30")
    residual = criteria["residual"]
    assert residual["limit"] == 1e-6 and 0 < residual["value"] <= 1e-6
    assert criteria["penetration"]["value"] > 0 and criteria["coulomb"]["value"] is None
    criteria = check_agreement(pawl, 1, pawl.model("nmdp/robosimian-planar.sdf"), "--stepper", "nmdp", "--dt",
                               0.02, "--time", 0.4, "--set", "nmdp.max_iterations=1")
    assert criteria["residual"]["met"] is False


def test_limits_are_settings_and_a_recording_keeps_them(pawl):
    model = pawl.model("primitives/fourbar-fixed.sdf")
    check_agreement(pawl, 1, model, "--time", 1, "--set", "verdict.energy=1e-9")
    check_agreement(pawl, 0, model, "--time", 1, "--set", "verdict.energy=inf")
    check_agreement(pawl, 0, model, "--dt", 0.5, "--time", 20, "--set", "verdict.energy=10")


def test_a_resumed_run_has_the_verdict_of_the_whole(pawl):
    # What failed before it was stopped has failed, whatever came after.
    model = pawl.model("classics/chain-100.sdf")
    options = ("--dt", 0.1, "--stepper", "euler")
    whole = check_agreement(pawl, 1, model, *options, "--time", 3)
    assert pawl("run", model, *options, "--time", 1.5, "-o", "b.h5").returncode == 1
    done = pawl("run", "--resume", "b.h5", "--time", 3, "--json", "b.json", "--quiet")
    assert done.returncode == 1
    resumed = json.loads((pawl.folder / "b.json").read_text())["verdict"]["criteria"]
    assert {c["name"]: c for c in resumed} == whole


# ---- runs that end early -----------------------------------------------------------------------


def start_run(pawl, *arguments, **options):
    return subprocess.Popen([COMMAND, "run", *map(str, arguments)], cwd=pawl.folder, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_run_stopped_by_a_signal_says_so(pawl, number):
    run = start_run(pawl, pawl.model("primitives/fourbar-fixed.sdf"), "--time", 100000, "--every", 1, "-o",
                    "a.h5", "--json", "a.json")
    until = time.monotonic() + 60
    while not (pawl.folder / "a.h5").exists() and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.3)
    run.send_signal(number)
    out, _ = run.communicate(timeout=60)
    assert run.returncode == 128 + number
    last = out.rstrip().splitlines()[-1]
    assert "NOT MET: time not reached" in last and "stopped at t = " in last and "by a signal" in last
    summary = json.loads((pawl.folder / "a.json").read_text())
    assert summary["events"][-1]["kind"] == "interrupted"
    completed = summary["verdict"]["criteria"][0]
    assert completed["name"] == "completed" and completed["met"] is False and completed["value"] > 0
    assert pawl("report", "a.h5").returncode == 1
    assert document(pawl.folder / "a.html")["verdict"]["sentence"] == last[len("verdict: "):]
    # Resumed to its end it is complete again.
    reached = summary["time"]
    done = pawl("run", "--resume", "a.h5", "--time", round(reached + 1), "--quiet")
    assert "time not reached                          0 s" in done.stdout, done.stdout


def test_a_run_that_is_killed_is_not_complete(pawl):
    run = start_run(pawl, pawl.model("primitives/fourbar-fixed.sdf"), "--time", 100000, "--every", 1, "-o",
                    "a.h5")
    until = time.monotonic() + 60
    while not (pawl.folder / "a.h5").exists() and time.monotonic() < until:
        time.sleep(0.05)
    run.kill()
    run.communicate(timeout=60)
    done = pawl("report", "a.h5")
    assert done.returncode == 1 and "not finished, or killed" in done.stdout


def small_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then writing beyond the limit fails, as on a full disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (400000, 400000))


def test_a_full_disk_ends_the_run_with_a_verdict(pawl):
    run = start_run(pawl, pawl.model("classics/chain-10.sdf"), "--time", 50, "-o", "a.h5", "--json", "a.json",
                    "--quiet", preexec_fn=small_files)
    out, err = run.communicate(timeout=120)
    assert run.returncode == 2, out + err
    last = out.rstrip().splitlines()[-1]
    assert "NOT MET: time not reached" in last and "could not be written" in last
    summary = json.loads((pawl.folder / "a.json").read_text())
    event = summary["events"][-1]
    assert event["kind"] == "failed" and event["where"] and 0 < event["time"] < 50
    assert summary["verdict"]["passed"] is False
    assert pawl("report", "a.h5").returncode == 1  # of what reached the disk


def test_a_step_without_solution_ends_the_run_with_a_verdict(pawl):
    model = pawl.write("heavy", gravity="0 0 -1e307")
    done = pawl("run", model, "--dt", 1, "--time", 100, "--json", "a.json", "-o", "a.h5")
    assert done.returncode == 1
    assert "stopped at t = " in done.stdout and "the next step has no solution" in done.stdout
    summary = json.loads((pawl.folder / "a.json").read_text())
    assert summary["events"][-1]["kind"] == "failed"


def test_an_old_recording_is_judged_by_what_it_has(pawl):
    done = pawl("report", os.path.join(ROOT, "tests/data/recordings/format3.h5"), "-o", "old.html")
    assert done.returncode in (0, 1), done.stderr
    met = criteria_of_page(pawl.folder / "old.html")
    assert set(met) == set(NAMES)
    assert met["closure"] is None and met["work"] is None and met["completed"] is None
    assert met["residual"] is not None and met["energy"] is not None
