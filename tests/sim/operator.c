/* SPDX-License-Identifier: MIT */
/*
 * operator.c — the operator of the simulated world and his ledger: deposits, each credited once, and raises of the
 * limits of pools, which are valid from their command on over all lives.
 */
#include "ledger.h"
#include "network.h"

#include "base/out.h"
#include "crypto/crypto.h"

#include <stdio.h>

#define DEPOSITS_MAX 200
#define RAISES_MAX   200
#define RAISE_MORE   16 /* most slots that a pool gets beyond the initial ones */

/* A deposit under its own id; requested once or more. */
struct deposit_asked {
    struct operator_id id;
    uint32_t           client, asked;
    bool               answered;
    struct fact        credited;
};

/* A raise of a limit. Its id is not kept (ruling 74), so it may be executed as often as it was requested. */
struct raise_asked {
    struct operator_id id;
    uint8_t            pool;
    uint32_t           places, asked;
    bool               answered;
};

/* A raise that the log has, accepted or not. */
struct raise_row {
    uint64_t seq;
    uint32_t number;
    bool     accepted;
};

static struct deposit_asked deposits[DEPOSITS_MAX];
static struct raise_asked   raises[RAISES_MAX];
static struct raise_row     rows[4096];
static struct limits        founded; /* the limits of the genesis */
static uint32_t             deposit_count, raise_count, row_count;
static uint32_t             under_way; /* the outstanding request, as number_of; 0 = none */

int64_t operator_ns;

/* ---- limits ---- */

static struct limits limits_after(uint64_t seq)
{
    struct limits limits = founded;

    for (uint32_t i = 0; i < row_count && rows[i].seq <= seq; i++)
        if (rows[i].accepted) limits_set(&limits, raises[rows[i].number].pool, raises[rows[i].number].places);
    return limits;
}

bool limits_are(const struct limits *limits, uint64_t seq)
{
    struct limits expected = limits_after(seq);

    return memcmp(limits, &expected, sizeof(expected)) == 0;
}

uint64_t limits_raised(uint64_t last_seq)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < row_count && rows[i].seq <= last_seq; i++) count += rows[i].accepted;
    return count;
}

static uint32_t find_raise(const struct raise_limit *raise)
{
    for (uint32_t i = 0; i < raise_count; i++)
        if (memcmp(&raises[i].id, &raise->id, sizeof(raise->id)) == 0 && raises[i].pool == raise->pool
            && raises[i].places == raise->places)
            return i;
    return UINT32_MAX;
}

static uint32_t times_executed(uint32_t number)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < row_count; i++) count += rows[i].number == number;
    return count;
}

/* A raise is accepted when it gives at least the places that there are. */
static void raise_applied(const struct command *command, const struct events *events)
{
    const struct raise_limit *raise = command_payload(command);
    const struct result      *result = NULL;
    struct limits             before = limits_after(command->seq - 1);
    uint32_t                  number = find_raise(raise);
    bool                      fits = raise->places >= limits_get(&before, raise->pool);

    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event))
        if (event->kind == EVENT_RESULT) result = (const void *)event;
    if (number == UINT32_MAX || result == NULL) {
        world_wrong("command %lu raises a limit, and nobody has asked for it", (unsigned long)command->seq);
        return;
    }
    if ((result->reject == REJECT_NONE) != fits || (fits && result->order_id != raise->places))
        world_wrong("command %lu raises a limit of %u places to %u, and is answered with %u",
                    (unsigned long)command->seq, limits_get(&before, raise->pool), raise->places,
                    (unsigned)result->reject);
    if (row_count != 0 && rows[row_count - 1].seq >= command->seq) return; /* read again, and compared already */
    assert(row_count < ARRAY_COUNT(rows));
    rows[row_count++] = (struct raise_row){ command->seq, number, fits };
    if (times_executed(number) > raises[number].asked)
        world_wrong("command %lu executes a raise more often than it was asked for", (unsigned long)command->seq);
}

static void forget_rows(uint64_t behind)
{
    while (row_count != 0 && rows[row_count - 1].seq > behind) row_count -= 1;
}

static bool was_accepted(uint32_t number)
{
    for (uint32_t i = 0; i < row_count; i++)
        if (rows[i].number == number && rows[i].accepted) return true;
    return false;
}

/* ---- deposits ---- */

/* Deposits: each id once, and only ids that the operator has sent. */
static void deposit_applied(const struct command *command, const struct events *events)
{
    const struct deposit *deposit = command_payload(command);
    struct deposit_asked *asked = NULL;

    for (uint32_t i = 0; i < deposit_count; i++)
        if (memcmp(&deposits[i].id, &deposit->id, sizeof(deposit->id)) == 0) asked = &deposits[i];
    if (asked == NULL || !address_equal(&deposit->address, client_address(asked->client))) {
        world_wrong("command %lu is a deposit that nobody made", (unsigned long)command->seq);
        return;
    }
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        if (event->kind != EVENT_TRANSFER) continue;
        if (fact_before(&asked->credited) != 0)
            world_wrong("a deposit is credited as command %lu and as command %lu",
                        (unsigned long)fact_before(&asked->credited), (unsigned long)command->seq);
        fact_put(&asked->credited, command->seq, 0);
    }
}

/* ---- the ledger ---- */

void operator_life_begins(uint64_t happened)
{
    for (uint32_t i = 0; i < deposit_count; i++) deposits[i].credited.read_seq = 0;
    forget_rows(happened);
}

void operator_applied(const struct command *command, const struct events *events)
{
    if (command->kind == CMD_DEPOSIT) deposit_applied(command, events);
    if (command->kind == CMD_RAISE_LIMIT) raise_applied(command, events);
}

