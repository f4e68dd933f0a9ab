// SPDX-License-Identifier: MIT
// Choosing whose account this is: a development account, a key, or a wallet of the browser.
import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { type SignIn, account, signInDevelopment, signOut } from '../../state/account';
import { signInKey, signInWallet } from '../../state/sign-in';
import { tell } from '../../state/notices';
import { venue } from '../../state/venue';
import { type Wallet, findWallets } from '../../state/wallet';
import { messages } from '../../ui/i18n';
import './panel.css';

const say = messages({
  development: { en: 'Development accounts', ja: '開発用口座' },
  public: { en: 'Their keys are public. Never send real funds to them.', ja: '鍵は公開されています。実資金を送らないでください。' },
  account: { en: 'Account {id}', ja: '口座 {id}' },
  key: { en: 'A key', ja: '秘密鍵' },
  memory: { en: 'The key stays in the memory of this page.', ja: '鍵はこのページのメモリにのみ保持されます。' },
  privateKey: { en: 'Private key', ja: '秘密鍵' },
  apiKey: { en: 'Name of the API key (empty: the main wallet)', ja: 'APIキー名(空欄: メインウォレット)' },
  owner: { en: 'Address of the owner', ja: '所有者のアドレス' },
  use: { en: 'Use this key', ja: 'この鍵を使う' },
  wallet: { en: 'A wallet', ja: 'ウォレット' },
  once: {
    en: 'The wallet approves one key of this page, which may trade and not withdraw, for 30 days.',
    ja: 'ウォレットがこのページの鍵を一度承認します(取引可・出金不可・30日間)。',
  },
  connect: { en: 'Connect a wallet', ja: 'ウォレットを接続' },
  connectTo: { en: 'Connect {name}', ja: '{name} を接続' },
  noWallet: { en: 'No wallet was found in this browser', ja: 'このブラウザにウォレットがありません' },
  out: { en: 'Sign out', ja: 'サインアウト' },
  inAs: { en: 'Signed in as account {id}', ja: '口座 {id} でサインインしました' },
  outNow: { en: 'Signed out', ja: 'サインアウトしました' },
});

interface PartProps {
  /** Tells an outcome and closes when it is one. */
  readonly finish: (result: SignIn) => string | undefined;
}

function Development({ finish }: PartProps) {
  const accounts = venue.value?.accounts ?? [];
  if (accounts.length === 0) return null;
  return (
    <section aria-label={say.development()}>
      <h3>{say.development()}</h3>
      <p class="muted">{say.public()}</p>
      <ul class="account-list">
        {accounts.map((one) => (
          <li key={one.accountID}>
            <button
              type="button"
              aria-pressed={account.value?.kind === 'development' && account.value.accountID === one.accountID}
              onClick={() => void signInDevelopment(one.accountID).then(finish)}
            >
              {say.account({ id: one.accountID })} <code>{one.address}</code>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly error?: string | undefined;
}

/** A key is typed where nothing keeps it: no name, no autocompletion. */
function Text({ label, value, onInput, error }: TextProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        autocomplete="off"
        spellcheck={false}
        value={value}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {error === undefined ? null : (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

function Key({ finish }: PartProps) {
  const privateKey = useSignal('');
  const name = useSignal('');
  const owner = useSignal('');
  const error = useSignal<string | undefined>(undefined);
  const submit = (event: Event) => {
    event.preventDefault();
    void signInKey(privateKey.value, name.value.trim(), owner.value).then((result) => {
      error.value = finish(result);
    });
  };
  const set = (kept: { value: string }) => (text: string) => {
    kept.value = text;
    error.value = undefined;
  };
  return (
    <section aria-label={say.key()}>
      <h3>{say.key()}</h3>
      <form onSubmit={submit}>
        <p class="muted">{say.memory()}</p>
        <Text label={say.privateKey()} value={privateKey.value} onInput={set(privateKey)} error={error.value} />
        <Text label={say.apiKey()} value={name.value} onInput={set(name)} />
        {name.value.trim() === '' ? null : <Text label={say.owner()} value={owner.value} onInput={set(owner)} />}
        <button type="submit">{say.use()}</button>
      </form>
    </section>
  );
}

function Wallets({ finish }: PartProps) {
  const wallets = useSignal<readonly Wallet[]>([]);
  const error = useSignal<string | undefined>(undefined);
  useEffect(() => {
    void findWallets().then((found) => {
      wallets.value = found;
    });
  }, []);
  const connect = async (wallet: Wallet | undefined) => {
    const chosen = wallet ?? (await findWallets())[0]; // the search may still go on
    error.value = chosen ? finish(await signInWallet(chosen.provider)) : say.noWallet();
  };
  const [first, ...more] = wallets.value;
  return (
    <section aria-label={say.wallet()}>
      <h3>{say.wallet()}</h3>
      <p class="muted">{say.once()}</p>
      <button type="button" onClick={() => void connect(first)}>
        {say.connect()}
      </button>
      {more.map((wallet) => (
        <button key={wallet.name} type="button" onClick={() => void connect(wallet)}>
          {say.connectTo({ name: wallet.name })}
        </button>
      ))}
      {error.value === undefined ? null : (
        <p class="field-error" role="alert">
          {error.value}
        </p>
      )}
    </section>
  );
}

export function Panel({ onDone }: { onDone?: () => void }) {
  const finish = (result: SignIn): string | undefined => {
    if (!result.ok) return result.error;
    tell(say.inAs({ id: account.value?.accountID ?? '' }), 'good');
    onDone?.();
    return undefined;
  };
  const leave = () => {
    signOut();
    tell(say.outNow());
    onDone?.();
  };
  return (
    <div class="accounts">
      <Development finish={finish} />
      <Key finish={finish} />
      <Wallets finish={finish} />
      {account.value ? (
        <button type="button" onClick={leave}>
          {say.out()}
        </button>
      ) : null}
    </div>
  );
}
