import { AUDITS_PATH } from '../../../domain/audit/state.ts';
import type {
  AuditFrame,
  AuditReportLine,
  AuditRunning,
} from '../../../domain/inspect/audit-frame.ts';
import type { PanelLine } from '../../../domain/inspect/wire.ts';
import type { AuditContext } from '../../../machines/audit/audit-context.ts';
import {
  nextProbe,
  nextReplay,
  replaySeat,
  VERIFYING_SEAT,
} from '../../../machines/audit/audit-steps.ts';
import { typeView } from '../../../runtime/engine/typed-actors.ts';
import type { View } from '../../../runtime/engine/types.ts';
import { auditKind } from '../../audit/audit-view.ts';
import { categoryLines, findingLines, probeLines, seatLines } from './audit-lines.ts';
import type { StoredTexts } from './stored-texts.ts';

/** Phases of an audit, in order. */
const PHASES = [
  ...['consent', 'recon', 'probing', 'verifying'],
  ...['report', 'signature', 'anchor', 'end'],
] as const;

/** Name of the timer that ends the probing. */
const DEADLINE_TIMER = 'deadline';

/** Returns the console frame of an audit, without its nonce, capability, and canaries. */
export function createAuditFrame(view: View, texts: StoredTexts): AuditFrame {
  const { context } = typeView(auditKind, view);
  const { input, consent, outcome, reason, signedSha } = context;
  const now = { context, running: currentStep(view, context) };
  const report = signedSha === null ? undefined : texts.report(signedSha);
  const probes = probeLines(now, report);
  return {
    topic: 'audit',
    id: view.id,
    status: view.status,
    auditId: input.auditId,
    plan: input.plan,
    title: titleOf(input),
    target: targetOf(input),
    origin: input.origin,
    pinnedAddress: input.pinnedAddress,
    mode: input.mode,
    createdAt: view.createdAt,
    at: view.at,
    deadlineAt: view.timers.find(({ event }) => event.type.includes(DEADLINE_TIMER))?.due ?? null,
    phase: phaseOf(view, context),
    phases: PHASES,
    consent,
    recon: reconView(context),
    running: now.running,
    seats: seatLines(now, probes),
    categories: categoryLines(context, probes, report),
    probes,
    findings: findingLines(now, texts),
    requests: context.requests,
    requestsMax: input.requestsMax,
    priceMicroUsd: input.priceMicroUsd,
    outcome,
    reason,
    report: reportLine(context, texts),
  };
}

/** Returns the console list line of an audit. */
export function createAuditLine(view: View): PanelLine {
  const { input, outcome, sealed } = typeView(auditKind, view).context;
  const found = Object.values(sealed?.confirmed ?? {}).reduce((sum, count) => sum + count, 0);
  const noun = found === 1 ? 'finding' : 'findings';
  return {
    id: view.id,
    title: titleOf(input),
    question: `Audit of ${targetOf(input)}`,
    decision: sealed === null ? outcome : `${outcome}, ${found} confirmed ${noun}`,
  };
}

/** Returns a title such as `Framework audit`. */
function titleOf({ plan }: AuditContext['input']): string {
  return `${plan.charAt(0).toUpperCase()}${plan.slice(1)} audit`;
}

function targetOf({ target, origin }: AuditContext['input']): string {
  return target.kind === 'mcp_stdio' ? origin : target.url;
}

function reconView({ recon, looks, changes }: AuditContext): AuditFrame['recon'] {
  if (recon === null) return null;
  const { tools, access } = recon;
  return { tools, access, looks, changes };
}

function reportLine(
  { sealed, signedSha, anchor, input }: AuditContext,
  texts: StoredTexts,
): AuditReportLine | null {
  if (sealed === null) return null;
  const { root, confirmed } = sealed;
  const signer = signedSha === null ? undefined : texts.signer(signedSha);
  return {
    root,
    confirmed,
    anchor,
    path: signedSha === null ? null : `${AUDITS_PATH}/${input.auditId}`,
    signer: signer ?? null,
  };
}

function phaseOf({ value, status }: View, { seat }: AuditContext): (typeof PHASES)[number] {
  if (status === 'done') return 'end';
  if (typeof value === 'object' && value !== null) {
    if (seat === '') return 'recon';
    return seat === VERIFYING_SEAT ? 'verifying' : 'probing';
  }
  switch (value) {
    case 'requested':
      return 'consent';
    case 'reporting':
      return 'report';
    case 'signing':
      return 'signature';
    case 'anchoring':
      return 'anchor';
    default:
      return 'end';
  }
}

function currentStep({ effects }: View, context: AuditContext): AuditRunning | null {
  const isRunning = (what: AuditRunning['what']) => effects.some(({ src }) => src === what);
  if (isRunning('probe')) {
    return { what: 'probe', seat: context.seat, probeId: nextProbe(context)?.probeId ?? null };
  }
  const finding = isRunning('replay') ? nextReplay(context) : undefined;
  if (finding !== undefined) {
    const { probeId } = finding;
    return { what: 'replay', seat: replaySeat(context, finding), probeId };
  }
  return isRunning('look') ? { what: 'look', seat: context.seat, probeId: null } : null;
}
