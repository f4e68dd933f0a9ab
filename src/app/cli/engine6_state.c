/* SPDX-License-Identifier: MIT */
/*
 * engine6_state.c — money and positions in the memory of an engine of version 6, read at fixed offsets. The sums of all
 * coins must come to zero as that version's own checks demand, so a snapshot of another layout is not taken for one of
 * this.
 *
 *     engine | account rows | … | perps sides of accounts | EVM ledger | … | positions | …
 */
#include "app/cli/engine6.h"
#include "io/files.h"
#include "log/log.h"

#include <stdio.h>

#define PART_ALIGN 64

/* Offsets in the engine, whose account rows follow it. */
enum {
    AT_SEQ = 0,
    AT_ACCOUNT_END = 48,
    AT_COIN_COUNT = 544,
    AT_PERPS_COUNT = 552,
    AT_POSITION_END = 277488,
    AT_ACCOUNT_STRIDE = 294424,
    AT_MARGINS = 294576,
    AT_EVM = 294584,
    AT_POSITIONS = 294640,
    AT_BYTES = 294720,
    ENGINE_BYTES = 294784,
};

/* An account row: the head, then { available, held } of each coin. */
enum { ACCOUNT_OWNER = 0, ACCOUNT_ORDERS = 32, ACCOUNT_BYTES = 80, COIN_BYTES = 16 };

/* The perps side of an account begins with its wallet. */
enum { MARGIN_BYTES = 40 };

enum {
    POSITION_SIZE = 0,
    POSITION_BUCKET = 8,
    POSITION_COST = 16,
    POSITION_ACCOUNT = 32,
    POSITION_MARKET = 40,
    POSITION_BYTES = 256,
};

