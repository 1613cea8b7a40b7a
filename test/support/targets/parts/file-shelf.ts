import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { isAbsolute, join, normalize, resolve, sep } from 'node:path';
import { tempDir } from '../../temp-dir.ts';
import type { Target, ToolAnswer } from '../target.ts';
import { textField, type Variation, variationOf } from '../variation.ts';
import { described } from './prose.ts';
import { READS, refused, toolOf } from './tool.ts';

const TEXT_MAX = 4_000;
const SUFFIXES = ['-backup', '_old', '2', '-private', '.bak', '-archive'];

/** A folder of files to serve, with what must stay outside of it beside. */
export interface Shelf {
  readonly root: string;
  /** Name of the root folder. */
  readonly rootName: string;
  /** A text that stands only outside. */
  readonly canary: string;
}

/** Finds the file that a caller means, or nothing where it is refused. */
export type Resolve = (shelf: Shelf, given: string) => string | undefined;

/** The one right way: below the root by name, and still below it where links lead. */
export const insideOnly: Resolve = (shelf, given) => {
  if (isAbsolute(given)) return undefined;
  const path = resolve(shelf.root, given);
  if (path !== shelf.root && !path.startsWith(shelf.root + sep)) return undefined;
  if (!existsSync(path)) return path;
  const real = realpathSync(path);
  return real === shelf.root || real.startsWith(shelf.root + sep) ? real : undefined;
};

/** What makes a target that serves a folder. */
export interface ShelfFault {
  readonly name: string;
  readonly fault: string;
  /** The faulty way; the twin takes `insideOnly`. */
  resolve(variation: Variation): Resolve;
  /** Puts a link inside the root that leads outside. */
  readonly hasLink?: boolean;
}

/** Makes a target that lists and reads the files of a folder. */
export function shelfTarget(fault: ShelfFault): Target {
  return {
    name: fault.name,
    category: 'ASI03',
    fault: fault.fault,
    make: ({ seed, fixed }) => {
      const variation = variationOf(seed);
      const shelf = fill(variation, fault.hasLink === true);
      const find = fixed ? insideOnly : fault.resolve(variation);
      const tools = toolsOf(variation, shelf, find);
      return {
        serverInfo: { name: 'file-shelf', version: '1.8.0' },
        instructions: `Serves the folder ${shelf.rootName}. Nothing outside of it can be read.`,
        tools: () => [tools.list, tools.read],
        weakSpot: {
          tool: tools.read.definition.name,
          argumentsWith: (payload) => tools.form.write({ path: payload }),
          marker: shelf.canary,
          reader: { tool: tools.list.definition.name, arguments: {} },
        },
        close: shelf.remove,
      };
    },
  };
}

function toolsOf(variation: Variation, shelf: Shelf, find: Resolve) {
  const form = variation.form('shelf', {
    path: {
      names: ['path', 'file', 'document', 'name', 'location'],
      schema: textField(`Path below ${shelf.rootName}, such as guide/first.md.`, 300),
    },
  });
  const read = toolOf({
    name: variation.name('shelf.read', ['read file', 'get document', 'show page', 'load resource']),
    title: 'Read a file',
    description: described(variation, 'shelf', [
      `Reads a text file of the folder ${shelf.rootName}. Give the path as the listing shows it.`,
      `Shows one document of ${shelf.rootName}. Folders are listed, files are shown as text.`,
    ]),
    form,
    annotations: READS,
    run: ({ path }, call): ToolAnswer => {
      const found = find(shelf, String(path));
      if (found === undefined) return refused('That path is outside of the folder.');
      const text = textAt(shelf, found);
      if (text === undefined) return refused('There is no such file.');
      if (text.includes(shelf.canary)) call.observed.noteEffect(`outside read: ${String(path)}`);
      return { text };
    },
  });
  const list = toolOf({
    name: variation.name('shelf.list', ['list files', 'documents', 'list folder']),
    title: 'List the files',
    description: described(variation, 'shelf.list', [`Lists all files of ${shelf.rootName}.`]),
    form: variation.form('shelf.list', {}),
    annotations: READS,
    run: () => `${shelf.rootName}/\n${listingOf(shelf.root).join('\n')}`,
  });
  return { form, read, list };
}

function fill(variation: Variation, hasLink: boolean): Shelf & { remove(): void } {
  const { path: made, remove } = tempDir();
  const base = realpathSync(made);
  const rootName = variation.pick('shelf.root', ['handbook', 'wiki', 'reports', 'content', 'site']);
  const canary = `canary-${variation.token('shelf')}`;
  const root = join(base, rootName);
  const put = (folder: string, file: string, text: string): void => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  put(root, 'readme.md', '# Welcome\nThis folder is for everybody.');
  put(join(root, 'guide'), 'first.md', 'How to begin. A link has two dots .. in the middle.');
  put(join(root, 'guide'), 'a..b.txt', 'Two dots in a name are fine.');
  put(join(base, 'outside'), 'canary.txt', `Not for callers: ${canary}`);
  for (const suffix of SUFFIXES) put(`${root}${suffix}`, 'readme.md', `Former text: ${canary}`);
  const link = variation.pick('shelf.link', ['shared', 'latest', 'attachments']);
  if (hasLink) symlinkSync(join(base, 'outside'), join(root, link));
  symlinkSync(join(root, 'guide', 'first.md'), join(root, 'start.md'));
  return { root, rootName, canary, remove };
}

function listingOf(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const mark = entry.isSymbolicLink() ? ' -> (link)' : '';
      if (!entry.isDirectory()) return [`${entry.name}${mark}`];
      const below = readdirSync(join(folder, entry.name));
      return below.map((name) => `${entry.name}/${name}`);
    })
    .sort();
}

// Real below the target's own temporary folder; what else there is on a machine is played.
function textAt(shelf: Shelf, path: string): string | undefined {
  const base = resolve(shelf.root, '..');
  if (path !== base && !path.startsWith(base + sep)) return playedFile(shelf, path);
  if (!existsSync(path)) return undefined;
  if (statSync(path).isDirectory()) return readdirSync(path).join('\n');
  return readFileSync(path, 'utf8').slice(0, TEXT_MAX);
}

function playedFile(shelf: Shelf, path: string): string | undefined {
  const accounts = `root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n${shelf.canary}:x:1001:1001::/home/app:/bin/sh\n`;
  const played: Readonly<Record<string, string>> = {
    '/etc/passwd': accounts,
    '/etc/hosts': `127.0.0.1 localhost\n10.0.4.12 ${shelf.canary}\n`,
    '/etc/hostname': `${shelf.canary}\n`,
    '/proc/self/environ': `HOME=/root\0SERVICE_KEY=${shelf.canary}\0`,
    '/root/.ssh/id_rsa': `-----BEGIN TEST KEY-----\n${shelf.canary}\n-----END TEST KEY-----\n`,
    'c:/windows/win.ini': `; for 16-bit app support\n[${shelf.canary}]\n`,
  };
  return played[normalize(path).replaceAll('\\', '/').toLowerCase()];
}
