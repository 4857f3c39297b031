# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""tools/count_tests on results as ctest writes them, counted by hand."""

import os
import subprocess
import sys

import pytest

TOOL = os.path.join(os.path.dirname(__file__), "..", "..", "tools", "count_tests")
CMOCKA_GOOD = ("run", "[==========] 4 test(s) run.\n[  PASSED  ] 4 test(s).\n")
CMOCKA_BAD = ("fail", "[  PASSED  ] 3 test(s).\n[  FAILED  ] 2 test(s), listed below:\n"
                      "[  FAILED  ] a_case\n")
PYTEST_GOOD = ("run", "...   [100%]\n15 passed, 1 skipped in 0.66s\n")
PYTEST_BAD = ("fail", "FAILED x.py::y - it says 7 failed\n2 failed, 5 passed, 1 error in 1.20s\n")
PLAIN_GOOD = ("run", "all is well\n")
CRASHED = ("fail", "[ RUN      ] a_case\n")
SKIPPED = ("notrun", "skipped", "SKIP_RETURN_CODE=77")
NOT_BUILT = ("notrun", "", "Unable to find executable")


def count(folder, tests):
    body = ""
    for status, output, *reason in tests:
        skipped = f'<skipped message="{reason[0]}"/>' if reason else ""
        body += (f'<testcase name="t" status="{status}">{skipped}'
                 f"<system-out>{output}</system-out></testcase>")
    results = folder / "results.xml"
    results.write_text(f"<testsuite>{body}</testsuite>")
    done = subprocess.run([sys.executable, "-B", TOOL, str(results)], capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout.splitlines()[-1]


@pytest.mark.parametrize("tests, line", [
    ([CMOCKA_GOOD, PYTEST_GOOD, PLAIN_GOOD], "20 passed, 0 failed, 1 skipped"),
    ([PLAIN_GOOD, SKIPPED], "1 passed, 0 failed, 1 skipped"),
])
def test_sound_results_are_counted_case_by_case(tmp_path, tests, line):
    assert count(tmp_path, tests) == (0, line)


@pytest.mark.parametrize("tests, line", [
    ([CMOCKA_BAD, PYTEST_BAD], "8 passed, 5 failed"),
    ([PLAIN_GOOD, CRASHED], "1 passed, 1 failed"),
    ([PLAIN_GOOD, NOT_BUILT], "1 passed, 1 failed"),
    ([], "0 passed, 0 failed"),
])
def test_a_failure_in_any_form_is_seen(tmp_path, tests, line):
    assert count(tmp_path, tests) == (1, line)


def test_several_files_are_one_sum_and_a_failure_names_its_part(tmp_path):
    for name, status in [("gcc", "run"), ("clang", "fail")]:
        (tmp_path / f"{name}.xml").write_text(
            f'<testsuite><testcase name="t" status="{status}"/></testsuite>')
    done = subprocess.run([sys.executable, "-B", TOOL, tmp_path / "gcc.xml", tmp_path / "clang.xml"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == "failed: t (clang)\n1 passed, 1 failed\n"
