/* SPDX-License-Identifier: MIT */
/*
 * environment.c — episodes and steps (dojima/market.h). The order of an instant is the sequencer's
 * (pipeline/sequence.c): the traders decide from what the views show, a TICK that is due comes first, then what they
 * decided. The views are folded before the next instant only, because nobody reads them in between.
 */
#include "environment/environment.h"

#include "base/keccak.h"

#define DEPOSIT_BYTES (sizeof(struct command) + sizeof(struct deposit))

uint32_t dojima_market_abi(void) { return DOJIMA_MARKET_ABI; }

/* ---- sizes ---- */

static bool is_in(uint32_t value, uint32_t first, uint32_t last) { return value >= first && value <= last; }

static bool is_valid(const struct dojima_environment_setup *setup)
{
    const struct genesis *genesis;

    if (setup == NULL || setup->bytes < sizeof(*setup) || setup->abi != DOJIMA_MARKET_ABI) return false;
    if (setup->genesis == NULL || !is_in(setup->preset, MARKET_CALM, MARKET_THIN)) return false;
    if (!is_in(setup->levels, 1, 256) || !is_in(setup->orders, 1, 256) || !is_in(setup->actions, 1, 100)) return false;
    if (setup->absolute > 1 || setup->warm_up_ms > DAY_MS) return false;
    genesis = &setup->genesis->genesis;
    return genesis->development != 0 && genesis->account_count >= 1
        && is_in(genesis->spot_count + genesis->perps_count, 1, ENVIRONMENT_SYMBOLS);
}

static uint32_t symbols_of(const struct dojima_environment_setup *setup)
{
    return setup->genesis->genesis.spot_count + setup->genesis->genesis.perps_count;
}

uint32_t dojima_environment_words(const struct dojima_environment_setup *setup)
{
    if (!is_valid(setup)) return 0;
    return DOJIMA_ACCOUNT_WORDS
         + symbols_of(setup) * (DOJIMA_SYMBOL_WORDS + 2 * setup->levels * DOJIMA_LEVEL_WORDS + DOJIMA_POSITION_WORDS)
         + setup->genesis->genesis.coin_count * DOJIMA_BALANCE_WORDS + setup->orders * DOJIMA_ORDER_WORDS;
}

/* Where the parts of the memory are. */
static void place_parts(struct dojima_environment *parts, const struct dojima_environment_setup *setup)
{
    const struct genesis *genesis = &setup->genesis->genesis;
    size_t                at = align_up(sizeof(*parts), DOJIMA_ALIGN);

    parts->engine_at = at;
    at += align_up(dojima_engine_bytes(setup->genesis), DOJIMA_ALIGN);
    parts->views_at = at;
    at += align_up(views_size(genesis), DOJIMA_ALIGN);
    parts->books_at = at;
    at += align_up(symbols_of(setup) * 2 * sizeof(struct view_level) * ((size_t)genesis->limits.levels + 1), 64);
    parts->commands_begin = at;
    at += COMMANDS_ROOM;
    parts->events_at = at;
    at += align_up(2 * dojima_events_bytes(setup->genesis), DOJIMA_ALIGN);
    parts->bytes = at;
}

size_t dojima_environment_bytes(const struct dojima_environment_setup *setup)
{
    struct dojima_environment parts;

    if (!is_valid(setup)) return 0;
    place_parts(&parts, setup);
    return parts.bytes;
}

enum dojima_status dojima_environment_create(const struct dojima_environment_setup *setup,
                                             struct dojima_environment            **environment)
{
    struct dojima_environment *made;

    if (setup == NULL || setup->bytes < sizeof(*setup) || setup->abi != DOJIMA_MARKET_ABI || dojima_abi() != DOJIMA_ABI
        || strcmp(dojima_version(), DOJIMA_VERSION) != 0)
        return DOJIMA_WRONG_ABI;
    if (!is_valid(setup)) return DOJIMA_BAD_GENESIS;
    if (setup->memory == NULL || (uintptr_t)setup->memory % DOJIMA_ALIGN != 0 || setup->observation == NULL
        || setup->memory_bytes < dojima_environment_bytes(setup))
        return DOJIMA_BAD_MEMORY;
    made = setup->memory;
    place_parts(made, setup);
    made->setup = *setup;
    made->words = dojima_environment_words(setup);
    made->address = setup->genesis->genesis.accounts[0].owner;
    made->symbol_count = symbols_of(setup);
    *environment = made;
    return DOJIMA_OK;
}

/* ---- instants ---- */

static bool add(struct dojima_environment *environment, const struct command *command)
{
    if (environment->commands_len + command->bytes > COMMANDS_ROOM) return false;
    memcpy((uint8_t *)environment + environment->commands_begin + environment->commands_len, command, command->bytes);
    environment->commands_len += command->bytes;
    return true;
}

static bool send(void *self, struct command *command) { return add(self, command); }

static bool deposit(void *self, const struct deposit *deposit, struct slice name)
{
    struct hash256 hash = keccak256(name.at, name.len);
    struct {
        struct command head;
        struct deposit deposit;
    } room = { .head = { .bytes = DEPOSIT_BYTES, .kind = CMD_DEPOSIT }, .deposit = *deposit };

    memcpy(room.deposit.id.bytes, hash.bytes, sizeof(room.deposit.id.bytes));
    return add(self, &room.head);
}

