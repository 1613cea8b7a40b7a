import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import { findProgram } from '../sandbox/find-program.ts';
import type { AllowedCommand } from './audit-settings.ts';

/** Files in the root folder of a program's package. */
const PACKAGE_FILES = ['package.json', 'node_modules', 'pyproject.toml', 'pyvenv.cfg'];

/** The paths of a program in its sandbox. */
export interface ProgramPaths {
  /** Absolute path of the program. */
  readonly command: string;
  /** Absolute paths that it may read. */
  readonly readablePaths: readonly string[];
}

/**
 * Finds the paths that a program must read: the packages of its command and of the files in its
 * arguments, its working directory, and paths from the operator. A home folder or shared folder is
 * never included as a whole.
 *
 * @param path - Search path for programs.
 * @throws {AppError} `AUDIT_TARGET_DOWN` if the program does not exist.
 */
export function findProgramPaths(allowed: AllowedCommand, path: string): ProgramPaths {
  const { workingDirectory, args, reads = [] } = allowed;
  const command = isAbsolute(allowed.command)
    ? allowed.command
    : findProgram(allowed.command, { level: 'process', path });
  if (command === undefined || !existsSync(command)) {
    const data = { target: allowed.name, received: allowed.command };
    throw new AppError('AUDIT_TARGET_DOWN', { message: 'The program does not exist.', data });
  }
  const files = args
    .map((arg) => (workingDirectory === undefined ? arg : resolve(workingDirectory, arg)))
    .filter((arg) => isAbsolute(arg) && existsSync(arg));
  const folders = workingDirectory === undefined ? [] : [workingDirectory];
  const candidates = [command, ...files].flatMap((file) => [
    ...new Set([file, realpathSync(file)]),
  ]);
  return {
    command,
    readablePaths: [...new Set([...candidates.map(findPackageFolder), ...folders, ...reads])],
  };
}

/** Returns the package of a file, or its folder, or the file itself if the folder is shared. */
function findPackageFolder(file: string): string {
  const startFolder = statSync(file).isDirectory() ? file : dirname(file);
  for (let folder = startFolder; !isShared(folder); folder = dirname(folder)) {
    if (PACKAGE_FILES.some((name) => existsSync(join(folder, name)))) return folder;
  }
  const folder = basename(startFolder) === 'bin' ? dirname(startFolder) : startFolder;
  return isShared(folder) ? file : folder;
}

/** Returns whether a folder is not specific to one program: a root, a home or a parent of homes. */
function isShared(folder: string): boolean {
  const homes = [homedir(), process.env['HOME'] ?? homedir(), tmpdir(), '/usr', '/etc'];
  return homes.some((home) => home === folder || home.startsWith(`${folder}/`)) || folder === '/';
}
