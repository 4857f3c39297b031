# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""What the tests of the command share: how to call it, and small models to give it."""

import json
import os
import subprocess

import pytest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))
COMMAND = os.path.abspath(os.environ.get("PAWL", os.path.join(ROOT, "build", "pawl")))

# One free body of 2 kg; what acts on it is filled in.
FREE_BODY = """<?xml version="1.0"?>
<sdf version="1.10" xmlns:pawl="urn:pawl:sdf">
  <world name="{name}">
    <gravity>{gravity}</gravity>
    <model name="{name}">
      <link name="stone">
        <inertial>
          <mass>{mass}</mass>
          <inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia>
        </inertial>
      </link>
      {more}
    </model>
  </world>
</sdf>
"""

ROD = """<joint name="{name}" type="pawl:distance">
        <parent>world</parent>
        <child>stone</child>
        <pawl:parent_pose>{point} 0 0 0</pawl:parent_pose>
        <pawl:length>{length}</pawl:length>
      </joint>"""


class Pawl:
    """Runs the command in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self, *arguments, timeout=120):
        return subprocess.run(
            [COMMAND, *map(str, arguments)], cwd=self.folder, timeout=timeout,
            capture_output=True, text=True)

    def json(self, *arguments):
        """The JSON that a command prints, which must succeed."""
        done = self(*arguments, "--json", "-")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def model(self, path):
        """A file of models/."""
        return os.path.join(ROOT, "models", path)

    def write(self, name, gravity="0 0 -9.81", mass=2, more=""):
        """A model of one free body; returns its path."""
        path = self.folder / f"{name}.sdf"
        path.write_text(FREE_BODY.format(name=name, gravity=gravity, mass=mass, more=more))
        return path

    def write_impossible(self):
        """The body is to be 0.1 m from two points that are 3 m apart."""
        rods = [ROD.format(name="near", point="0 0 0", length=0.1),
                ROD.format(name="far", point="3 0 0", length=0.1)]
        return self.write("impossible", more="\n      ".join(rods))

    def spawn(self, *arguments, **options):
        """The command as a process that is not waited for."""
        options.setdefault("stdout", subprocess.PIPE)
        return subprocess.Popen(
            [COMMAND, *map(str, arguments)], cwd=self.folder, text=True, **options)


@pytest.fixture
def pawl(tmp_path):
    return Pawl(tmp_path)
