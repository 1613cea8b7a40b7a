import { plainJob } from '../parts/plain-target.ts';
import { described } from '../parts/prose.ts';
import { READS, toolOf } from '../parts/tool.ts';
import type { Target } from '../target.ts';
import { textField, variationOf } from '../variation.ts';

const BYTES_MAX = 8 * 1024 * 1024;

/** Whatever the size, it is taken in and worked on. */
export const oversize: Target = {
  name: 'oversize',
  category: 'ASI08',
  fault: 'Arguments and bodies of many megabytes are taken in.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const { tool: other, plan } = plainJob(variation, 'oversize', 'oversize');
    const form = variation.form('oversize.text', {
      text: {
        names: ['text', 'content', 'document', 'data'],
        schema: fixed
          ? textField('The text, at most 10,000 characters.', 10_000)
          : { type: 'string', description: 'The text, of any length.' },
      },
    });
    const name = variation.name('oversize.count', ['count words', 'word count', 'text statistics']);
    const tool = toolOf({
      name,
      description: described(variation, 'oversize.text', [
        'Counts words and characters of a text.',
      ]),
      form,
      annotations: READS,
      run: ({ text }) => {
        const given = String(text);
        return `${given.split(/\s+/).length} words, ${given.length} characters`;
      },
    });
    return {
      ...plan,
      tools: () => [tool, other],
      ...(fixed ? {} : { front: { bodyBytesMax: BYTES_MAX } }),
      weakSpot: {
        tool: name,
        argumentsWith: (payload) => form.write({ text: payload }),
        marker: 'characters',
      },
    };
  },
};
