import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { LibraryHandle } from 'koffi';
import { AppError } from '../domain/common/error.ts';

/**
 * First descriptor after standard input, output and error, which every child inherits on purpose.
 */
const FIRST_OTHER = 3;
const LAST = 0xffff_ffff;
const CLOSE_RANGE_CLOEXEC = 4;
const F_SETFD = 2;
const FD_CLOEXEC = 1;

type Seal = () => void;
let seal: Seal | undefined;

/**
 * Marks every descriptor of this process, except the three standard streams, as close-on-exec. A
 * native module can open a file without that mark, and every child would then inherit the file.
 * Call it right before a process is started; it takes microseconds. Does nothing on Windows, where
 * handles are not inherited unless listed.
 *
 * @throws {AppError} `NOT_CONFIGURED` if the kernel's functions are unreachable.
 */
export function sealDescriptors(): void {
  if (process.platform === 'win32') return;
  seal ??= createSeal();
  seal();
}

function createSeal(): Seal {
  const libc = loadLibrary();
  if (process.platform === 'linux' && hasSymbol(libc, 'close_range')) {
    const closeRange = libc.func('int close_range(uint32_t first, uint32_t last, uint32_t flags)');
    // Kernels before 5.11 reject the flag.
    if (closeRange(FIRST_OTHER, LAST, CLOSE_RANGE_CLOEXEC) === 0) {
      return () => closeRange(FIRST_OTHER, LAST, CLOSE_RANGE_CLOEXEC);
    }
  }
  const fcntl = libc.func('int fcntl(int fd, int cmd, ...)');
  const folder = process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd';
  return () => {
    for (const fd of openDescriptors(folder)) fcntl(fd, F_SETFD, 'int', FD_CLOEXEC);
  };
}

/**
 * Loads the C library of this process, with the native part of koffi alone: its binary package
 * needs no install script. Not used on Windows, which has other means.
 */
function loadLibrary(): LibraryHandle {
  const here = `${process.platform}-${process.arch}`;
  const name = `@koromix/koffi-${here}`;
  try {
    const koffi: typeof import('koffi') = createRequire(import.meta.url)(name);
    return koffi.load(null);
  } catch (cause) {
    throw new AppError('NOT_CONFIGURED', {
      message:
        `No process can be started: the package ${name} does not load. Without it, a child ` +
        'process would inherit every open file of the server. Run `npm install ' +
        '--include=optional` on a supported platform.',
      data: { missing: name, received: here, allowed: 'a platform that koffi supports' },
      cause,
    });
  }
}

function hasSymbol(libc: LibraryHandle, name: string): boolean {
  try {
    libc.symbol(name);
    return true;
  } catch {
    return false;
  }
}

function openDescriptors(folder: string): readonly number[] {
  return readdirSync(folder)
    .map(Number)
    .filter((fd) => fd >= FIRST_OTHER);
}
