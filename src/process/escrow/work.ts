import type { Services } from '../../actors/common/services.ts';
import { createWorkBoard } from '../../actors/escrow/board.ts';
import { BoardIndex } from '../../actors/escrow/board-index.ts';
import { defineWorkActors } from '../../actors/escrow/definition.ts';
import { EscrowFollower } from '../../actors/escrow/escrow-follower.ts';
import { createJobProjector } from '../../actors/escrow/job-projector.ts';
import { requestProjector } from '../../actors/escrow/request-projector.ts';
import type { Projector } from '../../actors/proof/projector.ts';
import type { Controls } from '../../domain/control/controls.ts';
import type { EscrowCursorStore } from '../../domain/escrow/escrow-cursor-store.ts';
import type { WorkBoard } from '../../domain/escrow/work-board.ts';
import type { ServerServices } from '../server/services.ts';

/** The running work board. */
export interface OpenWork {
  readonly board: WorkBoard;
  readonly projectors: readonly Projector[];
  /** Returns the jobs whose payment is in escrow, by the server's own records. */
  openJobs(): Promise<readonly { readonly escrowKey: string; readonly amount: string }[]>;
}

/**
 * Opens requests and jobs with escrow.
 *
 * @param store - The cursor on the chain.
 */
export async function openWork(
  services: Pick<
    Services,
    'blobs' | 'chain' | 'clock' | 'engine' | 'notice' | 'passports' | 'trust'
  > &
    Pick<ServerServices, 'closers' | 'define'> & { readonly controls: Controls },
  store: EscrowCursorStore,
): Promise<OpenWork> {
  const { closers, engine } = services;
  const follower = new EscrowFollower({ ...services, store });
  const work = { ...services, unclaimed: follower };
  services.define(...defineWorkActors(work));
  const index = await BoardIndex.start(engine);
  closers.add(async () => index.close());
  const board = createWorkBoard({ ...work, index });
  await follower.start(index);
  closers.add(() => follower.stop());
  return {
    board,
    projectors: [requestProjector, createJobProjector(services)],
    openJobs: async () => {
      await index.waitUntilCurrent();
      return index.fundedJobs();
    },
  };
}
