/* SPDX-License-Identifier: MIT */
/* The hash of a state is the same beside the check of its invariants, which still ends the process. */
#include "pipeline/verify_state.h"

#include "rigs/core/fixture.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define AMOUNT INT64_C(123456789012345)

static void the_hash_is_the_engines(void **state)
{
    struct fixture *f = fixture_make();
    struct hash256  empty = verify_state(f->engine), hash = engine_hash(f->engine);

    (void)state;
    assert_memory_equal(&empty, &hash, sizeof(hash));
    assert_int_equal(deposit(f, 1, 0, AMOUNT), REJECT_NONE);
    hash = verify_state(f->engine);
    assert_memory_not_equal(&hash, &empty, sizeof(hash));
    empty = engine_hash(f->engine);
    assert_memory_equal(&hash, &empty, sizeof(hash));
    fixture_free(f);
}

/* Somebody has one unit more than was deposited. */
static void break_sum(struct fixture *f)
{
    int64_t *word = (void *)f->engine;

    for (size_t i = 0; i < engine_size(&f->genesis) / sizeof(*word); i++)
        if (word[i] == AMOUNT) {
            word[i] += 1;
            return;
        }
    _exit(2);
}

static void a_broken_invariant_ends_the_process(void **state)
{
    struct fixture *f = fixture_make();
    pid_t           child;
    int             ended;

    (void)state;
    assert_int_equal(deposit(f, 1, 0, AMOUNT), REJECT_NONE);
    child = fork();
    if (child == 0) {
        (void)signal(SIGABRT, SIG_DFL);
        break_sum(f);
        (void)verify_state(f->engine);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGABRT);
    fixture_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_is_the_engines),
        cmocka_unit_test(a_broken_invariant_ends_the_process),
    };
    return cmocka_run_group_tests_name("pipeline/verify_state", tests, NULL, NULL);
}
