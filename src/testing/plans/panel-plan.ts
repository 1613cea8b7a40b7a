import type { PanelInput, Turn } from '../../domain/panel/records.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { EffectEnds, ModelView, OpenEffect } from '../path.ts';

/** Common fields of all panel inputs in plans. */
export const PANEL_FIELDS = {
  jobId: 'job_path',
  paymentId: 'pay_path',
  briefSha: 'b'.repeat(64),
  chairSeatId: 's0',
  seed: 'seed',
  mode: 'llm',
} as const;

/** Ends of the seal effect of a panel. */
export const SEAL_ENDS: EffectEnds = {
  done: [{ transcriptSha: 't', resultSha: 'r', transcriptRoot: 'm' }],
  error: [{ name: 'AppError', code: 'STORE_FULL', message: 'no room' }],
};

/** Creates seats with one model of a separate family each. */
export function createModelSeats(roles: readonly string[]): PanelInput['seats'] {
  return roles.map((role, at) => ({
    seatId: `s${at}`,
    role,
    kind: 'llm',
    model: `vendor:model-${at}`,
    family: `family-${at}`,
  }));
}

/** Ends of turns. Only the first open turn ends, because the order makes no difference. */
export function createTurnEnds(
  turnsOf: (effect: OpenEffect, view: ModelView) => readonly Turn[],
  error: EffectError,
): EffectEnds {
  return {
    done: (effect, view) => (isFirstEffect(effect, view) ? turnsOf(effect, view) : []),
    error: (effect, view) => (isFirstEffect(effect, view) ? [error] : []),
  };
}

function isFirstEffect({ childId }: OpenEffect, { effects }: ModelView): boolean {
  return effects[0]?.childId === childId;
}

/** Creates a finished turn. @param answer - The fields that vary. */
export function createPlanTurn(childId: string, answer: Partial<Turn>, costMicroUsd: string): Turn {
  const [phase = '', round, seatId = ''] = childId.split('.');
  return {
    turnId: `${PANEL_FIELDS.jobId}/${childId.replaceAll('.', '/')}`,
    phase,
    round: Number(round),
    seatId,
    status: 'ok',
    attempts: 1,
    costMicroUsd,
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, source: 'provider' },
    priceSource: 'plan',
    ms: 3,
    promptSha: 'p',
    outputSha: 'q',
    requestId: null,
    ...answer,
  };
}
