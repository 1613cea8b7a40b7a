import { expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../src/domain/common/error.ts';
import { PaymentRequired } from '../../../src/domain/payment/payment.ts';
import type { Tool, ToolCall, ToolOutcome } from '../../../src/domain/tool/tool.ts';
import { createChallenger } from '../../../src/tools/payment/challenge.ts';
import { createToolService } from '../../../src/tools/service/service.ts';
import { type PaymentWorld, type Process, paymentWorld } from '../../support/payment-world.ts';

const hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const Input = z.strictObject({
  word: z.string().min(1),
  times: z.number().int().max(3).default(1),
  mood: z.enum(['calm', 'loud']).optional(),
});

/** A tool that says a word, and does what the word asks of it. */
function sayTool(overrides: Partial<Tool<z.infer<typeof Input>>> = {}): Tool {
  return {
    server: 'commerce',
    name: 'get_result',
    title: 'Say a word',
    description: 'Says a word as often as it is asked to, for tests of the service around it.',
    annotations: hints,
    input: Input,
    output: z.object({ said: z.string() }),
    checkReady: ({ word }) => {
      if (word === 'unready') throw new AppError('NOT_CONFIGURED');
      return undefined;
    },
    run: async ({ word, times }, { progress, paymentId }) => {
      if (word === 'fail') throw new AppError('EGRESS_FAILED', { data: { host: 'example.org' } });
      if (word === 'burst') throw new RangeError('secret detail');
      progress({ progress: 1, message: 'saying' });
      const said = [...Array<string>(times)].fill(word).join(' ');
      const paid = paymentId === undefined ? '' : ' for money';
      return { content: [{ type: 'text', text: said + paid }], structuredContent: { said } };
    },
    ...overrides,
  } as Tool;
}

const priced = { amount: '10000', flow: 'authorization' } as const;

async function rig(death?: Parameters<PaymentWorld['start']>[0]) {
  const world = await paymentWorld();
  return { world, ...serve(world, await world.start(death)) };
}

function serve(world: PaymentWorld, { payments, life }: Process, waits?: readonly string[]) {
  const { chain, clock } = world;
  const random = { bytes: (length: number) => new Uint8Array(length).fill(7) };
  const challenger = createChallenger({ chain, clock, ...(waits === undefined ? {} : { random }) });
  const service = createToolService({
    server: 'commerce',
    title: 'Commerce',
    version: '1.0.0',
    instructions: 'Begin with tools/list.',
    tools: [
      sayTool(),
      sayTool({
        name: 'ops_link-integrity',
        price: priced,
        ...(waits && { waitParameters: waits }),
      }),
    ],
    paid: { payments, challenger },
  });
  return { service, life };
}

function asked(name: string, args: unknown, more: Partial<ToolCall> = {}): ToolCall {
  return {
    name,
    arguments: args,
    payments: [],
    resourceUrl: `mcp://tool/${name}`,
    principal: { kind: 'local', id: 'test' },
    signal: new AbortController().signal,
    ...more,
  };
}

function resultOf(outcome: ToolOutcome) {
  if (outcome.kind !== 'result') throw new Error(`no result: ${JSON.stringify(outcome)}`);
  return outcome.result;
}

function requiredOf(outcome: ToolOutcome) {
  if (outcome.kind !== 'payment_required') throw new Error(`none: ${JSON.stringify(outcome)}`);
  return outcome;
}

/** Pays a challenge as a stranger's client would: by what the challenge says, and nothing else. */
async function pay(world: PaymentWorld, outcome: ToolOutcome) {
  const [offer] = requiredOf(outcome).required.accepts;
  if (offer === undefined) throw new Error('nothing is offered');
  return { carrier: 'meta', value: await world.sign(offer) } as const;
}

test('a free call runs, with its defaults and its progress', async () => {
  const { service } = await rig();
  const steps: unknown[] = [];
  const outcome = await service.call(
    asked('get_result', { word: 'hi' }, { onProgress: (step) => steps.push(step) }),
  );
  expect(resultOf(outcome)).toEqual({
    content: [{ type: 'text', text: 'hi' }],
    structuredContent: { said: 'hi' },
  });
  expect(steps).toEqual([{ progress: 1, message: 'saying' }]);
});

test('progress reaches a caller whose listener needs its own this', async () => {
  const { service, world } = await rig();
  class Listening {
    readonly steps: unknown[] = [];
    onProgress(step: unknown): void {
      this.steps.push(step);
    }
  }
  for (const name of ['get_result', 'ops_link-integrity']) {
    const call = asked(name, { word: 'hi' });
    const first = await service.call(call);
    const payments = first.kind === 'payment_required' ? [await pay(world, first)] : [];
    const listening = new Listening();
    await world.drive(service.call(Object.assign(listening, call, { payments })));
    expect(listening.steps).toEqual([{ progress: 1, message: 'saying' }]);
  }
});

test('a name that no tool has is no result', async () => {
  const { service } = await rig();
  expect(await service.call(asked('nope', {}))).toEqual({ kind: 'unknown_tool', name: 'nope' });
});

test.each([
  [{ word: 7 }, { path: 'word', received: '7', allowed: 'string' }],
  [{}, { path: 'word', received: 'nothing', allowed: 'string' }],
  [
    { word: 'a', times: 9 },
    { path: 'times', received: '9', allowed: 'at most 3' },
  ],
  [{ word: '' }, { path: 'word', received: '""', allowed: 'at least 1' }],
  [
    { word: 'a', mood: 'sad' },
    { path: 'mood', received: '"sad"', allowed: 'calm | loud' },
  ],
  [
    { word: 'a', x: 1 },
    { path: 'x', received: '1', allowed: 'no parameter of this name' },
  ],
])('a wrong argument is named before any payment is asked: %j', async (args, fault) => {
  const { service, world } = await rig();
  for (const name of ['get_result', 'ops_link-integrity']) {
    const result = resultOf(await service.call(asked(name, args)));
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: 'INPUT_INVALID', retry: 'after_fix', data: { faults: [fault] } },
    });
  }
  expect(world.chain.rpcCalls()).toBe(0);
});

