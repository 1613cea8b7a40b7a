import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import type { ChainStanding, NodePaymentChain } from '../../providers/payment/payment-chain.ts';
import { retireLogKey } from '../proof/proof-keys.ts';
import type { Acceptance } from '../server/directory.ts';

/** The chain that the stores of a data directory refer to. */
type OwnChain = z.infer<typeof OwnChain>;

const OwnChain = z.object({
  chainId: z.number().int(),
  token: z.string(),
  isLocal: z.boolean(),
  /** Hash of the first block, or the identifier of an embedded chain. */
  genesis: z.string().nullable(),
  operator: z.string(),
  /** Number of transactions that the operator had sent. A chain never loses any. */
  sent: z.number().int().min(0),
});

const FILE = 'own-chain.json';
const CURE =
  'Jobs and payments of this data directory depend on that chain. Restore it, or start with an ' +
  'empty data directory. Nothing was paid.';

/**
 * Refuses to create a new embedded chain for stores that refer to an earlier one. Called before the
 * chain is opened, so that nothing is created.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function refuseLostChain(dataDir: string): void {
  const known = readOwnChain(dataDir);
  if (known?.isLocal !== true || existsSync(join(dataDir, 'chain', 'keys.json'))) return;
  throw otherChain('The folder chain/ is missing', { known: known.token, found: null });
}

/**
 * Compares the chain with the one in the stores, and records it. An external chain must have
 * exactly the transactions that this directory sent. More mean that another directory uses the same
 * key, or that this one is an older copy.
 *
 * @param acceptance - `restored` treats unknown payments as sold. The proof log, which may have
 * published more before, gets another name.
 * @throws {AppError} `CONFIG_INVALID` for another or recreated chain; `TREASURY_SHARED`,
 * `CHAIN_UNAVAILABLE`
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

/** Transactions of the operator's key that this directory does not know. */
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
  // A key may have been used to deploy contracts before. Only payments must not be shared.
  const transaction = sent > remembered ? await findSoldElsewhere() : undefined;
  return transaction === undefined ? undefined : { known: remembered, found: sent, transaction };
}

function describeUnknown({ known, found }: Unknown): string {
  return (
    `the operator’s key has sent ${found} transactions, but this data directory knows only ` +
    `${known}`
  );
}

function refusedShared(unknown: Unknown): AppError {
  const words = describeUnknown(unknown);
  return new AppError('TREASURY_SHARED', {
    message:
      `T${words.slice(1)}. Another server uses the key, someone sent a transaction manually, ` +
      'or this directory is an older copy. Give each server its own key. If no other server has ' +
      'this one, start with --accept-restored: payments that are unknown here are never sold ' +
      'again, and the proof log continues under a new name. Nothing was sold.',
    data: { ...unknown, allowed: '--accept-restored' },
  });
}

function refuseDifference(known: OwnChain, found: OwnChain): void {
  for (const name of ['chainId', 'token', 'isLocal'] as const) {
    if (known[name] === found[name]) continue;
    throw otherChain('The chain is different', { known: known[name], found: found[name] });
  }
  const isBegunAnew =
    known.genesis !== null && found.genesis !== null && known.genesis !== found.genesis;
  if (isBegunAnew) {
    throw otherChain('The chain was recreated', { known: known.genesis, found: found.genesis });
  }
  if (found.operator === known.operator && found.sent < known.sent) {
    throw otherChain('The chain has lost transactions of the operator', {
      ...{ known: known.sent, found: found.sent },
    });
  }
}

function otherChain(what: string, data: Readonly<Record<string, unknown>>): AppError {
  return new AppError('CONFIG_INVALID', {
    message: `${what}: it is not the chain used before. ${CURE}`,
    data: { known: data['known'] ?? null, found: data['found'] ?? null } as never,
  });
}

/**
 * Reads the chain that the stores refer to. Returns `undefined` before the first start.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function readOwnChain(dataDir: string): OwnChain | undefined {
  const file = join(dataDir, FILE);
  if (!existsSync(file)) return undefined;
  const read = OwnChain.safeParse(parsed(readFileSync(file, 'utf8')));
  if (read.success) return read.data;
  throw new AppError('CONFIG_INVALID', {
    message: `${FILE} is damaged. Restore it, or delete it if you know that the chain is the same.`,
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
