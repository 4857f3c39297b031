// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Input that is broken, hostile or absent: each is refused with PAWL_BAD_FILE, a message that names
// file, line and expectation, no model, and no memory kept. Run under the address and undefined
// behaviour sanitizers this is also the proof that nothing is read or written out of bounds.
#include "pawl/io.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEAD "<sdf version='1.10' xmlns:pawl='urn:pawl:sdf'>"
#define INERTIAL                                                                                   \
    "<inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>2.5</izz></inertia></inertial>"
#define LINK(name) "<link name='" name "'>" INERTIAL "</link>"
#define MODEL(content) HEAD "\n<model name='m'>\n" content "</model></sdf>"
#define JOINT(content)                                                                             \
    MODEL(LINK("arm") LINK("hand") "\n<joint name='j' type='revolute'>" content "</joint>")
#define ENDS "<parent>arm</parent><child>hand</child>"
#define AXIS "<axis><xyz>0 0 1</xyz></axis>"

enum { PATH_SIZE = 600 };

static void malformed_text(const char *text, size_t size, const char *message)
{
    test_env t;
    pawl_model *model;
    test_env_init(&t);
    CHECK_STATUS(pawl_model_parse(&t.env, "m.sdf", text, size, NULL, &model), PAWL_BAD_FILE);
    CHECK(model == NULL);
    CHECK(t.messages[PAWL_LOG_ERROR] >= 1);
    CHECK_MESSAGE(&t, message);
    CHECK(strchr(t.last_message, '\n') == NULL); // the log's promise: one line
    CHECK_NO_LEAK(&t);
}

static void malformed(const char *text, const char *message)
{
    malformed_text(text, strlen(text), message);
}

static void malformed_file(const char *path, const char *message)
{
    test_env t;
    pawl_model *model;
    test_env_init(&t);
    CHECK_STATUS(pawl_model_load(&t.env, path, NULL, &model), PAWL_BAD_FILE);
    CHECK(model == NULL);
    CHECK_MESSAGE(&t, message);
    CHECK_NO_LEAK(&t);
}

static const char *malformed_write(const char *name, const char *text, char *path)
{
    test_path(name, path, PATH_SIZE);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK(fwrite(text, 1, strlen(text), file) == strlen(text));
    CHECK(fclose(file) == 0);
    return path;
}

// --- not a model -------------------------------------------------------------------------------

TEST(empty_and_foreign_texts_are_refused)
{
    malformed("", "m.sdf: the file is empty");
    malformed(" \n\t ", "the file is empty");
    malformed("This is a letter.\n", "m.sdf:1: not well-formed XML");
    malformed("\x89PNG\r\n\x1a\n", "not well-formed XML");
    malformed("{\"sdf\": 1}", "not well-formed XML");
    malformed("<html><body/></html>",
              "m.sdf:1: got root element <html>, expected <sdf>, <robot> or <mujoco>");
    malformed("<!-- nothing -->", "not well-formed XML");
    malformed_text("<sdf version='1.10'>\n\0</sdf>", 28, "m.sdf:2: got a zero byte");
    malformed(HEAD "\xff\xfe</sdf>", "not well-formed XML");
    malformed("<sdf/>", "no attribute 'version'");
    malformed("<sdf version='new'/>", "version: got 'new'");
    malformed(HEAD "</sdf>", "neither a <world> nor a <model>");
    malformed(HEAD "<model name='a'/><world name='b'/></sdf>", "got a <world> beside a <model>");
}

