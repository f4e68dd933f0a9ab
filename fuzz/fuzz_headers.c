/* SPDX-License-Identifier: MIT */
/*
 * Headers: a signature is accepted exactly when it has the form of one (ruling 6), addresses are those of inet_pton,
 * the client from the headers of proxies is either an address in their lines or the peer; and a signed request without
 * a valid signature is refused with JSON, whatever its headers. The first byte chooses which.
 */
#include "rigs/api/test_rig.h"
#include "fuzz/fuzz.h"

#include <arpa/inet.h>

/* ---- X-API-Sign ---- */

static int nibble(char c)
{
    const char *digits = "0123456789abcdef", *at = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c);
    return at == NULL ? -1 : (int)(at - digits);
}

static int compare(const uint8_t *at, const char *hex)
{
    for (int i = 0; i < 32; i++) {
        int byte = nibble(hex[2 * i]) * 16 + nibble(hex[2 * i + 1]);
        if (at[i] != byte) return at[i] < byte ? -1 : 1;
    }
    return 0;
}

#define ZERO  "0000000000000000000000000000000000000000000000000000000000000000"
#define ORDER "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
#define HALF  "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0"

static bool is_signature(struct slice text)
{
    uint8_t bytes[66];

    if (text.len >= 2 && text.at[0] == '0' && text.at[1] == 'x') text = slice_make(text.at + 2, text.len - 2);
    if (text.len != 132) return false;
    for (size_t i = 0; i < 66; i++) {
        if (nibble(text.at[2 * i]) < 0 || nibble(text.at[2 * i + 1]) < 0) return false;
        bytes[i] = (uint8_t)(nibble(text.at[2 * i]) * 16 + nibble(text.at[2 * i + 1]));
    }
    if (bytes[0] != 1 && bytes[0] != 2) return false;
    if (bytes[65] > 1 && bytes[65] != 27 && bytes[65] != 28) return false;
    if (compare(bytes + 1, ZERO) == 0 || compare(bytes + 1, ORDER) >= 0) return false;
    return compare(bytes + 33, ZERO) != 0 && compare(bytes + 33, HALF) <= 0;
}

static void check_signature(struct slice text)
{
    struct signature signature, again;
    char             spelled[SIGNATURE_TEXT];
    bool             taken = signature_read(text, &signature);

    assert(taken == is_signature(text));
    if (!taken) return;
    signature_write(&signature, spelled);
    assert(signature_read(slice_make(spelled, SIGNATURE_TEXT), &again)
           && memcmp(&signature, &again, sizeof(again)) == 0);
}

/* ---- addresses ---- */

static bool is_address(struct slice text, uint8_t bytes[16])
{
    char buffer[128] = { 0 };

    if (text.len >= sizeof(buffer) || memchr(text.at, '\0', text.len) != NULL) return false;
    memcpy(buffer, text.at, text.len);
    memset(bytes, 0, 16);
    bytes[10] = bytes[11] = 0xff;
    return inet_pton(AF_INET, buffer, bytes + 12) == 1 || inet_pton(AF_INET6, buffer, bytes) == 1;
}

static void check_addresses(struct slice text)
{
    static struct proxies proxies;
    uint8_t               bytes[16];
    struct ip             ip, peer, client;
    struct ip_range       range;
    struct slice          lines[HTTP_FORWARDED_LINES];
    uint32_t              count = 0;

    assert(ip_read(text, &ip) == is_address(text, bytes));
    if (is_address(text, bytes)) assert(memcmp(&ip, bytes, sizeof(ip)) == 0);
    if (ip_range_read(text, &range)) assert(range.bits <= 128 && ip_in_range(&range.base, &range));

    if (proxies.count == 0) {
        assert(ip_range_read(SLICE("10.0.0.0/8"), &proxies.ranges[0])
               && ip_range_read(SLICE("2001:db8::/32"), &proxies.ranges[1]));
        proxies.count = 2;
    }
    for (struct slice rest = text; count < HTTP_FORWARDED_LINES && rest.len != 0;) {
        const char *end = memchr(rest.at, '\n', rest.len);
        size_t      len = end != NULL ? (size_t)(end - rest.at) : rest.len;
        lines[count++] = slice_make(rest.at, len);
        rest = end != NULL ? slice_make(end + 1, rest.len - len - 1) : slice_make("", 0);
    }
    for (int trusted = 0; trusted < 2; trusted++) {
        assert(ip_read(trusted != 0 ? SLICE("10.1.2.3") : SLICE("192.0.2.7"), &peer));
        for (uint8_t header = FORWARDED_X_FOR; header <= FORWARDED_RFC7239; header++) {
            proxies.header = header;
            client = proxies_client(&proxies, &peer, lines, count);
            if (trusted == 0) assert(memcmp(&client, &peer, sizeof(peer)) == 0);
        }
    }
}

/* ---- a whole head, to a path that wants a signature ---- */

/* clang-format off */
static const char *const targets[] = {
    "POST /api/v1/spot/trade/orders/batch", "DELETE /api/v1/spot/trade/orders/batch", "PUT /api/v1/spot/trade/orders",
    "POST /api/v1/spot/trade/schedule-cancel", "POST /api/v1/perps/trade/orders", "DELETE /api/v1/perps/trade/orders",
    "POST /api/v1/perps/trade/leverage", "POST /api/v1/spot/accounts/transfers", "POST /api/v1/spot/accounts/api-keys",
    "POST /api/v1/oracle", "POST /rpc", "OPTIONS /api/v1/spot/trade/orders/batch", "HEAD /healthz",
};
/* clang-format on */

static void check_head(const char *target, struct slice lines, bool with_body)
{
    static char                buffer[HTTP_BUFFER_BYTES];
    static struct http_parser *parser;
    struct http_request        request = { 0 };
    struct out                 out = out_make(buffer, sizeof(buffer));
    enum reject                reject = REJECT_NONE;
    bool                       headers;

    if (parser == NULL) parser = malloc(http_parser_size());
    out_text(&out, target);
    out_literal(&out, " HTTP/1.1\r\nHost: x\r\n");
    out_slice_put(&out, lines);
    if (with_body) out_literal(&out, "\r\nContent-Length: 2\r\n\r\n{}");
    else out_literal(&out, "\r\n\r\n");
    http_parser_init(parser);
    if (http_parse(parser, buffer, out.len, &request, &reject, &headers) != HTTP_DONE) return;
    memset(&rig_answer, 0, sizeof(rig_answer));
    if (rig_handle(&request) == API_ANSWER) assert(rig_answer.status >= 200 && rig_answer.status <= 599);
    else assert(rig_write.alone && rig_write.room.head.domain == 0); /* unsigned, so only JSON-RPC of development */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct slice text;

    if (rig_api == NULL) (void)rig_begin(NULL);
    if (size < 1 || size > 16000) return 0;
    text = exact_copy(data + 1, size - 1);
    if (data[0] < 64) check_signature(text);
    else if (data[0] < 128) check_addresses(text);
    else check_head(targets[data[0] / 2 % ARRAY_COUNT(targets)], text, data[0] % 2 != 0);
    free_copy(text);
    return 0;
}
