/* SPDX-License-Identifier: MIT */
/*
 * pending.h — rows that are not yet on disk. Private to this room.
 *
 * Rows stand in one array of slots that is address space until it is touched; freed slots are used
 * again first, so memory follows the peak and not the history. In lists of slots they are:
 *
 *     queue   oldest ──▶ … ──▶ newest                       what the writer takes next
 *     chains  head ──▶ newest ⇄ … ⇄ oldest                  per (kind, account, market), per command, per block
 *     hashes  head ──▶ newest ──▶ … ──▶ oldest              transactions and blocks by their hash
 *     effects transaction ──▶ last ──▶ … ──▶ first          fills and transfers of a command
 *
 * A row leaves its chain and the one of its hash. Effects are not unlinked: rows leave in the order of the queue, so
 * what such a link leads to is of the same command, or the row has gone and its slot is free or of a later command.
 *
 * A row never changes between pending_show and its removal. The thread that applies adds and removes rows, and any
 * thread reads them, under `lock`. The writer takes no lock: it sees how many rows were shown (`added`), reads their
 * slots in the queue, an array, and says how many are stored; the thread that applies removes those (decision 136).
 */
#ifndef HISTORY_PENDING_H
#define HISTORY_PENDING_H

#include "base/chained.h"
#include "history/history.h"

#include <pthread.h>

#define PENDING_FULL  1000000u           /* from here on new risk is shed (ruling 51) */
#define PENDING_SLOTS (4 * PENDING_FULL) /* the rest is for cancels and ticks, which overload does not stop */
#define PENDING_LAST  (3 * PENDING_FULL) /* of this many rows the exchange ends: a batch must find slots */
#define PENDING_HEADS (1u << 20)
#define PENDING_WARM  65536u /* rows that wait in ordinary life are fewer */

#define PENDING_QUEUE ((uint64_t)1 << 22) /* a power of two, at least PENDING_SLOTS */
static_assert(PENDING_QUEUE >= PENDING_SLOTS, "each row has its place");

#define PENDING_EFFECTS (1u << 13) /* more than there are commands in a batch */

/* clang-format off */
enum row_kind {
    ROW_ORDER = 1, ROW_FILL = 2, ROW_TX = 3, ROW_BLOCK = 4, ROW_TRANSFER = 5, ROW_PERPS_ORDER = 6, ROW_POSITION = 7,
        ROW_FUNDING = 8,
    ROW_RECEIPT = 9, ROW_RECEIPT_PIECE = 10,                    /* at most 15: key_hash */
};
/* clang-format on */

struct row_tx {
    uint64_t           seq;
    struct tx_location place;
};

/*
 * Parts of a receipt, in pieces of one size: first the composition of its index in COMPOSITION_PIECES, then its
 * ranking, RANKS_OF_PIECE rows in each piece but the last.
 */
#define PIECE_BYTES        (3 * sizeof(struct adl_ranked))
#define RANKS_OF_PIECE     3
#define COMPOSITION_PIECES ((sizeof(struct index_composed) + PIECE_BYTES - 1) / PIECE_BYTES)
struct receipt_piece {
    uint64_t receipt_id;
    uint32_t number, bytes; /* from 0; how much of `at` is used */
    uint8_t  at[PIECE_BYTES];
};

struct row {
    uint64_t         batch_first;   /* seq of the first command of its batch */
    struct row_links links;         /* newer and older: in its chain */
    uint32_t         kind;          /* enum row_kind; 0 = free */
    uint64_t         seq;           /* of its command; a block: of its first transaction */
    uint32_t         effect_before; /* slot; of a transaction: its last effect */
    uint32_t         hash_older;    /* slot, transactions and blocks; effects: number in its command */
    /* Only the member of the kind is defined; the bytes behind it belong to an older row. */
    union {
        struct order_changed       order;
        struct filled              fill;
        struct row_tx              tx;
        struct history_block       block;
        struct transferred         transfer;
        struct perps_order_changed perps_order;
        struct position_changed    position;
        struct funded              funding;
        struct history_receipt     receipt;
        struct receipt_piece       piece;
        struct event               head; /* of every event */
    };
};

