import { arbitrationPanel } from '../../../domain/arbitration/panel.ts';
import { councilPanel } from '../../../domain/council/panel.ts';
import { PANELS } from '../../../domain/panel/panels.ts';
import { createArbitrationDetails } from './arbitration-details.ts';
import { createCouncilDetails } from './council-details.ts';
import { createPanelView } from './panel-frame.ts';
import type { PanelExtras, PanelView } from './panel-view.ts';

/** Specific parts by kind of panel. */
const EXTRAS: Readonly<Record<string, PanelExtras>> = {
  [councilPanel.kind]: { details: createCouncilDetails },
  [arbitrationPanel.kind]: {
    before: [
      { state: 'evidence_window', name: 'evidence' },
      { state: 'frozen', name: 'frozen' },
      { state: 'admissibility', name: 'admissibility' },
    ],
    details: createArbitrationDetails,
  },
};

/** Console views of all panels. */
export const PANEL_VIEWS: readonly PanelView[] = PANELS.map((panel) =>
  createPanelView(panel, EXTRAS[panel.kind]),
);
