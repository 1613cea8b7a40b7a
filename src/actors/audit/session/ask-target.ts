import type {
  AuditTarget,
  AuditTargets,
  TargetLimits,
} from '../../../domain/audit/audit-target.ts';
import { changesBetween } from '../../../domain/audit/probe/pins.ts';
import type { Recon, TargetPins } from '../../../domain/audit/probe/recon.ts';
import { AppError } from '../../../domain/common/error.ts';
import { hashJson } from '../../../domain/common/hash.ts';
import { SECOND_MS } from '../../../domain/common/time.ts';
import type { TargetOrder } from '../../../machines/audit/audit-context.ts';

/** Bytes in both directions that one opening of a target may take. */
export const BYTES_MAX = 16 * 1_048_576;
/** How long one look at a target may take, in milliseconds. */
export const LOOK_MS = 30 * SECOND_MS;
/** Counts what several openings of a target cost it, also where one of them throws. */
export interface Tally {
  requests: number;
}

/** Requests and time that the question costs whether a target is still there. */
const PING = { requestsMax: 4, totalMs: 10 * SECOND_MS } as const;

/** How a target is opened. */
export interface Opening {
  readonly limits: Omit<TargetLimits, 'bytesMax'>;
  readonly signal: AbortSignal;
  /** Requests are added to it at the end. */
  readonly tally?: Tally;
}

/**
 * Opens a target, works, and leaves nothing open, whatever comes of it.
 *
 * @throws {AppError} what opening and `work` throw.
 */
export async function withTarget<T>(
  targets: AuditTargets,
  order: Pick<TargetOrder, 'target' | 'pinnedAddress' | 'seed'>,
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

/** Asks whether a target still answers, in its protocol or with a refusal of its own. */
export async function isAlive(
  targets: AuditTargets,
  order: Pick<TargetOrder, 'target' | 'pinnedAddress' | 'seed'>,
  o: Omit<Opening, 'limits'>,
): Promise<boolean> {
  try {
    return await withTarget(targets, order, { ...o, limits: PING }, answers);
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    return typeof thrown.data['status'] === 'number';
  }
}

async function answers(target: AuditTarget): Promise<boolean> {
  if (target.address.kind === 'a2a_card') {
    return (await target.exchange?.({ method: 'GET' }))?.kind === 'answer';
  }
  await (await target.connect()).close();
  return true;
}

/** True when tools, greeting or card are not what they were. Contents may come and go. */
export function hasChanged(earlier: Recon, later: Recon): boolean {
  return definitionsOf(earlier) !== definitionsOf(later);
}

/** What is different, in words. */
export function changesInWords(earlier: Recon, later: Recon): readonly string[] {
  return changesBetween(lasting(earlier), lasting(later)).map(
    ({ name, change }) => `${name}: ${change}`,
  );
}

/** True when a tool that was there is another one now, not merely new or gone. */
export function isRedefined(earlier: Recon, later: Recon): boolean {
  return changesBetween(earlier.pins, later.pins).some(({ change }) => change === 'changed');
}

function definitionsOf(recon: Recon): string {
  const { tools, greeting, others } = lasting(recon);
  return hashJson([tools, greeting, others]);
}

/** The pins of what stays as it is: of all that is no tool, the card of an agent alone. */
function lasting({ pins }: Recon): TargetPins {
  const { card } = pins.others;
  return { ...pins, others: card === undefined ? {} : { card } };
}
