/* SPDX-License-Identifier: MIT */
/*
 * Each error of a call at its boundary, with the engine untouched; forks; and any bytes as commands: the library takes
 * what it is given by a program that may be wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>

#include "core/engine.h"
#include "library/library.h"
#include "rigs/random.h"
#include "rigs/test_files.h"

struct play {
    struct dojima_genesis *genesis;
    struct dojima_engine  *engine;
    struct dojima_events   events;
    struct dojima_setup    setup;
};

static void *zeroed(size_t bytes)
{
    void *at = aligned_alloc(DOJIMA_ALIGN, align_up(bytes, DOJIMA_ALIGN));

    assert_non_null(at);
    return memset(at, 0, bytes);
}

/* The example's market: a spot and a perps symbol, two accounts with money. */
static struct play play_make(void)
{
    struct slice json = file_read("examples/market.json");
    struct play  play = { .setup = { .bytes = sizeof(play.setup), .abi = DOJIMA_ABI } };
    size_t       bytes = dojima_genesis_bytes();

    assert_int_equal(dojima_genesis_read(zeroed(bytes), bytes, json.at, json.len, &play.genesis, NULL), DOJIMA_OK);
    free((void *)(uintptr_t)json.at);
    play.setup.genesis = play.genesis;
    play.setup.memory_bytes = dojima_engine_bytes(play.genesis);
    play.setup.memory = zeroed(play.setup.memory_bytes);
    play.events.room = dojima_events_bytes(play.genesis);
    play.events.at = zeroed(play.events.room);
    play.setup.events = &play.events;
    assert_int_equal(dojima_engine_create(&play.setup, &play.engine), DOJIMA_OK);
    assert_int_not_equal(play.events.bytes, 0);
    play.events.bytes = 0;
    play.setup.events = NULL; /* it was this function's own */
    return play;
}

static void play_free(struct play *play)
{
    free(play->genesis);
    free(play->setup.memory);
    free(play->events.at);
}

struct deposit_room {
    struct dojima_command head;
    struct dojima_deposit deposit;
};

static struct deposit_room deposit_of(const struct play *play, uint8_t who, int64_t amount)
{
    struct deposit_room room = { .head = { .bytes = sizeof(room), .kind = DOJIMA_DEPOSIT },
                                 .deposit = { .amount = amount, .engine = DOJIMA_SPOT } };

    room.head.time_ms = dojima_engine_time_ms(play->engine);
    memset(room.deposit.address.bytes, who, sizeof(room.deposit.address.bytes));
    memset(room.deposit.id.bytes, who, sizeof(room.deposit.id.bytes));
    return room;
}

static void hash_of(const struct play *play, uint8_t hash[32]) { dojima_engine_hash(play->engine, hash); }

static void refuses(struct play *play, struct dojima_command *command, enum dojima_status status)
{
    uint8_t before[32], after[32];
    size_t  bytes = play->events.bytes;

    hash_of(play, before);
    assert_int_equal(dojima_engine_apply(play->engine, command, &play->events), status);
    hash_of(play, after);
    assert_memory_equal(before, after, 32);
    assert_int_equal(play->events.bytes, bytes);
}

static void accepts(struct play *play, struct dojima_command *command)
{
    play->events.bytes = 0;
    assert_int_equal(dojima_engine_apply(play->engine, command, &play->events), DOJIMA_OK);
}

static void test_commands(void **state)
{
    struct play         play = play_make();
    struct deposit_room room = deposit_of(&play, 1, 5);
    int64_t             now = room.head.time_ms;

    (void)state;
    for (uint32_t bytes = 0; bytes < sizeof(struct dojima_command); bytes += 8) {
        room.head.bytes = bytes;
        refuses(&play, &room.head, DOJIMA_BAD_COMMAND);
    }
    room.head.bytes = sizeof(room) + 4;
    refuses(&play, &room.head, DOJIMA_BAD_COMMAND);
    room.head.bytes = COMMAND_BYTES_MAX + 8;
    refuses(&play, &room.head, DOJIMA_BAD_COMMAND);
    room.head.bytes = sizeof(room);
    room.head.seq = 2;
    refuses(&play, &room.head, DOJIMA_WRONG_SEQ);
    room.head.seq = 1;
    room.head.time_ms = now - 1;
    refuses(&play, &room.head, DOJIMA_WRONG_TIME);
    room.head.time_ms = DOJIMA_TIME_MAX + 1;
    refuses(&play, &room.head, DOJIMA_WRONG_TIME);
    room.head.time_ms = now;
    play.events.bytes = 8;
    refuses(&play, &room.head, DOJIMA_EVENTS_FULL);
    accepts(&play, &room.head);
    assert_int_equal(dojima_engine_seq(play.engine), 1);
    room = deposit_of(&play, 2, 5);
    accepts(&play, &room.head);
    assert_int_equal(room.head.seq, 2);
    play_free(&play);
}

