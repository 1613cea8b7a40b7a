import type { JSX } from 'preact';
import type { Funding, JobView } from '../../../../src/domain/escrow/work.ts';

const STATE_CLASSES: Readonly<Record<string, string>> = {
  released: 'is-done',
  refunded: 'is-stopped',
  disputed: 'is-stuck',
  expired_unreleased: 'is-stopped',
  unfunded: 'is-stopped',
};

const END_STATES: ReadonlySet<string> = new Set(['released', 'refunded', 'lapsed', 'forgone']);

/** The state of a job as a pill, named as in its machine. */
export function JobState({ state }: { readonly state: string }): JSX.Element {
  const [top = state] = state.split('.');
  return (
    <span class={`state-pill ${STATE_CLASSES[top] ?? 'is-active'}`} title={state}>
      {top}
    </span>
  );
}

/** Returns true if a job has ended, so that its deadlines no longer apply. */
export function hasEnded({ state }: Pick<JobView, 'state'>): boolean {
  return END_STATES.has(state);
}

/** Returns where the money of a job is until release. */
export function formatFunding(funding: Funding): string {
  return funding === 'escrow' ? 'in escrow' : 'paid on release';
}

/** Returns what happens at the deadline without any action. */
export function formatDeadlineAction({ on_deadline: then }: JobView['release']): string {
  return DEADLINE_ACTIONS[then];
}

const DEADLINE_ACTIONS: Readonly<Record<JobView['release']['on_deadline'], string>> = {
  auto_release: 'released automatically',
  expired_unreleased: 'closed as expired_unreleased; a late release stays possible',
  refund: 'the buyer is refunded',
  held: 'the escrow holds the money until a person decides',
  lapsed: 'closed without payment',
  forgone: 'closed for good without payment',
  none: 'no change',
};
