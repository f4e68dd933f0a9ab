/* SPDX-License-Identifier: MIT */
/* answers_receipts.c — answers about the venue's decisions: composition of prices, receipts of liquidations, the fund.
 */
#include "ask.h"
#include "base/keccak.h"

/* ---- what index and mark are made of ---- */

static void put_source(struct text *t, const char *type, const struct address *who, const struct name *symbol,
                       uint32_t weight)
{
    open_object(t);
    word(t, "type", type);
    if (who != NULL) address(t, "address", who);
    if (symbol != NULL) named(t, "symbol", symbol);
    number(t, "weight", weight);
}

static void put_word_of_source(struct text *t, uint32_t p, int64_t price, int64_t mid, int64_t time_ms, bool valid,
                               int64_t now_ms)
{
    amount_if(t, "price", price, p);
    amount_if(t, "perpMid", mid, p);
    if (time_ms != 0) number(t, "updatedAt", time_ms);
    if (price != 0) number(t, "age", now_ms - time_ms);
    flag(t, "valid", valid);
    close_object(t);
}

static void put_sources(struct text *t, const struct twin *twin, const struct symbol *s, const struct made_of *made,
                        int64_t now_ms)
{
    const struct contract *c = &twin->genesis.contracts[s->id - 1];
    uint32_t               p = s->price_precision, shown = 0;

    key(t, "sources");
    put(t, "[");
    for (uint32_t i = 0; i <= FEEDERS_MAX; i++) {
        bool hand = i == FEEDERS_MAX;

        if (hand ? made->from[i].price == 0 : i >= twin->genesis.feeder_count) continue;
        if (shown++ != 0) put(t, ",");
        put_source(t, hand ? "HAND" : "FEEDER", hand ? NULL : &twin->genesis.feeders[i].address, NULL,
                   hand ? 1 : twin->genesis.feeders[i].weight);
        put_word_of_source(t, p, made->from[i].price, made->from[i].mid, made->from[i].time_ms,
                           made->from[i].valid != 0, now_ms);
    }
    if (c->spot_symbol_id != 0) {
        if (shown != 0) put(t, ",");
        put_source(t, "SPOT_BOOK", NULL, &twin->genesis.spot[c->spot_symbol_id - 1].name, 0);
        put_word_of_source(t, p, made->spot, 0, made->spot != 0 ? made->time_ms : 0, made->spot != 0, now_ms);
    }
    put(t, "]");
    t->first = false;
}

static void put_composition(struct text *t, const struct twin *twin, const struct symbol *s, const struct made_of *made,
                            int64_t now_ms)
{
    uint32_t p = s->price_precision;

    open_object(t);
    named(t, "symbol", &s->name);
    number(t, "symbolID", s->id);
    word(t, "state", enum_name_of(oracle_state_names, (uint8_t)made->oracle));
    flag(t, "heldBack", made->agreed != 0);
    amount(t, "indexPrice", made->index, p);
    amount(t, "markPrice", made->mark, p);
    number(t, "time", made->time_ms);
    number(t, "validSources", made->valid);
    number(t, "quorum", made->quorum);
    amount_if(t, "medianPrice", made->median, p);
    amount_if(t, "candidatePrice", made->held, p);
    if (made->agreed != 0) number(t, "candidateSeen", made->agreed);
    if (made->agreed != 0) number(t, "candidateNeeded", made->need);
    put_sources(t, twin, s, made, now_ms);
    amount_if(t, "bidPrice", made->bid, p);
    amount_if(t, "askPrice", made->ask, p);
    amount_if(t, "lastPrice", made->last, p);
    amount_if(t, "perpMidPrice", made->mid, p);
    amount_if(t, "basisPrice", made->p1, p);
    amount_if(t, "bookPrice", made->p2, p);
    amount_if(t, "feederPrice", made->p3, p);
    amount_if(t, "rawMarkPrice", made->raw, p);
    close_object(t);
}

const char *check_compositions(struct answers *answers, struct twin *twin, uint32_t only)
{
    struct text *t = &answers->want;

    begin(answers);
    put(t, "[");
    for (uint32_t id = 1; id <= twin->genesis.perps_count; id++) {
        if (only != ALL && id != only) continue;
        if (id != 1 && only == ALL) put(t, ",");
        put_composition(t, twin, symbol_of(twin, MARKET_PERPS, id), &twin->state[MARKET_PERPS][id - 1].made,
                        answers->now_ms);
    }
    put(t, "]");
    return check(answers, "/api/v1/perps/markets/index-composition?symbol=%s",
                 only != ALL ? symbol_of(twin, MARKET_PERPS, only)->name.at : "");
}

