/* SPDX-License-Identifier: MIT */
/*
 * record_receipts.c — from events in units to the records that document the venue's decisions
 * (model/shapes_receipts.h).
 */
#include "present/records.h"

#define SCORE_DECIMALS    12 /* a ratio and a leverage, 1e-6 each */
#define LEVERAGE_DECIMALS 6
#define RATIO_DECIMALS    8

static struct decimal money(const struct views *views, int64_t amount)
{
    return decimal_plain(amount, views_coin(views, COIN_MARGIN)->precision);
}

/* ---- index and mark ---- */

static void record_source(struct index_source_record *record, const struct index_source *source,
                          uint32_t price_precision, int64_t now_ms)
{
    record->price = decimal_plain(source->price, price_precision);
    record->perp_mid = decimal_plain(source->perp_mid, price_precision);
    record->updated_ms = source->posted_ms;
    if (source->price != 0)
        record->age_ms =
            (struct optional_u64){ .value = (uint64_t)max_i64(now_ms - source->posted_ms, 0), .given = true };
    record->valid = source->valid != 0;
}

/* Feeders in the order of the configuration, then what was set by hand, then the own spot book. */
static uint32_t record_sources(const struct present *present, const struct index_composed *made, int64_t now_ms,
                               struct index_source_record sources[SOURCES_SHOWN_MAX])
{
    const struct genesis  *genesis = present->genesis;
    const struct contract *contract = &genesis->contracts[made->symbol_id - 1];
    uint32_t               p = genesis->perps[made->symbol_id - 1].price_precision, count = 0;

    memset(sources, 0, SOURCES_SHOWN_MAX * sizeof(*sources));
    for (uint32_t i = 0; i < genesis->feeder_count; i++) {
        sources[count] = (struct index_source_record){ .type = SOURCE_FEEDER,
                                                       .feeder = genesis->feeders[i].address,
                                                       .weight = genesis->feeders[i].weight };
        record_source(&sources[count++], &made->sources[i], p, now_ms);
    }
    if (made->sources[INDEX_SOURCE_HAND].price != 0) {
        sources[count] = (struct index_source_record){ .type = SOURCE_HAND, .weight = 1 };
        record_source(&sources[count++], &made->sources[INDEX_SOURCE_HAND], p, now_ms);
    }
    if (contract->spot_symbol_id != 0) {
        struct index_source book = { .price = made->spot_mid,
                                     .posted_ms = made->spot_mid != 0 ? made->time_ms : 0,
                                     .valid = made->spot_mid != 0 };
        sources[count] = (struct index_source_record){ .type = SOURCE_SPOT_BOOK,
                                                       .symbol = genesis->spot[contract->spot_symbol_id - 1].name };
        record_source(&sources[count++], &book, p, now_ms);
    }
    return count;
}

void record_composition(const struct present *present, const struct index_composed *made, int64_t now_ms,
                        struct index_source_record sources[SOURCES_SHOWN_MAX], struct composition_record *record)
{
    const struct symbol *symbol = &present->genesis->perps[made->symbol_id - 1];
    uint32_t             p = symbol->price_precision;
    bool                 held = made->held_price != 0;

    *record = (struct composition_record){
        .symbol = symbol->name,
        .symbol_id = symbol->id,
        .state = made->state,
        .held_back = held,
        .time_ms = made->time_ms,
        .index = decimal_plain(made->index, p),
        .mark = decimal_plain(made->mark, p),
        .median = decimal_plain(made->median, p),
        .held_price = decimal_plain(made->held_price, p),
        .held_count = made->held_count,
        .held_need = held ? made->held_need : 0,
        .valid_count = made->valid_count,
        .quorum = made->quorum,
        .sources = { sources, record_sources(present, made, now_ms, sources), 0 },
        .bid = decimal_plain(made->bid, p),
        .ask = decimal_plain(made->ask, p),
        .last = decimal_plain(made->last, p),
        .perp_mid = decimal_plain(made->perp_mid, p),
        .by_basis = decimal_plain(made->by_basis, p),
        .by_book = decimal_plain(made->by_book, p),
        .by_feeders = decimal_plain(made->by_feeders, p),
        .raw = decimal_plain(made->raw, p),
    };
}

/* ---- receipts ---- */

static void put_be64(uint8_t at[8], uint64_t value)
{
    for (int i = 0; i < 8; i++) at[i] = (uint8_t)(value >> (56 - 8 * i));
}

/*
 * An account as the public may read it: its owner recognizes it by the address; a reader that only enumerates account
 * ids does not, and the same account has another hash in each receipt (decision 527).
 */
struct hash256 record_account_hash(const struct present *present, uint64_t receipt_id, uint64_t account_id)
{
    static const char   name[] = "dojima liquidation";
    struct view_account account;
    struct keccak       keccak;
    uint8_t             number[8];

    if (account_id == ACCOUNT_FUND || !views_account(present->views, account_id, &account))
        return (struct hash256){ { 0 } };
    keccak_init(&keccak);
    keccak_add(&keccak, name, sizeof(name) - 1);
    put_be64(number, present->genesis->chain_ids[0]);
    keccak_add(&keccak, number, sizeof(number));
    put_be64(number, receipt_id);
    keccak_add(&keccak, number, sizeof(number));
    keccak_add(&keccak, &account.owner, sizeof(account.owner));
    put_be64(number, account_id);
    keccak_add(&keccak, number, sizeof(number));
    return keccak_end(&keccak);
}

