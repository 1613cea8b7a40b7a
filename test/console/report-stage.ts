import { defineReport } from '../../src/actors/report/report.ts';
import { prepareReport } from '../../src/actors/report/report-order.ts';
import { createReportState } from '../../src/actors/report/report-state.ts';
import { readReport } from '../../src/actors/report/report-view.ts';
import type { ActorEngine } from '../../src/runtime/engine/types.ts';
import { createDataResult } from '../../src/tools/data/data-answer.ts';
import { reportRoutes } from '../../src/transport/report/report-routes.ts';
import type { ConsoleHost } from '../support/browser-test.ts';
import { createMemoryPaymentChain } from '../support/chain-memory/memory-chain.ts';
import { deferred } from '../support/deferred.ts';
import { realClock } from '../support/real-clock.ts';
import { testKind } from '../support/reports/test-kind.ts';
import { INJECTIONS } from './injections.ts';
import { openStage } from './stage.ts';

/** What a buyer asked: it must not be seen in a console that may not show it. */
export const SECRET_SUBJECT = 'Acme of the secret subject';

/** A console over reports whose steps do as they are told. */
export interface ReportStage extends ConsoleHost {
  readonly engine: ActorEngine;
  /** Lets the held step of all reports go on. */
  release(): void;
  /** Orders a report, and gives its job id. */
  order(name: string): Promise<string>;
}

/** Opens one; the second of three steps fails, the third is held until it is released. */
export async function openReportStage(actions: readonly 'reports'[]): Promise<ReportStage> {
  const { trust } = createMemoryPaymentChain();
  const held = deferred<void>();
  const onRun = (id: string) => (id === 'media' ? held.promise : undefined);
  const made = testKind({ fates: { filings: 'fails' }, onRun });
  const kind = {
    ...made,
    compose: async (...args: Parameters<typeof made.compose>) => {
      const answer = await made.compose(...args);
      return { ...answer, data: lensData(), method: { how: INJECTIONS[0] ?? '' } };
    },
  };
  const { engine, served, end } = await openStage({
    actions,
    own: ({ blobs }) => [
      defineReport({
        kinds: [kind],
        blobs,
        clock: realClock,
        createResult: (answer, call) => createDataResult({ clock: realClock, trust }, call, answer),
      }),
    ],
    routes: async ({ engine: running, blobs }) =>
      reportRoutes({
        reports: { read: async (id) => createReportState(await readReport(running, id), blobs) },
        clock: realClock,
      }),
  });
  const places = { reserve: async () => () => undefined };
  return {
    engine,
    served,
    end,
    release: () => held.resolve(),
    order: async (name) => {
      const jobId = `job_${name.padEnd(24, '0')}`;
      const { kind: actor, input } = await prepareReport(
        { slots: places, clock: realClock },
        { subject: SECRET_SUBJECT },
        { kind, priceMicroUsd: '2000000' },
        { principal: { kind: 'local', id: 'test' }, paymentId: `pay_${name}`, payer: '0x1' },
      );
      await engine.create(actor, jobId, {
        ...input,
        jobId,
        paymentId: `pay_${name}`,
        payer: '0x1',
      });
      return jobId;
    },
  };
}

/** An answer with lenses, whose texts want to be more than text. */
function lensData() {
  const lens = (name: string, status: string, severity: string, claim: string) => ({
    lens: name,
    status,
    note: null,
    figures: [],
    searched: [claim],
    findings: [{ rule: 'rule', severity, claim, cited: ['s1'] }],
  });
  const [first = '', second = ''] = INJECTIONS;
  return {
    subject: `${SECRET_SUBJECT} ${first}`,
    verdict: 'medium',
    red_flags: [],
    lenses: [
      lens('financial_health', 'ok', 'low', first),
      lens('sanctions', 'partial', 'medium', second),
      { ...lens('security', 'no_data', 'info', first), findings: [], note: second },
    ],
  };
}
