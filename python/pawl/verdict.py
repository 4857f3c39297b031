# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
"""The verdict on a run: the engine's own list of criteria."""

import html
import math
from typing import NamedTuple


class Criterion(NamedTuple):
    """One criterion: passed when value <= limit."""

    name: str
    title: str
    unit: str
    judgement: str
    value: float
    limit: float
    where: str
    advice: str

    @property
    def passed(self):
        return self.judgement == "passed"


class Verdict:
    """Whether a run can be trusted. bool(verdict) is True when all that was judged passed; verdict["closure"] is one criterion."""

    def __init__(self, data):
        self.passed, self.sentence, rows = data
        self.criteria = [Criterion(*row) for row in rows]

    def __bool__(self):
        return self.passed

    def __getitem__(self, name):
        for criterion in self.criteria:
            if criterion.name == name:
                return criterion
        raise KeyError(name)

    def __iter__(self):
        return iter(self.criteria)

    def keys(self):
        """Names of the criteria."""
        return [c.name for c in self.criteria]

    def __repr__(self):
        lines = [self.sentence]
        for c in self.criteria:
            if not math.isnan(c.value):
                mark = {"passed": " ", "FAILED": "!"}.get(c.judgement, "-")
                lines.append(f" {mark} {c.title:32} {c.value:10.3g} of {c.limit:10.3g} {c.unit:6} {c.where}".rstrip())
        return "\n".join(lines)

    def _repr_html_(self):
        colour = "#2a7d4f" if self.passed else "#b3372f"
        rows = "".join(
            f"<tr><td>{html.escape(c.title)}</td><td>{c.value:.3g}</td><td>{c.limit:.3g} {html.escape(c.unit)}</td>"
            f"<td>{html.escape(c.judgement)}</td><td>{html.escape(c.where)}</td></tr>"
            for c in self.criteria if not math.isnan(c.value))
        return f"<p style='color:{colour}'><b>{html.escape(self.sentence)}</b></p><table>{rows}</table>"
