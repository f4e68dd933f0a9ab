/* SPDX-License-Identifier: MIT */
/*
 * random_flow_seed.c — flow_seed SEED COMMANDS: plays a seed of the random flow, a line for each command, and prints
 * the final state. It is built with sanitizers too, where `sim` is not (tests/long/same_seed).
 */
#include "random_flow.h"

int main(int argc, char **argv)
{
    static struct outcomes outcomes;
    struct flow_run        run = { .seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
                                   .commands = argc > 2 ? strtoull(argv[2], NULL, 10) : 20000,
                                   .verbose = true,
                                   .outcomes = &outcomes };
    bool                   good = flow_play(&run);

    (void)printf("%s\n", good ? "nothing is broken" : run.wrong);
    for (size_t i = 0; i < sizeof(run.hash.bytes); i++) (void)printf("%02x", run.hash.bytes[i]);
    (void)printf("\n");
    return good ? 0 : 1;
}
