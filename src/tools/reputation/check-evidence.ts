import type { Services } from '../../actors/common/services.ts';
import { computePins } from '../../domain/audit/probe/pins.ts';
import type { PublishedAudits } from '../../domain/audit/published-audits.ts';
import { AUDIT_STATEMENT, type AuditReport } from '../../domain/audit/report.ts';
import { AppError } from '../../domain/common/error.ts';
import { hashJson } from '../../domain/common/hash.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import type { CheckedEvidence } from '../../domain/framework/evidence.ts';
import type { Posture, PostureEvidence } from '../../domain/framework/posture.ts';
import { BADGE_STATEMENT } from '../../domain/passport/badge-check.ts';
import { passportRef } from '../../domain/passport/refs.ts';
import type { VerifyEd25519 } from '../../domain/proof/note.ts';
import { BadgeStatement } from '../../domain/reputation/statements.ts';
import { verifyAuditReport } from '../../domain/verification/audit-report.ts';
import { verifyProofFile } from '../../domain/verification/proof-file.ts';
import type { StatementVerdict } from '../../domain/verification/statement.ts';
import { checkProcessEvidence } from '../job/process-evidence.ts';
import { type Issuer, verifySignedFile } from '../service/signed-file.ts';
import type { LinkedAgent } from './linked-agent.ts';

/** The services of the evidence check, and what it checks evidence against. */
export interface EvidenceServices
  extends Pick<Services, 'clock' | 'passports' | 'proofs' | 'reputationOf' | 'trust'> {
  readonly audits: Pick<PublishedAudits, 'read'>;
  /** Returns the registration file of an agent by its name. */
  registrationOf(name: string): Promise<JsonObject | undefined>;
  readonly verifyEd25519: VerifyEd25519;
}

/** Required issuer, subject and maximum age of evidence. */
export interface EvidenceScope {
  readonly issuer: Issuer;
  readonly origin: string;
  readonly agent: LinkedAgent;
  /** Current time and maximum age in milliseconds. */
  readonly now: number;
  readonly maxAgeMs: number;
}

const NO_WALLET = `0x${'0'.repeat(40)}`;

/** Checks each piece of evidence of a posture. A piece that fails is `invalid` with a reason. */
export async function checkEvidence(
  deps: EvidenceServices,
  { evidence }: Pick<Posture, 'evidence'>,
  scope: EvidenceScope,
): Promise<ReadonlyMap<string, CheckedEvidence>> {
  const checked = new Map<string, CheckedEvidence>();
  for (const one of evidence) {
    if (one.kind !== 'manifest') checked.set(one.id, await checkOne(deps, one, scope));
  }
  for (const one of evidence) {
    if (one.kind === 'manifest') checked.set(one.id, compareWithPins(one, checked.get(one.audit)));
  }
  return checked;
}

type DirectEvidence = Exclude<PostureEvidence, { readonly kind: 'manifest' }>;

async function checkOne(
  deps: EvidenceServices,
  one: DirectEvidence,
  scope: EvidenceScope,
): Promise<CheckedEvidence> {
  switch (one.kind) {
    case 'audit':
      return await checkPublishedAudit(deps, one.audit_id, scope);
    case 'file':
      return await checkStatementFile(deps, one.file, scope);
    case 'passport':
      return scope.agent.passport === undefined
        ? invalid(scope.agent.fault)
        : { kind: 'passport', passport: scope.agent.passport };
    case 'proof':
      return await checkProofFile(deps, one.file, scope);
  }
}

async function checkPublishedAudit(
  deps: EvidenceServices,
  auditId: string,
  scope: EvidenceScope,
): Promise<CheckedEvidence> {
  try {
    const { payload, statement } = await deps.audits.read(auditId);
    const file: unknown = JSON.parse(JSON.stringify({ payload, statement }));
    return await checkStatementFile(deps, file, scope);
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.code === 'AUDIT_UNKNOWN') {
      return invalid('no audit with this id is published here');
    }
    throw thrown;
  }
}

