/* SPDX-License-Identifier: MIT */
/*
 * run.c — reads a scenario about the exchange and plays it.
 *
 *   symbol tick 0.1 step 0.00001 quantity 0.00001..1000 market 0.00001..100 notional 5..10000000
 *          price 0..0 bands 0.05 0.05 deviation 0.01 fees 0.00035 0.00065 reference 100000 precision 1 5 status 1
 *   rules  stp 1 place 1 open 1000 triggers 10 development 1 hand 1
 *          (hand: the reference prices of perps count as set by hand, ruling 77)
 *   limits orders 512 levels 256 accounts 64 deposits 256 keys 64 transfers 4096
 *   deposit alice | fund vUSDC 1000 [perps] [id 5]     [-> ok | -> REJECT]     fund: the insurance fund is topped up
 *   redeem alice vUSDC 10 [id 5]        account alice as alice2 [id 5]      offset +1000 | 5000
 *   alice buy 0.1 @ 100 GTC c1          [-> ok #1 STATUS | -> REJECT]       limit; GTC, IOC or GTX
 *   alice market buy 0.1 [@ 101] c2     alice market buy funds 50 c3        market
 *   alice cancel c1 | #1                alice replace c1 | #1 [price P] [quantity Q] [as c9]
 *   alice spot buy …                    in a scenario about perps: an order of the spot market; spot cancel c1
 *   alice schedule +5000 | @1776000005000 | clear      tick +1000           time +1000
 *   alice transfer 7 250.5 vUSDC evm | perps | spot | internal [on perps | spot] [to 999]
 *   alice key NAME ADDRESS [expires +5000] [deny 3]    alice revoke NAME    alice/ADDRESS … is signed by that key
 *   again                               the last command once more, with its nonce
 *   got 0.1 need 0.2                    got and need of the last result
 *   named BTC-USD STALE                 the words that the last result named
 *   trade #2 #1 0.04 @ 100 [self]       next trade of the last command: maker, taker; self: of one user
 *   order #1 STATUS [REASON] [executed 0.1] [at 100]   its last known state, and price
 *   book                                followed by lines "bid Q @ P" and "ask Q @ P", best first
 *   balance alice vUSDC 990 held 6      wallet alice 260                    evm alice vUSDC 20
 *   moved PERPS_WITHDRAW 250.5 vUSDC    next TRANSFER of the last command
 *   perps …                             perps_words.h has the words of perps, operator_words.h those of the operator,
 *                                       log_words.h those of `dojima log --scenario`
 *
 * The words above are in write_words.h, and those that say what must be so in check_words.h.
 *
 * After every command engine_verify runs. After every rejection the whole memory of the engine must be unchanged,
 * apart from the time, the command's number and the nonce it used.
 */
#include <inttypes.h>

#include "core/account/account.h"
#include "core/account/fees.h"
#include "core/perps/inputs.h"
#include "rigs/core/perps_fixture.h"

#define WORDS_MAX  40
#define ORDERS_MAX 4096

#define KEY_ADDRESSES 100 /* user numbers of addresses that are no wallets: from here on */

static struct fixture      *f;
static uint8_t             *before; /* the engine as it was */
static const char          *file_name;
static uint32_t             line_number;
static bool                 started, perps_on, on_spot; /* on_spot: a line of the spot side in a perps scenario */
static char                 names[32][32];
static uint32_t             name_count;
static struct order_changed orders[ORDERS_MAX]; /* last ORDER event by id */
static struct {
    uint32_t wallet;
    uint64_t account_id;
} people[32]; /* the signer of each user; a sub-account has another account's wallet */
static struct {
    char     address[32];
    uint32_t key_id;
} keys[16];                                           /* addresses that are no wallets */
static uint32_t             key_count, signing_key;   /* signing_key: 1 + the one that signs the line, 0 = the wallet */
static struct balance       balances[64][3];          /* last BALANCE by user, coin */
static int64_t              wallets[64], evm[128][3]; /* last of perps by account, of EVM_BALANCE by wallet */
static struct level_changed levels[1024];             /* last LEVEL by side, price */
static uint32_t             level_count, next_trade, next_transfer;
static struct result        last;

