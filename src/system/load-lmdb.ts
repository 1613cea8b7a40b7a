import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { AppError } from '../domain/common/error.ts';

const ABI = /\babi(\d+)\b/;

/**
 * Loads the native part of lmdb from its package for this platform. The build puts this in place of
 * lmdb's own loader, which searches from the folder of the package lmdb.
 *
 * @param name - Package of the binaries.
 * @throws {AppError} `NOT_CONFIGURED` with the fix when no binary loads.
 */
// biome-ignore lint/style/noDefaultExport: lmdb imports its loader as the default
export default function loadLmdb(
  _folder?: string,
  name: string = `@lmdb/lmdb-${process.platform}-${process.arch}`,
): unknown {
  const require = createRequire(import.meta.url);
  const failures: unknown[] = [];
  try {
    const folder = dirname(require.resolve(name));
    for (const file of fittingFiles(readdirSync(folder))) {
      try {
        return require(join(folder, file));
      } catch (thrown) {
        // Made for another C library.
        failures.push(thrown);
      }
    }
  } catch (thrown) {
    failures.push(thrown);
  }
  throw new AppError('NOT_CONFIGURED', {
    message:
      `The store needs the native package ${name}, and none of its files load. Run \`npm install ` +
      '--include=optional`; the platforms are Linux, macOS and Windows on x64 and arm64.',
    data: { missing: name, received: `${process.platform}-${process.arch}` },
    cause: failures[0],
  });
}

/** Files for this version of Node come first, then those for all versions. */
function fittingFiles(files: readonly string[]): readonly string[] {
  const abiOf = (file: string): string | undefined => ABI.exec(file)?.[1];
  return files
    .filter((file) => file.endsWith('.node'))
    .filter((file) => [undefined, process.versions.modules].includes(abiOf(file)))
    .sort((one, other) => Number(abiOf(one) === undefined) - Number(abiOf(other) === undefined));
}
