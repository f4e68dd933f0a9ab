/* SPDX-License-Identifier: MIT */
/* inside.h — what the streams of a thread are made of; for the files of this room only. */
#ifndef STREAM_INSIDE_H
#define STREAM_INSIDE_H

#include "base/chained.h"
#include "model/interval.h"
#include "model/shapes_stream.h"
#include "present/account_perps.h"
#include "present/records.h"
#include "stream/stream.h"
#include "wire/frame.h"
#include "wire/message.h"
#include "wire/shape.h"

#define SUBSCRIPTIONS_MAX  262144 /* of a thread */
#define TOPICS_MAX         65536
#define TOPIC_HEADS        16384             /* chains of each table of topics */
#define PER_CONNECTION_MAX 1000              /* subscriptions */
#define FRAME_BYTES        (2 * 1024 * 1024) /* the largest message: an account with thousands of orders */
#define SHARED_BYTES       131072            /* of frames that wait to be sent from where they lie */
#define BOOK_SHOWN         20                /* levels a side of l2Book */
#define BOOK_LEVELS_MAX    1000
#define BOOK_DEEP_MAX      10000 /* prices a side that l2Book merges */
#define TRADES_SHOWN       50    /* of a trade snapshot */
#define RECEIPTS_SHOWN     50    /* receipts of liquidations in one message */
#define WAITING_MAX        4096  /* trades in one message */
#define FILLS_MAX          8192  /* of a command, before the order that they belong to */
#define CHANGES_MAX        4096  /* balances that a batch may change for subscribers */
#define ORDERS_TOLD        8     /* orders whose last message is kept: those between two events of one order */
#define ORDERS_MAX         4096

struct stream;
struct topic;

/* ---- channels as rows (wire 6.4) ---- */

enum channel_takes { TAKES_NOTHING, TAKES_SYMBOLS, TAKES_COINS, TAKES_USER };

/* The contents of a channel with TAKES_USER. */
enum channel_says { SAYS_NOTHING, SAYS_STATE, SAYS_CHANGES, SAYS_ORDERS, SAYS_FILLS, SAYS_LIQUIDATIONS };

struct channel {
    const char         *name;
    uint8_t             markets;                    /* bit m - 1: offered on market m */
    uint8_t             takes;                      /* enum channel_takes */
    uint8_t             says;                       /* enum channel_says */
    bool                by_symbol;                  /* TAKES_USER: symbols narrow it down */
    bool                interval, tick_size, level; /* further parameters */
    bool                is_list;                    /* data is an array */
    bool                keeps_published;            /* keeps the last message per symbol */
    bool                is_mini;                    /* tickers in few keys */
    bool                is_account;                 /* nothing of it may be left out */
    bool                receipts;                   /* receipts of liquidations */
    bool                live;                       /* sent at once, not at intervals */
    uint32_t            wants;                      /* enum event_queue_wants */
    const char         *type;                       /* of a push that is no snapshot */
    const struct shape *gives[2];                   /* the record of each market; [0] of both when [1] is NULL */
    const char         *doc;
    uint16_t            paces[4]; /* pushInterval, ms; the first is the default; 0 ends */
    /* Encodes the whole present state; false: nothing to send. NULL: no snapshot. */
    bool (*snapshot)(struct stream *stream, struct topic *topic, struct out *out);
    /* Encodes the changes since the last push; false: none. NULL: sent by events alone. */
    bool (*update)(struct stream *stream, struct topic *topic, struct out *out);
};
/* The rows (channels.c); what runs for a stream finds them through it. */
extern const struct channel channels[];
extern const uint32_t       channel_count;

/* ---- topics: a channel with its parameters ---- */

struct topic_key {
    uint8_t        channel, market;
    uint16_t       level;
    uint32_t       symbol_id; /* or coin id + 1; 0 = all */
    uint32_t       pace_ms, reserved;
    int64_t        tick;       /* l2Book: price units, 0 = as they are */
    uint64_t       account_id; /* as requested; 0 = the primary one */
    struct address user;
    uint32_t       reserved2;
    char           interval[8]; /* as spelled */
};
static_assert(sizeof(struct topic_key) == 64, "compared and hashed as bytes");

/* The last sent state of l4Book. */
struct published_book {
    uint64_t          update_id;
    uint32_t          count[2];
    struct view_level levels[];
}; /* bids, then asks from key.level on */

/* The last message about a symbol on a channel of tickers or prices. */
struct last_published {
    uint64_t          version;
    struct view_level bid, ask;
};

struct topic {
    struct topic_key       key;
    uint32_t               first, count; /* subscriptions */
    uint32_t               next_by_key, next_by_account;
    uint32_t               place;          /* in `live` or `paced` */
    int64_t                pushed_ms;      /* monotonic; 0 = never */
    uint64_t               version;        /* of the last message */
    uint64_t               account_id;     /* its user; 0 = none yet */
    int64_t                bar;            /* candle: number of the last sent bar */
    uint64_t               trade_id;       /* trade: the last sent one */
    bool                   deep;           /* l2Book: BOOK_LEVELS_MAX prices gave it too few levels */
    bool                   dirty;          /* accountState: something has changed; or in `changed` */
    struct published_book *book;           /* l4Book */
    struct last_published *last_published; /* tickers and prices: by symbol, or of the only one */
};

