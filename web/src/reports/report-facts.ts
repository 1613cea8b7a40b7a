import type { Json } from '../../../src/domain/common/json.ts';
import { drawSteps, type TimelineStep } from '../../../src/domain/drawing/steps.ts';
import type { ActorFrame } from '../../../src/domain/inspect/wire.ts';
import { formatDuration } from '../journal/format.ts';

/** A step with the fields that the console may show. */
export interface StepView {
  readonly id: string;
  readonly title: string;
  readonly status: 'waiting' | 'running' | 'done' | 'failed' | 'skipped';
  /** Start in milliseconds since 1970; `null` if not started. */
  readonly from: number | null;
  readonly to: number | null;
  /** The failed upstream and its error code; the request stays hidden. */
  readonly fault: { readonly upstream: string; readonly code: string } | null;
}

/** Public facts of a report: its progress, not its content. */
export interface ReportFacts {
  readonly tool: string;
  readonly kind: string;
  readonly priceMicroUsd: string;
  readonly outcome: string | null;
  readonly isAnswered: boolean;
  readonly steps: readonly StepView[];
}

/** Extracts the public facts of a report from its redacted frame. */
export function extractReportFacts({ context, status }: ActorFrame, now: number): ReportFacts {
  const input = toRecord(context['input']);
  const isOver = status !== 'active' && status !== 'stuck';
  const ends = toItems(context['ends']).map(toRecord);
  const begun = toNumber(context['begunAt']);
  const steps = toItems(context['steps']).map(toRecord);
  return {
    tool: toText(input['tool']) ?? '',
    kind: (toText(input['reportKind']) ?? '').replaceAll('_', ' '),
    priceMicroUsd: toText(input['priceMicroUsd']) ?? '',
    outcome: toText(context['outcome']),
    isAnswered: toRecord(context['composed'])['isAnswer'] === true,
    steps: steps.map((step, place): StepView => {
      const end = ends[place];
      const shared = {
        id: toText(step['stepId']) ?? String(place),
        title: toText(step['title']) ?? `Step ${place + 1}`,
        from: place <= ends.length && begun !== null ? stepStart(ends, place, begun) : null,
      };
      if (end !== undefined) {
        const fault = readFailure(end['fault']);
        const done = fault === null ? ('done' as const) : ('failed' as const);
        return { ...shared, status: done, to: toNumber(end['at']), fault };
      }
      if (isOver) return { ...shared, status: 'skipped', from: null, to: null, fault: null };
      const isNow = place === ends.length;
      return isNow
        ? { ...shared, status: 'running', to: Math.max(now, shared.from ?? now), fault: null }
        : { ...shared, status: 'waiting', from: null, to: null, fault: null };
    }),
  };
}

/** Draws the steps on a timeline as SVG text. */
export function stepDrawing(steps: readonly StepView[]): string {
  const tones = { done: 'good', failed: 'bad', running: 'main' } as const;
  return drawSteps(
    'Steps and their durations',
    steps.map(({ title, status, from, to }): TimelineStep => {
      const isBegun = status === 'done' || status === 'failed' || status === 'running';
      const took = from === null || to === null ? '' : `, ${formatDuration(to - from)}`;
      return {
        label: title,
        from,
        to,
        text: status + took,
        tone: isBegun ? tones[status] : 'flat',
      };
    }),
  );
}

type Members = Readonly<Record<string, Json | undefined>>;

function stepStart(ends: readonly Members[], place: number, begun: number): number {
  return place === 0 ? begun : (toNumber(ends[place - 1]?.['at']) ?? begun);
}

function readFailure(value: Json | undefined): StepView['fault'] {
  const fault = toRecord(value);
  const [upstream, code] = [toText(fault['upstream']), toText(fault['code'])];
  return code === null ? null : { upstream: upstream ?? '', code };
}

function toRecord(value: Json | undefined): Members {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? (value as Members) : {};
}

function toItems(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function toText(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function toNumber(value: Json | undefined): number | null {
  return typeof value === 'number' && value > 0 ? value : null;
}
