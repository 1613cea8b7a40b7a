import { type SealContext, sealMachine, version } from '../../machines/attestation/seal.ts';
import { define } from '../../runtime/engine/define.ts';
import type { Definition } from '../../runtime/engine/types.ts';
import type { Projector } from '../proof/projector.ts';
import { projectSealProofs } from './seal-proofs.ts';

/** Actor kind of seals. */
export const SEAL_KIND = 'seal';

/** Creates the seal actor, which has no effects. */
export function defineSeal(): Definition {
  return define({
    kind: SEAL_KIND,
    version,
    machine: sealMachine,
    effects: {},
    migrations: [],
  });
}

/** Projects the proofs of seals. A copy that an operator forked is not projected. */
export const sealProjector: Projector = {
  kind: SEAL_KIND,
  after: ['xstate.init', 'SEAL.REDEEMED'],
  project: async (view) => {
    const seal = view.context as unknown as SealContext;
    return { proofs: seal.sealId === view.id ? projectSealProofs(seal) : [], events: [] };
  },
};
