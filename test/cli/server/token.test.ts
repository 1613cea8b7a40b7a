import { expect, onTestFinished, test, vi } from 'vitest';
import { runCommand } from '../../../src/cli/program.ts';
import { openGrants } from '../../../src/process/hosting/hosting-tokens.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** Runs the command on a folder of its own, and gives what it said. */
function commands() {
  const { path, remove } = tempDir();
  const said: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said.push(String(text));
    return true;
  });
  onTestFinished(() => {
    spy.mockRestore();
    remove();
  });
  const run = async (...argv: readonly string[]): Promise<readonly string[]> => {
    said.length = 0;
    expect(await runCommand(['token', ...argv, '--data', path])).toBe(0);
    return said.join('').trimEnd().split('\n');
  };
  return { run, path };
}

test('a token is shown once, listed without itself, and taken back', async () => {
  const { run, path } = commands();
  const [made = '', words] = await run(
    ...['create', '--name', 'ci', '--workspace', 'tea-a1', '--toolsets', 'logs', '--read-only'],
  );
  expect(words).toContain('The token is shown only this once.');
  const grant = openGrants(path, () => undefined)(made);
  const toolsets = ['workspaces', 'logs'];
  expect(grant).toMatchObject({ workspaceId: 'tea-a1', toolsets, isReadOnly: true });
  const id = grant?.tokenId ?? '';
  const [listed = ''] = await run('list');
  expect(listed).toBe(`${id} ci: workspace tea-a1; toolsets workspaces, logs; read-only`);
  expect(await run('revoke', id)).toEqual([`Revoked ${id}.`]);
  expect((await run('list'))[0]).toContain('; revoked 2');
  expect(openGrants(path, () => undefined)(made)).toBeUndefined();
});

test('as JSON each line is an object', async () => {
  const { run } = commands();
  const [made = ''] = await run('create', '--name', 'any', '--json');
  expect(JSON.parse(made)).toMatchObject({ token: expect.any(String), name: 'any' });
  const [listed = ''] = await run('list', '--json');
  expect(JSON.parse(listed)).not.toHaveProperty('token');
});

test('a token of all toolsets includes each of them', async () => {
  const { run, path } = commands();
  const grants = openGrants(path, () => undefined);
  const [all = ''] = await run('create', '--name', 'a', '--toolsets', 'all');
  expect(grants(all)?.toolsets).toEqual(['workspaces', 'all']);
});

test.each([
  [[], 'must be one of create, list, revoke'],
  [['make'], 'must be one of create, list, revoke'],
  [['create'], '--name is missing'],
  [['create', '--name', ''], '--name is ""'],
  [['create', '--name', 'a\nb'], '--name is'],
  [['create', '--name', 'a', '--workspace', '../x'], '--workspace is "../x"'],
  [['create', '--name', 'a', '--toolsets', 'logs,boom'], '--toolsets is "boom"; it must be: work'],
  [['create', '--name', 'a', '--toolsets', 'all,host'], '--toolsets is "host"; it must be: work'],
  [['create', '--nmae', 'a'], '--nmae'],
  [['list', 'all'], 'all'],
  [['revoke'], "Missing required argument 'id'"],
] as const)('%j is wrong usage: %s', async (argv, said) => {
  await expect(runCommand(['token', ...argv])).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(said),
  });
});
