/* SPDX-License-Identifier: MIT */
#include "io/signals.h"

#include "io/thread.h"

#include <errno.h>
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

void signals_let_writes_fail(void) { (void)signal(SIGXFSZ, SIG_IGN); }

int signals_wait(int64_t timeout_ms)
{
    sigset_t        set = stop_signals();
    struct timespec span = { (time_t)(timeout_ms / 1000), (long)(timeout_ms % 1000) * 1000000 };
    int             number = timeout_ms == INT64_MAX ? sigwaitinfo(&set, NULL) : sigtimedwait(&set, NULL, &span);

    return number > 0 ? number : 0;
}

void signals_stop_self(void) { (void)kill(getpid(), SIGTERM); }

/* The thread is not joined: it ends with the process when the input has no end. An input that cannot be read has one.
 */
static void *wait_for_end(void *argument)
{
    char    discarded[256];
    ssize_t got;

    do got = read(STDIN_FILENO, discarded, sizeof(discarded));
    while (got > 0 || (got < 0 && errno == EINTR));
    signals_stop_self();
    return argument;
}

int signals_stop_at_end_of_input(void)
{
    pthread_t thread;

    return thread_start(&thread, "input", wait_for_end, NULL);
}
