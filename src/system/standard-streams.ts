/** Errors of a stream whose reader is gone, such as a closed pipe or terminal. */
const READER_GONE: readonly string[] = ['EPIPE', 'EIO', 'ECONNRESET', 'ENXIO'];

/**
 * Keeps this process running when the readers of its standard output or error are gone; later
 * output is lost.
 *
 * @returns A function that returns why standard output was truncated although its reader exists,
 * such as `ENOSPC`; otherwise `undefined`.
 */
export function outliveReaders(): () => string | undefined {
  let lost: string | undefined;
  process.stdout.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
    if (!READER_GONE.includes(code)) lost ??= code;
  });
  process.stderr.on('error', () => undefined);
  return () => lost;
}

/**
 * Sends this process a SIGTERM when the process that started it with an IPC channel exits, because
 * a killed parent cannot send one.
 */
export function endWithStarter(): void {
  process.once('disconnect', () => void process.kill(process.pid, 'SIGTERM'));
  // The channel alone must not keep the process alive.
  process.channel?.unref();
}
