import { type ParseArgsConfig, parseArgs } from 'node:util';
import { AppError } from '../../domain/common/error.ts';

/** Flags of a command, in the form of `parseArgs`. */
export type Flags = NonNullable<ParseArgsConfig['options']>;
type Values<T extends Flags> = ReturnType<typeof parseArgs<{ readonly options: T }>>['values'];

/**
 * Parses the flags and positional arguments of a command. An unknown flag is an error.
 *
 * @throws {AppError} `CONFIG_INVALID` naming the flag.
 */
export function readArguments<T extends Flags>(
  argv: readonly string[],
  options: T,
): { readonly values: Values<T>; readonly positionals: readonly string[] } {
  return parseOrThrow(() => parseArgs({ args: [...argv], allowPositionals: true, options }));
}

/**
 * Parses the flags of a command. An unknown flag or a positional argument is an error.
 *
 * @throws {AppError} `CONFIG_INVALID` naming the flag.
 */
export function readFlags<T extends Flags>(argv: readonly string[], options: T): Values<T> {
  return parseOrThrow(() => parseArgs({ args: [...argv], options }).values);
}

function parseOrThrow<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', { message: String((cause as Error).message), cause });
  }
}