test('what is not set up is said before any payment is asked', async () => {
  const { service } = await rig();
  const outcome = await service.call(asked('ops_link-integrity', { word: 'unready' }));
  expect(resultOf(outcome).structuredContent?.['error']).toBe('NOT_CONFIGURED');
});

test('known failures keep their facts, unknown ones show nothing', async () => {
  const { service } = await rig();
  const known = resultOf(await service.call(asked('get_result', { word: 'fail' })));
  expect(known.structuredContent).toEqual({
    error: 'EGRESS_FAILED',
    message: 'The remote host did not return a usable response.',
    retry: 'later',
    data: { host: 'example.org' },
    doc: 'docs/errors.md#egress_failed',
  });
  const unknown = resultOf(await service.call(asked('get_result', { word: 'burst' })));
  expect(unknown.structuredContent?.['error']).toBe('INTERNAL');
  expect(JSON.stringify(unknown)).not.toContain('secret');
});

test('an unpaid priced call is answered with a challenge: price, fee, flow, signed offer', async () => {
  const { service, world } = await rig();
  const outcome = requiredOf(await service.call(asked('ops_link-integrity', { word: 'a' })));
  expect(outcome.status).toBe(402);
  expect(PaymentRequired.parse(outcome.required)).toEqual(outcome.required);
  expect(outcome.required).toMatchObject({
    x402Version: 2,
    error: 'Payment required',
    resource: {
      url: expect.stringMatching(
        /^mcp:\/\/tool\/ops_link-integrity#tool=ops_link-integrity&arguments=[0-9a-f]{64}$/,
      ),
      mimeType: 'application/json',
      serviceName: 'Stoa',
      tags: ['agents', 'ops'],
    },
    accepts: [
      {
        scheme: 'exact',
        network: 'eip155:31337',
        amount: '10000',
        asset: world.chain.facts.token,
        payTo: world.chain.facts.treasury,
        extra: { feeBps: 2000, paymentFlow: 'authorization', name: world.chain.facts.tokenName },
      },
    ],
    extensions: {
      'offer-receipt': {
        info: {
          offers: [
            {
              acceptIndex: 0,
              format: 'eip712',
              payload: { resourceUrl: outcome.required.resource.url },
            },
          ],
        },
        schema: { required: ['offers'] },
      },
      bazaar: { info: { input: { type: 'mcp', toolName: 'ops_link-integrity' } } },
    },
  });
  expect(await service.call(asked('ops_link-integrity', { word: 'a' }))).toEqual(outcome);
});

