import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { ENGINES } from './engines.ts';
import {
  deafSocket,
  eventually,
  type FrontProcess,
  type Holding,
  Honest,
  pause,
  startFrontProcess,
} from './front-process.ts';
import { greeting } from './wire-session.ts';

/** Bytes of a mebibyte. */
export const MIB = 1_048_576;
/** How much more than at the start a front may hold when an attack is over. */
const NEAR_BYTES = { heap: 16 * MIB, rss: 160 * MIB } as const;
/** A request that begins a session. */
export const INIT = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: greeting('2025-11-25'),
});
/** Headers of a request to the front. */
export const HEAD = [
  'Host: 127.0.0.1',
  'Content-Type: application/json',
  'Accept: application/json, text/event-stream',
].join('\r\n');

/** A POST as it goes over the wire. */
export const post = (body: string, session = '') =>
  `POST /v1/mcp HTTP/1.1\r\n${HEAD}\r\n${session === '' ? '' : `Mcp-Session-Id: ${session}\r\n`}` +
  `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** A GET of the standing stream as it goes over the wire. */
export const LISTEN = (session: string) =>
  `GET /v1/mcp HTTP/1.1\r\n${HEAD}\r\nMcp-Session-Id: ${session}\r\n\r\n`;

/** A front under attack, with an honest client that asks it all the time. */
export class Attacked {
  readonly front: FrontProcess;
  private readonly honest: Honest;
  readonly start: Holding;

  private constructor(front: FrontProcess, honest: Honest, start: Holding) {
    this.front = front;
    this.honest = honest;
    this.start = start;
  }

  static async begin(front: FrontProcess): Promise<Attacked> {
    const honest = await Honest.begin(front);
    await pause(200);
    return new Attacked(front, honest, await front.holding());
  }

  /** Begins sessions; where one is refused, its status stands for it. */
  async sessions(count: number): Promise<string[]> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const ids: string[] = [];
    for (let at = 0; at < count; at += 50) {
      const lot = Array.from({ length: Math.min(50, count - at) }, () =>
        fetch(this.front.url, { method: 'POST', headers, body: INIT, signal: guard() }),
      );
      for (const response of await Promise.all(lot)) {
        await response.text();
        ids.push(response.headers.get('mcp-session-id') ?? `${response.status}`);
      }
    }
    return ids;
  }

  async end(ids: readonly string[]): Promise<readonly number[]> {
    const statuses: number[] = [];
    for (let at = 0; at < ids.length; at += 100) {
      const lot = ids.slice(at, at + 100).map(async (id) => {
        const headers = { 'mcp-session-id': id };
        const answer = await fetch(this.front.url, { method: 'DELETE', headers, signal: guard() });
        return answer.status;
      });
      statuses.push(...(await Promise.all(lot)));
    }
    return statuses;
  }

  deaf(texts: readonly string[]): Socket[] {
    return texts.map((text) => deafSocket(this.front.port, text));
  }

  hasOpen(isEnough: (open: number) => boolean): Promise<boolean> {
    return eventually(async () => isEnough((await this.front.holding()).open));
  }

  /** The honest client was answered all the time, and the memory is back. */
  async expectServedAndSmall(): Promise<void> {
    const { answered, failed } = await this.honest.end();
    expect(failed).toBe(0);
    expect(answered).toBeGreaterThan(0);
    const isSmall = async () => {
      const { heapBytes, rssBytes } = await this.front.holding();
      const isHeapSmall = heapBytes < this.start.heapBytes + NEAR_BYTES.heap;
      return isHeapSmall && rssBytes < this.start.rssBytes + NEAR_BYTES.rss;
    };
    expect(await eventually(isSmall, 30_000)).toBe(true);
  }
}

function guard(): AbortSignal {
  return AbortSignal.timeout(20_000);
}

/** States a claim about a front under attack, over each engine. */
export function attack(
  name: string,
  run: (world: Attacked) => Promise<void>,
  options: Parameters<typeof startFrontProcess>[1] = {},
): void {
  for (const engine of ENGINES) {
    test(`${name} (${engine})`, { timeout: 90_000 }, async () => {
      const front = await startFrontProcess(engine, options);
      try {
        const world = await Attacked.begin(front);
        await run(world);
        await world.expectServedAndSmall();
      } finally {
        await front.stop();
      }
    });
  }
}
