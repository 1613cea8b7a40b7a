import { PUSHES_MAX } from '../../domain/agent-protocol/push.ts';
import type { StoreFamily } from '../../domain/inspect/wire.ts';
import type { FamilySize } from '../../runtime/engine/ports.ts';
import { ENGINE_FAMILY_BOUNDS } from './engine-families.ts';
import type { FamilyBound, StoreName } from './family-bound.ts';

/** Maximum number of sessions, and limits derived from it. */
const SESSIONS_MAX = 20_000;
const OPEN_CALLS_MAX = 64 * SESSIONS_MAX;
const SESSION_EVENTS_MAX = 256 * SESSIONS_MAX;

/** All key families. `node scripts/docs.mjs` writes the tables of docs/retention.md from them. */
export const FAMILY_BOUNDS: readonly FamilyBound[] = [
  ...ENGINE_FAMILY_BOUNDS,
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
  {
    store: 'trust',
    families: ['push-configs'],
    key: '`[task, configuration]`',
    bound: '10,000; 5 per task',
    rowsMax: PUSHES_MAX,
    age: 'until the task ends; an hour if it was never paid',
    trimmer:
      '`TaskPushes.removeAll`, with the last notification, and `start`, which `add` repeats every hour',
    test: '`test/store/agent-protocol/push-store.test.ts`',
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
