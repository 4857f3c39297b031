# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Every cell of samples/notebooks runs, in order, as Jupyter would run it; the notebooks assert what they show. They are kept without outputs, so that
nothing in them is older than the code."""

import json
import pathlib

import pytest

NOTEBOOKS = sorted(pathlib.Path("samples/notebooks").glob("*.ipynb"))


def has_matplotlib():
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    return True


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[p.stem for p in NOTEBOOKS])
def test_notebook(path, monkeypatch, tmp_path):
    cells = [c for c in json.loads(path.read_text())["cells"] if c["cell_type"] == "code"]
    root = pathlib.Path.cwd()
    monkeypatch.chdir(tmp_path)  # what it writes goes there
    (tmp_path / "models").symlink_to(root / "models")
    names = {"__name__": "__main__"}
    for cell in cells:
        assert not cell["outputs"] and cell["execution_count"] is None, "kept without outputs"
        if "matplotlib" in cell["metadata"].get("tags", []) and not has_matplotlib():
            continue
        exec(compile("".join(cell["source"]), f"{path.name} {cell['id']}", "exec"), names)


def test_there_are_some():
    assert len(NOTEBOOKS) >= 3
