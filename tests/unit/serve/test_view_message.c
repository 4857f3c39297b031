// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The viewer's protocol as docs/view-protocol.md has it, byte by byte: messages written here by hand.
#include "serve/view_gate.h"
#include "serve/view_message.h"
#include "support/test.h"
#include <math.h>
#include <string.h>

static bool reads(const void *bytes, size_t size)
{
    view_command command;
    bool good = view_message_read(bytes, size, &command);
    CHECK(good == (command.kind != 0));
    return good;
}

// By hand: IEEE 754's 1.5 as a double is 3ff8000000000000.
TEST(commands_are_read_as_the_protocol_says)
{
    view_command c;
    CHECK(view_message_read("\x01\x03\0\0\x01\0\0\0", 8, &c));
    CHECK(c.kind == VIEW_RUN && c.panes == 3 && c.index == 1);
    CHECK(view_message_read("\x03\x03\0\0\0\0\0\0\0\0\xf8\x3f", 12, &c));
    CHECK(c.kind == VIEW_SPEED);
    CHECK_NEAR(c.value[0], 1.5, 0.0);
    CHECK(view_message_read("\x05\x02\0\0\x06\x03solverpgs", 15, &c));
    CHECK(c.kind == VIEW_SET && c.panes == 2);
    CHECK(strcmp(c.key, "solver") == 0 && strcmp(c.text, "pgs") == 0);
    unsigned char grab[32] = {6, 3, 0, 0, 7};
    grab[8 + 3] = 0x40; // 2.0 as a single is 40000000
    grab[8 + 20 + 3] = 0xc0;
    CHECK(view_message_read(grab, sizeof grab, &c));
    CHECK(c.kind == VIEW_GRAB && c.index == 7);
    CHECK_NEAR(c.value[0], 2.0, 0.0);
    CHECK_NEAR(c.value[5], -2.0, 0.0);
}

TEST(what_is_none_of_ours_is_refused)
{
    CHECK(!reads(NULL, 0));
    CHECK(!reads("\x01\x03\0", 3));                        // too short for a head
    CHECK(!reads("\x01\x03\0\0\x02\0\0\0", 8));            // on is 0 or 1
    CHECK(!reads("\x01\x03\0\0\x01\0\0\0\0", 9));          // too long
    CHECK(!reads("\x01\x03\0\0\x01\0\0", 7));              // too short
    CHECK(!reads("\x01\0\0\0\x01\0\0\0", 8));              // for no pane
    CHECK(!reads("\x01\x04\0\0\x01\0\0\0", 8));            // for a third pane
    CHECK(!reads("\x01\x03\x01\0\x01\0\0\0", 8));          // reserved
    CHECK(!reads("\0\x03\0\0", 4));                        // no such kind
    CHECK(!reads("\x7f\x03\0\0", 4));                      //
    CHECK(!reads("\x03\x03\0\0\0\0\0\0\0\0\xf8\x7f", 12)); // NaN
    CHECK(!reads("\x03\x03\0\0\0\0\0\0\0\0\xf0\x7f", 12)); // infinite
    CHECK(!reads("\x03\x03\0\0\0\0\0\0\0\0\xf8\xbf", 12)); // a negative speed
    CHECK(!reads("\x05\x02\0\0\x06\x04solverpgs", 15));    // lengths that do not add up
    CHECK(!reads("\x05\x02\0\0\x06\x03solve\npgs", 15));   // a control character
    CHECK(!reads("\x05\x02\0\0\0\x03pgs", 9));             // an empty key
    unsigned char large[VIEW_MOST_BYTES + 8] = {4, 3};
    CHECK(!reads(large, sizeof large));
}

TEST(numbers_are_written_little_endian)
{
    test_env t;
    test_env_init(&t);
    view_bytes b = {.env = &t.env};
    view_put_u32(&b, 0x04030201);
    view_put_f32(&b, 2.0);
    view_put_f64(&b, 1.5);
    view_set_u32(&b, 0, 0x14030201);
    static const unsigned char expected[] = {1, 2, 3, 0x14, 0, 0, 0,    0x40,
                                             0, 0, 0, 0,    0, 0, 0xf8, 0x3f};
    CHECK(b.size == sizeof expected && memcmp(b.data, expected, sizeof expected) == 0);
    view_bytes_free(&b);
    CHECK_NO_LEAK(&t);
}

// RFC 6454: an origin is a scheme, a host and a port; browsers leave out the port where it is the scheme's own.
TEST(only_pages_of_the_server_itself_pass_the_gate)
{
    CHECK(view_gate_host("localhost:8000") && view_gate_host("127.0.0.1:1") &&
          view_gate_host("[::1]:80"));
    CHECK(view_gate_host("localhost"));
    CHECK(!view_gate_host("") && !view_gate_host("evil.example:8000") &&
          !view_gate_host("localhost.evil.example"));
    CHECK(!view_gate_host("127.0.0.1.evil.example") && !view_gate_host("localhost:") &&
          !view_gate_host("localhost:80x"));
    CHECK(view_gate_origin("http://localhost:8000", "localhost:8000"));
    CHECK(view_gate_origin("https://localhost:8000", "localhost:8000"));
    CHECK(!view_gate_origin("http://localhost:8001", "localhost:8000"));
    CHECK(!view_gate_origin("http://evil.example", "localhost:8000"));
    CHECK(!view_gate_origin("", "localhost:8000") && !view_gate_origin("null", "localhost:8000"));
    CHECK(!view_gate_origin("http://", ""));
    char a[VIEW_TOKEN_SIZE], b[VIEW_TOKEN_SIZE];
    CHECK(view_gate_make_token(a) && view_gate_make_token(b));
    CHECK(strlen(a) == VIEW_TOKEN_SIZE - 1 && strcmp(a, b) != 0);
    CHECK(view_gate_token(a, a) && !view_gate_token(a, b) && !view_gate_token(a, NULL) &&
          !view_gate_token(a, ""));
}
