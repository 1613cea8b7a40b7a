/** Errors of a stream whose reader has gone: a closed pipe, a terminal that was closed. */
const READER_GONE: readonly string[] = ['EPIPE', 'EIO', 'ECONNRESET', 'ENXIO'];

/**
 * Lets this process outlive whoever reads its standard output and error: a write that fails ends
 * nothing, and what is written afterwards is lost.
 *
 * @returns A function that says why standard output was cut short although its reader is there
 * (`ENOSPC`, say), or nothing.
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
 * Takes the end of the process that started this one with a channel for a SIGTERM: it could not
 * send one when it was killed.
 */
export function endWithStarter(): void {
  process.once('disconnect', () => void process.kill(process.pid, 'SIGTERM'));
  // The channel alone keeps no process alive.
  process.channel?.unref();
}
