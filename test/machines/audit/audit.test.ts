import { describe, expect, test } from 'vitest';
import { auditMachine } from '../../../src/machines/audit/audit.ts';
import type { AuditContext } from '../../../src/machines/audit/audit-context.ts';
import { engineDriver } from '../../../src/testing/engine-driver.ts';
import type { Standing, TestPath } from '../../../src/testing/path.ts';
import { pathSetOf, pathsOf } from '../../../src/testing/paths-of.ts';
import { auditPlan } from '../../../src/testing/plans/audit.ts';
import { runPaths } from '../../../src/testing/run-paths.ts';

/** Effects that send something to the target. */
const ASKING = ['consent', 'recon', 'probe', 'look', 'replay'];
const PRICE = 5_000_000n;

const covering = pathSetOf(auditMachine, { ...auditPlan, how: 'transitions' });
const walks = [
  ...covering.paths,
  ...pathsOf(auditMachine, { ...auditPlan, how: 'random', seed: 51, countMax: 200 }),
];

function standingsOf({ begin, steps }: TestPath): readonly Standing[] {
  return [begin.after, ...steps.map(({ after }) => after)];
}

function contextOf(standing: Standing): AuditContext {
  return standing.context as unknown as AuditContext;
}

function toldOf(standing: Standing): { type: string; refundMicroUsd?: string } | undefined {
  const sends = standing.messages as readonly { event: { type: string } }[];
  expect(sends.length).toBeLessThanOrEqual(1);
  return sends[0]?.event;
}

test('paths go through every transition, and nothing poisons it', () => {
  expect(covering.unreachedIds).toEqual([]);
  expect(covering.poisons).toEqual([]);
});

test('the engine stands where the model stands on the shortest way to every state', async () => {
  const paths = pathsOf(auditMachine, { ...auditPlan, how: 'shortest' });
  const driver = () => engineDriver({ machine: auditMachine });
  const sum = await runPaths(paths, { machine: auditMachine, driver });
  expect(sum.paths).toBe(paths.length);
}, 300_000);

const ended = walks.flatMap((path) => {
  const last = standingsOf(path).at(-1);
  return last?.status === 'done' ? [{ path, last }] : [];
});

describe('on covering paths and 800 random lives', () => {
  test('many come to an end, in each of the three ways', () => {
    const ways = new Set(ended.map(({ last }) => last.value));
    expect(ways).toEqual(new Set(['aborted', 'failed', 'published']));
    expect(ended.length).toBeGreaterThan(100);
  });

  test('the target is asked nothing once its owner, its buyer or the deadline has ended it', () => {
    for (const path of walks) {
      let isOver = false;
      for (const standing of standingsOf(path)) {
        isOver ||= contextOf(standing).outcome !== null;
        const asking = standing.effects.filter(({ src }) => ASKING.includes(src));
        if (isOver) expect(asking, path.id).toEqual([]);
      }
    }
  });

  test('one effect runs at a time, and an active audit waits for something', () => {
    for (const path of walks) {
      for (const { status, effects } of standingsOf(path)) {
        expect(effects, path.id).toHaveLength(status === 'active' ? 1 : 0);
      }
    }
  });

  test('no probe runs that would exceed the requests of the audit, or lacks consent', () => {
    for (const path of walks) {
      for (const standing of standingsOf(path)) {
        const { input } = contextOf(standing);
        for (const effect of standing.effects.filter(({ src }) => src === 'probe')) {
          const order = effect.input as { probeId: string; requestsLeft: number };
          const probe = input.probes.find(({ probeId }) => probeId === order.probeId);
          expect(order.requestsLeft).toBeGreaterThanOrEqual(probe?.requestsMax ?? 0);
          if (input.mode === 'passive') expect(probe?.mode).toBe('passive');
        }
      }
    }
  });

  test('the payment is told once: all kept, a share back, or all back', () => {
    for (const { path, last } of ended) {
      const { outcome } = contextOf(last);
      const told = toldOf(last);
      const back = BigInt(told?.refundMicroUsd ?? '0');
      expect(back >= 0n && back <= PRICE, path.id).toBe(true);
      expect([outcome, told?.type], path.id).toEqual([outcome, messageOf(contextOf(last))]);
    }
  });

  test('what was confirmed stays confirmed to the end', () => {
    for (const path of walks) {
      let confirmed: readonly string[] = [];
      for (const standing of standingsOf(path)) {
        const now = contextOf(standing)
          .findings.filter(({ status }) => status === 'confirmed')
          .map(({ findingId }) => findingId);
        for (const id of confirmed) expect(now, path.id).toContain(id);
        confirmed = now;
      }
    }
  });
});

describe('on the same lives', () => {
  test('a target that cuts an audit off has it for nothing, and it tells what is confirmed alone', () => {
    const cutOff = walks.flatMap((path) =>
      standingsOf(path)
        .filter((one) => CUT_OFF.includes(contextOf(one).outcome ?? ''))
        .map((standing) => ({ path, standing })),
    );
    const ways = new Set<string>();
    for (const { path, standing } of cutOff) {
      const { findings } = contextOf(standing);
      const isAnyConfirmed = findings.some(({ status }) => status === 'confirmed');
      const states = isAnyConfirmed ? [...REPORTING, 'aborted', 'failed'] : ['failed'];
      expect(states, path.id).toContain(standing.value);
      if (standing.status === 'done') expect(toldOf(standing)?.type, path.id).toBe('WORK.FAILED');
      ways.add(`${String(standing.value)}, ${isAnyConfirmed}`);
    }
    expect([...ways]).toEqual(expect.arrayContaining(['failed, false', 'reporting, true']));
  });

  test('a replay that confirmed something is paid for: no target takes itself down behind it', () => {
    for (const { path, last } of ended) {
      const { findings, replayed, outcome } = contextOf(last);
      const isProven = findings.some(
        ({ findingId, status }) => status === 'confirmed' && replayed.includes(findingId),
      );
      if (isProven) expect(CUT_OFF, path.id).not.toContain(outcome);
    }
  });

  test('whatever else was seen of a target is reported, unless the report could not be kept', () => {
    for (const { path, last } of ended) {
      const { recon, signedSha, outcome } = contextOf(last);
      if (CUT_OFF.includes(outcome ?? '')) continue;
      const isReported = recon !== null && outcome !== 'failed';
      expect(signedSha !== null, path.id).toBe(isReported);
    }
  });
});

const REPORTING = ['reporting', 'signing', 'anchoring'];
const CUT_OFF = ['target_down', 'unassessable'];

/** Where time is up first, the share of the probes that did not run goes back. */
function messageOf({ outcome, next, input }: AuditContext): string {
  const isShared = outcome === 'deadline' && next < input.probes.length;
  return isShared ? 'WORK.CANCELLED' : MESSAGES[outcome ?? 'failed'];
}

const MESSAGES = {
  complete: 'WORK.DONE',
  deadline: 'WORK.DONE',
  stopped: 'WORK.CANCELLED',
  cancelled: 'WORK.CANCELLED',
  target_down: 'WORK.FAILED',
  unassessable: 'WORK.FAILED',
  refused: 'WORK.FAILED',
  failed: 'WORK.FAILED',
} as const;
