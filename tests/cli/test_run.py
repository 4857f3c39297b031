# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""pawl run: its JSON, its verdict, its exit codes, and going on with a recording."""

import json
import os
import pty
import re
import signal
import subprocess
import time

import pytest

from pages import document

FOURBAR = "primitives/fourbar-fixed.sdf"

KEYS = {
    "model": {"name", "bodies", "joints", "dofs", "rows", "rank"},
    "us_per_step": {"median", "mean", "p99"},
    "phases_us": {"collide", "assemble", "solve", "move", "rest"},
    "iterations": {"mean", "max"},
    "factorizations": {"mean", "max"},
    "methods": {"none", "direct", "sweeps", "admm", "newton"},
    "islands": {"mean", "max"},
    "asleep": {"mean", "max"},
    "residual": {"primal", "dual", "complementarity", "natural", "natural_scaled", "own"},
    "closure": {"position", "rotation", "worst_joint"},
    "energy": {"initial", "final", "turned_over", "unexplained"},
    "verdict": {"passed", "criteria_passed", "criteria_failed", "sentence", "criteria"},
    "contacts": {"max", "mean"},
    "event_counts": {"collision", "limit", "impact", "takeoff", "stick", "slip", "reversal",
                     "lasting", "unresolved", "tunnelled", "fallback",
                     "impact_capped", "impact_fallback"},
    "final": {"bodies", "joints"},
}
PLAIN = {"format", "settings", "steps", "time", "wall_s", "not_converged", "penetration", "events",
         "hash", "warnings"}


def check_keys(summary):
    """All keys of DESIGN.md section 3 and no others."""
    assert set(summary) == PLAIN | set(KEYS)
    for key, inner in KEYS.items():
        assert set(summary[key]) == inner, key
    for body in summary["final"]["bodies"]:
        assert set(body) == {"name", "position", "quaternion", "linear", "angular"}
        assert [len(body[k]) for k in ("position", "quaternion", "linear", "angular")] == [
            3, 4, 3, 3]
    for joint in summary["final"]["joints"]:
        assert set(joint) == {"name", "position", "velocity"}
        assert len(joint["position"]) == len(joint["velocity"])
    for event in summary["events"]:
        assert set(event) == {"time", "kind", "where", "figure"}
    assert re.fullmatch("[0-9a-f]{16}", summary["hash"])


def test_summary_has_every_key_with_and_without_joints(pawl):
    check_keys(pawl.json("run", pawl.model(FOURBAR), "--time", 0.05))
    check_keys(pawl.json("run", pawl.write("stone"), "--time", 0.05))
    check_keys(pawl.json("run", pawl.write("stone"), "--time", 0))


def test_free_fall_is_the_sum_that_semi_implicit_euler_gives(pawl):
    # v_k = -g k dt, z_n = dt sum v_k = -g dt^2 n (n + 1) / 2, by hand.
    summary = pawl.json("run", pawl.write("stone"), "--time", 1, "--dt", 0.01, "--stepper", "euler")
    body = summary["final"]["bodies"][0]
    assert body["name"] == "stone"
    assert body["position"] == pytest.approx([0, 0, -9.81 * 1e-4 * 100 * 101 / 2], abs=1e-12)
    assert body["linear"] == pytest.approx([0, 0, -9.81], abs=1e-12)
    assert body["quaternion"] == [1, 0, 0, 0]
    assert summary["steps"] == 100
    assert summary["time"] == pytest.approx(1)
    assert summary["model"] == {
        "name": "stone", "bodies": 1, "joints": 0, "dofs": 6, "rows": 0, "rank": 0}
    assert summary["energy"]["initial"] == 0
    assert summary["closure"]["worst_joint"] is None


def test_fourbar_has_the_counts_of_its_table(pawl):
    summary = pawl.json("run", pawl.model(FOURBAR), "--time", 0.1, "--set", "project=on")
    assert summary["model"] == {
        "name": "fourbar-fixed", "bodies": 4, "joints": 5, "dofs": 1, "rows": 26, "rank": 23}
    assert summary["closure"]["position"] <= 1e-10
    assert summary["closure"]["worst_joint"] in {j["name"] for j in summary["final"]["joints"]}
    assert summary["not_converged"] == 0
    assert summary["us_per_step"]["median"] <= summary["us_per_step"]["p99"]
    assert all(t >= 0 for t in summary["phases_us"].values())
    assert 0 < sum(summary["phases_us"].values()) <= summary["us_per_step"]["mean"]


