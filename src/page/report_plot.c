// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Plots as SVG: axes with round numbers, one polyline a curve. Colours come from the page's style,
// so that light, dark and print need no second drawing. The page's script reads values back from
// the polylines and the data- attributes of the figure.
#include "page/report_plot.h"
#include <math.h>
#include <string.h>

enum {
    PLOT_WIDTH = 620,
    PLOT_HEIGHT = 250,
    PLOT_LEFT = 62,
    PLOT_RIGHT = 608,
    PLOT_TOP = 12,
    PLOT_BOTTOM = 216
};

typedef struct plot_axis {
    double low, high; // shown range; of a log axis, exponents
    double step;      // between ticks
    int exponent;     // ticks are shown divided by 10 to this power
    int decimals;
} plot_axis;

static const char *plot_x_name(const report_plot_style *style)
{
    return style->x_name == NULL ? "time" : style->x_name;
}

static const char *plot_x_unit(const report_plot_style *style)
{
    return style->x_name == NULL ? "s" : style->x_unit == NULL ? "" : style->x_unit;
}

// The next of 1, 2, 5 times a power of ten that is at least `rough`.
static double plot_round_step(double rough)
{
    double power = pow(10.0, floor(log10(rough)));
    double leading = rough / power;
    double nice = leading <= 1.0001   ? 1.0
                  : leading <= 2.0001 ? 2.0
                  : leading <= 5.0001 ? 5.0
                                      : 10.0;
    return nice * power;
}

static plot_axis plot_linear_axis(double low, double high, int ticks, bool whole, bool tight)
{
    plot_axis axis = {0};
    double size = fmax(fabs(low), fabs(high));
    if (high - low <= 1e-9 * size || high - low < 1e-300) {
        double room = size > 0.0 ? 0.5 * size : 1.0; // a constant sits in the middle
        low -= room;
        high += room;
    }
    axis.step = plot_round_step((high - low) / ticks);
    if (whole && axis.step < 1.0) {
        axis.step = 1.0;
    }
    axis.low = tight ? low : axis.step * floor(low / axis.step + 1e-9);
    axis.high = tight ? high : axis.step * ceil(high / axis.step - 1e-9);
    size = fmax(fabs(axis.low), fabs(axis.high));
    double exponent = floor(log10(size));
    axis.exponent = exponent < -2.0 || exponent > 4.0 ? (int)(3.0 * floor(exponent / 3.0)) : 0;
    double shown = axis.step / pow(10.0, axis.exponent);
    axis.decimals = shown >= 1.0 - 1e-9 ? 0 : (int)ceil(-log10(shown) - 1e-9);
    return axis;
}

static plot_axis plot_log_axis(double low, double high)
{
    plot_axis axis = {.low = floor(log10(low) + 1e-9), .high = ceil(log10(high) - 1e-9)};
    if (axis.high - axis.low < 2.0) {
        axis.low -= 1.0;
        axis.high += axis.high - axis.low < 2.0 ? 1.0 : 0.0;
    }
    axis.step = fmax(1.0, ceil((axis.high - axis.low) / 7.0));
    return axis;
}

// Tight: a log axis of x begins and ends with the data, in decades or not.
static plot_axis plot_x_axis(double start, double end, bool log_scale)
{
    return log_scale ? (plot_axis){.low = log10(start) - 0.04, .high = log10(end) + 0.04}
                     : plot_linear_axis(start, end, 8, false, true);
}

static double plot_x(const plot_axis *axis, bool log_scale, double x)
{
    double shown = log_scale ? log10(x) : x;
    return PLOT_LEFT + (PLOT_RIGHT - PLOT_LEFT) * (shown - axis->low) / (axis->high - axis->low);
}

static double plot_y(const plot_axis *axis, bool log_scale, double value)
{
    double shown = value;
    if (log_scale) {
        shown = fmax(log10(value), axis->low);
    }
    double leading = (shown - axis->low) / (axis->high - axis->low);
    return PLOT_BOTTOM - (PLOT_BOTTOM - PLOT_TOP) * fmin(fmax(leading, -0.02), 1.02);
}

