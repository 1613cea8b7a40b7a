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
      entry: `  ${toKey(own)}: {
    about: 'say what it does (--data)',
    load: async () => (await import('./${name}.ts')).${run},
  }`,
    });
    plan.create(path, commandFile(own, run));
    plan.createTest(`test/cli/${name}.test.ts`, {
      name: `stoa ${own}`,
      imports: [`import { ${run} } from '../../../${path}';`],
      lines: [`expect(await ${run}([])).toBe(0);`],
    });
    plan.left.push(`${path}: flags and output; ${LIST}: its line in the usage`);
  },
};

function commandFile(own, run) {
  return `import { readFlags } from '../common/flags.ts';

/** \`stoa ${own} [--data DIR]\`: say what it does. */
export async function ${run}(argv: readonly string[]): Promise<number> {
  const { data } = readFlags(argv, { data: { type: 'string', default: './data' } });
  process.stdout.write(\`\${data}\\n\`);
  return 0;
}
`;
}
