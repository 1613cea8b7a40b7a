import { type AnyStateMachine, initialTransition, transition } from 'xstate';
import type { AlertDefinition } from '../../src/domain/alert/definition.ts';
import { alertMachine } from '../../src/machines/alert/alert.ts';
import type {
  AlertContext,
  AlertReading,
  AlertTransition,
} from '../../src/machines/alert/alert-context.ts';
import { AlertOracle } from './alert-oracle.ts';

const START = 1_700_000_000_000;
const MINUTE = 60_000;
const FAULTS = ['no_data', 'upstream_error', 'schema', 'market_closed'] as const;
const STALE_TIMERS = ['armed', 'fired'].map(
  (state) => [state, `xstate.after.staleDue.alert.active.trigger.${state}`] as const,
);

/** A definition with everything decided, for one price. */
export function priceAlert(overrides: Partial<AlertDefinition> = {}): AlertDefinition {
  return {
    subject: { kind: 'price', pair: 'BTC/USD', venue: 'kraken' },
    op: 'above',
    threshold: '100',
    windowMs: 0,
    hysteresis: '5',
    holdForMs: 0,
    keepFiringMs: 0,
    evalIntervalMs: MINUTE,
    staleAfterMs: 3 * MINUTE,
    rearm: 'auto',
    cooldownMs: 5 * MINUTE,
    lifeMs: 90 * 24 * 60 * MINUTE,
    maxSkewMs: 5_000,
    notify: { webhookId: null, operator: false },
    ...overrides,
  };
}

/**
 * Plays one random life of an alert on machine and oracle.
 *
 * @param machine - Takes the place of the machine of alerts.
 * @returns What differs, or nothing.
 */
export function playAlert(
  random: () => number,
  events: number,
  machine: AnyStateMachine = alertMachine,
): string | undefined {
  const definition = randomDefinition(random);
  const input = { alertId: 'alert_x', owner: 'o', definition, at: START, eventSeq: 0 };
  let [state] = initialTransition(machine, input);
  const oracle = new AlertOracle(definition, START);
  let now = START;
  const log: string[] = [JSON.stringify(definition)];
  for (let at = 0; at < events; at += 1) {
    now +=
      random() < 0.03 ? -Math.floor(random() * 10 * MINUTE) : Math.floor(random() * 2 * MINUTE);
    // Most of the time the stale timer rings when it is due; after a downtime it comes late.
    if (
      random() < 0.8 &&
      (oracle.state === 'armed' || oracle.state === 'fired') &&
      oracle.due <= now
    ) {
      const [, type = ''] = STALE_TIMERS.find(([name]) => name === oracle.state) ?? [];
      [state] = transition(machine, state, { type } as never);
      oracle.ring();
      log.push('ring');
    }
    if (random() < 0.1) {
      [state] = transition(machine, state, { type: 'ALERT.REARM', at: now });
      oracle.rearm(now);
      log.push(`rearm ${now - START}`);
    } else {
      const output = randomReading(random, now);
      const actorId = 'read';
      [state] = transition(machine, state, {
        type: 'xstate.done.actor.read',
        actorId,
        output,
      } as never);
      oracle.read(output);
      log.push(JSON.stringify({ ...output, at: now - START }));
    }
    const fault = differenceOf(state.context, state.value, oracle);
    if (fault !== undefined) return `${fault}\n${log.slice(-6).join('\n')}\n${log[0]}`;
  }
  return undefined;
}

function differenceOf(
  context: AlertContext,
  value: unknown,
  oracle: AlertOracle,
): string | undefined {
  const { trigger } = (value as { active: { trigger: string } }).active;
  const shown = oracle.state === 'unread' ? 'created' : oracle.state;
  if (trigger !== shown) return `the machine is ${trigger}, the oracle ${shown}`;
  if (trigger !== 'created' && context.state !== trigger) return `it says ${context.state}`;
  if (context.latch !== oracle.latch) return `latched ${context.latch}, not ${oracle.latch}`;
  if (context.evidence?.asOf !== oracle.lastAsOf) return 'other evidence';
  if (context.lastAt !== oracle.now) return `knows ${context.lastAt}, not ${oracle.now}`;
  const rows = context.history.map(({ to, at, reason, gapCrossed, isNotified }) => {
    return { to, at, reason, gap: gapCrossed, told: isNotified };
  });
  const [mine, theirs] = [JSON.stringify(rows), JSON.stringify(oracle.rows.slice(-200))];
  if (mine !== theirs) return `history ${mine.slice(-400)}\n not ${theirs.slice(-400)}`;
  return brokenRule(context);
}

/** What holds whatever happens. */
function brokenRule({ history, seq, state, latch, evidence, definition }: AlertContext) {
  for (const [at, row] of history.entries()) {
    if (row.key !== `alert_x:${seq - history.length + at + 1}`) return `${row.key} is out of order`;
    const fault = brokenRow(row, history[at - 1], definition.rearm);
    if (fault !== undefined) return `${row.key}: ${fault}`;
  }
  if (state !== 'stale' && state !== latch && seq > 0) return `${state} under the latch ${latch}`;
  return state !== 'stale' && evidence === null ? 'no evidence' : undefined;
}

function brokenRow(
  { from, to, reason, gapCrossed }: AlertTransition,
  last: AlertTransition | undefined,
  rearm: AlertDefinition['rearm'],
): string | undefined {
  if (last !== undefined && (from !== last.to || to === last.to)) return 'it leads nowhere';
  if (from === 'stale' && reason !== 'resumed') return 'it leaves stale otherwise';
  if (gapCrossed && reason !== 'resumed') return 'it is no gap';
  return to === 'armed' && from === 'fired' && rearm === 'none' ? 'it fires once' : undefined;
}

function randomDefinition(random: () => number): AlertDefinition {
  const pick = <T>(...all: readonly [T, ...T[]]): T =>
    all[Math.floor(random() * all.length)] ?? all[0];
  const op = pick('above', 'below', 'crosses_up', 'crosses_down', 'pct_change');
  const pair = 'BTC/USD';
  const between = ['coinbase', 'kraken'].map((venue) => ({ venue, feeBps: null }));
  const candles = { kind: 'candles', pair, venue: 'kraken', candle: '1m' } as const;
  // Every one of them tells a figure of its own; a change over a window is told by candles alone.
  const level = pick<AlertDefinition['subject']>(
    { kind: 'price', pair, venue: 'kraken' },
    { kind: 'spread', pair, between, sizeQuote: '1000' },
    candles,
  );
  return priceAlert({
    op,
    subject: op === 'pct_change' ? candles : level,
    windowMs: op === 'pct_change' ? 60 * MINUTE : 0,
    hysteresis: pick('0', '5'),
    holdForMs: pick(0, 0, 90_000),
    keepFiringMs: pick(0, 0, 90_000),
    rearm: pick('auto', 'auto', 'manual', 'none'),
    cooldownMs: pick(0, 5 * MINUTE),
  });
}

function randomReading(random: () => number, at: number): AlertReading {
  const chance = random();
  const reason = FAULTS[Math.floor(random() * FAULTS.length)] ?? 'no_data';
  if (chance < 0.15) return { at, sample: null, fault: { reason, detail: 'x' } };
  const age =
    chance < 0.25 ? Math.floor((random() - 0.2) * 6 * MINUTE) : Math.floor(random() * 5_000);
  const value = String(90 + Math.floor(random() * 21));
  return { at, sample: { value, asOf: at - age, source: 'kraken' }, fault: null };
}
