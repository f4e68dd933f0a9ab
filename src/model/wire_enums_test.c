/* SPDX-License-Identifier: MIT */
/* wire_enums_test.c — the numbers and names of enumerations are those of docs/spec (wire 0.6). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rigs/test_files.h"
#include "model/enums.h"

/* `names` has each value of the row but `left_out`, which clients never see, and no value that the row has not. */
/* clang-format off */
static const struct { const char *row; const struct enum_name *names; uint32_t left_out; } rows[] = {
    { "OrderSide", side_names, 0 },           { "OrderType", order_type_names, 0 },
    { "TimeInForce", time_in_force_names, 0 },     { "OrderModifier", order_modifier_names, 0 },
    { "StopType", stop_type_names, 0 },       { "TriggerType", trigger_type_names, 0 },
    { "PositionSide", position_side_names, 0 },    { "MarginMode", margin_mode_names, 0 },
    { "TransferAssetType", transfer_type_names, 0 }, { "ExecType", exec_type_names, 0 },
    { "OrderStatus", order_status_names, 1u << 8 | 1u << 9 | 1u << 11 | 1u << 12 },
};
/* clang-format on */

static char *table;

/* The second cell of the row of that name. */
static const char *cell_of(const char *name)
{
    char        start[64];
    const char *row;

    (void)snprintf(start, sizeof(start), "\n| %s | ", name);
    row = strstr(table, start);
    if (row == NULL) fail_msg("wire 0.6 has no row %s", name);
    return row + strlen(start);
}

/* "1 `BUY`, 2 `SELL` | ..." */
static void check(size_t i)
{
    uint32_t    count = 0, named = 0;
    const char *at = cell_of(rows[i].row);

    for (; *at != '|'; at += strcspn(at, ",|"), at += *at == ',' ? 2 : 0) {
        char          name[32] = { 0 };
        unsigned long value = strtoul(at, NULL, 10);
        const char   *ours;

        if (sscanf(at, "%*u `%31[A-Z_]`", name) != 1) fail_msg("%s: %.20s", rows[i].row, at);
        ours = enum_name_of(rows[i].names, (uint8_t)value);
        if ((rows[i].left_out >> value & 1) != 0) {
            assert_null(ours);
            continue;
        }
        if (ours == NULL || strcmp(ours, name) != 0)
            fail_msg("%s: %lu is %s there and %s here", rows[i].row, value, name, ours == NULL ? "nothing" : ours);
        count += 1;
    }
    while (rows[i].names[named].name != NULL) named += 1;
    assert_int_equal(named, count);
}

static void every_enumeration_has_the_numbers_of_the_specification(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) check(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_enumeration_has_the_numbers_of_the_specification) };
    struct slice            file = file_read("docs/spec/wire/README.md");
    int                     failed;

    if (file.at == NULL) {
        printf("no docs/spec/wire/README.md\n");
        return 1;
    }
    table = (char *)(uintptr_t)file.at;
    failed = cmocka_run_group_tests_name("wire_enums", tests, NULL, NULL);
    free(table);
    return failed;
}
