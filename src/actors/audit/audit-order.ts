import type { AuditTargets } from '../../domain/audit/audit-target.ts';
import { AuditInput, PlannedProbe } from '../../domain/audit/order.ts';
import { AUDIT_PLANS, type AuditPlanName, type AuditSeat } from '../../domain/audit/plans.ts';
import type { AsiCategory, TargetAddress } from '../../domain/audit/records.ts';
import {
  type AuditRequest,
  parseTarget,
  selectCategories,
  targetOrigin,
} from '../../domain/audit/request.ts';
import { AppError } from '../../domain/common/error.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { MicroUsdText } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { JobBuyer, JobOrder } from '../../domain/tool/tool.ts';
import type { Services } from '../common/services.ts';
import type { AuditIndex } from './audit-index.ts';
import { auditKind } from './audit-view.ts';
import type { PassportHolders } from './passport-holders.ts';
import type { ControlCheck } from './session/control-check.ts';
import { consentRequiredError, type NonceScope, type Nonces } from './session/nonces.ts';
import type { Probe } from './session/probe.ts';
import { withTarget } from './session/with-target.ts';

const AUDIT_ID_BYTES = 16;
const SEED_BYTES = 16;
/** Limits on requests to the target before payment. */
const FIRST_CONTACT_LIMITS = { requestsMax: 4, totalMs: 15 * SECOND_MS } as const;

/** Dependencies of audit orders. */
export interface AuditOrderDeps extends Pick<Services, 'clock' | 'random'> {
  readonly targets: AuditTargets;
  readonly probes: readonly Probe[];
  readonly probeSetVersion: number;
  readonly control: ControlCheck;
  readonly nonces: Nonces;
  /** Verifies passport holders; absent if the chain has no registry. */
  readonly holders?: PassportHolders;
  readonly index: Pick<AuditIndex, 'reserve'>;
}

/** The plan and price of an audit. */
export interface AuditOffer {
  readonly plan: AuditPlanName;
  readonly priceMicroUsd: MicroUsdText;
}

/** The part of an audit that is known before payment, without contacting the target. */
export interface PlannedAudit {
  readonly target: TargetAddress;
  readonly origin: string;
  readonly probes: readonly PlannedProbe[];
}

/**
 * Plans an audit and checks the proof of control.
 *
 * @throws {AppError} `INPUT_INVALID`, `AUDIT_TARGET_UNKNOWN`, `NOT_CONFIGURED`; `AUDIT_UNPROVEN`
 *   with a new nonce and instructions for serving it.
 */
export function planAudit(
  deps: Pick<AuditOrderDeps, 'targets' | 'probes' | 'probeSetVersion' | 'nonces'>,
  request: AuditRequest,
  plan: AuditPlanName,
): PlannedAudit {
  const target = parseTarget(request);
  const origin = targetOrigin(target);
  deps.targets.requireOpenable(target);
  assertProven(deps, request, { target, plan });
  const scope = selectCategories(request);
  const planned = AUDIT_PLANS[plan].seats
    .toSorted((one, other) => loadRank(one) - loadRank(other))
    .flatMap(({ categories }) => categories)
    .filter((category) => scope.includes(category))
    .flatMap((category) => selectProbes(deps.probes, plan, category));
  const probes = planned.map((probe) => PlannedProbe.parse(probe));
  const hasRunnableProbe = probes.some(
    ({ mode }) => request.mode === 'active' || mode === 'passive',
  );
  if (hasRunnableProbe) return { target, origin, probes };
  throw new AppError('INPUT_INVALID', {
    message: 'No probe of these categories runs in this mode.',
    data: { path: 'categories', received: scope, allowed: 'mode active, or more categories' },
  });
}

/**
 * Prepares the order of an audit: reserves a slot, and checks that the target is reachable and its
 * owner consents. If it throws, nothing is charged or stored.
 *
 * @throws {AppError} as {@link planAudit}; `AUDIT_TARGET_DOWN`, `EGRESS_BLOCKED`, `RATE_LIMITED`,
 *   `OVERLOADED`
 */
