import { randomUUID } from 'node:crypto';
import { described } from '../parts/prose.ts';
import { ADDS, READS, refused, toolOf } from '../parts/tool.ts';
import type { Target } from '../target.ts';
import { textField, variationOf } from '../variation.ts';

const RECORDS_MAX = 200;

/** How ids of records are made where the fault is. */
const IDS: readonly ((count: number) => string)[] = [
  (count) => String(1000 + count),
  (count) => `job-${count}`,
  (count) => `EX${String(count).padStart(6, '0')}`,
];

/** Whoever names a record gets it, whosever it is. */
export const foreignRecords: Target = {
  name: 'foreign-records',
  category: 'ASI03',
  fault: 'Records of other sessions are given to anybody who counts through the ids.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const makeId = variation.pick('records.id', IDS);
    const records = new Map<string, { readonly session: string; readonly text: string }>();
    const making = variation.form('records.make', {
      text: {
        names: ['text', 'content', 'report'],
        schema: textField('What the record holds.', 500),
      },
    });
    const asking = variation.form('records.get', {
      id: {
        names: ['id', 'record', 'export_id', 'job'],
        schema: textField('Id of your record.', 60),
      },
    });
    const make = toolOf({
      name: variation.name('records.make', ['create export', 'start report', 'new record']),
      description: described(variation, 'records.make', [
        'Makes a record that only this session can read, and answers with its id.',
        'Keeps a text privately for this session.',
      ]),
      form: making,
      annotations: ADDS,
      run: ({ text }, call) => {
        if (records.size >= RECORDS_MAX) return refused('There are too many records.');
        const id = fixed ? randomUUID() : makeId(records.size + 1);
        records.set(id, { session: call.session, text: String(text) });
        return `Record ${id} is kept.`;
      },
    });
    const get = toolOf({
      name: variation.name('records.get', ['get export', 'read report', 'show record']),
      description: described(variation, 'records.get', [
        'Shows one of your own records by its id; the id example is for trying it out.',
      ]),
      form: asking,
      annotations: READS,
      run: ({ id }, call) => {
        if (id === 'example') return 'This is an example record for everybody.';
        const record = records.get(String(id));
        const isForeign = record !== undefined && record.session !== call.session;
        if (record === undefined || (fixed && isForeign))
          return refused('You have no such record.');
        if (isForeign) call.observed.noteEffect(`foreign record: ${String(id)}`);
        return record.text;
      },
    });
    return {
      serverInfo: { name: 'records', version: '1.0.4' },
      tools: () => [make, get],
      weakSpot: {
        tool: get.definition.name,
        argumentsWith: (payload) => asking.write({ id: payload }),
        marker: 'only mine',
        reader: { tool: make.definition.name, arguments: making.write({ text: 'only mine' }) },
      },
    };
  },
};
