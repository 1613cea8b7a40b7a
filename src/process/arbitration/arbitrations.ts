import { createArbitrations } from '../../actors/arbitration/arbitrations.ts';
import { CaseIndex } from '../../actors/arbitration/case-index.ts';
import { createCaseProjector } from '../../actors/arbitration/case-projector.ts';
import { defineArbitration } from '../../actors/arbitration/definition.ts';
import { VerdictRedelivery } from '../../actors/arbitration/verdict-redelivery.ts';
import type { Services } from '../../actors/common/services.ts';
import type { Projector } from '../../actors/proof/projector.ts';
import type { Arbitrations } from '../../domain/arbitration/arbitrations.ts';
import type { ServerServices } from '../server/services.ts';

/** The running arbitration service. */
export interface OpenArbitrations {
  readonly arbitrations: Arbitrations;
  readonly index: CaseIndex;
  readonly projectors: readonly Projector[];
}

/** Opens arbitrations of jobs on the board. */
export async function openArbitrations(
  services: Pick<Services, 'blobs' | 'clock' | 'engine' | 'llm' | 'notice' | 'trust'> &
    Pick<ServerServices, 'closers' | 'define'>,
): Promise<OpenArbitrations> {
  const { closers, engine } = services;
  services.define(defineArbitration(services));
  const index = await CaseIndex.start(engine);
  closers.add(async () => index.close());
  const redelivery = await VerdictRedelivery.start({ ...services, index });
  closers.add(() => redelivery.stop());
  return {
    index,
    arbitrations: createArbitrations({ ...services, index }),
    projectors: [createCaseProjector(services)],
  };
}
