/* SPDX-License-Identifier: MIT */
/* A loop opens no file descriptor of a kind that the sandbox refuses. */
#include "io/net.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static struct slice refusal(void) { return SLICE("full"); }

/* File descriptors of this process whose name contains `word`. */
static int count_handles(const char *word)
{
    DIR           *folder = opendir("/proc/self/fd");
    struct dirent *entry;
    int            count = 0;

    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        char    path[300], name[256];
        ssize_t len;

        (void)snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
        len = readlink(path, name, sizeof(name) - 1);
        name[len > 0 ? len : 0] = '\0';
        count += strstr(name, word) != NULL;
    }
    (void)closedir(folder);
    return count;
}

/* A ring goes past the filter of system calls, so the sandbox refuses it, and libuv aborts. */
static void a_loop_uses_no_io_uring(void **state)
{
    static const struct net_owner owner = { 0 };
    struct net_settings           settings = { 8, 4096, 65536, 64, 60000, 1024 * 1024 };
    struct net_fault              fault;
    struct net_listener          *listener;
    struct net                   *net;

    (void)state;
    assert_int_equal(setenv("UV_USE_IO_URING", "1", 1), 0); /* whatever the environment sets */
    listener = net_listen(&(struct net_address){ "127.0.0.1", 0, 6, 4, 262144, 65536, refusal, NULL, NULL }, &fault);
    assert_non_null(listener);
    net = net_open(listener, &settings, &owner);
    assert_non_null(net);
    assert_int_equal(count_handles("eventpoll"), 1);
    assert_int_equal(count_handles("io_uring"), 0);
    net_close(net);
    net_unlisten(listener);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_uses_no_io_uring),
    };
    return cmocka_run_group_tests_name("net loop", tests, NULL, NULL);
}
