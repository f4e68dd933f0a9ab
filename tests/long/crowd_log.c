/* SPDX-License-Identifier: MIT */
/*
 * crowd_log.c — a log of millions of commands for same_log (G3), lived by a crowd on both markets, with raises of
 * limits in it.
 *
 *     crowd_log FOLDER COMMANDS [SEED]     FOLDER is empty
 *
 * Prints what it ended in as same_log does, and on stderr how many raises the log has; without one it fails.
 */
#include "server/crowd_log.h"

#define RAISES 40           /* of limits, in a log of any length, on the average */

static void print_hash(const struct hash256 *hash)
{
    for (size_t i = 0; i < sizeof(hash->bytes); i++) (void)printf("%02x", hash->bytes[i]);
}

int main(int argc, char **argv)
{
    const struct journal_options options = { .segment_bytes = 64u << 20 };
    struct crowd                 crowd = { .seed = 1, .users = 24, .each = INT64_C(100000000000), .fund = INT64_C(1000000000), .jumps = 20, .gap = 1200, .spot = true };
    struct lived                 lived;

    if (argc < 3 || argc > 4) return (void)fprintf(stderr, "usage: crowd_log FOLDER COMMANDS [SEED]\n"), 2;
    crowd.commands = (uint32_t)strtoul(argv[2], NULL, 10);
    if (argc == 4) crowd.seed = strtoull(argv[3], NULL, 10);
    crowd.raises = 1 + crowd.commands / RAISES;
    crowd_log_write(argv[1], &crowd, &options, 2000, &lived);
    (void)printf("lived: seq %lu block %lu ", (unsigned long)lived.seq, (unsigned long)lived.block.number);
    print_hash(&lived.block.hash);
    (void)printf(" state ");
    print_hash(&lived.state);
    (void)printf("\n");
    (void)fprintf(stderr, "crowd_log: %lu raises of limits\n", (unsigned long)lived.raises);
    return lived.raises != 0 ? 0 : 1;
}
