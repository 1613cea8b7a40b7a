/** A person who manages an entity, according to its registry. */
export interface Officer {
  readonly name: string;
  /** As stated by the registry. */
  readonly role: string;
  /** `YYYY-MM-DD`; `null` if the registry does not state it. */
  readonly since: string | null;
}

/** Maximum number of officers read from one registry. */
export const OFFICERS_MAX = 40;
