// SPDX-License-Identifier: MIT
// The list of symbols: search, spot and perps, with live figures. Typing filters, arrows move, Enter chooses.
import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { decimal, show } from '../../core/decimal';
import { type Market, market, markets, markOf, select, tickerOf } from '../../state/markets';
import { type Kind, found, leftText, percentText, rateText } from './find';
import { say } from './messages';
import './panel.css';

const KINDS: readonly Kind[] = ['all', 'perps', 'spot'];

/** The time now, anew each second; of the page's clock. */
function useSecond(): number {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => (now.value = Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now.value;
}

function Funding({ of }: { of: Market }) {
  const mark = markOf(of.name).value;
  const now = useSecond();
  if (!mark) return null;
  return (
    <>
      {rateText(mark.r)} <small>{leftText(mark.T - now)}</small>
    </>
  );
}

function Mark({ of }: { of: Market }) {
  const mark = markOf(of.name).value;
  return mark ? <>{show(decimal(mark.p), { places: of.pricePlaces, rounding: 'half' })}</> : null;
}

function Change({ of }: { of: Market }) {
  const ticker = tickerOf(of.name).value;
  if (!ticker) return null;
  const text = percentText(ticker.P);
  if (!/^[+−]/.test(text)) return <>{text}</>;
  const up = text.startsWith('+');
  return (
    <span class={up ? 'up' : 'down'}>
      <span aria-hidden="true">{up ? '▲' : '▼'}</span> {text}
    </span>
  );
}

function Last({ of }: { of: Market }) {
  const text = tickerOf(of.name).value?.c ?? of.record.lastTradePrice;
  return <>{show(decimal(text), { places: of.pricePlaces })}</>;
}

function Name({ of }: { of: Market }) {
  return (
    <>
      <b>{of.displayName}</b> <small>{of.engine === 'perps' ? say.perps() : say.spot()}</small>
      {of.record.status === 'TRADING' ? null : <small class="down"> {say.halted()}</small>}
    </>
  );
}

interface RowProps {
  readonly of: Market;
  readonly id: string;
  readonly active: boolean;
  readonly onChoose: () => void;
}

function Row({ of, id, active, onChoose }: RowProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) element.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const perps = of.engine === 'perps';
  return (
    <div
      ref={element}
      id={id}
      class={`symbols-row ${active ? 'active' : ''}`}
      role="option"
      aria-selected={of === market.value}
      onClick={onChoose}
    >
      <span class="symbols-name">
        <Name of={of} />
      </span>
      <span>
        <Last of={of} />
      </span>
      <span>
        <Change of={of} />
      </span>
      <span>{perps ? <Mark of={of} /> : null}</span>
      <span>{perps ? <Funding of={of} /> : null}</span>
    </div>
  );
}

function Kinds({ kind, choose }: { kind: Kind; choose: (kind: Kind) => void }) {
  return (
    <div class="symbols-kinds" role="group" aria-label={say.kinds()}>
      {KINDS.map((one) => (
        <button key={one} type="button" aria-pressed={one === kind} onClick={() => choose(one)}>
          {say[one]()}
        </button>
      ))}
    </div>
  );
}

function Heads() {
  return (
    <div class="symbols-row symbols-heads" aria-hidden="true">
      {[say.symbol, say.last, say.change, say.mark, say.funding].map((text) => (
        <span key={text()}>{text()}</span>
      ))}
    </div>
  );
}

export interface SymbolsProps {
  /** Called after a symbol was chosen, or with Escape; a dialog closes then. */
  readonly onDone?: () => void;
}

export function Panel({ onDone }: SymbolsProps) {
  const id = useId();
  const text = useSignal('');
  const kind = useSignal<Kind>('all');
  const at = useSignal(0);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const list = found(markets.value ?? [], text.value, kind.value);
  const active = Math.min(at.value, list.length - 1);
  const choose = (of: Market | undefined): void => {
    if (!of) return;
    select(of.name);
    onDone?.();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowDown: active + 1, ArrowUp: active - 1 };
    const to = steps[event.key];
    if (to !== undefined) at.value = Math.max(0, Math.min(list.length - 1, to));
    else if (event.key === 'Enter') choose(list[active]);
    else return;
    event.preventDefault();
  };
  return (
    <div class="symbols">
      <input
        ref={field}
        type="search"
        role="combobox"
        list={undefined}
        aria-label={say.search()}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={list[active] ? `${id}-${list[active].engine}-${list[active].id}` : undefined}
        placeholder={say.search()}
        autofocus
        autocomplete="off"
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          at.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <Kinds kind={kind.value} choose={(one) => (kind.value = one)} />
      <Heads />
      <div id={`${id}-list`} role="listbox" aria-label={say.symbols()} class="symbols-list">
        {list.map((of, index) => (
          <Row
            key={`${of.engine}-${of.id}`}
            id={`${id}-${of.engine}-${of.id}`}
            of={of}
            active={index === active}
            onChoose={() => choose(of)}
          />
        ))}
      </div>
      <p class="empty" role="status">
        {markets.value === undefined ? say.waiting() : list.length === 0 ? say.none({ text: text.value }) : ''}
      </p>
    </div>
  );
}
