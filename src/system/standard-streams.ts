/** Errors of a stream whose reader is gone, such as a closed pipe or terminal. */
const READER_GONE: readonly string[] = ['EPIPE', 'EIO', 'ECONNRESET', 'ENXIO'];

/**
 * Keeps this process running when the readers of its standard output or error are gone; later
 * output is lost.
 *
 * @returns A function that returns why standard output was truncated although its reader exists,
 * such as `ENOSPC`; otherwise `undefined`.
 */
export function ignoreClosedReaders(): () => string | undefined {
  let failure: string | undefined;
  process.stdout.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
    if (!READER_GONE.includes(code)) failure ??= code;
  });
  process.stderr.on('error', () => undefined);
  return () => failure;
}

/**
 * Sends this process a SIGTERM when the process that started it with an IPC channel exits, because
 * a killed parent cannot send one.
 */
export function stopWithParent(): void {
  process.once('disconnect', () => void process.kill(process.pid, 'SIGTERM'));
  // The channel alone must not keep the process alive.
  process.channel?.unref();
}
