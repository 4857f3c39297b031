# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# Model files beside MuJoCo itself: masses, centres, inertias, the frames of all bodies and the lengths of tendons at random
# configurations agree to 1e-9, and so do springs, dampers and the gains of servos. Needs the Python package mujoco; PAWL_MUJOCO names a folder to import it from. Files of other people are compared
# where they are there.
import glob
import json
import math
import os
import random
import subprocess
import sys

import pytest

sys.path += [p for p in [os.environ.get("PAWL_MUJOCO")] if p]
try:
    import mujoco
    import numpy as np
except ImportError:
    mujoco = None

DUMP = os.environ.get("PAWL_MODEL_DUMP", "build/tests/model_dump")
pytestmark = pytest.mark.skipif(mujoco is None or not os.path.exists(DUMP),
                                reason="the Python package mujoco or the program model_dump is not there")
ROBOTS = "../shared/robots"
TOLERANCE = 1e-9
MESH_TOLERANCE = 1e-7  # MuJoCo keeps the vertices of meshes as floats

MODELS = {
    "orientations": """<mujoco><compiler eulerseq="zXy"/><worldbody>
  <body name="a" pos="1 2 3" euler="10 20 30"><freejoint/><geom type="box" size=".1 .2 .3" euler="5 6 7"/>
   <body name="b" pos="0 0 1" axisangle="1 2 3 40"><joint axis="0 1 1" pos=".1 0 .2" ref="30"/>
    <geom type="capsule" fromto="0 0 0 .3 .4 .5" size=".05"/>
    <body name="c" xyaxes="1 1 0 -1 1 .3"><joint type="slide" axis="1 0 1" ref=".2"/><geom type="ellipsoid" size=".1 .2 .3" zaxis="1 0 1"/>
     <body name="d" zaxis="0 -1 1"><joint type="ball" pos="0 .1 0"/><geom type="cylinder" fromto="0 0 0 0 1 1" size=".1"/></body>
    </body></body></body></worldbody></mujoco>""",
    "classes": """<mujoco><compiler angle="radian"/>
  <default><geom density="500" size=".1"/><joint axis="1 0 0" armature=".1"/>
   <default class="x"><geom type="box" size=".1 .2 .3"/><default class="y"><geom density="200"/><joint axis="0 1 0" ref=".4"/></default></default></default>
  <worldbody><body name="a"><joint name="ja"/><geom/><geom class="x" pos="1 0 0"/>
   <body name="b" childclass="y" pos="0 0 1"><joint name="jb"/><geom/><geom class="x" pos=".3 0 0"/>
    <body name="c" pos="0 0 1"><joint name="jc"/><geom mass="2"/></body></body></body></worldbody></mujoco>""",
    "several joints": """<mujoco><worldbody><body name="p" pos="0 0 1"><joint type="slide" axis="1 0 0" name="x"/>
   <joint type="slide" axis="0 0 1" name="z" ref="1"/><joint axis="0 1 0" name="r" pos="0 0 .3"/><geom type="capsule" fromto="0 0 0 0 0 .6" size=".05"/>
   <body name="q" pos="0 0 .6"><joint axis="1 0 0" pos=".1 0 0"/><joint axis="0 1 0" pos="0 .1 0"/><joint axis="0 0 1"/><geom size=".1" pos=".2 0 0"/></body>
   </body></worldbody></mujoco>""",
    "frames": """<mujoco><worldbody><frame pos="1 0 0" euler="0 0 30"><body name="a"><joint name="h"/>
    <frame euler="40 0 0" pos="0 .2 0"><geom type="box" size=".1 .2 .3"/><joint name="g" axis="1 0 0" pos=".1 0 0"/></frame></body></frame>
   <replicate count="12" sep="-" offset=".2 0 .15" euler="0 10 60"><body name="r" pos="1 0 0"><joint axis="0 1 0"/><geom size=".1" pos=".1 0 0"/></body></replicate>
   </worldbody></mujoco>""",
    "welded": """<mujoco><compiler settotalmass="7" boundmass=".1" boundinertia=".01"/><worldbody>
   <body name="a"><joint/><geom size=".1"/><body name="w" pos="0 1 0" euler="0 0 50"><geom type="box" size=".1 .2 .3"/>
     <body name="v" pos="0 0 1"><inertial pos=".1 .2 .3" mass="2" diaginertia="1 2 2.5" euler="10 20 30"/></body></body>
    <body name="b" pos="1 0 0"><joint axis="0 1 0"/><inertial pos="0 0 .1" mass="1" fullinertia="1 1.1 1.2 .1 .2 .3"/></body></body>
   </worldbody></mujoco>""",
}


