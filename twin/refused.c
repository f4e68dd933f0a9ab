/* SPDX-License-Identifier: MIT */
/*
 * refused.c — requests given to the exchange's own code, from their bytes to the bytes of the reply, beside the twin's
 * prediction. An accepted one must become the intended command; a refused one none, with the state unchanged.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "digest.h"
#include "exchange.h"

enum refused_lie refused_planted;

/* ---- comparing ---- */

static char wrong[2048];

static const char *differs(const char *what, const char *came, size_t came_len, const char *want, size_t want_len)
{
    size_t at = 0, from;

    while (at < came_len && at < want_len && came[at] == want[at]) at++;
    if (at == came_len && at == want_len) return NULL;
    from = at < 80 ? 0 : at - 80;
    came_len = came_len - from < 700 ? came_len - from : 700;
    want_len = want_len - from < 700 ? want_len - from : 700;
    (void)snprintf(wrong, sizeof(wrong), "%s at byte %zu: \"%.*s\", the twin's \"%.*s\"", what, at, (int)came_len,
                   came + from, (int)want_len, want + from);
    return wrong;
}

static const char *post_differs(const struct oracle_post *post, const struct body *body,
                                const struct price_said *prices)
{
    bool same = post->count == body->items && post->seq == body->top[0].number
             && (uint64_t)post->timestamp_ms == body->top[1].number;

    for (uint32_t i = 0; same && i < post->count; i++) {
        const struct oracle_price *came = &post->items[i];
        same = came->symbol_id == prices[i].symbol && (uint64_t)came->price == prices[i].price
            && (uint64_t)came->perp_mid == prices[i].mid;
    }
    return same ? NULL : "the prices of a feeder's command are not the twin's";
}

/* The command equals the request: signer, account, market, time, and every key of it. */
static const char *command_differs(const struct sent *asked, const struct api_write *write, const struct body *body,
                                   const struct verdict *v)
{
    static char           room[2][TEXT_ROOM];
    const struct command *head = &write->room.head;
    uint64_t              nonce = asked->action->proof == BY_FEEDER ? body->top[0].number : nonce_of(asked);
    uint8_t               market = asked->base == ON_SPOT ? MARKET_SPOT : asked->base == ON_PERPS ? MARKET_PERPS : 0;
    struct text           want = { room[0], 0, true };
    struct out            normal = out_make(room[1], sizeof(room[1]));
    const char           *text;

    if (head->kind != asked->action->command || head->market != market) return "the command is another one";
    if (head->domain != v->domain || head->nonce != nonce || head->chain_id != v->chain)
        return "another domain, nonce or chain";
    if (head->key_id != v->key_id || !address_equal(&head->signer, &v->signer)) return "the command is somebody else's";
    if (asked->action->proof == BY_FEEDER) return post_differs(&write->room.oracle_post, body, v->prices);
    text = differs("the signed bytes", write->signed_bytes.at, write->signed_bytes.len, v->signed_text, v->signed_len);
    if (text != NULL) return text;
    shape_write(&normal, endpoint_takes(write->endpoint), &write->room.place_orders, true);
    normal_form(asked->action, body, &want);
    return differs("the command", normal.at, normal.len, want.at, want.len);
}

/* ---- asking ---- */

/* One request and its outcome. Some are adjacent and wait together for their signers. */
enum { SEATS = 6 };
static struct seat {
    struct sent               asked;
    struct http_request       http;
    struct http_answer        answer;
    struct api_write          write;
    struct out                out;
    struct api_context        context;
    struct pending_signature *pending;
    bool                      waits;
    char                      request[HTTP_BUFFER_BYTES], room[API_ANSWER_BYTES_MAX];
} seats[SEATS];

