/* SPDX-License-Identifier: MIT */
#include "report.h"

/* In whole quote units, as far as they fit; scores below zero are 0. */
static long whole(int128_t value) { return value > INT64_MAX ? INT64_MAX : value < 0 ? 0 : (long)value; }

static void say_move(FILE *to, const struct move *move)
{
    (void)fprintf(to, "move %u %u %u %u %u %u %u %u %u %u %d    # %s\n", move->kind, move->who, move->other,
                  move->symbol, move->side, move->tif, move->size, move->anchor, move->arg, move->reduce, move->away,
                  kind_names[move->kind]);
}

void report_found(FILE *to, const struct found *found)
{
    struct world world;

    climb_begin(&world, found->at);
    (void)fprintf(to, "# %s of %ld units; world %s, %u accounts%s%s%s%s\n", goal_names[found->by],
                  whole(found->score.value[found->by]), setting_names[world.setting], world.coalition,
                  world.one_user ? ", two of one user" : "", world.has_house ? ", a house" : "",
                  world.has_bystanders ? ", bystanders" : "", world.has_key ? ", a key" : "");
    (void)fprintf(to, "# kind who other symbol side tif size anchor arg reduce away\nworld %lu %s %s\n",
                  (unsigned long)found->at.seed, goal_names[found->at.goal], setting_names[found->at.setting]);
    for (uint32_t i = 0; i < found->sequence.count; i++) say_move(to, &found->sequence.moves[i]);
    world_free(&world);
}

void report_tally(const struct tally *tally, uint64_t seed, const char *without, const struct found *found,
                  double seconds)
{
    (void)printf("{\"goal\": \"G7\", \"without\": \"%s\", \"seeds\": [%lu, %lu], \"sequences\": %lu, \"commands\": "
                 "%lu, \"accepted\": %lu, \"refused\": %lu, \"fills\": %lu, \"liquidations\": %lu, "
                 "\"take_overs\": %lu, \"deleveragings\": %lu, ",
                 without == NULL ? "" : without, (unsigned long)seed, (unsigned long)(seed + tally->worlds - 1),
                 (unsigned long)tally->sequences, (unsigned long)tally->commands, (unsigned long)tally->accepted,
                 (unsigned long)tally->refused, (unsigned long)tally->fills, (unsigned long)tally->liquidated,
                 (unsigned long)tally->taken_over, (unsigned long)tally->deleveraged);
    for (uint32_t i = GOAL_PROFIT; i < GOALS; i++)
        (void)printf("\"best_%s\": %ld, ", goal_names[i], whole(tally->best[i]));
    (void)printf("\"found\": \"%s\", \"verdict\": \"%s\", \"seconds\": %.1f}\n",
                 found == NULL ? "" : goal_names[found->by],
                 found == NULL ? "nothing was taken" : "something was taken", seconds);
}

/* ---- again ---- */

bool goal_read(const char *text, enum goal *goal)
{
    for (uint32_t i = 0; i < GOALS; i++)
        if (strcmp(goal_names[i], text) == 0) {
            *goal = (enum goal)i;
            return true;
        }
    return false;
}

bool setting_read(const char *text, enum setting *setting)
{
    for (uint32_t i = 0; i <= WORLD_SETTINGS; i++)
        if (strcmp(setting_names[i], text) == 0) {
            *setting = (enum setting)i;
            return true;
        }
    return false;
}

static bool move_read(const char *line, struct move *move)
{
    unsigned field[MOVE_FIELDS - 1];
    int      away;

    if (sscanf(line, "move %u %u %u %u %u %u %u %u %u %u %d", &field[0], &field[1], &field[2], &field[3], &field[4],
               &field[5], &field[6], &field[7], &field[8], &field[9], &away)
        != MOVE_FIELDS)
        return false;
    if (field[0] >= MOVE_KINDS || field[3] < 1 || field[3] > SYMBOLS || field[4] < SIDE_BUY || field[4] > SIDE_SELL)
        return false;
    *move = (struct move){ (uint8_t)field[0], (uint8_t)field[1], (uint8_t)field[2], (uint8_t)field[3],
                           (uint8_t)field[4], (uint8_t)field[5], (uint8_t)field[6], (uint8_t)field[7],
                           (uint8_t)field[8], (uint8_t)field[9], (int16_t)away };
    return true;
}

