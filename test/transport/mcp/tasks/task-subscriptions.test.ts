import { expect, test } from 'vitest';
import { SimulatedClock } from '../../../../src/runtime/timer/clock.ts';
import type { CloseListener, HttpExchange } from '../../../../src/transport/http/host.ts';
import { Ticker } from '../../../../src/transport/mcp/call/ticker.ts';
import {
  SUBSCRIPTIONS_MAX,
  TaskSubscriptions,
} from '../../../../src/transport/mcp/tasks/task-subscriptions.ts';
import { jobDouble } from '../../../support/job-double.ts';

interface Reader {
  readonly exchange: HttpExchange;
  readonly written: string[];
  isEnded: boolean;
  gone: () => void;
}

function readerOf(): Reader {
  const reader: Reader = {
    written: [],
    isEnded: false,
    gone: () => undefined,
    exchange: {
      stream: () => ({
        isOpen: true,
        write: (text: string) => reader.written.push(text) > 0,
        end: () => {
          reader.isEnded = true;
        },
      }),
      listenClose: (listener: CloseListener) => {
        reader.gone = () => listener.connectionClosed();
      },
    } as unknown as HttpExchange,
  };
  return reader;
}

function world() {
  const clock = new SimulatedClock(0);
  const jobs = jobDouble();
  jobs.put('j');
  const streams = new TaskSubscriptions(jobs, { pulse: new Ticker(clock), keepAliveMs: 15_000 });
  const wish = { id: 1, taskIds: ['j'], capabilities: {} };
  return { clock, jobs, streams, wish };
}

test('a silent stream beats, and a reader that has gone leaves nothing behind', async () => {
  const { clock, jobs, streams, wish } = world();
  const reader = readerOf();
  await streams.serve(reader.exchange, wish);
  expect(reader.written).toHaveLength(1);
  await clock.advance(16_000);
  expect(reader.written.at(-1)).toBe(':\n\n');
  expect(jobs.watched()).toBe(1);
  reader.gone();
  expect(jobs.watched()).toBe(0);
  const count = reader.written.length;
  jobs.put('j', { status: 'ended' });
  await clock.advance(60_000);
  expect(reader.written).toHaveLength(count);
});

test('at the bound no more are taken, until one has ended', async () => {
  const { jobs, streams, wish } = world();
  const readers = Array.from({ length: SUBSCRIPTIONS_MAX }, readerOf);
  for (const { exchange } of readers) await streams.serve(exchange, wish);
  expect(streams.isFull).toBe(true);
  readers[0]?.gone();
  expect(streams.isFull).toBe(false);
  jobs.put('j', { status: 'ended' });
  expect(jobs.watched()).toBe(0);
  expect(readers.slice(1).every(({ isEnded }) => isEnded)).toBe(true);
});

test('a front that closes answers every subscription', async () => {
  const { streams, wish } = world();
  const reader = readerOf();
  await streams.serve(reader.exchange, wish);
  streams.close();
  expect(reader.isEnded).toBe(true);
  expect(reader.written.at(-1)).toContain('"resultType":"complete"');
});
