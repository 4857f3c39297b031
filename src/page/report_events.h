// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What happened within steps (impacts, take-off, stick and slip), as tables of the report and as marks
// on its plots.
#pragma once
#include "page/report_plot.h"

// Nothing where no event was recorded.
pawl_status report_events_write(report_text *page, const pawl_record *record);
// Sets the marks of a plot from the record's events; its start and end must be known.
pawl_status report_events_mark(const pawl_record *record, report_plot *plot);
