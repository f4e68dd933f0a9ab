/* SPDX-License-Identifier: MIT */
/* workload_inside.h — what the files of the workload share. */
#ifndef TWIN_WORKLOAD_INSIDE_H
#define TWIN_WORKLOAD_INSIDE_H

#include "workload.h"

#define FEEDER_USERS 90 /* numbers of addresses of feeders */
#define KEY_USERS    50 /* numbers of addresses that may be keys */

static inline int64_t pick(struct random_state *d, const int64_t *of, uint32_t count)
{
    return of[random_below(d, count)];
}
#define PICK(d, ...)                                                                                                   \
    pick(d, (const int64_t[]){ __VA_ARGS__ }, sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

static inline struct address user(uint32_t n)
{
    struct address address = { { 0xaa } };

    memcpy(address.bytes + 16, &n, sizeof(n));
    return address;
}
static inline struct client_id text(const char *at) { return client_id_make((struct slice){ at, strlen(at) }); }
static inline struct decimal   decimal_units(int64_t units, uint32_t precision)
{
    return units == 0 ? (struct decimal){ 0 } : decimal_of(units, precision);
}

/* ---- workload_values.c ---- */

/* The room becomes an empty command of that kind, at this moment. */
void command_head(struct workload *work, struct command_room *room, uint16_t kind, uint8_t market, size_t payload);
/* A number of units right beside a limit, or on it. */
int64_t              near_to(struct workload *work, int64_t limit, int64_t step);
struct decimal       a_wild_decimal(struct random_state *d);
struct decimal       a_price(struct workload *work, const struct twin *twin, const struct symbol *s);
struct decimal       a_quantity(struct workload *work, const struct twin *twin, const struct symbol *s,
                                const struct account *account);
struct client_id     an_id(struct workload *work);
const struct symbol *some_symbol(struct workload *work, const struct twin *twin);
uint64_t             an_order_id(struct workload *work, const struct twin *twin, uint8_t market);
struct operator_id   an_operator_id(struct workload *work);

/* ---- workload_spot.c: the payload of a command, or all of it ---- */

void an_order(struct workload *work, const struct twin *twin, const struct account *account, struct new_order *item);
void a_cancel(struct workload *work, const struct twin *twin, struct cancel_order *item);
void a_replace(struct workload *work, struct twin *twin, uint64_t account_id, struct replace_order *item);
void a_transfer(struct workload *work, const struct twin *twin, const struct account *account,
                struct command_room *room);
void a_key(struct workload *work, struct command_room *room);
void a_deposit(struct workload *work, struct twin *twin, struct command_room *room);
void a_mode(struct workload *work, uint8_t mode, struct command_room *room);
void an_operator_command(struct workload *work, struct twin *twin, struct command_room *room);

/* ---- workload_perps.c ---- */

void a_perps_command(struct workload *work, struct twin *twin, struct command_room *room,
                     const struct account *account);
/* A second goes by, or an hour ends, or somebody says a price; false: nothing of that, and a client speaks. */
bool a_perps_second(struct workload *work, const struct twin *twin, struct command_room *room);

#endif
