# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""The model files under models/, read here without pawl: masses, velocities and energies.

A reader that misplaces a joint or a model file with a wrong number would both go unnoticed if pawl
judged itself. So this reads the files with the standard library alone, computes momenta and
energies from the definitions, and compares them with the references' own figures. The last tests
ask the pawl command about the same files.
"""

import glob
import json
import math
import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))
MODELS = os.path.join(ROOT, "models")
FILES = sorted(
    glob.glob(os.path.join(MODELS, "*.sdf")) + glob.glob(os.path.join(MODELS, "*", "*.sdf"))
)
PAWL = "{urn:pawl:sdf}"


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def apply(m, v):
    return [dot(row, v) for row in m]


def transpose(m):
    return [list(column) for column in zip(*m)]


def product(a, b):
    return [[dot(row, column) for column in zip(*b)] for row in a]


def from_rpy(r, p, y):
    cr, sr, cp, sp, cy, sy = (
        math.cos(r), math.sin(r), math.cos(p), math.sin(p), math.cos(y), math.sin(y))
    return [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]


def values(element, path, default):
    text = element.findtext(path)
    return [float(x) for x in text.split()] if text else list(default)


class Link:
    def __init__(self, element):
        pose = values(element, "pose", [0] * 6)
        self.origin, self.turn = pose[:3], from_rpy(*pose[3:])
        twist = values(element, PAWL + "twist", [0] * 6)
        self.linear, self.angular = twist[:3], twist[3:]
        inertial = element.find("inertial")
        self.mass = float(inertial.findtext("mass"))
        self.com = values(inertial, "pose", [0] * 6)[:3]
        self.point = element.findtext(PAWL + "kind") == "point"
        i = {key: float(inertial.findtext("inertia/" + key) or 0.0)
             for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")}
        self.inertia = [
            [i["ixx"], i["ixy"], i["ixz"]],
            [i["ixy"], i["iyy"], i["iyz"]],
            [i["ixz"], i["iyz"], i["izz"]],
        ]

    def place(self, point):
        return add(self.origin, apply(self.turn, point))

    def velocity(self, world_point):
        return add(self.linear, cross(self.angular, sub(world_point, self.origin)))

    def spin(self):
        """Angular momentum about the centre of mass."""
        if self.point:
            return [0.0, 0.0, 0.0]
        return apply(product(product(self.turn, self.inertia), transpose(self.turn)), self.angular)


class Model:
    def __init__(self, path):
        world = ET.parse(path).getroot().find("world")
        self.gravity = values(world, "gravity", [0, 0, -9.8])
        model = world.find("model")
        self.links = {e.get("name"): Link(e) for e in model.findall("link")}
        self.joints = model.findall("joint")

    def energy(self):
        total = 0.0
        for link in self.links.values():
            at = link.place(link.com)
            v = link.velocity(at)
            total += 0.5 * link.mass * dot(v, v) + 0.5 * dot(link.angular, link.spin())
            total -= link.mass * dot(self.gravity, at)
        return total

    def momentum(self):
        """Angular momentum about the world's origin."""
        total = [0.0, 0.0, 0.0]
        for link in self.links.values():
            at = link.place(link.com)
            linear = [link.mass * x for x in link.velocity(at)]
            total = add(total, add(link.spin(), cross(at, linear)))
        return total

    def body(self, name):
        return None if name == "world" else self.links[name]


def classic(name):
    return Model(os.path.join(MODELS, "classics", name + ".sdf"))


def name_of(path):
    return os.path.relpath(path, MODELS)


def test_generated_files_are_what_the_generator_writes(tmp_path):
    script = os.path.join(ROOT, "tools", "make_models.py")
    subprocess.run([sys.executable, "-B", script, str(tmp_path)], check=True)
    made = glob.glob(str(tmp_path / "*.sdf")) + glob.glob(str(tmp_path / "*" / "*.sdf"))
    assert len(made) == 60
    for path in made:
        kept = os.path.join(MODELS, os.path.relpath(path, tmp_path))
        with open(path, encoding="utf-8") as new, open(kept, encoding="utf-8") as old:
            assert new.read() == old.read(), path


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_inertias_belong_to_bodies(path):
    for name, link in Model(path).links.items():
        assert link.mass > 0, name
        if not link.point:
            i = link.inertia
            trace = i[0][0] + i[1][1] + i[2][2]
            minors = i[0][0] * i[2][2] - i[0][2] ** 2
            assert i[0][0] > 0 and i[1][1] > 0 and i[2][2] > 0 and minors > 0, name
            for k in range(3):
                # The triangle inequality of the moments about any three axes.
                assert i[k][k] <= 0.5 * trace * (1 + 1e-9), name


