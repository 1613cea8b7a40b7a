import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EVENT_DATA, PublicEventShape, parseEventData } from '../../../src/domain/event/catalog.ts';
import { MadeFeed } from '../../support/job-events.ts';

const DOCUMENT = readFileSync('docs/events.md', 'utf8');
/** Members that the document tells of once, for every event of a job. */
const OF_A_JOB = ['buyer', 'provider', 'price', 'funding', 'bid_id'];

/** The rows of the table of types: what stands in each cell, by type. */
function documented(): Map<string, string> {
  const rows = DOCUMENT.split('\n').filter((line) => /^\| [a-z]+\.[a-z_]+ \|/.test(line));
  return new Map(
    rows.map((row) => {
      const [, type = '', , members = ''] = row.split('|').map((cell) => cell.trim());
      return [type, members];
    }),
  );
}

test('docs/events.md lists every type, in order, and no other', () => {
  expect([...documented().keys()]).toEqual(Object.keys(EVENT_DATA));
});

test.each(Object.entries(EVENT_DATA))('docs/events.md lists every member of %s', (type, shape) => {
  const members = documented().get(type) ?? '';
  const told = [...members.matchAll(/`([a-z_0-9]+)`/g)].map(([, name]) => name);
  const asJob = members.startsWith('those of a job') ? OF_A_JOB : [];
  for (const name of Object.keys(shape.shape)) expect([...told, ...asJob], name).toContain(name);
});

test('data of another type, or that do not fit, are not read', () => {
  const feed = new MadeFeed();
  const event = feed.released({ buyer: 1, provider: 2 });
  expect(PublicEventShape.safeParse(event).success).toBe(true);
  expect(parseEventData(event, 'job.released')).toMatchObject({
    price: '20000000',
    fee: '4000000',
  });
  expect(parseEventData(event, 'job.refunded')).toBeUndefined();
  const odd = { ...event, data: { ...event.data, fee: 'much' } };
  expect(parseEventData(odd, 'job.released')).toBeUndefined();
});
