// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The page of a benchmark: one document of data, and the script that draws it. Without the script (web/ was not
// built) the page shows a notice and still contains the data.
#include "base/guard.h"
#include "page/lab_bundle.h"
#include "pawl/io.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool lab_write(FILE *to, const char *title, const char *json)
{
    fprintf(to,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<title>%s</title>\n</head>\n<body>\n",
            title);
    if (pawl_lab_bundle_size == 0) {
        fputs("<p>This page lacks its script: pawl was built without web/ (Node and npm). The data "
              "are in its source.</p>\n",
              to);
    }
    fputs("<script type=\"application/json\" id=\"pawl-data\">", to);
    fputs(json, to);
    fputs("</script>\n<script>", to);
    fwrite(pawl_lab_bundle, 1, pawl_lab_bundle_size, to);
    fputs("</script>\n</body>\n</html>\n", to);
    return ferror(to) == 0;
}

pawl_status pawl_lab_page_write(const pawl_env *env, const char *title, const char *json,
                                const char *path)
{
    PAWL_NEED(env, title);
    PAWL_NEED(env, json);
    PAWL_NEED(env, path);
    if (strstr(json, "</") != NULL || strpbrk(title, "<>&") != NULL) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "the data of a page contain '</', expected '<\\/', or its title markup");
    }
    FILE *to = fopen(path, "w");
    bool written = to != NULL && lab_write(to, title, json);
    int why = errno;
    if (to != NULL && fclose(to) != 0) {
        written = false;
    }
    return written ? PAWL_OK
                   : PAWL_FAIL(env, PAWL_BAD_FILE, "cannot write '%s': %s", path, strerror(why));
}
