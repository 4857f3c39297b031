# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Every sample of samples/python runs in a shortened form; each judges its own result."""

import importlib.util
import pathlib
import sys

import pytest

SAMPLES = sorted(pathlib.Path("samples/python").glob("*.py"))


@pytest.mark.parametrize("path", SAMPLES, ids=[p.stem for p in SAMPLES])
def test_sample(path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    module.main(short=True)
    text = capsys.readouterr().out
    if text.startswith("skipped"):
        pytest.skip(text)
    assert text


def test_there_are_ten():
    assert len(SAMPLES) == 10
