import { z } from 'zod';
import { parseBallot, parsePosition } from '../../src/domain/panel/answer-forms.ts';
import type { PanelDefinition } from '../../src/domain/panel/definition.ts';
import { createDelimiter } from '../../src/domain/panel/delimiters.ts';
import { formatHeadline, formatReason } from '../../src/domain/panel/lines.ts';
import type { PanelInput, SeatKind } from '../../src/domain/panel/records.ts';
import {
  buildCostReport,
  buildSeatReports,
  buildTallyReport,
  computeRefund,
  listDissent,
  listFlips,
  namedOption,
} from '../../src/domain/panel/report.ts';
import { PanelResultBase } from '../../src/domain/panel/result.ts';
import { countFamilies } from '../../src/domain/panel/seating.ts';
import { countBallots } from '../../src/domain/panel/tally.ts';

const JuryBrief = z.object({
  question: z.string(),
  options: z.array(z.object({ optionId: z.string(), name: z.string() })),
  evidence: z.array(z.object({ evidenceId: z.string(), text: z.string() })),
});

/** A panel that no tool offers: three seats judge, code counts the judgements, the seats vote. */
export const juryPanel: PanelDefinition<z.infer<typeof JuryBrief>> = {
  kind: 'jury',
  version: 1,
  title: 'Jury',
  seats: { least: 3, most: 3 },
  showsRoles: false,
  phases: [
    {
      by: 'seats',
      name: 'judgement',
      state: 'judging',
      description: 'Every juror judges on its own.',
      answer: 'stand',
      view: 'none',
    },
    {
      by: 'code',
      name: 'spread',
      state: 'counting_judgements',
      description: 'Counts how many judgements differ.',
      compute: ({ turns }) => {
        const held = new Set(turns.flatMap(({ position }) => position ?? []));
        return { content: { positions: [...held].sort() }, summary: { positions: held.size } };
      },
    },
    {
      by: 'seats',
      name: 'vote',
      state: 'voting',
      description: 'Every juror votes.',
      answer: 'ballot',
      view: 'ring',
    },
  ],
  brief: JuryBrief,
  result: PanelResultBase,
  prompt: (order, { brief, notes }) => ({
    system: 'You are a juror.',
    prompt: `${createDelimiter(order)('question', '', brief.question)} ${JSON.stringify(notes)}`,
    schema: { name: `panel_${order.phase}`, jsonSchema: { type: 'object' } },
  }),
  parse: (value, { order, brief }) =>
    order.phase === 'vote' ? parseBallot(value, brief) : parsePosition(value, brief),
  applyRule: ({ seat, phase }) => {
    const position = seat.seatId === 's2' ? 'no' : 'yes';
    const answer = { position, argument: `juror of ${phase}`, confidence: 1, evidenceIds: [] };
    const ranking = phase === 'vote' ? { ranking: [position] } : {};
    return { ...answer, ...ranking, changeReason: null };
  },
  tally: (ballots, rules) => countBallots(ballots, rules),
  report: (facts) => {
    const { input, outcome, reason, tally: counted, turns, brief } = facts;
    const winner = outcome === 'decided' ? (counted?.winner ?? null) : null;
    return {
      outcome,
      reason,
      winner: winner === null ? null : namedOption(brief.options, winner),
      rule: counted?.rule ?? null,
      forced: counted?.forced ?? false,
      tally: counted === null ? null : buildTallyReport(counted, facts),
      dissent: winner === null ? [] : listDissent(facts, winner),
      flips: listFlips(turns, undefined),
      seats: buildSeatReports(input),
      mode: input.mode,
      families: countFamilies(input.seats),
      cost: buildCostReport(input, turns),
      refund: computeRefund(facts),
      transcript_root: facts.transcriptRoot,
      limits: [],
    };
  },
  resultText: (result) => ({
    answer: formatHeadline(result, result.winner?.name ?? ''),
    why: formatReason(result),
    details: [],
  }),
};

/** The brief of a jury. */
export const JURY_BRIEF = {
  question: 'Is it so?',
  options: [
    { optionId: 'yes', name: 'Yes' },
    { optionId: 'no', name: 'No' },
  ],
  evidence: [],
};

/** What a jury is created with. */
export function juryInput(briefSha: string, kind: SeatKind): PanelInput {
  return {
    jobId: 'job_1',
    paymentId: 'pay_1',
    briefSha,
    optionIds: ['yes', 'no'],
    seats: [0, 1, 2].map((place) => ({
      seatId: `s${place}`,
      role: 'juror',
      kind,
      model: kind === 'llm' ? `openai:model-${place}-x` : `${kind}:juror.v1`,
      family: `family-${place}`,
    })),
    chairSeatId: 's0',
    maxRounds: 0,
    tieDefault: 'no',
    budgetMicroUsd: kind === 'llm' ? '400000' : '0',
    priceMicroUsd: '500000',
    deadlineMs: 60_000,
    seed: 'seed',
    mode: kind === 'llm' ? 'llm' : kind === 'rule' ? 'rules_only' : 'caller',
  };
}
