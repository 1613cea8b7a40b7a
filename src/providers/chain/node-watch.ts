import { spawn } from '../../system/child.ts';

/** A small process beside ours that outlives it, in order to end the node. */
export interface NodeWatch {
  /** Ends the watch and leaves the node alone. */
  close(): void;
}

/** How long a node outlives us, in seconds: a start within them takes over what it knows. */
export const NODE_OUTLIVES_S = 10;

/**
 * Reads until our end of the pipe is gone, waits, and ends the process that was named only if its
 * command line still holds the words of the node: an id may have been handed out again.
 */
const SCRIPT = `
cat > /dev/null
sleep "$3"
if [ -r "/proc/$1/cmdline" ]; then line=$(tr '\\0' ' ' < "/proc/$1/cmdline")
else line=$(ps -o command= -p "$1"); fi
case "$line" in *"$2 "*) kill "$1" ;; esac
`;

/**
 * Ends a node some seconds after our own process is gone, however it went: a kill leaves nobody
 * else to do it. Where there is no shell, the node lives until the next start, which ends it.
 */
export function watchNode(pid: number, port: number): NodeWatch {
  const words = ['stoa-chain-watch', String(pid), `--port ${port}`, String(NODE_OUTLIVES_S)];
  const watch = spawn('/bin/sh', ['-c', SCRIPT, ...words], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // A Ctrl-C in the terminal must not end it before us.
    detached: true,
  });
  watch.on('error', () => undefined);
  watch.stdin.on('error', () => undefined);
  watch.unref();
  if ('unref' in watch.stdin && typeof watch.stdin.unref === 'function') watch.stdin.unref();
  return {
    close: () => {
      if (watch.pid === undefined) return;
      try {
        process.kill(-watch.pid, 'SIGTERM');
      } catch {
        // It is gone already.
      }
    },
  };
}
