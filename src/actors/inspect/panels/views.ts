import { debatePanel } from './debate.ts';
import type { PanelView } from './panel-view.ts';

/** Every kind of panel; a new one is a file and a line here. */
export const PANEL_VIEWS: readonly PanelView[] = [debatePanel];
