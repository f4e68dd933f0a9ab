// SPDX-License-Identifier: MIT
// One line of the chart. A line of an order is a slider: dragged by mouse or finger, moved by arrow keys.
import { type ReadonlySignal, type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { toPixelScale } from '../../core/decimal';
import { cancelOrder } from '../../state/amend';
import type { Market } from '../../state/markets';
import type { OpenOrder } from '../../state/portfolio';
import { drawn, gridOf, priceOf } from '../market/units';
import { send } from './amending';
import * as dragging from './drag';
import type { Drag } from './drag';
import type { Line } from './lines';
import { say } from './messages';
import { type Palette, variableOf } from './palette';
import type { Placed, Places } from './places';
import { Question } from './question';
import { limitText, nameOf, priceText, sizeText, valueText } from './words';

export interface LineProps {
  readonly market: Market;
  readonly line: Line;
  readonly places: Places;
  readonly palette: ReadonlySignal<Palette>;
  /** True: a drag by the pointer asks before it is sent. */
  readonly asks: boolean;
}

/** Keeps the element at the price where the line stands or is dragged to. */
function usePlace(props: LineProps, drag: Signal<Drag>) {
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const placed = useRef<Placed | undefined>(undefined);
  const width = useRef(0);
  const measure = (): void => {
    width.current = element.current?.firstElementChild?.clientWidth ?? 0;
  };
  useLayoutEffect(measure);
  useLayoutEffect(() => {
    if (!element.current) return undefined;
    const price = (): bigint => dragging.shownAt(drag.peek(), latest.current.line.price);
    placed.current = {
      element: element.current,
      width: () => width.current,
      measure,
      price: () => drawn(latest.current.market, price()),
      // A liquidation price may be so far away that the candles would be a line.
      fitted: () =>
        props.line.kind === 'liquidation' ? undefined : drawn(latest.current.market, latest.current.line.price),
      text: () => priceText(latest.current.market, price()),
      colour: () => props.palette.peek()[variableOf(props.line.kind, props.line.side)],
      ink: () => props.palette.peek().panel,
    };
    return props.places.add(placed.current);
  }, [props.places]);
  useLayoutEffect(() => props.places.changed(), [drag.value, props.line.price, props.palette.value]);
  return { element, placed };
}

/** Keys of a slider: ticks by arrows, ten with Shift, a fiftieth of what is visible by Page. */
function keySteps(event: KeyboardEvent, props: LineProps): bigint | undefined {
  const ticks = event.shiftKey ? 10n : 1n;
  if (event.key === 'ArrowUp' || event.key === 'ArrowRight') return ticks;
  if (event.key === 'ArrowDown' || event.key === 'ArrowLeft') return -ticks;
  if (event.key !== 'PageUp' && event.key !== 'PageDown') return undefined;
  const seen = props.places.visible();
  const page = seen ? Math.max(1, Math.round((seen[1] - seen[0]) / 50 / toPixelScale(props.market.tick))) : 100;
  return BigInt(event.key === 'PageUp' ? page : -page);
}

function useDrag(props: LineProps) {
  const drag = useSignal<Drag>(dragging.still);
  const { market, line } = props;
  const grid = gridOf(market);
  const after = (next: Drag): void => {
    drag.value = next;
    if (next.phase === 'pending' && line.order) void send(market, line.order, drag);
  };
  const present = (): bigint => dragging.shownAt(drag.value, line.price);
  return {
    drag,
    to: (at: bigint) => after(dragging.move(drag.value, line.price, at)),
    toDrawn: (price: number) => after(dragging.move(drag.value, line.price, dragging.snap(price, grid))),
    by: (ticks: bigint) => after(dragging.move(drag.value, line.price, dragging.nudge(present(), ticks, grid))),
    drop: (asks: boolean) => after(dragging.drop(drag.value, asks)),
    confirm: () => after(dragging.confirm(drag.value)),
    escape: () => after(dragging.escape(drag.value)),
  };
}

type Dragger = ReturnType<typeof useDrag>;

/** The pointer's part: where in the line it took hold, and the moves until it lets go. */
function usePointer(props: LineProps, dragger: Dragger, placed: { current: Placed | undefined }) {
  const grip = useRef<{ pointer: number; offset: number } | undefined>(undefined);
  const heightAt = (event: PointerEvent): number => {
    const overlay = (event.currentTarget as HTMLElement).closest('.chart-lines');
    return event.clientY - (overlay?.getBoundingClientRect().top ?? 0);
  };
  const handlers = {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0 || !dragging.movable(dragger.drag.value)) return;
      const y = heightAt(event);
      const at = placed.current && props.places.heightOf(placed.current);
      const seen = at !== undefined && Math.abs(at - y) < 40;
      grip.current = { pointer: event.pointerId, offset: seen ? at - y : 0 };
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    },
    onPointerMove(event: PointerEvent) {
      if (grip.current?.pointer !== event.pointerId) return;
      const price = props.places.priceAt(heightAt(event) + grip.current.offset);
      if (price !== undefined) dragger.toDrawn(price);
    },
    onPointerUp(event: PointerEvent) {
      if (grip.current?.pointer !== event.pointerId) return;
      grip.current = undefined;
      dragger.drop(props.asks);
    },
    onPointerCancel() {
      grip.current = undefined;
      dragger.escape();
    },
  };
  const letGo = (): void => {
    grip.current = undefined;
  };
  return { handlers, letGo };
}

