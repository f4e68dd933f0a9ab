// SPDX-License-Identifier: MIT
// Keys that a wallet has approved for this page, in the browser's database, so that a wallet approves once. Keys that a
// person pastes never come here.

export interface ApprovedKey {
  readonly owner: string;
  readonly accountID: number;
  readonly name: string;
  readonly privateKey: string;
  /** Unix ms. */
  readonly expiresAt: number;
}

const STORE = 'keys';

const open = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open('dojima', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'owner' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

async function within<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      const request = act(database.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  } finally {
    database.close();
  }
}

/** The key of an owner (address in lower case); undefined when there is none, or no database. */
export const findKey = (owner: string): Promise<ApprovedKey | undefined> =>
  within<ApprovedKey | undefined>('readonly', (store) => store.get(owner)).catch(() => undefined);

/** A browser without a database forgets the key with the page. */
export const keepKey = (key: ApprovedKey): Promise<void> =>
  within('readwrite', (store) => store.put(key)).then(
    () => {},
    () => {},
  );

export const forgetKey = (owner: string): Promise<void> =>
  within('readwrite', (store) => store.delete(owner)).then(
    () => {},
    () => {},
  );
