import { expect, test } from 'vitest';
import { envelope, knowing } from '../../support/modern-wire.ts';
import { type StdioPair, stdioPair } from '../../support/stdio-pair.ts';
import { ASKING, answerFor, DEBATE, type TaskWorld, taskWorld } from '../../support/task-world.ts';
import type { RpcAnswer } from './wire.ts';

interface Line {
  readonly pair: StdioPair;
  ask(method: string, params: object): Promise<RpcAnswer>;
  /** What came beside the answers. */
  readonly told: RpcAnswer[];
}

/** Asks on a line; what is no answer to it is kept. */
function lineOf(world: TaskWorld): Line {
  const pair = stdioPair(world.service);
  const told: RpcAnswer[] = [];
  let id = 0;
  return {
    pair,
    told,
    ask: async (method, params) => {
      id += 1;
      pair.send({ jsonrpc: '2.0', id, method, params });
      for (;;) {
        const message = (await pair.next()) as RpcAnswer;
        if (message.id === id) return message;
        told.push(message);
      }
    },
  };
}

function modern(params: Record<string, unknown> = {}, capabilities = knowing()) {
  return { ...params, _meta: { ...envelope(capabilities), ...(params['_meta'] as object) } };
}

async function next(pair: StdioPair): Promise<RpcAnswer> {
  return (await pair.next()) as RpcAnswer;
}

test('2025-11-25: a task is begun, listed, followed and handed over on a line', async () => {
  const world = await taskWorld('node');
  const { pair, ask, told } = lineOf(world);
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO };
  const { result } = await ask('initialize', hello);
  expect(result.capabilities.tasks).toMatchObject({ list: {}, cancel: {} });
  const call = { name: DEBATE, arguments: ASKING };
  const unpaid = await ask('tools/call', { ...call, task: {} });
  expect(unpaid.result.structuredContent.accepts).toHaveLength(1);
  const paid = await ask('tools/call', { ...call, task: {}, _meta: await world.payment() });
  const { taskId } = paid.result.task;
  expect((await ask('tasks/list', {})).result.tasks).toMatchObject([{ taskId }]);
  expect((await ask('tasks/get', { taskId: 'job_0' })).error?.code).toBe(-32_602);
  const inline = { name: 'get_result', arguments: { job_id: taskId }, task: {} };
  expect((await ask('tools/call', inline)).error?.code).toBe(-32_601);
  const waiting = ask('tasks/result', { taskId });
  await world.answerAll(taskId);
  expect((await waiting).result.structuredContent).toMatchObject({ status: 'decided' });
  const heard = told.map(({ method, params }) => [method, params.taskId, params.status]);
  expect(heard).toContainEqual(['notifications/tasks/status', taskId, 'completed']);
  await pair.end();
});

test('older versions have no tasks on a line', async () => {
  const world = await taskWorld('node');
  const { pair, ask } = lineOf(world);
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: INFO };
  await ask('initialize', hello);
  expect((await ask('tasks/get', { taskId: 'job_0' })).error?.code).toBe(-32_601);
  expect(JSON.stringify(await ask('tools/list', {}))).not.toContain('taskSupport');
  const args = { ...ASKING, wait_s: 0 };
  const call = { name: DEBATE, arguments: args, task: {}, _meta: await world.payment(args) };
  expect((await ask('tools/call', call)).result.structuredContent.status).toBe('needs_turns');
  await pair.end();
});

test('2026-07-28: a task is begun, fed and ended on a line', async () => {
  const world = await taskWorld('node');
  const { pair, ask } = lineOf(world);
  const lends = knowing({ elicitation: { form: {} } });
  const call = { name: DEBATE, arguments: ASKING, _meta: await world.payment() };
  const { taskId, resultType } = (await ask('tools/call', modern(call, lends))).result;
  expect(resultType).toBe('task');
  const get = async () => (await ask('tasks/get', modern({ taskId }, lends))).result;
  for (let state = await get(); state.status !== 'completed'; state = await get()) {
    const asked = Object.entries(state.inputRequests ?? {});
    const inputResponses = Object.fromEntries(
      asked.map(([key, question]) => {
        const answer = answerFor(JSON.stringify(question));
        return [key, { action: 'accept', content: { answer } }];
      }),
    );
    await ask('tasks/update', modern({ taskId, inputResponses }, lends));
  }
  expect((await get()).result.structuredContent).toMatchObject({ status: 'decided' });
  expect((await ask('tasks/list', modern())).error?.code).toBe(-32_601);
  const undeclared = await ask('tasks/get', modern({ taskId }, {}));
  expect(undeclared.error?.code).toBe(-32_021);
  await pair.end();
});

test('2026-07-28: a subscription on a line tells what tasks do, until its last has ended', async () => {
  const world = await taskWorld('node');
  const taskId = await world.buy();
  const pair = stdioPair(world.service);
  const listen = (id: number, capabilities: object) => {
    const params = modern({ notifications: { taskIds: [taskId, 'job_0'] } }, capabilities);
    pair.send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params });
  };
  listen(1, {});
  expect((await next(pair)).error?.code).toBe(-32_021);
  for (const id of [2, 3]) {
    listen(id, knowing());
    expect(await next(pair)).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [taskId] } },
    });
  }
  const params = { requestId: 3 };
  pair.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
  pair.send({ jsonrpc: '2.0', id: 4, method: 'tools/list', params: modern() });
  expect((await next(pair)).id).toBe(4);
  const answering = world.answerAll(taskId);
  let message = await next(pair);
  let last: RpcAnswer | undefined;
  for (; message.method === 'notifications/tasks'; message = await next(pair)) {
    expect(message.params._meta['io.modelcontextprotocol/subscriptionId']).toBe(2);
    last = message;
  }
  await answering;
  expect(last?.params).toMatchObject({ taskId, status: 'completed' });
  expect(message).toMatchObject({ id: 2, result: { resultType: 'complete' } });
  await pair.end();
});

const INFO = { name: 't', version: '1' };
