import type {
  CodePhase,
  PanelDefinition,
  PanelOutcome,
  PanelPhase,
  SeatPhase,
} from '../../domain/panel/definition.ts';
import {
  type ComputeInput,
  listNoteHashes,
  type PanelContext,
  type PanelSealInput,
} from './panel-context.ts';
import type * as guards from './panel-guards.ts';

type GuardName = keyof typeof guards;
type Action =
  | 'stopTurns'
  | 'recordTurn'
  | 'recordFailure'
  | 'noteLate'
  | 'noteDeadline'
  | 'noteBudget'
  | 'detach'
  | 'keepSealed'
  | 'tellPayer'
  | 'count'
  | Conclude
  | { readonly type: 'beginPhase' | 'keepNote'; readonly params: { readonly phase: string } };
interface Conclude {
  readonly type: 'conclude';
  readonly params: { readonly outcome: PanelOutcome; readonly reason: string | null };
}
interface Step {
  readonly guard?: GuardName;
  readonly target?: string;
  readonly actions?: Action;
}

/** Builds the states of a panel's machine from its phases. */
export function buildPanelStates(panel: PanelDefinition) {
  return {
    deliberating: {
      description: 'Seats take turns within one deadline and budget.',
      initial: panel.phases[0]?.state ?? '',
      on: {
        CANCEL: {
          ...(panel.mayBind === true ? { guard: 'mayCancel' as const } : {}),
          target: 'sealing',
          actions: conclude('cancelled', 'The caller cancelled it.'),
        },
        'CLIENT.GONE': { actions: 'detach' },
        'xstate.done.actor.*': { guard: 'isAwaited', actions: 'recordTurn' },
        'xstate.error.actor.*': { guard: 'isAwaited', actions: 'recordFailure' },
      },
      after: {
        softDeadline: { actions: 'noteLate' },
        hardDeadline: { target: 'tallying', actions: 'noteDeadline' },
      },
      states: buildPhaseStates(panel),
    },
    tallying: {
      description: 'Counts the ballots; interrupted seats count with their last position.',
      entry: 'count',
      always: [
        { guard: 'hasWinner', target: 'sealing', actions: conclude('decided', null) },
        {
          target: 'sealing',
          actions: conclude('no_quorum', 'Too few seats cast a valid ballot.'),
        },
      ],
    },
    sealing: buildSealingState(panel),
    decided: { description: 'The panel has decided.', type: 'final', entry: 'tellPayer' },
    no_quorum: {
      description: 'Too few seats took part; the price is refunded.',
      type: 'final',
      entry: 'tellPayer',
    },
    cancelled: {
      description: 'Cancelled by the caller; the price minus the cost so far is refunded.',
      type: 'final',
      entry: 'tellPayer',
    },
    failed: {
      description: 'The result could not be stored; the price is refunded.',
      type: 'final',
      entry: 'tellPayer',
    },
  } as const;
}

function buildSealingState(panel: PanelDefinition) {
  const computes = panel.phases.some(({ by }) => by === 'code');
  const failure = 'The result could not be written.';
  return {
    description: 'Writes transcript and result and binds them by a Merkle root.',
    invoke: {
      src: 'seal',
      id: 'seal',
      input: createPanelSealInput,
      onDone: [
        { guard: 'isDecision', target: 'decided', actions: 'keepSealed' },
        { guard: 'isCancel', target: 'cancelled', actions: 'keepSealed' },
        ...(computes
          ? [{ guard: 'isFailure', target: 'failed', actions: 'keepSealed' } as const]
          : []),
        { target: 'no_quorum', actions: 'keepSealed' },
      ],
      onError: [
        { guard: 'isDecision', target: 'failed', actions: conclude('failed', failure) },
        { guard: 'isCancel', target: 'cancelled' },
        ...(computes ? [{ guard: 'isFailure', target: 'failed' } as const] : []),
        { target: 'no_quorum' },
      ],
    },
  } as const;
}

function buildPhaseStates(panel: PanelDefinition) {
  const { phases, rounds } = panel;
  return Object.fromEntries(
    phases.flatMap((phase, index) => {
      const own = [phase.state, buildPhaseState(panel, phase, index)] as const;
      const isFirst = phases.findIndex(isInRound) === index;
      return rounds !== undefined && isFirst ? [[rounds.state, buildGateState(panel)], own] : [own];
    }),
  );
}

function buildPhaseState(panel: PanelDefinition, phase: PanelPhase, place: number) {
  return phase.by === 'seats'
    ? buildSeatState(panel, phase, place)
    : buildCodeState(panel, phase, place);
}