static void test_creation(void **state)
{
    struct play           play = play_make();
    struct dojima_setup   setup = play.setup;
    struct dojima_engine *engine = NULL;
    void                 *memory = zeroed(setup.memory_bytes + DOJIMA_ALIGN);

    (void)state;
    setup.events = &play.events;
    setup.memory = memory;
    setup.abi = DOJIMA_ABI + 1;
    assert_int_equal(dojima_engine_create(&setup, &engine), DOJIMA_WRONG_ABI);
    setup.abi = DOJIMA_ABI;
    setup.bytes = sizeof(setup) - 1;
    assert_int_equal(dojima_engine_create(&setup, &engine), DOJIMA_WRONG_ABI);
    setup.bytes = sizeof(setup);
    setup.memory_bytes -= 1;
    assert_int_equal(dojima_engine_create(&setup, &engine), DOJIMA_BAD_MEMORY);
    setup.memory_bytes += 1;
    setup.memory = (char *)memory + 32;
    assert_int_equal(dojima_engine_create(&setup, &engine), DOJIMA_BAD_MEMORY);
    setup.memory = memory;
    play.events.room -= 1;
    assert_int_equal(dojima_engine_create(&setup, &engine), DOJIMA_EVENTS_FULL);
    play.events.room += 1;
    assert_null(engine);
    assert_int_equal(dojima_engine_create(&setup, &engine), DOJIMA_OK);
    free(memory);
    play_free(&play);
}

static void test_genesis(void **state)
{
    struct play         play = play_make();
    struct dojima_error error;
    size_t              bytes = dojima_genesis_bytes();
    void               *memory = zeroed(bytes);
    uint32_t            price, quantity;

    (void)state;
    assert_int_equal(dojima_genesis_read(memory, bytes, "{}", 2, &play.genesis, &error), DOJIMA_BAD_GENESIS);
    assert_string_equal(error.text, "chainID: every required key");
    assert_int_equal(dojima_genesis_read(memory, bytes, "{\"chainID\":1,", 13, &play.genesis, &error),
                     DOJIMA_BAD_GENESIS);
    assert_int_not_equal(error.at, 0);
    assert_int_equal(dojima_genesis_read(memory, 8, "{}", 2, &play.genesis, &error), DOJIMA_BAD_MEMORY);
    assert_int_equal(dojima_symbol_id(play.genesis, DOJIMA_SPOT, "vBTC_vUSDC"), 1);
    assert_int_equal(dojima_symbol_id(play.genesis, DOJIMA_PERPS, "BTC-USD"), 1);
    assert_int_equal(dojima_symbol_id(play.genesis, DOJIMA_SPOT, "BTC-USD"), 0);
    assert_int_equal(dojima_coin_id(play.genesis, "vBTC"), 1);
    assert_int_equal(dojima_coin_id(play.genesis, "vXYZ"), -1);
    assert_int_equal(dojima_symbol_units(play.genesis, DOJIMA_PERPS, 1, &price, &quantity), 1);
    assert_true(price == 1 && quantity == 5);
    assert_int_equal(dojima_symbol_units(play.genesis, DOJIMA_PERPS, 2, &price, &quantity), 0);
    free(memory);
    play_free(&play);
}

/* A copy is another engine: it goes on from the same state, and the first one does not notice. */
static void test_fork(void **state)
{
    struct play         play = play_make(), fork = play_make();
    struct deposit_room first = deposit_of(&play, 7, 1000), second = deposit_of(&play, 8, 1000);
    uint8_t             before[32], after[32];

    (void)state;
    accepts(&play, &first.head);
    hash_of(&play, before);
    memcpy(fork.setup.memory, play.setup.memory, play.setup.memory_bytes);
    assert_int_equal(dojima_engine_adopt(fork.setup.memory, fork.setup.memory_bytes, fork.genesis, &fork.engine),
                     DOJIMA_OK);
    hash_of(&fork, after);
    assert_memory_equal(before, after, 32);
    accepts(&fork, &second.head);
    hash_of(&fork, after);
    assert_memory_not_equal(before, after, 32);
    hash_of(&play, after);
    assert_memory_equal(before, after, 32);
    fork.engine->mark ^= 1;
    assert_int_equal(dojima_engine_adopt(fork.setup.memory, fork.setup.memory_bytes, fork.genesis, &fork.engine),
                     DOJIMA_WRONG_ENGINE);
    play_free(&play);
    play_free(&fork);
}