#define FAIL(...)                                                                                                      \
    do {                                                                                                               \
        fprintf(stderr, "%s:%u: ", file_name, line_number);                                                            \
        fprintf(stderr, __VA_ARGS__);                                                                                  \
        fprintf(stderr, "\n");                                                                                         \
        exit(1);                                                                                                       \
    } while (0)

static bool is(const char *a, const char *b) { return a != NULL && strcmp(a, b) == 0; }

static uint32_t who(const char *name)
{
    for (uint32_t i = 0; i < name_count; i++)
        if (is(names[i], name)) return i + 1;
    if (name_count == 32) FAIL("too many names");
    snprintf(names[name_count], sizeof(names[0]), "%s", name);
    people[name_count].wallet = name_count + 1;
    for (uint32_t i = 0; i < key_count; i++)
        if (is(keys[i].address, name)) people[name_count].wallet = KEY_ADDRESSES + 1 + i;
    return ++name_count;
}

/* Number, from 1, of an address that may be a key. */
static uint32_t key_of(const char *address)
{
    for (uint32_t i = 0; i < key_count; i++)
        if (is(keys[i].address, address)) return i + 1;
    if (address == NULL || key_count == ARRAY_COUNT(keys)) FAIL("too many addresses");
    snprintf(keys[key_count].address, sizeof(keys[0].address), "%s", address);
    return ++key_count;
}

/* Signs f->room for the user of the line. */
static void sign(uint32_t user_number)
{
    uint64_t account_id = people[user_number - 1].account_id;

    fixture_sign(f, people[user_number - 1].wallet);
    f->room.head.nonce -= (uint64_t)engine_time_offset_ms(f->engine); /* clients have the clock */
    if (signing_key != 0) {
        f->room.head.signer = user(KEY_ADDRESSES + signing_key);
        f->room.head.key_id = keys[signing_key - 1].key_id;
        if (account_id == 0) account_id = ACCOUNT_FIRST - 1 + user_number;
    }
    if (perps_on && !on_spot) {
        f->room.head.domain = DOMAIN_FUTURES;
        f->room.head.market = MARKET_PERPS;
    }
    f->room.place_orders.account_id = account_id; /* every payload begins with it */
}

static uint32_t coin(const char *name)
{
    for (uint32_t i = 0; i < f->genesis.coin_count; i++)
        if (slice_is(name_slice(&f->genesis.coins[i].name), name)) return i;
    FAIL("no coin %s", name);
}

static struct decimal decimal_of(const char *text)
{
    struct decimal decimal;
    if (text == NULL || decimal_read(slice_of(text), &decimal) != DECIMAL_OK)
        FAIL("not a number: %s", text == NULL ? "" : text);
    return decimal;
}

static int64_t units(const char *text, uint32_t scale)
{
    int64_t value;
    if (!decimal_to_units(decimal_of(text), (int)scale, INT64_MAX, &value)) FAIL("too many decimals: %s", text);
    return value;
}

static uint64_t order_id(const char *word)
{
    if (word == NULL || word[0] != '#') FAIL("an order is #1, #2 …");
    return strtoull(word + 1, NULL, 10);
}

static struct symbol *symbol(void) { return &f->genesis.spot[0]; }

/* ---- settings ---- */

static void range(char *text, uint32_t scale, int64_t *low, int64_t *high)
{
    char *dots = strstr(text, "..");
    if (dots == NULL) FAIL("a range is a..b");
    *dots = 0;
    *low = units(text, scale);
    *high = units(dots + 2, scale);
}

