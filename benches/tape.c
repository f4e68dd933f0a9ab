/* SPDX-License-Identifier: MIT */
#include "tape.h"
#include "rigs/random.h"

#include <unistd.h>

#define GENESIS_MS   INT64_C(1776000000000)
#define RATIO_ONE    INT64_C(100000000)
#define COMMAND_ROOM 256 /* of one command with one item, or of two deposits */
#define USER_MONEY   INT64_C(400000000000000)
#define ALL_MONEY    INT64_C(4000000000000000000) /* a coin's sum fits 64 bits, whatever the number of accounts */
#define LEVELS       500                          /* on either side of the middle, in workload_big */

/* ---- workloads ---- */

struct workload workload_load(const char *name, uint64_t commands)
{
    char            path[] = "build/bench-workload-XXXXXX", line[512];
    int             file = mkstemp(path);
    struct workload w = { 0 };
    int64_t         began;
    off_t           bytes;
    const obhdr    *header;

    CHECK(file >= 0, "no folder build/ here");
    snprintf(line, sizeof(line), "%s %s 1 %llu %s >&2", GENERATOR, name, (unsigned long long)commands, path);
    began = bench_ns();
    CHECK(system(line) == 0, "the generator failed");
    w.generate_ns = bench_ns() - began;
    bytes = lseek(file, 0, SEEK_END);
    header = mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    CHECK(header != MAP_FAILED, "cannot map the workload");
    w.header = *header;
    w.records = (const obcmd *)(header + 1);
    w.count = header->n_total;
    unlink(path);
    close(file);
    return w;
}

void workload_free(struct workload *w)
{
    if (w->records != NULL)
        munmap((void *)(uintptr_t)((const obhdr *)w->records - 1), sizeof(obhdr) + w->count * sizeof(obcmd));
}

struct workload workload_big(uint32_t users, uint64_t resting, uint32_t symbols, uint64_t commands)
{
    struct workload w = { .count = resting + commands };

    w.header.n_users = users;
    w.header.n_symbols = symbols;
    w.header.n_prefill = resting;
    w.header.n_total = w.header.max_id = w.count;
    w.header.peak_rest = resting + resting / 10;
    return w;
}

/* The source of workload_big's choices: the resting ids, from the events. */
struct drawer {
    uint64_t  random_state, next_id, live_count;
    uint64_t *live;
    obcmd    *orders;
};

/* A random resting id; ids that no longer rest are dropped on the way. 0 = none found. */
static uint64_t draw_live(struct drawer *drawer, const int64_t *open)
{
    while (drawer->live_count != 0) {
        uint64_t at = random_xorshift(&drawer->random_state) % drawer->live_count, id = drawer->live[at];
        if (open[id] != 0) return id;
        drawer->live[at] = drawer->live[--drawer->live_count];
    }
    return 0;
}

/* Half of the orders are for the first ten symbols; prices gather near the middle and never cross it. */
static obcmd draw_order(struct drawer *drawer, const struct workload *w, bool marketable)
{
    uint64_t roll = random_xorshift(&drawer->random_state), far = random_xorshift(&drawer->random_state),
             near = far % (1 + random_xorshift(&drawer->random_state) % LEVELS);
    obcmd record = { .op = marketable ? OP_IOC : OP_ADD, .side = roll & 1 ? BUY : SELL, .id = ++drawer->next_id };

    record.sym = (uint16_t)((roll >> 1 & 1 ? roll >> 8 : (roll >> 8) % 10) % w->header.n_symbols);
    record.user = (uint32_t)((roll >> 16) % w->header.n_users);
    record.qty = 1 + (uint32_t)((roll >> 40) % (marketable ? 126 : 100));
    record.price = (uint32_t)(marketable           ? (record.side == BUY ? 50000 + LEVELS : 49999 - LEVELS)
                              : record.side == BUY ? 49999 - near
                                                   : 50000 + near);
    record.aux = random_xorshift(&drawer->random_state);
    drawer->orders[record.id] = record;
    return record;
}

