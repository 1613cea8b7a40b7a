import type {
  AuditTarget,
  AuditTargets,
  TargetLimits,
} from '../../../domain/audit/audit-target.ts';
import { comparePins } from '../../../domain/audit/probe/pins.ts';
import type { Recon, TargetPins } from '../../../domain/audit/probe/recon.ts';
import { AppError } from '../../../domain/common/error.ts';
import { hashJson } from '../../../domain/common/hash.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { TargetInput } from '../../../machines/audit/audit-context.ts';

/** Byte limit per opened target, in both directions together. */
export const BYTES_MAX = 16 * 1_048_576;
/** Time limit of one recon, in milliseconds. */
export const RECON_TIMEOUT_MS = 30 * SECOND_MS;
/** Counts requests over several openings of a target, even if one throws. */
export interface Tally {
  requests: number;
}

/** Limits of the check whether a target is still reachable. */
const PING_LIMITS = { requestsMax: 4, totalMs: 10 * SECOND_MS } as const;

/** Options for opening a target. */
export interface Opening {
  readonly limits: Omit<TargetLimits, 'bytesMax'>;
  readonly signal: AbortSignal;
  /** The number of requests is added to it at the end. */
  readonly tally?: Tally;
}

/**
 * Opens a target, runs `work`, and closes the target in any case.
 *
 * @throws {AppError} errors of opening and of `work`.
 */
export async function withTarget<T>(
  targets: AuditTargets,
  order: Pick<TargetInput, 'target' | 'pinnedAddress' | 'seed'>,
  o: Opening,
  work: (target: AuditTarget) => Promise<T>,
): Promise<T> {
  const target = await targets.open(order.target, {
    limits: { ...o.limits, bytesMax: BYTES_MAX },
    canarySeed: order.seed,
    signal: o.signal,
    ...(order.pinnedAddress === null ? {} : { pinnedAddress: order.pinnedAddress }),
  });
  try {
    return await work(target);
  } finally {
    if (o.tally !== undefined) o.tally.requests += target.spent().requests;
    await target.close();
  }
}

/** Returns whether a target still answers, in its protocol or with an HTTP error. */
export async function isAlive(
  targets: AuditTargets,
  order: Pick<TargetInput, 'target' | 'pinnedAddress' | 'seed'>,
  o: Omit<Opening, 'limits'>,
): Promise<boolean> {
  try {
    return await withTarget(targets, order, { ...o, limits: PING_LIMITS }, isAnswering);
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    return typeof thrown.data['status'] === 'number';
  }
}

async function isAnswering(target: AuditTarget): Promise<boolean> {
  if (target.address.kind === 'a2a_card') {
    return (await target.exchange?.({ method: 'GET' }))?.kind === 'answer';
  }
  await (await target.connect()).close();
  return true;
}

/** Returns whether tools, greeting, or card have changed. Resources may come and go. */
export function hasChanged(earlier: Recon, later: Recon): boolean {
  return definitionsOf(earlier) !== definitionsOf(later);
}

/** Describes the changes. */
export function describeChanges(earlier: Recon, later: Recon): readonly string[] {
  return comparePins(lastingPins(earlier), lastingPins(later)).map(
    ({ name, change }) => `${name}: ${change}`,
  );
}

/** Returns whether an existing tool was redefined, not merely added or removed. */
export function isRedefined(earlier: Recon, later: Recon): boolean {
  return comparePins(earlier.pins, later.pins).some(({ change }) => change === 'changed');
}

function definitionsOf(recon: Recon): string {
  const { tools, greeting, others } = lastingPins(recon);
  return hashJson([tools, greeting, others]);
}

/**
 * Returns the pins of lasting definitions: tools and greeting, and of the others only the agent
 * card.
 */
function lastingPins({ pins }: Recon): TargetPins {
  const { card } = pins.others;
  return { ...pins, others: card === undefined ? {} : { card } };
}