TEST(truncated_text_is_refused_wherever_it_ends)
{
    static const char text[] = "<?xml version='1.0'?>\n" HEAD
                               "<!-- c --><world name='w'><gravity>0 0 -1</gravity><model name='m'>"
                               "<link name='a'>" INERTIAL "<pose>1 2 3 0 0 0</pose>"
                               "<pawl:twist>1 2 3 4 5 6</pawl:twist></link>"
                               "<joint name='j' type='revolute'><parent>world</parent>"
                               "<child>a</child><axis><xyz><![CDATA[0 0 1]]></xyz></axis></joint>"
                               "<pawl:actuator joint='j' type='force'><pawl:table>0 1 2 3"
                               "</pawl:table></pawl:actuator></model></world></sdf>";
    test_env t;
    pawl_model *model;
    test_env_init(&t);
    size_t whole = strlen(text);
    CHECK_OK(pawl_model_parse(&t.env, "m.sdf", text, whole, NULL, &model));
    pawl_model_destroy(model);
    for (size_t size = 0; size < whole; ++size) {
        // In memory of exactly that size, so that a sanitizer sees a read beyond it.
        char *copy = malloc(size > 0 ? size : 1);
        CHECK(copy != NULL);
        memcpy(copy, text, size);
        malformed_text(copy, size, "m.sdf");
        free(copy);
    }
    CHECK_NO_LEAK(&t);
}

TEST(broken_markup_names_its_line)
{
    malformed(HEAD "\n<model name='m'>\n</modell></sdf>", "m.sdf:3: not well-formed XML");
    malformed(HEAD "\n<model name='m'\n<link/></model></sdf>", "m.sdf:3: a tag is not closed");
    malformed(HEAD "\n< model/></sdf>", "m.sdf:2: '<' is not followed by the name of an element");
    malformed(HEAD "\n<model name=m/></sdf>", "m.sdf:2: not well-formed XML");
    malformed(HEAD "\n<model name='a' name='b'/></sdf>", "m.sdf:2: not well-formed XML");
    malformed(HEAD "&nbsp;</sdf>", "m.sdf:1: not well-formed XML");
}

// --- hostile XML -------------------------------------------------------------------------------

TEST(entities_are_never_declared_hence_never_expanded)
{
    malformed("<?xml version='1.0'?>\n<!DOCTYPE lolz [<!ENTITY a 'lol'><!ENTITY b '&a;&a;&a;&a;'>"
              "<!ENTITY c '&b;&b;&b;&b;'>]>\n<sdf version='1.10'>&c;</sdf>",
              "m.sdf:2: got a DOCTYPE");
    malformed("<!DOCTYPE sdf SYSTEM 'file:///etc/passwd'>" HEAD "</sdf>", "got a DOCTYPE");
    malformed("<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><sdf version='1'>&x;</sdf>",
              "got a DOCTYPE");
    malformed(HEAD "<!DOCTYPE late></sdf>", "got a DOCTYPE");
}

// `count` copies of `piece` between `before` and `after`.
static char *malformed_repeat(const char *before, const char *piece, int count, const char *after)
{
    size_t a = strlen(before), p = strlen(piece), z = strlen(after);
    char *text = malloc(a + p * (size_t)count + z + 1);
    CHECK(text != NULL);
    memcpy(text, before, a);
    for (int i = 0; i < count; ++i) {
        memcpy(text + a + p * (size_t)i, piece, p);
    }
    memcpy(text + a + p * (size_t)count, after, z + 1);
    return text;
}

TEST(floods_are_refused_before_they_are_parsed)
{
    char *deep = malformed_repeat("<sdf version='1.10'>", "<a>", 1000000, "");
    malformed(deep, "nested more than 1000 deep");
    free(deep);
    char *wide = malformed_repeat("<sdf version='1.10'>", "<a/>", 1000001, "</sdf>");
    malformed(wide, "more than a million elements");
    free(wide);
    // libxml2 compares the attributes of an element pairwise: this would take it minutes.
    char *attributes = malformed_repeat("<sdf ", "a='>' ", 500000, "/>");
    malformed(attributes, "more than 64 attributes");
    free(attributes);
    char *models = malformed_repeat(HEAD, "<model name='m'>", 1100, "");
    malformed(models, "nested more than 1000 deep");
    free(models);
}

TEST(a_name_with_control_characters_stays_out_of_the_log)
{
    malformed(MODEL("<link name='a&#10;b'/>"), "control character");
    malformed(MODEL("<link name='a'>\n<pose>x&#13;&#10;y</pose></link>"), "got 'x'");
}

