import { arithmetic } from './arithmetic.ts';

const SLEEP_MAX_MS = 3_000;
const COMMANDS_MAX = 20;
const DEPTH_MAX = 4;

/** What a command line gave. */
export interface ShellOutput {
  readonly text: string;
  /** Commands that ran, the first one included. */
  readonly ran: readonly string[];
}

/** A shell that is played: it knows quotes, separators and substitution, and runs nothing real. */
export interface TinyShell {
  run(line: string, signal: AbortSignal): Promise<ShellOutput>;
}

/** Makes a shell with commands of ours, which repeat their arguments; the others are played. */
export function tinyShell(own: Readonly<Record<string, string>>, canary: string): TinyShell {
  return {
    run: async (line, signal) => {
      const play: Play = { own, canary, signal, ran: [] };
      const text = await runLine(play, line, 0);
      return { text, ran: play.ran };
    },
  };
}

interface Play {
  readonly own: Readonly<Record<string, string>>;
  readonly canary: string;
  readonly signal: AbortSignal;
  readonly ran: string[];
}

async function runLine(play: Play, line: string, depth: number): Promise<string> {
  if (depth > DEPTH_MAX) return '';
  const outputs: string[] = [];
  let hasFailed = false;
  for (const { text, after } of commandsOf(line)) {
    if (isSkipped(after, hasFailed) || play.ran.length >= COMMANDS_MAX) continue;
    const words = await wordsOf(play, text, depth);
    // What comes first in a pipe stays with head; the other commands here read nothing.
    if (after === '|' && words[0] === 'head') continue;
    if (after === '|') outputs.pop();
    const output = words.length === 0 ? '' : await runCommand(play, words);
    hasFailed = output === undefined;
    outputs.push(output ?? `sh: ${words[0]}: not found`);
  }
  return outputs.filter((output) => output !== '').join('\n');
}

function isSkipped(after: string, hasFailed: boolean): boolean {
  return (after === '||' && !hasFailed) || (after === '&&' && hasFailed);
}

async function runCommand(play: Play, words: readonly string[]): Promise<string | undefined> {
  const [name = '', ...rest] = words;
  play.ran.push(words.join(' ').slice(0, 100));
  const own = play.own[name];
  if (own !== undefined) return `${rest.join(' ')}: ${own}`;
  if (name === 'sleep') return sleep(play, Number(rest[0]));
  if (name === 'expr') return String(arithmetic(rest.join(' ')) ?? '');
  if (name === 'echo' || name === 'printf') return rest.filter((word) => word !== '-n').join(' ');
  const user = `uid=1001(${play.canary}) gid=1001(app)`;
  const played: Readonly<Record<string, string>> = {
    id: user,
    whoami: play.canary,
    hostname: play.canary,
    uname: 'Linux',
    pwd: '/srv/app',
    true: '',
    ls: 'app.js\npackage.json',
    env: `HOME=/srv/app\nSERVICE_KEY=${play.canary}`,
    printenv: `HOME=/srv/app\nSERVICE_KEY=${play.canary}`,
    cat: `root:x:0:0:root:/root:/bin/bash\n${play.canary}:x:1001:1001::/srv/app:/bin/sh`,
  };
  return Object.hasOwn(played, name) ? played[name] : undefined;
}

async function sleep(play: Play, seconds: number): Promise<string> {
  const milliseconds = Math.min(SLEEP_MAX_MS, Math.max(0, seconds * 1000 || 0));
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    play.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  return '';
}

interface Command {
  readonly text: string;
  /** What stands before it: nothing, `;`, `|`, `&`, `&&` or `||`. */
  readonly after: string;
}

const PIECES =
  /\$\(\((?:[^()]|\([^()]*\))*\)\)|\$\([^()]*\)|`[^`]*`|'[^']*'|"(?:[^"\\]|\\.)*"|\\.|&&|\|\||[;&|\n]|[^;&|\n'"`\\$]+|[\s\S]/g;

function commandsOf(line: string): readonly Command[] {
  const commands: { text: string; after: string }[] = [{ text: '', after: '' }];
  for (const piece of line.match(PIECES) ?? []) {
    const last = commands.at(-1);
    if (/^(?:&&|\|\||[;&|\n])$/.test(piece)) commands.push({ text: '', after: piece });
    else if (last !== undefined) last.text += piece;
  }
  return commands;
}

async function wordsOf(play: Play, command: string, depth: number): Promise<readonly string[]> {
  const words: string[] = [''];
  for (const piece of command.match(PIECES) ?? []) {
    const isQuoted = piece.length > 1 && /^['"]/.test(piece);
    const text = await expanded(play, piece, depth);
    const parts = isQuoted ? [text] : text.split(/\s+/);
    words[words.length - 1] += parts[0] ?? '';
    words.push(...parts.slice(1));
  }
  return words.filter((word) => word !== '' && !word.startsWith('#'));
}

async function expanded(play: Play, piece: string, depth: number): Promise<string> {
  const isWhole = piece.length > 1;
  if (isWhole && piece.startsWith("'")) return piece.slice(1, -1);
  if (isWhole && piece.startsWith('"')) return unquoted(play, piece.slice(1, -1), depth);
  if (piece.startsWith('$((')) return String(arithmetic(piece.slice(3, -2)) ?? 0);
  if (piece.startsWith('$(')) return runLine(play, piece.slice(2, -1), depth + 1);
  if (isWhole && piece.startsWith('`')) return runLine(play, piece.slice(1, -1), depth + 1);
  return isWhole && piece.startsWith('\\') ? piece.slice(1) : piece;
}

// Within double quotes substitution goes on, and single quotes are letters.
async function unquoted(play: Play, inner: string, depth: number): Promise<string> {
  let text = '';
  for (const part of inner.match(SUBSTITUTIONS) ?? []) {
    text += part === "'" ? part : await expanded(play, part, depth);
  }
  return text;
}

const SUBSTITUTIONS = /\$\(\([^"]*?\)\)|\$\([^()]*\)|`[^`]*`|\\.|[\s\S]/g;
