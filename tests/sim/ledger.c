/* SPDX-License-Identifier: MIT */
/* ledger.c — the ledger of the clients: what of their writes is in the log, and what the log has without them. */
#include "client_inside.h"

#define SEQS_MAX 32768

struct seen {
    uint64_t command, events;
}; /* the command applied under a number, and its result */

struct write         writes[WRITES_MAX];
uint32_t             write_count;
uint64_t             acknowledged_seq;
struct ledger_counts ledger_sums;

static struct seen seen[SEQS_MAX];
static uint64_t    seen_count, life_seq;
static bool        life_serves; /* its log has been read */
static uint64_t    life_first;  /* the first command that this life has read; 0 = none */

uint64_t fold(uint64_t sum, uint64_t what) { return (sum ^ what) * UINT64_C(0x9fb21c651e98df25) + (sum >> 29) + 1; }

uint64_t fold_bytes(uint64_t sum, const uint8_t *at, size_t len)
{
    uint64_t word;

    for (; len >= 8; at += 8, len -= 8) {
        memcpy(&word, at, 8);
        sum = fold(sum, word);
    }
    return fold(sum, len);
}

/* ---- prices of the index by hand, which are for tests alone ---- */

#define INDEX_BEGIN 100000 /* whole dollars, like the prices set by hand */
#define INDEX_LOW   60000
#define INDEX_HIGH  150000
#define PRICE_UNIT  10 /* a dollar has so many units of price */

static bool index_asked[INDEX_HIGH + 1];
uint32_t    index_now;

static void index_applied(const struct command *command)
{
    const struct set_index *set = command_payload(command);
    int64_t                 dollars = set->price / PRICE_UNIT;

    if (!set->by_hand) return;
    if (set->price % PRICE_UNIT != 0 || dollars < INDEX_LOW || dollars > INDEX_HIGH || !index_asked[dollars])
        world_wrong("command %lu sets a price that nobody has said", (unsigned long)command->seq);
}

/* A move that is believed at once most of the time, and takes positions of a high leverage with it. */
void draw_index(void)
{
    int64_t move = (int64_t)world_random(index_now / 10) - index_now / 20;

    index_now = (uint32_t)max_i64(INDEX_LOW, min_i64(INDEX_HIGH, index_now + move));
    index_asked[index_now] = true;
    ledger_sums.indexes += 1;
}

static struct write *write_of_nonce(uint64_t nonce)
{
    uint32_t low = 0, high = write_count;

    while (low < high) { /* nonces rise */
        uint32_t middle = (low + high) / 2;
        if (writes[middle].nonce < nonce) low = middle + 1;
        else high = middle;
    }
    return low < write_count && writes[low].nonce == nonce ? &writes[low] : NULL;
}

uint64_t fact_before(const struct fact *fact)
{
    if (life_serves) return fact->seq;
    return fact->read_seq != 0 ? fact->read_seq : fact->seq < life_first ? fact->seq : 0;
}

void fact_put(struct fact *fact, uint64_t seq, uint64_t result)
{
    if (life_serves) *fact = (struct fact){ .seq = seq, .result = result };
    else {
        fact->read_seq = seq;
        fact->read_result = result;
    }
}

void fact_settle(struct fact *fact)
{
    if (fact->read_seq != 0) *fact = (struct fact){ .seq = fact->read_seq, .result = fact->read_result };
    else if (fact->seq >= life_first) *fact = (struct fact){ 0 };
}

void ledger_life_begins(void)
{
    life_seq = life_first = 0;
    life_serves = false;
    for (uint32_t i = 0; i < write_count; i++) writes[i].executed.read_seq = 0;
    operator_life_begins(seen_count);
}

/* The first command that this life reads is `seq`. */
static void read_from(uint64_t seq)
{
    life_first = seq;
    life_seq = seq - 1;
}

uint64_t ledger_first_seq(void) { return life_first; }
uint64_t ledger_last_seq(void) { return life_seq; }
uint64_t ledger_happened(void) { return seen_count; }

