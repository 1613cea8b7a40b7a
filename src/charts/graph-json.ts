import type { MachineGraph } from '../domain/inspect/graph.ts';

/** Serializes a graph as JSON with sorted members, so that equal graphs give equal bytes. */
export function serializeGraph(graph: MachineGraph): string {
  return `${JSON.stringify(sortMembers(graph), undefined, 2)}\n`;
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, inner]) => [name, sortMembers(inner)]));
}
