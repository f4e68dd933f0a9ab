/* SPDX-License-Identifier: MIT */
/*
 * Writes that never become commands: a short slice of twin_refused; every signed write occurs; every planted bug of
 * the twin is noticed, each by a request.
 */
#include "refused.h"

#include "api/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void every_refusal_is_answered_as_the_twin_says(void **state)
{
    static struct refused_counts counts;
    const char                  *wrong = refused_run(1, 12000, &counts);
    uint32_t                     kinds = 0;
    (void)state;

    if (wrong != NULL) fail_msg("%s", wrong);
    for (int i = REJECT_NONE + 1; i < REJECT_COUNT; i++) kinds += counts.rejects[i] != 0;
    print_message("%llu refused in %u ways, %llu accepted\n", (unsigned long long)counts.refused, kinds,
                  (unsigned long long)counts.accepted);
    assert_true(kinds >= 55);
    assert_true(counts.accepted > 1500 && counts.asked_who > counts.accepted);
    for (uint32_t i = 0; i < mutate_count; i++) assert_true(counts.spoils[i] > 0);
}

/* Is a row of the interface among the actions? */
static bool is_known(const struct endpoint *row, uint8_t base)
{
    static const uint8_t bases[] = { [BASE_GATEWAY] = ON_GATEWAY, [BASE_SPOT] = ON_SPOT, [BASE_PERPS] = ON_PERPS };

    for (uint32_t i = 0; i < action_count; i++) {
        const struct action *action = &actions[i];
        const char          *owner = strchr(action->path, '{');
        bool same = owner != NULL ? strncmp(action->path, row->path, (size_t)(owner - action->path)) == 0
                                  : strcmp(action->path, row->path) == 0;

        if (same && (action->bases & bases[base]) != 0 && action->command == row->command
            && strcmp(action->type, endpoint_type(row)) == 0)
            return true;
    }
    return false;
}

static void no_signed_write_is_left_out(void **state)
{
    uint32_t writes = 0;
    (void)state;

    for (uint32_t i = 0; i < endpoint_count; i++)
        for (uint8_t base = BASE_GATEWAY; base < BASE_COUNT; base++) {
            if (endpoints[i].command == 0 || (endpoints[i].bases >> base & 1) == 0) continue;
            if (!is_known(&endpoints[i], base)) fail_msg("%s", endpoints[i].name);
            writes++;
        }
    assert_true(writes >= 20);
}

static void every_lie_is_noticed(void **state)
{
    (void)state;
    for (enum refused_lie lie = LIE_NONE + 1; lie < LIES; lie++) {
        static struct refused_counts counts;
        const char                  *wrong;

        refused_planted = lie;
        wrong = refused_run(2, 20000, &counts);
        refused_planted = LIE_NONE;
        if (wrong == NULL) fail_msg("lie %d is not noticed", lie);
        print_message("lie %d: %.*s\n", lie, (int)strcspn(wrong, "\n"), wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refusal_is_answered_as_the_twin_says),
        cmocka_unit_test(no_signed_write_is_left_out),
        cmocka_unit_test(every_lie_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
