/* SPDX-License-Identifier: MIT */
/* config_inside.h — what the four files of the configuration share: rows, the file as entries, values. */
#ifndef APP_CONFIG_INSIDE_H
#define APP_CONFIG_INSIDE_H

#include "app/config.h"

#define RATE_SCALE 8 /* rates and ratios are in units of 1e-8 */

/* clang-format off */
enum setting_kind {
    SET_TEXT,           /* char[]: the row's `max` bytes                         */
    SET_ADDRESS,        /* host:port into config.host and config.port            */
    SET_U32,            /* uint32_t from `min` to `max`                          */
    SET_ENUM,           /* uint8_t by name                                       */
    SET_NAME,           /* struct name                                           */
    SET_COIN,           /* uint32_t: a coin by its name                          */
    SET_PRICE,          /* int64_t in units of the market's price precision      */
    SET_QUANTITY,       /* int64_t … of its quantity precision                   */
    SET_VALUE,          /* int64_t … of its quote coin                           */
    SET_MARGIN,         /* int64_t … of the first coin                           */
    SET_RATE,           /* int64_t in units of 1e-8                              */
    SET_PART,           /* two uint32_t: PART/WHOLE, a whole from 1 to `max`     */
    SET_SPOT,           /* uint32_t: a spot market by its name; "" = none        */
    SET_MARGIN_TIERS,   /* struct contract: its tiers                            */
    SET_PROXIES,        /* struct proxies: its ranges                            */
    SET_CHAIN_IDS, SET_TIERS, SET_DISCOUNTS, SET_REBATES,
};
/* clang-format on */

struct setting {
    const char             *key;
    uint8_t                 kind;
    uint32_t                offset; /* in the section's struct */
    uint32_t                min, max;
    const char             *standard; /* default; NULL = must be given; "" = stays zero */
    const struct enum_name *names;
    const char             *doc;
};

/* ---- config_rows.c: the rows, and the kinds of sections they stand in ---- */

enum section_at {
    AT_SERVER,
    AT_VENUE,
    AT_LIMITS,
    AT_LOG,
    AT_CLUSTER,
    AT_COIN,
    AT_MARKET,
    AT_PERPS,
    AT_FEEDER,
    AT_OPERATOR,
    AT_SPOT_FEES,
    AT_PERPS_FEES,
    AT_ACCOUNT,
    SECTIONS
};
struct section {
    const char           *kind;         /* first word of its header */
    const char           *header, *doc; /* as --help shows it */
    const struct setting *rows;
    uint32_t              count;
};
extern const struct section config_sections[SECTIONS];

/* ---- config_hint.c ---- */

#define CONFIG_HINT 80
/* "; is KEY meant?", "; it is a key of [SECTION]", or "", into `text`, for a key that the section does not have. */
const char *config_hint(const char *section, const char *key, char text[CONFIG_HINT]);

/* Target of a [perps NAME] section; the symbol is first, as in every section of a market. */
struct perps_section {
    struct symbol   symbol;
    struct contract contract;
};

struct entry {
    char *section, *key, *value;
    int   line;
    bool  used;
};

struct reading {
    const char    *name;
    bool           development;
    struct config *config;
    struct entry  *entries;
    uint32_t       count;
    const char    *at;           /* rest of the text */
    int            line;         /* the one read last */
    char           section[128]; /* the one it is in */
    char          *error;
    size_t         cap;
    bool           failed;
};

/* One value being read: its place and its name. */
struct value {
    struct reading       *reading;
    const struct setting *row;
    const char           *section, *text;
    int                   line;
};

/* ---- config_file.c: the text as a list of entries ---- */

/* Says once what is wrong, with the file's name and the line (0 = none). Always false. */
__attribute__((format(printf, 3, 4))) bool config_fail(struct reading *reading, int line, const char *format, ...);

/* Reads all entries of reading->at; a section's header is an entry without key. */
bool config_entries_read(struct reading *reading) MUST_USE;
void config_entries_free(struct reading *reading);

/* The entry of a key, marked as used, or NULL. */
const struct entry *config_find_entry(struct reading *reading, const char *section, const char *key);

/* ---- config_value.c: one text into one member ---- */

/* "[section] key: "text" is not `need`", with the line. Always false. */
bool config_wrong(const struct value *value, const char *need);

/* A decimal in units of 10^-scale, zero included. */
bool config_read_units(struct slice text, uint32_t scale, int64_t *units) MUST_USE;

/* A name of coins and markets: 1 to 31 characters. */
bool               config_is_name(struct slice text);
const struct coin *config_find_coin(const struct genesis *genesis, struct slice name);

/* Reads the value by its row's kind into the member of `base` that the row names. */
bool config_set_value(const struct value *value, void *base) MUST_USE;

#endif
