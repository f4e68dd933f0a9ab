/* SPDX-License-Identifier: MIT */
/*
 * The market around an account is the market of `dojima dev`: without actions it ends in the state of the rig that the
 * market's own tests drive. Same seed and actions: same observations and log; what an account does is what it sees.
 */
#include <stddef.h>

#include "environment/environment.h"
#include "rigs/market/market_rig.h"
#include "rigs/test_files.h"
#include "rigs/random.h"

#define SEED   UINT64_C(7)
#define LEVELS 10
#define ORDERS 8
#define LOG    (64 << 20)

struct play {
    struct dojima_environment_setup setup;
    struct dojima_environment      *environment;
};

static void *zeroed(size_t bytes)
{
    void *at = aligned_alloc(DOJIMA_ALIGN, align_up(bytes, DOJIMA_ALIGN));

    assert_non_null(at);
    return memset(at, 0, bytes);
}

static struct dojima_genesis *genesis_of_example(void)
{
    struct slice           json = file_read("examples/market.json");
    size_t                 bytes = dojima_genesis_bytes();
    struct dojima_genesis *genesis;

    assert_int_equal(dojima_genesis_read(zeroed(bytes), bytes, json.at, json.len, &genesis, NULL), DOJIMA_OK);
    free((void *)(uintptr_t)json.at);
    return genesis;
}

static struct play play_make(uint32_t warm_up_ms)
{
    struct play play = { .setup = { .bytes = sizeof(play.setup),
                                    .abi = DOJIMA_MARKET_ABI,
                                    .genesis = genesis_of_example(),
                                    .preset = DOJIMA_CALM,
                                    .levels = LEVELS,
                                    .orders = ORDERS,
                                    .actions = 1,
                                    .warm_up_ms = warm_up_ms,
                                    .log_bytes = LOG } };

    play.setup.memory_bytes = dojima_environment_bytes(&play.setup);
    play.setup.memory = zeroed(play.setup.memory_bytes);
    play.setup.observation = calloc(dojima_environment_words(&play.setup), sizeof(int64_t));
    play.setup.log = malloc(LOG);
    assert_int_equal(dojima_environment_create(&play.setup, &play.environment), DOJIMA_OK);
    dojima_environment_reset(play.environment, SEED, NULL);
    return play;
}

static void play_free(struct play *play)
{
    views_deinit(play->environment->views);
    free((void *)(uintptr_t)play->setup.genesis);
    free(play->setup.memory);
    free(play->setup.observation);
    free(play->setup.log);
}

static int64_t step(struct play *play, const int64_t *action)
{
    int64_t reward, before = play->setup.observation[ACCOUNT_VALUE];

    (void)dojima_environment_step(play->environment, action, NULL, &reward);
    assert_int_equal(reward, play->setup.observation[ACCOUNT_VALUE] - before);
    return reward;
}

/* ---- the market ---- */

static struct market_rig *rig_of(const struct genesis *genesis)
{
    struct market_rig *rig = calloc(1, sizeof(*rig));

    rig->time_ms = genesis->time_ms;
    rig->events.cap = engine_events_bytes(genesis);
    rig->events.at = zeroed(rig->events.cap);
    rig->commands = zeroed(RIG_COMMANDS);
    rig->engine = engine_init(zeroed(engine_size(genesis)), genesis, &rig->events);
    rig->views = views_init(zeroed(views_size(genesis)), genesis);
    views_apply(rig->views, &rig->events, NULL);
    rig->market = market_make(SEED, genesis, rig->views);
    rig->knobs = (struct market_knobs){ .preset = MARKET_CALM, .takers = 100 };
    return rig;
}

static void test_same_market(void **state)
{
    struct play        play = play_make(0);
    struct market_rig *rig = rig_of(&play.setup.genesis->genesis);
    struct hash256     ours, theirs;

    (void)state;
    rig_run(rig, 600);
    while (engine_seq(engine_of(play.environment->engine)) < rig->seq) (void)step(&play, NULL);
    ours = engine_hash(engine_of(play.environment->engine));
    theirs = engine_hash(rig->engine);
    assert_true(rig->seq > 10000);
    assert_true(hash256_equal(&ours, &theirs));
    (void)step(&play, NULL);
    ours = engine_hash(engine_of(play.environment->engine));
    assert_false(hash256_equal(&ours, &theirs));
    rig_free(rig);
    play_free(&play);
}

/* ---- determinism ---- */

static uint64_t random_state;
static int64_t  random_below(uint64_t n) { return (int64_t)(random_xorshift(&random_state) % n); }

