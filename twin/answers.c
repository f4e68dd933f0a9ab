/* SPDX-License-Identifier: MIT */
/*
 * answers.c — the answers of the api against those of the twin.
 *
 * The twin's text is written here from its own arrays, one line per key, in the order of wire 1.1 to 1.5; it shares
 * only the vocabulary of model/: names of enums, texts and rules of rejects.
 */
#include "ask.h"

static uint32_t reads_rate = 1;

void answers_rate(uint32_t rate) { reads_rate = rate; }

/* The location of a transaction in a reply is the one that this program assigned. */
bool __wrap_history_transaction(struct history *history, uint64_t seq, struct tx_location *place);
bool __wrap_history_transaction(struct history *history, uint64_t seq, struct tx_location *place)
{
    (void)history;
    *place = (struct tx_location){ .block = seq + 7, .index = (uint32_t)(seq % 5) };
    memset(place->hash.bytes, (int)(seq & 0xff), sizeof(place->hash.bytes));
    return true;
}

struct answers *answers_open(struct views *views, const struct genesis *genesis)
{
    struct answers *answers = calloc(1, sizeof(*answers));

    if (!crypto_init()) abort();
    answers->shared = (struct api_shared){
        .genesis = genesis, .views = views, .settings = { .development = true }, .version = SLICE("0")
    };
    if (reads_rate != 0) past_open(answers);
    answers->api = api_init(calloc(1, api_size(&answers->shared)), &answers->shared);
    answers->body = malloc(TEXT_ROOM);
    answers->want.at = malloc(TEXT_ROOM);
    answers->now_ms = genesis->time_ms;
    return answers;
}

void answers_close(struct answers *answers)
{
    past_close(answers);
    free(answers->api);
    free(answers->body);
    free(answers->want.at);
    free(answers->held);
    free(answers);
}

uint32_t symbol_count(const struct twin *twin, uint8_t market)
{
    return market == MARKET_PERPS ? twin->genesis.perps_count : twin->genesis.spot_count;
}
const struct symbol *symbol_of(const struct twin *twin, uint8_t market, uint32_t id)
{
    return market == MARKET_PERPS ? &twin->genesis.perps[id - 1] : &twin->genesis.spot[id - 1];
}
const struct coin *quote_of(const struct twin *twin, const struct symbol *s)
{
    return &twin->genesis.coins[s->quote_coin_id];
}

const char *answers_compare(struct answers *answers, struct twin *twin)
{
    if (reads_rate == 0 || answers->past.history == NULL || answers->asked++ % reads_rate != 0) return NULL;
    answers->random_state = (struct random_state){ .state = ((uint64_t)answers->now_ms << 20 ^ twin->command->nonce << 8
                                                             ^ twin->command->kind)
                                                              * UINT64_C(0x9e3779b97f4a7c15)
                                                          | 1 };
    TRY(check_market(answers, twin, MARKET_SPOT));
    TRY(check_statistics(answers, twin, MARKET_SPOT));
    if (twin->genesis.perps_count != 0) {
        TRY(check_market(answers, twin, MARKET_PERPS));
        TRY(check_statistics(answers, twin, MARKET_PERPS));
        TRY(check_fund(answers, twin));
        TRY(check_rankings(answers, twin));
    }
    for (uint32_t i = 0; i < twin->account_count; i++) {
        const struct account *account = &twin->accounts[i];

        if (account->id < ACCOUNT_FIRST) continue;
        TRY(check_spot_account(answers, twin, account));
        if (twin->genesis.perps_count != 0) TRY(check_perps_account(answers, twin, account));
        TRY(check_user(answers, twin, account));
        TRY(check_one_symbol(answers, twin, account, MARKET_SPOT));
        if (twin->genesis.perps_count != 0) TRY(check_one_symbol(answers, twin, account, MARKET_PERPS));
        TRY(check_ratelimit(answers, twin, account));
        TRY(check_histories(answers, twin, account));
        TRY(check_faults(answers, twin, account));
    }
    return NULL;
}
