// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reports: self-contained documents, escaped, small, and with the verdict that the figures call for. What the page makes
// of a document is tested in a browser (tests/web).
#include "page/player_bundle.h"
#include "support/recording.h"
#include "support/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Takes out what stands from the first `begin` to the next `end`.
static void cut(char *text, const char *begin, const char *end)
{
    char *from = strstr(text, begin);
    char *to = from != NULL ? strstr(from + strlen(begin), end) : NULL;
    if (to != NULL) {
        memmove(from, to, strlen(to) + 1);
    }
}

// A page or picture as C wrote it, without the bundle.
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    CHECK(fread(text, 1, (size_t)size, file) == (size_t)size);
    text[size] = '\0';
    fclose(file);
    if (pawl_player_bundle_size > 0) {
        cut(text, pawl_player_bundle, "</script>");
    }
    return text;
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        ++count;
    }
    return count;
}

// Start and end tags of SVG and of our page pair up, apart from the tags that have no end.
static void check_tags_pair(const char *text)
{
    static const char *const paired[] = {"svg",     "g",     "figure", "div",  "polyline",
                                         "section", "table", "tr",     "main", "text",
                                         "details", "style", "title",  "span"};
    for (size_t i = 0; i < sizeof paired / sizeof paired[0]; ++i) {
        char open_plain[32], open_with[32], closing[32];
        snprintf(open_plain, sizeof open_plain, "<%s>", paired[i]);
        snprintf(open_with, sizeof open_with, "<%s ", paired[i]);
        snprintf(closing, sizeof closing, "</%s>", paired[i]);
        CHECK_INT(count_of(text, open_plain) + count_of(text, open_with), count_of(text, closing));
    }
}

static void make_report(const pawl_env *env, const char *model_name, double dt, int64_t steps,
                        char *page, char *picture)
{
    char path[256];
    test_path("report.h5", path, sizeof path);
    recording r;
    recording_begin(&r, env, model_name, dt);
    CHECK_OK(recording_create(&r, path, 0.0, 500));
    CHECK_OK(recording_run(&r, steps));
    recording_end(&r);
    CHECK_OK(pawl_report_write(env, path, test_path("report.html", page, 256)));
    CHECK_OK(pawl_report_picture(env, path, test_path("report.svg", picture, 256)));
}

static pawl_status write_report(const pawl_env *env, void *argument)
{
    const char *const *paths = argument;
    pawl_status status = pawl_report_write(env, paths[0], paths[1]);
    return status != PAWL_OK ? status : pawl_report_picture(env, paths[0], paths[2]);
}

TEST(a_page_needs_nothing_from_elsewhere)
{
    test_env t;
    test_env_init(&t);
    char page[256], picture[256];
    make_report(&t.env, "pendulum", 1e-3, 400, page, picture);
    char *text = read_text(page);
    static const char *const outside[] = {"http:", "https:", "src=", "href=\"h", "@import", "url("};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; ++i) {
        CHECK_INT(count_of(text, outside[i]), 0);
    }
    static const char *const wanted[] = {"<!DOCTYPE html>",
                                         "Joint angles",
                                         "Energy balance",
                                         "Closure error",
                                         "Residual",
                                         "Iterations a step",
                                         "Actuator",
                                         "elbow",
                                         "PASS",
                                         "solver.tolerance",
                                         "\"page\":\"report\"",
                                         "\"motion\":{"};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
        CHECK(count_of(text, wanted[i]) > 0);
    }
    CHECK_INT(count_of(text, ":nan") + count_of(text, ":inf") + count_of(text, ":-"),
              count_of(text, ":-"));
    CHECK_INT(count_of(text, "</script>"), pawl_player_bundle_size > 0 ? 2 : 1);
    free(text);
    text = read_text(picture);
    CHECK(strncmp(text, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 39) == 0);
    check_tags_pair(text);
    free(text);
    CHECK_NO_LEAK(&t);
}

// Where the deepest pair was, by hand: the ground is the model's first shape, and nothing else goes
// as deep as the crate's corners or the ball.
TEST(a_page_shows_contacts_and_the_worst_pair)
{
    test_env t;
    test_env_init(&t);
    char path[256], page[256];
    test_path("crate.h5", path, sizeof path);
    recording r;
    recording_begin_crate(&r, &t.env, 2e-3);
    CHECK_OK(recording_create(&r, path, 0.0, 50));
    CHECK_OK(recording_run(&r, 300));
    int worst = pawl_shape_index(r.verdict.worst_shape_b);
    recording_end(&r);
    CHECK_OK(pawl_report_write(&t.env, path, test_path("crate.html", page, sizeof page)));
    char *text = read_text(page);
    static const char *const wanted[] = {"Contact points",
                                         "Penetration",
                                         "Normal force",
                                         "\\u003ccrate> (box)",
                                         "ball \\u0026 chain (sphere)",
                                         "world (plane)",
                                         "\"slip\":"};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
        CHECK(count_of(text, wanted[i]) > 0);
    }
    const char *first = strstr(text, "\"contacts\":[{");
    CHECK(first != NULL);
    const char *name = strstr(first, worst == 1 ? "(box)" : "(sphere)");
    CHECK(name != NULL && name < strstr(first, "\"depth\"")); // the worst one leads the table
    free(text);
    const char *paths[] = {path, page, test_path("crate.svg", (char[256]){0}, 256)};
    CHECK(CHECK_SURVIVES_NO_MEMORY(write_report, paths) > 20);
    CHECK_NO_LEAK(&t);
}