function State({ props, drag }: { props: LineProps; drag: Drag }) {
  if (drag.phase === 'still') return null;
  if (drag.phase === 'refused') return <span class="line-refused">{drag.reason}</span>;
  return (
    <span class="line-to">
      → {priceText(props.market, drag.at)} {drag.phase === 'pending' ? say.pending() : ''}
    </span>
  );
}

function Label({ props, drag }: { props: LineProps; drag: Drag }) {
  const { line } = props;
  const limit = limitText(props.market, line);
  return (
    <>
      <b>{nameOf(line)}</b> {line.kind === 'liquidation' ? null : <span>{sizeText(line)}</span>}
      <span class="line-price">{priceText(props.market, line.price)}</span>
      {limit === undefined ? null : <span class="muted">{limit}</span>}
      <State props={props} drag={drag} />
    </>
  );
}

interface SliderProps {
  readonly props: LineProps;
  readonly dragger: Dragger;
  readonly placed: { current: Placed | undefined };
}

/** Takes the order back; beside the slider, because what is inside of a slider is hidden from screen readers. */
function Cancel({ props, order }: { props: LineProps; order: OpenOrder }) {
  const name = say.cancel({ name: `${nameOf(props.line)} ${valueText(props.market, props.line, dragging.still)}` });
  return (
    <button type="button" class="line-cancel" aria-label={name} title={name} onClick={() => void cancelOrder(order)}>
      ✕
    </button>
  );
}

function Slider({ props, dragger, placed }: SliderProps) {
  const { market, line } = props;
  const drag = dragger.drag.value;
  const { handlers, letGo } = usePointer(props, dragger, placed);
  const onKeyDown = (event: KeyboardEvent): void => {
    const ticks = keySteps(event, props);
    if (ticks !== undefined) dragger.by(ticks);
    else if (event.key === 'Enter' || event.key === ' ') dragger.drop(false);
    else if (event.key === 'Escape') {
      letGo();
      dragger.escape();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class="line-handle"
      role="slider"
      tabIndex={0}
      title={say.hint()}
      aria-label={nameOf(line)}
      aria-orientation="vertical"
      aria-valuenow={toPixelScale(priceOf(market, dragging.shownAt(drag, line.price)))}
      aria-valuemin={0}
      aria-valuemax={toPixelScale(priceOf(market, line.price * 10n))}
      aria-valuetext={valueText(market, line, drag)}
      aria-busy={drag.phase === 'pending'}
      onKeyDown={onKeyDown}
      onBlur={() => drag.phase === 'moving' && dragger.escape()}
      {...handlers}
    >
      <Label props={props} drag={drag} />
    </div>
  );
}

export function LineView(props: LineProps) {
  const { line, market } = props;
  const dragger = useDrag(props);
  const drag = dragger.drag.value;
  const { element, placed } = usePlace(props, dragger.drag);
  useEffect(() => {
    if (drag.phase !== 'refused') return undefined;
    const timer = setTimeout(dragger.escape, 10_000);
    return () => clearTimeout(timer);
  }, [drag]);
  const colour = `line-${variableOf(line.kind, line.side)}`;
  return (
    <div ref={element} class={`line line-${line.kind} ${colour} ${drag.phase}`}>
      <div class="line-label">
        {line.order ? (
          <Slider props={props} dragger={dragger} placed={placed} />
        ) : (
          <div class="line-handle" role="note" aria-label={`${nameOf(line)} ${valueText(market, line, drag)}`}>
            <Label props={props} drag={drag} />
          </div>
        )}
        {line.order ? <Cancel props={props} order={line.order} /> : null}
      </div>
      {drag.phase === 'asking' ? (
        <Question
          text={say.question({ name: nameOf(line), price: priceText(market, drag.at) })}
          onYes={dragger.confirm}
          onNo={dragger.escape}
        />
      ) : null}
    </div>
  );
}
