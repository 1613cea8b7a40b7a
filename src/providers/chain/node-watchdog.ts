import { spawn } from '../../system/child.ts';

/** A small child process that outlives this one to stop the node. */
export interface NodeWatchdog {
  /** Stops the watchdog without stopping the node. */
  close(): void;
}

/**
 * How long the node outlives this process, in seconds. A start within that time saves its state.
 */
export const NODE_STOP_DELAY_S = 10;

/**
 * Reads until this process closes the pipe, then waits and stops the given process. It does so only
 * if the command line still contains the node's words, since an id may have been reused.
 */
const WATCHDOG_SCRIPT = `
cat > /dev/null
sleep "$3"
if [ -r "/proc/$1/cmdline" ]; then line=$(tr '\\0' ' ' < "/proc/$1/cmdline")
else line=$(ps -o command= -p "$1"); fi
case "$line" in *"$2 "*) kill "$1" ;; esac
`;

/**
 * Stops a node some seconds after this process exits, even after a kill. Without a shell, the node
 * runs until the next start stops it.
 */
export function startNodeWatchdog(pid: number, port: number): NodeWatchdog {
  const scriptArguments = [
    'stoa-chain-watch',
    String(pid),
    `--port ${port}`,
    String(NODE_STOP_DELAY_S),
  ];
  const watch = spawn('/bin/sh', ['-c', WATCHDOG_SCRIPT, ...scriptArguments], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // A Ctrl-C in the terminal must not stop the watchdog before this process.
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
        // It has already exited.
      }
    },
  };
}
