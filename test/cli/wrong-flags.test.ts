import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { auditBooks } from '../../src/cli/audit/audit-books.ts';
import { control } from '../../src/cli/control/control.ts';
import { contracts } from '../../src/cli/machine/contracts.ts';
import { passport } from '../../src/cli/passport/passport.ts';
import { proofs } from '../../src/cli/proof/proofs.ts';
import { verify } from '../../src/cli/proof/verify.ts';
import { witness } from '../../src/cli/proof/witness.ts';
import { report } from '../../src/cli/report/report.ts';
import { reputation } from '../../src/cli/reputation/reputation.ts';
import { tempDir } from '../support/temp-dir.ts';
import { refusalOf } from '../support/tool-answers.ts';

// The commands themselves, without a process for each. usage.long.test.ts has the exit codes.
const COMMANDS = {
  contracts,
  control,
  passport,
  proofs,
  report,
  reputation,
  verify,
  witness,
  'audit-books': auditBooks,
};
type Command = keyof typeof COMMANDS;
type Call = readonly [Command, ...string[]];

const HERE = 'http://127.0.0.1:9';
const BOOKS: Call = ['audit-books', '--rpc', HERE, '--events', HERE];
const folder = tempDir();
const KEY_FILE = join(folder.path, 'witness.json');
const LOG: Call = ['witness', '--log', HERE, '--key-file', KEY_FILE, '--once'];
const RECORD: Call = ['reputation', `0x${'a'.repeat(40)}`, '--events', HERE];

afterAll(() => folder.remove());

/** Usage that is wrong in a value, of the commands that stand on trust. */
const WRONG: readonly [Call, string][] = [
  [['audit-books', '--rpc', HERE], 'The command takes two addresses'],
  [['audit-books', '--rpc', 'here', '--events', HERE], 'The command takes two addresses'],
  [[...BOOKS, '--escrow', '0x12'], '--escrow 0x and 40 hex digits'],
  [[...BOOKS, '--from-block', '-1'], "Option '--from-block' argument is ambiguous"],
  [[...BOOKS, '--from-block', 'first'], '--from-block with a whole number'],
  [[...BOOKS, '--wait', '1.5'], '--wait with a whole number'],
  [['contracts'], 'stoa contracts deploy'],
  [['contracts', 'destroy'], 'stoa contracts deploy'],
  [['contracts', 'deploy', '--json=yes'], "Option '--json' does not take an argument"],
  [['control', 'set', 'passport-read', 'OFF'], '--why is missing'],
  [['control', 'set', 'passport-read'], 'stoa control list | set'],
  [['control', 'lift'], 'stoa control list | set'],
  [['proofs'], 'stoa proofs rotate-key|anchor'],
  [['proofs', 'rotate'], 'stoa proofs rotate-key|anchor'],
  [['report'], 'stoa report'],
  [['report', '--html', 'page.html'], 'stoa report'],
  [['report', 'package.json', '--pdf', 'x'], "Unknown option '--pdf'"],
  [['report', 'package.json', '--signer', '0x1'], '--signer'],
  [['report', 'README.md'], 'is not valid JSON'],
  [['verify'], 'stoa verify'],
  [['verify', 'package.json', '--key', 'x'], '--key'],
  [['verify', 'package.json', '--witness', 'x'], '--witness'],
  [['verify', 'package.json', '--signer', '0x1'], '--signer'],
  [['verify', 'package.json', '--rpc', 'here'], '--rpc'],
  [['witness', '--key-file', KEY_FILE], '--log must be'],
  [['witness', '--log', HERE], '--key-file must be'],
  [[...LOG, '--every-s', '0'], '--every-s must be'],
  [[...LOG, '--log-key', 'x'], '--log-key must be'],
  [['reputation'], 'stoa reputation'],
  [[...RECORD, '--as-of', 'soon'], '--as-of must be'],
  [['reputation', `0x${'a'.repeat(40)}`, '--events', 'here'], '--events must be'],
  [['passport', 'mint', '--name', 'maker'], '--name and --class are required'],
  [['passport', 'show'], 'The name is missing'],
  [['passport', 'revoke', 'maker'], '--reason is missing'],
  [['passport', 'burn', 'maker'], 'Usage:'],
];

test.each(WRONG)('%j is wrong usage, and it says what is wrong', async ([name, ...args], says) => {
  const refusal = await refusalOf(() => COMMANDS[name](args));
  expect(refusal.code).toBe('CONFIG_INVALID');
  expect(refusal.message).toContain(says);
});

test.each<[Call, string]>([
  [[...BOOKS, '--wait', '0'], 'CHAIN_UNAVAILABLE'],
  [RECORD, 'SERVER_UNREACHABLE'],
  [['control', 'list', '--data', folder.path], 'NOT_CONFIGURED'],
])('%j is right and finds nobody: it says so', async ([name, ...args], code) => {
  expect((await refusalOf(() => COMMANDS[name](args))).code).toBe(code);
});