def free_directions(joint):
    """Directions in which the two sides of a joint may move at the start: linear, angular."""
    kind = joint.get("type").replace("pawl:", "")
    everything = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    axis = values(joint, "axis/xyz", [1, 0, 0])
    axis2 = values(joint, "axis2/xyz", [0, 1, 0])
    return {
        "fixed": ([], []),
        "revolute": ([], [axis]),
        "prismatic": ([axis], []),
        "cylindrical": ([axis], [axis]),
        "universal": ([], [axis, axis2]),
        "ball": ([], everything),
        "planar": ([[0, 1, 0], [0, 0, 1]], [[1, 0, 0]]),
        "cartesian": (everything, []),
        "gimbal": ([], everything),
        "point-on-line": ([axis], everything),
        "free": (everything, everything),
        # Coupled or scalar: tested by themselves below, or at rest at the start.
        "screw": ([axis], [axis]),
        "distance": (everything, everything),
        "point-on-plane": (everything, everything),
        "span": (everything, everything),
    }[kind]


def remove(vector, directions):
    """What is left of a vector outside the span of the directions, which are orthogonal here."""
    for d in directions:
        vector = sub(vector, [x * dot(vector, d) / dot(d, d) for x in d])
    return vector


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_start_velocities_fit_the_joints(path):
    model = Model(path)
    for joint in model.joints:
        child = model.body(joint.findtext("child").strip())
        parent = model.body(joint.findtext("parent").strip())
        pose = values(joint, "pose", [0] * 6)
        assert not any(pose[3:])
        at = child.place(pose[:3])
        v, w = child.velocity(at), child.angular
        if parent is not None:
            v, w = sub(v, parent.velocity(at)), sub(w, parent.angular)
        linear, angular = free_directions(joint)
        linear = [apply(child.turn, d) for d in linear]
        angular = [apply(child.turn, d) for d in angular]
        assert max(map(abs, remove(v, linear))) < 1e-14, joint.get("name")
        assert max(map(abs, remove(w, angular))) < 1e-14, joint.get("name")


@pytest.mark.parametrize(
    "name, bars",
    [
        ("primitives/fourbar-fixed", {"crank": 0.5, "coupler": 0.5, "rocker": 0.5, "ground": 0.5}),
        ("primitives/fourbar-free", {"crank": 0.5, "coupler": 0.5, "rocker": 0.5, "ground": 0.5}),
        ("classics/S4-fourbar", {"crank": 0.3, "rocker": 0.6,
                                 "coupler": math.hypot(1.15, 0.6 - 0.15 * math.sqrt(3))}),
        ("lit/fourbar-passive", {"crank": 0.1, "coupler": 0.3, "rocker": 0.25}),
    ],
)
def test_loops_close_with_the_stated_lengths(name, bars):
    model = Model(os.path.join(MODELS, name + ".sdf"))
    links = model.links
    end = {key: links[key].place([length, 0, 0]) for key, length in bars.items()}
    assert math.dist(end["crank"], links["coupler"].origin) < 1e-15
    assert math.dist(end["coupler"], end["rocker"]) < 3e-16
    for key, length in bars.items():
        assert links[key].com == pytest.approx([length / 2, 0, 0])


def test_ladders_are_upright_squares():
    for n in (2, 10, 40):
        model = classic(f"A02-N{n}")
        assert len(model.links) == 2 * n + 1 and len(model.joints) == 3 * n + 1
        for k in range(n):
            coupler = model.links[f"coupler{k}"]
            assert math.dist(model.links[f"crank{k}"].place([1, 0, 0]), coupler.origin) < 1e-15
            top = model.links[f"crank{k + 1}"].place([1, 0, 0])
            assert math.dist(coupler.place([1, 0, 0]), top) < 1e-15


