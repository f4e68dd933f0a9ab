/* SPDX-License-Identifier: MIT */
/* Mechanics 11 row by row: every parameter is a setting, has that default, and a range that includes its bounds. */
#include "core/engine.h"
#include "app/config.h"
#include "pipeline/replay.h"
#include "wire/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* The place of a row of the table: among the rules of the venue, or in the section of a perps market. */
enum place { IN_VENUE, IN_PERPS };

/* clang-format off */
static const struct parameter {
    enum place  place;
    const char *key, *standard;
    const char *good[3];            /* the bounds, and other valid values */
    const char *bad[3];             /* just outside                           */
    const char *said;               /* a part of the error message */
} parameters[] = {
    { IN_VENUE, "stpScope", "ACCOUNT", { "USER", "NONE" }, { "account", "ALL" }, "[dojima] stpScope: " },
    { IN_VENUE, "strictPositionSide", "off", { "on" }, { "1", "" }, "[dojima] strictPositionSide: " },
    { IN_VENUE, "openOrdersPerAccount", "1000", { "0", "1000000" }, { "-1", "1000001" },
      "[dojima] openOrdersPerAccount: " },
    { IN_VENUE, "armedStopsPerAccount", "100", { "0", "1000000" }, { "-1", "1000001" },
      "[dojima] armedStopsPerAccount: " },
    { IN_VENUE, "maxTriggersPerCommand", "10000", { "1", "1048576" }, { "0", "1048577" },
      "[dojima] maxTriggersPerCommand: " },
    { IN_VENUE, "stopRetryTicks", "60", { "0", "255" }, { "-1", "256" }, "[dojima] stopRetryTicks: " },
    { IN_VENUE, "bracketMode", "PROTECT", { "ANCHOR" }, { "anchor", "" }, "[dojima] bracketMode: " },
    { IN_VENUE, "dmsKeepsProtectiveStops", "off", { "on" }, { "yes" }, "[dojima] dmsKeepsProtectiveStops: " },
    { IN_VENUE, "oracleStaleMs", "60000", { "1000", "86400000" }, { "999", "86400001" }, "[dojima] oracleStaleMs: " },
    { IN_VENUE, "oracleQuorum", "1", { "15" }, { "0", "16" }, "[dojima] oracleQuorum: " },
    { IN_VENUE, "oracleJumpRatio", "0.1", { "0.00000001", "1" }, { "0", "1.00000001", "-0.1" },
      "oracleJumpRatio is above 0 and at most 1" },
    { IN_VENUE, "oracleJumpTicks", "3", { "1", "1000" }, { "0", "1001" }, "[dojima] oracleJumpTicks: " },
    { IN_VENUE, "markAverageTicks", "150", { "1", "86400" }, { "0", "86401" }, "[dojima] markAverageTicks: " },
    { IN_VENUE, "premiumSampleMs", "5000", { "1000", "3600000" }, { "999", "3600001" }, "[dojima] premiumSampleMs: " },
    { IN_VENUE, "liqBuffer", "0.1", { "0", "1" }, { "-0.00000001", "1.00000001" }, "liqBuffer is between 0 and 1" },
    { IN_VENUE, "liqSlippage", "0.02", { "0.00000001", "0.99999999" }, { "0", "1" }, "liqSlippage is between 0 and 1" },
    { IN_VENUE, "liqFeeRate", "0", { "0.00000001", "1" }, { "-0.00000001", "1.00000001" },
      "liqFeeRate is between 0 and 1" },
    { IN_VENUE, "takeOverThreshold", "2/3", { "0/1", "1000/1000", "1/1" }, { "1/1001", "3/2", "1/0" },
      "[dojima] takeOverThreshold: " },
    { IN_VENUE, "takeOverThreshold", "2 / 3", { "1/2" }, { "2", "2/3/4", "0.66" },
      "is not PART/WHOLE, with a whole from 1 to 1000" },
    { IN_VENUE, "ifMaxLoss", "0.2", { "0", "1" }, { "-0.00000001", "1.00000001" }, "ifMaxLoss is between 0 and 1" },
    { IN_VENUE, "ifFeeShare", "0", { "0.00000001", "1" }, { "-0.00000001", "1.00000001" },
      "ifFeeShare is between 0 and 1" },
    { IN_VENUE, "adlMode", "FIFTHS", { "QUEUE" }, { "queue" }, "[dojima] adlMode: " },
    { IN_PERPS, "interestRate", "0.0001", { "-1", "1" }, { "-1.00000001", "1.00000001" },
      "interestRate is within -1 and 1" },
    { IN_PERPS, "fundingClamp", "0.0005", { "0", "0.00000001", "1" }, { "-0.00000001", "1.00000001" },
      "fundingClamp is 0 to 1" },
    { IN_PERPS, "maxFundingRate", "0.01", { "0", "0.00000001" }, { "-0.00000001", "0.01000001" },
      "maxFundingRate is not below 0 and at most half the first maintenance rate" },
    { IN_PERPS, "minFundingRate", "-0.01", { "0", "-0.00000001" }, { "0.00000001", "-0.01000001" },
      "minFundingRate is not above 0, and below it at most half the first maintenance rate" },
    { IN_PERPS, "markStepCap", "0.01", { "0", "0.00000001" }, { "-0.00000001", "0.01000001" },
      "markStepCap is above 0 and at most half the first maintenance rate" },
    { IN_PERPS, "markBand", "0.04", { "0", "0.00000001", "0.99999999" }, { "-0.00000001", "1" },
      "markBand is between 0 and 1" },
    { IN_PERPS, "impactNotional", "5000", { "0", "0.000001" }, { "-0.000001" }, "impactNotional is not below 0" },
    { IN_PERPS, "ifMaxInventory", "2000", { "0", "0.000001" }, { "-0.000001" }, "ifMaxInventory is not below 0" },
    { IN_PERPS, "openInterestCap", "0", { "0.00001" }, { "-0.00001" }, "openInterestCap is not below 0" },
    { IN_PERPS, "makerFee", "0.00012", { "-0.00016", "1" }, { "1.00000001", "-1.00000001" }, "fees are at most 1" },
    { IN_PERPS, "takerFee", "0.0004", { "0.00005", "1" }, { "-0.00000001", "1.00000001" },
      "fees are at most 1, takerFee at least 0" },
    { IN_PERPS, "marketDeviationRatio", "0.01", { "0.00000001", "1000" }, { "0", "1000.00000001" },
      "band ratios are above 0 and at most 1000" },
};
/* clang-format on */

