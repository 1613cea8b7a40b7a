import { IncomingMessage } from 'node:http';
import { equalsToken } from '../handshake.ts';

/**
 * Creates the request class of a node:http server that upgrades at some paths only. Once a server
 * listens for upgrades, Node hands it every request that offers any, with its body unread. For
 * example, a Java client offers `h2c` in a POST. The parser reads `upgrade` of the request to
 * decide. This class answers false at all other paths, so those requests are served normally.
 */
export function upgradableMessage(sockets: ReadonlyMap<string, unknown>): typeof IncomingMessage {
  return class extends IncomingMessage {
    // No initial value: Node sets `upgrade` while the base constructor runs.
    declare private parsed: unknown;

    get upgrade(): boolean {
      if (this.parsed !== true) return false;
      if (this.method === 'CONNECT') return true;
      const [path = ''] = (this.url ?? '').split('?', 1);
      return (
        this.method === 'GET' && sockets.has(path) && equalsToken(this.headers.upgrade, 'websocket')
      );
    }

    set upgrade(value: unknown) {
      this.parsed = value;
    }
  };
}
