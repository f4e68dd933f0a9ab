// SPDX-License-Identifier: MIT
// Tabs by the pattern of screen readers: arrows move, the active tab alone is in the order of Tab.
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly title: ComponentChildren;
  /** Before the tabs' own; what it prevents they leave alone. */
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly onPointerDown?: (event: PointerEvent) => void;
}

export interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly active: Name;
  readonly onChange: (name: Name) => void;
  /** The content of the active tab. */
  readonly children: ComponentChildren;
  readonly class?: string;
}

export function Tabs<Name extends string>({ label, tabs, active, onChange, children, ...more }: TabsProps<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
    const at = tabs.findIndex((tab) => tab.name === active);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onChange(next.name);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[tabs.indexOf(next)]?.focus();
  };
  return (
    <div class={`tabs ${more.class ?? ''}`}>
      <div role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            data-tab={tab.name}
            aria-selected={tab.name === active}
            aria-controls={`${id}-content`}
            tabIndex={tab.name === active ? 0 : -1}
            onClick={() => onChange(tab.name)}
            onKeyDown={tab.onKeyDown}
            onPointerDown={tab.onPointerDown}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-content`} aria-labelledby={`${id}-${active}`}>
        {children}
      </div>
    </div>
  );
}
