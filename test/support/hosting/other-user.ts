import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Who has nothing on any machine. */
const NOBODY = 65_534;
const CHECKOUT = join(import.meta.dirname, '../../..');

/** A user without rights for a test: nobody, or whoever runs the tests where that is not root. */
export function ordinaryUser(): { readonly uid?: number; readonly isAble: boolean } {
  if (process.getuid?.() !== 0) return { isAble: true };
  const [program = '', ...args] = becoming(NOBODY);
  const look = spawnSync(program, [...args, 'test', '-x', join(CHECKOUT, 'src')]);
  return { uid: NOBODY, isAble: look.status === 0 };
}

/** A Node that runs as a user, as a program in a folder of that user; this one for none. */
export function nodeOf(uid: number | undefined, folder: string): string {
  if (uid === undefined) return process.execPath;
  const file = join(folder, 'node');
  const command = [...becoming(uid), process.execPath].join(' ');
  writeFileSync(file, `#!/bin/sh\nHOME=${folder} exec ${command} "$@"\n`, { mode: 0o755 });
  return file;
}

function becoming(uid: number): readonly string[] {
  return [
    ...['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--no-new-privs'],
    ...['--bounding-set=-all', '--inh-caps=-all'],
  ];
}
