# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Wrong usage: a message that helps, exit code 2, and nothing simulated or written."""

import os
import re
import subprocess

import pytest

USAGE = [
    # arguments, what the message must contain
    ([], ["usage: pawl"]),
    (["rum"], ["'rum'", "did you mean 'run'?"]),
    (["chekc", "M"], ["did you mean 'check'?"]),
    (["--verson"], ["did you mean '--version'?"]),
    (["help", "lst"], ["did you mean 'list'?"]),
    (["run"], ["which model?"]),
    (["run", "M", "M"], ["one model at a time"]),
    (["run", "M", "--tiem", "3"], ["--tiem", "did you mean '--time'?", "pawl run --help"]),
    (["run", "M", "--tme=3"], ["'--tme'", "did you mean '--time'?"]),
    (["run", "M", "-z"], ["'-z'"]),
    (["run", "M", "--time"], ["--time", "needs a value"]),
    (["run", "M", "--time", "--dt", "1"], ["--time", "needs a value"]),
    (["run", "M", "--time="], ["--time", "empty"]),
    (["run", "M", "--quiet=yes"], ["--quiet", "takes no value"]),
    (["run", "M", "--time", "-1"], ["--time -1", "negative"]),
    (["run", "M", "--time", "nan"], ["'nan'", "finite number"]),
    (["run", "M", "--time", "inf"], ["'inf'", "finite number"]),
    (["run", "M", "--time", "1s"], ["'1s'", "finite number"]),
    (["run", "M", "--time", " 1"], ["finite number"]),
    (["run", "M", "--time", "1e300"], ["1e+300", "steps"]),
    (["run", "M", "--time", "1e-6"], ["half a step"]),
    (["run", "M", "--dt", "0"], ["--dt 0", "more than 0"]),
    (["run", "M", "--dt", "-1e-3"], ["--dt -1e-3", "more than 0"]),
    (["run", "M", "--dt", "NaN"], ["'NaN'"]),
    (["run", "M", "--stepper", "eular"], ["did you mean 'euler'?", "moreau"]),
    (["run", "M", "--solver", "pgs"], ["did you mean 'pgs-ncp'?"]),
    (["run", "M", "--solver", "bananas"], ["Expected one of", "direct"]),
    (["run", "M", "--formulation", "reducd"], ["did you mean 'reduced'?", "maximal"]),
    (["run", "M", "--set", "project"], ["'project'", "key=value"]),
    (["run", "M", "--set", "=on"], ["key=value"]),
    (["run", "M", "--set", "projekt=on"], ["'projekt'", "did you mean 'project'?"]),
    (["run", "M", "--set", "tolerance=1"], ["did you mean 'solver.tolerance'?"]),
    (["run", "M", "--set", "solver.tolerance=-1"], ["solver.tolerance"]),
    (["run", "M", "--set", "solver.tolerance=nan"], ["solver.tolerance"]),
    (["run", "M", "--set", "threads=1.5"], ["threads=1.5", "a whole number 1 .. 64"]),
    (["run", "M", "--set", "stepper=perhaps"], ["stepper=perhaps", "expected euler, moreau, lit"]),
    (["bench", "nothing"], ["no suite and no file 'nothing'", "'pawl bench' lists"]),
    (["run", "M", "--set", "project=perhaps"], ["project", "perhaps"]),
    (["run", "M", "-o", "no/such/run.h5"], ["-o", "no/such", "does not exist"]),
    (["run", "M", "-o", "."], ["is a folder"]),
    (["run", "M", "-o", "-"], ["standard output"]),
    (["run", "M", "-o", "M"], ["overwrite the model"]),
    (["run", "M", "--json", "no/such.json"], ["--json", "does not exist"]),
    (["run", "M", "--json", "./M"], ["overwrite the model"]),
    (["run", "M", "--json", "a", "-o", "./a"], ["overwrite the recording"]),
    (["run", "M", "--every", "0.1"], ["--every", "-o"]),
    (["run", "M", "--trace", "q"], ["--trace", "-o"]),
    (["run", "M", "--every", "-1", "-o", "a.h5"], ["--every -1", "negative"]),
    (["run", "M", "--trace", "q,enrgy", "-o", "a.h5"], ["did you mean 'energy'?"]),
    (["run", "M", "--trace", "q,,v", "-o", "a.h5"], ["--trace"]),
    (["run", "none.sdf"], ["none.sdf"]),
    (["run", "none.sdf", "-o", "a.h5"], ["none.sdf"]),
    (["run", "--resume", "none.h5"], ["none.h5"]),
    (["run", "--resume", "M"], ["M"]),
    (["run", "."], ["."]),
    (["check"], ["which model?"]),
    (["check", "none.sdf"], ["none.sdf"]),
    (["check", "M", "M"], ["one model at a time"]),
    (["check", "M", "--jsn", "x"], ["did you mean '--json'?"]),
    (["check", "M", "--json", "no/such.json"], ["does not exist"]),
    (["report"], ["which recording?"]),
    (["report", "none.h5"], ["none.h5"]),
    (["report", "M"], ["M"]),
    (["report", "M", "-o", "no/such.html"], ["does not exist"]),
    (["report", "M", "-o", "M"], ["overwritten"]),
    (["list"], ["list what?", "solvers"]),
    (["list", "solver"], ["did you mean 'solvers'?"]),
    (["list", "bananas"], ["'bananas'", "settings"]),
    (["list", "solvers", "joints"], ["one list at a time"]),
]


