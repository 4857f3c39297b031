# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""A contact model of one's own, in Python: a ball falls into mud, which pushes back with the depth and drags with the speed. The force is an input of the state,
computed before each step; it is saved, recorded and counted in the energy balance like any other."""

import sys

import numpy as np

import pawl

RADIUS, STIFFNESS, DRAG = 0.1, 400.0, 25.0


def mud(sim):
    """Force on the ball by how deep and how fast it is."""
    depth = RADIUS - sim.positions[0, 2]
    force = np.zeros(3)
    if depth > 0:
        wet = min(depth / RADIUS, 2.0)
        force = -DRAG * wet * sim.velocities[0]
        force[2] += STIFFNESS * depth
        force[2] = max(force[2], 0.0)  # mud does not pull
    sim.state.set_wrench(0, force)


def main(short=False):
    b = pawl.Builder("ball in mud")
    inertia = 0.4 * 2.0 * RADIUS**2
    b.body("ball", mass=2.0, position=(0, 0, 0.6), velocity=(1.0, 0, 0), inertia=(inertia, inertia, inertia, 0, 0, 0))
    sim = pawl.Sim(b.compile(), dt=1e-3)
    sim.run(1.0 if short else 3.0, control=mud)
    sunk = RADIUS - sim.positions[0, 2]
    print(f"sunk by {100 * sunk:.1f} cm (at rest {100 * 2.0 * 9.81 / STIFFNESS:.1f} cm), {sim.positions[0, 0]:.2f} m away; "
          f"the mud took {-sim.energy.work_forces:.2f} J; {sim.verdict.sentence}")
    assert abs(sunk - 2.0 * 9.81 / STIFFNESS) < 0.02 and sim.verdict


if __name__ == "__main__":
    main("--short" in sys.argv)
