// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The same as test_public_abuse.c for the public functions of libpawl-io.
#include "pawl/columns.h"
#include "pawl/io.h"
#include "pawl/keyframes.h"
#include "pawl/study.h"
#include "pawl/write.h"
#include "support/abuse.h"
#include "support/mechanism.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Its status is that of the whole call.
static pawl_status abuse_take(void *user, const char *text, size_t size)
{
    *(size_t *)user = text != NULL ? size : 0;
    return PAWL_UNSUPPORTED;
}

TEST(models_written_to_nowhere)
{
    mechanism m;
    static pawl_write_report report;
    mechanism_throw(&m);
    mechanism_compile(&m);
    pawl_env *env = &m.t.env;
    CHECK_BAD(pawl_model_write(NULL, m.model, PAWL_FILE_SDF, "a.sdf", &report));
    CHECK_BAD(pawl_model_write(env, NULL, PAWL_FILE_SDF, "a.sdf", &report));
    CHECK_BAD(pawl_model_write(env, m.model, PAWL_FILE_SDF, NULL, &report));
    CHECK_BAD(pawl_model_write(env, m.model, PAWL_FILE_NONE, "a.sdf", &report));
    CHECK_BAD(pawl_model_write(env, m.model, (pawl_file_format)99, "a.sdf", NULL));
    CHECK(pawl_model_write(env, m.model, PAWL_FILE_URDF, "/no/such/folder/a.urdf", NULL) ==
          PAWL_BAD_FILE);
    CHECK_MESSAGE(&m.t, "cannot be written");
    size_t size = 0;
    CHECK_BAD(pawl_model_write_text(NULL, m.model, PAWL_FILE_SDF, abuse_take, &size, &report));
    CHECK_BAD(pawl_model_write_text(env, NULL, PAWL_FILE_SDF, abuse_take, &size, &report));
    CHECK_BAD(pawl_model_write_text(env, m.model, PAWL_FILE_NONE, abuse_take, &size, &report));
    CHECK_BAD(pawl_model_write_text(env, m.model, PAWL_FILE_SDF, NULL, &size, &report));
    CHECK(pawl_model_write_text(env, m.model, PAWL_FILE_SDF, abuse_take, &size, NULL) ==
          PAWL_UNSUPPORTED);
    CHECK(size > 100);
    CHECK(pawl_file_format_name(PAWL_FILE_NONE) == NULL);
    CHECK(pawl_file_format_name((pawl_file_format)-3) == NULL);
    CHECK_TEXT(pawl_file_format_name(PAWL_FILE_MJCF), "mjcf");
    CHECK_INT(pawl_file_format_of(NULL), PAWL_FILE_NONE);
    CHECK_INT(pawl_file_format_of(".sdf"), PAWL_FILE_NONE);
    CHECK_INT(pawl_file_format_of("a.world"), PAWL_FILE_SDF);
    mechanism_end(&m);
}

