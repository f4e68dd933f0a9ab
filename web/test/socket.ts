// SPDX-License-Identifier: MIT
// A WebSocket whose other end is the test.
import type { Subscription } from '../../clients/typescript/src/routes';

export interface Request {
  op: string;
  id: number;
  params: Subscription;
}

/** One end of a connection; the test is the exchange. */
export class Socket {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  onerror: (() => void) | null = null;
  readonly sent: Request[] = [];
  closed = false;

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Request);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.onclose?.();
  }

  say(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  acknowledge(request: Request, success = true): void {
    this.say({ op: request.op, id: request.id, result: request.params, success, error: success ? null : 'no' });
  }

  /** Acknowledges everything that was not yet. */
  answered = 0;
  answerAll(): void {
    for (; this.answered < this.sent.length; this.answered++) {
      const request = this.sent[this.answered] as Request;
      if (request.op === 'ping') this.say({ op: 'pong' });
      else this.acknowledge(request);
    }
  }
}