/* ---- receipts ---- */

static uint32_t money_of(const struct twin *twin) { return twin->genesis.coins[COIN_MARGIN].precision; }

static void hash(struct text *t, const char *name, const uint8_t bytes[32])
{
    key(t, name);
    put(t, "\"0x");
    for (uint32_t i = 0; i < 32; i++) put(t, "%02x", bytes[i]);
    put(t, "\"");
}

/* The owner as shown to the public: a hash that only a holder of the address can compute; nothing for the fund. */
static void put_hidden(struct text *t, const struct twin *twin, uint64_t receipt_id, uint64_t account_id)
{
    uint64_t       numbers[3] = { twin->genesis.chain_ids[0], receipt_id, account_id };
    uint8_t        said[18 + 8 + 8 + 20 + 8] = "dojima liquidation";
    uint32_t       at = 18;
    struct hash256 sum;

    if (account_id == ACCOUNT_FUND) return;
    for (int n = 0; n < 3; n++) {
        for (int i = 7; i >= 0; i--) said[at++] = (uint8_t)(numbers[n] >> (8 * i));
        for (uint32_t i = 0; n == 1 && i < twin->account_count; i++)
            if (twin->accounts[i].id == account_id) memcpy(said + at, &twin->accounts[i].owner, 20);
        if (n == 1) at += 20;
    }
    sum = keccak256(said, sizeof(said));
    hash(t, "account", sum.bytes);
}

static void put_rank(struct text *t, const struct twin *twin, const struct symbol *s, const struct adl_ranked *row)
{
    uint32_t q = s->quantity_precision;

    open_object(t);
    count_of(t, "receiptID", row->receipt_id);
    number(t, "rank", row->rank);
    number(t, "group", row->group);
    put_hidden(t, twin, row->receipt_id, row->account_id);
    flag(t, "fund", row->account_id == ACCOUNT_FUND);
    amount(t, "score", row->score, 12);
    amount(t, "leverage", row->leverage, 6);
    amount(t, "size", row->size, q);
    if (row->bears > 0) amount(t, "bears", row->bears, q);
    flag(t, "reached", row->bears != -1);
    amount(t, "taken", row->taken, q);
    amount(t, "value", row->value, money_of(twin));
    close_object(t);
}

static void put_decision(struct text *t, const struct twin *twin, const struct symbol *s, const struct liquidated *is)
{
    static const char *const refusals[] = { "NO_SYMBOL_BUDGET", "NO_TOTAL_BUDGET", "NO_MONEY", "NO_INVENTORY",
                                            "NO_CARRY" };
    uint32_t                 p = s->price_precision, q = s->quantity_precision, m = money_of(twin), said = 0;

    amount(t, "sizeBefore", is->size_before, q);
    amount(t, "quantity", is->quantity, q);
    amount_if(t, "wantedQuantity", is->wanted, q);
    amount_if(t, "limitPrice", is->limit, p);
    amount(t, "equity", is->equity, m);
    amount(t, "maintenance", is->maintenance, m);
    amount(t, "equityAtWorse", is->equity_worse, m);
    amount(t, "positionMaintenance", is->own_maintenance, m);
    amount(t, "share", is->share, m);
    amount(t, "markPrice", is->mark, p);
    amount(t, "indexPrice", is->index, p);
    word(t, "indexState", enum_name_of(oracle_state_names, is->index_state));
    amount(t, "worsePrice", is->worse, p);
    amount(t, "bankruptcyPrice", is->bankruptcy_price, p);
    amount(t, "price", is->price, p);
    amount(t, "value", is->value, m);
    amount(t, "slippage", is->slippage, 8);
    amount(t, "fundCharge", is->charge, m);
    amount_if(t, "fundSymbolBudget", is->symbol_left, m);
    amount_if(t, "fundTotalBudget", is->total_left, m);
    amount_if(t, "fundInventory", is->inventory, m);
    amount_if(t, "fundInventoryLimit", is->inventory_limit, m);
    amount_if(t, "fundCarries", is->fund_carries, m);
    amount_if(t, "fundEquity", is->fund_equity, m);
    if (is->refusal != 0) key(t, "fundRefusal");
    for (uint32_t i = 0; i < ARRAY_COUNT(refusals); i++)
        if ((is->refusal >> i & 1) != 0) put(t, "%s\"%s\"", said++ == 0 ? "[" : ",", refusals[i]);
    if (is->refusal != 0) put(t, "]");
    amount(t, "fundBefore", is->fund_before, m);
    amount(t, "fundAfter", is->fund_after, m);
}

