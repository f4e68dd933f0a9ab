/* SPDX-License-Identifier: MIT */
/*
 * nohistory.c — loaded before LMDB: after the first transaction, which makes the tables, all others end before they
 * reach the disk. Only for measuring what the history's disk costs; reads of the history find nothing.
 */
#include <dlfcn.h>
#include <lmdb.h>
#include <stdatomic.h>

int mdb_txn_commit(MDB_txn *txn)
{
    static atomic_int made;
    int (*commit)(MDB_txn *);

    *(void **)(void *)&commit = dlsym(RTLD_NEXT, "mdb_txn_commit");
    if (atomic_fetch_add(&made, 1) == 0) return commit(txn);
    mdb_txn_abort(txn);
    return 0;
}
