#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""pawl beside other engines: time a step against the error that it buys, from one interleaved run.

    pip install numpy mujoco pybullet pin drake dartpy newton   # those that are missing are named and left out; Siconos is Debian's python3-siconos
    PYTHONPATH=build/python python bench/peers/work_precision.py --html work-precision.html [--only TEXT] [--seconds 2]
    ... --engines pawl,MuJoCo,Kamino --only four-bar --steps 2.5    # Newton's Kamino is made for GPUs: on a CPU it takes tens of ms a step

Every engine gets the same MJCF machines, masses, shapes and steps; each with its defaults and with an expert's settings. All
take turns: a round runs every engine for a part of the scene, so that a busy machine slows all alike; processor time of the
whole scene counts, since a heap that has not landed yet is cheap. Only ratios within a run mean something. The table at the end names every point at which pawl is behind: a peer's
point for which no setting of pawl is at least as fast and as exact.
"""

import argparse
import html
import importlib
import json
import logging
import math
import os
import sys
import tempfile
import time
import xml.etree.ElementTree as ET

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))
SUITE = os.path.join(ROOT, "models", "suite")
ROUNDS = 4
EXACT = 1e-9  # errors below this count as none


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


numpy, mujoco, pybullet, pin, pydrake, newton, dart, siconos, pawl = (
    optional(n) for n in ("numpy", "mujoco", "pybullet", "pinocchio", "pydrake.all", "newton", "dartpy", "siconos.kernel", "pawl"))


# ---- scenes -----------------------------------------------------------------------------------

def mjcf(name, bodies, gravity="0 0 -9.81", more="", ground=True, friction=0.5):
    plane = f'<geom name="ground" type="plane" size="5 5 0.1" friction="{friction} 0.005 0.0001"/>' if ground else ""
    return f"""<mujoco model="{name}"><compiler angle="radian" autolimits="true"/><option timestep="0.001" gravity="{gravity}"/>
