/* SPDX-License-Identifier: MIT */
/* Lines of the audit log: their contents, and the handling of lines that cannot be written. */
#include "admin/audit.h"

#include "io/files.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define COMMAND                                                                                                        \
    "{\"type\":\"account\",\"params\":{\"id\":\"a\",\"address\":\"0x7777777777777777777777777777777777777777\"}}"

static struct audit        audit;
static char                folder[256], path[512];
static struct operator_key anna;
static json_t             *lines[64];
static size_t              count;

static int begin(void **state)
{
    (void)state;
    if (files_make_temporary(folder, sizeof(folder)) != 0) return -1;
    (void)snprintf(path, sizeof(path), "%s/" AUDIT_LOG, folder);
    audit_init(&audit, folder);
    anna = (struct operator_key){ .name = name_make(SLICE("Anna")) };
    memset(anna.address.bytes, 0xa1, sizeof(anna.address.bytes));
    count = 0;
    return 0;
}

static void forget(void)
{
    while (count > 0) json_decref(lines[--count]);
}

static int end(void **state)
{
    (void)state;
    forget();
    files_remove_tree(folder);
    return 0;
}

/* All lines that are there, each an object of its own. */
static void read_lines(void)
{
    static char text[1 << 17];
    size_t      len = 0, at = 0;

    forget();
    assert_int_equal(files_read(path, text, sizeof(text), &len), 0);
    while (at < len) {
        size_t end_at = at;
        while (end_at < len && text[end_at] != '\n') end_at++;
        assert_true(end_at < len);
        lines[count] = json_loadb(text + at, end_at - at, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(lines[count]);
        count += 1;
        at = end_at + 1;
    }
}

static const char *text_of(size_t line, const char *key)
{
    const char *text = json_string_value(json_object_get(lines[line], key));

    return text != NULL ? text : "";
}

static int64_t number_of(size_t line, const char *key) { return json_integer_value(json_object_get(lines[line], key)); }

static struct audit_case said(uint64_t number)
{
    return (struct audit_case){
        .number = number, .engine_ms = 1760000000123, .who = { 77, 1000 }, .command = SLICE(COMMAND)
    };
}

static struct reply_message reply(uint64_t seq)
{
    struct reply_message message = { .is_transaction = 1, .seq = seq, .place = { .block = 5, .index = 2 } };

    memset(message.place.hash.bytes, 0xab, sizeof(message.place.hash.bytes));
    return message;
}

static void a_command_has_two_lines(void **state)
{
    struct audit_case    one = said(3);
    struct reply_message message = reply(9);

    (void)state;
    one.confirmed = &anna;
    assert_true(audit_asked(&audit, &one));
    message.repeated = 1;
    audit_answered(&audit, &one, REJECT_NONE, &message);
    audit_answered(&audit, &one, REJECT_TRANSFER_CONFLICT, &message);
    read_lines();
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(number_of(i, "number"), 3);
        assert_true(number_of(i, "engineTime") == 1760000000123);
        assert_int_equal(number_of(i, "pid"), 77);
        assert_int_equal(number_of(i, "uid"), 1000);
        assert_string_equal(text_of(i, "signer"), "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1");
        assert_string_equal(text_of(i, "signerName"), "Anna");
        assert_string_equal(json_string_value(json_object_get(json_object_get(lines[i], "command"), "type")),
                            "account");
    }
    assert_string_equal(text_of(0, "event"), "asked");
    assert_null(json_object_get(lines[0], "code"));
    assert_string_equal(text_of(1, "event"), "answered");
    assert_int_equal(number_of(1, "seq"), 9);
    assert_int_equal(number_of(1, "block"), 5);
    assert_true(json_is_true(json_object_get(lines[1], "repeated")));
    assert_int_equal(number_of(1, "code"), 0);
    assert_null(json_object_get(lines[1], "error"));
    assert_int_equal(number_of(2, "code"), 40904);
    assert_string_equal(text_of(2, "error"), "transfer id was used for another transfer");
    assert_int_equal(tally_of(&audit.failures), 0);
}

static void what_was_not_understood_is_cut(void **state)
{
    struct audit_case one = { .engine_ms = 1, .who = { 77, 1000 } };
    char              line[LOCAL_LINE_MAX];

    (void)state;
    memset(line, '"', sizeof(line));
    one.line = slice_make(line, sizeof(line));
    audit_refused(&audit, &one, REJECT_BAD_JSON, "invalid request");
    memset(one.stranger.bytes, 0xe3, sizeof(one.stranger.bytes));
    one.command = SLICE(COMMAND);
    audit_refused(&audit, &one, REJECT_NOT_CONFIRMED, "it is \"another\" key");
    read_lines();
    assert_int_equal(count, 2);
    assert_int_equal(strlen(text_of(0, "line")), 120);
    assert_null(json_object_get(lines[0], "command"));
    assert_null(json_object_get(lines[0], "number"));
    assert_null(json_object_get(lines[0], "wrongSigner"));
    assert_string_equal(text_of(1, "wrongSigner"), "0xe3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3e3");
    assert_string_equal(text_of(1, "error"), "it is \"another\" key");
    assert_null(json_object_get(lines[1], "line"));
}