def test_start_energies_are_the_references():
    assert classic("A01-pendulum").energy() == pytest.approx(0.0, abs=1e-15)
    assert classic("A02-N2").energy() == pytest.approx(35.835, rel=1e-14)
    assert classic("A04-bricard").energy() == pytest.approx(-29.43, rel=1e-12)
    governor = classic("A05-governor")
    # The reference leaves out the shaft's weight, which never does work.
    shaft = 9.81 * 0.3 * 0.5
    assert governor.energy() - shaft == pytest.approx(237.41395044152583, rel=1e-12)
    assert governor.momentum()[2] == pytest.approx(53.86899865841845, rel=1e-12)
    assert classic("C1-slider-crank").energy() == 0.0
    spinning = classic("D1-dzhanibekov")
    assert spinning.energy() == pytest.approx(25.0002, rel=1e-14)
    assert spinning.momentum() == pytest.approx([0.01, 10.0, 0.03])
    assert classic("D2-heavy-top").momentum()[2] == pytest.approx(-70.3124296875, rel=1e-12)
    # The reference's rod is ideally thin; at rest that makes no difference.
    assert classic("D3-furuta").energy() == pytest.approx(0.3929609434257711, rel=1e-12)


def test_the_car_axis_starts_consistently():
    model = classic("C2-car-axis")
    road, left, right = (model.links[k] for k in ("road", "left", "right"))
    assert left.origin == [0, 0, 0.5] and right.origin == [1, 0, 0.5]
    assert sub(left.linear, right.linear) == [0, 0, 0]  # the rod keeps its length
    # The road's end follows 0.1 sin(10 t): 1 m/s upwards at the start.
    assert road.velocity([1, 0, 0]) == [0, 0, 1]
    # The left mass stays on the road's perpendicular: no velocity along the chord, seen from it.
    assert sub(left.linear, road.velocity(left.origin))[0] == 0.0


def collisions(path, kind):
    """Shapes of that kind with their friction, and the pose in the link."""
    world = ET.parse(path).getroot().find("world")
    return [
        (e.find("geometry/" + kind), float(e.findtext("surface/friction/ode/mu")),
         values(e, "pose", [0] * 6), name.get("name"))
        for model in world.findall("model")
        for name in model.findall("link")
        for e in name.findall("collision")
        if e.find("geometry/" + kind) is not None
    ]


@pytest.mark.parametrize("name, slope, friction", [
    ("classics/D4-incline-26", 26, 0.5), ("classics/D4-incline-30", 30, 0.5),
    ("classics/D7-sphere-incline", 30, 0.3), ("classics/E3-topple", 30, 0.8),
    ("classics/D5-slide-to-roll", 0, 0.2), ("classics/D8-bouncing-ball", 0, 0.5),
    ("classics/D12-stack-10", 0, 0.5), ("primitives/nunchuk", 0, 0.5),
])
def test_what_rests_on_the_ground_touches_it_exactly(name, slope, friction):
    path = os.path.join(MODELS, name + ".sdf")
    model = Model(path)
    [(_, mu, pose, _)] = collisions(path, "plane")
    assert mu == friction
    assert pose == pytest.approx([0, 0, 0, 0, math.radians(slope), 0])
    normal = apply(from_rpy(*pose[3:]), [0, 0, 1])
    gaps = []
    for shape, mu, _, link in collisions(path, "box"):
        half = [0.5 * float(x) for x in shape.findtext("size").split()]
        for k in range(8):
            corner = [h if k >> i & 1 else -h for i, h in enumerate(half)]
            gaps.append(dot(normal, model.links[link].place(corner)))
        assert mu == friction
    for shape, mu, at, link in collisions(path, "sphere"):
        centre = model.links[link].place(at[:3])
        gaps.append(dot(normal, centre) - float(shape.findtext("radius")))
        assert mu == friction
    drop = {"classics/D8-bouncing-ball": 1.0, "primitives/nunchuk": 0.475}.get(name, 0.0)
    assert min(gaps) == pytest.approx(drop, abs=1e-15)


