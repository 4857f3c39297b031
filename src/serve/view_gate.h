// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Access control of the viewer's server: clients need its token, a name of this machine, and one of its own pages.
#pragma once
#include "pawl/base.h"

enum { VIEW_TOKEN_SIZE = 33 }; // 128 bits in hexadecimal digits, and a zero

// A token from the system's random numbers. False: there are none.
bool view_gate_make_token(char token[VIEW_TOKEN_SIZE]);
// Whether two tokens are equal, in a time that does not depend on where they differ. `given` may be NULL.
bool view_gate_token(const char *expected, const char *given);
// Whether a Host header names the loopback interface (any port: an SSH tunnel may have another one). A name server
// that an attacker controls may point a foreign name here, and the browser then sends that name.
bool view_gate_host(const char *host);
// Whether an Origin header is that of a page from this server: http(s):// and the request's Host. A page of another
// site, or of another port here, has another one.
bool view_gate_origin(const char *origin, const char *host);
