import { SECOND_MS } from '../common/time.ts';
import type { Claim, Finding, JobRole, LedgerFacts, Side } from './records.ts';

/** Admitted claims of each side. */
export type ClaimsBySide = Readonly<Record<Side, readonly Claim[]>>;

/** Rules that use the ledger alone. Arguments of rule seats cite their ids. */
export const LEDGER_RULES: readonly string[] = ['ARB-01', 'ARB-02', 'ARB-03'];
/** Rules that use the claims on which the sides agree. */
export const RECORD_RULES: readonly string[] = ['ARB-04', 'ARB-05'];

const HASH = /^[0-9a-f]{64}$/;

/** Returns the ledger fact that a claim refers to as text, or `null` if the ledger has none. */
export function readLedgerValue(fact: Claim['fact'], ledger: LedgerFacts): string | null {
  switch (fact) {
    case 'delivered':
      return String(ledger.deliveredAtS !== null);
    case 'delivered_in_time':
      return String(isInTime(ledger));
    case 'deliverable_sha256':
      return ledger.deliverableSha ?? 'none';
    case 'agreed_sha256':
    case 'claim_admitted':
    case 'claim_withdrawn':
      return null;
  }
}

/** Returns whether the ledger contradicts a claim. An absent ledger fact contradicts nothing. */
export function isContradicted({ fact, value }: Claim, ledger: LedgerFacts): boolean {
  const known = readLedgerValue(fact, ledger);
  return known !== null && known !== normalizeValue(value);
}

/** Applies every rule. Remove claims that the ledger contradicts before calling. */
export function applyRules(
  ledger: LedgerFacts,
  claims: ClaimsBySide,
  claimantRole: JobRole,
): readonly Finding[] {
  const { deliveredAtS, deliverableSha, heldSha } = ledger;
  const isDelivered = deliveredAtS !== null;
  return [
    {
      rule_id: 'ARB-01',
      favours: isDelivered ? 'provider' : 'buyer',
      text: isDelivered ? 'delivered' : 'nothing was delivered',
    },
    {
      rule_id: 'ARB-02',
      favours: !isDelivered ? 'nobody' : isInTime(ledger) ? 'provider' : 'buyer',
      text: deliveryTimeText(ledger),
    },
    {
      rule_id: 'ARB-03',
      favours: favouredByHash(deliverableSha, heldSha),
      text:
        `hash on the ledger ${formatSha(deliverableSha)}, ` +
        `of the bytes kept ${formatSha(heldSha)}`,
    },
    findAgreedHash(ledger, claims),
    findConcession(claims, claimantRole),
  ];
}

/** Returns the ledger facts as rows that seats read and cite. */
export function formatLedgerRows(
  ledger: LedgerFacts,
): readonly { evidenceId: string; text: string }[] {
  const { state, funding, fulfilByS, deliveredAtS, deliverableSha, heldSha } = ledger;
  return [
    `The job is in state ${state}, funded by ${funding}; its price is ${ledger.priceMicroUsd} ` +
      `micro-dollars; the provider is ${ledger.isPaid ? 'paid' : 'not paid'}.`,
    `Due by ${formatUnixSeconds(fulfilByS)}; ` +
      `delivered ${deliveredAtS === null ? 'never' : formatUnixSeconds(deliveredAtS)}.`,
    `SHA-256 of the deliverable on the ledger: ${formatSha(deliverableSha)}; of the bytes ` +
      `submitted here: ${formatSha(heldSha)}.`,
    ledger.disputedAtS === null
      ? 'No dispute was opened on the escrow.'
      : `A dispute was opened on the escrow at ${formatUnixSeconds(ledger.disputedAtS)}.`,
  ].map((text, index) => ({ evidenceId: `L${index + 1}`, text }));
}

function formatSha(sha: string | null): string {
  return sha ?? 'none';
}

function isInTime({ deliveredAtS, fulfilByS }: LedgerFacts): boolean {
  return deliveredAtS !== null && deliveredAtS <= fulfilByS;
}

function deliveryTimeText(ledger: LedgerFacts): string {
  if (ledger.deliveredAtS === null) return 'no time of delivery';
  const late = ledger.deliveredAtS - ledger.fulfilByS;
  return late > 0 ? `delivered ${late} s late` : 'delivered in time';
}

function favouredByHash(onLedger: string | null, storedSha: string | null): Finding['favours'] {
  if (onLedger === null) return 'nobody';
  return onLedger === storedSha ? 'provider' : 'buyer';
}

/** A hash that both sides name as agreed determines the expected deliverable. */
function findAgreedHash({ deliverableSha }: LedgerFacts, claims: ClaimsBySide): Finding {
  const agreedHashes = (side: Side) =>
    new Set(claimedValues(claims[side], 'agreed_sha256').filter((hash) => HASH.test(hash)));
  const [one, other] = [agreedHashes('claimant'), agreedHashes('respondent')];
  const both = [...one].filter((hash) => other.has(hash));
  const [agreed] = both;
  if (agreed === undefined || both.length > 1) {
    return { rule_id: 'ARB-04', favours: 'nobody', text: 'no hash that both sides name as agreed' };
  }
  const isIt = agreed === deliverableSha;
  const text = `both sides name ${agreed} as agreed; ${isIt ? 'it was' : 'it was not'} delivered`;
  return { rule_id: 'ARB-04', favours: isIt ? 'provider' : 'buyer', text };
}

/** Checks for a claim in which a side concedes. */
function findConcession(claims: ClaimsBySide, claimantRole: JobRole): Finding {
  const admits = claimedValues(claims.respondent, 'claim_admitted').includes('true');
  const withdraws = claimedValues(claims.claimant, 'claim_withdrawn').includes('true');
  const [claimant, respondent] = [claimantRole, claimantRole === 'buyer' ? 'provider' : 'buyer'];
  if (admits === withdraws) {
    const text = admits ? 'each side gives way to the other' : 'neither side gives way';
    return { rule_id: 'ARB-05', favours: 'nobody', text };
  }
  return {
    rule_id: 'ARB-05',
    favours: admits ? claimant : (respondent as JobRole),
    text: admits ? 'the respondent admits the claim' : 'the claimant withdraws the claim',
  };
}

function claimedValues(claims: readonly Claim[], fact: Claim['fact']): readonly string[] {
  return claims.filter((claim) => claim.fact === fact).map(({ value }) => normalizeValue(value));
}

function normalizeValue(value: string): string {
  return value.trim().toLowerCase().replace(/^0x/, '');
}

function formatUnixSeconds(seconds: number): string {
  return new Date(seconds * SECOND_MS).toISOString();
}