MODELS["tendons"] = """<mujoco><worldbody>
   <geom name="ball" size=".2" pos="0 0 .5" contype="0" conaffinity="0"/><site name="in_ball" pos=".05 0 .5"/>
   <geom name="rod" type="cylinder" size=".15 1" pos="0 .3 .9" euler="80 10 0" contype="0" conaffinity="0"/>
   <site name="by_ball" pos=".1 .3 .7"/><site name="by_rod" pos=".3 .4 1"/><site name="w" pos=".6 .1 .4"/><site name="v" pos="-.5 .2 .8"/>
   <body name="a" pos="-.6 0 .5"><freejoint/><geom size=".05"/><site name="s" pos=".02 .01 0"/>
    <geom name="own" type="cylinder" size=".1 .5" pos=".1 .1 0" euler="0 30 0" contype="0" conaffinity="0"/></body>
   <body name="b" pos=".3 .9 .2"><freejoint/><geom size=".05"/><site name="t" pos=".02 .01 .1"/></body></worldbody>
  <tendon>
   <spatial name="plain" limited="true" range="0 1"><site site="s"/><site site="t"/></spatial>
   <spatial name="round" limited="true" range="0 1"><site site="w"/><geom geom="ball"/><site site="s"/></spatial>
   <spatial name="sided" limited="true" range="0 1"><site site="v"/><geom geom="rod"/><site site="s"/></spatial>
   <spatial name="inside" limited="true" range="0 1"><site site="w"/><geom geom="ball" sidesite="in_ball"/><site site="s"/></spatial>
   <spatial name="past" limited="true" range="0 1"><site site="w"/><geom geom="ball" sidesite="by_ball"/><site site="s"/></spatial>
   <spatial name="behind" limited="true" range="0 1"><site site="v"/><geom geom="rod" sidesite="by_rod"/><site site="t"/></spatial>
   <spatial name="rolled" limited="true" range="0 1"><site site="v"/><geom geom="rod"/><site site="t"/></spatial>
   <spatial name="moving" limited="true" range="0 1"><site site="s"/><geom geom="own"/><site site="t"/></spatial>
   <spatial name="long" stiffness="3"><site site="w"/><geom geom="ball"/><site site="s"/><site site="t"/><geom geom="rod"/><site site="v"/></spatial>
  </tendon></mujoco>"""
MODELS["servos"] = """<mujoco><default><position kp="30" dampratio=".7"/></default><worldbody>
   <body name="a"><joint name="x" axis="0 1 0" armature=".3"/><geom type="capsule" fromto="0 0 0 1 0 0" size=".05"/>
    <body name="b" pos="1 0 0"><joint name="y" axis="1 1 0" springdamper=".1 .8"/><geom type="box" size=".1 .2 .3" pos=".2 .1 0"/>
     <body name="c" pos=".4 0 0"><joint name="z" type="slide" axis="0 1 1" springdamper=".3 1.2" damping="4"/><geom size=".1" pos=".1 .2 .3"/></body>
    </body></body><body name="d" pos="0 2 0"><joint name="u" axis="0 1 0"/><geom size=".2" pos=".3 0 0"/></body></worldbody>
  <actuator><position name="px" joint="x"/><position name="py" joint="y" gear="3" kp="7"/><position name="pz" joint="z" dampratio="1.1"/>
   <general name="gu" joint="u" gaintype="fixed" biastype="affine" gainprm="50" biasprm="0 -50 .4"/></actuator></mujoco>"""
MODELS["fitted"] = """<mujoco><asset><mesh name="m" vertex="0 0 0 .3 0 0 0 .5 0 0 0 .9 .3 .5 0 .1 .1 .8"/></asset><worldbody>
   <body name="a"><freejoint/><geom type="capsule" mesh="m"/></body><body name="b" pos="2 0 0"><freejoint/><geom type="box" mesh="m" euler="10 20 30" pos=".1 0 0"/></body>
   <body name="c" pos="4 0 0"><freejoint/><geom type="sphere" mesh="m" fitscale="1.3"/></body><body name="d" pos="6 0 0"><freejoint/><geom type="cylinder" mesh="m"/></body>
   <body name="e" pos="8 0 0"><freejoint/><geom type="ellipsoid" mesh="m"/></body></worldbody></mujoco>"""


