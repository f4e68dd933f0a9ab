/* SPDX-License-Identifier: MIT */
/* fetch_command.c — the output of a line of the shell, for the feeder. */
#include "io/fetch.h"

#include "io/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static bool fail(struct fetched *fetched, const char *what, const char *why)
{
    (void)snprintf(fetched->why, sizeof(fetched->why), "%.100s: %.50s", what, why);
    return false;
}

/* Waits until something can be read; false when the time is up. */
static bool is_readable(int handle, int64_t until_ns)
{
    for (;;) {
        struct pollfd one = { handle, POLLIN, 0 };
        int64_t       left_ms = (until_ns - clock_mono_ns()) / 1000000;
        int           found = left_ms <= 0 ? 0 : poll(&one, 1, left_ms > 60000 ? 60000 : (int)left_ms);

        if (found > 0) return true;
        if (left_ms <= 0 || (found < 0 && errno != EINTR)) return false;
    }
}

/* Everything up to the end. */
static bool read_all(int handle, int64_t until_ns, const char *what, struct fetched *fetched)
{
    for (;;) {
        ssize_t got;

        if (!is_readable(handle, until_ns)) return fail(fetched, what, "no answer in time");
        got = read(handle, fetched->text + fetched->len, fetched->cap - fetched->len);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got < 0) return fail(fetched, what, strerror(errno));
        if (got == 0) return true;
        fetched->len += (size_t)got;
        if (fetched->len == fetched->cap) return fail(fetched, what, "the answer is too long");
    }
}

__attribute__((noreturn)) static void be_child(const char *line, int output)
{
    sigset_t none;

    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGXFSZ, SIG_DFL);
    (void)setpgid(0, 0);
    if (dup2(output, STDOUT_FILENO) >= 0) (void)execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

bool fetch_command(const char *line, int64_t timeout_ms, struct fetched *fetched)
{
    int64_t until_ns = clock_mono_ns() + timeout_ms * 1000000;
    int     ends[2], status = 0;
    pid_t   child;
    bool    ok;

    fetched->len = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) return fail(fetched, line, strerror(errno));
    child = fork();
    if (child == 0) be_child(line, ends[1]);
    (void)close(ends[1]);
    ok = child > 0 ? read_all(ends[0], until_ns, line, fetched) : fail(fetched, line, strerror(errno));
    (void)close(ends[0]);
    if (child <= 0) return false;
    if (!ok) (void)kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (!ok) return false;
    fetched->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (fetched->status == 0) return true;
    (void)snprintf(fetched->why, sizeof(fetched->why), "%.100s: exit %d", line, fetched->status);
    return false;
}