// The crate lies on the ground, so the ground is in the picture; the gem's colour is the default's,
// in the light that falls on each of its visible faces. Seen from above and the side, an octahedron
// shows four of its eight.
TEST(a_picture_shows_the_ground_and_hulls)
{
    test_env t;
    test_env_init(&t);
    char path[256], picture[256];
    test_path("ground.h5", path, sizeof path);
    recording r;
    recording_begin_crate(&r, &t.env, 1e-3);
    CHECK_OK(recording_create(&r, path, 0.0, 50));
    recording_end(&r);
    CHECK_OK(pawl_report_picture(&t.env, path, test_path("ground.svg", picture, sizeof picture)));
    char *text = read_text(picture);
    CHECK_INT(count_of(text, "<path class=\"floor\""), 1);
    CHECK_INT(count_of(text, "<path class=\"floor-grid\""), 1);
    const char *pose = strstr(text, "<g class=\"pose\">");
    CHECK(pose != NULL && pose > strstr(text, "<path class=\"floor\"")); // it lies behind all
    // A crate's three faces and the gem, which is drawn in place of the ball by which its body touches.
    CHECK_INT(count_of(pose, "<path d="), 3 + 4);
    CHECK_INT(count_of(text, "nan") + count_of(text, "inf"), 0);
    check_tags_pair(text);
    free(text);
    CHECK_NO_LEAK(&t);
}

TEST(names_cannot_become_markup)
{
    test_env t;
    test_env_init(&t);
    char page[256], picture[256];
    make_report(&t.env, "<script>alert(\"1\")</script>&\xff\xc0\x80'", 1e-3, 20, page, picture);
    const char *const paths[] = {page, picture};
    for (int i = 0; i < 2; ++i) {
        char *text = read_text(paths[i]);
        CHECK_INT(count_of(text, "<script>alert"), 0);
        CHECK(count_of(text, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;"
                             "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd&#39;") > 0); // the title
        free(text);
    }
    char *text = read_text(page);
    CHECK(count_of(
              text,
              "\\u003cscript>alert(\\u00221\\u0022)\\u003c/script>\\u0026\\ufffd\\ufffd\\ufffd'") >
          0);
    free(text);
    CHECK_NO_LEAK(&t);
}

// 30000 frames of 40 columns would be 10 MB of numbers.
TEST(a_long_run_still_fits_a_page)
{
    test_env t;
    test_env_init(&t);
    char page[256], picture[256];
    make_report(&t.env, "pendulum", 1e-3, 30000, page, picture);
    char *text = read_text(page);
    CHECK(strlen(text) < 5000000);
    free(text);
    CHECK_NO_LEAK(&t);
}

TEST(a_single_frame_makes_a_page)
{
    test_env t;
    test_env_init(&t);
    char page[256], picture[256];
    make_report(&t.env, "still", 1e-3, 0, page, picture);
    char *text = read_text(page);
    CHECK(count_of(text, "\"frames\":1,") == 2); // of the run and of the motion
    free(text);
    CHECK_NO_LEAK(&t);
}

// Steps of 40 ms are too long for this pendulum: Euler loses far more than a twentieth.
TEST(a_run_that_loses_energy_is_not_passed)
{
    test_env t;
    test_env_init(&t);
    char page[256], picture[256];
    make_report(&t.env, "pendulum", 4e-2, 200, page, picture);
    char *text = read_text(page);
    CHECK(count_of(text, "NOT MET: unexplained energy") == 1 && count_of(text, "PASS") == 0);
    CHECK(count_of(text, "\"met\":false") == 1);
    free(text);
    CHECK_NO_LEAK(&t);
}

TEST(a_report_survives_any_allocation_failing)
{
    test_env t;
    test_env_init(&t);
    char page[256], picture[256], path[256];
    make_report(&t.env, "pendulum", 1e-3, 10, page, picture);
    test_path("report.h5", path, sizeof path);
    const char *paths[] = {path, page, picture};
    CHECK(CHECK_SURVIVES_NO_MEMORY(write_report, paths) > 20);
    CHECK_NO_LEAK(&t);
}

TEST(a_page_that_cannot_be_written_is_reported)
{
    test_env t;
    test_env_init(&t);
    char page[256], picture[256], path[256];
    make_report(&t.env, "pendulum", 1e-3, 10, page, picture);
    test_path("report.h5", path, sizeof path);
    CHECK_STATUS(pawl_report_write(&t.env, path, "no/such/folder/page.html"), PAWL_IO_ERROR);
    CHECK_MESSAGE(&t, "No such file or directory");
    CHECK_STATUS(pawl_report_write(&t.env, path, "/dev/null"), PAWL_IO_ERROR);
    CHECK_STATUS(pawl_report_write(&t.env, page, picture), PAWL_BAD_FILE);
    CHECK_NO_LEAK(&t);
}
