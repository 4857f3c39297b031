// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// FCLib files: every form of a matrix, the two forms of a problem, the order of rows, a round trip,
// and files that are broken. Files are made here with stock HDF5, so that our reader and writer are
// not each other's only witness.
#include "pawl/io.h"
#include "support/hdf5_values.h"
#include "support/random_contacts.h"
#include "support/test.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 600 };
static const char fclib_data[] = "tests/data/fclib/R-BoxesStack-i00095-nc8-nds2-0.hdf5";

// HDF5 loses memory of its own on damaged files; see record_prepare_exit().
PAWL_API const char *__lsan_default_suppressions(void); // what the sanitizer's runtime looks for
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

// ---- Files by stock HDF5 -------------------------------------------------------------------------

typedef enum storage_form {
    PLAIN,
    NEWEST,
    COMPACT,
    BIG_ENDIAN_WIDE,
    CHUNKED,
    STORAGE_COUNT
} storage_form;
static storage_form storage = PLAIN; // how put() stores

static hid_t storage_type(hid_t type)
{
    bool whole = H5Tget_class(type) == H5T_INTEGER;
    return storage != BIG_ENDIAN_WIDE ? type : whole ? H5T_STD_I64BE : H5T_IEEE_F64BE;
}

static hid_t storage_list(hsize_t dim)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    if (storage == COMPACT) {
        H5Pset_layout(list, H5D_COMPACT);
    } else if (storage == CHUNKED && dim > 0) {
        H5Pset_chunk(list, 1, &dim);
    }
    return list;
}