static void nothing_is_asked_that_is_not_on_record(void **state)
{
    struct audit_case one = said(1);

    (void)state;
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(audit_asked(&audit, &one));
    assert_false(audit_asked(&audit, &one));
    audit_refused(&audit, &one, REJECT_NOT_AUDITED, "");
    assert_int_equal(tally_of(&audit.failures), 3);
    assert_int_equal(rmdir(path), 0);
    assert_true(audit_asked(&audit, &one));
    assert_int_equal(tally_of(&audit.failures), 3);
    read_lines();
    assert_int_equal(count, 1);
}

/* Its command has happened: the line waits, and nothing new happens before it is written. */
static void an_answer_that_cannot_be_written_is_kept(void **state)
{
    struct audit_case    one = said(1), two = said(2), three = said(3);
    struct reply_message first = reply(8), second = reply(9);

    (void)state;
    assert_true(audit_asked(&audit, &one));
    assert_true(audit_asked(&audit, &two));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    audit_answered(&audit, &one, REJECT_NONE, &first);
    audit_answered(&audit, &two, REJECT_NONE, &second);
    assert_false(audit_asked(&audit, &three));
    assert_int_equal(rmdir(path), 0);
    assert_true(audit_asked(&audit, &three));
    read_lines();
    assert_int_equal(count, 3);
    assert_int_equal(number_of(0, "seq"), 8);
    assert_int_equal(number_of(1, "seq"), 9);
    assert_string_equal(text_of(2, "event"), "asked");
    assert_int_equal(audit.kept_len, 0);
}

static void what_is_kept_comes_out_at_the_end_too(void **state)
{
    struct audit_case     one = said(1);
    struct reply_message  message = reply(8);
    struct audit_position place = { .seq = 8, .block = 5 };

    (void)state;
    assert_int_equal(mkdir(path, 0700), 0);
    audit_answered(&audit, &one, REJECT_NONE, &message);
    assert_int_equal(rmdir(path), 0);
    audit_stopped(&audit, 0, &place);
    read_lines();
    assert_int_equal(count, 2);
    assert_string_equal(text_of(0, "event"), "answered");
    assert_string_equal(text_of(1, "event"), "stopped");
    assert_int_equal(number_of(1, "seq"), 8);
}

/* The queue holds more lines than are ever outstanding; one that does not fit is written to the log of the process. */
static void the_room_for_what_is_kept_has_an_end(void **state)
{
    struct reply_message message = reply(8);
    size_t               before = 0;
    uint64_t             number = 1;

    (void)state;
    assert_int_equal(mkdir(path, 0700), 0);
    do {
        struct audit_case one = said(number++);
        before = audit.kept_len;
        audit_answered(&audit, &one, REJECT_NONE, &message);
    } while (audit.kept_len != before);
    assert_true(number > 64);
    assert_true(audit.kept_len <= sizeof(audit.kept));
    assert_int_equal(audit.kept[audit.kept_len - 1], '\n');
}

static void the_life_of_a_process(void **state)
{
    struct audit_start start = { .place = { .seq = 7, .block = 3 }, .operators = 2 };
    struct hash256     config;

    (void)state;
    audit_not_started(&audit, 70, "the log is \"damaged\"");
    audit_torn(&audit, 512, 6, "journal-00000001-00004096.torn");
    audit_started(&audit, &start);
    memset(config.bytes, 0xc0, sizeof(config.bytes));
    start.config = &config;
    audit_started(&audit, &start);
    audit_head(&audit, 8, 4, &config);
    audit_stranger(&audit, (struct local_who){ 5, 6 });
    audit_stopped(&audit, 70, &start.place);
    read_lines();
    assert_int_equal(count, 7);
    assert_string_equal(text_of(0, "event"), "notStarted");
    assert_string_equal(text_of(0, "reason"), "the log is \"damaged\"");
    assert_int_equal(number_of(0, "exit"), 70);
    assert_int_equal(number_of(1, "bytes"), 512);
    assert_int_equal(number_of(1, "afterSeq"), 6);
    assert_null(json_object_get(lines[2], "config"));
    assert_int_equal(number_of(2, "operators"), 2);
    assert_string_equal(text_of(2, "commit"), build_commit);
    assert_string_equal(text_of(3, "config"), "0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0");
    assert_int_equal(number_of(4, "block"), 4);
    assert_int_equal(number_of(5, "uid"), 6);
    assert_int_equal(number_of(6, "exit"), 70);
}

static void a_start_that_is_refused_makes_no_folder(void **state)
{
    (void)state;
    audit_init(&audit, "/absent/folder");
    audit_not_started(&audit, 78, "no");
    assert_int_equal(audit.failing, 0);
    assert_int_not_equal(access("/absent", F_OK), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    /* clang-format off */
    const struct CMUnitTest tests[] = {
        TEST(a_command_has_two_lines), TEST(what_was_not_understood_is_cut),
            TEST(nothing_is_asked_that_is_not_on_record),
        TEST(an_answer_that_cannot_be_written_is_kept), TEST(what_is_kept_comes_out_at_the_end_too),
        TEST(the_room_for_what_is_kept_has_an_end), TEST(the_life_of_a_process),
            TEST(a_start_that_is_refused_makes_no_folder),
    };
    /* clang-format on */
    return cmocka_run_group_tests_name("admin/audit", tests, NULL, NULL);
}
