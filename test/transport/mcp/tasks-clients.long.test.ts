import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { ENGINES } from '../../support/engines.ts';
import { PairTransport } from '../../support/pair-transport.ts';
import { ASKING, answerFor, DEBATE, type TaskWorld, taskWorld } from '../../support/task-world.ts';

const INFO = { name: 'peer', version: '1' };
type AnyTransport = Parameters<Client['connect']>[0];

const WAYS = ENGINES.flatMap((engine) => [
  { way: `/v1/mcp over ${engine}`, engine, open: (world: TaskWorld) => http(world, '/v1/mcp') },
  { way: `/v2/ over ${engine}`, engine, open: (world: TaskWorld) => http(world, '/v2/') },
]);
const STDIO = {
  way: 'stdio',
  engine: 'node' as const,
  open: (world: TaskWorld) => new PairTransport(world.service),
};

function http({ rig }: TaskWorld, path: string) {
  return new StreamableHTTPClientTransport(new URL(`${rig.baseUrl}${path}`));
}

async function connect(transport: unknown, capabilities: object): Promise<Client> {
  const client = new Client(INFO, { capabilities });
  await client.connect(transport as AnyTransport);
  // The client learns here which tools can be tasks.
  await client.listTools();
  return client;
}

async function stream(client: Client, world: TaskWorld) {
  const params = { name: DEBATE, arguments: ASKING, _meta: await world.payment() };
  const o = { timeout: 20_000 };
  return client.experimental.tasks.callToolStream(params, CallToolResultSchema, o);
}

test.each([...WAYS, STDIO])(
  'the v1 client buys a debate as a task, and lends its model to it: $way',
  async ({ engine, open }) => {
    const world = await taskWorld(engine);
    const client = await connect(open(world), { sampling: {} });
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => ({
      role: 'assistant' as const,
      model: 'm',
      content: { type: 'text' as const, text: answerFor(JSON.stringify(params)) },
    }));
    const kinds: string[] = [];
    for await (const message of await stream(client, world)) {
      kinds.push(message.type);
      if (message.type !== 'result') continue;
      expect(message.result.structuredContent).toMatchObject({ status: 'decided' });
    }
    expect(kinds).toEqual(['taskCreated', 'taskStatus', 'result']);
    const { tasks } = await client.experimental.tasks.listTasks();
    expect(tasks).toMatchObject([{ status: 'completed' }]);
    await client.close();
  },
);

test.each([...WAYS, STDIO])(
  'the v1 client polls, cancels and is told so: $way',
  async ({ engine, open }) => {
    const world = await taskWorld(engine);
    const client = await connect(open(world), {});
    const { tasks } = client.experimental;
    const messages = await stream(client, world);
    const first = await messages.next();
    if (first.done === true || first.value.type !== 'taskCreated') throw new Error('no task');
    const { taskId } = first.value.task;
    expect((await tasks.getTask(taskId)).status).toBe('input_required');
    expect(await tasks.cancelTask(taskId)).toMatchObject({ taskId, status: 'cancelled' });
    await expect(tasks.cancelTask(taskId)).rejects.toMatchObject({ code: -32_602 });
    const rest: string[] = [];
    for await (const message of messages) rest.push(message.type);
    expect(rest).toEqual(['taskStatus', 'error']);
    const { ledger } = world.chain;
    await expect.poll(() => ledger.balance(world.payer.address)).toBe(50_000_000n);
    await client.close();
  },
);
