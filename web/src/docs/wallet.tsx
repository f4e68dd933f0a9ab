// SPDX-License-Identifier: MIT
// Who signs what this page sends: a development account, or a key that stays in memory.
import { computed, signal } from '@preact/signals-core';
import { useEffect, useId, useState } from 'preact/hooks';
import { addressOf, readPrivateKey } from '../core/sign';
import type { Settings } from './contract';
import { say } from './words';

export const keyText = signal('');
export const keyName = signal('');
export const chainId = signal(0);

/** Undefined when what stands there is no key. */
export const privateKey = computed(() => readPrivateKey(keyText.value));

export function beginWallet(settings: Settings): void {
  keyText.value = settings.accounts[0]?.privateKey ?? '';
  chainId.value = settings.chainIds[0] ?? 0;
}

/** The address of the key, once the curve has been loaded. */
function useAddress(): string | undefined {
  const key = privateKey.value;
  const [known, setKnown] = useState<{ key: string; address: string | undefined }>();
  useEffect(() => {
    if (key === undefined) return;
    let current = true;
    addressOf(key)
      .catch(() => undefined)
      .then((address) => current && setKnown({ key, address }));
    return () => {
      current = false;
    };
  }, [key]);
  return known?.key === key ? known?.address : undefined;
}

function Accounts({ settings }: { settings: Settings }) {
  const id = useId();
  if (settings.accounts.length === 0) return null;
  const chosen = settings.accounts.find((account) => account.privateKey === keyText.value);
  return (
    <div class="field">
      <label for={id}>{say.account()}</label>
      <select
        id={id}
        value={chosen?.privateKey ?? ''}
        onChange={(event) => {
          keyText.value = event.currentTarget.value;
        }}
      >
        <option value="">{say.noAccount()}</option>
        {settings.accounts.map(({ accountID, address, privateKey: key }) => (
          <option key={accountID} value={key}>
            {accountID} {address}
          </option>
        ))}
      </select>
    </div>
  );
}

function KeyField() {
  const id = useId();
  const wrong = keyText.value !== '' && privateKey.value === undefined;
  return (
    <div class="field">
      <label for={id}>{say.privateKey()}</label>
      <input
        id={id}
        type="password"
        autocomplete="off"
        spellcheck={false}
        value={keyText.value}
        aria-invalid={wrong}
        aria-describedby={`${id}-said`}
        onInput={(event) => {
          keyText.value = event.currentTarget.value;
        }}
      />
      <span id={`${id}-said`} class="field-error">
        {wrong ? say.notKey() : ''}
      </span>
    </div>
  );
}

export function Wallet({ settings }: { settings: Settings }) {
  const id = useId();
  const address = useAddress();
  return (
    <section class="docs-wallet" aria-label={say.signing()}>
      <h2>{say.signing()}</h2>
      <p class="muted">{say.signingHelp()}</p>
      <div class="docs-row">
        <Accounts settings={settings} />
        <KeyField />
        <div class="field">
          <label for={`${id}-name`}>{say.keyName()}</label>
          <input
            id={`${id}-name`}
            spellcheck={false}
            placeholder={say.mainWallet()}
            value={keyName.value}
            onInput={(event) => {
              keyName.value = event.currentTarget.value.trim();
            }}
          />
        </div>
        <div class="field">
          <label for={`${id}-chain`}>{say.chain()}</label>
          <select
            id={`${id}-chain`}
            value={String(chainId.value)}
            onChange={(event) => {
              chainId.value = Number(event.currentTarget.value);
            }}
          >
            {settings.chainIds.map((one) => (
              <option key={one} value={String(one)}>
                {one}
              </option>
            ))}
          </select>
        </div>
      </div>
      <p role="status" class="muted">
        {address === undefined ? '' : say.signsAs({ address })}
      </p>
    </section>
  );
}
