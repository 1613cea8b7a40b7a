import { arbitrationPanel } from '../../domain/arbitration/panel.ts';
import { panelMachineOf } from '../../machines/panel/panels.ts';
import type { Definition } from '../../runtime/engine/types.ts';
import { definePanel } from '../panel/panels.ts';
import { type ArbitrationDeps, admitEffect, freezeEffect, signingSeal } from './case-effects.ts';

/**
 * Creates the actor definition of arbitrations: a panel with submitted, frozen, and admitted
 * evidence.
 */
export function defineArbitration(deps: ArbitrationDeps): Definition {
  const machine = panelMachineOf(arbitrationPanel.kind);
  return definePanel({ definition: arbitrationPanel, machine }, deps, {
    freeze: freezeEffect(deps),
    admit: admitEffect(deps),
    seal: signingSeal(arbitrationPanel, deps),
  } as never);
}