/* The last effect of a command of the newest batch. */
struct last_effect {
    uint64_t seq;
    uint32_t slot, count;
};

struct pending {
    pthread_mutex_t     lock;                    /* of the thread that applies, and of readers */
    struct row         *rows;                    /* PENDING_SLOTS, slot 0 unused */
    struct chained      chains, hashes;          /* the free rows are those of `chains` */
    struct last_effect *effects;                 /* PENDING_EFFECTS, by seq */
    uint32_t           *queue;                   /* slots of the rows, by pending_slot */
    uint64_t            told, removed;           /* rows ever added, and removed */
    uint64_t            batch_first, batch_last; /* the batch of the newest rows */
    bool                batch_closed;            /* no more rows of it can come */
    uint64_t            added;                   /* atomic: rows ever shown to the writer */
    uint64_t            closed;                  /* atomic: the last command of a batch whose rows all are */
    uint64_t            stored;                  /* atomic, of the writer: rows on the disk */
};

int  pending_init(struct pending *pending) MUST_USE;
void pending_deinit(struct pending *pending);
void pending_touch(struct pending *pending); /* all heads, and PENDING_WARM rows */

/* Around a reader's look at the rows, which the thread that applies waits for (decision 167). */
void pending_read_begin(struct pending *pending);
void pending_read_end(struct pending *pending);

/* A new row at the end of the queue, to be filled in by the caller before it lets go of the lock; then linked. */
struct row *pending_add(struct pending *pending, enum row_kind kind);
void        pending_link(struct pending *pending, struct row *row);

/* Puts a fill or a transfer behind the other effects of its command; a transaction takes what its command had. */
void pending_link_effect(struct pending *pending, struct row *row, uint64_t seq);
void pending_take_effects(struct pending *pending, struct row *row);

/* The effect before this one (or the last one of a transaction); NULL: there is none, or it is on disk. */
const struct row *pending_effect_before(const struct pending *pending, const struct row *row);

/* Makes a transaction or a block findable by its hash; the newest row of this hash, NULL: none in memory. */
void              pending_link_hash(struct pending *pending, struct row *row);
const struct row *pending_by_hash(const struct pending *pending, enum row_kind kind, const struct hash256 *hash);

/* Removes up to `most` rows that are on the disk. pending_add removes two, so they do not gather. */
void pending_remove_stored(struct pending *pending, uint32_t most);

/* Shows the writer all rows that were added, and of the batch, when it is closed, that it is whole. */
void pending_show(struct pending *pending);

/* ---- the writer ---- */

/* Rows that wait: how many, and the last command of a whole batch before or among them. */
struct pending_part {
    uint32_t count;
    uint64_t closed;
};
struct pending_part pending_look(const struct pending *pending);

/* The slots of the oldest `count` of them. */
void pending_list(const struct pending *pending, uint32_t *slots, uint32_t count);

/* The oldest `count` of them are on the disk. */
void pending_stored(struct pending *pending, uint32_t count);

/* The newest row of a chain, and the one before; NULL at the end. Rows of other accounts may be among them. */
const struct row *pending_newest(const struct pending *pending, enum row_kind kind, uint64_t id, uint8_t market);
const struct row *pending_older(const struct pending *pending, const struct row *row);

/* Where in the queue the slot of a row stands, by how many came before it. */
static inline uint32_t *pending_slot(const struct pending *pending, uint64_t number)
{
    return &pending->queue[number & (PENDING_QUEUE - 1)];
}

/* How many rows were shown and are not on the disk. Any thread; 0 where they are forgotten between the two looks. */
static inline uint32_t pending_waiting(const struct pending *pending)
{
    uint64_t stored = __atomic_load_n(&pending->stored, __ATOMIC_ACQUIRE);
    uint64_t added = __atomic_load_n(&pending->added, __ATOMIC_ACQUIRE);

    return added > stored ? (uint32_t)(added - stored) : 0;
}

/* A quarter of the slots is left, more than one batch takes. */
static inline bool pending_is_short(const struct pending *pending) { return pending_waiting(pending) >= PENDING_LAST; }

#endif
