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
import type { EngineSetup } from '../../runtime/engine/engine.ts';

/** The dependencies of work. */
export interface WorkDeps {
  readonly trust: TrustChain;
  readonly chain: PaymentChain;
  readonly kept: EscrowCursorStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly blobs: BlobStore;
  readonly passports: Passports;
  readonly controls: Controls;
  /** Receives one line of text for the operator. */
  readonly notice: (line: string) => void;
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

/** Opens requests and jobs with escrow. */
export async function openWork(
  { engine, define }: EngineSetup,
  parts: WorkDeps,
): Promise<OpenWork> {
  const { trust, chain, kept, clock, notice } = parts;
  const running = async () => engine;
  const follower = new EscrowFollower({ trust, store: kept, clock, engine: running, notice });
  define(...defineWorkActors({ trust, chain, unclaimed: follower, engine: running }));
  const index = await BoardIndex.start(engine);
  const board = createWorkBoard({ ...parts, engine, index, unclaimed: follower });
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
}