def test_boxes_have_the_inertia_of_their_shapes():
    for name in ("primitives/box-on-plane", "primitives/boxes-fixed", "primitives/nunchuk",
                 "classics/E1-spin", "classics/S10-spinning-box"):
        path = os.path.join(MODELS, name + ".sdf")
        model = Model(path)
        for shape, _, _, link in collisions(path, "box"):
            size = [float(x) for x in shape.findtext("size").split()]
            body = model.links[link]
            for k in range(3):
                square = size[k - 1] ** 2 + size[k - 2] ** 2
                assert body.inertia[k][k] == pytest.approx(body.mass * square / 12)
    # The reference's own figure.
    assert classic("E1-spin").links["box"].inertia[2][2] == pytest.approx(0.041666666666666664)


def test_eulers_disk_starts_as_the_reference_says():
    disk = classic("D15-euler-disk").links["disk"]
    low = disk.place([-0.05, 0, 0])
    assert low[2] == pytest.approx(0, abs=1e-6)  # half as thick as that
    # Rolls: the point that touches is at rest, and the spin is along the diameter through it.
    assert disk.velocity(low) == pytest.approx([0, 0, 0], abs=1e-15)
    assert math.hypot(*disk.angular) == pytest.approx(39.61817764612603 * math.sin(math.pi / 6))


def robot(name):
    return Model(os.path.join(MODELS, "nmdp", name + ".sdf"))


# Figures of the robots' own data sheets, not of the script that writes the files.
@pytest.mark.parametrize("name, mass, freedoms", [
    ("robosimian-planar", 99.888, 15), ("robosimian-spatial", 99.888, 18),
    ("robosimian-full", 99.888, 38), ("spider-planar", 100.0, 15),
])
def test_robots_have_their_mass_and_freedoms(name, mass, freedoms, tmp_path):
    assert sum(link.mass for link in robot(name).links.values()) == pytest.approx(mass, abs=1e-12)
    counts, _ = check(os.path.join(MODELS, "nmdp", name + ".sdf"), tmp_path)
    assert counts["dofs"] == freedoms


def test_links_of_robosimian_that_move_as_one_have_the_figures_of_the_pair():
    links = robot("robosimian-planar").links
    for k in range(1, 5):
        for part, mass, along, across, pitch in (
                ("thigh", 4.404, 0.0838, 0.097, 0.0465), ("shank", 4.404, 0.0838, 0.097, 0.0465),
                ("leg", 5.735, 0.1402, 0.103, 0.1089)):
            link = links[f"{part}{k}"]
            assert link.mass == pytest.approx(mass, abs=1e-12)
            assert link.com[0] == pytest.approx(along, abs=1e-4)
            assert abs(link.com[1]) == pytest.approx(across, abs=5e-4)
            assert link.inertia[1][1] == pytest.approx(pitch, abs=5e-5)
    assert links["torso"].mass == pytest.approx(41.716, abs=1e-12)


def test_robots_of_one_kind_are_one_body_however_many_joints_are_frozen():
    def whole(name):
        links = robot(name).links.values()
        mass = sum(link.mass for link in links)
        places = [link.place(link.com) for link in links]
        com = [sum(l.mass * p[k] for l, p in zip(links, places)) / mass for k in range(3)]
        tensor = [[0.0] * 3 for _ in range(3)]
        for link, place in zip(links, places):
            r = sub(place, com)
            turned = product(product(link.turn, link.inertia), transpose(link.turn))
            for a in range(3):
                for b in range(3):
                    tensor[a][b] += turned[a][b] - link.mass * r[a] * r[b]
                tensor[a][a] += link.mass * dot(r, r)
        return com + sum(tensor, [])

    full = whole("robosimian-full")
    assert whole("robosimian-planar") == pytest.approx(full, abs=1e-12)
    assert whole("robosimian-spatial") == pytest.approx(full, abs=1e-12)


@pytest.mark.parametrize("name, tip, foot, ground", [
    ("robosimian-planar", ("leg", [0.3425, 0.117, 0]), [0.621, 0.56, -0.789], -0.8),
    ("robosimian-full", ("foot", [0.15, 0, 0]), [0.621, 0.56, -0.789], -0.8),
    ("spider-planar", ("lower", [0.44284, 0, 0]), [None, None, -0.359], -0.43),
])
def test_feet_stand_where_the_data_sheet_says(name, tip, foot, ground):
    model = robot(name)
    [(_, _, pose, _)] = collisions(os.path.join(MODELS, "nmdp", name + ".sdf"), "plane")
    assert pose == [0, 0, ground, 0, 0, 0]
    for k in range(1, 5):
        link, point = model.links[f"{tip[0]}{k}"], list(tip[1])
        if link.com[1] < 0:
            point[1] = -point[1]
        at = link.place(point)
        assert at[2] == pytest.approx(foot[2], abs=5e-4)
        if foot[1] is not None:
            assert [abs(at[0]), abs(at[1])] == pytest.approx(foot[:2], abs=5e-4)


