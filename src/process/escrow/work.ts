import { createWorkBoard } from '../../actors/escrow/board.ts';
import { BoardIndex } from '../../actors/escrow/board-index.ts';
import { defineWork } from '../../actors/escrow/definition.ts';
import { EscrowFollower } from '../../actors/escrow/follow-escrow.ts';
import { jobTeller } from '../../actors/escrow/job-teller.ts';
import { requestTeller } from '../../actors/escrow/request-teller.ts';
import type { Teller } from '../../actors/proof/teller.ts';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { Controls } from '../../domain/control/controls.ts';
import type { EscrowFollowStore } from '../../domain/escrow/escrow-follow.ts';
import type { WorkBoard } from '../../domain/escrow/work-board.ts';
import type { Passports } from '../../domain/passport/passports.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';
import type { ActorEngine, Definition } from '../../runtime/engine/types.ts';

/** What work is made from before there is an engine. */
export interface WorkParts {
  readonly trust: TrustChain;
  readonly chain: PaymentChain;
  readonly kept: EscrowFollowStore;
  readonly clock: Pick<Clock, 'now'>;
  /** Told what an operator should read. */
  readonly notice: (line: string) => void;
}

/** What work lives among. */
export interface LivingWorkParts {
  readonly engine: ActorEngine;
  readonly blobs: BlobStore;
  readonly passports: Passports;
  readonly controls: Controls;
}

/** The board of work, running. */
export interface OpenWork {
  readonly board: WorkBoard;
  readonly tellers: readonly Teller[];
  /** Jobs whose money is in the escrow, by our own books. */
  openJobs(): Promise<readonly { readonly escrowKey: string; readonly amount: string }[]>;
  /** Stops following the chain. */
  stop(): Promise<void>;
}

/** The kinds of work, and how it is opened once their engine runs. */
export interface PreparedWork {
  readonly definitions: readonly Definition[];
  open(parts: LivingWorkParts): Promise<OpenWork>;
}

/** Prepares requests and jobs over the escrow. */
export function prepareWork({ trust, chain, kept, clock, notice }: WorkParts): PreparedWork {
  // Effects of the last process may begin before the engine that runs them is handed on.
  let begin: (engine: ActorEngine) => void = () => undefined;
  const running = new Promise<ActorEngine>((resolve) => {
    begin = resolve;
  });
  const engine = (): Promise<ActorEngine> => running;
  const follower = new EscrowFollower({ trust, kept, clock, engine, notice });
  return {
    definitions: defineWork({ trust, chain, unclaimed: follower, engine }),
    open: async (parts) => {
      begin(parts.engine);
      const index = await BoardIndex.open(parts.engine);
      const board = createWorkBoard({ ...parts, trust, chain, clock, index, unclaimed: follower });
      await follower.start(index);
      return {
        board,
        tellers: [requestTeller, jobTeller(parts)],
        openJobs: async () => {
          await index.caughtUp();
          return index.heldJobs();
        },
        stop: async () => {
          await follower.stop();
          index.close();
        },
      };
    },
  };
}
