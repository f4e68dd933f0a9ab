/* SPDX-License-Identifier: MIT */
/*
 * log_words.h — the words of scenarios that `dojima log --scenario` prints; a part of run.c, which includes it. They
 * give the exact contents of a log and its results; a person then cuts them down to the part that matters.
 *
 *   genesis JSON                        the exchange of the log; the first line
 *   command KIND MARKET TIME DOMAIN CHAIN NONCE TAG SIGNER KEY PAYLOAD
 *                                       numbers, but for the name of the kind and, in hex, signer and payload
 *   result N ok | REJECT [#1] [STATUS]  next RESULT of the last command; every one must be named or none
 *   refused REJECT                      it did not run
 *   told 7 0123456789abcdef             number of events, and the first bytes of keccak over them
 *   state 0123…                         engine_hash
 */
#ifndef LOG_WORDS_H
#define LOG_WORDS_H

#include "base/hex.h"
#include "model/shape.h"
#include "wire/shape.h"

static uint32_t next_result;

static void read_hex(const char *text, void *into, size_t len)
{
    uint8_t *to = into;

    if (text == NULL || strlen(text) != 2 * len) FAIL("%zu bytes in hex are wanted", len);
    for (size_t i = 0; i < len; i++) {
        unsigned byte;
        if (sscanf(text + 2 * i, "%2x", &byte) != 1) FAIL("not hex: %s", text);
        to[i] = (uint8_t)byte;
    }
}

/* The engine's memory is zeros that are not there until they are touched, because the pools of a log may be large. */
static void say_genesis(const char *json)
{
    struct shape_error error = { 0 };
    size_t             len = strcspn(json, "\n");
    const char        *wrong;

    if (started) FAIL("the genesis comes first");
    if (shape_read(&genesis_shape, slice_make(json, len), &f->genesis, &error) != REJECT_NONE)
        FAIL("no genesis: %s", error.field);
    wrong = genesis_check(&f->genesis);
    if (wrong != NULL) FAIL("%s", wrong);
    genesis_complete(&f->genesis);
    f->events = (struct events){ calloc(1, engine_events_bytes(&f->genesis)), 0, engine_events_bytes(&f->genesis) };
    f->block = calloc(1, engine_size(&f->genesis) + 64);
    assert(f->block != NULL);
    f->engine = engine_init((void *)align_up((uintptr_t)f->block, 64), &f->genesis, &f->events);
    started = true;
}

static uint16_t kind_of(const char *name)
{
    for (uint16_t kind = 1; kind < 1000 && name != NULL; kind++)
        if (command_name(kind) != NULL && is(name, command_name(kind))) return kind;
    FAIL("no command %s", name == NULL ? "" : name);
}

static void say_command(char **w)
{
    struct command *head = &f->room.head;
    size_t          bytes;

    if (!started) FAIL("the genesis comes first");
    for (int i = 0; i < 9; i++)
        if (w[i] == NULL) FAIL("a command has ten words");
    bytes = w[9] == NULL ? 0 : strlen(w[9]) / 2;
    if (sizeof(*head) + bytes > sizeof(f->room) || bytes % 8 != 0) FAIL("a payload of %zu bytes", bytes);
    memset(&f->room, 0, sizeof(f->room));
    *head = (struct command){ .bytes = (uint32_t)(sizeof(*head) + bytes),
                              .kind = kind_of(w[0]),
                              .market = (uint8_t)atoi(w[1]),
                              .domain = (uint8_t)atoi(w[3]),
                              .chain_id = strtoull(w[4], NULL, 10),
                              .nonce = strtoull(w[5], NULL, 10),
                              .payload_tag = strtoull(w[6], NULL, 10),
                              .key_id = (uint32_t)strtoul(w[8], NULL, 10) };
    read_hex(w[7], head->signer.bytes, sizeof(head->signer.bytes));
    if (bytes != 0) read_hex(w[9], head + 1, bytes);
    f->time_ms = strtoll(w[2], NULL, 10);
    if (f->time_ms < engine_time_ms(f->engine)) FAIL("time goes back");
    fixture_apply(f);
    if (f->seq % 64 == 0) engine_verify(f->engine);
    next_result = 0;
}

static void check_result(char **w)
{
    const struct result *result = event_at(f, EVENT_RESULT, next_result++);

    if (result == NULL) FAIL("there is no such result");
    if (w[0] == NULL || (uint32_t)atoi(w[0]) != result->index) FAIL("it is of item %u", result->index);
    last = *result;
    char *words[WORDS_MAX] = { (char *)(uintptr_t) "->" };
    memcpy(words + 1, w + 1, (WORDS_MAX - 10) * sizeof(words[0]));
    expect(words);
}

static void check_refused(char **w)
{
    const struct refused *refused = event_at(f, EVENT_REFUSED, 0);
    const char           *got = refused == NULL ? "nothing" : reject_row((enum reject)refused->reject)->name;

    if (!is(w[0], got)) FAIL("refused is %s", got);
}

static void check_told(char **w)
{
    struct hash256 hash = keccak256(f->events.at, f->events.len);
    uint32_t       count = 0;
    uint8_t        wanted[8];

    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event))
        count++;
    if (w[0] == NULL || (uint32_t)atoi(w[0]) != count) FAIL("%u events were told", count);
    read_hex(w[1], wanted, sizeof(wanted));
    if (memcmp(wanted, hash.bytes, sizeof(wanted)) != 0) FAIL("other events were told");
}

static void check_state(char **w)
{
    struct hash256 hash = engine_hash(f->engine), wanted;

    read_hex(w[0], &wanted, sizeof(wanted));
    engine_verify(f->engine);
    if (!hash256_equal(&hash, &wanted)) FAIL("it ends in another state");
}

static bool log_word(char **w)
{
    if (is(*w, "command")) say_command(w + 1);
    else if (is(*w, "result")) check_result(w + 1);
    else if (is(*w, "refused")) check_refused(w + 1);
    else if (is(*w, "told")) check_told(w + 1);
    else if (is(*w, "state")) check_state(w + 1);
    else return false;
    return true;
}

#endif