struct subscription {
    uint32_t topic, slot;
    uint32_t next, before;                 /* of the topic */
    uint32_t next_of_slot, before_of_slot; /* of the connection; `next` links free ones */
    uint32_t behind;                       /* 1: has missed something */
};

/* A connection, by slot. */
struct listener {
    bool                open, closing; /* a push looks no further */
    uint8_t             market;
    uint32_t            first, count, behind; /* subscriptions; how many have missed something */
    struct minute_key   key;                  /* of its address */
    struct frame_reader reader;
    uint32_t            excess; /* messages above the limit */
    uint8_t             id[16];
    int64_t             used_ms, heard_ms; /* end of its last subscription; last byte; monotonic */
    int64_t             pinged_ms;
};

/* A balance, or (position_id not 0) a position of a topic's account that a batch has changed. */
struct change {
    struct topic *topic;
    uint32_t      id;
    int64_t       total, locked, created_ms;
    uint64_t      position_id;
};

struct stream {
    struct stream_settings settings;
    const struct channel  *channels; /* rows, and how many */
    uint32_t               channel_count;
    int64_t                now_ms, mono_ms; /* engine time; the clock of intervals */
    int64_t                checked_ms;
    uint32_t               seen, turned; /* of queue->shown, queue->turns */
    struct frame_pool      frames;
    struct listener       *listeners;
    struct subscription   *subscriptions;      /* from 1 */
    struct chained         pool;               /* of subscriptions */
    struct topic          *topics;             /* from 1 */
    struct chained         by_key, by_account; /* tables of topics */
    uint32_t              *live, live_count, *paced, paced_count;
    uint32_t               want_counts[3]; /* topics that want each bit */
    uint32_t              *closing, closing_count;
    uint64_t               next_id;
    char    *frame;    /* up to SHARED_BYTES of frames that are shared; FRAME_HEAD_MAX bytes; the message at hand */
    size_t   frame_at; /* bytes that are shared */
    uint32_t behind;   /* subscriptions that have missed something */
    uint32_t round;    /* of pushes by time */
    struct deep_book     *deep_books; /* of symbols whose l2Book needs one */
    struct stream_message message;
    _Atomic uint64_t      connections, subscribed, messages, conflations;

    /* Room for one message. */
    struct view_level           levels[2][BOOK_LEVELS_MAX];
    struct level_record         records[2][2 * BOOK_LEVELS_MAX];
    struct view_level           shown[2][2 * BOOK_LEVELS_MAX];
    struct traded               trades[TRADES_SHOWN];
    struct view_balance         balances[COINS_MAX];
    struct balance_record       balance_records[COINS_MAX];
    struct perps_balance_record wallets[COINS_MAX];
    struct position_record      positions[CHANGES_MAX];
    struct order_changed        orders[ORDERS_MAX];
    struct order_record         order_records[ORDERS_MAX];
    struct bar                  bars[HISTORY_BARS_MAX];
    struct history_receipt      receipts[RECEIPTS_SHOWN];
    struct receipt_room         receipt_room;

    /* The current batch, as far as subscribers want it. */
    uint64_t      height;
    int64_t       block_ms;
    struct traded waiting[WAITING_MAX]; /* trades to be sent when the queue is empty */
    uint32_t      waiting_count;
    struct traded trade; /* the last one */
    struct {
        struct filled fill;
        int64_t       value;
    } fills[FILLS_MAX];
    uint32_t                   fill_count;
    struct perps_order_changed told[ORDERS_TOLD]; /* the last messages of as many orders */
    uint32_t                   told_next;         /* the place of the next one, counted on */
    struct change              changes[CHANGES_MAX];
    uint32_t                   change_count;
    struct unit_stage          unit; /* in liquidation, and how many of its positions have come */
    uint32_t                   unit_positions;
    bool                       unit_open; /* it has a subscriber */
};

/* ---- deep_book.c ---- */

/* A copy of a book: the best `limit` prices of each side. */
struct book_copy {
    struct view_book         book;
    uint64_t                 version; /* of views_depth_version; it may have more than that */
    uint32_t                 limit;
    const struct view_level *levels[2]; /* bids and asks */
};
/*
 * The best BOOK_DEEP_MAX prices of a symbol, as they are now, or (of_round) as any topic has seen them in this round of
 * pushes; good until the next call for it. False: no memory.
 */
bool deep_book_read(struct stream *stream, const struct symbol *symbol, bool of_round, struct book_copy *copy) MUST_USE;
/* The views hold another state. */
void deep_books_forget(struct stream *stream);
void deep_books_free(struct stream *stream);

