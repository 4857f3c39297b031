# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""The benchmark laboratory: the same results for any number of threads and ranks, after an interruption, and from a file."""

import base64
import json
import os
import resource
import shutil
import signal
import struct
import subprocess
import time

import pytest

from conftest import COMMAND

SOLVERS = "auto,nsgs,nbgs/paper,direct"

# The library of MPI keeps memory to the end of the process: nothing for the leak sanitizer to find.
NO_LEAKS = {**os.environ, "ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:detect_leaks=0"}


def call(pawl, *words, code=0):
    done = pawl(*words)
    assert code is None or done.returncode == code, done.stderr
    return done


def bench(pawl, *words, code=0):
    return call(pawl, "bench", *words, code=code)


def cells(path, name):
    """A quantity of every cell, as a list of floats; NaN becomes None."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    data = base64.b64decode(document["cells"][name])
    values = struct.unpack(f"<{len(data) // 4}f", data)
    return [None if value != value else value for value in values], document


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """The results of a small suite, made once."""
    folder = tmp_path_factory.mktemp("bench")
    done = subprocess.run([COMMAND, "bench", "smoke", "--solvers", SOLVERS, "-q", "-o", "a.h5", "--json", "a.json",
                           "--html", "a.html"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder, done


def test_every_run_of_the_small_suite_passes_its_verdict(smoke):
    assert "9 runs, 9 passed, 36 samples" in smoke[1].stdout


def test_exact_solvers_solve_all_samples_and_conclusions_name_the_default(smoke):
    residual, document = cells(smoke[0] / "a.json", "residual")
    names = [solver["name"] for solver in document["solvers"]]
    for name in ("auto", "nsgs"):
        assert all(x <= 1e-8 for x in residual[names.index(name)::len(names)])
    assert any(text.startswith("The default, auto: solves 100.00 %") for text in document["conclusions"])
    # direct does not take contacts: those cells are empty
    direct = residual[names.index("direct")::len(names)]
    contacts = [sample[5] for sample in document["samples"]]
    assert [x is None for x in direct] == [count > 0 for count in contacts]


def test_one_thread_finds_the_same_as_many(smoke, pawl, tmp_path):
    other = tmp_path / "one.json"
    bench(pawl, "smoke", "--solvers", SOLVERS, "--threads", "1", "-q", "-o", tmp_path / "one.h5", "--json", other)
    for name in ("residual", "iterations", "sensitivity", "jump", "penetration"):
        assert cells(other, name)[0] == cells(smoke[0] / "a.json", name)[0]


@pytest.mark.parametrize("ranks", ["2", "4"])
def test_ranks_find_the_same_as_one_process(smoke, tmp_path, ranks):
    version = subprocess.run([COMMAND, "--version"], capture_output=True, text=True, check=True).stdout
    if shutil.which("mpirun") is None or "no MPI" in version:
        pytest.skip("MPI is not installed")
    done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", ranks, COMMAND, "bench", "smoke",
                           "--solvers", SOLVERS, "-q", "-o", "r.h5", "--json", "r.json"],
                          cwd=tmp_path, capture_output=True, text=True, check=False, env=NO_LEAKS)
    assert done.returncode == 0, done.stderr
    for name in ("residual", "iterations", "sensitivity"):
        assert cells(tmp_path / "r.json", name)[0] == cells(smoke[0] / "a.json", name)[0]


def test_a_bounded_run_is_resumed_to_the_same_results(smoke, pawl, tmp_path):
    words = ("smoke", "--solvers", SOLVERS, "-q", "-o", tmp_path / "b.h5", "--json", tmp_path / "b.json")
    bench(pawl, *words, "--budget", "0.001s")
    part = len(cells(tmp_path / "b.json", "residual")[1]["samples"])
    assert part < 36
    bench(pawl, *words, "--resume")
    assert cells(tmp_path / "b.json", "residual")[0] == cells(smoke[0] / "a.json", "residual")[0]


def test_a_part_of_the_matrix_has_one_history_for_each_run(pawl, tmp_path):
    words = ("smoke", "-q", "--threads", "1", "-o", tmp_path / "p.h5", "--json", tmp_path / "p.json")
    bench(pawl, *words, "--budget", "0.001s")
    budget, parts = 0.02, [0]
    while parts[-1] < 36:
        bench(pawl, *words, "--resume", "--budget", f"{budget}s")
        document = cells(tmp_path / "p.json", "residual")[1]
        chosen = [tuple(document["samples"][s][:2]) for s in set(document["histories"]["sample"])]
        assert len(chosen) == len(set(chosen)) == len({tuple(s[:2]) for s in document["samples"]})
        parts.append(len(document["samples"]))
        budget *= 1.3
    assert any(9 < done < 36 for done in parts), parts


def test_results_are_compared_by_iterations_and_lost_samples(smoke, pawl, tmp_path):
    done = bench(pawl, "compare", smoke[0] / "a.h5", smoke[0] / "a.h5", code=0)
    assert "0 regressions" in done.stdout
    bench(pawl, "smoke", "--solvers", SOLVERS, "--max-iterations", "1", "-q", "-o", tmp_path / "worse.h5")
    done = bench(pawl, "compare", smoke[0] / "a.h5", tmp_path / "worse.h5", code=1)
    assert "REGRESSION" in done.stdout


def test_a_killed_run_is_resumed_to_the_same_results(tmp_path):
    """Killed by force in the middle of the matrix: what is kept is whole, and the rest is done by --resume."""
    words = [COMMAND, "bench", "quick", "--machines", "quadruped", "--solvers", "nsgs,admm-ncp,pgs-ncp/paper", "-q"]

    def ended(name):
        subprocess.run([*words, "-o", f"{name}.h5", "--json", f"{name}.json", *more], cwd=tmp_path, capture_output=True, check=True)
        return cells(tmp_path / f"{name}.json", "residual")

    more = []
    whole, document = ended("whole")
    with subprocess.Popen([*words, "-o", "killed.h5"], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        while not (tmp_path / "killed-samples.h5").exists() and running.poll() is None:
            time.sleep(0.01)
        time.sleep(0.2)
        running.send_signal(signal.SIGKILL)
        running.wait()
    more = ["--resume"]
    resumed, other = ended("killed")
    assert resumed == whole
    assert other["samples"] == document["samples"]


def test_a_full_disk_ends_a_recording_with_one_message(tmp_path):
    # A limit on the size of files stands for the disk. HDF5 left to itself crashes when the process ends.
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    done = subprocess.run([COMMAND, "bench", "smoke", "--record-only", "-q", "-o", str(tmp_path / "a.h5")], capture_output=True, text=True,
                          check=False, preexec_fn=limit, env=NO_LEAKS)
    assert done.returncode == 2 and "File too large" in done.stderr, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_instructions_are_counted_and_tell_a_regression(pawl, tmp_path):
    """Fewer iterations are allowed in the second run: instructions fall with them, by a count that does not depend on load."""
    if shutil.which("valgrind") is None or "sanitize" in os.environ.get("PAWL_PRESET", "") or "asan" in COMMAND or "tsan" in COMMAND:
        pytest.skip("valgrind counts instructions of plain builds only")
    words = ("smoke", "--machines", "nunchuk", "--scenarios", "drop", "--solvers", "pgs-ncp", "--count", "-q")
    bench(pawl, *words, "-o", tmp_path / "long.h5")
    bench(pawl, *words, "-o", tmp_path / "again.h5")
    bench(pawl, *words, "--max-iterations", "3", "-o", tmp_path / "short.h5")
    ratio = lambda done: float(next(line for line in done.stdout.splitlines() if line.startswith("pgs-ncp ")).split()[5])
    same = bench(pawl, "compare", tmp_path / "long.h5", tmp_path / "again.h5", code=0)
    assert ratio(same) == 1.0
    worse = bench(pawl, "compare", tmp_path / "short.h5", tmp_path / "long.h5", code=1)
    assert ratio(worse) > 1.02 and "REGRESSION" in worse.stdout
    assert ratio(bench(pawl, "compare", tmp_path / "long.h5", tmp_path / "short.h5", code=None)) < 1.0


def test_feet_that_press_on_each_other_are_solved_in_every_step(pawl, tmp_path):
    """A walker that falls on six feet of four corners: 72 rows, of which 16 combinations move anything."""
    done = bench(pawl, "quick", "--machines", "walker31", "--scenarios", "drop", "--record-only", "-q", "-o", tmp_path / "w.h5")
    assert "1 runs, 1 passed" in done.stdout


def test_machines_are_read_from_mjcf_too(pawl, tmp_path):
    done = bench(pawl, "smoke", "--format", "xml", "--record-only", "-q", "-o", tmp_path / "x.h5")
    assert "9 runs, 9 passed" in done.stdout


def test_histories_end_where_the_matrix_does_and_agree_with_pawl_solve(smoke, pawl):
    """A history is found anew by another command: the same iterations and residuals, and its last point is the cell's."""
    residual, document = cells(smoke[0] / "a.json", "residual")
    histories, solvers = document["histories"], [s["name"] for s in document["solvers"]]
    unpack = lambda text: struct.unpack(f"<{len(base64.b64decode(text)) // 4}f", base64.b64decode(text))
    iteration, value = unpack(histories["iteration"]), unpack(histories["residual"])
    runs = {(s[0], s[1]) for s in document["samples"]}
    assert {tuple(document["samples"][s][:2]) for s in histories["sample"]} == runs
    checked = 0
    for k, (sample, solver) in enumerate(zip(histories["sample"], histories["solver"])):
        first, end = (histories["end"][k - 1] if k else 0), histories["end"][k]
        assert list(iteration[first:end]) == sorted(set(iteration[first:end]))
        assert value[end - 1] == residual[sample * len(solvers) + solver]
        if solvers[solver] == "nbgs/paper" and end - first > 4 and checked < 2:
            done = call(pawl, "solve", smoke[0] / "a-samples.h5", "--sample", str(sample), "--solver", "nbgs", "--set",
                        "solver.variant=paper", "--tol", "1e-8", "--max-iterations", "500", "--history", "--json", "-", code=None)
            history = json.loads(done.stdout)["samples"][0]["results"][0]["history"]
            for i, v in list(zip(iteration[first:end], value[first:end]))[:-1]:
                assert abs(history[int(i) - 1][5] - v) <= 1e-6 * v
            checked += 1
    assert checked == 2


