import { expect, test } from 'vitest';
import { PAYMENT_META } from '../../../src/domain/payment/payment.ts';
import { ENGINES } from '../../support/engines.ts';
import { ASKING, answerFor, DEBATE, type TaskWorld, taskWorld } from '../../support/task-world.ts';
import { type RpcAnswer, readEvents, Wire } from './wire.ts';

const RELATED = 'io.modelcontextprotocol/related-task';

async function session(world: TaskWorld, capabilities: object = {}, path = '/v1/mcp') {
  const wire = new Wire(world.rig, path);
  const hello = await wire.open('2025-11-25', capabilities);
  return { wire, hello };
}

async function begin(world: TaskWorld, wire: Wire, ttl = 60_000): Promise<RpcAnswer> {
  const params = { name: DEBATE, arguments: ASKING, task: { ttl }, _meta: await world.payment() };
  return wire.ask('tools/call', params);
}

async function begun(world: TaskWorld, wire: Wire): Promise<string> {
  return (await begin(world, wire)).result.task.taskId;
}

function claim(name: string, run: (world: TaskWorld) => Promise<void>): void {
  for (const engine of ENGINES) {
    test(`${name} (${engine})`, async () => run(await taskWorld(engine)));
  }
}

claim('tasks are offered to that version alone, and only job tools say so', async (world) => {
  const { wire, hello } = await session(world);
  const offer = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
  expect(hello.result.capabilities.tasks).toEqual(offer);
  const { tools } = (await wire.ask('tools/list')).result;
  const named = tools.filter((tool: { execution?: object }) => tool.execution !== undefined);
  expect(named.map(({ name }: { name: string }) => name)).toEqual([DEBATE, 'procurement_council']);
  for (const { execution } of named) expect(execution).toEqual({ taskSupport: 'optional' });
  const old = new Wire(world.rig);
  expect((await old.open('2025-06-18')).result.capabilities.tasks).toBeUndefined();
  expect(JSON.stringify((await old.ask('tools/list')).result)).not.toContain('taskSupport');
  expect((await old.ask('tasks/list')).error?.code).toBe(-32_601);
});

claim('a task begins after the payment, is its job, and hands over its result', async (world) => {
  const { wire } = await session(world);
  const { result } = await begin(world, wire);
  expect(result.task).toMatchObject({ status: 'input_required', ttl: null, pollInterval: 2_000 });
  expect(result._meta['x402/payment-response'].success).toBe(true);
  const { taskId } = result.task;
  expect(Date.parse(result.task.createdAt)).toBeGreaterThan(0);
  const waiting = wire.ask('tasks/result', { taskId }, 'r');
  const ended = await world.answerAll(taskId);
  const told = (await waiting).result;
  expect(told.structuredContent).toMatchObject({ job_id: taskId, status: ended.status });
  expect(told._meta[RELATED]).toEqual({ taskId });
  const last = (await wire.ask('tasks/get', { taskId })).result;
  expect(last).toMatchObject({ taskId, status: 'completed' });
  expect(last.statusMessage).toMatch(/^Decision: /);
  // Kept for 400 days from its end, whatever was wished for.
  expect(last.ttl).toBeGreaterThanOrEqual(400 * 86_400_000);
  const again = (
    await wire.ask('tools/call', { name: 'get_result', arguments: { job_id: taskId } })
  ).result;
  expect(again.structuredContent).toEqual(told.structuredContent);
});

claim('an unpaid task gets the usual challenge, with its status', async (world) => {
  const { wire } = await session(world);
  const params = { name: DEBATE, arguments: ASKING, task: {} };
  const refused = await wire.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  expect(refused.status).toBe(402);
  expect(refused.headers.get('payment-required')).not.toBeNull();
  expect(((await refused.json()) as RpcAnswer).result.structuredContent.accepts).toHaveLength(1);
  const band = await session(world, {}, '/v2/');
  expect((await band.wire.ask('tools/call', params)).result).toMatchObject({ isError: true });
  expect(world.chain.ledger.transfers).toHaveLength(0);
});

claim('a task is paid for by header too', async (world) => {
  const { wire } = await session(world);
  const value = JSON.stringify((await world.payment())[PAYMENT_META]);
  const headers = { 'payment-signature': Buffer.from(value).toString('base64') };
  const params = { name: DEBATE, arguments: ASKING, task: { ttl: 1_000 } };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const first = await wire.post(call, { headers });
  expect(first.headers.get('payment-response')).not.toBeNull();
  const { task } = ((await first.json()) as RpcAnswer).result;
  // The same payment again is the same task.
  const second = (await (await wire.post(call, { headers })).json()) as RpcAnswer;
  expect(second.result.task.taskId).toBe(task.taskId);
});

claim('what cannot be a task is refused before any money moves', async (world) => {
  const { wire } = await session(world);
  const call = async (params: object) => (await wire.ask('tools/call', params)).error?.code;
  const inline = { name: 'get_result', arguments: { job_id: 'job_1' }, task: {} };
  expect(await call(inline)).toBe(-32_601);
  for (const task of [{ ttl: -1 }, { ttl: 1.5 }, { ttl: '9' }, 'yes', null]) {
    expect(await call({ name: DEBATE, arguments: ASKING, task })).toBe(-32_602);
  }
  const wrong = { name: DEBATE, arguments: { question: 'a' }, task: {} };
  expect(await call({ ...wrong, _meta: await world.payment() })).toBe(-32_602);
  expect(await call({ name: 'no_such', arguments: {}, task: {} })).toBe(-32_602);
  expect(world.chain.ledger.transfers).toHaveLength(0);
});

