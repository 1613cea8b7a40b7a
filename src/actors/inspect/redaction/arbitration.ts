import type { PanelDefinition } from '../../../domain/panel/definition.ts';
import { panelRedaction } from './panel.ts';
import type { Redaction } from './redaction.ts';

/** Shows what a panel shows, and the parties and evidence metadata. Hides all texts. */
export function arbitrationRedaction(panel: PanelDefinition): Redaction {
  const ofPanel = panelRedaction(panel);
  return {
    ...ofPanel,
    context: [
      ...ofPanel.context,
      'input.policy.*.*',
      ...['boardJobId', 'claimantRole', 'claimant', 'respondent', 'windowS', 'effect'].map(
        (member) => `case.${member}`,
      ),
      'case.sides.*',
      ...['evidenceId', 'side', 'chars', 'at'].map((member) => `case.rows.*.${member}`),
      ...['case.frozen.root', 'case.frozen.effect', 'case.frozen.disputedAtS'],
      ...['isBound', 'sealed.payloadHash'],
    ],
    hidden: [
      ...ofPanel.hidden,
      // Hashes of the parties' texts, and names that they provided.
      'case.rows.*.sha',
      'case.names',
      'case.calls',
      'case.frozen.sha',
    ],
    events: { ...ofPanel.events, 'EVIDENCE.GIVEN': ['side', 'isLast'] },
  };
}