// --- numbers and names -------------------------------------------------------------------------

TEST(numbers_are_complete_and_finite)
{
    static const char *const bad[] = {
        "nan",  "NaN",      "inf",
        "-inf", "1e999",    "0x10",
        "1,5",  "1.2.3",    "1e",
        "e5",   ".",        "-",
        "+-1",  "1 2",      "1kg",
        "",     "--1",      "1_000",
        "1e+",  "nan(7)",   "\xc2\xb2",
        "1;",   "infinity", "1111111111111111111111111111111111111111111111111111111111111111111x"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        char text[600];
        snprintf(text, sizeof text,
                 MODEL("<link name='a'><inertial><mass>\n%s</mass></inertial></link>"), bad[i]);
        malformed(text, "m.sdf:3: mass: ");
        snprintf(text, sizeof text, MODEL("<link name='a'><pose>0 0 %s 0 0 0</pose></link>"),
                 bad[i]);
        if (strcmp(bad[i], "1 2") != 0 && bad[i][0] != '\0') {
            malformed(text, "pose: ");
        }
    }
    malformed(MODEL("<link name='a'><pose>1 2 3</pose></link>"),
              "m.sdf:3: pose: got 3 numbers, expected 6");
    malformed(MODEL("<link name='a'><pose>1 2 3 4 5 6 seven</pose></link>"),
              "pose: got 'seven', expected");
    malformed(MODEL("<link name='a'><pose>one two</pose></link>"),
              "pose: got 'one', expected a finite number");
    malformed(MODEL("<link name='a'><pose><x>1</x></pose></link>"),
              "got <x> inside <pose>, where text was expected");
    malformed(MODEL("<link name='a'><pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose></link>"),
              "has no direction");
    malformed(MODEL("<link name='a'><pose>1e300 1e308 0 1e300 0 0</pose></link>"), "m.sdf:");
    malformed(MODEL("<link name='a'><gravity>maybe</gravity></link>"),
              "gravity: got 'maybe', expected true or false");
}

TEST(masses_and_inertias_are_physical)
{
    malformed(MODEL("<link name='a'>\n<inertial><mass>-1</mass></inertial></link>"),
              "m.sdf:4: mass: got '-1', expected a finite number > 0");
    malformed(MODEL("<link name='a'><inertial><mass>1</mass><inertia><ixx>-1</ixx></inertia>"
                    "</inertial></link>"),
              "ixx: got '-1'");
    malformed(MODEL("<link name='a'><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy>"
                    "<izz>1</izz><ixy>5</ixy></inertia></inertial></link>"),
              "principal moments of inertia -4, 6, 1 kg m^2");
    malformed(MODEL("<link name='a'><inertial><mass>1</mass><mass>2</mass></inertial></link>"),
              "a second <mass>");
    malformed(MODEL("<link name='a'><pawl:density>5</pawl:density></link>"),
              "refused for the reason above");
    malformed(MODEL("<link name='a'><pawl:kind>soft</pawl:kind></link>"),
              "got kind 'soft', expected rigid, point or kinematic");
}

TEST(names_are_unique_and_not_reserved)
{
    malformed(MODEL(LINK("a") "\n" LINK("a")),
              "m.sdf:4: link 'a' has the name of a link at line 3");
    malformed(MODEL(LINK("a") "<frame name='a'/>"), "frame 'a' has the name of a link");
    malformed(MODEL(LINK("__model__")), "the name '__model__' is reserved");
    malformed(MODEL(LINK("")), "an empty name");
    malformed(MODEL("<link/>"), "<link> has no attribute 'name'");
    malformed(HEAD "<model/></sdf>", "<model> has no attribute 'name'");
}

// --- joints ------------------------------------------------------------------------------------