<worldbody>{plane}{bodies}</worldbody>{more}</mujoco>"""


def box(name, half, at, mass=1.0, friction=0.5, inner="<freejoint/>"):
    inertia = [mass / 3 * (half[(k + 1) % 3] ** 2 + half[(k + 2) % 3] ** 2) for k in range(3)]
    numbers = lambda x: " ".join(f"{v:.12g}" for v in x)
    return (f'<body name="{name}" pos="{numbers(at)}">{inner}<inertial pos="0 0 0" mass="{mass}" diaginertia="{numbers(inertia)}"/>'
            f'<geom type="box" size="{numbers(half)}" friction="{friction} 0.005 0.0001"/></body>')


def chain(count):
    text, half = "", "0.05 0.01 0.01"
    i = f"{0.1 / 3 * 2e-4:.12g} {0.1 / 3 * (0.0025 + 1e-4):.12g} {0.1 / 3 * (0.0025 + 1e-4):.12g}"
    for k in range(count):
        text += (f'<body name="link{k}" pos="{0 if k == 0 else 0.1} 0 0"><joint type="hinge" axis="0 1 0"/>'
                 f'<inertial pos="0.05 0 0" mass="0.1" diaginertia="{i}"/><geom type="box" pos="0.05 0 0" size="{half}" contype="0" conaffinity="0"/>')
    return text + "</body>" * count


def fourbar():
    """S4: rods AB, BC, DC with hinges about y; C is where the loop is closed."""
    A, B, C, D = (0, 0), (-0.15, 0.15 * math.sqrt(3)), (1, 0.6), (1, 0)

    def rod(name, p, q, mass, parent, inner):
        length, turn = math.dist(p, q), -math.atan2(q[1] - p[1], q[0] - p[0])
        lateral, axial = mass * (length ** 2 + 0.0016) / 12, mass * 0.0032 / 12
        return (f'<body name="{name}" pos="{p[0] - parent[0]} 0 {p[1] - parent[1]}"><joint type="hinge" axis="0 1 0"/>'
                f'<inertial pos="{(q[0] - p[0]) / 2} 0 {(q[1] - p[1]) / 2}" quat="{math.cos(turn / 2)} 0 {math.sin(turn / 2)} 0" mass="{mass}" '
                f'diaginertia="{axial} {lateral} {lateral}"/>{inner}</body>')

    coupler = rod("coupler", B, C, math.dist(B, C), A, "").replace(f'pos="{B[0]} 0 {B[1]}"', f'pos="{B[0]} 0 {B[1]}"', 1)
    text = rod("crank", A, B, 0.3, (0, 0), coupler) + rod("rocker", D, C, 0.6, (0, 0), "")
    anchor = f'{C[0] - B[0]} 0 {C[1] - B[1]}'
    return mjcf("fourbar-passive", text, ground=False, more=f'<equality><connect body1="coupler" body2="rocker" anchor="{anchor}"/></equality>')


def ladder(count):
    """Two rails that stick out of a wall, with rungs between: loops of parallelograms with parallel axes, each with redundant rows."""
    i = f"{0.1 / 3 * 2e-4:.12g} {0.1 / 3 * 0.0026:.12g} {0.1 / 3 * 0.0026:.12g}"
    link = lambda name, at, inner: (f'<body name="{name}" pos="{at}"><joint type="hinge" axis="0 1 0"/><inertial pos="0.05 0 0" mass="0.1" '
                                    f'diaginertia="{i}"/>{inner}</body>')
    rung = lambda k: (f'<body name="rung{k}" pos="0.1 0 0"><joint type="hinge" axis="0 1 0"/><inertial pos="0 0 0.1" mass="0.2" '
                      f'diaginertia="6.8e-4 6.8e-4 1.4e-5"/></body>')
    lower = upper = ""
    for k in reversed(range(count)):
        at = "0 0 0" if k == 0 else "0.1 0 0"
        lower, upper = link(f"lower{k}", at, rung(k) + lower), link(f"upper{k}", at if k else "0 0 0.2", upper)
    ties = "".join(f'<connect body1="rung{k}" body2="upper{k}" anchor="0 0 0.2"/>' for k in range(count))
    return mjcf(f"ladder{count}", lower + upper, ground=False, more=f"<equality>{ties}</equality>")


def overlap(poses, halves):
    """The deepest overlap of boxes with each other and with the ground z = 0, by the axes of separation, from poses alone."""
    deepest = max(float(sum(h * abs(r) for h, r in zip(half, R[2])) - p[2]) for (p, R), half in zip(poses, halves))
    for k, (p, R) in enumerate(poses):
        for n in range(k + 1, len(poses)):
            q, S = poses[n]
            d, a, b = q - p, halves[k], halves[n]
            if d @ d > (numpy.linalg.norm(a) + numpy.linalg.norm(b)) ** 2:
                continue
            cross = numpy.cross(R.T[:, None, :], S.T[None, :, :]).reshape(9, 3)
            axes = numpy.vstack([R.T, S.T, cross])
            length = numpy.linalg.norm(axes, axis=1)
            axes = axes[length > 1e-6] / length[length > 1e-6, None]
            depth = abs(axes @ R) @ a + abs(axes @ S) @ b - abs(axes @ d)
            deepest = max(deepest, float(depth.min()))
    return deepest


class Scene:
    """A model with how to start it and what is wrong with its end."""

    def __init__(self, name, text, metrics, seconds=2.0, start=None, boxes=None, tree=False):
        self.name, self.text, self.metrics, self.seconds = name, text, metrics, seconds
        self.start = start or {}  # body: (velocity, angular velocity)
        self.boxes, self.tree = boxes, tree  # for engines without MJCF: [(half, at, mass)]; whether joints form a tree


def scenes():
    slope = 9.81 / math.hypot(1, 0.49)
    stack = [((0.1, 0.1, 0.1), (0, 0, 0.1 + 0.2 * k), 1.0) for k in range(10)]
    one = [((0.1, 0.1, 0.1), (0, 0, 0.1), 1.0)]
    flat = [((0.1, 0.1, 0.02), (0, 0, 0.02), 1.0)]
    put = lambda boxes: "".join(box(f"box{k}", *b) for k, b in enumerate(boxes))
    yield Scene("sliding box", mjcf("slide", put(one)), {"stop": ("distance from the exact stop [m]", lambda e: abs(e.position(0)[0] - 0.4077472))},
                1.5, {0: ((2, 0, 0), (0, 0, 0))}, one)
    yield Scene("incline, tan 0.49", mjcf("incline", put(one), f"{0.49 * slope} 0 {-slope}"),
                {"creep": ("creep where it must stick [m]", lambda e: math.hypot(*e.position(0)[:2]))}, 2.0, None, one)
    yield Scene("spinning box", mjcf("spin", put(flat)), {"lift": ("highest rise of the centre [m]", lambda e: e.highest - 0.02)}, 1.0,
                {0: ((3, 0, 0), (0, 0, 10))}, flat)
    wall = [((0.1, 0.05, 0.05), (0.2 * i + 0.1 * (j % 2), 0, 0.05 + 0.1 * j), 1.0) for j in range(5) for i in range(5)]
    heap = [((0.05, 0.04, 0.03), (0.13 * (i % 3) + 0.011 * j, 0.11 * (i // 3) - 0.007 * j, 0.06 + 0.09 * j), 0.5) for j in range(3) for i in range(9)]
    away = lambda boxes: lambda e: max(math.dist(e.position(k), b[1]) for k, b in enumerate(boxes))
    deep = ("deepest overlap, from poses [m]", lambda e: e.overlap)
    yield Scene("wall of 25", mjcf("wall", put(wall)), {"moved": ("largest distance from where it was built [m]", away(wall)), "overlap": deep}, 1.5, None, wall)
    yield Scene("heap of 27", mjcf("heap", put(heap)), {"overlap": deep}, 1.5, None, heap)
    yield Scene("stack of ten", mjcf("stack", put(stack)), {"sink": ("largest distance from where it stands [m]", lambda e: max(
        math.dist(e.position(k), stack[k][1]) for k in range(10)))}, 2.0, None, stack)
    for n in (10, 100):
        yield Scene(f"chain of {n}", mjcf(f"chain{n}", chain(n), ground=False), {"energy": ("energy drift over the energy turned over", lambda e: e.drift())},
                    2.0, tree=True)
    yield Scene("passive four-bar", fourbar(), {"energy": ("energy drift over the energy turned over", lambda e: e.drift()),
                                               "closure": ("largest opening of the loop [m]", lambda e: e.closure)}, 2.0)
    yield Scene("ladder of 10", ladder(10), {"energy": ("energy drift over the energy turned over", lambda e: e.drift()),
                                            "closure": ("largest opening of a loop [m]", lambda e: e.closure)}, 1.5)
    for name, metrics in (("quadruped", "stand"), ("biped21", "stand"), ("figure22", "closure"), ("walker31", "closure"), ("figure38", "closure"), ("figure54", "closure")):
        with open(os.path.join(SUITE, name + "-mjcf.xml"), encoding="utf-8") as file:
            text = file.read()
        stand = {"stand": ("horizontal drift of the base [m]", lambda e: math.dist(e.position(0)[:2], e.began[:2])),
                 "penetration": ("deepest penetration [m]", lambda e: e.penetration)}
        yield Scene(name, text, stand if metrics == "stand" else {"closure": ("largest opening of a loop [m]", lambda e: e.closure)}, 1.0)


# ---- engines ----------------------------------------------------------------------------------

class Engine:
    """What a scene asks of an engine. Energies are of the whole machine."""

    highest = -math.inf
    closure = penetration = overlap = 0.0

    def sizes(self, scene):
        """Boxes whose overlap is measured from poses."""
        self.halves = [numpy.array(b[0]) for b in scene.boxes] if scene.boxes and "overlap" in scene.metrics else None
        self.watched = 0

    def drift(self):
        e = self.energies
        turned = max(e[1]) - min(e[1])
        total = [a + b for a, b in zip(*e)]
        return max(abs(x - total[0]) for x in total) / max(turned, 1e-12)

    def watch(self):
        self.highest = max(self.highest, self.position(0)[2])
        kinetic, potential = self.energy()
        if not hasattr(self, "energies"):
            self.energies, self.began = ([], []), self.position(0)
        self.energies[0].append(kinetic)
        self.energies[1].append(potential)
        self.watched += 1
        if self.halves and self.watched % 4 == 0:
            poses = [(numpy.array(self.position(k)), numpy.asarray(self.rotation(k))) for k in range(len(self.halves))]
            self.overlap = max(self.overlap, overlap(poses, self.halves))

    @staticmethod
    def matrix(w, x, y, z):
        return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


class Pawl(Engine):
    variants = {"default": {}, "euler": {"stepper": "euler"}, "lit": {"stepper": "lit"}, "budget 10": {"solver.budget": 10, "solver.tolerance": 1e-4}}
    version = staticmethod(lambda: pawl.__version__)

    def __init__(self, scene, dt, options):
        settings = pawl.Settings()
        settings["dt"] = dt
        for key, value in options.items():
            settings[key] = value
        self.sim = pawl.Sim(pawl.Model.parse(scene.text, scene.name + ".xml"), settings)
        for body, (v, w) in scene.start.items():
            self.sim.state.set_twist(body, v, w)

    def step(self, count):
        self.sim.step(count)
        report = self.sim.report
        self.closure = max(self.closure, report["closure"])
        self.penetration = max(self.penetration, report["penetration"])

    def position(self, body):
        return [float(x) for x in self.sim.positions[body]]

    def rotation(self, body):
        return self.matrix(*self.sim.orientations[body])

    def energy(self):
        e = self.sim.energy
        return e.kinetic, e.gravity


class MuJoCo(Engine):
    variants = {"default": {}, "expert": {"cone": "elliptic", "impratio": 100, "integrator": "implicitfast", "solref": True},
                "rk4": {"integrator": "RK4"}}
    version = staticmethod(lambda: mujoco.__version__)

    def __init__(self, scene, dt, options):
        text = scene.text
        attributes = f'timestep="{dt}"' + "".join(f' {k}="{v}"' for k, v in options.items() if k != "solref")
        text = text.replace('timestep="0.001"', attributes, 1)
        self.m = mujoco.MjModel.from_xml_string(text)
        self.m.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
        if options.get("solref"):
            for table in (self.m.geom_solref, self.m.eq_solref, self.m.jnt_solref):
                table[:, 0] = 2 * dt
        self.d = mujoco.MjData(self.m)
        for body, (v, w) in scene.start.items():
            self.d.qvel[6 * body:6 * body + 6] = [*v, *w]
        self.first = 1
        mujoco.mj_forward(self.m, self.d)

    def step(self, count):
        mujoco.mj_step(self.m, self.d, count)
        d = self.d
        rows = d.efc_pos[:d.nefc][d.efc_type[:d.nefc] == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]
        self.closure = max(self.closure, float(abs(rows).max()) if len(rows) else 0.0)
        self.penetration = max([self.penetration, *(-float(c.dist) for c in d.contact[:d.ncon])])

    def position(self, body):
        return [float(x) for x in self.d.xipos[self.first + body]]

    def rotation(self, body):
        return self.d.xmat[self.first + body].reshape(3, 3)

    def energy(self):
        mujoco.mj_energyPos(self.m, self.d)
        mujoco.mj_energyVel(self.m, self.d)
        return float(self.d.energy[1]), float(self.d.energy[0])


class Bullet(Engine):
    """Boxes on a plane; its MJCF reader takes no loops."""

    variants = {"default": {}, "expert": {"numSolverIterations": 200, "solverResidualThreshold": 1e-10, "erp": 0.8, "contactERP": 0.8}}
    version = staticmethod(lambda: str(pybullet.getAPIVersion()))

    def __init__(self, scene, dt, options):
        if scene.boxes is None:
            raise ValueError("boxes only")
        p, self.c = pybullet, pybullet.connect(pybullet.DIRECT)
        gravity = [float(x) for x in ET.fromstring(scene.text).find("option").get("gravity").split()]
        p.setGravity(*gravity, physicsClientId=self.c)
        p.setPhysicsEngineParameter(fixedTimeStep=dt, numSubSteps=1, physicsClientId=self.c, **options)
        plane = p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE, physicsClientId=self.c), physicsClientId=self.c)
        p.changeDynamics(plane, -1, lateralFriction=1.0, physicsClientId=self.c)
        self.gravity, self.mass, self.bodies = gravity, [b[2] for b in scene.boxes], []
        for half, at, mass in scene.boxes:  # friction of a pair is the product
            shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=half, physicsClientId=self.c)
            body = p.createMultiBody(mass, shape, basePosition=at, physicsClientId=self.c)
            p.changeDynamics(body, -1, lateralFriction=0.5 if len(scene.boxes) == 1 else math.sqrt(0.5), linearDamping=0, angularDamping=0,
                             activationState=p.ACTIVATION_STATE_DISABLE_SLEEPING, physicsClientId=self.c)
            self.bodies.append(body)
        for k, (v, w) in scene.start.items():
            p.resetBaseVelocity(self.bodies[k], v, w, physicsClientId=self.c)

    def step(self, count):
        for _ in range(count):
            pybullet.stepSimulation(physicsClientId=self.c)
        self.penetration = max([self.penetration, *(-c[8] for c in pybullet.getContactPoints(physicsClientId=self.c))])

    def position(self, body):
        return list(pybullet.getBasePositionAndOrientation(self.bodies[body], physicsClientId=self.c)[0])

    def rotation(self, body):
        x, y, z, w = pybullet.getBasePositionAndOrientation(self.bodies[body], physicsClientId=self.c)[1]
        return self.matrix(w, x, y, z)

    def energy(self):
        return 0.0, 0.0


class Pinocchio(Engine):
    """Passive machines on a fixed base without contact: articulated bodies for trees, proximal constraint dynamics for loops, stepped from
    Python. Its MJCF reader takes one root, so the model is built from what MuJoCo compiled. Contacts are left out."""

    variants = {"default": {}, "expert": {"rk4": True, "stiff": True}}
    version = staticmethod(lambda: pin.__version__)

    def __init__(self, scene, dt, options):
        if scene.boxes is not None or mujoco is None:
            raise ValueError("machines without contact only, read by MuJoCo")
        c = mujoco.MjModel.from_xml_string(scene.text)
        if (c.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)).any():
            raise ValueError("it has no contacts for a machine on the ground")
        if c.nu > 0:
            raise ValueError("stiff servos open its loops by decimetres: accelerations are integrated explicitly")
        self.m, self.frames = pin.Model(), [(0, pin.SE3.Identity())]
        self.m.gravity.linear = numpy.array(c.opt.gravity)
        pose = lambda p, q: pin.SE3(self.matrix(*q), numpy.array(p))
        for b in range(1, c.nbody):
            joint, at = self.frames[c.body_parentid[b]]
            at = at * pose(c.body_pos[b], c.body_quat[b])
            for j in range(c.body_jntadr[b], c.body_jntadr[b] + c.body_jntnum[b]):
                anchor = pin.SE3(numpy.eye(3), numpy.array(c.jnt_pos[j]))
                if c.jnt_type[j] == int(mujoco.mjtJoint.mjJNT_BALL):
                    kind = pin.JointModelSpherical()
                elif c.jnt_type[j] == int(mujoco.mjtJoint.mjJNT_HINGE):
                    kind = pin.JointModelRevoluteUnaligned(numpy.array(c.jnt_axis[j]))
                else:
                    raise ValueError("hinges and balls only")
                joint = self.m.addJoint(joint, kind, at * anchor, f"joint{j}")
                at = anchor.inverse()
            self.frames.append((joint, at))
            turn = self.matrix(*c.body_iquat[b])
            inertia = pin.Inertia(float(c.body_mass[b]), numpy.array(c.body_ipos[b]), turn @ numpy.diag(c.body_inertia[b]) @ turn.T)
            self.m.appendBodyToJoint(joint, inertia, at)
        self.d, self.dt, self.rk4 = self.m.createData(), dt, options.get("rk4")
        self.q, self.v = pin.neutral(self.m), numpy.zeros(self.m.nv)
        self.ties = self.close(c, dt, options.get("stiff"))
        self.tie_data = pin.StdVec_RigidConstraintData()
        for tie in self.ties:
            self.tie_data.append(tie.createData())
        if len(self.ties):
            pin.initConstraintDynamics(self.m, self.d, self.ties, self.tie_data)
        self.proximal = pin.ProximalSettings(1e-12, 1e-10, 20)

    def close(self, c, dt, stiff):
        data = mujoco.MjData(c)
        mujoco.mj_forward(c, data)
        ties, rate = pin.StdVec_RigidConstraintModel(), 1 / (2 * dt) if stiff else 50.0
        for e in range(c.neq):
            one, two = int(c.eq_obj1id[e]), int(c.eq_obj2id[e])
            connect = c.eq_type[e] == int(mujoco.mjtEq.mjEQ_CONNECT)
            world = pin.SE3(data.xmat[one].reshape(3, 3), data.xpos[one] + (data.xmat[one].reshape(3, 3) @ c.eq_data[e][:3] if connect else 0))
            local = []
            for body in (one, two):
                joint, at = self.frames[body]
                local.append((joint, at * pin.SE3(data.xmat[body].reshape(3, 3), numpy.array(data.xpos[body])).actInv(world)))
            kind = pin.ContactType.CONTACT_3D if connect else pin.ContactType.CONTACT_6D
            tie = pin.RigidConstraintModel(kind, self.m, local[0][0], local[0][1], local[1][0], local[1][1], pin.ReferenceFrame.LOCAL)
            tie.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(rate ** 2, 2 * rate))
            ties.append(tie)
        return ties

    def acceleration(self, q, v):
        tau = numpy.zeros(self.m.nv)
        if len(self.ties):
            return pin.constraintDynamics(self.m, self.d, q, v, tau, self.ties, self.tie_data, self.proximal)
        return pin.aba(self.m, self.d, q, v, tau)

    def step(self, count):
        h, move = self.dt, lambda q, v: pin.integrate(self.m, q, v)
        for _ in range(count):
            q, v = self.q, self.v
            a = self.acceleration(q, v).copy()
            if self.rk4:
                v2 = v + 0.5 * h * a
                a2 = self.acceleration(move(q, 0.5 * h * v), v2).copy()
                v3 = v + 0.5 * h * a2
                a3 = self.acceleration(move(q, 0.5 * h * v2), v3).copy()
                v4 = v + h * a3
                a4 = self.acceleration(move(q, h * v3), v4)
                self.q = move(q, h / 6 * (v + 2 * v2 + 2 * v3 + v4))
                self.v = v + h / 6 * (a + 2 * a2 + 2 * a3 + a4)
            else:
                self.v = v + h * a
                self.q = move(q, h * self.v)
        pin.forwardKinematics(self.m, self.d, self.q)
        for t in self.ties:
            gap = (self.d.oMi[t.joint1_id] * t.joint1_placement).translation - (self.d.oMi[t.joint2_id] * t.joint2_placement).translation
            self.closure = max(self.closure, float(numpy.linalg.norm(gap)))

    def position(self, body):
        pin.forwardKinematics(self.m, self.d, self.q)
        return [float(x) for x in self.d.oMi[1].translation]

    def energy(self):
        return float(pin.computeKineticEnergy(self.m, self.d, self.q, self.v)), float(pin.computePotentialEnergy(self.m, self.d, self.q))


class Drake(Engine):
    """Boxes, and trees from the same MJCF, with the solver of a discrete plant. Its reader does not take the friction of the file,
    so boxes are made here."""

    variants = {"default": {}, "expert": {"approximation": "lagged"}}
    version = staticmethod(lambda: importlib.import_module("importlib.metadata").version("drake"))

    def __init__(self, scene, dt, options):
        if not scene.tree and not scene.boxes:
            raise ValueError("boxes and trees only")
        builder = pydrake.DiagramBuilder()
        self.plant, _ = pydrake.AddMultibodyPlantSceneGraph(builder, dt)
        if options.get("approximation"):
            self.plant.set_discrete_contact_approximation(pydrake.DiscreteContactApproximation.kLagged)
        logging.getLogger("drake").setLevel(logging.ERROR)
        if scene.boxes:
            self.build(scene)
        else:
            pydrake.Parser(self.plant).AddModelsFromString(scene.text, "xml")
        gravity = [float(x) for x in ET.fromstring(scene.text).find("option").get("gravity").split()]
        self.plant.mutable_gravity_field().set_gravity_vector(gravity)
        self.plant.Finalize()
        self.diagram = builder.Build()
        self.sim = pydrake.Simulator(self.diagram)
        self.context = self.plant.GetMyMutableContextFromRoot(self.sim.get_mutable_context())
        self.bodies = [self.plant.get_body(pydrake.BodyIndex(i)) for i in range(1, self.plant.num_bodies())
                       if self.plant.get_body(pydrake.BodyIndex(i)).default_mass() > 0]
        for k, (half, at, mass) in enumerate(scene.boxes or []):
            v, w = scene.start.get(k, ((0, 0, 0), (0, 0, 0)))
            self.plant.SetFreeBodyPose(self.context, self.bodies[k], pydrake.RigidTransform(numpy.array(at)))
            self.plant.SetFreeBodySpatialVelocity(self.context, self.bodies[k], pydrake.SpatialVelocity(numpy.array(w, float), numpy.array(v, float)))
        self.sim.Initialize()
        self.dt, self.done = dt, 0

    def build(self, scene):
        friction, here = pydrake.CoulombFriction(0.5, 0.5), pydrake.RigidTransform()
        self.plant.RegisterCollisionGeometry(self.plant.world_body(), here, pydrake.HalfSpace(), "ground", friction)
        for k, (half, at, mass) in enumerate(scene.boxes):
            shape = pydrake.Box(*(2 * h for h in half))
            body = self.plant.AddRigidBody(f"box{k}", pydrake.SpatialInertia.SolidBoxWithMass(mass, *(2 * h for h in half)))
            self.plant.RegisterCollisionGeometry(body, here, shape, f"shape{k}", friction)

    def rotation(self, body):
        return self.plant.EvalBodyPoseInWorld(self.context, self.bodies[body]).rotation().matrix()

    def step(self, count):
        self.done += count
        self.sim.AdvanceTo(self.done * self.dt)

    def position(self, body):
        return [float(x) for x in self.plant.EvalBodyPoseInWorld(self.context, self.bodies[body]).translation()]

    def energy(self):
        return float(self.plant.CalcKineticEnergy(self.context)), float(self.plant.CalcPotentialEnergy(self.context))


class Kamino(Engine):
    """Newton's solver by the authors of the loops paper, on the CPU. Measures closure of connects from its body poses."""

    variants = {"default": {}, "dvi": {"dynamics_solver": "dvi"}, "lox": {"dynamics_solver": "lox"}}
    version = staticmethod(lambda: newton.__version__)

    def __init__(self, scene, dt, options):
        builder = newton.ModelBuilder()
        if hasattr(newton.solvers.SolverKamino, "register_custom_attributes"):
            newton.solvers.SolverKamino.register_custom_attributes(builder)
        builder.add_mjcf(scene.text)
        self.m = builder.finalize(device="cpu")
        config = newton.solvers.SolverKamino.Config(**options)
        self.solver, self.control, self.dt = newton.solvers.SolverKamino(self.m, config), self.m.control(), dt
        self.a, self.b, self.contacts = self.m.state(), self.m.state(), self.m.contacts()
        if scene.start:
            twists = self.a.body_qd.numpy()
            for k, (v, w) in scene.start.items():
                twists[k] = [*v, *w]
            self.a.body_qd.assign(twists)
        self.names = [label.split("/")[-1] for label in getattr(self.m, "body_label", getattr(self.m, "body_key", []))]
        self.ties = self.connects(scene.text)

    def pose(self, name):
        q = self.a.body_q.numpy()[self.names.index(name)]
        return numpy.array(q[:3], float), numpy.array(q[3:], float)  # x y z w

    @staticmethod
    def rotate(q, v):
        u = q[:3]
        t = 2 * numpy.cross(u, v)
        return v + q[3] * t + numpy.cross(u, t)

    def connects(self, text):
        ties = []
        for node in ET.fromstring(text).iter("connect"):
            (p, q), (r, s) = self.pose(node.get("body1")), self.pose(node.get("body2"))
            anchor = numpy.array([float(x) for x in node.get("anchor").split()])
            world = p + self.rotate(q, anchor)
            ties.append((node.get("body1"), anchor, node.get("body2"), self.rotate(numpy.array([-s[0], -s[1], -s[2], s[3]]), world - r)))
        return ties

    def step(self, count):
        for _ in range(count):
            self.a.clear_forces()
            self.m.collide(self.a, self.contacts)
            self.solver.step(self.a, self.b, self.control, self.contacts, self.dt)
            self.a, self.b = self.b, self.a
        for one, x, two, y in self.ties:
            (p, q), (r, s) = self.pose(one), self.pose(two)
            self.closure = max(self.closure, float(numpy.linalg.norm(p + self.rotate(q, x) - r - self.rotate(s, y))))

    def position(self, body):
        q, com = self.a.body_q.numpy()[body], self.m.body_com.numpy()[body]
        return [float(x) for x in q[:3] + self.rotate(q[3:], com)]

    def rotation(self, body):
        x, y, z, w = self.a.body_q.numpy()[body][3:]
        return self.matrix(w, x, y, z)

    def energy(self):
        q, v, m, I = self.a.body_q.numpy(), self.a.body_qd.numpy(), self.m.body_mass.numpy(), self.m.body_inertia.numpy()
        kinetic = potential = 0.0
        for k in range(len(m)):
            w = self.rotate(numpy.array([*-q[k][3:6], q[k][6]]), v[k][3:])
            kinetic += 0.5 * m[k] * float(v[k][:3] @ v[k][:3]) + 0.5 * float(w @ I[k] @ w)
            potential += 9.81 * float(m[k]) * self.position(k)[2]
        return float(kinetic), float(potential)


