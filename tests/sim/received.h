/* SPDX-License-Identifier: MIT */
/* received.h — one subscription and its messages, compared with the state of the exchange. */
#ifndef SIM_RECEIVED_H
#define SIM_RECEIVED_H

#include "base/out.h"
#include "base/slice.h"
#include "truth.h"

enum received_takes { TOLD_TAKES_NOTHING, TOLD_TAKES_SYMBOL, TOLD_TAKES_USER };

struct received;

/* A channel, and the judge of its messages. */
struct received_channel {
    const char *name;
    uint8_t     markets, takes; /* bit m - 1; enum received_takes */
    bool        begins;         /* with a snapshot */
    bool        is_account;     /* nothing of it is left out */
    bool        has_symbol;     /* data, or each row of it, names one */
    /* A message; errors are reported by world_wrong. */
    void (*judge)(struct received *received, struct slice data, bool snapshot);
    /* Whether it has received everything up to a command. NULL: not checked. */
    bool (*is_whole)(struct received *received, uint64_t seq);
};
extern const struct received_channel received_channels[];
extern const uint32_t                received_channel_count;

/* A subscription of one connection. */
struct received {
    const struct received_channel *channel;
    bool                           used, acknowledged, leaving;
    bool                           by_number; /* the request also named the account's number */
    uint8_t                        market;
    uint32_t                       symbol_id; /* 0: all */
    uint64_t                       account_id;
    uint32_t                       level, pace_ms; /* l4Book; l2Book and accountState */
    int64_t                        tick;           /* l2Book, price units; 0: as they are */
    uint64_t                       floor_seq;      /* a read: it shows at least this */
    uint64_t      asked_seq, since_seq; /* the end of the last whole batch at its request, and at its acknowledgement */
    bool          begun;                /* it has received a message */
    uint32_t      next;                 /* the next row to be sent */
    uint64_t      next_seq;             /* accountUpdate: the next message is about later commands than this */
    struct ladder book;                 /* l4Book: as received */
    struct ladder at[TRUTH_SPOT];       /* as it is: of the symbol, or of all */
    bool          best_received[TRUTH_SPOT];
    struct standing standing; /* accountState */
};

/* May its snapshot, which names no symbol then, be empty? */
bool received_may_be_empty(const struct received *received);

/* The symbol's name, for the request. */
const char *received_symbol_name(uint8_t market, uint32_t symbol_id);
/* The symbol's number in a market; 0: there is none of that name. */
uint32_t received_symbol(uint8_t market, struct slice name);

/* A value of an object (at == NULL: it has none), and of an array the one that begins at *at. */
struct slice json_member(struct slice object, const char *key);
bool         json_item(struct slice array, const char **at, struct slice *item);
struct slice json_text(struct slice object, const char *key);   /* without its quotes */
uint64_t     json_number(struct slice object, const char *key); /* UINT64_MAX: it is none */

/* The last command that any client has seen. */
uint64_t received_seq(void);
/*
 * Receipts of liquidations that were sent as an update, in a snapshot or in a reply; each counts as often as it was
 * sent.
 */
uint64_t received_receipts(void);
void     received_receipts_begin(void); /* of another world */
void     received_keep(uint64_t seq);   /* … at most this one */

/* ---- reads, which are judged like messages ---- */
enum received_read {
    TOLD_READ_BOOK,
    TOLD_READ_PERPS_BOOK,
    TOLD_READ_STATE,
    TOLD_READ_PERPS_STATE,
    TOLD_READ_RECEIPTS,
    TOLD_READS
};
void received_read_path(enum received_read read, const struct address *user, struct out *out);
/*
 * A reply to a client. It shows the end of a batch, not older than the client's earlier reads, and everything that any
 * client had seen when it was requested (`floor_seq`).
 */
void received_read(enum received_read read, uint32_t client, struct slice body, uint64_t floor_seq);

#endif
