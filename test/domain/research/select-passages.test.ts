import { expect, test } from 'vitest';
import { extractClaims } from '../../../src/domain/research/extract.ts';
import { planParts, planQueries } from '../../../src/domain/research/plan.ts';
import { indexPassages, selectPassages } from '../../../src/domain/research/select-passages.ts';
import { splitPassages } from '../../../src/domain/research/text-passages.ts';

const asked = (topic: string, questions: string[] = []) => ({
  topic,
  questions,
  urls: [],
  depth: 'standard' as const,
});

function chosen(texts: Readonly<Record<string, string>>, part: string, request = asked('solar')) {
  const documents = Object.entries(texts).map(([title, text], at) => ({
    id: `d${at}`,
    title,
    text,
  }));
  const library = documents.flatMap((document) =>
    indexPassages(splitPassages(document).passages, {
      title: document.title,
      kind: document.title.startsWith('Thread') ? 'discussion' : 'page',
    }),
  );
  const found = planParts(request).find(({ id }) => id === part);
  if (found === undefined) throw new Error('no such part');
  return selectPassages(found, library).map(({ passage }) => passage.text);
}

test('parts are the questions, or the topic alone, and three sections', () => {
  expect(planParts(asked('solar power')).map(({ id, title }) => [id, title])).toEqual([
    ...[
      ['q1', 'solar power'],
      ['mechanisms', 'mechanisms'],
    ],
    ...[
      ['alternatives', 'alternatives'],
      ['risks', 'risks'],
    ],
  ]);
  const two = planParts(asked('solar power', ['What does it cost?', 'Who makes panels?']));
  expect(two.map(({ id }) => id).slice(0, 3)).toEqual(['q1', 'q2', 'mechanisms']);
});

test('what a discussion says comes after what was published, however well it fits', () => {
  const texts = {
    'Thread on solar':
      'Solar, solar and solar again: I would take solar over any other kind of power.',
    'Solar power': 'In many lands solar power has become the cheapest of all kinds of new power.',
  };
  const found = chosen(texts, 'q1');
  expect(found.map((text) => text.slice(0, 8))).toEqual(['In many ', 'Solar, s']);
});

test('searches are the topic, then what each question adds to it, four at the most', () => {
  const questions = [
    'What does solar power cost?',
    'Solar power',
    'Who makes panels?',
    'When?',
    'b c',
  ];
  expect(planQueries(asked('"Solar" power', questions))).toEqual([
    { text: 'Solar power', must: ['solar', 'power'], any: [] },
    { text: 'solar power cost', must: ['solar', 'power'], any: ['cost'] },
    { text: 'solar power makes panels', must: ['solar', 'power'], any: ['makes', 'panels'] },
  ]);
});

test('a passage of another subject is not chosen, however many of the words of a question it has', () => {
  const texts = {
    'Solar power': 'Panels cost about one dollar for each watt of solar power today.',
    Cars: 'What does a car cost? The cost of a car is more than one dollar for each watt it has.',
  };
  const request = asked('solar power', ['What does it cost in dollars?']);
  expect(chosen(texts, 'q1', request)).toEqual([texts['Solar power']]);
});

test('a passage under the title of the topic counts, and without a word of the question it does not', () => {
  const texts = {
    'Solar power': [
      'A panel needs about 20 square metres of roof to feed one home through the year.',
      'Its history begins with a photocell on a roof of the nineteenth century in a city.',
    ].join('\n'),
  };
  const request = asked('solar power', ['How many metres of roof feed one home?']);
  expect(chosen(texts, 'q1', request)).toEqual([texts['Solar power'].split('\n')[0]]);
  expect(chosen(texts, 'q1', asked('solar power', ['Which zebra sings?']))).toEqual([]);
});

test('a section takes only passages with a cue of its own, and none twice in other words', () => {
  const risk =
    'A fire on the roof is a danger of solar panels that were mounted in a hurry by laymen.';
  const texts = {
    Solar: `${risk}\nSolar panels are blue, and they are mounted on a roof with four screws each.`,
    'Solar fires': `${risk.replace('by laymen', 'by some laymen')}`,
  };
  expect(chosen(texts, 'risks')).toHaveLength(1);
  expect(chosen(texts, 'mechanisms')).toEqual([]);
});

test('no more than three passages of one document stand in one part', () => {
  const lines = [
    'Solar panels turn daylight into a current that a house or a workshop may use at once.',
    'Farmers lend meadows to builders of solar parks and let sheep graze below the frames.',
    'Old solar cells are crushed, and their silver, copper and glass are sold once more.',
    'Satellites unfold solar wings after launch because batteries alone would be too heavy.',
  ];
  expect(chosen({ Solar: lines.join('\n') }, 'q1')).toHaveLength(3);
});

test('a summary takes the best of each question first, and says nothing twice', () => {
  const passage = (name: string, text: string) => ({
    name,
    score: 1,
    passage: { document: 'd1', text, from: 0, to: text.length },
  });
  const a = passage('p1', 'Solar panels cost one dollar for each watt.');
  const b = passage('p2', 'Makers of panels sit in many countries.');
  const c = passage('p3', 'Prices fell for thirty years without a pause.');
  const drafts = extractClaims([
    { id: 'q1', chosen: [a, c] },
    { id: 'q2', chosen: [b, a] },
    { id: 'risks', chosen: [] },
  ]);
  const summary = drafts.filter(({ part }) => part === 'summary');
  expect(summary.map(({ cites }) => cites[0]?.passage)).toEqual(['p1', 'p2', 'p3']);
});

test('a sentence longer than what is segmented at once is split between characters', () => {
  const text = `A${'𝒜'.repeat(3_000)} words follow here.`;
  const { passages } = splitPassages({ id: 'a', text });
  for (const { text: passage } of passages) expect(Buffer.from(passage).toString()).toBe(passage);
});
