/* SPDX-License-Identifier: MIT */
/*
 * random_flow_inside.h — what the files of the random flow share: the choices of a seed, and the game that is played
 * with them.
 */
#ifndef SIM_RANDOM_FLOW_INSIDE_H
#define SIM_RANDOM_FLOW_INSIDE_H

#include "aims.h"
#include "random_flow.h"

#define SEND_BYTES (sizeof(struct command) + sizeof(struct new_order) * 4)
#define REPLAYS    16
#define KEY_USER   50 /* addresses that may be keys: users from here on */
#define KEY_USERS  8
#define FEEDERS    3
#define RAISES     8 /* slots that a pool gets besides those of its genesis */

/* The choices of a seed, drawn once. */
struct world {
    uint32_t users, mutated;  /* one command in `mutated` is spoilt */
    uint32_t jumps, gap, ids; /* index moves; how many client ids there are */
    uint32_t weight[FLOW_KINDS];
    uint32_t weights;
    bool     by_feeders;
};

struct game {
    struct fixture     *f;
    struct world        world;
    struct judge        judge;
    struct command_room old[REPLAYS]; /* signed commands of before, to be sent again */
    uint32_t            old_count;
    uint64_t            feeder_seq, replayed;
    uint32_t            speaker; /* slot of the account that must send the command; 0 = any */
    uint32_t            named;   /* client ids used */
    struct aims         aims;
};

/* random_flow_world.c: the mix of commands, and the configuration. */
void draw_mix(struct world *world);
void draw_genesis(struct genesis *g, const struct world *world, uint64_t commands);

/* random_flow_commands.c: fills game->f->room with a command of that kind, unsigned. */
void make_command(struct game *game, uint16_t kind);

/* random_flow_mutate.c: changes one member of the payload in f->room, or of its head. */
void mutate_payload(struct fixture *f);
void mutate_head(struct fixture *f);

#endif
