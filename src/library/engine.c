/* SPDX-License-Identifier: MIT */
/*
 * engine.c — libdojima: dojima/engine.h over core/engine.h. The public structs have the layout of ours (layout.c), so
 * a command goes to the engine as it came and events are written where the caller reads them.
 */
#include "base/keccak.h"
#include "core/engine.h"
#include "library/library.h"
#include "wire/shape.h"

uint32_t    dojima_abi(void) { return DOJIMA_ABI; }
const char *dojima_version(void) { return DOJIMA_VERSION; }

/* ---- genesis ---- */

size_t dojima_genesis_bytes(void) { return align_up(sizeof(struct dojima_genesis), DOJIMA_ALIGN); }

static bool is_memory(const void *memory, size_t bytes, size_t wanted)
{
    return memory != NULL && (uintptr_t)memory % DOJIMA_ALIGN == 0 && bytes >= wanted;
}

static uint64_t first_word(struct hash256 hash)
{
    uint64_t word;

    memcpy(&word, hash.bytes, sizeof(word));
    return word;
}

static enum dojima_status genesis_fault(struct dojima_error *error, size_t at, const char *where, const char *why)
{
    struct out out;

    if (error == NULL) return DOJIMA_BAD_GENESIS;
    memset(error, 0, sizeof(*error));
    out = out_make(error->text, sizeof(error->text) - 1);
    out_text(&out, where);
    if (where[0] != '\0' && why[0] != '\0') out_text(&out, ": ");
    out_text(&out, why);
    error->at = at;
    return DOJIMA_BAD_GENESIS;
}

enum dojima_status dojima_genesis_read(void *memory, size_t bytes, const char *json, size_t length,
                                       struct dojima_genesis **genesis, struct dojima_error *error)
{
    struct dojima_genesis *made = memory;
    struct shape_error     wrong = { 0 };
    enum reject            reject;
    const char            *why;

    if (!is_memory(memory, bytes, sizeof(*made))) return DOJIMA_BAD_MEMORY;
    if (json == NULL) return genesis_fault(error, 0, "", "there is no text");
    reject = shape_read(&genesis_shape, slice_make(json, length), &made->genesis, &wrong);
    if (reject != REJECT_NONE)
        return genesis_fault(error, wrong.at, wrong.field,
                             wrong.need[0] != '\0' ? wrong.need : reject_row(reject)->rule);
    why = genesis_check(&made->genesis);
    if (why != NULL) return genesis_fault(error, 0, "", why);
    genesis_complete(&made->genesis);
    made->mark = first_word(keccak256(&made->genesis, sizeof(made->genesis)));
    *genesis = made;
    return DOJIMA_OK;
}

/* The symbols of a market; NULL when it is none. */
static const struct symbol *symbols_of(const struct dojima_genesis *genesis, uint32_t market, uint32_t *count)
{
    *count = market == DOJIMA_SPOT ? genesis->genesis.spot_count : genesis->genesis.perps_count;
    if (market == DOJIMA_SPOT) return genesis->genesis.spot;
    return market == DOJIMA_PERPS ? genesis->genesis.perps : NULL;
}

uint32_t dojima_symbol_id(const struct dojima_genesis *genesis, enum dojima_market_kind market, const char *name)
{
    uint32_t             count;
    const struct symbol *symbols = symbols_of(genesis, market, &count);

    for (uint32_t i = 0; symbols != NULL && i < count; i++)
        if (slice_is(name_slice(&symbols[i].name), name)) return symbols[i].id;
    return 0;
}

int32_t dojima_coin_id(const struct dojima_genesis *genesis, const char *name)
{
    for (uint32_t i = 0; i < genesis->genesis.coin_count; i++)
        if (slice_is(name_slice(&genesis->genesis.coins[i].name), name)) return (int32_t)i;
    return -1;
}

