import { expect, test } from 'vitest';
import type { CloseListener, HttpExchange, HttpStream } from '../../../src/transport/http/host.ts';
import { Ticker } from '../../../src/transport/mcp/call/ticker.ts';
import { MemoryEventLog } from '../../../src/transport/mcp/session/memory-state.ts';
import { SseChannel } from '../../../src/transport/mcp/sse-channel.ts';
import { realClock } from '../../support/real-clock.ts';
import { claimer } from './each-engine.ts';
import { allEvents, readEvents, type Wire } from './wire.ts';

/** What a proxy does that drops its client and keeps the server's socket: nothing is aborted. */
const HALF_OPEN = 'a connection whose client is gone, and that nobody has closed';

/** Reads some events and then no more, with the connection left open. */
async function readSome(response: Response, count: number): Promise<string> {
  let last = '';
  let seen = 0;
  const events = readEvents(response);
  while (seen < count) {
    const { value } = await events.next();
    if (value === undefined) break;
    last = value.id ?? last;
    seen += value.data === '' ? 0 : 1;
  }
  return last;
}

async function startSteps(wire: Wire): Promise<string> {
  const meta = { progressToken: 't' };
  return readSome(await wire.call('steps', { count: 12, pauseMs: 20 }, { meta }), 3);
}

const claim = claimer({ limits: { upgradeAfterMs: 200 } });

claim(`the standing stream is opened again beside ${HALF_OPEN}`, async ({ wire }) => {
  const first = await wire.plain('GET');
  const later = [await wire.plain('GET'), await wire.plain('GET')];
  expect([first, ...later].map(({ status }) => status)).toEqual([200, 200, 200]);
  // A reader that is still there sees the end of its stream.
  const [second] = later as [Response, Response];
  for (const replaced of [first, second]) await replaced.text();
});

claim(`a result is read past ${HALF_OPEN}`, async ({ rig, wire }) => {
  const last = await startSteps(wire);
  const rest = await wire.plain('GET', { 'last-event-id': last });
  expect(rest.status).toBe(200);
  const messages = (await allEvents(rest)).map(({ data }) => JSON.parse(data));
  expect(messages.map(({ params }) => params?.progress)).toEqual([
    ...[4, 5, 6, 7, 8, 9, 10, 11, 12],
    undefined,
  ]);
  expect(messages.at(-1)?.result.content[0].text).toBe('12 steps');
  expect(rig.service.calls[0]?.signal.aborted).toBe(false);
});

claim(`a resumed stream can be half open, too`, async ({ wire }) => {
  let last = await startSteps(wire);
  for (let again = 0; again < 2; again += 1) {
    const resumed = await wire.plain('GET', { 'last-event-id': last });
    expect(resumed.status).toBe(200);
    last = await readSome(resumed, 2);
  }
  const rest = await wire.plain('GET', { 'last-event-id': last });
  const messages = (await allEvents(rest)).map(({ data }) => JSON.parse(data));
  expect(messages.at(-1)?.result.content[0].text).toBe('12 steps');
});

/** A connection that keeps what is written, and is closed when the test says so. */
function connection() {
  const written: string[] = [];
  let listener: CloseListener | undefined;
  const state = { isOpen: true, isEnded: false };
  const stream: HttpStream = {
    get isOpen() {
      return state.isOpen;
    },
    waitingBytes: 0,
    write: (text) => {
      written.push(text);
      return true;
    },
    end: () => {
      state.isEnded = true;
      state.isOpen = false;
    },
  };
  const exchange = {
    stream: () => stream,
    listenClose: (given: CloseListener) => {
      listener = given;
    },
  } as unknown as HttpExchange;
  return { exchange, written, state, close: () => listener?.connectionClosed() };
}

test('the end of a connection that was replaced does not take the stream from its reader', () => {
  const pulse = new Ticker(realClock);
  const limits = { keepAliveMs: 15_000, resumeGraceMs: 1_000 };
  const core = { events: new MemoryEventLog(), pulse, limits };
  let deserted = 0;
  const place = { sessionId: 's', streamId: 'x', onAbandoned: () => (deserted += 1) };
  const channel = new SseChannel(core, place);
  const [first, second] = [connection(), connection()];
  channel.attach(first.exchange, [], false);
  channel.send('{"n":1}');
  channel.attach(second.exchange, [], false);
  expect(first.state.isEnded).toBe(true);
  first.close();
  channel.send('{"n":2}');
  expect(channel.isConnected).toBe(true);
  expect([first.written.length, second.written.length]).toEqual([1, 1]);
  expect(second.written[0]).toContain('{"n":2}');
  channel.tick(Number.MAX_SAFE_INTEGER);
  expect(deserted).toBe(0);
  second.state.isOpen = false;
  second.close();
  expect(channel.isConnected).toBe(false);
  pulse.stop();
});
