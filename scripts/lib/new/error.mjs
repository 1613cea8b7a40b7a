const LIST = 'src/domain/common/error.ts';
const PINS = 'test/pins/errors.test.ts';

/** An error code. */
export const error = {
  what: 'error',
  about: 'an error code, with its status and its retry rule',
  form: 'words in UPPER_SNAKE_CASE',
  example: 'QUOTA_USED',
  pattern: /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/,
  plan: (plan, name) => {
    plan.addLine(LIST, {
      list: 'ERRORS',
      key: name,
      isSorted: true,
      entry: `${name}: errorRow(422, 'after_fix', 'Say what is wrong.')`,
    });
    plan.addLine(PINS, {
      list: 'PINNED',
      key: name,
      isSorted: true,
      entry: `${name}: [422, 'after_fix']`,
    });
    plan.left.push(`${LIST}: status, retry and summary; the same status and retry in ${PINS}`);
    plan.left.push('node scripts/docs.mjs --source: its section in docs/errors.md');
  },
};
