/* SPDX-License-Identifier: MIT */
/* Each case is a child process of its own: a sandbox cannot be opened again. */
#include "io/sandbox.h"

#include "io/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Result of a child that closed its sandbox and ran `what`: exit code, or minus the signal. */
static int in_sandbox(int (*what)(void))
{
    pid_t child = fork();
    int   status;

    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit none = { 0, 0 };
        (void)setrlimit(RLIMIT_CORE, &none);
        if (sandbox_close() != 0) _exit(99);
        _exit(what());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int run_a_program(void)
{
    char *const words[] = { "true", NULL }, *const none[] = { NULL };
    (void)execve("/bin/true", words, none);
    return 1;
}

static int start_a_process(void) { return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) < 0; }
static int trace(void) { return syscall(SYS_ptrace, 0, 0, 0, 0) < 0; }
static int become_another(void) { return setuid(12345) != 0; }

static void what_only_an_attacker_wants_ends_the_process(void **state)
{
    (void)state;
    assert_int_equal(in_sandbox(run_a_program), -SIGSYS);
    assert_int_equal(in_sandbox(start_a_process), -SIGSYS);
    assert_int_equal(in_sandbox(trace), -SIGSYS);
    assert_int_equal(in_sandbox(become_another), -SIGSYS);
}

static int ask_what_is_not_listed(void)
{
    errno = 0;
    return syscall(SYS_sethostname, "x", 1) == -1 && errno == EPERM && syscall(SYS_personality, 0xffffffff) == -1
                && errno == EPERM
             ? 0
             : 1;
}

