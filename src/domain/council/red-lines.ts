import type { CodeNote, CodePhaseInput, PanelPolicy, SpokenTurn } from '../panel/definition.ts';
import { OpinionContent } from './content.ts';
import { type CheckNote, type RaisedLine, type RedLineNote, readFactNote } from './notes.ts';
import type { CouncilBrief } from './records.ts';
import { findRule } from './rules/rules.ts';

/** Name of the policy rule that makes red lines of roles vetoes. */
export const VETO_POLICY = 'veto';

/**
 * Decides which red lines apply. Facts are decisive: red lines that they show are raised for every
 * role, and red lines that they refute are rejected. If the facts are silent, the role's own seat
 * may raise its red line with evidence.
 */
export function findRedLines(facts: CodePhaseInput<CouncilBrief>): CodeNote {
  const { notes, policy, turns } = facts;
  const lines = (readFactNote(notes)?.checks ?? []).filter(({ is_red_line }) => is_red_line);
  const byFacts = lines
    .filter(({ verdict }) => verdict === 'fail')
    .map((line) => createRaisedLine(line, policy, { raised_by: 'facts', evidence_ids: [] }));
  const claims = turns.flatMap((turn) => readClaims(turn, facts));
  const judged = claims.map((claim) => ({ ...claim, why: findRejection(claim, lines) }));
  const bySeats = judged.flatMap(({ rule_id, evidenceIds, why }) => {
    const line = lines.find((one) => one.rule_id === rule_id);
    if (why !== null || line === undefined || line.verdict === 'fail') return [];
    return [createRaisedLine(line, policy, { raised_by: 'seat', evidence_ids: evidenceIds })];
  });
  const note: RedLineNote = {
    raised: [...byFacts, ...bySeats],
    refused: judged.flatMap(({ rule_id, role, why }) =>
      why === null ? [] : [{ rule_id, role, why }],
    ),
  };
  return { content: { ...note }, summary: summarizeRedLines(note) };
}

/** Returns the ids and vetoes that the tally uses. */
function summarizeRedLines({ raised }: RedLineNote) {
  return { raised: raised.map(({ rule_id, is_veto }) => ({ rule_id, is_veto })) };
}

interface Claim {
  readonly rule_id: string;
  readonly evidenceIds: string[];
  readonly role: string;
}

function readClaims(turn: SpokenTurn, { seats }: CodePhaseInput): readonly Claim[] {
  if (turn.phase !== 'opinion' || turn.status !== 'ok') return [];
  const role = seats.find(({ seatId }) => seatId === turn.seatId)?.role ?? '';
  const content = OpinionContent.safeParse(turn.content);
  return content.success ? content.data.red_lines.map((line) => ({ ...line, role })) : [];
}

function findRejection({ rule_id, role, evidenceIds }: Claim, lines: readonly CheckNote[]) {
  const line = lines.find((one) => one.rule_id === rule_id);
  if (line === undefined || line.role !== role) return 'not a red line of this role';
  if (line.verdict === 'pass') return `the facts contradict it: ${line.text}`;
  if (line.verdict === 'unknown' && evidenceIds.length === 0) return 'no evidence is cited';
  return null;
}

function createRaisedLine(
  { rule_id, role, text }: CheckNote,
  policy: PanelPolicy,
  by: Pick<RaisedLine, 'raised_by' | 'evidence_ids'>,
): RaisedLine {
  const title = findRule(rule_id)?.title ?? rule_id;
  const is_veto = policy[VETO_POLICY]?.includes(role) === true;
  return { rule_id, role, text: `${title}: ${text}`, ...by, is_veto };
}
