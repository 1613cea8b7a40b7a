/** The place of a value in an actor. */
export interface RedactedPlace {
  readonly kind: string;
  /** Type of the event; only in an event, and in the reason why it failed. */
  readonly eventType?: string;
  /** Member names from `context`, `event`, `output` or `reason` on. Items of a list are numbers. */
  readonly path: readonly string[];
}

/**
 * Hides values. A text is the path of a member: `context.card.number`. `*` matches one member or
 * item, `**` any number of them. A function gets each member before its own members, and returns
 * what is shown instead; `undefined` hides it.
 */
export type RedactionRule = string | ((value: unknown, place: RedactedPlace) => unknown);
