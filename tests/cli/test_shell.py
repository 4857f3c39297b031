# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Models by their name, the manual page and the completions: what they say must be what the help and the
lists say, since a user meets whichever comes first."""

import os
import re
import shutil
import subprocess

import pytest

from conftest import COMMAND, ROOT

COMMANDS = ["run", "view", "check", "convert", "solve", "bench", "sweep", "report", "compare", "reproduce", "list"]


def complete(pawl, *words):
    return pawl("__complete", *words).stdout.splitlines()


def options_of_help(pawl, command):
    return re.findall(r"^  (?:-\w, )?(--[\w-]+)", pawl(command, "--help").stdout, re.M)


# --- models by name ---------------------------------------------------------------------------

@pytest.mark.parametrize("word", ["fourbar-fixed", "fourbar-fixed.sdf", "primitives/fourbar-fixed",
                                  "models/primitives/fourbar-fixed.sdf"])
def test_a_model_that_comes_with_pawl_is_found_from_any_folder(pawl, word):
    by_path = pawl.json("check", pawl.model("primitives/fourbar-fixed.sdf"))
    assert pawl.json("check", word) == by_path
    done = pawl("run", word, "--time", "0.01", "--quiet")
    assert done.returncode == 0, done.stderr


def test_a_file_of_that_name_comes_first(pawl):
    (pawl.folder / "fourbar-fixed").write_text(pawl.write("stone").read_text())
    assert [body["name"] for body in pawl.json("check", "fourbar-fixed")["bodies"]] == ["stone"]


def test_every_model_is_found_by_its_name(pawl):
    stems = [os.path.splitext(name)[0] for _, _, names in os.walk(os.path.join(ROOT, "models"))
             for name in names if name.endswith((".sdf", ".urdf", ".world", ".xml"))]
    offered = [word for word in complete(pawl, "check", "") if word != ":files"]
    assert len(set(offered)) == len(offered)
    # A name that two files have is offered once as it is and then with its folder.
    assert sorted(word.split("/")[-1] for word in offered) == sorted(stems)


def test_a_name_that_two_files_have_is_the_first_with_a_note(pawl):
    done = pawl("check", "nunchuk")
    assert done.returncode == 0 and "primitives/nunchuk.sdf" in done.stderr and "suite/nunchuk.sdf" in done.stderr
    assert pawl.json("check", "nunchuk")["mass_ratio"] == pytest.approx(10)
    done = pawl("check", "suite/nunchuk")
    assert done.returncode == 0 and "there is also" not in done.stderr


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_name_that_is_nearly_right_is_corrected(pawl, command):
    done = pawl(command, "fourbar-fixd")
    assert done.returncode == 2 and "did you mean 'fourbar-fixed'?" in done.stderr
    done = pawl(command, "ixed")  # a part of a name is not the name
    assert done.returncode == 2


def test_a_recording_of_a_named_model_can_be_resumed_elsewhere(pawl):
    assert pawl("run", "A01-pendulum", "--time", "0.01", "-o", "a.h5").returncode == 0
    assert pawl("run", "--resume", "a.h5", "--time", "0.02").returncode == 0


# --- the manual page --------------------------------------------------------------------------

def manual_text(pawl):
    """The page as it is read: without its roff."""
    text = pawl("__manual").stdout
    return re.sub(r"\\f[BIR]|\\&", "", text).replace("\\-", "-").replace("\\e", "\\")


def test_the_manual_has_all_that_the_help_has(pawl):
    text = manual_text(pawl)
    for command in COMMANDS:
        help_text = pawl(command, "--help").stdout
        section = text.split(f".SS pawl {command} ")[1].split("\n.SS ")[0].split("\n.SH ")[0]
        words = re.sub(r"\s+", " ", section)
        for option in options_of_help(pawl, command):
            assert option in words, (command, option)
        for line in help_text.splitlines()[2:]:
            rest = re.sub(r"^  (?:-\w, )?--[\w-]+(?: [A-Z=]+)?\s+", "", line).strip()
            if rest and rest != "options:":
                assert re.sub(r"\s+", " ", rest) in words, (command, line)


def test_the_manual_has_every_setting(pawl):
    text = manual_text(pawl)
    keys = [line.split()[0] for line in pawl("list", "settings").stdout.splitlines()[1:]]
    assert len(keys) > 40
    for key in keys:
        assert f"\n{key} (" in text, key


@pytest.mark.skipif(shutil.which("man") is None, reason="needs man")
def test_the_manual_is_sound_roff(pawl):
    (pawl.folder / "pawl.1").write_text(pawl("__manual").stdout)
    done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "pawl.1"], cwd=pawl.folder,
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "MANPAGER": "cat", "MANWIDTH": "100"})
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert "SYNOPSIS" in done.stdout


# --- completion -------------------------------------------------------------------------------

def test_commands_and_options_are_those_of_the_help(pawl):
    assert complete(pawl, "") == [*COMMANDS, "help", "--help", "--version"]
    assert complete(pawl, "re") == ["report", "reproduce"]
    assert complete(pawl, "help", "l") == ["list"]
    for command in COMMANDS:
        assert complete(pawl, command, "--") == [*options_of_help(pawl, command), "--help"]


def test_names_are_those_of_the_lists(pawl):
    for option, kind in [("--stepper", "steppers"), ("--solver", "solvers"),
                         ("--formulation", "formulations")]:
        names = [line.split()[0] for line in pawl("list", kind).stdout.splitlines()]
        assert complete(pawl, "run", "x.sdf", option, "") == names
    keys = [line.split()[0] for line in pawl("list", "settings").stdout.splitlines()[1:]]
    assert complete(pawl, "run", "--set", "") == [key + "=" for key in keys]
    lists = complete(pawl, "list", "")
    assert "models" in lists and all(pawl("list", name).returncode == 0 for name in lists)


def test_lists_with_commas_and_files(pawl):
    assert complete(pawl, "run", "--trace", "q,en") == ["q,energy"]
    assert complete(pawl, "run", "x.sdf", "-o", "") == [":files"]
    assert complete(pawl, "report", "") == [":files"]
    assert complete(pawl, "run", "no-such-thing") == [":files"]
    assert complete(pawl, "nothing", "") == []
    assert complete(pawl) == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize("line, replies", [
    ("pawl re", ["report", "reproduce"]),
    ("pawl run --formulation ", ["maximal", "reduced", "auto"]),
    ("pawl report run", ["run.h5"]),
])
def test_bash_gets_them(pawl, line, replies):
    (pawl.folder / "run.h5").write_text("")
    script = """
        . "$1"; COMP_LINE=$2; COMP_POINT=${#2}
        read -ra COMP_WORDS <<<"$2"; [[ $2 == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _pawl; printf '%s\\n' "${COMPREPLY[@]}" """
    folder = pawl.folder / "bin"
    folder.mkdir()
    (folder / "pawl").symlink_to(COMMAND)
    done = subprocess.run(
        ["bash", "-c", script, "bash", os.path.join(ROOT, "tools", "completions", "pawl.bash"), line],
        cwd=pawl.folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
    assert done.stdout.splitlines() == replies, done.stderr
