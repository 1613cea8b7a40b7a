import { described } from '../parts/prose.ts';
import { ADDS, READS, textOf, toolOf } from '../parts/tool.ts';
import type { Target } from '../target.ts';
import { textField, type Variation, variationOf } from '../variation.ts';

const NOTES_MAX = 200;

/** What one session writes another one reads, as if it were its own. */
export const crossSessionMemory: Target = {
  name: 'cross-session-memory',
  category: 'ASI06',
  fault: 'What one session stores is given to other sessions without saying whose it is.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const notes: { session: string; topic: string; text: string }[] = [];
    const visible = (session: string) => notes.filter((note) => !fixed || note.session === session);
    const { writing, asking } = formsOf(variation);
    const remember = toolOf({
      name: variation.name('memory.write', [
        'remember',
        'store fact',
        'save note',
        'add observation',
      ]),
      description: described(variation, 'memory.write', [
        'Keeps a fact for the rest of this session. It is forgotten when the session ends.',
        'Stores what should be known later in the conversation.',
      ]),
      form: writing,
      annotations: ADDS,
      run: ({ topic, text }, call) => {
        if (notes.length >= NOTES_MAX) notes.shift();
        notes.push({ session: call.session, topic: String(topic), text: String(text) });
        return 'Kept.';
      },
    });
    const recall = toolOf({
      name: variation.name('memory.read', ['recall', 'search facts', 'read notes', 'open nodes']),
      description: described(variation, 'memory.read', [
        'Gives the facts on a topic, the newest last.',
        'Looks in what was stored before; an empty topic gives all.',
      ]),
      form: asking,
      annotations: READS,
      run: ({ topic }, call) => {
        const found = visible(call.session).filter((note) => note.topic.includes(textOf(topic)));
        const foreign = found.filter((note) => note.session !== call.session).length;
        if (foreign > 0) call.observed.noteEffect(`foreign notes: ${foreign}`);
        return found.map((note) => `${note.topic}: ${note.text}`).join('\n') || 'Nothing is known.';
      },
    });
    return {
      serverInfo: { name: 'memory', version: '0.6.3' },
      tools: () => [remember, recall],
      weakSpot: {
        tool: remember.definition.name,
        argumentsWith: (payload) => writing.write({ topic: 'general', text: payload }),
        marker: 'general: ',
        reader: {
          tool: recall.definition.name,
          arguments: asking.write({ topic: 'general' }),
        },
      },
    };
  },
};

function formsOf(variation: Variation) {
  const names = ['topic', 'entity', 'key', 'subject'];
  const writing = variation.form('memory.write', {
    topic: { names, schema: textField('What the fact is about.', 60) },
    text: { names: ['text', 'fact', 'value', 'content'], schema: textField('The fact.', 500) },
  });
  const asking = variation.form('memory.read', {
    topic: { names, schema: { type: 'string', maxLength: 60 }, optional: true },
  });
  return { writing, asking };
}
