/* SPDX-License-Identifier: MIT */
/*
 * gateway_late.c — what rules of faults leave with a session: when its input came, and output that leaves later, with a
 * header, or not at all. Bytes never overtake each other, so the order of answers and messages stays what it is.
 */
#include "gateway/gateway_disturbed.h"

#include <stdlib.h>

/* ---- the session ---- */

struct session_faults *session_faults(struct gateway *gateway, struct net_conn *conn)
{
    struct session *session = conn->owner;

    if (session->faults != NULL) return session->faults;
    if (gateway->disturbed_count == 2 * net_slot_count(gateway->net)) return NULL;
    session->faults = calloc(1, sizeof(*session->faults));
    if (session->faults == NULL) return NULL;
    gateway->disturbed[gateway->disturbed_count++] = (struct session_reference){ conn->slot, conn->generation };
    return session->faults;
}

void session_forget_faults(struct session *session)
{
    struct late_bytes *next;

    if (session->faults == NULL) return;
    for (struct late_bytes *late = session->faults->first; late != NULL; late = next) {
        next = late->next;
        free(late);
    }
    free(session->faults);
    session->faults = NULL;
}

void gateway_skew(const struct net_conn *conn, struct api_context *context)
{
    const struct session_faults *faults = ((const struct session *)conn->owner)->faults;

    if (faults == NULL) return;
    context->now_ms += faults->verdict.skew_ms;
    context->offset_ms += faults->verdict.skew_ms; /* the windows of nonces are those of the right time */
}

int64_t session_skew_ms(const struct session *session)
{
    return session->faults != NULL ? session->faults->verdict.skew_ms : 0;
}

/* ---- input ---- */

void session_note_arrival(struct gateway *gateway, struct net_conn *conn)
{
    struct session_faults *faults = session_faults(gateway, conn);
    int64_t                now_ms = net_now_ms(gateway->net);
    struct arrival        *last;

    if (faults == NULL || conn->input_len == 0) return;
    last = faults->arrival_count != 0 ? &faults->arrivals[faults->arrival_count - 1] : NULL;
    if (last != NULL && last->end >= conn->input_len) return;
    if (last != NULL && (last->at_ms == now_ms || faults->arrival_count == ARRIVALS)) last->end = conn->input_len;
    else faults->arrivals[faults->arrival_count++] = (struct arrival){ conn->input_len, now_ms, 0 };
}

void session_forget_arrivals(struct session *session, uint32_t bytes)
{
    struct session_faults *faults = session->faults;
    uint32_t               kept = 0;

    if (faults == NULL) return;
    for (uint32_t i = 0; i < faults->arrival_count; i++) {
        struct arrival arrival = faults->arrivals[i];
        if (arrival.end <= bytes) continue;
        arrival.end -= bytes;
        faults->arrivals[kept++] = arrival;
    }
    faults->arrival_count = kept;
}

int64_t session_arrived_ms(const struct session *session, uint32_t bytes, int64_t now_ms)
{
    const struct session_faults *faults = session->faults;

    for (uint32_t i = 0; faults != NULL && i < faults->arrival_count; i++)
        if (faults->arrivals[i].end >= bytes) return faults->arrivals[i].at_ms;
    return now_ms;
}

/* ---- output ---- */

bool session_has_late(const struct session *session) { return session->faults->first != NULL; }

static void send_later(struct session_faults *faults, struct slice bytes, int64_t due_ms)
{
    struct late_bytes *late = malloc(sizeof(*late) + bytes.len);

    if (late == NULL) return; /* lost, as on a bad network */
    faults->late_ms = max_i64(faults->late_ms, due_ms);
    *late = (struct late_bytes){ .due_ms = faults->late_ms, .len = bytes.len };
    memcpy(late->bytes, bytes.at, bytes.len);
    if (faults->last != NULL) faults->last->next = late;
    else faults->first = late;
    faults->last = late;
    faults->late += bytes.len;
}

void session_send_later(struct gateway *gateway, struct net_conn *conn, size_t from, int64_t due_ms)
{
    struct session_faults *faults = ((struct session *)conn->owner)->faults;

    send_later(faults, slice_make(conn->output.at + from, conn->output.len - from), due_ms);
    conn->output.len = from;
    net_turn_within(gateway->net, (uint32_t)max_i64(1, faults->last->due_ms - net_now_ms(gateway->net)));
}