function buildSeatState(panel: PanelDefinition, phase: SeatPhase, place: number) {
  const isFirstStand = panel.phases.findIndex(isStand) === place;
  const late: Step = {
    guard: isFirstStand ? 'isLateWithQuorum' : 'isLate',
    target: nextUnskippable(panel, place),
  };
  // Ballots continue until the hard deadline.
  const ends = phase.answer === 'ballot' ? [] : [late];
  return {
    description: phase.description,
    entry: { type: 'beginPhase', params: { phase: phase.name } },
    exit: 'stopTurns',
    always: [
      { guard: 'isBudgetGone', target: nextCodeState(panel, place), actions: 'noteBudget' },
      ...(mustCheckQuorum(panel, phase, place)
        ? [createQuorumStep(panel.kind, 'isOverWithoutQuorum')]
        : []),
      { guard: 'phaseIsOver', target: nextState(panel, place) },
      ...ends,
    ],
  } as const;
}

function buildCodeState(panel: PanelDefinition, phase: CodePhase, place: number) {
  return {
    description: phase.description,
    invoke: {
      src: 'compute',
      id: `compute.${phase.name}`,
      input: createComputeInput(phase.name),
      onDone: {
        target: nextState(panel, place),
        actions: { type: 'keepNote', params: { phase: phase.name } },
      },
      onError: {
        target: `#${panel.kind}.sealing`,
        actions: conclude('failed', 'What the panel goes by could not be computed.'),
      },
    },
  } as const;
}

/** Builds the state that decides whether a round takes place; its exits are checked first. */
function buildGateState(panel: PanelDefinition) {
  const first = panel.phases.findIndex(isInRound);
  const around = targetOf(panel, panel.phases[first + panel.phases.filter(isInRound).length]);
  return {
    description: panel.rounds?.description ?? '',
    always: [
      createQuorumStep(panel.kind, 'lacksQuorum'),
      ...(panel.rounds?.skipWhen ?? []).map((guard): Step => ({ guard, target: around })),
      { guard: 'hasRoundsLeft', target: targetOf(panel, panel.phases[first]) },
      { target: around },
    ],
  } as const;
}

function createQuorumStep(kind: string, guard: 'lacksQuorum' | 'isOverWithoutQuorum'): Step {
  return {
    guard,
    target: `#${kind}.sealing`,
    actions: conclude('no_quorum', 'Too few seats gave a usable turn.'),
  };
}

/** Returns whether a stand must check its own quorum because no gate follows. */
function mustCheckQuorum(
  { phases, rounds }: PanelDefinition,
  phase: SeatPhase,
  place: number,
): boolean {
  if (phase.answer !== 'stand') return false;
  const next = phases[place + 1];
  return (
    rounds === undefined || (phase.inRound !== true && (next === undefined || !isInRound(next)))
  );
}

function nextState(panel: PanelDefinition, place: number): string {
  const { phases, rounds } = panel;
  const [phase, next] = [phases[place], phases[place + 1]];
  const isRoundOver = phase !== undefined && isInRound(phase) && !isInRound(next);
  const isRoundAhead = isInRound(next) && !isInRound(phase);
  return rounds !== undefined && (isRoundOver || isRoundAhead)
    ? rounds.state
    : targetOf(panel, next);
}

/** Returns the next state if time is short: code phases and the vote are never skipped. */
function nextUnskippable(panel: PanelDefinition, place: number): string {
  return targetOf(
    panel,
    panel.phases.slice(place + 1).find((phase) => phase.by === 'code' || phase.answer === 'ballot'),
  );
}

/** Returns the next state if the budget is used up: code phases cost nothing. */
function nextCodeState(panel: PanelDefinition, place: number): string {
  return targetOf(
    panel,
    panel.phases.slice(place + 1).find(({ by }) => by === 'code'),
  );
}

function targetOf({ kind }: PanelDefinition, phase: PanelPhase | undefined): string {
  return phase === undefined ? `#${kind}.tallying` : phase.state;
}

function isInRound(phase: PanelPhase | undefined): boolean {
  return phase?.by === 'seats' && phase.inRound === true;
}

function isStand(phase: PanelPhase): boolean {
  return phase.by === 'seats' && phase.answer === 'stand';
}

function conclude(outcome: PanelOutcome, reason: string | null): Conclude {
  return { type: 'conclude', params: { outcome, reason } };
}

type ContextArgs = { readonly context: PanelContext };

function createComputeInput(phase: string) {
  return function computeOrder({ context }: ContextArgs): ComputeInput {
    const { input: given, turns } = context;
    const { briefSha, seats, policy } = given;
    const notes = listNoteHashes(context) ?? {};
    return { phase, briefSha, seats, turns, notes, ...(policy === undefined ? {} : { policy }) };
  };
}

function createPanelSealInput({ context }: ContextArgs): PanelSealInput {
  const { input, reason, turns, cutTurns, ballots, tally: counted } = context;
  const outcome = context.outcome ?? 'failed';
  const notes = listNoteHashes(context);
  return {
    input,
    outcome,
    reason,
    turns,
    cutTurns,
    ballots,
    tally: counted,
    ...(notes === undefined ? {} : { notes }),
  };
}
