/* SPDX-License-Identifier: MIT */
/* bench.c — side by side, and the smallest history that shows a difference. */
#include <inttypes.h>

#include "answers.h"
#include "bench.h"
#include "coded.h"
#include "core/engine.h"
#include "digest.h"
#include "reads.h"
#include "workload.h"

#define EVENTS_ROOM ((size_t)256 << 20)

struct history {
    struct genesis genesis;
    enum twin_bug  bug;
    uint8_t      **commands; /* each as long as its command.bytes */
    uint64_t       count, cap;
    char           wrong[1024];
};

struct pair {
    struct engine  *engine;
    struct twin    *twin;
    struct views   *views;
    struct answers *answers;
    struct events   told;
    struct coded    coded;
    uint64_t        seq;
    struct genesis  room;   /* the genesis with the limits in force */
    void           *arrays; /* of views that have moved; NULL: they have not */
};

static const char *pair_open(struct pair *pair, const struct genesis *genesis, enum twin_bug bug)
{
    size_t bytes = align_up(engine_size(genesis), 64);

    pair->seq = 0;
    pair->room = *genesis;
    pair->arrays = NULL;
    pair->told = (struct events){ malloc(EVENTS_ROOM), 0, EVENTS_ROOM }; /* so much that no TICK stops for want of it */
    assert(engine_events_bytes(genesis) <= EVENTS_ROOM);
    pair->engine = engine_init(memset(aligned_alloc(64, bytes), 0, bytes), genesis, &pair->told);
    pair->twin = twin_create(genesis);
    twin_inject_bug(pair->twin, bug);
    pair->views = views_init(calloc(1, views_size(genesis)), genesis);
    views_apply(pair->views, &pair->told, NULL);
    pair->answers = answers_open(pair->views, genesis);
    answers_told(pair->answers, &pair->told);
    coded_open(&pair->coded, genesis, &pair->told, EVENTS_ROOM);
    return twin_compare(pair->twin, &pair->told);
}
static void pair_close(struct pair *pair)
{
    twin_free(pair->twin);
    coded_close(&pair->coded);
    answers_close(pair->answers);
    views_deinit(pair->views);
    free(pair->views);
    free(pair->arrays);
    free(pair->engine);
    free(pair->told.at);
}

/* A pool is raised: engine and views move into more memory. Questions continue with the views in place. */
static void pair_grow(struct pair *pair, const struct command *command)
{
    struct engine *old = pair->engine;
    void          *arrays = pair->arrays;
    size_t         bytes;

    if (!engine_raises(old, command, &pair->room.limits)) return;
    bytes = align_up(engine_size(&pair->room), 64);
    assert(engine_events_bytes(&pair->room) <= EVENTS_ROOM);
    pair->engine = engine_move(memset(aligned_alloc(64, bytes), 0, bytes), old, &pair->room.limits);
    pair->arrays = calloc(1, views_size(&pair->room));
    (void)views_move(pair->arrays, pair->views, &pair->room, true);
    free(old);
    free(arrays);
}

/* One command for both; NULL or the difference. */
static const char *pair_apply(struct pair *pair, struct command *command, bool state)
{
    const char *wrong;

    command->seq = ++pair->seq;
    pair->told.len = 0;
    pair_grow(pair, command);
    engine_apply(pair->engine, command, &pair->told);
    (void)twin_apply(pair->twin, command);
    wrong = twin_compare(pair->twin, &pair->told);
    if (wrong == NULL) wrong = coded_compare(&pair->coded, command, &pair->told);
    views_apply(pair->views, &pair->told, &(struct view_block){ command->seq, command->time_ms });
    if (wrong == NULL) wrong = answers_reply(pair->answers, pair->twin, command, &pair->told);
    if (wrong == NULL && state) wrong = twin_compare_state(pair->twin);
    if (wrong == NULL && state) wrong = reads_compare(pair->twin, pair->views);
    return wrong == NULL && state ? answers_compare(pair->answers, pair->twin) : wrong;
}

static void count(struct twin_counts *counts, const struct events *told)
{
    counts->commands++;
    counts->bytes += told->len;
    for (const struct event *event = events_first(told); event != NULL; event = events_next(told, event)) {
        counts->events++;
        if (event->kind == EVENT_TRADE) counts->trades++;
        if (event->kind == EVENT_RESULT) counts->rejects[((const struct result *)(const void *)event)->reject]++;
        if (event->kind == EVENT_REFUSED) counts->rejects[((const struct refused *)(const void *)event)->reject]++;
        counts->kinds[event->kind]++;
    }
}

static void keep(struct history *history, const struct command *command)
{
    if (history->count == history->cap) {
        history->cap = history->cap == 0 ? 1024 : 2 * history->cap;
        history->commands = realloc(history->commands, history->cap * sizeof(*history->commands));
    }
    history->commands[history->count] = malloc(command->bytes);
    memcpy(history->commands[history->count++], command, command->bytes);
}

