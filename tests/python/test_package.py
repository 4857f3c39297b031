# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Models, simulations, states, recordings and settings of the Python package. Expected numbers are closed forms or what the C
functions say in another way."""

import copy
import math
import pathlib
import pickle
import re
import threading
import time
import warnings

import numpy as np
import pytest

import pawl

ROBOT = "models/suite/quadruped.sdf"


@pytest.fixture(scope="module")
def robot():
    return pawl.Model.load(ROBOT)


def pendulum(effort=20.0, **joint):
    b = pawl.Builder("pendulum")
    rod = b.body("rod", mass=2.0, position=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1, 0, 0, 0))
    hinge = b.joint("revolute", None, rod, point=(0, 0, 0), axis=(0, 1, 0), name="hinge", **joint)
    b.motor(hinge, effort, name="motor")
    return b.compile()


def address(array):
    return array.__array_interface__["data"][0]


def test_version_is_that_of_the_header():
    assert f'version = "{pawl.__version__}"' in pathlib.Path("pyproject.toml").read_text()
    assert not any(line.startswith("#include <numpy") for p in pathlib.Path("python/src").glob("*.c") for line in p.read_text().splitlines())


def test_a_model_has_names(robot):
    assert robot.bodies["trunk"].index == 0 or "trunk" in robot.bodies.names or len(robot.bodies) == 13
    assert robot.joints[0].name == robot.coordinate_names[0]
    assert abs(sum(b.mass for b in robot.bodies) - robot.mass) < 1e-12
    assert robot.check()["mobility"] == 18
    with pytest.raises(KeyError, match="no joint 'nothing'"):
        robot.joints["nothing"]


def test_a_wrong_name_is_answered_with_the_names_there_are(robot):
    sim = pawl.Sim(robot)
    with pytest.raises(KeyError, match="no body 'shank'; there are .*left_shank"):
        sim.pose("shank")  # the names that contain the word
    with pytest.raises(KeyError, match=f"no joint 'nothing'; there are {robot.joints.names[0]}, .*, \\.\\.\\."):
        sim.joint("nothing")


LINKS = """<robot name="r"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tip"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="-1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="{}" type="{}"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/><limit lower="0.2" upper="1"/></joint></robot>"""


def test_files_are_read_with_the_options_of_the_command():
    with pytest.raises(pawl.BadFile, match="inertia"):
        pawl.Model.parse(LINKS.format("turn", "revolute"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pawl.ModelWarning)
        mended = pawl.Model.parse(LINKS.format("turn", "revolute"), repair_inertia=True, clamp=True)
        xx, yy, zz = mended.bodies["tip"].inertia[:3]
        assert zz > 0 and xx + yy >= zz
        assert mended.state().joint("turn")[0][0] == pytest.approx(0.2)  # the limit
        whole = LINKS.format("stay", "fixed").replace('izz="-1"', 'izz="1"')
        lumped, kept = pawl.Model.parse(whole), pawl.Model.parse(whole, keep_fixed=True)
        assert lumped.bodies.names == ["base"] and lumped.mass == pytest.approx(3)
        assert kept.bodies.names == ["base", "tip"] and kept.mass == pytest.approx(3)
        with pytest.raises(KeyError, match="'tip': it is a frame of body 'base'"):
            lumped.state().set_wrench("tip", (0, 0, 1))
    with pytest.raises(ValueError, match="'hull', 'parts' or 'triangles'"):
        pawl.Model.parse(LINKS, mesh="hulls")
    with pytest.raises(TypeError, match="groung.*ground"):
        pawl.Model.parse(LINKS, groung=True)


def test_models_of_files_are_pickled_and_others_refused():
    for model in (pawl.Model.load("models/primitives/fourbar-fixed.sdf"), pawl.Model.parse(LINKS.format("turn", "revolute").replace('"-1"', '"1"'))):
        again = pickle.loads(pickle.dumps(model))
        assert again.hash == model.hash and again.joints.names == model.joints.names
        assert copy.deepcopy(model) is model
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(pendulum())


def test_mistakes_are_answered_in_words(tmp_path):
    sim = pawl.Sim(pendulum())
    run = sim.run(0.01, record=tmp_path / "r.h5")
    for wrong in (lambda: sim.run(-1), lambda: sim.run(float("nan")), lambda: sim.run(until=0)):
        with pytest.raises(ValueError, match="expected a finite time, 0.01 s .now. or later"):
            wrong()
    with pytest.raises(ValueError, match="expected a number of steps"):
        sim.step(-1)
    with pytest.raises(KeyError, match="no series 'speed'; there are time, "):
        run["speed"]
    with pytest.raises(KeyError, match="no body 'rods'; there are "):
        run.body("rods")
    with pytest.raises(ValueError, match="no joint of kind 'hinge'; there are .*revolute"):
        pawl.Builder("x").joint("hinge", None, None)
    with pytest.raises(AttributeError, match="no setting 'steper'; near: stepper"):
        pawl.Sim(pendulum(), steper="lit")


def test_the_builder_reads_like_the_c_one():
    # closed form: from rest in the horizontal the first acceleration is g l / (l^2 + k^2)
    sim = pawl.Sim(pendulum(), dt=1e-4)
    sim.step()
    expected = 9.81 * 0.5 / (0.25 + 0.1 / 2.0)
    assert sim.v[0] / 1e-4 == pytest.approx(expected, rel=1e-6)
    with pytest.raises(KeyError):
        pawl.Builder("x").joint("revolute", None, "nobody")
    with pytest.raises(TypeError, match="masss"):
        pawl.Builder("x").body("a", masss=1)
    with pytest.raises(pawl.BadArgument):
        b = pawl.Builder("x")
        b.body("a", mass=-1)
        b.compile()


def test_signals_are_numbers_sines_tables_and_functions():
    def end(target):
        b = pawl.Builder("slider")
        body = b.body("body", mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
        b.gravity((0, 0, 0))
        j = b.joint("prismatic", None, body, axis=(1, 0, 0))
        b.motion(j, target)
        sim = pawl.Sim(b.compile(), dt=1e-2)
        sim.step(20)
        return sim.q[0]

    # the start of a motion is where its function begins
    assert end(pawl.sine(0.3, 2.0)) == pytest.approx(0.3 * math.sin(0.4), abs=1e-9)
    assert end(lambda t: 0.3 * math.sin(2 * t)) == pytest.approx(0.3 * math.sin(0.4), abs=1e-9)
    times = np.linspace(0, 1, 2001)
    assert end(pawl.table(times, 0.3 * np.sin(2 * times), "cubic")) == pytest.approx(0.3 * math.sin(0.4), abs=1e-6)


def test_arrays_are_the_engines_memory(robot):
    sim = pawl.Sim(robot, dt=2e-3)
    position, velocity, targets, q = sim.positions, sim.velocities, sim.targets, sim.q
    before = [address(a) for a in (position, velocity, targets, q)]
    heights = []
    for _ in range(5):
        targets[0] = 0.01
        sim.step()
        heights.append(position[0, 2])
        assert sim.q is q
    assert [address(a) for a in (sim.positions, sim.velocities, sim.targets, sim.q)] == before
    assert len(set(heights)) == 5
    assert position.strides[0] == 13 * 8 and not position.flags.writeable and targets.flags.writeable
    body = robot.bodies[0]
    pose, turn = sim.pose(0)
    assert np.allclose(position[0], np.array(pose) + rotate(turn, body.com), atol=1e-12)
    with pytest.raises(ValueError):
        position[0] = 0
    del sim
    assert np.isfinite(position).all()  # the array keeps the memory


def rotate(q, v):
    w, u = q[0], np.array(q[1:])
    return np.array(v) + 2 * np.cross(u, np.cross(u, v) + w * np.array(v))


def test_inputs_by_name(robot):
    sim = pawl.Sim(robot, dt=2e-3)
    name = robot.actuators[2].name
    sim.target[name] = 0.25
    assert sim.target[name] == 0.25 and sim.targets[2] == 0.25
    sim.state.gravity = (0, 0, -1.62)
    assert sim.state.gravity[2] == -1.62
    sim.state.set_mass(0, 1.5)
    assert sim.state.mass(0) == 1.5
    sim.state.set_friction(0.5)
    assert sim.state.friction == 0.5
    sim.state.set_gains(name, stiffness=77)
    assert sim.state.gains(name)[0] == 77
    sim.state.set_wrench(0, (1, 2, 3))
    assert sim.state.wrench(0)[0] == (1, 2, 3)
    sim.targets[0] = math.nan
    with pytest.raises(pawl.NotFinite):
        sim.step()
    sim.targets[0] = 0
    sim.step()
    sim.state.clear_inputs()
    assert sim.state.gravity == robot.gravity


def test_state_is_saved_copied_and_restored(robot):
    sim = pawl.Sim(robot, dt=2e-3)
    sim.step(10)
    saved, copy, bytes_ = sim.state.hash, sim.state.copy(), sim.state.save()
    sim.step(7)
    end = sim.state.hash
    sim.set_state(copy)
    assert sim.state.hash == saved
    sim.step(7)
    assert sim.state.hash == end
    other = robot.state()
    other.load(bytes_)
    assert other.hash == saved
    sim.reset()
    assert sim.time == 0
    sim.reset(copy)
    assert sim.state.hash == saved


def test_run_records_resumes_and_judges(robot, tmp_path):
    path = tmp_path / "run.h5"
    calls = []
    sim = pawl.Sim(robot, dt=2e-3)
    run = sim.run(0.1, control=lambda s: calls.append(s.time), record=path)
    assert len(calls) == 50 and run.verdict and len(run.time) == 51
    assert run["joint/position"].shape == (51, 12) and run.names("joint/position") == robot.coordinate_names
    assert run["joint/position"][-1] == pytest.approx(sim.q, abs=0)
    assert run.joint(robot.joints[3].name)[-1, 0] == sim.q[3]
    assert run.body(robot.bodies[2].name)[-1, :3] == pytest.approx(sim.pose(2)[0], abs=1e-15)
    assert run["energy"].shape == (51, 11) and run.names("energy")[0] == "kinetic" and run.unit("energy") == "J"
    assert run["contact/pair"].shape[1] == 5
    again = pawl.Sim(robot, dt=2e-3)
    longer = again.run(until=0.2, resume=path)
    straight = pawl.Sim(robot, dt=2e-3)
    straight.run(0.2)
    assert again.state.hash == straight.state.hash and len(longer.time) == 101
    assert "PASSED" in repr(longer) and "solver residual" in repr(straight.verdict)
    assert straight.verdict["residual"].passed and "<table>" in straight.verdict._repr_html_()


def test_a_recording_shows_itself(robot, tmp_path):
    run = pawl.Sim(robot, dt=2e-3).run(0.02, record=tmp_path / "run.h5")
    page = run._repr_html_()
    assert page.startswith("<iframe srcdoc=") and "pawl-document" in page and robot.name in page
    run.page(tmp_path / "page.html")
    assert "pawl-document" in (tmp_path / "page.html").read_text()
    plt = pytest.importorskip("matplotlib.pyplot")
    axes = run.plot("energy", columns=["kinetic", "gravity"])
    assert [line.get_label() for line in axes.lines] == ["kinetic", "gravity"]
    plt.close("all")


def test_errors_have_file_and_line(tmp_path):
    bad = tmp_path / "bad.sdf"
    bad.write_text("<sdf version='1.9'><model name='a'><link name='b'>\n<inertial><mass>heavy</mass></inertial></link></model></sdf>")
    with pytest.raises(pawl.BadFile, match="heavy") as info:
        pawl.Model.load(bad)
    assert info.value.filename == str(bad) and info.value.lineno == 2
    with pytest.raises(pawl.Error):
        pawl.Model.load(tmp_path / "missing.urdf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = pawl.Model.load("models/robots/quadruped.urdf", ground=True)
    assert model.notes


def test_settings_complete_and_refuse():
    s = pawl.Settings(dt=1e-3, stepper="euler")
    assert "solver" in dir(s) and "tolerance" in dir(s.solver) and "kind" in dir(s.solver)
    s.solver.tolerance = 1e-9
    s.contact_margin = 2e-3
    s["erp.contact"] = 0.1
    assert s.solver.tolerance == 1e-9 and s.contact.margin == 2e-3 and s.project is True
    with pytest.raises(pawl.BadArgument):
        s.dt = -1
    with pytest.raises(AttributeError, match="no setting"):
        s.solver_tolerence = 1
    sim = pawl.Sim(pendulum(), s)
    assert sim.settings.stepper == "euler" and sim.settings["solver.tolerance"] == 1e-9 and sim.dt == 1e-3
    assert "moreau" in pawl.steppers() and "auto" in pawl.solvers()


def test_contacts_reactions_and_energy(robot):
    sim = pawl.Sim(robot, dt=2e-3)
    sim.run(0.5)
    weight = robot.mass * 9.81
    assert sum(c.force[2] for c in sim.contacts) == pytest.approx(weight, rel=0.05)
    feet = sum(sim.body_contacts(i)[1][2] for i in range(len(robot.bodies)))
    assert feet == pytest.approx(sum(c.force[2] for c in sim.contacts), rel=1e-12)
    force, torque = sim.reaction(robot.joints[0].name)
    assert np.isfinite(force).all() and np.isfinite(torque).all()
    assert sim.energy.balance == pytest.approx(0, abs=1e-3)
    assert sim.report["contacts"] == sim.contact_count and sim.report["outcome"] == "converged"
    assert math.isfinite(sim.effort(0))


def test_other_threads_run_during_steps(robot):
    sims = [pawl.Sim(robot, dt=2e-3) for _ in range(2)]
    ticks, stop = [0], threading.Event()

    def tick():
        while not stop.is_set():
            ticks[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    workers = [threading.Thread(target=sim.step, args=(100,)) for sim in sims]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    assert sims[0].state.hash == sims[1].state.hash
    # a busy machine may give the other thread no time in a short call, so that calls grow until it had some
    for steps in (100, 1000, 10000):
        before = ticks[0]
        sims[0].step(steps)
        during = ticks[0] - before
        if during > 10:
            break
    stop.set()
    thread.join()
    assert during > 10


def test_help_teaches():
    for thing in (pawl, pawl.Model, pawl.Sim, pawl.Batch, pawl.Builder, pawl.Recording, pawl.Settings, pawl.sweep, pawl.VectorEnv, pawl.Derivative):
        assert len(thing.__doc__) > 100
    for kind in (pawl.Sim, pawl.State, pawl.Derivative, pawl.Batch, pawl.Recording, pawl.Model):
        for name in dir(kind):
            if not name.startswith("_"):
                assert getattr(kind, name).__doc__, f"{kind.__name__}.{name} has no docstring"
    source = pathlib.Path("python/pawl/__init__.pyi").read_text()
    for name in pawl.__all__:
        assert re.search(rf"\b{name}\b", source), f"{name} has no type hints"
