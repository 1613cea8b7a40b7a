import type { AlertDefinition } from '../../src/domain/alert/definition.ts';
import type { AlertContext, AlertReading } from '../../src/machines/alert/alert-context.ts';
import type { EffectError } from '../../src/runtime/engine/types.ts';
import { MODEL_START_MS } from '../../src/testing/model.ts';
import type { ModelView, OpenEffect, PathPlan } from '../../src/testing/path.ts';
import { createAlertInput } from '../../src/testing/plans/alert.ts';

const MINUTE = 60_000;
/** How long an alert of a path lives, in milliseconds. */
export const LIFE_MS = 10 * MINUTE;
/** How far a clock goes that is set back, and for how long a server is away, in milliseconds. */
export const LEAP_MS = 4 * MINUTE;
const LOST: EffectError = { name: 'AppError', code: 'CHAIN_UNAVAILABLE', message: 'no answer' };

/** Transitions of an alert that nothing outside of the server can bring about, and why. */
export const ALERT_BEYOND: Readonly<Record<string, string>> = {};

/**
 * Everything that may happen to a bought alert on a price that is to rise above 100: readings as of
 * the moment at which they come, one that comes after the server was away, and one by a clock that
 * was set back. After the last two the model's clock is not the server's any more.
 */
export const alertFrontPlan: PathPlan = {
  inputs: { auto: inputOf('auto'), manual: inputOf('manual'), none: inputOf('none') },
  facets: (_: never, view) => {
    const { state, latch, evidence, definition, seq } = alertIn(view);
    const age = evidence === null ? null : nowIn(view) - evidence.asOf;
    return [state, latch, age, definition.rearm, seq > 0, nowIn(view), isAstray(view)];
  },
  stopWhen: isAstray,
  effects: { read: { done: (_: OpenEffect, view) => readingsAt(view), error: [LOST] } },
  events: {
    'ALERT.REARM': (view) => {
      const { latch, state, definition } = alertIn(view);
      const mayArm = state === 'fired' && latch === 'fired' && definition.rearm === 'manual';
      return mayArm ? [{ at: nowIn(view) }] : [];
    },
    'ALERT.DELETED': (view) => [{ at: nowIn(view) }],
  },
};

/** The memory of the model's alert. */
export function alertIn({ context }: Pick<ModelView, 'context'>): AlertContext {
  return context as unknown as AlertContext;
}

/** By the model's clock, in milliseconds: the alert's life ends at a known moment. */
export function nowIn(view: Pick<ModelView, 'context' | 'timers'>): number {
  const life = view.timers.find(({ timerId }) => timerId.includes('.life.'));
  return alertIn(view).expiresAt - (life?.dueInMs ?? 0);
}

function isAstray(view: ModelView): boolean {
  const { history, lastAt } = alertIn(view);
  return history.some(({ reason }) => reason === 'clock') || lastAt > nowIn(view);
}

function readingsAt(view: ModelView): readonly AlertReading[] {
  const now = nowIn(view);
  const { state, evidence, seq, expiresAt } = alertIn(view);
  const isLive = state !== 'stale' && seq > 0 && evidence !== null && expiresAt - now > LEAP_MS;
  const usual = [reading(now, '90'), reading(now, '110'), nothing(now), held(view)];
  // Only what was alive can be found missing.
  const away = [
    nothing(now + LEAP_MS),
    reading(now + LEAP_MS, '90'),
    reading(now + LEAP_MS, '110'),
  ];
  return isLive ? [...usual, ...away, nothing(now - LEAP_MS)] : usual;
}

/** The source says again what it has said. */
function held(view: ModelView): AlertReading {
  const now = nowIn(view);
  const { evidence } = alertIn(view);
  return evidence === null
    ? nothing(now)
    : {
        at: now,
        sample: { value: evidence.value, asOf: evidence.asOf, source: 'kraken' },
        fault: null,
      };
}

function reading(at: number, value: string): AlertReading {
  return { at, sample: { value, asOf: at, source: 'kraken' }, fault: null };
}

function nothing(at: number): AlertReading {
  return { at, sample: null, fault: { reason: 'upstream_error', detail: 'none' } };
}

function inputOf(rearm: AlertDefinition['rearm']) {
  const notify = { webhookId: null, operator: false };
  return createAlertInput(rearm, { at: MODEL_START_MS, lifeMs: LIFE_MS, notify });
}