static obcmd draw(struct drawer *drawer, const struct workload *w, uint64_t i, const int64_t *open)
{
    uint64_t roll = random_xorshift(&drawer->random_state) % 1000, id;
    bool     cancels = roll >= 580;
    obcmd    record;

    id = i < w->header.n_prefill || !cancels ? 0 : draw_live(drawer, open);
    if (id == 0) {
        record = draw_order(drawer, w, i >= w->header.n_prefill && roll >= 500);
        if (record.op == OP_ADD) drawer->live[drawer->live_count++] = record.id;
        return record;
    }
    record = drawer->orders[id];
    record.op = roll >= 980 ? OP_REPLACE : OP_CANCEL;
    if (record.op == OP_REPLACE) record.qty = 1 + (uint32_t)(random_xorshift(&drawer->random_state) % 100);
    return record;
}

/* ---- commands ---- */

static struct address user_address(uint32_t user)
{
    struct address address = { { 0xd0 } };

    for (uint32_t i = 0; i < 15; i++) address.bytes[i + 1] = (uint8_t)((user + 1) * 2654435761u >> (i % 4 * 8));
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

static void *append(struct tape *tape, const struct plan *plan, uint16_t kind, size_t payload_bytes)
{
    struct command *command = (struct command *)(void *)(tape->at + tape->len);

    CHECK(tape->len + sizeof(*command) + payload_bytes <= tape->cap, "tape too small");
    tape->len += sizeof(*command) + payload_bytes;
    command->bytes = (uint32_t)(sizeof(*command) + payload_bytes);
    command->kind = kind;
    command->market = plan->market;
    command->seq = ++tape->seq;
    command->time_ms = GENESIS_MS + (int64_t)(tape->seq / 100);
    return command + 1;
}

static void *append_signed(struct tape *tape, const struct plan *plan, uint16_t kind, size_t payload_bytes,
                           uint32_t user)
{
    void           *payload = append(tape, plan, kind, payload_bytes);
    struct command *command = (struct command *)payload - 1;

    command->domain = plan->market == MARKET_SPOT ? DOMAIN_SPOT : DOMAIN_FUTURES;
    command->nonce = (uint64_t)GENESIS_MS + tape->seq;
    command->signer = user_address(user);
    return payload;
}

static void append_deposit(struct tape *tape, const struct plan *plan, uint32_t user, uint32_t coin_id, int64_t amount)
{
    struct deposit *deposit = append(tape, plan, CMD_DEPOSIT, sizeof(*deposit));

    *deposit =
        (struct deposit){ .address = user_address(user), .coin_id = coin_id, .amount = amount, .engine = plan->market };
    memcpy(deposit->id.bytes, &tape->seq, sizeof(tape->seq));
}

static void append_place_spot(struct tape *tape, const struct plan *plan, const obcmd *r, int64_t lot)
{
    struct place_orders *place = append_signed(tape, plan, CMD_PLACE_ORDERS, PAYLOAD_BYTES(place_orders, 1), r->user);

    place->account_id = ACCOUNT_FIRST + r->user;
    place->count = 1;
    place->items[0] = (struct new_order){
        .symbol_id = r->sym + 1u,
        .client_id = client_id(r->aux),
        .side = r->side == BUY ? SIDE_BUY : SIDE_SELL,
        .type = TYPE_LIMIT,
        .time_in_force = r->op == OP_IOC ? TIF_IOC : TIF_GTC,
        .price = decimal_make(r->price, 1),
        .quantity = decimal_make(r->qty * lot, 5),
    };
}

static void append_place_perps(struct tape *tape, const struct plan *plan, const obcmd *r, int64_t lot)
{
    struct place_perps *place = append_signed(tape, plan, CMD_PLACE_PERPS, PAYLOAD_BYTES(place_perps, 1), r->user);

    place->account_id = ACCOUNT_FIRST + r->user;
    place->count = 1;
    place->symbol_id = r->sym + 1u;
    place->items[0] = (struct perps_order){
        .client_id = client_id(r->aux),
        .modifier = MODIFIER_NORMAL,
        .side = r->side == BUY ? SIDE_BUY : SIDE_SELL,
        .type = TYPE_LIMIT,
        .time_in_force = r->op == OP_IOC ? TIF_IOC : TIF_GTC,
        .position_side = POSITION_BOTH,
        .price = decimal_make(r->price, 1),
        .quantity = decimal_make(r->qty * lot, 5),
    };
}

static void append_cancel(struct tape *tape, const struct plan *plan, const obcmd *r)
{
    if (plan->market == MARKET_SPOT) {
        struct cancel_orders *cancel =
            append_signed(tape, plan, CMD_CANCEL_ORDERS, PAYLOAD_BYTES(cancel_orders, 1), r->user);
        cancel->account_id = ACCOUNT_FIRST + r->user;
        cancel->count = 1;
        cancel->items[0] = (struct cancel_order){ .symbol_id = r->sym + 1u, .client_id = client_id(r->aux) };
    } else {
        struct cancel_perps *cancel =
            append_signed(tape, plan, CMD_CANCEL_PERPS, PAYLOAD_BYTES(cancel_perps, 1), r->user);
        cancel->account_id = ACCOUNT_FIRST + r->user;
        cancel->count = 1;
        cancel->items[0] = (struct perps_cancel){ .symbol_id = r->sym + 1u, .client_id = client_id(r->aux) };
    }
}

/* The workload names the new open quantity, the wire the new total: executed so far is added. */
static void append_replace(struct tape *tape, const struct plan *plan, const obcmd *r, int64_t lot, int64_t executed)
{
    struct replace_orders *replace =
        append_signed(tape, plan, CMD_REPLACE_ORDERS, PAYLOAD_BYTES(replace_orders, 1), r->user);

    replace->account_id = ACCOUNT_FIRST + r->user;
    replace->count = 1;
    replace->items[0] = (struct replace_order){
        .symbol_id = r->sym + 1u,
        .client_id = client_id(r->aux),
        .orig_client_id = client_id(r->aux),
        .price = decimal_make(r->price, 1),
        .quantity = decimal_make(r->qty * lot + executed, 5),
    };
}

static void append_record(struct tape *tape, const struct plan *plan, const obcmd *r, int64_t lot,
                          const int64_t *executed)
{
    switch (r->op) {
    case OP_CANCEL: append_cancel(tape, plan, r); break;
    case OP_REPLACE: append_replace(tape, plan, r, lot, executed[r->id]); break;
    default:
        if (plan->market == MARKET_SPOT) append_place_spot(tape, plan, r, lot);
        else append_place_perps(tape, plan, r, lot);
        break;
    }
}

/* Deposits for all accounts; on perps also the prices, and the TICK that applies them. */
static void append_beginning(struct tape *tape, const struct plan *plan, const struct workload *w)
{
    int64_t share = min_i64(USER_MONEY, ALL_MONEY / w->header.n_users);

    for (uint32_t user = 0; user < w->header.n_users; user++) {
        append_deposit(tape, plan, user, 0, share);
        if (plan->market == MARKET_SPOT) append_deposit(tape, plan, user, 1, share);
    }
    if (plan->market == MARKET_SPOT) return;
    for (uint32_t id = 1; id <= w->header.n_symbols; id++) {
        struct set_index *index = append(tape, plan, CMD_SET_INDEX, sizeof(*index));
        *index = (struct set_index){ .symbol_id = id, .by_hand = 1, .price = 50000 };
    }
    (void)append(tape, plan, CMD_TICK, sizeof(struct tick));
}

/* ---- the exchange ---- */

static struct symbol make_symbol(const struct plan *plan, uint32_t id)
{
    bool          bench = plan->bench;
    struct symbol s = {
        .id = id,
        .base_coin_id = 1,
        .quote_coin_id = 0,
        .price_precision = 1,
        .quantity_precision = 5,
        .market = plan->market,
        .status = SYMBOL_TRADING,
        .tick_size = 1,
        .step_size = 1,
        .min_quantity = bench ? 0 : 1,
        .max_quantity = bench ? 0 : 100000000,
        .market_min_quantity = bench ? 0 : 1,
        .market_max_quantity = bench ? 0 : 10000000,
        .min_notional = bench ? 0 : 5000000,
        .max_notional = bench ? 0 : 10000000000000,
        .buy_limit_up_ratio = bench ? 1000 * RATIO_ONE : 5000000,
        .sell_limit_down_ratio = bench ? RATIO_ONE : 5000000,
        .market_deviation_ratio = bench ? RATIO_ONE : 1000000,
        .maker_fee = 35000,
        .taker_fee = 65000,
        .reference_price = 50000,
    };