async function checkStatementFile(
  deps: EvidenceServices,
  file: unknown,
  scope: EvidenceScope,
): Promise<CheckedEvidence> {
  const signed = await verifySignedFile(deps.trust, file);
  if (!signed.isValid) return invalid(signed.reason);
  const { signer } = scope.issuer;
  if (signed.signer !== signer) {
    return invalid(`it is signed by ${signed.signer}, not by this server’s signer ${signer}`);
  }
  switch (signed.kind) {
    case AUDIT_STATEMENT:
      return checkAuditFile(file, signed.signer, scope);
    case BADGE_STATEMENT:
      return await checkBadgeFile(deps, signed, scope);
    case 'process_attestation':
      return checkProcessEvidence(signed, scope.agent, (at) => ageError(at, scope));
    default:
      return invalid(`a statement of kind ${signed.kind} is not evidence for any requirement`);
  }
}

/** Checks form, root, counts, target and age. The signature is already verified. */
function checkAuditFile(file: unknown, signer: string, scope: EvidenceScope): CheckedEvidence {
  const verdict = verifyAuditReport(file, { recover: () => signer });
  if (!verdict.isValid) return invalid(verdict.reason);
  const { report } = verdict;
  const fault = targetError(report, scope.origin) ?? ageError(report.ended_at, scope);
  return fault === undefined ? { kind: 'audit', report, signer } : invalid(fault);
}

function targetError({ target }: AuditReport, origin: string): string | undefined {
  return target.origin === origin ? undefined : `it is about ${target.origin}, not about ${origin}`;
}

async function checkBadgeFile(
  deps: EvidenceServices,
  signed: Extract<StatementVerdict, { readonly isValid: true }>,
  { agent: named, now }: EvidenceScope,
): Promise<CheckedEvidence> {
  const stated = BadgeStatement.safeParse(signed.payload);
  if (!stated.success) return invalid('it is not a badge');
  const { agent, badge, valid_until } = stated.data;
  const { passport } = named;
  if (passport === undefined) return invalid(named.fault);
  if (agent?.agent_id !== passport.agent_id) {
    return invalid(`it is about ${agent?.agent_id ?? 'a wallet'}, not about the counterparty`);
  }
  if (Date.parse(valid_until) <= now) return invalid(`it expired at ${valid_until}`);
  const { badge: earned } = await deps.reputationOf(passport.wallet ?? NO_WALLET);
  return { kind: 'badge', badge, earned };
}

/** Checks a proof of this server's log: its checkpoint, and that the log has the record. */
async function checkProofFile(
  { proofs, verifyEd25519 }: EvidenceServices,
  file: unknown,
  { agent }: EvidenceScope,
): Promise<CheckedEvidence> {
  const verdict = await verifyProofFile(file, { verify: verifyEd25519 });
  if (!verdict.isValid) return invalid(verdict.reason);
  const { record } = verdict;
  const own = proofs.record(record.seq);
  if (own === undefined || hashJson(own) !== hashJson(record)) {
    return invalid('it is not a record of this log');
  }
  const { passport } = agent;
  if (passport === undefined) return invalid(agent.fault);
  const granted = passport.delegations.map(({ delegation_id }) => delegation_id);
  const refs = [passportRef(passport.name), ...granted];
  if (!refs.includes(record.ref)) return invalid(`it is about ${record.ref}, not the counterparty`);
  return { kind: 'proof', proofKind: record.kind, ref: record.ref };
}

/** Compares stated tool definitions with the pins of an audit, in both directions. */
function compareWithPins(
  { audit, tools }: Extract<PostureEvidence, { readonly kind: 'manifest' }>,
  held: CheckedEvidence | undefined,
): CheckedEvidence {
  if (held?.kind !== 'audit') return invalid(`its audit ${audit} is not valid`);
  const { target_pins, target } = held.report;
  if (target.is_cut) return invalid('the audit did not cover all definitions');
  const none = { prompts: [], resources: [], templates: [], card: null, greeting: null };
  const stated = computePins({ tools, ...none }).tools;
  const names = new Set([...Object.keys(stated), ...Object.keys(target_pins.tools)]);
  const differing = [...names].filter((name) => stated[name] !== target_pins.tools[name]);
  return { kind: 'manifest', audit, differing: differing.toSorted() };
}

function ageError(at: string, { now, maxAgeMs }: EvidenceScope): string | undefined {
  const ms = Date.parse(at);
  if (ms > now + DAY_MS) return `it is dated in the future, ${at}`;
  return ms < now - maxAgeMs ? `it is of ${at}, older than ${maxAgeMs / DAY_MS} days` : undefined;
}

function invalid(reason: string): CheckedEvidence {
  return { kind: 'invalid', reason };
}