void put_receipt(struct text *t, const struct twin *twin, const struct kept_receipt *receipt,
                 const struct adl_ranked *rank, uint64_t account_id)
{
    static const char *const stages[] = { [STAGE_BOOK] = "BOOK", [STAGE_TAKEOVER] = "TAKEOVER", [STAGE_ADL] = "ADL" };
    const struct liquidated *is = &receipt->is;
    const struct symbol     *s = symbol_of(twin, MARKET_PERPS, is->symbol_id);
    uint8_t                  transaction[32];

    if (account_id != 0) word(t, "role", rank == NULL ? "LIQUIDATED" : "DELEVERAGED");
    if (account_id != 0) count_of(t, "accountID", account_id);
    if (account_id != 0 && rank == NULL) count_of(t, "positionID", is->position_id);
    if (rank != NULL) {
        key(t, "own");
        put(t, "[");
        put_rank(t, twin, s, rank);
        put(t, "]");
    }
    count_of(t, "receiptID", is->receipt_id);
    count_of(t, "liquidationID", is->liquidation_id);
    named(t, "symbol", &s->name);
    number(t, "symbolID", s->id);
    number(t, "time", is->time_ms);
    count_of(t, "block", receipt->seq + 7); /* as answers.c has it of all transactions */
    memset(transaction, (int)(receipt->seq & 0xff), sizeof(transaction));
    hash(t, "txHash", transaction);
    word(t, "stage", stages[is->stage]);
    number(t, "round", is->round);
    put_hidden(t, twin, is->receipt_id, is->account_id);
    flag(t, "fund", is->account_id == ACCOUNT_FUND);
    word(t, "marginMode", is->margin_mode == MARGIN_CROSS ? "CROSS" : "ISOLATED");
    word(t, "side", is->side == SIDE_BUY ? "BUY" : "SELL");
    put_decision(t, twin, s, is);
    number(t, "candidates", is->candidates);
    key(t, "composition");
    put_composition(t, twin, s, &receipt->made, is->time_ms);
}

/* A page of the newest ranking there is, or of a receipt that there is not. */
const char *check_rankings(struct answers *answers, struct twin *twin)
{
    const struct past         *past = &answers->past;
    const struct kept_receipt *newest =
        past->receipt_count != 0
            ? &past->receipts[past->receipt_count - 1
                              - random_below(&answers->random_state, past->receipt_count < 8 ? past->receipt_count : 8)]
            : NULL;
    struct text *t = &answers->want;
    uint32_t     from, limit = 1 + random_below(&answers->random_state, 5);
    char         none[24];

    if (newest == NULL || one_in(&answers->random_state, 8)) {
        (void)snprintf(none, sizeof(none), "%" PRIu64, (uint64_t)past->receipt_count + 1);
        put_fault(answers, REJECT_RECEIPT_NOT_FOUND, "receiptID", none, NULL);
        return check(answers, "/api/v1/perps/liquidations/ranking?receiptID=%s", none);
    }
    from = random_below(&answers->random_state, newest->is.candidates + 2);
    begin(answers);
    put(t, "[");
    for (uint32_t i = from; i < newest->is.candidates && i - from < limit; i++) {
        if (i != from) put(t, ",");
        put_rank(t, twin, symbol_of(twin, MARKET_PERPS, newest->is.symbol_id), &past->ranks[newest->first_rank + i]);
    }
    put(t, "]");
    return check(answers, "/api/v1/perps/liquidations/ranking?receiptID=%" PRIu64 "&fromRank=%u&limit=%u",
                 newest->is.receipt_id, from, limit);
}

/* ---- the fund ---- */

