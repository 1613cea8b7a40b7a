import { arbitrationPanel } from '../../domain/arbitration/panel.ts';
import { invariant } from '../../domain/common/error.ts';
import type { PanelDefinition } from '../../domain/panel/definition.ts';
import { PANELS } from '../../domain/panel/panels.ts';
import { arbitrationPrelude } from './arbitration-prelude.ts';
import { type PanelPrelude, panelMachine } from './panel-machine.ts';

/** A panel with the machine that follows from it. */
export interface Panel {
  readonly definition: PanelDefinition;
  readonly machine: ReturnType<typeof panelMachine>;
}

/** What stands before the phases of a panel, by its kind; most begin with their phases. */
const PRELUDES: Readonly<Record<string, PanelPrelude>> = {
  [arbitrationPanel.kind]: arbitrationPrelude,
};

/** Every panel with its machine. */
export const PANEL_MACHINES: readonly Panel[] = PANELS.map((definition) =>
  panelWith(definition, PRELUDES[definition.kind]),
);

/** Panels that begin with their phases, and so need no effects of their own. */
export const PLAIN_PANELS: readonly Panel[] = PANEL_MACHINES.filter(
  ({ definition }) => PRELUDES[definition.kind] === undefined,
);

/** Makes a panel's machine. */
export function panelWith(definition: PanelDefinition, prelude?: PanelPrelude): Panel {
  const machine = panelMachine(definition, prelude === undefined ? {} : { prelude });
  return { definition, machine };
}

/** The machine of a panel that is in the list. */
export function panelMachineOf(kind: string): Panel['machine'] {
  const panel = PANEL_MACHINES.find(({ definition }) => definition.kind === kind);
  invariant(panel !== undefined, 'a panel is in the list of panels');
  return panel.machine;
}
