// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// The engine, whole. Files and recordings are in pawl/io.h.
#pragma once
#include "pawl/base.h"
#include "pawl/batch.h"
#include "pawl/check.h"
#include "pawl/contact.h"
#include "pawl/contact_problem.h"
#include "pawl/derivative.h"
#include "pawl/event.h"
#include "pawl/input.h"
#include "pawl/kinds.h"
#include "pawl/model.h"
#include "pawl/problem.h"
#include "pawl/query.h"
#include "pawl/report.h"
#include "pawl/sample.h"
#include "pawl/sensitivity.h"
#include "pawl/sensor.h"
#include "pawl/settings.h"
#include "pawl/sim.h"
#include "pawl/solve.h"
#include "pawl/state.h"
#include "pawl/verdict.h"
#include "pawl/view.h"
#include "pawl/warning.h"
#include "pawl/wrench.h"
