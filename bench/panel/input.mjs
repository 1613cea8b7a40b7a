import { OPTION_IDS, PANEL, REBUTTALS } from '../lib/debate.mjs';

/** What the debate machine is created with, for the debate of the bench. */
export function debateInput(jobId, briefSha = 'b'.repeat(64)) {
  return {
    jobId,
    briefSha,
    optionIds: OPTION_IDS,
    seats: PANEL,
    chairSeatId: PANEL[0].seatId,
    devilSeatId: PANEL.at(-1).seatId,
    maxRounds: REBUTTALS,
    tieDefault: OPTION_IDS[0],
    budgetMicroUsd: '1000000',
    priceMicroUsd: '2000000',
    deadlineMs: 300_000,
    seed: 'bench',
    mode: 'llm',
  };
}

/** The question that all seats get. */
export const BRIEF = {
  question: 'Which store should the event-sourced service use?',
  background: 'A team of six runs it on two machines. Writes come in bursts of 2,000 a second.',
  options: OPTION_IDS.map((optionId, at) => ({
    optionId,
    name: ['An embedded store', 'A relational server', 'A managed log'][at],
    description: 'As the team would run it, with its own backups and its own monitoring.',
    scores: { c1: 7 - at, c2: 5 + at, c3: 6 },
  })),
  criteria: ['Recovery time', 'Cost', 'Latency'].map((name, at) => ({
    criterionId: `c${at + 1}`,
    name,
    weight: 3 - at,
    higherIsBetter: true,
  })),
  evidence: [{ evidenceId: 'e1', text: 'In the last incident the restore took eleven minutes.' }],
};
