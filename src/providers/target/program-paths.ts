import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import { findProgram } from '../sandbox/find-program.ts';
import type { AllowedCommand } from './stdio-target.ts';

/** Files that stand in the first folder of a program with all that belongs to it. */
const PACKAGE_FILES = ['package.json', 'node_modules', 'pyproject.toml', 'pyvenv.cfg'];

/** What a program is, for the place that it runs in. */
export interface ProgramPaths {
  /** Absolute path of the program. */
  readonly command: string;
  /** Absolute paths that it may read. */
  readonly reads: readonly string[];
}

/**
 * Finds what a program has to read: the packages of its command, of the files among its arguments
 * and its working directory, and what the operator names. A home and a folder of others are never
 * read as a whole.
 *
 * @param path - Where the operator's programs are looked for.
 * @throws {AppError} `AUDIT_TARGET_DOWN` where there is no such program.
 */
export function findProgramPaths(allowed: AllowedCommand, path: string): ProgramPaths {
  const { workingDirectory, args, reads = [] } = allowed;
  const command = isAbsolute(allowed.command)
    ? allowed.command
    : findProgram(allowed.command, { level: 'process', path });
  if (command === undefined || !existsSync(command)) {
    const data = { target: allowed.name, received: allowed.command };
    throw new AppError('AUDIT_TARGET_DOWN', { message: 'There is no such program.', data });
  }
  const files = args
    .map((arg) => (workingDirectory === undefined ? arg : resolve(workingDirectory, arg)))
    .filter((arg) => isAbsolute(arg) && existsSync(arg));
  const folders = workingDirectory === undefined ? [] : [workingDirectory];
  const named = [command, ...files].flatMap((file) => [...new Set([file, realpathSync(file)])]);
  return { command, reads: [...new Set([...named.map(findPackage), ...folders, ...reads])] };
}

/** The package that a file belongs to, or its folder, or itself where that would be too much. */
function findPackage(file: string): string {
  const own = statSync(file).isDirectory() ? file : dirname(file);
  for (let folder = own; !isShared(folder); folder = dirname(folder)) {
    if (PACKAGE_FILES.some((name) => existsSync(join(folder, name)))) return folder;
  }
  const folder = basename(own) === 'bin' ? dirname(own) : own;
  return isShared(folder) ? file : folder;
}

/** True for folders that hold what is not one program's: a root, a home, a folder of homes. */
function isShared(folder: string): boolean {
  const homes = [homedir(), process.env['HOME'] ?? homedir(), tmpdir(), '/usr', '/etc'];
  return homes.some((home) => home === folder || home.startsWith(`${folder}/`)) || folder === '/';
}
