import type {
  AuditTarget,
  ConnectOptions,
  Greeting,
  OpenTarget,
  RawExchange,
  RawResponse,
  TargetConnection,
  TargetSpending,
} from '../../domain/audit/audit-target.ts';
import type { TargetAddress } from '../../domain/audit/records.ts';
import { AppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import { HttpConnection, pathAndQuery } from './http-connection.ts';
import { sendHttp } from './http-wire.ts';
import { parseJson } from './messages.ts';
import { checkUrl, type PinnedAddress, pinAddress, type TargetRules } from './pin-address.ts';
import { SpendingBudget } from './spending-budget.ts';

/** Most redirects on the target's own origin when a connection is opened. */
const REDIRECTS_MAX = 2;

type HttpAddress = Extract<TargetAddress, { kind: 'mcp_http' | 'a2a_card' }>;

/**
 * Opens a target over HTTP. Only its address is resolved; nothing is sent yet.
 *
 * @throws {AppError} `EGRESS_BLOCKED`, `AUDIT_TARGET_DOWN`
 */
export async function openHttpTarget(
  address: HttpAddress,
  how: OpenTarget,
  rules: TargetRules,
): Promise<AuditTarget> {
  const pinned = await pinAddress(address.url, rules, how.pinnedAddress);
  return new HttpTarget(address, { pinned, rules, how });
}

interface HttpTargetDeps {
  readonly pinned: PinnedAddress;
  readonly rules: TargetRules;
  readonly how: OpenTarget;
}

class HttpTarget implements AuditTarget {
  readonly address: HttpAddress;
  readonly origin: string;
  readonly pinnedAddress: string;
  readonly hasCredentials: boolean;
  readonly #rules: TargetRules;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #spending: SpendingBudget;
  readonly #connections = new Set<TargetConnection>();
  #pinned: PinnedAddress;

  constructor(address: HttpAddress, { pinned, rules, how }: HttpTargetDeps) {
    this.address = address;
    this.origin = pinned.url.origin;
    this.pinnedAddress = pinned.address;
    this.#pinned = pinned;
    this.#rules = rules;
    this.#headers = how.headers ?? {};
    this.hasCredentials = Object.keys(this.#headers).length > 0;
    this.#spending = new SpendingBudget(how.limits, how.signal);
  }

  async connect(options: ConnectOptions = {}): Promise<TargetConnection> {
    const connection =
      this.address.kind === 'mcp_http'
        ? await this.#openSession(options)
        : await this.#connectAgent(options);
    this.#connections.add(connection);
    return connection;
  }

  readonly exchange = async (request: RawExchange): Promise<RawResponse> => {
    const { path = pathAndQuery(this.#pinned.url), method, headers = {}, body } = request;
    const { deadlineMs, answerBytesMax } = request;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    return await sendHttp(
      this.#pinned,
      {
        method,
        path,
        headers: { ...length, ...headers },
        ...(body === undefined ? {} : { body }),
        ...(deadlineMs === undefined ? {} : { deadlineMs }),
        ...(answerBytesMax === undefined ? {} : { answerBytesMax }),
      },
      this.#spending,
    );
  };

  spent(): TargetSpending {
    return this.#spending.spent();
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#connections].map((one) => one.close()));
    this.#connections.clear();
    this.#spending.stop();
  }

  /**
   * Opens a session. Redirects are followed on the target's own origin only, which cannot lead to
   * internal addresses.
   */
  async #openSession(options: ConnectOptions): Promise<HttpConnection> {
    for (let redirects = 0; ; redirects += 1) {
      const connection = this.#createConnection(options);
      try {
        await connection.initialize(options);
        return connection;
      } catch (thrown) {
        const { location } = connection;
        if (location === undefined) throw thrown;
        this.#followRedirect(location, redirects);
      }
    }
  }

  #followRedirect(location: string, redirects: number): void {
    const { url, address } = this.#pinned;
    const next = checkUrl(location, this.#rules, url);
    const isOwn = next.origin === url.origin && next.href !== url.href;
    if (!isOwn || redirects >= REDIRECTS_MAX) {
      throw new AppError('AUDIT_TARGET_DOWN', {
        message: 'The target redirects to another URL. Audit that one.',
        data: { target: url.href, location: next.href },
      });
    }
    this.#pinned = { url: next, address };
  }

  /** Connects to an agent. Its card names its message URL, which must have the same origin. */
  async #connectAgent(options: ConnectOptions): Promise<HttpConnection> {
    const answer = await this.exchange({ method: 'GET', headers: { ...this.#headers } });
    const card = answer.kind === 'answer' ? parseJson(answer.body) : undefined;
    const { url } = this.#pinned;
    if (!isObject(card) || typeof card['url'] !== 'string') {
      const data = { target: url.href, outcome: answer.kind };
      throw new AppError('AUDIT_TARGET_DOWN', { message: 'No agent card found.', data });
    }
    const next = checkUrl(card['url'], this.#rules, url);
    if (next.origin !== url.origin) {
      throw new AppError('AUDIT_TARGET_DOWN', {
        message: 'The agent card names another origin, which its owner has not approved for audit.',
        data: { target: url.href, location: next.href },
      });
    }
    const connection = this.#createConnection(options, {
      url: next,
      address: this.#pinned.address,
    });
    connection.greeting = toGreeting(card);
    return connection;
  }

  #createConnection(options: ConnectOptions, pinned = this.#pinned): HttpConnection {
    const own = options.isAnonymous === true ? {} : this.#headers;
    const headers = { ...own, ...options.headers };
    return new HttpConnection({ pinned, spending: this.#spending, headers });
  }
}

function toGreeting(card: Readonly<Record<string, unknown>>): Greeting {
  const text = (name: string): string => (typeof card[name] === 'string' ? card[name] : '');
  return {
    protocolVersion: text('protocolVersion'),
    serverInfo: { name: text('name'), version: text('version') },
    capabilities: isObject(card['capabilities']) ? card['capabilities'] : {},
    instructions: text('description') === '' ? null : text('description'),
  };
}