/* X-Dojima-Chaos, behind the status line: the rules that acted on the request. */
static void put_header(struct net_conn *conn, size_t from, const struct chaos_verdict *verdict)
{
    struct out *output = &conn->output;
    char        text[32 + CHAOS_NAMED_MAX * 12];
    struct out  line = out_make(text, sizeof(text));
    char       *end = memmem(output->at + from, output->len - from, "\r\n", 2);

    assert(end != NULL);
    out_literal(&line, "\r\nX-Dojima-Chaos: ");
    for (uint32_t i = 0; i < verdict->count; i++) {
        if (i != 0) out_literal(&line, ", ");
        out_u64(&line, verdict->ids[i]);
    }
    assert(!line.overflow);
    if (line.len > output->cap - output->len) return;
    memmove(end + line.len, end, (size_t)(output->at + output->len - end));
    memcpy(end, text, line.len);
    output->len += line.len;
}

void session_disturb_answer(struct gateway *gateway, struct net_conn *conn, size_t from)
{
    struct session        *session = conn->owner;
    struct session_faults *faults = session->faults;
    struct chaos_verdict   verdict;

    if (faults == NULL) return;
    verdict = faults->verdict;
    memset(&faults->verdict, 0, sizeof(faults->verdict));
    if (verdict.drop || verdict.reset_after) conn->output.len = from;
    if (verdict.reset_after) {
        net_flush(gateway->net, conn); /* answers before it are not lost by our side */
        if (!conn->closing) net_reset(gateway->net, conn);
        return;
    }
    if (verdict.drop) {
        session->state = SESSION_SILENT;
        return;
    }
    if (verdict.count != 0) put_header(conn, from, &verdict);
    if (verdict.out_us != 0 || session_is_late(session))
        session_send_later(gateway, conn, from, net_now_ms(gateway->net) + ms_of(verdict.out_us));
}

/* ---- streams ---- */

struct chaos_subject stream_subject(struct gateway *gateway, const struct net_conn *conn, enum chaos_point point)
{
    const struct session *session = conn->owner;

    return (struct chaos_subject){ .point = (uint8_t)point,
                                   .path = session->market == MARKET_SPOT ? SLICE("/ws/spot") : SLICE("/ws/perps"),
                                   .ip = conn->address,
                                   .now_ms = gateway_now(gateway).now_ms };
}

uint32_t session_arrived_input(struct gateway *gateway, struct net_conn *conn)
{
    struct session_faults *faults = session_faults(gateway, conn);
    struct chaos_subject   subject = stream_subject(gateway, conn, POINT_INPUT);
    int64_t                now_ms = net_now_ms(gateway->net), due_ms = 1;
    uint32_t               bytes = 0;

    if (faults == NULL) return conn->input_len;
    session_note_arrival(gateway, conn);
    for (uint32_t i = 0; i < faults->arrival_count; i++) {
        struct arrival      *arrival = &faults->arrivals[i];
        struct chaos_verdict verdict;
        if (arrival->due_ms == 0) {
            chaos_judge(gateway->shared->chaos, &subject, &verdict);
            arrival->due_ms = max_i64(due_ms, arrival->at_ms + ms_of(verdict.in_us));
        }
        due_ms = arrival->due_ms;
        if (due_ms > now_ms) {
            net_turn_within(gateway->net, (uint32_t)(due_ms - now_ms));
            return bytes;
        }
        bytes = arrival->end;
    }
    return conn->input_len;
}

bool session_sends_late(struct gateway *gateway, struct net_conn *conn, struct slice frames, size_t most, bool *fine)
{
    struct session_faults *faults = session_faults(gateway, conn);
    struct chaos_subject   subject = stream_subject(gateway, conn, POINT_FRAME);
    struct chaos_verdict   verdict;
    int64_t                now_ms = net_now_ms(gateway->net), due_ms;

    if (faults == NULL) return false;
    chaos_judge(gateway->shared->chaos, &subject, &verdict);
    due_ms = max_i64(faults->late_ms, now_ms + ms_of(verdict.out_us));
    if (due_ms <= now_ms && faults->first == NULL) return false;
    *fine = most == SIZE_MAX || faults->late + net_unsent(conn) <= most;
    if (!*fine) return true;
    send_later(faults, frames, due_ms);
    net_turn_within(gateway->net, (uint32_t)max_i64(1, due_ms - now_ms));
    return true;
}

bool session_ends_late(struct session *session)
{
    if (!session_is_late(session)) return false;
    session->faults->end = LATE_FINISH;
    return true;
}
