/* SPDX-License-Identifier: MIT */
#include "streams_notes.h"
#include "machine.h"
#include "streams_clients.h"

#include "pipeline/exchange.h"
#include "stream/stream.h"

#include <sys/mman.h>
#include <sys/socket.h>

struct notes *notes;

void notes_open(void)
{
    notes = mmap(NULL, sizeof(*notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (notes == MAP_FAILED) clients_fail("memory");
}

static void note_up_to(struct tally *tally, uint64_t trades, int64_t now_ns)
{
    uint64_t from = atomic_load(&tally->trades);

    for (; from < trades && from < TRADES_MAX; from++) tally->at_ns[from] = now_ns;
    atomic_store(&tally->trades, from);
}

static void note(struct tally *tally, const struct log_batch *batch, int64_t now_ns)
{
    struct log_cursor cursor = { 0, 0 };
    struct log_record record;

    while (log_batch_next(batch, &cursor, &record)) {
        const struct place_orders *placed = command_payload(record.command);
        if (record.command->kind != CMD_PLACE_ORDERS) continue;
        for (uint32_t i = 0; i < placed->count; i++)
            *(placed->items[i].side == SIDE_BUY ? &tally->bought : &tally->sold) += 1;
    }
    note_up_to(tally, tally->sold < tally->bought ? tally->sold : tally->bought, now_ns);
}

void    __real_log_submit(struct log *log, struct log_batch *batch, const struct log_applied *applied);
void    __wrap_log_submit(struct log *log, struct log_batch *batch, const struct log_applied *applied);
int     __real_log_wait(struct log *log);
int     __wrap_log_wait(struct log *log);
void    __real_exchange_run(struct exchange *exchange, const struct log_batch *batch, const struct command_batch *own);
void    __wrap_exchange_run(struct exchange *exchange, const struct log_batch *batch, const struct command_batch *own);
void    __real_event_queues_add(const struct event_queues *queues, const struct events *events, uint64_t height,
                                int64_t time_ms, bool last);
void    __wrap_event_queues_add(const struct event_queues *queues, const struct events *events, uint64_t height,
                                int64_t time_ms, bool last);
void    __real_event_queues_show(const struct event_queues *queues, bool whole);
void    __wrap_event_queues_show(const struct event_queues *queues, bool whole);
void    __real_stream_turn(struct stream *stream);
void    __wrap_stream_turn(struct stream *stream);
ssize_t __real_send(int fd, const void *bytes, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags);
ssize_t __real_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags);

static const struct log_batch *submitted;

void __wrap_log_submit(struct log *log, struct log_batch *batch, const struct log_applied *applied)
{
    submitted = batch;
    __real_log_submit(log, batch, applied);
}

int __wrap_log_wait(struct log *log)
{
    int error = __real_log_wait(log);

    note(&notes->durable, submitted, bench_ns());
    return error;
}

void __wrap_exchange_run(struct exchange *exchange, const struct log_batch *batch, const struct command_batch *own)
{
    note(&notes->begun, batch, bench_ns());
    __real_exchange_run(exchange, batch, own);
}

void __wrap_event_queues_add(const struct event_queues *queues, const struct events *events, uint64_t height,
                             int64_t time_ms, bool last)
{
    for (const struct event *event = events_first(events); event != NULL; event = events_next(events, event))
        notes->added += event->kind == EVENT_TRADE;
    __real_event_queues_add(queues, events, height, time_ms, last);
}

void __wrap_event_queues_show(const struct event_queues *queues, bool whole)
{
    note_up_to(&notes->shown, notes->added, bench_ns());
    __real_event_queues_show(queues, whole);
}

void __wrap_stream_turn(struct stream *stream)
{
    note_up_to(&notes->told, atomic_load(&notes->shown.trades), bench_ns());
    __real_stream_turn(stream);
}

/* The messages being published are sent to the sockets one by one, and nothing else is sent meanwhile. */
static void note_sent(ssize_t sent)
{
    uint64_t told = atomic_load_explicit(&notes->told.trades, memory_order_relaxed);

    if (sent > 0 && told > atomic_load_explicit(&notes->sent.trades, memory_order_relaxed))
        note_up_to(&notes->sent, told, bench_ns());
}

ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags)
{
    ssize_t sent = __real_send(fd, bytes, len, flags);

    note_sent(sent);
    return sent;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
    ssize_t sent = __real_sendmsg(fd, message, flags);

    note_sent(sent);
    return sent;
}
