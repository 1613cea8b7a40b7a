import { PassThrough } from 'node:stream';
import type { ToolService } from '../../src/domain/tool/tool.ts';
import type { RateLimiter } from '../../src/transport/mcp/call/rate-limiter.ts';
import { serveStreams } from '../../src/transport/mcp/stdio.ts';

/** One end of a served pair of streams, one JSON message a line. */
export interface StdioPair {
  send(message: unknown): void;
  /** The next line that comes, parsed. Rejects after two seconds. */
  next(): Promise<unknown>;
  /** Ends the client's side; resolves when the server is done. */
  end(): Promise<void>;
  readonly input: PassThrough;
  readonly output: PassThrough;
}

/** Serves a service over streams in memory. */
export function stdioPair(service: ToolService, gate?: RateLimiter): StdioPair {
  const input = new PassThrough();
  const output = new PassThrough();
  const served = serveStreams(service, { input, output }, gate);
  const lines: string[] = [];
  let text = '';
  let wake: (() => void) | undefined;
  output.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
    const whole = text.split('\n');
    text = whole.pop() ?? '';
    lines.push(...whole);
    wake?.();
  });
  const next = async (): Promise<unknown> => {
    if (lines.length === 0) {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('nothing came for 2 s')), 2_000);
        wake = () => {
          clearTimeout(timer);
          wake = undefined;
          resolve();
        };
      });
    }
    return JSON.parse(lines.shift() ?? 'null');
  };
  return {
    send: (message) => {
      input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    },
    next,
    end: () => {
      input.end();
      return served;
    },
    input,
    output,
  };
}
