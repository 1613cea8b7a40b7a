import { type AnyStateNode, not } from 'xstate';
import { type Change, describePlace, nextSibling } from './change.ts';
import { type CandidateConfig, findSlot, type StateConfig, toList } from './config.ts';

interface Candidate {
  readonly node: AnyStateNode;
  readonly eventType: string;
  readonly index: number;
  readonly id: string;
  readonly place: string;
}

/** Returns the mutations of the transitions of a state. */
export function listTransitionChanges(node: AnyStateNode): readonly Change[] {
  const always = node.always === undefined ? [] : [['', node.always] as const];
  return [...node.transitions, ...always].flatMap(([eventType, candidates]) =>
    candidates.flatMap((candidate, index) => {
      const id = `${node.path.join('.')}|${eventType}|${index}`;
      const eventName = eventType === '' ? 'always' : eventType;
      const place = `${describePlace(node)} on ${eventName} #${index}`;
      const at = { node, eventType, index, id, place };
      return [
        createChange(at, 'removed', `The transition ${place} is gone.`, () => undefined),
        ...listTargetChanges(at, candidate.target ?? [], candidate.reenter),
        ...listGuardChanges(at, candidate.guard),
        ...candidate.actions.map((_, dropped) => dropAction(at, dropped)),
      ];
    }),
  );
}

function listTargetChanges(
  at: Candidate,
  targets: readonly AnyStateNode[],
  reenters: boolean,
): readonly Change[] {
  const [target, ...others] = targets;
  if (target === undefined || others.length > 0) return [];
  const elsewhere = nextSibling(target);
  const isInside = target === at.node || isBelow(target, at.node);
  return [
    ...(elsewhere === undefined ? [] : [redirectTarget(at, elsewhere)]),
    ...(isInside ? [changeReentry(at, !reenters)] : []),
  ];
}

function redirectTarget(at: Candidate, elsewhere: AnyStateNode): Change {
  const about = `The transition ${at.place} leads to ${describePlace(elsewhere)}.`;
  const target = `#${elsewhere.id}`;
  return createChange(at, 'target', about, (candidate) => ({ ...candidate, target }));
}

function changeReentry(at: Candidate, reenter: boolean): Change {
  const about = `The transition ${at.place} ${reenter ? 'enters its state anew' : 'stays inside'}.`;
  return createChange(at, 'reenter', about, (candidate) => ({ ...candidate, reenter }));
}

function listGuardChanges(at: Candidate, guard: unknown): readonly Change[] {
  if (guard === undefined) return [];
  return [
    createChange(
      at,
      'guard-dropped',
      `The transition ${at.place} has no guard.`,
      ({ guard: _guard, ...rest }) => rest,
    ),
    createChange(at, 'guard-negated', `The guard of ${at.place} is turned round.`, (candidate) => ({
      ...candidate,
      guard: not(candidate.guard as never),
    })),
  ];
}

function dropAction(at: Candidate, dropped: number): Change {
  const about = `Action ${dropped} of the transition ${at.place} is gone.`;
  return createChange(at, `action-dropped-${dropped}`, about, (candidate) => ({
    ...candidate,
    actions: toList(candidate.actions).filter((_, index) => index !== dropped),
  }));
}

/** @param transform - Returns the changed candidate, or `undefined` to remove it. */
function createChange(
  { node, eventType, index, id }: Candidate,
  how: string,
  about: string,
  transform: (candidate: CandidateConfig) => CandidateConfig | undefined,
): Change {
  const apply = (root: StateConfig): boolean => {
    const slot = findSlot(root, node, eventType);
    const candidates = slot?.get() ?? [];
    if (slot === undefined || candidates[index] === undefined) return false;
    const transformed = candidates.map((each, at) => (at === index ? transform(each) : each));
    slot.set(transformed.filter((each) => each !== undefined));
    return true;
  };
  return { id: `${how}:${id}`, about, transitionIds: [id], apply };
}

function isBelow(node: AnyStateNode, above: AnyStateNode): boolean {
  for (let up = node.parent; up !== undefined; up = up.parent) if (up === above) return true;
  return false;
}