int dojima_symbol_units(const struct dojima_genesis *genesis, enum dojima_market_kind market, uint32_t symbol_id,
                        uint32_t *price_decimals, uint32_t *quantity_decimals)
{
    uint32_t             count;
    const struct symbol *symbols = symbols_of(genesis, market, &count);

    if (symbols == NULL || symbol_id < 1 || symbol_id > count) return 0;
    *price_decimals = symbols[symbol_id - 1].price_precision;
    *quantity_decimals = symbols[symbol_id - 1].quantity_precision;
    return 1;
}

int64_t dojima_genesis_time_ms(const struct dojima_genesis *genesis) { return genesis->genesis.time_ms; }

/* ---- memory of an engine ---- */

static size_t bytes_of(const struct dojima_genesis *genesis, const struct limits *limits)
{
    return sizeof(struct dojima_engine) + align_up(engine_size_raised(&genesis->genesis, limits), DOJIMA_ALIGN);
}

size_t dojima_engine_bytes(const struct dojima_genesis *genesis) { return bytes_of(genesis, &genesis->genesis.limits); }

size_t dojima_events_bytes(const struct dojima_genesis *genesis) { return engine_events_bytes(&genesis->genesis); }
size_t dojima_engine_bytes_of(const struct dojima_engine *engine) { return engine->bytes; }
size_t dojima_events_bytes_of(const struct dojima_engine *engine) { return engine->events_bytes; }

/* What memory must begin with to be an engine of this genesis, made by a build that lays it out in the same way. */
static uint64_t mark_of(const struct dojima_genesis *genesis, const struct limits *limits)
{
    return first_word(engine_layout_raised(&genesis->genesis, limits));
}

/* The head of an engine of this genesis with these limits. */
static struct dojima_engine *begin(void *memory, const struct dojima_genesis *genesis, const struct limits *limits)
{
    struct dojima_engine *engine = memory;

    *engine = (struct dojima_engine){ .genesis = genesis,
                                      .events_bytes = engine_events_bytes_raised(&genesis->genesis, limits),
                                      .bytes = bytes_of(genesis, limits),
                                      .mark = mark_of(genesis, limits),
                                      .genesis_mark = genesis->mark };
    return engine;
}

enum dojima_status dojima_engine_create(const struct dojima_setup *setup, struct dojima_engine **engine)
{
    const struct dojima_genesis *genesis;

    if (setup == NULL || setup->bytes < sizeof(*setup) || setup->abi != DOJIMA_ABI) return DOJIMA_WRONG_ABI;
    genesis = setup->genesis;
    if (genesis == NULL) return DOJIMA_BAD_GENESIS;
    if (!is_memory(setup->memory, setup->memory_bytes, dojima_engine_bytes(genesis))) return DOJIMA_BAD_MEMORY;
    if (!events_fit(setup->events, dojima_events_bytes(genesis))) return DOJIMA_EVENTS_FULL;
    *engine = begin(setup->memory, genesis, &genesis->genesis.limits);
    (void)engine_init(engine_of(*engine), &genesis->genesis, events_of(setup->events));
    return DOJIMA_OK;
}

/* Pools of an engine that was moved are larger than those of the genesis. */
static bool are_raised(const struct limits *limits, const struct limits *from)
{
    for (uint8_t pool = 1; pool < LIMITS; pool++) {
        uint32_t places = limits_get(limits, pool), least = limits_get(from, pool);
        if (places != least && (places < least || places > POOL_PLACES_MAX)) return false;
    }
    return limits->reserved == from->reserved;
}

enum dojima_status dojima_engine_adopt(void *memory, size_t bytes, const struct dojima_genesis *genesis,
                                       struct dojima_engine **engine)
{
    struct dojima_engine *found = memory;
    struct limits         limits;

