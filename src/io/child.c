/* SPDX-License-Identifier: MIT */
#include "io/child.h"

#include "io/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define IO_IDLE          (3 << 13) /* ioprio_set has no header: class idle */
#define PATIENCE_STEPS   40
#define PATIENCE_STEP_MS 50

extern char **environ;

int child_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }

static int spawn(char *const argv[], int out, posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes,
                 int *pid)
{
    sigset_t none;
    pid_t    started;
    int      error = 0;

    (void)sigemptyset(&none);
    if (out >= 0) error = posix_spawn_file_actions_adddup2(actions, out, 1);
    if (error == 0) error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0)
        error = posix_spawnattr_setpgroup(attributes, 0); /* Ctrl-C is for this process; it ends the child itself */
    if (error == 0) error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    if (error == 0) error = posix_spawn(&started, "/proc/self/exe", actions, attributes, argv, environ);
    if (error == 0) *pid = started;
    return error;
}

int child_start(char *const argv[], int out, int *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t          attributes;
    int                        error = posix_spawn_file_actions_init(&actions);

    if (error != 0) return error;
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = spawn(argv, out, &actions, &attributes, pid);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

int child_ended(int pid, int *code)
{
    int status;

    if (waitpid(pid, &status, WNOHANG) != pid) return 0;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return 1;
}

void child_finish(int pid)
{
    int code;

    (void)kill(pid, SIGTERM);
    for (uint32_t i = 0; i < PATIENCE_STEPS; i++) {
        if (child_ended(pid, &code) != 0) return;
        thread_sleep_ms(PATIENCE_STEP_MS);
    }
    child_kill(pid);
}

void child_kill(int pid)
{
    (void)kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
}

/* A process that may crash without a message; the parent handles an interrupt of the whole group. */
static void become_expendable(void)
{
    static const int deaths[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL }, orders[] = { SIGINT, SIGTERM, SIGHUP };
    struct rlimit    none = { 0, 0 };
    int              nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    for (size_t i = 0; i < ARRAY_COUNT(deaths); i++) (void)signal(deaths[i], SIG_DFL);
    for (size_t i = 0; i < ARRAY_COUNT(orders); i++) (void)signal(orders[i], SIG_IGN);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)setrlimit(RLIMIT_CORE, &none);
    if (nowhere >= 0) (void)dup2(nowhere, STDERR_FILENO);
}

bool child_try(bool (*run)(const void *context), const void *context)
{
    pid_t child = fork();
    int   status = 0;

    if (child == 0) {
        become_expendable();
        _exit(run(context) ? 0 : 1);
    }
    if (child < 0) return false;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool child_of(uint64_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    return (uint64_t)getppid() == parent; /* checked after the request: a parent that died before it is noticed */
}

static void go_first_when_memory_is_short(void)
{
    int handle = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (handle < 0) return;
    (void)!write(handle, "1000", 4);
    (void)close(handle);
}

void child_stand_back(void)
{
    (void)setpriority(PRIO_PROCESS, 0, 15);
    (void)syscall(SYS_ioprio_set, 1, 0, IO_IDLE);
    go_first_when_memory_is_short();
}

/* No thread of the copy but this one runs on. */
static void run_copy(int (*run)(int handle), int handle)
{
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (nowhere >= 0) {
        (void)dup2(nowhere, STDIN_FILENO);
        (void)dup2(nowhere, STDOUT_FILENO);
    }
    _exit(run(handle));
}

int child_copy(int (*run)(int handle), int *handle, int *pid)
{
    int   ends[2];
    pid_t child;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return errno;
    child = fork();
    if (child == 0) {
        (void)close(ends[0]);
        run_copy(run, ends[1]);
    }
    (void)close(ends[1]);
    if (child < 0) {
        int error = errno;

        (void)close(ends[0]);
        return error;
    }
    *handle = ends[0];
    *pid = child;
    return 0;
}

void child_hang_up(int handle) { (void)shutdown(handle, SHUT_WR); }

long child_take(int handle, void *bytes, size_t cap, int timeout_ms)
{
    struct pollfd one = { handle, POLLIN, 0 };
    ssize_t       got;

    if (poll(&one, 1, timeout_ms) <= 0) return 0;
    do {
        got = read(handle, bytes, cap);
    } while (got < 0 && errno == EINTR);
    return got > 0 ? (long)got : -1;
}

int child_read(int handle, void *bytes, size_t len, int timeout_ms)
{
    struct pollfd one = { handle, POLLIN, 0 };
    uint8_t      *at = bytes;

    if (poll(&one, 1, timeout_ms) <= 0) return 0;
    while (len != 0) {
        ssize_t got = read(handle, at, len);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        at += got;
        len -= (size_t)got;
    }
    return 1;
}

bool child_write(int handle, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    while (len != 0) {
        ssize_t put = write(handle, at, len);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        at += put;
        len -= (size_t)put;
    }
    return true;
}

uint64_t child_self(void) { return (uint64_t)getpid(); }
