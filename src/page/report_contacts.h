// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The worst pairs of shapes in contact as a part of the report's document.
#pragma once
#include "page/report_text.h"
#include "record/record_layout.h"

// Objects separated by commas: the inside of an array (docs/pages.md).
pawl_status report_contacts_write(report_text *page, const pawl_record *record);
// "crate (box) on world (plane)" as a string of JSON.
void report_shape_pair(report_text *page, const pawl_record *record, int shape_a, int shape_b);