def test_settings_tell_what_was_asked_for(pawl):
    settings = pawl.json("run", pawl.write("stone"), "--time", 0.5, "--dt", 0.002, "--stepper",
                         "moreau", "--set", "project=on", "--set", "solver.tolerance=1e-7",
                         "--set", "project=off", "--solver", "pgs-ncp")["settings"]
    assert settings["time"] == 0.5
    assert settings["dt"] == 0.002
    assert settings["stepper"] == "moreau"
    assert settings["solver"] == "pgs-ncp"
    assert settings["formulation"] == "maximal"
    assert settings["project"] is False
    assert settings["solver.tolerance"] == 1e-7
    listed = pawl("list", "settings").stdout.splitlines()[1:]
    assert {line.split()[0] for line in listed} <= set(settings)


def test_numbers_keep_all_their_bits(pawl):
    # 0.1 + 0.2 is not 0.3: only 17 digits tell them apart.
    pawl.write("stone", more="<pose>0.30000000000000004 0 0 0 0 0</pose>")
    done = pawl("run", "stone.sdf", "--time", 0, "--json", "-")
    assert "0.30000000000000004" in done.stdout


def test_same_run_twice_has_the_same_hash_and_the_files_agree(pawl):
    first = pawl.json("run", pawl.model(FOURBAR), "--time", 0.2)
    done = pawl("run", pawl.model(FOURBAR), "--time", 0.2, "--json", "a.json", "-o", "a.h5",
                "--every", 0.05, "--trace", "q,energy")
    assert done.returncode == 0, done.stderr
    second = json.loads((pawl.folder / "a.json").read_text())
    assert first["hash"] == second["hash"]
    assert first["final"] == second["final"]
    other = pawl.json("run", pawl.model(FOURBAR), "--time", 0.201)
    assert other["hash"] != first["hash"]
    assert sorted(os.listdir(pawl.folder)) == ["a.h5", "a.json"]  # no temporary file is left


def test_verdict_goes_to_stdout_even_when_quiet(pawl):
    done = pawl("run", pawl.model(FOURBAR), "--time", 0.1, "--quiet")
    assert done.returncode == 0
    assert done.stderr == ""
    for word in ("closure", "limits", "residual", "energy", "kinetic", "speed"):
        assert re.search(rf"\b{word}\b", done.stdout), word
    last = done.stdout.rstrip().splitlines()[-1]
    assert re.fullmatch(r"verdict: PASSED, all \d+ criteria judged", last)


def test_json_on_stdout_is_alone_there(pawl):
    done = pawl("run", pawl.write("stone"), "--time", 0.1, "--json", "-", "--quiet")
    json.loads(done.stdout)
    assert "verdict:" in done.stderr


CRATE = '''<?xml version="1.0"?>
<sdf version="1.10">
  <world name="crate">
    <gravity>0 0 -9.81</gravity>
    <model name="ground"><static>true</static><link name="ground"><collision name="floor">
      <geometry><plane><normal>0 0 1</normal></plane></geometry></collision></link></model>
    <model name="crate"><pose>0 0 0.5 0 0 0</pose><link name="crate">
      <inertial><mass>2</mass><inertia><ixx>0.02</ixx><iyy>0.02</iyy><izz>0.02</izz></inertia></inertial>
      <collision name="side"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
    </link></model>
  </world>
</sdf>
'''


def test_contacts_are_counted_and_their_work_and_worst_pair_are_told(pawl):
    # It falls 0.4 m and lies: the ground takes 2 kg g 0.4 m, and touches at one point.
    (pawl.folder / "crate.sdf").write_text(CRATE)
    summary = pawl.json("run", "crate.sdf", "--time", 1)
    check_keys(summary)
    assert summary["contacts"]["max"] == 1
    assert 0.5 < summary["contacts"]["mean"] < 1
    assert 0 <= summary["penetration"] < 1e-4
    assert summary["final"]["bodies"][0]["position"][2] == pytest.approx(0.1, abs=1e-5)
    done = pawl("run", "crate.sdf", "--time", 1, "--set", "contact.margin=0", "--quiet")
    assert re.search(r"^ +-7\.8\d* J +work of contacts$", done.stdout, re.M), done.stdout
    assert re.search(r"^  contacts +0\.7\d* +a step, at most 1$", done.stdout, re.M), done.stdout
    assert re.search(r"^ +\S+ m +penetration", done.stdout, re.M), done.stdout


