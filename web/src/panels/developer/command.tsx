// SPDX-License-Identifier: MIT
// A command of the drawer: while it runs its buttons are disabled, and its outcome stands in a status line.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

export interface Command {
  busy: boolean;
  said: string;
  failed: boolean;
  /** Runs `work`; what it returns, or the text of its error, becomes the outcome. */
  run(work: () => Promise<string>): Promise<void>;
}

export function useCommand(): Command {
  const state = useSignal({ busy: false, said: '', failed: false });
  const run = async (work: () => Promise<string>) => {
    state.value = { busy: true, said: '', failed: false };
    try {
      state.value = { busy: false, said: await work(), failed: false };
    } catch (error) {
      state.value = { busy: false, said: error instanceof Error ? error.message : String(error), failed: true };
    }
  };
  return { ...state.value, run };
}

export function Outcome({ command }: { command: Command }) {
  const kind = command.failed ? 'dev-outcome dev-failed' : 'dev-outcome';
  return (
    <p class={kind} role="status">
      {command.said}
    </p>
  );
}

/** A group of controls with a heading and one sentence about it. */
export function Group({ title, about, children }: { title: string; about?: string; children: ComponentChildren }) {
  return (
    <section class="dev-group" aria-label={title}>
      <h3>{title}</h3>
      {about && <p class="dev-about">{about}</p>}
      {children}
    </section>
  );
}

interface FieldProps {
  label: string;
  value: string;
  set(value: string): void;
  numeric?: boolean;
  placeholder?: string;
}

export function Field({ label, value, set, numeric = false, placeholder }: FieldProps) {
  return (
    <label class="dev-field">
      <span>{label}</span>
      <input
        type="text"
        value={value}
        placeholder={placeholder ?? ''}
        autocomplete="off"
        spellcheck={false}
        inputMode={numeric ? 'decimal' : 'text'}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  );
}

export function Choice({ label, value, set, options }: Omit<FieldProps, 'numeric'> & { options: [string, string][] }) {
  return (
    <label class="dev-field">
      <span>{label}</span>
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {options.map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
