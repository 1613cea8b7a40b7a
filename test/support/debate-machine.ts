import { debatePanel } from '../../src/domain/debate/panel.ts';
import { findPanelMachine } from '../../src/machines/panel/panels.ts';

/** Incremented whenever the meaning of a state, event or context field changes. */
export const { version } = debatePanel;

/**
 * The debate machine: independent opening statements, a few rebuttal rounds, then a secret ballot
 * counted by fixed rules.
 */
export const debateMachine = findPanelMachine(debatePanel.kind);
