import { createHash } from 'node:crypto';
import { AppError } from '../../domain/common/error.ts';
import { isObject, type JsonObject } from '../../domain/common/json.ts';
import { parseVerifierKey } from '../../domain/proof/note.ts';
import { toConsensusRef } from '../../domain/proof/refs.ts';
import { isAuditReportFile } from '../../domain/verification/audit-report.ts';
import { isDataAnswerFile, verifyDataAnswer } from '../../domain/verification/data-answer.ts';
import { isTranscriptFile, verifyTranscript } from '../../domain/verification/panel-transcript.ts';
import { type ProofVerdict, verifyProofFile } from '../../domain/verification/proof-file.ts';
import { isStatementFile, verifyStatement } from '../../domain/verification/statement.ts';
import { verifyEd25519 } from '../../process/proof/proof-keys.ts';
import { verifyAudit } from '../audit/verify-audit.ts';
import { readGivenFile } from '../common/read-file.ts';
import type { Input } from '../common/usage.ts';
import type { AUDIT } from '../usage/audit.ts';
import { checkAnchorOnChain } from './verify-anchor.ts';

/** Maximum size of a proof file, answer or report, in bytes. */
const FILE_BYTES_MAX = 8_388_608;
/** Maximum size of a deliverable to compare with a seal, in bytes. */
const DELIVERABLE_BYTES_MAX = 1_073_741_824;
type VerifyFlags = Input<typeof AUDIT.verify>;

/** The result of a check as readable lines; the first one is the answer. */
interface Verification {
  readonly isValid: boolean;
  readonly lines: readonly string[];
}

/**
 * `stoa verify`: verifies a proof file, a signed answer, or the transcript of a panel,
 * without a server. The first line is the answer.
 */
export async function verify(asked: VerifyFlags): Promise<number> {
  checkFlags(asked);
  const value = readJson(asked.file);
  const { isValid, lines } = await verifyFile(value, asked);
  process.stdout.write(`${lines.join('\n')}\n`);
  return isValid ? 0 : 1;
}

async function verifyFile(value: unknown, asked: VerifyFlags): Promise<Verification> {
  if (isTranscriptFile(value)) return verifyPanelTranscript(value, asked);
  if (isAuditReportFile(value)) return verifyAudit(value, asked.signer);
  if (isDataAnswerFile(value)) return verifyAnswer(value, asked);
  return isStatementFile(value) ? verifySignedStatement(value, asked) : verifyProof(value, asked);
}

function checkFlags({ key, witness, signer, rpc, root }: VerifyFlags): void {
  if (root !== undefined && !/^[0-9a-f]{64}$/.test(root)) {
    throw flagError('--root', root, '64 hex digits, from a result or a proof record');
  }
  const isKey = (text: string): boolean => parseVerifierKey(text) !== undefined;
  if (key !== undefined && !isKey(key)) {
    throw flagError('--key', key, 'name+id+key, from /v1/proofs/key');
  }
  for (const text of witness) {
    if (!isKey(text))
      throw flagError('--witness', text, 'name+id+key, as printed by `stoa witness`');
  }
  if (signer !== undefined && !/^0x[0-9a-fA-F]{40}$/.test(signer)) {
    throw flagError('--signer', signer, '0x and 40 hex digits');
  }
  if (rpc !== undefined && !URL.canParse(rpc)) throw flagError('--rpc', rpc, 'an http address');
}

function flagError(flag: string, received: string, allowed: string): AppError {
  const message = `${flag} must be ${allowed}.`;
  return new AppError('CONFIG_INVALID', {
    message,
    data: { received: received.slice(0, 200), allowed },
  });
}

async function verifyProof(
  value: unknown,
  { key, witness, rpc }: VerifyFlags,
): Promise<Verification> {
  const verdict = await verifyProofFile(value, {
    verify: verifyEd25519,
    witnesses: witness,
    ...(key === undefined ? {} : { key }),
  });
  if (!verdict.isValid) return invalidResult(verdict.reason);
  const { record, origin, size, anchor, cosigned } = verdict;
  const fault = rpc === undefined ? undefined : await checkChain(verdict, rpc);
  if (fault !== undefined) return invalidResult(fault);
  return {
    isValid: true,
    lines: [
      `yes: record ${record.seq} of ${record.kind_name} is in the log ${origin} of ${size} records`,
      `ref ${record.ref}, recorded at ${record.at}`,
      key === undefined
        ? `The key comes from the file; compare it, or pass it with --key: ${verdict.key}`
        : 'The checkpoint is signed by the key you passed.',
      ...cosigned.map(({ witness: name, atS }) => {
        const at = new Date(1_000 * atS).toISOString();
        return `The witness ${name.split('+')[0]} cosigned it at ${at}.`;
      }),
      ...anchorLines(anchor, rpc !== undefined),
      'This proves what was recorded, not that it is true.',
    ],
  };
}

type ValidProof = Extract<ProofVerdict, { readonly isValid: true }>;

