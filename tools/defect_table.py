#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Runs the reproducers of known defects and prints one line of figures for each.

Usage: tools/defect_table.py [--pawl build/pawl] [--before OTHER_PAWL] [ROW ...]

The reproducers are models in ../shared/defects and ../shared/robots, beside the project; a row whose
file is not there is printed as skipped. With --before every command also runs with another build of
pawl, and both results stand below each other. A result is the exit code, what the run measured and
the verdict. The regression tests in tests/regress/ check the same defects on variations of their
own; this table is for people who want to see the figures.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile

SHARED = os.path.join("..", "shared")
DEFECTS = os.path.join(SHARED, "defects")
ROBOTS = os.path.join(SHARED, "robots")
TIME_LIMIT = 120  # seconds for one command


def defect(name):
    return os.path.join(DEFECTS, name)


def robot(*parts):
    return os.path.join(ROBOTS, *parts)


GO2 = robot("Gepetto+example-robot-data", "robots", "go2_description", "urdf", "go2.urdf")
CASSIE = robot("Gepetto+example-robot-data", "robots", "cassie_description", "robots", "cassie.sdf")
WRENCH = robot("gazebosim+gz-physics", "test", "common_test", "worlds", "pendulum_joint_wrench.sdf")


def run(model, *options):
    return ["run", model, *options]


def stop_early(model, *options):
    """A run that gets SIGHUP after a second."""
    return ["SIGHUP", "run", model, *options]


# row, commands
ROWS = [
    ("V1", run("models/primitives/fourbar-fixed.sdf", "--dt", "0.5", "--time", "20")),
    ("V1", run("models/classics/chain-100.sdf", "--dt", "0.1", "--time", "5")),
    ("V1", run("models/classics/C2-car-axis.sdf", "--dt", "0.1", "--time", "5")),
    ("V1", run(defect("motion-jump.sdf"), "--time", "2")),
    ("V1", run("models/joints/revolute.sdf", "--dt", "0.02", "--time", "2")),
    ("V2", run("models/nmdp/robosimian-planar.sdf", "--stepper", "nmdp", "--dt", "0.02", "--time",
               "0.5", "--set", "solver.tolerance=1e-30")),
    *[("V3", run("models/primitives/nunchuk.sdf", "--time", "1.5", "--solver", s, "--set",
                 "solver.tolerance=1e-6")) for s in ("auto", "admm-ncp", "newton")],
    ("V3", run(WRENCH, "--time", "2")),
    *[("V4", run("models/primitives/box-on-plane.sdf", "--time", "1", "--solver", s))
      for s in ("pgs-ccp", "admm-ccp", "nbgs", "raisim", "lemke")],
    ("V7", stop_early("models/quickstart.sdf", "--time", "1000")),
    *[("P1", run(defect(f"tilted-fourbar-{n}-digits.sdf"), "--dt", "2.5e-3", "--time", "5",
                 "--stepper", "moreau")) for n in (4, 6, 7, 8, 9, 12)],
    *[("P2", run(defect(f"door-hinges-off-{d}-m.sdf"), "--time", "2"))
      for d in ("1e-9", "1e-6", "1e-4")],
    ("P5", run(GO2, "--time", "0.001", "--lenient")),
    ("P5", run(CASSIE, "--time", "0.001", "--lenient")),
    ("P6", run(defect("overlap-gain-5MJ.sdf"), "--time", "2")),
    ("P6", run(defect("wedge-overlap-100-m-per-s.sdf"), "--time", "2")),
    ("P7", run(defect("light-foot-impact.sdf"), "--stepper", "lit", "--time", "0.5")),
    ("P8", run(defect("rod-impact-gains-17-percent.sdf"), "--time", "1")),
    ("P8", run(defect("thin-box-e1-gains-26-percent.sdf"), "--time", "1")),
    ("P8", run(defect("spinning-hull-e1-gains-53-percent.sdf"), "--time", "1")),
    ("P9", run(defect("dampers-positive-work.sdf"), "--time", "2")),
    ("P9", run(defect("spring-stiff-drift100.sdf"), "--time", "2")),
    *[("P10", run(defect("heightfield-under-lit.sdf"), "--time", "1", "--stepper", s))
      for s in ("lit", "euler", "moreau")],
    ("P11", run(defect("collision-mesh-dropped.sdf"), "--time", "1")),
    *[("P12", run(defect(f"fast-robot-{f}.urdf"), "--time", "1", "--dt", "0.01", "--stepper", s))
      for s in ("euler", "lit") for f in ("at-rest", "20-m-per-s")],
    ("P13", run("models/classics/A02-N40.sdf", "--time", "2", "--stepper", "rattle")),
    ("P17", run("models/lit/rover.sdf", "--time", "0.2", "--stepper", "lit", "--set",
                "lit.variant=paper", "--set", "lit.scheme=1")),
    ("N1", run(defect("nmdp-rolling-ball.sdf"), "--stepper", "nmdp", "--time", "2")),
    ("N2", run(defect("mdp-sliding-box.sdf"), "--stepper", "mdp", "--time", "1")),
    ("A7", run(defect("hang-massratio-lit-reduced.sdf"), "--time", "0.2", "--stepper", "lit",
               "--formulation", "reduced")),
    ("A7", run(defect("slow-overlap-lit.sdf"), "--time", "0.2", "--stepper", "lit")),
]


