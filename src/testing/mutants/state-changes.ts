import type { AnyStateNode } from 'xstate';
import { type Change, describePlace, nextSibling } from './change.ts';
import { findStateConfig, type StateConfig, toList } from './config.ts';

/**
 * Returns the mutations of a state itself: actions, delays, effects, initial state and finality.
 */
export function listStateChanges(node: AnyStateNode): readonly Change[] {
  const place = describePlace(node);
  const initial = node.type === 'compound' ? node.initial.target[0] : undefined;
  const elsewhere = initial === undefined ? undefined : nextSibling(initial);
  return [
    // Only written actions count, because each delay adds an entry and an exit action.
    ...toList(node.config.entry).map((_, at) => dropMember(node, 'entry', at)),
    ...toList(node.config.exit).map((_, at) => dropMember(node, 'exit', at)),
    ...node.invoke.map((_, at) => dropMember(node, 'invoke', at)),
    ...listDelays(node).map((delay) => dropDelay(node, delay)),
    ...(elsewhere === undefined
      ? []
      : [
          createChange(node, 'initial', `${place} begins with ${elsewhere.key}.`, (config) => {
            config.initial = elsewhere.key;
          }),
        ]),
    ...(node.type === 'final'
      ? [
          createChange(node, 'final-dropped', `${place} is no end.`, (config) => {
            delete config.type;
          }),
        ]
      : []),
  ];
}

const MEMBER_NAMES = { entry: 'Entry action', exit: 'Exit action', invoke: 'Effect' } as const;

function dropMember(node: AnyStateNode, member: keyof typeof MEMBER_NAMES, at: number): Change {
  const about = `${MEMBER_NAMES[member]} ${at} of ${describePlace(node)} is gone.`;
  return createChange(node, `${member}-dropped-${at}`, about, (config) => {
    config[member] = toList(config[member]).filter((_, index) => index !== at);
  });
}

function listDelays(node: AnyStateNode): readonly string[] {
  return [...new Set(node.after.map(({ delay }) => String(delay)))];
}

function dropDelay(node: AnyStateNode, delay: string): Change {
  const about = `${describePlace(node)} has no delay ${delay}.`;
  return createChange(node, `delay-dropped-${delay}`, about, (config) => {
    delete config.after?.[delay];
  });
}

function createChange(
  node: AnyStateNode,
  how: string,
  about: string,
  transform: (config: StateConfig) => void,
): Change {
  const apply = (root: StateConfig): boolean => {
    transform(findStateConfig(root, node));
    return true;
  };
  const transitionIds: readonly string[] = [];
  return { id: `${how}:${node.path.join('.')}`, about, transitionIds, apply };
}