TEST(model_files_and_motions_that_are_null_or_not_there)
{
    mechanism m;
    mechanism_throw(&m);
    mechanism_compile(&m);
    pawl_env *env = &m.t.env;
    pawl_model *model = NULL;
    pawl_load_options options = pawl_load_options_default(), zeroed = {0};
    CHECK_BAD(pawl_model_load(NULL, "a.sdf", &options, &model));
    CHECK_BAD(pawl_model_load(env, NULL, &options, &model));
    CHECK_BAD(pawl_model_load(env, "a.sdf", &zeroed, &model));
    CHECK_MESSAGE(&m.t, "pawl_load_options_default");
    CHECK_BAD(pawl_model_load(env, "a.sdf", &options, NULL));
    CHECK(pawl_model_load(env, "", NULL, &model) != PAWL_OK);
    CHECK(pawl_model_load(env, "/", NULL, &model) != PAWL_OK);
    CHECK_BAD(pawl_model_parse(NULL, "a", "", 0, NULL, &model));
    CHECK_BAD(pawl_model_parse(env, "a", NULL, 10, NULL, &model));
    CHECK_BAD(pawl_model_parse(env, "a", "", 0, &zeroed, &model));
    CHECK_BAD(pawl_model_parse(env, "a", "", 0, NULL, NULL));
    CHECK(pawl_model_parse(env, NULL, NULL, 0, NULL, &model) == PAWL_BAD_FILE && model == NULL);
    pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_TABLE), none = {0};
    const char *table = "models/wrench/granular-foot.txt";
    CHECK_BAD(pawl_wrench_table_load(NULL, table, m.builder, &def, NULL));
    CHECK_BAD(pawl_wrench_table_load(env, NULL, m.builder, &def, NULL));
    CHECK_BAD(pawl_wrench_table_load(env, table, NULL, &def, NULL));
    CHECK_BAD(pawl_wrench_table_load(env, table, m.builder, NULL, NULL));
    CHECK_BAD(pawl_wrench_table_load(env, table, m.builder, &none, NULL));
    pawl_keyframes *k = NULL;
    CHECK_BAD(pawl_keyframes_read(NULL, "a", m.model, &k));
    CHECK_BAD(pawl_keyframes_read(env, NULL, m.model, &k));
    CHECK_BAD(pawl_keyframes_read(env, "a", NULL, &k));
    CHECK_BAD(pawl_keyframes_read(env, "a", m.model, NULL));
    CHECK_BAD(pawl_keyframes_parse(NULL, "a", "", 0, m.model, &k));
    CHECK_BAD(pawl_keyframes_parse(env, "a", NULL, 5, m.model, &k));
    CHECK_BAD(pawl_keyframes_parse(env, "a", "", 0, NULL, &k));
    CHECK_BAD(pawl_keyframes_parse(env, "a", "", 0, m.model, NULL));
    CHECK_INT(pawl_keyframes_count(NULL), 0);
    CHECK_NAN(pawl_keyframes_time(NULL, 0));
    pawl_signal target;
    CHECK(!pawl_keyframes_target(NULL, pawl_builder_actuator_at(m.builder, 0), &target));
    CHECK_BAD(pawl_keyframes_apply(NULL, m.builder));
    pawl_keyframes_destroy(NULL);
    CHECK_OK(pawl_model_load(env, "models/nmdp/spider-planar.sdf", NULL, &model));
    CHECK_OK(pawl_keyframes_read(env, "models/nmdp/motions/spider-jump.motion", model, &k));
    EACH_ID(id)
    {
        CHECK_NAN(pawl_keyframes_time(k, id));
        CHECK(!pawl_keyframes_target(k, pawl_builder_actuator_at(m.builder, id), &target));
    }
    CHECK(!pawl_keyframes_target(k, pawl_builder_actuator_at(m.builder, 0), NULL));
    CHECK_BAD(pawl_keyframes_apply(k, NULL));
    CHECK_BAD(pawl_keyframes_apply(k, m.builder)); // another model's, without these actuators
    pawl_keyframes_destroy(k);
    pawl_model_destroy(model);
    mechanism_end(&m);
}

