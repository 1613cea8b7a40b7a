type Files = typeof import('node:fs');

const open = new Map<number, string>();
let close: (fd: number) => void = () => undefined;

/**
 * The file system for `vi.mock`, without waits for the disk: the end of a process loses nothing
 * that it has written. Of a life that ended while it began nobody has the open files, so they are
 * counted here.
 */
export function quickFiles(real: Files): Files {
  close = real.closeSync;
  return {
    ...real,
    fsyncSync: () => undefined,
    fdatasync: ((_fd: number, done: (fault: Error | null) => void) =>
      queueMicrotask(() => done(null))) as Files['fdatasync'],
    openSync: (path, ...rest) => {
      const fd = real.openSync(path, ...rest);
      open.set(fd, String(path));
      return fd;
    },
    closeSync: (fd) => {
      open.delete(fd);
      real.closeSync(fd);
    },
  };
}

/** Closes what is open in a folder. */
export function closeFilesIn(folder: string): void {
  for (const [fd, path] of open) {
    if (!path.startsWith(folder)) continue;
    open.delete(fd);
    close(fd);
  }
}
