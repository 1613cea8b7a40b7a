import { z } from 'zod';

const Hex = z.string().regex(/^0x[0-9a-fA-F]*$/);
const WantedValues = z.union([Hex, z.array(Hex).max(200)]).nullish();
const Block = z.union([Hex, z.enum(['earliest', 'latest', 'pending', 'safe', 'finalized'])]);

/** The parameters of `eth_getLogs`. */
export type LogQuery = z.infer<typeof LogQuery>;

/** Validates the parameters of `eth_getLogs`. */
export const LogQuery = z.object({
  fromBlock: Block.nullish(),
  toBlock: Block.nullish(),
  /** Names a single block, which only the node can look up. */
  blockHash: Hex.nullish(),
  address: WantedValues,
  topics: z.array(WantedValues).max(4).nullish(),
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
  mayMatchLine(line: string): boolean;
  matches(log: BlockLog): boolean;
}

/** Creates the filter of a query. */
export function createLogFilter({ address, topics }: LogQuery): LogFilter {
  const conditions = [wantedValues(address), ...(topics ?? []).map(wantedValues)];
  const presentConditions = conditions.filter((words) => words !== undefined);
  const [addresses, ...wantedTopics] = conditions;
  return {
    mayMatchLine: (line) =>
      presentConditions.every((words) => words.some((word) => line.includes(word))),
    matches: (log) => {
      const isFrom = addresses === undefined || addresses.includes(log.address.toLowerCase());
      return isFrom && wantedTopics.every((words, at) => topicMatches(log.topics[at], words));
    },
  };
}

/** Checks one topic. A topic without a condition must still be present. */
function topicMatches(topic: string | undefined, words: readonly string[] | undefined): boolean {
  if (topic === undefined) return false;
  return words === undefined || words.includes(topic.toLowerCase());
}

/** Returns the wanted values in lower case, or `undefined` if any value matches. */
function wantedValues(condition: string | readonly string[] | null | undefined) {
  const values = typeof condition === 'string' ? [condition] : (condition ?? []);
  return values.length === 0 ? undefined : values.map((word) => word.toLowerCase());
}