TEST(joints_say_what_is_wrong_with_them)
{
    malformed(JOINT("<parent>arn</parent><child>hand</child>" AXIS),
              "m.sdf:4: <parent>: nothing is called 'arn' in model 'm'; did you mean 'arm'?");
    malformed(JOINT("<parent>arm</parent><child>h</child>" AXIS), "nothing is called 'h'");
    malformed(JOINT("<parent>arm</parent>" AXIS), "<joint> 'j' has no <child>, which is required");
    malformed(JOINT("<child>hand</child>" AXIS), "<joint> 'j' has no <parent>");
    malformed(JOINT("<parent>arm</parent><child>world</child>" AXIS), "the child is the world");
    malformed(JOINT("<parent>arm</parent><child>arm</child>" AXIS),
              "connects link 'arm' with itself");
    malformed(JOINT(ENDS "<axis><xyz>0 0 0</xyz></axis>"),
              "j: got '0 0 0', expected an axis of non-zero length");
    malformed(JOINT(ENDS "<axis><xyz>0 0</xyz></axis>"), "xyz: got 2 numbers, expected 3");
    malformed(JOINT(ENDS "<axis><xyz expressed_in='arms'>0 0 1</xyz></axis>"),
              "did you mean 'arm'?");
    malformed(JOINT(ENDS "<axis><xyz>0 0 1</xyz><limit><lower>1</lower><upper>0</upper></limit>"
                         "</axis>"),
              "the lower limit 1 is above the upper one 0");
    malformed(JOINT(ENDS AXIS "<pawl:coordinate index='1' lower='0'/>"), "from 0 to 0");
    malformed(MODEL(LINK("a") LINK("b") "<joint name='j' type='revolut'><parent>a</parent>"
                                        "<child>b</child>" AXIS "</joint>"),
              "did you mean 'revolute'?");
    malformed(MODEL(LINK("a") LINK("b") "<joint name='j' type='pawl:sliding'><parent>a</parent>"
                                        "<child>b</child>" AXIS "</joint>"),
              "got type 'pawl:sliding'");
    malformed(MODEL(LINK("a") LINK("b") "<joint name='j'><parent>a</parent><child>b</child>" AXIS
                                        "</joint>"),
              "no attribute 'type'");
    malformed(MODEL(LINK("a") LINK("b") "<joint name='j' type='screw'><parent>a</parent>"
                                        "<child>b</child>" AXIS
                                        "<thread_pitch>0</thread_pitch></joint>"),
              "<thread_pitch> is 0");
}

TEST(extensions_say_what_is_wrong_with_them)
{
#define WITH(content) JOINT(ENDS AXIS "</joint>" content "<joint name='k' type='ball'>" ENDS)
    malformed(WITH("<pawl:gear joint='j'/>"), "source_joint");
    malformed(WITH("<pawl:gear joint='j' source_joint='q'/>"), "nothing is called 'q'");
    malformed(WITH("<pawl:gear joint='j' source_joint='arm'/>"), "is not a joint");
    malformed(WITH("<pawl:gear joint='j' source_joint='j'/>"), "refused for the reason above");
    malformed(WITH("<pawl:motion joint='j'/>"), "<pawl:motion> has no <pawl:constant>");
    malformed(WITH("<pawl:motion joint='j'><pawl:table>0 1 2</pawl:table></pawl:motion>"),
              "got a table with 3 numbers");
    malformed(WITH("<pawl:motion joint='j'><pawl:table>0 1 0 2</pawl:table></pawl:motion>"),
              "expected increasing times");
    malformed(WITH("<pawl:motion joint='j'><pawl:constant>1</pawl:constant><pawl:constant>1"
                   "</pawl:constant></pawl:motion>"),
              "a second function of time");
    malformed(WITH("<pawl:actuator joint='j' type='magic'/>"), "type 'magic', expected");
    malformed(WITH("<pawl:actuator joint='j' type='force' coordinate='3'/>"),
              "refused for the reason above");
    malformed(WITH("<pawl:actuator joint='j' type='force' coordinate='0.5'/>"), "a whole number");
    malformed(WITH("<pawl:force body='arm'/>"), "has no component");
    malformed(WITH("<pawl:force body='arm' axes='x'/>"), "got axes 'x', expected world or body");
    malformed(WITH("<pawl:spring body_a='arm'/>"), "does not name its body_b");
    malformed(WITH("<pawl:spring body_a='arm' body_b='arm'/>"), "refused for the reason above");
    malformed(WITH("<pawl:spring body_a='arm' body_b='hand' stiffness='-1'/>"),
              "stiffness: got '-1', expected a finite number >= 0");
    malformed(WITH("<pawl:spring body_a='arm' body_b='hand' damping='1'>"
                   "<pawl:damping>1</pawl:damping></pawl:spring>"),
              "already given as an attribute");
}

