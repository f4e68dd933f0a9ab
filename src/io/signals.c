/* SPDX-License-Identifier: MIT */
#include "io/signals.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

static sigset_t stop_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

void signals_block(void)
{
    sigset_t set = stop_signals();

    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
}

int signals_wait(int64_t timeout_ms)
{
    sigset_t        set = stop_signals();
    struct timespec span = { (time_t)(timeout_ms / 1000), (long)(timeout_ms % 1000) * 1000000 };
    int             number = timeout_ms == INT64_MAX ? sigwaitinfo(&set, NULL) : sigtimedwait(&set, NULL, &span);

    return number > 0 ? number : 0;
}

void signals_stop_self(void) { (void)kill(getpid(), SIGTERM); }