test('a paid call is answered with result and settlement, and again the same', async () => {
  const { service, world } = await rig();
  const call = asked('ops_link-integrity', { word: 'a' });
  const payment = await pay(world, await service.call(call));
  const paid = await world.drive(service.call({ ...call, payments: [payment] }));
  expect(paid).toMatchObject({ kind: 'result', settlement: { success: true, amount: '10000' } });
  expect(resultOf(paid).content).toEqual([{ type: 'text', text: 'a for money' }]);
  // Defaults are part of the arguments, so that both spellings of a call are one call.
  const again = asked('ops_link-integrity', { times: 1, word: 'a' }, { payments: [payment] });
  expect(await world.drive(service.call(again))).toEqual(paid);
  expect(world.books().paid).toBe(10_000n);
});

test.each([
  ['PAYMENT_CONFLICT', 409, { word: 'b' }, 1],
  ['PAYMENT_DUPLICATED', 400, { word: 'a' }, 2],
])('%s is answered with status %i and charges nothing more', async (code, status, args, times) => {
  const { service, world } = await rig();
  const call = asked('ops_link-integrity', { word: 'a' });
  const payment = await pay(world, await service.call(call));
  await world.drive(service.call({ ...call, payments: [payment] }));
  const payments = Array.from({ length: times }, () => payment);
  const refused = await world.drive(service.call(asked('ops_link-integrity', args, { payments })));
  expect(requiredOf(refused)).toMatchObject({ status, required: { code } });
  expect(world.books().paid).toBe(10_000n);
});

/** What a challenge calls the work that it is for. */
function callNameIn(outcome: ToolOutcome) {
  const { extensions } = requiredOf(outcome).required;
  return Object(Object(extensions)['repeat-key']).info?.call as unknown;
}

test('what changes nothing of the work is no part of what a payment is bound to', async () => {
  const world = await paymentWorld();
  const { service } = serve(world, await world.start(), ['mood']);
  const call = (args: object, payments: ToolCall['payments'] = []) =>
    world.drive(service.call(asked('ops_link-integrity', args, { payments })));
  const first = await call({ word: 'a', mood: 'calm' });
  const payments = [await pay(world, first)];
  const paid = await call({ word: 'a', mood: 'calm' }, payments);
  for (const same of [{ word: 'a', mood: 'loud' }, { word: 'a' }, { times: 1, word: 'a' }]) {
    expect(callNameIn(await call(same))).toBe(callNameIn(first));
    expect(await call(same, payments)).toEqual(paid);
  }
  for (const other of [{ word: 'b' }, { word: 'a', times: 2 }]) {
    expect(callNameIn(await call(other))).not.toBe(callNameIn(first));
    expect(await call(other, payments)).toMatchObject({ required: { code: 'PAYMENT_CONFLICT' } });
  }
  expect(world.books().paid).toBe(10_000n);
});

test('a payment that was bound to all arguments is still good for the same call', async () => {
  const world = await paymentWorld();
  const process = await world.start();
  const former = serve(world, process).service;
  const { service } = serve(world, process, ['mood']);
  const call = asked('ops_link-integrity', { word: 'a', mood: 'calm' });
  const payment = await pay(world, await former.call(call));
  const paid = await world.drive(former.call({ ...call, payments: [payment] }));
  expect(await world.drive(service.call({ ...call, payments: [payment] }))).toEqual(paid);
  expect(world.books().paid).toBe(10_000n);
});