static bool list_read(FILE *from, struct found *found)
{
    char          line[256], goal[16], setting[16];
    unsigned long seed;

    *found = (struct found){ .at.setting = WORLD_SETTINGS };
    while (fgets(line, sizeof(line), from) != NULL) {
        if (line[0] == '#' || line[0] == '\n') continue;
        if (sscanf(line, "world %lu %15s %15s", &seed, goal, setting) == 3) {
            found->at.seed = seed;
            if (!goal_read(goal, &found->at.goal) || !setting_read(setting, &found->at.setting)) return false;
        } else if (found->sequence.count == MOVES
                   || !move_read(line, &found->sequence.moves[found->sequence.count++])) {
            return false;
        }
    }
    return found->sequence.count != 0;
}

static void say_account(const struct world *world, const char *name, uint32_t number, uint32_t slot)
{
    const struct engine *e = world->f->engine;

    (void)printf("    %s %u: wallet %ld, at the fair price %ld", name, number, (long)ledger_wallet(e, slot),
                 (long)goal_worth(world, slot));
    for (uint32_t symbol = 1; symbol <= SYMBOLS; symbol++) {
        const struct position *position = world_position(world, slot, symbol);
        if (position == NULL || position->exposure.size == 0) continue;
        (void)printf("; %s %ld cost %ld bucket %ld %s", symbol == BTC ? "BTC" : "ETH", (long)position->exposure.size,
                     (long)position->exposure.cost, (long)position->exposure.bucket,
                     position_is_isolated(position) ? "isolated" : "cross");
    }
    (void)printf("\n");
}

static void say_world(struct world *world)
{
    for (uint32_t symbol = 1; symbol <= SYMBOLS; symbol++)
        (void)printf("    symbol %u: fair %ld index %ld mark %ld state %u\n", symbol, (long)world->now.fair[symbol - 1],
                     (long)world_perps(world, symbol)->index, (long)world_perps(world, symbol)->mark,
                     world_perps(world, symbol)->state);
    for (uint32_t i = 0; i < world->coalition; i++) say_account(world, "account", i, world->slot[i]);
    for (uint32_t i = 0; world->has_bystanders && i < 2; i++) say_account(world, "bystander", i, world->bystander[i]);
    say_account(world, "fund", 0, SLOT_FUND);
    (void)printf("    coalition: can leave %ld of %ld, on paper %ld, allowed %ld; accepted %u refused %u, taken over "
                 "%u, deleveraged %u, ticks %u\n",
                 (long)goal_holds(world, false), (long)world->had, (long)goal_holds(world, true),
                 (long)world->now.allowed, world->now.accepted, world->now.refused, world->now.taken_over,
                 world->now.deleveraged, world->now.ticks);
}

int report_replay(const char *path)
{
    FILE        *from = fopen(path, "r");
    struct found found;
    struct world world;
    struct score score;
    bool         gained;

    if (from == NULL || !list_read(from, &found)) {
        (void)fprintf(stderr, "adversary: no list of moves: %s\n", path);
        return 2;
    }
    (void)fclose(from);
    climb_begin(&world, found.at);
    for (uint32_t i = 0; i < GOALS; i++) score.value[i] = -((int128_t)1 << 92);
    world.loud = true;
    say_world(&world);
    for (uint32_t i = 0; i < found.sequence.count; i++) {
        say_move(stdout, &found.sequence.moves[i]);
        move_play(&world, &found.sequence.moves[i]);
        goal_watch(&world, &score);
        if (world.now.answer != REJECT_NONE)
            (void)printf("    refused last: %d %s\n", reject_row((enum reject)world.now.answer)->code,
                         reject_row((enum reject)world.now.answer)->text);
        say_world(&world);
    }
    gained = goal_judge(&world, found.at.goal, &score);
    say_world(&world);
    for (uint32_t i = GOAL_PROFIT; i < GOALS; i++) (void)printf("%s %ld\n", goal_names[i], whole(score.value[i]));
    world_free(&world);
    return gained ? 1 : 0;
}
