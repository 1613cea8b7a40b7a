import type { ReportKind, StepResults } from '../../../src/actors/report/report-kind.ts';
import { sha256Hex } from '../../../src/domain/common/hash.ts';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';

/** What becomes of a step. */
export type StepFate = 'found' | 'fails' | 'hangs';

/** How the three steps of the test kind go, by id; `required` is without which there is no report. */
export interface TestKindOptions {
  readonly fates?: Readonly<Record<string, StepFate>>;
  readonly required?: string;
  /** Called whenever a step begins. */
  readonly onRun?: (id: string) => void | Promise<void>;
}

/** Steps of the test kind, in order. */
export const STEPS = ['identity', 'filings', 'media'] as const;

/** A kind of report whose steps do as they are told. */
export function testKind({ fates = {}, required, onRun }: TestKindOptions): ReportKind {
  return {
    kind: 'test',
    tool: 'ops_due-diligence-scan',
    deadlineMs: 60_000,
    steps: () =>
      STEPS.map((id) => ({
        id,
        title: `Looks at ${id}`,
        timeoutMs: 30_000,
        isRequired: id === required,
        run: async ({ signal, progress, input, earlier }) => {
          await onRun?.(id);
          progress(`asks for ${id}`);
          const fate = fates[id] ?? 'found';
          if (fate === 'fails') throw new Error('it is not to be had');
          if (fate === 'hangs') await new Promise(() => signal.aborted);
          return { id, subject: input['subject'] ?? null, behind: Object.keys(earlier) };
        },
      })),
    compose: (_, results, { planned, now }) => {
      const found = planned.filter(({ id }) => results[id]?.state === 'done');
      const isAny = found.length > 0;
      const missing = planned.flatMap(({ id }) => (results[id]?.state === 'done' ? [] : [id]));
      const text = JSON.stringify(results);
      return {
        headline: isAny ? `Found ${found.length} of ${planned.length}.` : 'Nothing was found.',
        data: isAny ? { found: found.map(({ id }) => id), order: behindOf(results) } : null,
        sources: isAny
          ? [
              {
                id: 's1',
                upstream: 'test',
                url: 'urn:stoa:test',
                retrieved_at: new Date(now()).toISOString(),
                revalidated_at: null,
                sha256: sha256Hex(text),
                bytes: text.length,
                http_status: null,
                from_cache: false,
              },
            ]
          : [],
        coverage: { asked: planned.length, answered: found.length, missing },
        faults: faultsOf(results),
        method: { kind: 'test' },
      };
    },
  };
}

function behindOf(results: StepResults): readonly string[] {
  const last = results['media'];
  if (last?.state !== 'done') return [];
  return (last.value as { readonly behind: readonly string[] }).behind;
}

function faultsOf(results: StepResults): readonly DataFailure[] {
  return Object.values(results).flatMap((one) => (one.state === 'failed' ? [one.fault] : []));
}
