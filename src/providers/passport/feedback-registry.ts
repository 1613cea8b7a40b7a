import type { Hex } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import type { FeedbackRegistry } from '../../domain/chain/trust-chain.ts';
import { REPUTATION_ABI } from '../chain/trust/abi.ts';
import type { ContractCaller } from '../chain/trust/caller.ts';
import { toCallOutcome } from './identity.ts';

/** The dependencies of the reputation registry. */
export interface FeedbackRegistryDeps {
  readonly caller: ContractCaller;
  /** @throws {AppError} `NOT_CONFIGURED` where there is none */
  readonly registry: () => Hex;
}

/** Creates the reputation registry of a chain. */
export function createFeedbackRegistry({
  caller,
  registry,
}: FeedbackRegistryDeps): FeedbackRegistry {
  return {
    giveFeedback: async (order) => {
      const { value, valueDecimals, tag1, tag2, endpoint, feedbackUri } = order;
      const data = encodeFunctionData({
        abi: REPUTATION_ABI,
        functionName: 'giveFeedback',
        args: [
          BigInt(order.agentId),
          BigInt(value),
          valueDecimals,
          ...([tag1, tag2, endpoint, feedbackUri] as const),
          order.feedbackHash as Hex,
        ],
      });
      const name = `feedback:${order.key}`;
      // The archive holds calls that the embedded node has pruned.
      const earlier = await caller.find(name);
      const gasFor = { purpose: 'feedback' } as const;
      const outcome = earlier ?? (await caller.call({ to: registry(), data, name, gasFor }));
      return toCallOutcome(outcome, null);
    },
  };
}
