import { AppError } from '../../domain/common/error.ts';
import { type MicroUsdText, toMoney } from '../../domain/common/money.ts';
import type { CapBreach, Caps } from '../ledger/caps.ts';
import { isSameAddress } from '../wallet/select-offer.ts';
import { formatDollars } from './spending.ts';

/** A payment that needs a person's approval before the wallet makes it. */
export interface ApprovalRequest {
  readonly tool: string;
  /** Hash of server, tool and arguments: an approval is valid for this call only. */
  readonly callHash: string;
  readonly amount: MicroUsdText;
  readonly payTo: string;
  readonly server: string;
  /** The cap that the payment would exceed. */
  readonly breach?: CapBreach;
  /** Address of the previous payee, if the payee changed. */
  readonly previousPayee?: string;
  readonly remainingToday: MicroUsdText;
}

/** The person's answer, or why there is none. */
export type ApprovalAnswer = 'accepted' | 'declined' | 'no_answer' | 'not_offered';

/** Returns true if an accepted question has the same call, price and payee as the wanted one. */
export function coversPayment(
  accepted: ApprovalRequest | undefined,
  wanted: ApprovalRequest,
): boolean {
  if (accepted === undefined || accepted.callHash !== wanted.callHash) return false;
  return accepted.amount === wanted.amount && isSameAddress(accepted.payTo, wanted.payTo);
}

/** Formats the question for a person. */
export function formatApprovalQuestion(question: ApprovalRequest): string {
  const { tool, amount, payTo, server, remainingToday } = question;
  return [
    `Pay ${formatDollars(amount)} for ${tool} to ${payTo} (${server})?`,
    ...listReasons(question),
    `${formatDollars(remainingToday)} of the daily cap is left.`,
  ].join(' ');
}

/** Creates the error of a call that was not approved; its message names the flag to allow it. */
export function createRefusal(
  question: ApprovalRequest,
  answer: ApprovalAnswer,
  caps: Caps,
): AppError {
  const { tool, amount, payTo, server, breach, previousPayee, remainingToday } = question;
  const isPayee = previousPayee !== undefined;
  const raise = isPayee ? `--payee ${payTo}` : formatRaiseFlag(question, caps);
  const message = [
    `The wallet did not pay: ${tool} costs ${formatDollars(amount)}.`,
    ...listReasons(question),
    ANSWER_TEXTS[answer],
    `To allow this payment, start stoa connect with ${raise}.`,
  ].join(' ');
  const facts = {
    tool,
    price: toMoney(amount),
    pay_to: payTo,
    server,
    left_today: toMoney(remainingToday),
  };
  const cap =
    breach === undefined
      ? {}
      : { cap: breach.cap, limit: toMoney(breach.limit), used: toMoney(breach.used) };
  const payee = isPayee ? { payee_before: previousPayee } : {};
  return new AppError(isPayee ? 'CHALLENGE_REFUSED' : 'SPENDING_CAP', {
    message,
    data: { ...facts, ...cap, ...payee, asked: answer, raise },
  });
}

const ANSWER_TEXTS: Readonly<Record<ApprovalAnswer, string>> = {
  accepted: 'You approved it for a different price or payee.',
  declined: 'You declined it.',
  no_answer: 'You did not answer in time.',
  not_offered: 'This MCP client cannot ask you for approval.',
};

const CAP_PERIODS: Readonly<Record<CapBreach['cap'], string>> = {
  per_call: 'per call',
  per_day: 'per day',
  per_tool: 'per day for this tool',
};

function listReasons({ breach, previousPayee }: ApprovalRequest): readonly string[] {
  const reasons: string[] = [];
  if (previousPayee !== undefined) {
    reasons.push(`You paid this server at ${previousPayee} before; the payee has changed.`);
  }
  if (breach !== undefined) {
    const used = breach.used === '0' ? '' : `, of which ${formatDollars(breach.used)} is used`;
    reasons.push(`The cap is ${formatDollars(breach.limit)} ${CAP_PERIODS[breach.cap]}${used}.`);
  }
  return reasons;
}

/** Returns the flag that would allow exactly this payment. */
function formatRaiseFlag({ tool, amount, breach }: ApprovalRequest, caps: Caps): string {
  const used = BigInt(breach?.used ?? '0');
  const enough = formatDollars((used + BigInt(amount)).toString()).slice(1);
  switch (breach?.cap) {
    case 'per_tool':
      return `--per-tool ${tool}=${enough}`;
    case 'per_day':
      return `--per-day ${enough}`;
    case 'per_call':
    case undefined: {
      const day = BigInt(caps.perDay) < BigInt(amount) ? ` --per-day ${enough}` : '';
      return `--per-call ${enough}${day}`;
    }
  }
}