class Dart(Engine):
    """Boxes, trees and the four-bar; its MJCF reader takes no meshes by vertices and no loops, so the loop is closed here."""

    variants = {"default": {}, "expert": {"detector": True, "split": True}}
    version = staticmethod(lambda: dart.__version__)

    def __init__(self, scene, dt, options):
        loop = ET.fromstring(scene.text).find("equality/connect")
        if scene.boxes is not None:
            self.w = dart.simulation.World()
            self.build(scene)
        elif scene.tree or (loop is not None and "mesh" not in scene.text):
            with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
                file.write(scene.text)
                file.flush()
                self.w = dart.utils.MjcfParser.readWorld(file.name)
            skeletons = [self.w.getSkeleton(i) for i in range(self.w.getNumSkeletons())]
            self.bodies = [s.getBodyNode(i) for s in skeletons for i in range(s.getNumBodyNodes())]
        else:
            raise ValueError("boxes, trees and the four-bar only")
        self.w.setGravity([float(x) for x in ET.fromstring(scene.text).find("option").get("gravity").split()])
        self.w.setTimeStep(dt)
        solver = self.w.getConstraintSolver()
        if options.get("detector"):
            solver.setCollisionDetector(dart.collision.DARTCollisionDetector())
        if options.get("split"):
            solver.setSplitImpulseEnabled(True)
        self.tie = None
        if loop is not None and scene.boxes is None:
            named = {b.getName(): b for b in self.bodies}
            one, two = named[loop.get("body1")], named[loop.get("body2")]
            local = numpy.array([float(x) for x in loop.get("anchor").split()])
            world = one.getTransform().multiply(local)
            self.tie = (one, local, two, two.getTransform().inverse().multiply(world))
            solver.addConstraint(dart.constraint.BallJointConstraint(one, two, world))

    def build(self, scene):
        def body(name, half, mass, friction, fixed):
            skeleton = dart.dynamics.Skeleton(name)
            joint, node = (skeleton.createWeldJointAndBodyNodePair if fixed else skeleton.createFreeJointAndBodyNodePair)()
            shape = node.createShapeNode(dart.dynamics.BoxShape([2 * h for h in half]))
            shape.createCollisionAspect()
            shape.createDynamicsAspect().setFrictionCoeff(friction)
            inertia = numpy.diag([mass / 3 * (half[(k + 1) % 3] ** 2 + half[(k + 2) % 3] ** 2) for k in range(3)])
            node.setInertia(dart.dynamics.Inertia(mass, numpy.zeros(3), inertia))
            self.w.addSkeleton(skeleton)
            return joint, node

        # The ground is a thick slab: friction of a pair is the smaller of both.
        ground, _ = body("ground", (5, 5, 0.5), 1.0, 0.5, True)
        place = dart.math.Isometry3()
        place.set_translation([0, 0, -0.5])
        ground.setTransformFromParentBodyNode(place)
        self.bodies = []
        for k, (half, at, mass) in enumerate(scene.boxes):
            joint, node = body(f"box{k}", half, mass, 0.5, False)
            joint.setPositions([0, 0, 0, *at])
            v, w = scene.start.get(k, ((0, 0, 0), (0, 0, 0)))
            joint.setVelocities([*w, *v])
            self.bodies.append(node)

    def step(self, count):
        for _ in range(count):
            self.w.step()
        if self.tie:
            one, x, two, y = self.tie
            gap = one.getTransform().multiply(x) - two.getTransform().multiply(y)
            self.closure = max(self.closure, float(numpy.linalg.norm(gap)))

    def position(self, body):
        return [float(x) for x in self.bodies[body].getCOM()]

    def rotation(self, body):
        return self.bodies[body].getTransform().rotation()

    def energy(self):
        skeletons = [self.w.getSkeleton(i) for i in range(self.w.getNumSkeletons())]
        return (float(sum(s.computeKineticEnergy() for s in skeletons)), float(sum(s.computePotentialEnergy() for s in skeletons)))


