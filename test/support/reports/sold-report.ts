import { onTestFinished, vi } from 'vitest';
import { definePayment } from '../../../src/actors/payment/definition.ts';
import { PaymentFlow } from '../../../src/actors/payment/payment-flow.ts';
import type { ReportKind } from '../../../src/actors/report/report-kind.ts';
import type { AnyReportState } from '../../../src/domain/report/state.ts';
import type { Tool, ToolOutcome } from '../../../src/domain/tool/tool.ts';
import { defineReports, openReports } from '../../../src/process/report/reports.ts';
import { Closers } from '../../../src/process/server/closers.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { getResultTool } from '../../../src/tools/job/get_result.ts';
import { createChallenger } from '../../../src/tools/payment/challenge.ts';
import type { ReportToolDeps } from '../../../src/tools/report/report-tool.ts';
import { commerceJobs } from '../../../src/tools/service/catalog.ts';
import { defineTool } from '../../../src/tools/service/define-tool.ts';
import { createToolService } from '../../../src/tools/service/service.ts';
import { createMemoryPaymentChain } from '../chain-memory/memory-chain.ts';
import { memoryBlobs } from '../debate.ts';
import { systemRandom } from '../front-rig.ts';
import { memoryPaymentIds } from '../memory-payment-ids.ts';
import { createPayer } from '../payer.ts';
import { realClock } from '../real-clock.ts';
import { stateOf } from './report-world.ts';

/** A tool of reports behind real payments on a simulated chain, at the machine's own time. */
export interface SoldReport {
  readonly tool: Tool;
  /** Calls without a payment. */
  ask(args: object): Promise<ToolOutcome>;
  /** Calls, pays, and reads until the report has ended. */
  made(args: object): Promise<AnyReportState>;
  /** Micro-dollars that the payer has paid and not got back. */
  charged(): bigint;
  /** Waits until the payer has got everything back. */
  paidBack(): Promise<void>;
}

/** Sells one tool of reports of one kind; ends with the test. */
export async function sellReport<In>(
  kind: ReportKind,
  make: (reporting: ReportToolDeps) => Tool<In>,
): Promise<SoldReport> {
  const payer = createPayer();
  const chain = createMemoryPaymentChain({ balances: { [payer.address]: '50000000' } });
  const [clock, random, blobs] = [realClock, systemRandom, memoryBlobs()];
  const origins = () => ['http://localhost'];
  const reports = defineReports({ blobs, trust: chain.trust, clock, origins }, [kind]);
  const definitions = [definePayment({ chain }), reports];
  const engine = await createEngine({ store: memoryStore(), clock, definitions });
  const closers = new Closers();
  const { reporting } = await openReports({ engine, blobs, clock, closers });
  onTestFinished(async () => {
    await closers.closeAll();
    await engine.close();
  });
  const tool = defineTool(make(reporting)) as Tool;
  const results = { ...reporting, blobs, llm: NO_MODELS, random };
  const service = createToolService({
    server: 'commerce',
    title: 'One report',
    version: '1.0.0',
    instructions: '',
    tools: [defineTool(getResultTool(results)), tool],
    paid: {
      payments: new PaymentFlow({ engine, chain, blobs, ids: memoryPaymentIds(), clock, random }),
      challenger: createChallenger({ chain, clock, random }),
    },
    jobs: commerceJobs({ engine, blobs }),
  });
  const call = (name: string, args: object, payments: readonly unknown[] = []) =>
    service.call({
      name,
      arguments: args,
      resourceUrl: `mcp://tool/${name}`,
      payments: payments.map((value) => ({ carrier: 'meta' as const, value })),
      principal: { kind: 'local', id: 'test' },
      signal: new AbortController().signal,
    });
  const moved = (from: string, to: string) =>
    chain.ledger.transfers
      .filter((row) => same(row.from, from) && same(row.to, to))
      .reduce((sum, { value }) => sum + value, 0n);
  const { treasury } = chain.facts;
  const charged = () => moved(payer.address, treasury) - moved(treasury, payer.address);
  return {
    tool,
    charged,
    ask: (args) => call(tool.name, args),
    made: async (args) => {
      const asked = await call(tool.name, args);
      if (asked.kind !== 'payment_required') return stateOf(asked);
      const [offer] = asked.required.accepts;
      if (offer === undefined) throw new Error('no offer');
      let state = stateOf(await call(tool.name, args, [await payer.pay(offer)]));
      for (let tries = 0; tries < 10 && state.poll_after_ms !== undefined; tries += 1) {
        state = stateOf(await call('get_result', { job_id: state.job_id, wait_s: 20 }));
      }
      return state;
    },
    paidBack: () =>
      vi.waitFor(
        () => {
          if (charged() !== 0n) throw new Error(`${charged()} are still charged`);
        },
        { timeout: 20_000 },
      ),
  };
}

const NO_MODELS = {
  models: [],
  complete: () => Promise.reject(new Error('no model is configured')),
  ceiling: () => null,
};

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