def test_a_choice_of_machines_and_scenarios_leaves_the_rest_out(pawl, tmp_path):
    done = bench(pawl, "smoke", "--machines", "nunchuk", "--scenarios", "rest,drop", "--record-only", "-q", "-o", tmp_path / "c.h5")
    assert "2 runs, 2 passed" in done.stdout
    assert "fourbar" not in done.stdout


def test_samples_are_solved_from_the_file_with_their_history(smoke, pawl):
    done = call(pawl, "solve", smoke[0] / "a-samples.h5", "--sample", "3", "--solver", "nbgs", "--set", "solver.variant=paper",
                "--max-iterations", "50", "--history", "--json", "-", code=None)
    sample = json.loads(done.stdout)["samples"][0]
    result = sample["results"][0]
    assert len(result["history"]) == result["iterations"]
    assert sample["properties"]["rank"] + sample["properties"]["hyperstaticity"] == 18
    call(pawl, "solve", smoke[0] / "a-samples.h5", "--sample", "36", code=2)


@pytest.mark.parametrize("words, message", [
    (("nonsense",), "no suite and no file"), (("smoke", "--solvers", "nsgs/paper"), "expected all"),
    (("smoke", "--budget", "soon"), "--budget"), (("smoke", "--machines", "tank"), "lists the names"),
    (("smoke", "--scenarios", "dance"), "--scenarios"), (("smoke", "--scenarios", "limits"), "no run is left"), (("smoke", "-o", "/not there/x.h5"), "--output"),
    (("smoke", "--machines", "nunchukk"), "did you mean 'nunchuk'"), (("smoke", "--threads", "0"), "number of threads from"),
    (("compare", "one.h5"), "which two results"), (("smoke", "--samples", "none.h5"), "No such file"),
    (("compare", "none.h5", "none.h5"), "No such file"), (("compare", __file__, __file__), "is not an HDF5 file")])
