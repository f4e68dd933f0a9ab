/* SPDX-License-Identifier: MIT */
/*
 * receipts.c — reads about the venue's decisions: compositions of index and mark, receipts of liquidations, the
 * insurance fund.
 */
#include "api/inside.h"

/* ---- index and mark ---- */

/* Ages change with every millisecond, so nothing of it is kept encoded. */
void answer_index_composition(struct call *call)
{
    const struct api_shared    *shared = call->api->shared;
    struct index_source_record *sources = call->api->receipts.room.sources;
    struct composition_record   record;
    uint32_t                    first, last;

    if (!call_symbols(call, &first, &last)) return;
    call_rows_begin(call);
    for (uint32_t id = first; id <= last; id++) {
        struct index_composed made = views_composition(shared->views, id);
        record_composition(&call->api->present, &made, call->context->now_ms, sources, &record);
        call_row(call, &record);
    }
    call_rows_end(call);
}

/* ---- receipts ---- */

/* The page as a query of the store; false when call->failure has the reason. */
static bool read_page(struct call *call, struct history_query *query)
{
    const struct receipts_query *page = &call->query.receipts;
    uint64_t end = page->end_ms.given ? page->end_ms.value : INT64_MAX, start = page->start_ms.value;

    *query = (struct history_query){ .market = MARKET_PERPS,
                                     .limit = page->limit,
                                     .most = call->endpoint->limit_max,
                                     .other_id = page->liquidation_id,
                                     .from_id = page->from_id };
    if (page->end_ms.given && start > end) {
        fail_number(&call->failure, REJECT_BAD_TIME_RANGE, SLICE("startTime"), start);
        return false;
    }
    query->start_ms = (int64_t)min_u64(start, INT64_MAX);
    query->end_ms = (int64_t)min_u64(end, INT64_MAX);
    return true;
}

static void answer_page(struct call *call, const struct history_query *query)
{
    const struct api_shared *shared = call->api->shared;
    struct receipts         *receipts = &call->api->receipts;
    struct receipt_record    record;
    int                      count = history_receipts(shared->history, query, receipts->rows);

    if (!call_history_begin(call, count)) return;
    for (int i = 0; i < count; i++) {
        if (record_receipt(&call->api->present, &receipts->rows[i], &receipts->room, &record) < 0) {
            fail_history(call);
            return;
        }
        call_row(call, &record);
    }
    call_rows_end(call);
}

void answer_liquidations(struct call *call)
{
    struct history_query query;

    if (!read_page(call, &query) || !call_filter(call, &call->query.receipts.symbol, &query.symbol_id)) return;
    answer_page(call, &query);
}

void answer_account_liquidations(struct call *call)
{
    struct history_query query;
    struct view_account  account;

    if (!read_page(call, &query) || !call_account(call, call->query.receipts.account_id, &account)) return;
    if (!call_filter(call, &call->query.receipts.symbol, &query.symbol_id)) return;
    query.account_id = account.account_id;
    if (account.account_id != 0) {
        answer_page(call, &query);
        return;
    }
    call_rows_begin(call); /* an address without a user: its list is empty, while account 0 would mean all accounts */
    call_rows_end(call);
}

/* The receipt of a number; false when there is none, or the store cannot be read. */
static bool find_receipt(struct call *call, uint64_t receipt_id, struct history_receipt *receipt)
{
    struct history_query query = { .market = MARKET_PERPS, .end_ms = INT64_MAX, .from_id = receipt_id + 1, .limit = 1 };
    int count = receipt_id > INT64_MAX ? 0 : history_receipts(call->api->shared->history, &query, receipt);

    if (count < 0) {
        fail_history(call);
        return false;
    }
    if (count == 1 && receipt->is.receipt_id == receipt_id) return true;
    fail_number(&call->failure, REJECT_RECEIPT_NOT_FOUND, SLICE("receiptID"), receipt_id);
    return false;
}

void answer_liquidation_ranking(struct call *call)
{
    const struct api_shared    *shared = call->api->shared;
    const struct ranking_query *page = &call->query.ranking;
    struct receipts            *receipts = &call->api->receipts;
    struct history_receipt      receipt;
    struct ranked_record        record;
    int                         count;

    if (!find_receipt(call, page->receipt_id, &receipt)) return;
    count =
        history_ranking(shared->history, page->receipt_id,
                        (uint32_t)min_u64(page->from_rank.value, receipt.is.candidates), page->limit, receipts->ranks);
    if (!call_history_begin(call, count)) return;
    for (int i = 0; i < count; i++) {
        record_ranked(&call->api->present, &shared->genesis->perps[receipt.is.symbol_id - 1], &receipts->ranks[i],
                      &record);
        call_row(call, &record);
    }
    call_rows_end(call);
}

/* ---- the fund ---- */

static struct decimal fund_money(const struct call *call, int64_t amount)
{
    return decimal_plain(amount, views_coin(call->api->shared->views, COIN_MARGIN)->precision);
}

/* A charge counts on its own day alone. */
static int64_t of_today(const struct fund_changed *row, int64_t now_ms, int64_t amount)
{
    return row->day_ms == now_ms / DAY_MS * DAY_MS ? amount : 0;
}

