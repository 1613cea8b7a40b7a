import type { PanelInput, Turn } from '../../domain/panel/records.ts';
import type { EffectError } from '../../runtime/engine/types.ts';
import type { EffectEnds, ModelView, OpenEffect } from '../path.ts';

/** What the orders of all panels have in plans. */
export const PANEL_ORDER = {
  jobId: 'job_path',
  paymentId: 'pay_path',
  briefSha: 'b'.repeat(64),
  chairSeatId: 's0',
  seed: 'seed',
  mode: 'llm',
} as const;

/** How the result of a panel is sealed, or not. */
export const SEAL_ENDS: EffectEnds = {
  done: [{ transcriptSha: 't', resultSha: 'r', transcriptRoot: 'm' }],
  error: [{ name: 'AppError', code: 'STORE_FULL', message: 'no room' }],
};

/** Seats with a model of its own family each. */
export function modelSeats(roles: readonly string[]): PanelInput['seats'] {
  return roles.map((role, at) => ({
    seatId: `s${at}`,
    role,
    kind: 'llm',
    model: `vendor:model-${at}`,
    family: `family-${at}`,
  }));
}

/** How turns end. Of those that are open the first one does: which it is makes no difference. */
export function turnEnds(
  turnsOf: (effect: OpenEffect, view: ModelView) => readonly Turn[],
  error: EffectError,
): EffectEnds {
  return {
    done: (effect, view) => (isFirst(effect, view) ? turnsOf(effect, view) : []),
    error: (effect, view) => (isFirst(effect, view) ? [error] : []),
  };
}

function isFirst({ childId }: OpenEffect, { effects }: ModelView): boolean {
  return effects[0]?.childId === childId;
}

/** A finished turn. @param answer - What differs from turn to turn. */
export function planTurn(childId: string, answer: Partial<Turn>, costMicroUsd: string): Turn {
  const [phase = '', round, seatId = ''] = childId.split('.');
  return {
    turnId: `${PANEL_ORDER.jobId}/${childId.replaceAll('.', '/')}`,
    ...{ phase, round: Number(round), seatId, status: 'ok', attempts: 1, costMicroUsd },
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, source: 'provider' },
    priceSource: 'plan',
    ms: 3,
    promptSha: 'p',
    outputSha: 'q',
    requestId: null,
    ...answer,
  };
}
