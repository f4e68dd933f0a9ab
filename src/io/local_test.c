/* SPDX-License-Identifier: MIT */
/* local.h: one line in, one line out; permissions, obstacles, and misbehaving peers. */
#include "io/local.h"

#include "base/out.h"
#include "io/files.h"
#include "io/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

struct rig {
    char             folder[256], path[512];
    struct local    *local;
    pthread_t        thread;
    _Atomic uint32_t lines, woken;
    /* lines "later" are answered after a wake */
    struct {
        uint32_t peer, generation;
    } later[LOCAL_PEERS];
    _Atomic uint32_t later_count;
    _Atomic uint32_t release;
    _Atomic uint32_t strangers;
    struct local_who who, stranger;
};

static struct rig rig;

static void on_line(void *self, uint32_t peer, uint32_t generation, struct slice line)
{
    char       text[LOCAL_LINE_MAX];
    struct out out = out_make(text, sizeof(text) - 1);

    (void)self;
    rig.lines++;
    rig.who = local_who(rig.local, peer);
    if (slice_is(line, "later")) {
        assert_true(rig.later_count < LOCAL_PEERS);
        rig.later[rig.later_count].peer = peer;
        rig.later[rig.later_count].generation = generation;
        rig.later_count++;
        return;
    }
    if (slice_is(line, "huge")) {
        for (size_t i = 0; i < LOCAL_LINE_MAX - 1; i++) out_char(&out, 'h');
    } else {
        out_literal(&out, "<");
        out_bytes(&out, line.at, line.len);
        out_literal(&out, ">");
    }
    assert_false(out.overflow);
    local_answer(rig.local, peer, generation, out_slice(&out));
}

static void on_woken(void *self)
{
    (void)self;
    rig.woken++;
    if (rig.release == 0) return;
    for (uint32_t i = 0; i < rig.later_count; i++)
        local_answer(rig.local, rig.later[i].peer, rig.later[i].generation, SLICE("now"));
    rig.later_count = 0;
}

static void *run(void *local)
{
    local_run(local);
    return NULL;
}

static void on_stranger(void *self, struct local_who who)
{
    (void)self;
    rig.stranger = who;
    rig.strangers++; /* last: its counter is read by another test */
}

static const struct local_owner owner = { &rig, on_line, on_woken, on_stranger };

static int begin(void **state)
{
    struct local_fault fault;

    (void)state;
    memset(&rig, 0, sizeof(rig));
    assert_int_equal(files_make_temporary(rig.folder, sizeof(rig.folder)), 0);
    (void)snprintf(rig.path, sizeof(rig.path), "%s/a.sock", rig.folder);
    rig.local = local_open(rig.path, &owner, &fault);
    assert_non_null(rig.local);
    return thread_start(&rig.thread, "local", run, rig.local);
}

static int end(void **state)
{
    (void)state;
    local_stop(rig.local);
    thread_join(rig.thread);
    local_close(rig.local);
    assert_int_not_equal(access(rig.path, F_OK), 0); /* the file went with it */
    files_remove_tree(rig.folder);
    return 0;
}

static int connect_peer(void)
{
    struct local_fault fault;
    int                handle = local_connect(rig.path, &fault);

    assert_true(handle >= 0);
    return handle;
}

static void expect(int handle, const char *line, const char *answer)
{
    char   text[LOCAL_LINE_MAX];
    size_t len;

    assert_int_equal(local_ask(handle, slice_of(line), text, &len), 0);
    assert_int_equal(len, strlen(answer));
    assert_memory_equal(text, answer, len);
}

static void a_line_is_answered_with_a_line(void **state)
{
    int a = connect_peer(), b = connect_peer();

    (void)state;
    expect(a, "one", "<one>");
    expect(b, "", "<>");
    expect(a, "two", "<two>");
    files_close(a);
    expect(b, "three", "<three>");
    files_close(b);
}

