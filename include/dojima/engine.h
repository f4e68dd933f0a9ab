/* SPDX-License-Identifier: MIT */
/*
 * engine.h — the exchange as a C library: commands in, events out. Spot and perpetuals, with the rules, the rounding
 * and the state hash of the program dojima: the same commands give the same events, byte for byte.
 *
 * The library makes no thread, allocates no memory, reads no clock and does no input or output. You give it memory
 * whose size you ask for, commands with their times, and room for the events:
 *
 *     dojima_genesis_bytes ─▶ dojima_genesis_read ─▶ dojima_engine_bytes, dojima_events_bytes ─▶ dojima_engine_create
 *                                                    ─▶ dojima_engine_apply, dojima_engine_apply, …
 *
 * Errors are values. Only a fault of the library itself ends the process, by a failed assert. An engine is used by one
 * thread at a time; different engines are independent. docs/library.md has more, examples/match.c is a whole program.
 *
 * The interface is versioned by DOJIMA_ABI: names, numbers and layouts of an ABI stay. What is added comes as new
 * functions, new kinds at the end, and in members that are now reserved; `bytes` tells how much of a struct you know.
 */
#ifndef DOJIMA_ENGINE_H
#define DOJIMA_ENGINE_H

#include "dojima/commands.h"
#include "dojima/events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DOJIMA_ABI 1

#ifndef DOJIMA_API
#define DOJIMA_API
#endif

/* Why a call did nothing. Append only. */
enum dojima_status {
    DOJIMA_OK = 0,
    DOJIMA_WRONG_ABI = 1,    /* the library has another ABI than this header, or `bytes` is too small */
    DOJIMA_BAD_MEMORY = 2,   /* NULL, not aligned to 64, or smaller than the size that was told */
    DOJIMA_BAD_GENESIS = 3,  /* struct dojima_error says where and why */
    DOJIMA_BAD_COMMAND = 4,  /* command.bytes is no multiple of 8, or not between head and largest command */
    DOJIMA_WRONG_SEQ = 5,    /* neither 0 nor the next number */
    DOJIMA_WRONG_TIME = 6,   /* before the last command, or after DOJIMA_TIME_MAX */
    DOJIMA_EVENTS_FULL = 7,  /* less room than dojima_events_bytes_of is left */
    DOJIMA_NEEDS_MOVE = 8,   /* RAISE_LIMIT: first dojima_engine_move */
    DOJIMA_WRONG_ENGINE = 9, /* the memory has no engine of this genesis, made by this version */
};

#define DOJIMA_TIME_MAX INT64_C(253402300799999) /* the last millisecond of the year 9999 */
#define DOJIMA_ALIGN    64                       /* of memory for genesis and engine */

/* ABI and version of the library that runs, e.g. 1 and "0.1.0". */
DOJIMA_API uint32_t    dojima_abi(void);
DOJIMA_API const char *dojima_version(void);

/* "OK", "WRONG_ABI", …; "?" for a number that is none. */
DOJIMA_API const char *dojima_status_name(uint32_t status);

/* ---- genesis: coins, symbols, fees, rules, pools and first accounts ---- */

struct dojima_genesis;

struct dojima_error {
    char   text[256]; /* one sentence, ends with a zero */
    size_t at;        /* byte of the JSON, as far as it is known */
};

/* Bytes of memory for a genesis. */
DOJIMA_API size_t dojima_genesis_bytes(void);

/*
 * Reads a genesis in JSON: the first record of an exchange's log (`dojima log --genesis DIR`), numbers as integers in
 * units. BAD_MEMORY, BAD_GENESIS. The text is not needed afterwards; the memory is, as long as engines of it are used,
 * and it is never written to again, so engines of several threads may share it. `error` may be NULL.
 */
DOJIMA_API enum dojima_status dojima_genesis_read(void *memory, size_t bytes, const char *json, size_t length,
                                                  struct dojima_genesis **genesis, struct dojima_error *error);

/* The id of a symbol or a coin by its name; 0 and -1 when there is none. */
DOJIMA_API uint32_t dojima_symbol_id(const struct dojima_genesis *genesis, enum dojima_market_kind market,
                                     const char *name);
DOJIMA_API int32_t  dojima_coin_id(const struct dojima_genesis *genesis, const char *name);

/* Decimals of the prices and quantities of a symbol, whose units the events count in. False: no such symbol. */
DOJIMA_API int dojima_symbol_units(const struct dojima_genesis *genesis, enum dojima_market_kind market,
                                   uint32_t symbol_id, uint32_t *price_decimals, uint32_t *quantity_decimals);

/* When the exchange begins, in Unix milliseconds. */
DOJIMA_API int64_t dojima_genesis_time_ms(const struct dojima_genesis *genesis);

/* ---- the engine ---- */

struct dojima_engine;

/* Events behind each other in memory of yours: `room` bytes at `at`, aligned to 8, of which `bytes` are used. */
struct dojima_events {
    void  *at;
    size_t bytes, room;
};

/* What makes an engine. Zero the whole, then fill in. */
struct dojima_setup {
    uint32_t                     bytes; /* sizeof(struct dojima_setup) */
    uint32_t                     abi;   /* DOJIMA_ABI */
    const struct dojima_genesis *genesis;
    void                        *memory; /* zeroed; touched only where it is used, so address space is enough */
    size_t                       memory_bytes;
    struct dojima_events        *events; /* gets ACCOUNT, BALANCE, FEE_TIER, PRICE events of the beginning */
    uint64_t                     reserved[8];
};

/* Bytes of memory of an engine, and of room for the events of the largest command, which each call must find. */
DOJIMA_API size_t dojima_engine_bytes(const struct dojima_genesis *genesis);
DOJIMA_API size_t dojima_events_bytes(const struct dojima_genesis *genesis);