/* Compares both answers. NULL: equal. */
static const char *seat_differs(struct seat *seat, enum api_outcome outcome, const struct body *body,
                                const struct verdict *verdict)
{
    static char room[2][TEXT_ROOM];
    struct out  reply = out_make(room[0], sizeof(room[0]));
    struct text want = { room[1], 0, true };
    bool        is_command = outcome == API_COMMAND;

    if (is_command != (verdict->reject == REJECT_NONE)) {
        (void)snprintf(wrong, sizeof(wrong), "%s, the twin says %s; %.*s",
                       is_command ? "it becomes a command" : "it is refused",
                       verdict->reject == REJECT_NONE ? "it is a command" : reject_row(verdict->reject)->name,
                       is_command ? 0 : (int)(seat->out.len < 900 ? seat->out.len : 900), seat->out.at);
        return wrong;
    }
    if (is_command) return command_differs(&seat->asked, &seat->write, body, verdict);
    http_write(&reply, &seat->answer, seat->answer.kept.at != NULL ? seat->answer.kept : out_slice(&seat->out));
    write_reply(&want, &seat->asked, verdict);
    return differs("the reply", reply.at, reply.len, want.at, want.len);
}

static void twin_says(struct seat *seat, struct body *body, struct verdict *verdict)
{
    judge(&seat->asked, body, verdict);
    if (refused_planted == LIE_COMMAND && verdict->reject == REJECT_NOT_POSITIVE) verdict->reject = REJECT_NONE;
}

/* The request as bytes, and its HTTP form. */
static const char *seat_parse(struct seat *seat)
{
    struct sent *asked = &seat->asked;
    enum reject  reject = REJECT_NONE;
    size_t       len = write_request(asked, seat->request);

    if (asked->seed % 32 == 0) http_parser_init(exchange.parser); /* else it comes behind the one before */
    else http_parser_again(exchange.parser);
    seat->answer = (struct http_answer){ .status = 0 };
    seat->out = out_make(seat->room, sizeof(seat->room));
    seat->context = (struct api_context){
        .now_ms = asked->now_ms,
        .offset_ms = asked->offset_ms,
        .ready = !asked->starting,
        .shed = asked->shed ? (1u << OVERLOAD_CLASSES) - 1 : 0,
    };
    exchange_limit(asked, &seat->context);
    if (http_parse(exchange.parser, seat->request, len, &seat->http, &reject, NULL) == HTTP_DONE) return NULL;
    return "HTTP refuses the request, which is not drawn well";
}

/* By itself. */
static const char *ask(struct seat *seat, struct verdict *verdict)
{
    static struct body body;
    struct api        *api = exchange.shops[seat->asked.shop].api;
    enum api_outcome   outcome;
    const char        *bad;

    twin_says(seat, &body, verdict);
    bad = seat_parse(seat);
    if (bad != NULL) return bad;
    exchange.full = seat->asked.full;
    outcome = api_handle(api, &seat->context, &seat->http, &seat->write, &seat->answer, &seat->out);
    return seat_differs(seat, outcome, &body, verdict);
}

/*
 * Each waits, if it gets that far, and all waiting ones are recovered at once. The verdict of a waiting one is
 * computed again, for its texts.
 */
static const char *ask_together(uint32_t count, struct verdict verdicts[SEATS])
{
    static struct body        body;
    struct api               *api = exchange.shops[seats[0].asked.shop].api;
    struct pending_signature *waiting[SEATS];
    uint32_t                  waiting_count = 0;
    const char               *bad = NULL;

    for (uint32_t i = 0; i < count && bad == NULL; i++) {
        struct seat     *seat = &seats[i];
        enum api_outcome outcome;

        twin_says(seat, &body, &verdicts[i]);
        bad = seat_parse(seat);
        if (bad != NULL) break;
        exchange.full = seat->asked.full;
        if (seat->pending == NULL) seat->pending = aligned_alloc(64, pending_signature_size());
        outcome = api_begin(api, &seat->context, &seat->http, &seat->write, &seat->answer, &seat->out, seat->pending);
        seat->waits = outcome == API_AWAITS_SIGNATURE;
        if (seat->waits) waiting[waiting_count++] = seat->pending;
        else bad = seat_differs(seat, outcome, &body, &verdicts[i]);
    }
    if (bad != NULL || waiting_count == 0) return bad;
    api_recover(waiting, waiting_count);
    for (uint32_t i = 0; i < count && bad == NULL; i++) {
        if (!seats[i].waits) continue;
        twin_says(&seats[i], &body, &verdicts[i]);
        exchange.full = seats[i].asked.full;
        bad = seat_differs(&seats[i], api_signature_done(seats[i].pending), &body, &verdicts[i]);
    }
    return bad;
}

