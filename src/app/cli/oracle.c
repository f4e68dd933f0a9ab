/* SPDX-License-Identifier: MIT */
/*
 * oracle.c — dojima oracle: reads prices from a command, a file or a URL and posts them, signed with a feeder's key,
 * to an exchange. It keeps no state: its seq is the clock's milliseconds, so it continues after a restart.
 */
#include "base/hex.h"
#include "crypto/typed.h"
#include "io/clock.h"
#include "io/fetch.h"
#include "io/files.h"
#include "io/secret_file.h"
#include "io/signals.h"
#include "app/cli/arguments.h"
#include "diagnostics/program_log.h"
#include "app/cli/members.h"
#include "app/cli/quotes.h"
#include "app/cli/commands.h"
#include "app/cli/venue.h"

#include <stdio.h>
#include <stdlib.h>

#define ANSWER_BYTES (1024 * 1024)
#define TIMEOUT_MS   10000
#define REST_MAX_MS  30000
#define TRIES_ONCE   5 /* of --once, before it gives up */

struct oracle {
    const char    *to, *key, *command, *file, *url, *proxy;
    uint64_t       every, chain_id;
    bool           once;
    uint8_t        secret[32];
    uint64_t       seq;      /* of the last post */
    struct listing listing;  /* count 0: not read yet */
    char           why[320]; /* the last attempt went wrong */
    bool           refused;  /* by the exchange: the same again is in vain */
    int64_t        ahead_ms; /* the clock that judges posts is ahead of this machine's by it (decision 164) */
    char          *text;     /* ANSWER_BYTES, of the source */
    struct venue   venue;    /* the exchange */
};

__attribute__((format(printf, 2, 3))) static bool fail(struct oracle *oracle, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(oracle->why, sizeof(oracle->why), format, arguments);
    va_end(arguments);
    return false;
}

/* ---- the exchange ---- */

/* The reason of the last call to the exchange. False. */
static bool venue_failed(struct oracle *oracle) { return fail(oracle, "%s", oracle->venue.why); }

static bool take_symbols(struct oracle *oracle, const json_t *rows)
{
    for (size_t i = 0; i < json_array_size(rows) && oracle->listing.count < ORACLE_PRICES_MAX; i++) {
        const json_t  *row = json_array_get(rows, i);
        struct listed *listed = &oracle->listing.symbols[oracle->listing.count];
        struct slice   name = slice_of(text_at(row, "name"));

        if (name.len == 0 || name.len > NAME_MAX_LEN) continue;
        *listed = (struct listed){ name_make(name), (uint32_t)json_integer_value(json_object_get(row, "id")),
                                   (uint32_t)json_integer_value(json_object_get(row, "pricePrecision")) };
        oracle->listing.count += listed->id != 0 && listed->price_precision <= 15;
    }
    return oracle->listing.count != 0 || fail(oracle, "the exchange lists no perps symbol");
}

/* The listed symbols, and the chain id of signatures. */
static bool look_around(struct oracle *oracle)
{
    json_t *answer = venue_read(&oracle->venue, "/api/v1/perps/markets/symbols");
    bool    ok = answer != NULL ? take_symbols(oracle, answer) : venue_failed(oracle);

    json_decref(answer);
    if (!ok || oracle->chain_id != 0) return ok;
    if (!venue_learn_chain(&oracle->venue)) return venue_failed(oracle);
    oracle->chain_id = oracle->venue.chain_id;
    return true;
}

/* ---- one post ---- */

static bool read_source(struct oracle *oracle, struct quotes *quotes)
{
    struct fetch   fetch = { .url = oracle->url, .proxy = oracle->proxy, .timeout_ms = TIMEOUT_MS };
    struct fetched fetched = { .text = oracle->text, .cap = ANSWER_BYTES };
    char           why[160];
    int            error;

    if (oracle->command != NULL && !fetch_command(oracle->command, TIMEOUT_MS, &fetched))
        return fail(oracle, "the source: %s", fetched.why);
    if (oracle->url != NULL && !fetch_url(&fetch, &fetched)) return fail(oracle, "the source: %s", fetched.why);
    if (oracle->url != NULL && fetched.status != 200) return fail(oracle, "the source: HTTP %d", fetched.status);
    if (oracle->file != NULL && (error = files_read(oracle->file, fetched.text, fetched.cap, &fetched.len)) != 0)
        return fail(oracle, "the source: %.200s: %s", oracle->file, strerror(error));
    if (!quotes_read(slice_make(fetched.text, fetched.len), &oracle->listing, quotes, why, sizeof(why)))
        return fail(oracle, "the source: %s", why);
    return true;
}

static uint32_t precision_of(const struct oracle *oracle, uint32_t symbol_id)
{
    for (uint32_t i = 0; i < oracle->listing.count; i++)
        if (oracle->listing.symbols[i].id == symbol_id) return oracle->listing.symbols[i].price_precision;
    return 0;
}

