#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Writes the machines of models/suite/ as MJCF, from their SDFormat files: tools/suite_mjcf.py [--check].

MJCF is a tree of bodies; loops are closed by equality constraints. Joints are cut where that loses least: balls become one
`connect`, hinges two `connect`s on their axis (6 rows in place of 5, one of them redundant). A body fixed to the world is a body without a
joint, one fixed to another a `weld`. Where every hinge of a loop is driven, the body behind the cut one is divided into two halves that a `weld` holds together. What MJCF has no place for is
left out: targets that move (servos hold zero; scenarios of `pawl bench` drive them) and velocities at the start.
"""

import math
import os
import sys
import xml.etree.ElementTree as ET

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
SUITE = os.path.join(ROOT, "models", "suite")
PAWL = "{urn:pawl:sdf}"
# What is kept in the tree first: MJCF has no loop joint of two axes, and drives joints of the tree only.
ORDER = {"universal": 0, "fixed": 1, "driven": 2, "limited": 3, "revolute": 4, "ball": 5}


def text(x):
    return " ".join(f"{0.0 if abs(v) < 5e-13 else v:.9g}" for v in x)


def floats(node, default=()):
    return [float(v) for v in node.text.split()] if node is not None else list(default)


def matrix(rpy):
    (sr, sp, sy), (cr, cp, cy) = [math.sin(a) for a in rpy], [math.cos(a) for a in rpy]
    return [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], [-sp, cp * sr, cp * cr]]


def apply(R, v):
    return [sum(R[i][k] * v[k] for k in range(3)) for i in range(3)]


def transposed(R):
    return [[R[k][i] for k in range(3)] for i in range(3)]


def product(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def quaternion(R):
    """w x y z; the suite's frames turn by less than half a turn."""
    w = math.sqrt(max(0.0, 1.0 + R[0][0] + R[1][1] + R[2][2])) / 2
    return [w, (R[2][1] - R[1][2]) / (4 * w), (R[0][2] - R[2][0]) / (4 * w), (R[1][0] - R[0][1]) / (4 * w)]


class Pose:
    """Position and rotation matrix."""

    def __init__(self, six=(0, 0, 0, 0, 0, 0), p=None, R=None):
        self.p, self.R = (p, R) if p is not None else (list(six[:3]), matrix(six[3:]))

    def __mul__(self, other):
        return Pose(p=[a + b for a, b in zip(self.p, apply(self.R, other.p))], R=product(self.R, other.R))

    def inverse(self):
        T = transposed(self.R)
        return Pose(p=[-x for x in apply(T, self.p)], R=T)

    def attributes(self):
        q = quaternion(self.R)
        turn = f' quat="{text(q)}"' if max(abs(x) for x in q[1:]) > 1e-12 else ""
        return f'pos="{text(self.p)}"{turn}'


def pose_of(node):
    found = node.find("pose")
    return Pose(floats(found) if found is not None else (0,) * 6)


class Machine:
    """Links and joints of a file, in world coordinates at the start."""

    def __init__(self, path):
        world = ET.parse(path).getroot().find("world")
        self.name = world.get("name")
        self.links, self.joints, self.servos, self.ground = {}, [], [], None
        for model in world.findall("model"):
            if (model.findtext("static") or "") == "true":
                self.ground = model
                continue
            place = pose_of(model)
            for link in model.findall("link"):
                self.links[link.get("name")] = (place * pose_of(link), link)
            for joint in model.findall("joint"):
                self.joints.append(self.joint(joint))
            self.servos += [a for a in model.findall(PAWL + "actuator")]
            self.touches = (model.findtext("self_collide") or "") == "true"
        driven = {a.get("joint") for a in self.servos}
        for j in self.joints:
            j["driven"] = j["name"] in driven

    def joint(self, node):
        child, parent = node.findtext("child"), node.findtext("parent")
        frame = self.links[child][0] * pose_of(node)
        axes = []
        for tag in ("axis", "axis2"):
            axis = node.find(tag)
            if axis is not None:
                xyz = floats(axis.find("xyz"))
                lower, upper = axis.findtext("limit/lower"), axis.findtext("limit/upper")
                limit = (float(lower), float(upper)) if lower and abs(float(lower)) < 1e15 else None
                axes.append((apply(frame.R, xyz), limit, float(axis.findtext("dynamics/damping") or 0)))
        return {"name": node.get("name"), "kind": node.get("type"), "parent": parent, "child": child,
                "at": frame.p, "axes": axes, "divided": None}

    def rank(self, j):
        kind = j["kind"]
        if kind == "revolute":
            kind = "driven" if j["driven"] else "limited" if j["axes"][0][1] else "revolute"
        return ORDER[kind]

    def tree(self):
        """Joints of a spanning tree (Kruskal), and those that are cut."""
        root = {name: name for name in [*self.links, "world"]}

        def find(x):
            while root[x] != x:
                x = root[x]
            return x

        kept, cut = [], []
        for j in sorted(self.joints, key=self.rank):
            a, b = find(j["parent"]), find(j["child"])
            welded = j["kind"] == "fixed" and "world" not in (j["parent"], j["child"])
            (cut if a == b or welded else kept).append(j)
            if not welded:
                root[a] = b
        return kept, cut