static void plot_draw_x_tick(report_text *page, double x, int decimals, double value)
{
    report_add(page, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>", x, PLOT_TOP, PLOT_BOTTOM);
    report_add(page, "<text class=\"tick\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x,
               PLOT_BOTTOM + 16);
    if (decimals >= 0) {
        report_add(page, "%.*f</text>", decimals, value);
    } else {
        report_add(page, "%s</text>", report_format(value).text);
    }
}

// 1, 2 and 5 times the powers of ten, or the powers alone where there are many.
static void plot_draw_log_ticks(report_text *page, const plot_axis *axis)
{
    static const double ticks[] = {1.0, 2.0, 5.0};
    int count = axis->high - axis->low > 3.0 ? 1 : 3;
    for (double decade = floor(axis->low); decade <= axis->high; decade += 1.0) {
        for (int k = 0; k < count; ++k) {
            double value = ticks[k] * pow(10.0, decade);
            if (log10(value) >= axis->low && log10(value) <= axis->high) {
                plot_draw_x_tick(page, plot_x(axis, true, value), -1, value);
            }
        }
    }
}

static void plot_draw_x_axis(report_text *page, const plot_axis *axis,
                             const report_plot_style *style)
{
    if (style->x_log) {
        plot_draw_log_ticks(page, axis);
    } else {
        double first = ceil(axis->low / axis->step - 1e-9) + 0.0; // 0, never -0
        for (double i = first; i * axis->step <= axis->high + 1e-9 * axis->step; i += 1.0) {
            plot_draw_x_tick(page, plot_x(axis, false, i * axis->step), axis->decimals,
                             i * axis->step / pow(10.0, axis->exponent));
        }
    }
    const char *unit = plot_x_unit(style);
    report_add(page, "<text class=\"axis\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s", PLOT_RIGHT,
               PLOT_BOTTOM + 31, plot_x_name(style));
    if (unit[0] != '\0' || axis->exponent != 0) {
        report_add(page, " [%s%s%s]",
                   axis->exponent != 0 ? report_power_of_ten(axis->exponent).text : "",
                   axis->exponent != 0 && unit[0] != '\0' ? " " : "", unit);
    }
    report_add_plain(page, "</text>");
}

static void plot_draw_value_axis(report_text *page, const plot_axis *axis,
                                 const report_plot_style *style)
{
    double first = ceil(axis->low / axis->step - 1e-9) + 0.0; // 0, never -0
    for (double i = first; i * axis->step <= axis->high + 1e-9 * axis->step; i += 1.0) {
        double at = i * axis->step;
        double y = plot_y(axis, false, at); // of a log axis too: `at` is an exponent
        bool zero = !style->log && i == 0.0;
        report_add(page, "<path class=\"%s\" d=\"M%d %.1fH%d\"/>", zero ? "zero" : "grid",
                   PLOT_LEFT, y, PLOT_RIGHT);
        report_add(page, "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
                   PLOT_LEFT - 7, y + 3.5);
        if (style->log) {
            report_add_plain(page, report_power_of_ten((int)at).text);
        } else {
            report_add(page, "%.*f", axis->decimals, at / pow(10.0, axis->exponent) + 0.0);
        }
        report_add_plain(page, "</text>");
    }
}

static void plot_draw_curve(report_text *page, const report_curve *curve, int index,
                            const plot_axis *t, const plot_axis *v, const report_plot_style *style)
{
    report_add(page, "<polyline class=\"curve k%d%s\" points=\"", index,
               curve->points   ? " unseen" // the page's script reads its values
               : curve->dashed ? " dashed"
                               : "");
    for (int i = 0; i < curve->count; ++i) {
        if (!style->log || curve->value[i] > 0.0) {
            report_add(page, "%.1f,%.2f ", plot_x(t, style->x_log, curve->time[i]),
                       plot_y(v, style->log, curve->value[i]));
        }
    }
    report_add_plain(page, "\"><title>");
    report_add_escaped(page, curve->label);
    report_add(page, ": %s to %s %s</title></polyline>", report_format(curve->lowest).text,
               report_format(curve->highest).text, style->unit);
    bool dots = style->dots || curve->points;
    for (int i = 0; dots && i < curve->count; ++i) {
        if (!style->log || curve->value[i] > 0.0) {
            report_add(page, "<circle class=\"dot k%d\" cx=\"%.1f\" cy=\"%.2f\" r=\"3\"/>", index,
                       plot_x(t, style->x_log, curve->time[i]),
                       plot_y(v, style->log, curve->value[i]));
        }
    }
}

// The range of values that the plot has to show. False: there is nothing to show.
static bool plot_range(const report_plot *plot, const report_plot_style *style, double *low,
                       double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int k = 0; k < plot->curve_count; ++k) {
        const report_curve *curve = &plot->curves[k];
        *high = fmax(*high, curve->highest);
        if (!style->log) {
            *low = fmin(*low, curve->lowest);
            continue;
        }
        for (int i = 0; i < curve->count; ++i) {
            *low = curve->value[i] > 0.0 ? fmin(*low, curve->value[i]) : *low;
        }
    }
    if (style->log && *high > 0.0) {
        // Sixteen decades are what doubles resolve; more would squeeze what matters.
        *low = fmax(*low, 1e-16 * *high);
        if (style->mark > 0.0) {
            *high = fmax(*high, style->mark);
            *low = fmin(*low, style->mark);
        }
    } else if (style->log && *high <= 0.0) {
        *low = 1e-16; // zeros alone
        *high = style->mark > 0.0 ? style->mark : 1e-14;
    }
    if (style->zero && *low <= *high) {
        *low = fmin(*low, 0.0);
        *high = fmax(*high, 0.0);
    }
    return *low <= *high;
}

