import { SECOND_MS } from '../common/time.ts';
import type { Claim, Finding, JobRole, LedgerFacts, Side } from './records.ts';

/** Admitted claims of each side. */
export type ClaimsOf = Readonly<Record<Side, readonly Claim[]>>;

/** Rules that use the ledger alone. Arguments of rule seats cite their ids. */
export const LEDGER_RULES: readonly string[] = ['ARB-01', 'ARB-02', 'ARB-03'];
/** Rules that use the claims on which the sides agree. */
export const RECORD_RULES: readonly string[] = ['ARB-04', 'ARB-05'];

const HASH = /^[0-9a-f]{64}$/;

/** Returns the ledger fact that a claim refers to as text, or `null` if the ledger has none. */
export function ledgerValue(fact: Claim['fact'], ledger: LedgerFacts): string | null {
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
  const known = ledgerValue(fact, ledger);
  return known !== null && known !== plain(value);
}

/** Applies every rule. Remove claims that the ledger contradicts before calling. */
export function findingsOf(
  ledger: LedgerFacts,
  claims: ClaimsOf,
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
      text: timeText(ledger),
    },
    {
      rule_id: 'ARB-03',
      favours: hashFavours(deliverableSha, heldSha),
      text: `hash on the ledger ${shaText(deliverableSha)}, of the bytes kept ${shaText(heldSha)}`,
    },
    agreedFinding(ledger, claims),
    admissionFinding(claims, claimantRole),
  ];
}

/** Returns the ledger facts as rows that seats read and cite. */
export function ledgerRows(ledger: LedgerFacts): readonly { evidenceId: string; text: string }[] {
  const { state, funding, fulfilByS, deliveredAtS, deliverableSha, heldSha } = ledger;
  return [
    `The job is in state ${state}, funded by ${funding}; its price is ${ledger.priceMicroUsd} ` +
      `micro-dollars; the provider is ${ledger.isPaid ? 'paid' : 'not paid'}.`,
    `Due by ${instant(fulfilByS)}; ` +
      `delivered ${deliveredAtS === null ? 'never' : instant(deliveredAtS)}.`,
    `SHA-256 of the deliverable on the ledger: ${shaText(deliverableSha)}; of the bytes that ` +
      `were handed in here: ${shaText(heldSha)}.`,
    ledger.disputedAtS === null
      ? 'No dispute was opened on the escrow.'
      : `A dispute was opened on the escrow at ${instant(ledger.disputedAtS)}.`,
  ].map((text, place) => ({ evidenceId: `L${place + 1}`, text }));
}

function shaText(sha: string | null): string {
  return sha ?? 'none';
}

function isInTime({ deliveredAtS, fulfilByS }: LedgerFacts): boolean {
  return deliveredAtS !== null && deliveredAtS <= fulfilByS;
}

function timeText(ledger: LedgerFacts): string {
  if (ledger.deliveredAtS === null) return 'no time of delivery';
  const late = ledger.deliveredAtS - ledger.fulfilByS;
  return late > 0 ? `delivered ${late} s late` : 'delivered in time';
}

function hashFavours(onLedger: string | null, held: string | null): Finding['favours'] {
  if (onLedger === null) return 'nobody';
  return onLedger === held ? 'provider' : 'buyer';
}

/** A hash that both sides name as agreed determines the expected deliverable. */
function agreedFinding({ deliverableSha }: LedgerFacts, claims: ClaimsOf): Finding {
  const given = (side: Side) =>
    new Set(valuesOf(claims[side], 'agreed_sha256').filter((hash) => HASH.test(hash)));
  const [one, other] = [given('claimant'), given('respondent')];
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
function admissionFinding(claims: ClaimsOf, claimantRole: JobRole): Finding {
  const admits = valuesOf(claims.respondent, 'claim_admitted').includes('true');
  const withdraws = valuesOf(claims.claimant, 'claim_withdrawn').includes('true');
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

function valuesOf(claims: readonly Claim[], fact: Claim['fact']): readonly string[] {
  return claims.filter((claim) => claim.fact === fact).map(({ value }) => plain(value));
}

function plain(value: string): string {
  return value.trim().toLowerCase().replace(/^0x/, '');
}

function instant(seconds: number): string {
  return new Date(seconds * SECOND_MS).toISOString();
}
