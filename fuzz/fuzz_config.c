/* SPDX-License-Identifier: MIT */
/*
 * Configuration files: the result is either one clear line about the error, or a genesis that passes its own check and
 * is unchanged after a round trip through the JSON in which it begins a log.
 */
#include "core/engine.h"
#include "fuzz/fuzz.h"
#include "app/config.h"
#include "wire/shape.h"

static void check_genesis(const struct genesis *genesis)
{
    static char           text[1024 * 1024];
    static struct genesis again;
    struct shape_error    error;
    struct out            out = out_make(text, sizeof(text));
    char                  path[128];

    assert(genesis_check(genesis) == NULL);
    shape_write(&out, &genesis_shape, genesis, true);
    assert(!out.overflow);
    assert(shape_read(&genesis_shape, out_slice(&out), &again, &error) == REJECT_NONE);
    genesis_complete(&again);
    assert(!genesis_difference(genesis, &again, path, sizeof(path)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct config config;
    char                 error[512] = "", *text;

    if (size < 1 || memchr(data, '\0', size) != NULL) return 0;
    text = malloc(size);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    if (config_read(text, "fuzz", data[0] % 2 != 0, &config, error, sizeof(error))) check_genesis(&config.genesis);
    else assert(error[0] != '\0' && strchr(error, '\n') == NULL);
    free(text);
    return 0;
}
