import { described } from '../parts/prose.ts';
import { DESTROYS, READS, toolOf } from '../parts/tool.ts';
import type { Target } from '../target.ts';
import { textField, variationOf } from '../variation.ts';

/** What acts, in words; each is destructive or goes to other people. */
const ACTS = [
  {
    words: 'delete record',
    done: 'deleted',
    text: 'Deletes a record and all files that belong to it.',
  },
  {
    words: 'cancel booking',
    done: 'cancelled',
    text: 'Cancels a booking. The fee is not paid back.',
  },
  { words: 'send reminder', done: 'reminded', text: 'Sends a reminder by mail to the customer.' },
  {
    words: 'transfer stock',
    done: 'moved',
    text: 'Moves stock to another warehouse and prints the label.',
  },
  { words: 'reset device', done: 'reset', text: 'Sets a device back to its factory state.' },
  { words: 'publish page', done: 'published', text: 'Publishes a draft for everybody.' },
  { words: 'close account', done: 'closed', text: 'Closes an account; it cannot be opened again.' },
  { words: 'purge cache', done: 'purged', text: 'Removes every cached entry of a site at once.' },
  {
    words: 'merge customers',
    done: 'merged',
    text: 'Merges a customer into another. There is no way back.',
  },
  {
    words: 'refund order',
    done: 'refunded',
    text: 'Pays an order back to the card of the customer.',
  },
] as const;

/** A host cannot see that it should ask before the call. */
export const unannotatedActing: Target = {
  name: 'unannotated-acting',
  category: 'ASI02',
  fault: 'A tool that destroys or sends has no hints about it.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const act = variation.pick('act', ACTS);
    const gone = new Set<string>();
    const form = variation.form('act', {
      id: {
        names: ['id', 'reference', 'number'],
        schema: textField('Reference, such as A-17.', 40),
      },
    });
    const name = variation.name('act.tool', [act.words]);
    const acting = toolOf({
      name,
      description: described(variation, 'act', [act.text]),
      form,
      ...(fixed ? { annotations: DESTROYS } : {}),
      run: ({ id }) => {
        gone.add(String(id));
        return `${String(id)}: ${act.done}.`;
      },
    });
    const listing = toolOf({
      name: variation.name('act.list', ['list changes', 'show changes']),
      description: described(variation, 'act.list', [
        'Lists what was changed in this session. Nothing is deleted by it.',
      ]),
      form: variation.form('act.list', {}),
      annotations: READS,
      run: () => `Changed: ${[...gone].join(', ') || 'nothing'}.`,
    });
    return {
      serverInfo: { name: 'back-office', version: '5.0.0' },
      tools: () => [listing, acting],
      access: 'bearer',
      weakSpot: {
        tool: name,
        argumentsWith: (payload) => form.write({ id: payload }),
        marker: `: ${act.done}.`,
        reader: { tool: listing.definition.name, arguments: {} },
      },
    };
  },
};
