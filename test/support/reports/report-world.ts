import { z } from 'zod';
import type { ReportKind } from '../../../src/actors/report/report-kind.ts';
import { AnyReportState } from '../../../src/domain/report/state.ts';
import type { ToolCall, ToolOutcome } from '../../../src/domain/tool/tool.ts';
import { defineReports, openReports } from '../../../src/process/report/reports.ts';
import { Closers } from '../../../src/process/server/closers.ts';
import { getResultTool } from '../../../src/tools/job/get_result.ts';
import { createChallenger } from '../../../src/tools/payment/challenge.ts';
import { createReportTool } from '../../../src/tools/report/report-tool.ts';
import { commerceJobs } from '../../../src/tools/service/catalog.ts';
import { defineTool } from '../../../src/tools/service/define-tool.ts';
import { createToolService } from '../../../src/tools/service/service.ts';
import { systemRandom } from '../front-rig.ts';
import type { Death } from '../mortal.ts';
import { type PaymentWorld, type Process, paymentWorld } from '../payment-world.ts';
import { testKind } from './test-kind.ts';

/** A server that sells one kind of report in memory, and everything that outlives it. */
export interface ReportWorld extends PaymentWorld {
  life(death?: Death): Promise<ReportLife>;
}

/** One life of that server. */
export interface ReportLife extends Process {
  call(name: string, args: object, more?: Partial<ToolCall>): Promise<ToolOutcome>;
  /** Calls, pays what is asked, and calls again. */
  buy(args: object, more?: Partial<ToolCall>): Promise<ToolOutcome>;
  /** Reads a report until it has ended. */
  ended(jobId: string): Promise<AnyReportState>;
}

/** Name under which the test kind is sold; it must be one of the specification. */
export const NAME = testKind({}).tool;

const Subject = z.object({ subject: z.string() });
const Wait = z.int().min(0).max(300).default(20);

/** Makes a world; the payer has 50 dollars. `request` is what the kind is asked with. */
export async function reportWorld(
  kind: ReportKind = testKind({}),
  request: z.ZodType<object> = Subject,
): Promise<ReportWorld> {
  const base: PaymentWorld = await paymentWorld('50000000', (blobs) => {
    const { clock, chain } = base;
    return [
      defineReports({ blobs, trust: chain.trust, clock, origins: () => ['http://localhost'] }, [
        kind,
      ]),
    ];
  });
  return {
    ...base,
    life: async (death) => {
      const process = await base.start(death);
      const { reporting } = await openReports({
        ...base,
        engine: process.engine,
        closers: new Closers(),
      });
      const { blobs } = base;
      const facts = {
        kind,
        title: 'Report of the tests',
        description: 'Sells a report of three steps, of which each can be made to fail or to hang.',
        summary: 'Sells a report of three steps.',
        example: {},
        price: '2000000',
        input: z.intersection(request, z.object({ wait_s: Wait })),
        data: z.looseObject({}),
      };
      const deps = { ...reporting, blobs: base.blobs, llm: NO_MODELS, random: systemRandom };
      const service = createToolService({
        server: 'commerce',
        title: 'Commerce',
        version: '1.0.0',
        instructions: '',
        tools: [defineTool(getResultTool(deps)), defineTool(createReportTool(reporting, facts))],
        paid: {
          payments: process.payments,
          challenger: createChallenger({ ...base, random: systemRandom }),
        },
        jobs: commerceJobs({ engine: process.engine, blobs }),
      });
      const dead = process.life.over.then(() => {
        throw new Error('the process died');
      });
      dead.catch(() => undefined);
      const call: ReportLife['call'] = (name, args, more = {}) =>
        base.drive(
          Promise.race([
            service.call({
              name,
              arguments: args,
              payments: [],
              resourceUrl: `mcp://tool/${name}`,
              principal: { kind: 'local', id: 'test' },
              signal: new AbortController().signal,
              ...more,
            }),
            dead,
          ]),
        );
      return {
        ...process,
        call,
        buy: async (args, more = {}) => {
          const asked = await call(kind.tool, args);
          if (asked.kind !== 'payment_required') return asked;
          const value = await base.sign(asked.required.accepts[0]);
          return call(kind.tool, args, { payments: [{ carrier: 'meta', value }], ...more });
        },
        ended: async (jobId) => {
          for (let tries = 0; tries < 100; tries += 1) {
            const state = stateOf(await call('get_result', { job_id: jobId, wait_s: 20 }));
            if (state.poll_after_ms === undefined) return state;
          }
          throw new Error('the report does not end');
        },
      };
    },
  };
}

const NO_MODELS = {
  models: [],
  complete: () => Promise.reject(new Error('no model is configured')),
  ceiling: () => null,
};

/** The state that an outcome tells. */
export function stateOf(outcome: ToolOutcome): AnyReportState {
  if (outcome.kind !== 'result') throw new Error(`no result: ${JSON.stringify(outcome)}`);
  return AnyReportState.parse(outcome.result.structuredContent);
}