static uint32_t get_u32(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

static int64_t get_i64(const uint8_t *at)
{
    int64_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

static uint64_t get_u64(const uint8_t *at) { return (uint64_t)get_i64(at); }

static int128_t get_i128(const uint8_t *at)
{
    int128_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

/* ---- is it one? ---- */

static bool part_fits(const struct engine6_state *state, size_t offset, uint64_t count, size_t bytes)
{
    uint64_t at = get_u64(state->engine + offset), all = state->sections[0].bytes;

    return at % PART_ALIGN == 0 && at >= ENGINE_BYTES && at <= all && count <= (all - at) / bytes;
}

/* Checks of the header and the genesis about the engine; nothing behind them is read before they hold. */
static bool has_the_layout(const struct engine6_state *state)
{
    const uint8_t *engine = state->engine;
    uint64_t       rows = (uint64_t)state->genesis->limits.accounts + ENGINE6_HOUSE_ROWS + 1;
    uint32_t       coins = state->genesis->coin_count;
    uint64_t       stride = align_up(ACCOUNT_BYTES + (size_t)coins * COIN_BYTES, PART_ALIGN);

    if (state->sections[0].bytes < ENGINE_BYTES + rows * stride) return false;
    if (get_u64(engine + AT_BYTES) != state->sections[0].bytes || get_u64(engine + AT_SEQ) != state->facts.seq)
        return false;
    if (get_u32(engine + AT_COIN_COUNT) != coins || get_u32(engine + AT_PERPS_COUNT) != state->genesis->perps_count)
        return false;
    if (get_u32(engine + AT_ACCOUNT_STRIDE) != stride || get_u32(engine + AT_ACCOUNT_END) > rows) return false;
    return part_fits(state, AT_MARGINS, rows, MARGIN_BYTES) && part_fits(state, AT_EVM, rows * coins, sizeof(int64_t))
        && part_fits(state, AT_POSITIONS, get_u32(engine + AT_POSITION_END), POSITION_BYTES);
}

static const uint8_t *row_of(const struct engine6_state *state, uint32_t row)
{
    return state->engine + ENGINE_BYTES + (size_t)row * get_u32(state->engine + AT_ACCOUNT_STRIDE);
}

static int64_t wallet_of(const struct engine6_state *state, uint32_t row)
{
    return get_i64(state->engine + get_u64(state->engine + AT_MARGINS) + (size_t)row * MARGIN_BYTES);
}

static int64_t evm_of(const struct engine6_state *state, uint32_t row, uint32_t coin)
{
    size_t place = (size_t)row * state->genesis->coin_count + coin;

    return get_i64(state->engine + get_u64(state->engine + AT_EVM) + place * sizeof(int64_t));
}

static const uint8_t *position_of(const struct engine6_state *state, uint32_t number)
{
    return state->engine + get_u64(state->engine + AT_POSITIONS) + (size_t)number * POSITION_BYTES;
}

/* The sum over a coin, the row of the outside included; values in positions belong to the coin of the margin. */
static int128_t sum_of(const struct engine6_state *state, uint32_t coin)
{
    uint32_t rows = engine6_account_count(state), positions = get_u32(state->engine + AT_POSITION_END);
    int128_t sum = 0;

    for (uint32_t row = 0; row < rows; row++) {
        const uint8_t *bucket = row_of(state, row) + ACCOUNT_BYTES + (size_t)coin * COIN_BYTES;

        sum += (int128_t)get_i64(bucket) + get_i64(bucket + 8) + evm_of(state, row, coin);
        if (coin == COIN_MARGIN) sum += wallet_of(state, row);
    }
    for (uint32_t i = 1; coin == COIN_MARGIN && i < positions; i++)
        sum += get_i64(position_of(state, i) + POSITION_BUCKET) - get_i128(position_of(state, i) + POSITION_COST);
    return sum;
}

static bool sums_to_zero(const struct engine6_state *state)
{
    for (uint32_t coin = 0; coin < state->genesis->coin_count; coin++)
        if (sum_of(state, coin) != 0) return false;
    return true;
}

/* ---- loading ---- */

static bool take_sections(struct engine6_state *state)
{
    for (uint32_t i = 0; i < state->facts.section_count; i++) {
        const struct snapshot_section_row *row = &state->facts.sections[i];

        state->sections[i] = (struct snapshot_section){ row->kind, 0, files_take_memory(row->bytes), row->bytes };
        if (state->sections[i].at == NULL) return false;
    }
    return true;
}

static enum snapshot_fault load(struct engine6_state *state, const struct disk *disk, const char *name,
                                struct snapshot_report *report)
{
    enum snapshot_fault fault;

    if (!take_sections(state)) {
        (void)snprintf(report->text, sizeof(report->text), "there is not enough memory for it");
        return SNAPSHOT_IO;
    }
    fault = snapshot_load(disk, name, &state->facts, state->sections, state->facts.section_count, report);
    if (fault != SNAPSHOT_OK) return fault;
    state->engine = state->sections[0].at;
    if (has_the_layout(state) && sums_to_zero(state)) return SNAPSHOT_OK;
    (void)snprintf(report->text, sizeof(report->text), "it was not written by the build of commit 02a0440");
    return SNAPSHOT_FOREIGN;
}

enum snapshot_fault engine6_load(struct engine6_state *state, const struct disk *disk, const struct genesis *genesis,
                                 const struct hash256 *instance, uint64_t seq, struct snapshot_report *report)
{
    *state = (struct engine6_state){ .genesis = genesis };
    for (uint32_t place = 0; place < SNAPSHOT_PLACES; place++) {
        enum snapshot_fault fault = snapshot_look(disk, snapshot_name(place), &state->facts, report);

        if (fault != SNAPSHOT_OK || state->facts.engine != ENGINE6 || state->facts.seq != seq) continue;
        if (!hash256_equal(&state->facts.instance, instance) || state->facts.section_count == 0) continue;
        return load(state, disk, snapshot_name(place), report);
    }
    return SNAPSHOT_ABSENT;
}

void engine6_close(struct engine6_state *state)
{
    for (uint32_t i = 0; i < SNAPSHOT_SECTIONS_MAX; i++)
        if (state->sections[i].at != NULL) files_give_memory(state->sections[i].at, state->sections[i].bytes);
    *state = (struct engine6_state){ 0 };
}

/* ---- reading ---- */

uint32_t engine6_account_count(const struct engine6_state *state) { return get_u32(state->engine + AT_ACCOUNT_END); }

static uint64_t id_of(uint32_t row)
{
    static const uint64_t house[ENGINE6_HOUSE_ROWS] = { 0, ACCOUNT_FUND, ACCOUNT_FEES, ACCOUNT_BRIDGE };

    return row < ENGINE6_HOUSE_ROWS ? house[row] : ACCOUNT_FIRST + (uint64_t)(row - ENGINE6_HOUSE_ROWS);
}

void engine6_account(const struct engine6_state *state, uint32_t row, struct engine6_account *account)
{
    const uint8_t *at = row_of(state, row);

    assert(row < engine6_account_count(state));
    *account = (struct engine6_account){ .account_id = id_of(row),
                                         .open_orders = get_u32(at + ACCOUNT_ORDERS),
                                         .wallet = wallet_of(state, row) };
    memcpy(&account->owner, at + ACCOUNT_OWNER, sizeof(account->owner));
    for (uint32_t coin = 0; coin < state->genesis->coin_count; coin++) {
        const uint8_t *bucket = at + ACCOUNT_BYTES + (size_t)coin * COIN_BYTES;

        account->coins[coin].locked = get_i64(bucket + 8);
        account->coins[coin].total = get_i64(bucket) + account->coins[coin].locked;
        account->coins[coin].evm = evm_of(state, row, coin);
    }
}

void engine6_positions(const struct engine6_state *state, uint32_t symbol_id, struct engine6_position *positions)
{
    uint32_t rows = engine6_account_count(state), end = get_u32(state->engine + AT_POSITION_END);

    memset(positions, 0, rows * sizeof(*positions));
    for (uint32_t i = 1; i < end; i++) {
        const uint8_t *at = position_of(state, i);
        uint32_t       row = get_u32(at + POSITION_ACCOUNT);

        if (at[POSITION_MARKET] != SYMBOLS_MAX + symbol_id || row >= rows) continue;
        positions[row] = (struct engine6_position){ get_i64(at + POSITION_SIZE), get_i64(at + POSITION_BUCKET),
                                                    get_i128(at + POSITION_COST) };
    }
}
