import type { StoreFamily } from '../../domain/inspect/wire.ts';
import type { FamilySize } from '../../runtime/engine/ports.ts';

/** The environments of a data directory, named after their folder under `store/`. */
export type StoreName =
  | 'actors'
  | 'blobs'
  | 'history'
  | 'logs'
  | 'mcp'
  | 'metrics'
  | 'proofs'
  | 'trust';

/** Retention of key families with equal bounds: a row of docs/retention.md, as Markdown. */
export interface FamilyBound {
  readonly store: StoreName;
  readonly families: readonly string[];
  /** Form of the keys. */
  readonly key: string;
  /** Shown in the console as well. */
  readonly bound: string;
  /** Maximum rows of each family, if the bound is a number. */
  readonly rowsMax?: number;
  /** How long a row is kept. */
  readonly age: string;
  /** What removes rows. */
  readonly trimmer: string;
  readonly test: string;
}

/** Maximum number of sessions, and limits derived from it. */
const SESSIONS_MAX = 20_000;
const OPEN_CALLS_MAX = 64 * SESSIONS_MAX;
const SESSION_EVENTS_MAX = 256 * SESSIONS_MAX;

/** All key families. `node scripts/docs.mjs` writes the tables of docs/retention.md from them. */
export const FAMILY_BOUNDS: readonly FamilyBound[] = [
  {
    store: 'actors',
    families: ['journal'],
    key: '`[id, seq]`',
    bound:
      'all rows of the actor; with `keep.rows` in its definition, that many and at most two ' +
      'snapshot intervals more',
    age:
      "400 days after the actor's end, or `purge`; with `keep.ageMs`, that age, at a later " +
      'snapshot',
    trimmer:
      '`engine-trim.ts` (50 actors a call), `purge`; `engine-retention.ts` with each snapshot',
    test:
      '`test/store/engine/engine-store.test.ts`, `repairs.ts` and `trimming.ts` in ' +
      '`test/runtime/conformance`, `test/fault/flat.test.ts`',
  },
  {
    store: 'actors',
    families: ['feed'],
    key: '`globalSeq`',
    bound: 'one per journal row',
    age: 'with the journal row',
    trimmer: 'as journal',
    test: 'as journal',
  },
  {
    store: 'actors',
    families: ['snapshots'],
    key: '`[id, seq]`',
    bound: 'one per 16 journal rows, one per version, one at the end',
    age: 'with the journal',
    trimmer: 'as journal',
    test: 'as journal',
  },
  {
    store: 'actors',
    families: ['timers', 'due'],
    key: '`[id, timerId]`, `[due, order, id, timerId]`',
    bound: 'timers set by the machine; equal names replace each other',
    age: 'until it fires, is cancelled, or the actor ends',
    trimmer: 'the batch that ends it',
    test: '`timers.ts`',
  },
  {
    store: 'actors',
    families: ['effects'],
    key: '`[id, childId]`',
    bound: 'running effects of the machine',
    age: "until its result, its state's exit, or the actor's end",
    trimmer: 'the batch that ends it',
    test: '`effects.ts`',
  },
  {
    store: 'actors',
    families: ['crashes'],
    key: '`[id, childId]`',
    bound: 'one per effect that ran when its process crashed, until it ends',
    age: "until the effect ends in a living process, its dead letter is retried, or the actor's end",
    trimmer: 'the batch that ends it, `purge`',
    test: '`crashes.ts`, `test/adversary/disk.test.ts`',
  },
  {
    store: 'actors',
    families: ['outbox'],
    key: '`[from, fromSeq, n]`',
    bound: '1,000 sends per event',
    age: 'until delivered, or a dead letter',
    trimmer: 'the batch of the delivery',
    test: '`messages.ts`',
  },
  {
    store: 'actors',
    families: ['idempotency', 'expiry'],
    key: '`[id, key]`, `[expires, id, key]`',
    bound: 'one per keyed event',
    age: '24 hours',
    trimmer: '`engine-trim.ts` (1,000 a call)',
    test: '`events.ts`, `test/store/engine/engine-store.test.ts`',
  },
  {
    store: 'actors',
    families: ['dead'],
    key: '`deadLetterId`',
    bound: 'one per event that could not be processed',
    age: '400 days, or its retry',
    trimmer: '`engine-trim.ts` (1,000 a call), `retry`',
    test: '`repairs.ts`, `test/store/engine/engine-store.test.ts`',
  },
  {
    store: 'actors',
    families: ['index'],
    key: '`[kind, id]`',
    bound: 'one per actor',
    age: 'with the journal',
    trimmer: 'as journal',
    test: '`reading.ts`',
  },
  {
    store: 'actors',
    families: ['ended'],
    key: '`[at, kind, id]`',
    bound: 'one per end of an actor',
    age: '400 days',
    trimmer: '`engine-trim.ts`',
    test: '`test/store/engine/engine-store.test.ts`',
  },
  {
    store: 'actors',
    families: ['facets'],
    key: '`[kind, facet, value, id]`',
    bound: 'one per state of an actor, one for its status',
    age: 'with the index row',
    trimmer: 'the batch that changes it, and as journal',
    test: '`reading.ts`, `test/store/engine/engine-list.test.ts`',
  },
  {
    store: 'actors',
    families: ['waiting', 'lanes', 'waitingIds'],
    key: '`[queue, rank, arrival, id]`, `[queue, key, rank, arrival, id]`, `id`',
    bound: '`waitingMax` of the queue, 1,000,000 unless set',
    rowsMax: 1_000_000,
    age: 'until it starts, is taken out, or becomes a dead letter',
    trimmer: 'the batch that starts it, `dequeue`',
    test: '`queues.ts`, `queue-crashes.ts`',
  },
  {
    store: 'actors',
    families: ['slots'],
    key: '`id`',
    bound: 'one per running queued actor',
    age: "until the actor's end",
    trimmer: 'the batch that ends it',
    test: '`queues.ts`, `queue-crashes.ts`',
  },
  {
    store: 'actors',
    families: ['rates', 'ratesDue'],
    key: '`[queue, key]`, `[freshAt, queue, key]`',
    bound: 'one per key with a rate, and one per queue',
    age: 'until the rate is as if unused',
    trimmer: '`engine-trim.ts` (1,000 a call)',
    test: '`queue-rates.ts`',
  },
  {
    store: 'actors',
    families: ['schedules'],
    key: '`name`',
    bound: '10,000',
    rowsMax: 10_000,
    age: 'until `unschedule`',
    trimmer: '`unschedule`',
    test: '`schedules.ts`',
  },
  {
    store: 'actors',
    families: ['marks'],
    key: 'name',
    bound:
      '`lastGlobalSeq`, `facets`, one per queue (`arrival/…`), and one per kind (`kind/…`): the ' +
      'machine last checked against its actors',
    age: 'forever',
    trimmer: 'none needed',
    test: '`repairs.ts`, `queues.ts`',
  },
  {
    store: 'actors',
    families: ['meta'],
    key: 'name',
    bound: 'two (`format`, `epoch`)',
    age: 'forever',
    trimmer: 'none needed',
    test: '`test/store/engine/engine-store.test.ts`',
  },
  {
    store: 'blobs',
    families: ['texts', 'seen', 'ages'],
    key: 'hash, hash, `[at, hash]`',
    bound: '8 MiB per text; equal texts are stored once',
    age: '500 days after the last `put` (noted every 30 days)',
    trimmer:
      '`DurableBlobStore.trim` (1,000 a call), once a day by the daemon, until nothing is left',
    test: '`test/store/common/blob-store.test.ts`',
  },
  {
    store: 'history',
    families: ['service-events'],
    key: '`[service, time, globalSeq, n]`',
    bound: '10,000 per service',
    age: 'until there are more, the oldest first',
    trimmer: '`HostingEvents.append`',
    test: '`test/store/hosting/hosting-events.test.ts`',
  },
  {
    store: 'history',
    families: ['service-event-marks'],
    key: 'name',
    bound: 'one (`position`)',
    age: 'forever',
    trimmer: 'none needed',
    test: '`test/store/hosting/hosting-events.test.ts`',
  },
  {
    store: 'logs',
    families: ['heads', 'chunks'],
    key: '`[resource, type, time]`',
    bound: 'half of the bytes of all days (default 2 GiB); one per 256 to 511 lines, or per minute',
    age: '30 days',
    trimmer: '`LogDays.trim`',
    test: '`test/store/hosting/hosting-logs.test.ts`',
  },
  {
    store: 'logs',
    families: ['newest'],
    key: '`[resource, type, time]`',
    bound: 'per resource and type, at most 511 lines or 256 KiB of the last minute',
    age: 'a minute, then they move to a chunk',
    trimmer: '`LogDay.write`',
    test: '`test/store/hosting/hosting-logs.test.ts`',
  },
  {
    store: 'logs',
    families: ['sources'],
    key: 'source',
    bound: '10,000',
    rowsMax: 10_000,
    age: 'until `forget`; the least recent writer is removed first',
    trimmer: '`hosting-log-writer.ts`',
    test: '`test/store/hosting/hosting-logs.test.ts`',
  },
  {
    store: 'logs',
    families: ['marks'],
    key: 'name',
    bound: 'one (`position`)',
    age: 'with the day',
    trimmer: 'none needed',
    test: '`test/store/hosting-logs-paging.test.ts`',
  },
  {
    store: 'mcp',
    families: ['sessions'],
    key: '`sessionId`',
    bound: "the front's bound on sessions",
    rowsMax: SESSIONS_MAX,
    age: 'idle time of the front',
    trimmer: '`McpSessionStore.expire`',
    test: '`test/store/session/mcp-state.test.ts`',
  },
  {
    store: 'mcp',
    families: ['open-calls'],
    key: '`[sessionId, streamId, requestId]`',
    bound: '64 per session, 262,144 characters per call',
    rowsMax: OPEN_CALLS_MAX,
    age: "until its answer, its session's end or 30 idle minutes",
    trimmer: '`ResponseWriter.forgetCall`, `dropSession`',
    test: '`test/store/session/mcp-open-calls.test.ts`',
  },
  {
    store: 'mcp',
    families: ['events'],
    key: '`[sessionId, n]`',
    bound: '256 and 1 MiB per session; the newest always stays',
    rowsMax: SESSION_EVENTS_MAX,
    age: 'with the session',
    trimmer: '`append`, `dropSession`',
    test: '`test/store/session/mcp-state.test.ts`',
  },
  {
    store: 'metrics',
    families: ['series'],
    key: '`[resource, metric, block, labels]`',
    bound:
      'default 1 GiB; one per hour, resource, metric and instance; per host, status and path, ' +
      'with at most 20 hosts and 200 paths; one per five minutes for latencies',
    age: '30 days, earlier beyond the bytes',
    trimmer: '`HostingMetrics.trim`, once an hour',
    test: '`test/store/hosting/hosting-metrics.test.ts`',
  },
  {
    store: 'metrics',
    families: ['sources'],
    key: 'source',
    bound: '10,000',
    rowsMax: 10_000,
    age: 'until it is the least recent writer',
    trimmer: '`hosting-metrics.ts`',
    test: '`test/store/hosting/hosting-metrics.test.ts`',
  },
  {
    store: 'proofs',
    families: ['records', 'keys', 'refs'],
    key: '`seq`, key of the proof, `[ref, seq]`',
    bound: 'one per proof',
    age: 'forever: the log only grows',
    trimmer: 'none: a proof is never removed',
    test: '`test/store/proof/proof-log.test.ts`',
  },
  {
    store: 'proofs',
    families: ['hashes'],
    key: '`[level, index]`',
    bound: 'one per full subtree: less than two per proof',
    age: 'forever, with the records',
    trimmer: 'none needed',
    test: '`test/store/proof/proof-log.test.ts`',
  },
  {
    store: 'proofs',
    families: ['checkpoints'],
    key: 'size',
    bound: 'one per signed size: at most one per proof and one for the empty log',
    age: 'forever, with the records',
    trimmer: 'none needed',
    test: '`test/store/proof/proof-log.test.ts`',
  },
  {
    store: 'proofs',
    families: ['payloads', 'subjects'],
    key: '`seq`, `[subject, seq]`',
    bound: 'one per proof',
    age: 'forever, or until `erase`',
    trimmer: '`erase` (1,000 a commit)',
    test: '`test/store/proof/proof-log.test.ts`',
  },
  {
    store: 'proofs',
    families: ['anchors'],
    key: 'size',
    bound: 'one per anchor, at most one per anchoring interval',
    age: 'forever, or until its chain lacks it',
    trimmer: '`dropAnchors`',
    test: '`test/store/proof/proof-evidence.test.ts`',
  },
  {
    store: 'proofs',
    families: ['cosignatures'],
    key: '`[size, witness]`',
    bound: 'one per checkpoint and witness, of at most 16',
    age: 'forever, or until the log goes on under another name',
    trimmer: '`dropCosignatures`',
    test: '`test/store/proof/proof-evidence.test.ts`',
  },
  {
    store: 'proofs',
    families: ['marks'],
    key: 'name',
    bound: 'one (`position`)',
    age: 'forever',
    trimmer: 'none needed',
    test: '`test/store/proof/proof-log.test.ts`',
  },
  {
    store: 'trust',
    families: ['events', 'event-keys'],
    key: '`seq`, key of the event',
    bound: 'one per public event',
    age: 'forever: anyone can recompute a reputation from the first event on',
    trimmer: 'none: an event is never removed',
    test: '`test/store/chain/trust-store.test.ts`',
  },
  {
    store: 'trust',
    families: ['event-subjects'],
    key: '`[subject, seq]`',
    bound: '8 per public event',
    age: 'forever, with the events',
    trimmer: 'none needed',
    test: '`test/store/chain/trust-store.test.ts`',
  },
  {
    store: 'trust',
    families: ['event-marks'],
    key: 'name',
    bound: 'one (`position`)',
    age: 'forever',
    trimmer: 'none needed',
    test: '`test/store/chain/trust-store.test.ts`',
  },
  {
    store: 'trust',
    families: ['wallet-nonces', 'wallet-nonces-due'],
    key: '`[wallet, nonce]`, `[expires, wallet, nonce]`',
    bound: '100,000 signed requests that have not expired; then `OVERLOADED`',
    rowsMax: 100_000,
    age: 'until the request expires: at most 300 s',
    trimmer: 'the next signed requests, 100 each (`wallet-nonces.ts`)',
    test: '`test/store/wallet/wallet-nonces.test.ts`',
  },
  {
    store: 'trust',
    families: ['payment-ids', 'payment-ids-due'],
    key: '`[payer, hash of the identifier]`, `[due, payer, hash]`',
    bound: 'one per payment with an identifier',
    age: '45 days after it came; with the payment where that was refused or erased',
    trimmer: 'the next payments, 100 each (`payment-ids.ts`)',
    test: '`test/store/payment/payment-ids.test.ts`',
  },
  {
    store: 'trust',
    families: ['passports'],
    key: '`[place, …]`',
    bound:
      'four per registered agent, one per wallet it had, and three per delegation; 100,000 ' +
      'agents and as many delegations',
    age: 'until it is erased',
    trimmer: '`stoa erase`',
    test: '`test/actors/passport/erase.test.ts`',
  },
  {
    store: 'trust',
    families: ['escrow-marks'],
    key: 'name',
    bound: 'one (`escrow`)',
    age: 'forever',
    trimmer: 'none needed',
    test: '`test/store/escrow/escrow-follow.test.ts`',
  },
  {
    store: 'trust',
    families: ['escrow-unclaimed'],
    key: '`[key, block, log]`',
    bound: '1,000 logs of unknown jobs',
    rowsMax: 1_000,
    age: 'until their job is',
    trimmer: 'their job, when it is made',
    test: '`test/store/escrow/escrow-follow.test.ts`',
  },
];

/** Adds the bounds to the sizes of one environment. */
export function addBounds(store: StoreName, sizes: readonly FamilySize[]): readonly StoreFamily[] {
  return sizes.map(({ family, rows, bytes }) => {
    const known = FAMILY_BOUNDS.find(
      (each) => each.families.includes(family) && (each.store === store || family === 'meta'),
    );
    const used = known?.rowsMax === undefined ? null : rows / known.rowsMax;
    return { environment: store, family, rows, bytes, bound: known?.bound ?? '', used };
  });
}
