// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Starts browsers. A browser without a window renders in software, because films are also made on servers. It gets a
// process group of its own, because a browser consists of many processes, which must all end with it.
#define _POSIX_C_SOURCE 200809L
#include "browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// Starts a command that says nothing, in a process group of its own. 0: it cannot be started.
static pid_t browser_start(char *const *words)
{
    posix_spawn_file_actions_t quiet;
    posix_spawnattr_t apart;
    pid_t child = 0;
    if (posix_spawn_file_actions_init(&quiet) != 0) {
        return 0;
    }
    if (posix_spawnattr_init(&apart) == 0) {
        (void)posix_spawnattr_setflags(&apart, POSIX_SPAWN_SETPGROUP);
        (void)posix_spawnattr_setpgroup(&apart, 0);
        (void)posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
        (void)posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
        child = posix_spawnp(&child, words[0], &quiet, &apart, words, environ) == 0 ? child : 0;
        (void)posix_spawnattr_destroy(&apart);
    }
    (void)posix_spawn_file_actions_destroy(&quiet);
    return child;
}

void browser_show(const char *address)
{
    if (getenv("DISPLAY") != NULL || getenv("WAYLAND_DISPLAY") != NULL) {
        char *words[] = {(char *)"xdg-open", (char *)address, NULL};
        (void)browser_start(words);
    }
}

pid_t browser_work(const char *address, const char *folder)
{
    const char *const names[] = {getenv("PAWL_BROWSER"), "chromium",
                                 "chromium-browser",     "google-chrome",
                                 "google-chrome-stable", "chrome"};
    char profile[4200];
    snprintf(profile, sizeof profile, "--user-data-dir=%s", folder);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char *words[16];
        int count = 0;
        words[count++] = (char *)names[i];
        words[count++] = (char *)"--headless=new";
        words[count++] = (char *)"--use-gl=angle";
        words[count++] = (char *)"--use-angle=swiftshader";
        words[count++] = (char *)"--enable-unsafe-swiftshader";
        words[count++] = (char *)"--no-first-run";
        words[count++] = (char *)"--disable-background-networking";
        words[count++] = (char *)"--window-size=1960,1200";
        words[count++] = profile;
        if (geteuid() == 0) {
            words[count++] = (char *)"--no-sandbox"; // root has no other way
        }
        words[count++] = (char *)address;
        words[count] = NULL;
        pid_t child = names[i] != NULL ? browser_start(words) : 0;
        if (child > 0) {
            return child;
        }
    }
    return 0;
}

bool browser_lives(pid_t browser)
{
    return browser > 0 && waitpid(browser, NULL, WNOHANG) == 0;
}

void browser_end(pid_t browser)
{
    if (browser > 0) {
        (void)kill(-browser, SIGTERM);
        for (int i = 0; i < 40 && waitpid(browser, NULL, WNOHANG) == 0; ++i) {
            nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        }
        (void)kill(-browser, SIGKILL);
        (void)waitpid(browser, NULL, WNOHANG);
    }
}
