import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';

/** What a process has open, by descriptor, and what it is. */
export interface SeenProcess {
  readonly pid: number;
  /** Program and arguments, with blanks between them. */
  readonly line: string;
  readonly open: ReadonlyMap<number, string>;
  /** Whether one of the followed processes started it. */
  readonly isFirst: boolean;
  /** Pipes and sockets that a followed process had open too, other than the first three. */
  readonly shared: readonly string[];
}

/** Watches the processes that a process starts, and their own. */
export interface DescriptorWatch {
  /** Follows one more process; what it starts is seen, itself is not. */
  follow(pid: number): void;
  /** Everything that was seen so far, each command line of a process once. */
  seen(): readonly SeenProcess[];
  stop(): void;
}

const LOOK_MS = 4;
const HELD = /^(?:pipe|socket):\[\d+\]$/;

/** Begins a watch over all descendants of processes: also of kinds that no list names. */
export function watchDescriptors(): DescriptorWatch {
  const seen = new Map<string, SeenProcess>();
  const [roots, followed] = [new Set<number>(), new Set<number>()];
  const look = (): void => {
    for (const pid of followed) for (const child of childrenOf(pid)) visit(child, pid, seen);
  };
  const timer = setInterval(look, LOOK_MS);
  const visit = (pid: number, parent: number, found: Map<string, SeenProcess>): void => {
    followed.add(pid);
    const line = lineOf(pid);
    // Between fork and exec it still is its parent, and has what that has.
    if (line === '' || line === lineOf(parent)) return;
    // A program bears its name a moment before the kernel closes what it may not have.
    openIn(pid);
    const open = openIn(pid);
    if (lineOf(pid) !== line) return;
    const held = [...roots].flatMap((root) => [...openIn(root)]);
    const above = new Set(held.filter(([fd]) => fd > 2).map(([, target]) => target));
    const shared = [...open]
      .filter(([fd, target]) => fd > 2 && HELD.test(target) && above.has(target))
      .map(([, target]) => target);
    const key = `${pid} ${line}`;
    const before = found.get(key);
    // What a program opens later is its own; what it had at any time and may not is a fault.
    const all = new Map([...(before?.open ?? []), ...open]);
    const isFirst = roots.has(parent);
    const both = [...(before?.shared ?? []), ...shared];
    found.set(key, { pid, line, isFirst, open: all, shared: both });
  };
  return {
    follow: (pid) => {
      roots.add(pid);
      followed.add(pid);
    },
    seen: () => [...seen.values()],
    stop: () => clearInterval(timer),
  };
}

/**
 * Programs in front of those of the machine: each lists what it was started with, then is the
 * program. So the short-lived are seen without luck.
 */
export function listingPrograms(folder: string, names: readonly string[]) {
  const [programs, lists] = [join(folder, 'programs'), join(folder, 'lists')];
  for (const each of [programs, lists]) mkdirSync(each, { recursive: true });
  chmodSync(lists, 0o777);
  const path = (process.env['PATH'] ?? '').split(delimiter);
  for (const name of names) {
    const real = path.map((each) => join(each, name)).find((file) => isRunnable(file));
    if (real === undefined) continue;
    const file = join(programs, name);
    const text = `#!/bin/sh\nls -l /proc/$$/fd > ${lists}/${name}.$$\nexec ${real} "$@"\n`;
    writeFileSync(file, text, { mode: 0o755 });
  }
  return {
    path: [programs, ...path].join(delimiter),
    /** Names with the targets of what each was started with; its own script aside. */
    found: (): readonly (readonly [name: string, targets: readonly string[]])[] =>
      readdirSync(lists).map((file) => {
        const [name = ''] = file.split('.');
        const rows = readFileSync(join(lists, file), 'utf8').split('\n');
        const all = rows.flatMap((row) => /(\d+) -> (.*)$/.exec(row)?.slice(1) ?? []);
        const targets = all.filter((_, at) => at % 2 === 1 && Number(all[at - 1]) > 2);
        return [name, targets.filter((target) => target !== join(programs, name))];
      }),
  };
}

/** What a process has open above the first three that a child of it would inherit. */
export function unsealed(pid: number): readonly string[] {
  return [...openIn(pid)]
    .filter(([fd]) => fd > 2 && !isSealed(`/proc/${pid}/fdinfo/${fd}`))
    .map(([, target]) => target);
}

function isSealed(file: string): boolean {
  try {
    const [, flags = '0'] = /^flags:\s+(\d+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & 0o2000000) !== 0;
  } catch {
    // It was closed meanwhile.
    return true;
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((task) =>
        readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' '),
      )
      .flatMap((word) => (word === '' ? [] : [Number(word)]));
  } catch {
    return [];
  }
}

function openIn(pid: number): ReadonlyMap<number, string> {
  const open = new Map<number, string>();
  try {
    for (const fd of readdirSync(`/proc/${pid}/fd`)) {
      open.set(Number(fd), linkOf(`/proc/${pid}/fd/${fd}`));
    }
  } catch {
    // It has ended.
  }
  return open;
}

function lineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function isRunnable(file: string): boolean {
  try {
    readFileSync(file);
    return true;
  } catch {
    return false;
  }
}
