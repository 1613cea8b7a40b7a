import { formatUsd } from '../../domain/common/money.ts';
import { parseEventData } from '../../domain/event/catalog.ts';
import type { PublicEvent } from '../../domain/event/event-log.ts';
import type { DelegationView } from '../../domain/passport/passport.ts';
import { ROWS_MAX, type SIGNALS } from '../../domain/reputation/statements.ts';
import type { SubjectRecord } from './trust-subject.ts';

/** A record with fewer counterparties raises the signal `few_counterparties`. */
const FEW_COUNTERPARTIES = 3;

/** Returns the lists of a report, newest rows first. */
export function collectLists(wallet: string, events: readonly PublicEvent[]) {
  return {
    settlements: events.flatMap((event) => settledRow(wallet, event) ?? []).slice(0, ROWS_MAX),
    disputes: disputeRows(wallet, events).slice(0, ROWS_MAX),
    refunds: events.flatMap((event) => refundRow(wallet, event) ?? []).slice(0, ROWS_MAX),
    revocations: events.flatMap((event) => revocationRow(event) ?? []).slice(0, ROWS_MAX),
  };
}

/** Returns a delegation as a row. `given_by_subject` matters: anyone can delegate to a wallet. */
export function delegationRow(view: DelegationView, subject: string | null) {
  const { delegation_id, delegator, delegate, scope, expires_at, status } = view;
  const given_by_subject = delegator === subject;
  return {
    delegation_id,
    delegator,
    delegate,
    scope: [...scope],
    expires_at,
    status,
    given_by_subject,
  };
}

/** Returns the warning signals for whoever hires the agent. */
export function detectSignals(
  { passport, wallet, reputation }: SubjectRecord,
  lists: ReturnType<typeof collectLists>,
): (typeof SIGNALS)[number][] {
  const { settled_jobs, lost_disputes, unfulfilled, excluded, distinct_counterparties } =
    reputation;
  const excludes = (reason: string) => excluded.reasons.some((each) => each.reason === reason);
  const found = {
    not_registered: passport === undefined,
    no_wallet_bound: passport !== undefined && wallet === null,
    passport_revoked: passport?.status === 'revoked',
    no_settled_history: settled_jobs === 0,
    lost_disputes: lost_disputes > 0,
    open_disputes: lists.disputes.some(({ outcome }) => outcome === 'open'),
    unfulfilled_work: unfulfilled > 0,
    circular_payments: excludes('circular_payments'),
    self_dealing: excludes('self_dealing'),
    few_counterparties: settled_jobs > 0 && distinct_counterparties < FEW_COUNTERPARTIES,
    delegation_revoked: lists.revocations.some(({ what }) => what === 'delegation'),
  } satisfies Record<(typeof SIGNALS)[number], boolean>;
  const names = Object.keys(found) as (typeof SIGNALS)[number][];
  return names.filter((name) => found[name]);
}

function settledRow(wallet: string, event: PublicEvent) {
  const job = parseEventData(event, 'job.released');
  if (job === undefined) return undefined;
  const { price, fee, transaction, is_automatic, is_late } = job;
  return {
    ...partyFacts(wallet, event, job),
    price_usd: formatUsd(BigInt(price)),
    fee_usd: formatUsd(BigInt(fee)),
    transaction,
    is_automatic,
    is_late,
  };
}

function refundRow(wallet: string, event: PublicEvent) {
  const job = parseEventData(event, 'job.refunded');
  if (job === undefined) return undefined;
  const { amount, reason, transaction } = job;
  return {
    ...partyFacts(wallet, event, job),
    amount_usd: formatUsd(BigInt(amount)),
    reason,
    transaction,
  };
}

function revocationRow(event: PublicEvent) {
  const { ref, at } = event;
  const passport = parseEventData(event, 'passport.revoked');
  if (passport !== undefined) {
    return { what: 'passport' as const, ref, at, reason: passport.reason };
  }
  const delegation = parseEventData(event, 'delegation.revoked');
  if (delegation === undefined) return undefined;
  return { what: 'delegation' as const, ref: delegation.delegation_id, at, reason: null };
}

/** Returns disputes with outcomes. Events are newest first: an outcome precedes its dispute. */
function disputeRows(wallet: string, events: readonly PublicEvent[]) {
  const ends = new Map<string, 'withdrawn' | 'won' | 'lost' | 'undecided'>();
  const rows = [];
  for (const event of events) {
    const decided = parseEventData(event, 'job.decided');
    if (decided !== undefined) {
      const { role } = partyFacts(wallet, event, decided);
      ends.set(event.ref, decided.upheld === role ? 'won' : 'lost');
    }
    if (event.type === 'job.dispute_withdrawn') ends.set(event.ref, 'withdrawn');
    if (parseEventData(event, 'job.refunded')?.reason === 'undecided')
      ends.set(event.ref, 'undecided');
    const disputed = parseEventData(event, 'job.disputed');
    if (disputed === undefined) continue;
    const outcome = ends.get(event.ref) ?? ('open' as const);
    rows.push({ ...partyFacts(wallet, event, disputed), outcome });
  }
  return rows;
}

function partyFacts(
  wallet: string,
  { ref, at }: PublicEvent,
  { buyer, provider }: { readonly buyer: string; readonly provider: string },
) {
  const isProvider = provider === wallet;
  const role = isProvider ? ('provider' as const) : ('buyer' as const);
  return { ref, at, role, counterparty: isProvider ? buyer : provider };
}
