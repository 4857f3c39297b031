# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""./dev as far as it can be asked without building: its help, its mistakes, and how its parts add up."""

import os
import re
import subprocess

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))


def dev(*words):
    return subprocess.run([os.path.join(ROOT, "dev"), *words], capture_output=True, text=True,
                          check=False, env={**os.environ, "PAWL_NO_INSTALL": "1"})


def test_the_help_names_every_command():
    text = dev().stdout
    named = set(re.findall(r"^  (\w+)", text, re.M))
    with open(os.path.join(ROOT, "dev"), encoding="utf-8") as file:
        written = set(re.findall(r"^command_(\w+)\(\)", file.read(), re.M))
    assert named == written and {"run", "test", "install", "package"} <= named


@pytest.mark.parametrize("words, message", [
    (["nothing"], "there is no command 'nothing'"),
    (["test", "slowly"], "test takes nothing, quick or long, but not 'slowly'"),
    (["sanitize", "memory"], "there is no sanitizer 'memory'"),
    (["fuzz", "ever"], "fuzz takes a number of seconds, not 'ever'"),
])
def test_a_mistake_is_refused_at_once(words, message):
    done = dev(*words)
    assert done.returncode == 2 and message in done.stderr


def with_functions_of_dev(folder, script):
    """Runs a script in which the functions of ./dev can be called and replaced."""
    with open(os.path.join(ROOT, "dev"), encoding="utf-8") as file:
        text = file.read().split("\ncommand=${1:-}\n")[0].replace(
            'cd "$(dirname "${BASH_SOURCE[0]}")"', f'cd "{ROOT}"')
    return subprocess.run(["bash", "-c", f"{text}\nparts={folder}/parts\n{script}"],
                          capture_output=True, text=True, check=False)


def test_a_part_that_does_not_build_is_a_failed_case(tmp_path):
    done = with_functions_of_dev(tmp_path, """
cmake() { echo "no compiler here"; return 1; }
begin_parts
build_part gcc dev || true
note_case fuzz fuzz_sdf passed
end_parts
""")
    assert done.returncode == 1
    assert "no compiler here" in done.stdout
    assert done.stdout.splitlines()[-2:] == ["failed: build (gcc-build)", "1 passed, 1 failed"]


ALL_PARTS = """
build_targets() {{ echo "$*" >>"$parts/built"; [ "$1" != "{broken}" ]; }}
PWD=
ctest() {{
    while [ "$1" != --output-junit ]; do shift; done
    printf '<testsuite><testcase name="t" status="run"/></testsuite>' >"$2"
}}
programs_in() {{ echo fuzz/fuzz_sdf; }}
fuzz_one() {{ return {fuzz}; }}
test_all ""
"""


@pytest.mark.parametrize("broken, fuzz, line", [
    ("none", 0, "4 passed, 0 failed"),       # gcc, clang, sanitizers, one reader
    ("determinism", 0, "3 passed, 1 failed"),
    ("dev", 0, "3 passed, 1 failed"),
    ("fuzz", 0, "3 passed, 1 failed"),
    ("none", 1, "3 passed, 1 failed"),
])
def test_a_part_that_fails_is_counted_and_the_others_run(tmp_path, broken, fuzz, line):
    done = with_functions_of_dev(tmp_path, ALL_PARTS.format(broken=broken, fuzz=fuzz))
    assert done.stdout.splitlines()[-1] == line, done.stdout + done.stderr
    assert done.returncode == (0 if line.endswith(" 0 failed") else 1)
    built = (tmp_path / "parts" / "built").read_text().split("\n")
    assert built == ["dev", "determinism", "asan quick_tests", "fuzz", ""]
