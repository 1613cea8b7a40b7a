import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';

const gunzipAsync = promisify(gunzip);
const gzipAsync = promisify(gzip);

/** Occurs once in a dump: the account part comes first and holds nothing but hex. */
const HISTORY_MARK = ',"best_block_number":';

const History = z.looseObject({
  blocks: z.array(z.looseObject({ header: z.looseObject({ number: z.string() }) })),
  transactions: z.array(z.looseObject({ block_number: z.number().int() })),
});

/** Returns whether a dumped state can be read to its end. */
export async function isCompleteState(state: Buffer): Promise<boolean> {
  try {
    return (await gunzipAsync(state)).includes(HISTORY_MARK);
  } catch {
    return false;
  }
}

/**
 * Removes the blocks before `firstBlock` and their transactions from a dumped state. Accounts,
 * code, storage and later blocks stay. A dump of an unknown form is returned unchanged.
 */
export async function pruneState(state: Buffer, firstBlock: number): Promise<Buffer> {
  const json = await gunzipAsync(state);
  const cut = json.lastIndexOf(HISTORY_MARK);
  if (cut === -1) return state;
  const history = History.safeParse(JSON.parse(`{${json.toString('utf8', cut + 1)}`));
  if (!history.success) return state;
  const { blocks, transactions } = history.data;
  const kept = {
    ...history.data,
    blocks: blocks.filter(({ header }) => Number(header.number) >= firstBlock),
    transactions: transactions.filter(({ block_number }) => block_number >= firstBlock),
  };
  const tail = JSON.stringify(kept).slice(1);
  // The accounts are copied as bytes: parsing them would block the event loop.
  return gzipAsync(Buffer.concat([json.subarray(0, cut + 1), Buffer.from(tail)]));
}
