import { toCamelCase, toKey } from './names.mjs';

const LIST = 'src/cli/commands.ts';

/** A command of `stoa`. */
export const command = {
  what: 'command',
  about: 'a command of stoa',
  form: 'a subject and words in kebab-case',
  example: 'server/backup',
  pattern: /^[a-z]+(-[a-z]+)*\/[a-z]+(-[a-z]+)*$/,
  plan: (plan, name) => {
    const [, own] = name.split('/');
    const run = toCamelCase(own);
    const path = `src/cli/${name}.ts`;
    plan.addLine(LIST, {
      list: 'COMMANDS',
      key: own,
      entry: `  ${toKey(own)}: createRow(
    {
      group: 'Operate',
      about: 'Say what it does.',
      flags: { data: { value: 'dir', default: './data', about: 'Data directory' } },
      examples: ['stoa ${own}'],
    },
    async () => (await import('./${name}.ts')).${run},
  )`,
    });
    plan.create(path, commandFile(own, run));
    plan.createTest(`test/cli/${name}.test.ts`, {
      name: `stoa ${own}`,
      imports: [`import { ${run} } from '../../../${path}';`],
      lines: [`expect(await ${run}({ data: './data' })).toBe(0);`],
    });
    plan.left.push(`${path}: its output; ${LIST}: what it takes`);
  },
};

function commandFile(own, run) {
  return `/** \`stoa ${own}\`: say what it does. */
export async function ${run}({ data }: { readonly data: string }): Promise<number> {
  process.stdout.write(\`\${data}\\n\`);
  return 0;
}
`;
}
