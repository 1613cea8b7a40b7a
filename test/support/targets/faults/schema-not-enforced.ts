import { described } from '../parts/prose.ts';
import { ADDS, refused, textOf, toolOf } from '../parts/tool.ts';
import type { Target } from '../target.ts';
import { choiceField, countField, textField, variationOf } from '../variation.ts';

/** The published schema is a wish only. */
export const schemaNotEnforced: Target = {
  name: 'schema-not-enforced',
  category: 'ASI02',
  fault: 'Arguments that the published schema forbids are worked with.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const form = variation.form('schema', {
      item: { names: ['item', 'article', 'sku'], schema: textField('Number of the article.', 20) },
      count: { names: ['count', 'quantity', 'amount'], schema: countField('How many.', 1, 20) },
      size: {
        names: ['size', 'format', 'variant'],
        schema: choiceField('Which one.', ['small', 'large']),
        optional: true,
      },
    });
    const name = variation.name('schema.tool', ['add to basket', 'reserve item', 'quote order']);
    const tool = toolOf({
      name,
      title: 'Put into the basket',
      description: described(variation, 'schema', [
        'Puts articles into the basket of this session and gives the price of one.',
        'Reserves articles for ten minutes. Nothing is paid.',
      ]),
      form,
      annotations: ADDS,
      run: ({ item, count, size }, call) => {
        const fits = typeof item === 'string' && Number.isInteger(count) && Number(count) >= 1;
        if (fixed && !fits) return refused('Item and count do not fit the schema.');
        if (!fits) call.observed.noteEffect(`unfit arguments: ${JSON.stringify(count) ?? 'none'}`);
        return `Basket: ${String(count)} of ${String(item)}, ${textOf(size, 'small')}.`;
      },
    });
    return {
      serverInfo: { name: 'shop', version: '3.3.1' },
      tools: () => [tool],
      ...(fixed ? {} : { front: { checksArguments: false } }),
      weakSpot: {
        tool: name,
        argumentsWith: (payload) => form.write({ item: 'A-1', count: payload }),
        marker: 'Basket:',
      },
    };
  },
};
