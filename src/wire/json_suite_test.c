/* SPDX-License-Identifier: MIT */
/* JSONTestSuite: y_ must be accepted, n_ refused, and for i_, which RFC 8259 leaves open, our verdicts stand here. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rigs/test_files.h"
#include "wire/shape.h"

/* clang-format off */
static const struct { const char *name; bool valid; const char *why; } verdicts[] = {
    { "i_number_double_huge_neg_exp.json",               true,  "grammar alone decides; no double is ever made of it" },
    { "i_number_huge_exp.json",                          true,  "likewise" },
    { "i_number_neg_int_huge_exp.json",                  true,  "likewise" },
    { "i_number_pos_double_huge_exp.json",               true,  "likewise" },
    { "i_number_real_neg_overflow.json",                 true,  "likewise" },
    { "i_number_real_pos_overflow.json",                 true,  "likewise" },
    { "i_number_real_underflow.json",                    true,  "likewise" },
    { "i_number_too_big_neg_int.json",                   true,  "range is the row's business" },
    { "i_number_too_big_pos_int.json",                   true,  "likewise" },
    { "i_number_very_big_negative_int.json",             true,  "likewise" },
    { "i_object_key_lone_2nd_surrogate.json",            false, "half a surrogate pair is no character" },
    { "i_string_1st_surrogate_but_2nd_missing.json",     false, "likewise" },
    { "i_string_1st_valid_surrogate_2nd_invalid.json",   false, "likewise" },
    { "i_string_incomplete_surrogate_and_escape_valid.json", false, "likewise" },
    { "i_string_incomplete_surrogate_pair.json",         false, "likewise" },
    { "i_string_incomplete_surrogates_escape_valid.json", false, "likewise" },
    { "i_string_invalid_lonely_surrogate.json",          false, "likewise" },
    { "i_string_invalid_surrogate.json",                 false, "likewise" },
    { "i_string_inverted_surrogates_U+1D11E.json",       false, "likewise" },
    { "i_string_lone_second_surrogate.json",             false, "likewise" },
    { "i_string_UTF-16LE_with_BOM.json",                 false, "UTF-8 only (RFC 8259, 8.1)" },
    { "i_string_utf16BE_no_BOM.json",                    false, "likewise" },
    { "i_string_utf16LE_no_BOM.json",                    false, "likewise" },
    { "i_string_UTF-8_invalid_sequence.json",            false, "no UTF-8" },
    { "i_string_UTF8_surrogate_U+D800.json",             false, "no UTF-8" },
    { "i_string_invalid_utf-8.json",                     false, "no UTF-8" },
    { "i_string_iso_latin_1.json",                       false, "no UTF-8" },
    { "i_string_lone_utf8_continuation_byte.json",       false, "no UTF-8" },
    { "i_string_not_in_unicode_range.json",              false, "no UTF-8" },
    { "i_string_overlong_sequence_2_bytes.json",         false, "no UTF-8" },
    { "i_string_overlong_sequence_6_bytes.json",         false, "no UTF-8" },
    { "i_string_overlong_sequence_6_bytes_null.json",    false, "no UTF-8" },
    { "i_string_truncated-utf-8.json",                   false, "no UTF-8" },
    { "i_structure_500_nested_arrays.json",              false, "deeper than 128" },
    { "i_structure_UTF-8_BOM_empty_object.json",         false, "a byte order mark is not JSON (RFC 8259, 8.1)" },
};
/* clang-format on */

static bool verdict_of(const char *name)
{
    if (name[0] != 'i') return name[0] == 'y';
    for (size_t i = 0; i < ARRAY_COUNT(verdicts); i++)
        if (strcmp(verdicts[i].name, name) == 0) return verdicts[i].valid;
    fail_msg("no verdict for %s", name);
    return false;
}

static void every_file_of_the_suite_gets_its_verdict(void **state)
{
    DIR           *folder = opendir(shared_path("suites/json/test_parsing"));
    struct dirent *entry;
    size_t         files = 0, open_ones = 0;

    (void)state;
    if (folder == NULL) {
        printf("SKIP JSONTestSuite: no suites/json/test_parsing in $DOJIMA_SHARED or ../shared\n");
        skip();
    }
    while ((entry = readdir(folder)) != NULL) {
        char         path[512];
        struct slice file;

        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof(path), "suites/json/test_parsing/%s", entry->d_name);
        file = file_read(shared_path(path));
        assert_non_null(file.at);
        if (json_is_valid(file) != verdict_of(entry->d_name)) fail_msg("%s", entry->d_name);
        free((void *)file.at);
        files += 1;
        open_ones += entry->d_name[0] == 'i';
    }
    closedir(folder);
    printf("JSONTestSuite: %zu files\n", files);
    assert_int_equal(files, 318);
    assert_int_equal(open_ones, ARRAY_COUNT(verdicts));
}

/* The strict reader accepts none of them as an order. */
static void no_file_of_the_suite_is_an_order(void **state)
{
    DIR                       *folder = opendir(shared_path("suites/json/test_parsing"));
    struct dirent             *entry;
    static struct place_orders batch;
    struct shape_error         error;

    (void)state;
    if (folder == NULL) skip();
    while ((entry = readdir(folder)) != NULL) {
        char         path[512];
        struct slice file;

        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof(path), "suites/json/test_parsing/%s", entry->d_name);
        file = file_read(shared_path(path));
        assert_int_not_equal(shape_read(&place_orders_shape, file, &batch, &error), REJECT_NONE);
        free((void *)file.at);
    }
    closedir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_of_the_suite_gets_its_verdict),
        cmocka_unit_test(no_file_of_the_suite_is_an_order),
    };
    return cmocka_run_group_tests_name("json suite", tests, NULL, NULL);
}
