import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import type { ChainStanding, NodePaymentChain } from '../../providers/payment/payment-chain.ts';
import { retireLogKey } from '../proof/proof-keys.ts';
import type { Acceptance } from '../server/directory.ts';

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
 * Compares the chain with the one that the stores speak of, and remembers it. On a chain of others
 * it holds exactly what this directory has sent: more was sent by another directory with the same
 * key, or by this one before an older copy of it was put back.
 *
 * @param acceptance - `restored` takes what is not known here for sold; the log of proofs, which
 * may have told more before, gets another name.
 * @throws {AppError} `CONFIG_INVALID` for another chain, or one that was begun anew;
 * `TREASURY_SHARED`, `CHAIN_UNAVAILABLE`
 */
export async function refuseOtherChain(
  dataDir: string,
  chain: Pick<NodePaymentChain, 'facts' | 'standing'>,
  acceptance: Acceptance,
): Promise<void> {
  const { chainId, token, isLocal } = chain.facts;
  const standing = await chain.standing();
  const { genesis, operator, sent } = standing;
  const of = { chainId, token: token.toLowerCase(), isLocal };
  const found: OwnChain = { ...of, genesis, operator: operator.toLowerCase(), sent };
  const known = readOwnChain(dataDir);
  if (known !== undefined) refuseDifference(known, found);
  const unknown = isLocal ? undefined : await sentElsewhere(known, found, standing);
  if (unknown !== undefined) {
    if (acceptance.accepted !== 'restored') throw refusedShared(unknown);
    retireLogKey(dataDir);
    acceptance.notice(`accepted as restored: ${describeUnknown(unknown)}`);
  }
  keep(dataDir, found);
}

/** What the operator's key has sent that this directory does not know. */
type Unknown = Readonly<Record<'known' | 'found', number>> & { readonly transaction?: string };

async function sentElsewhere(
  known: OwnChain | undefined,
  found: OwnChain,
  { remembered, findSoldElsewhere }: ChainStanding,
): Promise<Unknown | undefined> {
  const { operator, sent } = found;
  if (known?.operator === operator) {
    const own = Math.max(known.sent, remembered);
    return sent > own ? { known: own, found: sent } : undefined;
  }
  // A key may have been used before, to deploy contracts; payments are what must not be shared.
  const transaction = sent > remembered ? await findSoldElsewhere() : undefined;
  return transaction === undefined ? undefined : { known: remembered, found: sent, transaction };
}

function describeUnknown({ known, found }: Unknown): string {
  return (
    `the operator’s key has sent ${found} transactions, and this data directory knows of ` +
    `${known}`
  );
}

function refusedShared(unknown: Unknown): AppError {
  const words = describeUnknown(unknown);
  return new AppError('TREASURY_SHARED', {
    message:
      `T${words.slice(1)}. Another server uses the key, someone sent a transaction with it by ` +
      'hand, or this directory is an older copy. Give each server a key of its own. If no other ' +
      'server has it, start with --accept-restored: payments that are not known here are never ' +
      'sold again, and the log of proofs goes on under a new name. Nothing was sold.',
    data: { ...unknown, allowed: '--accept-restored' },
  });
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

/**
 * Reads which chain the stores speak of; `undefined` before the first start.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function readOwnChain(dataDir: string): OwnChain | undefined {
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
