import { AppError } from '../../domain/common/error.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { ProofPayload, ProofRecord } from '../../domain/proof/record.ts';

/** A record with the values behind its hashes, enough to prove it to anyone. */
interface OpenedRecord {
  readonly record: ProofRecord;
  /**
   * `subject_hash` is SHA-256 over salt, `subject:` and the subject; `payload_hash` over salt,
   * `payload:` and the canonical JSON of the payload.
   */
  readonly opened: ProofPayload;
  readonly proof_file: string;
}

/** Maximum number of records per answer. */
const RECORDS_MAX = 100;
/** Payload fields that name a party. */
const PARTY_FIELDS = ['buyer', 'provider', 'payer', 'wallet', 'delegator', 'delegate'];

/**
 * Opens the records of a reference for one of their parties, so that the party can prove an amount
 * to others.
 *
 * @throws {AppError} `PROOF_UNKNOWN`, `NOT_THE_PARTY`
 */
export function openRecords(
  log: Pick<ProofLog, 'find' | 'payload'>,
  ref: string,
  wallet: string,
): readonly OpenedRecord[] {
  const records = log.find(ref, RECORDS_MAX);
  if (records.length === 0) throw new AppError('PROOF_UNKNOWN', { data: { received: ref } });
  const opened = records.flatMap((record) => {
    const payload = log.payload(record.seq);
    if (payload === undefined || !isPartyOf(payload, wallet)) return [];
    return [{ record, opened: payload, proof_file: `/v1/proofs/${record.seq}.json` }];
  });
  if (opened.length > 0) return opened;
  throw new AppError('NOT_THE_PARTY', {
    message: 'Only the wallets named in a record can open it, until it is erased.',
    data: { received: wallet, ref },
  });
}

function isPartyOf({ subject, payload }: ProofPayload, wallet: string): boolean {
  const named = [subject, ...PARTY_FIELDS.map((name) => payload[name])];
  return named.some((one) => typeof one === 'string' && one.toLowerCase() === wallet);
}

/** Converts the opened records to plain JSON. */
export function toJsonAnswer(ref: string, records: readonly OpenedRecord[]): JsonObject {
  return JSON.parse(JSON.stringify({ ref, records })) as JsonObject;
}