static void lines_sent_at_once_are_answered_one_after_the_other(void **state)
{
    int  handle = connect_peer();
    char text[64];

    (void)state;
    assert_int_equal(send(handle, "a\nb\nc\nd", 7, 0), 7);
    thread_sleep_ms(50);
    assert_int_equal(rig.lines, 3);
    assert_int_equal(send(handle, "d\n", 2, 0), 2);
    thread_sleep_ms(50);
    assert_int_equal(recv(handle, text, sizeof(text), 0), 17);
    assert_memory_equal(text, "<a>\n<b>\n<c>\n<dd>\n", 17);
    files_close(handle);
}

static void an_answer_may_come_later(void **state)
{
    int  handle = connect_peer(), other = connect_peer();
    char text[64];

    (void)state;
    assert_int_equal(send(handle, "later\nthen\n", 11, 0), 11);
    expect(other, "meanwhile", "<meanwhile>");
    assert_int_equal(recv(handle, text, sizeof(text), MSG_DONTWAIT), -1);
    rig.release = 1;
    local_wake(rig.local);
    thread_sleep_ms(50);
    assert_int_equal(recv(handle, text, sizeof(text), 0), 11); /* the answers are in the order of the lines */
    assert_memory_equal(text, "now\n<then>\n", 11);
    files_close(handle);
    files_close(other);
}

static void only_the_owner_of_the_file_may_open_it(void **state)
{
    struct stat info;

    (void)state;
    assert_int_equal(stat(rig.path, &info), 0);
    assert_true(S_ISSOCK(info.st_mode));
    assert_int_equal(info.st_mode & 0777, 0600);
}

