import { AppError } from '../../domain/common/error.ts';
import { type MicroUsdText, money } from '../../domain/common/money.ts';
import type { CapBreach, Caps } from '../ledger/caps.ts';
import { isSame } from '../wallet/challenge-check.ts';
import { dollars } from './spending.ts';

/** A payment that the wallet does not make by itself. */
export interface Question {
  readonly tool: string;
  /** Hash of server, tool and arguments: an answer holds for this call only. */
  readonly call: string;
  readonly amount: MicroUsdText;
  readonly payTo: string;
  readonly server: string;
  /** The cap that it would break. */
  readonly breach?: CapBreach;
  /** Who was paid before, where it is somebody else now. */
  readonly payeeBefore?: string;
  readonly left: MicroUsdText;
}

/** What a person answered, or why nobody did. */
export type Answer = 'accepted' | 'declined' | 'no_answer' | 'not_offered';

/** Tells whether an accepted question covers a payment: the same call, price and payee. */
export function covers(accepted: Question | undefined, wanted: Question): boolean {
  if (accepted === undefined || accepted.call !== wanted.call) return false;
  return accepted.amount === wanted.amount && isSame(accepted.payTo, wanted.payTo);
}

/** Words the question for a person. */
export function questionText(question: Question): string {
  const { tool, amount, payTo, server, left } = question;
  return [
    `Pay ${dollars(amount)} for ${tool} to ${payTo} (${server})?`,
    ...reasonsOf(question),
    `${dollars(left)} of the daily cap is left.`,
  ].join(' ');
}

/** The refusal that a call gets when nobody agreed; it says how to allow it. */
export function refusal(question: Question, answer: Answer, caps: Caps): AppError {
  const { tool, amount, payTo, server, breach, payeeBefore, left } = question;
  const isPayee = payeeBefore !== undefined;
  const raise = isPayee ? `--payee ${payTo}` : raiseFlag(question, caps);
  const message = [
    `Nothing was paid: ${tool} costs ${dollars(amount)}.`,
    ...reasonsOf(question),
    ANSWERS[answer],
    `To allow it, start stoa connect with ${raise}.`,
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
  accepted: 'It was agreed to, but for another price or payee.',
  declined: 'It was declined.',
  no_answer: 'Nobody answered in time.',
  not_offered: 'This client cannot ask you.',
};

const CAP_NAMES: Readonly<Record<CapBreach['cap'], string>> = {
  per_call: 'a call',
  per_day: 'a day',
  per_tool: 'this tool in a day',
};

function reasonsOf({ breach, payeeBefore }: Question): readonly string[] {
  const reasons: string[] = [];
  if (payeeBefore !== undefined) {
    reasons.push(`This server was paid at ${payeeBefore} before; the payee has changed.`);
  }
  if (breach !== undefined) {
    const used = breach.used === '0' ? '' : `, of which ${dollars(breach.used)} is used`;
    reasons.push(`The cap for ${CAP_NAMES[breach.cap]} is ${dollars(breach.limit)}${used}.`);
  }
  return reasons;
}

/** The flag that would let this very payment through. */
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
