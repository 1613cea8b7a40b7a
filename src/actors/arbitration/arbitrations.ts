import type { Arbitrations } from '../../domain/arbitration/arbitrations.ts';
import type { CaseView, EvidenceOrder } from '../../domain/arbitration/case-view.ts';
import { EVIDENCE_LIMITS, type EvidenceRow, type Side } from '../../domain/arbitration/records.ts';
import { ArbitrationResult } from '../../domain/arbitration/result.ts';
import { AppError } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { canonicalJson } from '../../domain/common/json.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { WalletCall } from '../../domain/escrow/work-board.ts';
import { findEvidenceError } from '../../machines/panel/arbitration-prelude.ts';
import { stateName } from '../../runtime/engine/snapshot.ts';
import { appErrorFromEngine, isEngineCode } from '../common/engine-error.ts';
import type { Services } from '../common/services.ts';
import { tellOnce } from '../common/tell-once.ts';
import { loadText } from '../panel/turn-prompt.ts';
import { type ArbitrationActorState, type CaseIndex, readCase } from './case-index.ts';

type Ports = Pick<Services, 'blobs' | 'clock' | 'engine'> & { readonly index: CaseIndex };

/** Creates the access of job parties to their arbitrations. */
export function createArbitrations(deps: Ports): Arbitrations {
  return {
    submitEvidence: (boardJobId, order, by) => submitEvidence(deps, boardJobId, order, by),
    read: async (boardJobId, by) => {
      const found = await findCase(deps, boardJobId);
      return createCaseView(deps, found, sideOf(found, by));
    },
  };
}

async function submitEvidence(
  deps: Ports,
  boardJobId: string,
  order: EvidenceOrder,
  by: WalletCall,
): Promise<CaseView> {
  const found = await findCase(deps, boardJobId);
  const side = sideOf(found, by);
  if (found.context.case.calls.includes(by.key)) return createCaseView(deps, found, side);
  const { evidence, names, is_last: isLast } = order;
  if (evidence.length === 0 && !isLast) {
    throw new AppError('EVIDENCE_EMPTY', {
      data: { received: { evidence: 0, is_last: false }, allowed: 'evidence, or is_last: true' },
    });
  }
  const texts = evidence.map((one) => canonicalJson(one));
  const at = deps.clock.now();
  const rows: EvidenceRow[] = texts.map((text) => ({
    evidenceId: '',
    side,
    sha: sha256Hex(text),
    chars: text.length,
    at,
  }));
  assertAcceptable(found, { side, rows });
  for (const text of texts) await deps.blobs.put(text);
  const event = { type: 'EVIDENCE.GIVEN', side, rows, names, isLast, call: by.key };
  try {
    await tellOnce(deps.engine, found.view.id, event, by.key);
  } catch (thrown) {
    // The case has ended; its state shows that the evidence was not accepted.
    if (!isEngineCode(thrown, 'ACTOR_CLOSED')) throw appErrorFromEngine(thrown);
  }
  const after = await readCase(deps.engine, found.view.id);
  // Another call of this side came first, or the window has closed.
  if (!after.context.case.calls.includes(by.key)) {
    assertAcceptable(after, { side, rows });
    throw lateEvidenceError(after, side);
  }
  return createCaseView(deps, after, side);
}

async function findCase(deps: Ports, boardJobId: string): Promise<ArbitrationActorState> {
  return readCase(deps.engine, await deps.index.find(boardJobId));
}

/** @throws {AppError} `NOT_THE_PARTY` */
function sideOf({ context: { case: own } }: ArbitrationActorState, by: WalletCall): Side {
  if (by.wallet === own.claimant) return 'claimant';
  if (by.wallet === own.respondent) return 'respondent';
  throw new AppError('NOT_THE_PARTY', {
    message: 'Only the buyer and the provider of the job can submit evidence.',
    data: { received: by.wallet, allowed: [own.claimant, own.respondent] },
  });
}

/** @throws {AppError} the `EVIDENCE_…` codes */
function assertAcceptable(
  found: ArbitrationActorState,
  given: { readonly side: Side; readonly rows: readonly EvidenceRow[] },
): void {
  const { side, rows } = given;
  if (stateName(found.view.value) !== 'evidence_window') throw lateEvidenceError(found, side);
  const fault = findEvidenceError(found.context.case, given);
  switch (fault) {
    case undefined:
      return;
    case 'EVIDENCE_LATE':
      throw lateEvidenceError(found, side);
    case 'EVIDENCE_DUPLICATE':
      throw new AppError(fault, { data: { received: rows.map(({ sha }) => sha) } });
    case 'EVIDENCE_TOO_LARGE': {
      const own = found.context.case.rows.filter((row) => row.side === side);
      const chars = (of: readonly EvidenceRow[]) => of.reduce((sum, row) => sum + row.chars, 0);
      throw new AppError(fault, {
        data: {
          received: { pieces: rows.length, characters: chars(rows) },
          before: { pieces: own.length, characters: chars(own) },
          allowed: { pieces: EVIDENCE_LIMITS.itemsMax, characters: EVIDENCE_LIMITS.sideCharsMax },
        },
      });
    }
  }
}

function lateEvidenceError(found: ArbitrationActorState, side: Side): AppError {
  const state = stateName(found.view.value);
  return new AppError('EVIDENCE_LATE', {
    data: {
      received: { state, side: found.context.case.sides[side] },
      allowed: { state: 'evidence_window', until: windowEnd(found) },
    },
  });
}

function windowEnd({ view, context }: ArbitrationActorState): string {
  return new Date(view.createdAt + context.case.windowS * SECOND_MS).toISOString();
}

function createCaseView({ blobs }: Ports, found: ArbitrationActorState, side: Side): CaseView {
  const { case: own, sealed } = found.context;
  const { payload, statement } =
    sealed === null
      ? { payload: null, statement: null }
      : ArbitrationResult.parse(JSON.parse(loadText(blobs, sealed.resultSha)));
  return {
    kind: 'arbitration_case',
    board_job_id: own.boardJobId,
    state: stateName(found.view.value),
    arbiter: 'panel of the operator of this service',
    your_side: side,
    claimant_role: own.claimantRole,
    effect: own.effect,
    window_ends_at: windowEnd(found),
    sides: { ...own.sides },
    evidence: own.rows.map(({ evidenceId, side: of, sha, chars, at }) => ({
      evidence_id: evidenceId,
      side: of,
      sha256: sha,
      chars,
      at: new Date(at).toISOString(),
      ...(sealed === null ? {} : textField(blobs.get(sha))),
    })),
    payload,
    statement,
  };
}

/** The texts of both sides become readable once the case has ended, with or without a verdict. */
function textField(text: string | undefined): { text?: string } {
  return text === undefined ? {} : { text };
}
