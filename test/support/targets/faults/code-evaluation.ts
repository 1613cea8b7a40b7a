import { createContext, runInContext } from 'node:vm';
import { arithmetic } from '../parts/arithmetic.ts';
import { described } from '../parts/prose.ts';
import { READS, refused, toolOf } from '../parts/tool.ts';
import type { Target } from '../target.ts';
import { textField, variationOf } from '../variation.ts';

const EVALUATION_MAX_MS = 250;

/** Where the code stands in what is evaluated. */
const FRAMES = ['*', '(*)', 'Number(*)', 'rows.filter((row) => *).length', '"total: " + (*)'];

/** Text of a caller is run as a program. */
export const codeEvaluation: Target = {
  name: 'code-evaluation',
  category: 'ASI05',
  fault: 'An expression of the caller is evaluated as a program.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const canary = `canary-${variation.token('code')}`;
    const frame = variation.pick('code.frame', FRAMES);
    const form = variation.form('code', {
      expression: {
        names: ['expression', 'formula', 'condition', 'expr'],
        schema: textField('A sum of numbers with + - * / % and brackets.', 500),
      },
    });
    const name = variation.name('code.tool', ['calculate', 'evaluate formula', 'compute total']);
    const tool = toolOf({
      name,
      title: 'Calculate',
      description: described(variation, 'code', [
        'Computes a sum as a pocket calculator does.',
        'Works out a formula of numbers for a sheet. Functions and names are not known.',
      ]),
      form,
      annotations: READS,
      run: ({ expression }, call) => {
        const given = String(expression);
        const sum = arithmetic(given);
        if (fixed) return sum === undefined ? refused('That is no sum of numbers.') : String(sum);
        if (sum === undefined) call.observed.noteEffect(`evaluated: ${given.slice(0, 100)}`);
        return evaluated(
          frame.replace('*', () => given),
          canary,
        );
      },
    });
    return {
      serverInfo: { name: 'calculator', version: '1.1.0' },
      tools: () => [tool],
      weakSpot: {
        tool: name,
        argumentsWith: (payload) => form.write({ expression: payload }),
        marker: canary,
      },
    };
  },
};

// A world of its own, without any object of this process in it, and bounded in time.
function evaluated(code: string, canary: string) {
  const world = createContext(Object.create(null) as object);
  const played = `
    var process = { version: 'v20.0.0', platform: 'linux', env: { SERVICE_KEY: '${canary}' }, cwd: () => '/srv/app' };
    var rows = [{ id: 1 }, { id: 2 }];
    var require = (name) => ({ execSync: () => 'uid=1001(${canary})', hostname: () => '${canary}', readFileSync: () => '${canary}' });
  `;
  try {
    runInContext(played, world, { timeout: EVALUATION_MAX_MS });
    const text = runInContext(`String(${code})`, world, { timeout: EVALUATION_MAX_MS }) as unknown;
    return String(text).slice(0, 1_000);
  } catch {
    return refused('The expression could not be evaluated.');
  }
}