export async function prepareAudit(
  deps: AuditOrderDeps,
  request: AuditRequest,
  { plan, priceMicroUsd }: AuditOffer,
  by: JobBuyer,
): Promise<JobOrder> {
  const { target, origin, probes } = planAudit(deps, request, plan);
  const { index, random, clock } = deps;
  const { mode } = request;
  const consent = await resolveConsent(deps, request, { target, plan });
  const auditId = `aud_${Buffer.from(random.bytes(AUDIT_ID_BYTES)).toString('hex')}`;
  const reservation = { auditId, origin, mode, nonce: consent.nonce };
  const release = await index.reserve(reservation, by, clock.now());
  try {
    const seed = Buffer.from(random.bytes(SEED_BYTES)).toString('hex');
    const { requestsMax, deadlineMs } = AUDIT_PLANS[plan];
    const input = AuditInput.omit({ jobId: true, paymentId: true }).parse({
      auditId,
      plan,
      target,
      origin,
      pinnedAddress: await contactTarget(deps, target, seed),
      mode,
      allowWrites: mode === 'active' && request.allow_writes,
      consent,
      categories: selectCategories(request),
      probeSetVersion: deps.probeSetVersion,
      probes,
      requestsMax,
      deadlineMs,
      priceMicroUsd,
      seed,
    });
    await assertConsent(deps, input);
    return {
      kind: auditKind.kind,
      input: JSON.parse(JSON.stringify(input)) as JsonObject,
      release,
    };
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/** The injection plan runs only the corpus; other plans run all probes without a plan. */
function selectProbes(
  probes: readonly Probe[],
  plan: AuditPlanName,
  category: AsiCategory,
): readonly Probe[] {
  const wanted = plan === 'injection' ? plan : undefined;
  return probes.filter((probe) => probe.plan === wanted && probe.category === category);
}

/**
 * Returns the consent to verify again at the origin: a nonce, or a passport that the caller holds.
 */
async function resolveConsent(
  { holders, probeSetVersion }: AuditOrderDeps,
  { mode, consent, allow_writes: allowWrites }: AuditRequest,
  { target, plan }: Pick<NonceScope, 'target' | 'plan'>,
): Promise<AuditInput['consent']> {
  if (mode === 'passive' || target.kind === 'mcp_stdio' || consent === undefined) return {};
  if ('nonce' in consent) return { nonce: consent.nonce };
  if (holders === undefined) {
    throw new AppError('NOT_CONFIGURED', {
      message: 'This server has no passport registry. Prove your consent with a nonce.',
      data: { missing: 'identity registry', allowed: 'consent: {nonce}' },
    });
  }
  return { passport: await holders.prove(consent, { target, plan, probeSetVersion, allowWrites }) };
}

/** Seats that load the target run last, so that they do not disturb the other probes. */
function loadRank({ categories }: AuditSeat): number {
  return categories.includes('ASI08') ? 1 : 0;
}

function assertProven(
  { nonces, probeSetVersion }: Pick<AuditOrderDeps, 'nonces' | 'probeSetVersion'>,
  { mode, consent, allow_writes: allowWrites }: AuditRequest,
  { target, plan }: Pick<NonceScope, 'target' | 'plan'>,
): void {
  if (mode === 'passive' || target.kind === 'mcp_stdio') return;
  if (consent !== undefined && 'passport' in consent) return;
  const scope = { target, plan, probeSetVersion, allowWrites };
  const fault =
    consent === undefined
      ? 'Proof of control is missing.'
      : nonces.explainInvalid(consent.nonce, scope);
  if (fault !== undefined) throw consentRequiredError(nonces, scope, fault);
}

/** Returns the connected address. A target that requires credentials counts as reachable. */
async function contactTarget(
  { targets }: AuditOrderDeps,
  target: TargetAddress,
  seed: string,
): Promise<string | null> {
  const { signal } = new AbortController();
  const order = { target, seed, pinnedAddress: null };
  return await withTarget(
    targets,
    order,
    { limits: FIRST_CONTACT_LIMITS, signal },
    async (opened) => {
      if (target.kind === 'a2a_card') return opened.pinnedAddress;
      try {
        await (await opened.connect()).close();
      } catch (thrown) {
        const status = thrown instanceof AppError ? thrown.data['status'] : undefined;
        if (status !== 401 && status !== 403) throw thrown;
      }
      return opened.pinnedAddress;
    },
  );
}

type AuditOrderInput = Omit<AuditInput, 'jobId' | 'paymentId'>;

async function assertConsent({ control, nonces }: AuditOrderDeps, input: AuditOrderInput) {
  const answer = await control.check(input, new AbortController().signal);
  if (answer.state === 'given') return;
  const allowWrites = input.allowWrites === true;
  throw consentRequiredError(nonces, { ...input, allowWrites }, answer.reason);
}
