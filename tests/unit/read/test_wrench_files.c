// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Contact points, their models and heightfields in model files, and the text files that these name:
// what is written is what the model has, and what is wrong is refused with file, line, what was met
// and what was expected.
#include "pawl/io.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINK                                                                                       \
    "<link name='a'><pose>0 0 1 0 0 0</pose><inertial><mass>2</mass><inertia><ixx>1</ixx>"         \
    "<iyy>1</iyy><izz>1</izz></inertia></inertial><collision name='c'><geometry><box><size>2 2 2"  \
    "</size></box></geometry></collision></link>"
#define SDF(content)                                                                               \
    "<sdf version='1.10' xmlns:pawl='urn:pawl:sdf'>\n<model name='m'>\n" LINK content              \
    "</model></sdf>"
#define SOLE "<pawl:wrench_model name='sole'/>\n"

// All messages of a call, one after the other.
static char log_text[8000];
static void log_add(void *user, pawl_log_level level, const char *message)
{
    (void)user;
    (void)level;
    size_t used = strlen(log_text);
    snprintf(log_text + used, sizeof log_text - used, "%s\n", message);
}

static pawl_status parse(const char *text, pawl_model **out)
{
    pawl_env env = pawl_env_default();
    env.log = log_add;
    log_text[0] = '\0';
    return pawl_model_parse(&env, "m.sdf", text, strlen(text), NULL, out);
}

static void refused(const char *text, const char *message)
{
    pawl_model *m;
    CHECK_STATUS(parse(text, &m), PAWL_BAD_FILE);
    if (strstr(log_text, message) == NULL) {
        fail_msg("got '%s', expected '%s'", log_text, message);
    }
}

enum { PATH_SIZE = 600 };
static const char *write_text(const char *name, const char *text, size_t size, char *path)
{
    test_path(name, path, PATH_SIZE);
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL);
    CHECK_INT(fwrite(text, 1, size, f), size);
    CHECK_INT(fclose(f), 0);
    return path;
}

TEST(all_numbers_of_the_elements_reach_the_model)
{
    pawl_model *m;
    CHECK_OK(parse(
        SDF("<pawl:wrench_model name='sole' kind='coulomb' stiffness='2e6' power='2.5' zeta='1e-4' "
            "friction='0.7' directions='9'/>"
            "<pawl:wrench_model name='skate' kind='anisotropic' friction='0.05' axes='body'>"
            "<pawl:friction2>0.9</pawl:friction2><pawl:angle>0.3</pawl:angle></pawl:wrench_model>"
            "<pawl:wrench_model kind='patch' torsion='0.07' rings='3'/>"
            "<pawl:contact_point name='p' body='a' position='1 2 3' rpy='0 0 1.5' radius='0.25' "
            "model='skate'/>"
            "<pawl:contact_points body='a' model='sole'/>"
            "<pawl:heightfield name='hills' position='0 0 -1' rpy='0 0 0.5' x_count='3' "
            "y_count='2' "
            "dx='0.5' dy='0.25'><pawl:heights>1 2 3\n4 5 6</pawl:heights></pawl:heightfield>"),
        &m));
    CHECK_TEXT(log_text, "");
    CHECK_INT(pawl_model_wrench_model_count(m), 3);
    pawl_wrench_model_def d = pawl_model_wrench_model(m, 0);
    CHECK_TEXT(d.name, "sole");
    CHECK_INT(d.kind, PAWL_WRENCH_COULOMB);
    CHECK_NEAR(d.stiffness, 2e6, 0.0);
    CHECK_NEAR(d.power, 2.5, 0.0);
    CHECK_NEAR(d.zeta, 1e-4, 0.0);
    CHECK_NEAR(d.friction, 0.7, 0.0);
    CHECK_INT(d.directions, 9);
    d = pawl_model_wrench_model(m, 1);
    CHECK_INT(d.kind, PAWL_WRENCH_ANISOTROPIC);
    CHECK_NEAR(d.friction2, 0.9, 0.0);
    CHECK_NEAR(d.angle, 0.3, 0.0);
    CHECK(d.body_axes);
    d = pawl_model_wrench_model(m, 2);
    CHECK_INT(d.kind, PAWL_WRENCH_PATCH);
    CHECK_NEAR(d.torsion, 0.07, 0.0);
    CHECK_INT(d.rings, 3);
    CHECK_INT(pawl_model_contact_point_count(m), 9);
    pawl_contact_point_def p = pawl_model_contact_point(m, 0);
    CHECK_TEXT(p.name, "p");
    CHECK_INT(p.wrench_model, 1);
    CHECK_NEAR(p.radius, 0.25, 0.0);
    CHECK_NEAR3(p.frame.position, ((pawl_vec3){1, 2, 3}), 1e-15);
    CHECK_NEAR(p.frame.orientation.z, sin(0.75), 1e-15);
    CHECK_INT(pawl_model_contact_point(m, 8).wrench_model, 0);
    CHECK_INT(pawl_model_heightfield_count(m), 1);
    pawl_heightfield_def h = pawl_model_heightfield(m, 0);
    CHECK_INT(h.x_count, 3);
    CHECK_INT(h.y_count, 2);
    CHECK_NEAR(h.dy, 0.25, 0.0);
    CHECK_NEAR(h.heights[5], 6.0, 0.0);
    CHECK_NEAR(h.frame.position.z, -1.0, 0.0);
    pawl_model_destroy(m);
}