def dump(path, words):
    done = subprocess.run([DUMP, path, *words], capture_output=True, text=True, timeout=100)
    if done.returncode != 0:
        return None, done.stderr.splitlines()[0] if done.stderr else "?"
    out = {}
    for line in map(json.loads, done.stdout.splitlines()):
        for kind in ("name", "span", "joint", "actuator"):
            if next(iter(line)) == kind:
                out[line[kind] if kind == "name" else (kind, line[kind])] = line
    return out, ""


def matrix(q):
    out = np.zeros(9)
    mujoco.mju_quat2Mat(out, np.array(q))
    return out.reshape(3, 3)


def joint_name(m, j):
    """As the reader makes names up: of the body, with a number from the second on, where that is free."""
    if m.joint(j).name:
        return m.joint(j).name
    b = m.jnt_bodyid[j]
    body = m.body(b).name or f"body{b}"
    k = j - m.body_jntadr[b]
    taken = {m.joint(i).name for i in range(m.njnt)}
    while (body if k == 0 else f"{body}::joint{k}") in taken:
        k += 1
    return body if k == 0 else f"{body}::joint{k}"


def configuration(m, rng, moved):
    """A random one for MuJoCo and as words for model_dump. Positions of free bodies and ball joints included."""
    d = mujoco.MjData(m)
    words = []
    for j in range(m.njnt if moved else 0):
        a, kind, name = m.jnt_qposadr[j], m.jnt_type[j], joint_name(m, j)
        turn = np.array([rng.uniform(-1, 1) for _ in range(3)])
        q = np.zeros(4)
        angle = np.linalg.norm(turn)
        mujoco.mju_axisAngle2Quat(q, turn / angle, angle)
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            place = [rng.uniform(-2, 2) for _ in range(3)]
            d.qpos[a : a + 3], d.qpos[a + 3 : a + 7] = place, q
            numbers = [*place, *turn]
        elif kind == mujoco.mjtJoint.mjJNT_BALL:
            d.qpos[a : a + 4] = q
            numbers = turn
        else:
            d.qpos[a] = rng.uniform(-1.5, 1.5)
            numbers = [d.qpos[a]]
        words.append(f"{name}=" + ",".join(f"{x:.17g}" for x in numbers))
    mujoco.mj_kinematics(m, d)
    mujoco.mj_comPos(m, d)
    return d, words


def carriers(m):
    """The bodies that each body is welded to, by MuJoCo."""
    return [int(m.body_weldid[b]) for b in range(m.nbody)]


def lumped(m, d):
    """Mass, centre and inertia of every group of welded bodies, in the frame of its first."""
    out = {}
    weld = carriers(m)
    for w in set(weld) - {0}:
        parts = [b for b in range(m.nbody) if weld[b] == w]
        mass = sum(m.body_mass[b] for b in parts)
        if mass <= 0:
            continue
        centre = sum(m.body_mass[b] * d.xipos[b] for b in parts) / mass
        tensor = np.zeros((3, 3))
        for b in parts:
            turn, arm = d.ximat[b].reshape(3, 3), d.xipos[b] - centre
            tensor += turn @ np.diag(m.body_inertia[b]) @ turn.T
            tensor += m.body_mass[b] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        frame = d.xmat[w].reshape(3, 3)
        out[w] = (mass, frame.T @ (centre - d.xpos[w]), frame.T @ tensor @ frame)
    return out


def tendon_errors(m, d, parts):
    """Of spatial tendons whose pieces are all in the model: one span of its name, or pieces; without pulleys."""
    mujoco.mj_tendon(m, d)
    for t in range(m.ntendon):
        name = m.tendon(t).name or f"tendon{t}"
        wraps = m.wrap_type[m.tendon_adr[t] : m.tendon_adr[t] + m.tendon_num[t]]
        if mujoco.mjtWrap.mjWRAP_JOINT in wraps or mujoco.mjtWrap.mjWRAP_PULLEY in wraps:
            continue
        pieces = [x["length"] for k, x in parts.items()
                  if k[0] == "span" and (k[1] == name or k[1].startswith(name + "::piece"))]
        sites = sum(1 for w in wraps if w == mujoco.mjtWrap.mjWRAP_SITE)
        if len(pieces) == sites - 1:
            yield f"length of tendon {name}", abs(sum(pieces) - d.ten_length[t])


