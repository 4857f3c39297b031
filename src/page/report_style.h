// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The style of the SVG picture. Pages have theirs in web/src.
#pragma once

extern const char report_style_colours[]; // custom properties for light and dark
extern const char report_style_picture[]; // classes of report_picture.c