void events_print(const char *whose, const struct events *events)
{
    for (const struct event *e = events_first(events); e != NULL; e = events_next(events, e)) {
        const struct perps_order_changed *o = (const void *)e;
        const struct filled              *f = (const void *)e;
        const struct result              *r = (const void *)e;
        const struct position_changed    *p = (const void *)e;
        const struct unit_stage          *u = (const void *)e;

        (void)fprintf(stderr, "  %s ", whose);
        if (e->kind == EVENT_ORDER || e->kind == EVENT_PERPS_ORDER)
            (void)fprintf(stderr,
                          "ORDER #%" PRIu64 " of %" PRIu64 " %s %s status %u exec %u reason %u price %" PRId64
                          " quantity %" PRId64 " executed %" PRId64 " id %s",
                          o->base.order_id, o->base.account_id, o->base.side == SIDE_BUY ? "buy" : "sell",
                          enum_name_of(time_in_force_names, o->base.time_in_force), o->base.status, o->base.exec_type,
                          o->base.reason, o->base.price, o->base.quantity, o->base.executed, o->base.client_id.at);
        if (e->kind == EVENT_PERPS_ORDER)
            (void)fprintf(stderr, " modifier %u reduce %u stop %" PRId64 " position %" PRIu64, o->modifier,
                          o->reduce_only, o->stop_price, o->position_id);
        if (e->kind == EVENT_FILL)
            (void)fprintf(stderr,
                          "FILL #%" PRIu64 " of %" PRIu64 " %" PRId64 " @ %" PRId64 " fee %" PRId64 " reason %u",
                          f->order_id, f->account_id, f->quantity, f->price, f->fee, f->reason);
        if (e->kind == EVENT_RESULT)
            (void)fprintf(stderr, "RESULT %u %s #%" PRIu64, r->index,
                          r->reject == 0 ? "ok" : reject_row(r->reject)->name, r->order_id);
        if (e->kind == EVENT_POSITION)
            (void)fprintf(stderr,
                          "POSITION %" PRIu64 " of %" PRIu64 " size %" PRId64 " cost %" PRId64 " bucket %" PRId64
                          " reason %u",
                          p->position_id, p->account_id, p->size, p->cost_low, p->bucket, p->reason);
        if (e->kind == EVENT_UNIT)
            (void)fprintf(stderr, "UNIT of %" PRIu64 " in %u stage %u equity %" PRId64 " maintenance %" PRId64,
                          u->account_id, u->symbol_id, u->stage, u->equity, u->maintenance);
        (void)fprintf(stderr, " (%u)\n", e->kind);
    }
}

struct history *history_play(uint64_t seed, uint32_t perps, uint64_t n, uint64_t each, enum twin_bug bug,
                             struct twin_counts *counts)
{
    struct history     *history = calloc(1, sizeof(*history));
    struct workload     work;
    struct command_room room;
    struct pair         pair;
    const char         *wrong;

    workload_world(&work, seed, perps, &history->genesis);
    wrong = genesis_check(&history->genesis);
    if (wrong != NULL) {
        (void)fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, wrong);
        abort();
    }
    genesis_complete(&history->genesis);
    history->bug = bug;
    wrong = pair_open(&pair, &history->genesis, bug);
    while (wrong == NULL && history->count < n) {
        workload_next(&work, pair.twin, &room);
        digest_add(&counts->said, &room.head, room.head.bytes);
        keep(history, &room.head);
        wrong = pair_apply(&pair, &room.head, history->count % each == 0 || history->count == n);
        count(counts, &pair.told);
        counts->encoded += pair.coded.bytes;
    }
    if (wrong != NULL) {
        (void)snprintf(history->wrong, sizeof(history->wrong), "%s", wrong);
        if (getenv("TWIN_SHOW") != NULL) {
            events_print("twin  ", &pair.twin->events);
            events_print("engine", &pair.told);
        }
    }
    pair_close(&pair);
    return history;
}

void history_free(struct history *history)
{
    for (uint64_t i = 0; i < history->count; i++) free(history->commands[i]);
    free(history->commands);
    free(history);
}

const char *history_wrong(const struct history *history) { return history->wrong[0] != 0 ? history->wrong : NULL; }
uint64_t    history_count(const struct history *history) { return history->count; }

/* ---- shrinking ---- */

static uint64_t played;

/* Plays the marked commands; returns the number of the one with a difference, from 1, or 0. */
static uint64_t differs(const struct history *history, const uint8_t *marks, char *wrong, size_t room)
{
    static struct command_room copy;
    struct pair                pair;
    const char                *what = pair_open(&pair, &history->genesis, history->bug);
    uint64_t                   at = 0;

    for (uint64_t i = 0; i < history->count && what == NULL; i++) {
        const struct command *command = (const void *)history->commands[i];

        if (!marks[i]) continue;
        played++;
        memcpy(&copy, command, command->bytes);
        what = pair_apply(&pair, &copy.head, i % 8 == 0 || i + 1 == history->count);
        at = i + 1;
    }
    if (what != NULL) (void)snprintf(wrong, room, "%s", what);
    pair_close(&pair);
    return what == NULL ? 0 : at;
}

