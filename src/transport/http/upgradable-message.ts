import { IncomingMessage } from 'node:http';
import { isWord } from './handshake.ts';

/**
 * Makes the class of requests of a node:http server that upgrades at some addresses only. As soon
 * as such a server listens for upgrades, Node hands it every request that offers any (`h2c` in a
 * POST of a Java client, say), with its body unread. The parser asks a request by its `upgrade`
 * whether to do so; here it answers for itself, so that all others are served as without one.
 */
export function upgradableMessage(sockets: ReadonlyMap<string, unknown>): typeof IncomingMessage {
  return class extends IncomingMessage {
    // Without an initial value: Node sets `upgrade` while the base class is being built.
    declare private parsed: unknown;

    get upgrade(): boolean {
      if (this.parsed !== true) return false;
      if (this.method === 'CONNECT') return true;
      const [path = ''] = (this.url ?? '').split('?', 1);
      return (
        this.method === 'GET' && sockets.has(path) && isWord(this.headers.upgrade, 'websocket')
      );
    }

    set upgrade(value: unknown) {
      this.parsed = value;
    }
  };
}
