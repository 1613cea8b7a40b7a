import type { Hex } from 'viem';
import { decodeEventLog, encodeEventTopics, encodeFunctionData, pad } from 'viem/utils';
import type { AnchorContract } from '../../domain/chain/trust-chain.ts';
import { ANCHOR_ABI } from '../chain/trust/abi.ts';
import type { ContractCaller } from '../chain/trust/caller.ts';
import { type LogSource, readLogRanges } from '../chain/trust/log-ranges.ts';
import type { RawLog } from '../chain/trust/log-reader.ts';
import { callRequiredView } from '../chain/trust/view.ts';
import { toCallOutcome } from '../passport/identity.ts';

/** The dependencies of anchors. */
export interface AnchorDeps extends LogSource {
  readonly caller: ContractCaller;
  /** @throws {AppError} `NOT_CONFIGURED` where there is none */
  readonly address: () => Hex;
}

interface Anchored {
  readonly size: number;
  readonly root: string;
  readonly transaction: string;
  readonly block: number;
}

/** Most ranges searched for the anchor of an old size. A later anchor covers it as well. */
const LOG_RANGES_MAX = 20;

/** Creates the anchor contract of a chain, for the operator's own log. */
export function createAnchor(parts: AnchorDeps): AnchorContract {
  const { caller, address } = parts;
  return {
    anchor: async (size, root) => {
      const args = [BigInt(size), root as Hex] as const;
      const data = encodeFunctionData({ abi: ANCHOR_ABI, functionName: 'anchor', args });
      const name = anchorName(size, root);
      return toCallOutcome(
        await caller.call({ to: address(), data, name, gasFor: { purpose: 'anchors' } }),
        null,
      );
    },
    latest: () => readLatest(parts),
    covering: (size) => findCovering(parts, size),
  };
}

function anchorName(size: number, root: string): string {
  return `anchor:${size}:${root}`;
}

async function readLatest({ chain, address }: AnchorDeps) {
  const { rpc, accounts } = chain;
  const question = { to: address(), abi: ANCHOR_ABI };
  const log = accounts.operator.address;
  const size = await callRequiredView<bigint>(rpc, {
    ...question,
    name: 'latestSize',
    args: [log],
  });
  if (size === 0n) return undefined;
  const root = await callRequiredView<Hex>(rpc, { ...question, name: 'rootAt', args: [log, size] });
  return { size: Number(size), root };
}

/**
 * Finds the first anchor that covers a size. Sizes only grow, so it searches back to a smaller one.
 */
async function findCovering(parts: AnchorDeps, size: number): Promise<Anchored | undefined> {
  const topics = [ANCHORED_TOPIC, pad(parts.chain.accounts.operator.address)];
  let best: Anchored | undefined;
  for await (const logs of readLogRanges(parts, { topics, spansMax: LOG_RANGES_MAX })) {
    for (const log of logs.toReversed()) {
      const anchored = decodeAnchored(log);
      if (anchored.size < size) return best;
      best = anchored;
    }
  }
  return best ?? findLatestCovering(parts, size);
}

/** Returns the last anchor, whose block an embedded node may have pruned. */
async function findLatestCovering(parts: AnchorDeps, size: number): Promise<Anchored | undefined> {
  const last = await readLatest(parts);
  if (last === undefined || last.size < size) return undefined;
  const call = await parts.caller.find(anchorName(last.size, last.root));
  if (call?.state !== 'done') return undefined;
  return { ...last, transaction: call.transaction, block: call.block };
}

function decodeAnchored({ topics, data, transactionHash, blockNumber }: RawLog): Anchored {
  const { args } = decodeEventLog({ abi: ANCHOR_ABI, eventName: 'Anchored', topics, data });
  return {
    size: Number(args.size),
    root: args.root,
    transaction: transactionHash,
    block: Number(blockNumber),
  };
}

const [ANCHORED_TOPIC] = encodeEventTopics({ abi: ANCHOR_ABI, eventName: 'Anchored' });
