import {
  type AlertCondition,
  type AlertDefinition,
  defineAlert,
} from '../../domain/alert/definition.ts';
import type { AlertHistory, AlertView } from '../../domain/alert/view.ts';
import { AppError } from '../../domain/common/error.ts';
import { hashJson, sha256Hex } from '../../domain/common/hash.ts';
import { DAY_MS, SECOND_MS, toIsoTime } from '../../domain/common/time.ts';
import { type AlertInput, createAlertContext } from '../../machines/alert/alert-context.ts';
import { isFresh } from '../../machines/alert/alert-evaluation.ts';
import type { ActorEngine, ListQuery, Page } from '../../runtime/engine/types.ts';
import { isEngineCode } from '../common/engine-error.ts';
import { findActor, findOfKind } from '../common/find-actor.ts';
import type { Services } from '../common/services.ts';
import { alertKind } from './alert-definition.ts';
import { type AlertActorView, createAlertHistory, createAlertView } from './alert-view.ts';
import { readSample } from './reading.ts';
import { assertSourceAvailable } from './require-source.ts';
import { noValueError } from './source-error.ts';

/** Maximum number of active alerts per owner and in total. */
export const ALERTS_MAX = { owner: 50, total: 5_000 } as const;

/** Longest wait for the first reading of a new alert, in milliseconds. */
const FIRST_READING_MS = 15 * SECOND_MS;
/**
 * How long after preparation an alert can be created, in milliseconds. A missing alert that was
 * prepared earlier has already ended and been removed.
 */
const PREPARED_AGE_MAX_MS = DAY_MS;
/** Maximum number of retained alerts with the same owner and definition. */
const GENERATIONS_MAX = 200;
const ALERT_ID = /^alert_[0-9a-f]{16}_[0-9a-f]{40}$/;

/** The owner of an alert. */
export interface AlertOwner {
  /** A lowercase wallet address, or a local caller. */
  readonly owner: string;
  readonly isLocal: boolean;
}

type Ports = Pick<
  Services,
  'clock' | 'engine' | 'events' | 'feeds' | 'markets' | 'prices' | 'seal'
> & {
  /** @throws {AppError} `WEBHOOK_UNKNOWN` unless it exists and belongs to the owner. */
  requireWebhook(webhookId: string, owner: string): Promise<void>;
};

/** An alert that would be created, or the owner's existing one. */
export interface PreparedAlert {
  readonly alert: AlertView;
  readonly isNew: boolean;
}

/** A prepared alert that is to be created. */
export interface PreparedOrder {
  readonly alertId: string;
  readonly owner: string;
  /** Time of preparation, in Unix milliseconds. */
  readonly at: number;
}

/** The alerts of this server. */
export interface Alerts {
  /** @throws {AppError} `INPUT_INVALID` for a condition that no source can watch. */
  check(condition: AlertCondition): void;
  /**
   * Creates an alert, or returns the owner's active one with the same definition.
   *
   * @throws {AppError} `INPUT_INVALID`, `WEBHOOK_UNKNOWN`, `FORBIDDEN`, the source's error if it
   *   fails or has no fresh data, `RATE_LIMITED` or `OVERLOADED` at the limits. No alert is created
   *   then.
   */
  define(
    condition: AlertCondition,
    owner: AlertOwner,
  ): Promise<{ readonly alert: AlertView; readonly isNew: boolean }>;
  /**
   * Runs all checks of `define`, including a first reading, before payment. Creates nothing.
   *
   * @throws {AppError} as `define`
   */
  prepare(condition: AlertCondition, owner: AlertOwner): Promise<PreparedAlert>;
  /** Creates a prepared alert, once even if repeated, and waits for its first reading. */
  create(condition: AlertCondition, prepared: PreparedOrder): Promise<AlertView>;
  /** @throws {AppError} `ALERT_UNKNOWN` */
  read(alertId: string): Promise<AlertHistory>;
  /** @throws {AppError} `ALERT_UNKNOWN`, `EVENT_UNEXPECTED` unless it has fired and is manual. */
  rearm(alertId: string): Promise<AlertHistory>;
  /**
   * Deletes an alert; a repeat does nothing.
   *
   * @throws {AppError} `ALERT_UNKNOWN`
   */
  remove(alertId: string): Promise<AlertHistory>;
}

