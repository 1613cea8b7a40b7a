import type { PanelDefinition } from '../../../domain/panel/definition.ts';
import { prefixPaths, type Redaction } from './redaction.ts';

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

/** Additional fields of panels with code phases. */
const COMPUTED_FIELDS = {
  context: [
    'notes.*.summary.**',
    'turns.*.addressed.*',
    'input.policy.*.*',
    'tally.adjusted.from',
    'tally.adjusted.why.*',
  ],
  hidden: ['notes.*.sha', 'turns.*.contentSha'],
};

/** Shows the progress of a panel. Hides texts, positions, models, and its capability. */
export function createPanelRedaction({ kind, phases }: PanelDefinition): Redaction {
  const computes = phases.some(({ by }) => by === 'code');
  return {
    ...BASE_REDACTION,
    kind,
    context: [...BASE_REDACTION.context, ...(computes ? COMPUTED_FIELDS.context : [])],
    hidden: [...BASE_REDACTION.hidden, ...(computes ? COMPUTED_FIELDS.hidden : [])],
  };
}

const BASE_REDACTION: Omit<Redaction, 'kind'> = {
  context: [
    ...prefixPaths('input', INPUT),
    'phase',
    'round',
    'pending.*',
    ...prefixPaths('turns.*', TURN),
    'cutTurns',
    'isLate',
    'cutBy',
    'detached',
    'outcome',
    'reason',
    // Present from the count on.
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
    // A capability: its holder can read the result.
    'input.jobId',
    'input.briefSha',
    'input.seats.*.model',
    'input.seats.*.family',
    // Determines the labels under which seats see each other.
    'input.seed',
    'turns.*.turnId',
    // Votes stay secret until the count.
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
    'xstate.init': prefixPaths('input', INPUT),
    'xstate.done.actor.seal': ['actorId', 'output.transcriptRoot'],
    'xstate.done.actor.*': ['actorId', ...prefixPaths('output', TURN)],
  },
};