static void add_tick(struct dojima_environment *environment)
{
    struct {
        struct command head;
        struct tick    tick;
    } room = { .head = { .bytes = sizeof(room), .kind = CMD_TICK } };
    bool fits = add(environment, &room.head);

    assert(fits);
}

static bool work_is_left(const struct dojima_environment *environment)
{
    return dojima_engine_due_ms(environment->engine) <= dojima_engine_time_ms(environment->engine);
}

/* The next instant at which something happens: its commands, perhaps none. */
static void begin_instant(struct dojima_environment *environment)
{
    const struct dojima_engine *engine = environment->engine;
    struct market_writer        writer = { environment, send, deposit };
    int64_t                     source_ms = market_due_ms(&environment->knobs, environment->time_ms);
    int64_t                     tick_ms = min_i64(dojima_engine_due_ms(engine), dojima_engine_second_ms(engine));
    int64_t                     time_ms = max_i64(min_i64(tick_ms, source_ms), environment->time_ms);

    environment_fold(environment);
    environment->commands_len = environment->commands_at = 0;
    if (tick_ms <= time_ms) add_tick(environment);
    if (time_ms == source_ms && !work_is_left(environment))
        market_step(&environment->traders, &environment->knobs, time_ms, &writer);
    environment->time_ms = time_ms;
}

/* The next command that is not the account's. */
static void advance(struct dojima_environment *environment)
{
    struct command *command;

    while (environment->commands_at == environment->commands_len) begin_instant(environment);
    command = (void *)((uint8_t *)environment + environment->commands_begin + environment->commands_at);
    environment->commands_at += command->bytes;
    environment_apply(environment, command);
}

/* ---- episodes ---- */

static void begin_engine(struct dojima_environment *environment)
{
    const struct dojima_genesis *genesis = environment->setup.genesis;
    uint8_t                     *memory = (uint8_t *)environment;
    struct dojima_setup          setup = { .bytes = sizeof(setup),
                                           .abi = DOJIMA_ABI,
                                           .genesis = genesis,
                                           .memory = memory + environment->engine_at,
                                           .memory_bytes = dojima_engine_bytes(genesis),
                                           .events = &environment->events };
    enum dojima_status           status;

    if (environment->has_episode) views_deinit(environment->views);
    memset(memory + environment->engine_at, 0, environment->books_at - environment->engine_at);
    environment->events = (struct dojima_events){ .at = memory + environment->events_at,
                                                  .room = environment->bytes - environment->events_at };
    status = dojima_engine_create(&setup, &environment->engine);
    assert(status == DOJIMA_OK);
    environment->views = views_init(memory + environment->views_at, &genesis->genesis);
    environment->has_episode = true;
}

void dojima_environment_reset(struct dojima_environment *environment, uint64_t seed, int64_t *observation)
{
    const struct genesis *genesis = &environment->setup.genesis->genesis;

    if (observation != NULL) environment->setup.observation = observation;
    begin_engine(environment);
    environment->traders = market_make(seed, genesis, environment->views);
    environment->knobs = (struct market_knobs){ .preset = (uint8_t)environment->setup.preset, .takers = 100 };
    environment->time_ms = genesis->time_ms;
    environment->commands_len = environment->commands_at = 0;
    environment->steps = environment->ids = environment->logged = 0;
    environment->episode = DOJIMA_GOES_ON;
    observe_begin(environment);
    observe_events(environment, 0);
    while (environment->time_ms < genesis->time_ms + environment->setup.warm_up_ms) advance(environment);
    observe_end(environment);
}

enum dojima_episode dojima_environment_step(struct dojima_environment *environment, const int64_t *actions,
                                            int64_t *observation, int64_t *reward)
{
    int64_t before = environment->value;

    assert(environment->has_episode);
    if (observation != NULL) observe_at(environment, observation);
    environment->account[ACCOUNT_REJECT] = environment->account[ACCOUNT_FILLS] = 0;
    environment->account[ACCOUNT_REFUSED] = 0;
    for (uint32_t i = 0; actions != NULL && i < environment->setup.actions; i++)
        if (actions[i * DOJIMA_ACTION_WORDS] != DOJIMA_ACT_NONE) act(environment, actions + i * DOJIMA_ACTION_WORDS);
    advance(environment);
    environment->steps += 1;
    observe_end(environment);
    *reward = environment->value - before;
    if (environment->value <= 0) environment->episode = DOJIMA_TERMINATED;
    else if (environment->steps == environment->setup.max_steps) environment->episode = DOJIMA_TRUNCATED;
    return environment->episode;
}

void dojima_environments_step(struct dojima_environment *const *environments, uint32_t count, const int64_t *actions,
                              const uint64_t *seeds, int64_t *rewards, uint8_t *episodes)
{
    for (uint32_t i = 0; i < count; i++) {
        struct dojima_environment *environment = environments[i];

        if (episodes[i] != DOJIMA_GOES_ON && seeds != NULL) {
            dojima_environment_reset(environment, seeds[i], NULL);
            rewards[i] = 0;
            episodes[i] = DOJIMA_GOES_ON;
            continue;
        }
        episodes[i] = (uint8_t)dojima_environment_step(
            environment,
            actions == NULL ? NULL : actions + (size_t)i * environment->setup.actions * DOJIMA_ACTION_WORDS, NULL,
            &rewards[i]);
    }
}

const struct dojima_engine *dojima_environment_engine(const struct dojima_environment *environment)
{
    return environment->engine;
}

size_t dojima_environment_logged(const struct dojima_environment *environment) { return environment->logged; }
