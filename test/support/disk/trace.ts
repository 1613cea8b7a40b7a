import { execFile, execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** One call of the system by the traced program. Its begin and its end are points in time. */
export interface Call {
  readonly name: string;
  readonly args: string;
  readonly begin: number;
  end: number;
  /** What it returned; negative when it failed or was never heard of again. */
  result: number;
}

const CALLS = [
  'openat,open,creat,close,dup,lseek,write,writev,pwrite64,pwritev,pwritev2,fsync,fdatasync,msync',
  'sync_file_range,ftruncate,truncate,fallocate,copy_file_range,sendfile,mkdir,rename,renameat',
  'renameat2,unlink,unlinkat,rmdir',
].join(',');
const BYTES_MAX = 1 << 20;
/** Follows every thread, says nothing of its own, and stops the program at the named calls only. */
const STRACE = ['strace', '-f', '-qq', '--seccomp-bpf'] as const;

/** Tells whether this machine can trace programs. */
export function canTrace(): boolean {
  try {
    const [strace, ...options] = STRACE;
    const rest = ['-e', 'trace=openat', '-o', '/dev/null', 'true'];
    execFileSync(strace, [...options, ...rest], { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}

/** Runs a program and gives every call that changes files, in the order in which they began. */
export async function trace(command: readonly string[], folder: string): Promise<readonly Call[]> {
  const file = join(folder, 'trace');
  const [strace, ...rest] = STRACE;
  const options = [...rest, '-xx', '-s', String(BYTES_MAX), '-e', `trace=${CALLS}`];
  await promisify(execFile)(strace, [...options, '-o', file, ...command], {
    timeout: 300_000,
    maxBuffer: 1 << 24,
  });
  return await readTrace(file);
}

/** Runs a program whose calls of the system fail as told, see `inject` of strace(1). */
export function inject(faults: readonly string[], command: readonly string[]) {
  const names = faults.map((fault) => fault.slice(0, fault.indexOf(':')));
  const options = faults.flatMap((fault) => ['-e', `inject=${fault}`]);
  return [...STRACE, '-o', '/dev/null', '-e', `trace=${names.join(',')}`, ...options, ...command];
}

async function readTrace(file: string): Promise<readonly Call[]> {
  const calls: Call[] = [];
  const open = new Map<string, Call>();
  let at = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    at += 2;
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>/.exec(text);
    if (resumed !== null) {
      const call = open.get(thread);
      open.delete(thread);
      if (call !== undefined) finish(call, text, at + 1);
      continue;
    }
    const [, name = '', rest = ''] = /^(\w+)\((.*)$/s.exec(text) ?? [];
    if (name === '') continue;
    const call: Call = { name, args: rest, begin: at, end: Number.POSITIVE_INFINITY, result: -1 };
    calls.push(call);
    if (rest.endsWith('<unfinished ...>')) open.set(thread, call);
    else finish(call, rest, at + 1);
  }
  return calls;
}

function finish(call: Call, text: string, at: number): void {
  const result = /\) += (-?\d+)[^)"]*$/.exec(text);
  call.end = at;
  call.result = Number(result?.[1] ?? -1);
}
