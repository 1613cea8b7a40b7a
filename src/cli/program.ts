import { Command, CommanderError } from 'commander';
import { VERSION } from '../version.ts';
import { COMMANDS } from './commands.ts';
import {
  type CommandRow,
  declareUsage,
  muteErrors,
  rejectAmbiguousWords,
  toUsageError,
} from './common/usage.ts';

type Rows = Readonly<Record<string, CommandRow>>;

const ABOUT = 'Panels of agents and paid jobs, served to MCP clients.';
const VERSION_FLAGS = ['--version', '-V'];
const MORE =
  '\n"stoa help <command>" shows what a command takes, with examples.' +
  '\n"stoa" alone is "stoa serve".';

/** Command that runs without a word, as after `npx stoa`. */
const DEFAULT_COMMAND = 'serve';

/**
 * Runs a command line, or prints its help or the version. Without a word it serves.
 *
 * @returns The exit code.
 *
 * @throws {AppError} `CONFIG_INVALID` for wrong usage; the command's own errors.
 */
export async function runCommand(argv: readonly string[]): Promise<number> {
  const words = normalizeWords(argv);
  let code = 0;
  const program = createProgram((result) => {
    code = result;
  });
  const path = findPath(words);
  const command = path.reduce(findChild, program);
  rejectAmbiguousWords(command, words.slice(path.length));
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (thrown) {
    const isAnswered = thrown instanceof CommanderError && thrown.exitCode === 0;
    if (!isAnswered) throw toUsageError(thrown, command);
  }
  return code;
}

/**
 * Returns the words that commander reads. `help` may stand before or behind the commands, and every
 * command answers `--version`.
 */
function normalizeWords(argv: readonly string[]): readonly string[] {
  const [first] = argv;
  if (first === undefined) return [DEFAULT_COMMAND];
  if (first === 'help') return [...argv.slice(1), '--help'];
  const path = findPath(argv);
  const [next = '', ...rest] = argv.slice(path.length);
  if (first === 'version' || (rest.length === 0 && VERSION_FLAGS.includes(next))) {
    return ['--version'];
  }
  return next === 'help' && hasActions(path) ? [...path, ...rest, '--help'] : argv;
}

function hasActions(path: readonly string[]): boolean {
  const row = path.reduce<CommandRow | undefined>(
    (parent, name) => (parent === undefined ? COMMANDS[name] : parent.commands?.[name]),
    undefined,
  );
  return row?.commands !== undefined;
}

/** Returns the command that prints the help for a command line. */
export function findHelp([first = '', ...rest]: readonly string[]): string {
  return ['stoa help', ...findPath(first === 'help' ? rest : [first, ...rest])].join(' ');
}

function createProgram(finish: (code: number) => void): Command {
  const program = new Command('stoa');
  muteErrors(program)
    .helpOption('-h, --help', 'Print this help')
    .configureHelp({ subcommandTerm: (command) => command.name() });
  addCommands(program, COMMANDS, finish);
  return program
    .usage('<command> [options]')
    .description(ABOUT)
    .version(VERSION, '-V, --version', 'Print the version')
    .addHelpText('after', MORE);
}

function addCommands(parent: Command, rows: Rows, finish: (code: number) => void): void {
  // The first word that is no flag names a command; the rest is left to it.
  parent.enablePositionalOptions().passThroughOptions().helpCommand(false);
  for (const [name, { usage, run, commands }] of Object.entries(rows)) {
    const command = declareUsage(parent.command(name), usage);
    if (usage.group !== undefined) command.helpGroup(`${usage.group}:`);
    if (run !== undefined) command.action(async () => finish(await run(command)));
    if (commands !== undefined) addCommands(command, commands, finish);
  }
}

/** Returns the leading words that name a command and its action. */
function findPath([word = '', ...rest]: readonly string[], rows: Rows = COMMANDS): string[] {
  const row = Object.hasOwn(rows, word) ? rows[word] : undefined;
  return row === undefined ? [] : [word, ...findPath(rest, row.commands ?? {})];
}

function findChild(parent: Command, name: string): Command {
  return parent.commands.find((each) => each.name() === name) ?? parent;
}
