import { expect, test } from 'vitest';
import type { ToolService } from '../../../src/domain/tool/tool.ts';
import { ENGINES } from '../../support/engines.ts';
import { type FrontRig, startFront, TOKEN } from '../../support/front-rig.ts';
import { CHALLENGE, SETTLEMENT, testService } from '../../support/tool-service.ts';

// biome-ignore lint/suspicious/noExplicitAny: replies as a client reads them
type Json = any;

type Engine = (typeof ENGINES)[number];

/** States a claim that must hold over each engine. */
function claim(name: string, run: (engine: Engine) => Promise<void>): void {
  for (const engine of ENGINES) test(`${name} (${engine})`, () => run(engine));
}

const V1 = { 'a2a-version': '1.0' };
const PAYLOAD = 'x402.payment.payload';

/** Serves the test tools; ends with the test. */
async function serve(engine: Engine, commerce?: ToolService) {
  const rig = await startFront(engine, commerce === undefined ? {} : { commerce });
  return { rig, [Symbol.asyncDispose]: () => rig.front.close() };
}

async function post(rig: FrontRig, body: unknown, headers: object = V1, path = '/a2a') {
  const reply = await fetch(`${rig.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const json: Json = JSON.parse(await reply.text());
  return { status: reply.status, headers: reply.headers, json };
}

const rpc = (method: string, params: unknown = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
const message = (more: object) => ({ messageId: 'm', role: 'ROLE_USER', ...more });
const send = (more: object, configuration: object = {}) =>
  rpc('SendMessage', { message: message(more), configuration });
const call = (skill: string, args: object = {}) =>
  send({ parts: [{ data: { skill, arguments: args } }] });

claim('another version, or none, gets -32009 with the served one', async (engine) => {
  await using world = await serve(engine);
  for (const [headers, received] of [
    [{}, '0.3'],
    [{ 'a2a-version': '0.3' }, '0.3'],
    [{ 'a2a-version': '2.0' }, '2.0'],
  ] as const) {
    const { status, json } = await post(world.rig, rpc('GetTask', { id: 'x' }), headers);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      id: 1,
      error: {
        code: -32009,
        data: [
          {
            reason: 'VERSION_NOT_SUPPORTED',
            domain: 'a2a-protocol.org',
            metadata: { received, allowed: '["1.0"]' },
          },
        ],
      },
    });
    expect(json.error.message).toContain('it must be 1.0.');
  }
  const byQuery = await post(world.rig, rpc('GetTask', { id: 'x' }), {}, '/a2a?A2A-Version=1.0');
  expect(byQuery.json.error.code).toBe(-32001);
  const slash = await post(
    world.rig,
    rpc('GetTask', { id: 'x' }),
    { 'a2a-version': '1.0.1' },
    '/a2a/',
  );
  expect(slash.json.error).toMatchObject({
    code: -32001,
    message: expect.stringContaining('No task'),
  });
});

const REFUSED = [
  ['no JSON', '{', 400, -32700],
  ['a batch', [rpc('GetTask')], 400, -32600],
  ['no request', { jsonrpc: '2.0', method: 'GetTask' }, 400, -32600],
  ['an unknown method', rpc('message/send'), 200, -32601],
  ['no id', rpc('GetTask', {}), 200, -32602],
  ['no message', rpc('SendMessage', {}), 200, -32602],
  ['no parts', send({ parts: [] }), 200, -32602],
  ['an agent as sender', send({ role: 'ROLE_AGENT', parts: [{ text: 'x' }] }), 200, -32602],
  ['a file', send({ parts: [{ url: 'https://example.org/x' }] }), 200, -32005],
  ['two data parts', send({ parts: [{ data: 1 }, { data: 2 }] }), 200, -32602],
  ['data without a skill', send({ parts: [{ data: { tool: 'echo' } }] }), 200, -32602],
  ['an unknown skill', call('none'), 200, -32602],
  ['an unknown task', send({ taskId: 'job_1', parts: [{ text: 'x' }] }), 200, -32001],
  [
    'answers without a task',
    send({ parts: [{ data: { answers: [{ id: 'a', answer: 'b' }] } }] }),
    200,
    -32602,
  ],
  ['a tenant', rpc('GetTask', { id: 'x', tenant: 'y' }), 200, -32602],
  [
    'images only',
    send({ parts: [{ text: 'x' }] }, { acceptedOutputModes: ['image/png'] }),
    200,
    -32005,
  ],
  ['the extended card', rpc('GetExtendedAgentCard'), 200, -32007],
  [
    'push where there is none',
    rpc('ListTaskPushNotificationConfigs', { taskId: 'x' }),
    200,
    -32003,
  ],
] as const;

claim('what cannot be served is refused with what is allowed', async (engine) => {
  await using world = await serve(engine);
  for (const [what, body, status, code] of REFUSED) {
    const reply = await post(world.rig, body);
    expect([what, reply.status, reply.json.error?.code]).toEqual([what, status, code]);
    expect(reply.json.error.message).not.toBe('');
    if (code > -32600)
      expect(reply.json.error.data[0]).toMatchObject({ '@type': expect.any(String) });
  }
});

claim(
  'other types, large bodies and deep ones are refused before they are parsed',
  async (engine) => {
    await using world = await serve(engine);
    const { rig } = world;
    const typed = await post(rig, call('echo'), { ...V1, 'content-type': 'text/plain' });
    expect(typed.status).toBe(415);
    const own = await post(rig, call('echo'), { ...V1, 'content-type': 'application/a2a+json' });
    expect(own.json.result.message.parts[1].data).toEqual({ text: '{}' });
    const large = await post(rig, call('echo', { text: 'x'.repeat(1_100_000) }));
    expect([large.status, large.json.error.code]).toEqual([413, -32600]);
    const deep = await post(rig, `{"a":${'['.repeat(900)}${']'.repeat(900)}}`);
    expect(deep.status).toBe(413);
  },
);

claim('a failure inside says nothing about the inside', async (engine) => {
  await using world = await serve(engine);
  const { json } = await post(world.rig, call('broken'));
  expect(json.error.code).toBe(-32603);
  expect(JSON.stringify(json)).not.toContain('the inside');
});

claim('a quick priced skill is a task that keeps its result, and is paid once', async (engine) => {
  const service = testService();
  await using world = await serve(engine, service);
  const { rig } = world;
  const offered = (await post(rig, call('paid'))).json.result.task;
  expect(offered.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  expect(offered.status.message.metadata['x402.payment.required']).toEqual(CHALLENGE);
  const paid = (payment: unknown) =>
    send({ taskId: offered.id, metadata: { [PAYLOAD]: payment }, parts: [{ text: 'pay' }] });
  const differs = await post(
    rig,
    send({
      taskId: offered.id,
      metadata: { [PAYLOAD]: 1 },
      parts: [{ data: { skill: 'paid', arguments: { other: 1 } } }],
    }),
  );
  expect(differs.json.error.code).toBe(-32602);
  const first = (await post(rig, paid({ pay: 1 }))).json.result.task;
  expect(first).toMatchObject({
    id: offered.id,
    status: {
      state: 'TASK_STATE_COMPLETED',
      message: { metadata: { 'x402.payment.receipts': [SETTLEMENT] } },
    },
    artifacts: [{ parts: [{ text: 'paid' }, { data: { text: 'paid' } }] }],
  });
  const calls = service.calls.length;
  expect((await post(rig, paid({ pay: 1 }))).json.result.task).toEqual(first);
  expect((await post(rig, paid({ pay: 2 }))).json.error.code).toBe(-32004);
  expect(service.calls).toHaveLength(calls);
  expect((await post(rig, rpc('GetTask', { id: offered.id }))).json.result).toEqual(first);
});

claim('while a payment is processed, no other one is taken for its task', async (engine) => {
  const service = testService();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow: ToolService = {
    ...service,
    call: async (asked) => {
      if (asked.payments.length > 0) await held;
      return service.call(asked);
    },
  };
  await using world = await serve(engine, slow);
  const { rig } = world;
  const { id: taskId } = (await post(rig, call('paid'))).json.result.task;
  const pay = (pay_id: number) => post(rig, send({ taskId, metadata: { [PAYLOAD]: { pay_id } } }));
  const first = pay(1);
  await expect.poll(async () => (await pay(2)).json.error?.message).toMatch(/not charged/);
  release();
  expect((await first).json.result.task.status.state).toBe('TASK_STATE_COMPLETED');
});

claim('a payment that is not final keeps its task, and asks for no second one', async (engine) => {
  const service = testService();
  const pending = {
    ...CHALLENGE,
    code: 'PAYMENT_PENDING',
    error: 'PAYMENT_PENDING: wait',
    accepts: [],
  };
  const unsure: ToolService = {
    ...service,
    call: async (asked) => {
      if (asked.payments.length === 0) return service.call(asked);
      return { kind: 'payment_required', required: pending, status: 202 };
    },
  };
  await using world = await serve(engine, unsure);
  const { rig } = world;
  const { id: taskId } = (await post(rig, call('paid'))).json.result.task;
  const pay = (payment: unknown) => post(rig, send({ taskId, metadata: { [PAYLOAD]: payment } }));
  const { task } = (await pay({ n: 1 })).json.result;
  expect(task.status).toMatchObject({
    state: 'TASK_STATE_WORKING',
    message: { metadata: { 'x402.payment.status': 'payment-submitted' } },
  });
  expect(task.status.message.parts[0].text).toContain('do not pay again');
  expect((await pay({ n: 2 })).json.error.message).toContain('not charged for this one');
  expect((await post(rig, rpc('CancelTask', { id: taskId }))).json.error.code).toBe(-32002);
});

claim('a declined offer ends its task', async (engine) => {
  await using world = await serve(engine);
  const { id: taskId } = (await post(world.rig, call('paid'))).json.result.task;
  const metadata = { 'x402.payment.status': 'payment-rejected' };
  const { task } = (await post(world.rig, send({ taskId, metadata }))).json.result;
  expect(task.status.state).toBe('TASK_STATE_CANCELED');
});

claim(
  'hosting skills need a token, and are unknown where hosting is not served',
  async (engine) => {
    await using world = await serve(engine, { ...testService(), tools: [] });
    const open = await post(world.rig, call('echo'));
    expect([open.status, open.json.error.code]).toEqual([401, -32000]);
    expect(open.headers.get('www-authenticate')).toBe('Bearer realm="stoa"');
    const headers = { ...V1, authorization: `Bearer ${TOKEN}` };
    const { json } = await post(world.rig, call('echo', { a: 1 }), headers);
    expect(json.result.message.parts[1].data).toEqual({ text: '{"a":1}' });
  },
);

claim('a request for the payment extension is confirmed', async (engine) => {
  await using world = await serve(engine);
  const uri = 'https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2';
  for (const name of ['A2A-Extensions', 'X-A2A-Extensions']) {
    const { headers } = await post(world.rig, call('paid'), { ...V1, [name]: `x, ${uri}` });
    expect(headers.get('a2a-extensions')).toBe(uri);
  }
  expect((await post(world.rig, call('paid'))).headers.get('a2a-extensions')).toBeNull();
});

claim('requests are limited by rate', async (engine) => {
  const limits = { limitsLocalCallers: true, requestRate: { burst: 2, perMinute: 1 } };
  const rig = await startFront(engine, { limits });
  try {
    for (let at = 0; at < 2; at += 1) await post(rig, call('echo'));
    const { status, headers } = await post(rig, call('echo'));
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  } finally {
    await rig.front.close();
  }
});