static void write_price(struct out *out, const char *key, int64_t price, uint32_t precision)
{
    out_text(out, key);
    decimal_write(out, decimal_make(price, (int)precision));
    out_char(out, '"');
}

static void write_body(const struct oracle *oracle, const struct oracle_post *post, struct out *out)
{
    out_literal(out, "{\"seq\":");
    out_u64(out, post->seq);
    out_literal(out, ",\"timestamp\":");
    out_i64(out, post->timestamp_ms);
    out_literal(out, ",\"prices\":[");
    for (uint32_t i = 0; i < post->count; i++) {
        uint32_t precision = precision_of(oracle, post->items[i].symbol_id);

        out_text(out, i == 0 ? "{\"symbolID\":" : ",{\"symbolID\":");
        out_u64(out, post->items[i].symbol_id);
        write_price(out, ",\"price\":\"", post->items[i].price, precision);
        if (post->items[i].perp_mid != 0) write_price(out, ",\"perpMid\":\"", post->items[i].perp_mid, precision);
        out_char(out, '}');
    }
    out_literal(out, "]}");
    assert(!out->overflow);
}

static bool sign(const struct oracle *oracle, const struct oracle_post *post, struct out *lines)
{
    struct hash256 separator = domain_separator(DOMAIN_ORACLE, oracle->chain_id),
                   digest = oracle_prices_digest(&separator, post);
    struct signature signature;
    char             text[SIGNATURE_TEXT];

    if (!sign_digest(&digest, oracle->secret, 1, &signature)) return false;
    signature_write(&signature, text);
    out_literal(lines, "Content-Type: application/json\r\nX-API-Sign: ");
    out_slice_put(lines, slice_make(text, sizeof(text)));
    out_literal(lines, "\r\nX-API-Chain: ");
    out_u64(lines, oracle->chain_id);
    out_literal(lines, "\r\n");
    assert(!lines->overflow);
    return true;
}

/* Another process has posted with this key, or by another clock: the next post goes beyond it. */
static bool learn_seq(struct oracle *oracle, const json_t *answer)
{
    const json_t *details = json_object_get(answer, "details");
    unsigned long last;

    if (strcmp(text_at(details, "field"), "seq") != 0 || sscanf(text_at(details, "need"), "more than %lu", &last) != 1)
        return false;
    oracle->seq = last;
    return true;
}

/* The exchange has another time: it begins at an instant of its own, or its clock runs at another rate. */
static bool learn_time(struct oracle *oracle, const json_t *answer)
{
    const json_t *details = json_object_get(answer, "details");

    if (strcmp(text_at(details, "field"), "timestamp") != 0 || number_at(details, "serverTime") <= 0) return false;
    oracle->ahead_ms = number_at(details, "serverTime") - clock_wall_ms();
    return true;
}

/* *again: it was refused for its time, which is known now. */
static bool post_quotes(struct oracle *oracle, const struct quotes *quotes, bool *again)
{
    struct oracle_post post = { .seq = max_u64(oracle->seq + 1, (uint64_t)clock_wall_ms()),
                                .count = quotes->count,
                                .timestamp_ms = clock_wall_ms() + oracle->ahead_ms };
    char               body_text[16384], lines_text[512];
    struct out         body = out_make(body_text, sizeof(body_text)), lines = out_make(lines_text, sizeof(lines_text));
    json_t            *answer;
    bool               ok;

    memcpy(post.items, quotes->prices, sizeof(post.items));
    write_body(oracle, &post, &body);
    if (!sign(oracle, &post, &lines)) return fail(oracle, "the key cannot sign");
    oracle->seq = post.seq;
    answer = venue_ask(&oracle->venue, "POST", "/api/v1/oracle", out_slice(&lines), out_slice(&body));
    if (answer == NULL) return venue_failed(oracle);
    ok = json_integer_value(json_object_get(answer, "code")) == 0;
    *again = !ok && learn_time(oracle, answer);
    if (!ok) {
        oracle->refused = json_object_get(answer, "details") != NULL
                       && !learn_seq(oracle, answer); /* not for being busy or too often */
        (void)venue_refused(&oracle->venue, answer);
        (void)venue_failed(oracle);
    } else {
        log_line(LOG_INFO, "posted %u prices with seq %lu", post.count, (unsigned long)post.seq);
    }
    json_decref(answer);
    return ok;
}

static bool attempt(struct oracle *oracle)
{
    struct quotes quotes;
    bool          again;

    oracle->refused = false;
    if (oracle->listing.count == 0 && !look_around(oracle)) return false;
    if (!read_source(oracle, &quotes)) return false;
    return post_quotes(oracle, &quotes, &again) || (again && post_quotes(oracle, &quotes, &again));
}

/* ---- its life ---- */

