import { arbitrationPanel } from '../../../domain/arbitration/panel.ts';
import { councilPanel } from '../../../domain/council/panel.ts';
import { PANELS } from '../../../domain/panel/panels.ts';
import { arbitrationDetails } from './arbitration-details.ts';
import { councilDetails } from './council-details.ts';
import { panelViewOf } from './panel-frame.ts';
import type { PanelExtras, PanelView } from './panel-view.ts';

/** Specific parts by kind of panel. */
const EXTRAS: Readonly<Record<string, PanelExtras>> = {
  [councilPanel.kind]: { details: councilDetails },
  [arbitrationPanel.kind]: {
    before: [
      { state: 'evidence_window', name: 'evidence' },
      { state: 'frozen', name: 'frozen' },
      { state: 'admissibility', name: 'admissibility' },
    ],
    details: arbitrationDetails,
  },
};

/** Console views of all panels. */
export const PANEL_VIEWS: readonly PanelView[] = PANELS.map((panel) =>
  panelViewOf(panel, EXTRAS[panel.kind]),
);