static void set_symbol(char **w)
{
    struct symbol *s = symbol();
    uint32_t       quote = f->genesis.coins[0].precision;

    for (; *w != NULL; w += 2) {
        if (w[1] == NULL) FAIL("%s needs a value", w[0]);
        if (is(*w, "tick")) s->tick_size = units(w[1], s->price_precision);
        else if (is(*w, "step")) s->step_size = units(w[1], s->quantity_precision);
        else if (is(*w, "price")) range(w[1], s->price_precision, &s->min_price, &s->max_price);
        else if (is(*w, "quantity")) range(w[1], s->quantity_precision, &s->min_quantity, &s->max_quantity);
        else if (is(*w, "market")) range(w[1], s->quantity_precision, &s->market_min_quantity, &s->market_max_quantity);
        else if (is(*w, "notional")) range(w[1], quote, &s->min_notional, &s->max_notional);
        else if (is(*w, "deviation")) s->market_deviation_ratio = units(w[1], 8);
        else if (is(*w, "reference")) s->reference_price = units(w[1], s->price_precision);
        else if (is(*w, "discount")) s->fee_discount = units(w[1], 8);
        else if (is(*w, "status")) s->status = (uint8_t)atoi(w[1]);
        else if (is(*w, "bands")) {
            s->buy_limit_up_ratio = units(w[1], 8);
            s->sell_limit_down_ratio = units(w[2], 8);
            w++;
        } else if (is(*w, "fees")) {
            s->maker_fee = units(w[1], 8);
            s->taker_fee = units(w[2], 8);
            w++;
        } else if (is(*w, "precision")) {
            s->price_precision = (uint32_t)atoi(w[1]);
            s->quantity_precision = (uint32_t)atoi(w[2]);
            w++;
        } else FAIL("unknown setting %s", *w);
    }
}

static void set_rules(char **w)
{
    struct rules *r = &f->genesis.rules;

    for (; *w != NULL; w += 2) {
        if (w[1] == NULL) FAIL("%s needs a value", w[0]);
        if (is(*w, "stp")) r->stp_scope = (uint8_t)atoi(w[1]);
        else if (is(*w, "place")) r->replace_keeps_place = (uint8_t)atoi(w[1]);
        else if (is(*w, "open")) r->open_orders_per_account = (uint32_t)atoi(w[1]);
        else if (is(*w, "triggers")) r->schedule_triggers_per_day = (uint32_t)atoi(w[1]);
        else if (is(*w, "development")) f->genesis.development = (uint32_t)atoi(w[1]);
        else if (is(*w, "hand")) f->genesis.prices_by_hand = (uint32_t)atoi(w[1]);
        else FAIL("unknown rule %s", *w);
    }
}

static void set_limits(char **w)
{
    struct limits *l = &f->genesis.limits;

    for (; *w != NULL; w += 2) {
        if (w[1] == NULL) FAIL("%s needs a value", w[0]);
        if (is(*w, "orders")) l->orders = (uint32_t)atoi(w[1]);
        else if (is(*w, "levels")) l->levels = (uint32_t)atoi(w[1]);
        else if (is(*w, "accounts")) l->accounts = (uint32_t)atoi(w[1]);
        else if (is(*w, "deposits")) l->deposits = (uint32_t)atoi(w[1]);
        else if (is(*w, "keys")) l->keys = (uint32_t)atoi(w[1]);
        else if (is(*w, "transfers")) l->transfers = (uint32_t)atoi(w[1]);
        else FAIL("unknown limit %s", *w);
    }
}

static void start(void)
{
    const char *wrong = genesis_check(&f->genesis);

    if (started) return;
    if (wrong != NULL) FAIL("%s", wrong);
    fixture_start(f);
    before = malloc(engine_size(&f->genesis));
    started = true;
}

/* ---- one command ---- */

static struct level_changed *level_of(uint8_t side, int64_t price)
{
    for (uint32_t i = 0; i < level_count; i++)
        if (levels[i].side == side && levels[i].price == price) return &levels[i];
    if (level_count == ARRAY_COUNT(levels)) FAIL("too many levels");
    return &levels[level_count++];
}

static void fold(void)
{
    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
        const struct order_changed *order = (const void *)event;
        const struct balance       *balance = (const void *)event;
        const struct level_changed *level = (const void *)event;
        const struct evm_balance   *ledger = (const void *)event;
        const struct key_changed   *key = (const void *)event;

        if ((event->kind == EVENT_ORDER || event->kind == EVENT_PERPS_ORDER) && order->order_id < ORDERS_MAX)
            orders[order->order_id] = *order;
        if (event->kind == EVENT_BALANCE && event->market == MARKET_PERPS && balance->account_id >= ACCOUNT_FIRST)
            wallets[balance->account_id - ACCOUNT_FIRST] = balance->total;
        else if (event->kind == EVENT_BALANCE && balance->account_id >= ACCOUNT_FIRST)
            balances[balance->account_id - ACCOUNT_FIRST][balance->coin_id] = *balance;
        if (event->kind == EVENT_EVM_BALANCE) evm[ledger->address.bytes[16]][ledger->coin_id] = ledger->amount;
        if (event->kind == EVENT_KEY && key->public_key.bytes[16] > KEY_ADDRESSES)
            keys[key->public_key.bytes[16] - KEY_ADDRESSES - 1].key_id = key->key_id;
        if (event->kind == EVENT_LEVEL && event->market == (perps_on ? MARKET_PERPS : MARKET_SPOT))
            *level_of(level->side, level->price) = *level;
    }
}

