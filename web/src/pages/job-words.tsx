import type { JSX } from 'preact';
import type { Funding, JobView } from '../../../src/domain/board/work.ts';

const TONES: Readonly<Record<string, string>> = {
  released: 'is-done',
  refunded: 'is-stopped',
  disputed: 'is-stuck',
  expired_unreleased: 'is-stopped',
  unfunded: 'is-stopped',
};

/** The state of a job, in the words of its machine. */
export function JobState({ state }: { readonly state: string }): JSX.Element {
  const [top = state] = state.split('.');
  return (
    <span class={`state-pill ${TONES[top] ?? 'is-active'}`} title={state}>
      {top}
    </span>
  );
}

/** Whether a job waits for nothing more: no move is possible and no deadline counts. */
export function isOver({ moves }: Pick<JobView, 'moves'>): boolean {
  return moves.length === 0;
}

/** Who holds the money of a job until release. */
export function fundingWords(funding: Funding): string {
  return funding === 'escrow' ? 'in escrow' : 'paid on release';
}

/** What happens at the deadline when nobody does anything. */
export function deadlineWords({ on_deadline: then }: JobView['release']): string {
  return then === 'auto_release'
    ? 'released by itself'
    : 'closed as expired_unreleased; a late release stays possible';
}
