import { networkInterfaces } from 'node:os';

/** Where a server is reached. What needs it before the server listens waits for it. */
export class Origin {
  readonly #known: Promise<string>;
  readonly #isPublic: boolean;
  #url = '';
  #own: readonly string[] = [];
  #tell: (url: string) => void = () => undefined;

  /** @param publicUrl - Known from the start; else the address that it listens on. */
  constructor(publicUrl: string | undefined) {
    this.#isPublic = publicUrl !== undefined;
    this.#known = new Promise((resolve) => {
      this.#tell = resolve;
    });
    if (publicUrl !== undefined) this.tell(publicUrl);
  }

  /** The first address that it was told. */
  readonly known = (): Promise<string> => this.#known;

  /** The same; empty before. */
  readonly now = (): string => this.#url;

  /**
   * The origins that are this server's: of its public URL, else of every name by which the address
   * that it listens on is called on this machine. None before it listens.
   */
  readonly own = (): readonly string[] => this.#own;

  /** The server listens. */
  tell(url: string): void {
    if (this.#url === '') {
      this.#url = url;
      this.#own = this.#isPublic ? [new URL(url).origin] : listeningOrigins(url);
    }
    this.#tell(url);
  }
}

/** Names of an address that a server listens on: those of loopback are one another's. */
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
      // An address with a zone is no host of a URL.
      .filter(({ scopeid = 0 }) => scopeid === 0)
      .map(({ family, address }) => (family === 'IPv6' ? `[${address}]` : address)),
  );
}
