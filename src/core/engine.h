/* SPDX-License-Identifier: MIT */
/*
 * engine.h — the exchange as a value: state, command → state, events.
 *
 * The engine is one block of memory without pointers; it has no clock, no I/O, no allocation, no
 * float and no thread, and tools/pure.sh proves it on the object files. Two engines that have applied
 * the same commands have the same engine_hash, whatever the batches were.
 */
#ifndef CORE_ENGINE_H
#define CORE_ENGINE_H

#include "base/keccak.h"
#include "model/events.h"
#include "model/genesis.h"
#include "rules/hints.h"

struct engine;

/* Bytes the caller must provide for a genesis; a sum over genesis->limits that anyone can check. */
size_t engine_size(const struct genesis *genesis);

/* Bytes of event buffer that the worst single command can need (address space: touched only when used). */
size_t engine_events_bytes(const struct genesis *genesis);

/*
 * Makes the exchange in zeroed memory of engine_size() bytes, 64-byte aligned; touches only the memory it uses. The
 * genesis has passed genesis_check. Appends ACCOUNT, BALANCE and FEE_TIER events for the initial state.
 */
struct engine *engine_init(void *memory, const struct genesis *genesis, struct events *events);

/*
 * An engine as memory: the block made by engine_init and changed by commands may be copied (engine_size bytes), and is
 * adopted at its new address. NULL when it is no engine of this genesis with this layout; engine_hash and
 * engine_verify check its contents.
 */
struct engine *engine_adopt(void *memory, const struct genesis *genesis);

/*
 * Moves an engine into a larger block: zeroed memory of engine_size() bytes of its genesis with `limits`, none of
 * which is below those in force. Every rule continues as before; only refusals by a full pool come later. `from` is
 * unchanged.
 */
struct engine *engine_move(void *memory, const struct engine *from, const struct limits *limits);

/* Whether the command raises a pool, so that engine_apply needs an
   engine that was moved first; then *limits are the new ones. */
bool engine_raises(const struct engine *engine, const struct command *command, struct limits *limits) MUST_USE;

/* The limits in force: those of the genesis, or what was raised. */
const struct limits *engine_limits(const struct engine *engine);

/* engine_size, engine_events_bytes, engine_adopt and engine_layout of a genesis with other limits: raised ones. */
size_t         engine_size_raised(const struct genesis *genesis, const struct limits *limits);
size_t         engine_events_bytes_raised(const struct genesis *genesis, const struct limits *limits);
struct engine *engine_adopt_raised(void *memory, const struct genesis *genesis, const struct limits *limits);
struct hash256 engine_layout_raised(const struct genesis *genesis, const struct limits *limits);

/* Of engine_size, the bytes in front of the part that only further accounts and signers will touch. */
size_t engine_warm_bytes(const struct genesis *genesis);

/* One number for how this build lays an engine of this genesis out; memory of another one must not be adopted. */
struct hash256 engine_layout(const struct genesis *genesis);

/*
 * The error of a genesis, as one sentence, or NULL: precisions, ranges, unique names, ticks and steps on the
 * precision,
 * |maker rebate| <= taker rate for every tier pair (mechanics 2.6), supply.
 */
const char *genesis_check(const struct genesis *genesis);

/* The same, and the symbol whose own terms break it; NULL: it is no single symbol. */
const char *genesis_check_where(const struct genesis *genesis, const struct symbol **where);

/* Derives what follows from the rest of a genesis that has passed:
   rates and deductions of margin tiers, defaults of contracts. */
void genesis_complete(struct genesis *genesis);

/* The rules of which 0 means the default (mechanics 11). */
void rules_complete(struct rules *rules);

/* Applies one command of the log. seq is the next one, time_ms does not go back (asserted). */
void engine_apply(struct engine *engine, const struct command *command, struct events *events);

/*
 * Whether the nonce of a signed command cannot pass any more, by all that has been applied: it is used, or below the
 * smallest stored one (ruling 9). *refused is then what refuses it whenever it is applied. *highest is the highest
 * nonce of the signer in that domain, 0 when there is none and UINT64_MAX when the command is refused for another
 * reason. Reads only.
 */
bool engine_refuses_nonce(const struct engine *engine, const struct command *command, struct refused *refused,
                          uint64_t *highest);

/*
 * Prefetches for a command that will be applied soon, in three steps: the far one about ENGINE_FAR commands ahead; the
 * near one, about ENGINE_NEAR ahead, reads the lines that the far one prefetched and prefetches their targets; the
 * close one, about ENGINE_CLOSE ahead, likewise. They change and decide nothing; they are safe on any command of the
 * log, malformed ones too, and read nothing behind command.bytes. The caller passes the result of one step to the
 * next; the first makes it.
 *
 * What the steps found are hints for engine_apply_ahead. The engine proves each before it uses it (decision 935).
 * `hints` are those of the thread that decoded the command (decision 938), NULL where there are none; they stay until
 * the command has been applied.
 */