/* The example's market with one text of it replaced by another of the same length. */
static struct dojima_genesis *genesis_with(const char *text, const char *other)
{
    struct slice           json = file_read("examples/market.json");
    char                  *at = strstr(json.at, text);
    size_t                 bytes = dojima_genesis_bytes();
    struct dojima_genesis *genesis = NULL;

    assert_non_null(at);
    assert_int_equal(strlen(text), strlen(other));
    memcpy(at, other, strlen(other));
    assert_int_equal(dojima_genesis_read(zeroed(bytes), bytes, json.at, json.len, &genesis, NULL), DOJIMA_OK);
    free((void *)(uintptr_t)json.at);
    return genesis;
}

/* Same pools and symbols, so the memory is laid out alike: only the genesis that made the engine adopts it. */
static void test_adopt_other_genesis(void **state)
{
    static const struct {
        const char *text, *other;
        bool        same;
    } rows[] = {
        { "\"maker\": 10000", "\"maker\": 20000", false },
        { "\"name\": \"BTC-USD\"", "\"name\": \"ETH-USD\"", false },
        { "\"chainID\": 77", "\"chainID\": 78", false },
        { "\"chainID\": 77", "\"chainID\" :77", true },
    };
    struct play           play = play_make();
    struct dojima_engine *fork = NULL;

    (void)state;
    for (uint32_t i = 0; i < ARRAY_COUNT(rows); i++) {
        struct dojima_genesis *genesis = genesis_with(rows[i].text, rows[i].other);
        void                  *copy = zeroed(play.setup.memory_bytes);

        memcpy(copy, play.setup.memory, play.setup.memory_bytes);
        assert_int_equal(dojima_engine_adopt(copy, play.setup.memory_bytes, genesis, &fork),
                         rows[i].same ? DOJIMA_OK : DOJIMA_WRONG_ENGINE);
        free(copy);
        free(genesis);
    }
    play_free(&play);
}

struct raise_room {
    struct dojima_command     head;
    struct dojima_raise_limit raise;
};

/* What play->engine has become when its accounts were raised to so many. */
static struct play moved(const struct play *play, uint32_t places)
{
    struct raise_room room = { .head = { .bytes = sizeof(room), .kind = DOJIMA_RAISE_LIMIT },
                               .raise = { .pool = POOL_ACCOUNTS, .places = places, .id = { { 9 } } } };
    struct play       to = *play;

    room.head.time_ms = dojima_engine_time_ms(play->engine);
    refuses(&to, &room.head, DOJIMA_NEEDS_MOVE);
    to.setup.memory_bytes = dojima_engine_move_bytes(play->engine, &room.head);
    to.setup.memory = zeroed(to.setup.memory_bytes);
    assert_int_equal(dojima_engine_move(to.setup.memory, to.setup.memory_bytes, play->engine, &room.head, &to.engine),
                     DOJIMA_OK);
    assert_int_equal(dojima_engine_bytes_of(to.engine), to.setup.memory_bytes);
    to.events = (struct dojima_events){ .room = dojima_events_bytes_of(to.engine) - 8 };
    to.events.at = zeroed(to.events.room + 8);
    refuses(&to, &room.head, DOJIMA_EVENTS_FULL);
    to.events.room += 8;
    accepts(&to, &room.head);
    return to;
}

/* A moved engine is larger than its genesis says, and is copied and adopted all the same. */
static void test_move_and_fork(void **state)
{
    struct play play = play_make(), to = moved(&play, limits_get(&play.genesis->genesis.limits, POOL_ACCOUNTS) + 50000);
    size_t      bytes = dojima_engine_bytes_of(to.engine);
    void       *copy = zeroed(bytes);
    struct dojima_engine *fork;
    struct limits        *limits;
    uint8_t               before[32], after[32];

    (void)state;
    assert_true(bytes > dojima_engine_bytes(play.genesis));
    memcpy(copy, to.engine, bytes);
    assert_int_equal(dojima_engine_adopt(copy, bytes - DOJIMA_ALIGN, play.genesis, &fork), DOJIMA_BAD_MEMORY);
    assert_int_equal(dojima_engine_adopt(copy, bytes, play.genesis, &fork), DOJIMA_OK);
    assert_int_equal(dojima_engine_bytes_of(fork), bytes);
    assert_int_equal(dojima_events_bytes_of(fork), dojima_events_bytes_of(to.engine));
    hash_of(&to, before);
    dojima_engine_hash(fork, after);
    assert_memory_equal(before, after, 32);
    limits = (struct limits *)(uintptr_t)engine_limits(engine_of(copy));
    limits->accounts = play.genesis->genesis.limits.accounts - 1;
    assert_int_equal(dojima_engine_adopt(copy, bytes, play.genesis, &fork), DOJIMA_WRONG_ENGINE);
    limits->accounts = POOL_PLACES_MAX + 1;
    assert_int_equal(dojima_engine_adopt(copy, bytes, play.genesis, &fork), DOJIMA_WRONG_ENGINE);
    free(copy);
    free(to.setup.memory);
    free(to.events.at);
    play_free(&play);
}