def test_nmdp_tells_how_deep_bodies_stand_and_what_its_damping_takes(pawl):
    # Along a straight line what implicit Euler takes is known exactly: nothing is left over.
    (pawl.folder / "crate.sdf").write_text(CRATE)
    options = ("--stepper", "nmdp", "--formulation", "reduced", "--dt", 0.02, "--time", 1)
    summary = pawl.json("run", "crate.sdf", *options)
    # Weight = k d^3 at least, with k = 1e8 N/m^3.
    assert (2 * 9.80665 / 1e8) ** (1 / 3) <= summary["penetration"] < 0.1
    assert summary["energy"]["unexplained"] < 1e-6 * summary["energy"]["turned_over"]
    done = pawl("run", "crate.sdf", *options, "--quiet")
    assert "stepper nmdp, reduced coordinates\n" in done.stdout
    assert re.search(r"^ +\S+e-\d+ m +penetration$", done.stdout, re.M), done.stdout
    assert re.search(r"^ +-\S+ J +work of dampers and numerical damping$", done.stdout, re.M)


# Half a step of moreau at this speed is 5 m, ten times the way to the ground.
BULLET = CRATE.replace('version="1.10"', 'version="1.10" xmlns:pawl="urn:pawl:sdf"').replace(
    "\n    </link>", "\n      <pawl:twist>0 0 -1000 0 0 0</pawl:twist></link>")


# A soft contact slows down what is beyond it, and stops nothing before.
def test_a_body_that_goes_through_another_one_is_reported(pawl):
    (pawl.folder / "bullet.sdf").write_text(BULLET)
    arguments = ("run", "bullet.sdf", "--time", 0.1, "--dt", 0.01, "--set", "soft.contact=0.02")
    done = pawl(*arguments, "-o", "a.h5", "--json", "a.json", "--quiet")
    assert done.returncode == 1, done.stdout
    assert "shapes that passed through 1 (limit 0; world plane" in done.stdout.splitlines()[-1]
    assert re.search(r" 1 +times a shape passed through another; first .* in step 1$", done.stdout,
                     re.M), done.stdout
    summary = json.loads((pawl.folder / "a.json").read_text())
    check_keys(summary)
    (event,) = summary["events"]
    assert event["kind"] == "tunnelled" and event["time"] == 0.01
    assert "plane" in event["where"] and event["figure"] == 1
    assert summary["event_counts"]["tunnelled"] == 1
    assert re.search(r"events +1 +tunnelled$", done.stdout, re.M), done.stdout
    assert pawl("report", "a.h5").returncode == 1
    page = document(pawl.folder / "a.html")
    assert "shapes that passed through 1 (limit 0; world plane" in page["verdict"]["sentence"]
    assert page["events"]["count"] == 1 and len(page["events"]["list"]) == 1
    assert page["motion"]["events"][0]["text"] == "tunnelled" # a tick on the time line and each plot
    # The verdict of a recording continues where it stopped.
    done = pawl("run", "--resume", "a.h5", "--time", 0.2, "--quiet")
    assert done.returncode == 1 and "in step 1" in done.stdout, done.stdout
    # A hard contact stops it, however fast it comes.
    for stepper in ("euler", "moreau"):
        assert pawl("run", "bullet.sdf", "--time", 0.1, "--dt", 0.01, "--stepper", stepper,
                    "--quiet").returncode == 0


def test_without_contacts_there_is_no_penetration(pawl):
    summary = pawl.json("run", pawl.write("stone"), "--time", 0.05)
    assert summary["penetration"] is None
    assert summary["contacts"] == {"max": 0, "mean": 0}


def test_contacts_alone_can_be_traced(pawl):
    (pawl.folder / "crate.sdf").write_text(CRATE)
    done = pawl("run", "crate.sdf", "--time", 0.5, "-o", "a.h5", "--trace", "contacts")
    assert done.returncode == 0, done.stderr
    done = pawl("report", "a.h5")
    assert done.returncode == 0, done.stderr
    titles = [plot["title"] for plot in document(pawl.folder / "a.html")["plots"]]
    assert "Contact points" in titles and not any("Energy" in title for title in titles)
    done = pawl("run", "--resume", "a.h5", "--time", 1)
    assert done.returncode == 0, done.stderr


def test_worst_joint_and_limit_are_named(pawl):
    done = pawl("run", pawl.model("joints/revolute.sdf"), "--time", 2)
    assert "joint 'hinge'" in done.stdout
    assert "work of dampers" in done.stdout


