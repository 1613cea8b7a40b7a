import { AppError } from '../../domain/common/error.ts';
import { type MicroUsdText, money } from '../../domain/common/money.ts';
import type { CapBreach, Caps } from '../ledger/caps.ts';
import { isSame } from '../wallet/challenge-check.ts';
import { dollars } from './spending.ts';

/** A payment that needs a person's approval before the wallet makes it. */
export interface Question {
  readonly tool: string;
  /** Hash of server, tool and arguments: an approval is valid for this call only. */
  readonly call: string;
  readonly amount: MicroUsdText;
  readonly payTo: string;
  readonly server: string;
  /** The cap that the payment would exceed. */
  readonly breach?: CapBreach;
  /** Address of the previous payee, if the payee changed. */
  readonly payeeBefore?: string;
  readonly left: MicroUsdText;
}

/** The person's answer, or why there is none. */
export type Answer = 'accepted' | 'declined' | 'no_answer' | 'not_offered';

/** Returns true if an accepted question has the same call, price and payee as the wanted one. */
export function covers(accepted: Question | undefined, wanted: Question): boolean {
  if (accepted === undefined || accepted.call !== wanted.call) return false;
  return accepted.amount === wanted.amount && isSame(accepted.payTo, wanted.payTo);
}

/** Formats the question for a person. */
export function questionText(question: Question): string {
  const { tool, amount, payTo, server, left } = question;
  return [
    `Pay ${dollars(amount)} for ${tool} to ${payTo} (${server})?`,
    ...reasonsOf(question),
    `${dollars(left)} of the daily cap is left.`,
  ].join(' ');
}

/** Creates the error of a call that was not approved; its message names the flag to allow it. */
export function refusal(question: Question, answer: Answer, caps: Caps): AppError {
  const { tool, amount, payTo, server, breach, payeeBefore, left } = question;
  const isPayee = payeeBefore !== undefined;
  const raise = isPayee ? `--payee ${payTo}` : raiseFlag(question, caps);
  const message = [
    `The wallet did not pay: ${tool} costs ${dollars(amount)}.`,
    ...reasonsOf(question),
    ANSWERS[answer],
    `To allow this payment, start stoa connect with ${raise}.`,
  ].join(' ');
  const facts = { tool, price: money(amount), pay_to: payTo, server, left_today: money(left) };
  const cap =
    breach === undefined
      ? {}
      : { cap: breach.cap, limit: money(breach.limit), used: money(breach.used) };
  const payee = isPayee ? { payee_before: payeeBefore } : {};
  return new AppError(isPayee ? 'CHALLENGE_REFUSED' : 'SPENDING_CAP', {
    message,
    data: { ...facts, ...cap, ...payee, asked: answer, raise },
  });
}

const ANSWERS: Readonly<Record<Answer, string>> = {
  accepted: 'You approved it for a different price or payee.',
  declined: 'You declined it.',
  no_answer: 'You did not answer in time.',
  not_offered: 'This MCP client cannot ask you for approval.',
};

const CAP_NAMES: Readonly<Record<CapBreach['cap'], string>> = {
  per_call: 'per call',
  per_day: 'per day',
  per_tool: 'per day for this tool',
};

function reasonsOf({ breach, payeeBefore }: Question): readonly string[] {
  const reasons: string[] = [];
  if (payeeBefore !== undefined) {
    reasons.push(`You paid this server at ${payeeBefore} before; the payee has changed.`);
  }
  if (breach !== undefined) {
    const used = breach.used === '0' ? '' : `, of which ${dollars(breach.used)} is used`;
    reasons.push(`The cap is ${dollars(breach.limit)} ${CAP_NAMES[breach.cap]}${used}.`);
  }
  return reasons;
}

/** Returns the flag that would allow exactly this payment. */
function raiseFlag({ tool, amount, breach }: Question, caps: Caps): string {
  const used = BigInt(breach?.used ?? '0');
  const enough = dollars((used + BigInt(amount)).toString()).slice(1);
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