/* ---- a small stack ---- */

#define SMALL_STACK (128 * 1024) /* as threads of other programs may have it; a genesis alone is 200 kB */

static void *move_and_adopt(void *self)
{
    const struct play *play = self;
    struct play        to = moved(play, limits_get(&play->genesis->genesis.limits, POOL_ACCOUNTS) + 50000);

    assert_int_equal(dojima_engine_adopt(to.setup.memory, to.setup.memory_bytes, play->genesis, &to.engine), DOJIMA_OK);
    free(to.setup.memory);
    free(to.events.at);
    return NULL;
}

static void test_small_stack(void **state)
{
    struct play    play = play_make();
    pthread_attr_t attributes;
    pthread_t      thread;

    (void)state;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, SMALL_STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, move_and_adopt, &play), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_attr_destroy(&attributes), 0);
    play_free(&play);
}

/* ---- any bytes ---- */

static uint64_t random_state = 0x9e3779b97f4a7c15;
static uint64_t random_next(void) { return random_xorshift(&random_state); }

/* Small values, so that some name what exists; a few large ones. */
static uint64_t any_word(void)
{
    uint64_t a = random_next(), b = random_next();

    return a % 4 == 0 ? b : a % 4 == 1 ? b % 4 : a % 4 == 2 ? 1001 + b % 3 : (b & 0x0101010101010103) << (a >> 8) % 8;
}

static void test_any_bytes(void **state)
{
    static uint64_t        words[COMMAND_BYTES_MAX / 8];
    struct dojima_command *command = (void *)words;
    struct play            play = play_make();
    uint64_t               passed = 0;

    (void)state;
    for (uint32_t i = 0; i < 40000; i++) {
        uint64_t kind = random_next(), length = random_next(), step = random_next(), who = random_next();

        for (uint32_t at = 0; at < 120; at++) words[at] = any_word();
        command->kind = (uint16_t)(kind % (COMMAND_KINDS + 2));
        command->bytes = (uint32_t)(sizeof(*command) + length % 100 * 8);
        command->seq = 0;
        command->time_ms = dojima_engine_time_ms(play.engine) + (int64_t)(step % 16 == 0 ? step % 4000 : 0);
        command->domain = (uint8_t)(who % 3 == 0 ? who : DOJIMA_IMPERSONATED | (1 + who % 2));
        memset(&command->signer, who % 5 == 0 ? 0xb2 : 0xa1, sizeof(command->signer));
        if (command->kind == DOJIMA_RAISE_LIMIT) continue;
        play.events.bytes = 0;
        passed += dojima_engine_apply(play.engine, command, &play.events) == DOJIMA_OK;
        if (i % 1000 == 0) dojima_engine_verify(play.engine);
    }
    dojima_engine_verify(play.engine);
    assert_true(passed > 30000);
    play_free(&play);
}

static void test_names(void **state)
{
    struct dojima_decimal decimal;
    char                  text[24];

    (void)state;
    assert_string_equal(dojima_status_name(DOJIMA_WRONG_ENGINE), "WRONG_ENGINE");
    assert_string_equal(dojima_status_name(DOJIMA_WRONG_ENGINE + 1), "?");
    assert_string_equal(dojima_reject_name(REJECT_BAD_JSON), "BAD_JSON");
    assert_int_equal(dojima_reject_code(REJECT_BAD_JSON), 40001);
    assert_string_equal(dojima_reject_name(REJECT_COUNT), "?");
    assert_string_equal(dojima_reason_name(REASON_IOC_REMAINDER), "IOC_REMAINDER");
    assert_string_equal(dojima_event_name(DOJIMA_EVENT_FILL), "FILL");
    assert_string_equal(dojima_event_name(999), "?");
    assert_string_equal(dojima_command_name(DOJIMA_PLACE_ORDERS), "batchNewOrder");
    assert_int_equal(dojima_decimal_read("-0.50", 5, &decimal), 1);
    assert_int_equal(dojima_decimal_write(decimal, text, sizeof(text)), 4);
    assert_string_equal(text, "-0.5");
    assert_int_equal(dojima_decimal_write(decimal, text, 4), 0);
    assert_int_equal(dojima_decimal_read("1e5", 3, &decimal), 0);
    assert_int_equal(dojima_client_id_make("abc").len, 3);
    assert_int_equal(dojima_client_id_make("0123456789012345678901234567890123456").len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_creation),
        cmocka_unit_test(test_genesis),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_move_and_fork),
        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_small_stack),
        cmocka_unit_test(test_adopt_other_genesis),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