TEST(shapes_say_what_is_wrong_with_them)
{
#define SHAPE(content)                                                                             \
    MODEL("<link name='a'>" INERTIAL "<visual name='v'>" content "</visual></link>")
    malformed(MODEL("<link name='a'>" INERTIAL "<collision name='c'/></link>"),
              "<collision> 'c' has no <geometry>");
    malformed(SHAPE("<geometry/>"), "<geometry> is empty");
    malformed(SHAPE("<geometry><sphere><radius>0</radius></sphere></geometry>"), "radius: got '0'");
    malformed(SHAPE("<geometry><box><size>1 1</size></box></geometry>"), "size: got 2 numbers");
    malformed(SHAPE("<geometry><plane><normal>0 0 0</normal></plane></geometry>"),
              "non-zero length");
    malformed(SHAPE("<geometry><sphere><radius>1</radius></sphere></geometry><material><diffuse>1"
                    "</diffuse></material>"),
              "got a colour of 1 numbers");
}

TEST(hulls_say_what_is_wrong_with_them)
{
#define HULL(points) SHAPE("<geometry>\n<pawl:hull>" points "</pawl:hull></geometry>")
    malformed(HULL(""), "m.sdf:4: got a hull of 0 numbers, expected x y z of at least four points");
    malformed(HULL("0 0 0  1 0 0  0 1 0"), "got a hull of 9 numbers");
    malformed(HULL("0 0 0  1 0 0  0 1 0  0 0"), "got a hull of 11 numbers");
    malformed(HULL("0 0 0  1 0 0  0 1 0  0 0 nan"),
              "pawl:hull: got 'nan', expected a finite number");
    malformed(HULL("0 0 0  1 0 0  0 1 0  0 0 1e999"),
              "pawl:hull: got '1e999', expected a finite number");
    malformed(HULL("0 0 0  1 0 0  0 1 0  0 0 1,5"), "pawl:hull: got '1,5'");
    malformed(HULL("0 0 0  1 0 0  0 1 0  1 1 0  3 4 0"), "shape 'v' was refused");
    malformed(HULL("1 2 3  1 2 3  1 2 3  1 2 3"), "shape 'v' was refused");
    malformed(HULL("0 0 0  1 1 1  2 2 2  3 3 3"), "shape 'v' was refused");
    char *many = malloc(1000 + 4097 * 6);
    int at = sprintf(many, MODEL("<link name='a'>" INERTIAL "<visual name='v'><geometry>"
                                 "<pawl:hull>"));
    at -= (int)strlen("</model></sdf>");
    for (int i = 0; i < 4097; ++i) {
        at += sprintf(many + at, "%d %d %d ", i % 7, i % 5, i % 3);
    }
    (void)sprintf(many + at, "</pawl:hull></geometry></visual></link></model></sdf>");
    malformed(many, "shape 'v' was refused");
    free(many);
}

