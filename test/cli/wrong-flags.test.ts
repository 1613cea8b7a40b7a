import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../../src/cli/program.ts';
import { tempDir } from '../support/temp-dir.ts';
import { refusalOf } from '../support/tool-answers.ts';

// The commands themselves, without a process for each. usage.long.test.ts has the exit codes.
type Call = readonly [string, ...string[]];

const HERE = 'http://127.0.0.1:9';
const BOOKS: Call = ['audit-books', '--rpc', HERE, '--events', HERE];
const folder = tempDir();
const KEY_FILE = join(folder.path, 'witness.json');
const LOG: Call = ['witness', '--log', HERE, '--key-file', KEY_FILE, '--once'];
const RECORD: Call = ['reputation', `0x${'a'.repeat(40)}`, '--events', HERE];

afterAll(() => folder.remove());

/** Usage that is wrong in a value, of the commands that stand on trust. */
const WRONG: readonly [Call, string][] = [
  [['audit-books', '--rpc', HERE], '--events is missing'],
  [['audit-books', '--rpc', 'here', '--events', HERE], 'The command takes two addresses'],
  [[...BOOKS, '--escrow', '0x12'], '--escrow 0x and 40 hex digits'],
  [[...BOOKS, '--from-block', '-1'], 'write --from-block=-1'],
  [[...BOOKS, '--from-block=-1'], '--from-block with a whole number'],
  [[...BOOKS, '--from-block', 'first'], '--from-block with a whole number'],
  [[...BOOKS, '--wait', '1.5'], '--wait with a whole number'],
  [['contracts'], 'must be one of deploy'],
  [['contracts', 'destroy'], "Unknown command 'destroy'. Did you mean deploy?"],
  [['contracts', 'deploy', '--json=yes'], '--json takes no value'],
  [['control', 'set', 'passport-read', 'OFF'], '--why is missing'],
  [['control', 'set', 'passport-read', '--why', 'x'], "Missing required argument 'label'"],
  [['control', 'lift'], "Unknown command 'lift'. Did you mean list?"],
  [['proofs'], 'must be one of rotate-key, anchor'],
  [['proofs', 'rotate'], 'must be one of rotate-key, anchor'],
  [['report'], "Missing required argument 'file'"],
  [['report', '--html', 'page.html'], "Missing required argument 'file'"],
  [['report', 'package.json', '--pdf', 'x'], "Unknown option '--pdf'."],
  [['report', 'package.json', '--signer', '0x1'], '--signer'],
  [['report', 'README.md'], 'is not valid JSON'],
  [['verify'], "Missing required argument 'file'"],
  [['verify', 'package.json', '--key', 'x'], '--key'],
  [['verify', 'package.json', '--witness', 'x'], '--witness'],
  [['verify', 'package.json', '--signer', '0x1'], '--signer'],
  [['verify', 'package.json', '--rpc', 'here'], '--rpc'],
  [['witness', '--key-file', KEY_FILE], '--log is missing'],
  [['witness', '--log', HERE], '--key-file is missing'],
  [[...LOG, '--every-s', '0'], '--every-s must be'],
  [[...LOG, '--log-key', 'x'], '--log-key must be'],
  [['reputation'], "Missing required argument 'subject'"],
  [['erase', ''], 'subject is empty'],
  [['erase', '-5'], "Unknown option '-5'"],
  [[...RECORD, '--as-of', 'soon'], '--as-of must be'],
  [['reputation', `0x${'a'.repeat(40)}`, '--events', 'here'], '--events must be'],
  [['passport', 'mint', '--name', 'maker'], '--class is missing'],
  [['passport', 'show'], "Missing required argument 'subject'"],
  [['passport', 'revoke', 'maker'], '--reason is missing'],
  [['passport', 'burn', 'maker'], 'must be one of mint, show, bind, claim, revoke'],
];

test.each(WRONG)('%j is wrong usage, and it says what is wrong', async (call, says) => {
  const refusal = await refusalOf(() => runCommand(call));
  expect(refusal.code).toBe('CONFIG_INVALID');
  expect(refusal.message).toContain(says);
});

test.each<[Call, string]>([
  [[...BOOKS, '--wait', '0'], 'CHAIN_UNAVAILABLE'],
  [RECORD, 'SERVER_UNREACHABLE'],
  [['control', 'list', '--data', folder.path], 'NOT_CONFIGURED'],
])('%j is right and finds nobody: it says so', async (call, code) => {
  expect((await refusalOf(() => runCommand(call))).code).toBe(code);
});
