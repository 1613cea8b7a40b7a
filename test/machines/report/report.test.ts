import { describe, expect, test } from 'vitest';
import { reportMachine } from '../../../src/machines/report/report.ts';
import type { ReportContext } from '../../../src/machines/report/report-context.ts';
import { engineDriver } from '../../../src/testing/engine-driver.ts';
import type { Standing, TestPath } from '../../../src/testing/path.ts';
import { pathSetOf, pathsOf } from '../../../src/testing/paths-of.ts';
import { reportPlan } from '../../../src/testing/plans/report.ts';
import { runPaths } from '../../../src/testing/run-paths.ts';

const covering = pathSetOf(reportMachine, { ...reportPlan, how: 'transitions' });
const random = pathsOf(reportMachine, { ...reportPlan, how: 'random', seed: 91, countMax: 300 });
const walks = [...covering.paths, ...random];

function standingsOf({ begin, steps }: TestPath): readonly Standing[] {
  return [begin.after, ...steps.map(({ after }) => after)];
}

function contextOf(standing: Standing): ReportContext {
  return standing.context as unknown as ReportContext;
}

function toldOf(standing: Standing): Record<string, unknown> | undefined {
  const sends = standing.messages as readonly { event: Record<string, unknown> }[];
  expect(sends.length).toBeLessThanOrEqual(1);
  return sends[0]?.event;
}

test('paths go through every transition, and nothing poisons it', () => {
  expect(covering.unreachedIds).toEqual([]);
  expect(covering.poisons).toEqual([]);
});

test('the engine stands where the model stands on the shortest way to every state', async () => {
  const paths = pathsOf(reportMachine, { ...reportPlan, how: 'shortest' });
  const driver = () => engineDriver({ machine: reportMachine });
  const sum = await runPaths(paths, { machine: reportMachine, driver });
  expect(sum.paths).toBe(paths.length);
}, 300_000);

describe('on covering paths and 300 random lives', () => {
  const ended = walks.flatMap((path) => {
    const last = standingsOf(path).at(-1);
    return last?.status === 'done' ? [last] : [];
  });

  test('they come to each of the three ends', () => {
    expect(new Set(ended.map(({ value }) => value))).toEqual(
      new Set(['published', 'aborted', 'failed']),
    );
    expect(ended.length).toBeGreaterThan(50);
  });

  test('only a published report is charged, and every other end gives the price back', () => {
    for (const last of ended) {
      const told = toldOf(last);
      const { composed, input } = contextOf(last);
      if (last.value === 'published') {
        expect(told).toEqual({ type: 'WORK.DONE', resultSha: composed?.resultSha });
        expect(composed?.isAnswer).toBe(true);
      } else if (last.value === 'aborted') {
        const refundMicroUsd = input.priceMicroUsd;
        expect(told).toEqual({ type: 'WORK.CANCELLED', refundMicroUsd });
      } else {
        expect(told?.['type']).toBe('WORK.FAILED');
        expect(told?.['reason']).not.toBe('');
      }
    }
  });

  test('the payment is told nothing before the end', () => {
    for (const path of walks) {
      for (const standing of standingsOf(path)) {
        if (standing.status === 'active') expect(standing.messages).toEqual([]);
      }
    }
  });

  test('steps end in the order of the plan, each once, and none runs that has ended', () => {
    for (const path of walks) {
      for (const standing of standingsOf(path)) {
        const { steps, ends } = contextOf(standing);
        const planned = steps.slice(0, ends.length).map(({ stepId }) => stepId);
        expect(ends.map(({ stepId }) => stepId)).toEqual(planned);
        const running = standing.effects.find(({ src }) => src === 'step');
        if (running === undefined) continue;
        const { stepId } = running.input as { readonly stepId: string };
        expect(planned).not.toContain(stepId);
      }
    }
  });
});
