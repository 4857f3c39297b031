# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Settings come from one list: the fields of pawl_settings, the keys, the names of enumerations and docs/settings.md
cannot differ. The headers are read as text, so that a field that the list forgot is found."""

import importlib.machinery
import importlib.util
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def settings_page():
    loader = importlib.machinery.SourceFileLoader("settings_page", str(ROOT / "tools/settings_page"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


PAGE = settings_page()
ROWS = PAGE.rows(os.environ["PAWL"])


def header(name):
    return re.sub(r"//.*", "", (ROOT / "include/pawl" / name).read_text(encoding="utf-8"))


def structs():
    """{struct: [(type, field)]} of pawl/settings.h"""
    found = re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", header("settings.h"), re.S)
    return {name: re.findall(r"^\s+(\w+)\s+(\w+);", body, re.M) for name, body in found}


def fields():
    """{path: type} of pawl_settings, stamp left out"""
    paths = {}
    for kind, name in structs()["pawl_settings"]:
        inner = structs().get(kind)
        if inner is None:
            paths[name] = kind
        else:
            paths.update({f"{name}.{part}": part_kind for part_kind, part in inner})
    assert paths.pop("stamp") == "uint32_t"
    return paths


def test_the_path_of_every_field_is_its_key():
    keys = [row[0] for row in ROWS]
    assert len(keys) == len(set(keys)) > 70
    expected = {"solver" if path == "solver.kind" else path for path in fields()}
    assert set(keys) == expected


def test_every_value_of_an_enumeration_has_a_name():
    kinds = {name: re.findall(r"\bPAWL_\w+", body) for name, body in re.findall(
        r"typedef enum (\w+) \{(.*?)\}", header("kinds.h"), re.S)}
    checked = 0
    for key, default, _, values, _ in ROWS:
        kind = fields().get(key)
        if kind in kinds and not values.startswith("see "):
            names = values.split()
            assert len(names) == len(kinds[kind]) - 1, key  # without the count
            assert len(set(names)) == len(names) and default in names, key
            checked += 1
    assert checked > 10


def test_the_page_of_settings_is_up_to_date():
    written = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    assert written == PAGE.page(ROWS), "run tools/settings_page build/pawl > docs/settings.md"
    assert all(f"| `{row[0]}` |" in written for row in ROWS)  # every owner has its section


def test_no_public_array_is_sized_by_an_enumeration():
    # A new value would change the layout of structs; arrays have room for more (PAWL_MAX_*).
    counts = set()
    text = {path.name: header(path.name) for path in (ROOT / "include/pawl").glob("*.h")}
    for body in text.values():
        for enumeration in re.findall(r"enum (?:\w+ )?\{(.*?)\}", body, re.S):
            values = re.findall(r"\b(PAWL_\w+)\s*(=\s*[^,\s]+)?", enumeration)
            if len(values) > 1:
                counts.add(values[-1][0])
    for name, body in text.items():
        sized = re.findall(r"\[(\w+)\]", body)
        assert not counts & set(sized), name
