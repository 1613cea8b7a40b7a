import type { HttpReply, HttpRequest } from '../http/host.ts';
import type { SocketRoute } from '../http/socket.ts';
import { InspectClient, type InspectDeps, type InspectVisitor } from './inspect-client.ts';

/** The path where consoles connect. */
export const INSPECT_PATH = '/inspect';

/** The WebSocket of `/inspect`. */
export interface InspectSocket {
  readonly route: SocketRoute;
  /** Returns the number of connected clients. */
  count(): number;
}

/**
 * Creates the WebSocket that serves an inspector to consoles.
 *
 * @param visitorOf - Returns the visitor, or the reply that rejects the request.
 */
export function createInspectSocket(
  parts: InspectDeps,
  visitorOf: (request: HttpRequest) => InspectVisitor | HttpReply,
): InspectSocket {
  let clients = 0;
  const { messageBytesMax, waitingBytesMax } = parts.limits;
  const route: SocketRoute = {
    path: INSPECT_PATH,
    messageBytesMax,
    waitingBytesMax,
    accept: (request) => {
      const visitor = visitorOf(request);
      if ('status' in visitor) return { kind: 'reply', reply: visitor };
      return {
        kind: 'open',
        open: (socket) => {
          const client = new InspectClient(parts, visitor, socket);
          clients += 1;
          return {
            message: (text) => client.message(text),
            drained: () => client.drained(),
            closed: () => {
              clients -= 1;
              client.closed();
            },
          };
        },
      };
    },
  };
  return { route, count: () => clients };
}
