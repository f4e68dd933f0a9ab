/* SPDX-License-Identifier: MIT */
#include "pipeline/role.h"

#include "diagnostics/program_log.h"
#include "io/clock.h"
#include "io/files.h"
#include "pipeline/follow.h"

static void set_role(struct server *server, enum node_role role)
{
    server->role = role;
    atomic_store_explicit(&server->shared.role, role, memory_order_release);
}

void role_read_on(struct server *server)
{
    assert(server->role != NODE_LEADER && server->commit.count == 0);
    commit_set(commit_oldest(&server->commit), COMMIT_READING);
    if (!server->commit.inline_writes) park_wake(&server->commit.park);
}

void role_end_oldest(struct server *server)
{
    struct commit_slot *commit = &server->commit;

    assert(commit->count != 0);
    atomic_store_explicit(&commit_oldest(commit)->state, COMMIT_IDLE, memory_order_relaxed);
    commit->oldest = commit_step(commit, commit->oldest, 1);
    commit->count -= 1;
    if (commit->count == 0 && server->role != NODE_LEADER) role_read_on(server);
}

/* ---- answers that are no outcome ---- */

static uint64_t answer_lost(struct server *server, uint64_t origin, uint32_t reply_bytes, enum reject reject)
{
    return UINT64_C(1) << server_post_refusal(server, origin, reply_bytes, reject, true);
}

/* All that wait for a batch; no later reply of it finds them. */
static uint64_t answer_batch(struct server *server, struct command_batch *batch, enum reject reject)
{
    uint64_t woken = 0;

    for (uint32_t i = 0; i < batch->records.count; i++) {
        struct reply_route *route = &batch->routes[i];

        if (route->origin == 0) continue;
        woken |= answer_lost(server, route->origin, route->reply_bytes, reject);
        route->origin = 0;
    }
    batch->waiting = 0;
    return woken;
}

/* All that wait for the batches under way, of which the log may have any, from the oldest on. */
static uint64_t answer_under_way(struct server *server)
{
    struct commit_slot *commit = &server->commit;
    uint64_t            woken = 0;

    for (uint32_t i = 0; i < commit->count; i++)
        woken |=
            answer_batch(server, &commit->places[commit_step(commit, commit->oldest, i)].batch, REJECT_OUTCOME_UNKNOWN);
    return woken;
}

static void wake_rings(struct server *server, uint64_t woken)
{
    for (uint32_t i = 0; i < server->ring_count; i++)
        if ((woken >> i & 1) != 0) server_wake(server, i);
}

uint32_t role_refuse_writes(struct server *server)
{
    uint64_t woken = 0, bytes;
    uint32_t count = 0;

    for (uint32_t i = 0; i < server->ring_count; i++) {
        const struct write_message *message;

        for (; (message = ring_peek(server->writes[i], &bytes)) != NULL; ring_next(server->writes[i]), count++)
            woken |= answer_lost(server, message->origin, message->reply_bytes, REJECT_NO_LEADER);
    }
    wake_rings(server, woken);
    return count;
}

/* ---- from leader to follower ---- */

/*
 * Answers each request that waits: a batch that was handed to the log's thread may be in the log or not, a batch that
 * was only collected is not. While the log's thread still waits for the log, the places stay with it: each comes back
 * DURABLE, and is applied as a follower does, or LOST; when the last one has come back, the log is read.
 */
static void resign(struct server *server, const char *why)
{
    struct commit_slot *commit = &server->commit;
    uint64_t            woken = 0;

    log_line(LOG_WARN, "this node does not lead any more behind command %lu: %s",
             (unsigned long)engine_seq(server->exchange.engine), why);
    set_role(server, NODE_FOLLOWER);
    atomic_fetch_add_explicit(&server->lead->resigned, 1, memory_order_relaxed);
    woken |= answer_under_way(server);
    if (server->sequencer.open) woken |= answer_batch(server, &server->sequencer.batch, REJECT_NO_LEADER);
    if (server->advancing.held) /* the advance itself is applied */
        woken |= UINT64_C(1) << server_post_reply(server,
                                                  (const struct reply_message *)(const void *)server->advancing.bytes);
    server->advancing.held = false;
    sequence_reset(&server->sequencer);
    wake_rings(server, woken);
    (void)role_refuse_writes(server);
    if (commit->count == 0) role_read_on(server);
    else log_nudge(commit->log);
}

