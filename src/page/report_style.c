// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Colours of the SVG picture: text has a contrast of at least 4.5 on both backgrounds; curves also differ in
// lightness, for readers who cannot distinguish the hues. web/src/theme.css has the same ones.
#include "page/report_style.h"

const char report_style_colours[] =
    ":root{color-scheme:light dark;--paper:#fff;--card:#fff;--ground:#f5f6f8;--ink:#1b2130;"
    "--soft:#596275;--line:#dfe3ea;--grid:#edf0f4;--zero:#aeb6c4;--good:#17723d;--good-bg:#e4f4ea;"
    "--check:#9a4f00;--check-bg:#fdf0dc;"
    "--k0:#2262c6;--k1:#d0641a;--k2:#20845a;--k3:#b52f46;--k4:#7a53c2;--k5:#0d8797;--k6:#8a6d12;"
    "--k7:#c2478f}"
    "@media(prefers-color-scheme:dark){:root{--paper:#12151c;--card:#191d26;--ground:#12151c;"
    "--ink:#e7eaf0;--soft:#9aa4b6;--line:#2c3340;--grid:#232935;--zero:#4b5567;--good:#6fd49a;"
    "--good-bg:#16301f;--check:#f0b35f;--check-bg:#362512;"
    "--k0:#6ea6ff;--k1:#f29a55;--k2:#5fc795;--k3:#f0798b;--k4:#b598f2;--k5:#4fc4d4;--k6:#d0b24c;"
    "--k7:#eb8cc4}}"
    "@media print{:root{--paper:#fff;--card:#fff;--ground:#fff;--ink:#000;--soft:#444;--line:#ccc;"
    "--grid:#e8e8e8;--zero:#999;--good:#17723d;--good-bg:#e4f4ea;--check:#9a4f00;"
    "--check-bg:#fdf0dc;--k0:#2262c6;--k1:#d0641a;--k2:#20845a;--k3:#b52f46;--k4:#7a53c2;"
    "--k5:#0d8797;--k6:#8a6d12;--k7:#c2478f}}"
    ".k0{--k:var(--k0)}.k1{--k:var(--k1)}.k2{--k:var(--k2)}.k3{--k:var(--k3)}.k4{--k:var(--k4)}"
    ".k5{--k:var(--k5)}.k6{--k:var(--k6)}.k7{--k:var(--k7)}";

const char report_style_picture[] =
    ".pose path{stroke-width:.8;stroke-linejoin:round}"
    ".path{fill:none;stroke:var(--k);stroke-width:1.1;opacity:.75;stroke-linejoin:round}"
    ".pose .path{stroke-width:1.1}"
    ".pose .rod{stroke:var(--soft);stroke-width:3;fill:none;stroke-linecap:round}"
    ".pose .slide{stroke:var(--soft);stroke-width:1;stroke-dasharray:4 3;fill:none}"
    ".pose .spring{stroke:var(--ink);stroke-width:1.2;fill:none}"
    ".ground{stroke:var(--soft);stroke-width:1.3;fill:var(--card);stroke-linejoin:round}"
    ".floor{fill:var(--grid)}.floor-grid{fill:none;stroke:var(--line)}"
    ".floor-line{fill:none;stroke:var(--zero);stroke-width:1.4}"
    ".floor-back{fill:none;stroke:var(--line);stroke-dasharray:5 4}"
    ".mass{fill:var(--k0);stroke:var(--ink);stroke-width:.8}"
    ".joint{fill:var(--card);stroke:var(--ink);stroke-width:1.4}"
    ".bar{fill:none;stroke:var(--ink);stroke-width:1.2}"
    ".tick{font:11px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:var(--soft)}";
