/* SPDX-License-Identifier: MIT */
#include "app/client/preview.h"

#include "app/client/plain.h"
#include "base/out.h"
#include "crypto/crypto.h"

#include <stdio.h>
#include <stdlib.h>

static void write_lines(const struct client *client, const struct signature *signature, struct signed_write *request)
{
    const char *key = client->source.key_name;
    char        text[SIGNATURE_TEXT];
    int         len;

    signature_write(signature, text);
    len = snprintf(request->lines, sizeof(request->lines),
                   "Content-Type: application/json\r\nAccept: application/json\r\n%s%s%sX-API-Nonce: %lu\r\n"
                   "X-API-Chain: %lu\r\nX-API-Sign: %.134s\r\n",
                   key != NULL ? "X-API-Key: " : "", key != NULL ? key : "", key != NULL ? "\r\n" : "",
                   (unsigned long)request->nonce, (unsigned long)request->chain_id, text);
    assert(len > 0 && len < (int)sizeof(request->lines));
}

bool preview_sign(const struct client *client, const struct client_write *write, uint64_t nonce,
                  struct signed_write *request)
{
    bool             is_spot = write->market == MARKET_SPOT;
    struct hash256   separator;
    struct signature signature;

    *request = (struct signed_write){ .method = write->method,
                                      .domain = is_spot ? "spot" : "futures",
                                      .type = write->type,
                                      .body = json_dumps(write->body, JSON_COMPACT),
                                      .nonce = nonce,
                                      .chain_id = client->venue.chain_id };
    (void)snprintf(request->url, sizeof(request->url), "%s/api/v1/%s%s", client->origin, is_spot ? "spot" : "perps",
                   write->path);
    if (request->body == NULL) {
        (void)complain(EXIT_GENERAL, "%s: not enough memory", client->command);
        return false;
    }
    separator = domain_separator(is_spot ? DOMAIN_SPOT : DOMAIN_FUTURES, request->chain_id);
    request->payload = payload_hash(slice_of(write->type), slice_of(request->body));
    request->digest = action_digest(&separator, &request->payload, nonce);
    if (!client->signer.unlocked || !sign_digest(&request->digest, client->signer.secret, 1, &signature)) {
        (void)complain(EXIT_GENERAL, "%s: the key cannot sign", client->command);
        preview_forget(request);
        return false;
    }
    write_lines(client, &signature, request);
    return true;
}

void preview_forget(struct signed_write *request)
{
    free(request->body);
    request->body = NULL;
}

static const char *hash_text(const struct hash256 *hash, char text[67])
{
    struct out out = out_make(text, 66);

    out_literal(&out, "0x");
    out_hex(&out, hash->bytes, sizeof(hash->bytes));
    text[out.len] = '\0';
    return text;
}

/* As wallets take it. */
static json_t *typed_data(const struct signed_write *request)
{
    char payload[67];

    return json_pack("{s:{s:[{s:s,s:s},{s:s,s:s},{s:s,s:s},{s:s,s:s}],s:[{s:s,s:s},{s:s,s:s}]},s:s,s:{s:s,s:s,s:I,s:s},"
                     "s:{s:s,s:I}}",
                     "types", "EIP712Domain", "name", "name", "type", "string", "name", "version", "type", "string",
                     "name", "chainId", "type", "uint256", "name", "verifyingContract", "type", "address",
                     "ExchangeAction", "name", "payloadHash", "type", "bytes32", "name", "nonce", "type", "uint64",
                     "primaryType", "ExchangeAction", "domain", "name", request->domain, "version", "1", "chainId",
                     (json_int_t)request->chain_id, "verifyingContract", "0x0000000000000000000000000000000000000000",
                     "message", "payloadHash", hash_text(&request->payload, payload), "nonce",
                     (json_int_t)request->nonce);
}

static json_t *headers_of(const struct signed_write *request)
{
    json_t *headers = json_object();

    for (const char *at = request->lines; *at != '\0'; at = strchr(at, '\n') + 1) {
        const char *colon = strchr(at, ':'), *end = strchr(at, '\r');
        char        name[40];

        (void)snprintf(name, sizeof(name), "%.*s", (int)(colon - at), at);
        (void)json_object_set_new(headers, name, json_stringn(colon + 2, (size_t)(end - colon) - 2));
    }
    return headers;
}

int preview_print(const struct client *client, const struct signed_write *request)
{
    char    digest[67], *payload = NULL;
    json_t *value =
        json_pack("{s:b,s:s,s:s,s:o,s:s,s:s,s:o,s:s}", "dryRun", 1, "method", request->method, "url", request->url,
                  "headers", headers_of(request), "body", request->body, "type", request->type, "typedData",
                  typed_data(request), "digest", hash_text(&request->digest, digest));
    int code = EXIT_FINE;

    if (value == NULL) return complain(EXIT_GENERAL, "%s: not enough memory", client->command);
    if (client->json) {
        code = client_outcome(client, value);
    } else {
        payload = json_dumps(json_object_get(value, "typedData"), JSON_COMPACT);
        (void)printf("%s %s\n", request->method, request->url);
        for (const char *at = request->lines; *at != '\0'; at++)
            if (*at != '\r') (void)putchar(*at);
        (void)printf("\n%s\n\nsigned text  {\"type\":\"%s\",\"params\":%s}\ntyped data   %s\ndigest       %s\n"
                     "signer       %s\nNothing was sent.\n",
                     request->body, request->type, request->body, payload != NULL ? payload : "", digest,
                     client->signer.address);
    }
    free(payload);
    json_decref(value);
    return code;
}