TEST(recordings_that_are_null_or_not_there)
{
    mechanism m;
    mechanism_throw(&m);
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_EULER);
    mechanism_start(&m, &settings);
    pawl_env *env = &m.t.env;
    char path[256], none[256];
    test_path("abuse.h5", path, sizeof path);
    test_path("none.h5", none, sizeof none);
    pawl_recorder_options options = pawl_recorder_options_default(), zeroed = {0};
    pawl_recorder *r = NULL;
    CHECK_BAD(pawl_recorder_create(NULL, path, m.sim, &options, &r));
    CHECK_BAD(pawl_recorder_create(env, NULL, m.sim, &options, &r));
    CHECK_BAD(pawl_recorder_create(env, path, NULL, &options, &r));
    CHECK_BAD(pawl_recorder_create(env, path, m.sim, NULL, &r));
    CHECK_BAD(pawl_recorder_create(env, path, m.sim, &zeroed, &r));
    CHECK_MESSAGE(&m.t, "pawl_recorder_options_default");
    CHECK_BAD(pawl_recorder_create(env, path, m.sim, &options, NULL));
    options.interval = NAN;
    CHECK_BAD(pawl_recorder_create(env, path, m.sim, &options, &r));
    options = pawl_recorder_options_default();
    options.flush_frames = -3;
    CHECK_BAD(pawl_recorder_create(env, path, m.sim, &options, &r));
    CHECK_BAD(pawl_recorder_append(NULL, path, m.sim, &r));
    CHECK_BAD(pawl_recorder_append(env, NULL, m.sim, &r));
    CHECK_BAD(pawl_recorder_append(env, path, NULL, &r));
    CHECK_BAD(pawl_recorder_append(env, path, m.sim, NULL));
    CHECK(pawl_recorder_append(env, none, m.sim, &r) != PAWL_OK && r == NULL);
    CHECK_BAD(pawl_recorder_add(NULL, NULL, &m.verdict));
    pawl_recorder_end(NULL, &m.verdict);
    CHECK_OK(pawl_recorder_close(NULL));
    options = pawl_recorder_options_default();
    CHECK_OK(pawl_recorder_create(env, path, m.sim, &options, &r));
    CHECK_BAD(pawl_recorder_add(r, NULL, NULL));
    pawl_recorder_end(r, NULL);
    CHECK_OK(pawl_recorder_add(r, NULL, &m.verdict));
    CHECK_OK(pawl_recorder_close(r));
    pawl_record *record = NULL;
    CHECK_BAD(pawl_record_open(NULL, path, &record));
    CHECK_BAD(pawl_record_open(env, NULL, &record));
    CHECK_BAD(pawl_record_open(env, path, NULL));
    CHECK(pawl_record_open(env, none, &record) != PAWL_OK && record == NULL);
    CHECK_OK(pawl_record_open(env, path, &record));
    CHECK_BAD(pawl_record_last_state(NULL, NULL, NULL));
    CHECK_BAD(pawl_record_last_state(record, NULL, NULL));
    CHECK_INT(pawl_record_frame_count(NULL), 0);
    CHECK_TEXT(pawl_record_model_path(NULL), "");
    CHECK_TEXT(pawl_record_motion_path(NULL), "");
    CHECK(pawl_record_model_hash(NULL) == 0);
    CHECK_INT(pawl_record_judge(NULL).judgement, PAWL_NOT_JUDGED);
    CHECK_INT(pawl_record_series_count(NULL), 0);
    CHECK_INT(pawl_record_series(NULL, 0).rank, 0);
    double number = 0.0;
    CHECK_BAD(pawl_record_read(NULL, 0, &number));
    pawl_env memory = pawl_env_default();
    const char *column = "a";
    pawl_columns table = {"t", 1, 1, &column, &number};
    CHECK_BAD(pawl_columns_write(NULL, "t.h5", &table, 1, ""));
    CHECK_BAD(pawl_columns_write(&memory, NULL, &table, 1, ""));
    CHECK_BAD(pawl_columns_write(&memory, "t.h5", NULL, 1, ""));
    CHECK_BAD(pawl_columns_write(&memory, "t.h5", &table, -1, ""));
    CHECK_BAD(pawl_columns_write(&memory, "t.h5", &table, 1, NULL));
    table.values = NULL;
    CHECK_BAD(pawl_columns_write(&memory, "t.h5", &table, 1, ""));
    table.values = &number;
    CHECK_STATUS(pawl_columns_write(&memory, "no/such/folder/t.h5", &table, 1, ""), PAWL_IO_ERROR);
    CHECK_INT(pawl_record_body_count(NULL) + pawl_record_joint_count(NULL), 0);
    CHECK_TEXT(pawl_record_body_name(NULL, 0), "");
    CHECK_TEXT(pawl_record_joint_name(NULL, -1), "");
    CHECK_INT(pawl_record_joint_coordinates(NULL, 0), 0);
    pawl_settings empty = pawl_record_settings(NULL);
    CHECK_BAD(pawl_settings_check(env, &empty));
    pawl_record_close(record);
    pawl_record_close(NULL);
    CHECK_BAD(pawl_report_write(NULL, path, "a.html"));
    CHECK_BAD(pawl_report_write(env, NULL, "a.html"));
    CHECK_BAD(pawl_report_write(env, path, NULL));
    CHECK_BAD(pawl_report_picture(NULL, path, "a.svg"));
    CHECK_BAD(pawl_report_picture(env, NULL, "a.svg"));
    CHECK_BAD(pawl_report_picture(env, path, NULL));
    mechanism_end(&m);
}

