// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A plot as JSON: its curves as base64 of doubles, so that a zoom and an exported table have all digits, and the
// properties that web/ needs to draw it.
#include "page/report_plot.h"
#include "page/page_json.h"
#include <math.h>

static void plot_write_curve(report_text *page, const report_curve *curve)
{
    report_add(page, "{\"dashed\":%s,\"points\":%s", curve->dashed ? "true" : "false",
               curve->points ? "true" : "false");
    page_json_text_key(page, "name", curve->label);
    report_add_plain(page, ",\"x\":");
    page_json_base64(page, curve->time, (size_t)curve->count * sizeof *curve->time);
    report_add_plain(page, ",\"y\":");
    page_json_base64(page, curve->value, (size_t)curve->count * sizeof *curve->value);
    report_add_plain(page, "}");
}

void report_plot_write(report_text *page, const report_plot *plot, const report_plot_style *style)
{
    report_add(page, "{\"log\":%s,\"zero\":%s,\"xLog\":%s,\"dots\":%s,\"time\":%s",
               style->log ? "true" : "false", style->zero ? "true" : "false",
               style->x_log ? "true" : "false", style->dots ? "true" : "false",
               style->x_name == NULL ? "true" : "false");
    page_json_text_key(page, "title", style->title);
    page_json_text_key(page, "unit", style->unit);
    page_json_text_key(page, "note", style->note);
    page_json_text_key(page, "xName", style->x_name == NULL ? "time" : style->x_name);
    page_json_text_key(page, "xUnit", style->x_name == NULL ? "s" : style->x_unit);
    if (style->mark > 0.0 && isfinite(style->mark)) {
        report_add(page, ",\"level\":%.9g", style->mark);
        page_json_text_key(page, "levelName", style->mark_label);
    }
    report_add_plain(page, ",\"curves\":[");
    for (int k = 0; k < plot->curve_count; ++k) {
        report_add_plain(page, k > 0 ? "," : "");
        plot_write_curve(page, &plot->curves[k]);
    }
    report_add_plain(page, "]}");
}
