// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// bench_files FOLDER|LIST ...: reads every model file below the folders (or named in a list, one path a line, relative to
// the list) and runs each for a second of simulated time, in a child process of its own with a limit on time and memory.
// Prints for each format how many load, how many run, how the verdicts came out, and the files that were refused by
// reason. Failures of a child because of a hostile or broken file are counted, too ("crashed", "out of time").
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pawl/io.h"
#include "pawl/verdict.h"

enum { FILES_PATH = 2048, FILES_TEXT = 400, FILES_MEMORY_GIB = 4 };

typedef enum file_stage {
    FILE_CRASHED = 0, // the child ended by a signal
    FILE_OUT_OF_TIME,
    FILE_REFUSED, // the reader or the model refused it
    FILE_LOADED,  // but a simulation could not be made, or stopped
    FILE_RAN
} file_stage;

typedef struct file_result {
    file_stage stage;
    bool loaded;           // also of runs that ran out of time
    bool passed;           // its verdict
    double speed;          // of the fastest body at the end [m/s]
    char text[FILES_TEXT]; // first error, or the verdict's sentence
} file_result;

typedef struct file_entry {
    char *path;
    int format;
    file_result result;
} file_entry;

typedef struct file_list {
    file_entry *entries;
    int count, capacity;
} file_list;

static const char *const formats[] = {"urdf", "sdf", "mjcf"};
static const char *const roots[] = {"<robot", "<sdf", "<mujoco"};
enum { FORMAT_COUNT = 3 };

typedef struct files_options {
    double duration; // of a run [s]
    int seconds;     // limit for a file
    bool lenient, verbose;
} files_options;

// --- finding files -------------------------------------------------------------------------------

// The format by the root element, -1 for none. The first 64 KiB are enough for comments before it.
static int files_format(const char *path)
{
    static char text[65536];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return -1;
    }
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = '\0';
    char *at = text;
    while ((at = strchr(at, '<')) != NULL) {
        if (strncmp(at, "<!--", 4) == 0) {
            at = strstr(at, "-->");
        } else if (at[1] == '?' || at[1] == '!') {
            at = strchr(at, '>');
        } else {
            break;
        }
        if (at == NULL) {
            return -1;
        }
    }
    for (int i = 0; at != NULL && i < FORMAT_COUNT; ++i) {
        size_t length = strlen(roots[i]);
        if (strncmp(at, roots[i], length) == 0 && strchr(" \t\r\n>", at[length]) != NULL) {
            return i;
        }
    }
    return -1;
}

static void files_add(file_list *list, const char *path, int format)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        list->entries = realloc(list->entries, (size_t)list->capacity * sizeof *list->entries);
        if (list->entries == NULL) {
            abort();
        }
    }
    list->entries[list->count++] = (file_entry){.path = strdup(path), .format = format};
}

static bool files_ends(const char *name)
{
    static const char *const ends[] = {".urdf", ".sdf", ".world", ".xml", ".mjcf"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) {
        size_t e = strlen(ends[i]);
        if (length > e && strcmp(name + length - e, ends[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void files_walk(file_list *list, const char *folder)
{
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        fprintf(stderr, "cannot open folder %s\n", folder);
        return;
    }
    for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        char path[FILES_PATH];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] == '.' || lstat(path, &info) != 0) {
            continue;
        }
        if (S_ISDIR(info.st_mode)) {
            files_walk(list, path);
        } else if (S_ISREG(info.st_mode) && files_ends(path)) {
            int format = files_format(path);
            if (format >= 0) {
                files_add(list, path, format);
            }
        }
    }
    closedir(dir);
}

static void files_read_list(file_list *list, const char *name)
{
    FILE *file = fopen(name, "r");
    char line[FILES_PATH], path[2 * FILES_PATH];
    if (file == NULL) {
        fprintf(stderr, "cannot open %s\n", name);
        return;
    }
    const char *slash = strrchr(name, '/');
    int folder = slash != NULL ? (int)(slash - name) + 1 : 0;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        snprintf(path, sizeof path, "%.*s%s", line[0] == '/' ? 0 : folder, name, line);
        int format = files_format(path);
        if (format >= 0) {
            files_add(list, path, format);
        } else if (line[0] != '\0') {
            fprintf(stderr, "%s: no model file\n", path);
        }
    }
    fclose(file);
}

