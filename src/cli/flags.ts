import { type ParseArgsConfig, parseArgs } from 'node:util';
import { AppError } from '../domain/error.ts';

type Flags = NonNullable<ParseArgsConfig['options']>;
type Values<T extends Flags> = ReturnType<typeof parseArgs<{ readonly options: T }>>['values'];

/**
 * Reads the flags of a command; what is not among them, and anything else, is wrong usage.
 *
 * @throws {AppError} `CONFIG_INVALID` naming the flag.
 */
export function readFlags<T extends Flags>(argv: readonly string[], options: T): Values<T> {
  try {
    return parseArgs({ args: [...argv], options }).values;
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', { message: String((cause as Error).message), cause });
  }
}
