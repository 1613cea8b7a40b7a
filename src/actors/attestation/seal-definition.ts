import { sealMachine, version } from '../../machines/attestation/seal.ts';
import { define } from '../../runtime/engine/define.ts';
import type { Definition } from '../../runtime/engine/types.ts';
import { createProjector } from '../proof/projector.ts';
import { projectSealProofs } from './seal-proofs.ts';

/** Actor kind of seals. */
export const sealKind = { kind: 'seal', machine: sealMachine } as const;

/** Creates the seal actor, which has no effects. */
export function defineSeal(): Definition {
  return define({
    kind: sealKind.kind,
    version,
    machine: sealMachine,
    effects: {},
    migrations: [],
  });
}

/** Projects the proofs of seals. A copy that an operator forked is not projected. */
export const sealProjector = createProjector(sealKind, {
  after: ['xstate.init', 'SEAL.REDEEMED'],
  project: async (view) => {
    const seal = view.context;
    return { proofs: seal.sealId === view.id ? projectSealProofs(seal) : [], events: [] };
  },
});