def test_mistakes_are_named(pawl, words, message):
    assert message in bench(pawl, *words, code=2).stderr


def test_files_of_another_kind_and_damaged_ones_are_named(smoke, tmp_path):
    def refused(*words):
        done = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False, env=NO_LEAKS)
        assert done.returncode in (0, 1, 2) and "infinite loop" not in done.stderr, done.stderr
        return done.stderr

    (tmp_path / "cut.h5").write_bytes((smoke[0] / "a-samples.h5").read_bytes()[:60000])
    for words in (("bench", "smoke", "--samples"), ("bench",), ("solve",)):
        assert "was cut off" in refused(*words, tmp_path / "cut.h5")
    assert "--samples" in refused("bench", smoke[0] / "a-samples.h5")
    assert "nor samples" in refused("solve", smoke[0] / "a.h5")
    # What HDF5 loses on damaged files it prints about when the process ends, unless it is told not to.
    for name, command in (("a.h5", "bench"), ("a-samples.h5", "solve")):
        whole = (smoke[0] / name).read_bytes()
        for k in range(20):
            damaged = bytearray(whole)
            for i in range(50):
                damaged[(2654435761 * (50 * k + i + 1)) % 6000] = (40503 * (k + 1) * (i + 1)) % 256
            (tmp_path / "damaged.h5").write_bytes(damaged)
            refused(command, tmp_path / "damaged.h5")


def test_a_command_without_its_models_says_where_they_belong(tmp_path):
    (tmp_path / "bin").mkdir()
    shutil.copy(COMMAND, tmp_path / "bin" / "pawl")
    done = subprocess.run([tmp_path / "bin" / "pawl", "bench", "smoke"], cwd=tmp_path, capture_output=True, text=True, check=False, env=NO_LEAKS)
    assert done.returncode == 2 and "beside the command" in done.stderr
