/** Work that a row waits for, by topic. */
export type Subject =
  | 'trust and commerce'
  | 'panels and audits'
  | 'hosting server'
  | 'data tools'
  | 'console'
  | 'front at full strength';

/** How a unit stands: proven by tests under a path, waiting for a subject, or nothing to build. */
export type Status =
  | { readonly test: string }
  | { readonly deferred: Subject }
  | { readonly context: string };

/** One unit of a specification as this project reads it. */
export interface Row {
  readonly id: string;
  /** Hash of the unit's text when the row was written; a changed text makes the row stale. */
  readonly hash: string;
  /** What it asks for, in our words. */
  readonly says: string;
  readonly status: Status;
  /** The decision record, where the specification leaves the matter open and we chose. */
  readonly chosen?: string;
}

/** Rows by `<id> <hash>`, each with what it says. */
export type Readings = Readonly<Record<string, string>>;

/** Rows that a passing test somewhere under `path` must claim with `proves`. */
export function proven(path: string, readings: Readings, chosen?: string): readonly Row[] {
  return rowsOf(readings, { test: path }, chosen);
}

/** Rows that wait for a later subject; a test that claims one already is reported. */
export function deferred(subject: Subject, readings: Readings): readonly Row[] {
  return rowsOf(readings, { deferred: subject });
}

/** Rows of units that ask for nothing, with the reason. */
export function context(why: string, readings: Readings): readonly Row[] {
  return rowsOf(readings, { context: why });
}

function rowsOf(readings: Readings, status: Status, chosen?: string): readonly Row[] {
  return Object.entries(readings).map(([key, says]) => {
    const [id = '', hash = ''] = key.split(' ');
    return { id, hash, says, status, ...(chosen === undefined ? {} : { chosen }) };
  });
}
