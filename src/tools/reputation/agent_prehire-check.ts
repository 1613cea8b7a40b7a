import {
  EVENTS_READ_MAX,
  PREHIRE_ADVISED_ABOVE_USD,
  PrehireStatement,
  ROWS_MAX,
} from '../../domain/reputation/statements.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { collectLists, delegationRow, detectSignals } from './prehire-report.ts';
import { createTrustTool } from './trust-statement.ts';
import {
  type SubjectInput,
  type SubjectRecord,
  subjectMembers,
  type TrustServices,
} from './trust-subject.ts';

const PRICE_USD = '0.25';
const DESCRIPTION = [
  'Run due diligence on one agent before you grant it spend authority. Returns one signed report:',
  'settlement history, disputes, refunds, revocations, delegations, passport, track record, and',
  'warning signals. Signals include no history, lost disputes and circular payments. Identify the',
  `agent by name, ERC-8004 id or wallet. Use it above about ${PREHIRE_ADVISED_ABOVE_USD} dollars`,
  'of exposure; for the score alone use reputation_lookup. The report states what was recorded. It',
  `does not insure a trade or recommend one. $${PRICE_USD} per call. You are not charged if the`,
  'call returns an error.',
].join(' ');

/** Limits of the report (specification section 8). */
const LIMITS = [
  'The report makes no terms enforceable.',
  'It gives a buyer no lever over release on the pay-first path.',
  'It does not remove trust in the operator, who keeps the records that it is made from.',
  'Work and payments outside of this service are not in it.',
];

/** Creates the tool `agent_prehire-check`. */
export function prehireCheckTool(deps: TrustServices): Tool<SubjectInput> {
  const payload = PrehireStatement;
  return createTrustTool(
    {
      name: 'agent_prehire-check',
      title: 'Prehire check of an agent',
      description: DESCRIPTION,
      summary:
        'Check an agent before you let it spend: settlements, disputes, refunds, ' +
        'delegations and warning signals, signed. For the score alone use ' +
        'reputation_lookup. No charge on error.',
      example: { subject: 'atlas' },
      price: PRICE_USD,
      kind: 'prehire_report',
      payload,
      state: buildReport,
      lines: ({ signals }) => [
        signals.length === 0
          ? 'No warning signal.'
          : `Warning signals: ${signals.join(', ').replaceAll('_', ' ')}.`,
      ],
    },
    deps,
  );
}

async function buildReport(looked: SubjectRecord, services: TrustServices) {
  const { wallet, passport, reputation } = looked;
  const events =
    wallet === null ? [] : services.events.readLatestBySubject(wallet, EVENTS_READ_MAX);
  const lists = collectLists(wallet ?? '', events);
  const delegations =
    wallet === null
      ? (passport?.delegations ?? [])
      : await services.delegations.listByWallet(wallet);
  return {
    ...subjectMembers(looked),
    reputation,
    signals: detectSignals(looked, lists),
    ...lists,
    delegations: delegations.slice(0, ROWS_MAX).map((view) => delegationRow(view, wallet)),
    lists: {
      rows_max: ROWS_MAX as typeof ROWS_MAX,
      newest_events_read: events.length,
      is_complete: events.length < EVENTS_READ_MAX,
    },
    advised_above_usd: PREHIRE_ADVISED_ABOVE_USD as typeof PREHIRE_ADVISED_ABOVE_USD,
    limits: LIMITS,
  };
}