TEST(contact_problem_files_that_are_null_or_not_there)
{
    test_env t;
    test_env_init(&t);
    pawl_contact_problem *p = NULL;
    double r[3] = {0};
    bool found;
    CHECK_BAD(pawl_fclib_read(NULL, "a", &p));
    CHECK_BAD(pawl_fclib_read(&t.env, NULL, &p));
    CHECK_BAD(pawl_fclib_read(&t.env, "a", NULL));
    CHECK(pawl_fclib_read(&t.env, "not there", &p) != PAWL_OK && p == NULL);
    CHECK_BAD(pawl_fclib_read_answer(NULL, "a", 0, 1, r, &found));
    CHECK_BAD(pawl_fclib_read_answer(&t.env, NULL, 0, 1, r, &found));
    CHECK_BAD(pawl_fclib_read_answer(&t.env, "a", 0, 1, NULL, &found));
    CHECK_BAD(pawl_fclib_read_answer(&t.env, "a", 0, 1, r, NULL));
    CHECK_BAD(pawl_fclib_read_answer(&t.env, "a", -1, 1, r, &found));
    CHECK_BAD(pawl_fclib_read_answer(&t.env, "a", 0, INT_MAX, r, &found));
    CHECK_BAD(pawl_fclib_read_answer(&t.env, "a", 0, -1, r, &found));
    CHECK_BAD(pawl_fclib_write(NULL, "a", NULL, NULL, NULL));
    CHECK_BAD(pawl_fclib_write(&t.env, NULL, NULL, NULL, NULL));
    CHECK_BAD(pawl_fclib_write(&t.env, "a", NULL, NULL, NULL));
    CHECK_NO_LEAK(&t);
}

static pawl_study *study_new(test_env *t)
{
    pawl_study *study;
    CHECK_OK(pawl_study_create(&t->env, "n", "t", "s", &study));
    return study;
}

// Every addition that makes no sense leaves the study as it is, with a status that stays.
TEST(studies_that_are_filled_without_sense)
{
    test_env t;
    test_env_init(&t);
    pawl_study *study = NULL;
    CHECK_BAD(pawl_study_create(NULL, "n", "t", "s", &study));
    CHECK_BAD(pawl_study_create(&t.env, NULL, "t", "s", &study));
    CHECK_BAD(pawl_study_create(&t.env, "n", NULL, "s", &study));
    CHECK_BAD(pawl_study_create(&t.env, "n", "t", NULL, &study));
    CHECK_BAD(pawl_study_create(&t.env, "n", "t", "s", NULL));
    const pawl_study_column column = {.name = "c", .digits = 3};
    const pawl_study_column wild[] = {{.name = NULL},
                                      {.name = "c", .digits = -1},
                                      {.name = "c", .digits = 18},
                                      {.name = "c", .against = 2},
                                      {.name = "c", .against = -1}};
    enum { WILD = sizeof wild / sizeof wild[0], CASES = 15 + WILD };
    for (int which = 0; which < CASES; ++which) {
        study = study_new(&t);
        const pawl_study_curve curve = {.label = "l", .count = which == 9 ? -1 : 5};
        switch (which) {
        case 0:
            pawl_study_add_paragraph(study, NULL);
            break;
        case 1:
            pawl_study_add_table(study, NULL, NULL, &column, 1);
            break;
        case 2:
            pawl_study_add_table(study, "t", NULL, NULL, 1);
            break;
        case 3:
            pawl_study_add_table(study, "t", NULL, &column, 0);
            break;
        case 4:
            pawl_study_add_table(study, "t", NULL, &column, PAWL_STUDY_COLUMNS + 1);
            break;
        case 5:
            pawl_study_add_number(study, 1.0);
            break; // without a table
        case 6:
            pawl_study_add_words(study, NULL);
            break;
        case 7:
            pawl_study_add_plot(study, NULL);
            break;
        case 8:
            pawl_study_add_curve(study, NULL);
            break;
        case 9:  // a count below 0
        case 10: // points that are NULL
            pawl_study_add_plot(study, &(pawl_study_plot){.title = "t"});
            pawl_study_add_curve(study, &curve);
            break;
        case 11:
            pawl_study_add_claim(study, NULL, NULL, 0.0, PAWL_EQUAL, 0.0);
            break;
        case 12:
            pawl_study_add_claim(study, "c", NULL, 0.0, (pawl_relation)77, 0.0);
            break;
        case 13: // words in a column of numbers
            pawl_study_add_table(study, "t", NULL, &column, 1);
            pawl_study_add_words(study, "w");
            break;
        case 14: // more curves than a plot has
            pawl_study_add_plot(study, &(pawl_study_plot){.title = "t"});
            for (int k = 0; k <= PAWL_STUDY_CURVES; ++k) {
                pawl_study_add_curve(study, &(pawl_study_curve){.label = "l"});
            }
            break;
        default:
            pawl_study_add_table(study, "t", NULL, &wild[which - 15], 1);
            break;
        }
        CHECK_BAD(pawl_study_status(study));
        pawl_study_add_paragraph(study, "nothing is added after that");
        CHECK_BAD(pawl_study_status(study));
        pawl_study_destroy(study);
        CHECK_NO_LEAK(&t);
    }
}

