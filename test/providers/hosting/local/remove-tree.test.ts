import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeTree } from '../../../../src/providers/hosting/local/remove-tree.ts';
import { tempDir } from '../../../support/temp-dir.ts';

test('a folder that is nested deeper than a path may be long is removed', async () => {
  const dir = tempDir();
  try {
    const folder = join(dir.path, 'release');
    mkdirSync(folder);
    writeFileSync(join(folder, 'file'), 'x');
    const nest = 'for ($i = 0; $i < 3000; $i++) { mkdir "dd"; chdir "dd" }';
    execFileSync('perl', ['-e', nest], { cwd: folder });
    await removeTree(folder);
    expect(existsSync(folder)).toBe(false);
    await removeTree(folder);
  } finally {
    execFileSync('rm', ['-rf', dir.path]);
  }
});
