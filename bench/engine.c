/* SPDX-License-Identifier: MIT */
/*
 * engine.c — how many commands per second does engine_apply take, and how much memory is a resting order?
 *
 *   bench_engine [workload [commands [runs]]]        W2 1000000 5
 *
 * Every record of the workload becomes one signed command with one item: account, nonce, client order
 * id, as the log holds them. On are: account and owner check, nonce sets, all filters, holds, fees with
 * tiers and volumes, client ids, order ids, all events. Off are what lies outside the core: signature
 * recovery, journal, views; the clock of the commands advances 1 ms per 100 commands. Commands are
 * handed over in batches of 64 KiB that have just been copied, as after a batch was sealed; the copying
 * is not timed; reading the clock twice per batch is, and so is looking ahead within the batch. The pools
 * are touched before, on huge pages.
 *
 * The bench configuration (ruling 54) must reproduce the generator's tape; the default configuration
 * (rulings 31, 50) has self-trade prevention, bands and limits on and therefore another tape. Both are
 * printed, next to the generator's own time per command and one dependent load from 64 MiB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "core/engine.h"
#include "fmt.h"

#define GENESIS_MS INT64_C(1776000000000)
#define RATE_ONE_BENCH INT64_C(100000000)
#define BATCH_BYTES (64 * 1024)
#define CHECK(holds, ...) do { if (!(holds)) { printf("WRONG: " __VA_ARGS__); printf("\n"); exit(1); } } while (0)

struct workload {
    const obhdr *header;
    const obcmd *records;
    uint64_t     count;
    int64_t      generate_ns;
};

/* Commands one after the other, as in a batch of the log. */
struct tape {
    uint8_t  *at;
    size_t    len, cap, timed_from;
    uint64_t  seq;
};

struct replay { uint64_t trades, quantity, hash, rejects, refused, rest, rest_quantity, events; };

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(at != MAP_FAILED, "no address space");
    return at;
}

static struct workload load(const char *name, uint64_t commands)
{
    char            path[] = "/tmp/dojima-bench-XXXXXX", line[512];
    int             file = mkstemp(path);
    struct workload w = { 0 };
    int64_t         began;
    off_t           bytes;

    CHECK(file >= 0, "no temporary file");
    snprintf(line, sizeof(line), "%s %s 1 %llu %s", GENERATOR, name, (unsigned long long)commands, path);
    began = now_ns();
    CHECK(system(line) == 0, "the generator failed");
    w.generate_ns = now_ns() - began;
    bytes = lseek(file, 0, SEEK_END);
    w.header = mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    CHECK(w.header != MAP_FAILED, "cannot map the workload");
    w.records = (const obcmd *)(w.header + 1);
    w.count = w.header->n_total;
    unlink(path);
    close(file);
    return w;
}

static struct address user_address(uint32_t user)
{
    struct address address = { { 0xd0 } };

    for (uint32_t i = 0; i < 16; i++) address.bytes[i + 1] = (uint8_t)((user + 1) * 2654435761u >> (i % 4 * 8));
    memcpy(address.bytes + 16, &user, 4);
    return address;
}

/* The client order id: 16 hex digits of the workload's random key. */
static struct client_id client_id(uint64_t aux)
{
    struct client_id id = { .len = 16 };

    for (uint32_t i = 0; i < 16; i++) id.at[i] = "0123456789abcdef"[aux >> (60 - 4 * i) & 15];
    return id;
}

static void *append(struct tape *tape, uint16_t kind, size_t payload_bytes)
{
    struct command *command = (struct command *)(void *)(tape->at + tape->len);

    CHECK(tape->len + sizeof(*command) + payload_bytes <= tape->cap, "tape too small");
    tape->len += sizeof(*command) + payload_bytes;
    command->bytes = (uint32_t)(sizeof(*command) + payload_bytes);
    command->kind = kind;
    command->market = MARKET_SPOT;
    command->seq = ++tape->seq;
    command->time_ms = GENESIS_MS + (int64_t)(tape->seq / 100);
    return command + 1;
}

static void *append_signed(struct tape *tape, uint16_t kind, size_t payload_bytes, uint32_t user)
{
    void           *payload = append(tape, kind, payload_bytes);
    struct command *command = (struct command *)payload - 1;

    command->domain = DOMAIN_SPOT;
    command->nonce = (uint64_t)GENESIS_MS + tape->seq;
    command->signer = user_address(user);
    return payload;
}