TEST(bad_elements_are_refused_with_their_line)
{
    refused(SDF("<pawl:wrench_model kind='glue'/>"), "m.sdf:3: got kind 'glue'");
    refused(SDF("<pawl:wrench_model stiffness='-1'/>"), "expected a finite number > 0");
    refused(SDF("<pawl:wrench_model power='2.3'/>"), "multiple of 0.5");
    refused(SDF("<pawl:wrench_model directions='2.5'/>"),
            "got directions 2.5, expected a whole number");
    refused(SDF("<pawl:wrench_model kind='anisotropic' axes='sky'/>"), "got axes 'sky'");
    refused(SDF("<pawl:wrench_model kind='patch' rings='2'/>"), "rings odd");
    refused(SDF("<pawl:wrench_model kind='table'/>"), "got a table model without a file");
    refused(SDF("<pawl:wrench_model file='x.txt'/>"), "got a coulomb model with a file");
    refused(SDF("<pawl:wrench_model kind='table' file='no-such-file.txt'/>"), "no-such-file.txt");
    refused(SDF("<pawl:wrench_model kind='table' file=''/>"), "empty file name");
    refused(SDF(SOLE SOLE), "exists already");
    refused(SDF(SOLE "<pawl:contact_point body='a'/>"), "m.sdf:4: <pawl:contact_point> does not");
    refused(SDF(SOLE "<pawl:contact_point body='b' model='sole'/>"), "m.sdf:4");
    refused(SDF(SOLE "<pawl:contact_point model='sole'/>"), "does not name its body");
    refused(SDF("<pawl:contact_point body='a' model='sole'/>" SOLE),
            "got model 'sole', expected a <pawl:wrench_model> of that name before it");
    refused(SDF(SOLE "<pawl:contact_point body='a' model='sole' radius='-1'/>"), "radius");
    refused(SDF(SOLE "<pawl:contact_point body='a' model='sole' position='1 2'/>"), "position");
    refused(SDF(SOLE "<pawl:contact_points model='sole'/>"), "does not name its body");
    refused(SDF("<pawl:heightfield x_count='2' y_count='2'/>"), "has no <pawl:heights>");
    refused(SDF("<pawl:heightfield x_count='2' y_count='2'><pawl:heights>1 2 3</pawl:heights>"
                "</pawl:heightfield>"),
            "got 3 heights, expected 2 x 2");
    refused(SDF("<pawl:heightfield x_count='1' y_count='2'><pawl:heights>1 2</pawl:heights>"
                "</pawl:heightfield>"),
            "got x_count 1");
    refused(SDF("<pawl:heightfield dx='0' x_count='2' y_count='2'><pawl:heights>1 2 3 4"
                "</pawl:heights></pawl:heightfield>"),
            "dx");
    refused(SDF("<pawl:heightfield file='no-such-file.txt'/>"), "no-such-file.txt");
}

#define TABLE_HEAD "pawl-wrench-table 1\npower 2\nscale 0.1 0.5\nvertices 2\n"
#define TABLE_CENTRE "centre 0.01 0 0 1\n1 2 3 4 5 6\n7 8 9 10 11 12\n"