static void any_action(int64_t action[DOJIMA_ACTION_WORDS])
{
    static const uint64_t ranges[DOJIMA_ACTION_WORDS] = { 5, 2, 2, 60, 3000, 3, ORDERS };

    for (uint32_t i = 0; i < DOJIMA_ACTION_WORDS; i++) action[i] = random_below(ranges[i]);
    action[3] -= 40;
}

/* A digest of every observation of an episode, and of its log. */
static struct hash256 episode_of(struct play *play, uint32_t steps)
{
    struct keccak keccak;
    uint64_t      fills = 0, refused = 0, open = 0;

    random_state = 99;
    keccak_init(&keccak);
    dojima_environment_reset(play->environment, SEED, NULL);
    for (uint32_t i = 0; i < steps; i++) {
        int64_t action[DOJIMA_ACTION_WORDS];

        any_action(action);
        (void)step(play, action);
        keccak_add(&keccak, play->setup.observation, play->environment->words * sizeof(int64_t));
        fills += (uint64_t)play->environment->account[ACCOUNT_FILLS];
        refused += (uint64_t)play->environment->account[ACCOUNT_REFUSED];
        open += (uint64_t)play->environment->account[ACCOUNT_OPEN];
    }
    assert_true(fills > 50 && refused > 50 && open > steps);
    assert_true(play->environment->logged < LOG);
    keccak_add(&keccak, play->setup.log, play->environment->logged);
    return keccak_end(&keccak);
}

static void test_same_again(void **state)
{
    struct play    play = play_make(5000), other = play_make(5000);
    struct hash256 first = episode_of(&play, 5000), again = episode_of(&play, 5000),
                   elsewhere = episode_of(&other, 5000);

    (void)state;
    assert_true(hash256_equal(&first, &again));
    assert_true(hash256_equal(&first, &elsewhere));
    dojima_engine_verify(play.environment->engine);
    play_free(&play);
    play_free(&other);
}

/* Each step at a place of its own: the same words, and those before stay. */
static void test_places(void **state)
{
    struct play play = play_make(5000), other = play_make(5000);
    size_t      words = play.environment->words;
    int64_t    *places = calloc(1001 * words, sizeof(*places)), reward;

    (void)state;
    assert_non_null(places);
    random_state = 8;
    dojima_environment_reset(play.environment, SEED, places);
    for (uint32_t i = 1; i <= 1000; i++) {
        int64_t action[DOJIMA_ACTION_WORDS], last[1024];

        any_action(action);
        assert_true(words <= ARRAY_COUNT(last));
        memcpy(last, places + (i - 1) * words, words * sizeof(*last));
        (void)dojima_environment_step(play.environment, action, places + i * words, &reward);
        (void)step(&other, action);
        assert_memory_equal(last, places + (i - 1) * words, words * sizeof(*last));
        assert_memory_equal(places + i * words, other.setup.observation, words * sizeof(*last));
    }
    free(places);
    play_free(&play);
    play_free(&other);
}

/* ---- what is seen ---- */

/* The observation, kept from events, against the views. */
static void compare(const struct play *play)
{
    const struct dojima_environment *environment = play->environment;
    struct view_level                bids[LEVELS], asks[LEVELS];
    struct view_book                 book;
    struct order_changed             orders[64];
    struct view_block                block;
    struct view_balance              balances[COINS_MAX];
    uint32_t                         count, open = 0;

    for (uint32_t i = 0; i < environment->symbol_count; i++) {
        const struct seen *seen = &environment->seen[i];

        views_book(environment->views, seen->market, seen->symbol->id, LEVELS, bids, asks, &book);
        assert_memory_equal(seen->book[0], bids, book.bid_count * sizeof(bids[0]));
        assert_memory_equal(seen->book[1], asks, book.ask_count * sizeof(asks[0]));
        assert_int_equal(seen->words[SYMBOL_LAST],
                         views_last_price(environment->views, seen->market, seen->symbol->id));
        open += views_open_orders(environment->views, seen->market, ENVIRONMENT_ACCOUNT, seen->symbol->id, &block,
                                  orders, 64);
    }
    assert_int_equal(open, environment->account[ACCOUNT_OPEN]);
    count = views_balances(environment->views, MARKET_SPOT, ENVIRONMENT_ACCOUNT, balances);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(environment->balances[balances[i].coin_id * 2], balances[i].total);
        assert_int_equal(environment->balances[balances[i].coin_id * 2 + 1], balances[i].locked);
    }
}

