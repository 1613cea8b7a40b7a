import { expect, test } from 'vitest';
import { PAYMENT_META } from '../../../src/domain/payment/payment.ts';
import { ENGINES } from '../../support/engines.ts';
import { knowing, ModernWire, TASKS } from '../../support/modern-wire.ts';
import { ASKING, answerFor, DEBATE, type TaskWorld, taskWorld } from '../../support/task-world.ts';
import { type RpcAnswer, readEvents } from './wire.ts';

const MISSING = {
  code: -32_021,
  data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
};

function claim(name: string, run: (world: TaskWorld) => Promise<void>): void {
  for (const engine of ENGINES) {
    test(`${name} (${engine})`, async () => run(await taskWorld(engine)));
  }
}

function wireOf(world: TaskWorld, capabilities = knowing()): ModernWire {
  return new ModernWire(world.rig.baseUrl, capabilities);
}

async function call(world: TaskWorld, wire = wireOf(world)): Promise<RpcAnswer> {
  return wire.ask('tools/call', { name: DEBATE, arguments: ASKING, _meta: await world.payment() });
}

claim('the extension is advertised, and not the capability of 2025-11-25', async (world) => {
  const { result } = await wireOf(world).ask('server/discover');
  expect(result.capabilities.extensions).toEqual({ [TASKS]: {}, 'org.x402/payment': {} });
  expect(result.capabilities.tasks).toBeUndefined();
  const list = JSON.stringify((await wireOf(world).ask('tools/list')).result);
  expect(list).not.toContain('taskSupport');
});

claim('a paid job call is answered by a flat task, and its result by tasks/get', async (world) => {
  const wire = wireOf(world);
  const { result } = await call(world, wire);
  const { taskId } = result;
  expect(result).toMatchObject({ resultType: 'task', taskId: expect.stringMatching(/^job_/) });
  expect(result).toMatchObject({ ttlMs: null, pollIntervalMs: 2_000, status: 'working' });
  expect(result._meta['x402/payment-response'].success).toBe(true);
  for (const key of ['task', 'result', 'ttl', 'pollInterval', 'inputRequests']) {
    expect(result).not.toHaveProperty(key);
  }
  expect((await wire.ask('tasks/get', { taskId })).result).toMatchObject({
    resultType: 'complete',
    taskId,
    status: 'working',
    statusMessage: expect.stringContaining('5 turns are needed'),
  });
  await world.answerAll(taskId);
  const { result: last } = await wire.ask('tasks/get', { taskId });
  expect(last).toMatchObject({ resultType: 'complete', status: 'completed' });
  expect(last.result.structuredContent).toMatchObject({ job_id: taskId, status: 'decided' });
  expect(last.result._meta ?? {}).not.toHaveProperty('io.modelcontextprotocol/related-task');
  expect(last.ttlMs).toBeGreaterThanOrEqual(400 * 86_400_000);
});

claim('a client that has not declared it gets results, and no task methods', async (world) => {
  const wire = wireOf(world, {});
  const args = { ...ASKING, wait_s: 0 };
  const _meta = await world.payment(args);
  const params = { name: DEBATE, arguments: args, task: { ttl: 1 }, _meta };
  const { result } = await wire.ask('tools/call', params);
  expect(result).toMatchObject({ resultType: 'complete' });
  const taskId = result.structuredContent.job_id;
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    expect((await wire.ask(method, { taskId, inputResponses: {} })).error).toMatchObject(MISSING);
  }
  const filter = { notifications: { taskIds: [taskId] } };
  expect((await wire.ask('subscriptions/listen', filter)).error).toMatchObject(MISSING);
});

claim('an unpaid job call is answered by its challenge', async (world) => {
  const { result } = await wireOf(world).ask('tools/call', { name: DEBATE, arguments: ASKING });
  expect(result).toMatchObject({ resultType: 'complete', isError: true });
  expect(result.structuredContent.accepts).toHaveLength(1);
  expect(world.chain.ledger.transfers).toHaveLength(0);
});

claim('a payment by header begins the same task as one in the call', async (world) => {
  const meta = await world.payment();
  const value = Buffer.from(JSON.stringify(meta[PAYMENT_META])).toString('base64');
  const params = { name: DEBATE, arguments: ASKING };
  const wire = wireOf(world);
  const paid = await wire.post('tools/call', params, { 'payment-signature': value });
  const { result } = (await paid.json()) as RpcAnswer;
  const again = await wire.ask('tools/call', { ...params, _meta: meta });
  expect(again.result.taskId).toBe(result.taskId);
});

