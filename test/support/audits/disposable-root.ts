import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import type { MemoryServer } from '../target-memory-targets.ts';

/** How names of an audit are told from all others. */
const OWN =
  /stoa-?audit-?[0-9a-f]{32}|stoacanary|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;
const BAIT: Readonly<Record<string, string>> = {
  'etc/passwd': 'root:x:0:0:root:/root:/bin/sh\n',
  'etc/shadow': 'root:!:1::::::\n',
  'etc/crontab': '0 3 * * * root /usr/bin/backup\n',
  'root/.ssh/authorized_keys': 'ssh-ed25519 AAAA owner\n',
  'root/.bashrc': 'export PATH=/bin\n',
  'data/notes/today.md': 'Buy bread.\n',
  'data/notes/plan.md': 'Ship on Monday.\n',
  'data/a': 'a\n',
  'data/1': 'one\n',
  'data/x': 'x\n',
  'data/config.json': '{"admin":"owner"}\n',
  'data/log.txt': 'started\n',
  'data/scratch.txt': 'my own words\n',
  'data/report.md': '# May\n',
  'data/table.json': '{"id":"1","name":"apple"}\n{"id":"2","name":"pear"}\n',
  'tmp/session': 'abc\n',
};

/** A folder that a target treats as the whole disk. */
export interface DisposableRoot {
  readonly folder: string;
  /** A path of the target below the folder: relative ones begin in `/data`, none leads out. */
  at(path: unknown): string;
  read(path: unknown): string;
  write(path: unknown, text: unknown): void;
  /** Lines of all that stands there, but of entries with names of an audit. */
  contents(): Readonly<Record<string, readonly string[]>>;
  /** Places that hold names of an audit. */
  canaries(): readonly string[];
  remove(): void;
}

/** Makes a root with bait: files that nobody but their owner may change. */
export function makeDisposableRoot(): DisposableRoot {
  const folder = mkdtempSync(join(tmpdir(), 'disposable-root-'));
  const at = (path: unknown): string => {
    if (typeof path !== 'string' || path.includes('\0')) throw new Error('a path is a text');
    return join(folder, posix.resolve('/data', path.slice(0, 300)));
  };
  const root: DisposableRoot = {
    folder,
    at,
    read: (path) => readFileSync(at(path), 'utf8'),
    write: (path, text) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), String(text));
    },
    contents: () => Object.fromEntries(rowsOf(folder, '').filter(([path]) => !OWN.test(path))),
    canaries: () => canariesOf(folder, ''),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  for (const [path, text] of Object.entries(BAIT)) root.write(`/${path}`, text);
  symlinkSync('../etc/passwd', join(folder, 'data', 'link'));
  return root;
}

/** What one tool of a disposable target does. Throwing is an error of the tool. */
export interface DisposableTool {
  readonly definition: Readonly<Record<string, unknown>> & { readonly name: string };
  run(values: Readonly<Record<string, unknown>>, root: DisposableRoot): string;
}

/** Serves tools over a root, in this process. */
export function disposableServer(
  tools: readonly DisposableTool[],
  root: DisposableRoot,
): MemoryServer {
  const text = (said: string, isError = false) => ({
    result: { content: [{ type: 'text', text: said }], ...(isError ? { isError } : {}) },
  });
  return {
    greeting: { serverInfo: { name: 'disposable', version: '1.0.0' }, capabilities: { tools: {} } },
    answer: (method, params) => {
      if (method === 'tools/list') {
        return { result: { tools: tools.map(({ definition }) => definition) } };
      }
      if (method === 'ping') return { result: {} };
      const { name, arguments: values } = (params ?? {}) as Record<string, unknown>;
      const tool = tools.find(({ definition }) => definition.name === name);
      if (method !== 'tools/call' || tool === undefined) {
        return { error: { code: -32_602, message: 'unknown' } };
      }
      try {
        return text(tool.run((values ?? {}) as Record<string, unknown>, root));
      } catch (thrown) {
        const { code, message } = thrown as { code?: string; message: string };
        return text(code === 'ENOENT' ? 'no such file' : message.replaceAll(root.folder, ''), true);
      }
    },
  };
}

/**
 * What an audit did to what was there: entries that are gone or new without a name of ours, lines
 * that are gone, and changes that hold none of our names.
 */
export function damageBetween(
  before: ReturnType<DisposableRoot['contents']>,
  root: DisposableRoot,
): readonly string[] {
  const after = root.contents();
  const ours = root.canaries();
  const gone = Object.entries(before).flatMap(([path, lines]) => {
    const now = after[path];
    if (now === undefined) return [`${path} is gone`];
    if (now.join('\n') === lines.join('\n')) return [];
    const isKept = lines.every((line) => now.includes(line)) && now.some((line) => OWN.test(line));
    return isKept ? [] : [`${path} was changed`];
  });
  const news = Object.keys(after)
    .filter((path) => before[path] === undefined)
    .filter((path) => !path.endsWith('/') || !ours.some((one) => one.startsWith(path)));
  return [...gone, ...news.map((path) => `${path} is new`)];
}

type Row = [string, readonly string[]];

function rowsOf(folder: string, below: string): Row[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry): Row[] => {
    const path = posix.join(below, entry.name);
    if (entry.isDirectory()) return [[`${path}/`, []], ...rowsOf(folder, path)];
    if (entry.isSymbolicLink()) return [[path, [readlinkSync(join(folder, path))]]];
    return [[path, readFileSync(join(folder, path), 'utf8').split('\n')]];
  });
}

function canariesOf(folder: string, below: string): readonly string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(below, entry.name);
    if (OWN.test(entry.name)) return [path];
    if (entry.isDirectory()) return canariesOf(folder, path);
    if (entry.isSymbolicLink()) return [];
    return OWN.test(readFileSync(join(folder, path), 'utf8')) ? [path] : [];
  });
}