TEST(filters_say_what_is_wrong_with_them)
{
#define FILTER(content)                                                                            \
    MODEL("<link name='a'>" INERTIAL "<collision name='c'><geometry><sphere><radius>1</radius>"    \
          "</sphere></geometry>" content "</collision></link>" LINK("b"))
#define BITMASK(text)                                                                              \
    FILTER("<surface><contact><collide_bitmask>" text "</collide_bitmask></contact></surface>")
    malformed(FILTER("<pawl:group>-1</pawl:group>"),
              "pawl:group: got '-1', expected bits as a whole number from 0 to 4294967295");
    malformed(FILTER("<pawl:group>4294967296</pawl:group>"), "pawl:group: got '4294967296'");
    malformed(FILTER("<pawl:mask>0x</pawl:mask>"), "pawl:mask: got '0x'");
    malformed(FILTER("<pawl:mask>0x1g</pawl:mask>"), "pawl:mask: got '0x1g'");
    malformed(FILTER("<pawl:mask>1 2</pawl:mask>"), "pawl:mask: got '1 2'");
    malformed(FILTER("<pawl:mask>1.5</pawl:mask>"), "pawl:mask: got '1.5'");
    malformed(FILTER("<pawl:mask></pawl:mask>"), "pawl:mask: got ''");
    malformed(FILTER("<pawl:mask>1</pawl:mask><pawl:mask>2</pawl:mask>"), "pawl:mask");
    malformed(BITMASK("65536"),
              "collide_bitmask: got '65536', expected bits as a whole number from 0 to 65");
    malformed(BITMASK("all"), "collide_bitmask: got 'all'");
    malformed(BITMASK("99999999999999999999999999"), "collide_bitmask: got '99999999999999999");
    malformed(MODEL(LINK("a") LINK("b") "<pawl:exclude body_a='a'/>"),
              "<pawl:exclude> does not name its body_b");
    malformed(MODEL(LINK("a") LINK("b") "\n<pawl:exclude body_a='a' body_b='bb'/>"),
              "m.sdf:4: <exclude>: nothing is called 'bb'");
    malformed(MODEL(LINK("a") LINK("b") "<pawl:exclude body_a='b' body_b='b'/>"),
              "<pawl:exclude> of 'b' and 'b': got one body, expected two different ones");
    malformed(MODEL(LINK("a") "<self_collide>maybe</self_collide>"), "self_collide: got 'maybe'");
}

// --- files -------------------------------------------------------------------------------------

TEST(missing_files_and_folders_are_refused)
{
    char path[PATH_SIZE];
    malformed_file(test_path("missing.sdf", path, sizeof path), "missing.sdf: No such file");
    malformed_file("", "no file name given");
    malformed_write("in_folder.sdf", "x", path);
    *strrchr(path, '/') = '\0';
    malformed_file(path, "this is a folder, expected a model file");
    malformed_write("empty.sdf", "", path);
    malformed_file(path, "empty.sdf: the file is empty");
}

// A sparse file: refused by its size, without a read and in no time.
TEST(a_file_of_100_MB_is_refused_at_once)
{
    char path[PATH_SIZE];
    malformed_write("large.sdf", HEAD, path);
    CHECK(truncate(path, 100 * 1000 * 1000) == 0);
    clock_t start = clock();
    malformed_file(path,
                   "large.sdf: 100000000 bytes is too large: a model file has at most 64 MiB");
    CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 0.1);
}

TEST(includes_that_fail_name_the_line_that_asked_for_them)
{
    char path[PATH_SIZE], other[PATH_SIZE];
    malformed_write("outer.sdf",
                    HEAD "<world name='w'>\n<include>\n<uri>model://missing</uri></include></world>"
                         "</sdf>",
                    path);
    malformed_file(path, "outer.sdf:3: cannot include '");
    malformed_write("outer.sdf", HEAD "<world name='w'><include/></world></sdf>", path);
    malformed_file(path, "<include> has no <uri>");
    malformed_write("outer.sdf",
                    HEAD
                    "<world name='w'><include><uri>https://example.org/x</uri></include></world>"
                    "</sdf>",
                    path);
    test_env t;
    pawl_model *model;
    test_env_init(&t);
    CHECK_STATUS(pawl_model_load(&t.env, path, NULL, &model), PAWL_UNSUPPORTED);
    CHECK_MESSAGE(&t, "never fetched from a network");
    malformed_write("inner.sdf", "<robot name='r'/>", other);
    malformed_write("outer.sdf",
                    HEAD "<world name='w'><include><uri>inner.sdf</uri></include></world></sdf>",
                    path);
    malformed_file(path, "inner.sdf:1: <robot> has no <link>");
    malformed_write("inner.sdf", HEAD "\n<model name='m'>" LINK("a") LINK("a") "</model></sdf>",
                    other);
    malformed_file(path, "inner.sdf:2: link 'a' has the name of a link at line 2");
}