    if (!is_memory(memory, bytes, dojima_engine_bytes(genesis))) return DOJIMA_BAD_MEMORY;
    if (found->genesis_mark != genesis->mark) return DOJIMA_WRONG_ENGINE;
    limits = *engine_limits(engine_of(found));
    if (!are_raised(&limits, &genesis->genesis.limits)) return DOJIMA_WRONG_ENGINE;
    if (found->mark != mark_of(genesis, &limits) || found->bytes != bytes_of(genesis, &limits))
        return DOJIMA_WRONG_ENGINE;
    if (bytes < found->bytes) return DOJIMA_BAD_MEMORY;
    if (engine_adopt_raised(engine_of(found), &genesis->genesis, &limits) == NULL) return DOJIMA_WRONG_ENGINE;
    found->genesis = genesis;
    found->events_bytes = engine_events_bytes_raised(&genesis->genesis, &limits);
    *engine = found;
    return DOJIMA_OK;
}

/* ---- commands ---- */

static enum dojima_status check(const struct dojima_engine *engine, const struct command *command,
                                const struct dojima_events *events)
{
    const struct engine *core = engine_in(engine);
    struct limits        limits;

    if (command->bytes % 8 != 0 || command->bytes < sizeof(*command) || command->bytes > COMMAND_BYTES_MAX)
        return DOJIMA_BAD_COMMAND;
    if (command->seq != 0 && command->seq != engine_seq(core) + 1) return DOJIMA_WRONG_SEQ;
    if (command->time_ms < engine_time_ms(core) || command->time_ms > DOJIMA_TIME_MAX) return DOJIMA_WRONG_TIME;
    if (!events_fit(events, engine->events_bytes)) return DOJIMA_EVENTS_FULL;
    if (command->kind == CMD_RAISE_LIMIT && engine_raises(core, command, &limits)) return DOJIMA_NEEDS_MOVE;
    return DOJIMA_OK;
}

enum dojima_status dojima_engine_apply(struct dojima_engine *engine, struct dojima_command *given,
                                       struct dojima_events *events)
{
    struct command    *command = command_of(given);
    enum dojima_status status = check(engine, command, events);

    if (status != DOJIMA_OK) return status;
    if (command->seq == 0) command->seq = engine_seq(engine_in(engine)) + 1;
    engine_apply(engine_of(engine), command, events_of(events));
    return DOJIMA_OK;
}

int64_t dojima_engine_due_ms(const struct dojima_engine *engine)
{
    return min_i64(engine_due_ms(engine_in(engine)), engine_pulse_ms(engine_in(engine)));
}

int64_t  dojima_engine_second_ms(const struct dojima_engine *engine) { return engine_second_ms(engine_in(engine)); }
uint64_t dojima_engine_seq(const struct dojima_engine *engine) { return engine_seq(engine_in(engine)); }
int64_t  dojima_engine_time_ms(const struct dojima_engine *engine) { return engine_time_ms(engine_in(engine)); }

void dojima_engine_hash(const struct dojima_engine *engine, uint8_t hash[32])
{
    struct hash256 state = engine_hash(engine_in(engine));

    memcpy(hash, state.bytes, sizeof(state.bytes));
}

void dojima_engine_verify(const struct dojima_engine *engine) { engine_verify(engine_in(engine)); }

/* ---- more places ---- */

static bool raises(const struct dojima_engine *from, const struct dojima_command *command, struct limits *limits)
{
    return engine_raises(engine_in(from), command_in(command), limits);
}

COLD size_t dojima_engine_move_bytes(const struct dojima_engine *from, const struct dojima_command *command)
{
    struct limits limits;

    return raises(from, command, &limits) ? bytes_of(from->genesis, &limits) : 0;
}

COLD enum dojima_status dojima_engine_move(void *memory, size_t bytes, const struct dojima_engine *from,
                                           const struct dojima_command *command, struct dojima_engine **engine)
{
    struct limits limits;

    if (!raises(from, command, &limits)) return DOJIMA_BAD_COMMAND;
    if (!is_memory(memory, bytes, bytes_of(from->genesis, &limits))) return DOJIMA_BAD_MEMORY;
    *engine = begin(memory, from->genesis, &limits);
    (void)engine_move(engine_of(*engine), engine_in(from), &limits);
    return DOJIMA_OK;
}
