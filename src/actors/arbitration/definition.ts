import { arbitrationPanel } from '../../domain/arbitration/panel.ts';
import { arbitrationPrelude } from '../../machines/parts/arbitration-prelude.ts';
import { panelWith } from '../../machines/parts/panels.ts';
import type { Definition } from '../../runtime/types.ts';
import { definePanel } from '../panels/panels.ts';
import {
  type ArbitrationDeps,
  admitEffect,
  freezeEffect,
  signingSeal,
} from './case-effects.ts';

/** Makes the kind of arbitrations: a panel whose evidence comes in, is frozen and is admitted. */
export function defineArbitration(deps: ArbitrationDeps): Definition {
  const panel = panelWith(arbitrationPanel, arbitrationPrelude);
  return definePanel(panel, deps, {
    freeze: freezeEffect(deps),
    admit: admitEffect(deps),
    seal: signingSeal(arbitrationPanel, deps),
  } as never);
}
