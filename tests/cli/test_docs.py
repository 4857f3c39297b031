# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""The documentation: links lead somewhere, code that is named exists, listings are the real thing."""

import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "models/README.md"])
GUIDE = (ROOT / "docs/getting-started.md").read_text(encoding="utf-8")


def listings(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


def test_links_lead_somewhere():
    for page in PAGES:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if not target.startswith(("http://", "https://", "#")):
                assert (page.parent / target.split("#")[0]).exists(), f"{page.name}: {target}"


def test_files_that_pages_name_exist():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for path in re.findall(r"`((?:src|tests|samples|models|tools|cli|include|bench)/[\w./-]+)`", text):
            assert (ROOT / path).exists() or list(ROOT.glob(path + ".sdf")), f"{page.name}: {path}"


def test_functions_and_test_cases_that_tables_name_exist():
    sources = [*ROOT.glob("src/**/*.[ch]"), *ROOT.glob("include/pawl/*.h")]
    code = "".join(path.read_text(encoding="utf-8") for path in sources)
    cases = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/**/*.c"))
    for name in ("docs/equations.md", "docs/data-flow.md"):
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.split("|")]
            if not line.startswith("| ") or len(cells) < 6:
                continue
            for function in re.findall(r"`([a-z_0-9]+)`", line):
                assert re.search(rf"\b{function}\b", code), f"{name}: {function}"
            for case in re.findall(r"\b[a-z0-9]+(?:_[a-z0-9]+){3,}\b", cells[-2]):
                if not re.search(rf"\b{case}\b", code):
                    assert f"({case})" in cases, f"{name}: no test {case}"


def test_the_guides_models_are_what_it_says(pawl, tmp_path):
    bar, linkage = listings("xml")
    path = tmp_path / "linkage.sdf"
    path.write_text(bar, encoding="utf-8")
    assert pawl.json("check", path)["model"]["rows"] == 5
    path.write_text(linkage, encoding="utf-8")
    model = pawl.json("check", path)["model"]
    assert (model["bodies"], model["joints"], model["rows"], model["rank"]) == (3, 4, 20, 17)
    done = pawl.json("run", path, "--time", 0.5, "--stepper", "moreau")
    assert done["closure"]["position"] < 1e-10
    assert done["not_converged"] == 0


def test_the_guides_program_is_the_sample():
    assert listings("c") == [(ROOT / "samples/hello_linkage.c").read_text(encoding="utf-8")]


def compare_listing(section, language):
    text = (ROOT / "docs/compare-code.md").read_text(encoding="utf-8")
    part = re.search(rf"^## {section}.*?(?=^## |\Z)", text, re.M | re.S).group(0)
    return re.search(rf"^```{language}\n(.*?)^```$", part, re.M | re.S).group(1)


def run_listing(folder, headers, code, libraries, angle):
    """The listing as a program that prints `angle` when its loop has ended."""
    compiler = shutil.which("cc")
    head = "".join(f"#include <{header}>\n" for header in ("stdio.h", *headers))
    loop_end = code.index("\n}\n") + 3
    body = code[:loop_end] + f'printf("%g\\n", (double)({angle}));\n' + code[loop_end:]
    (folder / "listing.c").write_text(f"{head}int main(void)\n{{\n{body}return 0;\n}}\n", encoding="utf-8")
    built = subprocess.run([compiler, "listing.c", "-o", "listing", *libraries, "-lm"], cwd=folder,
                           capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    done = subprocess.run(["./listing"], cwd=folder, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def has_header(folder, header, *condition):
    (folder / "probe.c").write_text("".join(f"{line}\n" for line in (f"#include <{header}>", *condition)), encoding="utf-8")
    return subprocess.run([shutil.which("cc"), "-fsyntax-only", "probe.c"], cwd=folder, capture_output=True).returncode == 0


def test_the_listing_for_mujoco_balances_the_rod(tmp_path):
    if not has_header(tmp_path, "mujoco/mujoco.h"):
        pytest.skip("MuJoCo is not installed")
    (tmp_path / "rod.xml").write_text(compare_listing("MuJoCo", "xml"), encoding="utf-8")
    angle = run_listing(tmp_path, ["mujoco/mujoco.h"], compare_listing("MuJoCo", "c"), ["-lmujoco"], "data->qpos[0]")
    assert abs(angle) < 1e-3


def test_the_listing_for_box2d_balances_the_rod(tmp_path):
    if not has_header(tmp_path, "box2d/box2d.h", "b2WorldId world;"):
        pytest.skip("Box2D 3 is not installed")
    code = compare_listing("Box2D 3.1", "c")
    angle = run_listing(tmp_path, ["box2d/box2d.h"], code, ["-lbox2d"], "b2RevoluteJoint_GetAngle(hinge)")
    assert abs(angle) < 1e-2
