# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""The document of a page (docs/pages.md), for tests that read pages."""

import json
import re


def document(path):
    page = path.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="pawl-document">(.*?)</script>', page, re.S)
    return json.loads(found[1])