def law_errors(m, parts):
    """Springs and dampers of hinges and slides, and the gains of position servos on them."""
    for j in range(m.njnt):
        own = parts.get(("joint", joint_name(m, j)))
        if own is None or m.jnt_type[j] < 2:
            continue
        adr = m.jnt_dofadr[j]
        stiffness = float(np.ravel(m.jnt_stiffness[j])[0])
        damping = float(np.ravel(m.dof_damping[adr])[0])
        yield f"stiffness of {own['joint']}", abs(own["stiffness"] - stiffness) / (1 + stiffness)
        yield f"damping of {own['joint']}", abs(own["damping"] - damping) / (1 + damping)
        yield f"armature of {own['joint']}", abs(own["armature"] - m.dof_armature[adr])
    for a in range(m.nu):
        own = parts.get(("actuator", m.actuator(a).name))
        if own is None or own["kind"] != 1 or m.actuator_trntype[a] != mujoco.mjtTrn.mjTRN_JOINT:
            continue
        gear = m.actuator_gear[a][0] ** 2
        kp, kv = -m.actuator_biasprm[a][1] * gear, -m.actuator_biasprm[a][2] * gear
        yield f"kp of {own['actuator']}", abs(own["stiffness"] - kp) / kp
        yield f"kv of {own['actuator']}", abs(own["damping"] - kv) / (kp + kv)


def compare(path, m, seeds=3):
    worst = 0.0
    for seed in range(seeds):
        d, words = configuration(m, random.Random(seed), seed > 0)
        bodies, why = dump(path, words)
        if bodies is None:
            return None, why
        for w, (mass, centre, tensor) in lumped(m, d).items():
            b = bodies.get(m.body(w).name or f"body{w}")
            if m.body_mocapid[w] >= 0:
                continue  # moved by the program: its mass does not matter
            if b is None:
                return math.inf, f"no body {m.body(w).name or w}"
            i = b["inertia"]
            own = np.array([[i[0], i[3], i[4]], [i[3], i[1], i[5]], [i[4], i[5], i[2]]])
            size = np.trace(tensor)
            errors = {
                "mass": abs(b["mass"] - mass) / mass,
                "centre": np.abs(np.array(b["com"]) - centre).max(),
                "inertia": np.abs(own - tensor).max() / size,
                "position": np.abs(np.array(b["pos"]) - d.xpos[w]).max(),
                "turn": np.abs(matrix(b["quat"]) - d.xmat[w].reshape(3, 3)).max(),
            }
            what = max(errors, key=errors.get)
            if errors[what] > worst:
                worst, where = errors[what], f"{what} of {m.body(w).name or w}, seed {seed}"
        for what, error in [*tendon_errors(m, d, bodies), *law_errors(m, bodies)]:
            if error > worst:
                worst, where = error, f"{what}, seed {seed}"
    return worst, where if worst > 0 else ""


@pytest.mark.parametrize("name", MODELS)
def test_own_models_agree(name, tmp_path):
    path = tmp_path / "model.xml"
    path.write_text(MODELS[name])
    m = mujoco.MjModel.from_xml_path(str(path))
    worst, where = compare(str(path), m, 8)
    assert worst is not None, where
    assert worst < (MESH_TOLERANCE if m.nmesh else TOLERANCE), where


def test_files_of_other_people_agree():
    files = sorted(glob.glob(f"{ROBOTS}/**/*.xml", recursive=True))
    if not files:
        pytest.skip("no files of other people")
    both, failed = 0, []
    for path in files:
        try:
            m = mujoco.MjModel.from_xml_path(path)
        except ValueError:
            continue
        if m.nflex or m.nbody == 1:
            continue
        worst, where = compare(path, m)
        if worst is None:
            print(f"not read: {path}: {where}")
            continue
        both += 1
        if worst > (MESH_TOLERANCE if m.nmesh else TOLERANCE):
            failed.append(f"{worst:.2g} {path}: {where}")
    print(f"{both} files compared")
    assert not failed, "\n".join(failed)
