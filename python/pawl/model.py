# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Models: from files or from a builder."""

import os
import warnings
from typing import NamedTuple

from . import _core


class ModelWarning(UserWarning):
    """A warning of a file reader, with file and line."""


class Coordinate(NamedTuple):
    """One free direction of a joint."""

    lower: float
    upper: float
    stiffness: float
    rest: float
    damping: float
    armature: float
    friction: float


class Body(NamedTuple):
    """A body of a model. `index` is its place in arrays."""

    index: int
    name: str
    kind: str
    mass: float
    com: tuple
    inertia: tuple


class Joint(NamedTuple):
    """A joint of a model. `columns` is its place in arrays of coordinates; -1 as a body is the world."""

    index: int
    name: str
    kind: str
    base: int
    follower: int
    base_frame: tuple
    follower_frame: tuple
    rows: int
    coordinates: tuple
    columns: slice


class Actuator(NamedTuple):
    """An actuator of a model. Without a name of its own it has that of its joint."""

    index: int
    name: str
    kind: str
    joint: int
    coordinate: int
    stiffness: float
    damping: float
    effort: float


class Shape(NamedTuple):
    """A shape of a model."""

    index: int
    name: str
    kind: str
    body: int
    frame: tuple
    size: tuple
    friction: float
    restitution: float
    rolling_friction: float
    visual_only: bool


class Frame(NamedTuple):
    """The name of a place on a body (-1: the world), as of a link that is part of another body: pose in its link frame."""

    index: int
    name: str
    body: int
    pose: tuple


class Table(list):
    """Things in order, and by name: model.bodies[0], model.bodies["torso"]."""

    def __init__(self, what, rows):
        super().__init__(rows)
        self._what = what
        self._by_name = {row.name: row for row in rows if row.name}

    def __getitem__(self, key):
        if isinstance(key, str):
            try:
                return self._by_name[key]
            except KeyError:
                raise KeyError(f"no {self._what} '{key}'; there are {', '.join(self._by_name)}") from None
        return super().__getitem__(key)

    def __contains__(self, key):
        return key in self._by_name if isinstance(key, str) else super().__contains__(key)

    @property
    def names(self):
        """Names in order."""
        return [row.name for row in self]

    def _ipython_key_completions_(self):
        return list(self._by_name)

    def __repr__(self):
        return f"{len(self)} {self._what}s: " + ", ".join(str(row.name) for row in self)


