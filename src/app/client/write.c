/* SPDX-License-Identifier: MIT */
#include "app/client/write.h"

#include "app/cli/members.h"
#include "app/client/plain.h"
#include "base/out.h"
#include "crypto/crypto.h"
#include "io/clock.h"
#include "io/fetch.h"
#include "io/signals.h"
#include "model/rejects.h"

#include <stdio.h>
#include <stdlib.h>

#define PATIENCE_MS      10000 /* a reply that has not come by then counts as lost */
#define FIRST_PAUSE_MS   250
#define LONGEST_PAUSE_MS 5000
#define NEW_NONCES       5
#define ANSWER_BYTES     (1024 * 1024)
#define HEAD_BYTES       8192

/* What became of a write. */
enum outcome { OUTCOME_DONE, OUTCOME_DONE_BEFORE, OUTCOME_REFUSED, OUTCOME_UNKNOWN, OUTCOME_NOT_SENT };
static const char *const outcome_names[] = { "done", "done-before", "refused", "unknown", "not-sent" };

struct attempt {
    enum outcome outcome;
    json_t      *answer;    /* the envelope; NULL: there was none */
    bool         new_nonce; /* never executed: another nonce may be taken */
    bool         for_good;  /* unknown, and asking again tells no more */
    char         tx[80];
    json_int_t   block, index;
    char         why[280];
};

/* ---- one attempt ---- */

/* The value of a header line of the answer, cleaned; "" where there is none. */
static const char *header(const struct fetched *fetched, const char *name, char *text, size_t cap)
{
    size_t len = strlen(name);

    text[0] = '\0';
    for (const char *at = fetched->head, *end = at + fetched->head_len; at < end;) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        size_t      size = line != NULL ? (size_t)(line - at) : (size_t)(end - at);

        if (size > len && at[len] == ':' && strncasecmp(at, name, len) == 0) {
            while (++len < size && at[len] == ' ') {}
            (void)snprintf(text, cap, "%.*s", (int)(size - len), at + len);
            text[strcspn(text, "\r")] = '\0';
            plain_clean(text);
            return text;
        }
        at += size + 1;
    }
    return text;
}

static void note_place(struct attempt *attempt, const struct fetched *fetched)
{
    char text[32];

    (void)header(fetched, "X-Chain-Tx", attempt->tx, sizeof(attempt->tx));
    attempt->block = (json_int_t)strtoull(header(fetched, "X-Chain-Block", text, sizeof(text)), NULL, 0);
    attempt->index = (json_int_t)strtoull(header(fetched, "X-Chain-Index", text, sizeof(text)), NULL, 0);
}

/* Signature, nonce or key: what an attempt behind one that was executed may be refused for. */
static bool is_of_signature(json_int_t code)
{
    return code >= reject_row(REJECT_BAD_SIGNATURE)->code && code <= reject_row(REJECT_PERMISSION_DENIED)->code;
}

/* The nonce was used, perhaps by these very bytes: the transaction tells (ruling 35). */
static bool note_done_before(struct attempt *attempt)
{
    const json_t *details = json_object_get(attempt->answer, "details");

    if (text_at(details, "hash")[0] == '\0') return false;
    attempt->outcome = OUTCOME_DONE_BEFORE;
    (void)snprintf(attempt->tx, sizeof(attempt->tx), "%s", text_at(details, "hash"));
    plain_clean(attempt->tx);
    attempt->block = number_at(details, "block");
    attempt->index = number_at(details, "index");
    return true;
}

/*
 * A refusal of the signature, the nonce or the key. `repeated`: this was not the first attempt. The one before it may
 * have been executed: a nonce is remembered behind at most 100 newer ones, and a key may have been revoked since. Only
 * a nonce that is used by other bytes tells that it was not.
 */
static void judge_signature(struct attempt *attempt, bool bad_nonce, bool repeated)
{
    const char *reason = text_at(json_object_get(attempt->answer, "details"), "reason");

    if (bad_nonce && note_done_before(attempt)) return;
    if (!repeated) {
        attempt->new_nonce = bad_nonce;
        return;
    }
    if (bad_nonce && strcmp(reason, nonce_reason_text[NONCE_USED]) == 0) return;
    attempt->outcome = OUTCOME_UNKNOWN;
    attempt->for_good = true;
    (void)snprintf(attempt->why, sizeof(attempt->why), "%s%s%s", text_at(attempt->answer, "error"),
                   reason[0] != '\0' ? ": " : "", reason);
    plain_clean(attempt->why);
}