/* ---- topics.c: topics by key and by account ---- */
static inline const struct channel *channel_of(const struct stream *stream, const struct topic *topic)
{
    return &stream->channels[topic->key.channel];
}
static inline const struct symbol *topic_symbol(const struct stream *stream, const struct topic *topic)
{
    return views_symbol(stream->settings.present->views, topic->key.market, topic->key.symbol_id);
}

/* The topic of a key, or NULL. */
struct topic *topic_find(struct stream *stream, const struct topic_key *key);
uint32_t      topic_number(const struct stream *stream, const struct topic *topic);
/* The topic is about topic->account_id from now on. */
void topic_add_of_account(struct stream *stream, const struct topic *topic);
/* The first topic about an account, and the next one; NULL at the end. */
struct topic *topic_of_account(struct stream *stream, uint64_t account_id);
struct topic *topic_next_of_account(struct stream *stream, const struct topic *topic);
/* An account was opened: topics that wait for it are about it from now on. */
void topics_opened(struct stream *stream, const struct account_opened *event);

/* Whether this account's channel of that kind has a subscriber. */
bool account_is_listened_to(struct stream *stream, uint64_t account_id, enum channel_says what);

/* ---- subscriptions.c: topics, from creation to end, and their subscribers ---- */
/* The topic of a key, made when there is none; NULL: there is no room for one. */
struct topic *topic_open(struct stream *stream, const struct topic_key *key);
/* Subscribes; 0 = it was already, or there is no room (*full). */
uint32_t subscription_add(struct stream *stream, uint32_t slot, struct topic *topic, bool *full);
bool     subscription_remove(struct stream *stream, uint32_t slot, struct topic *topic);
void     subscriptions_drop(struct stream *stream, uint32_t slot);

/* ---- push.c: messages ---- */
/* Room for a message; its JSON goes behind it, push_end makes it a frame. */
struct out   push_begin(struct stream *stream, const struct channel *channel, bool snapshot);
struct slice push_end(const struct channel *channel, struct out *out);
/* To all, to one, as the channel's way with slow readers is. */
void push_all(struct stream *stream, struct topic *topic, struct slice frame);
void push_one(struct stream *stream, struct subscription *subscription, struct slice frame);
/* Sends the whole state to a new subscriber, or to one that was behind. */
void push_snapshot(struct stream *stream, struct subscription *subscription);
void push_update(struct stream *stream, struct topic *topic);
/* Small text of ours to one connection; false: it does not read. */
bool send_text(struct stream *stream, uint32_t slot, struct slice text);

/* ---- channel functions (market.c, account.c) ---- */
bool ticker_snapshot(struct stream *, struct topic *, struct out *),
    ticker_update(struct stream *, struct topic *, struct out *);
bool book_ticker_snapshot(struct stream *, struct topic *, struct out *),
    book_ticker_update(struct stream *, struct topic *, struct out *);
bool trade_snapshot(struct stream *, struct topic *, struct out *);
bool l2_snapshot(struct stream *, struct topic *, struct out *),
    l2_update(struct stream *, struct topic *, struct out *);
bool l4_snapshot(struct stream *, struct topic *, struct out *),
    l4_update(struct stream *, struct topic *, struct out *);
bool candle_snapshot(struct stream *, struct topic *, struct out *),
    candle_update(struct stream *, struct topic *, struct out *);
bool state_snapshot(struct stream *, struct topic *, struct out *),
    state_update(struct stream *, struct topic *, struct out *);

bool mark_snapshot(struct stream *, struct topic *, struct out *),
    mark_update(struct stream *, struct topic *, struct out *);
bool coin_snapshot(struct stream *, struct topic *, struct out *),
    coin_update(struct stream *, struct topic *, struct out *);

/* Of receipts (receipts.c). */
void receipts_begin(struct stream *stream, struct topic *topic);
bool receipts_snapshot(struct stream *, struct topic *, struct out *),
    receipts_update(struct stream *, struct topic *, struct out *);

/* Initializes a new topic; false: no memory. */
bool topic_begin(struct stream *stream, struct topic *topic);

/* Everything that is in the feed (take_events.c). */
void stream_take_events(struct stream *stream);

/* Trades of all batches that wait in the feed, then one message for each symbol. */
void trades_take(struct stream *stream, const struct events *events);
void trades_publish(struct stream *stream);
/* Events of a batch, one after the other, and its end. */
/* Trades were lost: subscribers get the newest ones. */
void trades_lost(struct stream *stream);
void account_publish(struct stream *stream, const struct event *event);
void account_end(struct stream *stream);
/* A topic ends, perhaps in the middle of a batch: changes so far are dropped. */
void changes_forget(struct stream *stream, const struct topic *topic);
/* A unit, then its positions as they come (liquidation.c). */
void liquidation_unit(struct stream *stream, const struct unit_stage *event);
void liquidation_position(struct stream *stream, const struct unit_position *event);
/* Events were lost: connections with account channels would miss some, and are closed. */
void account_lost(struct stream *stream);

#endif
