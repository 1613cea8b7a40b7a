/** Somebody who has a part in running an entity, as its registry says. */
export interface Officer {
  readonly name: string;
  /** In the words of the registry. */
  readonly role: string;
  /** `YYYY-MM-DD`; `null` where the registry does not say. */
  readonly since: string | null;
}

/** Officers that are taken from one registry at the most. */
export const OFFICERS_MAX = 40;