class Siconos(Engine):
    """Boxes by its Bullet interface, trees and the four-bar by joints of maximal coordinates; Moreau-Jean with theta = 1/2. The
    expert asks for more exact reactions. (Its projections on constraints changed nothing here and took memory without bound.)"""

    variants = {"default": {}, "expert": {"tolerance": 1e-10, "iterations": 10000}}
    version = staticmethod(lambda: getattr(siconos, "__version__", "4.4"))

    def __init__(self, scene, dt, options):
        loops = ET.fromstring(scene.text).find("equality")
        if scene.boxes is None and ((loops is not None and "mesh" in scene.text) or mujoco is None or "freejoint" in scene.text):
            raise ValueError("boxes, trees, the ladder and the four-bar only")
        self.dt, self.kept, self.bodies, self.ties = dt, [], [], []
        self.gravity = numpy.array([float(x) for x in ET.fromstring(scene.text).find("option").get("gravity").split()])
        self.world = siconos.NonSmoothDynamicalSystem(0.0, 1e6)
        clock = siconos.TimeDiscretisation(0.0, dt)
        if scene.boxes is not None:
            problem, manager = siconos.FrictionContact(3), self.boxes(scene)
            problem.setMStorageType(1)
            problem.setKeepLambdaAndYState(True)
            self.sim = siconos.TimeStepping(self.world, clock)
            self.sim.insertInteractionManager(manager)
            self.sim.insertIntegrator(siconos.MoreauJeanOSI(0.5))
            self.sim.insertNonSmoothProblem(problem)
        else:
            problem = siconos.GenericMechanical()
            self.joints(scene)
            self.sim = siconos.TimeStepping(self.world, clock)
            self.sim.insertIntegrator(siconos.MoreauJeanOSI(0.5))
            self.sim.insertNonSmoothProblem(problem)
        problem.setMaxSize(16384)
        problem.setNumericsVerboseMode(False)
        if "tolerance" in options:
            problem.numericsSolverOptions().dparam[0] = options["tolerance"]
            problem.numericsSolverOptions().iparam[0] = options["iterations"]
        self.sim.setWarnOnNonsmoothProblemSolution(False) if hasattr(self.sim, "setWarnOnNonsmoothProblemSolution") else None
        self.kept += [clock, problem]

    def add(self, at, turn, velocity, mass, inertia):
        body = importlib.import_module("siconos.mechanics.collision").RigidBodyDS([*at, *turn], velocity, mass, inertia)
        weight = mass * self.gravity
        body.setFExtPtr(weight)
        self.kept.append(weight)
        self.bodies.append(body)
        return body

    def boxes(self, scene):
        shapes, bullet = (importlib.import_module("siconos.mechanics." + n) for n in ("collision", "collision.bullet"))
        options = bullet.SiconosBulletOptions()
        options.worldScale, options.contactBreakingThreshold = 1.0, 0.01
        manager = bullet.SiconosBulletCollisionManager(options)
        law = siconos.NewtonImpactFrictionNSL(0.0, 0.0, 0.5, 3)
        manager.insertNonSmoothLaw(law, 0, 0)
        for k, (half, at, mass) in enumerate(scene.boxes):
            inertia = numpy.diag([mass / 3 * (half[(n + 1) % 3] ** 2 + half[(n + 2) % 3] ** 2) for n in range(3)])
            v, w = scene.start.get(k, ((0, 0, 0), (0, 0, 0)))
            shape = shapes.SiconosBox(*(2 * h for h in half))
            shape.setInsideMargin(0.1 * min(half))
            shape.setOutsideMargin(0.0)
            body = self.add(at, (1, 0, 0, 0), [*v, *w], mass, inertia)
            body.contactors().push_back(shapes.SiconosContactor(shape))
            self.world.insertDynamicalSystem(body)
        plane, ground = shapes.SiconosPlane(), shapes.SiconosContactorSet()
        plane.setInsideMargin(0.01)
        plane.setOutsideMargin(0.0)
        ground.push_back(shapes.SiconosContactor(plane))
        manager.insertStaticContactorSet(ground, [0, 0, 0, 1, 0, 0, 0])
        self.kept += [law, options, plane, ground, manager]
        return manager

    def joints(self, scene):
        kinds = importlib.import_module("siconos.mechanics.joints")
        c = mujoco.MjModel.from_xml_string(scene.text)
        data = mujoco.MjData(c)
        mujoco.mj_forward(c, data)
        if c.nbody > 40:
            raise ValueError("its dense problem of so many joints takes seconds a step")
        for b in range(1, c.nbody):
            turn = numpy.zeros(4)
            mujoco.mju_mat2Quat(turn, data.ximat[b])
            self.world.insertDynamicalSystem(self.add(data.xipos[b], turn, [0] * 6, float(c.body_mass[b]), numpy.diag(c.body_inertia[b])))

        def link(rows, joint, one, two):
            pair = [self.bodies[b - 1] for b in (one, two) if b > 0]
            tie = siconos.Interaction(siconos.EqualityConditionNSL(rows), joint)
            self.kept += [joint, tie]
            self.world.link(tie, *pair)

        for j in range(c.njnt):
            one = int(c.jnt_bodyid[j])
            two = int(c.body_parentid[one])
            pair = [self.bodies[b - 1] for b in (one, two) if b > 0]
            link(5, kinds.PivotJointR(list(data.xanchor[j]), list(data.xaxis[j]), True, *pair), one, two)
        for e in range(c.neq):
            one, two = int(c.eq_obj1id[e]), int(c.eq_obj2id[e])
            point = data.xpos[one] + data.xmat[one].reshape(3, 3) @ c.eq_data[e][:3]
            pair = [self.bodies[b - 1] for b in (one, two) if b > 0]
            link(3, kinds.KneeJointR(list(point), True, *pair), one, two)
            self.ties.append([(b - 1, self.rotation(b - 1).T @ (point - self.position(b - 1))) for b in (one, two)])

    def step(self, count):
        for _ in range(count):
            self.sim.computeOneStep()
            self.sim.nextStep()
        for (a, x), (b, y) in self.ties:
            gap = self.position(a) + self.rotation(a) @ x - self.position(b) - self.rotation(b) @ y
            self.closure = max(self.closure, float(numpy.linalg.norm(gap)))

    def position(self, body):
        return numpy.array(self.bodies[body].q()[:3])

    def rotation(self, body):
        return self.matrix(*self.bodies[body].q()[3:])

    def energy(self):
        return (float(sum(b.computeKineticEnergy() for b in self.bodies)),
                -float(sum(b.scalarMass() * self.gravity @ self.position(k) for k, b in enumerate(self.bodies))))


