// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The fixed parts of a report: no fonts, styles or scripts come from elsewhere.
#pragma once

extern const char report_style_colours[]; // custom properties for light and dark; page and picture
extern const char report_style_picture[]; // classes of report_picture.c; page and picture
extern const char report_style_page[];
extern const char report_style_study[]; // beside the page's, for studies
extern const char report_style_script[];
