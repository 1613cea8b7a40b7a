import type { GraphState, GraphTransition, MachineGraph } from '../domain/inspect/graph.ts';
import { stateTitle } from './state-content.ts';

/**
 * Describes a machine as text, one line per state and transition, for readers without the chart.
 */
export function describeGraph(graph: MachineGraph): string {
  const lines = graph.states.flatMap((state) => {
    const ownTransitions = graph.transitions.filter(({ sourceId }) => sourceId === state.id);
    return [
      describeState(graph, state),
      ...ownTransitions.map((transition) => `- ${describeTransition(graph, transition)}`),
    ];
  });
  return lines.join('\n');
}

/** Describes a state in one or two sentences. */
export function describeState(graph: MachineGraph, state: GraphState): string {
  const name = state.parentId === null ? stateTitle(graph, state) : state.id;
  const traits = [...describeType(state), ...describeTraits(state)];
  const isFirst = graph.states.some(({ initialId }) => initialId === state.id);
  const all = isFirst ? ['entered first', ...traits] : traits;
  const inBrackets = all.length === 0 ? '' : ` (${all.join('; ')})`;
  return `${name}${inBrackets}: ${toOneLine(state.description) || 'no description.'}`;
}

/** Describes a transition in one sentence. */
export function describeTransition(graph: MachineGraph, transition: GraphTransition): string {
  const { targetIds, guard, actions } = transition;
  const names = targetIds.map((id) => (id === '' ? graph.title : id));
  const targetText = names.length === 0 ? 'stays as it is' : `goes to ${names.join(' and ')}`;
  const condition = guard === null ? '' : ` if ${guard}`;
  const actionText = actions.length === 0 ? '' : `; does ${actions.join(', ')}`;
  return `${describeTrigger(transition)}${condition}: ${targetText}${actionText}.`;
}

/** Describes the trigger of a transition. */
export function describeTrigger({ trigger, label }: GraphTransition): string {
  const who = label.replace(/^\w+: /, '');
  switch (trigger) {
    case 'event':
      return `On ${label}`;
    case 'after':
      return label.replace(/^after/, 'After');
    case 'done':
      return `When ${who === '*' ? 'an effect' : who} is done`;
    case 'error':
      return `When ${who === '*' ? 'an effect' : who} fails`;
    case 'always':
      return 'At once';
  }
}

function describeType({ type, initialId }: GraphState): readonly string[] {
  switch (type) {
    case 'atomic':
      return [];
    case 'compound':
      return initialId === null ? ['compound'] : [`compound, begins in ${initialId}`];
    case 'parallel':
      return ['parallel: all its regions are active at once'];
    case 'final':
      return ['final'];
    case 'history':
      return ['history: enters what was active last'];
  }
}

function describeTraits({ tags, effects, entry, exit }: GraphState): readonly string[] {
  return [
    ...(tags.length > 0 ? [`tags ${tags.join(', ')}`] : []),
    ...(effects.length > 0 ? [`runs ${effects.map(({ src }) => src).join(', ')}`] : []),
    ...(entry.length > 0 ? [`on entry ${entry.join(', ')}`] : []),
    ...(exit.length > 0 ? [`on exit ${exit.join(', ')}`] : []),
  ];
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
