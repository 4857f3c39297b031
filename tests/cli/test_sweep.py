# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""pawl sweep: the same file by any number of threads and ranks, interrupted or not; keys; the page. Numbers are closed forms."""

import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

import pytest

PAWL = os.environ["PAWL"]
# The library of MPI keeps memory to the end of the process: nothing for the leak sanitizer to find.
NO_LEAKS = f"{os.environ.get('ASAN_OPTIONS', '')}:detect_leaks=0"
MPI = {**os.environ, "ASAN_OPTIONS": NO_LEAKS, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
GRID = ["models/suite/fourbar-free.sdf", "--vary", "contact.friction=0.2:1:3", "--vary", "gravity.z=-9.81,-1.62", "--time", "0.05", "-q"]


def sweep(*words, code=0, **options):
    run = subprocess.run([PAWL, "sweep", *words], capture_output=True, text=True, **options)
    assert run.returncode == code, run.stderr
    return run


def mpirun(ranks, *words):
    version = subprocess.run([PAWL, "--version"], capture_output=True, text=True).stdout
    if shutil.which("mpirun") is None or "no MPI" in version:
        pytest.skip("mpirun is not there, or MPI is not built in")
    return subprocess.Popen(["mpirun", "-n", str(ranks), PAWL, "sweep", *words], env=MPI, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


FALL = """<sdf version="1.9"><model name="ball"><link name="ball"><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz>
<ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial></link></model></sdf>"""


def numbers(path, name, width):
    """The numbers of a dataset: contiguous doubles, found by h5py where it is there."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path) as file:
        columns = file[name].attrs["columns"]
        columns = columns.decode() if isinstance(columns, bytes) else columns
        data = file[name][:]
    return {key: data[:, i] for i, key in enumerate(columns.split("\n"))}


def test_points_are_simulated_with_their_parameters(tmp_path):
    model = tmp_path / "ball.sdf"
    model.write_text(FALL)
    out = tmp_path / "out.h5"
    sweep(str(model), "--vary", "gravity.z=-1:-3:3", "--vary", "body.mass[ball]=2,4", "--time", "0.5", "--set", "dt=1e-2", "-o", str(out))
    parameter, result = numbers(out, "parameter", 2), numbers(out, "result", 12)
    assert parameter["gravity.z"].tolist() == [-1, -1, -2, -2, -3, -3] and parameter["body.mass[ball]"].tolist() == [2, 4] * 3
    # free fall by the midpoint rule is exact; the energy is that of the mass
    assert result["com.z"] == pytest.approx(parameter["gravity.z"] * 0.125, abs=1e-12)
    assert result["kinetic"] == pytest.approx(0.5 * parameter["body.mass[ball]"] * (0.5 * parameter["gravity.z"]) ** 2, rel=1e-12)
    assert result["time"] == pytest.approx(0.5) and (result["passed"] == 1).all()


def test_words_of_settings_are_an_axis(tmp_path):
    out = tmp_path / "out.h5"
    sweep("models/suite/fourbar-free.sdf", "--vary", "stepper=euler,moreau", "--vary", "dt=1e-3,2e-3", "--time", "0.02", "-o", str(out))
    assert numbers(out, "parameter", 2)["stepper"].tolist() == [0, 0, 1, 1]


def test_any_number_of_threads_gives_the_same_file(tmp_path):
    for threads in (1, 2, 3):
        sweep(*GRID, "-o", str(tmp_path / f"{threads}.h5"), "--threads", str(threads))
    first = (tmp_path / "1.h5").read_bytes()
    assert first == (tmp_path / "2.h5").read_bytes() == (tmp_path / "3.h5").read_bytes()
    assert not list(tmp_path.glob("*.rank-*")) and struct.unpack("<8s", first[:8])[0].startswith(b"\x89HDF")


def test_an_interrupted_sweep_goes_on(tmp_path):
    whole, part = tmp_path / "whole.h5", tmp_path / "part.h5"
    long = ["models/suite/quadruped.sdf", "--vary", "contact.friction=0.2:1:12", "--time", "0.4", "--set", "dt=2e-3", "-q"]
    sweep(*long, "-o", str(whole))
    run = subprocess.Popen([PAWL, "sweep", *long, "-o", str(part), "--threads", "1"])
    journal = tmp_path / "part.h5.rank-0"
    while run.poll() is None and (not journal.exists() or journal.stat().st_size < 500):
        time.sleep(0.005)
    run.send_signal(signal.SIGKILL)
    run.wait()
    if not part.exists():
        journal.write_bytes(journal.read_bytes()[:-5])  # as if the last record was not written whole
        again = sweep(*long[:-1], "-o", str(part), "--resume")
        done = int(re.search(r"(\d+) of 12 points are done", again.stderr).group(1))
        assert 1 <= done < 12
    assert part.read_bytes() == whole.read_bytes()


def test_the_page_has_a_plot_for_each_result(tmp_path):
    sweep(*GRID, "-o", str(tmp_path / "o.h5"), "--html", str(tmp_path / "o.html"))
    page = (tmp_path / "o.html").read_text()
    assert all(f'"{name}"' in page for name in ("closure", "energy_error", "com.z")) and "contact.friction" in page and "gravity.z = -1.62" in page


@pytest.mark.parametrize("words, message", [
    (["--vary", "contact.frction=0:1:2"], "did you mean 'contact.friction'"),
    (["--vary", "dt=0:1"], "expected from:to:count"),
    (["--vary", "dt=-1,2"], "dt=-1"),
    (["--vary", "body.mass=1,2"], "expected a name in brackets"),
    (["--vary", "body.mass[nobody]=1,2"], "has no body 'nobody'"),
    (["--vary", "gravity.z=a,b"], "expected numbers"),
    ([], "nothing is varied"),
])
def test_mistakes_are_named(tmp_path, words, message):
    assert message in sweep("models/suite/fourbar-free.sdf", *words, "-o", str(tmp_path / "o.h5"), code=2).stderr
    assert "-o FILE is needed" in sweep("models/suite/fourbar-free.sdf", "--vary", "dt=1e-3,2e-3", code=2).stderr


def test_ranks_of_mpi_give_the_same_file(tmp_path):
    sweep(*GRID, "-o", str(tmp_path / "0.h5"))
    for ranks in (2, 4):
        run = mpirun(ranks, *GRID, "-o", str(tmp_path / f"{ranks}.h5"))
        text, _ = run.communicate(timeout=60)
        assert run.returncode == 0, text
        assert (tmp_path / f"{ranks}.h5").read_bytes() == (tmp_path / "0.h5").read_bytes()


def test_a_killed_rank_loses_only_its_point(tmp_path):
    whole, part = tmp_path / "whole.h5", tmp_path / "part.h5"
    long = ["models/suite/quadruped.sdf", "--vary", "contact.friction=0.2:1:16", "--time", "0.5", "--set", "dt=2e-3", "-q"]
    sweep(*long, "-o", str(whole))
    run = mpirun(3, *long, "-o", str(part))
    while run.poll() is None and sum(p.stat().st_size for p in tmp_path.glob("part.h5.rank-*")) < 1000:
        time.sleep(0.005)
    pids = subprocess.run(["pgrep", "-P", str(run.pid), "-f", "pawl sweep"], capture_output=True, text=True).stdout.split()
    if run.poll() is not None or not pids:
        pytest.skip("the sweep was done before a rank could be killed")
    os.kill(int(pids[-1]), signal.SIGKILL)
    run.communicate(timeout=60)
    if not part.exists():  # mpirun ended all ranks: what was done is in the journals, but for the points under way
        again = sweep(*long[:-1], "-o", str(part), "--resume")
        assert int(re.search(r"(\d+) of 16 points are done", again.stderr).group(1)) >= 1
    assert part.read_bytes() == whole.read_bytes()


def test_a_full_disk_is_one_message(tmp_path):
    # A limit on the size of files stands for the disk. HDF5 left to itself prints pages when the process ends.
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    run = sweep("models/suite/fourbar-free.sdf", "--vary", "dt=1e-3:2e-3:3", "--time", "0.01", "-q", "-o", str(tmp_path / "s.h5"), code=2,
                preexec_fn=limit)
    assert "s.h5" in run.stderr and "File too large" in run.stderr, run.stderr
    assert "infinite loop" not in run.stderr and not (tmp_path / "s.h5").exists()
