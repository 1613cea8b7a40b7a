import type { GraphState, GraphTransition, MachineGraph } from '../domain/inspect/graph.ts';
import { describeTrigger } from './describe-graph.ts';

/** Draws a machine as a Mermaid `stateDiagram-v2`, including nested and parallel states. */
export function drawMermaid(graph: MachineGraph): string {
  const names = createNames(graph);
  const [root] = graph.states;
  const inner = root === undefined ? [] : drawBody(graph, root, names);
  return `${['stateDiagram-v2', ...inner.map((line) => `  ${line}`)].join('\n')}\n`;
}

type StateNames = ReadonlyMap<string, string>;

/** Returns the lines within a state: children, start, and transitions. */
function drawBody(graph: MachineGraph, parent: GraphState, names: StateNames): readonly string[] {
  const children = graph.states.filter(({ parentId }) => parentId === parent.id);
  const declared = children.map((child) => declareState(graph, child, names));
  const states =
    parent.type === 'parallel'
      ? declared.flatMap((lines, index) => (index === 0 ? lines : ['--', ...lines]))
      : declared.flat();
  const start = parent.initialId === null ? [] : [`[*] --> ${names.get(parent.initialId)}`];
  const ends = children.filter(({ type }) => type === 'final');
  const moves = parent.parentId === null ? drawTransitions(graph, names) : [];
  return [...states, ...start, ...moves, ...ends.map(({ id }) => `${names.get(id)} --> [*]`)];
}

function declareState(
  graph: MachineGraph,
  state: GraphState,
  names: StateNames,
): readonly string[] {
  const line = `state "${sanitizeText(state.key)}" as ${names.get(state.id)}`;
  const hasChildren = graph.states.some(({ parentId }) => parentId === state.id);
  if (!hasChildren) return [line];
  const body = drawBody(graph, state, names).map((each) => `  ${each}`);
  return [`${line} {`, ...body, '}'];
}

// All transitions are at the top level, where Mermaid accepts those across nested states.
function drawTransitions(graph: MachineGraph, names: StateNames): readonly string[] {
  return graph.transitions.flatMap((transition) => {
    const { sourceId, targetIds } = transition;
    const source = names.get(sourceId);
    const targets = targetIds.length === 0 ? [sourceId] : targetIds;
    return targets.map((id) => `${source} --> ${names.get(id)}: ${formatLabel(transition)}`);
  });
}

function formatLabel(transition: GraphTransition): string {
  const words = describeTrigger(transition).replace(/^On /, '');
  const guard = transition.guard === null ? '' : ` if ${transition.guard}`;
  return sanitizeText(`${words}${guard}${transition.targetIds.length === 0 ? ' (stays)' : ''}`);
}

/** Returns unique Mermaid identifiers of letters, digits and `_` that avoid reserved words. */
function createNames(graph: MachineGraph): StateNames {
  const names = new Map<string, string>();
  const used = new Set<string>();
  for (const { id } of graph.states) {
    const base = `s_${(id === '' ? graph.kind : id).replace(/[^A-Za-z0-9]/g, '_')}`;
    let name = base;
    for (let count = 2; used.has(name); count += 1) name = `${base}_${count}`;
    used.add(name);
    names.set(id, name);
  }
  return names;
}

// Removes characters with a special meaning in Mermaid.
function sanitizeText(text: string): string {
  return text.replace(/[\s:;"#%<>{}\\`]+/g, ' ').trim();
}
