import type { PostLane } from '../call/post-lane.ts';
import { isId } from '../json-rpc.ts';
import type { Question } from './questions.ts';

/** Most questions that one session has open; each hears when its call is given up. */
export const ASKS_OPEN_MAX = 64;

/** Requests of ours to the client of one session, in the streams of its own requests. */
export class ClientAsks {
  /** Makes ids unlike those of before a restart, whose answers may still come. */
  private readonly prefix: string;
  private readonly open = new Map<string, (response: unknown) => void>();
  private count = 0;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  /** Asks, and gives the result; `undefined` for an error, or when the signal aborts first. */
  ask(lane: PostLane, { method, params }: Question, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted || this.open.size >= ASKS_OPEN_MAX) return Promise.resolve(undefined);
    this.count += 1;
    const id = `${this.prefix}:${this.count}`;
    return new Promise((resolve) => {
      const settle = (response: unknown): void => {
        this.open.delete(id);
        signal.removeEventListener('abort', giveUp);
        resolve(response);
      };
      const giveUp = (): void => settle(undefined);
      this.open.set(id, settle);
      signal.addEventListener('abort', giveUp, { once: true });
      lane.notify(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  /** Takes a response of the client; `false` when nothing of here asked for it. */
  hear(raw: Readonly<Record<string, unknown>>): boolean {
    const { id, result } = raw;
    const settle = isId(id) ? this.open.get(String(id)) : undefined;
    settle?.(result);
    return settle !== undefined;
  }
}
