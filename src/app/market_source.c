/* SPDX-License-Identifier: MIT */
#include "app/market_source.h"

#include "api/api.h"
#include "diagnostics/program_log.h"
#include "model/operator.h"

#define DEPOSIT_TEXT_MAX 512

/* One step under way. */
struct filling {
    const struct market_source *source;
    const struct source_writer *writer;
};

static bool send(void *self, struct command *command)
{
    const struct filling *filling = self;

    return filling->writer->add(filling->writer->self, command, slice_make("", 0));
}

/* The JSON that an operator would have sent. */
static struct slice write_deposit(struct out *out, const struct genesis *genesis, const struct deposit *deposit,
                                  struct slice name)
{
    const struct coin *coin = &genesis->coins[deposit->coin_id];

    out_literal(out, "{\"type\":\"deposit\",\"params\":{\"id\":\"");
    out_slice_put(out, name);
    out_literal(out, "\",\"address\":\"0x");
    out_hex(out, deposit->address.bytes, sizeof(deposit->address.bytes));
    out_text(out, deposit->engine == MARKET_PERPS ? "\",\"engine\":\"perps\"" : "\",\"engine\":\"spot\"");
    out_literal(out, ",\"coin\":\"");
    out_slice_put(out, name_slice(&coin->name));
    out_literal(out, "\",\"amount\":\"");
    decimal_write(out, decimal_make(deposit->amount, (int)coin->precision));
    out_literal(out, "\"}}");
    assert(!out->overflow);
    return out_slice(out);
}

static bool deposit(void *self, const struct deposit *deposit, struct slice name)
{
    const struct filling *filling = self;
    const struct genesis *genesis = filling->source->market.genesis;
    struct command_room   room = { 0 };
    char                  text[DEPOSIT_TEXT_MAX];
    struct out            out = out_make(text, sizeof(text));
    struct slice          json = write_deposit(&out, genesis, deposit, name);
    bool                  is_read = api_operator_read(genesis, json, &room);

    assert(is_read && room.head.kind == CMD_DEPOSIT);
    return filling->writer->add(filling->writer->self, &room.head, json);
}

/*
 * As the last command said, else as the process was started. Started with the market empty or none there is nothing to
 * do until a command says otherwise; but when one says empty or none, makers take their orders back.
 */
static struct market_knobs knobs_of(const struct market_source *source)
{
    struct set_traders  set = engine_traders(source->exchange->engine);
    struct market_knobs knobs = { .preset = set.preset,
                                  .pulled = (uint8_t)set.pulled,
                                  .takers = (uint16_t)(100 + set.takers),
                                  .drift = (int32_t)set.drift };

    if (set.preset == 0 && source->preset < MARKET_EMPTY) knobs.preset = source->preset;
    return knobs;
}

static int64_t due_ms(void *self, int64_t behind_ms)
{
    const struct market_source *source = self;
    struct market_knobs         knobs = knobs_of(source);

    return market_due_ms(&knobs, behind_ms);
}

static void fill(void *self, int64_t time_ms, const struct source_writer *writer)
{
    struct market_source *source = self;
    struct filling        filling = { source, writer };
    struct market_writer  to = { &filling, send, deposit };
    struct market_knobs   knobs = knobs_of(source);

    market_step(&source->market, &knobs, time_ms, &to);
}

/* Through an advance of the clock batches are written and not synced; at its end all of them are. */
static void hurry(void *self, bool begins)
{
    struct market_source *source = self;
    int                   error;

    atomic_store(&source->folder->lazy, begins);
    error = begins ? 0 : disk_sync_all(source->folder);
    if (error != 0) log_line(LOG_ERROR, "the log cannot be synced after an advance of the clock: %s", strerror(error));
}

void market_source_init(struct market_source *source, uint64_t seed, uint8_t preset, const struct exchange *exchange,
                        struct disk_folder *folder)
{
    assert(exchange->views != NULL && exchange->genesis->development != 0);
    *source = (struct market_source){
        .market = market_make(seed, exchange->genesis, exchange->views),
        .preset = preset,
        .exchange = exchange,
        .folder = folder,
        .source = { .self = source, .due_ms = due_ms, .fill = fill, .hurry = folder == NULL ? NULL : hurry },
    };
}