static void judge(struct attempt *attempt, const struct fetched *fetched, bool repeated)
{
    const json_t *code = json_object_get(attempt->answer, "code");
    json_int_t    number = json_integer_value(code);

    /* Without an envelope it is the answer of something between us and the exchange, which knows nothing. A condition
     * of the transport says that this attempt was not executed, not what became of one before it. */
    if (!json_is_integer(code) || number == reject_row(REJECT_OUTCOME_UNKNOWN)->code
        || (repeated && fetched->status != 200)) {
        (void)snprintf(attempt->why, sizeof(attempt->why), "HTTP %d, which does not tell the outcome", fetched->status);
        attempt->outcome = OUTCOME_UNKNOWN;
        return;
    }
    attempt->outcome = number == 0 ? OUTCOME_DONE : OUTCOME_REFUSED;
    if (number == 0) note_place(attempt, fetched);
    if (is_of_signature(number)) judge_signature(attempt, number == reject_row(REJECT_BAD_NONCE)->code, repeated);
}

static void try_once(const struct signed_write *request, bool repeated, struct attempt *attempt)
{
    static char    text[ANSWER_BYTES], head[HEAD_BYTES];
    struct fetch   fetch = { .url = request->url,
                             .method = request->method,
                             .lines = slice_of(request->lines),
                             .body = slice_of(request->body),
                             .timeout_ms = PATIENCE_MS };
    struct fetched fetched = { .text = text, .cap = sizeof(text), .head = head, .head_cap = sizeof(head) };

    *attempt = (struct attempt){ .outcome = OUTCOME_UNKNOWN };
    if (!fetch_url(&fetch, &fetched)) {
        (void)snprintf(attempt->why, sizeof(attempt->why), "%s", fetched.why);
        plain_clean(attempt->why);
        if (!fetched.connected && !repeated) attempt->outcome = OUTCOME_NOT_SENT;
        return;
    }
    attempt->answer = json_loadb(fetched.text, fetched.len, 0, NULL);
    judge(attempt, &fetched, repeated);
}

/* ---- until the outcome is known ---- */

static void ask_until_known(const struct client *client, const struct signed_write *request, struct attempt *attempt)
{
    int64_t  pause_ms = FIRST_PAUSE_MS, end_ns = clock_mono_ns() + (int64_t)client->give_up * 1000000000;
    unsigned count = 0;

    for (*attempt = (struct attempt){ 0 };;) {
        json_decref(attempt->answer);
        try_once(request, count > 0, attempt);
        if (attempt->outcome != OUTCOME_UNKNOWN || attempt->for_good) return;
        if (client->give_up != 0 && clock_mono_ns() + pause_ms * 1000000 > end_ns) return;
        log_line(LOG_WARN, "%s: the reply is lost (%s); asking again with the same nonce %lu, attempt %u",
                 client->command, attempt->why, (unsigned long)request->nonce, ++count + 1);
        if (signals_wait(pause_ms) != 0) return;
        pause_ms = min_i64(pause_ms * 2, LONGEST_PAUSE_MS);
    }
}

/* ---- printing ---- */

static int print_json_outcome(const struct client *client, const struct attempt *attempt, uint64_t nonce)
{
    json_t *answer = attempt->answer != NULL ? attempt->answer : json_null();
    json_t *value = json_pack("{s:s,s:I,s:s,s:O*,s:O*,s:s*,s:I,s:I,s:I}", "outcome", outcome_names[attempt->outcome],
                              "code", (json_int_t)number_at(answer, "code"), "error",
                              attempt->answer == NULL ? attempt->why : text_at(answer, "error"), "details",
                              json_object_get(answer, "details"), "data", json_object_get(answer, "data"), "tx",
                              attempt->tx[0] != '\0' ? attempt->tx : NULL, "block", attempt->block, "index",
                              attempt->index, "nonce", (json_int_t)nonce);
    int     code = client_outcome(client, value);

    json_decref(value);
    return code;
}

/* `before` and the text of a member, where there is one. */
static void add_member(struct out *line, const char *before, const json_t *object, const char *key)
{
    char text[200];

    if (plain_member(object, key, text, sizeof(text))[0] == '\0') return;
    out_text(line, before);
    out_text(line, text);
}

/* One line of why something was refused. What was got and is needed need not be the field's own: the rule says of what.
 */
static void say_refused(const struct client *client, const json_t *row)
{
    const json_t *details = json_object_get(row, "details");
    char          text[1800];
    struct out    line = out_make(text, sizeof(text) - 1);

    add_member(&line, " ", row, "clOrdID");
    add_member(&line, ": ", row, "error");
    add_member(&line, " (code ", row, "code");
    add_member(&line, ", ", details, "field");
    out_char(&line, ')');
    add_member(&line, ": ", details, "rule");
    add_member(&line, "; got ", details, "got");
    add_member(&line, "; needed: ", details, "need");
    add_member(&line, "; ", details, "reason");
    text[line.len] = '\0';
    (void)complain(EXIT_GENERAL, "%s: refused%s", client->command, text);
}

