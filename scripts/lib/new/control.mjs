import { toKey, toTitle } from './names.mjs';

const LIST = 'src/domain/control/control-catalog.ts';

/** A control that the operator can change. */
export const control = {
  what: 'control',
  about: 'a control with a label, what it does and what it does not',
  form: 'words in kebab-case',
  example: 'refund-window',
  pattern: /^[a-z]+(-[a-z]+)+$/,
  plan: (plan, name) => {
    plan.addLine(LIST, {
      list: 'ENTRIES',
      key: name,
      entry: `  ${toKey(name)}: {
    label: 'OFF',
    title: '${toTitle(name)}',
    stage: 'during',
    does: 'Say what ${name} does while it is LIVE.',
    limit: 'Say what ${name} does not do.',
    price: 'free',
    tools: [],
    paths: [],
    labels: ['OFF'],
    fixed: 'Nothing reads it yet, so it has nothing to act on.',
  }`,
    });
    plan.createTest(`test/domain/control/${name}.test.ts`, {
      name: `the control ${name}`,
      imports: ["import { CONTROL_IDS } from '../../../src/domain/control/control-catalog.ts';"],
      lines: [`expect(CONTROL_IDS).toContain('${name}');`],
    });
    plan.left.push(`${LIST}: its texts, its labels, and the tools and paths that it guards`);
    plan.left.push('node scripts/docs.mjs --source: its section in docs/controls.md');
  },
};