/* The same number is the same command with the same events, in every life. */
static void check_seen(const struct command *command, const struct events *events)
{
    struct seen now = { fold_bytes(1, (const uint8_t *)command, command->bytes),
                        fold_bytes(1, events->at, events->len) };

    assert(command->seq < SEQS_MAX);
    if (life_first == 0) {
        if (command->seq > seen_count + 1)
            world_wrong("the first command that is read is %lu, and %lu have happened", (unsigned long)command->seq,
                        (unsigned long)seen_count);
        read_from(command->seq);
    }
    if (command->seq != life_seq + 1)
        world_wrong("command %lu follows %lu", (unsigned long)command->seq, (unsigned long)life_seq);
    life_seq = command->seq;
    if (command->seq > seen_count) {
        seen[command->seq] = now;
        if (life_serves) seen_count = command->seq; /* a start that fails publishes nothing */
    } else if (now.command != seen[command->seq].command) {
        world_wrong("command %lu is not the one that has happened under this number", (unsigned long)command->seq);
    } else if (now.events != seen[command->seq].events) {
        world_wrong("command %lu told other events when it was replayed", (unsigned long)command->seq);
    }
}

void ledger_applied(const struct command *command, const struct events *events)
{
    struct write *write = command->domain == 0 ? NULL : write_of_nonce(command->nonce);
    uint32_t      results = 0;
    uint64_t      sum = 0;

    check_seen(command, events);
    if (command->domain == 0) operator_applied(command, events);
    if (command->kind == CMD_SET_INDEX) index_applied(command);
    if (command->domain == 0 || command->domain == DOMAIN_ORACLE) return;
    if (write == NULL || command->payload_tag != write->tag
        || !address_equal(&command->signer, client_address(write->client)) || write->sent == 0) {
        world_wrong("command %lu was never sent by anybody", (unsigned long)command->seq);
        return;
    }
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event)) {
        const struct result *result = (const void *)event;
        if (event->kind != EVENT_RESULT) continue;
        results += 1;
        sum = fold(sum, result->reject == REJECT_NONE ? 0 : (uint64_t)reject_row(result->reject)->code);
        if (!write->single) sum = fold(sum, result->reject == REJECT_NONE ? result->order_id : 0);
    }
    if (results == 0) return; /* refused: a repetition, or a nonce that is too old */
    if (fact_before(&write->executed) != 0)
        world_wrong("write %lu is executed as command %lu and as command %lu", (unsigned long)write->nonce,
                    (unsigned long)fact_before(&write->executed), (unsigned long)command->seq);
    if (results != write->items)
        world_wrong("command %lu has %u items of %u", (unsigned long)command->seq, results, write->items);
    fact_put(&write->executed, command->seq, sum);
}

void ledger_check(const struct write *write)
{
    if (write->acknowledged && write->executed.seq == 0)
        world_wrong("write %lu was acknowledged and is lost", (unsigned long)write->nonce);
    if (write->acknowledged && write->executed.seq != 0 && write->executed.result != write->answer)
        world_wrong("write %lu came out otherwise than it was answered", (unsigned long)write->nonce);
    if (write->sent == write->refused && write->executed.seq != 0)
        world_wrong("write %lu was refused each time and is executed as command %lu", (unsigned long)write->nonce,
                    (unsigned long)write->executed.seq);
}

/* A disk that lied has lost the end of the log: its contents are no longer expected, and may be sent again. */
static void forgive(uint64_t last_seq)
{
    seen_count = min_u64(seen_count, last_seq);
    for (uint32_t i = 0; i < write_count; i++) {
        if (writes[i].executed.seq != 0) continue;
        writes[i].acknowledged = false;
        writes[i].refused = 0;
    }
}

void ledger_recovered(uint64_t last_seq)
{
    if (life_first == 0) read_from(last_seq + 1);
    for (uint32_t i = 0; i < write_count; i++) fact_settle(&writes[i].executed);
    if (world.forgives) forgive(last_seq);
    if (last_seq < seen_count)
        world_wrong("the log ends with command %lu, and %lu have happened", (unsigned long)last_seq,
                    (unsigned long)seen_count);
    seen_count = last_seq;
    acknowledged_seq = min_u64(acknowledged_seq, last_seq);
    life_serves = true;
    for (uint32_t i = 0; i < write_count; i++) ledger_check(&writes[i]);
    operator_recovered(last_seq);
}

bool ledger_serves(void) { return life_serves; }

struct ledger_counts ledger_counts(void)
{
    struct ledger_counts now = ledger_sums;

    now.unknown = 0;
    for (uint32_t i = 0; i < write_count; i++)
        now.unknown += !writes[i].acknowledged && writes[i].sent != writes[i].refused;
    return now;
}

void ledger_begin(void)
{
    write_count = 0;
    memset(index_asked, 0, sizeof(index_asked));
    index_now = INDEX_BEGIN;
    seen_count = life_seq = acknowledged_seq = 0;
    ledger_sums = (struct ledger_counts){ 0 };
}
