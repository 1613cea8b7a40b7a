import { expect } from 'vitest';
import type { ListedTool } from '../../../../src/domain/tool/tool.ts';
import {
  MemoryEventLog,
  MemoryOpenCalls,
  MemorySessionStore,
} from '../../../../src/transport/mcp/session/memory-state.ts';
import type { FrontRig } from '../../../support/front-rig.ts';
import { type TestService, testService } from '../../../support/tool-service.ts';
import { claimer, type World } from '../each-engine.ts';
import { allEvents, type RpcAnswer, readEvents, type StreamEvent, until, Wire } from '../wire.ts';

const claim = claimer();

/** Test tools with other hints and price for `hold`. */
function holding(hints: Partial<ListedTool['annotations']>, price?: object): TestService {
  const service = testService();
  const tools = service.tools.map((tool) => ({
    ...tool,
    annotations: { ...tool.annotations, ...hints },
    ...(price === undefined ? {} : { _meta: { price: { ...price } } }),
  }));
  return { ...service, tools };
}

const REPEATABLE = () => holding({ idempotentHint: true });
const ONCE = () => holding({ idempotentHint: false });
const JOB = () => holding({ idempotentHint: false }, { flow: 'upfront' });

/** What a data directory holds of the front. */
function state() {
  return {
    sessions: new MemorySessionStore(),
    events: new MemoryEventLog(),
    openCalls: new MemoryOpenCalls(),
  };
}

interface CutOff {
  readonly first: FrontRig;
  readonly second: FrontRig;
  readonly wire: Wire;
  readonly seen: StreamEvent[];
}

/**
 * Streams a call of `hold` up to its first progress, and has another front take over the state as
 * after a kill: the first one is only heard of again when the test ends.
 */
async function cutOff({ start }: World, service: () => TestService, meta = {}): Promise<CutOff> {
  const kept = state();
  const first = await start({ ...kept, commerce: service() });
  const wire = new Wire(first);
  await wire.open();
  const gone = new AbortController();
  const { signal } = gone;
  const response = await wire.call(
    'hold',
    { a: 1 },
    { meta: { progressToken: 'p', ...meta }, signal },
  );
  const seen: StreamEvent[] = [];
  for await (const event of readEvents(response)) {
    seen.push(event);
    if (event.data !== '') break;
  }
  const second = await start({ ...kept, commerce: service() });
  return { first, second, wire, seen };
}

async function resume({ second, wire, seen }: CutOff, from = seen.at(-1)?.id ?? '') {
  const again = new Wire(second);
  again.sessionId = wire.sessionId;
  return again.plain('GET', { 'last-event-id': from });
}

const commerceOf = (rig: FrontRig) => rig.options.commerce as TestService;
const answersOf = (events: readonly StreamEvent[]): RpcAnswer[] =>
  events.filter(({ data }) => data !== '').map(({ data }) => JSON.parse(data));

claim('a call that may be repeated is made again, and its stream is finished', async (world) => {
  const cut = await cutOff(world, REPEATABLE, { 'x402/payment': { pay: 1 } });
  const response = await resume(cut);
  await until(() => commerceOf(cut.second).calls.length === 1);
  const [before] = commerceOf(cut.first).calls;
  const [after] = commerceOf(cut.second).calls;
  expect(after?.name).toBe('hold');
  expect(after?.arguments).toEqual({ a: 1 });
  expect(after?.payments).toEqual([{ carrier: 'meta', value: { pay: 1 } }]);
  expect(after?.payments).toEqual(before?.payments);
  expect(after?.resourceUrl).toBe(before?.resourceUrl);
  expect(after?.principal).toEqual(before?.principal);
  commerceOf(cut.second).release();
  const rest = answersOf(await allEvents(response));
  expect(rest).toEqual([{ jsonrpc: '2.0', id: 1, result: expect.anything() }]);
  const streamId = (cut.seen[0]?.id ?? '').split(':')[0] ?? '';
  expect(cut.second.options.openCalls?.of(cut.wire.sessionId ?? '', streamId)).toEqual([]);
  const last = answersOf(await allEvents(await resume(cut)));
  expect(last).toEqual(rest);
  expect(commerceOf(cut.second).calls).toHaveLength(1);
});

