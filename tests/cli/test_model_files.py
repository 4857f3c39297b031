# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""The examples of docs/model-files.md are read as they stand, without a warning."""

import os
import re

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))
SDF = '<sdf version="1.10" xmlns:pawl="urn:pawl:sdf">{}</sdf>'
SDF_LINK = (
    '<link name="{}"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>'
    "</inertial></link>"
)
SDF_JOINT = (
    '<joint name="{0}" type="revolute"><parent>world</parent><child>at_{0}</child>'
    "<axis><xyz>0 0 1</xyz></axis></joint>"
)
URDF_LINK = (
    '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
)
URDF_JOINT = (
    '<joint name="hinge" type="continuous"><parent link="rocker"/><child link="coupler"/>'
    '<axis xyz="0 1 0"/></joint>'
)


def blocks():
    with open(os.path.join(ROOT, "docs", "model-files.md"), encoding="utf-8") as file:
        return re.findall(r"```xml\n(.*?)```", file.read(), re.DOTALL)


def wrap_sdf(block):
    """The block in a model, with the links and joints it only names."""
    links = set(re.findall(r"<(?:parent|child)>(\w+)<", block))
    links |= set(re.findall(r'body(?:_[ab])?="(\w+)"', block))
    links -= set(re.findall(r'<link name="(\w+)"', block)) | {"world"}
    joints = sorted(set(re.findall(r'joint="(\w+)"', block)))
    parts = [SDF_LINK.format(name) for name in sorted(links)]
    parts += [SDF_LINK.format("at_" + name) + SDF_JOINT.format(name) for name in joints]
    if "<static>" in block:  # a floor alone is no mechanism
        parts.append(SDF_LINK.format("what_moves"))
    return SDF.format('<model name="m">' + "".join(parts) + block + "</model>")


def files():
    """Name and text of a model file for each example."""
    for number, block in enumerate(blocks()):
        if "<sdf" in block:
            yield f"{number}.sdf", block
        elif "<pawl:loop" in block:
            for k, loop in enumerate(re.split(r"(?=<pawl:loop)", block)[1:]):
                body = URDF_LINK.format("rocker") + URDF_LINK.format("coupler") + URDF_JOINT + loop
                yield f"{number}-{k}.urdf", (
                    '<robot name="r" xmlns:pawl="urn:pawl:sdf">' + body + "</robot>"
                )
        elif "<include>" in block:
            yield f"{number}.sdf", SDF.format(
                '<world name="w"><gravity>0 0 -9.81</gravity>' + block + "</world>"
            )
        else:
            yield f"{number}.sdf", wrap_sdf(block)


@pytest.mark.parametrize("name,text", list(files()), ids=lambda value: value[:12])
def test_an_example_of_the_page_is_read(pawl, name, text):
    (pawl.folder / "parts").mkdir()
    (pawl.folder / "parts" / "wheel.sdf").write_text(
        SDF.format('<model name="wheel">' + SDF_LINK.format("rim") + "</model>")
    )
    with open(os.path.join(ROOT, "models", "wrench", "granular-foot.txt"), encoding="utf-8") as table:
        (pawl.folder / "granular-foot.txt").write_text(table.read())
    (pawl.folder / "hills.txt").write_text("pawl-heightfield 1\nsize 2 2\nspacing 1 1\n0 1 2 3\n")
    (pawl.folder / name).write_text(text)
    done = pawl("check", name)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr, done.stderr


def test_the_page_has_examples_of_everything():
    text = "".join(blocks())
    for element in ("gear", "spring", "actuator", "motion", "force", "loop", "kinematic", "table",
                    "sinusoid", "constant", "coordinate", "parent_pose", "length", "hull", "group",
                    "mask", "exclude", "soft", "erp"):
        assert "<pawl:" + element in text, element
