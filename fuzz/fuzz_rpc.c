/* SPDX-License-Identifier: MIT */
/*
 * JSON-RPC: whatever the body is, the response is JSON that jansson reads, each response is one of JSON-RPC 2.0, and
 * there are at most as many as calls. The first byte: in development or not, whether commands can be sent.
 */
#include "api/node/rpc.h"
#include "rigs/api/test_rig.h"
#include "fuzz/fuzz.h"

#include <jansson.h>

static void check_answer(const json_t *answer)
{
    const json_t *error = json_object_get(answer, "error"), *version = json_object_get(answer, "jsonrpc");

    assert(json_is_object(answer) && json_is_string(version) && strcmp(json_string_value(version), "2.0") == 0);
    assert(json_object_get(answer, "id") != NULL);
    assert((error != NULL) != (json_object_get(answer, "result") != NULL));
    if (error != NULL)
        assert(json_is_integer(json_object_get(error, "code")) && json_is_string(json_object_get(error, "message")));
}

static void check_answers(struct slice body)
{
    json_error_t  error;
    json_t       *answers = json_loads(rig_body, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error), *calls;
    size_t        index;
    const json_t *answer;

    if (rig_body[0] == '\0') {
        assert(rig_answer.status == 204);
        return;
    }
    assert(rig_answer.status == 200);
    if (answers == NULL) {
        assert(json_error_code(&error) == json_error_numeric_overflow);
        return;
    } /* an id with the client's bytes */
    if (!json_is_array(answers)) {
        check_answer(answers);
        json_decref(answers);
        return;
    }
    json_array_foreach(answers, index, answer) check_answer(answer);
    calls = json_loadb(body.at, body.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    if (calls != NULL) assert(json_is_array(calls) && json_array_size(answers) <= json_array_size(calls));
    json_decref(calls);
    json_decref(answers);
}

/* A command happened: one result without a reject, or the command refused. */
static struct api_result happened(uint8_t *room, bool refused)
{
    struct api_result result = { .events = { room, 0, 1024 } };

    if (refused) EVENT_ADD(&result.events, REFUSED, refused, 0)->reject = REJECT_CAPACITY;
    else EVENT_ADD(&result.events, RESULT, result, 0)->order_id = 1001;
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static _Alignas(8) uint8_t room[1024];
    struct http_request        request = rig_request(HTTP_POST, "/rpc");
    enum api_outcome           outcome;
    int                        commands = 0;

    if (size < 1 || size > HTTP_BODY_MAX) return 0;
    if (rig_api == NULL) (void)rig_begin(NULL);
    rig_shared.settings.development = data[0] % 2 == 0;
    rig_put_header(&request, HEADER_CONTENT_TYPE, "application/json");
    request.body = exact_copy(data + 1, size - 1);
    memset(&rig_answer, 0, sizeof(rig_answer));
    outcome = rig_handle(&request);
    while (outcome == API_COMMAND) {
        struct out        out = out_make(rig_body, sizeof(rig_body) - 1);
        struct api_result result = happened(room, (data[0] & 4) != 0);

        assert(rig_write.alone && ++commands <= API_COMMANDS_MAX && rig_write.room.head.domain == 0);
        outcome = api_resume(rig_api, &rig_context, &request, (data[0] & 2) != 0 ? NULL : &result, &rig_write,
                             &rig_answer, &out);
        assert(!out.overflow);
        rig_body[out.len] = '\0';
    }
    check_answers(request.body);
    free_copy(request.body);
    return 0;
}
