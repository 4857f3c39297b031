// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The plots of a report.
#pragma once
#include "page/report_plot.h"

// Energy, motion, accuracy and loads, as far as they were recorded.
pawl_status report_plots_write(report_text *page, const pawl_record *record);
