import { arithmetic } from '../parts/arithmetic.ts';
import { described } from '../parts/prose.ts';
import { READS, toolOf } from '../parts/tool.ts';
import type { Target } from '../target.ts';
import { textField, variationOf } from '../variation.ts';

/** Signs around an expression, as usual template languages have them. */
const SIGNS = [
  /\{\{(.*?)\}\}/g,
  /\$\{(.*?)\}/g,
  /<%=(.*?)%>/g,
  /#\{(.*?)\}/g,
  /\{%\s*print (.*?)%\}/g,
] as const;

/** A value that is put into a template is taken for a part of the template. */
export const templateInjection: Target = {
  name: 'template-injection',
  category: 'ASI05',
  fault: 'Expressions in a value are evaluated by the template that shows it.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const canary = `canary-${variation.token('template')}`;
    const signs = variation.pick('template.signs', SIGNS);
    const form = variation.form('template', {
      greeting: {
        names: ['name', 'recipient', 'customer'],
        schema: textField('Who is greeted.', 200),
      },
    });
    const name = variation.name('template.tool', [
      'render letter',
      'preview mail',
      'greeting card',
    ]);
    const tool = toolOf({
      name,
      description: described(variation, 'template', [
        'Shows how a letter will look. In the template, {{name}} stands for the recipient.',
        `Previews a greeting from the template of the house; placeholders are written \${name}.`,
      ]),
      form,
      annotations: READS,
      run: ({ greeting }, call) => {
        const given = String(greeting);
        if (fixed) return `Dear ${given},\nyour order is on its way.`;
        const shown = given.replace(signs, (_all, code: string) => {
          call.observed.noteEffect(`evaluated: ${code.slice(0, 100)}`);
          return resultOf(code.trim(), canary);
        });
        return `Dear ${shown},\nyour order is on its way.`;
      },
    });
    return {
      serverInfo: { name: 'letters', version: '4.0.2' },
      tools: () => [tool],
      weakSpot: {
        tool: name,
        argumentsWith: (payload) => form.write({ greeting: payload }),
        marker: canary,
      },
    };
  },
};

function resultOf(code: string, canary: string): string {
  const sum = arithmetic(code);
  if (sum !== undefined) return String(sum);
  const repeated = /^(\d+)\s*\*\s*'(\d+)'$/.exec(code);
  if (repeated !== null) return String(Number(repeated[1]) * Number(repeated[2]));
  return /config|settings|env|process|self|class/i.test(code) ? `SECRET_KEY=${canary}` : '';
}
