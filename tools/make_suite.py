# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""The benchmark suite of the loops paper, models/suite/, for tools/make_models.py (Table II of the paper)."""

import make_models
import suite_figures
import suite_robots

FILES = {
    "suite/box-on-plane.sdf": make_models.box_on_plane,
    "suite/boxes-fixed.sdf": make_models.boxes_fixed,
    "suite/nunchuk.sdf": lambda: make_models.nunchuk(1, "all three of one mass, as in Table II of the loops paper"),
    "suite/fourbar-fixed.sdf": lambda: make_models.fourbar(True),
    "suite/fourbar-free.sdf": lambda: make_models.fourbar(False),
    "suite/arm7.sdf": suite_robots.arm7,
    "suite/quadruped.sdf": suite_robots.quadruped,
    "suite/biped15.sdf": suite_robots.biped15,
    "suite/biped21.sdf": suite_robots.biped21,
    "suite/figure22.sdf": suite_figures.figure22,
    "suite/walker31.sdf": suite_figures.walker31,
    "suite/figure38.sdf": suite_figures.figure38,
    "suite/figure54.sdf": suite_figures.figure54,
}