/* The key, and nothing else, is in the file. */
static int read_key(struct oracle *oracle)
{
    char   text[128], why[SECRET_WHY_BYTES];
    size_t len;
    bool   is_key;

    if (!secret_file_read(oracle->key, text, sizeof(text), &len, why))
        return complain(EXIT_USAGE, "oracle: the key file %s", why);
    while (len != 0 && (text[len - 1] == '\n' || text[len - 1] == '\r' || text[len - 1] == ' ')) len--;
    is_key = hex_read_0x(slice_make(text, len), oracle->secret, sizeof(oracle->secret));
    secret_forget(text, sizeof(text));
    return is_key ? EXIT_FINE : complain(EXIT_USAGE, "oracle: %s holds no key of 64 hex digits", oracle->key);
}

static int check(struct oracle *oracle)
{
    struct address address;

    if (oracle->to == NULL || oracle->key == NULL)
        return complain(EXIT_USAGE, "oracle: --to URL and --key FILE are needed");
    if ((oracle->command != NULL) + (oracle->file != NULL) + (oracle->url != NULL) != 1)
        return complain(EXIT_USAGE, "oracle: exactly one of --command, --file and --url is required");
    if (oracle->every == 0) return complain(EXIT_USAGE, "oracle: --every is at least 1 second");
    if (!crypto_init())
        return complain(EXIT_GENERAL, "the known-answer tests of the cryptography fail on this machine");
    if (read_key(oracle) != EXIT_FINE) return EXIT_USAGE;
    return address_of_secret(oracle->secret, &address)
             ? EXIT_FINE
             : complain(EXIT_USAGE, "oracle: %s holds no private key", oracle->key);
}

/* Posts until a signal comes. A failure is logged and retried, each time after twice the delay. */
static int run(struct oracle *oracle)
{
    int64_t rest_ms = 0;

    for (uint32_t tries = 1;; tries++) {
        if (attempt(oracle)) {
            if (oracle->once) return EXIT_FINE;
            rest_ms = 0;
            tries = 0;
        } else {
            rest_ms = min_i64(rest_ms == 0 ? 1000 : 2 * rest_ms, REST_MAX_MS);
            if (oracle->once && (oracle->refused || tries == TRIES_ONCE))
                return complain(EXIT_GENERAL, "oracle: %s", oracle->why);
            log_line(LOG_WARN, "%s; again in %ld s", oracle->why, (long)(rest_ms / 1000));
        }
        if (signals_wait(rest_ms != 0 ? rest_ms : (int64_t)oracle->every * 1000) != 0) return EXIT_FINE;
    }
}

int command_oracle(int argc, char **argv)
{
    struct oracle oracle = { .every = 2 };
    /* clang-format off */
    const struct argument rows[] = {
        { "to", ARGUMENT_TEXT, 0, &oracle.to, "URL", "The exchange, http://HOST:PORT or https://HOST." },
        { "key", ARGUMENT_TEXT, 0, &oracle.key, "FILE",
          "Holds the feeder's private key, 64 hex digits; readable only by its owner." },
        { "command", ARGUMENT_TEXT, 0, &oracle.command, "LINE",
          "Run by the shell each time; its output is the prices." },
        { "file",    ARGUMENT_TEXT, 0,         &oracle.file,     "PATH",    "Read each time." },
        { "url", ARGUMENT_TEXT, 0, &oracle.url, "URL",
          "Asked each time, http:// or https://; redirections are not followed." },
        { "proxy", ARGUMENT_TEXT, 0, &oracle.proxy, "URL",
          "Between here and --url; none when not given, whatever the environment says." },
        { "every", ARGUMENT_U64, 3600, &oracle.every, "SECONDS",
          "How often; 2 when not given. A post counts for a minute." },
        { "chain", ARGUMENT_U64, INT64_MAX, &oracle.chain_id, "ID",
          "The chain id to sign for; the exchange's first when not given." },
        { "once", ARGUMENT_FLAG, 0, &oracle.once, "", "One post, with up to 5 attempts; exit 1 when it is refused." },
    };
    /* clang-format on */
    const struct arguments arguments = {
        "oracle",
        NULL,
        "Posts index prices to an exchange, signed with a feeder's key. A source says them in lines, SYMBOL PRICE "
        "[PERPMID], or as JSON, {\"SYMBOL\": PRICE} or {\"SYMBOL\": {\"price\": …, \"perpMid\": …}}.",
        rows,
        ARRAY_COUNT(rows),
        NULL
    };
    int operand, code;

    if (!arguments_read(&arguments, argc, argv, &operand, &code)) return code;
    log_init(false);
    code = check(&oracle);
    if (code != EXIT_FINE) return code;
    oracle.text = malloc(ANSWER_BYTES);
    if (oracle.text == NULL) return complain(EXIT_GENERAL, "not enough memory");
    if (venue_open(&oracle.venue, oracle.to)) code = run(&oracle);
    else code = complain(EXIT_USAGE, "oracle: --to: %s", oracle.venue.why);
    venue_close(&oracle.venue);
    free(oracle.text);
    return code;
}
