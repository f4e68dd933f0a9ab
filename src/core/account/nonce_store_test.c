/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rigs/core/fixture.h"
#include "rigs/random.h"
#include "core/account/nonce_store.h"
#include "core/state/layout.h"

#define TAG  ((1u << NONCE_TAG_BITS) - 1)
#define SETS 4u

/* Some sets of a small exchange, and what should be in them. */
struct model {
    struct fixture    *f;
    struct nonce_entry entries[SETS][NONCES_MAX + 1];
    uint32_t           count[SETS];
    uint64_t           random_state;
};

static struct nonce_set *set_of(const struct model *m, uint32_t i) { return engine_nonces(m->f->engine) + 1 + i; }

static struct model *make(void)
{
    struct model *m = calloc(1, sizeof(*m));

    m->f = fixture_make();
    m->random_state = 7;
    for (uint32_t i = 0; i < SETS; i++) nonce_store_write(m->f->engine, set_of(m, i), NULL, 0);
    return m;
}

static void end(struct model *m)
{
    fixture_free(m->f);
    free(m);
}

static uint64_t draw(struct model *m) { return random_congruent(&m->random_state) >> 11; }

/* A number of 0 to 53 bits, or near a power of two. */
static uint64_t draw_step(struct model *m)
{
    uint64_t bits = draw(m) % 54, near = draw(m) % 3, value = draw(m);

    return near == 0 ? (UINT64_C(1) << bits) - draw(m) % 2 : value & ((UINT64_C(1) << bits) - 1);
}

static void add(struct model *m, uint32_t i, struct nonce_entry entry)
{
    struct nonce_entry *entries = m->entries[i];

    nonce_store_append(m->f->engine, set_of(m, i), entry.nonce, entry.seq, (uint32_t)entry.payload_tag);
    entries[m->count[i]++] = entry;
    if (m->count[i] <= NONCES_MAX) return;
    memmove(entries, entries + 1, NONCES_MAX * sizeof(entries[0]));
    m->count[i] = NONCES_MAX;
}

/* Every set has exactly what it should have, and every chunk is in one set or free. */
static void check(const struct model *m)
{
    const struct engine *e = m->f->engine;
    struct nonce_entry   entries[NONCES_MAX];
    uint32_t             chunks = 0;

    for (uint32_t i = 0; i < SETS; i++) {
        assert_int_equal(nonce_store_read(e, set_of(m, i), entries), m->count[i]);
        assert_memory_equal(entries, m->entries[i], m->count[i] * sizeof(entries[0]));
        chunks += nonce_store_verify(e, set_of(m, i));
    }
    for (uint32_t ix = e->nonce_chunk_free; ix != 0; ix = engine_nonce_chunks(e)[ix].next) chunks += 1;
    assert_int_equal(chunks, e->nonce_chunk_end - 1);
}

/* The bytes that a nonce takes with these steps behind another one. */
static uint32_t bytes_of(uint64_t step, uint64_t seq_step)
{
    struct model *m = make();
    uint32_t      before, bytes;

    add(m, 0, (struct nonce_entry){ UINT64_C(1) << 62, UINT64_C(1) << 62, 0 });
    before = set_of(m, 0)->used;
    add(m, 0, (struct nonce_entry){ (UINT64_C(1) << 62) + step, (UINT64_C(1) << 62) + seq_step, TAG });
    check(m);
    bytes = set_of(m, 0)->used - before;
    end(m);
    return bytes;
}

static void a_nonce_takes_the_bytes_that_its_steps_need(void **state)
{
    (void)state;
    assert_int_equal(bytes_of(1, 1), 8);
    assert_int_equal(bytes_of((1 << 17) - 1, (1 << 20) - 1), 8);
    assert_int_equal(bytes_of(1 << 17, 1), 5 + 2 + 2);
    assert_int_equal(bytes_of(1, 1 << 20), 5 + 2 + 3);
    assert_int_equal(bytes_of((1 << 19) - 1, 1 << 20), 5 + 2 + 3);
    assert_int_equal(bytes_of(1 << 19, 0xffff), 5 + 3 + 2);
    assert_int_equal(bytes_of(1 << 19, 0x10000), 5 + 3 + 3);
    assert_int_equal(bytes_of((1 << 27) - 1, 0xffffff), 5 + 3 + 3);
    assert_int_equal(bytes_of(1 << 27, 0x1000000), 5 + 4 + 4);
    assert_int_equal(bytes_of((UINT64_C(1) << 35) - 1, 0xffffffff), 5 + 4 + 4);
    assert_int_equal(bytes_of(UINT64_C(1) << 35, UINT64_C(0x100000000)), NONCE_BYTES_MAX);
    assert_int_equal(bytes_of(1, (uint64_t)-1), 5 + 2 + 8); /* a command before the other one's */
    assert_int_equal(bytes_of(UINT64_C(1) << 61, UINT64_C(1) << 61), NONCE_BYTES_MAX);
}

