// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The checks of every request to the viewer. Every page that the user has open, and every user of the machine, can
// reach a server on the loopback interface. The token excludes other users, the Host header excludes foreign names
// that resolve to this address (DNS rebinding), and the Origin header excludes foreign pages that know an old
// address.
#define _POSIX_C_SOURCE 200809L
#include "serve/view_gate.h"
#include <stdio.h>
#include <string.h>

bool view_gate_make_token(char token[VIEW_TOKEN_SIZE])
{
    unsigned char bytes[(VIEW_TOKEN_SIZE - 1) / 2];
    FILE *random = fopen("/dev/urandom", "rb");
    bool whole = random != NULL && fread(bytes, 1, sizeof bytes, random) == sizeof bytes;
    if (random != NULL) {
        (void)fclose(random);
    }
    for (size_t i = 0; i < sizeof bytes && whole; ++i) {
        (void)snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    }
    return whole;
}

bool view_gate_token(const char *expected, const char *given)
{
    if (given == NULL || strlen(given) != strlen(expected)) {
        return false;
    }
    unsigned difference = 0;
    for (size_t i = 0; expected[i] != '\0'; ++i) {
        difference |= (unsigned)(unsigned char)expected[i] ^ (unsigned)(unsigned char)given[i];
    }
    return difference == 0;
}

bool view_gate_host(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && host != NULL; ++i) {
        size_t length = strlen(names[i]);
        const char *port = host + length;
        if (strncmp(host, names[i], length) != 0) {
            continue;
        }
        if (*port == '\0' || (*port == ':' && port[1] != '\0' &&
                              strspn(port + 1, "0123456789") == strlen(port + 1))) {
            return true;
        }
    }
    return false;
}

bool view_gate_origin(const char *origin, const char *host)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < 2 && origin != NULL && host != NULL && host[0] != '\0'; ++i) {
        size_t length = strlen(schemes[i]);
        if (strncmp(origin, schemes[i], length) == 0 && strcmp(origin + length, host) == 0) {
            return true;
        }
    }
    return false;
}
