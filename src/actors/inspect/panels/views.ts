import { PANELS } from '../../../domain/panel/panels.ts';
import { panelViewOf } from './panel-frame.ts';
import type { PanelView } from './panel-view.ts';

/** How every kind of panel is shown. */
export const PANEL_VIEWS: readonly PanelView[] = PANELS.map(panelViewOf);