/* Every acknowledged request is in the log; except after a disk that lied, where the end of the log is lost. */
void operator_recovered(uint64_t last_seq)
{
    forget_rows(last_seq);
    for (uint32_t i = 0; i < deposit_count; i++) {
        fact_settle(&deposits[i].credited);
        if (world.forgives && deposits[i].credited.seq == 0) deposits[i].answered = false;
        if (deposits[i].answered && deposits[i].credited.seq == 0)
            world_wrong("deposit %u was answered and is lost", i);
    }
    for (uint32_t i = 0; i < raise_count; i++) {
        if (world.forgives && !was_accepted(i)) raises[i].answered = false;
        if (raises[i].answered && !was_accepted(i)) world_wrong("raise %u was answered and is lost", i);
    }
}

/* ---- requests ---- */

/* An id that differs with the kind and the number of the request. */
static void put_id(struct out *out, const char *kind, uint32_t number, struct operator_id *id)
{
    char           text[24];
    int            len = snprintf(text, sizeof(text), "%s-%u", kind, number);
    struct hash256 hash = keccak256(text, (size_t)len);

    memcpy(id->bytes, hash.bytes, sizeof(id->bytes));
    out_text(out, "\",\"params\":{\"id\":\"");
    out_bytes(out, text, (size_t)len);
}

static bool say(const struct out *out, uint32_t what)
{
    assert(!out->overflow);
    if (!operator_say(out->at, out->len)) return false;
    under_way = what;
    return true;
}

static void ask_for_deposit(uint32_t number)
{
    struct deposit_asked *asked = &deposits[number];
    char                  line[512];
    struct out            out = out_make(line, sizeof(line));

    out_text(&out, "{\"type\":\"deposit");
    put_id(&out, "op", number, &asked->id);
    out_text(&out, "\",\"address\":\"0x");
    out_hex(&out, client_address(asked->client)->bytes, 20);
    out_text(&out, "\",\"engine\":\"spot\",\"coin\":\"vUSDC\",\"amount\":\"");
    out_u64(&out, 1 + number % 7);
    out_text(&out, "\"}}");
    if (!say(&out, 1 + number)) return;
    asked->asked += 1;
    ledger_sums.deposits += asked->asked == 1;
}

static const char *const pool_names[LIMITS] = {
#define X(number, NAME, name, member) [number] = name,
    POOLS(X)
#undef X
};

static void ask_for_raise(uint32_t number)
{
    struct raise_asked *asked = &raises[number];
    char                line[512];
    struct out          out = out_make(line, sizeof(line));

    out_text(&out, "{\"type\":\"limits");
    put_id(&out, "raise", number, &asked->id);
    out_text(&out, "\",\"name\":\"");
    out_text(&out, pool_names[asked->pool]);
    out_text(&out, "\",\"value\":");
    out_u64(&out, asked->places);
    out_text(&out, "}}");
    if (!say(&out, 1 + DEPOSITS_MAX + number)) return;
    asked->asked += 1;
    ledger_sums.raises += asked->asked == 1;
}

/* Any pool, to more places than now or, in one of eight, to fewer, which is refused. */
static struct raise_asked draw_raise(void)
{
    struct limits now = limits_after(UINT64_MAX);
    uint8_t       pool = (uint8_t)(POOL_ACCOUNTS + world_random(LIMITS - POOL_ACCOUNTS));
    uint32_t      places = limits_get(&now, pool), most = limits_get(&founded, pool) + RAISE_MORE;

    if (world_chance(8) && places > 1) places -= 1;
    else places = min_u32(most, places + world_random(4));
    return (struct raise_asked){ .pool = pool, .places = places };
}

static void hear(const char *answer)
{
    uint32_t number = under_way - 1;
    bool     done = strstr(answer, "\"code\":0") != NULL; /* else: busy, no room for ids, too few places */

    under_way = 0;
    if (!done) return;
    if (number < DEPOSITS_MAX) {
        ledger_sums.deposits_answered += !deposits[number].answered;
        deposits[number].answered = true;
        if (deposits[number].credited.seq == 0) world_wrong("deposit %u is answered and was not credited", number);
        return;
    }
    number -= DEPOSITS_MAX;
    ledger_sums.raises_answered += !raises[number].answered;
    raises[number].answered = true;
    if (!was_accepted(number)) world_wrong("raise %u is answered and was not executed", number);
}

void operator_step(void)
{
    char answer[4096];

    operator_ns = world.mono_ns + world_random(3000000);
    if (world.is_lull && under_way == 0) return;
    if (under_way != 0) {
        if (operator_hears(answer, sizeof(answer))) hear(answer);
    } else if (world_chance(4)) {
        if (raise_count != 0 && world_chance(5)) {
            ask_for_raise(world_random(raise_count)); /* the same again */
        } else if (raise_count < RAISES_MAX) {
            raises[raise_count] = draw_raise();
            ask_for_raise(raise_count++);
        }
    } else if (deposit_count != 0 && world_chance(3)) {
        ask_for_deposit(world_random(deposit_count)); /* the same again */
    } else if (deposit_count < DEPOSITS_MAX && world_chance(4)) {
        deposits[deposit_count] = (struct deposit_asked){ .client = world_random(CLIENTS) };
        ask_for_deposit(deposit_count++);
    }
}

/* The outcome can no longer be found out. */
void operator_lost(void) { under_way = 0; }

void operator_begin(const struct limits *limits)
{
    founded = *limits;
    deposit_count = raise_count = row_count = under_way = 0;
    operator_ns = 0;
}
