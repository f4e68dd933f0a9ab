/* SPDX-License-Identifier: MIT */
/* spec_json.h — for tests: the data files of docs/spec that are JSON. */
#ifndef RIGS_SPEC_JSON_H
#define RIGS_SPEC_JSON_H

#include "rigs/test_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

/* The whole file, which the caller gives back. */
static inline json_t *load_json(const char *name)
{
    struct slice file = file_read(spec_path(name));
    json_t      *json;

    assert_non_null(file.at);
    json = json_loadb(file.at, file.len, JSON_REJECT_DUPLICATES, NULL);
    free((void *)file.at);
    assert_non_null(json);
    return json;
}

#endif