claim('a list shows the tasks of its session and no others', async (world) => {
  const mine = await session(world);
  const other = await session(world);
  const taskId = await begun(world, mine.wire);
  const ids = async (wire: Wire) =>
    (await wire.ask('tasks/list')).result.tasks.map((task: { taskId: string }) => task.taskId);
  expect(await ids(mine.wire)).toEqual([taskId]);
  expect(await ids(other.wire)).toEqual([]);
  expect((await mine.wire.ask('tasks/list', { cursor: 'x' })).error?.code).toBe(-32_602);
  // The id is a capability: who holds it may read.
  expect((await other.wire.ask('tasks/get', { taskId })).result.taskId).toBe(taskId);
});

claim('unknown ids, and ids of what is no job, are refused alike', async (world) => {
  const { wire } = await session(world);
  await begun(world, wire);
  for (const taskId of ['job_0', 'pay_1', 7, undefined, 'x'.repeat(500)]) {
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      expect((await wire.ask(method, { taskId })).error?.code).toBe(-32_602);
    }
  }
});

claim('a cancel ends the job and gives the price back', async (world) => {
  const { wire } = await session(world);
  const taskId = await begun(world, wire);
  const { payer, chain } = world;
  expect(chain.ledger.balance(payer.address)).toBe(48_000_000n);
  const waiting = wire.ask('tasks/result', { taskId }, 'r');
  expect((await wire.ask('tasks/cancel', { taskId })).result).toMatchObject({
    taskId,
    status: 'cancelled',
  });
  expect((await waiting).result.structuredContent.status).toBe('cancelled');
  await expect.poll(() => chain.ledger.balance(payer.address)).toBe(50_000_000n);
  expect((await wire.ask('tasks/cancel', { taskId })).error?.code).toBe(-32_602);
});

claim('a task outlives the server, and its session still lists it', async (world) => {
  const { wire } = await session(world);
  const taskId = await begun(world, wire);
  await world.restart();
  const back = new Wire(world.rig);
  back.sessionId = wire.sessionId;
  expect((await back.ask('tasks/list')).result.tasks).toMatchObject([
    { taskId, status: 'input_required' },
  ]);
  const waiting = back.ask('tasks/result', { taskId }, 'r');
  await world.answerAll(taskId);
  expect((await waiting).result.structuredContent).toMatchObject({ status: 'decided' });
});

claim('who waits for a result while the front closes is told to retry', async (world) => {
  const { wire } = await session(world);
  const taskId = await begun(world, wire);
  const waiting = wire.ask('tasks/result', { taskId }, 'r');
  await new Promise((resolve) => setTimeout(resolve, 50));
  await world.restart();
  expect((await waiting).error).toMatchObject({
    code: -32_000,
    message: expect.stringContaining('retry'),
  });
});

claim('a standing stream hears how a task goes on', async (world) => {
  const { wire } = await session(world);
  const stream = await wire.plain('GET');
  const taskId = await begun(world, wire);
  const answering = world.answerAll(taskId);
  const heard: string[] = [];
  for await (const { data } of readEvents(stream)) {
    if (data === '') continue;
    const { method, params } = JSON.parse(data);
    expect(method).toBe('notifications/tasks/status');
    expect(params.taskId).toBe(taskId);
    heard.push(params.status);
    if (params.status === 'completed') break;
  }
  expect(heard).toContain('input_required');
  await answering;
});

const LENDERS = { 'its model': { sampling: {} }, 'its person': { elicitation: {} } };

for (const [lent, capabilities] of Object.entries(LENDERS)) {
  claim(`what a job needs is asked of a client that lends ${lent}`, async (world) => {
    const { wire } = await session(world, capabilities);
    const taskId = await begun(world, wire);
    const params = { taskId };
    const stream = await wire.post({ jsonrpc: '2.0', id: 'r', method: 'tasks/result', params });
    let asked = 0;
    let last: RpcAnswer | undefined;
    for await (const { data } of readEvents(stream)) {
      const message = data === '' ? {} : JSON.parse(data);
      if (message.id === 'r') last = message;
      if (message.method === undefined) continue;
      asked += 1;
      expect(message.params._meta[RELATED]).toEqual({ taskId });
      // The first answer does not fit, and is asked for again.
      const text = asked === 1 ? 'no idea' : answerFor(JSON.stringify(message.params));
      const model = { role: 'assistant', model: 'm', content: { type: 'text', text } };
      const person = { action: 'accept', content: { answer: text } };
      const result = message.method === 'sampling/createMessage' ? model : person;
      await wire.post({ jsonrpc: '2.0', id: message.id, result });
    }
    expect(last?.result.structuredContent).toMatchObject({ status: 'decided' });
    // Five seats open and vote, and one of them twice.
    expect(asked).toBe(11);
  });
}

claim('who stops waiting for a result ends the wait and not the job', async (world) => {
  const { wire } = await session(world);
  const taskId = await begun(world, wire);
  const waiting = wire.post({
    jsonrpc: '2.0',
    id: 'r',
    method: 'tasks/result',
    params: { taskId },
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const params = { requestId: 'r' };
  await wire.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  expect((await waiting).status).toBe(202);
  expect((await wire.ask('tasks/get', { taskId })).result.status).toBe('input_required');
});
