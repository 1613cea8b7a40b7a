import { expect } from 'vitest';
import { type Audited, auditBooks } from '../../src/auditor/audit-books.ts';

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
const LAG_MS = 20_000;

/**
 * Audits a running server from chain logs and `/v1/events` alone, and fails with each difference
 * in micro-dollars.
 *
 * @param hint - Says in the failure where a story stood, as a seed does.
 * @returns The amounts, for claims about a story of its own.
 */
export async function expectBooksBalanced({ ready }: Audible, hint = ''): Promise<Audited> {
  const { rpc_url, escrow, history_url } = ready.chain;
  const where = { rpcUrl: history_url ?? rpc_url, eventsUrl: ready.base_url, escrow };
  const audited = await expectAudited(where, hint);
  // Nobody gives money away in these stories: all that came in was paid for something.
  expect({ hint, untold: audited.in - audited.toldIn }).toEqual({ hint, untold: 0n });
  return audited;
}

/** The same for a chain and a feed that stand alone. */
export async function expectAudited(
  where: { rpcUrl: string; eventsUrl: string; escrow?: string | null | undefined },
  hint = '',
): Promise<Audited> {
  const { rpcUrl, eventsUrl, escrow = null } = where;
  const named = escrow === null ? {} : { escrow: escrow as `0x${string}` };
  const order = { rpcUrl, eventsUrl, fromBlock: 0, waitMs: LAG_MS, ...named };
  const audited = await auditBooks(order);
  expect({ hint, isWhole: audited.isWhole, differences: audited.differences }).toEqual({
    ...{ hint, isWhole: true, differences: [] },
  });
  expect(audited.isBalanced, hint).toBe(true);
  return audited;
}