/* Steps of all sizes, back in number too, over several sets that share the chunks. */
static void what_is_read_is_what_was_appended(void **state)
{
    struct model *m = make();
    (void)state;

    for (uint32_t round = 0; round < 20000; round++) {
        uint32_t           i = (uint32_t)(draw(m) % SETS);
        uint64_t           small = draw(m) % 8, step = draw_step(m), seq_step = draw_step(m);
        struct nonce_entry entry = { set_of(m, i)->nonce, set_of(m, i)->seq, draw(m) & TAG };

        entry.nonce += small != 0 ? step % 100000 + 1 : step + 1;
        entry.seq += small != 0 ? seq_step % 1000000 : draw(m) % 4 == 0 ? 0 - seq_step : seq_step;
        add(m, i, entry);
        if (round % 16 == 0 || round < 300) check(m);
    }
    end(m);
}

static void written_nonces_replace_those_that_were_there(void **state)
{
    struct model      *m = make();
    struct nonce_entry entries[NONCES_MAX];
    (void)state;

    for (uint32_t round = 0; round < 500; round++) {
        uint32_t i = (uint32_t)(draw(m) % SETS), count = (uint32_t)(draw(m) % (NONCES_MAX + 1));
        uint64_t nonce = draw(m) % 1000;

        for (uint32_t k = 0; k < count; k++) {
            uint64_t most = UINT64_C(1) << (draw(m) % 50), seq;

            nonce += 1 + draw_step(m) % most;
            seq = draw_step(m);
            entries[k] = (struct nonce_entry){ nonce, seq, draw(m) & TAG };
        }
        nonce_store_write(m->f->engine, set_of(m, i), entries, count);
        memcpy(m->entries[i], entries, count * sizeof(entries[0]));
        m->count[i] = count;
        check(m);
    }
    end(m);
}

/* The pool has room for the longest nonces, and for any mixture with short ones. */
static void no_set_needs_more_chunks_than_are_reserved(void **state)
{
    struct model *m = make();
    (void)state;

    for (uint32_t round = 0; round < 3000; round++) {
        bool               is_long = round < 1000 || draw(m) % 16 < round % 16;
        struct nonce_entry entry = { set_of(m, 0)->nonce, set_of(m, 0)->seq, 1 };

        entry.nonce += is_long ? UINT64_C(1) << 36 : 1;
        entry.seq += is_long ? UINT64_C(1) << 33 : 1;
        add(m, 0, entry);
        assert_true(nonce_store_verify(m->f->engine, set_of(m, 0)) <= NONCE_SET_CHUNKS);
    }
    check(m);
    assert_true(m->f->engine->nonce_chunk_end - 1 >= NONCE_SET_CHUNKS - 1); /* and hardly fewer */
    end(m);
}

/* A signer with a thousand ordinary nonces: a hundred of them, and one chunk more at most than these fill. */
static void ordinary_nonces_take_eight_bytes(void **state)
{
    struct model *m = make();
    (void)state;

    for (uint64_t i = 0; i < 1000; i++) add(m, 0, (struct nonce_entry){ 1000000 + i * 20000, 5 + i * 300000, i });
    check(m);
    assert_int_equal(m->f->engine->nonce_chunk_end - 1, NONCES_MAX * 8 / NONCE_CHUNK_BYTES + 2);
    end(m);
}

static void a_larger_exchange_keeps_them(void **state)
{
    struct model *m = make();
    struct limits limits = m->f->genesis.limits;
    (void)state;

    for (uint32_t i = 0; i < 300; i++) add(m, i % 2, (struct nonce_entry){ 1000 + i * 77, 1 + i, draw(m) & TAG });
    limits.accounts += 100;
    fixture_move(m->f, &limits);
    check(m);
    end(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nonce_takes_the_bytes_that_its_steps_need),
        cmocka_unit_test(what_is_read_is_what_was_appended),
        cmocka_unit_test(written_nonces_replace_those_that_were_there),
        cmocka_unit_test(no_set_needs_more_chunks_than_are_reserved),
        cmocka_unit_test(ordinary_nonces_take_eight_bytes),
        cmocka_unit_test(a_larger_exchange_keeps_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
