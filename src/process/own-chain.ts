import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../domain/error.ts';
import type { NodePaymentChain } from '../providers/chain/payment-chain.ts';

/** What the stores of a data directory remember of the chain that they speak of. */
type OwnChain = z.infer<typeof OwnChain>;

const OwnChain = z.object({
  chainId: z.number().int(),
  token: z.string(),
  isLocal: z.boolean(),
  /** Hash of the first block, or the own mark of an embedded chain. */
  genesis: z.string().nullable(),
  operator: z.string(),
  /** Transactions that the operator had sent; a chain never forgets any. */
  sent: z.number().int().min(0),
});

const FILE = 'own-chain.json';
const CURE =
  'Jobs and payments of this data directory stand on that chain: bring it back, or begin with an ' +
  'empty data directory. Nothing was paid.';

/**
 * Refuses to begin an embedded chain anew under stores that speak of an earlier one. Asked before
 * the chain is opened, so that nothing is made.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function refuseLostChain(dataDir: string): void {
  const known = readOwnChain(dataDir);
  if (known?.isLocal !== true || existsSync(join(dataDir, 'chain', 'keys.json'))) return;
  throw otherChain('The folder chain/ is gone', { known: known.token, found: null });
}

/**
 * Compares the chain with the one that the stores speak of, and remembers it.
 *
 * @throws {AppError} `CONFIG_INVALID` for another chain, or one that was begun anew;
 * `CHAIN_UNAVAILABLE`
 */
export async function refuseOtherChain(
  dataDir: string,
  chain: Pick<NodePaymentChain, 'facts' | 'standing'>,
): Promise<void> {
  const { chainId, token, isLocal } = chain.facts;
  const { genesis, operator, sent } = await chain.standing();
  const of = { chainId, token: token.toLowerCase(), isLocal };
  const found: OwnChain = { ...of, genesis, operator: operator.toLowerCase(), sent };
  const known = readOwnChain(dataDir);
  if (known !== undefined) refuseDifference(known, found);
  keep(dataDir, found);
}

function refuseDifference(known: OwnChain, found: OwnChain): void {
  for (const name of ['chainId', 'token', 'isLocal'] as const) {
    if (known[name] === found[name]) continue;
    throw otherChain('This is another chain', { known: known[name], found: found[name] });
  }
  const isBegunAnew =
    known.genesis !== null && found.genesis !== null && known.genesis !== found.genesis;
  if (isBegunAnew) {
    throw otherChain('The chain was begun anew', { known: known.genesis, found: found.genesis });
  }
  if (found.operator === known.operator && found.sent < known.sent) {
    throw otherChain('The chain has lost transactions of the operator', {
      ...{ known: known.sent, found: found.sent },
    });
  }
}

function otherChain(what: string, data: Readonly<Record<string, unknown>>): AppError {
  return new AppError('CONFIG_INVALID', {
    message: `${what}: it is not the one that was used before. ${CURE}`,
    data: { known: data['known'] ?? null, found: data['found'] ?? null } as never,
  });
}

function readOwnChain(dataDir: string): OwnChain | undefined {
  const file = join(dataDir, FILE);
  if (!existsSync(file)) return undefined;
  const read = OwnChain.safeParse(parsed(readFileSync(file, 'utf8')));
  if (read.success) return read.data;
  throw new AppError('CONFIG_INVALID', {
    message: `${FILE} is damaged. Restore it, or remove it if you know that the chain is the same.`,
  });
}

function keep(dataDir: string, found: OwnChain): void {
  const file = join(dataDir, FILE);
  writeFileSync(`${file}.new`, `${JSON.stringify(found)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
