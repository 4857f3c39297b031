// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A document and the page around it.
#pragma once
#include "page/report_text.h"

// The HTML around a document: the title, the document, the bundle. `title` is escaped; `kind` follows it ("pawl report").
pawl_status page_frame(report_text *page, const char *title, const char *kind,
                       const report_text *document);