ENGINES = {"pawl": (Pawl, lambda: pawl), "MuJoCo": (MuJoCo, lambda: mujoco), "PyBullet": (Bullet, lambda: pybullet), "Pinocchio": (Pinocchio, lambda: pin),
           "Drake": (Drake, lambda: pydrake), "DART": (Dart, lambda: dart), "Siconos": (Siconos, lambda: siconos), "Kamino": (Kamino, lambda: newton)}
SLOW = {"Siconos", "Kamino"}  # 0.2 to 40 ms a step: only when asked for
NOT_TRIED = ("ODE, Bullet as C++ libraries (bench_work)",)


# ---- the run ----------------------------------------------------------------------------------

class Point:
    def __init__(self, engine, variant, dt):
        self.engine, self.variant, self.dt = engine, variant, dt
        self.us, self.errors, self.world, self.failed, self.steps = 0.0, {}, None, None, 0

    def name(self):
        return f"{self.engine} {self.variant}"


def measure(scene, points, seconds):
    """All points of a scene, in turns."""
    for p in points:
        try:
            p.world = ENGINES[p.engine][0](scene, p.dt, ENGINES[p.engine][0].variants[p.variant])
            p.world.sizes(scene)
            p.world.watch()
        except Exception as error:  # an engine may refuse a scene in any way it likes
            p.failed = str(error).splitlines()[0][:90]
    rounds = 10 * ROUNDS
    for _ in range(rounds):
        for p in points:
            if p.failed:
                continue
            count = max(1, round(seconds / p.dt / rounds))
            begun = time.process_time()
            try:
                p.world.step(count)
            except Exception as error:
                p.failed = str(error).splitlines()[0][:90]
                continue
            p.us, p.steps = p.us + 1e6 * (time.process_time() - begun), p.steps + count
            p.world.watch()
    for p in points:
        p.us = p.us / p.steps if p.steps else math.inf
        for key, (_, error) in scene.metrics.items() if not p.failed else ():
            value = error(p.world)
            p.errors[key] = value if math.isfinite(value) else math.inf
        p.world = None


