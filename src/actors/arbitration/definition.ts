import { arbitrationPanel } from '../../domain/arbitration/panel.ts';
import { findPanelMachine } from '../../machines/panel/panels.ts';
import type { Definition } from '../../runtime/engine/types.ts';
import type { Services } from '../common/services.ts';
import { definePanel } from '../panel/panels.ts';
import { createAdmitEffect, createFreezeEffect, createSigningSealEffect } from './case-effects.ts';

/**
 * Creates the actor definition of arbitrations: a panel with submitted, frozen, and admitted
 * evidence.
 */
export function defineArbitration(
  deps: Pick<Services, 'blobs' | 'clock' | 'engine' | 'llm' | 'trust'>,
): Definition {
  const machine = findPanelMachine(arbitrationPanel.kind);
  return definePanel({ definition: arbitrationPanel, machine }, deps, {
    freeze: createFreezeEffect(deps),
    admit: createAdmitEffect(deps),
    seal: createSigningSealEffect(arbitrationPanel, deps),
  } as never);
}