static void append_deposit(struct tape *tape, uint32_t user, uint32_t coin_id, int64_t amount)
{
    struct deposit *deposit = append(tape, CMD_DEPOSIT, sizeof(*deposit));

    *deposit = (struct deposit){ .address = user_address(user), .coin_id = coin_id, .amount = amount, .engine = MARKET_SPOT };
    memcpy(deposit->id.bytes, &tape->seq, sizeof(tape->seq));
}

static void append_place(struct tape *tape, const obcmd *r, int64_t lot)
{
    struct place_orders *place = append_signed(tape, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1), r->user);

    place->account_id = ACCOUNT_FIRST + r->user;
    place->count = 1;
    place->items[0] = (struct new_order){
        .symbol_id = r->sym + 1u, .client_id = client_id(r->aux), .side = r->side == BUY ? SIDE_BUY : SIDE_SELL,
        .type = TYPE_LIMIT, .time_in_force = r->op == OP_IOC ? TIF_IOC : TIF_GTC,
        .price = decimal_make(r->price, 1), .quantity = decimal_make(r->qty * lot, 5),
    };
}

static void append_cancel(struct tape *tape, const obcmd *r)
{
    struct cancel_orders *cancel = append_signed(tape, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1), r->user);

    cancel->account_id = ACCOUNT_FIRST + r->user;
    cancel->count = 1;
    cancel->items[0] = (struct cancel_order){ .symbol_id = r->sym + 1u, .client_id = client_id(r->aux) };
}

/* The workload names the new open quantity, the wire the new total: executed so far is added. */
static void append_replace(struct tape *tape, const obcmd *r, int64_t lot, int64_t executed)
{
    struct replace_orders *replace = append_signed(tape, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1), r->user);

    replace->account_id = ACCOUNT_FIRST + r->user;
    replace->count = 1;
    replace->items[0] = (struct replace_order){
        .symbol_id = r->sym + 1u, .client_id = client_id(r->aux), .orig_client_id = client_id(r->aux),
        .price = decimal_make(r->price, 1), .quantity = decimal_make(r->qty * lot + executed, 5),
    };
}

static void set_symbol(struct genesis *g, uint32_t id, bool bench)
{
    struct symbol *s = &g->spot[id - 1];

    *s = (struct symbol){
        .id = id, .base_coin_id = 1, .quote_coin_id = 0, .price_precision = 1, .quantity_precision = 5,
        .market = MARKET_SPOT, .status = SYMBOL_TRADING, .tick_size = 1, .step_size = 1,
        .min_quantity = bench ? 0 : 1, .max_quantity = bench ? 0 : 100000000,
        .market_min_quantity = bench ? 0 : 1, .market_max_quantity = bench ? 0 : 10000000,
        .min_notional = bench ? 0 : 5000000, .max_notional = bench ? 0 : 10000000000000,
        .buy_limit_up_ratio = bench ? 1000 * (int64_t)RATE_ONE_BENCH : 5000000,
        .sell_limit_down_ratio = bench ? RATE_ONE_BENCH : 5000000,
        .market_deviation_ratio = bench ? RATE_ONE_BENCH : 1000000,
        .maker_fee = 35000, .taker_fee = 65000, .reference_price = 50000,
    };
    s->name.len = 4;
    memcpy(s->name.at, (char[4]){ 'S', (char)('0' + id / 100), (char)('0' + id / 10 % 10), (char)('0' + id % 10) }, 4);
}

