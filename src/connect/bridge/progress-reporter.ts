import type { ServerContext } from '@modelcontextprotocol/server';

const MESSAGE_CHARS_MAX = 200;
/** Smallest increase of progress: MCP requires that it grows with each notification. */
const MIN_STEP = 0.001;

/** Sends the progress of a call to the MCP client, if the client asked for it. */
export interface ProgressReporter {
  /** Forwards a progress notification of the server. */
  forward(params: Readonly<Record<string, unknown>>): void;
  /** Sends a progress line of the wallet. */
  say(line: string): void;
}

/**
 * Creates a reporter that merges the server's progress with the wallet's lines. The progress value
 * always grows, even if the server starts over after a restart.
 */
export function createProgressReporter(context: ServerContext): ProgressReporter {
  const progressToken = context.mcpReq._meta?.progressToken;
  let last = -MIN_STEP;
  let total: number | undefined;
  const send = (progress: number, message: string | undefined): void => {
    if (progressToken === undefined) return;
    last = progress > last ? progress : last + MIN_STEP;
    const said = message === undefined ? {} : { message: message.slice(0, MESSAGE_CHARS_MAX) };
    const whole = total === undefined || last > total ? {} : { total };
    const params = { progressToken, progress: last, ...whole, ...said };
    // The client may disconnect at any time; the call learns that from its signal.
    context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  return {
    forward: ({ progress, total: whole, message }) => {
      if (typeof whole === 'number') total = whole;
      send(Number(progress), typeof message === 'string' ? message : undefined);
    },
    say: (line) => send(last + MIN_STEP, line),
  };
}
