# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""The example of a wrench table is what its script writes."""

import subprocess
import sys


def test_the_committed_table_is_the_scripts(tmp_path):
    out = tmp_path / "granular-foot.txt"
    subprocess.run([sys.executable, "tools/make_granular_table.py", str(out)], check=True)
    with open("models/wrench/granular-foot.txt", encoding="utf-8") as kept:
        assert out.read_text(encoding="utf-8") == kept.read()
