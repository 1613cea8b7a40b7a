import { expect } from 'vitest';
import { auditBooks, type BooksAuditResult } from '../../src/auditor/audit-books.ts';

/** A server, by what its ready line says. */
interface Audible {
  readonly ready: {
    readonly base_url: string;
    readonly chain: {
      readonly rpc_url: string;
      readonly escrow?: string | null;
      readonly history_url?: string | null;
    };
  };
}

/** How long the feed may lag behind the chain after a start, in milliseconds. */
const LAG_MS = 60_000;

/** How an audit of a story differs from a plain one. */
export interface Auditing {
  /** Says in the failure where a story stood, as a seed does. */
  readonly hint?: string;
  /** How long the feed may lag behind the chain, in milliseconds. */
  readonly waitMs?: number;
}

/**
 * Audits a running server from chain logs and `/v1/events` alone, and fails with each difference
 * in micro-dollars. @returns The amounts, for claims about a story of its own.
 */
export async function expectBooksBalanced(
  { ready }: Audible,
  auditing: Auditing = {},
): Promise<BooksAuditResult> {
  const { rpc_url, escrow, history_url } = ready.chain;
  const where = { rpcUrl: history_url ?? rpc_url, eventsUrl: ready.base_url, escrow };
  const audited = await expectAudited(where, auditing);
  // Nobody gives money away in these stories: all that came in was paid for something.
  const untold = audited.in - audited.toldIn;
  expect(untold, `${auditing.hint ?? ''}: came in and nothing tells it`).toBe(0n);
  return audited;
}

/** The same for a chain and a feed that stand alone. */
export async function expectAudited(
  where: { rpcUrl: string; eventsUrl: string; escrow?: string | null | undefined },
  { hint = '', waitMs = LAG_MS }: Auditing = {},
): Promise<BooksAuditResult> {
  const { rpcUrl, eventsUrl, escrow = null } = where;
  const named = escrow === null ? {} : { escrow: escrow as `0x${string}` };
  const audited = await auditBooks({ rpcUrl, eventsUrl, fromBlock: 0, waitMs, ...named });
  const told = audited.differences.map(
    ({ what, ref, transaction, expected = '', found = '' }) =>
      `${what}: expected ${expected}, found ${found} micro-dollars (${ref ?? transaction ?? ''})`,
  );
  const whole = audited.isWhole ? [] : ['the node has forgotten blocks'];
  const faults = [...whole, ...told].join('\n');
  expect(audited.isBalanced, `the books do not balance; ${hint}\n${faults}`).toBe(true);
  return audited;
}
