// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Events within steps (impacts, take-off, stick and slip) as a part of the report's document.
#pragma once
#include "page/report_text.h"
#include "record/record_layout.h"

// `,"events":{..}` (docs/pages.md).
pawl_status report_events_write(report_text *page, const pawl_record *record);
