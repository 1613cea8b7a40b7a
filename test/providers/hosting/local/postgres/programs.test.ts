import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openProgramRegistry } from '../../../../../src/providers/hosting/local/postgres/programs.ts';
import { MAJORS, RELEASES } from '../../../../../src/providers/hosting/local/postgres/releases.ts';
import { openSandbox } from '../../../../../src/providers/hosting/local/sandbox.ts';
import { refused } from '../../../../conformance/hosting/world.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const never = new AbortController().signal;
let dir: ReturnType<typeof tempDir>;
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => dir.remove());

function shelf(npm: string | undefined, arch = 'x64') {
  const bin = join(dir.path, 'bin');
  mkdirSync(bin, { recursive: true });
  if (npm !== undefined) writeFileSync(join(bin, 'npm'), `#!/bin/sh\n${npm}\n`);
  if (npm !== undefined) chmodSync(join(bin, 'npm'), 0o755);
  const path = npm === undefined ? bin : `${bin}:${process.env['PATH']}`;
  const folder = join(dir.path, 'programs');
  return openProgramRegistry({
    folder,
    sandbox: openSandbox(process.env),
    env: { PATH: path },
    arch,
  });
}

/** Gives a package with another content in place of the pinned one. */
const OTHER = `for last; do :; done
to=\${last#--pack-destination=}; echo changed > "$to/it.tgz"; echo '[{"filename":"it.tgz"}]'`;

test('each major has a pinned release, with a sum for each architecture', () => {
  for (const major of MAJORS) {
    const { version, sha512 } = RELEASES[major];
    expect(version.startsWith(`${major}.`)).toBe(true);
    for (const sum of Object.values(sha512)) expect(sum).toMatch(/^[A-Za-z0-9+/]{86}==$/);
    expect(sha512['x64']).toBeDefined();
  }
});

test('a package with another sum is refused, and nothing of it stays', async () => {
  const error = await refused(shelf(OTHER).programs('18', never), 'HOST_UNAVAILABLE');
  expect(error.message).toContain('wrong checksum');
  expect(readdirSync(join(dir.path, 'programs'))).toEqual([]);
});

test('a registry that does not answer is told, and the next call tries again', async () => {
  const programs = shelf('exit 1');
  const error = await refused(programs.programs('18', never), 'HOST_UNAVAILABLE');
  expect(error.message).toContain('could not be downloaded');
  await refused(programs.programs('18', never), 'HOST_UNAVAILABLE');
});

test('without a package manager a major that is not there says so', async () => {
  const programs = shelf(undefined);
  const { '18': ability } = await programs.abilities();
  expect(ability).toMatchObject({ able: false, why: expect.stringContaining('npm') });
  await refused(programs.programs('18', never), 'NOT_CONFIGURED');
  expect(existsSync(join(dir.path, 'programs'))).toBe(false);
});

test('an architecture without packages and a major that never was are refused', async () => {
  const { '18': ability } = await shelf('exit 1', 'riscv64').abilities();
  expect(ability).toMatchObject({ able: false, why: expect.stringContaining('riscv64') });
  await refused(shelf('exit 1').programs('12', never), 'NOT_CONFIGURED');
  await refused(shelf('exit 1').programs('../18', never), 'NOT_CONFIGURED');
});