/* The same of an engine, which may have been moved since: then they are larger. */
DOJIMA_API size_t dojima_engine_bytes_of(const struct dojima_engine *engine);
DOJIMA_API size_t dojima_events_bytes_of(const struct dojima_engine *engine);

/* WRONG_ABI, BAD_MEMORY, BAD_GENESIS, EVENTS_FULL. */
DOJIMA_API enum dojima_status dojima_engine_create(const struct dojima_setup *setup, struct dojima_engine **engine);

/*
 * Applies a command and appends its events. A seq of 0 becomes the next number, in the command. What a client may get
 * wrong is not an error of the call: a RESULT or REFUSED event names it. BAD_COMMAND, WRONG_SEQ, WRONG_TIME,
 * EVENTS_FULL, NEEDS_MOVE: nothing has changed.
 *
 * Time passes only with commands: send a TICK when dojima_engine_due_ms has come, and on perps each second.
 */
DOJIMA_API enum dojima_status dojima_engine_apply(struct dojima_engine *engine, struct dojima_command *command,
                                                  struct dojima_events *events);

/* When the next TICK is wanted: for instants that must be met, funding and scheduled cancels, and on perps for prices;
   INT64_MAX = never. */
DOJIMA_API int64_t dojima_engine_due_ms(const struct dojima_engine *engine);

/* When a TICK is wanted before a command of a user, so that it meets the prices of its second; INT64_MAX = never.
   Sooner than dojima_engine_due_ms only in an exchange in which nothing happens. */
DOJIMA_API int64_t dojima_engine_second_ms(const struct dojima_engine *engine);

/* Number and time of the last command; 0 and the time of the genesis before the first. */
DOJIMA_API uint64_t dojima_engine_seq(const struct dojima_engine *engine);
DOJIMA_API int64_t  dojima_engine_time_ms(const struct dojima_engine *engine);

/* Keccak over the logical state: equal for equal histories, on every machine and in every program. */
DOJIMA_API void dojima_engine_hash(const struct dojima_engine *engine, uint8_t hash[32]);

/* Asserts every invariant of the exchange; for tests. */
DOJIMA_API void dojima_engine_verify(const struct dojima_engine *engine);

/*
 * An engine is memory without pointers into itself: copy its dojima_engine_bytes_of to another place of the same size
 * and adopt the copy there, for a fork, a snapshot or a look ahead. WRONG_ENGINE, BAD_MEMORY.
 */
DOJIMA_API enum dojima_status dojima_engine_adopt(void *memory, size_t bytes, const struct dojima_genesis *genesis,
                                                  struct dojima_engine **engine);

/*
 * For a RAISE_LIMIT that dojima_engine_apply refused with NEEDS_MOVE: bytes of the larger engine (0: the command needs
 * none), and the move into zeroed memory of that size. `from` is unchanged; the command is then applied to *engine,
 * which may want more room for events: dojima_events_bytes_of.
 */
DOJIMA_API size_t dojima_engine_move_bytes(const struct dojima_engine *from, const struct dojima_command *command);
DOJIMA_API enum dojima_status dojima_engine_move(void *memory, size_t bytes, const struct dojima_engine *from,
                                                 const struct dojima_command *command, struct dojima_engine **engine);

/* ---- names and numbers ---- */

/*
 * The refusal of a RESULT or REFUSED event: its name ("TICK_SIZE"), the code and the text that clients of the exchange
 * get. Names and codes stay; the numbers in events are of this version. "NONE" and 0: not refused; "?" and 0: no such.
 */
DOJIMA_API const char *dojima_reject_name(uint16_t reject);
DOJIMA_API int32_t     dojima_reject_code(uint16_t reject);
DOJIMA_API const char *dojima_reject_text(uint16_t reject);

/* Names of the numbers in events, as the exchange spells them ("IOC_REMAINDER", "PARTIALLY_FILLED"); "?": no such. */
DOJIMA_API const char *dojima_reason_name(uint8_t reason);
DOJIMA_API const char *dojima_order_status_name(uint8_t order_status);
DOJIMA_API const char *dojima_event_name(uint16_t kind);
DOJIMA_API const char *dojima_command_name(uint16_t kind);

/* The decimal of `units` * 10^-`decimals` (0 to 18). */
DOJIMA_API struct dojima_decimal dojima_decimal_make(int64_t units, uint32_t decimals);

/*
 * Reads [-]digits[.digits] of `length` characters, at most 18 significant ones. Returns 1, or 0 when it is none.
 * dojima_decimal_write gives the canonical form, ends it with a zero and returns its length; 24 bytes are enough.
 */
DOJIMA_API int    dojima_decimal_read(const char *text, size_t length, struct dojima_decimal *decimal);
DOJIMA_API size_t dojima_decimal_write(struct dojima_decimal decimal, char *text, size_t room);

/* A client id of at most 36 characters; of longer texts the id is empty, which no order may have. */
DOJIMA_API struct dojima_client_id dojima_client_id_make(const char *text);

/* The first event, and the one behind `event`; NULL at the end. */
static inline const struct dojima_event *dojima_events_at(const struct dojima_events *events, size_t offset)
{
    return offset < events->bytes ? (const struct dojima_event *)(const void *)((const char *)events->at + offset) : 0;
}
static inline const struct dojima_event *dojima_events_next(const struct dojima_events *events,
                                                            const struct dojima_event  *event)
{
    return dojima_events_at(events,
                            (size_t)((const char *)(const void *)event - (const char *)events->at) + event->bytes);
}

#ifdef __cplusplus
}
#endif
#endif
