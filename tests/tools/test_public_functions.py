# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Every public function is called with wrong arguments by tests/contract/test_public_abuse*.c, so that a
new one cannot be forgotten, and every def that has a default function carries a stamp."""

import glob
import os
import re

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))


def read(pattern):
    return "\n".join(open(path, encoding="utf-8").read()
                     for path in sorted(glob.glob(os.path.join(ROOT, pattern))))


def functions():
    return sorted(set(re.findall(r"PAWL_API[^;]*?\b(pawl_\w+)\(", read("include/pawl/*.h"))))


def test_every_public_function_is_abused():
    called = set(re.findall(r"\b(pawl_\w+)\b", read("tests/contract/test_public_abuse*.c")))
    # Macros of the test paste these names together.
    pasted = {"pawl_env_default"} | {name for name in functions() if name.endswith("_def_default")}
    missing = [name for name in functions() if name not in called | pasted]
    assert len(functions()) > 200
    assert missing == []


def test_every_def_with_a_default_function_has_a_stamp():
    headers = read("include/pawl/*.h")
    plain = {"pawl_softness", "pawl_env"}  # all numbers of the one have a meaning; the other is checked
    for type_name in re.findall(r"PAWL_API (pawl_\w+) \1_default\(", headers):
        body = re.search(r"typedef struct " + type_name + r" \{(.*?)\n\} " + type_name + ";",
                         headers, re.S).group(1)
        assert ("uint32_t stamp;" in body) == (type_name not in plain), type_name
