import type { PanelDefinition } from '../../../domain/panel/definition.ts';
import { createPanelRedaction } from './panel.ts';
import type { Redaction } from './redaction.ts';

/** Shows what a panel shows, and the parties and evidence metadata. Hides all texts. */
export function createArbitrationRedaction(panel: PanelDefinition): Redaction {
  const base = createPanelRedaction(panel);
  return {
    ...base,
    context: [
      ...base.context,
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
      ...base.hidden,
      // Hashes of the parties' texts, and names that they provided.
      'case.rows.*.sha',
      'case.names',
      'case.calls',
      'case.frozen.sha',
    ],
    events: { ...base.events, 'EVIDENCE.GIVEN': ['side', 'isLast'] },
  };
}