/* Scratch memory, sums of needs, and — for a post-only order — the row that was made and released. */
static void forget_derived(struct engine *old, const struct engine *e)
{
    memcpy(engine_scratch(old), engine_scratch(e), ((size_t)e->limits.orders + 2) * 32);
    for (uint32_t ix = 1; ix < e->position_end; ix++) {
        struct position *row = position_at(old, ix);

        memcpy(row->need, position_at(e, ix)->need, sizeof(row->need));
        memcpy(row->need_at, position_at(e, ix)->need_at, sizeof(row->need_at));
        row->need_rate = position_at(e, ix)->need_rate;
    }
    if (last.reject != REJECT_POST_ONLY_CROSS) return;
    assert(old->position_count == e->position_count);
    memcpy(engine_positions(old), engine_positions(e), ((size_t)e->limits.positions + 1) * sizeof(struct position));
    old->position_end = e->position_end;
    old->position_free = e->position_free;
    for (uint32_t slot = SLOT_USERS; slot < e->account_end; slot++)
        engine_margins(old)[slot].positions = engine_margins(e)[slot].positions;
}

/* Everything but time, number, nonces, the hints and — for a post-only order that is kept in history — the order id. */
static void check_untouched(void)
{
    struct engine *e = f->engine, *old = (struct engine *)(void *)before;

    if (old->time_ms != e->time_ms) inputs_pass(old); /* how long the books have been unchanged */
    old->seq = e->seq;
    old->time_ms = e->time_ms;
    old->signer_end = e->signer_end;
    if (last.reject == REJECT_POST_ONLY_CROSS) old->next_order_id = e->next_order_id;
    memcpy(old->page_hint, e->page_hint, sizeof(e->page_hint));
    old->nonce_chunk_end = e->nonce_chunk_end;
    old->nonce_chunk_free = e->nonce_chunk_free;
    memcpy(engine_nonces(old), engine_nonces(e), e->signer_end * sizeof(struct nonce_set));
    memcpy(engine_nonce_chunks(old), engine_nonce_chunks(e), e->nonce_chunk_end * sizeof(struct nonce_chunk));
    for (uint32_t slot = 0; slot < e->account_end; slot++) account_at(old, slot)->signer = account_at(e, slot)->signer;
    for (uint32_t ix = 1; ix < e->key_end; ix++) engine_keys(old)[ix].signer = engine_keys(e)[ix].signer;
    if (perps_on) forget_derived(old, e);
    if (memcmp(old, e, e->layout.bytes) != 0) FAIL("a rejection has changed the state");
}

static void apply(void)
{
    start();
    memcpy(before, f->engine, engine_size(&f->genesis));
    fixture_apply(f);
    engine_verify(f->engine);
    fold();
    next_trade = next_transfer = 0;
    memset(&last, 0, sizeof(last));
    if (result_at(f, 0) != NULL) last = *result_at(f, 0);
    if (event_at(f, EVENT_REFUSED, 0) != NULL)
        last.reject = ((const struct refused *)event_at(f, EVENT_REFUSED, 0))->reject;
    if (last.reject != REJECT_NONE) check_untouched();
}

/* "-> ok [#id] [STATUS]" or "-> REJECT". Without an arrow the command must succeed. */
static void expect(char **w)
{
    const char *got = last.reject == REJECT_NONE ? "ok" : reject_row(last.reject)->name;

    if (*w == NULL) {
        if (last.reject != REJECT_NONE) FAIL("rejected: %s", got);
        return;
    }
    if (!is(*w, "->") || w[1] == NULL) FAIL("unexpected word %s", *w);
    if (!is(w[1], got)) FAIL("got %s, expected %s", got, w[1]);
    for (w += 2; *w != NULL; w++) {
        if (**w == '#' && order_id(*w) != last.order_id) FAIL("got #%" PRIu64 ", expected %s", last.order_id, *w);
        if (**w != '#' && !is(*w, enum_name_of(order_status_names, last.status)))
            FAIL("got status %s, expected %s", enum_name_of(order_status_names, last.status), *w);
    }
}

