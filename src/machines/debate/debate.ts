import { debatePanel } from '../../domain/debate/panel.ts';
import { panelMachineOf } from '../panel/panels.ts';

/** Raised whenever the meaning of a state, event or context field changes. */
export const { version } = debatePanel;

/**
 * A debate: all seats open on their own, at most a few rebuttal rounds follow, then a secret ballot
 * that a fixed ladder counts.
 */
export const debateMachine = panelMachineOf(debatePanel.kind);
