import { assign, enqueueActions } from 'xstate';
import { type CaseTerms, decodeTerms } from '../../domain/arbitration/case-terms.ts';
import {
  EVIDENCE_LIMITS,
  EvidenceRow,
  type FrozenCase,
  type Side,
  type SideState,
} from '../../domain/arbitration/records.ts';
import { favouredParty } from '../../domain/arbitration/report.ts';
import { invariant } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { PanelInput } from '../../domain/panel/records.ts';
import { declareEffect } from '../common/effect.ts';
import type { ActorSend } from '../common/messages.ts';
import type { PanelContext } from './panel-context.ts';
import { createPanelWorkEvent, type PanelPrelude } from './panel-machine.ts';

/** Number of call keys stored to recognise repeats. */
const CALLS_MAX = 64;

/** The frozen case by hash, with its Merkle root. */
export interface FrozenCaseRef {
  readonly sha: string;
  readonly root: string;
  /** Effect of the verdict at that time. */
  readonly effect?: CaseTerms['effect'];
  /** Start of the judged dispute, in Unix seconds. */
  readonly disputedAtS?: number;
}

/** State of a case in addition to that of every panel. */
export interface CaseContext extends CaseTerms {
  readonly rows: readonly EvidenceRow[];
  readonly names: FrozenCase['parties']['names'];
  readonly sides: Readonly<Record<Side, SideState>>;
  /** Keys of the most recent calls that submitted evidence. */
  readonly calls: readonly string[];
  readonly frozen: FrozenCaseRef | null;
}

/** Context of an arbitration actor. */
export interface ArbitrationContext extends PanelContext {
  readonly case: CaseContext;
}

/** Input of the `freeze` effect. */
export interface FreezeInput {
  readonly case: CaseContext;
}
/** Input of the `admit` effect. */
export interface AdmitInput {
  readonly frozen: FrozenCaseRef;
}

/** Evidence submitted by a proven party; its texts are already stored. */
export interface EvidenceEvent {
  readonly type: 'EVIDENCE.GIVEN';
  readonly side: Side;
  readonly rows: readonly EvidenceRow[];
  readonly names: readonly string[];
  /** True if this side submits no more evidence. */
  readonly isLast: boolean;
  readonly call: string;
}

interface Facts {
  readonly context: ArbitrationContext;
  readonly event: { readonly type: string };
}

/** States of an arbitration before its seats judge. */
export const arbitrationPrelude: PanelPrelude = {
  initial: 'evidence_window',
  states: {
    evidence_window: {
      description: 'Both sides submit evidence until both have finished or the time ends.',
      always: [{ guard: 'bothFinished', target: 'frozen' }],
      on: {
        'EVIDENCE.GIVEN': { guard: 'isTakable', actions: 'keepEvidence' },
        CANCEL: {
          target: 'sealing',
          actions: {
            type: 'conclude',
            params: { outcome: 'cancelled', reason: 'The caller cancelled it.' },
          },
        },
        'CLIENT.GONE': { actions: 'detach' },
      },
      after: { evidenceWindow: { target: 'frozen' } },
    },
    frozen: {
      description: 'Evidence is closed; binds it to the ledger facts.',
      entry: 'endWindow',
      invoke: {
        src: 'freeze',
        id: 'freeze',
        input: freezeInput,
        onDone: { target: 'admissibility', actions: 'keepFrozen' },
        onError: {
          target: 'sealing',
          actions: concludeWithoutVerdict('The evidence could not be frozen.'),
        },
      },
    },
    admissibility: {
      description: 'Checks, marks, balances and anonymises the frozen evidence by code.',
      invoke: {
        src: 'admit',
        id: 'admit',
        input: admitInput,
        onDone: { target: 'deliberating', actions: 'keepBrief' },
        onError: {
          target: 'sealing',
          actions: concludeWithoutVerdict('The evidence could not be read.'),
        },
      },
    },
  },
  context: (input) => ({ case: createCase(input) }),
  implementations: {
    actors: {
      freeze: declareEffect<FreezeInput, FrozenCaseRef>(),
      admit: declareEffect<AdmitInput, string>(),
    },
    delays: {
      evidenceWindow: ({ context }: Facts) => context.case.windowS * SECOND_MS,
    },
    guards: {
      bothFinished: ({ context: { case: own } }: Facts) =>
        Object.values(own.sides).every((state) => state === 'finished' || state === 'waived'),
      isTakable: ({ context, event }: Facts) =>
        isEvidence(event) && isAcceptable(context.case, event),
    },
    actions: {
      keepEvidence: assign(({ context, event }) => {
        invariant(isEvidence(event), 'only evidence is kept as evidence');
        return { case: addEvidence(readCase(context), event) };
      }),
      endWindow: assign(({ context }) => ({ case: closeWindow(readCase(context)) })),
      keepFrozen: assign(({ context, event }) => {
        const [own, frozen] = [readCase(context), readOutput(event) as FrozenCaseRef];
        const effectThen = frozen.effect ?? own.effect;
        // A payer must not cancel an unwelcome verdict before it is applied.
        const isBound = effectThen === 'decides_escrow';
        return { case: { ...own, frozen, effect: effectThen }, isBound };
      }),
      keepBrief: assign(({ context, event }) => ({
        input: { ...readInput(context), briefSha: readOutput(event) as string },
      })),
      // Emits the verdict in the same outbox commit as the message to the payment.
      tellPayer: enqueueActions(({ context, enqueue }) => {
        const own = readArbitration(context);
        const { paymentId: to } = own.input;
        const emit = (send: ActorSend) => enqueue.emit(send as never);
        if (to !== undefined) emit({ type: 'actor.send', to, event: createPanelWorkEvent(own) });
        const decision = createDecisionMessage(own);
        if (decision !== undefined) emit(decision);
      }),
    },
  },
};