// Loads a table through the public function; the file's text may hold any bytes.
static pawl_status load_table(const char *text, size_t size, test_env *t)
{
    char path[PATH_SIZE];
    pawl_builder *b;
    test_env_init(t);
    write_text("table.txt", text, size, path);
    CHECK_OK(pawl_builder_create(&t->env, "m", &b));
    pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_TABLE);
    pawl_status status = pawl_wrench_table_load(&t->env, path, b, &def, NULL);
    pawl_builder_destroy(b);
    CHECK_NO_LEAK(t);
    return status;
}

static void table_refused(const char *text, const char *message)
{
    test_env t;
    pawl_status status = load_table(text, strlen(text), &t);
    CHECK(status == PAWL_BAD_FILE || status == PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&t, message);
}

TEST(malformed_tables_are_refused_with_their_line)
{
    test_env t;
    CHECK_OK(load_table(TABLE_HEAD TABLE_CENTRE, strlen(TABLE_HEAD TABLE_CENTRE), &t));
    const char commented[] = "# c\n\n" TABLE_HEAD " # c\r\n" TABLE_CENTRE;
    CHECK_OK(load_table(commented, sizeof commented - 1, &t));
    table_refused("", "got the end of the file, expected 'pawl-wrench-table' with 1 numbers");
    table_refused("pawl-wrench-table 2\n", "table.txt:1: got pawl-wrench-table of version 2");
    table_refused("<sdf/>", "table.txt:1: got '<sdf/>' with 0 words after it");
    table_refused("pawl-wrench-table 1\npower\n", "table.txt:2: got 'power' with 0 words");
    table_refused("pawl-wrench-table 1\npower x\n", "got power 'x', expected a finite number");
    table_refused("pawl-wrench-table 1\npower 1e999\n", "got power '1e999'");
    table_refused("pawl-wrench-table 1\npower 2\nscale 0 1\n", "table.txt:3: got scales 0 and 1");
    table_refused("pawl-wrench-table 1\npower 2\nscale 1 1\nvertices 0\n", "got vertices 0");
    table_refused("pawl-wrench-table 1\npower 2\nscale 1 1\nvertices 1e9\n", "got vertices 1e+09");
    table_refused(TABLE_HEAD, "expected at least one 'centre'");
    table_refused(TABLE_HEAD "1 2 3 4 5 6\n", "table.txt:5: got '1' with 5 words after it");
    table_refused(TABLE_HEAD "centre 0 0 0 1\n", "a centre with depth 0");
    table_refused(TABLE_HEAD "centre 1 0 0 2\n", "a normal of length 2, expected");
    table_refused(TABLE_HEAD "centre 1 0 0 1\n1 2 3 4 5\n", "got 5 words as vertex 0 of a centre");
    table_refused(TABLE_HEAD "centre 1 0 0 1\n1 2 3 4 5 6\n", "got 0 words as vertex 1");
    table_refused(TABLE_HEAD "centre 1 0 0 1\n1 2 3 4 5 nan\n", "'nan', expected");
    table_refused(TABLE_HEAD TABLE_CENTRE TABLE_CENTRE, "centres 0 and 1 are the same");
    table_refused("pawl-wrench-table 1\npower 2.2\nscale 1 1\nvertices 2\n" TABLE_CENTRE,
                  "multiple of 0.5");
    CHECK_STATUS(load_table("pawl-wrench-table 1\npower\0 2", 27, &t), PAWL_BAD_FILE);
    CHECK_MESSAGE(&t, "got a control character (0x00)");
}

// Any byte of a good file changed to any of some others: read or refused, never a crash or a leak.
TEST(every_byte_of_a_table_may_be_wrong)
{
    const char good[] = TABLE_HEAD TABLE_CENTRE;
    static const char bad[] = {'\0', '\n', '-', 'e', '9', ' ', '#', (char)0xff};
    for (size_t i = 0; i < sizeof good - 1; ++i) {
        for (size_t k = 0; k < sizeof bad; ++k) {
            char text[sizeof good];
            test_env t;
            memcpy(text, good, sizeof good);
            text[i] = bad[k];
            pawl_status status = load_table(text, sizeof good - 1, &t);
            CHECK(status == PAWL_OK || status == PAWL_BAD_FILE || status == PAWL_BAD_ARGUMENT);
        }
    }
}