static void plot_draw_legend(report_text *page, const report_plot *plot, bool log_scale)
{
    report_add_plain(page, "<div class=\"legend\">");
    for (int k = 0; k < plot->curve_count; ++k) {
        report_add(page, "<span class=\"k%d\"><i%s></i>", k,
                   plot->curves[k].points   ? " class=\"points\""
                   : plot->curves[k].dashed ? " class=\"dashed\""
                                            : "");
        report_add_escaped(page, plot->curves[k].label);
        if (log_scale && plot->curves[k].highest <= 0.0) {
            report_add_plain(page, " (zero throughout)");
        }
        report_add_plain(page, "<output></output></span>");
    }
    report_add_plain(page, "</div>");
}

static void plot_draw_frame(report_text *page, const plot_axis *t, const plot_axis *v,
                            const report_plot_style *style)
{
    plot_draw_x_axis(page, t, style);
    plot_draw_value_axis(page, v, style);
    report_add(page, "<path class=\"frame\" d=\"M%d %dV%dH%d\"/>", PLOT_LEFT, PLOT_TOP, PLOT_BOTTOM,
               PLOT_RIGHT);
    if (style->mark > 0.0) {
        double y = plot_y(v, style->log, style->mark);
        report_add(page, "<path class=\"mark\" d=\"M%d %.1fH%d\"/>", PLOT_LEFT, y, PLOT_RIGHT);
        report_add(page, "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
                   PLOT_RIGHT - 4, y - 4.0, style->mark_label);
    }
}

// Ticks at the foot: long ones for impacts, short ones for transitions.
static void plot_draw_marks(report_text *page, const report_plot *plot, const plot_axis *t)
{
    static const struct {
        unsigned char which;
        int height;
    } kinds[] = {{REPORT_MARK_TRANSITION, 5}, {REPORT_MARK_IMPACT, 10}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        bool begun = false;
        for (int i = 0; i < REPORT_MARKS; ++i) {
            if ((plot->marks[i] & kinds[k].which) == 0) {
                continue;
            }
            double leading = (double)i / (REPORT_MARKS - 1);
            double x = plot_x(t, false, plot->start + leading * (plot->end - plot->start));
            report_add(page, "%sM%.1f %dv-%d", begun ? "" : "<path class=\"event\" d=\"", x,
                       PLOT_BOTTOM, kinds[k].height);
            begun = true;
        }
        report_add_plain(page, begun ? "\"/>" : "");
    }
}

void report_plot_draw(report_text *page, const report_plot *plot, const report_plot_style *style)
{
    double low, high;
    if (!plot_range(plot, style, &low, &high)) {
        return;
    }
    double length = plot->end - plot->start;
    bool usable = length > 0.0 && length < 1e100; // a single frame has none
    plot_axis t = style->x_log || usable ? plot_x_axis(plot->start, plot->end, style->x_log)
                                         : plot_linear_axis(0.0, 1.0, 8, false, true);
    plot_axis v =
        style->log ? plot_log_axis(low, high) : plot_linear_axis(low, high, 5, style->whole, false);
    report_add(
        page,
        "<figure class=\"plot\" data-t=\"%.9g %.9g\" data-v=\"%.9g %.9g\" data-log=\"%d\" "
        "data-unit=\"%s\" data-x=\"%s\" data-x-unit=\"%s\" data-x-log=\"%d\"><figcaption><b>%s</b> "
        "<span class=\"unit\">",
        t.low, t.high, v.low, v.high, style->log ? 1 : 0, style->unit,
        style->x_name == NULL ? "t" : style->x_name, plot_x_unit(style), style->x_log ? 1 : 0,
        style->title);
    if (style->unit[0] != '\0') {
        bool scaled = !style->log && v.exponent != 0;
        report_add(page, "[%s%s%s]", scaled ? report_power_of_ten(v.exponent).text : "",
                   scaled ? " " : "", style->unit);
    }
    report_add_plain(page, "</span><output></output></figcaption>");
    if (style->note != NULL) {
        report_add(page, "<p class=\"note\">%s</p>", style->note);
    }
    report_add(page, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">", PLOT_WIDTH,
               PLOT_HEIGHT, style->title);
    plot_draw_frame(page, &t, &v, style);
    plot_draw_marks(page, plot, &t);
    for (int k = 0; k < plot->curve_count; ++k) {
        plot_draw_curve(page, &plot->curves[k], k, &t, &v, style);
    }
    report_add(page, "<path class=\"hair\" d=\"M0 %dV%d\"/></svg>", PLOT_TOP, PLOT_BOTTOM);
    plot_draw_legend(page, plot, style->log);
    report_add_plain(page, "</figure>\n");
}