static void put(hid_t file, const char *name, hid_t type, int count, const void *data)
{
    hsize_t dim = (hsize_t)count;
    hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(1, &dim, NULL);
    H5Pset_create_intermediate_group(links, 1);
    hid_t list = storage_list(dim);
    hid_t set = H5Dcreate2(file, name, storage_type(type), space, links, list, H5P_DEFAULT);
    CHECK(set >= 0);
    CHECK(count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(list);
    H5Pclose(links);
}

static void put_ints(hid_t file, const char *name, int count, const int *data)
{
    put(file, name, H5T_NATIVE_INT, count, data);
}

static void put_reals(hid_t file, const char *name, int count, const double *data)
{
    put(file, name, H5T_NATIVE_DOUBLE, count, data);
}

typedef enum matrix_form { BY_TRIPLETS, BY_COLUMNS, BY_ROWS, FORM_COUNT } matrix_form;

// A dense matrix in one of FCLib's forms.
static void put_matrix(hid_t file, const char *group, const double *A, int m, int n,
                       matrix_form form)
{
    static int p[2000], i[2000];
    static double x[2000];
    int count = 0, lines = form == BY_ROWS ? m : n, others = form == BY_ROWS ? n : m;
    for (int a = 0; a < lines; ++a) {
        p[a] = form == BY_TRIPLETS ? p[a] : count;
        for (int b = 0; b < others; ++b) {
            double value = form == BY_ROWS ? A[a * n + b] : A[b * n + a];
            if (value != 0.0) {
                if (form == BY_TRIPLETS) {
                    p[count] = a; // the column
                }
                i[count] = b;
                x[count++] = value;
            }
        }
    }
    if (form != BY_TRIPLETS) {
        p[lines] = count;
    }
    int nz = form == BY_TRIPLETS ? count : form == BY_COLUMNS ? -1 : -2;
    char name[100];
    const struct {
        const char *name;
        const int *value;
    } numbers[] = {{"m", &m}, {"n", &n}, {"nz", &nz}, {"nzmax", &count}};
    for (int k = 0; k < 4; ++k) {
        snprintf(name, sizeof name, "%s/%s", group, numbers[k].name);
        put_ints(file, name, 1, numbers[k].value);
    }
    snprintf(name, sizeof name, "%s/p", group);
    put_ints(file, name, form == BY_TRIPLETS ? count : lines + 1, p);
    snprintf(name, sizeof name, "%s/i", group);
    put_ints(file, name, count, i);
    snprintf(name, sizeof name, "%s/x", group);
    put_reals(file, name, count, x);
}

// Row i of FCLib's order is this row of ours: contact k has (normal, tangent, tangent) there.
static int our_row(int i)
{
    static const int place[3] = {2, 0, 1};
    return 3 * (i / 3) + place[i % 3];
}

static hid_t create(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (storage == NEWEST) {
        H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    }
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    CHECK(file >= 0);
    return file;
}

static void write_local(const char *path, const random_contacts *c, matrix_form form)
{
    int m = c->rows, dimension = 3;
    double W[RANDOM_ROWS * RANDOM_ROWS], q[RANDOM_ROWS], guess[RANDOM_ROWS];
    for (int i = 0; i < m; ++i) {
        q[i] = c->q[our_row(i)];
        guess[i] = 100.0 + our_row(i);
        for (int j = 0; j < m; ++j) {
            W[i * m + j] = c->W[our_row(i) * m + our_row(j)];
        }
    }
    hid_t file = create(path);
    put_ints(file, "/fclib_local/spacedim", 1, &dimension);
    put_matrix(file, "/fclib_local/W", W, m, m, form);
    put_reals(file, "/fclib_local/vectors/q", m, q);
    put_reals(file, "/fclib_local/vectors/mu", c->contacts, c->friction);
    put_reals(file, "/guesses/2/r", m, guess);
    H5Fclose(file);
}

static void write_global(const char *path, const random_contacts *c, matrix_form form)
{
    int n = c->velocities, m = c->rows, dimension = 3;
    double H[RANDOM_VELOCITIES * RANDOM_ROWS], w[RANDOM_ROWS];
    for (int j = 0; j < m; ++j) {
        w[j] = c->w[our_row(j)];
        for (int i = 0; i < n; ++i) {
            H[i * m + j] = c->H[i * m + our_row(j)];
        }
    }
    hid_t file = create(path);
    put_ints(file, "/fclib_global/spacedim", 1, &dimension);
    put_matrix(file, "/fclib_global/M", c->M, n, n, form);
    put_matrix(file, "/fclib_global/H", H, n, m, form);
    if (c->equalities > 0) {
        put_matrix(file, "/fclib_global/G", c->G, n, c->equalities, form);
        put_reals(file, "/fclib_global/vectors/b", c->equalities, c->b);
    }
    put_reals(file, "/fclib_global/vectors/f", n, c->f);
    put_reals(file, "/fclib_global/vectors/w", m, w);
    put_reals(file, "/fclib_global/vectors/mu", c->contacts, c->friction);
    H5Fclose(file);
}

// The problem read is u = W r + q of the dense matrices, within `tolerance`.
static void check_problem(const pawl_contact_problem *problem, const random_contacts *c,
                          double tolerance)
{
    CHECK_INT(pawl_contact_problem_count(problem), c->contacts);
    double r[RANDOM_ROWS], u[RANDOM_ROWS];
    for (int j = -1; j < c->rows; ++j) {
        for (int i = 0; i < c->rows; ++i) {
            r[i] = i == j ? 1.0 : 0.0;
        }
        pawl_contact_problem_velocity(problem, r, u);
        for (int i = 0; i < c->rows; ++i) {
            CHECK_NEAR(u[i], c->q[i] + (j >= 0 ? c->W[i * c->rows + j] : 0.0), tolerance);
        }
    }
    for (int k = 0; k < c->contacts; ++k) {
        CHECK_NEAR(pawl_contact_problem_friction(problem)[k], c->friction[k], 0.0);
    }
}

TEST(local_problems_are_read_in_all_three_forms_of_a_matrix)
{
    uint64_t seed = 3;
    static random_contacts c;
    char path[PATH_SIZE];
    test_path("local.hdf5", path, sizeof path);
    for (int round = 0; round < 3 * FORM_COUNT; ++round) {
        test_env t;
        test_env_init(&t);
        random_contacts_make(&c, &seed, 0.1, -1); // W is not symmetric: rows and columns differ
        write_local(path, &c, (matrix_form)(round % FORM_COUNT));
        pawl_contact_problem *problem;
        CHECK_OK(pawl_fclib_read(&t.env, path, &problem));
        check_problem(problem, &c, 1e-14);
        double r[RANDOM_ROWS] = {0};
        bool found;
        CHECK_OK(pawl_fclib_read_answer(&t.env, path, 0, c.contacts, r, &found));
        CHECK(!found);
        CHECK_OK(pawl_fclib_read_answer(&t.env, path, 2, c.contacts, r, &found));
        CHECK(found);
        for (int i = 0; i < c.rows; ++i) {
            CHECK_NEAR(r[i], 100.0 + i, 0.0);
        }
        pawl_contact_problem_destroy(problem);
        CHECK_NO_LEAK(&t);
    }
}

// HDF5 has several forms for the same data. Those that are not read are named, with what to do.
TEST(other_forms_of_hdf5_are_read_or_named)
{
    uint64_t seed = 5;
    static random_contacts c;
    char path[PATH_SIZE];
    test_path("forms.hdf5", path, sizeof path);
    for (int form = 0; form < STORAGE_COUNT; ++form) {
        test_env t;
        test_env_init(&t);
        random_contacts_make(&c, &seed, 0.1, -1);
        storage = (storage_form)form;
        write_local(path, &c, BY_COLUMNS);
        storage = PLAIN;
        pawl_contact_problem *problem;
        pawl_status status = pawl_fclib_read(&t.env, path, &problem);
        if (form == CHUNKED) {
            CHECK_STATUS(status, PAWL_BAD_FILE);
            CHECK_MESSAGE(&t, "h5repack -l CONTI");
        } else {
            CHECK_OK(status);
            check_problem(problem, &c, 1e-14);
        }
        pawl_contact_problem_destroy(problem);
        CHECK_NO_LEAK(&t);
    }
}

// The dense elimination of random_contacts.c has the answer.
TEST(global_problems_are_reduced_to_local_ones)
{
    uint64_t seed = 4;
    static random_contacts c;
    char path[PATH_SIZE];
    test_path("global.hdf5", path, sizeof path);
    for (int round = 0; round < 4 * FORM_COUNT; ++round) {
        test_env t;
        test_env_init(&t);
        int redundant = round % 4 - 1;
        random_contacts_make(&c, &seed, redundant < 1 ? 0.01 : 0.0, redundant);
        write_global(path, &c, (matrix_form)(round % FORM_COUNT));
        pawl_contact_problem *problem;
        CHECK_OK(pawl_fclib_read(&t.env, path, &problem));
        check_problem(problem, &c, 1e-8);
        pawl_contact_problem_destroy(problem);
        CHECK_NO_LEAK(&t);
    }
}

// Stock HDF5 reads what Siconos wrote; the normal of the first contact of a box that falls is the one
// component with a velocity.
TEST(a_file_of_siconos_has_its_normals_where_we_take_them_from)
{
    test_env t;
    test_env_init(&t);
    pawl_contact_problem *problem;
    CHECK_OK(pawl_fclib_read(&t.env, fclib_data, &problem));
    CHECK_INT(pawl_contact_problem_count(problem), 8);
    hid_t file = H5Fopen(fclib_data, H5F_ACC_RDONLY, H5P_DEFAULT);
    double *q = hdf5_values(file, "/fclib_local/vectors/q", 24);
    int falls = 0;
    for (int i = 0; i < 24; ++i) {
        CHECK_NEAR(pawl_contact_problem_q(problem)[our_row(i)], q[i], 0.0);
        falls += i % 3 == 0 && q[i] < 0.0 ? 1 : 0;
    }
    CHECK(falls > 0);
    free(q);
    H5Fclose(file);
    pawl_contact_problem_destroy(problem);
    CHECK_NO_LEAK(&t);
}

TEST(what_is_written_is_read_back_bit_for_bit)
{
    test_env t;
    test_env_init(&t);
    char path[PATH_SIZE], again[PATH_SIZE];
    test_path("written.hdf5", path, sizeof path);
    uint64_t seed = 9;
    static random_contacts c;
    random_contacts_make(&c, &seed, 0.05, -1);
    write_local(path, &c, BY_ROWS);
    pawl_contact_problem *first, *second;
    CHECK_OK(pawl_fclib_read(&t.env, path, &first));
    double r[RANDOM_ROWS], back[RANDOM_ROWS];
    for (int i = 0; i < c.rows; ++i) {
        r[i] = random_in(&seed, -1.0, 1.0);
    }
    const pawl_fclib_info info = {"a title", "a description", NULL};
    test_path("again.hdf5", again, sizeof again);
    CHECK_OK(pawl_fclib_write(&t.env, again, first, &info, r));
    CHECK_OK(pawl_fclib_read(&t.env, again, &second));
    int count = pawl_contact_problem_entry_count(first);
    CHECK_INT(pawl_contact_problem_entry_count(second), count);
    int *row = calloc(4 * (size_t)count, sizeof *row);
    double *value = calloc(2 * (size_t)count, sizeof *value);
    pawl_contact_problem_entries(first, row, row + count, value);
    pawl_contact_problem_entries(second, row + 2 * count, row + 3 * count, value + count);
    CHECK_INT(memcmp(row, row + 2 * count, 2 * (size_t)count * sizeof *row), 0);
    CHECK_INT(memcmp(value, value + count, (size_t)count * sizeof *value), 0);
    bool found;
    CHECK_OK(pawl_fclib_read_answer(&t.env, again, 0, c.contacts, back, &found));
    CHECK(found);
    for (int i = 0; i < c.rows; ++i) {
        CHECK_NEAR(pawl_contact_problem_q(second)[i], c.q[i], 0.0);
        CHECK_NEAR(back[i], r[i], 0.0);
    }
    // Stock HDF5 finds the columns as FCLib has them: W of the first column, rows ascending.
    hid_t file = H5Fopen(again, H5F_ACC_RDONLY, H5P_DEFAULT);
    double *p = hdf5_values(file, "/fclib_local/W/p", c.rows + 1);
    double *i = hdf5_values(file, "/fclib_local/W/i", (int)p[c.rows]);
    double *x = hdf5_values(file, "/fclib_local/W/x", (int)p[c.rows]);
    double *u = hdf5_values(file, "/solution/u", c.rows);
    for (int j = 0; j < c.rows; ++j) {
        for (int e = (int)p[j]; e < (int)p[j + 1]; ++e) {
            CHECK(e == (int)p[j] || i[e] > i[e - 1]);
            CHECK_NEAR(x[e], c.W[our_row((int)i[e]) * c.rows + our_row(j)], 0.0);
        }
    }
    double expected[RANDOM_ROWS];
    pawl_contact_problem_velocity(first, r, expected);
    for (int j = 0; j < c.rows; ++j) {
        CHECK_NEAR(u[j], expected[our_row(j)], 0.0);
    }
    H5Fclose(file);
    free(p);
    free(i);
    free(x);
    free(u);
    free(row);
    free(value);
    pawl_contact_problem_destroy(first);
    pawl_contact_problem_destroy(second);
    CHECK_NO_LEAK(&t);
}

TEST(a_problem_that_cannot_be_written_leaves_nothing)
{
    test_env t;
    test_env_init(&t);
    pawl_contact_problem *problem;
    CHECK_OK(pawl_fclib_read(&t.env, fclib_data, &problem));
    CHECK_STATUS(pawl_fclib_write(&t.env, "no/such/folder/x.hdf5", problem, NULL, NULL),
                 PAWL_IO_ERROR);
    CHECK_MESSAGE(&t, "no/such/folder/x.hdf5");
    pawl_contact_problem_destroy(problem);
    CHECK_NO_LEAK(&t);
}

// ---- Broken files --------------------------------------------------------------------------------

static void refuse_as(const char *path, pawl_status expected, const char *message)
{
    test_env t;
    pawl_contact_problem *problem;
    test_env_init(&t);
    CHECK_STATUS(pawl_fclib_read(&t.env, path, &problem), expected);
    CHECK(problem == NULL);
    CHECK_MESSAGE(&t, message);
    CHECK_MESSAGE(&t, path);
    CHECK(strchr(t.last_message, '\n') == NULL);
    CHECK_NO_LEAK(&t);
}

// Replaces one dataset of a good file.
typedef struct broken_case {
    const char *name;
    int count; // -1: the dataset is taken away; -2: it becomes a group
    double value[4];
    bool real;
    const char *message;
} broken_case;

static void break_file(const char *path, const broken_case *b)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    CHECK(file >= 0 && H5Ldelete(file, b->name, H5P_DEFAULT) >= 0);
    if (b->count == -2) {
        H5Gclose(H5Gcreate2(file, b->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    } else if (b->count >= 0 && b->real) {
        put_reals(file, b->name, b->count, b->value);
    } else if (b->count >= 0) {
        int values[4];
        for (int k = 0; k < 4; ++k) {
            values[k] = (int)b->value[k];
        }
        put_ints(file, b->name, b->count, values);
    }
    H5Fclose(file);
}

TEST(broken_datasets_are_named_with_got_and_expected)
{
    static random_contacts c;
    uint64_t seed = 12;
    char path[PATH_SIZE];
    test_path("broken.hdf5", path, sizeof path);
    do {
        random_contacts_make(&c, &seed, 0.0, -1);
    } while (c.contacts != 1); // W is 3 x 3 with 9 entries
    const broken_case cases[] = {
        {"/fclib_local/spacedim", -1, {0}, false, "/fclib_local/spacedim: not there"},
        {"/fclib_local/spacedim", 1, {7}, false, "is 7, expected 3"},
        {"/fclib_local/spacedim", 0, {0}, false, "has 0 numbers, expected 1"},
        {"/fclib_local/spacedim", 1, {3.0}, true, "expected whole numbers"},
        {"/fclib_local/spacedim", -2, {0}, false, "/fclib_local/spacedim: not there"},
        {"/fclib_local/W", -1, {0}, false, "/fclib_local/W: not there"},
        {"/fclib_local/W/m", 1, {-3}, false, "/fclib_local/W/m: is -3"},
        {"/fclib_local/W/m", 1, {6}, false, "is 6 x 3, expected a square matrix"},
        {"/fclib_local/W/m", 1, {2147483647}, false, "/fclib_local/W/m: is 2147483647"},
        {"/fclib_local/W/n", 1, {2147483646}, false, "/fclib_local/W/p"},
        {"/fclib_local/W/nz", 1, {-3}, false, "/fclib_local/W/nz: is -3"},
        {"/fclib_local/W/nz", 1, {8}, false, "/fclib_local/W/i: has 9 numbers, expected 8"},
        {"/fclib_local/W/nz", 1, {10}, false, "/fclib_local/W/nzmax: is 9, expected at least 10"},
        {"/fclib_local/W/nzmax", 1, {-1}, false, "/fclib_local/W/nzmax: is -1"},
        {"/fclib_local/W/nzmax", 1, {2147483647}, false, "2147483647 numbers in a file of"},
        {"/fclib_local/W/nzmax", 1, {12}, false, "has 9 numbers, expected 12"},
        {"/fclib_local/W/p", 4, {0, 3, 6, 10}, false, "number 3 is 10, expected 6 to 9"},
        {"/fclib_local/W/p", 4, {0, 6, 3, 9}, false, "number 2 is 3, expected 6 to 9"},
        {"/fclib_local/W/p", 4, {1, 3, 6, 9}, false, "number 0 is 1, expected 0 to 0"},
        {"/fclib_local/W/p", 4, {-1, 3, 6, 9}, false, "number 0 is -1"},
        {"/fclib_local/W/p", 3, {0, 3, 9}, false, "/fclib_local/W/p: has 3 numbers, expected 4"},
        {"/fclib_local/W/i", -1, {0}, false, "/fclib_local/W/i: not there"},
        {"/fclib_local/W/x", 2, {1, 1}, true, "/fclib_local/W/x: has 2 numbers, expected 9"},
        {"/fclib_local/vectors/q", 3, {0, NAN, 0}, true, "number 1 is nan"},
        {"/fclib_local/vectors/q", 2, {0, 0}, true, "has 2 numbers, expected 3"},
        {"/fclib_local/vectors/mu", 1, {INFINITY}, true, "number 0 is inf"},
        {"/fclib_local/vectors/mu", 1, {-0.5}, true, "/fclib_local: is not a well-posed problem"},
        {"/fclib_local/vectors", -1, {0}, false, "/fclib_local/vectors/q: not there"},
        {"/fclib_local", -1, {0}, false, "neither fclib_local nor fclib_global"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        write_local(path, &c, BY_COLUMNS);
        break_file(path, &cases[k]);
        refuse_as(path, PAWL_BAD_FILE, cases[k].message);
    }
    write_local(path, &c, BY_COLUMNS);
    break_file(path, &(broken_case){"/fclib_local/spacedim", 1, {2}, false, NULL});
    refuse_as(path, PAWL_UNSUPPORTED, "planar");
}

TEST(indices_out_of_range_are_refused)
{
    static random_contacts c;
    uint64_t seed = 12;
    char path[PATH_SIZE];
    test_path("indices.hdf5", path, sizeof path);
    do {
        random_contacts_make(&c, &seed, 0.0, -1);
    } while (c.contacts != 1);
    for (int form = 0; form < FORM_COUNT; ++form) {
        for (int bad = -1; bad <= 3; bad += 4) {
            write_local(path, &c, (matrix_form)form);
            int i[9] = {0, 1, 2, 0, 1, bad, 0, 1, 2};
            hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
            CHECK(H5Ldelete(file, "/fclib_local/W/i", H5P_DEFAULT) >= 0);
            put_ints(file, "/fclib_local/W/i", 9, i);
            H5Fclose(file);
            char message[80];
            snprintf(message, sizeof message, "/fclib_local/W/i: number 5 is %d, expected 0 to 2",
                     bad);
            refuse_as(path, PAWL_BAD_FILE, message);
        }
    }
}

TEST(what_is_no_problem_file_is_refused)
{
    char path[PATH_SIZE];
    refuse_as("no/such/file.hdf5", PAWL_IO_ERROR, "cannot be opened");
    refuse_as("README.md", PAWL_BAD_FILE, "is not an HDF5 file");
    test_path("empty.hdf5", path, sizeof path);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fclose(file) == 0);
    refuse_as(path, PAWL_BAD_FILE, "is not an HDF5 file");
    H5Fclose(create(path));
    refuse_as(path, PAWL_BAD_FILE, "neither fclib_local nor fclib_global");
}

// A problem is one file: what it links to in others is not fetched.
TEST(links_into_other_files_are_not_followed)
{
    static random_contacts c;
    uint64_t seed = 12;
    char path[PATH_SIZE], other[PATH_SIZE];
    test_path("linked.hdf5", path, sizeof path);
    test_path("other.hdf5", other, sizeof other);
    random_contacts_make(&c, &seed, 0.0, -1);
    write_local(path, &c, BY_COLUMNS);
    write_local(other, &c, BY_COLUMNS);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    CHECK(H5Ldelete(file, "/fclib_local/vectors/q", H5P_DEFAULT) >= 0);
    CHECK(H5Lcreate_external(other, "/fclib_local/vectors/q", file, "/fclib_local/vectors/q",
                             H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
    refuse_as(path, PAWL_BAD_FILE, "/fclib_local/vectors/q: not there");
}

static unsigned char *fclib_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size);
    CHECK(fread(bytes, 1, *size, file) == *size && fclose(file) == 0);
    return bytes;
}

// Truncations and random damage: an error or a problem, never a crash. Sanitized builds give this test
// its teeth.
TEST(damaged_files_are_refused_or_read)
{
    test_env t;
    test_env_init(&t);
    char path[PATH_SIZE];
    test_path("damaged.hdf5", path, sizeof path);
    size_t size;
    unsigned char *good = fclib_bytes(fclib_data, &size), *bad = malloc(size);
    uint64_t seed = 99;
    int opened = 0;
    enum { ROUNDS = 600 };
    for (int round = 0; round < ROUNDS; ++round) {
        memcpy(bad, good, size);
        size_t length = round % 4 == 0 ? (size_t)random_index(&seed, (int)size) : size;
        for (int k = 0; k < 1 + round % 8; ++k) {
            // The front of the file holds most of what HDF5 interprets.
            size_t at = (size_t)random_index(&seed, (int)(k % 2 == 0 ? size : size / 2));
            bad[at] = (unsigned char)(round % 3 == 0 ? 0xff : random_index(&seed, 256));
        }
        FILE *file = fopen(path, "wb");
        CHECK(file != NULL && fwrite(bad, 1, length, file) == length && fclose(file) == 0);
        pawl_contact_problem *problem;
        if (pawl_fclib_read(&t.env, path, &problem) == PAWL_OK) {
            ++opened;
            double r[24] = {0};
            bool found;
            (void)pawl_contact_problem_errors(problem, r);
            CHECK_OK(pawl_fclib_read_answer(&t.env, path, 0, 8, r, &found));
        }
        pawl_contact_problem_destroy(problem);
        CHECK_NO_LEAK(&t);
    }
    CHECK(opened > 0 && opened < ROUNDS);
    free(good);
    free(bad);
}

// The words after the signature of every heap, tree and symbol table of the file claim sizes and addresses. HDF5 1.10
// believed the size of a heap, and copied from beyond its own buffer.
TEST(sizes_that_a_file_claims_are_not_believed)
{
    test_env t;
    test_env_init(&t);
    char path[PATH_SIZE];
    test_path("claims.hdf5", path, sizeof path);
    size_t size;
    unsigned char *good = fclib_bytes(fclib_data, &size), *bad = malloc(size);
    const uint64_t claims[] = {0,          1,          size - 8,     size,
                               size + 1,   1u << 20,   0x7fffffff,   0x80000000,
                               0xffffffff, 1ull << 62, ~0ull - 4095, ~0ull};
    static const char *const signatures[] = {"HEAP", "TREE", "SNOD"};
    enum { CLAIMS = sizeof claims / sizeof *claims, WORDS = 5 };
    int places = 0;
    for (size_t at = 0; at + 8 * (WORDS + 1) <= size; ++at) {
        bool found = false;
        for (int k = 0; k < 3; ++k) {
            found = found || memcmp(good + at, signatures[k], 4) == 0;
        }
        for (int word = 0; found && word < WORDS; ++word) {
            for (int k = 0; k < CLAIMS; ++k) {
                memcpy(bad, good, size);
                memcpy(bad + at + 8 * (size_t)(word + 1), &claims[k], 8);
                FILE *file = fopen(path, "wb");
                CHECK(file != NULL && fwrite(bad, 1, size, file) == size && fclose(file) == 0);
                pawl_contact_problem *problem;
                (void)pawl_fclib_read(&t.env, path, &problem);
                pawl_contact_problem_destroy(problem);
                CHECK_NO_LEAK(&t);
                ++places;
            }
        }
    }
    CHECK(places > 200);
    free(good);
    free(bad);
}

static pawl_status fclib_read_and_write(const pawl_env *env, void *argument)
{
    pawl_contact_problem *problem;
    pawl_status status = pawl_fclib_read(env, fclib_data, &problem);
    if (status == PAWL_OK) {
        status = pawl_fclib_write(env, argument, problem, NULL, NULL);
    }
    pawl_contact_problem_destroy(problem);
    return status;
}

TEST(a_lack_of_memory_is_reported)
{
    char path[PATH_SIZE];
    test_path("memory.hdf5", path, sizeof path);
    CHECK(CHECK_SURVIVES_NO_MEMORY(fclib_read_and_write, path) > 8);
}