static int files_compare(const void *a, const void *b)
{
    const file_entry *x = a, *y = b;
    return x->format != y->format ? x->format - y->format : strcmp(x->path, y->path);
}

// --- one file ------------------------------------------------------------------------------------

// Keeps the first error.
static void files_log(void *user, pawl_log_level level, const char *message)
{
    file_result *result = user;
    if (level == PAWL_LOG_ERROR && result->text[0] == '\0') {
        snprintf(result->text, sizeof result->text, "%s", message);
    }
}

static void files_run(const pawl_env *env, const pawl_model *model, double duration,
                      file_result *result)
{
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    if (pawl_sim_create(env, model, &settings, &sim) != PAWL_OK) {
        return;
    }
    pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
    int steps = (int)(duration / settings.dt + 0.5), done = 0;
    for (pawl_status status = PAWL_OK; done < steps && status == PAWL_OK;) {
        pawl_step_report report;
        status = pawl_sim_step(sim, &report);
        if (status == PAWL_OK) {
            pawl_verdict_add(&verdict, &report);
            ++done;
        }
    }
    double time = pawl_state_time(pawl_sim_state(sim));
    pawl_verdict_end(&verdict, done == steps ? PAWL_RUN_DONE : PAWL_RUN_STEP_FAILED, time,
                     duration);
    pawl_verdict_names names = pawl_model_names(model);
    pawl_verdict_list list = pawl_verdict_judge(&verdict, &settings, &names);
    char text[PAWL_SENTENCE_SIZE];
    pawl_verdict_sentence(&list, text, sizeof text);
    result->passed = strncmp(text, "PASSED", 6) == 0;
    snprintf(result->text, sizeof result->text, "%.300s", text);
    result->stage = done == steps ? FILE_RAN : FILE_LOADED;
    for (int i = 0; i < pawl_model_body_count(model); ++i) {
        pawl_vec3 v = pawl_state_twist(pawl_sim_state(sim), pawl_model_body_at(model, i)).linear;
        result->speed = fmax(result->speed, sqrt(v.x * v.x + v.y * v.y + v.z * v.z));
    }
    pawl_sim_destroy(sim);
}

// In the child: what it learns goes to the pipe twice, after loading and at the end.
static void files_child(const char *path, const files_options *options, int pipe)
{
    struct rlimit time = {(rlim_t)options->seconds, (rlim_t)options->seconds + 1};
    struct rlimit memory = {(rlim_t)FILES_MEMORY_GIB << 30, (rlim_t)FILES_MEMORY_GIB << 30};
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_AS, &memory);
    file_result result = {.stage = FILE_REFUSED};
    pawl_env env = pawl_env_default();
    env.log = files_log;
    env.user = &result;
    pawl_load_options load = pawl_load_options_default();
    load.lenient = options->lenient;
    pawl_model *model = NULL;
    if (pawl_model_load(&env, path, &load, &model) == PAWL_OK) {
        result.stage = FILE_LOADED;
        result.loaded = true;
    }
    bool sent = write(pipe, &result, sizeof result) == (ssize_t)sizeof result;
    if (result.loaded) {
        files_run(&env, model, options->duration, &result);
    }
    sent = sent && write(pipe, &result, sizeof result) == (ssize_t)sizeof result;
    _exit(sent ? 0 : 1);
}

