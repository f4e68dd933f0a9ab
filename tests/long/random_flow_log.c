/* SPDX-License-Identifier: MIT */
/*
 * random_flow_log.c — writes a log of millions of commands for same_log (G3): random flow on both markets, with raises
 * of limits in it.
 *
 *     flow_log FOLDER COMMANDS [SEED]     FOLDER is empty
 *
 * Prints the final state in the form of same_log, and on stderr the number of raises in the log; without one it fails.
 */
#include "rigs/pipeline/random_flow_log.h"

#define RAISES 40 /* average number of raises of limits in a log, whatever its length */

static void print_hash(const struct hash256 *hash)
{
    for (size_t i = 0; i < sizeof(hash->bytes); i++) (void)printf("%02x", hash->bytes[i]);
}

int main(int argc, char **argv)
{
    const struct log_settings options = { .file_bytes = 64u << 20 };
    struct random_flow        flow = { .seed = 1,
                                       .users = 24,
                                       .each = INT64_C(100000000000),
                                       .fund = INT64_C(1000000000),
                                       .jumps = 20,
                                       .gap = 1200,
                                       .spot = true };
    struct flow_result        flow_result;

    if (argc < 3 || argc > 4) return (void)fprintf(stderr, "usage: flow_log FOLDER COMMANDS [SEED]\n"), 2;
    flow.commands = (uint32_t)strtoul(argv[2], NULL, 10);
    if (argc == 4) flow.seed = strtoull(argv[3], NULL, 10);
    flow.raises = 1 + flow.commands / RAISES;
    flow_log_write(argv[1], &flow, &options, 2000, &flow_result);
    (void)printf("lived: seq %lu block %lu ", (unsigned long)flow_result.seq, (unsigned long)flow_result.block.number);
    print_hash(&flow_result.block.hash);
    (void)printf(" state ");
    print_hash(&flow_result.state);
    (void)printf("\n");
    (void)fprintf(stderr, "flow_log: %lu raises of limits\n", (unsigned long)flow_result.raises);
    return flow_result.raises != 0 ? 0 : 1;
}
