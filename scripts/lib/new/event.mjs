import { addEntry } from './edit.mjs';
import { NewError, nameTaken } from './names.mjs';

const LIST = 'src/domain/hosting/event-types.ts';

/** A type of event in the history of a hosted service. */
export const event = {
  what: 'event',
  about: 'a type of event in the history of hosted services',
  form: 'a group and words in snake_case',
  example: 'disk/disk_resized',
  pattern: /^[a-z]+(_[a-z]+)*\/[a-z]+(_[a-z]+)*$/,
  plan: (plan, name) => {
    const [group, type] = name.split('/');
    const { text } = plan.read(LIST);
    if (text.includes(`'${type}'`)) throw nameTaken(type, LIST);
    const entries = new RegExp(`^  ${group}: \\[([^\\]]*)\\]`, 'm').exec(text);
    if (entries === null) {
      throw new NewError('PLACE_UNKNOWN', `${LIST} has no group \`${group}\`.`);
    }
    plan.change(LIST, (file) => {
      const list = `const LIST = [${entries[1]}];\n`;
      const changed = addEntry({ path: file.path, text: list }, 'LIST', `    '${type}'`);
      return file.text.replace(entries[0], `  ${group}: ${changed.slice(13, -2)}`);
    });
    plan.createTest(`test/machines/hosting/${type.replaceAll('_', '-')}.test.ts`, {
      name: `the event ${type}`,
      imports: ["import { EVENT_TYPES } from '../../../src/domain/hosting/event-types.ts';"],
      lines: [`expect(EVENT_TYPES).toContain('${type}');`],
    });
    plan.left.push('src/machines/hosting: emit it with `createHistoryEvent`');
  },
};