class Model:
    """An immutable mechanism, shared by any number of simulations.

        model = pawl.Model.load("robot.urdf", ground=True, start={"knee": 0.8})
        model.bodies["torso"].mass, model.joints.names, model.check()["mobility"]

    Model.load() reads SDFormat, URDF and MJCF, recognized by the root element; Model.parse() reads text. pawl.Builder builds one.
    Errors are exceptions with `filename` and `lineno`; warnings are a ModelWarning.
    """

    def __init__(self, core, path=None, options=None, text=None):
        self._core = core
        self.path = path
        self.options = options or {}
        self._text = text
        parts = core._parts()
        self.bodies = Table("body", [Body(i, *row) for i, row in enumerate(parts["bodies"])])
        joints, first = [], 0
        for i, row in enumerate(parts["joints"]):
            coordinates = tuple(Coordinate(*c) for c in row[7])
            joints.append(Joint(i, *row[:7], coordinates, slice(first, first + len(coordinates))))
            first += len(coordinates)
        self.joints = Table("joint", joints)
        self.actuators = Table("actuator", [Actuator(i, *row) for i, row in enumerate(parts["actuators"])])
        self.shapes = Table("shape", [Shape(i, *row) for i, row in enumerate(parts["shapes"])])
        self.frames = Table("frame", [Frame(i, *row) for i, row in enumerate(parts["frames"])])
        self.notes = []
        for level, text in core._messages():
            self.notes.append(text)
            if level == 1:
                warnings.warn(text, ModelWarning, stacklevel=4)

    @classmethod
    def load(cls, path, *, ground=None, slope=0.0, friction=0.8, fixed_base=False, start=None, start_key=None, clamp=False,
             motion=None, search_path=None, mesh="hull", keep_fixed=False, repair_inertia=False, mjcf_soft=False, lenient=False,
             verbose=False):
        """Reads a model file: SDFormat, URDF or MJCF.

        ground       True: a plane under the lowest shape; a number: at that height [m]; with `slope` [rad] and `friction`
        fixed_base   holds the root of every tree that floats
        start        {joint: position} to begin with; loops are closed around them. start_key: a keyframe of MJCF
        clamp        joints that would begin beyond their limits begin at them
        motion       a motion file that the position actuators follow
        search_path  folders separated by ':' for files that the model names
        mesh         how collision meshes touch: "hull", "parts" (convex ones) or "triangles" (as they are)
        keep_fixed   SDFormat, URDF: links on fixed joints stay bodies, instead of becoming part of the links that carry them
        repair_inertia  inertias that no rigid body has become the nearest valid ones
        mjcf_soft    MJCF: constraints are soft as solref and solimp say, instead of hard
        lenient      unsupported elements are warnings instead of errors
        """
        options = dict(ground=ground, slope=slope, friction=friction, fixed_base=fixed_base, start=start, start_key=start_key,
                       clamp=clamp, motion=motion, search_path=search_path, mesh=mesh, keep_fixed=keep_fixed, repair_inertia=repair_inertia,
                       mjcf_soft=mjcf_soft, lenient=lenient, verbose=verbose)
        return cls._read(os.fspath(path), None, options)

    @classmethod
    def parse(cls, text, name="text", **options):
        """Reads a model from text; `name` stands for the file in messages. Options as for load()."""
        defaults = cls.load.__kwdefaults__
        unknown = set(options) - set(defaults)
        if unknown:
            raise TypeError(f"parse() does not know {', '.join(sorted(unknown))}; it knows {', '.join(defaults)}")
        return cls._read(name, text, dict(defaults, **options))

    @classmethod
    def _read(cls, path, text, o):
        motion = os.fspath(o["motion"]) if o["motion"] is not None else None
        core = _core.load(path, text, o["lenient"], motion, o["start"], o["ground"], o["slope"], o["friction"], o["fixed_base"],
                          o["search_path"], o["start_key"], o["verbose"], o["mesh"], o["keep_fixed"], o["repair_inertia"], o["clamp"],
                          o["mjcf_soft"])
        return cls(core, None if text is not None else path, o, text)

    def __reduce__(self):
        # Pickled as the file or text that it was read from; another process reads it again.
        if self.path is None and self._text is None:
            raise TypeError(f"the model '{self.name}' was built and has no file: it cannot be pickled. Build it in each process")
        return _read_again, (self.path or self.name, self._text, self.options)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self  # nothing of it ever changes

    name = property(lambda self: self._core.name, doc="Name of the model.")
    mass = property(lambda self: self._core.mass, doc="Mass of all bodies that can move [kg].")
    gravity = property(lambda self: self._core.gravity, doc="Gravity [m/s^2].")
    hash = property(lambda self: self._core.hash, doc="Of everything that shapes the motion.")
    coordinate_count = property(lambda self: self._core.coordinate_count, doc="Coordinates of all joints.")
    velocity_count = property(lambda self: self._core.velocity_count, doc="6 for each rigid body, 3 for each point.")

    @property
    def coordinate_names(self):
        """A name for each joint coordinate: the joint's, with a number where it has several."""
        return [j.name if len(j.coordinates) == 1 else f"{j.name}.{k}" for j in self.joints for k in range(len(j.coordinates))]

    def check(self):
        """Mobility, redundancy, singular position and warnings of the start, as `pawl check` has them: a dict."""
        return self._core.check()

    def state(self):
        """A State of this model at its start."""
        return _core.State(self._core)

    def __repr__(self):
        return (f"<pawl.Model '{self.name}': {len(self.bodies)} bodies, {len(self.joints)} joints, {len(self.actuators)} actuators, "
                f"{self.mass:.4g} kg>")


class Builder(_core.Builder):
    """Builds a model, as the C builder does:

        b = pawl.Builder("pendulum")
        rod = b.body("rod", mass=1.0, position=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1, 0, 0, 0))
        hinge = b.joint("revolute", None, rod, point=(0, 0, 0), axis=(0, 1, 0), name="hinge")
        b.actuator("force", hinge, effort=20)
        model = b.compile()

    Bodies and joints are named by the index that the call returned, or by their name; None is the world.
    """

    def compile(self):
        """Checks everything and makes the Model; the builder stays."""
        return Model(self._compile())

    def solid(self, name, kind, position, size, density=1000.0, **shape):
        """A body with one shape of a density [kg/m^3] that gives mass and inertia. Returns the body."""
        body = self.body(name, position=position, density=density)
        self.shape(body, kind, size=size, **shape)
        return body

    def motor(self, joint, effort=float("inf"), name=None):
        """A force or torque along a joint, 0 until its target is set. Returns the actuator."""
        keys = {} if name is None else {"name": name}
        return self.actuator("force", joint, effort=effort, **keys)


def sine(amplitude, frequency, phase=0.0, offset=0.0):
    """A function of time for targets: offset + amplitude sin(frequency t + phase); frequency in rad/s."""
    return ("sine", float(offset), float(amplitude), float(frequency), float(phase))


def table(times, values, interpolation="linear", period=0.0):
    """A function of time from a table: 'linear', 'cubic' or 'smooth' in between; a period > 0 repeats its last part."""
    kinds = ("linear", "cubic", "smooth")
    return ("table", [float(t) for t in times], [float(v) for v in values], kinds.index(interpolation), float(period))


def _read_again(path, text, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # said when it was read first
        return Model._read(path, text, options)