def execute(pawl, command, folder):
    """Exit code, printed lines and JSON of a command; None for the code where it took too long."""
    out = os.path.join(folder, "result.json")
    if os.path.exists(out):
        os.remove(out)
    interrupt = command[0] == "SIGHUP"
    words = [pawl, *(command[1:] if interrupt else command), "--json", out]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace")
    try:
        if interrupt:
            try:
                process.wait(timeout=1)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGHUP)
        text, _ = process.communicate(timeout=TIME_LIMIT)
        code = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        text, _ = process.communicate()
        code = None
    result = None
    if os.path.exists(out):
        with open(out, encoding="utf-8") as file:
            try:
                result = json.load(file)
            except ValueError:
                result = None
    return code, text.strip().splitlines(), result


def figure(result, path):
    for key in path.split("."):
        if not isinstance(result, dict) or key not in result:
            return None
        result = result[key]
    return result


def describe(code, lines, result):
    """One line: exit code, energy, closure, contacts, time a step, the last line printed."""
    words = ["no end within %d s" % TIME_LIMIT if code is None else f"rc {code}"]
    for label, path, form in (("E", "energy.initial", "%.4g"), ("->", "energy.final", "%.4g J"),
                              ("joints", "closure.position", "%.1e m"),
                              ("contacts", "contacts.max", "%d"),
                              ("depth", "penetration.depth", "%.1e m"),
                              ("step", "us_per_step.median", "%.0f us"),
                              ("hash", "hash", "%s")):
        value = figure(result, path)
        if value is not None:
            words.append(f"{label} {form % value}")
    verdict = [line.strip() for line in lines if "verdict" in line.lower()]
    words.append((verdict or lines or ["printed nothing"])[-1].strip())
    return ", ".join(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pawl", default=os.path.join("build", "pawl"), help="the command to judge")
    parser.add_argument("--before", help="an older build to put beside it")
    parser.add_argument("rows", nargs="*", help="rows to run, such as P1; all without any")
    options = parser.parse_args()
    builds = [("before", options.before)] if options.before else []
    builds.append(("after" if options.before else "result", options.pawl))
    known = {row for row, _ in ROWS}
    for row in options.rows:
        if row not in known:
            print(f"there is no row {row}; expected one of {' '.join(sorted(known))}",
                  file=sys.stderr)
            return 2
    with tempfile.TemporaryDirectory() as folder:
        for row, command in ROWS:
            if options.rows and row not in options.rows:
                continue
            print(f"{row:4} pawl {' '.join(command)}", flush=True)
            missing = [word for word in command if word.startswith("..") and not os.path.exists(word)]
            if missing:
                print(f"     skipped: {missing[0]} is not here")
                continue
            for label, pawl in builds:
                print(f"     {label}: {describe(*execute(pawl, command, folder))}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
