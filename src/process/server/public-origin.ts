import { networkInterfaces } from 'node:os';

/** The public origin of a server. Components that need it before the server listens wait for it. */
export class PublicOrigin {
  readonly #whenKnown: Promise<string>;
  readonly #isPublic: boolean;
  #url = '';
  #ownOrigins: readonly string[] = [];
  #set: (url: string) => void = () => undefined;

  /** @param publicUrl - Known from the start. When absent, the listening address is used. */
  constructor(publicUrl: string | undefined) {
    this.#isPublic = publicUrl !== undefined;
    this.#whenKnown = new Promise((resolve) => {
      this.#set = resolve;
    });
    if (publicUrl !== undefined) this.tell(publicUrl);
  }

  /** Resolves with the first URL that was set. */
  readonly known = (): Promise<string> => this.#whenKnown;

  /** Returns the URL, or an empty string before it is set. */
  readonly current = (): string => this.#url;

  /**
   * Returns the origins of this server: that of its public URL, or every local name of its
   * listening address. Empty before it listens.
   */
  readonly own = (): readonly string[] => this.#ownOrigins;

  /** Sets the URL once the server listens. */
  tell(url: string): void {
    if (this.#url === '') {
      this.#url = url;
      this.#ownOrigins = this.#isPublic ? [new URL(url).origin] : listeningOrigins(url);
    }
    this.#set(url);
  }
}

/** Returns the origins of a listening URL. All loopback names count as the same. */
export function listeningOrigins(url: string): readonly string[] {
  const { protocol, hostname, port } = new URL(url);
  const hosts = LOOPBACK.includes(hostname)
    ? LOOPBACK
    : WILDCARD.includes(hostname)
      ? [...LOOPBACK, ...interfaceHosts()]
      : [hostname];
  const origins = hosts.map((host) => new URL(`${protocol}//${host}:${port}`).origin);
  return [...new Set(origins)];
}

const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];
const WILDCARD: readonly string[] = ['0.0.0.0', '[::]'];

function interfaceHosts(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses
      // An address with a zone cannot be the host of a URL.
      .filter(({ scopeid = 0 }) => scopeid === 0)
      .map(({ family, address }) => (family === 'IPv6' ? `[${address}]` : address)),
  );
}