    s.name.len = 4;
    memcpy(s.name.at, (char[4]){ 'S', (char)('0' + id / 100), (char)('0' + id / 10 % 10), (char)('0' + id % 10) }, 4);
    return s;
}

static void set_fees(struct fee_table *fees)
{
    /* clang-format off */
    static const struct fee_row tiers[] = {
        { 0, 35000, 65000 }, { 5000000000000, 30000, 60000 }, { 25000000000000, 25000, 50000 },
        { 100000000000000, 15000, 40000 }, { 500000000000000, 10000, 30000 },
    };
    /* clang-format on */

    memcpy(fees->tiers, tiers, sizeof(tiers));
    fees->tier_count = 5;
    fees->staking_count = 4;
    memcpy(fees->staking_discount, (int64_t[]){ 0, 5000000, 10000000, 20000000 }, 32);
    fees->rebate_count = 3;
    memcpy(fees->rebate_share, (int64_t[]){ 0, 1000000, 3000000 }, 24);
    memcpy(fees->rebate_rate, (int64_t[]){ 0, -2000, -4000 }, 24);
}

static void set_markets(const struct plan *plan, const struct workload *w, struct genesis *g)
{
    uint32_t count = w->header.n_symbols;

    if (plan->market == MARKET_SPOT) {
        CHECK(count <= SYMBOLS_MAX, "more symbols than the engine has (%u)", SYMBOLS_MAX);
        g->spot_count = count;
        for (uint32_t id = 1; id <= count; id++) g->spot[id - 1] = make_symbol(plan, id);
        return;
    }
    CHECK(count <= PERPS_MAX, "more perps symbols than the engine has (%u)", PERPS_MAX);
    g->perps_count = count;
    for (uint32_t id = 1; id <= count; id++) {
        g->perps[id - 1] = make_symbol(plan, id);
        /* clang-format off */
        g->contracts[id - 1] = (struct contract){ .tier_count = 3, .init_leverage = 10, .interest_rate = 10000,
            .tiers = {
            { .max_notional = 4000000000000, .max_leverage = 25 },
              { .max_notional = 10000000000000, .max_leverage = 20 },
            { .max_notional = 50000000000000, .max_leverage = 10 } } };
    }
    /* clang-format on */
}

void plan_genesis(const struct plan *plan, const struct workload *w, struct genesis *g)
{
    const char *wrong;
    uint32_t    users = w->header.n_users + 100;

    memset(g, 0, sizeof(*g));
    g->chain_ids[0] = 286623;
    g->time_ms = GENESIS_MS;
    g->coin_count = 3;
    for (uint32_t i = 0; i < 3; i++)
        g->coins[i] = (struct coin){ .name = { 1, { (char)('a' + i) } }, .id = i, .precision = i == 0 ? 6 : 8 };
    set_fees(&g->spot_fees);
    set_markets(plan, w, g);
    g->rules = (struct rules){
        .stp_scope = plan->bench ? STP_NONE : STP_ACCOUNT,
        .client_id_reuse = REUSE_FINISHED,
        .replace_keeps_place = !plan->bench,
        .open_orders_per_account = plan->bench ? 0 : 1000,
        .schedule_triggers_per_day = 10,
        .armed_stops_per_account = 100,
        .triggers_per_command = 10000,
        .liquidations_per_tick = 1000,
        .stop_retry_ticks = 60,
        .oracle_quorum = 1,
        .oracle_stale_ms = 60000,
        .oracle_jump_ratio = 10000000,
        .liquidation_buffer = 10000000,
        .liquidation_slippage = 2000000,
        .fund_loss_ratio = 20000000,
    };
    g->limits = (struct limits){ .accounts = users,
                                 .orders = (uint32_t)w->header.peak_rest + 1000,
                                 .levels = 100000,
                                 .signers = users,
                                 .deposits = 2 * users };
    if (plan->market == MARKET_PERPS) {
        g->development = 1;
        g->perps_fees = g->spot_fees;
        g->limits.positions = users + 64;
    }
    genesis_complete(g);
    wrong = genesis_check(g);
    CHECK(wrong == NULL, "%s", wrong);
}

/* ---- the recording run ---- */

/* Executed and open quantity by the workload's ids. The engine's order
   ids are the same numbers: both count placements from 1. */
struct ledger {
    int64_t *executed, *open;
};

static void fold_order(struct ledger *ledger, const struct order_changed *order)
{
    ledger->open[order->order_id] = status_is_open(order->status) ? order->quantity - order->executed : 0;
}

/* Folds the events of one command: the generator's counts, and executed quantity and rest per order. */
static void fold(struct replay *replay, const struct events *events, struct ledger *ledger, int64_t lot)
{
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        const struct traded *trade = (const void *)event;
        const struct filled *fill = (const void *)event;
        static uint64_t      maker;

        replay->events += 1;
        switch (event->kind) {
        case EVENT_REFUSED: replay->refused += 1; break;
        case EVENT_RESULT:
            replay->rejects += ((const struct result *)(const void *)event)->reject != REJECT_NONE;
            break;
        case EVENT_TRADE:
            replay->trades += 1;
            replay->quantity += (uint64_t)(trade->quantity / lot);
            break;
        case EVENT_FILL:
            ledger->executed[fill->order_id] += fill->quantity;
            if (fill->is_maker) maker = fill->order_id;
            else
                replay->hash =
                    tape(replay->hash, maker, fill->order_id, (uint32_t)fill->price, (uint32_t)(fill->quantity / lot));
            break;
        case EVENT_ORDER:
        case EVENT_PERPS_ORDER: fold_order(ledger, (const void *)event); break;
        default: break;
        }
    }
}

