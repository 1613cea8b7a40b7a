import { Argument, Command, CommanderError, Option } from 'commander';
import { AppError, invalidSetting } from '../../domain/common/error.ts';

/** A flag. Without `value` it is a switch. */
export interface Flag {
  readonly about: string;
  /** What its value is, such as `dir`. */
  readonly value?: string;
  readonly default?: string;
  readonly allowed?: readonly string[];
  readonly isRequired?: true;
  /** It may be repeated; its value is a list. */
  readonly isMultiple?: true;
}

/** An argument that is no flag. */
export interface Word {
  readonly about: string;
  readonly isOptional?: true;
  /** It takes all remaining words; its value is a list. */
  readonly isMultiple?: true;
}

/** What a command takes. The parser, the help and the types of the values follow from it. */
export interface Usage {
  /** What it does, in one or two sentences. The list of commands shows the first one. */
  readonly about: string;
  /** The heading above it in the list of commands. */
  readonly group?: string;
  readonly args?: Readonly<Record<string, Word>>;
  readonly flags?: Readonly<Record<string, Flag>>;
  readonly examples: readonly string[];
}

type Text<F> = F extends { readonly allowed: readonly (infer A)[] } ? A : string;
type FlagValue<F> = F extends { readonly isMultiple: true }
  ? readonly string[]
  : F extends { readonly isRequired: true } | { readonly default: string }
    ? Text<F>
    : F extends { readonly value: string }
      ? Text<F> | undefined
      : boolean;
type WordValue<W> = W extends { readonly isMultiple: true }
  ? readonly string[]
  : W extends { readonly isOptional: true }
    ? string | undefined
    : string;

/** The values that a command receives, by the names of its arguments and flags. */
export type Input<U extends Usage> = {
  readonly [Name in keyof U['flags']]: FlagValue<U['flags'][Name]>;
} & { readonly [Name in keyof U['args']]: WordValue<U['args'][Name]> };

/** A command of the table. It has commands of its own, or runs. */
export interface CommandRow {
  readonly usage: Usage;
  /** Runs it with what the parser read; returns the exit code. */
  readonly run?: (parsed: Command) => Promise<number>;
  readonly commands?: Readonly<Record<string, CommandRow>>;
}

/** Creates a command. Its module loads when it runs. */
export function createRow<const U extends Usage>(
  usage: U,
  load: () => Promise<(input: Input<U>) => number | Promise<number>>,
): CommandRow {
  return { usage, run: async (parsed) => (await load())(readInput(parsed, usage)) };
}

/**
 * Parses arguments that are not those of this process, such as the flags of a server in a program.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function parseInput<const U extends Usage>(usage: U, words: readonly string[]): Input<U> {
  const command = declareUsage(new Command(), usage);
  rejectAmbiguousWords(command, words);
  try {
    return readInput(muteErrors(command).parse(words, { from: 'user' }), usage);
  } catch (thrown) {
    throw toUsageError(thrown, command);
  }
}

/** Declares arguments, flags and help to the parser. */
export function declareUsage(command: Command, usage: Usage): Command {
  const { about, args = {}, flags = {}, examples } = usage;
  const [summary = ''] = about.split('. ');
  command.description(about).summary(summary.replace(/\.$/, ''));
  for (const [name, { about: meaning, isOptional, isMultiple }] of Object.entries(args)) {
    const shown = isMultiple ? `${name}...` : name;
    const argument = new Argument(isOptional ? `[${shown}]` : `<${shown}>`, meaning);
    if (!isOptional) argument.argParser((given) => requireText(name, given));
    command.addArgument(argument);
  }
  for (const [name, flag] of Object.entries(flags)) command.addOption(createOption(name, flag));
  const lines = examples.map((example) => `  $ ${example}\n`).join('');
  return command.addHelpText(
    'after',
    `\n${examples.length > 1 ? 'Examples' : 'Example'}:\n${lines}`,
  );
}