/* ---- many ---- */

/* As few spoilt places as show it, and the request. */
static const char *shrunk(const struct sent *asked, const char *found)
{
    static char    story[BODY_MAX], first[sizeof(wrong)];
    struct seat   *seat = &seats[0];
    struct verdict verdict;
    const char    *text;
    struct text    t = { story, 0, true };

    (void)snprintf(first, sizeof(first), "%s", found);
    seat->asked = *asked;
    for (uint32_t i = 0; seat->asked.mutate_count != 0 && i <= seat->asked.mutate_count; i++) {
        struct sent *less = &seats[1].asked;

        *less = seat->asked;
        less->mutate_count = i == 0 ? 0 : less->mutate_count - 1;
        if (i == 1) less->spoils[0] = seat->asked.spoils[SPOILS_MAX - 1];
        draw_again(less);
        if (ask(&seats[1], &verdict) != NULL) {
            seat->asked = *less;
            i = UINT32_MAX;
        }
    }
    draw_again(&seat->asked);
    text = ask(seat, &verdict);
    put(&t, "seed %" PRIu64 " (%s):", seat->asked.seed, shop_rows[seat->asked.shop].name);
    for (uint32_t i = 0; i < seat->asked.mutate_count; i++) put(&t, " [%s]", mutate_name(seat->asked.spoils[i].kind));
    put(&t, "\n%s\n", text != NULL ? text : first);
    letters(&t, seat->request, write_request(&seat->asked, seat->request) % (BODY_MAX / 2));
    put(&t, text != NULL ? "\n" : "\n(beside others alone)\n");
    story[t.len] = '\0';
    return story;
}

static void count_one(struct refused_counts *counts, struct seat *seat, const struct verdict *verdict)
{
    const struct sent *asked = &seat->asked;

    digest_add(&counts->said, seat->request, write_request(asked, seat->request));
    counts->requests++;
    if (verdict->reject == REJECT_NONE) counts->accepted++;
    else counts->refused++;
    counts->rejects[verdict->reject]++;
    counts->asked_who += verdict->proof || verdict->reject == REJECT_NONE;
    for (uint32_t k = 0; k < asked->mutate_count; k++) counts->spoils[asked->spoils[k].kind]++;
}

const char *refused_run(uint64_t seed, uint64_t requests, struct refused_counts *counts)
{
    struct verdict verdicts[SEATS];
    uint64_t       number = seed * UINT64_C(1000000007), rounds = 0;

    exchange_open();
    for (uint64_t last = counts->requests + requests; counts->requests < last; rounds++) {
        uint32_t    count = rounds % 2 == 0 ? 1 : 2 + (uint32_t)(number % (SEATS - 1));
        const char *bad;

        for (uint32_t i = 0; i < count; i++) draw_request(&seats[i].asked, number++, i == 0 ? NULL : &seats[0].asked);
        bad = count == 1 ? ask(&seats[0], &verdicts[0]) : ask_together(count, verdicts);
        if (bad == NULL && rounds % 8 == 0) bad = ask(&seats[0], &verdicts[0]); /* a repetition is answered again */
        for (uint32_t i = 0; bad != NULL && i < count; i++)
            if (i + 1 == count || ask(&seats[i], &verdicts[i]) != NULL) return shrunk(&seats[i].asked, bad);
        for (uint32_t i = 0; i < count; i++) count_one(counts, &seats[i], &verdicts[i]);
        if (rounds % 256 != 0 && counts->requests < last) continue;
        if (!views_are(exchange.views, exchange.views_as_they_were, exchange.views_bytes))
            return "a request that was refused has changed the state";
    }
    return NULL;
}