def behind(points, key):
    """Points of peers for which no point of pawl is as fast and as exact."""
    own = [p for p in points if p.engine == "pawl" and key in p.errors]
    return [p for p in points if p.engine != "pawl" and key in p.errors and math.isfinite(p.errors[key])
            and not any(o.us <= p.us and max(o.errors[key], EXACT) <= max(p.errors[key], EXACT) for o in own)]


# ---- the page ---------------------------------------------------------------------------------

COLOURS = {"pawl": "var(--k0)", "MuJoCo": "var(--k1)", "PyBullet": "var(--k2)", "Pinocchio": "var(--k4)", "Drake": "var(--k3)", "Kamino": "var(--k5)", "DART": "var(--k6)", "Siconos": "var(--k7)"}
STYLE = """:root{color-scheme:light dark;--card:#fff;--ground:#f4f5f7;--ink:#1b2130;--soft:#596275;--line:#dfe3ea;--grid:#edf0f4;--k0:#2262c6;--k1:#c25a12;--k2:#20845a;--k3:#b52f46;--k4:#7a53c2;--k5:#0d8797;--k6:#8a6d12;--k7:#a33c96}
@media (prefers-color-scheme:dark){:root{--card:#191d26;--ground:#12151c;--ink:#e7eaf0;--soft:#9aa4b6;--line:#2c3340;--grid:#232935;--k0:#6ea6ff;--k1:#f29a55;--k2:#5fc795;--k3:#f0798b;--k4:#b598f2;--k5:#4fc4d4;--k6:#d0b24c;--k7:#e58bd8}}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}main{max-width:1180px;margin:0 auto;padding:32px 20px;display:grid;grid-template-columns:repeat(auto-fit,minmax(440px,1fr));gap:18px}
header,.wide{grid-column:1/-1}h1{margin:0;font-size:28px}h2{font-size:16px;margin:0 0 2px}p{color:var(--soft);margin:2px 0 8px;font-size:14px;max-width:90ch}section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px 18px;break-inside:avoid}
svg{width:100%;height:auto}text{font-size:12px;fill:var(--soft)}.g{stroke:var(--grid)}table{border-collapse:collapse;font-size:13px}td,th{padding:2px 14px 2px 0;text-align:left}"""


