import { addState } from './edit.mjs';
import { NewError } from './names.mjs';

/** A state of a machine. */
export const state = {
  what: 'state',
  about: 'a state of a machine; nested ones by path',
  form: 'a machine and a state in snake_case, below other states by a path with dots',
  example: 'alert/active.trigger.muted',
  pattern: /^[a-z][a-z-]*\/([a-z]+(_[a-z]+)*\.)*[a-z]+(_[a-z]+)*$/,
  plan: (plan, name) => {
    const [kind, at] = name.split('/');
    const path = plan.list('src/machines').find((file) => file.endsWith(`/${kind}.ts`));
    if (path === undefined || !/^export const version\b/m.test(plan.read(path).text)) {
      throw new NewError('PLACE_UNKNOWN', `No machine has the name \`${kind}\`.`);
    }
    const parents = at.split('.');
    const own = parents.pop();
    const entry = `${own}: { description: 'Say what holds in this state.' }`;
    plan.change(path, (file) => addState(file, parents, own, entry));
    plan.left.push(`${path}: the transitions into and out of ${at}; raise \`version\` and migrate`);
    plan.left.push('test/machines/common/registry.test.ts names it until it has them');
    plan.left.push('node scripts/docs.mjs --source: its page and its chart');
  },
};