class Writer:
    """One file."""

    def __init__(self, machine):
        self.m, self.lines, self.assets, self.equality, self.exclude = machine, [], [], [], []
        self.kept, self.cut = machine.tree()
        self.scale = {}
        for j in self.cut:  # a driven joint stays in the tree, on one half of its body
            if j["driven"]:
                self.scale[j["child"]] = 0.5

    def put(self, depth, line):
        self.lines.append("  " * depth + line)

    def geometry(self, node, name):
        g = node.find("geometry")
        shape = next(iter(g))
        size = {"box": lambda: [s / 2 for s in floats(shape.find("size"))],
                "sphere": lambda: [float(shape.findtext("radius"))],
                "cylinder": lambda: [float(shape.findtext("radius")), float(shape.findtext("length")) / 2],
                "capsule": lambda: [float(shape.findtext("radius")), float(shape.findtext("length")) / 2]}
        if shape.tag == PAWL + "hull":
            self.assets.append(f'<mesh name="{name}" vertex="{" ".join(shape.text.split())}"/>')
            return f'type="mesh" mesh="{name}"'
        return f'type="{shape.tag}" size="{text(size[shape.tag]())}"'

    def geoms(self, depth, link):
        for kind in ("collision", "visual"):
            for node in link.findall(kind):
                name, pose = node.get("name"), pose_of(node)
                shape = self.geometry(node, name)
                colour = node.findtext("material/diffuse")
                if kind == "collision":
                    look = f'friction="{float(node.findtext("surface/friction/ode/mu") or 1):.9g} 0.005 0.0001" group="3"'
                else:
                    look = f'contype="0" conaffinity="0" group="1" rgba="{colour or "0.5 0.5 0.5 1"}"'
                self.put(depth, f'<geom name="{name}" {pose.attributes()} {shape} {look}/>')

    def inertial(self, depth, link, share):
        i = link.find("inertial")
        mass = share * float(i.findtext("mass"))
        m = [share * float(i.findtext(f"inertia/{k}") or 0) for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")]
        self.put(depth, f'<inertial pos="{text(pose_of(i).p)}" mass="{mass:.9g}" fullinertia="{text(m)}"/>')

    def joint(self, depth, j, frame, reverse):
        """Joints of MJCF between a body and its parent: axes in the body's frame."""
        back = frame.inverse()
        at = text((back * Pose(p=j["at"], R=matrix((0, 0, 0)))).p)
        if j["kind"] == "ball":
            self.put(depth, f'<joint name="{j["name"]}" type="ball" pos="{at}"/>')
        axes = list(reversed(j["axes"])) if reverse else j["axes"]
        for k, (axis, limit, damping) in enumerate(axes):
            v = apply(back.R, [-x if reverse else x for x in axis])
            name = j["name"] if len(axes) == 1 else f'{j["name"]}_{k + 1}'
            more = f' limited="true" range="{text(limit)}"' if limit else ""
            more += f' damping="{damping:.9g}"' if damping else ""
            self.put(depth, f'<joint name="{name}" type="hinge" pos="{at}" axis="{text(v)}"{more}/>')

    def body(self, depth, name, parent_frame, via, reverse):
        frame, link = self.m.links[name]
        self.put(depth, f'<body name="{name}" {(parent_frame.inverse() * frame).attributes()}>')
        if via is None:
            self.put(depth + 1, '<freejoint/>')
        elif via["kind"] != "fixed":
            self.joint(depth + 1, via, frame, reverse)
        self.inertial(depth + 1, link, self.scale.get(name, 1.0))
        self.geoms(depth + 1, link)
        for j in self.kept:
            if name in (j["parent"], j["child"]) and j is not via:
                other = j["child"] if j["parent"] == name else j["parent"]
                if other != "world":
                    self.body(depth + 1, other, frame, j, j["child"] == name)
        for j in self.cut:
            if j["driven"] and j["parent"] == name:
                self.half(depth + 1, j, frame)
        self.put(depth, "</body>")

    def half(self, depth, j, parent_frame):
        """The other half of a body whose driven joint closes a loop."""
        name, (frame, link) = j["child"], self.m.links[j["child"]]
        self.put(depth, f'<body name="{name}_half" {(parent_frame.inverse() * frame).attributes()}>')
        self.joint(depth + 1, j, frame, False)
        self.inertial(depth + 1, link, 0.5)
        self.put(depth, "</body>")
        self.equality.append(f'<weld name="{j["name"]}_half" body1="{name}" body2="{name}_half"/>')

    def close(self, j):
        """A cut joint that is not driven."""
        a, b = (j["parent"], j["child"]) if j["parent"] != "world" else (j["child"], j["parent"])
        if j["kind"] == "fixed":
            self.equality.append(f'<weld name="{j["name"]}" body1="{a}" body2="{b}"/>')
            return
        back = self.m.links[a][0].inverse()
        points = [j["at"]]
        if j["kind"] == "revolute":
            axis = j["axes"][0][0]
            points = [[p + s * 0.02 * x for p, x in zip(j["at"], axis)] for s in (-1, 1)]
        elif j["kind"] != "ball":
            raise ValueError(f'{self.m.name}: a {j["kind"]} joint closes a loop')
        other = f' body2="{b}"' if b != "world" else ""
        for k, point in enumerate(points):
            anchor = (back * Pose(p=point, R=matrix((0, 0, 0)))).p
            name = j["name"] + (f"_{k + 1}" if len(points) > 1 else "")
            self.equality.append(f'<connect name="{name}" body1="{a}"{other} anchor="{text(anchor)}"/>')

    def world(self):
        if self.m.ground is not None:
            mu = self.m.ground.findtext("link/collision/surface/friction/ode/mu") or 1
            self.put(2, f'<geom name="ground" type="plane" {pose_of(self.m.ground).attributes()} size="5 5 0.1" '
                        f'friction="{float(mu):.9g} 0.005 0.0001" rgba="0.9 0.9 0.9 1"/>')
        base = Pose()
        seen = set()
        for j in self.kept:
            if "world" in (j["parent"], j["child"]):
                other = j["child"] if j["parent"] == "world" else j["parent"]
                self.body(2, other, base, j, j["child"] == "world")
        reached = {j[k] for j in self.kept for k in ("parent", "child")} if any(
            "world" in (j["parent"], j["child"]) for j in self.kept) else set()
        for name in self.m.links:
            if name not in reached and name not in seen:
                self.body(2, name, base, None, False)
                stack = [name]
                while stack:  # the rest of this tree is written
                    at = stack.pop()
                    seen.add(at)
                    stack += [x for j in self.kept if at in (j["parent"], j["child"])
                              for x in (j["parent"], j["child"]) if x not in seen]
        for j in self.cut:
            if not j["driven"]:
                self.close(j)
        tied = {tuple(sorted((j["parent"], j["child"]))) for j in self.cut if "world" not in (j["parent"], j["child"])}
        if self.m.touches:  # links that a cut joint ties do not touch, as those of the tree do not
            self.exclude = [f'<exclude body1="{a}" body2="{b}"/>' for a, b in sorted(tied)]
        else:
            names = sorted(self.m.links)
            self.exclude = [f'<exclude body1="{a}" body2="{b}"/>' for i, a in enumerate(names) for b in names[i + 1:]]

    def finish(self):
        self.world()
        servos = [f'<position name="{a.get("name")}" joint="{a.get("joint")}" kp="{a.get("stiffness")}" kv="{a.get("damping")}"/>'
                  for a in self.m.servos if a.get("type") == "position"]
        servos += [f'<motor name="{a.get("name")}" joint="{a.get("joint")}"/>' for a in self.m.servos if a.get("type") != "position"]
        out = ['<?xml version="1.0" encoding="UTF-8"?>', "<!-- SPDX-License-Identifier: MIT -->",
               "<!-- Part of pawl, a rigid multibody dynamics engine. Written by tools/suite_mjcf.py. -->",
               f'<mujoco model="{self.m.name}">', '  <compiler angle="radian" autolimits="true"/>',
               '  <option timestep="0.001" gravity="0 0 -9.81"/>']
        for tag, lines in (("asset", self.assets),):
            if lines:
                out += [f"  <{tag}>", *("    " + x for x in lines), f"  </{tag}>"]
        out += ["  <worldbody>", *self.lines, "  </worldbody>"]
        for tag, lines in (("equality", self.equality), ("contact", self.exclude), ("actuator", servos)):
            if lines:
                out += [f"  <{tag}>", *("    " + x for x in lines), f"  </{tag}>"]
        return "\n".join([*out, "</mujoco>", ""])


def main():
    wrong = 0
    for name in sorted(os.listdir(SUITE)):
        if not name.endswith(".sdf"):
            continue
        content = Writer(Machine(os.path.join(SUITE, name))).finish()
        path = os.path.join(SUITE, name[:-4] + "-mjcf.xml")
        if "--check" in sys.argv[1:]:
            with open(path, encoding="utf-8") as file:
                wrong += file.read() != content
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
    if wrong:
        sys.exit(f"{wrong} files differ from what this script writes")


if __name__ == "__main__":
    main()