def test_a_solver_that_stops_early_gives_exit_code_1_and_says_so(pawl):
    done = pawl("run", pawl.model(FOURBAR), "--time", 0.05, "--solver", "pgs-ncp",
                "--set", "solver.exact_joints=off", "--set", "solver.max_iterations=1",
                "--set", "solver.tolerance=1e-12", "--json", "a.json", "-o", "a.h5")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "NOT MET" in done.stdout.splitlines()[-1]
    summary = json.loads((pawl.folder / "a.json").read_text())
    check_keys(summary)
    assert summary["not_converged"] > 0
    assert summary["steps"] == 50
    assert (pawl.folder / "a.h5").exists()


def test_a_step_that_would_store_infinity_is_refused_and_what_was_done_is_kept(pawl):
    # g dt overflows in the first step or soon after.
    model = pawl.write("heavy", gravity="0 0 -1e307")
    done = pawl("run", model, "--dt", 1, "--time", 100, "--json", "a.json", "-o", "a.h5")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "stone" in done.stderr
    assert "stopped at t = " in done.stdout.splitlines()[-1]
    summary = json.loads((pawl.folder / "a.json").read_text())
    check_keys(summary)
    assert summary["steps"] < 100
    assert summary["events"][0]["kind"] == "failed"
    assert "stone" in summary["events"][0]["where"]


def test_an_existing_summary_is_replaced_whole(pawl):
    (pawl.folder / "a.json").write_text("x" * 100000)
    assert pawl("run", pawl.write("stone"), "--time", 0.1, "--json", "a.json").returncode == 0
    check_keys(json.loads((pawl.folder / "a.json").read_text()))


def test_a_time_that_is_no_multiple_of_the_step_is_rounded_and_told(pawl):
    done = pawl("run", pawl.write("stone"), "--time", 0.0123, "--json", "a.json")
    assert "note" in done.stderr and "0.012" in done.stderr
    assert json.loads((pawl.folder / "a.json").read_text())["steps"] == 12


def test_resumed_run_has_the_same_bits(pawl):
    whole = pawl.json("run", pawl.model(FOURBAR), "--time", 0.4)
    assert pawl("run", pawl.model(FOURBAR), "--time", 0.25, "-o", "a.h5").returncode == 0
    resumed = pawl.json("run", "--resume", "a.h5", "--time", 0.4)
    for key in ("hash", "steps", "final", "energy", "closure", "residual", "iterations", "model", "verdict"):
        assert resumed[key] == whole[key], key
    again = pawl("run", "--resume", "a.h5", "--time", 0.4)
    assert again.returncode == 0
    assert "nothing left" in again.stderr


def test_resume_refuses_another_model_and_other_settings(pawl):
    one = pawl.write("one")
    assert pawl("run", one, "--time", 0.1, "-o", "a.h5").returncode == 0
    other = pawl("run", pawl.write("two", mass=3), "--resume", "a.h5", "--time", 0.2)
    assert other.returncode == 2 and "not the model" in other.stderr
    for extra in (["--dt", 0.01], ["--set", "project=on"], ["-o", "b.h5"], ["--solver", "direct"]):
        done = pawl("run", "--resume", "a.h5", *extra)
        assert done.returncode == 2, extra
        assert "--resume" in done.stderr
    # The model file may move, when it is named.
    one.rename(pawl.folder / "moved.sdf")
    assert pawl("run", "--resume", "a.h5", "--time", 0.2).returncode == 2
    assert pawl("run", "moved.sdf", "--resume", "a.h5", "--time", 0.2).returncode == 0


ROBOT, JUMP = "nmdp/spider-planar.sdf", "nmdp/motions/spider-jump.motion"


def test_a_motion_is_played_and_resumed_with_the_same_bits(pawl):
    run = ("run", pawl.model(ROBOT), "--dt", 5e-3, "--stepper", "nmdp")
    still = pawl.json(*run, "--time", 1.5)
    whole = pawl.json(*run, "--time", 1.5, "--motion", pawl.model(JUMP))
    assert whole["hash"] != still["hash"]
    part = pawl(*run, "--time", 1.1, "--motion", pawl.model(JUMP), "-o", "a.h5")
    assert part.returncode == 0, part.stderr
    resumed = pawl.json("run", "--resume", "a.h5", "--time", 1.5)
    for key in ("hash", "steps", "final", "energy", "closure", "residual", "iterations", "model", "verdict"):
        assert resumed[key] == whole[key], key