test('a pending payment is answered with 202 and nothing to pay', async () => {
  const { service, world } = await rig();
  const call = asked('ops_link-integrity', { word: 'a' });
  const payments = [await pay(world, await service.call(call))];
  world.chain.faults.fates.push('late');
  const pending = requiredOf(await world.drive(service.call({ ...call, payments })));
  expect(pending).toMatchObject({
    status: 202,
    required: { accepts: [], code: 'PAYMENT_PENDING' },
    settlement: { success: false, errorReason: 'PAYMENT_PENDING' },
  });
});

test('failed work is answered as it is and not settled', async () => {
  const { service, world } = await rig();
  const call = asked('ops_link-integrity', { word: 'fail' });
  const payments = [await pay(world, await service.call(call))];
  const outcome = await world.drive(service.call({ ...call, payments }));
  expect(resultOf(outcome).structuredContent?.['error']).toBe('EGRESS_FAILED');
  expect('settlement' in outcome).toBe(false);
  expect(world.books().paid).toBe(0n);
});

test('while the chain is silent a paid call is an error of ours, not a challenge', async () => {
  const { service, world } = await rig();
  const call = asked('ops_link-integrity', { word: 'a' });
  const payments = [await pay(world, await service.call(call))];
  world.chain.faults.isDown = true;
  const outcome = await world.drive(service.call({ ...call, payments }));
  expect(resultOf(outcome).structuredContent).toMatchObject({
    error: 'CHAIN_UNAVAILABLE',
    retry: 'later',
  });
});

test('the list is made once, with prices and schemas that fit every answer', async () => {
  const { service, world } = await rig();
  expect(JSON.parse(service.listJson)).toEqual({ tools: service.tools });
  const [free, paid] = service.tools;
  expect(free?._meta?.['price']).toBeUndefined();
  expect(paid?._meta).toMatchObject({
    price: { amount: '0.01', currency: 'USD', micro_usd: '10000', flow: 'authorization' },
  });
  const { name = '' } = paid ?? {};
  expect(service.describe(name)?.accepts).toMatchObject([
    { amount: '10000', network: 'eip155:31337' },
  ]);
  const shapes = [paid?.outputSchema, service.describe(name)?.outputSchema].map((schema) =>
    z.fromJSONSchema(schema as never),
  );
  const call = asked('ops_link-integrity', { word: 'a' });
  const challenge = requiredOf(await service.call(call));
  const result = await world.drive(
    service.call({ ...call, payments: [await pay(world, challenge)] }),
  );
  const fault = await service.call(asked('ops_link-integrity', {}));
  const contents = [resultOf(result).structuredContent, resultOf(fault).structuredContent];
  for (const content of [challenge.required, ...contents]) {
    for (const shape of shapes) {
      expect(shape.safeParse(content).success, JSON.stringify(content)).toBe(true);
    }
  }
  expect(shapes[1]?.safeParse({ other: 1 }).success).toBe(false);
});

test('a call that was paid for is answered where a new one could not be taken', async () => {
  const { world, service, life } = await rig();
  const call = asked('ops_link-integrity', { word: 'a' });
  const payments = [await pay(world, await service.call(call))];
  const paid = await world.drive(service.call({ ...call, payments }));
  life.die();
  const { payments: desk } = await world.start();
  const ready = () => {
    throw new AppError('NOT_CONFIGURED');
  };
  const later = createToolService({
    server: 'commerce',
    title: 'Commerce',
    version: '1.0.1',
    instructions: '',
    tools: [sayTool({ name: 'ops_link-integrity', price: priced, checkReady: ready })],
    paid: { payments: desk, challenger: createChallenger(world) },
  });
  expect(await world.drive(later.call({ ...call, payments }))).toEqual(paid);
  expect(resultOf(await later.call(call)).structuredContent?.['error']).toBe('NOT_CONFIGURED');
});

test('two tools of one name, and a price without payments, are mistakes of the programmer', () => {
  const base = { server: 'commerce', title: '', version: '1', instructions: '' } as const;
  const twice = { ...base, tools: [sayTool(), sayTool()] };
  expect(() => createToolService(twice)).toThrow('tool names are unique');
  const unpaid = { ...base, tools: [sayTool({ price: priced })] };
  expect(() => createToolService(unpaid)).toThrow('priced tools need payments');
});
