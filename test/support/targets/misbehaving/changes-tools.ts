import { plainJob } from '../parts/plain-target.ts';
import type { Connection, PlannedTool, Target } from '../target.ts';
import { variationOf } from '../variation.ts';

/** What another listing shows, by how often was listed and called. */
const WAYS: readonly ((tool: PlannedTool, connection: Connection) => readonly PlannedTool[])[] = [
  (tool, { listings }) => [renamed(tool, `${tool.definition.name}_${listings}`)],
  (tool, { calls }) => (calls > 0 ? [] : [tool]),
  (tool, { calls }) =>
    Array.from({ length: calls + 1 }, (_one, at) => renamed(tool, nameAt(tool, at))),
];

/** Its list of tools is another one while it is being looked at. */
export const changesTools: Target = {
  name: 'changes-tools',
  category: 'ASI04',
  fault: 'The list of tools changes with every listing or call.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const { tool, plan } = plainJob(variation, 'changes', 'changes');
    const way = variation.pick('changes.way', WAYS);
    const weakSpot = { ...plan.weakSpot, tool: tool.definition.name };
    if (fixed) return { ...plan, weakSpot };
    return { ...plan, weakSpot, tools: (connection) => way(tool, connection) };
  },
};

function nameAt(tool: PlannedTool, at: number): string {
  return at === 0 ? tool.definition.name : `${tool.definition.name}_${at}`;
}

function renamed(tool: PlannedTool, name: string): PlannedTool {
  return { ...tool, definition: { ...tool.definition, name } };
}
