import { arbitrationPanel } from '../../domain/arbitration/panel.ts';
import { invariant } from '../../domain/common/error.ts';
import type { PanelDefinition } from '../../domain/panel/definition.ts';
import { PANELS } from '../../domain/panel/panels.ts';
import { arbitrationPrelude } from './arbitration-prelude.ts';
import { createPanelMachine, type PanelMachine, type PanelPrelude } from './panel-machine.ts';

/** A panel with its machine. */
export interface Panel {
  readonly definition: PanelDefinition;
  readonly machine: PanelMachine;
}

/** States before the phases, by panel kind; most panels have none. */
const PRELUDES: Readonly<Record<string, PanelPrelude>> = {
  [arbitrationPanel.kind]: arbitrationPrelude,
};

/** All panels with their machines. */
export const PANEL_MACHINES: readonly Panel[] = PANELS.map((definition) =>
  createPanel(definition, PRELUDES[definition.kind]),
);

/** Panels without a prelude, which need no effects of their own. */
export const PANELS_WITHOUT_PRELUDE: readonly Panel[] = PANEL_MACHINES.filter(
  ({ definition }) => PRELUDES[definition.kind] === undefined,
);

/** Creates a panel with its machine. */
export function createPanel(definition: PanelDefinition, prelude?: PanelPrelude): Panel {
  const machine = createPanelMachine(definition, prelude === undefined ? {} : { prelude });
  return { definition, machine };
}

/** Returns the machine of a listed panel. */
export function findPanelMachine(kind: string): Panel['machine'] {
  const panel = PANEL_MACHINES.find(({ definition }) => definition.kind === kind);
  invariant(panel !== undefined, 'a panel is in the list of panels');
  return panel.machine;
}