static void heights_refused(const char *text, const char *message)
{
    char path[PATH_SIZE], sdf[2000];
    write_text("heights.txt", text, strlen(text), path);
    snprintf(sdf, sizeof sdf, SDF("<pawl:heightfield file='%s'/>"), path);
    refused(sdf, message);
}

TEST(heightfields_come_from_files)
{
    static const char good[] = "pawl-heightfield 1\nsize 3 2\nspacing 0.5 0.25\n1 2 3 4\n5 6 # c\n";
    char path[PATH_SIZE], sdf[2000];
    write_text("heights.txt", good, strlen(good), path);
    snprintf(sdf, sizeof sdf, SDF("<pawl:heightfield file='%s' position='0 0 7'/>"), path);
    pawl_model *m;
    CHECK_OK(parse(sdf, &m));
    pawl_heightfield_def h = pawl_model_heightfield(m, 0);
    CHECK_INT(h.x_count, 3);
    CHECK_INT(h.y_count, 2);
    CHECK_NEAR(h.dx, 0.5, 0.0);
    CHECK_NEAR(h.heights[4], 5.0, 0.0);
    CHECK_NEAR(h.frame.position.z, 7.0, 0.0);
    pawl_model_destroy(m);
    heights_refused("", "expected 'pawl-heightfield' with 1 numbers");
    heights_refused("pawl-heightfield 1\nsize 1 2\n", "heights.txt:2: got size 1");
    heights_refused("pawl-heightfield 1\nsize 1048576 1048576\n", "got size 1.04858e+06");
    heights_refused("pawl-heightfield 1\nsize 2 2\nspacing 1 -1\n", "got spacing 1 and -1");
    heights_refused("pawl-heightfield 1\nsize 2 2\nspacing 1 1\n1 2 3\n", "after 3 heights");
    heights_refused("pawl-heightfield 1\nsize 2 2\nspacing 1 1\n1 2 3 4 5\n", "got 5 heights");
    heights_refused("pawl-heightfield 1\nsize 2 2\nspacing 1 1\n1 2 3 x\n", "got a height 'x'");
}

// Weight that a ball of radius 5 cm carries when it is pressed straight into the example's sand to the
// depth d: the integral over rings at the height y of
//   (d - y) (6e5 c^2 + 2e5 (1 + c/2) (1 - c^2)) 2 pi R dy,   c = 1 - y/R.
static double sand_carries(double d)
{
    const int n = 2000;
    double sum = 0.0, R = 0.05;
    for (int i = 0; i < n; ++i) {
        double y = d * (i + 0.5) / n, c = 1.0 - y / R;
        sum += (d - y) * (6e5 * c * c + 2e5 * (1.0 + 0.5 * c) * (1.0 - c * c)) * d / n;
    }
    return 2.0 * 3.14159265358979 * R * sum;
}

// At the table's depths to the width of its rings, between them to the table's own coarseness.
TEST(the_granular_example_carries_what_its_formula_says)
{
    test_env t;
    test_env_init(&t);
    pawl_model *m;
    pawl_wrench_set *set;
    pawl_wrench_set_def def = pawl_wrench_set_def_default();
    CHECK_OK(pawl_model_load(&t.env, "models/wrench/four-feet.sdf", NULL, &m));
    CHECK_OK(pawl_wrench_set_create(&t.env, m, &def, &set));
    CHECK_INT(pawl_wrench_set_point_count(set), 4);
    pawl_wrench_point p = pawl_wrench_set_point(set, 3);
    CHECK_INT(p.kind, PAWL_WRENCH_TABLE);
    CHECK_INT(p.vertex_count, 15);
    static const double depths[] = {0.005, 0.015, 0.03, 0.045, 0.01, 0.022, 0.037};
    for (int i = 0; i < 7; ++i) {
        double v[90], after_time = sand_carries(depths[i]);
        pawl_contact_frame frame = {{0.3, -0.2, p.radius - depths[i]},
                                    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        pawl_wrench_set_vertices(set, 3, &frame, v, NULL);
        CHECK_NEAR(v[2], after_time, (i < 4 ? 1e-3 : 1e-2) * after_time);
        for (int c = 0; c < 6; ++c) {
            CHECK(c == 2 || fabs(v[c]) < 1e-3 * after_time);
        }
    }
    pawl_wrench_set_destroy(set);
    pawl_model_destroy(m);
    CHECK_NO_LEAK(&t);
}
