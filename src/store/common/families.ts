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

/** Bound of some key families, in the words of docs/retention.md. */
export interface FamilyBound {
  readonly store: StoreName;
  readonly families: readonly string[];
  readonly bound: string;
  /** Maximum rows of each family, if the bound is a number. */
  readonly rowsMax?: number;
}

/** Maximum number of sessions, and limits derived from it. */
const SESSIONS_MAX = 20_000;
const OPEN_CALLS_MAX = 64 * SESSIONS_MAX;
const SESSION_EVENTS_MAX = 256 * SESSIONS_MAX;

/** Bounds of all key families, as listed in docs/retention.md. */
export const FAMILY_BOUNDS: readonly FamilyBound[] = [
  {
    store: 'actors',
    families: ['journal'],
    bound:
      'all rows of the actor; with `keep.rows` in its definition, that many and at most two ' +
      'snapshot intervals more',
  },
  { store: 'actors', families: ['feed'], bound: 'one per journal row' },
  {
    store: 'actors',
    families: ['snapshots'],
    bound: 'one per 16 journal rows, one per version, one at the end',
  },
  {
    store: 'actors',
    families: ['timers', 'due'],
    bound: 'timers set by the machine; equal names replace each other',
  },
  { store: 'actors', families: ['effects'], bound: 'running effects of the machine' },
  {
    store: 'actors',
    families: ['crashes'],
    bound: 'one per effect that ran when its process crashed, until it ends',
  },
  { store: 'actors', families: ['outbox'], bound: '1,000 sends per event' },
  { store: 'actors', families: ['idempotency', 'expiry'], bound: 'one per keyed event' },
  { store: 'actors', families: ['dead'], bound: 'one per event that could not be processed' },
  { store: 'actors', families: ['index'], bound: 'one per actor' },
  { store: 'actors', families: ['ended'], bound: 'one per end of an actor' },
  {
    store: 'actors',
    families: ['facets'],
    bound: 'one per state of an actor, one for its status',
  },
  {
    store: 'actors',
    families: ['waiting', 'lanes', 'waitingIds'],
    bound: '`waitingMax` of the queue, 1,000,000 unless set',
    rowsMax: 1_000_000,
  },
  { store: 'actors', families: ['slots'], bound: 'one per running queued actor' },
  {
    store: 'actors',
    families: ['rates', 'ratesDue'],
    bound: 'one per key with a rate, and one per queue',
  },
  { store: 'actors', families: ['schedules'], bound: '10,000', rowsMax: 10_000 },
  {
    store: 'actors',
    families: ['marks'],
    bound:
      '`lastGlobalSeq`, `facets`, one per queue (`arrival/…`), and one per kind (`kind/…`): ' +
      'the machine last checked against its actors',
  },
  { store: 'actors', families: ['meta'], bound: 'two (`format`, `epoch`)' },
  {
    store: 'blobs',
    families: ['texts', 'seen', 'ages'],
    bound: '8 MiB per text; equal texts are stored once',
  },
  { store: 'history', families: ['service-events'], bound: '10,000 per service' },
  { store: 'history', families: ['service-event-marks'], bound: 'one (`position`)' },
  {
    store: 'logs',
    families: ['heads', 'chunks'],
    bound: 'half of the bytes of all days (default 2 GiB); one per 256 to 511 lines, or per minute',
  },
  {
    store: 'logs',
    families: ['newest'],
    bound: 'per resource and type, at most 511 lines or 256 KiB of the last minute',
  },
  { store: 'logs', families: ['sources'], bound: '10,000', rowsMax: 10_000 },
  { store: 'logs', families: ['marks'], bound: 'one (`position`)' },
  {
    store: 'mcp',
    families: ['sessions'],
    bound: "the front's bound on sessions",
    rowsMax: SESSIONS_MAX,
  },
  {
    store: 'mcp',
    families: ['open-calls'],
    bound: '64 per session, 262,144 characters per call',
    rowsMax: OPEN_CALLS_MAX,
  },
  {
    store: 'mcp',
    families: ['events'],
    bound: '256 and 1 MiB per session; the newest always stays',
    rowsMax: SESSION_EVENTS_MAX,
  },
  {
    store: 'metrics',
    families: ['series'],
    bound:
      'default 1 GiB; one per hour, resource, metric and instance; per host, status and ' +
      'path, with at most 20 hosts and 200 paths; one per five minutes for latencies',
  },
  { store: 'metrics', families: ['sources'], bound: '10,000', rowsMax: 10_000 },
  { store: 'proofs', families: ['records', 'keys', 'refs'], bound: 'one per proof' },
  {
    store: 'proofs',
    families: ['hashes'],
    bound: 'one per full subtree: less than two per proof',
  },
  {
    store: 'proofs',
    families: ['checkpoints'],
    bound: 'one per signed size: at most one per proof and one for the empty log',
  },
  { store: 'proofs', families: ['payloads', 'subjects'], bound: 'one per proof' },
  {
    store: 'proofs',
    families: ['anchors'],
    bound: 'one per anchor, at most one per anchoring interval',
  },
  {
    store: 'proofs',
    families: ['cosignatures'],
    bound: 'one per checkpoint and witness, of at most 16',
  },
  { store: 'proofs', families: ['marks'], bound: 'one (`position`)' },
  { store: 'trust', families: ['events', 'event-keys'], bound: 'one per public event' },
  { store: 'trust', families: ['event-subjects'], bound: '8 per public event' },
  { store: 'trust', families: ['event-marks'], bound: 'one (`position`)' },
  {
    store: 'trust',
    families: ['wallet-nonces', 'wallet-nonces-due'],
    bound: '100,000 signed requests that have not expired; then `OVERLOADED`',
    rowsMax: 100_000,
  },
  {
    store: 'trust',
    families: ['payment-ids', 'payment-ids-due'],
    bound: 'one per payment with an identifier',
  },
  {
    store: 'trust',
    families: ['passports'],
    bound:
      'four per registered agent, one per wallet it had, and three per delegation; 100,000 ' +
      'agents and as many delegations',
  },
  { store: 'trust', families: ['escrow-marks'], bound: 'one (`escrow`)' },
  {
    store: 'trust',
    families: ['escrow-unclaimed'],
    bound: '1,000 logs of unknown jobs',
    rowsMax: 1_000,
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
