import { arbitrationPanel } from '../arbitration/panel.ts';
import { AppError } from '../common/error.ts';
import { councilPanel } from '../council/panel.ts';
import { debatePanel } from '../debate/panel.ts';
import type { PanelDefinition } from './definition.ts';

/** All panels in display order. A new one is a file and a line here. */
export const PANELS: readonly PanelDefinition[] = [debatePanel, councilPanel, arbitrationPanel];

/**
 * Returns the panel of a kind.
 *
 * @throws {AppError} `INVARIANT`
 */
export function findPanel(
  kind: string,
  panels: readonly PanelDefinition[] = PANELS,
): PanelDefinition {
  const found = panels.find((panel) => panel.kind === kind);
  if (found !== undefined) return found;
  throw new AppError('INVARIANT', { message: 'a panel is in the list of panels' });
}
