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


def test_a_part_that_does_not_build_is_a_failed_case(tmp_path):
    """The functions of ./dev with cmake replaced by one that fails."""
    with open(os.path.join(ROOT, "dev"), encoding="utf-8") as file:
        text = file.read().split("\ncommand=${1:-}\n")[0].replace(
            'cd "$(dirname "${BASH_SOURCE[0]}")"', f'cd "{ROOT}"')
    script = text + f"""
parts={tmp_path}/parts
cmake() {{ echo "no compiler here"; return 1; }}
begin_parts
build_part gcc dev || true
note_case fuzz fuzz_sdf passed
end_parts
"""
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "no compiler here" in done.stdout
    assert done.stdout.splitlines()[-2:] == ["failed: build (gcc-build)", "1 passed, 1 failed"]
