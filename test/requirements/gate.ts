import type { Row } from './rows.ts';

/** What the gate needs of a unit. */
export interface UnitMark {
  readonly id: string;
  readonly hash: string;
}

/** A test's claim on an id, with how the test ended. */
export interface Claim {
  readonly id: string;
  /** Path of the test file, from the checkout. */
  readonly file: string;
  readonly test: string;
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
}

/** Compares rows with the units of the specifications. Returns one line for each fault. */
export function judgeRows(rows: readonly Row[], units: readonly UnitMark[]): readonly string[] {
  const hashes = new Map(units.map((unit) => [unit.id, unit.hash]));
  const seen = new Set<string>();
  const faults = rows.flatMap((row) => {
    const hash = hashes.get(row.id);
    const again = seen.has(row.id);
    seen.add(row.id);
    if (again) return [`${row.id}: has two rows`];
    if (hash === undefined) return [`${row.id}: the specification has no such unit any more`];
    return hash === row.hash ? [] : [`${row.id}: its text changed (${row.hash} is now ${hash})`];
  });
  const missing = units.filter((unit) => !seen.has(unit.id));
  return [...faults, ...missing.map((unit) => `${unit.id}: no row (hash ${unit.hash})`)];
}

/**
 * Compares rows with what the tests of one run claimed. A long run owes the rows whose path names
 * a `.long.` test, any other run owes the rest. Returns one line for each fault.
 */
export function judgeClaims(
  rows: readonly Row[],
  claims: readonly Claim[],
  isLong: boolean,
): readonly string[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const unknown = claims.flatMap((claim) => claimFault(claim, byId.get(claim.id)));
  const due = rows.filter((row) => 'test' in row.status && isDue(row.status.test, isLong));
  return [...new Set(unknown), ...due.flatMap((row) => proofFaults(row, claims))];
}

function isDue(path: string, isLong: boolean): boolean {
  return isLong === path.includes('.long.');
}

function claimFault(claim: Claim, row: Row | undefined): readonly string[] {
  const where = `${claim.file} "${claim.test}"`;
  if (row === undefined) return [`${claim.id}: claimed by ${where}, but no row has this id`];
  if ('test' in row.status) return [];
  return [`${claim.id}: claimed by ${where}, but its row says that nothing proves it yet`];
}

function proofFaults(row: Row, claims: readonly Claim[]): readonly string[] {
  const path = 'test' in row.status ? row.status.test : '';
  const own = claims.filter((claim) => claim.id === row.id);
  const bad = own.filter((claim) => claim.state !== 'passed');
  if (bad.length > 0) {
    return bad.map((claim) => `${row.id}: ${claim.file} "${claim.test}" ${claim.state}`);
  }
  return own.some((claim) => claim.file.startsWith(path))
    ? []
    : [`${row.id}: no test under ${path} claims it (${row.says})`];
}
