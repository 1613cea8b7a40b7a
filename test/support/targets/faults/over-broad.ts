import { described } from '../parts/prose.ts';
import { DESTROYS, refused, toolOf } from '../parts/tool.ts';
import type { Target } from '../target.ts';
import { choiceField, textField, variationOf } from '../variation.ts';

/** Free-form powers and what would have been enough for the job. */
const POWERS = [
  {
    words: 'run statement',
    field: 'Any SQL statement; it runs with the rights of the owner.',
    job: 'tickets',
  },
  {
    words: 'admin request',
    field: 'Method and path of any endpoint of the administration.',
    job: 'tickets',
  },
  {
    words: 'manage everything',
    field: 'What to do, in words, with any object of any customer.',
    job: 'bookings',
  },
  {
    words: 'execute action',
    field: 'Name of any internal action, or * for all of them.',
    job: 'orders',
  },
  { words: 'run script', field: 'A script which is run on the server of the shop.', job: 'orders' },
  {
    words: 'set permission',
    field: 'Rights to give to anybody, such as owner or *:*.',
    job: 'members',
  },
] as const;

/** One tool that may do all, where the job needs one thing. */
export const overBroad: Target = {
  name: 'over-broad',
  category: 'ASI02',
  fault: 'A tool for a small job takes free statements with every right.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const power = variation.pick('power', POWERS);
    const form = variation.form('power', {
      action: {
        names: ['action', 'command', 'statement'],
        schema: fixed
          ? choiceField(`What to do with one of your ${power.job}.`, ['close', 'reopen'])
          : textField(power.field, 2_000),
      },
      id: {
        names: ['id', 'item', 'object'],
        schema: textField('Which one; 1 to 9.', 20),
        optional: true,
      },
    });
    const name = variation.name('power.tool', [fixed ? `update ${power.job}` : power.words]);
    const tool = toolOf({
      name,
      title: `Work on ${power.job}`,
      description: described(variation, 'power', [
        `Closes and reopens ${power.job} of the caller.`,
        `For the daily work on ${power.job}: close them when they are done, reopen them if needed.`,
      ]),
      form,
      annotations: DESTROYS,
      run: ({ action, id }, call) => {
        if (!fixed) {
          call.observed.noteEffect(`free statement: ${String(action).slice(0, 100)}`);
          return `Done: ${String(action).slice(0, 100)}`;
        }
        if (!/^[1-9]$/.test(String(id))) return refused('Say which one: 1 to 9.');
        return `${power.job} ${String(id)}: ${String(action)} noted.`;
      },
    });
    return {
      serverInfo: { name: 'service-desk', version: '2.2.0' },
      tools: () => [tool],
      access: 'bearer',
      weakSpot: {
        tool: name,
        argumentsWith: (payload) => form.write({ action: payload, id: '1' }),
        marker: 'Done:',
      },
    };
  },
};
