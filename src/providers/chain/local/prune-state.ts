import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';

const unpack = promisify(gunzip);
const pack = promisify(gzip);

/** The account part comes first and holds nothing but hex, so this mark stands in a dump once. */
const MARK = ',"best_block_number":';

const History = z.looseObject({
  blocks: z.array(z.looseObject({ header: z.looseObject({ number: z.string() }) })),
  transactions: z.array(z.looseObject({ block_number: z.number().int() })),
});

/** Tells whether a dumped state can be read to its end. */
export async function isWholeState(state: Buffer): Promise<boolean> {
  try {
    return (await unpack(state)).includes(MARK);
  } catch {
    return false;
  }
}

/**
 * Takes the blocks before `firstBlock`, and their transactions, out of a dumped state. Accounts,
 * code and storage stay, and so does every later block. A dump of an unknown form stays as it is.
 */
export async function pruneState(state: Buffer, firstBlock: number): Promise<Buffer> {
  const json = await unpack(state);
  const cut = json.lastIndexOf(MARK);
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
  // The accounts are copied as bytes: parsing them would hold up everything else.
  return pack(Buffer.concat([json.subarray(0, cut + 1), Buffer.from(tail)]));
}