/* The values of the first TICK, as long as none has run: the fund's limits in a symbol at its listing price. */
static void before_ticks(struct twin *twin, struct past *past)
{
    const struct rules *rules = &twin->genesis.rules;
    int128_t            money = account_by_id(twin, ACCOUNT_FUND)->wallet;

    past->fund[0].equity = (int64_t)money;
    if (money < 0) money = 0;
    past->fund[0].inventory_limit = (int64_t)(money * 5);
    past->fund[0].loss_limit = (int64_t)(money * rules->fund_total_ratio / 100000000);
    for (uint32_t id = 1; id <= twin->genesis.perps_count; id++) {
        const struct symbol   *symbol = symbol_of(twin, MARKET_PERPS, id);
        const struct contract *c = &twin->genesis.contracts[id - 1];
        int128_t               most = c->fund_max_inventory;

        if (most == 0 && c->open_interest_cap != 0) {
            most = n_exact(symbol, &twin->genesis, symbol->reference_price, c->open_interest_cap, false) / 50;
            if (most == 0) most = 1;
        }
        past->fund[id].loss_limit = (int64_t)(money * rules->fund_loss_ratio / 100000000);
        past->fund[id].inventory_limit = (int64_t)most;
    }
}

static void put_fund_symbols(struct text *t, const struct twin *twin, const struct past *past, int64_t today)
{
    uint32_t m = money_of(twin);

    key(t, "symbols");
    put(t, "[");
    for (uint32_t id = 1; id <= twin->genesis.perps_count; id++) {
        const struct fund_changed *f = &past->fund[id];
        bool                       is_today = f->day_ms == today * DAY_MS;

        if (id != 1) put(t, ",");
        open_object(t);
        named(t, "symbol", &symbol_of(twin, MARKET_PERPS, id)->name);
        number(t, "symbolID", id);
        amount(t, "size", f->size, symbol_of(twin, MARKET_PERPS, id)->quantity_precision);
        amount(t, "inventory", f->inventory, m);
        amount(t, "inventoryLimit", f->inventory_limit, m);
        amount(t, "dayLoss", is_today ? f->loss : 0, m);
        amount(t, "dayLossLimit", f->loss_limit, m);
        amount(t, "dayBeyond", is_today ? f->beyond : 0, m);
        close_object(t);
    }
    put(t, "]");
}

static void put_fund_days(struct text *t, const struct twin *twin, const struct past *past, int64_t today)
{
    int64_t  after = past->fund_wallet;
    uint32_t m = money_of(twin);

    key(t, "days");
    put(t, "[");
    for (int64_t day = today; day > today - 30 && day >= twin->genesis.time_ms / DAY_MS; day--) {
        struct fund_day is = { .day = day, .begin = after, .end = after };

        for (uint32_t i = 0; i < past->fund_day_count; i++)
            if (past->fund_days[i].day == day) is = past->fund_days[i];
        if (day != today) put(t, ",");
        open_object(t);
        number(t, "day", day * DAY_MS);
        amount(t, "begin", answers_planted == ANSWER_BUG_FUND_DAY ? is.end : is.begin, m);
        amount(t, "end", is.end, m);
        amount(t, "paid", is.paid, m);
        amount(t, "received", is.received, m);
        amount(t, "loss", is.loss, m);
        amount(t, "beyond", is.beyond, m);
        close_object(t);
        after = is.begin;
    }
    put(t, "]");
}

const char *check_fund(struct answers *answers, struct twin *twin)
{
    const struct past         *past = &answers->past;
    const struct fund_changed *f = &past->fund[0];
    struct text               *t = &answers->want;
    int64_t                    today = answers->now_ms / DAY_MS;
    uint32_t                   m = money_of(twin);

    if (f->time_ms == 0) before_ticks(twin, &answers->past);
    begin(answers);
    open_object(t);
    block(answers);
    named(t, "coin", &twin->genesis.coins[COIN_MARGIN].name);
    amount(t, "balance", account_by_id(twin, ACCOUNT_FUND)->wallet, m);
    amount(t, "equity", f->equity, m);
    flag(t, "insolvent", past->insolvent);
    amount(t, "inventory", f->inventory, m);
    amount(t, "inventoryLimit", f->inventory_limit, m);
    number(t, "day", today * DAY_MS);
    amount(t, "dayLoss", f->day_ms == today * DAY_MS ? f->loss : 0, m);
    amount(t, "dayLossLimit", f->loss_limit, m);
    amount(t, "dayBeyond", f->day_ms == today * DAY_MS ? f->beyond : 0, m);
    number(t, "updatedAt", f->time_ms);
    put_fund_symbols(t, twin, past, today);
    put_fund_days(t, twin, past, today);
    close_object(t);
    return check(answers, "/api/v1/perps/insurance-fund");
}
