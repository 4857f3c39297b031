# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Collision meshes as they are (--mesh triangles) beside their convex hulls: a ball falls into a cup or lies on its rim."""

import json

import pytest

CUP = [((0, 0, 0.05), (0.5, 0.5, 0.05)), ((-0.45, 0, 0.35), (0.05, 0.5, 0.25)), ((0.45, 0, 0.35), (0.05, 0.5, 0.25)),
       ((0, -0.45, 0.35), (0.4, 0.05, 0.25)), ((0, 0.45, 0.35), (0.4, 0.05, 0.25))]
SDF = """<sdf version="1.9"><model name="cup"><static>false</static>
  <link name="cup"><inertial><mass>50</mass><inertia><ixx>5</ixx><iyy>5</iyy><izz>5</izz></inertia></inertial>
    <collision name="c"><geometry><mesh><uri>cup.obj</uri></mesh></geometry></collision></link>
  <link name="ball"><pose>0.05 0.02 1.2 0 0 0</pose>
    <inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial>
    <collision name="b"><geometry><sphere><radius>{radius}</radius></sphere></geometry></collision></link>
  <joint name="free" type="fixed"><parent>world</parent><child>cup</child></joint><self_collide>true</self_collide>
</model></sdf>
"""


def write_cup(folder, radius):
    """The cup as boxes, each with corners of its own: an OBJ file with quadrilaterals."""
    lines, faces = [], []
    for centre, half in CUP:
        first = len(lines) + 1
        for k in range(8):
            lines.append("v " + " ".join(str(c + (1 if k >> a & 1 else -1) * h) for a, (c, h) in enumerate(zip(centre, half))))
        for face in ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)):
            faces.append("f " + " ".join(str(first + i) for i in face))
    (folder / "cup.obj").write_text("\n".join(lines + faces) + "\n", encoding="utf-8")
    path = folder / "cup.sdf"
    path.write_text(SDF.format(radius=radius), encoding="utf-8")
    return path


def resting_height(pawl, path, *options):
    """Of the ball, the only body that can move, by its energy: it weighs 1 kg."""
    done = pawl("run", path, "--time", 3, "--dt", 2e-3, "--json", "-", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["energy"]["final"] / 9.81, done.stderr


def test_a_ball_falls_into_a_cup_of_triangles_and_lies_on_its_hull(pawl, tmp_path):
    path = write_cup(tmp_path, 0.2)
    inside, notes = resting_height(pawl, path, "--mesh", "triangles")
    assert "by its triangles" in notes
    parts, notes = resting_height(pawl, path, "--mesh", "parts")
    assert "convex parts" in notes
    assert parts == pytest.approx(inside, abs=1e-3)
    above, notes = resting_height(pawl, path)
    assert "convex hull" in notes
    assert inside == pytest.approx(0.1 + 0.2, abs=1e-3)
    assert above == pytest.approx(0.6 + 0.2, abs=1e-3)


def test_both_ways_load_and_others_are_refused(pawl, tmp_path):
    path = write_cup(tmp_path, 0.2)
    for how in ("hull", "parts", "triangles"):
        assert pawl("check", path, "--mesh", how).returncode == 0
    done = pawl("check", path, "--mesh", "cubes")
    assert done.returncode == 2
    assert "got 'cubes', expected hull, parts or triangles" in done.stderr
