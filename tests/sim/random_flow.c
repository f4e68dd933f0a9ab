/* SPDX-License-Identifier: MIT */
#include "random_flow_inside.h"

#include "core/account/account.h"
#include "rigs/core/perps_random_flow.h"

/* A wallet, or one of the keys there are, on the clock that clients have. */
static void sign(struct game *game)
{
    struct fixture *f = game->f;
    uint32_t        who = 1 + random_below(game->world.users),
             ix = f->engine->key_end > 1 ? 1 + random_below(f->engine->key_end - 1) : 0;
    uint8_t market = f->room.head.market;

    if (game->speaker != 0) {
        fixture_sign(f, who);
        f->room.head.signer = account_at(f->engine, game->speaker)->owner;
        f->room.place_orders.account_id = ACCOUNT_FIRST + game->speaker - SLOT_USERS;
    } else if (ix != 0 && random_below(5) == 0) {
        const struct api_key *key = engine_keys(f->engine) + ix;

        fixture_sign_key(f, who, key->number);
        f->room.head.signer = key->address;
        f->room.place_orders.account_id = ACCOUNT_FIRST + key->account - SLOT_USERS;
    } else {
        fixture_sign(f, who);
    }
    f->room.head.nonce -= (uint64_t)engine_time_offset_ms(f->engine);
    f->room.head.domain = f->room.head.kind == CMD_ADD_KEY || f->room.head.kind == CMD_REVOKE_KEY ? DOMAIN_UNIVERSAL
                        : market == MARKET_PERPS                                                  ? DOMAIN_FUTURES
                                                                                                  : DOMAIN_SPOT;
    if (f->room.head.domain == DOMAIN_UNIVERSAL) f->room.head.market = (uint8_t)random_below(3);
}

static bool is_signed(uint16_t kind)
{
    return kind <= CMD_SCHEDULE_CANCEL || (kind >= CMD_TRANSFER && kind <= CMD_REVOKE_KEY)
        || (kind >= CMD_PLACE_PERPS && kind <= CMD_UPDATE_MARGIN);
}

static uint16_t draw_kind(const struct world *world)
{
    uint32_t at = random_below(world->weights);
    uint16_t kind = 1;

    while (at >= world->weight[kind]) at -= world->weight[kind++];
    return kind;
}

/* Fills f->room; true: it was sent before, and was accepted then. */
static bool next_command(struct game *game)
{
    struct fixture *f = game->f;
    uint16_t        kind = draw_kind(&game->world);

    if (game->old_count != 0 && random_below(64) == 0) {
        f->room = game->old[random_below(game->old_count)];
        return true;
    }
    f->time_ms += random_below(20);
    if (aims_next(&game->aims, f)) {
        game->speaker = game->aims.speaker;
        if (is_signed(f->room.head.kind)) sign(game);
        return false;
    }
    game->speaker = 0;
    make_command(game, kind);
    if (is_signed(kind)) sign(game);
    if (random_below(game->world.mutated) == 0) mutate_payload(f);
    if (random_below(game->world.mutated * 3) == 0 && kind != CMD_TICK) mutate_head(f);
    return false;
}

/* ---- what came of it ---- */

static void note_outcomes(struct outcomes *outcomes, const struct fixture *f)
{
    uint64_t *row = outcomes->cell[f->room.head.kind];

    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
        if (event->kind == EVENT_RESULT) row[((const struct result *)(const void *)event)->reject] += 1;
        if (event->kind == EVENT_REFUSED) row[((const struct refused *)(const void *)event)->reject] += 1;
    }
    if (f->room.head.kind == CMD_TICK) row[REJECT_NONE] += 1;
}

static void keep_for_later(struct game *game)
{
    const struct fixture *f = game->f;

    if (!is_signed(f->room.head.kind) || f->room.head.bytes > SEND_BYTES || event_at(f, EVENT_REFUSED, 0) != NULL
        || random_below(16) != 0)
        return;
    game->old[game->old_count < REPLAYS ? game->old_count++ : random_below(REPLAYS)] = f->room;
}

/* judge (22): an accepted command is never accepted again, whatever happened since (goal 21). */
static bool replay_is_refused(const struct game *game)
{
    const struct refused *refused = event_at(game->f, EVENT_REFUSED, 0);

    return refused != NULL;
}

