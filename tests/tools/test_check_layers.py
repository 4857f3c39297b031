# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""tools/check_layers on small trees that break one rule each."""

import os
import subprocess
import sys

import pytest

TOOL = os.path.join(os.path.dirname(__file__), "..", "..", "tools", "check_layers")
HEADER = "// SPDX-License-Identifier: MIT\n// Part of pawl, a rigid multibody dynamics engine.\n"
LICENCE = HEADER + "//\n// What the file does.\n"
SOUND = {
    "src/base/env.h": "#include <stddef.h>\n",
    "src/model/model.h": '#include "base/env.h"\n',
    "src/step/common/shared.h": "",
    "src/step/lit/lit.h": '#include "step/common/shared.h"\n',
    "src/step/lit/lit.c": '#include "step/lit/lit.h"\nif (k == PAWL_STEPPER_LIT) {\n',
    "src/sim/settings.c": "s = {.stepper = PAWL_STEPPER_LIT}; // kind == PAWL_STEPPER_LIT\n",
    "src/solve/pgs.c": '#include "base/env.h"\n#include "pawl/problem.h"\n',
    "src/read/sdf.c": '#include "base/env.h"\n#include "pawl/io.h"\n#include <libxml/tree.h>\n',
    "src/hdf5/lock.h": "#include <hdf5.h>\n",
    "src/record/record.h": '#include "hdf5/lock.h"\n',
    "src/page/page.c": '#include "record/record.h"\n#include "pawl/io.h"\n',
    "src/rows/limit_rows.c": "bool is = info->family == &pawl_limit_rows_family;\n",
    "include/pawl/problem.h": "#include <stdint.h>\n/// Both.\nPAWL_API int pawl_a(void);\n"
                              "PAWL_API int pawl_b(void);\n\nPAWL_API int pawl_c(\n    int a); ///< own\n",
    "include/pawl/io.h": '#include "pawl/problem.h"\n',
    "cli/main.c": '#include "pawl/io.h"\n#include "args.h"\n#include <jansson.h>\n',
    "cli/args.h": "",
}


def run(folder, changes):
    for path, text in {**SOUND, **changes}.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text.removeprefix("bare") if text.startswith("bare") else LICENCE + text)
    return subprocess.run([sys.executable, "-B", TOOL, str(folder)], capture_output=True, text=True,
                          check=False)


def test_a_sound_tree_passes(tmp_path):
    result = run(tmp_path, {})
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("path, text, message", [
    ("src/base/bad.c", '#include "model/model.h"\n', "src/base/bad.c:5: layer base must not include from model"),
    ("src/solve/bad.c", '#include "model/model.h"\n', "layer solve must not include from model"),
    ("src/solve/bad.c", '#include "pawl/model.h"\n', "layer solve must not see pawl/model.h"),
    ("src/read/bad.c", '#include "model/model.h"\n', "layer read must not include from model"),
    ("src/read/bad.c", "#include <hdf5.h>\n", "<hdf5.h> is not one of the headers that read may need"),
    ("src/fclib/bad.c", '#include "record/record.h"\n', "layer fclib must not include from record"),
    ("src/record/bad.c", '#include "page/page.h"\n', '"page/page.h" does not name a file'),
    ("src/page/bad.c", "#include <libxml/tree.h>\n", "<libxml/tree.h> is not one of the headers"),
    ("src/model/bad.c", '#include "pawl/io.h"\n', "layer model must not see pawl/io.h"),
    ("src/model/bad.c", "#include <hdf5.h>\n", "<hdf5.h> is not one of the headers"),
    ("src/model/bad.c", '  #  include "model.h"\n', '"model.h" does not name a file'),
    ("src/model/bad.c", '#include "base/none.h"\n', '"base/none.h" does not name a file'),
    ("src/step/euler/bad.c", '#include "step/lit/lit.h"\n', "euler must not include from the plug-in lit"),
    ("src/step/common/bad.c", '#include "step/lit/lit.h"\n', "common must not include from the plug-in lit"),
    ("src/sim/bad.c", '#include "step/lit/lit.h"\n', "layer sim must not include from the plug-in lit"),
    ("src/sim/bad.c", "int kind = PAWL_STEPPER_LIT;\n", "asks for the stepper lit outside its folder"),
    ("src/model/deep/bad.c", "", "not directly in a layer's folder"),
    ("src/other/bad.c", "", "not directly in a layer's folder"),
    ("include/pawl/bad.h", '#include "base/env.h"\n', 'a public header must not include "base/env.h"'),
    ("include/pawl/bad.h", "#include <math.h>\n", "a public header must not include <math.h>"),
    ("cli/bad.c", '#include "base/env.h"\n', "the command uses public headers only"),
    ("src/model/env.h", "", "src/base/env.h has the same file name"),
    ("src/step/common/bad.c", "if (s->stepper == PAWL_STEPPER_LIT) {\n",
     "bad.c:5: asks for the stepper lit outside its folder"),
    ("cli/bad.c", "int kind = PAWL_STEPPER_LIT;\n", "asks for the stepper lit outside its folder"),
    ("src/step/lit/bad.c", "switch (k) {\ncase PAWL_SOLVER_NSGS:\n", "bad.c:6: asks for the solver"),
    ("src/step/bad.c", "bool is = info->family == &pawl_limit_rows_family;\n", "asks for the family of rows"),
    ("src/step/bad.c", "return PAWL_FORMULATION_REDUCED == kind;\n", "asks for the formulation"),
    ("include/pawl/bad.h", "PAWL_API int pawl_bad(void);\n", "bad.h:5: a public function without a comment"),
    ("include/pawl/bad.h", "/// A.\nPAWL_API int pawl_a(void);\n\nPAWL_API int pawl_b(int a,\n    int b);\n",
     "bad.h:8: a public function without a comment"),
    ("src/base/bad.c", "bare" + HEADER + "int x;\n", "does not say what the file does"),
    ("src/base/bad.c", "bare\n", "does not begin with the two-line licence header"),
])
def test_a_broken_rule_is_named_with_its_place(tmp_path, path, text, message):
    result = run(tmp_path, {path: text})
    assert result.returncode == 1
    assert message in result.stdout
    assert path in result.stdout


def test_a_fault_that_is_allowed_passes_and_the_list_only_shrinks(tmp_path):
    bad = "bool a = PAWL_FORMULATION_REDUCED == b;\nbool c = d != PAWL_FORMULATION_MAXIMAL;\n"
    allowed = "tools/layers_allowed.txt"
    (tmp_path / "tools").mkdir()
    for count, code in [(1, 1), (2, 0), (3, 0)]:
        (tmp_path / allowed).write_text(f"kind bad.c {count}\n")
        result = run(tmp_path, {"src/step/bad.c": bad})
        assert result.returncode == code, result.stdout
    assert "1 of the faults allowed are gone" in result.stdout
    subprocess.run([sys.executable, "-B", TOOL, "--tighten", str(tmp_path)], check=True)
    assert "kind bad.c 2\n" in (tmp_path / allowed).read_text()
