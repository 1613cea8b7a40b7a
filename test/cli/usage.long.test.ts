import { afterAll, describe, expect, test } from 'vitest';
import { COMMANDS as LISTED } from '../../src/cli/commands.ts';
import { cleanUp, freshDataDir } from '../support/real-server.ts';
import { firstLine, runCli } from './run-cli.ts';

afterAll(cleanUp);

/** Commands as they were published; further ones are only in the table. */
const PUBLISHED = [
  'serve',
  'stdio',
  'connect',
  'tour',
  'router',
  'hosting',
  'faucet',
  'audit-books',
  'contracts',
  'console',
  'control',
  'doctor',
  'sources',
  'report',
  'verify',
  'witness',
  'proofs',
  'erase',
  'passport',
  'reputation',
  'token',
  'machine',
  'paths',
];
const COMMANDS = Object.keys(LISTED);

/** Their first word names somebody: any word will do. */
const WITH_SUBJECT = ['erase', 'reputation'];
const REFUSALS = [
  'Unexpected argument "blue"',
  "Unknown command 'blue'. It must be one of",
  '--[\\w-]+ is missing',
  '.* is "blue"; it must be',
  'The file cannot be read',
  'No server runs on this data directory',
  'This is not a data directory',
  '"blue" is not a known upstream',
];

test.each([[['help']], [['--help']], [['-h']]])(
  '%j tells the commands and is fine',
  async (args) => {
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(firstLine(stdout)).toBe('Usage: stoa <command> [options]');
    const named = [...stdout.matchAll(/^ {2}([a-z]\S+) /gm)].map(([, name]) => name);
    expect(named).toEqual(COMMANDS);
    expect(COMMANDS).toEqual(expect.arrayContaining(PUBLISHED));
  },
);

test.each([
  ['sevre', "Unknown command 'sevre'. Did you mean serve?"],
  ['constructor', "Unknown command 'constructor'."],
  ['__proto__', "Unknown command '__proto__'."],
  ['-x', "Unknown option '-x'."],
])('the command %j is wrong usage: %s', async (name, says) => {
  const { code, stdout, stderr } = await runCli([name]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toBe(`stoa: CONFIG_INVALID: ${says}\nSee \`stoa help\`.\n`);
});

describe.each(COMMANDS)('%s', (command) => {
  test('refuses a flag that it does not know', async () => {
    const { code, stdout, stderr } = await runCli([command, '--colour', 'blue']);
    expect([code, stdout]).toEqual([2, '']);
    const says = "CONFIG_INVALID: (Unknown option '--colour'|--[\\w-]+ is missing)";
    expect(stderr).toMatch(new RegExp(`${says}.*\nSee \`stoa help ${command}\``));
  });

  test('refuses a word that is no flag, or that names nothing here', async () => {
    const args = WITH_SUBJECT.includes(command) ? ['--data', freshDataDir()] : [];
    const { code, stdout, stderr } = await runCli([command, 'blue', ...args]);
    expect([code, stdout]).toEqual([WITH_SUBJECT.includes(command) ? code : 2, '']);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(new RegExp(`CONFIG_INVALID: (${REFUSALS.join('|')})`));
  });
});

test.each([
  [['serve', '--port', '70000'], '--port is "70000"'],
  [['serve', '--port', 'http'], '--port is "http"'],
  [['serve', '--http', 'apache'], '--http is "apache"'],
  [['serve', '--port'], "Option '--port <number>' argument missing"],
  [['stdio', '--server', 'bank'], '--server is "bank"'],
  [['faucet'], '--to is missing'],
])('%j is wrong usage and says why', async (args, why) => {
  const { code, stderr } = await runCli([...args, ...dataFlag(args)]);
  expect(code).toBe(2);
  expect(firstLine(stderr)).toContain(`stoa: CONFIG_INVALID: ${why}`);
});

test('fixtures are not served where others reach them', async () => {
  const flags = ['--host', '0.0.0.0', '--port', '0', '--conformance-fixtures'];
  const { code, stderr } = await runCli(['serve', ...flags, '--data', freshDataDir()]);
  expect(code).toBe(2);
  expect(stderr).toContain('CONFIG_INVALID: Conformance fixtures require a loopback address');
});

/** A trailing flag without its value must stay the last one. */
function dataFlag(args: readonly string[]): readonly string[] {
  return args.at(-1) === '--port' ? [] : ['--data', freshDataDir()];
}