async function checkChain({ anchor }: ValidProof, rpc: string): Promise<string | undefined> {
  if (anchor === null) return 'the file has no anchor to check on the chain';
  return checkAnchorOnChain(rpc, anchor);
}

function anchorLines(anchor: ValidProof['anchor'], isAsked: boolean): readonly string[] {
  if (anchor === null) return [];
  const { size, contract, chain_id, transaction } = anchor;
  const place = `${contract} on chain ${chain_id} (transaction ${transaction})`;
  return [
    isAsked
      ? `The chain has the root of ${size} records in ${place}.`
      : `The file names an anchor of ${size} records in ${place}; check the chain with --rpc.`,
  ];
}

async function verifySignedStatement(
  value: unknown,
  { signer, deliverable }: VerifyFlags,
): Promise<Verification> {
  // The native curve library loads only for signed files.
  const { recoverSigner } = await import('../../providers/chain/signature.ts');
  const verdict = verifyStatement(value, {
    recover: recoverSigner,
    ...(signer === undefined ? {} : { signer }),
  });
  if (!verdict.isValid) return invalidResult(verdict.reason);
  const { kind, issuedAt, payload } = verdict;
  const sealed = payload['deliverable_sha256'];
  if (deliverable !== undefined) {
    const sha = createHash('sha256')
      .update(readGivenFile(deliverable, DELIVERABLE_BYTES_MAX))
      .digest('hex');
    if (typeof sealed !== 'string')
      return invalidResult('the statement is not about a deliverable');
    if (sha !== sealed)
      return invalidResult(`the deliverable is ${sha}; the seal is for ${sealed}`);
  }
  return {
    isValid: true,
    lines: [
      `yes: ${kind} was stated by ${verdict.signer} at ${issuedAt}`,
      signer === undefined ? OWN_SIGNER : 'The signer is the one you passed.',
      ...(deliverable === undefined ? [] : ['The deliverable is the sealed one.']),
      ...basisLines(payload),
      'This proves what was stated, not that it is true.',
    ],
  };
}

/** Returns who requested a statement, and its unverified claims. Untrusted text is quoted. */
function basisLines({ requested_by: payer, basis }: JsonObject): readonly string[] {
  const claimed = isObject(basis) && Array.isArray(basis['claimed']) ? basis['claimed'] : [];
  return [
    ...(typeof payer === 'string' ? [`Requested and paid by ${quoteUntrusted(payer)}.`] : []),
    ...claimed
      .slice(0, CLAIMS_SHOWN_MAX)
      .map((one) => `Claimed, not verified: ${quoteUntrusted(one)}.`),
  ];
}

const CLAIMS_SHOWN_MAX = 10;
const CLAIM_CHARS_MAX = 500;

function quoteUntrusted(value: unknown): string {
  return JSON.stringify(String(value).slice(0, CLAIM_CHARS_MAX)).replaceAll(/\p{C}/gu, '?');
}

async function verifyAnswer(value: unknown, { signer }: VerifyFlags): Promise<Verification> {
  const { recoverSigner } = await import('../../providers/chain/signature.ts');
  const verdict = verifyDataAnswer(value, {
    recover: recoverSigner,
    ...(signer === undefined ? {} : { signer }),
  });
  if (!verdict.isValid) return invalidResult(verdict.reason);
  const { tool, requestId, resultSha256, sources, issuedAt } = verdict;
  return {
    isValid: true,
    lines: [
      `yes: this answer of ${tool} was signed by ${verdict.signer} at ${issuedAt}`,
      `Request ${requestId}, ${sources} sources, SHA-256 ${resultSha256}.`,
      signer === undefined ? OWN_SIGNER : 'The signer is the one you passed.',
      'This proves what was answered, not that it is true.',
    ],
  };
}

const OWN_SIGNER =
  'The signer comes from the file; compare it with the treasury, or pass it with --signer.';

function verifyPanelTranscript(value: unknown, { root }: VerifyFlags): Verification {
  const verdict = verifyTranscript(value);
  if (!verdict.isValid) return invalidResult(verdict.reason);
  const { kind, jobId, turns, cast, winner, rule, forced } = verdict;
  if (root !== undefined && root !== verdict.root)
    return invalidResult(`its root is ${verdict.root}`);
  return {
    isValid: true,
    lines: [
      `yes: the decision of ${kind} ${jobId} follows from its ${turns} turns`,
      winner === null
        ? `No decision: ${cast} valid ballots.`
        : `Recomputed from ${cast} ballots: ${winner} (${rule}${forced ? ', forced' : ''}).`,
      root === undefined
        ? `Root ${verdict.root}; compare it with the result, ` +
          `or the record ${toConsensusRef(jobId)}.`
        : 'The root is the one you passed.',
      'This proves how it was decided, not that what was said is true.',
    ],
  };
}

function invalidResult(reason: string): Verification {
  return { isValid: false, lines: [`no: ${reason}`] };
}

function readJson(file: string): unknown {
  const text = readGivenFile(file, FILE_BYTES_MAX).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