@pytest.mark.parametrize("arguments, parts", USAGE, ids=[" ".join(a) or "-" for a, _ in USAGE])
def test_wrong_usage_is_explained_before_anything_is_done(pawl, arguments, parts):
    pawl.write("M").rename(pawl.folder / "M")
    before = (pawl.folder / "M").read_text()
    done = pawl(*arguments, timeout=10)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    if arguments:
        assert done.stderr.startswith("pawl: error: ")
    for part in parts:
        assert part in done.stderr
    assert os.listdir(pawl.folder) == ["M"]
    assert (pawl.folder / "M").read_text() == before


BROKEN = {
    "truncated": ("<sdf version='1.10'><world name='w'>", "broken.sdf:1"),
    "empty": ("", "broken.sdf"),
    "binary": ("\0\1\2\3", "broken.sdf"),
    "another language": ("<html><body/></html>", "html"),
    "no number": ("""<sdf version="1.10"><model name="m"><link name="a"><inertial>
<mass>heavy</mass>
</inertial></link></model></sdf>""", "broken.sdf:2"),
    "negative mass": ("""<sdf version="1.10"><model name="m"><link name="a"><inertial>
<mass>-1</mass>
</inertial></link></model></sdf>""", "broken.sdf:"),
    "unknown parent": ("""<sdf version="1.10"><model name="m"><link name="a"/>
<joint name="j" type="revolute"><parent>nobody</parent><child>a</child>
<axis><xyz>0 0 1</xyz></axis></joint></model></sdf>""", "nobody"),
    "zero axis": ("""<sdf version="1.10"><model name="m"><link name="a"/>
<joint name="j" type="revolute"><parent>world</parent><child>a</child>
<axis><xyz>0 0 0</xyz></axis></joint></model></sdf>""", "broken.sdf:"),
}


@pytest.mark.parametrize("text, part", BROKEN.values(), ids=BROKEN.keys())
@pytest.mark.parametrize("command", ["run", "check"])
def test_a_broken_model_is_refused_with_the_place(pawl, command, text, part):
    (pawl.folder / "broken.sdf").write_text(text)
    done = pawl(command, "broken.sdf", timeout=10)
    assert done.returncode == 2, done.stdout
    assert "pawl: error: " in done.stderr
    assert "broken.sdf" in done.stderr
    assert part in done.stderr


@pytest.mark.parametrize("command", ["run", "view", "check", "convert", "solve", "bench", "sweep", "report", "compare", "reproduce", "list"])
def test_every_command_has_help_in_both_ways(pawl, command):
    asked = pawl(command, "--help")
    assert asked.returncode == 0
    assert asked.stderr == ""
    assert asked.stdout.startswith(f"usage: pawl {command} ")
    assert pawl("help", command).stdout == asked.stdout
    assert max(map(len, asked.stdout.splitlines())) <= 100


def test_help_names_exactly_the_commands_that_exist(pawl):
    text = pawl("--help").stdout
    assert pawl("help").stdout == text
    for command in ("run", "view", "check", "convert", "solve", "bench", "sweep", "report", "compare", "reproduce", "list"):
        assert f"pawl {command} " in text
    assert len(re.findall(r"^  pawl [a-z]+  ", text, re.M)) == 11


def test_version_lists_what_is_built_in(pawl):
    done = pawl("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("pawl ")
    for part in ("euler", "moreau", "direct", "pgs-ncp", "SDFormat", "URDF", "HDF5"):
        assert part in done.stdout


def test_a_full_standard_output_is_noticed(pawl):
    with open("/dev/full", "w", encoding="ascii") as full:
        process = pawl.spawn("list", "joints", stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=10)
    assert process.returncode == 2
    assert "standard output" in err
