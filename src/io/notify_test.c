/* SPDX-License-Identifier: MIT */
#include "io/notify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static void nobody_who_listens_is_no_error(void **state)
{
    (void)state;
    unsetenv("NOTIFY_SOCKET");
    notify_open();
    notify_say("READY=1");
    setenv("WATCHDOG_USEC", "5000000", 1);
    assert_int_equal(notify_watchdog_ms(), 0);
    setenv("NOTIFY_SOCKET", "relative", 1);
    notify_open();
    assert_int_equal(notify_watchdog_ms(), 0);
}

static void a_manager_hears_what_is_said(void **state)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    char               text[32] = "", name[64], pid[24];
    int                fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    (void)state;
    (void)snprintf(name, sizeof(name), "@notify-test-%d", (int)getpid());
    memcpy(at.sun_path, name, strlen(name));
    at.sun_path[0] = '\0';
    assert_int_equal(bind(fd, (const struct sockaddr *)(const void *)&at,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))),
                     0);
    setenv("NOTIFY_SOCKET", name, 1);
    notify_open();
    notify_say("READY=1");
    assert_int_equal(recv(fd, text, sizeof(text), 0), 7);
    assert_memory_equal(text, "READY=1", 7);

    setenv("WATCHDOG_USEC", "5000000", 1);
    assert_int_equal(notify_watchdog_ms(), 5000);
    (void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
    setenv("WATCHDOG_PID", pid, 1);
    assert_int_equal(notify_watchdog_ms(), 5000);
    setenv("WATCHDOG_PID", "1", 1); /* meant for another process */
    assert_int_equal(notify_watchdog_ms(), 0);
    unsetenv("WATCHDOG_PID");
    setenv("WATCHDOG_USEC", "5s", 1);
    assert_int_equal(notify_watchdog_ms(), 0);
    (void)close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_who_listens_is_no_error),
        cmocka_unit_test(a_manager_hears_what_is_said),
    };
    return cmocka_run_group_tests_name("notify", tests, NULL, NULL);
}
