import type { JSX } from 'preact';
import type { Funding, JobView } from '../../../../src/domain/escrow/work.ts';

const TONES: Readonly<Record<string, string>> = {
  released: 'is-done',
  refunded: 'is-stopped',
  disputed: 'is-stuck',
  expired_unreleased: 'is-stopped',
  unfunded: 'is-stopped',
};

const OVER: ReadonlySet<string> = new Set(['released', 'refunded', 'lapsed', 'forgone']);

/** The state of a job, in the words of its machine. */
export function JobState({ state }: { readonly state: string }): JSX.Element {
  const [top = state] = state.split('.');
  return (
    <span class={`state-pill ${TONES[top] ?? 'is-active'}`} title={state}>
      {top}
    </span>
  );
}

/** Whether a job waits for nothing more, so that none of its deadlines counts. */
export function isOver({ state }: Pick<JobView, 'state'>): boolean {
  return OVER.has(state);
}

/** Who holds the money of a job until release. */
export function fundingWords(funding: Funding): string {
  return funding === 'escrow' ? 'in escrow' : 'paid on release';
}

/** What happens at the deadline when nobody does anything. */
export function deadlineWords({ on_deadline: then }: JobView['release']): string {
  return THEN[then];
}

const THEN: Readonly<Record<JobView['release']['on_deadline'], string>> = {
  auto_release: 'released by itself',
  expired_unreleased: 'closed as expired_unreleased; a late release stays possible',
  refund: 'the buyer gets the money back',
  held: 'the escrow keeps the money until people decide',
  lapsed: 'closed; nobody is paid',
  forgone: 'closed for good; nobody is paid',
  none: 'nothing changes',
};
