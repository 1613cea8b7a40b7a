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

/** The dependencies of work that exist before the engine. */
export interface WorkParts {
  readonly trust: TrustChain;
  readonly chain: PaymentChain;
  readonly kept: EscrowFollowStore;
  readonly clock: Pick<Clock, 'now'>;
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
}

/** The dependencies of work that exist with the engine. */
export interface LivingWorkParts {
  readonly engine: ActorEngine;
  readonly blobs: BlobStore;
  readonly passports: Passports;
  readonly controls: Controls;
}

/** The running work board. */
export interface OpenWork {
  readonly board: WorkBoard;
  readonly tellers: readonly Teller[];
  /** Returns the jobs whose payment is in escrow, by the server's own records. */
  openJobs(): Promise<readonly { readonly escrowKey: string; readonly amount: string }[]>;
  /** Stops following the chain. */
  stop(): Promise<void>;
}

/** The actor definitions of work, and the function that starts it on its engine. */
export interface PreparedWork {
  readonly definitions: readonly Definition[];
  open(parts: LivingWorkParts): Promise<OpenWork>;
}

/** Prepares requests and jobs with escrow. */
export function prepareWork({ trust, chain, kept, clock, notice }: WorkParts): PreparedWork {
  // Effects of the last process may start before their engine is available.
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
