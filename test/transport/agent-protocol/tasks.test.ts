import { type Message, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { answerTurns } from '../../../src/connect/tour/agent.ts';
import { DebateState } from '../../../src/domain/debate/result.ts';
import { PaymentRequired } from '../../../src/domain/payment/payment.ts';
import { connectA2a, say } from '../../support/a2a-client.ts';
import { ENGINES } from '../../support/engines.ts';
import { ASKING, DEBATE, type TaskWorld, taskWorld } from '../../support/task-world.ts';

type Engine = (typeof ENGINES)[number];

/** States a claim that must hold over each engine. */
function claim(name: string, run: (engine: Engine) => Promise<void>): void {
  for (const engine of ENGINES) test(`${name} (${engine})`, () => run(engine));
}

const PAID = 'x402.payment.payload';
const REQUIRED = 'x402.payment.required';
const CALL = { skill: DEBATE, arguments: ASKING };

claim(
  'finds the server by its card, is offered a price, pays, and gets the job as its task',
  async (engine) => {
    const world = await taskWorld(engine);
    const client = await connectA2a(world.rig.baseUrl);
    const offered = toTask(await client.sendMessage(say({ data: CALL })));
    expect(offered.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(offered.status?.message?.metadata).toMatchObject({
      'x402.payment.status': 'payment-required',
    });
    expect(textOf(offered.status?.message)).toMatch(/^This call costs \$\d/);
    const required = challengeOf(offered);
    expect(required.resource.url).toContain(`${world.rig.baseUrl}/a2a#tool=${DEBATE}`);

    const metadata = { [PAID]: await payFor(world, offered) };
    const paid = { taskId: offered.id, metadata, text: 'Here is the payment.' };
    const task = toTask(await client.sendMessage(say(paid)));
    expect(task.id).toBe(offered.id);
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(task.status?.message?.metadata).toMatchObject({
      'x402.payment.status': 'payment-completed',
      'x402.payment.receipts': [{ success: true, payer: world.payer.address }],
    });
    expect((await world.service.jobs?.state(task.id))?.status).toBe('needs_input');

    await world.answerAll(task.id);
    const done = await client.getTask({ tenant: '', id: task.id });
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(done.status?.message?.metadata).toHaveProperty(['x402.payment.receipts']);
    const [artifact] = done.artifacts;
    expect(artifact?.parts.at(-1)?.content).toMatchObject({
      $case: 'data',
      value: { status: 'decided', job_id: task.id },
    });
  },
);

claim(
  'a repeated payment is not taken twice, nor a second one for the same task',
  async (engine) => {
    const world = await taskWorld(engine);
    const client = await connectA2a(world.rig.baseUrl);
    const offered = toTask(await client.sendMessage(say({ data: CALL })));
    const pay = async () => ({
      taskId: offered.id,
      metadata: { [PAID]: await payFor(world, offered) },
    });
    const first = await pay();
    const before = await balanceOf(world);
    const [one, two] = await Promise.all([
      client.sendMessage(say(first)),
      client.sendMessage(say(first)),
    ]);
    expect([toTask(one).id, toTask(two).id]).toEqual([offered.id, offered.id]);
    const price = before - (await balanceOf(world));
    expect(price).toBeGreaterThan(0n);
    const again = toTask(await client.sendMessage(say(first)));
    expect(again.status?.message?.metadata).toHaveProperty(['x402.payment.receipts']);
    const other = toTask(await client.sendMessage(say(await pay())));
    expect(other.id).toBe(offered.id);
    expect(before - (await balanceOf(world))).toBe(price);
  },
);

claim('two payments at once for one task charge one of them', async (engine) => {
  const world = await taskWorld(engine);
  const client = await connectA2a(world.rig.baseUrl);
  const offered = toTask(await client.sendMessage(say({ data: CALL })));
  const before = await balanceOf(world);
  const payments = [await payFor(world, offered), await payFor(world, offered)];
  const ends = await Promise.allSettled(
    payments.map((payload) =>
      client.sendMessage(say({ taskId: offered.id, metadata: { [PAID]: payload } })),
    ),
  );
  expect(ends.map(({ status }) => status)).toContain('fulfilled');
  const price = BigInt(challengeOf(offered).accepts[0]?.amount ?? 0);
  expect(before - (await balanceOf(world))).toBe(price);
});

claim('a refused payment leaves the task open for another one', async (engine) => {
  const world = await taskWorld(engine);
  const client = await connectA2a(world.rig.baseUrl);
  const offered = toTask(await client.sendMessage(say({ data: CALL })));
  const [offer] = challengeOf(offered).accepts;
  const forged = await world.payer.pay(offer as never, { signature: `0x${'1b'.repeat(65)}` });
  const refused = toTask(
    await client.sendMessage(say({ taskId: offered.id, metadata: { [PAID]: forged } })),
  );
  expect(refused.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  expect(refused.status?.message?.metadata).toMatchObject({
    'x402.payment.status': 'payment-failed',
    'x402.payment.error': 'INVALID_SIGNATURE',
  });
  const metadata = { [PAID]: await payFor(world, refused) };
  const task = toTask(await client.sendMessage(say({ taskId: offered.id, metadata })));
  expect(task.status?.message?.metadata).toHaveProperty(['x402.payment.receipts']);
});

claim(
  'a stream tells of each status, answers continue it, and it ends with the result',
  async (engine) => {
    const world = await taskWorld(engine);
    const client = await connectA2a(world.rig.baseUrl);
    const asked = say({ data: CALL });
    const [offer, ...none] = await collect(client.sendMessageStream(asked));
    expect(none).toEqual([]);
    const offered = offer?.payload?.value as Task;
    const metadata = { [PAID]: await payFor(world, offered) };
    let items = await collect(client.sendMessageStream(say({ taskId: offered.id, metadata })));
    const states: string[] = [];
    for (let round = 0; round < 40; round += 1) {
      states.push(...items.map((item) => stateOf(item)));
      const { status } = await client.getTask({ tenant: '', id: offered.id });
      if (status?.state !== TaskState.TASK_STATE_INPUT_REQUIRED) break;
      const answers = await answersFor(world, offered.id);
      items = await collect(
        client.sendMessageStream(say({ taskId: offered.id, data: { answers } })),
      );
    }
    states.push(...items.map((item) => stateOf(item)));
    expect(states).toContain('TASK_STATE_INPUT_REQUIRED');
    expect(states.at(-1)).toBe('TASK_STATE_COMPLETED');
    expect(states.at(-2)).toBe('artifact');
  },
);

claim('a canceled job is refunded, and an unpaid task ends at no cost', async (engine) => {
  const world = await taskWorld(engine);
  const client = await connectA2a(world.rig.baseUrl);
  const before = await balanceOf(world);
  const unpaid = toTask(await client.sendMessage(say({ data: CALL })));
  const dropped = await client.cancelTask({ tenant: '', id: unpaid.id, metadata: undefined });
  expect(dropped.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  await expect(
    client.cancelTask({ tenant: '', id: unpaid.id, metadata: undefined }),
  ).rejects.toMatchObject({ name: 'TaskNotCancelableError' });
  const jobId = await world.buy();
  const ended = await client.cancelTask({ tenant: '', id: jobId, metadata: undefined });
  expect(ended.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  await expect.poll(() => balanceOf(world)).toBe(before);
  await expect(collect(client.resubscribeTask({ tenant: '', id: jobId }))).rejects.toThrow(
    'The task has ended.',
  );
});

claim(
  'tasks of jobs outlive the server, and are found again by a new subscription',
  async (engine) => {
    const world = await taskWorld(engine);
    const client = await connectA2a(world.rig.baseUrl);
    const offered = toTask(await client.sendMessage(say({ data: CALL })));
    const metadata = { [PAID]: await payFor(world, offered) };
    const paid = { taskId: offered.id, metadata };
    await client.sendMessage(say(paid));
    const before = await balanceOf(world);
    await world.restart();
    const next = await connectA2a(world.rig.baseUrl);
    const again = toTask(await next.sendMessage(say(paid)));
    expect(again.id).toBe(offered.id);
    expect(await balanceOf(world)).toBe(before);
    const [first] = await collect(next.resubscribeTask({ tenant: '', id: offered.id }));
    expect(first?.payload).toMatchObject({ $case: 'task', value: { id: offered.id } });
    const unpaid = toTask(await next.sendMessage(say({ data: CALL })));
    await world.restart();
    const last = await connectA2a(world.rig.baseUrl);
    const lost = { taskId: unpaid.id, metadata: { [PAID]: await payFor(world, unpaid) } };
    await expect(last.sendMessage(say(lost))).rejects.toMatchObject({ name: 'TaskNotFoundError' });
    expect(await balanceOf(world)).toBe(before);
  },
);

claim('a free skill answers at once, and a text gets the skills that fit it', async (engine) => {
  const world = await taskWorld(engine);
  const client = await connectA2a(world.rig.baseUrl);
  const jobId = await world.buy();
  const data = { skill: 'get_result', arguments: { job_id: jobId, wait_s: 0 } };
  const answer = (await client.sendMessage(say({ data }))) as Message;
  expect(answer.parts.at(-1)?.content).toMatchObject({
    $case: 'data',
    value: { job_id: jobId, status: 'needs_turns' },
  });
  const [help, ...rest] = await collect(
    client.sendMessageStream(say({ text: 'Decide between two queues by a vote of agents' })),
  );
  expect(rest).toEqual([]);
  expect(textOf(help?.payload?.value as Message)).toContain(`- ${DEBATE} ($`);
});

claim('a context lists its task, and nothing is listed without one', async (engine) => {
  const world = await taskWorld(engine);
  const client = await connectA2a(world.rig.baseUrl);
  const { id, contextId } = toTask(await client.sendMessage(say({ data: CALL })));
  const query = { tenant: '', contextId: '', status: 0, pageToken: '' } as never;
  expect((await client.listTasks(query)).tasks).toEqual([]);
  const { tasks } = await client.listTasks({ ...Object(query), contextId });
  expect(tasks.map((task) => task.id)).toEqual([id]);
});

function toTask(sent: Message | Task): Task {
  if ('status' in sent) return sent;
  throw new Error(`a message: ${textOf(sent)}`);
}

function textOf(message: Message | undefined): string {
  const [first] = message?.parts ?? [];
  return first?.content?.$case === 'text' ? first.content.value : '';
}

function challengeOf(task: Task): PaymentRequired {
  return PaymentRequired.parse(task.status?.message?.metadata?.[REQUIRED]);
}

async function payFor(world: TaskWorld, task: Task) {
  const { accepts, extensions, resource } = challengeOf(task);
  const [offer] = accepts;
  if (offer === undefined) throw new Error('nothing is offered');
  return { ...(await world.payer.pay(offer)), extensions, resource };
}

async function collect(items: AsyncIterable<StreamResponse>): Promise<readonly StreamResponse[]> {
  const found: StreamResponse[] = [];
  for await (const item of items) found.push(item);
  return found;
}

function stateOf({ payload }: StreamResponse): string {
  if (payload?.$case === 'artifactUpdate') return 'artifact';
  if (payload?.$case !== 'task' && payload?.$case !== 'statusUpdate') return 'message';
  return TaskState[payload.value.status?.state ?? 0] ?? '';
}

async function answersFor(world: TaskWorld, jobId: string) {
  const job = await world.service.jobs?.state(jobId);
  const state = DebateState.parse(job?.result.structuredContent);
  return answerTurns(state).map(({ turn_id: id, answer }) => ({ id, answer }));
}

async function balanceOf({ chain, payer }: TaskWorld): Promise<bigint> {
  return BigInt(await chain.balance(payer.address));
}