void record_ranked(const struct present *present, const struct symbol *symbol, const struct adl_ranked *row,
                   struct ranked_record *record)
{
    uint32_t q = symbol->quantity_precision;

    *record = (struct ranked_record){
        .receipt_id = row->receipt_id,
        .rank = row->rank,
        .group = row->group,
        .account = record_account_hash(present, row->receipt_id, row->account_id),
        .fund = row->account_id == ACCOUNT_FUND,
        .score = decimal_plain(row->score, SCORE_DECIMALS),
        .leverage = decimal_plain(row->leverage, LEVERAGE_DECIMALS),
        .size = decimal_plain(row->size, q),
        .bears = decimal_plain(row->bears < 0 ? 0 : row->bears, q),
        .reached = row->bears >= 0,
        .taken = decimal_plain(row->taken, q),
        .value = money(present->views, row->value),
    };
}

static void record_refusal(uint8_t refusal, struct receipt_room *room, struct list *list)
{
    uint32_t count = 0;

    for (const struct enum_name *name = fund_refusal_names; name->name != NULL; name++)
        if ((refusal & name->value) != 0) room->refusals[count++] = (struct refusal_record){ name->value };
    *list = (struct list){ room->refusals, count, 0 };
}

static void record_stage(const struct present *present, const struct liquidated *is, struct receipt_record *record)
{
    const struct symbol *symbol = &present->genesis->perps[is->symbol_id - 1];
    uint32_t             p = symbol->price_precision, q = symbol->quantity_precision;

    record->receipt_id = is->receipt_id;
    record->liquidation_id = is->liquidation_id;
    record->symbol = symbol->name;
    record->symbol_id = is->symbol_id;
    record->time_ms = is->time_ms;
    record->stage = is->stage;
    record->round = is->round;
    record->account = record_account_hash(present, is->receipt_id, is->account_id);
    record->fund = is->account_id == ACCOUNT_FUND;
    record->margin_mode = is->margin_mode;
    record->side = is->side;
    record->index_state = is->index_state;
    record->candidates = is->candidates;
    record->size_before = decimal_plain(is->size_before, q);
    record->quantity = decimal_plain(is->quantity, q);
    record->wanted = decimal_plain(is->wanted, q);
    record->limit = decimal_plain(is->limit, p);
    record->mark = decimal_plain(is->mark, p);
    record->index = decimal_plain(is->index, p);
    record->worse = decimal_plain(is->worse, p);
    record->bankruptcy_price = decimal_plain(is->bankruptcy_price, p);
    record->price = decimal_plain(is->price, p);
    record->slippage = decimal_plain(is->slippage, RATIO_DECIMALS);
}

static void record_amounts(const struct views *views, const struct liquidated *is, struct receipt_record *record)
{
    record->equity = money(views, is->equity);
    record->maintenance = money(views, is->maintenance);
    record->equity_worse = money(views, is->equity_worse);
    record->own_maintenance = money(views, is->own_maintenance);
    record->share = money(views, is->share);
    record->value = money(views, is->value);
    record->charge = money(views, is->charge);
    record->symbol_left = money(views, is->symbol_left);
    record->total_left = money(views, is->total_left);
    record->inventory = money(views, is->inventory);
    record->inventory_limit = money(views, is->inventory_limit);
    record->fund_carries = money(views, is->fund_carries);
    record->fund_equity = money(views, is->fund_equity);
    record->fund_before = money(views, is->fund_before);
    record->fund_after = money(views, is->fund_after);
}

/* Members for the account that reads its own receipt; an unreadable row of a ranking is a damaged store. */
static int record_own(const struct present *present, const struct history_receipt *receipt, struct receipt_room *room,
                      struct receipt_record *record)
{
    struct adl_ranked row;
    int               count;

    record->role = (uint8_t)receipt->role;
    record->account_id = receipt->owner;
    if (receipt->role != RECEIPT_DELEVERAGED) {
        record->position_id = receipt->is.position_id;
        return 0;
    }
    count = history_ranking(present->history, receipt->is.receipt_id, receipt->rank, 1, &row);
    if (count < 0) return count;
    if (count == 1) record_ranked(present, &present->genesis->perps[receipt->is.symbol_id - 1], &row, &room->own);
    record->own = (struct list){ &room->own, (uint32_t)count, 0 };
    return 0;
}

int record_receipt(const struct present *present, const struct history_receipt *receipt, struct receipt_room *room,
                   struct receipt_record *record)
{
    struct tx_location    place = { .block = 0 };
    struct index_composed made = { .symbol_id = receipt->is.symbol_id,
                                   .state = receipt->is.index_state,
                                   .index = receipt->is.index,
                                   .mark = receipt->is.mark,
                                   .time_ms = receipt->is.time_ms };
    int                   found = history_composition(present->history, receipt->is.receipt_id, &made);

    if (found < 0) return found;
    memset(record, 0, sizeof(*record));
    record_stage(present, &receipt->is, record);
    record_amounts(present->views, &receipt->is, record);
    record_refusal(receipt->is.refusal, room, &record->refusal);
    record_composition(present, &made, receipt->is.time_ms, room->sources, &record->composition);
    (void)history_transaction(present->history, receipt->seq, &place);
    record->block = place.block;
    record->transaction = place.hash;
    return receipt->role == RECEIPT_PUBLIC ? 0 : record_own(present, receipt, room, record);
}