static void set_genesis(struct genesis *g, const obhdr *header, bool bench)
{
    static const struct fee_row tiers[] = {
        { 0, 35000, 65000 }, { 5000000000000, 30000, 60000 }, { 25000000000000, 25000, 50000 },
        { 100000000000000, 15000, 40000 }, { 500000000000000, 10000, 30000 },
    };
    const char *wrong;

    memset(g, 0, sizeof(*g));
    g->chain_ids[0] = 286623;
    g->time_ms = GENESIS_MS;
    g->coin_count = 3;
    for (uint32_t i = 0; i < 3; i++) g->coins[i] = (struct coin){ .name = { 1, { (char)('a' + i) } }, .id = i, .precision = i == 0 ? 6 : 8 };
    CHECK(header->n_symbols <= SYMBOLS_MAX, "W4 has more symbols than the engine (%u)", SYMBOLS_MAX);
    g->spot_count = header->n_symbols;
    for (uint32_t id = 1; id <= header->n_symbols; id++) set_symbol(g, id, bench);
    memcpy(g->spot_fees.tiers, tiers, sizeof(tiers));
    g->spot_fees.tier_count = 5;
    g->spot_fees.staking_count = 4;
    memcpy(g->spot_fees.staking_discount, (int64_t[]){ 0, 5000000, 10000000, 20000000 }, 32);
    g->spot_fees.rebate_count = 3;
    memcpy(g->spot_fees.rebate_share, (int64_t[]){ 0, 1000000, 3000000 }, 24);
    memcpy(g->spot_fees.rebate_rate, (int64_t[]){ 0, -2000, -4000 }, 24);
    g->rules = (struct rules){
        .stp_scope = bench ? STP_NONE : STP_ACCOUNT, .client_id_reuse = REUSE_FINISHED, .replace_keeps_place = !bench,
        .open_orders_per_account = bench ? 0 : 1000, .schedule_triggers_per_day = 10,
    };
    g->limits = (struct limits){ .accounts = header->n_users + 100, .orders = (uint32_t)header->peak_rest + 1000,
                                 .levels = 100000, .signers = header->n_users + 100, .deposits = 2 * header->n_users + 100 };
    wrong = genesis_check(g);
    CHECK(wrong == NULL, "%s", wrong);
}

/* Folds the events of one command: what the generator counts, and executed quantity and rest per order. */
static void fold(struct replay *replay, const struct events *events, int64_t *executed, int64_t *open, int64_t lot)
{
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        const struct traded        *trade = (const void *)event;
        const struct filled        *fill = (const void *)event;
        const struct order_changed *order = (const void *)event;
        static uint64_t             maker;

        replay->events += 1;
        switch (event->kind) {
        case EVENT_REFUSED: replay->refused += 1; break;
        case EVENT_RESULT:  replay->rejects += ((const struct result *)(const void *)event)->reject != REJECT_NONE; break;
        case EVENT_TRADE:   replay->trades += 1; replay->quantity += (uint64_t)(trade->quantity / lot); break;
        case EVENT_FILL:
            executed[fill->order_id] += fill->quantity;
            if (fill->is_maker) maker = fill->order_id;
            else replay->hash = tape(replay->hash, maker, fill->order_id, (uint32_t)fill->price, (uint32_t)(fill->quantity / lot));
            break;
        case EVENT_ORDER:   open[order->order_id] = status_is_open(order->status) ? order->quantity - order->executed : 0; break;
        default: break;
        }
    }
}

/* Builds the tape while running it once, because REPLACE needs what was executed by then. */
static struct replay record(const struct workload *w, const struct genesis *g, struct tape *tape, int64_t lot, struct hash256 *hash)
{
    struct events  events = { map(engine_events_bytes(g)), 0, engine_events_bytes(g) };
    struct engine *engine = engine_init(map(engine_size(g)), g, &events);
    struct replay  replay = { 0 };
    int64_t       *executed = map((w->header->max_id + 2) * 8), *open = map((w->header->max_id + 2) * 8);
    size_t         done = 0;

    for (uint32_t user = 0; user < w->header->n_users; user++) {
        append_deposit(tape, user, 0, INT64_C(400000000000000));
        append_deposit(tape, user, 1, INT64_C(400000000000000));
    }
    for (uint64_t i = 0; i <= w->count; i++) {
        while (done < tape->len) {
            const struct command *command = (const void *)(tape->at + done);
            events.len = 0;
            engine_apply(engine, command, &events);
            fold(&replay, &events, executed, open, lot);
            done += command->bytes;
        }
        if (i == w->header->n_prefill) tape->timed_from = tape->len;
        if (i == w->count) break;
        switch (w->records[i].op) {
        case OP_CANCEL:  append_cancel(tape, &w->records[i]); break;
        case OP_REPLACE: append_replace(tape, &w->records[i], lot, executed[w->records[i].id]); break;
        default:         append_place(tape, &w->records[i], lot); break;
        }
    }
    engine_verify(engine);
    *hash = engine_hash(engine);
    replay.rest = engine_counts(engine).open_orders;
    for (uint64_t id = 0; id <= w->header->max_id; id++) replay.rest_quantity += (uint64_t)(open[id] / lot);
    munmap(executed, (w->header->max_id + 2) * 8);
    munmap(open, (w->header->max_id + 2) * 8);
    munmap(events.at, events.cap);
    munmap(engine, engine_size(g));
    return replay;
}