/* A process of another user, with the mode opened by mistake: the kernel's credentials decide. */
static void other_users_are_not_answered(void **state)
{
    struct local_fault fault;
    char               text[LOCAL_LINE_MAX];
    size_t             len;
    int                status = 0, handle;
    pid_t              child;

    (void)state;
    if (geteuid() != 0) {
        print_message("SKIP only root can be somebody else\n");
        skip();
    }
    assert_int_equal(chmod(rig.folder, 0755), 0);
    child = fork();
    if (child == 0) { /* 0: not let in, as it must be */
        if (setuid(65534) != 0 || local_connect(rig.path, &fault) >= 0) _exit(1);
        _exit(fault.code == EACCES ? 0 : 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(chmod(rig.path, 0666), 0);
    child = fork();
    if (child == 0) {
        handle = setuid(65534) == 0 ? local_connect(rig.path, &fault) : -1;
        _exit(handle < 0 ? 1 : local_ask(handle, SLICE("me"), text, &len) == ENODATA ? 0 : 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(rig.lines, 0);
    assert_int_equal(rig.strangers, 1); /* the first one could not even knock */
    assert_int_equal(rig.stranger.uid, 65534);
    assert_int_equal(rig.stranger.pid, child);
}

static void the_owner_knows_who_speaks(void **state)
{
    int handle = connect_peer();

    (void)state;
    expect(handle, "me", "<me>");
    assert_int_equal(rig.who.uid, geteuid());
    assert_int_equal(rig.who.pid, getpid());
    assert_int_equal(rig.strangers, 0);
    files_close(handle);
}

static void a_line_has_a_longest_length(void **state)
{
    char line[LOCAL_LINE_MAX + 1], text[LOCAL_LINE_MAX];
    int  handle = connect_peer();

    (void)state;
    memset(line, 'x', sizeof(line));
    assert_int_equal(send(handle, line, LOCAL_LINE_MAX, 0), LOCAL_LINE_MAX);
    assert_true(recv(handle, text, 1, 0) <= 0); /* hung up: the line has no end */
    files_close(handle);
    handle = connect_peer();
    memcpy(text, "huge", 4);
    assert_int_equal(local_ask(handle, SLICE("huge"), text, &(size_t){ 0 }), 0);
    assert_int_equal(local_ask(handle, slice_make(line, LOCAL_LINE_MAX), text, &(size_t){ 0 }), EMSGSIZE);
    files_close(handle);
}

static bool is_hung_up(int handle)
{
    char byte;

    return recv(handle, &byte, 1, MSG_DONTWAIT) == 0;
}

/* Ruling 74: a newcomer always gets in; the peer that has had no answer for the longest time makes room. */
static void a_newcomer_takes_the_place_that_is_idle_for_longest(void **state)
{
    int peers[LOCAL_PEERS], newcomer;

    (void)state;
    for (size_t i = 0; i < LOCAL_PEERS; i++) {
        peers[i] = connect_peer();
        expect(peers[i], "here", "<here>");
    }
    expect(peers[0], "still", "<still>");
    for (size_t i = 0; i < LOCAL_PEERS; i++) assert_false(is_hung_up(peers[i])); /* there is room for all of them */
    newcomer = connect_peer();
    expect(newcomer, "me too", "<me too>");
    for (size_t i = 0; i < LOCAL_PEERS; i++) assert_int_equal(is_hung_up(peers[i]), i == 1);
    expect(peers[0], "again", "<again>");
    files_close(newcomer);
    for (size_t i = 0; i < LOCAL_PEERS; i++) files_close(peers[i]);
}

/* Bytes without an end of line do not make a peer busy. */
static void slow_senders_keep_nobody_out(void **state)
{
    int peers[LOCAL_PEERS], newcomer;

    (void)state;
    for (size_t i = 0; i < LOCAL_PEERS; i++) peers[i] = connect_peer();
    for (size_t round = 0; round < 2 * LOCAL_PEERS; round++) {
        for (size_t i = 0; i < LOCAL_PEERS; i++) (void)send(peers[i], "x", 1, MSG_NOSIGNAL);
        newcomer = connect_peer();
        expect(newcomer, "mode", "<mode>");
        if (round % 2 == 0) files_close(newcomer);
        else {
            files_close(peers[round / 2]);
            peers[round / 2] = newcomer;
        }
    }
    for (size_t i = 0; i < LOCAL_PEERS; i++) files_close(peers[i]);
}

/*
 * An outstanding command is answered; a newcomer waits that long, and no longer: lines behind it come after the
 * newcomer's.
 */
static void whoever_waits_for_an_answer_keeps_the_place(void **state)
{
    int     peers[LOCAL_PEERS], newcomer;
    char    text[64];
    ssize_t got;

    (void)state;
    for (size_t i = 0; i < LOCAL_PEERS; i++) {
        peers[i] = connect_peer();
        assert_int_equal(send(peers[i], "later\nlater\n", 12, 0), 12);
    }
    while (rig.later_count < LOCAL_PEERS) thread_sleep_ms(1);
    newcomer = connect_peer();
    assert_int_equal(send(newcomer, "mode\n", 5, 0), 5);
    thread_sleep_ms(50);
    assert_int_equal(recv(newcomer, text, sizeof(text), MSG_DONTWAIT), -1);
    for (size_t i = 0; i < LOCAL_PEERS; i++) assert_false(is_hung_up(peers[i]));
    rig.release = 1;
    local_wake(rig.local);
    for (size_t i = 0; i < LOCAL_PEERS; i++) {
        got = recv(peers[i], text, sizeof(text), 0);
        assert_true(got >= 4);
        assert_memory_equal(text, "now\n", 4);
    }
    got = recv(newcomer, text, sizeof(text), 0);
    assert_int_equal(got, 7);
    assert_memory_equal(text, "<mode>\n", 7);
    files_close(newcomer);
    for (size_t i = 0; i < LOCAL_PEERS; i++) files_close(peers[i]);
}

/* As a process that was killed leaves it. */
static void leave_socket(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int                handle = socket(AF_UNIX, SOCK_STREAM, 0);

    assert_true(strlen(path) < sizeof(address.sun_path));
    memcpy(address.sun_path, path, strlen(path) + 1);
    assert_int_equal(bind(handle, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(handle, 1), 0);
    files_close(handle);
}

static void what_a_dead_process_left_makes_room_and_other_files_do_not(void **state)
{
    struct local_fault fault;
    struct local      *second;
    char               other[600];
    int                file;

    (void)state;
    assert_null(local_open(rig.path, &owner, &fault)); /* a process listens there */
    assert_int_equal(fault.code, EADDRINUSE);
    (void)snprintf(other, sizeof(other), "%s/dead", rig.folder);
    leave_socket(other);
    second = local_open(other, &owner, &fault);
    assert_non_null(second);
    local_close(second);

    (void)snprintf(other, sizeof(other), "%s/file", rig.folder);
    file = open(other, O_CREAT | O_WRONLY, 0600);
    files_close(file);
    assert_null(local_open(other, &owner, &fault));
    assert_int_equal(fault.code, EEXIST);
    assert_int_equal(access(other, F_OK), 0); /* it is still there */
    (void)snprintf(other, sizeof(other), "%s/none/a.sock", rig.folder);
    assert_null(local_open(other, &owner, &fault));
    assert_int_equal(fault.code, ENOENT);
}

static void a_path_that_does_not_fit_is_named(void **state)
{
    struct local_fault fault;
    char               path[200] = "/tmp/";
    struct local      *local;

    (void)state;
    memset(path + 5, 'p', 103); /* 108 bytes */
    assert_null(local_open(path, &owner, &fault));
    assert_int_equal(fault.code, ENAMETOOLONG);
    assert_non_null(strstr(fault.text, "107"));
    assert_int_equal(local_connect(path, &fault), -1);
    assert_int_equal(fault.code, ENAMETOOLONG);
    path[107] = '\0'; /* and 107 fit */
    local = local_open(path, &owner, &fault);
    assert_non_null(local);
    local_close(local);
}

static void nobody_there_is_told(void **state)
{
    struct local_fault fault;
    char               path[600];
    int                handle;

    (void)state;
    (void)snprintf(path, sizeof(path), "%s/absent", rig.folder);
    assert_int_equal(local_connect(path, &fault), -1);
    assert_int_equal(fault.code, ENOENT);
    handle = connect_peer();
    expect(handle, "there", "<there>");
    files_close(handle);
}

/* A peer that cannot be taken in because the process has no handles left waits, and costs nothing meanwhile. */
static void no_handle_left_is_waited_out(void **state)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct rlimit      before, none;
    int                handle = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), used[64];
    uint32_t           woken;

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(used); i++)
        used[i] = dup(handle); /* poll itself wants some room under the limit */
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", rig.path);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){ (rlim_t)used[ARRAY_COUNT(used) - 1] + 1, before.rlim_max }; /* all below are in use */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(connect(handle, (const struct sockaddr *)&address, sizeof(address)), 0);
    woken = rig.woken;
    (void)usleep(300000);
    woken = rig.woken - woken;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(woken >= 1 && woken < 20);
    expect(handle, "hello", "<hello>");
    for (size_t i = 0; i < ARRAY_COUNT(used); i++) files_close(used[i]);
    files_close(handle);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    /* clang-format off */
    const struct CMUnitTest tests[] = {
        TEST(a_line_is_answered_with_a_line), TEST(lines_sent_at_once_are_answered_one_after_the_other),
        TEST(an_answer_may_come_later), TEST(only_the_owner_of_the_file_may_open_it),
            TEST(other_users_are_not_answered),
        TEST(the_owner_knows_who_speaks), TEST(a_line_has_a_longest_length), 
        TEST(a_newcomer_takes_the_place_that_is_idle_for_longest), TEST(slow_senders_keep_nobody_out),
            TEST(whoever_waits_for_an_answer_keeps_the_place),
        TEST(what_a_dead_process_left_makes_room_and_other_files_do_not),
        TEST(a_path_that_does_not_fit_is_named), TEST(nobody_there_is_told), TEST(no_handle_left_is_waited_out),
    };
    /* clang-format on */
    return cmocka_run_group_tests_name("io/local", tests, NULL, NULL);
}