def test_a_motion_that_moved_is_named_and_another_one_is_refused(pawl):
    motion = pawl.folder / "here.motion"
    with open(pawl.model(JUMP), encoding="utf-8") as file:
        motion.write_text(file.read(), encoding="utf-8")
    run = ("run", pawl.model(ROBOT), "--stepper", "nmdp", "--dt", 5e-3, "--time", 0.1, "--motion", motion, "-o", "a.h5")
    assert pawl(*run).returncode == 0
    motion.rename(pawl.folder / "there.motion")
    gone = pawl("run", "--resume", "a.h5", "--time", 0.2)
    assert gone.returncode == 2 and "here.motion" in gone.stderr
    other = pawl.model("nmdp/motions/spider-walk.motion")
    wrong = pawl("run", "--resume", "a.h5", "--time", 0.2, "--motion", other)
    assert wrong.returncode == 2 and "not the model" in wrong.stderr and "walk" in wrong.stderr
    assert pawl("run", "--resume", "a.h5", "--time", 0.2, "--motion", "there.motion").returncode == 0


def test_a_motion_that_cannot_be_played_is_told_with_its_line(pawl):
    motion = pawl.folder / "far.motion"
    motion.write_text("pawl-motion 1\nbase torso\nfoot a lower1 0.44284 0 0\nkey 1\n"
                      "  offset a 0 0 -2\n", encoding="utf-8")
    done = pawl("run", pawl.model(ROBOT), "--motion", motion)
    assert done.returncode == 2
    assert "far.motion:5: foot 'a' cannot reach" in done.stderr and "nearest point" in done.stderr


def wait_for_recording(pawl):
    """The recording appears with its first frame, and grows with the frames of later flushes."""
    path = pawl.folder / "a.h5"
    until = time.monotonic() + 60
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.05)
    first = path.stat().st_size
    while path.stat().st_size == first and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.5)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_run_in_order_and_it_can_be_resumed(pawl, number):
    model = pawl.model(FOURBAR)
    process = pawl.spawn("run", model, "--time", 100000, "-o", "a.h5", "--every", 0.1, "--json",
                         "a.json", stderr=subprocess.PIPE)
    wait_for_recording(pawl)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number, err
    assert "stopped at" in out and "verdict:" in out
    assert "--resume a.h5" in err
    summary = json.loads((pawl.folder / "a.json").read_text())
    check_keys(summary)
    assert summary["events"][0]["kind"] == "interrupted"
    end = round(summary["time"] + 0.2, 3)
    assert pawl.json("run", "--resume", "a.h5", "--time", end)["steps"] == round(end / 1e-3)


def test_a_killed_run_goes_on_with_the_bits_of_one_that_was_not(pawl):
    model = pawl.model(FOURBAR)
    process = pawl.spawn("run", model, "--time", 100000, "-o", "a.h5", stderr=subprocess.DEVNULL)
    wait_for_recording(pawl)
    process.kill()
    process.communicate()
    # How far it came is known from a resumed run that finds nothing to do.
    reached = pawl.json("run", "--resume", "a.h5", "--time", 0)["time"]
    assert reached > 0
    end = round(reached + 0.1, 3)
    resumed = pawl.json("run", "--resume", "a.h5", "--time", end)
    assert resumed["hash"] == pawl.json("run", model, "--time", end)["hash"]


def terminal_output(pawl, *arguments):
    """What the command writes to stderr when that is a terminal."""
    ours, theirs = pty.openpty()
    process = pawl.spawn(*arguments, stderr=theirs,
                         env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"})
    os.close(theirs)
    text = b""
    try:
        while True:
            piece = os.read(ours, 4096)
            if not piece:
                break
            text += piece
    except OSError:  # Linux reports the other end's closing this way
        pass
    os.close(ours)
    process.communicate(timeout=60)
    assert process.returncode == 0
    return text.decode()


def test_progress_bar_is_on_terminals_only_and_not_when_quiet(pawl):
    arguments = ("run", pawl.model(FOURBAR), "--time", 2, "--dt", 1e-4)
    bar = terminal_output(pawl, *arguments)
    for part in ("%", "/2 s", "ETA", "steps/s", "residual"):
        assert part in bar, part
    assert bar.endswith("\r\033[K")  # it leaves nothing behind
    assert terminal_output(pawl, *arguments, "--quiet") == ""
    assert pawl(*arguments).stderr == ""