/* Copies the next whole commands, never across the beginning of the timed part; returns their bytes. */
static size_t next_batch(const struct tape *tape, size_t from, uint8_t *batch)
{
    size_t end = from < tape->timed_from ? tape->timed_from : tape->len, to = from;

    for (uint32_t bytes; to < end; to += bytes) {
        bytes = ((const struct command *)(const void *)(tape->at + to))->bytes;
        if (to + bytes - from > BATCH_BYTES) break;
    }
    memcpy(batch, tape->at + from, to - from);
    return to - from;
}

static const struct command *command_at(const uint8_t *batch, size_t at) { return (const void *)(batch + at); }

/* Where the command is that comes `count` commands after the first one; `bytes` when the batch ends before. */
static size_t skip(const uint8_t *batch, size_t bytes, int count)
{
    size_t at = 0;

    while (count-- > 0 && at < bytes) at += command_at(batch, at)->bytes;
    return at;
}

/* Runs the tape; the time of its timed part. */
static int64_t run_once(const struct genesis *g, const struct tape *tape, const struct hash256 *expected)
{
    struct events  events = { map(engine_events_bytes(g)), 0, engine_events_bytes(g) };
    uint8_t       *memory = map(engine_size(g));
    struct engine *engine;
    struct hash256 hash;
    static _Alignas(64) uint8_t batch[BATCH_BYTES];
    int64_t        began, took = 0;
    size_t         bytes;

    madvise(memory, engine_size(g), MADV_HUGEPAGE);
    for (size_t i = 0; i < engine_size(g); i += 4096) ((volatile uint8_t *)memory)[i] = 0;      /* touched at start (ruling 52) */
    engine = engine_init(memory, g, &events);
    for (size_t done = 0; done < tape->len; done += bytes) {
        bytes = next_batch(tape, done, batch);
        began = now_ns();
        size_t far = skip(batch, bytes, ENGINE_FAR), near = skip(batch, bytes, ENGINE_NEAR);
        for (size_t at = 0; at < bytes; at += command_at(batch, at)->bytes) {
            if (far < bytes)  { engine_expect_far(engine, command_at(batch, far));   far += command_at(batch, far)->bytes; }
            if (near < bytes) { engine_expect_near(engine, command_at(batch, near)); near += command_at(batch, near)->bytes; }
            events.len = 0;
            engine_apply(engine, command_at(batch, at), &events);
        }
        if (done >= tape->timed_from) took += now_ns() - began;
    }
    hash = engine_hash(engine);
    CHECK(hash256_equal(&hash, expected), "the state of a timed run differs");
    munmap(events.at, events.cap);
    munmap(memory, engine_size(g));
    return took;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* One load that depends on the one before, anywhere in 64 MiB: what a cache miss costs here and now. */
static double load_ns(void)
{
    enum { COUNT = 1 << 20 };
    struct line { uint32_t next, unused[15]; } *lines = map(COUNT * sizeof(*lines));
    uint32_t at = 0;
    uint64_t dice = 1;
    int64_t  began;

    for (uint32_t i = 0; i < COUNT; i++) lines[i].next = i;
    for (uint32_t i = COUNT - 1; i > 0; i--) {                                  /* one cycle through all (Sattolo) */
        uint32_t j = (uint32_t)((dice = dice * 6364136223846793005u + 1442695040888963407u) >> 33) % i, swap = lines[i].next;
        lines[i].next = lines[j].next;
        lines[j].next = swap;
    }
    began = now_ns();
    for (uint32_t i = 0; i < COUNT; i++) at = ((volatile struct line *)lines)[at].next;
    began = now_ns() - began;
    munmap(lines, COUNT * sizeof(*lines));
    return (double)began / COUNT + (at == 1 ? 1e-9 : 0);
}

static void measure(const struct workload *w, const char *name, bool bench, int runs)
{
    struct genesis *g = map(sizeof(*g));
    struct tape     tape = { .cap = (w->count + 2 * w->header->n_users) * 256 };
    int64_t         lot = bench ? 1 : 1000, times[64];
    struct replay   replay;
    struct hash256  hash;
    double          ns, per_generate;

    tape.at = map(tape.cap);
    set_genesis(g, w->header, bench);
    replay = record(w, g, &tape, lot, &hash);
    CHECK(replay.refused == 0, "%llu commands refused", (unsigned long long)replay.refused);
    if (bench) {
        CHECK(replay.trades == w->header->exp_trades, "trades %llu, expected %llu", (unsigned long long)replay.trades, (unsigned long long)w->header->exp_trades);
        CHECK(replay.quantity == w->header->exp_qty, "quantity");
        CHECK(replay.rejects == w->header->exp_rejects, "rejects %llu, expected %llu", (unsigned long long)replay.rejects, (unsigned long long)w->header->exp_rejects);
        CHECK(replay.rest == w->header->exp_rest && replay.rest_quantity == w->header->exp_rest_qty, "rest");
        CHECK(replay.hash == w->header->exp_hash, "tape");
    }
    for (int i = 0; i < runs; i++) times[i] = run_once(g, &tape, &hash);
    qsort(times, (size_t)runs, sizeof(times[0]), by_time);
    ns = (double)times[runs / 2] / (double)(w->count - w->header->n_prefill);
    per_generate = (double)w->generate_ns / (double)w->count;
    printf("%s %s: %.2f M commands/s (%.0f ns, best %.0f; median of %d)   %.2f x the generator's %.0f ns   %s\n", name,
           bench ? "bench configuration  " : "default configuration", 1e3 / ns, ns,
           (double)times[0] / (double)(w->count - w->header->n_prefill), runs, per_generate / ns, per_generate,
           bench ? "tape matches" : "");
    printf("    trades %llu, rejects %llu, resting %llu, events per command %.1f\n", (unsigned long long)replay.trades,
           (unsigned long long)replay.rejects, (unsigned long long)replay.rest, (double)replay.events / (double)(w->count + 2 * w->header->n_users));
    munmap(tape.at, tape.cap);
    munmap(g, sizeof(*g));
}

static size_t resident(void)
{
    size_t total = 0, pages = 0;
    FILE  *file = fopen("/proc/self/statm", "r");

    CHECK(file != NULL && fscanf(file, "%zu %zu", &total, &pages) == 2, "/proc/self/statm");
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Growth of resident memory per resting order over W0, with pools sized for what will rest. */
static void measure_memory(uint64_t commands)
{
    struct workload w = load("W0", commands);
    struct genesis *g = map(sizeof(*g));
    struct tape     tape = { .cap = 1 << 16 };
    struct events   events;
    struct engine  *engine;
    size_t          before, after;

    tape.at = map(tape.cap);
    set_genesis(g, w.header, true);
    events = (struct events){ map(engine_events_bytes(g)), 0, engine_events_bytes(g) };
    engine = engine_init(map(engine_size(g)), g, &events);
    before = resident();
    for (uint64_t i = 0; i < w.count + 2 * w.header->n_users; i++) {
        tape.len = 0;
        memset(tape.at, 0, 512);
        if (i < 2 * w.header->n_users) append_deposit(&tape, (uint32_t)i / 2, (uint32_t)i % 2, INT64_C(4000000000000000));
        else append_place(&tape, &w.records[i - 2 * w.header->n_users], 1);
        events.len = 0;
        engine_apply(engine, (const void *)tape.at, &events);
    }
    after = resident();
    CHECK(engine_counts(engine).open_orders == w.header->exp_rest, "W0 rest");
    printf("W0: %.1f bytes of resident memory per resting order (%llu orders, %llu users with balances and nonces included)\n",
           (double)(after - before) / (double)w.header->exp_rest, (unsigned long long)w.header->exp_rest, (unsigned long long)w.header->n_users);
}

int main(int argc, char **argv)
{
    const char     *name = argc > 1 ? argv[1] : "W2";
    uint64_t        commands = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
    int             runs = argc > 3 ? atoi(argv[3]) : 5;
    struct workload w = load(name, commands);

    CHECK(runs >= 1 && runs <= 64, "1 to 64 runs");
    measure(&w, name, true, runs);
    measure(&w, name, false, runs);
    printf("one dependent load from 64 MiB: %.0f ns\n", load_ns());
    measure_memory(1000000);
    return 0;
}
