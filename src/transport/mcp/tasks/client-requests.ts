import type { ReplyWriter } from '../call/open-call.ts';
import { isId } from '../json-rpc.ts';
import type { Question } from './questions.ts';

/** Most open questions per session. Each listens for the abort of its call. */
export const CLIENT_REQUESTS_MAX = 64;

/** Requests of the server to the client of one session, on the streams of the client's requests. */
export class ClientRequests {
  /** Distinguishes ids from those before a restart, whose answers may still arrive. */
  private readonly prefix: string;
  private readonly open = new Map<string, (response: unknown) => void>();
  private count = 0;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  /** Sends a question. Resolves with the result, or `undefined` on an error or abort. */
  send(
    writer: Pick<ReplyWriter, 'notify'>,
    { method, params }: Question,
    signal: AbortSignal,
  ): Promise<unknown> {
    if (signal.aborted || this.open.size >= CLIENT_REQUESTS_MAX) return Promise.resolve(undefined);
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
      writer.notify(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    });
  }

  /** Handles a client response. Returns `false` if no open question has its id. */
  handleResponse(raw: Readonly<Record<string, unknown>>): boolean {
    const { id, result } = raw;
    const settle = isId(id) ? this.open.get(String(id)) : undefined;
    settle?.(result);
    return settle !== undefined;
  }
}