/* The items of a batch that were refused. */
static uint32_t say_items(const struct client *client, const json_t *data)
{
    uint32_t refused = 0;

    for (size_t i = 0; i < json_array_size(data); i++) {
        const json_t *row = json_array_get(data, i);

        if (number_at(row, "code") == 0) continue;
        refused++;
        if (!client->json) say_refused(client, row);
    }
    return refused;
}

/* The first reply was lost: the receipt says whether at least one item succeeded. */
static int say_done_before(struct client *client, const struct attempt *attempt)
{
    json_t *params = json_pack("[s]", attempt->tx),
           *receipt = venue_call(&client->venue, "eth_getTransactionReceipt", params);
    bool failed = strcmp(text_at(receipt, "status"), "0x0") == 0;

    json_decref(params);
    json_decref(receipt);
    if (!client->json)
        (void)printf("%s: the reply was lost, and the exchange has executed it once: transaction %s, block %lld; "
                     "dojima orders and dojima trades --mine show what came of it\n",
                     failed ? "refused" : "done", attempt->tx, (long long)attempt->block);
    return failed ? EXIT_GENERAL : EXIT_FINE;
}

static int say_outcome(struct client *client, const struct attempt *attempt, uint64_t nonce,
                       void (*say)(const json_t *data))
{
    const json_t *data = json_object_get(attempt->answer, "data");

    if (client->json && print_json_outcome(client, attempt, nonce) != EXIT_FINE) return EXIT_GENERAL;
    switch (attempt->outcome) {
    case OUTCOME_DONE_BEFORE: return say_done_before(client, attempt);
    case OUTCOME_REFUSED:
        if (!client->json) say_refused(client, attempt->answer);
        return EXIT_GENERAL;
    case OUTCOME_NOT_SENT:
        return complain(EXIT_GENERAL,
                        "%s: nothing was sent: %s; start an exchange with dojima dev, or name one with --url",
                        client->command, attempt->why);
    case OUTCOME_UNKNOWN:
        return complain(EXIT_GENERAL,
                        "%s: the outcome is unknown: no reply to nonce %lu (%s); do not send it anew, look at dojima "
                        "orders and dojima trades --mine when the exchange is back",
                        client->command, (unsigned long)nonce, attempt->why);
    case OUTCOME_DONE: break;
    }
    if (!client->json && say != NULL) say(data);
    return say_items(client, data) != 0 ? EXIT_GENERAL : EXIT_FINE;
}

/* ---- signing ---- */

/*
 * Where ours is outside of the window, the exchange's time; else one above those of other programs of this key: it says
 * the smallest that it has kept, and how many there are is found out in growing steps. These differ from program to
 * program, because all begin at the same time where the clock of the exchange stands.
 */
static uint64_t next_nonce(const struct attempt *attempt, uint64_t nonce, int tries)
{
    const json_t      *details = json_object_get(attempt->answer, "details");
    const char        *reason = text_at(details, "reason");
    long long          time = number_at(details, "serverTime");
    unsigned long long smallest;

    if (strcmp(reason, nonce_reason_text[NONCE_USED]) == 0)
        return nonce + 1 + (uint64_t)clock_mono_ns() / 64 % (UINT64_C(16) << (4 * tries));
    if (sscanf(text_at(details, "need"), "more than %llu", &smallest) == 1) return smallest + 1;
    return time > 0 ? (uint64_t)time : nonce + 1;
}

static int send_signed(struct client *client, const struct client_write *write, void (*say)(const json_t *data))
{
    uint64_t            nonce = venue_next_nonce(&client->venue);
    struct signed_write request;
    struct attempt      attempt;
    int                 code = EXIT_FINE;

    log_init(false);
    signals_block(); /* a person who stops it is told that the outcome is unknown */
    for (int left = NEW_NONCES;; left--) {
        if (!preview_sign(client, write, nonce, &request)) return EXIT_GENERAL;
        ask_until_known(client, &request, &attempt);
        if (!attempt.new_nonce || left == 0) break;
        nonce = next_nonce(&attempt, nonce, NEW_NONCES - left);
        json_decref(attempt.answer);
        preview_forget(&request);
    }
    code = say_outcome(client, &attempt, nonce, say);
    json_decref(attempt.answer);
    preview_forget(&request);
    return code;
}

int client_write(struct client *client, const struct client_write *write, void (*say)(const json_t *data))
{
    struct signed_write request;
    int                 code;

    if (!venue_learn_chain(&client->venue)) return client_fail(client);
    if (!client->dry_run) return send_signed(client, write, say);
    if (!preview_sign(client, write, venue_next_nonce(&client->venue), &request)) return EXIT_GENERAL;
    code = preview_print(client, &request);
    preview_forget(&request);
    return code;
}