def pawl(*arguments):
    command = os.environ.get("PAWL")
    if not command:
        pytest.skip("PAWL does not name the pawl command")
    return subprocess.run([command, *arguments], capture_output=True, text=True, timeout=120)


def check(path, tmp_path):
    report = tmp_path / "check.json"
    done = pawl("check", path, "--json", str(report))
    assert done.returncode == 0, done.stderr + done.stdout
    with open(report, encoding="utf-8") as file:
        return json.load(file)["model"], done


@pytest.mark.parametrize(
    "path", [p for p in FILES if "chain-1000" not in p], ids=name_of)
def test_pawl_check_accepts(path, tmp_path):
    counts, done = check(path, tmp_path)
    model = Model(path)
    assert counts["bodies"] == len(model.links)
    assert "warning" not in done.stderr, done.stderr


@pytest.mark.parametrize(
    "name, bodies, joints, rows, rank",
    [
        ("primitives/fourbar-fixed", 4, 5, 26, 23),
        ("primitives/fourbar-free", 4, 4, 20, 17),
        ("primitives/box-on-plane", 1, 0, 0, 0),
        ("primitives/boxes-fixed", 2, 1, 6, 6),
        ("primitives/nunchuk", 3, 2, 6, 6),
        ("classics/A04-bricard", 5, 6, 30, 29),
        ("classics/A02-N2", 5, 7, 35, 29),
        ("lit/fourbar-passive", 3, 4, 20, 17),
        ("lit/rover", 10, 10, 46, 46),
        ("lit/pawl-in-slot", 2, 1, 5, 5),
        ("quickstart", 14, 20, 101, 83),
        ("nmdp/robosimian-planar", 13, 13, 63, 63),
        ("nmdp/robosimian-spatial", 13, 12, 60, 60),
        ("nmdp/robosimian-full", 29, 28, 136, 136),
        ("nmdp/spider-planar", 9, 9, 39, 39),
    ],
)
def test_counts_and_ranks(name, bodies, joints, rows, rank, tmp_path):
    counts, _ = check(os.path.join(MODELS, name + ".sdf"), tmp_path)
    assert (counts["bodies"], counts["joints"]) == (bodies, joints)
    assert (counts["rows"], counts["rank"]) == (rows, rank)


def run(name, seconds, tmp_path, *settings):
    report = tmp_path / "run.json"
    options = [part for setting in settings for part in ("--set", setting)]
    done = pawl("run", os.path.join(MODELS, name + ".sdf"), "--time", str(seconds), *options,
                "--json", str(report))
    assert done.returncode == 0, done.stderr + done.stdout
    with open(report, encoding="utf-8") as file:
        return json.load(file)


@pytest.mark.parametrize("stepper", ["euler", "lit"])
def test_the_rover_gets_on(stepper, tmp_path):
    summary = run("lit/rover", 1.5, tmp_path, "stepper=" + stepper)
    place = {body["name"]: body["position"] for body in summary["final"]["bodies"]}
    # The wheels reach 6 rad/s after a second: 6 (0.5 + 0.5) 0.12 m, less what slips and climbs.
    assert 0.5 < place["chassis"][0] < 0.75
    assert summary["penetration"] < 1e-3


def test_the_pawl_s_patch_keeps_its_corners(tmp_path):
    contacts = {}
    for reduce in ("off", "hull"):
        summary = run("lit/pawl-in-slot", 0.01, tmp_path, "contact.margin=1e-5",
                      "contact.reduce=" + reduce)
        contacts[reduce] = summary["contacts"]["max"]
        assert summary["penetration"] < 1e-9
    assert contacts["off"] >= 126
    # 4 corners of the head and 17 of the nose.
    assert contacts["hull"] <= 25
