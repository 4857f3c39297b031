# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""Closed-loop control: a pole on a cart is held upright by a force on the cart, computed from joint positions and rates before each step."""

import sys

import pawl


def build():
    b = pawl.Builder("cart-pole")
    cart = b.body("cart", mass=1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    pole = b.body("pole", mass=0.1, position=(0, 0, 0.5), inertia=(0.01, 0.01, 1e-4, 0, 0, 0))
    rail = b.joint("prismatic", None, cart, axis=(1, 0, 0), name="rail")
    b.joint("revolute", cart, pole, axis=(0, 1, 0), name="hinge")
    b.motor(rail, effort=20.0, name="motor")
    return b.compile()


def main(short=False):
    sim = pawl.Sim(build(), dt=1e-3)
    sim.state.set_joint("hinge", 0.2)
    sim.assemble()  # the energy balance begins here
    gains = (-2.0, -3.5, 40.0, 8.0)  # position and rate of the rail, angle and rate of the hinge

    def control(sim):
        (x, angle), (v, rate) = sim.q, sim.v
        sim.targets[0] = -(gains[0] * x + gains[1] * v) + gains[2] * angle + gains[3] * rate

    sim.run(2.0 if short else 10.0, control=control)
    print(f"angle {sim.q[1]:.2e} rad, cart at {sim.q[0]:.3f} m after {sim.time:.1f} s; {sim.verdict.sentence}")
    assert abs(sim.q[1]) < 0.1 and sim.verdict


if __name__ == "__main__":
    main("--short" in sys.argv)