static file_result files_try(const char *path, const files_options *options)
{
    file_result result = {.stage = FILE_CRASHED}, got;
    int ends[2];
    if (pipe(ends) != 0) {
        return result;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        files_child(path, options, ends[1]);
    }
    close(ends[1]);
    bool whole = false;
    for (int i = 0; i < 2 && read(ends[0], &got, sizeof got) == (ssize_t)sizeof got; ++i) {
        result = got;
        whole = i == 1;
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!whole) {
        bool late =
            WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
        result.stage = late ? FILE_OUT_OF_TIME : FILE_CRASHED;
        snprintf(result.text, sizeof result.text, "%s by signal %d",
                 late ? "out of time, ended" : "ended", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
    return result;
}

// --- what came out -------------------------------------------------------------------------------

// The message without file, line, names and numbers: what files have in common.
static void files_reason(const char *message, char *out, size_t size)
{
    const char *at = strstr(message, ": ");
    at = at != NULL && strchr(message, '/') != NULL && at > strchr(message, '/') ? at + 2 : message;
    size_t used = 0;
    bool quoted = false;
    for (; *at != '\0' && used + 2 < size; ++at) {
        if (*at == '\'') {
            quoted = !quoted;
            if (quoted) {
                out[used++] = '*';
            }
        } else if (!quoted && strchr("0123456789", *at) != NULL) {
            if (used == 0 || out[used - 1] != '#') {
                out[used++] = '#';
            }
        } else if (!quoted) {
            out[used++] = *at;
        }
    }
    out[used] = '\0';
}

static void files_print_format(const file_list *list, int format)
{
    int files = 0, loaded = 0, ran = 0, passed = 0;
    for (int i = 0; i < list->count; ++i) {
        const file_result *r = &list->entries[i].result;
        if (list->entries[i].format == format) {
            files += 1;
            loaded += r->loaded ? 1 : 0;
            ran += r->stage == FILE_RAN ? 1 : 0;
            passed += r->stage == FILE_RAN && r->passed ? 1 : 0;
        }
    }
    if (files > 0) {
        printf("%-6s %6d %6d (%5.1f %%) %6d (%5.1f %%) %7d %8d\n", formats[format], files, loaded,
               100.0 * loaded / files, ran, 100.0 * ran / files, passed, ran - passed);
    }
}

static void files_print_reasons(const file_list *list)
{
    bool *done = calloc((size_t)list->count, sizeof *done);
    for (int i = 0; done != NULL && i < list->count; ++i) {
        const file_entry *e = &list->entries[i];
        if (e->result.stage == FILE_RAN || done[i]) {
            continue;
        }
        char reason[FILES_TEXT], other[FILES_TEXT];
        int count = 0;
        files_reason(e->result.text, reason, sizeof reason);
        for (int k = i; k < list->count; ++k) {
            const file_entry *f = &list->entries[k];
            files_reason(f->result.text, other, sizeof other);
            if (f->result.stage == e->result.stage && f->format == e->format &&
                strcmp(reason, other) == 0) {
                done[k] = true;
                count += 1;
            }
        }
        static const char *const words[] = {"crashed", "late", "refused", "stopped", "ran"};
        printf("%4d %-5s %-8s %s\n     first: %s\n", count, formats[e->format],
               words[e->result.stage], reason, e->path);
    }
    free(done);
}

static bool files_option(const char *word, files_options *o)
{
    if (strncmp(word, "--time=", 7) == 0) {
        o->duration = atof(word + 7);
    } else if (strncmp(word, "--limit=", 8) == 0) {
        o->seconds = atoi(word + 8);
    } else if (strcmp(word, "--lenient") == 0) {
        o->lenient = true;
    } else if (strcmp(word, "--verbose") == 0) {
        o->verbose = true;
    } else {
        return false;
    }
    return true;
}

int main(int count, char **arguments)
{
    files_options options = {.duration = 1.0, .seconds = 60};
    file_list list = {0};
    for (int i = 1; i < count; ++i) {
        struct stat info;
        if (files_option(arguments[i], &options)) {
            continue;
        }
        if (arguments[i][0] == '-' || stat(arguments[i], &info) != 0) {
            fprintf(stderr, "usage: bench_files [--time=S] [--limit=S] [--lenient] [--verbose] "
                            "FOLDER|LIST ...\n");
            return 2;
        }
        if (S_ISDIR(info.st_mode)) {
            files_walk(&list, arguments[i]);
        } else if (files_format(arguments[i]) >= 0) {
            files_add(&list, arguments[i], files_format(arguments[i]));
        } else {
            files_read_list(&list, arguments[i]);
        }
    }
    qsort(list.entries, (size_t)list.count, sizeof *list.entries, files_compare);
    for (int i = 0; i < list.count; ++i) {
        file_entry *e = &list.entries[i];
        e->result = files_try(e->path, &options);
        if (options.verbose) {
            static const char *const words[] = {"CRASHED", "LATE", "refused", "stopped", "ran"};
            printf("%-8s %-5s %s\n         %.300s\n", words[e->result.stage], formats[e->format],
                   e->path, e->result.text);
            fflush(stdout);
        }
    }
    printf("format  files   load             run %g s       passed  not met\n", options.duration);
    for (int f = 0; f < FORMAT_COUNT; ++f) {
        files_print_format(&list, f);
    }
    files_print_reasons(&list);
    for (int i = 0; i < list.count; ++i) {
        free(list.entries[i].path);
    }
    free(list.entries);
    return 0;
}