static void check_sums(const struct workload *w, const struct replay *replay)
{
    if (w->records == NULL) {
        CHECK(replay->rejects == 0, "%llu rejects", (unsigned long long)replay->rejects);
        return;
    }
    CHECK(replay->trades == w->header.exp_trades, "trades %llu, expected %llu", (unsigned long long)replay->trades,
          (unsigned long long)w->header.exp_trades);
    CHECK(replay->quantity == w->header.exp_qty, "quantity");
    CHECK(replay->rejects == w->header.exp_rejects, "rejects %llu, expected %llu", (unsigned long long)replay->rejects,
          (unsigned long long)w->header.exp_rejects);
    CHECK(replay->rest == w->header.exp_rest && replay->rest_quantity == w->header.exp_rest_qty, "rest");
    CHECK(replay->hash == w->header.exp_hash, "tape");
}

struct replay tape_record(const struct plan *plan, const struct workload *w, const struct genesis *g, struct tape *tape)
{
    struct events  events = { bench_map(engine_events_bytes(g)), 0, engine_events_bytes(g) };
    void          *memory = bench_map(engine_size(g));
    struct engine *engine;
    struct replay  replay = { 0 };
    size_t         ids = (w->header.max_id + 2) * 8, done = 0;
    struct ledger  ledger = { bench_map(ids), bench_map(ids) };
    int64_t        lot = plan->bench ? 1 : 1000;
    struct drawer  drawer = { .random_state = 88172645463325252u };

