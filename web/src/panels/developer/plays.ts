// SPDX-License-Identifier: MIT
// Scenarios of the exchange and what a run of one has said, as texts of the drawer.

export interface Scenario {
  name: string;
  about: string;
  market: string;
  endsMs: number;
  steps: number;
  expectations: number;
  own: boolean; // plays only in an exchange of its own
}

/** A line as `dojima scenario run --json` prints it. */
export interface Line {
  ms?: number;
  step?: string;
  expect?: string;
  note?: string;
  outcome?: string;
  failed?: string;
  expected?: number;
  held?: number;
}

export interface Run {
  id: number;
  name: string;
  own: boolean;
  state: 'playing' | 'stopping' | 'passed' | 'failed' | 'stopped';
  ms: number;
  cut: boolean;
  lines: Line[];
}

export const plays = (run: Run | null): boolean => run?.state === 'playing' || run?.state === 'stopping';

/** 0:05, 2:00, 1:30:00, of scenario time. */
export function span(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export interface Row {
  at: string;
  kind: 'step' | 'expect' | 'end';
  what: string;
  outcome: string;
  bad: boolean;
}

/** The lines that are events; the last one, with the sum, is none. */
export function eventsOf(run: Run): Row[] {
  const rows: Row[] = [];
  for (const line of run.lines) {
    const outcome = line.failed ?? line.outcome ?? '';
    const add = (kind: Row['kind'], what: string, good: string) =>
      rows.push({ at: span(line.ms ?? 0), kind, what, outcome, bad: outcome !== good });
    if (line.failed !== undefined) rows.push({ at: span(line.ms ?? 0), kind: 'end', what: '', outcome, bad: true });
    else if (line.step !== undefined) add('step', textOf(line.step, line), 'done');
    else if (line.expect !== undefined) add('expect', textOf(line.expect, line), 'holds');
  }
  return rows;
}

const textOf = (kind: string, line: Line): string => (line.note ? `${kind}: ${line.note}` : kind);

/** How many expectations came true, and how many there are, when the run has said so. */
export function sumOf(run: Run): { held: number; expected: number } | undefined {
  const last = run.lines[run.lines.length - 1];
  return last?.expected === undefined ? undefined : { held: last.held ?? 0, expected: last.expected };
}
