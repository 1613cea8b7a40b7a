import { HIDING_SIGNS } from './signs-of-hiding.ts';
import { LANGUAGE_SIGNS } from './signs-of-languages.ts';
import { ORDER_SIGNS } from './signs-of-orders.ts';
import { TAKING_SIGNS } from './signs-of-taking.ts';

/** A sign of a text that is meant for a model and against its user. */
export interface TextSign {
  readonly sign: string;
  /** How much it weighs; {@link SUSPICION} and above is told. */
  readonly weight: number;
  readonly form: RegExp;
  /** Ordinary where this stands before it, such as "never". */
  readonly isOrdinaryAfter?: RegExp;
  /** Ordinary in what a tool says of itself, such as "Lists the last messages". */
  readonly isOwnWork?: boolean;
}

/** From this weight on a text is suspicious. */
export const SUSPICION = 5;

/** Signs of one reading of a text. */
export const TEXT_SIGNS: readonly TextSign[] = [
  ...ORDER_SIGNS,
  ...TAKING_SIGNS,
  ...HIDING_SIGNS,
  ...LANGUAGE_SIGNS,
];