claim('a client that was dropped twice finds the same call under way', async (world) => {
  const cut = await cutOff(world, REPEATABLE);
  const first = await resume(cut);
  await until(() => commerceOf(cut.second).calls.length === 1);
  await first.body?.cancel();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const second = await resume(cut);
  commerceOf(cut.second).release();
  expect(answersOf(await allEvents(second))).toHaveLength(1);
  expect(commerceOf(cut.second).calls).toHaveLength(1);
});

claim('a call that may not be repeated is answered as lost, once', async (world) => {
  const cut = await cutOff(world, ONCE);
  const lost = [
    {
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32_603,
        message: expect.stringContaining('restarted'),
        data: { error: 'INTERNAL', retry: 'later', hint: expect.stringContaining('Call again') },
      },
    },
  ];
  expect(answersOf(await allEvents(await resume(cut)))).toEqual(lost);
  expect(answersOf(await allEvents(await resume(cut)))).toEqual(lost);
  expect(commerceOf(cut.second).calls).toHaveLength(0);
});

claim('an event that the kill took from the log is no reason to lose the stream', async (world) => {
  const cut = await cutOff(world, REPEATABLE);
  const streamId = (cut.seen[0]?.id ?? '').split(':')[0];
  const response = await resume(cut, `${streamId}:100`);
  expect(response.status).toBe(200);
  await until(() => commerceOf(cut.second).calls.length === 1);
  commerceOf(cut.second).release();
  expect(answersOf(await allEvents(response))).toMatchObject([{ id: 1, result: {} }]);
  expect((await resume(cut, 'elsewhere:3')).status).toBe(400);
});

claim('a deleted session leaves no call behind', async (world) => {
  const cut = await cutOff(world, REPEATABLE);
  const streamId = (cut.seen[0]?.id ?? '').split(':')[0] ?? '';
  const { openCalls } = cut.second.options;
  const again = new Wire(cut.second);
  again.sessionId = cut.wire.sessionId;
  expect(openCalls?.of(cut.wire.sessionId ?? '', streamId)).toHaveLength(1);
  expect((await again.plain('DELETE')).status).toBe(200);
  expect(openCalls?.of(cut.wire.sessionId ?? '', streamId)).toEqual([]);
});

claim('a closing front leaves the wait for a job to the next one', async ({ start }) => {
  const kept = state();
  const first = await start({ ...kept, commerce: JOB(), limits: { closeGraceMs: 5_000 } });
  const wire = new Wire(first);
  await wire.open();
  const response = await wire.call('hold', {}, { meta: { progressToken: 'p' } });
  await until(() => commerceOf(first).calls.length === 1);
  const closing = first.front.close();
  const seen = await allEvents(response);
  await closing;
  expect(answersOf(seen)).toMatchObject([{ method: 'notifications/progress' }]);
  expect(commerceOf(first).calls[0]?.signal.aborted).toBe(true);
  const second = await start({ ...kept, commerce: JOB() });
  const rest = await resume({ first, second, wire, seen });
  await until(() => commerceOf(second).calls.length === 1);
  commerceOf(second).release();
  expect(answersOf(await allEvents(rest))).toMatchObject([{ id: 1, result: {} }]);
});

claim('a closing front lets other calls finish and takes no new ones', async ({ start }) => {
  const rig = await start({ commerce: ONCE(), limits: { closeGraceMs: 5_000 } });
  const wire = new Wire(rig);
  await wire.open();
  const held = await wire.call('hold', {}, { meta: { progressToken: 'p' } });
  await until(() => commerceOf(rig).calls.length === 1);
  const closing = rig.front.close();
  const refused = await wire.post({ jsonrpc: '2.0', id: 2, method: 'ping' });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  commerceOf(rig).release();
  expect(await held.text()).toContain('"result"');
  await closing;
});