/* Forgets what is not marked. */
static void drop(struct history *history, const uint8_t *marks)
{
    uint64_t kept = 0;

    for (uint64_t i = 0; i < history->count; i++)
        if (marks[i]) history->commands[kept++] = history->commands[i];
        else free(history->commands[i]);
    history->count = kept;
}

#define SHRINK_COMMANDS UINT64_C(1500000) /* played at most for shrinking a history: seconds */

/* Pieces of half, a quarter, an eighth … of the history are left out as long as a difference remains. */
static void shrink_commands(struct history *history)
{
    uint8_t *marks = malloc(history->count + 1);

    memset(marks, 1, history->count + 1);
    for (uint64_t piece = history->count / 2 > 0 ? history->count / 2 : 1;; piece = piece / 2) {
        for (uint64_t from = 0; from < history->count && played < SHRINK_COMMANDS;) {
            uint64_t to = from + piece < history->count ? from + piece : history->count, last;

            memset(marks, 1, history->count);
            memset(marks + from, 0, to - from);
            last = differs(history, marks, history->wrong, sizeof(history->wrong));
            if (last == 0) {
                from = to;
                continue;
            }
            memset(marks + last, 0, history->count - last);
            drop(history, marks);
        }
        if (piece <= 1) break;
    }
    memset(marks, 1, history->count + 1);
    (void)differs(history, marks, history->wrong, sizeof(history->wrong));
    free(marks);
}

/* The same with the items of a batch. All batches begin with {account, count, …} and end with their items. */
static size_t item_bytes(const struct command *command, size_t *items)
{
    switch (command->kind) {
    case CMD_PLACE_ORDERS: *items = offsetof(struct place_orders, items); return sizeof(struct new_order);
    case CMD_CANCEL_ORDERS: *items = offsetof(struct cancel_orders, items); return sizeof(struct cancel_order);
    case CMD_REPLACE_ORDERS: *items = offsetof(struct replace_orders, items); return sizeof(struct replace_order);
    case CMD_PLACE_PERPS: *items = offsetof(struct place_perps, items); return sizeof(struct perps_order);
    case CMD_CANCEL_PERPS: *items = offsetof(struct cancel_perps, items); return sizeof(struct perps_cancel);
    default: return 0;
    }
}

static void shrink_items(struct history *history)
{
    uint8_t *marks = malloc(history->count + 1);

    memset(marks, 1, history->count + 1);
    for (uint64_t i = 0; i < history->count; i++) {
        struct command *command = (void *)history->commands[i];
        size_t          offset, bytes = item_bytes(command, &offset);
        uint32_t       *items =
            (uint32_t *)(void *)(history->commands[i] + sizeof(*command) + offsetof(struct place_orders, count));

        if (command->kind == CMD_PLACE_PERPS
            && ((const struct place_perps *)command_payload(command))->items[0].modifier == MODIFIER_BRACKET)
            continue; /* all or nothing */
        for (uint32_t n = 0; bytes != 0 && n<*items && * items> 1;) {
            uint8_t *at = history->commands[i] + sizeof(*command) + offset, *before = malloc(command->bytes);
            uint32_t whole_bytes = command->bytes;

            memcpy(before, command, whole_bytes);
            memmove(at + n * bytes, at + (n + 1) * bytes, (*items - n - 1) * bytes);
            *items -= 1;
            command->bytes -= (uint32_t)bytes;
            if (differs(history, marks, history->wrong, sizeof(history->wrong)) == 0) {
                memcpy(command, before, whole_bytes);
                n++;
            }
            free(before);
        }
    }
    (void)differs(history, marks, history->wrong, sizeof(history->wrong));
    free(marks);
}

void history_shrink(struct history *history)
{
    uint64_t before;

    played = 0;
    answers_rate(strncmp(history->wrong, "answer: /", 9) == 0); /* reads at every step, or none at all */
    do {
        before = history->count;
        shrink_commands(history);
    } while (history->count < before);
    shrink_items(history);
}

void history_last(struct history *history)
{
    uint8_t *marks = calloc(history->count + 1, 1);

    marks[history->count - 1] = 1;
    drop(history, marks);
    free(marks);
}

void counts_print(const struct twin_counts *counts, FILE *out)
{
    (void)fprintf(out, "events:");
#define X(n, NAME, type) (void)fprintf(out, " %s %" PRIu64, #NAME, counts->kinds[n]);
    EVENTS(X)
#undef X
    (void)fprintf(out, "\nresults:");
    for (uint32_t i = 0; i < REJECT_COUNT; i++)
        if (counts->rejects[i] != 0)
            (void)fprintf(out, " %s %" PRIu64, i == 0 ? "ok" : reject_row((enum reject)i)->name, counts->rejects[i]);
    (void)fprintf(out, "\n");
}

/* ---- telling ---- */
#include "scenario.h"
