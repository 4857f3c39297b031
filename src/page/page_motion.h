// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A recorded motion as a document for the player of web/, in a page.
#pragma once
#include "page/report_text.h"
#include "record/record_layout.h"

// The player's place in a page, its data and the bundle; nothing where the recording has no poses. A motion that is too
// long is thinned: docs/player.md.
pawl_status page_motion_write(report_text *page, const pawl_record *record);
// The document alone; the recording has at least one frame with poses.
pawl_status page_motion_document(report_text *page, const pawl_record *record);
