import { nameTaken, toPascalCase, toUpperSnakeCase } from './names.mjs';

const BOUNDS = 'src/store/common/families.ts';
const TABLES = 'src/store/chain/trust-store.ts';

/** A key family of the trust store. */
export const family = {
  what: 'family',
  about: 'a key family of store/trust, with bound, age and trimmer',
  form: 'a subject and words in kebab-case',
  example: 'payment/refund-notes',
  pattern: /^[a-z]+(-[a-z]+)*\/[a-z]+(-[a-z]+)*$/,
  plan: (plan, name) => {
    const [subject, own] = name.split('/');
    const path = `src/store/${subject}/${own}.ts`;
    const test = `test/store/${subject}/${own}.test.ts`;
    const bound = `${toUpperSnakeCase(own)}_MAX`;
    if (plan.read(BOUNDS).text.includes(`'${own}'`)) throw nameTaken(own, BOUNDS);
    plan.create(path, familyFile(own, bound));
    plan.addLine(TABLES, { list: 'TRUST_TABLES', entry: `  '${own}'` });
    plan.addLine(BOUNDS, {
      list: 'FAMILY_BOUNDS',
      entry: `  {
    store: 'trust',
    families: ['${own}'],
    key: 'id',
    bound: '1,000',
    rowsMax: 1_000,
    age: 'until there are more, the first by key first',
    trimmer: '\`${own}.ts\`, with each new row',
    test: '\`${test}\`',
  }`,
    });
    const open = `open${toPascalCase(own)}`;
    plan.createTest(test, {
      name: `the family ${own}`,
      imports: [`import { ${bound}, ${open} } from '../../../${path}';`],
      lines: [`expect([${bound}, typeof ${open}]).toEqual([1_000, 'function']);`],
    });
    plan.left.push(`${path}: the form of its keys and rows; open it where it is used`);
    plan.left.push(`${BOUNDS}: key, bound, age and trimmer in words`);
    plan.left.push('node scripts/docs.mjs --source: its row in docs/retention.md');
  },
};

function familyFile(own, bound) {
  const type = toPascalCase(own);
  return `import type { TrustStore } from '../chain/trust-store.ts';
import type { JsonTable } from '../common/json-table.ts';

/** Most rows; with each further row, the first by key is removed. */
export const ${bound} = 1_000;

/** The rows of the key family \`${own}\`. */
export interface ${type} {
  find(id: string): string | undefined;
  /** Stores a row and resolves when it is on disk. */
  put(id: string, row: string): Promise<void>;
}

/** Opens the key family \`${own}\` in the trust environment. */
export function open${type}(store: TrustStore): ${type} {
  const rows: JsonTable<string, string> = store.table('${own}');
  return {
    find: (id) => rows.get(id),
    put: async (id, row) => {
      const isNew = rows.get(id) === undefined;
      const beyond = rows.count() + Number(isNew) - ${bound};
      const first = beyond > 0 ? rows.list({ limit: beyond }) : [];
      await store.environment.commit([
        ...first.map(({ key }) => rows.change(key)),
        rows.change(id, row),
      ]);
    },
  };
}
`;
}
