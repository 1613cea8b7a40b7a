import type { AlertDefinition } from '../../domain/alert/definition.ts';
import type { AlertInput, AlertReading } from '../../machines/alert/alert-context.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { PathPlan } from '../path.ts';

const AT = 1_700_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const lostError: EffectError = { name: 'AppError', code: 'EGRESS_TIMEOUT', message: 'no answer' };

/** Path plan of an alert on a price above 100. */
export const alertPlan: PathPlan = {
  inputs: {
    auto: createAlertInput('auto'),
    manual: createAlertInput('manual'),
    none: createAlertInput('none'),
  },
  effects: {
    read: {
      done: [
        createReading(AT, '90'),
        createReading(AT + MINUTE, '110'),
        createReading(AT + 2 * MINUTE, '90'),
        createEmptyReading(AT + MINUTE),
        createEmptyReading(AT + HOUR),
        createReading(AT + 2 * HOUR, '90'),
        createReading(AT + 2 * HOUR, '110'),
        createEmptyReading(AT - HOUR),
      ],
      error: [lostError],
    },
  },
  events: { 'ALERT.REARM': [{ at: AT + MINUTE }], 'ALERT.DELETED': [{ at: AT + MINUTE }] },
};

/** Creates the input of an alert on a price above 100. */
export function createAlertInput(
  rearm: AlertDefinition['rearm'],
  more: Partial<Pick<AlertDefinition, 'lifeMs' | 'notify'> & { readonly at: number }> = {},
): AlertInput {
  const { at = AT, ...changes } = more;
  return {
    alertId: 'alert_path',
    owner: `0x${'a1'.repeat(20)}`,
    at,
    eventSeq: 0,
    definition: {
      subject: { kind: 'price', pair: 'BTC/USD', venue: 'kraken' },
      op: 'above',
      threshold: '100',
      windowMs: 0,
      hysteresis: '0.1',
      holdForMs: 0,
      keepFiringMs: 0,
      evalIntervalMs: MINUTE,
      staleAfterMs: 3 * MINUTE,
      rearm,
      cooldownMs: 5 * MINUTE,
      lifeMs: 24 * HOUR,
      maxSkewMs: 5_000,
      notify: { webhookId: `wh_${'b'.repeat(40)}`, operator: true },
      ...changes,
    },
  };
}

function createReading(at: number, value: string): AlertReading & Record<string, unknown> {
  return { at, sample: { value, asOf: at, source: 'kraken' }, fault: null };
}

function createEmptyReading(at: number): AlertReading & Record<string, unknown> {
  return { at, sample: null, fault: { reason: 'no_data', detail: 'none' } };
}