struct engine_ahead {
    const struct hints *hints; /* of this command; NULL = none */
    uint64_t seq;   /* of the command, when it is a sound batch of one item that a wallet signed; 0 = no hints */
    uint32_t slot;  /* of the account; 0 = nothing is expected */
    uint32_t key;   /* client_id_key of the item */
    uint32_t seal;  /* of seq, slot and key */
    uint32_t order; /* that the client id leads to first; 0 = none */
    uint32_t level;
    uint32_t page;   /* where the levels of its price were found last; 0 = none */
    int64_t  price;  /* of one that is placed; 0 = none */
    uint32_t nonces; /* the signer's set; 0 = none */
    uint8_t  is_perps, places, domain, market, side;
    uint8_t  near; /* the near step was made */
    uint8_t  reserved[6];
};

/* engine_apply with the hints of this command's steps, of which any may have been left out; `ahead` all zero: none. */
void engine_apply_ahead(struct engine *engine, const struct command *command, const struct engine_ahead *ahead,
                        struct events *events);

#define ENGINE_FAR   6
#define ENGINE_NEAR  4
#define ENGINE_CLOSE 2
void engine_prefetch_far(const struct engine *engine, const struct command *command, const struct hints *hints,
                         struct engine_ahead *ahead);
void engine_prefetch_near(const struct engine *engine, struct engine_ahead *ahead);
void engine_prefetch_close(const struct engine *engine, const struct engine_ahead *ahead);

/* When a TICK is wanted (hour of funding, announced settlement,
   scheduled cancel, UTC day); INT64_MAX = never (ruling 28). */
int64_t engine_due_ms(const struct engine *engine);

/*
 * The same without the hours: instants that get a TICK of their own, a missed one, when they passed while the exchange
 * was down.
 */
int64_t engine_kept_ms(const struct engine *engine);

/*
 * When the next ordinary TICK is wanted: each second while a perps market trades or is to be settled, at once while
 * triggers or liquidations are left over (rulings 28, 61); INT64_MAX = never. A gap in time does not repeat these.
 * While the exchange is quiet (core/engine/quiet.h): at the next minute, or when a feeder's post becomes too old.
 */
int64_t engine_pulse_ms(const struct engine *engine);

/* The same, but when a batch with commands begins with one: the next second, quiet or not. */
int64_t engine_second_ms(const struct engine *engine);

/* Triggers or liquidations are left over from the last command: a TICK comes before anything else (ruling 61). */
bool engine_work_left(const struct engine *engine);

/* Scheduled cancels that fall due up to `until_ms`: for judging a jump in time (ruling 43); looks at every schedule. */
uint64_t engine_due_count(const struct engine *engine, int64_t until_ms);

/* Number of commands applied, and the time of the last one (genesis time before the first). */
uint64_t engine_seq(const struct engine *engine);
int64_t  engine_time_ms(const struct engine *engine);

/* The last seq of a feeder, by its place in the genesis; 0 = it never posted. */
uint64_t engine_oracle_seq(const struct engine *engine, uint32_t feeder);

/* What the last SET_TRADERS said; zero before it, and in every exchange that is not of development. */
struct set_traders engine_traders(const struct engine *engine);

/* How far engine time runs ahead of the clock (ruling 43); 0 but in development. */
int64_t engine_time_offset_ms(const struct engine *engine);

/* Asserts every invariant (docs/spec/invariants.md). For tests, start-up and dojima verify. */
void engine_verify(const struct engine *engine);

/* keccak over the logical state, block numbers not included (ruling 27). */
struct hash256 engine_hash(const struct engine *engine);

/*
 * Where the money of a coin is, in its units (mechanics 1.4, 1.5): what came in and did not go out again is on spot,
 * in perps wallets and isolated buckets less what positions cost, and in the EVM ledger. `spot` and `wallets` include
 * the vault and the fund.
 */
struct engine_money {
    int128_t inside, spot, held, wallets, buckets, costs, evm;
};
struct engine_money engine_money(const struct engine *engine, uint32_t coin_id);

/* Counts for reports: how much of each pool of the genesis is used.
   Positions are rows, settings that differ among them. */
struct engine_counts {
    uint64_t accounts, open_orders, levels, signers, operator_ids, keys, transfers, positions, burnt_ids;
};
struct engine_counts engine_counts(const struct engine *engine);

#endif
