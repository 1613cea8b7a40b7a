// The tools that every server of the front bench offers: the commerce catalog as it ships, and
// two whose calls are measured. The schemas are zod's, which both SDKs of the peers take as they are.
import { z } from 'zod';
import { fromDist } from './dist.mjs';

const READ_ONLY = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const ANSWER = z.object({ answer: z.string().describe('What the tool answers.') });

/** The two tools that are called. */
const CALLED = [
  {
    name: 'echo',
    title: 'Echo',
    description: 'Returns its input.',
    annotations: READ_ONLY,
    input: z.object({
      message: z.string().describe('Text to return.'),
      n: z.number().optional().describe('A number to return.'),
    }),
    output: ANSWER,
  },
  {
    name: 'progress20',
    title: 'Progress',
    description: 'Reports progress, then returns.',
    annotations: READ_ONLY,
    input: z.object({ count: z.number().optional().describe('Number of reports.') }),
    output: ANSWER,
  },
];

/** Returns the tools as `{name, title, description, annotations, input, output}`. */
export async function benchTools() {
  const { commerceTools } = await fromDist('tools/service/catalog.js');
  return [...CALLED, ...commerceTools(ANY).map(listed)];
}

function listed({ name, title, description, annotations, input, output }) {
  return { name, title, description, annotations, input, output };
}

/** Stands for all that a tool works with: a tool that is only listed uses none of it. */
const ANY = new Proxy(() => ANY, {
  get: (_target, key) => {
    if (key === Symbol.iterator) return () => [][Symbol.iterator]();
    return key === Symbol.toPrimitive ? () => '' : ANY;
  },
});