TEST(files_that_include_each_other_are_refused_with_the_chain)
{
    char path[PATH_SIZE];
    malformed_write("one.sdf",
                    HEAD "<model name='one'><include><uri>two.sdf</uri></include></model></sdf>",
                    path);
    malformed_write(
        "two.sdf", HEAD "<model name='two'>\n<include><uri>three.sdf</uri></include></model></sdf>",
        path);
    malformed_write("three.sdf",
                    HEAD "<model name='three'>\n\n<include><uri>./one.sdf</uri></include></model>"
                         "</sdf>",
                    path);
    *strrchr(path, '/') = '\0';
    char first[PATH_SIZE + 10];
    snprintf(first, sizeof first, "%s/one.sdf", path);
    malformed_file(first, "three.sdf:3: files include each other in a cycle: ");
    malformed_file(first, "one.sdf -> ");
    malformed_file(first, "two.sdf -> ");
    malformed_write("self.sdf",
                    HEAD "<model name='s'><include><uri>self.sdf</uri></include></model></sdf>",
                    path);
    malformed_file(path, "in a cycle");
}

// Each file includes the next twice: 2^20 models from 20 small files, were it not for the limits.
TEST(includes_cannot_multiply_without_bound)
{
    char path[PATH_SIZE], name[32], text[400];
    for (int i = 20; i >= 0; --i) {
        snprintf(name, sizeof name, "twice%d.sdf", i);
        snprintf(text, sizeof text,
                 HEAD "<model name='m'>%s<include><name>a</name><uri>twice%d.sdf</uri></include>"
                      "<include><name>b</name><uri>twice%d.sdf</uri></include></model></sdf>",
                 LINK("l"), i + 1, i + 1);
        malformed_write(name, i == 20 ? HEAD "<model name='m'>" LINK("l") "</model></sdf>" : text,
                        path);
    }
    malformed_file(path, "includes are nested more than 16 deep");
    // Fewer levels, but still 2^12 files.
    malformed_write("twice12.sdf", HEAD "<model name='m'>" LINK("l") "</model></sdf>", path);
    malformed_file(test_path("twice0.sdf", path, sizeof path),
                   "a model includes at most 1000 files");
}

TEST(an_included_model_has_the_name_and_pose_of_its_include)
{
    char path[PATH_SIZE];
    test_env t;
    pawl_model *model;
    malformed_write("part.sdf",
                    HEAD "<model name='part'><pose>7 7 7 0 0 0</pose>" LINK("l") "</model></sdf>",
                    path);
    malformed_write("whole.sdf",
                    HEAD "<world name='w'><gravity>0 0 0</gravity><include><uri>part.sdf</uri>"
                         "<name>left</name><pose>1 2 3 0 0 0</pose></include>"
                         "<include><uri>part.sdf</uri></include>"
                         "<joint name='j' type='fixed'><parent>world</parent><child>left::l</child>"
                         "</joint></world></sdf>",
                    path);
    test_env_init(&t);
    CHECK_OK(pawl_model_load(&t.env, path, NULL, &model));
    CHECK(pawl_model_find_body(model, "left::l").index1 != 0);
    CHECK(pawl_model_find_body(model, "part::l").index1 != 0);
    pawl_vec3 at = pawl_model_joint(model, pawl_model_joint_at(model, 0)).base_frame.position;
    CHECK_NEAR3(at, ((pawl_vec3){1, 2, 3}), 0.0);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
}
