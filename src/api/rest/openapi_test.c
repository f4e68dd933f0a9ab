/* SPDX-License-Identifier: MIT */
/*
 * Every route, parameter, field, error and method is in /openapi.json and in docs/api.md. Runs in the repository's
 * root.
 */
#include "api/rest/page.h"
#include "api/rest/terminal_page.h"
#include "api/node/rpc.h"
#include "rigs/api/test_rig.h"

#include <jansson.h>

static json_t *contract;
static char   *manual;

static int begin(void **state)
{
    struct http_request request = rig_request(HTTP_GET, "/openapi.json");
    json_error_t        error;
    FILE               *file;

    if (rig_begin(state) != 0) return -1;
    assert_int_equal(rig_handle(&request), API_ANSWER);
    assert_int_equal(rig_answer.status, 200);
    contract = json_loads(rig_body, JSON_REJECT_DUPLICATES, &error);
    if (contract == NULL) fail_msg("not JSON: %s at %d", error.text, error.position);
    file = fopen("docs/api.md", "r");
    assert_non_null(file);
    manual = calloc(1, 1 << 20);
    assert_true(fread(manual, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return 0;
}

static int end(void **state)
{
    json_decref(contract);
    free(manual);
    return rig_end(state);
}

static void in_manual(const char *format, const char *text)
{
    char wanted[256];

    (void)snprintf(wanted, sizeof(wanted), format, text);
    if (strstr(manual, wanted) == NULL) fail_msg("docs/api.md lacks %s; print it again with apidoc", wanted);
}

static json_t *operation_of(const struct endpoint *row, uint8_t base)
{
    static const char *const methods[] = { [HTTP_GET] = "get", [HTTP_POST] = "post", [HTTP_DELETE] = "delete" };
    char                     path[160];
    json_t                  *operation;

    (void)snprintf(path, sizeof(path), "%s%s", base_path[base], row->path);
    operation = json_object_get(json_object_get(json_object_get(contract, "paths"), path), methods[row->method]);
    if (operation == NULL) fail_msg("%s %s is missing", methods[row->method], path);
    return operation;
}

static bool has_parameter(json_t *operation, const char *name, const char *in)
{
    json_t *parameter;
    size_t  i;

    json_array_foreach(json_object_get(operation, "parameters"), i, parameter) {
        if (strcmp(json_string_value(json_object_get(parameter, "name")), name) != 0) continue;
        assert_string_equal(json_string_value(json_object_get(parameter, "in")), in);
        assert_non_null(json_object_get(parameter, "schema"));
        return true;
    }
    return false;
}

/* The schema of a shape has each of its fields, and so on down. */
static void check_shape(const struct shape *shape, bool request)
{
    char    name[96];
    json_t *schema, *properties;

    (void)snprintf(name, sizeof(name), "%s%s", shape->name, request ? "Body" : "");
    schema = json_object_get(json_object_get(json_object_get(contract, "components"), "schemas"), name);
    if (schema == NULL) fail_msg("the schema %s is missing", name);
    properties = json_object_get(schema, "properties");
    in_manual("### %s\n", shape->name);
    if (shape->tuple) assert_int_equal(json_array_size(json_object_get(schema, "prefixItems")), shape->field_count);
    for (uint32_t i = 0; i < shape->field_count; i++) {
        const struct field *field = &shape->fields[i];
        if (field->item != NULL) check_shape(field->item, request);
        if (shape->tuple || shape->bare) continue;
        if (json_object_get(properties, field->key) == NULL) fail_msg("%s lacks %s", name, field->key);
        if (json_string_length(json_object_get(json_object_get(properties, field->key), "description")) == 0)
            fail_msg("%s.%s has no sentence", name, field->key);
        in_manual("| `%s` |", field->key);
    }
}

static void check_parameters(const struct endpoint *row, json_t *operation)
{
    for (uint32_t i = 0; row->command == 0 && row->takes != NULL && i < row->takes->field_count; i++)
        if (!has_parameter(operation, row->takes->fields[i].key, "query"))
            fail_msg("%s lacks the parameter %s", row->name, row->takes->fields[i].key);
    if (strstr(row->path, "{userAddress}") != NULL) assert_true(has_parameter(operation, "userAddress", "path"));
    if (strstr(row->path, "{symbol}") != NULL) assert_true(has_parameter(operation, "symbol", "path"));
    if (row->command == 0) return;
    assert_true(has_parameter(operation, "X-API-Sign", "header")
                && (row->sender == SENDER_FEEDER) != has_parameter(operation, "X-API-Nonce", "header"));
    assert_string_equal(json_string_value(json_object_get(operation, "x-signed-type")), endpoint_type(row));
}

static void check_example(const struct endpoint *row, json_t *operation)
{
    json_t *media =
        json_object_get(json_object_get(json_object_get(operation, "requestBody"), "content"), "application/json");

    if (row->command == 0 && row->answer != answer_rpc) return;
    if (json_object_get(media, "example") == NULL) fail_msg("%s has no example of its body", row->name);
    if (row->command != 0) {
        char              *text = json_dumps(json_object_get(media, "example"), JSON_COMPACT | JSON_PRESERVE_ORDER);
        struct shape_error error;
        static union {
            struct command_room    room;
            struct add_key_request key;
        } body;
        if (shape_read(endpoint_takes(row), slice_of(text), &body, &error) != REJECT_NONE)
            fail_msg("the example of %s: %s %s", row->name, error.field, error.need);
        free(text);
    }
}

static void every_row_is_in_the_contract_and_in_the_manual(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < endpoint_count; i++) {
        const struct endpoint *row = &endpoints[i];
        in_manual("### `%s`\n", row->name);
        for (uint8_t base = 0; base < BASE_COUNT; base++) {
            if ((row->bases >> base & 1) == 0) continue;
            json_t *operation = operation_of(row, base);
            assert_string_equal(json_string_value(json_object_get(operation, "summary")), row->doc);
            assert_int_equal(json_integer_value(json_object_get(json_object_get(operation, "x-weight"), "weight")),
                             row->weight);
            assert_non_null(
                json_object_get(json_object_get(operation, "responses"), row->answer == answer_stream ? "101"
                                                                         : row->answer == answer_root ? "302"
                                                                                                      : "200"));
            check_parameters(row, operation);
            check_example(row, operation);
        }
        if (row->command != 0) check_shape(endpoint_takes(row), true);
        if (row->gives != NULL) check_shape(row->gives, false);
    }
}

static void every_limit_has_its_default_and_its_maximum(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < endpoint_count; i++) {
        json_t *parameter;
        size_t  j;
        if (endpoints[i].limit_max == 0) continue;
        for (uint8_t base = 0; base < BASE_COUNT; base++) {
            if ((endpoints[i].bases >> base & 1) == 0) continue;
            json_array_foreach(json_object_get(operation_of(&endpoints[i], base), "parameters"), j, parameter) {
                json_t *schema = json_object_get(parameter, "schema");
                if (strcmp(json_string_value(json_object_get(parameter, "name")), "limit") != 0) continue;
                assert_int_equal(json_integer_value(json_object_get(schema, "minimum")), 1);
                assert_int_equal(json_integer_value(json_object_get(schema, "maximum")), UINT32_MAX);
                assert_int_equal(json_integer_value(json_object_get(schema, "default")), endpoints[i].limit_default);
                assert_int_equal(json_integer_value(json_object_get(schema, "x-cut-to")), endpoints[i].limit_max);
            }
        }
    }
}