/** Creates alerts that are stored as actors. */
export function createAlerts(parts: Ports): Alerts {
  const { engine, clock } = parts;
  const viewOf = async (alertId: string): Promise<AlertActorView> => {
    const isId = ALERT_ID.test(alertId);
    const view = isId ? await findOfKind(engine, alertId, alertKind) : undefined;
    if (view === undefined) throw unknownAlertError(alertId);
    return view;
  };
  return {
    check: (condition) => assertSourceAvailable(parts, defineAlert(condition).subject),
    define: async (condition, by) => {
      const { alert, isNew } = await prepareAlert(parts, condition, by);
      if (!isNew) return { alert, isNew };
      const { owner } = by;
      const order = { alertId: alert.alert_id, owner, at: clock.now() };
      return { alert: await createPrepared(parts, condition, order), isNew };
    },
    prepare: (condition, owner) => prepareAlert(parts, condition, owner),
    create: (condition, prepared) => createPrepared(parts, condition, prepared),
    read: async (alertId) => createAlertHistory(await viewOf(alertId), clock.now()),
    rearm: async (alertId) => {
      const view = await viewOf(alertId);
      assertRearmable(view);
      const event = { type: 'ALERT.REARM', at: clock.now() };
      try {
        await engine.tell(alertId, event, { expectSeq: view.seq });
      } catch (thrown) {
        if (isEngineCode(thrown, 'SEQ_CONFLICT')) throw new AppError('SEQ_CONFLICT');
        throw thrown;
      }
      return createAlertHistory(await viewOf(alertId), clock.now());
    },
    remove: async (alertId) => {
      await viewOf(alertId);
      try {
        await engine.tell(alertId, { type: 'ALERT.DELETED', at: clock.now() });
      } catch (thrown) {
        if (!isEngineCode(thrown, 'ACTOR_CLOSED')) throw thrown;
      }
      return createAlertHistory(await viewOf(alertId), clock.now());
    },
  };
}

async function prepareAlert(
  parts: Ports,
  condition: AlertCondition,
  by: AlertOwner,
): Promise<PreparedAlert> {
  const { engine, clock } = parts;
  const definition = defineAlert(condition);
  assertSourceAvailable(parts, definition.subject);
  await assertNotifyAllowed(parts, definition, by);
  const { alertId, known } = await resolveAlertId(parts, definition, by.owner);
  if (known !== undefined) return { alert: createAlertView(known, clock.now()), isNew: false };
  await assertAlertLimits(engine, by.owner);
  await assertFreshData(parts, definition);
  const at = clock.now();
  const input: AlertInput = { alertId, owner: by.owner, definition, at, eventSeq: 0 };
  const context = createAlertContext({ input });
  return { alert: createAlertView({ context, timers: [] }, at), isNew: true };
}

async function createPrepared(
  parts: Ports,
  condition: AlertCondition,
  { alertId, owner, at }: PreparedOrder,
): Promise<AlertView> {
  const { engine, clock, events } = parts;
  if ((await findActor(engine, alertId)) === undefined) {
    if (clock.now() - at > PREPARED_AGE_MAX_MS) throw unknownAlertError(alertId);
    const definition = defineAlert(condition);
    const input: AlertInput = { alertId, owner, definition, at, eventSeq: events.size };
    await engine.of(alertKind).create(alertId, input);
  }
  return createAlertView(await waitForFirstReading(engine, alertId), clock.now());
}

/**
 * Waits until an alert has its first reading or ended. After the timeout, returns its current view.
 */
async function waitForFirstReading(engine: ActorEngine, alertId: string): Promise<AlertActorView> {
  const alerts = engine.of(alertKind);
  const isRead = ({ status, context }: AlertActorView): boolean =>
    status !== 'active' || context.seq > 0;
  try {
    return await alerts.waitFor(alertId, isRead, { timeoutMs: FIRST_READING_MS });
  } catch (thrown) {
    if (!isEngineCode(thrown, 'ASK_TIMEOUT')) throw thrown;
    return alerts.view(alertId);
  }
}