function freezeInput({ context }: Facts): FreezeInput {
  return { case: context.case };
}

function admitInput({ context }: Facts): AdmitInput {
  return { frozen: context.case.frozen ?? { sha: '', root: '' } };
}

/** Returns why evidence is rejected, or `undefined` if it is accepted. */
export function findEvidenceError(
  own: CaseContext,
  { side, rows }: Pick<EvidenceEvent, 'side' | 'rows'>,
): 'EVIDENCE_LATE' | 'EVIDENCE_DUPLICATE' | 'EVIDENCE_TOO_LARGE' | undefined {
  const state = own.sides[side];
  if (own.frozen !== null || (state !== 'awaiting' && state !== 'submitted')) {
    return 'EVIDENCE_LATE';
  }
  const all = [...own.rows.filter((row) => row.side === side), ...rows];
  if (new Set(all.map(({ sha }) => sha)).size < all.length) return 'EVIDENCE_DUPLICATE';
  const chars = all.reduce((sum, row) => sum + row.chars, 0);
  const isTooLarge = all.length > EVIDENCE_LIMITS.itemsMax || chars > EVIDENCE_LIMITS.sideCharsMax;
  return isTooLarge ? 'EVIDENCE_TOO_LARGE' : undefined;
}

/** Returns the id of the next evidence item of a side. */
export function nextEvidenceId(own: CaseContext, side: Side, index: number): string {
  const given = own.rows.filter((row) => row.side === side).length;
  return `${side === 'claimant' ? 'C' : 'R'}${given + index + 1}`;
}

/** Returns the message that applies a verdict to the board job, if the verdict decides it. */
export function createDecisionMessage({
  case: own,
  tally,
  outcome,
  input,
  sealed,
}: ArbitrationContext) {
  const winner = tally?.winner;
  if (outcome !== 'decided' || own.effect !== 'decides_escrow') return undefined;
  if (winner !== 'upheld' && winner !== 'overturned') return undefined;
  if (sealed === null) return undefined;
  const upheld = favouredParty(winner, own);
  const why = `Arbitration by the operator’s panel: ${winner}, in favour of the ${upheld}.`;
  const call = `arbitration:${sha256Hex(input.jobId).slice(0, 32)}`;
  // Hashes the signed payload rather than the generic sentence, because it contains the evidence
  // and transcript roots.
  const verdictHash = `0x${sealed.payloadHash ?? sha256Hex(sealed.transcriptRoot)}`;
  const event = { type: 'DISPUTE.DECIDED', upheld, why, verdictHash, call };
  return { type: 'actor.send', to: own.boardJobId, event } satisfies ActorSend;
}

function createCase(input: PanelInput): CaseContext {
  return {
    ...decodeTerms(input.policy ?? {}),
    rows: [],
    names: { claimant: [], respondent: [] },
    sides: { claimant: 'awaiting', respondent: 'awaiting' },
    calls: [],
    frozen: null,
  };
}

function isAcceptable(own: CaseContext, event: EvidenceEvent): boolean {
  const isKnown = own.calls.includes(event.call);
  const areRows = EvidenceRow.array().safeParse(event.rows).success;
  return !isKnown && areRows && findEvidenceError(own, event) === undefined;
}

function addEvidence(own: CaseContext, event: EvidenceEvent): CaseContext {
  const { side, rows, names, isLast, call } = event;
  const known = own.rows.some((row) => row.side === side) || rows.length > 0;
  const state = isLast ? (known ? 'finished' : 'waived') : 'submitted';
  const numbered = rows.map((row, place) => ({
    ...row,
    evidenceId: nextEvidenceId(own, side, place),
  }));
  const ownNames = [...new Set([...own.names[side], ...names])].slice(0, EVIDENCE_LIMITS.namesMax);
  return {
    ...own,
    rows: [...own.rows, ...numbered],
    names: { ...own.names, [side]: ownNames },
    sides: { ...own.sides, [side]: state },
    calls: [...own.calls, call].slice(-CALLS_MAX),
  };
}

function closeWindow(own: CaseContext): CaseContext {
  const ended = (state: SideState): SideState => {
    if (state === 'awaiting') return 'defaulted';
    return state === 'submitted' ? 'finished' : state;
  };
  const { claimant, respondent } = own.sides;
  return { ...own, sides: { claimant: ended(claimant), respondent: ended(respondent) } };
}

function concludeWithoutVerdict(reason: string) {
  return { type: 'conclude', params: { outcome: 'no_quorum', reason } } as const;
}

/** Returns the context of a panel that this prelude precedes. */
export function readArbitration(context: object): ArbitrationContext {
  invariant(isArbitration(context), 'the panel begins with the arbitration prelude');
  return context;
}

function isArbitration(context: object): context is ArbitrationContext {
  return 'case' in context && 'input' in context;
}

function isEvidence(event: { readonly type: string }): event is EvidenceEvent {
  return event.type === 'EVIDENCE.GIVEN';
}

function readCase(context: object): CaseContext {
  return readArbitration(context).case;
}

function readInput(context: object): PanelInput {
  return readArbitration(context).input;
}

function readOutput(event: unknown): unknown {
  return (event as { readonly output?: unknown }).output;
}