def decades(values):
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 1e-9)
    return low, max(high, low + 1)


def chart(points, key):
    shown = [p for p in points if key in p.errors and math.isfinite(p.errors[key])]
    if not shown:
        return "<p>no engine finished it</p>"
    error = lambda p: max(p.errors[key], EXACT)
    (a, b), (c, d) = decades([p.us for p in shown]), decades([error(p) for p in shown])
    w, h, left, bottom = 520, 300, 56, 40
    x = lambda v: left + (math.log10(v) - a) / (b - a) * (w - left - 16)
    y = lambda v: h - bottom - (math.log10(v) - c) / (d - c) * (h - bottom - 12)
    out = [f'<svg viewBox="0 0 {w} {h}" role="img">']
    for e in range(a, b + 1):
        out.append(f'<line class="g" x1="{x(10 ** e):.1f}" x2="{x(10 ** e):.1f}" y1="12" y2="{h - bottom}"/><text x="{x(10 ** e):.1f}" y="{h - bottom + 15}" text-anchor="middle">{10 ** e:g}</text>')
    for e in range(c, d + 1, max(1, (d - c) // 6)):
        out.append(f'<line class="g" x1="{left}" x2="{w - 16}" y1="{y(10 ** e):.1f}" y2="{y(10 ** e):.1f}"/><text x="{left - 6}" y="{y(10 ** e) + 4:.1f}" text-anchor="end">1e{e}</text>')
    for name in sorted({p.name() for p in shown}):
        line = sorted((p for p in shown if p.name() == name), key=lambda p: p.dt)
        colour, first = COLOURS[line[0].engine], line[0].variant == "default"
        path = " ".join(f"{x(p.us):.1f},{y(error(p)):.1f}" for p in line)
        dash = "" if first else ' stroke-dasharray="5 3"'
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5" stroke-opacity=".5"{dash}/>')
        for p in line:
            label = html.escape(f"{p.name()}, dt {1e3 * p.dt:g} ms: {p.us:.3g} us, {p.errors[key]:.2e}")
            out.append(f'<circle cx="{x(p.us):.1f}" cy="{y(error(p)):.1f}" r="{5 if first else 4}" fill="{colour if first else "var(--card)"}" stroke="{colour}" stroke-width="1.6"><title>{label}</title></circle>')
        out.append(f'<text x="{x(line[0].us) + 8:.1f}" y="{y(error(line[0])) - 7:.1f}" style="fill:{colour}">{html.escape(name)}</text>')
    out.append(f'<text x="{(left + w) / 2}" y="{h - 6}" text-anchor="middle">time a step [us]</text></svg>')
    return "".join(out)


def page(results, notes):
    parts = [f"<!doctype html><meta charset=utf-8><title>Work and precision</title><style>{STYLE}</style><main><header><h1>Work and precision</h1>",
             *(f"<p>{html.escape(n)}</p>" for n in notes), "</header>"]
    for scene, points in results:
        for key, (title, _) in scene.metrics.items():
            parts.append(f"<section><h2>{html.escape(scene.name)}</h2><p>{html.escape(title)}; below {EXACT:g} counts as none. Circles that are filled: defaults.</p>{chart(points, key)}</section>")
    rows = "".join(f"<tr><td>{html.escape(s.name)}<td>{k}<td>{html.escape(p.name())}<td>{1e3 * p.dt:g} ms<td>{p.us:.3g} us<td>{p.errors[k]:.2e}"
                   for s, points in results for k in s.metrics for p in behind(points, k))
    parts.append(f'<section class="wide"><h2>Where pawl is behind</h2><p>Points of peers for which no setting of pawl is at least as fast and as exact.</p><table><tr><th>scene<th>error<th>engine<th>step<th>time<th>error</tr>{rows}</table></section></main>')
    return "".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="scenes whose name contains this")
    parser.add_argument("--seconds", type=float, default=0.0, help="of each scene; otherwise its own")
    parser.add_argument("--engines", default="", help="names separated by commas; otherwise all but Siconos and Kamino, which are slow")
    parser.add_argument("--steps", default="0.5,1,2,5", help="steps in ms")
    parser.add_argument("--html")
    parser.add_argument("--json")
    options = parser.parse_args()
    if pawl is None:
        sys.exit("the Python package of pawl is not there: PYTHONPATH=build/python")
    wanted = options.engines.split(",") if options.engines else [n for n in ENGINES if n not in SLOW]
    found = {name: cls.version() for name, (cls, module) in ENGINES.items() if module() is not None and name in wanted}
    notes = ["One interleaved run: " + ", ".join(f"{n} {v}" for n, v in found.items()) + ".",
             "Not installed: " + (", ".join(n for n in wanted if n not in found) or "none") + ". Not part of this script: " + ", ".join(NOT_TRIED) + "."]
    print(*notes, sep="\n")
    results = []
    for scene in scenes():
        if options.only not in scene.name:
            continue
        points = [Point(n, v, float(dt) * 1e-3) for n in found for v in ENGINES[n][0].variants for dt in options.steps.split(",")]
        measure(scene, points, options.seconds or scene.seconds)
        results.append((scene, points))
        for p in points:
            if p.failed or p.errors:
                errors = "  ".join(f"{k} {v:.2e}" for k, v in p.errors.items())
                print(f"{scene.name:18s} {p.name():22s} {1e3 * p.dt:4g} ms {p.us:9.2f} us  {errors or 'failed: ' + p.failed}", flush=True)
        for key in scene.metrics:
            for p in behind(points, key):
                print(f"  BEHIND in {scene.name} on {key}: {p.name()}, {1e3 * p.dt:g} ms, {p.us:.2f} us, {p.errors[key]:.2e}", flush=True)
    if options.html:
        with open(options.html, "w", encoding="utf-8") as file:
            file.write(page(results, notes))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"engines": found, "points": [{"scene": s.name, "engine": p.engine, "variant": p.variant, "dt": p.dt, "us": p.us, "errors": p.errors,
                                                     "failed": p.failed} for s, points in results for p in points]}, file, indent=1)


if __name__ == "__main__":
    main()
