import { type AnyStateNode, not } from 'xstate';
import { type Change, nextBeside, placeOf } from './change.ts';
import { type CandidateConfig, listOf, type StateConfig, slotOf } from './config.ts';

interface Candidate {
  readonly node: AnyStateNode;
  readonly eventType: string;
  readonly index: number;
  readonly id: string;
  readonly place: string;
}

/** Returns the mutations of the transitions of a state. */
export function transitionChanges(node: AnyStateNode): readonly Change[] {
  const always = node.always === undefined ? [] : [['', node.always] as const];
  return [...node.transitions, ...always].flatMap(([eventType, candidates]) =>
    candidates.flatMap((candidate, index) => {
      const id = `${node.path.join('.')}|${eventType}|${index}`;
      const place = `${placeOf(node)} on ${eventType === '' ? 'always' : eventType} #${index}`;
      const at = { node, eventType, index, id, place };
      return [
        change(at, 'removed', `The transition ${place} is gone.`, () => undefined),
        ...targetChanges(at, candidate.target ?? [], candidate.reenter),
        ...guardChanges(at, candidate.guard),
        ...candidate.actions.map((_, dropped) => actionDropped(at, dropped)),
      ];
    }),
  );
}

function targetChanges(
  at: Candidate,
  targets: readonly AnyStateNode[],
  reenters: boolean,
): readonly Change[] {
  const [target, ...others] = targets;
  if (target === undefined || others.length > 0) return [];
  const elsewhere = nextBeside(target);
  const isInside = target === at.node || isBelow(target, at.node);
  return [
    ...(elsewhere === undefined ? [] : [ledTo(at, elsewhere)]),
    ...(isInside ? [reentering(at, !reenters)] : []),
  ];
}

function ledTo(at: Candidate, elsewhere: AnyStateNode): Change {
  const about = `The transition ${at.place} leads to ${placeOf(elsewhere)}.`;
  const target = `#${elsewhere.id}`;
  return change(at, 'target', about, (candidate) => ({ ...candidate, target }));
}

function reentering(at: Candidate, reenter: boolean): Change {
  const about = `The transition ${at.place} ${reenter ? 'enters its state anew' : 'stays inside'}.`;
  return change(at, 'reenter', about, (candidate) => ({ ...candidate, reenter }));
}

function guardChanges(at: Candidate, guard: unknown): readonly Change[] {
  if (guard === undefined) return [];
  return [
    change(
      at,
      'guard-dropped',
      `The transition ${at.place} has no guard.`,
      ({ guard: _guard, ...rest }) => rest,
    ),
    change(at, 'guard-negated', `The guard of ${at.place} is turned round.`, (candidate) => ({
      ...candidate,
      guard: not(candidate.guard as never),
    })),
  ];
}

function actionDropped(at: Candidate, dropped: number): Change {
  const about = `Action ${dropped} of the transition ${at.place} is gone.`;
  return change(at, `action-dropped-${dropped}`, about, (candidate) => ({
    ...candidate,
    actions: listOf(candidate.actions).filter((_, index) => index !== dropped),
  }));
}

/** @param mend - Returns the changed candidate, or `undefined` to remove it. */
function change(
  { node, eventType, index, id }: Candidate,
  how: string,
  about: string,
  mend: (candidate: CandidateConfig) => CandidateConfig | undefined,
): Change {
  const apply = (root: StateConfig): boolean => {
    const slot = slotOf(root, node, eventType);
    const candidates = slot?.get() ?? [];
    if (slot === undefined || candidates[index] === undefined) return false;
    const mended = candidates.map((each, at) => (at === index ? mend(each) : each));
    slot.set(mended.filter((each) => each !== undefined));
    return true;
  };
  return { id: `${how}:${id}`, about, transitionIds: [id], apply };
}

function isBelow(node: AnyStateNode, above: AnyStateNode): boolean {
  for (let up = node.parent; up !== undefined; up = up.parent) if (up === above) return true;
  return false;
}
