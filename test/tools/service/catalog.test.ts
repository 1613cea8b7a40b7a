import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { definePanels } from '../../../src/actors/panel/panels.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import type { LlmPort } from '../../../src/domain/llm/llm.ts';
import type { ToolCall, ToolOutcome } from '../../../src/domain/tool/tool.ts';
import { createChallenger } from '../../../src/tools/payment/challenge.ts';
import { commerceResources, commerceTools } from '../../../src/tools/service/catalog.ts';
import { createToolService } from '../../../src/tools/service/service.ts';
import { paymentStates, paymentWorld } from '../../support/payment-world.ts';
import { SPECIFIED_TOOLS } from '../../tidy/tool-names.ts';

const noModels: LlmPort = {
  models: [],
  complete: () => {
    throw new AppError('INVARIANT', { message: 'no model is asked here' });
  },
  maxCost: () => null,
};
const question = JSON.parse(readFileSync('examples/debate-question.json', 'utf8')) as object;

const PRICE_LINE = { name: 'licence', kind: 'recurring', amount_usd: '10' };

/** The commerce server over a simulated chain, without models and without a way out. */
async function commerce() {
  const world = await paymentWorld('50000000', (blobs) => [
    ...definePanels({ llm: noModels, blobs }),
  ]);
  const process = await world.start();
  const deps = {
    engine: process.engine,
    blobs: world.blobs,
    clock: world.clock,
    trust: world.chain.trust,
    llm: noModels,
    random: { bytes: (length: number) => new Uint8Array(length).fill(7) },
    egress: {
      fetch: async () => {
        throw new AppError('EGRESS_FAILED', { data: { kind: 'dns' } });
      },
    },
  };
  const tools = commerceTools(deps);
  const service = createToolService({
    server: 'commerce',
    title: 'Commerce',
    version: '1.0.0',
    instructions: '',
    tools,
    resources: commerceResources(deps),
    paid: { payments: process.payments, challenger: createChallenger(world) },
  });
  const call = (name: string, args: object, more: Partial<ToolCall> = {}) =>
    world.drive(
      service.call({
        name,
        arguments: args,
        payments: [],
        resourceUrl: `mcp://tool/${name}`,
        principal: { kind: 'local', id: 'test' },
        signal: new AbortController().signal,
        ...more,
      }),
    );
  /** Calls, reads the challenge, pays what it asks and calls again, as a paying client does. */
  const buy = async (name: string, args: object): Promise<ToolOutcome> => {
    const asked = await call(name, args);
    if (asked.kind !== 'payment_required') return asked;
    const [offer] = asked.required.accepts;
    return call(name, args, { payments: [{ carrier: 'meta', value: await world.sign(offer) }] });
  };
  return { ...world, ...process, service, tools, call, buy };
}

function contentOf(outcome: ToolOutcome): Record<string, unknown> {
  if (outcome.kind !== 'result') throw new Error(`no result: ${JSON.stringify(outcome)}`);
  return { ...outcome.result.structuredContent };
}

test('the catalog lists what works, with the prices that were set', async () => {
  const { service } = await commerce();
  const specified = service.tools.filter(({ name }) => SPECIFIED_TOOLS.commerce.includes(name));
  const rows = specified.map(({ name, _meta }) => [
    name,
    (_meta?.['price'] as { amount?: string } | undefined)?.amount,
  ]);
  expect(rows).toEqual([
    ['get_result', undefined],
    ['deliberation_multi-agent-debate', '2.00'],
    ['ops_link-integrity', '0.01'],
    ['procurement_council', '4.00'],
  ]);
});

test('a debate is asked for, paid, decided, read again and its transcript is there', async () => {
  const world = await commerce();
  const name = 'deliberation_multi-agent-debate';
  const decided = await world.buy(name, question);
  expect(decided).toMatchObject({ kind: 'result', settlement: { success: true } });
  const { job_id: jobId, status } = contentOf(decided);
  expect(status).toBe('decided');
  await world.clock.advance(0);
  expect(await paymentStates(world)).toEqual(['closed']);
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 0n });
  const again = await world.call('get_result', { job_id: jobId });
  expect(contentOf(again)).toEqual(contentOf(decided));
  const transcript = await world.service.readResource(`panel://${String(jobId)}/transcript`);
  expect(transcript?.mimeType).toBe('application/json');
  expect(await world.service.readResource('panel://job_wrong/transcript')).toBeUndefined();
});

