// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The pairs of shapes that went deepest into each other, as a table of the report.
#pragma once
#include "page/report_text.h"
#include "record/record_layout.h"

// Nothing where no contact was recorded.
pawl_status report_contacts_write(report_text *page, const pawl_record *record);
// "crate (box)", escaped.
void report_shape_name(report_text *page, const pawl_record *record, int shape);
