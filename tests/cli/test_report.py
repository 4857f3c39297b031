# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""pawl report: a page that needs nothing else, and a picture."""

import re
import xml.etree.ElementTree as ET


def test_report_is_one_page_beside_the_recording(pawl):
    model = pawl.model("primitives/fourbar-fixed.sdf")
    assert pawl("run", model, "--time", 0.3, "-o", "run.h5").returncode == 0
    done = pawl("report", "run.h5")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "run.html"
    assert done.stdout.splitlines()[1].startswith("verdict: PASSED")
    page = (pawl.folder / "run.html").read_text()
    assert "fourbar-fixed" in page
    assert "</html>" in page
    # Nothing is fetched: no source or link leads to another file or machine.
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#|data:)""", page)
    assert done.stderr == ""


def test_report_and_picture_go_where_they_are_told(pawl):
    model = pawl.model("joints/revolute.sdf")
    assert pawl("run", model, "--time", 0.3, "-o", "run.h5").returncode == 0
    done = pawl("report", "run.h5", "-o", "page.html", "--picture", "motion.svg")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["page.html", "motion.svg"]
    root = ET.parse(pawl.folder / "motion.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(list(root.iter())) > 3
