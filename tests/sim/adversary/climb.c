/* SPDX-License-Identifier: MIT */
#include "climb.h"

#define POOL    10   /* sequences kept for each goal */
#define PATIENT 1500 /* sequences without a better one of any goal, then the search starts again */

struct kept {
    struct sequence sequence;
    int128_t        value;
};
struct pool {
    struct kept kept[GOALS][POOL];
    uint32_t    count[GOALS];
    uint64_t    better_at;
};

void climb_begin(struct world *world, struct site at)
{
    random_state = at.seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    (void)random_below(2);
    world_make(world, (int)at.goal, at.setting);
}

static enum goal best_goal(const struct score *score)
{
    enum goal best = GOAL_PROFIT;

    for (uint32_t i = GOAL_PROFIT; i < GOALS; i++)
        if (score->value[i] > score->value[best]) best = (enum goal)i;
    return best;
}

bool climb_play(struct world *world, enum goal goal, const struct sequence *sequence, struct score *score,
                struct tally *tally)
{
    uint64_t commands = world->commands;
    bool     gained;

    world_again(world);
    for (uint32_t i = 0; i < GOALS; i++) score->value[i] = -((int128_t)1 << 92);
    for (uint32_t i = 0; i < sequence->count; i++) {
        move_play(world, &sequence->moves[i]);
        goal_watch(world, score);
    }
    gained = goal_judge(world, goal, score);
    tally->sequences++;
    tally->commands += world->commands - commands;
    tally->accepted += world->now.accepted;
    tally->refused += world->now.refused;
    tally->fills += world->now.fills;
    tally->liquidated += world->now.liquidated;
    tally->taken_over += world->now.taken_over;
    tally->deleveraged += world->now.deleveraged;
    for (uint32_t i = 0; i < GOALS; i++) tally->best[i] = margin_max(tally->best[i], score->value[i]);
    return gained;
}

/* Among the best of a goal, when it is better than the worst of them
   and as good as none of them: twins crowd out the rest. */
static void keep(struct pool *pool, enum goal goal, const struct sequence *sequence, int128_t value, uint64_t now)
{
    struct kept *kept = pool->kept[goal];
    uint32_t     at = pool->count[goal];

    for (uint32_t i = 0; i < pool->count[goal]; i++) {
        if (kept[i].value != value) continue;
        if (kept[i].sequence.count >= sequence->count) kept[i].sequence = *sequence; /* as good, and no longer */
        return;
    }
    if (at == POOL) {
        if (value <= kept[POOL - 1].value) return;
        at = POOL - 1;
    } else {
        pool->count[goal]++;
    }
    if (at == 0 || value > kept[0].value) pool->better_at = now;
    while (at > 0 && kept[at - 1].value < value) {
        kept[at] = kept[at - 1];
        at--;
    }
    kept[at] = (struct kept){ *sequence, value };
}

static const struct kept *one_of(const struct pool *pool, enum goal goal)
{
    enum goal from =
        goal != GOAL_ALL && random_below(3) != 0 ? goal : (enum goal)(GOAL_PROFIT + random_below(GOALS - GOAL_PROFIT));
    uint32_t a, b;

    if (pool->count[from] == 0) return NULL;
    a = random_below(pool->count[from]);
    b = random_below(pool->count[from]);
    return &pool->kept[from][a < b ? a : b];
}

static void next_sequence(const struct world *world, const struct pool *pool, enum goal goal, uint64_t since,
                          struct sequence *trial)
{
    const struct kept *parent = one_of(pool, goal), *other = one_of(pool, goal);

    if (parent == NULL || since < 40 || random_below(30) == 0) {
        sequence_draw(world, trial);
        return;
    }
    *trial = parent->sequence;
    if (other != NULL && random_below(4) == 0) sequence_cross(trial, &other->sequence);
    sequence_change(world, trial);
}

bool climb_world(struct site at, uint64_t sequences, struct tally *tally, struct found *found)
{
    struct world world;
    struct pool *pool = calloc(1, sizeof(*pool));
    bool         gained = false;
    uint64_t     begun = 0;

    climb_begin(&world, at);
    for (uint64_t i = 0; i < sequences && !gained; i++) {
        struct sequence trial;
        struct score    score;

        if (i - max_u64(begun, pool->better_at) > PATIENT) {
            *pool = (struct pool){ .better_at = i };
            begun = i;
        }
        next_sequence(&world, pool, at.goal, i - begun, &trial);
        gained = climb_play(&world, at.goal, &trial, &score, tally);
        for (uint32_t k = GOAL_PROFIT; k < GOALS; k++) keep(pool, (enum goal)k, &trial, score.value[k], i);
        if (!gained) continue;
        *found = (struct found){ at, at.goal == GOAL_ALL ? best_goal(&score) : at.goal, trial, score };
        climb_shrink(&world, found, tally);
    }
    engine_verify(world.f->engine);
    tally->worlds++;
    world_free(&world);
    free(pool);
    return gained;
}

static bool still(struct world *world, struct found *found, const struct sequence *trial, struct tally *tally)
{
    struct score score;

    (void)climb_play(world, found->at.goal, trial, &score, tally);
    if (score.value[found->by] <= 0) return false;
    found->sequence = *trial;
    found->score = score;
    return true;
}

void climb_shrink(struct world *world, struct found *found, struct tally *tally)
{
    for (bool shorter = true; shorter;) {
        shorter = false;
        for (uint32_t i = found->sequence.count; i-- > 0 && found->sequence.count > 1;) {
            struct sequence trial = found->sequence;

            memmove(&trial.moves[i], &trial.moves[i + 1], (trial.count - i - 1) * sizeof(trial.moves[0]));
            trial.count--;
            shorter |= still(world, found, &trial, tally);
        }
    }
}