static const char *text_with(const struct parameter *parameter, const char *value)
{
    static char text[2048];
    char        line[128] = "";

    if (value != NULL) (void)snprintf(line, sizeof(line), "%s = %s\n", parameter->key, value);
    (void)snprintf(text, sizeof(text),
                   "[dojima]\ndata = d\nchainIds = 77\n%s[coin A]\nprecision = 6\n[perps P]\nbaseCoin = P\n"
                   "pricePrecision = 1\n"
                   "tickSize = 0.1\nquantityPrecision = 5\nstepSize = 0.00001\nlistingReferencePrice = 100000\n"
                   "marginTiers = 4000000:25, 10000000:20, 50000000:10\nopenInterestCapUSD = 100000\n%s",
                   parameter->place == IN_VENUE ? line : "", parameter->place == IN_PERPS ? line : "");
    return text;
}

static bool reads(const struct parameter *parameter, const char *value, struct config *config, char error[256])
{
    error[0] = '\0';
    return config_read(text_with(parameter, value), "t.ini", false, config, error, 256);
}

static void every_parameter_has_its_default(void **state)
{
    struct config *with = malloc(sizeof(*with)), *without = malloc(sizeof(*without));
    char           error[256];
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(parameters); i++) {
        if (!reads(&parameters[i], parameters[i].standard, with, error) || !reads(&parameters[i], NULL, without, error))
            fail_msg("%s", error);
        with->genesis.time_ms = without->genesis.time_ms;
        memcpy(with->genesis.table_secret, without->genesis.table_secret, sizeof(with->genesis.table_secret));
        if (memcmp(&with->genesis, &without->genesis, sizeof(with->genesis)) != 0)
            fail_msg("%s is not %s", parameters[i].key, parameters[i].standard);
    }
    free(with);
    free(without);
}