/** Returns the id for an owner's definition; it stays the same until that alert ends. */
async function resolveAlertId(
  { engine, seal }: Ports,
  definition: AlertDefinition,
  owner: string,
): Promise<{ readonly alertId: string; readonly known?: AlertActorView }> {
  const what = hashJson(definition);
  for (let generation = 0; generation < GENERATIONS_MAX; generation += 1) {
    const secret = seal(`alert|${owner}|${what}|${generation}`).slice(0, 40);
    const alertId = `${ownerIdPrefix(owner)}${secret}`;
    const known = await findOfKind(engine, alertId, alertKind);
    if (known === undefined) return { alertId };
    if (known.context.ended === null) return { alertId, known };
  }
  throw new AppError('RATE_LIMITED', {
    message: 'This alert was created and ended too often. Retry later.',
    data: { allowed: GENERATIONS_MAX },
  });
}

async function assertNotifyAllowed(
  parts: Ports,
  { notify }: AlertDefinition,
  { owner, isLocal }: AlertOwner,
): Promise<void> {
  if (notify.operator && !isLocal) {
    throw new AppError('FORBIDDEN', {
      message: 'Only local callers can have alerts mailed to the operator.',
      data: { path: 'notify.operator', received: true, allowed: false },
    });
  }
  if (notify.webhookId !== null) await parts.requireWebhook(notify.webhookId, owner);
}

/** Throws before payment if the source fails or has no fresh data. */
async function assertFreshData(parts: Ports, definition: AlertDefinition): Promise<void> {
  const { subject, op, windowMs } = definition;
  if (subject.kind === 'event') return;
  const now = () => parts.clock.now();
  const look = { subject, op, windowMs, since: now(), eventSeq: 0 };
  const sample = await readSample(parts, look, { now });
  if (isFresh(sample, now(), definition)) return;
  throw noValueError(sample.source, `Its newest value is from ${toIsoTime(sample.asOf)}.`);
}

async function assertAlertLimits(engine: ActorEngine, owner: string): Promise<void> {
  const own = { kind: alertKind.kind, status: 'active', prefix: ownerIdPrefix(owner) } as const;
  if ((await countUpTo(engine, own, ALERTS_MAX.owner)) >= ALERTS_MAX.owner) {
    throw new AppError('RATE_LIMITED', {
      message: `You have ${ALERTS_MAX.owner} active alerts, which is the limit. Delete one first.`,
      data: { allowed: ALERTS_MAX.owner },
    });
  }
  const all = { kind: alertKind.kind, status: 'active' } as const;
  if ((await countUpTo(engine, all, ALERTS_MAX.total)) >= ALERTS_MAX.total) {
    throw new AppError('OVERLOADED', { message: 'The server has reached its alert limit.' });
  }
}

/** Counts up to a maximum. */
async function countUpTo(engine: ActorEngine, query: ListQuery, most: number): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const asked = { ...query, limit: 1_000, ...(cursor === undefined ? {} : { cursor }) };
    const page: Page<unknown> = await engine.list(asked);
    count += page.rows.length;
    cursor = page.cursor;
  } while (cursor !== undefined && count < most);
  return count;
}

function assertRearmable({ context }: AlertActorView): void {
  const { state, definition, ended } = context;
  if (state === 'fired' && definition.rearm === 'manual' && ended === null) return;
  throw new AppError('EVENT_UNEXPECTED', {
    message: 'Only a fired alert with manual rearm can be rearmed.',
    data: {
      received: { state, rearm: definition.rearm, active: ended === null },
      allowed: { state: 'fired', rearm: 'manual', active: true },
    },
  });
}

function ownerIdPrefix(owner: string): string {
  return `alert_${sha256Hex(owner).slice(0, 16)}_`;
}

function unknownAlertError(received: string): AppError {
  return new AppError('ALERT_UNKNOWN', { data: { received: received.slice(0, 80) } });
}