TEST(studies_that_are_null_or_asked_out_of_range)
{
    test_env t;
    test_env_init(&t);
    const pawl_study_column column = {.name = "c", .digits = 3};
    pawl_study *study = study_new(&t);
    pawl_study_add_table(study, "t", NULL, &column, 1);
    pawl_study_add_number(study, 1.0);
    EACH_ID(id)
    {
        CHECK_TEXT(pawl_study_item_at(study, id).paragraph, "");
        CHECK_TEXT(pawl_study_claim_at(study, id).text, "");
        CHECK(!pawl_study_differs(pawl_study_item_at(study, 0).table, id, 0));
        CHECK(!pawl_study_differs(pawl_study_item_at(study, 0).table, 0, id));
        CHECK(pawl_relation_name((pawl_relation)id) != NULL);
    }
    CHECK_TEXT(pawl_study_item_at(NULL, 0).paragraph, "");
    CHECK_TEXT(pawl_study_claim_at(NULL, 0).text, "");
    CHECK_INT(pawl_study_item_count(NULL) + pawl_study_claim_count(NULL), 0);
    CHECK(!pawl_study_met(NULL) && !pawl_study_differs(NULL, 0, 0));
    CHECK_TEXT(pawl_study_name(NULL), "");
    CHECK_TEXT(pawl_study_title(NULL), "");
    CHECK_TEXT(pawl_study_source(NULL), "");
    CHECK_BAD(pawl_study_status(NULL));
    pawl_study_add_paragraph(NULL, "p");
    pawl_study_add_table(NULL, "t", NULL, &column, 1);
    pawl_study_add_number(NULL, 1.0);
    pawl_study_add_words(NULL, "w");
    pawl_study_add_plot(NULL, &(pawl_study_plot){.title = "t"});
    pawl_study_add_curve(NULL, &(pawl_study_curve){.label = "l"});
    pawl_study_add_claim(NULL, "c", NULL, 0.0, PAWL_EQUAL, 0.0);
    char text[PAWL_STUDY_TEXT];
    CHECK_TEXT(pawl_study_print(NULL, 1.0, text), "");
    CHECK_TEXT(pawl_study_print(&column, 1.0, NULL), "");
    const double numbers[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 5e-324};
    for (int style = -1; style < 6; ++style) {
        for (int digits = -5; digits <= 40; digits += 5) {
            pawl_study_column odd = {
                .name = "c", .style = (pawl_number_style)style, .digits = digits};
            for (int i = 0; i < 6; ++i) {
                CHECK(strlen(pawl_study_print(&odd, numbers[i], text)) < sizeof text);
            }
        }
    }
    CHECK_NAN(pawl_study_digits_apart(NULL, 1.0, 1.0));
    CHECK_BAD(pawl_study_write_html(NULL, study, NULL, "a.html"));
    CHECK_BAD(pawl_study_write_html(&t.env, NULL, NULL, "a.html"));
    CHECK_BAD(pawl_study_write_html(&t.env, study, NULL, NULL));
    pawl_study_destroy(study);
    pawl_study_destroy(NULL);
    CHECK_NO_LEAK(&t);
}

