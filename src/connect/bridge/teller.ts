import type { ServerContext } from '@modelcontextprotocol/server';

const MESSAGE_CHARS_MAX = 200;
/** What a line is moved on by when it would not be further than the last. */
const STEP = 0.001;

/** Tells the MCP client how far a call has come, if it asked to be told. */
export interface Teller {
  /** Progress of the server, as it came. */
  pass(params: Readonly<Record<string, unknown>>): void;
  /** A line of the wallet's own. */
  say(line: string): void;
}

/**
 * Joins the server's progress with the wallet's lines into one that only grows, also when the
 * server begins anew after a restart.
 */
export function tellerOf(context: ServerContext): Teller {
  const progressToken = context.mcpReq._meta?.progressToken;
  let last = -STEP;
  let total: number | undefined;
  const tell = (progress: number, message: string | undefined): void => {
    if (progressToken === undefined) return;
    last = progress > last ? progress : last + STEP;
    const said = message === undefined ? {} : { message: message.slice(0, MESSAGE_CHARS_MAX) };
    const whole = total === undefined || last > total ? {} : { total };
    const params = { progressToken, progress: last, ...whole, ...said };
    // The client may have gone between two lines; the call hears that from its signal.
    context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  return {
    pass: ({ progress, total: whole, message }) => {
      if (typeof whole === 'number') total = whole;
      tell(Number(progress), typeof message === 'string' ? message : undefined);
    },
    say: (line) => tell(last + STEP, line),
  };
}