/* Before the first TICK: the limits that the fund will have then, from its present wallet (mechanics 3.13). */
static void fund_at_start(const struct genesis *genesis, struct view_fund *fund)
{
    int64_t has = max_i64(fund->balance, 0);

    if (fund->rows[0].time_ms != 0) return;
    fund->rows[0].equity = fund->balance;
    fund->rows[0].inventory_limit = has > AMOUNT_MAX / 5 ? AMOUNT_MAX : 5 * has;
    fund->rows[0].loss_limit = (int64_t)((int128_t)has * genesis->rules.fund_total_ratio / RATE_ONE);
    for (uint32_t i = 0; i < genesis->perps_count; i++) {
        const struct contract *contract = &genesis->contracts[i];
        const struct symbol   *symbol = &genesis->perps[i];
        int128_t capped = notional_floor(symbol->reference_price, min_i64(contract->open_interest_cap, QUANTITY_MAX),
                                         symbol_notional_power(symbol, &genesis->coins[symbol->quote_coin_id]))
                        / 50;
        bool by_cap = contract->fund_max_inventory == 0 && contract->open_interest_cap != 0;

        fund->rows[i + 1].loss_limit = (int64_t)((int128_t)has * genesis->rules.fund_loss_ratio / RATE_ONE);
        fund->rows[i + 1].inventory_limit = !by_cap             ? contract->fund_max_inventory
                                          : capped < 1          ? 1
                                          : capped > AMOUNT_MAX ? AMOUNT_MAX
                                                                : (int64_t)capped;
    }
}

static struct list fund_symbols(struct call *call, const struct view_fund *fund)
{
    const struct genesis      *genesis = call->api->shared->genesis;
    struct fund_symbol_record *records = call->api->receipts.fund_symbols;
    int64_t                    now_ms = call->context->now_ms;

    for (uint32_t i = 0; i < genesis->perps_count; i++) {
        const struct fund_changed *row = &fund->rows[i + 1];
        records[i] = (struct fund_symbol_record){
            .symbol = genesis->perps[i].name,
            .symbol_id = i + 1,
            .size = decimal_plain(row->size, genesis->perps[i].quantity_precision),
            .inventory = fund_money(call, row->inventory),
            .inventory_limit = fund_money(call, row->inventory_limit),
            .loss = fund_money(call, of_today(row, now_ms, row->loss)),
            .loss_limit = fund_money(call, row->loss_limit),
            .beyond = fund_money(call, of_today(row, now_ms, row->beyond)),
        };
    }
    return (struct list){ records, genesis->perps_count, 0 };
}

/* Every day from today back; on a day without an event the balance is that of the day before. */
static struct list fund_days(struct call *call, const struct view_fund *fund)
{
    struct fund_day_record *records = call->api->receipts.fund_days;
    int64_t today = call->context->now_ms / DAY_MS, first = call->api->shared->genesis->time_ms / DAY_MS,
            balance = fund->balance;
    uint32_t told = fund->day_count, shown = 0;

    for (int64_t day = today; day >= first && shown < FUND_DAYS_MAX; day--, shown++) {
        struct view_fund_day made = { .day = day, .begin = balance, .end = balance };

        while (told > 0 && fund->days[told - 1].day > day) told--;
        if (told > 0 && fund->days[told - 1].day == day) made = fund->days[told - 1];
        balance = made.begin;
        records[shown] = (struct fund_day_record){
            .day_ms = day * DAY_MS,
            .begin = fund_money(call, made.begin),
            .end = fund_money(call, made.end),
            .paid = fund_money(call, made.paid),
            .received = fund_money(call, made.received),
            .loss = fund_money(call, made.loss),
            .beyond = fund_money(call, made.beyond),
        };
    }
    return (struct list){ records, shown, 0 };
}

void answer_insurance_fund(struct call *call)
{
    int64_t              now_ms = call->context->now_ms;
    struct view_fund     fund;
    struct fund_changed *whole = &fund.rows[0];

    views_fund(call->api->shared->views, &fund);
    fund_at_start(call->api->shared->genesis, &fund);
    call_record(call, &(struct fund_record){
                          .coin = views_coin(call->api->shared->views, COIN_MARGIN)->name,
                          .balance = fund_money(call, fund.balance),
                          .equity = fund_money(call, whole->equity),
                          .insolvent = fund.insolvent,
                          .inventory = fund_money(call, whole->inventory),
                          .inventory_limit = fund_money(call, whole->inventory_limit),
                          .loss = fund_money(call, of_today(whole, now_ms, whole->loss)),
                          .loss_limit = fund_money(call, whole->loss_limit),
                          .beyond = fund_money(call, of_today(whole, now_ms, whole->beyond)),
                          .day_ms = now_ms / DAY_MS * DAY_MS,
                          .updated_ms = whole->time_ms,
                          .block_time = fund.block.time_ms,
                          .block_height = fund.block.height,
                          .symbols = fund_symbols(call, &fund),
                          .days = fund_days(call, &fund),
                      });
}