function createOption(name: string, flag: Flag): Option {
  const { about, value, allowed, isRequired, isMultiple } = flag;
  const meaning = isRequired ? `${about} (required)` : about;
  const option = new Option(value === undefined ? `--${name}` : `--${name} <${value}>`, meaning);
  // A flag such as `--no-bind` has its own name; it does not negate another one.
  option.negate = false;
  if (flag.default !== undefined) option.default(flag.default);
  if (allowed !== undefined) option.choices(allowed);
  if (value === undefined) return option;
  return option.argParser<unknown>((given, before) => {
    if (allowed?.includes(given) === false) {
      throw invalidSetting(`--${name}`, given, `one of ${allowed.join(', ')}`);
    }
    return isMultiple ? [...(Array.isArray(before) ? before : []), given] : given;
  });
}

function readInput<U extends Usage>(command: Command, { args = {}, flags = {} }: U): Input<U> {
  const given = Object.keys(args).map((name, at) => [name, command.processedArgs[at]]);
  const set = Object.entries(flags).map(([name, { value, isRequired, isMultiple }]) => {
    const option = command.options.find(({ long }) => long === `--${name}`);
    const absent = isMultiple ? [] : value === undefined ? false : undefined;
    const read: unknown = command.getOptionValue(option?.attributeName() ?? name) ?? absent;
    // The parser would check this before it names a misspelled flag.
    if (isRequired && read === undefined) throw usageError(`--${name} is missing.`);
    return [name, read];
  });
  return Object.fromEntries([...given, ...set]) as Input<U>;
}

/** Makes the parser throw its errors. */
export function muteErrors(command: Command): Command {
  return command.exitOverride().configureOutput({ writeErr: () => undefined });
}

/**
 * Rejects words that may be a value or a flag. The parser would take them as values.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function rejectAmbiguousWords({ options }: Command, words: readonly string[]): void {
  const end = words.indexOf('--');
  for (const [at, word] of (end < 0 ? words : words.slice(0, end)).entries()) {
    const cut = word.indexOf('=');
    const name = cut < 0 ? word : word.slice(0, cut);
    const option = options.find(({ long }) => long === name);
    const next = words[at + 1] ?? '';
    if (option === undefined && isNegative(word)) throw usageError(`Unknown option '${word}'.`);
    if (option?.required === false && cut >= 0) {
      throw usageError(`${name} takes no value; it has ${JSON.stringify(word.slice(cut + 1))}.`);
    }
    if (option?.required && cut < 0 && next.length > 1 && next.startsWith('-')) {
      throw usageError(`The value of ${name} is missing. For a dash, write ${name}=${next}.`);
    }
  }
}

function isNegative(word: string): boolean {
  return word.startsWith('-') && Number.isFinite(Number(word));
}

/** Converts an error of the parser; returns any other as it is. */
export function toUsageError(thrown: unknown, command: Command): unknown {
  if (!(thrown instanceof CommanderError)) return thrown;
  const { args, commands, registeredArguments } = command;
  const allowed = commands.map((each) => each.name()).join(', ');
  switch (thrown.code) {
    case 'commander.excessArguments':
      return usageError(`Unexpected argument ${JSON.stringify(args[registeredArguments.length])}.`);
    case 'commander.help':
      return usageError(`The action is missing; it must be one of ${allowed}.`);
    default: {
      const [what = '', like] = thrown.message.replace('error: ', '').split('\n(');
      const words = `${what.charAt(0).toUpperCase()}${what.slice(1)}.`.replace('..', '.');
      const isAction = thrown.code === 'commander.unknownCommand' && command.parent !== null;
      const hint = like?.slice(0, -1) ?? (isAction ? `It must be one of ${allowed}.` : '');
      return usageError(`${words} ${hint}`.trimEnd());
    }
  }
}

function requireText(name: string, given: string): string {
  if (given === '') throw usageError(`The argument ${name} is empty.`);
  return given;
}

function usageError(message: string): AppError {
  return new AppError('CONFIG_INVALID', { message });
}