claim('an inline tool stays what it is', async (world) => {
  const params = { name: 'get_result', arguments: { job_id: 'job_0' }, task: { ttl: 1 } };
  const { result } = await wireOf(world).ask('tools/call', params);
  expect(result).toMatchObject({ resultType: 'complete', isError: true });
});

claim('unknown ids and removed methods are refused, and headers must agree', async (world) => {
  const wire = wireOf(world);
  const { taskId } = (await call(world, wire)).result;
  for (const unknown of ['job_0', 'pay_1']) {
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { error } = await wire.ask(method, { taskId: unknown, inputResponses: {} });
      expect(error?.code).toBe(-32_602);
    }
  }
  expect((await wire.ask('tasks/result', { taskId })).error?.code).toBe(-32_601);
  expect((await wire.ask('tasks/list')).error?.code).toBe(-32_601);
  const wrong = await wire.post('tasks/get', { taskId }, { 'mcp-name': 'job_0' });
  expect(((await wrong.json()) as RpcAnswer).error?.code).toBe(-32_020);
});

claim('a cancel is acknowledged, ends the job and gives the price back', async (world) => {
  const wire = wireOf(world);
  const { taskId } = (await call(world, wire)).result;
  const { result } = await wire.ask('tasks/cancel', { taskId });
  expect(Object.keys(result).sort()).toEqual(['_meta', 'resultType']);
  const status = async () => (await wire.ask('tasks/get', { taskId })).result.status;
  await expect.poll(status).toBe('cancelled');
  const { ledger } = world.chain;
  await expect.poll(() => ledger.balance(world.payer.address)).toBe(50_000_000n);
  expect((await wire.ask('tasks/cancel', { taskId })).result.resultType).toBe('complete');
});

claim('what a job needs stands in its task, and is brought by tasks/update', async (world) => {
  const wire = wireOf(world, knowing({ sampling: {} }));
  const { taskId, status } = (await call(world, wire)).result;
  expect(status).toBe('input_required');
  const get = async () => (await wire.ask('tasks/get', { taskId })).result;
  const update = (inputResponses: object) => wire.ask('tasks/update', { taskId, inputResponses });
  const { inputRequests } = await get();
  const [first = '', ...others] = Object.keys(inputRequests);
  expect(others).toHaveLength(4);
  expect(inputRequests[first].method).toBe('sampling/createMessage');
  const said = (text: string) => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text },
  });
  expect((await update({ [first]: said('no idea') })).error?.code).toBe(-32_602);
  const answer = (key: string) => said(answerFor(JSON.stringify(inputRequests[key])));
  expect((await update({ [first]: answer(first), other: said('x') })).result.resultType).toBe(
    'complete',
  );
  expect(Object.keys((await get()).inputRequests)).toEqual(others);
  await update(Object.fromEntries(others.map((key) => [key, answer(key)])));
  await expect.poll(async () => Object.keys((await get()).inputRequests ?? {})).toHaveLength(5);
  expect(Object.keys((await get()).inputRequests)).not.toEqual(expect.arrayContaining([first]));
});

claim('a task outlives the server', async (world) => {
  const { taskId } = (await call(world)).result;
  await world.restart();
  await world.answerAll(taskId);
  const { result } = await wireOf(world).ask('tasks/get', { taskId });
  expect(result).toMatchObject({ taskId, status: 'completed' });
});

claim('a subscription tells what tasks do, and ends after the last', async (world) => {
  const wire = wireOf(world);
  const { taskId } = (await call(world, wire)).result;
  const filter = { notifications: { taskIds: [taskId, 'job_0'], toolsListChanged: true } };
  const stream = await wire.post('subscriptions/listen', filter);
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  const answering = world.answerAll(taskId);
  const told: RpcAnswer[] = [];
  for await (const { data } of readEvents(stream)) told.push(JSON.parse(data));
  await answering;
  const [acknowledged, ...rest] = told;
  const last = rest.pop();
  expect(acknowledged).toMatchObject({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { taskIds: [taskId] } },
  });
  expect(last).toMatchObject({ id: 1, result: { resultType: 'complete' } });
  expect(new Set(rest.map(({ method }) => method))).toEqual(new Set(['notifications/tasks']));
  expect(rest.at(-1)?.params).toMatchObject({
    taskId,
    status: 'completed',
    result: { structuredContent: { status: 'decided' } },
    _meta: { 'io.modelcontextprotocol/subscriptionId': 1 },
  });
  const late = await wire.post('subscriptions/listen', filter);
  const after: RpcAnswer[] = [];
  for await (const { data } of readEvents(late)) after.push(JSON.parse(data));
  expect(after.map(({ method }) => method)).toEqual([
    'notifications/subscriptions/acknowledged',
    'notifications/tasks',
    undefined,
  ]);
});