    madvise(memory, engine_size(g), MADV_HUGEPAGE);
    engine = engine_init(memory, g, &events);
    tape->cap = (w->count + w->header.n_users + PERPS_MAX + 1) * 2 * COMMAND_ROOM;
    tape->at = bench_map(tape->cap);
    if (w->records == NULL) {
        drawer.live = bench_map(ids);
        drawer.orders = bench_map((w->count + 2) * sizeof(obcmd));
    }
    append_beginning(tape, plan, w);
    for (uint64_t i = 0; i <= w->count; i++) {
        for (; done < tape->len; done += ((const struct command *)(const void *)(tape->at + done))->bytes) {
            events.len = 0;
            engine_apply(engine, (const void *)(tape->at + done), &events);
            fold(&replay, &events, &ledger, lot);
        }
        if (i == w->header.n_prefill) tape->timed_from = tape->len;
        if (i == w->count) break;
        obcmd record = w->records != NULL ? w->records[i] : draw(&drawer, w, i, ledger.open);
        append_record(tape, plan, &record, lot, ledger.executed);
    }
    engine_verify(engine);
    tape->state = engine_hash(engine);
    tape->timed = w->count - w->header.n_prefill;
    replay.rest = engine_counts(engine).open_orders;
    for (uint64_t id = 0; id <= w->header.max_id; id++) replay.rest_quantity += (uint64_t)(ledger.open[id] / lot);
    CHECK(replay.refused == 0, "%llu commands refused", (unsigned long long)replay.refused);
    if (plan->bench) check_sums(w, &replay);
    if (w->records == NULL) {
        munmap(drawer.live, ids);
        munmap(drawer.orders, (w->count + 2) * sizeof(obcmd));
    }
    munmap(ledger.executed, ids);
    munmap(ledger.open, ids);
    munmap(events.at, events.cap);
    munmap(engine, engine_size(g));
    return replay;
}

void tape_free(struct tape *tape) { munmap(tape->at, tape->cap); }