test('a council of checklists is asked for, paid, decided, and read again', async () => {
  const world = await commerce();
  const facts = { security: { mfa: false }, money: { prices: [PRICE_LINE], budget_usd: '9' } };
  const args = { vendor: 'Acme', product: 'a tool', facts };
  const decided = contentOf(await world.buy('procurement_council', args));
  expect(decided).toMatchObject({ kind: 'council', status: 'decided', mode: 'rules_only' });
  await world.clock.advance(0);
  expect(world.books()).toEqual({ paid: 4_000_000n, refunded: 0n });
  const again = await world.call('get_result', { job_id: decided['job_id'] });
  expect(contentOf(again)).toEqual(decided);
});

test('a council over a brief without facts is refused before any payment without models', async () => {
  const world = await commerce();
  const args = { vendor: 'Acme', product: 'a tool' };
  expect(contentOf(await world.buy('procurement_council', args))['error']).toBe('NOT_CONFIGURED');
  expect(world.chain.rpcCalls()).toBe(0);
});

test('a debate that is cancelled gives its price back on chain', async () => {
  const world = await commerce();
  const args = { question: 'Which?', options: ['A', 'B'], seats_by: 'caller', wait_s: 0 };
  const waiting = contentOf(await world.buy('deliberation_multi-agent-debate', args));
  expect(waiting['status']).toBe('needs_turns');
  await world.call('get_result', { job_id: waiting['job_id'], cancel: true });
  await world.clock.advance(1_000);
  expect(await paymentStates(world)).toEqual(['refunded']);
  expect(world.books()).toEqual({ paid: 2_000_000n, refunded: 2_000_000n });
});

test('an open question that nobody here could answer is refused before any payment', async () => {
  const world = await commerce();
  const args = { question: 'Which?', options: ['A', 'B'] };
  expect(contentOf(await world.buy('deliberation_multi-agent-debate', args))['error']).toBe(
    'NOT_CONFIGURED',
  );
  expect(world.chain.rpcCalls()).toBe(0);
});

test('links that nobody answers are told and not charged', async () => {
  const world = await commerce();
  const outcome = await world.buy('ops_link-integrity', { urls: ['https://example.org/'] });
  expect(outcome).toMatchObject({ kind: 'result', result: { isError: true } });
  expect('settlement' in outcome).toBe(false);
  expect(world.books().paid).toBe(0n);
});

test('a payment is bound to no wait: every spelling of one question is one job', async () => {
  const world = await commerce();
  const name = 'deliberation_multi-agent-debate';
  const asked = await world.call(name, { ...question, wait_s: 60 });
  if (asked.kind !== 'payment_required') throw new Error('it is priced');
  const payments = [
    { carrier: 'meta', value: await world.sign(asked.required.accepts[0]) },
  ] as const;
  const jobs = new Set<unknown>();
  for (const more of [{ wait_s: 60 }, { wait_s: 5 }, {}, { wait_s: 0, max_rounds: 1 }]) {
    const told = await world.call(name, { ...question, ...more }, { payments });
    jobs.add(contentOf(told)['job_id']);
  }
  expect(jobs.size).toBe(1);
  expect(world.books().paid).toBe(2_000_000n);
  const other = await world.call(name, { ...question, max_rounds: 2 }, { payments });
  expect(other).toMatchObject({ required: { code: 'PAYMENT_CONFLICT' } });
});

test('every priced tool that lets its caller wait says so', async () => {
  const world = await commerce();
  const { tools } = world.service;
  const waiting = tools.filter(({ inputSchema, _meta }) => {
    const { properties } = inputSchema as { readonly properties?: object };
    return _meta?.['price'] !== undefined && Object.hasOwn(properties ?? {}, 'wait_s');
  });
  expect(waiting.map(({ name }) => name)).toEqual([
    'deliberation_multi-agent-debate',
    'procurement_council',
  ]);
  for (const { name } of waiting) {
    expect(world.tools.find((tool) => tool.name === name)?.waitParameters, name).toEqual([
      'wait_s',
    ]);
  }
});
