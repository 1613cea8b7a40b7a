import {
  ADVISED_ABOVE_USD,
  EVENTS_READ_MAX,
  PrehireStatement,
  ROWS_MAX,
} from '../../domain/reputation/statements.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { delegationRow, listsOf, signalsOf } from './prehire-report.ts';
import { trustTool } from './trust-statement.ts';
import { aboutOf, type Looked, type SubjectInput, type TrustToolDeps } from './trust-subject.ts';

const DESCRIPTION = [
  'Due diligence on one agent before it is given authority to spend, in one signed report:',
  'settlement history, dispute record, refunds, revocations, delegations, passport, track record,',
  'and signals to look at (no history, lost disputes, circular payments and the like). By agent',
  `name, ERC-8004 id or wallet. Advised above about ${ADVISED_ABOVE_USD} dollars of exposure. It`,
  'reports what was recorded; it neither insures a trade nor says that one should be made.',
].join(' ');

/** What the report does not do (specification section 8). */
const LIMITS = [
  'The report makes no terms enforceable.',
  'It gives a buyer no lever over release on the pay-first path.',
  'It does not remove trust in the operator, who keeps the records that it is made from.',
  'Work and payments outside of this service are not in it.',
];

/** The tool that reports on an agent before it is hired. */
export function prehireCheckTool(deps: TrustToolDeps): Tool<SubjectInput> {
  const payload = PrehireStatement;
  return trustTool(
    {
      name: 'agent_prehire-check',
      title: 'Prehire check',
      description: DESCRIPTION,
      ...{ price: '0.25', kind: 'prehire_report', payload },
      state: reportOn,
    },
    deps,
  );
}

async function reportOn(looked: Looked, { trust }: TrustToolDeps) {
  const { wallet, passport, reputation } = looked;
  const events = wallet === null ? [] : trust.events.latest(wallet, EVENTS_READ_MAX);
  const lists = listsOf(wallet ?? '', events);
  const delegations =
    wallet === null ? (passport?.delegations ?? []) : await trust.delegations.of(wallet);
  return {
    ...aboutOf(looked),
    reputation,
    signals: signalsOf(looked, lists),
    ...lists,
    delegations: delegations.slice(0, ROWS_MAX).map((view) => delegationRow(view, wallet)),
    lists: {
      rows_max: ROWS_MAX as typeof ROWS_MAX,
      newest_events_read: events.length,
      is_complete: events.length < EVENTS_READ_MAX,
    },
    advised_above_usd: ADVISED_ABOVE_USD as typeof ADVISED_ABOVE_USD,
    limits: LIMITS,
  };
}
