import { arbitrationPanel } from '../../domain/arbitration/panel.ts';
import { panelMachineOf } from '../../machines/parts/panels.ts';
import type { Definition } from '../../runtime/types.ts';
import { definePanel } from '../panels/panels.ts';
import { type ArbitrationDeps, admitEffect, freezeEffect, signingSeal } from './case-effects.ts';

/** Makes the kind of arbitrations: a panel whose evidence comes in, is frozen and is admitted. */
export function defineArbitration(deps: ArbitrationDeps): Definition {
  const machine = panelMachineOf(arbitrationPanel.kind);
  return definePanel({ definition: arbitrationPanel, machine }, deps, {
    freeze: freezeEffect(deps),
    admit: admitEffect(deps),
    seal: signingSeal(arbitrationPanel, deps),
  } as never);
}
