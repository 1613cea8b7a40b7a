import { type MicroUsdText, toMoney } from '../common/money.ts';
import { joinResponse } from '../common/readable.ts';

/** Base path of the shared pages of results; the job id follows. */
export const RESULTS_PATH = '/v1/results';

/** The parts of a result's text, in the order in which they are shown. */
export interface ResultParts {
  /** The answer in one sentence. */
  readonly answer: string;
  /** Why this is the answer, in one sentence. */
  readonly why: string;
  /** Who or what decided: seats, rules or sources. */
  readonly decidedBy: string;
  /** What the caller paid, see {@link formatCost}. */
  readonly cost: string;
  /** Where to look: a path on this server, or a URL. */
  readonly see?: string | undefined;
  /** Origin of this server; without one, a path in `see` is left out. */
  readonly origin?: string | undefined;
  /** Further lines. */
  readonly details?: readonly string[];
  /** Delimited third-party texts, see `wrapUntrusted`. */
  readonly blocks?: readonly string[];
  /** Signatures, hashes and roots. */
  readonly proofs?: readonly string[];
}

/** Puts the text of a result together: the answer first, its reason second, proofs last. */
export function composeResult(parts: ResultParts): string {
  const { answer, why, decidedBy, cost, origin, details = [], blocks = [], proofs = [] } = parts;
  const see = resolveUrl(parts.see, origin);
  const head = [
    answer,
    `Why: ${why}`,
    `Decided by: ${decidedBy}`,
    `Cost: ${cost}`,
    ...(see === undefined ? [] : [`See: ${see}`]),
  ];
  const proofLines = proofs.map((proof) => `Proof: ${proof}`);
  const text = joinResponse([...head, ...details], blocks);
  return proofLines.length === 0 ? text : `${text}\n${joinResponse(proofLines)}`;
}

/** Formats what a call costs: nothing without a price, and nothing for an error. */
export function formatCost(price: MicroUsdText | undefined, isCharged = true): string {
  if (price === undefined) return 'free';
  const amount = `$${toMoney(price).amount}`;
  return isCharged ? amount : `nothing; you are not charged the price of ${amount}`;
}

/** Returns the absolute URL of a path; `undefined` without an origin. */
export function resolveUrl(see: string | undefined, origin: string | undefined) {
  if (see === undefined || URL.canParse(see)) return see;
  return origin === undefined ? undefined : `${origin}${see}`;
}
