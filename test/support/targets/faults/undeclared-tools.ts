import { plainJob } from '../parts/plain-target.ts';
import { toolOf } from '../parts/tool.ts';
import type { Target } from '../target.ts';
import { variationOf } from '../variation.ts';

/** What is left from development, or was never meant for callers; `*` is a listed tool. */
const NAMES = [
  'debug',
  'admin',
  'get_env',
  'delete_*',
  '*_admin',
  'execute_command',
  '_*',
  'list_users',
  '*_debug',
  'read_file',
] as const;

/** A tool that no listing shows can be called. */
export const undeclaredTools: Target = {
  name: 'undeclared-tools',
  category: 'ASI10',
  fault: 'Tools that are listed nowhere can be called.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const { tool, form, plan } = plainJob(variation, 'undeclared', 'undeclared');
    const listed = tool.definition.name;
    const name = variation.pick('undeclared.name', NAMES).replace('*', listed);
    const marker = `canary-${variation.token('undeclared')}`;
    const hidden = toolOf({
      name,
      description: 'For the operators only.',
      form,
      run: (_fields, call) => {
        call.observed.noteEffect(`undeclared tool: ${name}`);
        return `operator: ${marker}`;
      },
    });
    return {
      ...plan,
      ...(fixed ? {} : { unlisted: [hidden] }),
      weakSpot: { tool: name, argumentsWith: plan.weakSpot.argumentsWith, marker },
    };
  },
};
