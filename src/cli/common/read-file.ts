import { readFileSync, statSync } from 'node:fs';
import { AppError } from '../../domain/common/error.ts';

/**
 * Reads a file named on the command line.
 *
 * @throws {AppError} `CONFIG_INVALID` if it is missing or larger than `bytesMax`.
 */
export function readGivenFile(file: string, bytesMax: number): Buffer {
  try {
    const { size } = statSync(file);
    if (size <= bytesMax) return readFileSync(file);
    throw new AppError('CONFIG_INVALID', {
      message: 'The file is too large.',
      data: { received: size, allowed: bytesMax },
    });
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('CONFIG_INVALID', {
      message: 'The file cannot be read.',
      data: { file },
      cause,
    });
  }
}
