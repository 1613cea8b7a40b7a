import { createWorkBoard } from '../../actors/escrow/board.ts';
import { BoardIndex } from '../../actors/escrow/board-index.ts';
import { defineWorkActors } from '../../actors/escrow/definition.ts';
import { EscrowFollower } from '../../actors/escrow/escrow-follower.ts';
import { createJobProjector } from '../../actors/escrow/job-projector.ts';
import { requestProjector } from '../../actors/escrow/request-projector.ts';
import type { Projector } from '../../actors/proof/projector.ts';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { Controls } from '../../domain/control/controls.ts';
import type { EscrowCursorStore } from '../../domain/escrow/escrow-cursor-store.ts';
import type { WorkBoard } from '../../domain/escrow/work-board.ts';
import type { Passports } from '../../domain/passport/passports.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';
import type { ActorEngine, Definition } from '../../runtime/engine/types.ts';

/** The dependencies of work that exist before the engine. */
export interface WorkDeps {
  readonly trust: TrustChain;
  readonly chain: PaymentChain;
  readonly kept: EscrowCursorStore;
  readonly clock: Pick<Clock, 'now'>;
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
}

/** The dependencies of work that exist with the engine. */
export interface RunningWorkDeps {
  readonly engine: ActorEngine;
  readonly blobs: BlobStore;
  readonly passports: Passports;
  readonly controls: Controls;
}

/** The running work board. */
export interface OpenWork {
  readonly board: WorkBoard;
  readonly projectors: readonly Projector[];
  /** Returns the jobs whose payment is in escrow, by the server's own records. */
  openJobs(): Promise<readonly { readonly escrowKey: string; readonly amount: string }[]>;
  /** Stops following the chain. */
  stop(): Promise<void>;
}

/** The actor definitions of work, and the function that starts it on its engine. */
export interface PreparedWork {
  readonly definitions: readonly Definition[];
  open(parts: RunningWorkDeps): Promise<OpenWork>;
}

/** Prepares requests and jobs with escrow. */
export function prepareWork({ trust, chain, kept, clock, notice }: WorkDeps): PreparedWork {
  // Effects of the last process may start before their engine is available.
  let resolveEngine: (engine: ActorEngine) => void = () => undefined;
  const whenRunning = new Promise<ActorEngine>((resolve) => {
    resolveEngine = resolve;
  });
  const engine = (): Promise<ActorEngine> => whenRunning;
  const follower = new EscrowFollower({ trust, store: kept, clock, engine, notice });
  return {
    definitions: defineWorkActors({ trust, chain, unclaimed: follower, engine }),
    open: async (parts) => {
      resolveEngine(parts.engine);
      const index = await BoardIndex.start(parts.engine);
      const board = createWorkBoard({ ...parts, trust, chain, clock, index, unclaimed: follower });
      await follower.start(index);
      return {
        board,
        projectors: [requestProjector, createJobProjector(parts)],
        openJobs: async () => {
          await index.waitUntilCurrent();
          return index.fundedJobs();
        },
        stop: async () => {
          await follower.stop();
          index.close();
        },
      };
    },
  };
}
