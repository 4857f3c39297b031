// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A recorded motion as a document for the player of web/, in a page.
#pragma once
#include "page/report_text.h"
#include "record/record_layout.h"

// The document of docs/player.md; the recording has at least one frame with poses. A motion that is too long is
// thinned.
pawl_status page_motion_document(report_text *page, const pawl_record *record);
