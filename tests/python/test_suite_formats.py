# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""The machines of the suite as SDFormat and as MJCF are the same machines: they move alike."""

import math

import numpy as np
import pytest

import pawl

# Loops that MJCF closes by other rows, and universal joints with a light body inside, move alike up to what these change.
CLOSE = {"figure38": 1e-8, "figure54": 1e-6, "fourbar-fixed": 1e-8, "fourbar-free": 1e-8}
NAMES = ("box-on-plane", "boxes-fixed", "nunchuk", "fourbar-fixed", "fourbar-free", "arm7", "quadruped", "biped15", "biped21",
         "figure22", "walker31", "figure38", "figure54")


@pytest.mark.parametrize("name", NAMES)
def test_both_formats_of_a_machine_move_alike(name):
    """From the same twists, since MJCF has no place for them, servos follow the same sines for 0.1 s."""
    sims = []
    for ending in (".sdf", "-mjcf.xml"):
        settings = pawl.Settings()
        settings["dt"] = 1e-3
        sims.append(pawl.Sim(pawl.Model.load(f"models/suite/{name}{ending}"), settings))
    models = [s.model for s in sims]
    common = [b for b in models[0].bodies.names if b in models[1].bodies.names]
    assert len(common) >= len(models[0].bodies) - 1  # a fixed base is part of the world in MJCF
    servos = models[0].actuators.names
    assert sorted(servos) == sorted(models[1].actuators.names)
    for body in common:
        sims[1].state.set_twist(body, *sims[0].state.twist(body))
    begun = np.array(sims[0].positions)
    for k in range(100):
        for s in sims:
            for i, servo in enumerate(servos):
                s.state.set_target(servo, 0.1 * math.sin(2 * math.pi * 1e-3 * k + i))
            s.step(1)
    rows = [[list(m.bodies.names).index(b) for b in common] for m in models]
    a, b = (np.array(s.positions)[r] for s, r in zip(sims, rows))
    assert abs(a - b).max() < CLOSE.get(name, 1e-10)
    if name != "boxes-fixed":
        assert abs(np.array(sims[0].positions) - begun).max() > 1e-3  # something moved
