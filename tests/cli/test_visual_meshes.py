# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Visual meshes: drawn as they are in pages and pictures, in their colours; the motion is the same without them."""

import base64
import json
import math
import struct

from pages import document

URDF = """<robot name="cart"><link name="cart">
  <inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><mesh filename="{visual}" scale="2 2 2"/></geometry>{material}</visual>
  <collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>
"""
CUBE = [(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
FACES = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]


def write(folder, material="", visual="cube.obj"):
    lines = ["mtllib cube.mtl"] + [f"v {x} {y} {z}" for x, y, z in CUBE]
    for k, face in enumerate(FACES):
        lines.append("usemtl red" if k < 2 else "usemtl sky blue")
        lines.append("f " + " ".join(str(i + 1) for i in face))
    (folder / "cube.obj").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "cube.mtl").write_text("newmtl red\nKd 1 0 0\n\nnewmtl sky blue\nKd 0.25 0.5 1\nd 0.5\n", encoding="utf-8")
    path = folder / "cart.urdf"
    path.write_text(URDF.format(visual=visual, material=material), encoding="utf-8")
    return path


def scene_of(pawl, path, *options):
    record, page = path.with_suffix(".h5"), path.with_suffix(".html")
    done = pawl("run", path, "--time", 0.05, "-o", record, "--json", "-", *options)
    assert done.returncode == 0, done.stderr
    assert pawl("report", record, "-o", page, "--picture", path.with_suffix(".svg")).returncode == 0
    return document(page)["motion"], done


def points_of(mesh):
    raw = base64.b64decode(mesh["points"])
    numbers = struct.unpack(f"<{len(raw) // 2}H", raw)
    return [mesh["low"][i % 3] + mesh["size"][i % 3] * n / 65535 for i, n in enumerate(numbers)]


def test_a_mesh_is_drawn_in_the_colours_of_its_materials(pawl, tmp_path):
    motion, _ = scene_of(pawl, write(tmp_path))
    drawn = [s for s in motion["shapes"] if s["drawn"]]
    assert [s["kind"] for s in drawn] == ["mesh", "mesh"]
    assert sorted(s["colour"] for s in drawn) == [[0.25, 0.5, 1, 0.5], [1, 0, 0, 1]]
    assert [s["kind"] for s in motion["shapes"] if not s["drawn"]] == ["box"]
    for mesh in motion["meshes"]:
        assert {round(abs(x), 6) for x in points_of(mesh)} == {2}
    assert motion["triangles"] == [12, 12]
    assert (tmp_path / "cart.svg").read_text(encoding="utf-8").count('fill-opacity="0.50"') > 0


def test_a_colour_of_the_model_file_hides_those_of_the_mesh(pawl, tmp_path):
    path = write(tmp_path, '<material name="m"><color rgba="0 1 0 1"/></material>')
    motion, _ = scene_of(pawl, path)
    assert [s["colour"] for s in motion["shapes"] if s["drawn"]] == [[0, 1, 0, 1]]


def test_the_motion_does_not_depend_on_visual_meshes(pawl, tmp_path):
    path = write(tmp_path)
    _, with_mesh = scene_of(pawl, path)
    without = pawl("run", path, "--time", 0.05, "--json", "-")
    assert json.loads(with_mesh.stdout)["hash"] == json.loads(without.stdout)["hash"]
    resumed = pawl("run", "--resume", path.with_suffix(".h5"), "--time", 0.1)
    assert resumed.returncode == 0, resumed.stderr


def test_a_visual_mesh_that_is_not_there_is_a_warning_and_the_collision_is_drawn(pawl, tmp_path):
    motion, done = scene_of(pawl, write(tmp_path, visual="nowhere.obj"))
    assert "visual mesh that is not there is not drawn" in done.stderr
    assert [(s["kind"], s["drawn"]) for s in motion["shapes"]] == [("box", True)]
    broken = tmp_path / "nowhere.obj"
    broken.write_text("v 1 2\n", encoding="utf-8")
    motion, done = scene_of(pawl, tmp_path / "cart.urdf")
    assert "cannot be read" in done.stderr and "OBJ" not in done.stderr


def test_materials_outside_of_the_search_path_are_not_read(pawl, tmp_path):
    deep = tmp_path / "a/b/c/d/e/f"
    deep.mkdir(parents=True)
    path = write(deep)
    (deep / "cube.mtl").rename(tmp_path / "cube.mtl")
    (deep / "cube.mtl").symlink_to(tmp_path / "cube.mtl")
    motion, _ = scene_of(pawl, path)
    assert len([s for s in motion["shapes"] if s["drawn"]]) == 1


def test_a_page_holds_few_enough_triangles_of_a_large_mesh(pawl, tmp_path):
    """A ball of 320,000 triangles: the page has at most 150,000 of them, their points on the ball."""
    n = 400
    grid = [[(math.cos(math.pi * j / n - math.pi / 2) * math.cos(2 * math.pi * i / n),
              math.cos(math.pi * j / n - math.pi / 2) * math.sin(2 * math.pi * i / n),
              math.sin(math.pi * j / n - math.pi / 2)) for i in range(n)] for j in range(n + 1)]
    data = bytearray(80) + struct.pack("<I", 2 * n * n)
    for j in range(n):
        for i in range(n):
            a, b, c, d = grid[j][i], grid[j][(i + 1) % n], grid[j + 1][(i + 1) % n], grid[j + 1][i]
            for triangle in ((a, b, c), (a, c, d)):
                data += struct.pack("<12fH", 0, 0, 0, *(x for p in triangle for x in p), 0)
    path = write(tmp_path, visual="ball.stl")
    (tmp_path / "ball.stl").write_bytes(bytes(data))
    motion, done = scene_of(pawl, path)
    assert "many triangles" in done.stderr
    drawn, given = motion["triangles"]
    assert 40000 < drawn <= 150000 < given <= 200000
    assert path.with_suffix(".html").stat().st_size < 4e6
    points = points_of(motion["meshes"][0])
    for i in range(0, len(points), 300):
        assert abs(math.dist(points[i:i + 3], (0, 0, 0)) - 2) < 0.03