bool role_is_ending(const struct server *server)
{
    return server->lead != NULL && atomic_load_explicit(&server->lead->wish, memory_order_relaxed) != WISH_LEAD;
}

/* The leader: may it continue? What is on its way when the lease is not over ends first. */
static uint32_t keep_leading(struct server *server, uint32_t state)
{
    if (state == COMMIT_LOST) resign(server, "the log did not take its batch");
    else if (!leadership_holds(server->lead, clock_mono_ns())) resign(server, "its lease is over");
    else if (role_is_ending(server) && server->commit.count == 0 && !server->sequencer.open)
        resign(server, "it hands over");
    else return 0;
    return 1;
}

/* ---- from follower to leader ---- */

static uint32_t begin_leading(struct server *server)
{
    struct sequencer *sequencer = &server->sequencer;

    assert(!sequencer->open && !server->has_durable && server->commit.count == 0);
    sequencer->next_seq = log_next_seq(server->commit.log);
    assert(sequencer->next_seq == engine_seq(server->exchange.engine) + 1);
    sequencer->last_ms = atomic_load(&server->exchange.time_ms);
    sequencer->down = true;
    server->wall_ms = server->boot_ms = 0;
    set_role(server, NODE_LEADER);
    atomic_store_explicit(&commit_oldest(&server->commit)->state, COMMIT_IDLE, memory_order_relaxed);
    log_line(LOG_INFO, "this node leads from command %lu on, term %lu", (unsigned long)sequencer->next_seq,
             (unsigned long)atomic_load(&server->lead->term));
    return 1;
}

/* The follower: shows that it is about to lead, and leads when its fence is the end of the log. */
static uint32_t keep_following(struct server *server, uint32_t state)
{
    bool           wishes = atomic_load_explicit(&server->lead->wish, memory_order_relaxed) == WISH_LEAD;
    enum node_role role = wishes ? NODE_LEADING : NODE_FOLLOWER;

    if (state == COMMIT_LEADS) return begin_leading(server);
    if (server->role != role) set_role(server, role);
    if (state == COMMIT_LOST) role_end_oldest(server); /* it had resigned while the batch was under way */
    else if (state == COMMIT_READING && server->commit.inline_writes) commit_read(&server->commit, 0);
    return state == COMMIT_LOST || commit_state(commit_oldest(&server->commit)) != state;
}

uint32_t role_turn(struct server *server)
{
    uint32_t state = commit_state(commit_oldest(&server->commit));

    if (server->role == NODE_LEADER) return keep_leading(server, state);
    return keep_following(server, state);
}

/* ---- batches that were applied ---- */

void role_check_claim(const struct server *server)
{
    const struct log_applied *claim = &server->claim;

    if (blocks_agree(&server->exchange.blocks, claim)) return;
    log_line(LOG_ERROR,
             "this node makes other blocks than the log names: block %lu before command %lu (another build of the "
             "engine, or bad memory). It stops; dojima verify on a copy tells more",
             (unsigned long)claim->number, (unsigned long)engine_seq(server->exchange.engine) + 1);
    files_exit_now(EXIT_DAMAGE);
}

/* The position for the lease; a state hash at the first block behind each multiple of compare_blocks. */
void role_mark_applied(struct server *server, const struct log_position *position)
{
    struct leadership  *lead = server->lead;
    uint64_t            block = server->exchange.blocks.applied.number;
    struct applied_mark mark = leadership_mark(lead);

    mark.position = *position;
    mark.command = engine_seq(server->exchange.engine);
    if (lead->compare_blocks != 0 && block / lead->compare_blocks != mark.block / lead->compare_blocks) {
        mark.hash_block = block;
        mark.state_hash = engine_hash(server->exchange.engine);
    }
    mark.block = block;
    leadership_set_mark(lead, &mark);
}