static void every_error_and_every_method_is_there(void **state)
{
    json_t *errors = json_object_get(contract, "x-errors"), *methods;

    (void)state;
    assert_int_equal(json_array_size(errors), REJECT_COUNT - 1);
    for (size_t i = 0; i < json_array_size(errors); i++)
        assert_int_equal(json_integer_value(json_object_get(json_array_get(errors, i), "code")),
                         reject_row((enum reject)(i + 1))->code);
    methods = json_object_get(json_object_get(json_object_get(json_object_get(contract, "paths"), "/rpc"), "post"),
                              "x-methods");
    assert_int_equal(json_array_size(methods), rpc_method_count);
    for (uint32_t i = 0; i < rpc_method_count; i++) {
        json_t *method = json_array_get(methods, i);
        assert_string_equal(json_string_value(json_object_get(method, "name")), rpc_methods[i].name);
        assert_int_equal(json_array_size(json_object_get(method, "params")), rpc_methods[i].param_count);
        in_manual("| `%s` |", rpc_methods[i].name);
    }
}

static void the_page_offers_keys_in_development_alone(void **state)
{
    (void)state;
    rig_shared.public_accounts = SLICE("{\"accountID\":1001,\"address\":\"0x\",\"privateKey\":\"0x\"}");
    assert_string_equal(
        rig_get("/docs/settings.json"),
        "{\"chainIds\":[286623,138565],\"accounts\":[{\"accountID\":1001,\"address\":\"0x\",\"privateKey\":\"0x\"}]}");
    rig_shared.settings.development = false;
    rig_get("/docs/settings.json");
    rig_expect("\"accounts\":[]");
    rig_expect_not("privateKey");
}

static void the_page_loads_nothing_from_elsewhere(void **state)
{
    static const char *const files[] = { "/docs", "/docs/style.css" };

    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
        struct http_request request = rig_request(HTTP_GET, files[i]);
        struct out          out = out_make(rig_body, sizeof(rig_body) - 1);
        assert_int_equal(api_handle(rig_api, &rig_context, &request, &rig_write, &rig_answer, &out), API_ANSWER);
        rig_body[out.len] = '\0';
        assert_true(out.len > 200);
        rig_expect_not("http://");
        rig_expect_not("https://");
        rig_expect_not("<script");
        assert_non_null(rig_answer.content_type);
        bool is_page = memcmp(rig_answer.content_type, "text/html", 9) == 0; /* a policy is one of a document */
        assert_int_equal(is_page, memmem(rig_answer.extra.at, rig_answer.extra.len,
                                         "Content-Security-Policy: default-src 'none'; script-src 'self'", 61)
                                      != NULL);
    }
}

#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(every_row_is_in_the_contract_and_in_the_manual), T(every_limit_has_its_default_and_its_maximum),
        T(every_error_and_every_method_is_there),          T(the_page_offers_keys_in_development_alone),
        T(the_page_loads_nothing_from_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
