import type { PanelDefinition } from '../../../domain/panel/definition.ts';
import type { Redaction } from './redaction.ts';

const INPUT = [
  'paymentId',
  'optionIds.*',
  'seats.*.seatId',
  'seats.*.role',
  'seats.*.kind',
  'chairSeatId',
  'devilSeatId',
  'maxRounds',
  'tieDefault',
  'counting',
  'budgetMicroUsd',
  'priceMicroUsd',
  'deadlineMs',
  'mode',
];

const TURN = [
  'phase',
  'round',
  'seatId',
  'status',
  'attempts',
  'evidenceIds.*',
  'unsupportedFlip',
  'usage.input',
  'usage.output',
  'usage.cacheRead',
  'usage.cacheWrite',
  'usage.source',
  'costMicroUsd',
  'orphanedMicroUsd',
  'priceSource',
  'ms',
];

const below = (parent: string, paths: readonly string[]) =>
  paths.map((path) => `${parent}.${path}`);

/** What panels have beside the rest whose phases compute. */
const COMPUTED = {
  context: [
    'notes.*.summary.**',
    'turns.*.addressed.*',
    'input.policy.*.*',
    'tally.adjusted.from',
    'tally.adjusted.why.*',
  ],
  hidden: ['notes.*.sha', 'turns.*.contentSha'],
};

/** How a panel goes is shown; texts, positions, models and its capability are not. */
export function panelRedaction({ kind, phases }: PanelDefinition): Redaction {
  const computes = phases.some(({ by }) => by === 'code');
  return {
    ...SHOWN,
    kind,
    context: [...SHOWN.context, ...(computes ? COMPUTED.context : [])],
    hidden: [...SHOWN.hidden, ...(computes ? COMPUTED.hidden : [])],
  };
}

const SHOWN: Omit<Redaction, 'kind'> = {
  context: [
    ...below('input', INPUT),
    'phase',
    'round',
    'pending.*',
    ...below('turns.*', TURN),
    'cutTurns',
    'isLate',
    'cutBy',
    'detached',
    'outcome',
    'reason',
    // They are there from the count on.
    'ballots.*.seatId',
    'ballots.*.status',
    'ballots.*.ranking.*',
    'ballots.*.equal.*.*',
    'ballots.*.confidence',
    'ballots.*.source',
    'tally.winner',
    'tally.rule',
    'tally.forced',
    'tally.quorum',
    'tally.cast',
    'tally.firstChoices.*',
    'tally.rounds.*.counts.*',
    'tally.rounds.*.eliminated.*',
    'tally.tied.*',
    'tally.borda.*',
    'tally.margin',
    'sealed.transcriptRoot',
  ],
  hidden: [
    // A capability: whoever holds it reads the result.
    'input.jobId',
    'input.briefSha',
    'input.seats.*.model',
    'input.seats.*.family',
    // Deals the labels under which seats see each other.
    'input.seed',
    'turns.*.turnId',
    // Votes are secret until the count.
    'turns.*.position',
    'turns.*.ranking',
    'turns.*.equal',
    'turns.*.confidence',
    'turns.*.changedFrom',
    'turns.*.changeReason',
    'turns.*.argumentSha',
    'turns.*.promptSha',
    'turns.*.outputSha',
    'turns.*.requestId',
    'turns.*.detail',
    'ballots.*.reason',
    'sealed.transcriptSha',
    'sealed.resultSha',
  ],
  events: {
    'xstate.init': below('input', INPUT),
    'xstate.done.actor.seal': ['actorId', 'output.transcriptRoot'],
    'xstate.done.actor.*': ['actorId', ...below('output', TURN)],
  },
};
