/** A sign that a text manipulates a model against its user. */
export interface TextSign {
  readonly sign: string;
  /** Weight of the sign; a text is suspicious from {@link SUSPICION_WEIGHT} on. */
  readonly weight: number;
  readonly form: RegExp;
  /** Makes the sign ordinary if it precedes it, such as "never". */
  readonly isOrdinaryAfter?: RegExp;
  /** True if the sign is ordinary in a self-description, such as "Lists the last messages". */
  readonly isOwnWork?: boolean;
}

/** Minimum weight of a suspicious text. */
export const SUSPICION_WEIGHT = 5;
