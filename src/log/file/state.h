/* SPDX-License-Identifier: MIT */
/*
 * state.h — the journal in memory. Private to this room.
 *
 * First it reads (recover.c): segment by segment, batch by batch, until the end is judged. Then it is
 * appended to (append.c) from exactly that place. There is no way back to reading.
 */
#ifndef LOG_FILE_STATE_H
#define LOG_FILE_STATE_H

#include "log/file/batch.h"

#include <pthread.h>
#include <stdalign.h>

#define SCRATCH_BYTES    (64 * JOURNAL_BLOCK)
#define SEGMENT_NAME_MAX 32
#define READ_TRIES       3 /* EIO on a read at the start (process 5) */

/* The bytes behind the current segment's last batch. */
enum next_kind { NEXT_NONE = 0, NEXT_GOOD, NEXT_BAD, NEXT_FOREIGN, NEXT_TWO };

struct segment {
    struct segment_header header;
    struct segment_header next; /* while reading: the header behind, when it is good */
    enum next_kind        next_kind;
    int                   handle;
    uint64_t              offset;      /* where the next batch is, or goes */
    uint64_t              last_offset; /* the newest batch in this segment, 0 = none */
    uint64_t              last_bytes;  /* padded */
    uint64_t              zeroed;      /* zeros were written up to here, or are when the log comes there */
};

struct journal {
    struct disk             disk;
    struct log_settings     options;
    struct hash256          instance;
    struct batch_expected   expected;  /* the state that the next batch must continue */
    struct segment          segment;   /* the current one */
    bool                    ended;     /* reading is over */
    uint64_t                known_seq; /* the log must reach this command (journal_knows) */
    const char             *holder;    /* which holds it */
    const struct log_batch *submitted; /* written, not yet waited for */
    int                     error;     /* the first failure of an append; for ever */
    uint64_t                batches, records, bytes, bytes_total;
    uint32_t                segments;
    uint64_t                genesis_bytes;

    pthread_mutex_t name_lock; /* its holder may give a file the name of the next segment */
    pthread_mutex_t make_lock; /* held while files are made ahead; taken before name_lock */
    uint64_t        wanted;    /* atomic: the segment that journal_prepare shall make, 0 = none */
    bool            is_short;  /* atomic */

    alignas(64) uint8_t scratch[SCRATCH_BYTES];
    uint8_t genesis[JOURNAL_GENESIS_MAX];
};

/* ---- segment.c ---- */
void segment_name(uint64_t number, char name[SEGMENT_NAME_MAX]);
void segment_header_seal(struct segment_header *header);

enum header_verdict {
    HEADER_GOOD = 0,
    HEADER_BAD,     /* neither copy is one */
    HEADER_FOREIGN, /* written by another version */
    HEADER_TWO,     /* both are valid, and they differ */
};
/* Reads both copies from a file of at least JOURNAL_HEADERS_BYTES bytes. *error: errno of the disk. */
enum header_verdict segment_header_read(struct journal *journal, int handle, struct segment_header *header,
                                        bool *one_bad, int *error);

/* Writes both copies and makes them durable. */
int segment_header_write(struct journal *journal, int handle, const struct segment_header *header) MUST_USE;

/* disk->read with READ_TRIES tries. */
int journal_read(struct journal *journal, int handle, uint64_t offset, void *bytes, size_t len) MUST_USE;

/*
 * The contents of [from, to) of a file: the offset behind the last nonzero byte; the first 4 KiB position behind
 * `from` with a batch header that was written for it; one from `from` on with a header that was written for another
 * position of this segment; one with a header's magic. 0 = none.
 */
/* The offset behind the last byte that is not zero; 0 when all are. */
size_t bytes_nonzero_end(const uint8_t *bytes, size_t len);

struct segment_scan {
    uint64_t nonzero_end, header_at, first_seq, stray_at, magic_at;
};
int segment_scan(struct journal *journal, int handle, uint64_t number, uint64_t from, uint64_t to,
                 struct segment_scan *scan) MUST_USE;

/* Offset of the first batch of a segment. */
static inline uint64_t segment_first(const struct segment_header *header)
{
    return JOURNAL_HEADERS_BYTES + align_up(header->genesis_bytes, JOURNAL_BLOCK);
}

/* ---- recover.c ---- */
/* One sentence: segment, offset, last good seq, and the fault there. Returns the fault. */
enum log_fault __attribute__((format(printf, 6, 7)))
recover_say(const struct journal *journal, struct log_report *report, enum log_fault fault, uint64_t number,
            uint64_t offset, const char *format, ...);
/* A segment of another version, whose header is `header`. */
enum log_fault recover_foreign(const struct journal *journal, struct log_report *report,
                               const struct segment_header *header);
void           recover_report_counts(const struct journal *journal, struct log_report *report);

/* Opens segment `number` and looks at what stands behind it; the latter alone, again. */
enum log_fault recover_enter(struct journal *journal, uint64_t number, struct log_report *report) MUST_USE;
int            recover_peek_next(struct journal *journal) MUST_USE;

/* Whether the next segment begins exactly at the log's end; and whether it records a cut at this offset. */
bool recover_next_continues(const struct journal *journal);
bool recover_was_cut_here(const struct journal *journal);

/* Reads and judges what stands at the current offset; and goes behind it. */
int  recover_read_batch(struct journal *journal, struct log_batch *batch, enum batch_verdict *verdict,
                        struct hash256 *chain) MUST_USE;
bool recover_padding_is_zero(const uint8_t *batch);
void recover_take_batch(struct journal *journal, struct log_batch *batch, struct log_applied *applied,
                        const struct hash256 *chain);

/* Reports a disk error at a segment; its return value is the answer to the caller. */
enum log_fault journal_fault_io(struct journal *journal, struct log_report *report, uint64_t number, const char *what,
                                int error);

/* Removes a first segment whose creation did not finish; EEXIST when there is a log. */
int journal_remove_unbegun(struct journal *journal) MUST_USE;

/* ---- append.c ---- */
/* Fills in members that create and open share. */
struct journal *journal_init(void *memory, const struct disk *disk, const struct log_settings *options);

/* Continues in segment number + 1, which is made when no spare exists; `cut` describes the part left behind. */
int journal_rotate(struct journal *journal, uint64_t cut_offset, uint64_t cut_bytes) MUST_USE;

/* journal_prepare shall make what is missing ahead of the current segment. */
void journal_want_ahead(struct journal *journal);

#endif
