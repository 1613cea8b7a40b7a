import { nameTaken, toCamelCase } from './names.mjs';

const FOLDER = 'src/actors/audit/probes';
const LIST = `${FOLDER}/probes.ts`;
/** The first of the load tests, which come last. */
const FIRST_LOAD_TEST = 'cancellation';

/** A probe of audits. */
export const probe = {
  what: 'probe',
  about: 'a probe of audits; the version of the probe set rises',
  form: 'words in kebab-case',
  example: 'unsigned-updates',
  pattern: /^[a-z]+(-[a-z]+)+$/,
  plan: (plan, name) => {
    const constant = toCamelCase(name);
    const ids = plan.list(FOLDER).flatMap((path) => {
      return (
        /probeId: '([^']+)'/g.exec(path.endsWith('.ts') ? plan.read(path).text : '')?.[1] ?? []
      );
    });
    if (ids.includes(name)) throw nameTaken(name, FOLDER);
    plan.create(`${FOLDER}/${name}.ts`, probeFile(name, constant));
    plan.addLine(LIST, {
      list: 'PROBES',
      entry: constant,
      before: FIRST_LOAD_TEST,
      line: `import { ${constant} } from './${name}.ts';`,
    });
    plan.change(LIST, ({ text }) =>
      text.replace(/(PROBE_SET_VERSION = )(\d+)/, (_all, begin, version) => {
        return `${begin}${Number(version) + 1}`;
      }),
    );
    plan.createTest(`test/actors/audit/probes/${name}.test.ts`, {
      name: `the probe ${name}`,
      imports: [`import { ${constant} } from '../../../../${FOLDER}/${name}.ts';`],
      lines: [`expect(${constant}.probeId).toBe('${name}');`],
    });
    plan.left.push(`${FOLDER}/${name}.ts: category, mode, bounds, and what it looks for`);
    plan.left.push('test/support/targets/faults: a target with the fault, and its twin without');
  },
};

function probeFile(name, constant) {
  return `import { MINUTE_MS } from '../../../domain/common/time.ts';
import { createProbe } from '../session/create-probe.ts';

/** Say which fault it detects. */
export const ${constant} = createProbe({
  probeId: '${name}',
  version: 1,
  category: 'ASI02',
  mode: 'active',
  title: 'Say what is wrong with the target',
  requestsMax: 10,
  totalMs: MINUTE_MS,
  look: async () => ({ outcome: 'not_applicable', reason: 'nothing is looked for yet' }),
});
`;
}
