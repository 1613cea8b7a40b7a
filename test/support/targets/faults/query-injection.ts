import { arithmetic } from '../parts/arithmetic.ts';
import { described } from '../parts/prose.ts';
import { READS, refused, toolOf } from '../parts/tool.ts';
import type { Target, ToolAnswer } from '../target.ts';
import { textField, variationOf } from '../variation.ts';

const ROWS = ["O'Neill lamp", 'Desk', 'Chair', 'Blue lamp'];

/** Sign that ends the text within the query, as this variant writes it. */
const QUOTES = ["'", '"'] as const;

/** Text of the caller becomes a part of the query; the database is played. */
export const queryInjection: Target = {
  name: 'query-injection',
  category: 'ASI05',
  fault: 'An argument is put into a database query as it is.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const canary = `canary-${variation.token('sql')}`;
    const quote = variation.pick('sql.quote', QUOTES);
    const form = variation.form('sql', {
      name: {
        names: ['name', 'filter', 'article', 'q'],
        schema: textField('Part of the name.', 200),
      },
    });
    const name = variation.name('sql.tool', ['search articles', 'find product', 'stock list']);
    const tool = toolOf({
      name,
      description: described(variation, 'sql', [
        'Finds articles whose name has a text in it. Names may have an apostrophe.',
        'Searches the public list of articles. Drafts are not shown.',
      ]),
      form,
      annotations: READS,
      run: ({ name: given }, call) => {
        const text = String(given);
        if (fixed || !text.includes(quote)) return found(text);
        call.observed.noteEffect(`query: ${text.slice(0, 100)}`);
        return played(text.slice(text.indexOf(quote) + 1).trim(), quote, canary);
      },
    });
    return {
      serverInfo: { name: 'articles', version: '2.8.0' },
      tools: () => [tool],
      weakSpot: {
        tool: name,
        argumentsWith: (payload) => form.write({ name: payload }),
        marker: canary,
      },
    };
  },
};

function found(text: string): string {
  const rows = ROWS.filter((row) => row.toLowerCase().includes(text.toLowerCase()));
  return rows.join('\n') || 'No article has this in its name.';
}

// What a database does with the rest of a query after the text was ended.
function played(rest: string, quote: string, canary: string): ToolAnswer | string {
  const union = /^union\s+(?:all\s+)?select\s+([^;#]+?)\s*(?:--|#|;|$)/i.exec(rest)?.[1];
  if (union !== undefined) return String(arithmetic(union) ?? canary);
  const condition = /^or\s+(.+?)\s*(?:--.*|#.*)?$/i.exec(rest)?.[1]?.replaceAll(quote, '');
  const [left, right] = condition?.split('=').map((side) => side.trim()) ?? [];
  if (left !== undefined && right !== undefined && left !== '') {
    return left === right
      ? [...ROWS, `draft: ${canary}`].join('\n')
      : 'No article has this in its name.';
  }
  return refused(`near "${rest.slice(0, 20)}": syntax error`);
}