static void test_observation(void **state)
{
    struct play play = play_make(5000);

    (void)state;
    random_state = 5;
    for (uint32_t i = 0; i < 3000; i++) {
        int64_t action[DOJIMA_ACTION_WORDS];

        any_action(action);
        (void)step(&play, action);
        views_apply(play.environment->views, (const struct events *)(const void *)&play.environment->events, NULL);
        play.environment->events.bytes = 0;
        compare(&play);
    }
    play_free(&play);
}

static void test_orders(void **state)
{
    struct play    play = play_make(5000);
    const int64_t *account = play.environment->account, *order = play.environment->orders;
    const int64_t  place[] = { DOJIMA_ACT_PLACE, 0, 0, -50, 1000, 2, 0 },
                  move[] = { DOJIMA_ACT_REPLACE, 0, 0, -60, 2000, 0, 0 },
                  drop[] = { DOJIMA_ACT_CANCEL, 0, 0, 0, 0, 0, 0 },
                  take[] = { DOJIMA_ACT_PLACE, 1, 1, 1000, 1000, 1, 0 };
    int64_t best = best_price(&play.environment->seen[0], 0);

    (void)state;
    (void)step(&play, place);
    assert_true(order[ORDER_ID] != 0 && account[ACCOUNT_OPEN] == 1 && order[ORDER_SYMBOL] == 1);
    assert_int_equal(order[ORDER_PRICE], best - 50);
    assert_int_equal(order[ORDER_QUANTITY], 1000);
    best = best_price(&play.environment->seen[0], 0);
    (void)step(&play, move);
    assert_int_equal(order[ORDER_PRICE], best - 60);
    assert_int_equal(order[ORDER_QUANTITY], 2000);
    (void)step(&play, drop);
    assert_true(order[ORDER_ID] == 0 && account[ACCOUNT_OPEN] == 0);
    assert_int_equal(account[ACCOUNT_REFUSED], 0);
    (void)step(&play, drop);
    assert_int_equal(account[ACCOUNT_REJECT], REJECT_ORDER_NOT_FOUND);
    (void)step(&play, take);
    assert_true(account[ACCOUNT_FILLS] >= 1);
    assert_int_equal(play.environment->seen[1].position[POSITION_SIZE], -1000);
    play_free(&play);
}

/* Any numbers: none stops the process, each row that names nothing is counted. */
static void test_any_numbers(void **state)
{
    struct play          play = play_make(1000);
    static const int64_t numbers[] = { INT64_MIN, -1, 0, 1, 2, 5, 100, INT64_MAX };

    (void)state;
    random_state = 3;
    for (uint32_t i = 0; i < 20000; i++) {
        int64_t  action[DOJIMA_ACTION_WORDS];
        uint32_t word;

        any_action(action);
        word = (uint32_t)random_below(DOJIMA_ACTION_WORDS);
        action[word] = numbers[random_below(ARRAY_COUNT(numbers))];
        (void)step(&play, action);
    }
    dojima_engine_verify(play.environment->engine);
    play_free(&play);
}

static void test_setup(void **state)
{
    struct play                play = play_make(0);
    struct dojima_environment *none = NULL;

    (void)state;
    play.setup.abi += 1;
    assert_int_equal(dojima_environment_create(&play.setup, &none), DOJIMA_WRONG_ABI);
    assert_int_equal(dojima_environment_words(&play.setup), 0);
    play.setup.abi -= 1;
    play.setup.preset = MARKET_THIN + 1;
    assert_int_equal(dojima_environment_create(&play.setup, &none), DOJIMA_BAD_GENESIS);
    play.setup.preset = MARKET_THIN;
    play.setup.memory_bytes -= 1;
    assert_int_equal(dojima_environment_create(&play.setup, &none), DOJIMA_BAD_MEMORY);
    assert_null(none);
    play_free(&play);
}

/* The end of an episode is told once, and the next step of many begins another. */
static void test_episodes(void **state)
{
    struct play    play = play_make(0);
    const uint64_t seed = 11;
    int64_t        reward;
    uint8_t        episode = DOJIMA_GOES_ON;

    (void)state;
    play.environment->setup.max_steps = 3;
    for (uint32_t i = 1; i <= 7; i++) {
        dojima_environments_step(&play.environment, 1, NULL, &seed, &reward, &episode);
        assert_int_equal(episode, i == 3 || i == 7 ? DOJIMA_TRUNCATED : DOJIMA_GOES_ON);
        if (i == 4) assert_true(reward == 0 && play.environment->steps == 0);
    }
    play_free(&play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_market), cmocka_unit_test(test_same_again),  cmocka_unit_test(test_observation),
        cmocka_unit_test(test_orders),      cmocka_unit_test(test_any_numbers), cmocka_unit_test(test_setup),
        cmocka_unit_test(test_episodes),    cmocka_unit_test(test_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