static int write_and_run(void)
{
    size_t page = 4096;
    void  *at = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (at == MAP_FAILED || mmap(NULL, page, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
        return 1;
    if (mprotect(at, page, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) return 2;
    return mprotect(at, page, PROT_READ) == 0 ? 0 : 3;
}

static void what_is_not_listed_is_refused(void **state)
{
    (void)state;
    assert_int_equal(in_sandbox(ask_what_is_not_listed), 0);
    assert_int_equal(in_sandbox(write_and_run), 0);
}

static void *add_one(void *number)
{
    *(int *)number += 1;
    return NULL;
}

static int work(void)
{
    char      name[] = "/tmp/sandbox-XXXXXX";
    int       fd = mkstemp(name), number = 0;
    pthread_t thread;

    if (fd < 0 || pwrite(fd, "x", 1, 0) != 1 || fdatasync(fd) != 0 || unlink(name) != 0 || close(fd) != 0) return 1;
    if (thread_start(&thread, "late", add_one, &number) != 0) return 2;
    thread_join(thread);
    return number == 1 ? 0 : 3;
}

static void files_and_threads_go_on_working(void **state)
{
    (void)state;
    assert_int_equal(in_sandbox(work), 0);
}

/* ---- a thread that reads what strangers send ---- */

static bool refused(long result) { return result == -1 && errno == EPERM; }

static void *read_as_a_reader(void *name)
{
    char          byte = 0;
    int           fd = open(name, O_RDONLY | O_CLOEXEC), pair[2];
    struct rlimit limit;

    if (sandbox_close_reader() != 0) return (void *)"no sandbox";
    if (pread(fd, &byte, 1, 0) != 1 || byte != 'x' || close(fd) != 0) return (void *)"it cannot read";
    fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return (void *)"it cannot open for reading";
    if (!refused(open(name, O_RDWR)) || !refused(open(name, O_WRONLY | O_APPEND))
        || !refused(open("/tmp/sandbox-none", O_RDONLY | O_CREAT, 0600)))
        return (void *)"it opens for writing";
    if (!refused(pwrite(fd, "y", 1, 0)) || !refused(fdatasync(fd)) || !refused(ftruncate(fd, 0)))
        return (void *)"it writes";
    if (!refused(rename(name, "/tmp/sandbox-none")) || !refused(unlink(name))
        || !refused(mkdir("/tmp/sandbox-none", 0700)))
        return (void *)"it changes names";
    if (!refused(socket(AF_INET, SOCK_STREAM, 0)) || !refused(socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        || !refused(listen(fd, 1)))
        return (void *)"it makes sockets";
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return (void *)"it cannot ask for a limit";
    if (!refused(setrlimit(RLIMIT_NOFILE, &limit))) return (void *)"it sets limits";
    if (!refused(kill(getpid(), 0)) || !refused(prctl(PR_SET_DUMPABLE, 1))) return (void *)"it reaches others";
    return close(fd) == 0 ? NULL : (void *)"it cannot close";
}

static const char *as_a_reader(void *(*what)(void *), void *argument)
{
    pthread_t thread;
    void     *wrong = (void *)"not joined";

    if (thread_start(&thread, "reader", what, argument) != 0 || pthread_join(thread, &wrong) != 0) return "not started";
    return wrong;
}

/* Within the sandbox of the process; other threads go on writing. */
static int read_beside_others(void)
{
    char        name[] = "/tmp/sandbox-XXXXXX";
    int         fd = mkstemp(name);
    const char *wrong = fd >= 0 && pwrite(fd, "x", 1, 0) == 1 ? as_a_reader(read_as_a_reader, name) : "no file";

    if (wrong != NULL) (void)fprintf(stderr, "%s\n", wrong);
    if (wrong != NULL) return 1;
    return pwrite(fd, "z", 1, 0) == 1 && fdatasync(fd) == 0 && close(fd) == 0 && unlink(name) == 0 ? work() : 2;
}

static void *start_another_thread(void *unused)
{
    pthread_t thread;
    int       number = 0;

    (void)unused;
    if (sandbox_close_reader() != 0) return (void *)"no sandbox";
    return thread_start(&thread, "another", add_one, &number) == EPERM ? NULL : (void *)"it starts threads";
}

static int start_a_thread_as_a_reader(void) { return as_a_reader(start_another_thread, NULL) == NULL ? 0 : 1; }

static void *run_as_a_reader(void *unused)
{
    (void)unused;
    if (sandbox_close_reader() == 0) (void)run_a_program();
    return NULL;
}

static int run_a_program_as_a_reader(void) { return as_a_reader(run_as_a_reader, NULL) != NULL; }

static void a_reader_of_strangers_bytes_has_less_than_the_others(void **state)
{
    (void)state;
    assert_int_equal(in_sandbox(read_beside_others), 0);
    assert_int_equal(in_sandbox(start_a_thread_as_a_reader), 0);
    assert_int_equal(in_sandbox(run_a_program_as_a_reader), -SIGSYS);
}

static _Atomic int closed;

static void *run_in_an_older_thread(void *argument)
{
    (void)argument;
    while (closed == 0) thread_sleep_ms(1);
    _exit(run_a_program());
}

static int wait_for_it(void)
{
    thread_sleep_ms(5000);
    return 2;
}

/* The filter is for threads that were there before, too. */
static void older_threads_are_bound(void **state)
{
    pid_t child = fork();
    int   status;

    (void)state;
    if (child == 0) {
        pthread_t     thread;
        struct rlimit none = { 0, 0 };
        (void)setrlimit(RLIMIT_CORE, &none);
        if (thread_start(&thread, "older", run_in_an_older_thread, NULL) != 0 || sandbox_close() != 0) _exit(99);
        closed = 1;
        _exit(wait_for_it());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}

/* Without the sandbox the same program runs: the cases above can fail. */
static void without_it_nothing_is_forbidden(void **state)
{
    pid_t child = fork();
    int   status;

    (void)state;
    if (child == 0) _exit(run_a_program());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static bool can_close(void)
{
#ifdef SANDBOX_LEFT_OUT
    return false;
#else
    return in_sandbox(work) != 99;
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_only_an_attacker_wants_ends_the_process),
        cmocka_unit_test(what_is_not_listed_is_refused),
        cmocka_unit_test(files_and_threads_go_on_working),
        cmocka_unit_test(a_reader_of_strangers_bytes_has_less_than_the_others),
        cmocka_unit_test(older_threads_are_bound),
        cmocka_unit_test(without_it_nothing_is_forbidden),
    };
    if (!can_close()) {
        printf("SKIP the sandbox: not in this build, or the system has no seccomp filters\n");
        return 0;
    }
    return cmocka_run_group_tests_name("sandbox", tests, NULL, NULL);
}
