import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../domain/common/error.ts';
import { stateName } from '../runtime/engine/snapshot.ts';
import type { Observed } from './driver.ts';
import type { FaultName, Standing, TestPath, TestStep } from './path.ts';
import { SEED_VARIABLE } from './seeded-random.ts';

/** Maximum length of a value in a report, in characters. */
const VALUE_CHARS_MAX = 300;

/** A difference between system and model. */
export interface PathDifference {
  readonly what: string;
  readonly expected: unknown;
  readonly seen: unknown;
}

/** Where and how a path failed. */
export interface FailureFacts {
  readonly path: TestPath;
  /** Number of steps done. The last one, or what followed it, failed. */
  readonly stepsDone: number;
  /** The fault after which the failure was observed. */
  readonly fault?: FaultName;
  readonly differences: readonly PathDifference[];
  readonly cause?: unknown;
}

/** A difference between system and model. The message is the full report. */
export class PathFailure extends AppError {
  readonly path: TestPath;
  readonly stepsDone: number;
  readonly fault: FaultName | undefined;
  readonly differences: readonly PathDifference[];

  constructor(facts: FailureFacts) {
    super('PATH_FAILED', {
      message: formatReport(facts),
      data: { pathId: facts.path.id, stepsDone: facts.stepsDone },
      cause: facts.cause,
    });
    this.name = 'PathFailure';
    this.path = facts.path;
    this.stepsDone = facts.stepsDone;
    this.fault = facts.fault;
    this.differences = facts.differences;
  }
}

/** Compares the observed state with the model. Empty if they agree. */
export function differencesOf(expected: Standing, observed: Observed): readonly PathDifference[] {
  const found: PathDifference[] = [];
  const compare = (what: string, expectedValue: unknown, observedValue: unknown): void => {
    const [one, other] = [toPlainJson(expectedValue), toPlainJson(observedValue)];
    if (!isDeepStrictEqual(one, other)) found.push({ what, expected: one, seen: other });
  };
  compare('state', formatState(expected.value), formatState(observed.value));
  compare('status', expected.status, observed.status);
  const timers = expected.timers.map(({ timerId }) => timerId);
  const effects = expected.effects.map(({ childId }) => childId);
  if (observed.timers !== undefined)
    compare('timers', sortNames(timers), sortNames(observed.timers));
  if (observed.effects !== undefined)
    compare('effects', sortNames(effects), sortNames(observed.effects));
  if (observed.dueInMs !== undefined) {
    const dues = Object.fromEntries(expected.timers.map((each) => [each.timerId, each.dueInMs]));
    compare('timers due in ms', dues, observed.dueInMs);
  }
  if (observed.messages !== undefined) compare('messages', expected.messages, observed.messages);
  if (observed.context !== undefined) {
    for (const name of listNames(expected.context, observed.context)) {
      compare(
        `context.${name}`,
        readMember(expected.context, name),
        readMember(observed.context, name),
      );
    }
  }
  for (const [name, value] of Object.entries(observed.facets ?? {})) {
    compare(`context.${name}`, expected.context[name], value);
  }
  return found;
}

/** Formats a path as one line per step, with the state after it. */
export function pathLines(path: TestPath): readonly string[] {
  const { begin, steps } = path;
  const rows = steps.map(
    (step, at) => [`${at + 1}`, stepText(step), formatEnd(step.after)] as const,
  );
  const all = [['0', 'start', formatEnd(begin.after)] as const, ...rows];
  const widths = [0, 1].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map(([at, text, end]) => {
    const [left = 0, middle = 0] = widths;
    return `  ${at.padStart(left)} ${text.padEnd(middle)}  ${end}`.trimEnd();
  });
}

/** Formats a step in a few words. */
export function stepText(step: TestStep): string {
  switch (step.kind) {
    case 'event':
      return [step.event.type, formatPayload(step.event)].filter((part) => part !== '').join(' ');
    case 'delay':
      return `after ${step.delayMs} ms (${formatTimer(step.timerId)})`;
    case 'wait':
      return `wait ${step.waitMs} ms`;
    case 'effect_done':
      return `${step.childId} is done: ${formatValue(step.output)}`;
    case 'effect_error':
      return `${step.childId} fails: ${step.error.code ?? step.error.name}`;
  }
}

function formatReport({ path, stepsDone, fault, differences, cause }: FailureFacts): string {
  const { id, machineId, seed, steps } = path;
  const after = stepsDone === 0 ? 'the start' : `step ${stepsDone} of ${steps.length}`;
  const position = `after ${after}${formatFault(fault)}`;
  const head = `${machineId}, path ${id}: ${position} the system state differs from the model`;
  const lines = pathLines({ ...path, steps: steps.slice(0, stepsDone) });
  const thrown = cause === undefined ? [] : [`  the driver failed: ${errorMessage(cause)}`];
  const found = differences.map(
    ({ what, expected, seen }) =>
      `  ${what}: expected ${formatValue(expected)}, seen ${formatValue(seen)}`,
  );
  const again = seed === undefined ? [] : [`  again: ${SEED_VARIABLE}=${seed}`];
  return [head, ...lines, ...thrown, ...found, ...again].join('\n');
}

function formatFault(fault: FaultName | undefined): string {
  return fault === undefined ? '' : ` and the fault ${fault}`;
}

function formatEnd({ value, status }: Standing): string {
  return status === 'active' ? `→ ${formatState(value)}` : `→ ${formatState(value)} (${status})`;
}

function formatPayload({ type: _type, ...payload }: { readonly type: string }): string {
  return Object.keys(payload).length === 0 ? '' : formatValue(payload);
}

function formatTimer(timerId: string): string {
  return timerId.startsWith('xstate.after.') ? (timerId.split('.')[2] ?? timerId) : timerId;
}

function formatState(value: unknown): string {
  const isValue = typeof value === 'string' || (typeof value === 'object' && value !== null);
  return isValue ? stateName(value) : formatValue(value);
}

function errorMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function formatValue(value: unknown): string {
  const json = JSON.stringify(value) ?? 'nothing';
  return json.length > VALUE_CHARS_MAX ? `${json.slice(0, VALUE_CHARS_MAX)}…` : json;
}

/** Normalizes a value as JSON would: members that are `undefined` do not exist. */
export function toPlainJson(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}

function sortNames(names: readonly string[]): readonly string[] {
  return names.toSorted((one, other) => (one < other ? -1 : 1));
}

function listNames(one: unknown, other: unknown): readonly string[] {
  return [...new Set([...Object.keys(one as object), ...Object.keys(Object(other) as object)])];
}

function readMember(record: unknown, name: string): unknown {
  return (Object(record) as Readonly<Record<string, unknown>>)[name];
}
