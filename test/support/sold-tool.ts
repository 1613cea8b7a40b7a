import { onTestFinished } from 'vitest';
import { definePayment } from '../../src/actors/payment/definition.ts';
import { PaymentFlow } from '../../src/actors/payment/payment-flow.ts';
import { type DataAnswer, hashAnswer, iterateValues } from '../../src/domain/data/envelope.ts';
import type { Tool, ToolOutcome } from '../../src/domain/tool/tool.ts';
import { createEngine } from '../../src/runtime/engine/engine.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { createChallenger } from '../../src/tools/payment/challenge.ts';
import { defineTool } from '../../src/tools/service/define-tool.ts';
import { createToolService } from '../../src/tools/service/service.ts';
import { createMemoryPaymentChain, type MemoryPaymentChain } from './chain-memory/memory-chain.ts';
import { memoryBlobs } from './debate.ts';
import { systemRandom } from './front-rig.ts';
import { memoryPaymentIds } from './memory-payment-ids.ts';
import { createPayer } from './payer.ts';
import { realClock } from './real-clock.ts';

/** A tool behind real payments on a simulated chain, with a payer of 50 dollars. */
export interface SoldTool {
  readonly tool: Tool;
  /** Calls without a payment. */
  ask(args: object): Promise<ToolOutcome>;
  /** Calls, pays what is asked, and calls again. */
  buy(args: object): Promise<ToolOutcome>;
  /** Micro-dollars that the payer has paid and not got back. */
  charged(): bigint;
}

/** Sells one tool; ends with the test. `make` is given what signs for it. */
export async function sellTool<In>(
  make: (trust: MemoryPaymentChain['trust']) => Tool<In>,
): Promise<SoldTool> {
  const payer = createPayer();
  const chain = createMemoryPaymentChain({ balances: { [payer.address]: '50000000' } });
  const tool = defineTool(make(chain.trust)) as Tool;
  const [clock, random, blobs] = [realClock, systemRandom, memoryBlobs()];
  const definitions = [definePayment({ chain })];
  const engine = await createEngine({ store: memoryStore(), clock, definitions });
  onTestFinished(() => engine.close());
  const service = createToolService({
    server: 'commerce',
    title: 'One tool',
    version: '1.0.0',
    instructions: '',
    tools: [tool],
    paid: {
      payments: new PaymentFlow({ engine, chain, blobs, ids: memoryPaymentIds(), clock, random }),
      challenger: createChallenger({ chain, clock, random }),
    },
  });
  const call = (args: object, payments: readonly unknown[]) =>
    service.call({
      name: tool.name,
      arguments: args,
      resourceUrl: `mcp://tool/${tool.name}`,
      payments: payments.map((value) => ({ carrier: 'meta' as const, value })),
      principal: { kind: 'address', id: '203.0.113.9' },
      signal: new AbortController().signal,
    });
  const moved = (from: string, to: string) =>
    chain.ledger.transfers
      .filter((row) => same(row.from, from) && same(row.to, to))
      .reduce((sum, { value }) => sum + value, 0n);
  const { treasury } = chain.facts;
  return {
    tool,
    ask: (args) => call(args, []),
    buy: async (args) => {
      const asked = await call(args, []);
      if (asked.kind !== 'payment_required') return asked;
      const [offer] = asked.required.accepts;
      if (offer === undefined) throw new Error('no offer');
      return call(args, [await payer.pay(offer)]);
    },
    charged: () => moved(payer.address, treasury) - moved(treasury, payer.address),
  };
}

/** The structured content of an outcome, held to the output schema of its tool. */
export function answerOf<Answer>(sold: SoldTool, outcome: ToolOutcome): Answer {
  const content = contentOf(outcome);
  sold.tool.output.parse(content);
  return content as Answer;
}

/** The structured content of an outcome. */
export function contentOf(outcome: ToolOutcome): Readonly<Record<string, unknown>> {
  if (outcome.kind !== 'result') throw new Error(`no result: ${JSON.stringify(outcome)}`);
  return { ...outcome.result.structuredContent };
}

/** Faults of an answer against the rules that every data tool keeps; empty when there are none. */
export function envelopeFaults(content: Readonly<Record<string, unknown>>): readonly string[] {
  const answer = content as unknown as DataAnswer & { evidence: { result_sha256: string } | null };
  const ids = new Set(answer.sources.map(({ id }) => id));
  const uncited = [...iterateValues(answer.data)].filter(
    ({ sources }) => sources.length === 0 || sources.some((id) => !ids.has(id)),
  );
  const { data, sources, coverage, faults } = answer;
  const isBound = data === null || answer.evidence?.result_sha256 === hashAnswer(answer);
  return [
    ...uncited.map(({ value }) => `${value} cites no listed source`),
    ...(isBound ? [] : ['the hash is not that of the answer']),
    ...(coverage.asked === coverage.answered + coverage.missing.length ? [] : ['miscounted']),
    ...(data === null && sources.length > 0 && faults.length === 0 ? ['no reason given'] : []),
  ];
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
