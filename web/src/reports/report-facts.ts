import type { Json } from '../../../src/domain/common/json.ts';
import { type StepSpan, stepsOf } from '../../../src/domain/drawing/steps.ts';
import type { ActorFrame } from '../../../src/domain/inspect/wire.ts';
import { exactSpanWords } from '../journal/words.ts';

/** A step with the fields that the console may show. */
export interface ShownStep {
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
  readonly steps: readonly ShownStep[];
}

/** Extracts the public facts of a report from its redacted frame. */
export function reportFacts({ context, status }: ActorFrame, now: number): ReportFacts {
  const input = record(context['input']);
  const isOver = status !== 'active' && status !== 'stuck';
  const ends = items(context['ends']).map(record);
  const begun = number(context['begunAt']);
  const steps = items(context['steps']).map(record);
  return {
    tool: text(input['tool']) ?? '',
    kind: (text(input['reportKind']) ?? '').replaceAll('_', ' '),
    priceMicroUsd: text(input['priceMicroUsd']) ?? '',
    outcome: text(context['outcome']),
    isAnswered: record(context['composed'])['isAnswer'] === true,
    steps: steps.map((step, place): ShownStep => {
      const end = ends[place];
      const shared = {
        id: text(step['stepId']) ?? String(place),
        title: text(step['title']) ?? `Step ${place + 1}`,
        from: place <= ends.length && begun !== null ? begunAt(ends, place, begun) : null,
      };
      if (end !== undefined) {
        const fault = faultOf(end['fault']);
        const done = fault === null ? ('done' as const) : ('failed' as const);
        return { ...shared, status: done, to: number(end['at']), fault };
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
export function stepDrawing(steps: readonly ShownStep[]): string {
  const tones = { done: 'good', failed: 'bad', running: 'main' } as const;
  return stepsOf(
    'Steps and their durations',
    steps.map(({ title, status, from, to }): StepSpan => {
      const isBegun = status === 'done' || status === 'failed' || status === 'running';
      const took = from === null || to === null ? '' : `, ${exactSpanWords(to - from)}`;
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

function begunAt(ends: readonly Members[], place: number, begun: number): number {
  return place === 0 ? begun : (number(ends[place - 1]?.['at']) ?? begun);
}

function faultOf(value: Json | undefined): ShownStep['fault'] {
  const fault = record(value);
  const [upstream, code] = [text(fault['upstream']), text(fault['code'])];
  return code === null ? null : { upstream: upstream ?? '', code };
}

function record(value: Json | undefined): Members {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? (value as Members) : {};
}

function items(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function number(value: Json | undefined): number | null {
  return typeof value === 'number' && value > 0 ? value : null;
}
