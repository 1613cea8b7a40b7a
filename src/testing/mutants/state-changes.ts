import type { AnyStateNode } from 'xstate';
import { type Change, nextBeside, placeOf } from './change.ts';
import { listOf, type StateConfig, stateConfig } from './config.ts';

/**
 * Returns the mutations of a state itself: actions, delays, effects, initial state and finality.
 */
export function stateChanges(node: AnyStateNode): readonly Change[] {
  const place = placeOf(node);
  const initial = node.type === 'compound' ? node.initial.target[0] : undefined;
  const elsewhere = initial === undefined ? undefined : nextBeside(initial);
  return [
    // Only written actions count, because each delay adds an entry and an exit action.
    ...listOf(node.config.entry).map((_, at) => dropped(node, 'entry', at)),
    ...listOf(node.config.exit).map((_, at) => dropped(node, 'exit', at)),
    ...node.invoke.map((_, at) => dropped(node, 'invoke', at)),
    ...delays(node).map((delay) => delayDropped(node, delay)),
    ...(elsewhere === undefined
      ? []
      : [
          change(node, 'initial', `${place} begins with ${elsewhere.key}.`, (config) => {
            config.initial = elsewhere.key;
          }),
        ]),
    ...(node.type === 'final'
      ? [
          change(node, 'final-dropped', `${place} is no end.`, (config) => {
            delete config.type;
          }),
        ]
      : []),
  ];
}

const WORDS = { entry: 'Entry action', exit: 'Exit action', invoke: 'Effect' } as const;

function dropped(node: AnyStateNode, member: keyof typeof WORDS, at: number): Change {
  const about = `${WORDS[member]} ${at} of ${placeOf(node)} is gone.`;
  return change(node, `${member}-dropped-${at}`, about, (config) => {
    config[member] = listOf(config[member]).filter((_, index) => index !== at);
  });
}

function delays(node: AnyStateNode): readonly string[] {
  return [...new Set(node.after.map(({ delay }) => String(delay)))];
}

function delayDropped(node: AnyStateNode, delay: string): Change {
  const about = `${placeOf(node)} has no delay ${delay}.`;
  return change(node, `delay-dropped-${delay}`, about, (config) => {
    delete config.after?.[delay];
  });
}

function change(
  node: AnyStateNode,
  how: string,
  about: string,
  mend: (config: StateConfig) => void,
): Change {
  const apply = (root: StateConfig): boolean => {
    mend(stateConfig(root, node));
    return true;
  };
  const transitionIds: readonly string[] = [];
  return { id: `${how}:${node.path.join('.')}`, about, transitionIds, apply };
}
