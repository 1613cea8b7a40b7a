import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { tryParseJson } from '../../domain/common/json.ts';
import type { ChainIdentity, NodePaymentChain } from '../../providers/payment/payment-chain.ts';
import { retireLogKey } from '../proof/proof-keys.ts';
import type { Acceptance } from '../server/directory.ts';

/** The chain that the stores of a data directory refer to. */
type RecordedChain = z.infer<typeof RecordedChain>;

const RecordedChain = z.object({
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
const REMEDY =
  'Jobs and payments of this data directory depend on that chain. Restore it, or start with an ' +
  'empty data directory. Nothing was paid.';

/**
 * Refuses to create a new embedded chain for stores that refer to an earlier one. Called before the
 * chain is opened, so that nothing is created.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function rejectLostChain(dataDir: string): void {
  const known = readRecordedChain(dataDir);
  if (known?.isLocal !== true || existsSync(join(dataDir, 'chain', 'keys.json'))) return;
  throw otherChainError('The folder chain/ is missing', { known: known.token, found: null });
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
export async function rejectOtherChain(
  dataDir: string,
  chain: Pick<NodePaymentChain, 'facts' | 'standing'>,
  acceptance: Acceptance,
): Promise<void> {
  const { chainId, token, isLocal } = chain.facts;
  const chainState = await chain.standing();
  const { genesis, operator, sent } = chainState;
  const of = { chainId, token: token.toLowerCase(), isLocal };
  const found: RecordedChain = { ...of, genesis, operator: operator.toLowerCase(), sent };
  const known = readRecordedChain(dataDir);
  if (known !== undefined) rejectDifference(known, found);
  const unknown = isLocal ? undefined : await findForeignTransactions(known, found, chainState);
  if (unknown !== undefined) {
    if (acceptance.accepted !== 'restored') throw sharedTreasuryError(unknown);
    retireLogKey(dataDir);
    acceptance.notice(`accepted as restored: ${describeForeign(unknown)}`);
  }
  writeRecordedChain(dataDir, found);
}

/** Transactions of the operator's key that this directory does not know. */
type ForeignTransactions = Readonly<Record<'known' | 'found', number>> & {
  readonly transaction?: string;
};

async function findForeignTransactions(
  known: RecordedChain | undefined,
  found: RecordedChain,
  { remembered, findSoldElsewhere }: ChainIdentity,
): Promise<ForeignTransactions | undefined> {
  const { operator, sent } = found;
  if (known?.operator === operator) {
    const own = Math.max(known.sent, remembered);
    return sent > own ? { known: own, found: sent } : undefined;
  }
  // A key may have been used to deploy contracts before. Only payments must not be shared.
  const transaction = sent > remembered ? await findSoldElsewhere() : undefined;
  return transaction === undefined ? undefined : { known: remembered, found: sent, transaction };
}

function describeForeign({ known, found }: ForeignTransactions): string {
  return (
    `the operator’s key has sent ${found} transactions, but this data directory knows only ` +
    `${known}`
  );
}

function sharedTreasuryError(unknown: ForeignTransactions): AppError {
  const words = describeForeign(unknown);
  return new AppError('TREASURY_SHARED', {
    message:
      `T${words.slice(1)}. Another server uses the key, someone sent a transaction manually, ` +
      'or this directory is an older copy. Give each server its own key. If no other server has ' +
      'this one, start with --accept-restored: payments that are unknown here are never sold ' +
      'again, and the proof log continues under a new name. Nothing was sold.',
    data: { ...unknown, allowed: '--accept-restored' },
  });
}

function rejectDifference(known: RecordedChain, found: RecordedChain): void {
  for (const name of ['chainId', 'token', 'isLocal'] as const) {
    if (known[name] === found[name]) continue;
    throw otherChainError('The chain is different', { known: known[name], found: found[name] });
  }
  const isBegunAnew =
    known.genesis !== null && found.genesis !== null && known.genesis !== found.genesis;
  if (isBegunAnew) {
    throw otherChainError('The chain was recreated', {
      known: known.genesis,
      found: found.genesis,
    });
  }
  if (found.operator === known.operator && found.sent < known.sent) {
    throw otherChainError('The chain has lost transactions of the operator', {
      known: known.sent,
      found: found.sent,
    });
  }
}

function otherChainError(what: string, data: Readonly<Record<string, unknown>>): AppError {
  return new AppError('CONFIG_INVALID', {
    message: `${what}: it is not the chain used before. ${REMEDY}`,
    data: { known: data['known'] ?? null, found: data['found'] ?? null } as never,
  });
}

/**
 * Reads the chain that the stores refer to. Returns `undefined` before the first start.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function readRecordedChain(dataDir: string): RecordedChain | undefined {
  const file = join(dataDir, FILE);
  if (!existsSync(file)) return undefined;
  const read = RecordedChain.safeParse(tryParseJson(readFileSync(file, 'utf8')));
  if (read.success) return read.data;
  throw new AppError('CONFIG_INVALID', {
    message: `${FILE} is damaged. Restore it, or delete it if you know that the chain is the same.`,
  });
}

function writeRecordedChain(dataDir: string, found: RecordedChain): void {
  const file = join(dataDir, FILE);
  writeFileSync(`${file}.new`, `${JSON.stringify(found)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