static void tell(const struct game *game)
{
    const struct fixture *f = game->f;

    (void)printf("%8lu  %13ld  %-16s", (unsigned long)f->seq, (long)f->time_ms, command_name(f->room.head.kind));
    for (const struct event *event = events_first(&f->events); event != NULL; event = events_next(&f->events, event)) {
        enum reject reject = event->kind == EVENT_RESULT  ? ((const struct result *)(const void *)event)->reject
                           : event->kind == EVENT_REFUSED ? ((const struct refused *)(const void *)event)->reject
                                                          : REJECT_NONE;
        if (event->kind == EVENT_RESULT && reject == REJECT_NONE) (void)printf(" ok");
        if (reject != REJECT_NONE) (void)printf(" %s", reject_row(reject)->name);
    }
    (void)printf("  (%zu bytes of events)\n", f->events.len);
}

static bool one_command(struct game *game, struct flow_run *run)
{
    struct fixture *f = game->f;
    bool            replay = next_command(game);

    fixture_apply(f);
    if (run->inject != NULL) run->inject(f, f->seq);
    if (run->verbose) tell(game);
    engine_verify(f->engine);
    note_outcomes(run->outcomes, f);
    game->replayed += replay;
    if (!judge_command(&game->judge, f) || (replay && !replay_is_refused(game))) {
        (void)snprintf(run->wrong, sizeof(run->wrong), "command %lu: %s", (unsigned long)f->seq,
                       game->judge.wrong[0] != '\0' ? game->judge.wrong : "what was executed before is executed again");
        return false;
    }
    if (!replay) keep_for_later(game);
    return true;
}

static void game_start(struct game *game, const struct flow_run *run)
{
    struct fixture *f = calloc(1, sizeof(*f));

    random_state = run->seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    (void)random_below(2);
    game->world.users = 2 + random_below(4);
    game->world.mutated = 3 + random_below(12);
    game->world.jumps = 4 + random_below(30);
    game->world.gap = 100 + random_below(2500);
    game->world.ids = 6 + random_below(50);
    game->world.by_feeders = random_below(3) == 0;
    aims_begin(&game->aims, run->seed);
    draw_mix(&game->world);
    draw_genesis(&f->genesis, &game->world, run->commands);
    assert(genesis_check(&f->genesis) == NULL);
    genesis_complete(&f->genesis);
    fixture_start(f);
    f->deposit_id = 1000;
    game->f = f;
    game->judge.time_ms = f->genesis.time_ms;
}

/* All accounts get money first, otherwise nothing would happen. */
static bool give_money(struct game *game, struct flow_run *run)
{
    struct fixture *f = game->f;
    int64_t         each = random_below(2) == 0 ? INT64_C(5000000000) : INT64_C(200000000000);

    for (uint32_t who = 1; who <= game->world.users; who++)
        for (uint32_t coin_id = 0; coin_id <= f->genesis.coin_count; coin_id++) {
            fixture_head(f, CMD_DEPOSIT, sizeof(struct deposit));
            f->room.head.market = 0;
            f->room.deposit = (struct deposit){ .address = user(who),
                                                .coin_id = coin_id % f->genesis.coin_count,
                                                .amount = each,
                                                .engine = coin_id == f->genesis.coin_count ? MARKET_PERPS : MARKET_SPOT,
                                                .id = operator_id(++f->deposit_id) };
            fixture_apply(f);
            if (judge_command(&game->judge, f)) continue;
            (void)snprintf(run->wrong, sizeof(run->wrong), "a first deposit: %s", game->judge.wrong);
            return false;
        }
    return true;
}

bool flow_play(struct flow_run *run)
{
    struct game *game = calloc(1, sizeof(*game));
    bool         good;

    run->wrong[0] = '\0';
    game_start(game, run);
    good = give_money(game, run);
    for (uint64_t i = 0; i < run->commands && good; i++) good = one_command(game, run);
    run->counts = (struct flow_counts){ game->f->seq,         game->judge.trades,    game->judge.liquidations,
                                        game->judge.fundings, game->judge.triggered, game->replayed };
    run->hash = engine_hash(game->f->engine);
    fixture_free(game->f);
    free(game);
    return good;
}
