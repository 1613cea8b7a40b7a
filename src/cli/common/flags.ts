import { type ParseArgsConfig, parseArgs } from 'node:util';
import { AppError } from '../../domain/common/error.ts';

/** Flags of a command, as `parseArgs` takes them. */
export type Flags = NonNullable<ParseArgsConfig['options']>;
type Values<T extends Flags> = ReturnType<typeof parseArgs<{ readonly options: T }>>['values'];

/**
 * Reads the flags of a command and the words beside them; other flags are wrong usage.
 *
 * @throws {AppError} `CONFIG_INVALID` naming the flag.
 */
export function readArguments<T extends Flags>(
  argv: readonly string[],
  options: T,
): { readonly values: Values<T>; readonly positionals: readonly string[] } {
  return parsed(() => parseArgs({ args: [...argv], allowPositionals: true, options }));
}

/**
 * Reads the flags of a command; what is not among them, and anything else, is wrong usage.
 *
 * @throws {AppError} `CONFIG_INVALID` naming the flag.
 */
export function readFlags<T extends Flags>(argv: readonly string[], options: T): Values<T> {
  return parsed(() => parseArgs({ args: [...argv], options }).values);
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', { message: String((cause as Error).message), cause });
  }
}
