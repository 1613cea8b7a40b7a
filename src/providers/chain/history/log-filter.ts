import { z } from 'zod';

const Hex = z.string().regex(/^0x[0-9a-fA-F]*$/);
const Words = z.union([Hex, z.array(Hex).max(200)]).nullish();
const Block = z.union([Hex, z.enum(['earliest', 'latest', 'pending', 'safe', 'finalized'])]);

/** The parameters of `eth_getLogs`. */
export type LogQuery = z.infer<typeof LogQuery>;

/** Validates the parameters of `eth_getLogs`. */
export const LogQuery = z.object({
  fromBlock: Block.nullish(),
  toBlock: Block.nullish(),
  /** Names a single block, which only the node can look up. */
  blockHash: Hex.nullish(),
  address: Words,
  topics: z.array(Words).max(4).nullish(),
});

/** A log entry in the form that nodes return. */
export type BlockLog = z.infer<typeof BlockLog>;

/** Validates a log entry of a node. */
export const BlockLog = z.looseObject({
  address: Hex,
  topics: z.array(Hex),
  blockNumber: Hex,
  blockHash: Hex,
  transactionHash: Hex,
});

/** Selects logs by address and topics, regardless of the block range. */
export interface LogFilter {
  /** Returns whether a line of text can hold a match. This is cheaper than parsing it. */
  mayBe(line: string): boolean;
  fits(log: BlockLog): boolean;
}

/** Creates the filter of a query. */
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

/** Checks one topic. A topic without a condition must still be present. */
function isAt(topic: string | undefined, words: readonly string[] | undefined): boolean {
  if (topic === undefined) return false;
  return words === undefined || words.includes(topic.toLowerCase());
}

/** Returns the wanted values in lower case, or `undefined` if any value matches. */
function wordsOf(asked: string | readonly string[] | null | undefined) {
  const words = typeof asked === 'string' ? [asked] : (asked ?? []);
  return words.length === 0 ? undefined : words.map((word) => word.toLowerCase());
}
