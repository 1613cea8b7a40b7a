import { z } from 'zod';

const Hex = z.string().regex(/^0x[0-9a-fA-F]*$/);
const Words = z.union([Hex, z.array(Hex).max(200)]).nullish();
const Block = z.union([Hex, z.enum(['earliest', 'latest', 'pending', 'safe', 'finalized'])]);

/** What a reader asks of `eth_getLogs`. */
export type LogQuery = z.infer<typeof LogQuery>;

/** See the type of this name. */
export const LogQuery = z.object({
  fromBlock: Block.nullish(),
  toBlock: Block.nullish(),
  /** Names one block, which only the node can look up. */
  blockHash: Hex.nullish(),
  address: Words,
  topics: z.array(Words).max(4).nullish(),
});

/** A log of a block, as nodes answer it. */
export type BlockLog = z.infer<typeof BlockLog>;

/** See the type of this name. */
export const BlockLog = z.looseObject({
  address: Hex,
  topics: z.array(Hex),
  blockNumber: Hex,
  blockHash: Hex,
  transactionHash: Hex,
});

/** Tells which logs are asked for, wherever the blocks begin and end. */
export interface LogFilter {
  /** Whether a line of text can hold such a log: cheaper than to read it. */
  mayBe(line: string): boolean;
  fits(log: BlockLog): boolean;
}

/** Makes the filter of a query. */
export function logFilter({ address, topics }: LogQuery): LogFilter {
  const places = [wordsOf(address), ...(topics ?? []).map(wordsOf)];
  const asked = places.filter((words) => words !== undefined);
  const [addresses, ...wanted] = places;
  return {
    mayBe: (line) => asked.every((words) => words.some((word) => line.includes(word))),
    fits: (log) => {
      const isFrom = addresses === undefined || addresses.includes(log.address.toLowerCase());
      return isFrom && wanted.every((words, at) => isAt(log.topics[at], words));
    },
  };
}

/** A topic that nobody asks for must still be there. */
function isAt(topic: string | undefined, words: readonly string[] | undefined): boolean {
  if (topic === undefined) return false;
  return words === undefined || words.includes(topic.toLowerCase());
}

/** `undefined` where anything fits, as an empty list does. */
function wordsOf(asked: string | readonly string[] | null | undefined) {
  const words = typeof asked === 'string' ? [asked] : (asked ?? []);
  return words.length === 0 ? undefined : words.map((word) => word.toLowerCase());
}
