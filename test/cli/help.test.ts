import { expect, onTestFinished, test, vi } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import type { CommandRow } from '../../src/cli/common/usage.ts';
import { runCommand } from '../../src/cli/program.ts';
import { VERSION } from '../../src/version.ts';
import { refusalOf } from '../support/tool-answers.ts';

// Help that loaded the modules of the commands would open a store or wait for a network.
const HANG = { timeout: 20_000 };

type Row = readonly [path: readonly string[], row: CommandRow];

/** Every command, and every action of one. */
function listRows(rows: Readonly<Record<string, CommandRow>>): readonly Row[] {
  return Object.entries(rows).flatMap(([name, row]) => [
    [[name], row] as const,
    ...listRows(row.commands ?? {}).map(([path, inner]) => [[name, ...path], inner] as const),
  ]);
}

/** Runs a command line that prints and does nothing else; returns what it printed. */
async function printed(...argv: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  onTestFinished(() => write.mockRestore());
  expect(await runCommand(argv)).toBe(0);
  write.mockRestore();
  return lines.join('');
}

test.each(listRows(COMMANDS))('%j has help that names all it takes', HANG, async (path, row) => {
  const help = await printed('help', ...path);
  expect(await printed(...path, '--help')).toBe(help);
  expect(await printed(...path, '-h')).toBe(help);
  expect(help.startsWith(`Usage: stoa ${path.join(' ')}`)).toBe(true);
  const { about, args = {}, flags = {}, examples } = row.usage;
  const flat = help.replaceAll(/\s+/g, ' ');
  for (const example of examples) expect(help).toContain(`  $ ${example}\n`);
  for (const name of Object.keys(args)) expect(help).toMatch(new RegExp(`[<[]${name}[.\\]>]`));
  for (const [name, flag] of Object.entries(flags)) {
    expect(flat).toContain(` --${name} ${flag.value === undefined ? '' : `<${flag.value}> `}`);
    expect(flat).toContain(flag.about);
    for (const value of flag.allowed ?? []) expect(flat).toContain(`"${value}"`);
    if (flag.default !== undefined) expect(flat).toContain(`default: "${flag.default}"`);
  }
  expect(flat).toContain(about);
  for (const name of Object.keys(row.commands ?? {})) expect(help).toContain(`\n  ${name} `);
});

test('the list of commands has one line for each, under headings', HANG, async () => {
  const list = await printed('help');
  for (const form of ['--help', '-h']) expect(await printed(form)).toBe(list);
  const named = [...list.matchAll(/^ {2}([a-z]\S+) {2,}\S.*$/gm)].map(([, name]) => name);
  expect(named).toEqual(Object.keys(COMMANDS));
  const headings = [...list.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual([
    ...['Options', 'Serve and connect', 'Money and wallets', 'Audit and verify'],
    ...['Operate', 'Develop'],
  ]);
  expect(Math.max(...list.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(list).not.toMatch(/^ {4}/m);
});

test.each([
  [['--version'], ['-V'], ['version']],
  ...listRows(COMMANDS).map(([path]) => [
    [...path, '--version'],
    [...path, '-V'],
  ]),
])('%j prints the version, as every command does', HANG, async (...forms) => {
  for (const form of forms) expect(await printed(...form)).toBe(`${VERSION}\n`);
});

test('help may stand behind a command that has actions', HANG, async () => {
  const help = await printed('help', 'passport');
  expect(await printed('passport', 'help')).toBe(help);
  expect(await printed('passport', 'help', 'mint')).toBe(await printed('help', 'passport', 'mint'));
});

test('without a word it serves, and says what is wrong with that', HANG, async () => {
  vi.stubEnv('STOA_PUBLIC_URL', 'no address');
  onTestFinished(() => void vi.unstubAllEnvs());
  const expected = { code: 'CONFIG_INVALID', message: expect.stringContaining('STOA_PUBLIC_URL') };
  expect(await refusalOf(() => runCommand([]))).toMatchObject(expected);
});

test.each<[readonly string[], string]>([
  [['sevre'], "Unknown command 'sevre'. Did you mean serve?"],
  [['help', 'sevre'], "Unknown command 'sevre'. Did you mean serve?"],
  [['sevre', '--help'], "Unknown command 'sevre'. Did you mean serve?"],
  [['serve', '--prot', '1'], "Unknown option '--prot'. Did you mean --port?"],
  [['token', 'crate'], "Unknown command 'crate'. Did you mean create?"],
  [['help', 'token', 'crate'], "Unknown command 'crate'. Did you mean create?"],
  [['token', 'create', '--nmae', 'x'], "Unknown option '--nmae'. Did you mean --name?"],
  [['--verison'], "Unknown option '--verison'. Did you mean --version?"],
  [['serve', '--versoin'], "Unknown option '--versoin'."],
])('%j is a typo, and the answer is: %s', HANG, async (argv, says) => {
  expect(await refusalOf(() => runCommand(argv))).toMatchObject({
    code: 'CONFIG_INVALID',
    message: says,
  });
});