TEST(samples_tables_and_pages_that_are_null_or_not_there)
{
    test_env t;
    test_env_init(&t);
    pawl_env *env = &t.env;
    pawl_sample *sample = NULL;
    pawl_sample_data none = {.system = "", .scenario = ""}, wrong = none;
    int starts[] = {0};
    none.row_start = starts;
    CHECK_BAD(pawl_sample_create(env, NULL, &sample));
    CHECK_BAD(pawl_sample_create(env, &none, NULL));
    wrong.row_count = -1;
    CHECK_BAD(pawl_sample_create(env, &wrong, &sample));
    wrong.row_count = 3;
    wrong.contact_count = 2;
    CHECK_BAD(pawl_sample_create(env, &wrong, &sample));
    CHECK_OK(pawl_sample_create(env, &none, &sample)); // nothing at all is a sample
    pawl_sample_properties properties;
    CHECK_BAD(pawl_sample_measure(NULL, sample, &properties));
    CHECK_BAD(pawl_sample_measure(env, NULL, &properties));
    CHECK_BAD(pawl_sample_measure(env, sample, NULL));
    CHECK_OK(pawl_sample_measure(env, sample, &properties));
    CHECK(pawl_sample_category_name(-1) == NULL && pawl_sample_category_name(99) == NULL);
    CHECK(!pawl_solver_is_published(-1) && !pawl_solver_is_published(999));
    pawl_sample_solver *solver = NULL;
    pawl_settings settings = pawl_settings_default(), zeroed = {0};
    CHECK_BAD(pawl_sample_solver_create(NULL, sample, &settings, &solver));
    CHECK_BAD(pawl_sample_solver_create(env, NULL, &settings, &solver));
    CHECK_BAD(pawl_sample_solver_create(env, sample, NULL, &solver));
    CHECK_BAD(pawl_sample_solver_create(env, sample, &zeroed, &solver));
    CHECK_BAD(pawl_sample_solver_create(env, sample, &settings, NULL));
    double lambda = 0.0;
    pawl_sample_result result;
    CHECK_BAD(pawl_sample_solver_run(NULL, NULL, NULL, NULL, &lambda, &result));
    CHECK_NAN(pawl_sample_solver_distance(NULL, &lambda, &lambda));
    pawl_sample_solver_destroy(NULL);
    pawl_sample_writer *writer = NULL;
    CHECK_BAD(pawl_sample_writer_create(NULL, "a", &writer));
    CHECK_BAD(pawl_sample_writer_create(env, NULL, &writer));
    CHECK_BAD(pawl_sample_writer_create(env, "a", NULL));
    CHECK(pawl_sample_writer_create(env, "/not there/a", &writer) != PAWL_OK && writer == NULL);
    CHECK_BAD(pawl_sample_writer_add(NULL, sample, NULL, NULL));
    CHECK_OK(pawl_sample_writer_close(NULL));
    pawl_sample_file *file = NULL;
    CHECK(!pawl_sample_file_is(NULL) && !pawl_sample_file_is("not there"));
    CHECK_BAD(pawl_sample_file_open(NULL, "a", &file));
    CHECK_BAD(pawl_sample_file_open(env, NULL, &file));
    CHECK_BAD(pawl_sample_file_open(env, "a", NULL));
    CHECK(pawl_sample_file_open(env, "CMakeLists.txt", &file) != PAWL_OK && file == NULL);
    CHECK_INT(pawl_sample_file_count(NULL), 0);
    CHECK_BAD(pawl_sample_file_read(NULL, 0, &sample));
    pawl_sample_file_close(NULL);
    pawl_sample_destroy(sample);
    pawl_sample_destroy(NULL);
    pawl_table *table = NULL;
    pawl_data_column column = {.name = "a"};
    CHECK_BAD(pawl_table_write(NULL, "a", &column, 1, NULL, 0));
    CHECK_BAD(pawl_table_write(env, NULL, &column, 1, NULL, 0));
    CHECK_BAD(pawl_table_write(env, "a", NULL, 1, NULL, 0));
    CHECK(pawl_table_write(env, "/not there/a", &column, 1, NULL, 0) != PAWL_OK);
    CHECK_BAD(pawl_table_read(NULL, "a", &table));
    CHECK_BAD(pawl_table_read(env, NULL, &table));
    CHECK_BAD(pawl_table_read(env, "a", NULL));
    CHECK(pawl_table_read(env, "CMakeLists.txt", &table) != PAWL_OK && table == NULL);
    CHECK(pawl_table_at(NULL, 0) == NULL);
    CHECK(pawl_table_column(NULL, "a") == NULL && pawl_table_attribute(NULL, "a") == NULL);
    pawl_table_destroy(NULL);
    CHECK_BAD(pawl_lab_page_write(env, NULL, "{}", "a"));
    CHECK_BAD(pawl_lab_page_write(env, "a", NULL, "a"));
    CHECK_BAD(pawl_lab_page_write(env, "a", "{}", NULL));
    CHECK_BAD(pawl_lab_page_write(env, "a", "</script>", "a"));
    CHECK(pawl_lab_page_write(env, "a", "{}", "/not there/a") != PAWL_OK);
    CHECK_NO_LEAK(&t);
}
