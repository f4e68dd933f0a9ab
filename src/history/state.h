/* SPDX-License-Identifier: MIT */
/* state.h — struct history. Private to this room. */
#ifndef HISTORY_STATE_H
#define HISTORY_STATE_H

#include "history/store.h"

struct history {
    struct pending pending;
    struct store   store;
    struct bars    bars;
    int            folder;          /* descriptor of the folder                                    */
    uint64_t       seq;             /* atomic: last command whose rows are all on disk             */
    uint64_t       skip_seq;        /* what was on disk at the start: the replay brings it again   */
    struct hash256 instance, boot;
    const char    *thrown_away;     /* why the store that lay there was not used, NULL = it was    */
    void         (*tell)(void);     /* of damage, once                                             */
    bool           damaged;         /* atomic: a read met damage                                   */
};

/* Remembers, for the next start, that the store is damaged, when `error` says so. Returns the error. */
int history_note(struct history *history, int error);

#endif
