// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Ctrl-C, kill and a closed terminal are registered here and handled between steps, so that the current step is
// finished and a recording closed.
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupt_number;

static void interrupt_note(int number)
{
    interrupt_number = number;
}

int interrupt_signal(void)
{
    return (int)interrupt_number;
}

void interrupt_catch(void)
{
    // Reset after the first: a second Ctrl-C ends the command at once.
    struct sigaction action = {.sa_handler = interrupt_note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction before; // nohup ignores it, and means it
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(SIGHUP, &action, NULL);
    }
}