static void every_parameter_has_a_range(void **state)
{
    struct config *config = malloc(sizeof(*config)), *standard = malloc(sizeof(*standard));
    char           error[256];
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(parameters); i++) {
        const struct parameter *parameter = &parameters[i];

        for (size_t k = 0; k < ARRAY_COUNT(parameter->good) && parameter->good[k] != NULL; k++)
            if (!reads(parameter, parameter->good[k], config, error))
                fail_msg("%s = %s: %s", parameter->key, parameter->good[k], error);
        for (size_t k = 0; k < ARRAY_COUNT(parameter->bad) && parameter->bad[k] != NULL; k++) {
            if (reads(parameter, parameter->bad[k], config, error))
                fail_msg("%s = %s is accepted", parameter->key, parameter->bad[k]);
            if (strstr(error, parameter->said) == NULL)
                fail_msg("%s = %s: %s", parameter->key, parameter->bad[k], error);
        }
    }
    free(config);
    free(standard);
}

/* A value that is not the default is another genesis, so it is in the log, and read from there it is the same. */
static void every_parameter_is_part_of_the_log(void **state)
{
    struct config  *config = malloc(sizeof(*config)), *standard = malloc(sizeof(*standard));
    struct genesis *again = malloc(sizeof(*again));
    char            error[256], where[64];
    (void)state;

    for (size_t i = 0; i < ARRAY_COUNT(parameters); i++) {
        const struct parameter *parameter = &parameters[i];
        struct shape_error      wrong = { 0 };
        struct slice            json;
        size_t                  last = 0;

        while (last + 1 < ARRAY_COUNT(parameter->good) && parameter->good[last + 1] != NULL) last += 1;
        if (!reads(parameter, parameter->good[last], config, error) || !reads(parameter, NULL, standard, error))
            fail_msg("%s", error);
        if (!genesis_difference(&config->genesis, &standard->genesis, where, sizeof(where)))
            fail_msg("%s does not make a difference", parameter->key);
        memset(again, 0, sizeof(*again));
        json = genesis_write(&config->genesis);
        if (shape_read(&genesis_shape, json, again, &wrong) != REJECT_NONE) fail_msg("%s: %s", wrong.field, wrong.got);
        genesis_complete(again);
        assert_false(genesis_difference(&config->genesis, again, where, sizeof(where)));
        free((void *)(uintptr_t)json.at);
    }
    free(config);
    free(standard);
    free(again);
}

/* Removes a member from the JSON of a genesis: the form of an older log. */
static void forget(char *json, const char *key)
{
    char quoted[64], *at, *end;

    (void)snprintf(quoted, sizeof(quoted), ",\"%s\":", key);
    at = strstr(json, quoted);
    if (at == NULL) {
        fail_msg("%s is not in the log", key);
        return;
    } /* the compiler of a sanitizer build does not know that fail_msg does not return */
    end = at + 1 + strcspn(at + 1, ",}");
    memmove(at, end, strlen(end) + 1);
}

static void a_log_that_is_older_than_a_parameter_has_its_default(void **state)
{
    static const char *const later[] = {
        "oracleJumpTicks", "markAverageTicks", "premiumSampleMs", "takeOverPart", "takeOverWhole", "fundingClamp"
    }; /* liqFeeRate and ifFeeShare: a 0 is not written anyway */
    struct config     *config = malloc(sizeof(*config));
    struct genesis    *old = calloc(1, sizeof(*old));
    struct shape_error wrong = { 0 };
    struct slice       json;
    char               error[256], where[64];
    (void)state;

    if (!reads(&parameters[0], NULL, config, error)) fail_msg("%s", error);
    json = genesis_write(&config->genesis);
    char *text = strndup(json.at, json.len);
    for (size_t i = 0; i < ARRAY_COUNT(later); i++) forget(text, later[i]);
    if (shape_read(&genesis_shape, slice_of(text), old, &wrong) != REJECT_NONE)
        fail_msg("%s: %s", wrong.field, wrong.got);
    assert_null(genesis_check(old));
    genesis_complete(old);
    if (genesis_difference(old, &config->genesis, where, sizeof(where))) fail_msg("%s differs", where);
    free(text);
    free((void *)(uintptr_t)json.at);
    free(config);
    free(old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_has_its_default),
        cmocka_unit_test(every_parameter_has_a_range),
        cmocka_unit_test(every_parameter_is_part_of_the_log),
        cmocka_unit_test(a_log_that_is_older_than_a_parameter_has_its_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