/* ---- lines ---- */

#include "write_words.h"
#include "check_words.h"
#include "perps_words.h"
#include "operator_words.h"

static void say(char **w)
{
    char    *key = strchr(w[0], '/');
    uint32_t user_number;

    signing_key = key == NULL ? 0 : key_of(key + 1);
    if (key != NULL) *key = 0;
    user_number = who(w[0]);
    start();
    on_spot = is(w[1], "spot");
    w += on_spot;
    if (!on_spot && say_perps(user_number, w + 1)) return;
    if (is(w[1], "market")) say_market(user_number, w + 2);
    else if (is(w[1], "cancel")) say_cancel(user_number, w + 2);
    else if (is(w[1], "replace")) say_replace(user_number, w + 2);
    else if (is(w[1], "schedule")) say_schedule(user_number, w + 2);
    else if (is(w[1], "transfer")) say_transfer(user_number, w + 2);
    else if (is(w[1], "key")) say_key(user_number, w + 2);
    else if (is(w[1], "revoke")) say_revoke(user_number, w + 2);
    else say_limit(user_number, w + 1);
}

#include "log_words.h"

static void play(char **w)
{
    if (is(*w, "bid")) check_level(SIDE_BUY, w + 1);
    else if (is(*w, "ask")) check_level(SIDE_SELL, w + 1);
    else {
        check_drawn();
        if (play_perps(w) || run_operator_word(w) || log_word(w)) return;
        if (is(*w, "symbol")) set_symbol(w + 1);
        else if (is(*w, "rules")) set_rules(w + 1);
        else if (is(*w, "limits")) set_limits(w + 1);
        else if (is(*w, "deposit")) say_deposit(w + 1);
        else if (is(*w, "again")) say_again(w + 1);
        else if (is(*w, "redeem")) say_redeem(w + 1);
        else if (is(*w, "account")) say_account(w + 1);
        else if (is(*w, "between")) say_between(w + 1);
        else if (is(*w, "offset")) say_offset(w + 1);
        else if (is(*w, "wallet")) check_wallet(w + 1);
        else if (is(*w, "evm")) check_evm(w + 1);
        else if (is(*w, "moved")) check_moved(w + 1);
        else if (is(*w, "tick")) say_tick(w + 1, true);
        else if (is(*w, "time")) say_tick(w + 1, false);
        else if (is(*w, "got")) check_said(w);
        else if (is(*w, "named")) check_named(w + 1);
        else if (is(*w, "trade")) check_trade(w + 1);
        else if (is(*w, "order")) check_order(w + 1);
        else if (is(*w, "balance")) check_balance(w + 1);
        else if (is(*w, "book")) draw_book();
        else say(w);
    }
}

int main(int argc, char **argv)
{
    static char line[2 << 20]; /* a genesis, or a batch of a hundred items in hex */
    char       *words[WORDS_MAX], *save;
    FILE       *file = argc == 2 ? fopen(argv[1], "r") : NULL;

    if (file == NULL) {
        fprintf(stderr, "usage: scenario_run SCENARIO.txt\n");
        return 2;
    }
    file_name = argv[1];
    f = calloc(1, sizeof(*f));
    fixture_genesis(&f->genesis);
    while (fgets(line, sizeof(line), file) != NULL) {
        uint32_t count = 0;

        line_number += 1;
        if (strncmp(line, "genesis ", 8) == 0) {
            say_genesis(line + 8);
            continue;
        }
        for (char *word = strtok_r(line, " \t\n", &save); word != NULL && count < WORDS_MAX - 8;
             word = strtok_r(NULL, " \t\n", &save))
            words[count++] = word;
        memset(words + count, 0, (WORDS_MAX - count) * sizeof(words[0]));
        if (count == 0 || (words[0][0] == '#')) continue;
        play(words);
    }
    check_drawn();
    if (!started) FAIL("nothing happened in this scenario");
    fclose(file);
    free(before);
    fixture_free(f);
    return 0;
}
